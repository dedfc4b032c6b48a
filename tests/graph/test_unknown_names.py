"""Hints at names that differ little, in case or by the exchange of columns."""

from __future__ import annotations

import io
import warnings

import pytest

import lpgraph as lp
from lpgraph.errors import LpgraphWarning, UnknownVertexError
from lpgraph.graph.new_vertices import as_new_edges
from lpgraph.graph.unknown_names import alike


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Rosa.Silva", "rosa.silva"),
        (" bob ", "bob"),
        ("'eve li'", "Eve Li"),
        ("7.0", 7),
        ("007", 7),
        ("rosa.silvaa", None),
        ("paper8", None),
        (17, None),
    ],
)
def test_names_that_programs_write_in_another_way(name, meant):
    known = ["rosa.silva", "paper7", "bob", "Eve Li", 7]
    assert alike([name], known) == ("" if meant is None else f"Is {name!r} the known {meant!r}?")


def test_a_misspelled_neighbor_is_named():
    known = ["daily.org/0055", "amber.net/0001", *(f"station {letter}" for letter in "abcde")]
    with pytest.warns(LpgraphWarning) as caught:
        as_new_edges([("new", known[1]), ("new", "Daily.org/0055")], known)
    assert [str(found.message) for found in caught] == [
        "'Daily.org/0055' (is the known 'daily.org/0055' meant?) is new and has no known neighbor. Correct the "
        "name if so."
    ]
    with pytest.warns(LpgraphWarning, match=r"'STATION A' \(is .* and 2 more are new"):
        as_new_edges([("new", known[1]), *[("new", name.upper()) for name in known[2:]]], known)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        as_new_edges([("new", known[1]), ("new", "daily.org/0056")], known)
        as_new_edges([("Daily.org/0055", known[1])], known)


def labels(text, **options):
    return lp.read_labels(io.BytesIO(text.encode()), ["rosa.silva", "anna"], format="csv", **options)


def test_tables_of_labels():
    text = "vertex,label\nanna,x\nRosa.silva,y\n"
    with pytest.raises(UnknownVertexError, match=r"correct or drop them, or add their edges, or pass .* Is 'Rosa"):
        labels(text, unknown="error")
    with pytest.warns(LpgraphWarning, match=r"it is left out. Is 'Rosa.silva' the known 'rosa.silva'\?"):
        assert labels(text) == {"anna": "x"}
    with pytest.raises(UnknownVertexError, match=r"graph. Is 'ROSA.SILVA' the known 'rosa.silva'\?"):
        labels("ANNA,x\nROSA.SILVA,y\n")


def test_exchanged_columns():
    text = "unit,who\nx,anna\ny,rosa.silva\n"
    with pytest.raises(UnknownVertexError, match="exchange the columns, or pass column="):
        labels(text)
    assert labels(text, column="unit") == {"anna": "x", "rosa.silva": "y"}
    graph = lp.from_edges(["a", "b"], ["b", "c"])
    with pytest.raises(UnknownVertexError, match="The values of y are vertices: exchange keys and values"):
        lp.VertexClassifier().fit(graph, {"x": "a", "y": "b"})


def test_mappings():
    graph = lp.from_edges(["anna", "bert"], ["bert", "carl"])
    with pytest.raises(UnknownVertexError, match=r"correct or drop them, or add .* Is 'Anna' the known 'anna'\?"):
        lp.VertexClassifier(unknown="error").fit(graph, {"Anna": 1, "bert": 2})
    with pytest.raises(UnknownVertexError, match=r"graph. Is 'Anna' the known 'anna'\?"):
        lp.VertexClassifier().fit(graph, {"Anna": 1, "Bert": 2})


@pytest.mark.parametrize(
    ("read", "match"),
    [
        (lp.read_graph, "it has no edges; add a line with a source and a target for each"),
        (lp.read_labels, "it has no rows; a table of labels has one with a name and a label for each vertex"),
    ],
)
def test_empty_files(tmp_path, read, match):
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(lp.errors.FileFormatError, match=rf"empty.csv: {match}\."):
        read(tmp_path / "empty.csv")


@pytest.mark.parametrize("rule", ["warn", "error", "ignore"])
def test_one_rule_for_tables_mappings_and_reports(rule):
    graph = lp.datasets.flights().graph
    given = dict(zip(graph.names, lp.datasets.flights().labels.tolist(), strict=True)) | {"GUM": "West"}
    text = "vertex,label\n" + "".join(f"{name},{label}\n" for name, label in given.items())

    def table():
        return lp.read_labels(io.BytesIO(text.encode()), graph, format="csv", unknown=rule)

    def mapping():
        return lp.VertexClassifier(unknown=rule).fit(graph, given)

    def page():
        return lp.report(graph, labels=given, n_clusters=2, unknown=rule)

    for read in (table, mapping, page):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if rule == "error":
                with pytest.raises(UnknownVertexError, match=r"'GUM'.* lacks 1 of them; correct .*'warn'\)?\."):
                    read()
            else:
                read()
        told = [str(one.message) for one in caught if "GUM" in str(one.message)]
        assert len(told) == (rule == "warn")


def test_wrong_tables_are_refused_by_default():
    graph = lp.from_edges([1, 2, 3], [2, 3, 4])
    with pytest.raises(
        UnknownVertexError,
        match=r"lacks 3 of them; pass the graph that they are of\. .* on purpose, pass .*'ignore'",
    ):
        lp.VertexClassifier().fit(graph, {1: "x", 2: "y", 5: "x", 6: "x", 7: "y"})
    with pytest.raises(UnknownVertexError, match="The known ones are called like 1, these like 'user'"):
        lp.VertexClassifier().fit(graph, {"user": "club", 1: "x", 2: "y", 3: "x"})
    with pytest.raises(UnknownVertexError, match="No label in y is for a vertex"):
        lp.VertexClassifier(unknown="ignore").fit(graph, {7: "x", 8: "y"})


def test_names_without_a_label_are_not_counted():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert labels("vertex,label\nanna,x\nzoe,\n", unknown="error") == {"anna": "x"}
