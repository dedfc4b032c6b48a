"""Data frames of edges and labels: exchanged, of polars, and loops of new vertices."""

import warnings

import pandas as pd
import polars as pl
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, IsolatedVertexWarning, LpgraphWarning, UnknownVertexError

FLIGHTS = lp.datasets.flights()
NAMES = list(FLIGHTS.graph.names)
SOURCE, TARGET, _ = FLIGHTS.graph.edge_list()
EDGES = {"from": [NAMES[i] for i in SOURCE], "to": [NAMES[i] for i in TARGET]}
REGIONS = {"airport": NAMES, "region": FLIGHTS.labels.tolist()}
FRAMES = pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])


@FRAMES
def test_labels_of_two_columns(frame):
    model = lp.VertexClassifier().fit(frame(EDGES), frame(REGIONS))
    expected = lp.VertexClassifier().fit(frame(EDGES), dict(zip(NAMES, REGIONS["region"], strict=True)))
    assert model.transduction_.tolist() == expected.transduction_.tolist()


@FRAMES
def test_edges_and_labels_in_the_wrong_order(frame):
    told = r"y is a table .*'from' and 'to' have names of vertices: is it a list of edges\? .* labels as y\.$"
    labels = pytest.warns(LpgraphWarning, match="^graph has each name once, .* is it a table of labels")
    with labels, pytest.raises(ArgumentError, match=told):
        lp.VertexClassifier().fit(frame(REGIONS), frame(EDGES))
    with labels, pytest.raises(ArgumentError, match=r"^labels is a table .* is it a list of edges"):
        lp.report(frame(REGIONS), labels=frame(EDGES))


@FRAMES
def test_a_table_of_labels_as_a_graph_or_as_new_vertices(frame, tmp_path):
    model = lp.AdjacencySpectralEmbedding(3).fit(FLIGHTS.graph)
    count = len(set(REGIONS["region"]))
    told = f"{{}} has each name once, and {count} different values beside them: is it a table of labels"
    with pytest.warns(LpgraphWarning, match=told.format("^new")):
        model.transform(frame(REGIONS))
    stranger = {key: [*column, "extra"] for key, column in REGIONS.items()}
    stranger["region"][-1] = REGIONS["region"][0]
    with pytest.warns(LpgraphWarning, match=told.format("^new")):
        model.transform(frame(stranger))
    with pytest.warns(LpgraphWarning, match=told.format("^graph")):
        lp.as_adjacency(frame(REGIONS))
    path = tmp_path / "regions.csv"
    path.write_text("".join(f"{u},{v}\n" for u, v in zip(*REGIONS.values(), strict=True)))
    with pytest.warns(LpgraphWarning, match=told.format("regions.csv")):
        lp.read_graph(path)
    with open(path, "rb") as file, pytest.warns(LpgraphWarning, match=told.format("regions.csv")):
        lp.read_graph(file)


@FRAMES
def test_few_edges_of_new_vertices_are_no_table_of_labels(frame):
    # Warnings are errors: each new vertex has one edge to one of two hubs; new vertices have disjoint neighbors;
    # and the weights of edges.
    model = lp.AdjacencySpectralEmbedding(3).fit(FLIGHTS.graph)
    hubs = frame({"new": [f"new{i}" for i in range(400)], "hub": ["ATL", "SEA"] * 200})
    assert model.transform(hubs).shape == (400, 3)
    disjoint = frame({"known": NAMES[:100], "new": [f"new{i % 4}" for i in range(100)]})
    assert model.transform(disjoint).shape == (4, 3)
    lp.as_adjacency(frame(EDGES))
    lp.as_adjacency(frame({**REGIONS, "weight": [2.0] * len(NAMES)}))


@FRAMES
def test_a_table_with_a_column_that_may_be_the_weights(frame):
    model = lp.AdjacencySpectralEmbedding(3).fit(FLIGHTS.graph)
    table = frame({"from": ["new", "new"], "to": ["ATL", "SEA"], "since": [2001, 2002]})
    for method, name in ((model.transform, "new"), (model.fit, "graph")):
        call = rf"lpgraph\.as_adjacency\({name}, weight="
        with pytest.raises(
            ArgumentError,
            match=rf"No column of {name} is called weight: .* pass {call}'since'\) .* {call}None\)\.$",
        ):
            method(table)
    expected = model.transform({"new": ["ATL", "SEA"]})
    assert model.transform(lp.as_adjacency(table, weight=None)).tolist() == expected.tolist()
    with pytest.raises(ArgumentError, match=r"; pass weight='to' if .*, or weight=None\.$"):
        lp.as_adjacency(table, weight="none", source="from", target="since")
    with pytest.raises(lp.errors.ArgumentError, match=r"^Row 1 of new has no 'to'"):
        model.transform(frame({"from": ["new", "new"], "to": ["ATL", None]}))


@FRAMES
def test_a_vertex_that_is_listed_twice(frame):
    table = frame({"airport": ["SEA", "SEA"], "region": ["West", "East"]})
    with pytest.raises(ArgumentError, match=r"'SEA' twice in (its index|the column 'airport')"):
        lp.VertexClassifier().fit(FLIGHTS.graph, table)


def test_loops_of_new_vertices_are_counted_and_not_used():
    model = lp.AdjacencySpectralEmbedding(3).fit(FLIGHTS.graph)
    new = [("new", "new", 2.0), ("new", "SEA", 1.0)]
    found = model.read_new(new)
    assert found.n_loops == 1
    assert "1 loops" in repr(found)
    assert model.transform(new).tolist() == model.transform([("new", "SEA", 1.0)]).tolist()


def test_one_rule_for_new_vertices_without_known_neighbors():
    model = lp.VertexClassifier().fit(FLIGHTS.graph, FLIGHTS.labels)
    alone = [("new", "other")]
    for new in (alone, [*alone, ("third", "SEA")]):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", LpgraphWarning)
            table = model.predict_table(new)
        told = [str(one.message) for one in caught if one.category is IsolatedVertexWarning]
        assert len(told) == 1
        assert told[0].startswith(f"2 of {len(table)} new vertices")
        assert table["has_known_neighbor"].tolist() == [False, False, True][: len(table)]


def test_a_mapping_of_labels_as_new_vertices():
    model = lp.AdjacencySpectralEmbedding(3).fit(FLIGHTS.graph)
    labels = {f"new{i}": ["East" if i % 2 else "West"] for i in range(20)}
    told = "new has each name once, and 2 different values beside them: is it a mapping of labels"
    with pytest.raises(UnknownVertexError, match=told):
        model.transform(labels)
    # Iterators can be read only once, so that nothing is said about them.
    with pytest.raises(UnknownVertexError, match=r"^2 vertex names are unknown"):
        model.transform({name: iter(label) for name, label in labels.items()})
    # A mapping in which some neighbors are vertices is not one of labels.
    with pytest.raises(UnknownVertexError) as raised:
        model.transform(labels | {"new": ["SEA"]})
    assert "labels" not in str(raised.value)
