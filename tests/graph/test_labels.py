"""Labels in files, and names that files write as text."""

import io
import warnings
from functools import partial

import pandas as pd
import polars as pl
import pyarrow
import pyarrow.parquet
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, FileFormatError, LpgraphWarning, UnknownVertexError
from lpgraph.graph.names import match_names
from lpgraph.graph.unknown_names import alike


def read(text, vertices=None, form="csv", **options):
    return lp.read_labels(io.BytesIO(text.encode()), vertices, format=form, **options)


@pytest.mark.parametrize(
    ("text", "vertices", "expected"),
    [
        ("vertex,label\na,x\nb,y\n", None, {"a": "x", "b": "y"}),
        ("# comment\na,x\nb,\nc,x\n", None, {"a": "x", "c": "x"}),
        ("who,what\n3,x\n4,y\n", None, {3: "x", 4: "y"}),
        ("3,1\n4,2\n", None, {3: 1, 4: 2}),
        ("3,1\n4,2\n", ["3", "4", "x"], {"3": 1, "4": 2}),  # the graph's own names are text
        ("name,x\nb,y\n", ["name", "b"], {"name": "x", "b": "y"}),  # a vertex called name
        ("label,node\nx,a\n", ["a"], {"a": "x"}),
        ("id,age,class\na,4,x\n", None, {"a": "x"}),
        ("member;club\nalice;red\nbob;red\n", ["alice", "bob"], {"alice": "red", "bob": "red"}),
        ('"a,b",x\nc,x\n', None, {"a,b": "x", "c": "x"}),
        ("a,1\na,1\nb,1.5\n", None, {"a": "1", "b": "1.5"}),
        ("ann , x\n bob,y \n", ["ann", "bob "], {"ann": "x", "bob ": "y"}),
    ],
)
def test_tables(text, vertices, expected):
    found = read(text, vertices)
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


def test_formats_and_columns(tmp_path):
    assert read("a x\nb x\n", form="txt") == read("a\tx\nb\tx\n", form="tsv") == {"a": "x", "b": "x"}
    assert read("node,sex,rank\na,f,2\nb,m,1\n", column="rank") == {"a": 2, "b": 1}
    assert read("unit,who\nx,anna\n", ["anna"], column="unit") == {"anna": "x"}
    assert read("vertex,label\na,x\n", header=False) == {"vertex": "label", "a": "x"}
    pyarrow.parquet.write_table(pyarrow.table({"vertex": [1, 2], "label": ["x", None]}), tmp_path / "t.parquet")
    assert lp.read_labels(tmp_path / "t.parquet", ["1", "2"]) == {"1": "x"}
    assert lp.read_labels(tmp_path / "t.parquet", lp.from_edges([1], [2])) == {1: "x"}


@pytest.mark.parametrize(
    ("text", "options", "error", "part"),
    [
        ("vertex,label\n", {}, FileFormatError, "no rows"),
        ("a\nb\n", {}, FileFormatError, "columns"),
        ("a,x,1\nb,y,2\n", {}, FileFormatError, "3 columns"),
        ("id,p,q\na,x,1\n", {}, ArgumentError, "column="),
        ("id,p\na,x\n", {"column": "z"}, ArgumentError, "column='z'"),
        ("id,p,p\na,x,y\n", {"column": "p"}, ArgumentError, "column='p'"),
        ("id,p\na,x\n", {"column": "p", "header": False}, ArgumentError, "header=False"),
        ("a,x\n", {"unknown": "drop"}, ArgumentError, "unknown='drop'"),
        ("a,b\na,c\nb,c\n", {"vertices": list("abc")}, FileFormatError, "line 2"),  # edges
        ("a,x\nb\n", {}, FileFormatError, "line 2"),
        ("a,\n", {}, FileFormatError, "label"),
        ("vertex,label\na,x\nvertex,label\nb,y\n", {}, FileFormatError, "line 3"),
        ("a,x\nz,y\n", {"vertices": ["a"], "unknown": "error"}, UnknownVertexError, "'z'"),
        ("a,x\np,y\nq,y\n", {"vertices": ["a"]}, UnknownVertexError, "unknown='ignore'"),
        ("007,x\n008,y\n", {"vertices": range(9)}, UnknownVertexError, "Is '007' the known 7?"),
        ("p,x\nq,y\n", {"vertices": ["a"], "unknown": "ignore"}, UnknownVertexError, "'p'"),
        ("x,a\ny,b\n", {"vertices": list("abc")}, UnknownVertexError, "exchanged"),
        ("a,x\n", {"form": "gml"}, ArgumentError, "gml"),
    ],
)
def test_what_is_no_table_of_labels(text, options, error, part):
    with pytest.raises(error) as caught:
        read(text, **options)
    assert part in str(caught.value)


def test_names_of_files_and_of_programs():
    assert match_names(["x", "3", 4], {3: 0, 4: 1}) == ["x", 3, 4]
    assert match_names([3, 7, "03"], {"3": 0}) == ["3", 7, "03"]
    known = ["rosa.silva", "paper7", "bob", "Eve Li", 7]
    for name in ("Rosa.Silva", " bob ", "'eve li'", "7.0", "007"):
        assert alike([name], known)
    for name in ("rosa.silvaa", "paper8", 17):
        assert not alike([name], known)


@pytest.mark.parametrize("text", ["nan", "None", "<NA>", " NA "])
def test_a_text_for_a_missing_value_is_no_label(text):
    table = f"vertex,label\na,x\nb,{text}\nc,{text}\nd,\ne,y\nf,none\n"
    with pytest.warns(LpgraphWarning, match=f"2 label.*'{text.strip()}'.* missing") as caught:
        assert read(table) == {"a": "x", "e": "y", "f": "none"}
    assert len(caught) == 1


@pytest.mark.parametrize("rule", ["warn", "error", "ignore"])
def test_one_rule_for_tables_mappings_and_reports(rule):
    graph = lp.datasets.flights().graph
    given = dict(zip(graph.names, lp.datasets.flights().labels.tolist(), strict=True)) | {"GUM": "West"}
    text = "vertex,label\n" + "".join(f"{name},{label}\n" for name, label in given.items())
    model = lp.VertexClassifier(unknown=rule)
    for use in (partial(read, text, graph, unknown=rule), partial(model.fit, graph, given)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if rule == "error":
                with pytest.raises(UnknownVertexError, match=r"'GUM'.*'warn'"):
                    use()
            else:
                use()
        assert len([one for one in caught if "GUM" in str(one.message)]) == (rule == "warn")


def test_names_without_labels_are_not_strange():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read("vertex,label\nanna,x\nzoe,\n", ["anna"], unknown="error") == {"anna": "x"}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_of_two_columns(frame):
    flights = lp.datasets.flights()
    names, labels = list(flights.graph.names), flights.labels.tolist()
    model = lp.VertexClassifier().fit(flights.graph, frame({"airport": names, "region": labels}))
    expected = lp.VertexClassifier().fit(flights.graph, dict(zip(names, labels, strict=True)))
    assert model.transduction_.tolist() == expected.transduction_.tolist()
    with pytest.raises(ArgumentError, match="'SEA' twice"):
        lp.VertexClassifier().fit(flights.graph, frame({"airport": ["SEA", "SEA"], "region": ["West", "East"]}))
