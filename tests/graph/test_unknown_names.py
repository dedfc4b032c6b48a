"""Hints at names that differ little, in case or by the exchange of columns."""

from __future__ import annotations

import io

import pytest

import lpgraph as lp
from lpgraph.errors import LpgraphWarning, UnknownVertexError
from lpgraph.graph.unknown_names import alike

KNOWN = ["rosa.silva", "anna2", "bob", "Eve Li"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("rosa.silvaa", "rosa.silva"),
        ("rosa.slva", "rosa.silva"),
        ("rosa.sivla", "rosa.silva"),
        ("roza.silva", "rosa.silva"),
        ("Rosa.Silva", "rosa.silva"),
        (" bob ", "bob"),
        ("eve li", "Eve Li"),
        ("anna", None),  # a number more
        ("anna3", None),
        ("bib", None),  # too short
        ("rosasilvaa", None),  # two edits
        (17, None),
    ],
)
def test_one_edit(name, meant):
    assert alike([name], KNOWN) == ("" if meant is None else f"Is {name!r} the known {meant!r}?")


def labels(text, **options):
    return lp.read_labels(io.BytesIO(text.encode()), ["rosa.silva", "anna"], format="csv", **options)


def test_tables_of_labels():
    text = "vertex,label\nanna,x\nrosa.silvaa,y\n"
    with pytest.raises(UnknownVertexError, match=r"correct or drop them, or add their edges, or pass .* Is 'rosa"):
        labels(text)
    with pytest.warns(LpgraphWarning, match=r"are ignored. Is 'rosa.silvaa' the known 'rosa.silva'\?"):
        assert labels(text, unknown="ignore") == {"anna": "x"}
    with pytest.raises(UnknownVertexError, match=r"graph. Is 'ROSA.SILVA' the known 'rosa.silva'\?"):
        labels("ANNA,x\nROSA.SILVA,y\n")


def test_exchanged_columns():
    text = "unit,who\nx,anna\ny,rosa.silva\n"
    with pytest.raises(
        UnknownVertexError, match=r"Its labels are vertices of the graph: exchange the columns, or"
    ):
        labels(text)
    assert labels(text, column="unit") == {"anna": "x", "rosa.silva": "y"}
    graph = lp.from_edges(["a", "b"], ["b", "c"])
    with pytest.raises(UnknownVertexError, match="The values of y are vertices: exchange keys and values"):
        lp.VertexClassifier().fit(graph, {"x": "a", "y": "b"})


def test_mappings():
    graph = lp.from_edges(["anna", "bert"], ["bert", "carl"])
    with pytest.raises(UnknownVertexError, match=r"correct or drop them, or add .* Is 'Anna' the known 'anna'\?"):
        lp.VertexClassifier().fit(graph, {"Anna": 1, "bert": 2})
    with pytest.raises(UnknownVertexError, match=r"graph. Is 'Anna' the known 'anna'\?"):
        lp.VertexClassifier().fit(graph, {"Anna": 1, "Bert": 2})


@pytest.mark.parametrize(
    ("read", "match"),
    [
        (lp.read_graph, "it has no edges; an edge list has a line with a source and a target for each"),
        (lp.read_labels, "it has no rows; a table of labels has one with a name and a label for each vertex"),
    ],
)
def test_empty_files(tmp_path, read, match):
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(lp.errors.FileFormatError, match=rf"empty.csv: {match}\."):
        read(tmp_path / "empty.csv")
