"""Labels in files, and names that files write as text."""

import io

import pyarrow
import pyarrow.parquet
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, FileFormatError, LpgraphWarning, UnknownVertexError
from lpgraph.graph.files.labels import match_names


def read(text, vertices=None, form="csv", **options):
    return lp.read_labels(io.BytesIO(text.encode()), vertices, format=form, **options)


@pytest.mark.parametrize(
    ("text", "vertices", "expected"),
    [
        ("vertex,label\na,x\nb,y\n", None, {"a": "x", "b": "y"}),
        ("a,x\nb,y\nc,x\n", None, {"a": "x", "b": "y", "c": "x"}),
        ("who,what\n3,x\n4,y\n", None, {3: "x", 4: "y"}),
        ("3,1\n4,2\n", None, {3: 1, 4: 2}),
        ("3,1\n4,2\n", ["3", "4", "x"], {"3": 1, "4": 2}),  # the graph's own names are text
        ("name,x\nb,y\n", ["name", "b"], {"name": "x", "b": "y"}),  # a vertex called name
        ("who,what\nb,y\n", ["a", "b"], {"b": "y"}),
        ("label,node\nx,a\n", ["a"], {"a": "x"}),
        ("id,age,class\na,4,x\n", None, {"a": "x"}),
        ("a,\nb,y\n", None, {"b": "y"}),
        ("# comment\n\ufeffa,x\nb,x\n".replace("\ufeff", ""), None, {"a": "x", "b": "x"}),
        ('"a,b",x\nc,x\n', None, {"a,b": "x", "c": "x"}),
        ("a,x\na,x\n", None, {"a": "x"}),
        ("a,1\nb,1.5\n", None, {"a": "1", "b": "1.5"}),
    ],
)
def test_tables(text, vertices, expected):
    found = read(text, vertices)
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


@pytest.mark.parametrize("text", ["ann,dem\nbob,dem\n", "ann,1\nbob,x\n", "ann,\nbob,dem\n", "ann,dem\n"])
def test_first_lines_that_are_rows(text):
    assert read(text) == read(text, header=False)


def test_formats_and_columns(tmp_path):
    assert read("a x\nb x\n", form="txt") == read("a\tx\nb\tx\n", form="tsv") == {"a": "x", "b": "x"}
    assert read("node,sex,rank\na,f,2\nb,m,1\n", column="rank") == {"a": 2, "b": 1}
    pyarrow.parquet.write_table(pyarrow.table({"vertex": [1, 2], "label": ["x", None]}), tmp_path / "t.parquet")
    assert lp.read_labels(tmp_path / "t.parquet", ["1", "2"]) == {"1": "x"}
    assert lp.read_labels(tmp_path / "t.parquet", lp.from_edges([1], [2])) == {1: "x"}


@pytest.mark.parametrize(
    ("text", "options", "error", "match"),
    [
        ("", {}, FileFormatError, "no rows"),
        ("vertex,label\n", {}, FileFormatError, "no rows"),
        ("a\nb\n", {}, FileFormatError, "one column"),
        ("a,x,1\nb,y,2\n", {}, FileFormatError, "no header"),
        ("id,p,q\na,x,1\n", {}, ArgumentError, "pass column="),
        ("id,p\na,x\n", {"column": "z"}, ArgumentError, "no column of"),
        (
            "a,x\na,y\n",
            {"header": False},
            FileFormatError,
            "line 2: the vertex 'a' has the label 'y' here and 'x' before",
        ),
        ("a,x\nb\n", {}, FileFormatError, "line 2"),
        ("a,\n", {}, FileFormatError, "no vertex in it has a label"),
        ("a,x\nz,y\n", {"vertices": ["a", "b"], "unknown": "error"}, UnknownVertexError, "'z'"),
        ("a,x\n", {"form": "gml"}, ArgumentError, "holds no labels"),
    ],
)
def test_what_is_no_table_of_labels(text, options, error, match):
    with pytest.raises(error, match=match):
        read(text, **options)


def test_names_from_files_are_matched_by_their_text():
    assert match_names(["x", "3", 4], {3: 0, 4: 1}) == ["x", 3, 4]
    assert match_names([3, 7], {"3": 0}) == ["3", 7]
    assert match_names(["03"], {3: 0}) == ["03"]


def test_streams():
    graph = lp.from_edges(["a", "b"], ["b", "c"])
    stream = io.BytesIO()
    lp.write_graph(graph, stream, format="csv")
    assert list(lp.read_graph(io.BytesIO(stream.getvalue()), format="csv").names) == list(graph.names)
    with pytest.raises(ArgumentError, match="has no suffix"):
        lp.read_graph(io.BytesIO(b"a,b"))
    with pytest.raises(ArgumentTypeError, match="open it as bytes"):
        lp.read_graph(io.StringIO("a,b"), format="csv")
    with pytest.raises(FileFormatError, match="the stream, line 2"):
        lp.read_graph(io.BytesIO(b"a,b\nc\n"), format="csv")


def test_a_table_of_titles_only_has_no_rows(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("user,country\n")
    with pytest.raises(FileFormatError, match="it has a header and no rows"):
        lp.read_labels(path, ["ann", "bob"])


def test_a_usual_title_without_a_graph(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("member,country\nann,JP\nbob,TW\n")
    assert lp.read_labels(path) == {"ann": "JP", "bob": "TW"}
    path.write_text("city,noun\nrun,verb\nriver,noun\n")  # a row: its label occurs again
    assert lp.read_labels(path) == {"city": "noun", "run": "verb", "river": "noun"}


def test_end_points_are_no_weights(tmp_path):
    path = tmp_path / "graph.csv"
    path.write_text("person,weight\nann,x\nbob,x\n")
    assert lp.read_graph(path, header=True).n_edges == 2
    with pytest.raises(ArgumentError, match="weight='person' is a column of end points"):
        lp.read_graph(path, header=True, weight="person")


EDGES = "source,target,weight\na,b,1\na,c,2\nb,c,3\n"


@pytest.mark.parametrize(
    ("text", "vertices", "error", "match"),
    [
        (EDGES, "abc", ArgumentError, "like a list of edges; pass column= to say"),
        ("a,b,1\na,c,2\n", "abc", FileFormatError, r"and label alone\. Is it a list of edges\?$"),
        (
            "a,b\na,c\nb,c\n",
            "abc",
            FileFormatError,
            "if this is a list of edges, pass the table of labels, else keep one of them",
        ),
        (
            "a,b\nb,c\nx,a\n",
            "abc",
            UnknownVertexError,
            r"Its labels are names of vertices: is it a list of edges\? If it is not, pass unknown='ignore'\.$",
        ),
        ("A,x\nB,y\n", "abc", UnknownVertexError, r"is in the graph\. Is 'A' the known 'a'\?$"),
        (
            "a,x\np,y\nq,y\n",
            "abc",
            UnknownVertexError,
            r"lacks 2 of them; pass the graph that they are of\. .* on purpose, pass unknown='ignore'",
        ),
        ("007,x\n008,y\n", range(9), UnknownVertexError, r"Is '007' the known 7\?"),
        ("p,x\nq,y\n", "abc", UnknownVertexError, "The known ones are called like 'a', these like 'p'"),
        ("a,x\nb,y\na,y\n", "abc", FileFormatError, "and 'x' before; .* else keep one of them"),
    ],
)
def test_a_file_that_is_no_table_of_these_labels_is_recognised(text, vertices, error, match):
    with pytest.raises(error, match=match):
        read(text, list(vertices))


def test_a_table_of_labels_that_is_read_as_edges_is_recognised():
    graph = lp.datasets.flights().graph
    labels = dict(zip(graph.names, lp.datasets.flights().labels, strict=True))
    model = lp.VertexClassifier().fit(graph, labels)
    table = [(name, str(label)) for name, label in labels.items()]
    with (
        pytest.warns(LpgraphWarning, match="new has each name once, and 5 different values"),
        pytest.warns(LpgraphWarning, match="new has no new vertices except .* Is it the table of labels?"),
    ):
        model.predict(table)
    with pytest.warns(LpgraphWarning, match="graph has no vertices without labels except .* Is it the table"):
        lp.VertexClassifier().fit(lp.from_edges(*zip(*table, strict=True)), labels)
    assert len(model.predict([("West Point", "SEA")])) == 1  # no warning


@pytest.mark.parametrize("text", ["NA", "nan", "NaN", "None", "null", "N/A", "<NA>", " NA "])
def test_a_text_for_a_missing_value_is_no_label(text):
    table = f"vertex,label\na,x\nb,{text}\nc,{text}\nd,\ne,y\n"
    with pytest.warns(LpgraphWarning, match=f"2 labels '{text.strip()}' were read as missing"):
        assert read(table) == {"a": "x", "e": "y"}


def test_missing_labels_are_told_once_and_others_are_kept():
    with pytest.warns(LpgraphWarning, match="2 labels 'NA' or 'null' were") as caught:
        assert read("vertex,label\na,1\nb,NA\nc,null\nd,none\n") == {"a": "1", "d": "none"}
    assert len(caught) == 1
    with pytest.warns(LpgraphWarning), pytest.raises(FileFormatError, match="no vertex in it has a label"):
        read("vertex,label\na,NA\n")


def test_a_second_header_of_labels_is_refused():
    with pytest.raises(FileFormatError, match="line 3: it repeats the titles"):
        read("vertex,label\na,x\nvertex,label\nb,y\n")
