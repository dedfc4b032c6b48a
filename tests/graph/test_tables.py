"""Edge lists in text and Parquet files: titles, separators, encodings, blanks and Pajek."""

import csv
import io
import warnings

import pyarrow
import pyarrow.parquet
import pytest
from graph.test_files_of_others import edges as pairs
from graph.test_files_of_others import read
from hypothesis import given, settings
from hypothesis import strategies as st

from lpgraph.errors import ArgumentError, ArgumentTypeError, FileFormatError, LpgraphWarning

SEPARATORS = {"csv": ",", "tsv": "\t", "txt": " "}


FRIENDS = "alice,bob\nbob,carol\nalice,carol\n"


@pytest.mark.parametrize("form", SEPARATORS)
@pytest.mark.parametrize(
    ("text", "titled"),
    [
        ("source,target\n" + FRIENDS, True),
        ("who,whom,weight\nalice,bob,1\nbob,carol,2\n", True),
        ("node_a,node_b\n" + FRIENDS, True),
        ("x,y,weight\nalice,bob,1\n", True),
        (FRIENDS, False),
        ("u,v\nv,w\n", False),  # may be vertices
        ("node1,node2\nnode3,node1\n", False),
        ("gene_7,gene_2\ngene_3,gene_4\n", False),
        ("node_1,node_2\n0,7\n7,8\n", True),
        ("handle,other\n0,7\n7,8\n", True),
        ("3,x\n4,y\n", False),
        ("1,2\n3,4\n", False),
        ("a,a\nb,b\n", False),
    ],
)
def test_the_first_line_has_titles(text, titled, form):
    graph = read(text.replace(",", SEPARATORS[form]), form)
    expected = read(text.replace(",", SEPARATORS[form]), form, header=titled)
    assert pairs(graph) == pairs(expected)
    assert graph.n_edges == len(text.splitlines()) - titled


def test_columns_by_title():
    text = "id,when,who,whom,how often\n7,2020,a,b,2\n8,2021,b,c,3\n"
    ends = {"source": "who", "target": "whom"}
    assert pairs(read(text, weight="how often", **ends)) == [("a", "b", 2.0), ("b", "c", 3.0)]
    turned = read(text, source="whom", target="who", weight=None, directed=True)
    assert pairs(turned) == [("b", "a", 1.0), ("c", "b", 1.0)]
    with pytest.raises(ArgumentError, match=r"weight='weight', .*'id'.* or weight=None"):
        read(text, **ends)
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"id": [7], "who": ["a"], "whom": ["b"]}), stream)
    assert list(read(stream.getvalue(), "parquet", weight=None, **ends).names) == ["a", "b"]


@pytest.mark.parametrize(
    ("options", "error", "part"),
    [
        ({"source": "a", "target": "b", "weight": "d"}, ArgumentError, "weight='d'"),
        ({"source": "a"}, ArgumentTypeError, "target=None"),
        ({"source": "a", "target": "z"}, ArgumentError, "target='z'"),
        ({"source": "a", "target": "a"}, ArgumentError, "source='a'"),
        ({"source": "a", "target": "b", "header": False}, ArgumentError, "header=False"),
        ({"header": True}, ArgumentError, "source="),
        ({}, FileFormatError, "source="),
        ({"form": "parquet", "header": True}, ArgumentError, "header="),
        ({"form": "npz", "source": "a", "target": "b"}, ArgumentError, "source="),
    ],
)
def test_wrong_options(options, error, part):
    with pytest.raises(error) as caught:
        read("a,b,c,d,d\np,q,r,s,1\n", **options)
    assert part in str(caught.value)


def test_separators_and_encodings():
    expected = [("Zoë", "b,c", 1.5), ("Zoë", "d", 2.0)]
    for text in ('Zoë;"b,c";1.5\nZoë;d;2\n', 'Zoë,"b,c",1.5\nZoë,d,2\n'):
        assert pairs(read(text)) == expected
        for code in ("utf-16", "latin-1"):
            with pytest.raises(FileFormatError, match="line 1: it is not UTF-8"):
                read(text.encode(code))
    assert pairs(read("source;target;weight\n1;2;3\n")) == [(1, 2, 3.0)]
    assert list(read('"a;b",c\nd,c\n').names) == ["a;b", "c", "d"]
    assert list(read("a;b,c\nd,c\n").names) == ["a;b", "c", "d"]  # a comma that is no part of a number


def test_names_of_igraph_in_gml():
    node = 'node [ id 0 name "x" {} ] node [ id 1 name "y" {} ] edge [ source 0 target 1 ] ]'
    plain, labelled = "graph [ " + node.format("", ""), "graph [ " + node.format('label "p"', 'label "q"')
    creator = 'Creator "igraph version 1.0.0"\n'
    assert list(read(creator + plain, "gml").names) == list(read(creator + labelled, "gml").names) == ["x", "y"]
    assert list(read(labelled, "gml").names) == ["p", "q"]
    assert list(read(creator + plain.replace("y", "x"), "gml").names) == [0, 1]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("source,target,weight\na,b,1\nb,c,2\nsource,target,weight\nc,d,1\n", 4),
        ("user,friend\n" + FRIENDS + "user,friend\n" + FRIENDS, 5),
        ("id_1,id_2\n0,747\nid_1,id_2\n1,4\n", 3),
    ],
)
def test_titles_that_are_repeated_are_refused(text, line):
    for header in (None, True):
        with pytest.raises(FileFormatError, match=f"line {line}: it repeats the titles"):
            read(text, header=header)
    assert pairs(read("alice,bob\nalice,bob\n")) == [("alice", "bob", 2.0)]


def test_blanks_around_names_do_not_count():
    text = "ann , bob\nbob,ann\n carl ,ann \n'd e',bob \n"
    for form in ("csv", "tsv"):
        found = read(text.replace(",", SEPARATORS[form]), form, header=False)
        assert list(found.names) == ["ann", "bob", "carl", "'d e'"]


FIELDS = ["a", "b c", "1", "07", '"x"', '"y,z"', '"q""r"', "", " s", "t ", "2.5", 'm"n', '"u\nv"', "'", '" i"']


@pytest.mark.parametrize("form", ["csv", "tsv", "txt"])
@settings(deadline=None, max_examples=150)
@given(
    rows=st.lists(st.lists(st.sampled_from(FIELDS), min_size=2, max_size=4).filter(any), min_size=1, max_size=5)
)
def test_names_are_those_of_csv(form, rows):
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

    expected = found(text)
    assert found(text + "# end\n") == expected
    if isinstance(expected, tuple):
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=form == "csv")
        lines = map(str.split, text.splitlines()) if form == "txt" else reader
        assert {*map(str, expected[0])} == {field.strip() for line in lines for field in line[:2]}


def test_pajek():
    text = '*Vertices 3\n1 "a b" 0.1 0.2\n2 c\n% comment\n*Arcs\n1 2 1.5\n*Edges\n2 3 2\n'
    with pytest.warns(LpgraphWarning, match="1 of 2 edges are undirected"):
        found = read(text, "pajek")
    assert pairs(found) == [("a b", "c", 1.5), ("c", "3", 2.0), ("3", "c", 2.0)]
    assert list(read("*Vertices 2\n1 a\n2 a\n*Edges\n1 2\n", "pajek").names) == [1, 2]


def test_separators_that_are_not_those_of_the_format():
    with pytest.raises(FileFormatError, match="pass another format="):
        read("a, b\nb, c\n", "txt")
