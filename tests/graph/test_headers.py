"""Headers, separators, encodings and dicts in edge lists, and headers of tables of labels."""

import io
import warnings

import networkx as nx
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, FileFormatError, LpgraphWarning, UnknownVertexError


def read(text, form="csv", **options):
    content = text if isinstance(text, bytes) else text.encode()
    return lp.read_graph(io.BytesIO(content), format=form, **options)


def pairs(graph):
    source, target, weight = graph.edge_list()
    names = graph.names
    return [
        (names[i], names[j], w) for i, j, w in zip(source.tolist(), target.tolist(), weight.tolist(), strict=True)
    ]


FRIENDS = "alice,bob\nbob,carol\nalice,carol\n"


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("source,target\n" + FRIENDS, True),  # known titles
        ("To,From\n" + FRIENDS, True),
        ("u,v\n1,2\n2,3\n", True),  # numbers in all other lines
        ("who,number\nalice,1\nbob,2\n", True),
        ("who,whom,weight\nalice,bob,1\nbob,carol,2\n", True),
        ("alice,bob,friends\nbob,carol,family\n", None),  # no weights anywhere
        (FRIENDS, False),  # bob occurs again
        ("alice,bob\ncarol,bob\n", False),
        ("3,x\n4,y\n", False),  # a number is no title
        ("x,3\ny,4\n", False),
        ("1,2\n3,4\n", False),
        ("alice,bob\n", False),  # one line is an edge
        ("a,a\nb,b\n", False),  # two titles differ
    ],
)
@pytest.mark.parametrize("form", ["csv", "tsv", "txt"])
def test_the_first_line_is_a_header(text, header, form):
    text = text.replace(",", {"csv": ",", "tsv": "\t", "txt": " "}[form])
    if header is None:
        with pytest.raises(FileFormatError, match="line 1: the weight 'friends'"):
            read(text, form)
        return
    lines = text.splitlines()
    titles = set(lines[0].split({"csv": ",", "tsv": "\t", "txt": None}[form])[:2])
    graph = read(text, form)
    assert ({*map(str, graph.names)} & titles == set()) is header
    expected = read(text, form, header=header)
    assert pairs(graph) == pairs(expected)
    assert graph.n_edges == len(lines) - header


@pytest.mark.parametrize("titles", ["user,friend", "User_1,User_2", "author id,coauthor id", "name,email"])
def test_usual_titles_are_a_header_of_any_file(titles):
    assert list(read(f"{titles}\nann,bob\n").names) == ["ann", "bob"]
    with pytest.raises(FileFormatError, match="no edges"):
        read(f"{titles}\n")


def test_columns_by_title():
    text = "id,when,who,whom,how often\n7,2020,a,b,2\n8,2021,b,c,3\n"
    graph = read(text, source="who", target="whom", weight="how often")
    assert pairs(graph) == [("a", "b", 2.0), ("b", "c", 3.0)]
    assert pairs(read(text, source="whom", target="who", weight=None, directed=True)) == [
        ("b", "a", 1.0),
        ("c", "b", 1.0),
    ]
    table = pyarrow.table({"id": [7], "who": ["a"], "whom": ["b"]})
    stream = io.BytesIO()
    pyarrow.parquet.write_table(table, stream)
    assert list(read(stream.getvalue(), "parquet", source="who", target="whom", weight=None).names) == ["a", "b"]
    assert list(read("a b\n1 2\n", "txt", source="a", target="b").names) == [1, 2]
    ours = io.BytesIO()
    lp.write_graph(lp.from_edges([0], [1]), ours, format="csv")
    assert read(ours.getvalue(), source="target", target="source", directed=True).matrix[1, 0] == 1


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"source": "a"}, ArgumentTypeError, "target=None is a NoneType; pass the titles of both"),
        ({"source": 0, "target": 1}, ArgumentTypeError, "source=0 is an int"),
        ({"source": "a", "target": "z"}, ArgumentError, "target='z' is no column of the stream: .*pass the title"),
        ({"source": "a", "target": "a"}, ArgumentError, "both 'a'; pass two columns"),
        ({"source": "a", "target": "b", "header": False}, ArgumentError, "header=False; leave one of them out"),
        ({"header": 1}, ArgumentTypeError, "header=1 is an int; pass True or False"),
        ({"header": True}, ArgumentError, "no two are called source and target; .*pass source= and target="),
        ({"header": False}, FileFormatError, "line 1: it has 4 columns"),
        ({}, FileFormatError, "line 1: it has 4 columns .*pass source= and target="),
        ({"form": "gml", "header": True}, ArgumentError, "header= is for text tables and the stream is gml"),
        ({"form": "parquet", "header": True}, ArgumentError, "header= is for text tables"),
        ({"form": "npz", "source": "a", "target": "b"}, ArgumentError, "source= is for edge lists"),
    ],
)
def test_wrong_options(options, error, match):
    with pytest.raises(error, match=match):
        read("a,b,c,d\np,q,r,s\n", **options)


@pytest.mark.parametrize(
    ("text", "form", "match"),
    [
        (nx.to_numpy_array(nx.path_graph(4)).astype(int), "txt", "line 1: it has 4 columns.*rows of a matrix"),
        ("0 1 2\n3\n", "txt", "line 2: the number of columns is 1 here and 3 before; .*networkx.read_adjlist"),
        ("a,b\nb,c\n", "txt", "line 1: it has 1 column; .*pass format='csv'"),
        ("a;b;1,5\nb;c;2,5\n", "csv", "line 1: the weight '1,5' is not a finite number; write 1.5 for 1,5"),
        ("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 5\n", "txt", "pass format='mtx'"),
        ("c comment\np max 2 1\na 1 2 1\n", "txt", "line 1: .* read it by igraph.Graph.Read_DIMACS"),
        ("digraph {\n a -> b\n}\n", "txt", "line 1: .* read it by networkx.nx_pydot.read_dot"),
        ("dl n=2 format=edgelist1\ndata:\n1 2\n", "txt", "line 1: .* read it by igraph.Graph.Read_DL"),
        (b"\xff\xfea", "csv", "begins as UTF-16"),
    ],
)
def test_other_formats_are_refused_with_a_remedy(text, form, match):
    if isinstance(text, np.ndarray):
        text = "\n".join(" ".join(map(str, row)) for row in text.tolist())
    with pytest.raises(FileFormatError, match=match):
        read(text, form)


def test_separators_and_encodings():
    expected = [("Zoë", "b,c", 1.5), ("Zoë", "d", 2.0)]
    for text in ('Zoë;"b,c";1.5\nZoë;d;2\n', 'Zoë,"b,c",1.5\nZoë,d,2\n'):
        assert pairs(read(text)) == expected
        assert pairs(read(text.encode("utf-16"))) == expected
        with pytest.warns(
            LpgraphWarning, match="line 1: it is not UTF-8 and was read as Windows-1252; save it as UTF-8"
        ):
            assert pairs(read(text.encode("latin-1"))) == expected
    assert pairs(read("source;target;weight\n1;2;3\n")) == [(1, 2, 3.0)]
    assert pairs(read("1;2\n2;3\n")) == [(1, 2, 1.0), (2, 3, 1.0)]
    assert list(read('"a;b",c\nd,c\n').names) == ["a;b", "c", "d"]
    assert list(read("a;b,c\nd,c\n").names) == ["a;b", "c", "d"]  # a comma that is no part of a number


@pytest.mark.parametrize("form", ["csv", "tsv", "txt"])
def test_lines_with_dicts(form):
    delimiter = {"csv": ",", "tsv": "\t", "txt": " "}[form]
    graph = nx.DiGraph()
    graph.add_edge("a", "b", weight=np.float64(2.5), colour="red, or {blue}")
    graph.add_edge("b", "é")
    stream = io.BytesIO()
    nx.write_edgelist(graph, stream, delimiter=delimiter)
    assert pairs(read(stream.getvalue(), form, directed=True)) == [("a", "b", 2.5), ("b", "é", 1.0)]
    assert pairs(read(stream.getvalue(), form, weight=None)) == [("a", "b", 1.0), ("b", "é", 1.0)]
    assert not read(stream.getvalue().replace(b"weight", b"w"), form).weighted
    with pytest.raises(ArgumentError, match="weight='cost' is no attribute of an edge in the stream"):
        read(stream.getvalue(), form, weight="cost")
    for line, match in (
        ("b c 1", "line 3: it is not two names and a dict"),
        ("b c {1}", r"line 3: '\{1\}' is no dict"),
        ("b c {'weight': inf}", "line 3: .* is no dict of numbers and strings; write the graph by"),
        ("b c {'weight': 'x'}", "line 3: the weight is not a finite number"),
    ):
        first, second, last = line.split(" ", 2)
        bad = delimiter.join((first, second, last)).encode()
        with pytest.raises(FileFormatError, match=match):
            read(stream.getvalue() + bad + b"\n", form)
    with pytest.raises(FileFormatError, match=r"line 1: it is not two names and a dict"):
        read("New York Boston {}\n", "txt")


def test_names_of_igraph_in_gml():
    node = 'node [ id 0 name "x" {} ] node [ id 1 name "y" {} ] edge [ source 0 target 1 ] ]'
    creator = 'Creator "igraph version 1.0.0"\n'
    for text, names in (
        (creator + "graph [ " + node.format("", ""), ("x", "y")),
        (creator + "graph [ " + node.format('label "p"', 'label "q"'), ("x", "y")),
        ("graph [ " + node.format('label "p"', 'label "q"'), ("p", "q")),
        (creator + "graph [ " + node.format("", "").replace("y", "x"), (0, 1)),
    ):
        assert tuple(read(text, "gml").names) == names


@pytest.mark.parametrize(
    ("text", "vertices", "expected"),
    [
        ("member,club\nalice,1\nbob,2\n", None, {"alice": 1, "bob": 2}),  # labels are numbers, but the first
        ("zoe,red\nalice,red\nbob,blue\n", ["alice", "bob"], None),  # red occurs again: no header
        ("member,club\nalice,red\nbob,red\n", ["alice", "bob"], {"alice": "red", "bob": "red"}),
        ("member;club\nalice;red\nbob;red\n", ["alice", "bob"], {"alice": "red", "bob": "red"}),
    ],
)
def test_headers_of_labels(text, vertices, expected):
    def labels(**options):
        return lp.read_labels(io.BytesIO(text.encode()), vertices, format="csv", **options)

    if expected is None:
        with pytest.raises(UnknownVertexError, match="'zoe'"):
            labels(unknown="error")
        with pytest.warns(LpgraphWarning, match="the stream has a label of 1 vertex .* such as 'zoe'; it is left"):
            assert labels() == {"alice": "red", "bob": "blue"}
        return
    assert labels() == labels(header=True) == expected
    assert len(lp.read_labels(io.BytesIO(text.encode()), format="csv", header=False)) == 3


def test_options_of_labels():
    table = b"vertex,label\nalice,red\nzoe,red\nyan,blue\n"

    def labels(**options):
        return lp.read_labels(io.BytesIO(table), ["alice", "bob"], format="csv", **options)

    with pytest.raises(
        UnknownVertexError,
        match=r"the graph lacks 2 of them; pass the graph .* on purpose, pass unknown='ignore'",
    ):
        labels()
    assert labels(unknown="ignore") == {"alice": "red"}  # without a warning
    with pytest.raises(ArgumentError, match="unknown='drop'; pass one of 'warn', 'error', 'ignore'"):
        labels(unknown="drop")
    with pytest.raises(ArgumentError, match="column='label' is a title but header=False"):
        labels(column="label", header=False)
    with pytest.raises(
        UnknownVertexError, match=r"No vertex of the stream is in the graph\. The known ones are called like 'x'"
    ):
        lp.read_labels(io.BytesIO(table), ["x"], format="csv", unknown="ignore")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lp.read_labels(io.BytesIO(table), format="csv", unknown="ignore")["zoe"] == "red"


def test_several_named_columns_without_a_weight(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("id,who,whom,when\n0,a,b,1\n1,b,c,2\n")
    with pytest.warns(LpgraphWarning, match="all edges have weight 1; pass one of 'id', 'when'"):
        graph = lp.read_graph(path, source="who", target="whom")
    assert graph.matrix.data.tolist() == [1.0] * 4
    assert lp.read_graph(path, source="who", target="whom", weight="when").matrix.sum() == 6.0
    assert lp.read_graph(path, source="who", target="whom", weight=None).n_edges == 2


@pytest.mark.parametrize("form", ["csv", "tsv", "txt"])
def test_a_second_header_is_refused(form):
    lines = ["source target", "1 2", "source target", "2 3"]
    text = "\n".join(lines).replace(" ", {"csv": ",", "tsv": "\t", "txt": " "}[form])
    with pytest.raises(FileFormatError, match="line 3: it repeats the titles source, target"):
        read(text, form)


@pytest.mark.parametrize(
    "text",
    [
        "source,target,weight\na,b,1\nb,c,2\nsource,target,weight\nc,d,1\n",
        "source;target\nalice;bob\n# part 2\n source;target \nbob;carol\n",
        "who,number\nalice,1\nwho,number\nbob,2\n",  # titles that are not known, above numbers
        "user,friend\n" + FRIENDS + "user,friend\n" + FRIENDS,  # usual titles
    ],
)
def test_a_second_header_is_refused_in_any_table(text):
    line = text.strip().split("\n").index(text.split("\n")[0], 1) + 1 if "#" not in text else 4
    with pytest.raises(FileFormatError, match=f"line {line}: it repeats the titles"):
        read(text)
    with pytest.raises(FileFormatError, match=f"line {line}: it repeats the titles"):
        read(text, header=True)


def test_an_edge_that_is_listed_twice_is_no_header():
    graph = read("alice,bob\nalice,bob\nbob,carol\n")
    assert pairs(graph) == [("alice", "bob", 2.0), ("bob", "carol", 1.0)]


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_blanks_around_names_do_not_count(form):
    separator = {"csv": ",", "tsv": "\t"}[form]
    text = "ann , bob\nbob,ann\n carl ,ann \n'd e',bob \n".replace(",", separator)
    assert list(read(text, form, header=False).names) == ["ann", "bob", "carl", "'d e'"]
    text = "vertex,label\nann , x\n bob,y \n".replace(",", separator)
    graph = lp.from_edges(["ann", "bob "], ["bob ", "ann"])
    for vertices, names in ((None, ["ann", "bob"]), (graph, ["ann", "bob "])):
        found = lp.read_labels(io.BytesIO(text.encode()), vertices, format=form)
        assert found == dict(zip(names, ["x", "y"], strict=True))


@pytest.mark.parametrize("library", ["pandas", "polars", "parquet"])
def test_names_that_differ_by_blanks_are_told(tmp_path, library):
    columns = {"source": ["ann", "bob", "carl"], "target": ["bob", "ann ", "ann"]}
    if library == "parquet":
        graph, reader = tmp_path / "edges.parquet", lp.read_graph
        pyarrow.parquet.write_table(pyarrow.table(columns), graph)
    else:
        graph, reader = pytest.importorskip(library).DataFrame(columns), lp.as_adjacency
    with pytest.warns(LpgraphWarning, match="has the vertices 'ann' and 'ann ', which differ only by blanks"):
        assert list(reader(graph).names) == ["ann", "bob", "ann ", "carl"]


def test_other_blanks_in_names_are_not_told():
    pandas = pytest.importorskip("pandas")
    names = [("a", "b "), "a b", " x", 3]
    assert lp.as_adjacency(pandas.DataFrame({"source": names, "target": names[::-1]})).n_vertices == 4


FIELDS = [
    "a",
    "b c",
    "1",
    "07",
    '"x"',
    '"y,z"',
    '"q""r"',
    "é",
    "",
    " s",
    "t ",
    "2.5",
    "nan",
    'm"n',
    '"u\nv"',
    "'",
    '" i"',
]


@pytest.mark.parametrize("form", ["csv", "tsv", "txt"])
@settings(deadline=None, max_examples=150)
@given(rows=st.lists(st.lists(st.sampled_from(FIELDS), min_size=2, max_size=4), min_size=1, max_size=5))
def test_pandas_and_the_reader_of_lines_agree(form, rows):
    # A comment between the lines has them read one by one.
    separator = {"csv": ",", "tsv": "\t", "txt": " "}[form]
    text = "".join(f"{separator.join(row)}\n" for row in rows)

    def found(content):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                graph = read(content, form, header=False, directed=True)
            except FileFormatError as error:
                return str(error)
        return list(graph.names), pairs(graph)

    assert found(text) == found(text + "# end\n")


@pytest.mark.parametrize(
    ("form", "text", "match"),
    [
        ("pajek", "*Vertices 2\n1 a\n*Edges\n1 x\n", "line 4: '1 x' is no vertex, edge or arc"),
        ("pajek", "*Vertices 2\n*Edges\n1 3\n", "an edge ends in '3'"),
        ("pajek", "*Vertices 99999999999\n", "it claims 99999999999 vertices"),
        ("pajek", "*Matrix\n0 1\n", "line 2"),
        ("gexf", "<graphml/>", "gexf"),
        ("gexf", '<!DOCTYPE a [<!ENTITY x "y">]><gexf/>', "document type definition"),
        ("json", "{", "it is no whole json file"),
        ("json", "[1, 2]", "it is no whole json file"),
    ],
)
def test_broken_files_of_other_programs(form, text, match):
    with pytest.raises(FileFormatError, match=match):
        read(text, form)


def test_pajek():
    text = '*Vertices 3\n1 "a b" 0.1 0.2\n2 c\n% comment\n*Arcs\n1 2 1.5\n*Edges\n2 3 2\n'
    graph = read(text, "pajek")
    assert graph.directed
    assert pairs(graph) == [("a b", "c", 1.5), ("c", "3", 2.0), ("3", "c", 2.0)]
    assert list(read("*Vertices 2\n1 a\n2 a\n*Edges\n1 2\n", "pajek").names) == [1, 2]
    with pytest.raises(ArgumentError, match="format='pajek' is read and not written"):
        lp.write_graph(graph, io.BytesIO(), format="pajek")


def test_titles_are_told():
    from lpgraph.graph.assemble import Rules
    from lpgraph.graph.files import load_graph

    options = {"directed": None, "weight": "weight", "source": None, "target": None, "header": None}
    for text, titles in ((b"who,whom\na,b\n", ["who", "whom"]), (b"a,b\nb,c\n", ())):
        seen = []
        load_graph(io.BytesIO(text), "csv", Rules(), listen=seen.append, **options)
        assert seen[0].titles == titles
