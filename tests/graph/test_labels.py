"""Labels in files, and names that files write as text."""

import io
import warnings

import pandas as pd
import polars as pl
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, FileFormatError, LpgraphWarning, UnknownVertexError


def read(text, vertices=None, form="csv", **options):
    return lp.read_labels(io.BytesIO(text.encode()), vertices, format=form, **options)


@pytest.mark.parametrize(
    ("text", "vertices", "expected"),
    [
        ("vertex,label\na,x\nb,y\n", None, {"a": "x", "b": "y"}),
        ("who,what\n3,x\n4,y\n", None, {3: "x", 4: "y"}),
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


def test_formats_and_columns():
    assert read("a x\nb x\n", form="txt") == read("a\tx\nb\tx\n", form="tsv") == {"a": "x", "b": "x"}
    assert read("node,sex,rank\na,f,2\nb,m,1\n", column="rank") == {"a": 2, "b": 1}
    assert read("unit,who\nx,anna\n", ["anna"], column="unit") == {"anna": "x"}
    assert read("vertex,label\na,x\n", header=False) == {"vertex": "label", "a": "x"}


@pytest.mark.parametrize(
    ("text", "options", "error", "part"),
    [
        ("vertex,label\n", {}, FileFormatError, "no rows"),
        ("a,x,1\nb,y,2\n", {}, FileFormatError, "3 columns"),
        ("id,p,q\na,x,1\n", {}, ArgumentError, "column="),
        ("id,p\na,x\n", {"column": "z"}, ArgumentError, "column='z'"),
        ("id,p\na,x\n", {"column": "p", "header": False}, ArgumentError, "header=False"),
        ("id,p,p\na,x,y\n", {"column": "p"}, ArgumentError, "column='p'"),
        ("a,b\na,c\nb,c\n", {"vertices": list("abc")}, FileFormatError, "line 2"),  # edges
        ("x,a\nx,b\ny,c\n", {"vertices": list("abc")}, FileFormatError, "titles vertex and label"),
        ("a,x\nb,y,z\n", {}, FileFormatError, "line 2"),
        ("vertex,label\na,x\nvertex,label\nb,y\n", {}, FileFormatError, "line 3"),
        ("a,x\nz,y\n", {"vertices": ["a"], "unknown": "error"}, UnknownVertexError, "'z'"),
        ("a,x\np,y\nq,y\n", {"vertices": ["a"]}, UnknownVertexError, "unknown='ignore'"),
        ("007,x\n008,y\n", {"vertices": range(9)}, UnknownVertexError, "known ones are called like 0"),
        ("a,x\n", {"form": "gml"}, ArgumentError, "gml"),
    ],
)
def test_what_is_no_table_of_labels(text, options, error, part):
    with pytest.raises(error) as caught:
        read(text, **options)
    assert part in str(caught.value)


@pytest.mark.parametrize("text", ["nan", "None", "<NA>", " NA "])
def test_a_text_for_a_missing_value_is_no_label(text):
    table = f"vertex,label\na,x\nb,{text}\nc,{text}\nd,\ne,y\nf,none\n"
    assert read(table) == {"a": "x", "e": "y", "f": "none"}


def test_names_that_no_vertex_has():
    with pytest.warns(LpgraphWarning, match=r"lacks 1 of them, such as 'Rosa.Silva'"):
        assert read("vertex,label\nb,x\nRosa.Silva,y\n", ["rosa.silva", "b"]) == {"b": "x"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read("b,x\nc,y\n", ["b"], unknown="ignore") == {"b": "x"}
        # Without a label it is not strange.
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


def test_names_like_titles_are_no_titles():
    labels = lp.read_labels(io.BytesIO(b"node1,7\nnode2,8\n"), format="csv")
    assert labels == {"node1": 7, "node2": 8}


def test_an_index_that_pandas_wrote_has_no_names(tmp_path):
    pd.DataFrame({"person": ["ann", "bob"], "group": ["a", "b"]}).to_csv(tmp_path / "labels.csv")
    assert lp.read_labels(tmp_path / "labels.csv") == {"ann": "a", "bob": "b"}
