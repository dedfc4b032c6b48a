"""Data frames of edges and labels: exchanged, of polars, and loops of new vertices."""

import warnings

import pandas as pd
import polars as pl
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, IsolatedVertexWarning, LpgraphWarning

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
    with pytest.raises(ArgumentError, match=told):
        lp.VertexClassifier().fit(frame(REGIONS), frame(EDGES))
    with pytest.raises(ArgumentError, match=r"^labels is a table .* is it a list of edges"):
        lp.report(frame(REGIONS), labels=frame(EDGES))


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
        assert told[0].startswith(f"2 of {len(table)} vertices")
        assert table["has_known_neighbor"].tolist() == [False, False, True][: len(table)]
