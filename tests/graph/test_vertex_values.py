"""Values of vertices in pandas objects are read by their index, and refused where that is ambiguous."""

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphWarning, UnknownVertexError
from lpgraph.graph.vertex_values import by_name, in_order, row_names
from lpgraph.infer._labels import known_labels

CLUB = nx.karate_club_graph()
CLUBS = pd.Series(nx.get_node_attributes(CLUB, "club"))
TEXTS = ["ann", "bob", "cem"]


def test_a_shuffled_series_is_read_by_its_index():
    # It was read by position: 47 % of the labels were those of other vertices.
    shuffled = CLUBS.sample(frac=1.0, random_state=0)
    assert (shuffled.to_numpy() == CLUBS.to_numpy()).mean() < 0.7
    labels, known = known_labels(shuffled, range(34))
    assert labels.tolist() == CLUBS.tolist()
    assert known.all()
    embedding = lp.AdjacencySpectralEmbedding(2)
    model = lp.VertexClassifier(embedding).fit(CLUB, shuffled.iloc[:20])
    expected = lp.VertexClassifier(embedding).fit(CLUB, shuffled.iloc[:20].to_dict())
    assert np.array_equal(model.transduction_, expected.transduction_)
    page = lp.report(CLUB, labels=shuffled, n_clusters=2).html
    assert page == lp.report(CLUB, labels=CLUBS.to_dict(), n_clusters=2).html
    assert page != lp.report(CLUB, labels=shuffled.to_numpy(), n_clusters=2)


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
    assert list(row_names(pd.DataFrame(np.eye(2), index=["b", "a"]), 2)) == ["b", "a"]
    assert row_names(np.eye(2), 2) == row_names(pl.DataFrame({"x": [1, 2]}), 2) == range(2)


@pytest.mark.parametrize(
    ("values", "names", "error", "match"),
    [
        # Vertices 1 ... 3 and a default index 0 ... 2: by name or by position?
        (pd.Series([1, 2, 3]), (1, 2, 3), ArgumentError, r"index 0 \.\.\. 2, and 2 of these are vertices"),
        (pd.Series([1, 2, 3, 4]), range(3), ArgumentError, r"index 0 \.\.\. 3, and 3 of these"),
        (pd.Series([1, 2, 3], index=["a", "a", "b"]), ["a", "b", "c"], ArgumentError, "'a' twice in its index"),
        (pd.Series([1, 2, 3], index=["0", "1", "2"]), range(3), UnknownVertexError, r"pass y.to_numpy\(\) if"),
        # No entry is a vertex: in the order of the vertices, or of a file?
        (
            pd.Series([1, 2, 3]),
            ["a", "b", "c"],
            ArgumentError,
            r"0 \.\.\. 2, and none of these .* y.to_numpy\(\) if",
        ),
        (pd.DataFrame({"y": [1, 2]}), ["a", "b"], ArgumentError, "set its index to the names"),
        (
            pd.DataFrame({"who": ["a", "b"], "unit": ["x", "y"], "age": [1, 2]}),
            ["a", "b"],
            ArgumentError,
            r"columns \['who', 'unit', 'age'\]; pass y.set_index\('who'\)\['unit'\], or another column",
        ),
        (
            pd.DataFrame({"unit": ["x", "y"], "age": [1, 2]}, index=["a", "b"]),
            ["a", "b"],
            ArgumentError,
            r"pass one of them, such as y\['unit'\]",
        ),
        (  # either column could have the names
            pd.DataFrame({"who": ["a", "b"], "boss": ["b", "b"]}),
            ["a", "b"],
            ArgumentError,
            r"is it a list of edges",
        ),
        (pd.DataFrame({"who": ["p", "q"], "unit": ["x", "y"]}), ["a", "b"], ArgumentError, r"set_index\(NAMES\)"),
        (
            pd.DataFrame({"who": ["a", "a"], "unit": ["x", "y"]}),
            ["a", "b"],
            ArgumentError,
            "'a' twice in its index",
        ),
    ],
)
def test_what_is_ambiguous_is_refused(values, names, error, match):
    with pytest.raises(error, match=match):
        by_name(values, names, "y")
    with pytest.raises(error, match=match):
        known_labels(values, names)


def test_unknown_vertices():
    some = {"ann": "x", "zoe": "y", "bob": "z", "yan": "z"}
    for labels in (some, pd.Series(some)):
        with pytest.raises(
            UnknownVertexError,
            match="y has 4 vertices, and the graph lacks 2 of them; correct or drop them, or add",
        ):
            known_labels(labels, TEXTS, unknown="error")
        with pytest.warns(
            LpgraphWarning, match="y has labels of 2 vertices .* such as .zoe., .yan.; they"
        ) as caught:
            found, known = known_labels(labels, TEXTS)
        assert len(caught) == 1
        assert found[known].tolist() == ["x", "z"]
        assert known.tolist() == [True, True, False]
    with pytest.raises(UnknownVertexError, match="No label in y is for a vertex"):
        known_labels({"zoe": 1, "yan": 2}, TEXTS, unknown="ignore")
    with pytest.raises(ArgumentError, match="unknown='drop'; pass one of"):
        known_labels(some, TEXTS, unknown="drop")
    graph = lp.from_edges(["ann", "bob"], ["bob", "cem"])
    with pytest.warns(LpgraphWarning, match="labels has labels of 2 vertices"):
        page = lp.report(graph, labels=some, n_clusters=1).html
    assert "zoe" not in page


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series([1, pd.NA, 2], dtype="Int64").array,
        pd.Series([1, None, 2], dtype="Int64", index=TEXTS),
        pd.Series([1.0, np.nan, 2.0]).to_numpy(),
        pl.Series([1, None, 2]),
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
    model = lp.VertexClassifier().fit(CLUB, "club")
    assert model.transduction_.tolist() == CLUBS.tolist()
    igraph = pytest.importorskip("igraph")
    assert (lp.VertexClassifier().fit(igraph.Graph.from_networkx(CLUB), "club").transduction_ == CLUBS).all()
    for graph, kept in ((CLUB, "'club'"), (nx.path_graph(4), "none")):
        with pytest.raises(
            ArgumentTypeError, match=rf"y='clubs' .* which has {kept}; pass read_labels\('clubs'\)"
        ):
            lp.VertexClassifier().fit(graph, "clubs")


def test_attributes_of_vertices():
    shuffled = CLUBS.sample(frac=1.0, random_state=0)
    graph = lp.as_adjacency(CLUB)
    for clubs in (shuffled, shuffled.to_dict(), CLUBS.tolist()):
        named = lp.Adjacency(graph.matrix, graph.names, vertex_attributes={"club": clubs})
        assert list(named.vertex_attributes["club"]) == CLUBS.tolist()
        assert named.to_networkx().nodes[33]["club"] == "Officer"
        assert named.take(np.array([33, 0])).vertex_attributes["club"] == ["Officer", "Mr. Hi"]
    with pytest.raises(ArgumentError, match=r"vertex_attributes\['club'\] has no value for .*to_numpy\(\)"):
        lp.Adjacency(graph.matrix, graph.names, vertex_attributes={"club": shuffled.iloc[:33]})


def test_the_name_of_an_attribute_colours_a_picture():
    pytest.importorskip("matplotlib").use("Agg")
    model = lp.AdjacencySpectralEmbedding(2).fit(CLUB)
    axes = lp.plot.positions(model, "club")
    assert {"Mr. Hi", "Officer"} <= {text.get_text() for text in axes.get_legend().get_texts()}
    with pytest.raises(ArgumentTypeError, match="labels='unit' is no vertex attribute"):
        lp.plot.positions(model, "unit")


def test_labels_of_pictures():
    pytest.importorskip("matplotlib")
    shuffled = CLUBS.sample(frac=1.0, random_state=0)
    positions = lp.AdjacencySpectralEmbedding(3).fit(CLUB).embedding_

    def colours(axes):
        return np.concatenate([part.get_offsets() for part in axes.collections]).tolist()

    expected = colours(lp.plot.positions(positions, CLUBS.tolist()))
    assert colours(lp.plot.positions(positions, shuffled)) == expected
    assert colours(lp.plot.positions(positions, CLUBS.to_dict())) == expected
    turned = pd.DataFrame(positions, index=[f"v{i}" for i in range(34)])
    named = shuffled.rename(index=lambda i: f"v{i}")
    assert colours(lp.plot.positions(turned, named)) == expected
    ordered = lp.plot.adjacency(CLUB, CLUBS.tolist()).images[0].get_array()
    assert np.array_equal(lp.plot.adjacency(CLUB, shuffled).images[0].get_array(), ordered)
    lp.plot.pairs(turned, named)
    legend = lp.plot.positions(positions, shuffled.iloc[:20]).get_legend()
    assert legend.get_texts()[-1].get_text() == "unlabelled"
    lp.plot.truth(positions, positions, shuffled)
    for wrong, match in (
        (named, "They are the index of labels"),
        (dict.fromkeys(range(35), "x"), "labels has 35 values for 34 vertices; pass one value for each vertex.$"),
    ):
        with pytest.raises((ArgumentError, UnknownVertexError), match=match):
            lp.plot.positions(positions, wrong)
