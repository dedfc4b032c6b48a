"""Values of vertices in pandas objects are read by their index, and refused where that is ambiguous."""

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphWarning, UnknownVertexError
from lpgraph.graph.vertex_values import by_name, in_order
from lpgraph.infer._labels import known_labels

CLUB = nx.karate_club_graph()
CLUBS = pd.Series(nx.get_node_attributes(CLUB, "club"))
TEXTS = ["ann", "bob", "cem"]


def test_names_decide_what_an_index_means():
    values = ["x", "y", "z"]
    default = pd.Series(values)
    assert by_name(default, (2, 0, 1), "y") == {0: "x", 1: "y", 2: "z"}
    assert in_order(default, (2, 0, 1), "y") == ["z", "x", "y"]
    assert in_order(pd.Series(values, index=["cem", "ann", "bob"]), TEXTS, "y") == ["y", "z", "x"]
    assert in_order(pd.DataFrame({"club": values}, index=["cem", "ann", "bob"]), TEXTS, "y") == ["y", "z", "x"]
    assert in_order({"cem": 1, "ann": 2, "bob": 3}, TEXTS, "y") == [2, 3, 1]
    for positional in (values, np.array(values), pl.Series(values), tuple(values)):
        assert in_order(positional, TEXTS, "y") is positional
    tuples = pd.Series([1, 2], index=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)]))
    assert in_order(tuples, [("b", 2), ("a", 1)], "y") == [2, 1]


@pytest.mark.parametrize(
    ("values", "names", "error"),
    [
        # Vertices 1 ... 3 and a default index 0 ... 2: by name or by position?
        (pd.Series([1, 2, 3]), (1, 2, 3), ArgumentError),
        (pd.Series([1, 2, 3], index=["a", "a", "b"]), ["a", "b", "c"], ArgumentError),
        (pd.Series([1, 2, 3], index=["0", "1", "2"]), range(3), ArgumentError),
        (pd.DataFrame({"y": []}), ["a", "b"], ArgumentError),
        # No entry is a vertex: in the order of the vertices, or of a file?
        (pd.DataFrame({"y": [1, 2]}), ["a", "b"], ArgumentError),
        (pd.DataFrame({"who": ["a", "b"], "unit": ["x", "y"], "age": [1, 2]}), ["a", "b"], ArgumentError),
        (pd.DataFrame({"who": ["p", "q"], "unit": ["x", "y"]}), ["a", "b"], ArgumentError),
    ],
)
def test_what_is_ambiguous_is_refused(values, names, error):
    for call in (lambda: by_name(values, names, "y"), lambda: known_labels(values, names)):
        with pytest.raises(error, match=r"\by\b"):
            call()


def test_unknown_vertices():
    for some in ({"ann": "x", "zoe": "y", "bob": "z"}, pd.Series({"ann": "x", "zoe": "y", "bob": "z"})):
        with pytest.raises(UnknownVertexError, match="'zoe'"):
            known_labels(some, TEXTS, unknown="error")
        with pytest.warns(LpgraphWarning, match="'zoe'"):
            found, known = known_labels(some, TEXTS)
        assert found[known].tolist() == ["x", "z"]
        assert known.tolist() == [True, True, False]
    with pytest.raises(ArgumentError, match="no known label of a vertex"):
        known_labels({"zoe": 1, "yan": 2}, TEXTS, unknown="ignore")


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series([1, None, 2], dtype="Int64", index=TEXTS),
        pd.Series([1, -1, 2], index=TEXTS),
        pd.DataFrame({"y": [1, -1, 2]}, index=TEXTS),
        pd.DataFrame({"who": list(TEXTS)[::-1], "y": [2, -1, 1]}),
        pd.DataFrame({"y": [2, -1, 1], "who": list(TEXTS)[::-1]}, index=[7, 8, 9]),
    ],
)
def test_missing_labels_are_unknown(labels):
    found, known = known_labels(labels, TEXTS)
    assert known.tolist() == [True, False, True]
    assert found[known].tolist() == [1, 2]


def test_the_name_of_an_attribute_is_labels():
    assert lp.VertexClassifier().fit(CLUB, "club").transduction_.tolist() == CLUBS.tolist()
    for graph, kept in ((CLUB, "'club'"), (nx.path_graph(4), "none")):
        with pytest.raises(ArgumentTypeError, match=rf"y='clubs' .*{kept}"):
            lp.VertexClassifier().fit(graph, "clubs")


def test_attributes_of_vertices():
    shuffled = CLUBS.sample(frac=1.0, random_state=0)
    graph = lp.as_adjacency(CLUB)
    for clubs in (shuffled, shuffled.to_dict(), CLUBS.tolist()):
        named = lp.Adjacency(graph.matrix, graph.names, vertex_attributes={"club": clubs})
        assert list(named.vertex_attributes["club"]) == CLUBS.tolist()
        assert named.take(np.array([33, 0])).vertex_attributes["club"] == ["Officer", "Mr. Hi"]
    with pytest.raises(ArgumentError, match=r"vertex_attributes\['club'\]"):
        lp.Adjacency(graph.matrix, graph.names, vertex_attributes={"club": shuffled.iloc[:33]})
