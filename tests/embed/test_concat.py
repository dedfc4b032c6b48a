"""`concat=True`: positions as sources and as targets side by side."""

import networkx as nx
import numpy as np
import pytest

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError

ASE = lp.AdjacencySpectralEmbedding
GRAPH = lp.stochastic_block_model(
    [40, 40, 40], [[0.5, 0.1, 0.3], [0.1, 0.5, 0.1], [0.1, 0.2, 0.4]], directed=True, random_state=0
)
NEW = GRAPH.new_vertices(9, random_state=1)
COLUMNS = ["ase0", "ase1", "ase_in0", "ase_in1"]


@pytest.mark.parametrize("method", [ASE, lp.LaplacianSpectralEmbedding])
def test_both_positions_side_by_side(method):
    plain, both, a = method(3).fit(GRAPH), method(3, concat=True), GRAPH.adjacency
    known = np.hstack([plain.embedding_, plain.embedding_in_])
    np.testing.assert_array_equal(both.fit_transform(GRAPH), known)
    sides = [plain.transform(NEW, direction=side) for side in ("out", "in")]
    np.testing.assert_array_equal(both.transform(NEW), np.hstack(sides))
    # The known vertices get their positions, in every form; without concat a pair of rows serves both directions.
    pair = a[:5].toarray(), a.T.tocsr()[:5]
    for rows in (GRAPH, (a, a.T), pair):
        np.testing.assert_allclose(both.transform(rows), known[: len(rows[0]) if rows is pair else 120], atol=1e-8)
    assert both.transform((a[:0], a[:0])).shape == (0, 6)
    for side, wanted in (("out", plain.embedding_), ("in", plain.embedding_in_)):
        np.testing.assert_allclose(plain.transform(pair, direction=side), wanted[:5], atol=1e-8)


def test_edge_lists_columns_and_undirected_graphs():
    arcs = nx.relabel_nodes(nx.gnp_random_graph(30, 0.3, seed=0, directed=True), str)
    model, plain = ASE(2, concat=True).fit(arcs), ASE(2).fit(arcs)
    edges = [("x", "1"), ("x", "2"), ("3", "x"), ("y", "4"), ("5", "y")]
    expected = [plain.transform(edges, direction=side) for side in ("out", "in")]
    np.testing.assert_array_equal(model.transform(edges), np.hstack(expected))
    model = ASE(2, concat=True).set_output(transform="pandas")
    assert list(model.fit_transform(GRAPH).columns) == list(model.transform(NEW).columns) == COLUMNS
    assert model.get_feature_names_out().tolist() == COLUMNS
    assert {*COLUMNS} == set(model.to_networkx().nodes[0]) - {"label"}
    both, plain = (ASE(2, concat=concat).fit(nx.karate_club_graph()) for concat in (True, False))
    np.testing.assert_array_equal(both.transform({"x": [0, 1]}), plain.transform({"x": [0, 1]}))
    assert both.get_feature_names_out().tolist() == COLUMNS[:2]


def test_refusals():
    model = ASE(2, concat=True).fit(GRAPH)
    undirected = ASE(2).fit(nx.karate_club_graph())
    cases = [
        (lambda: ASE(2, concat="yes").fit(GRAPH), ArgumentTypeError, "concat"),
        (lambda: model.transform({"x": [1, 2]}), ArgumentError, "only the arcs from"),
        (lambda: model.transform(NEW, direction="in"), ArgumentError, "direction"),
        (lambda: lp.OutOfSample(model).transform(GRAPH), ArgumentError, "concat"),
        (lambda: undirected.transform((np.ones((1, 34)), np.ones((1, 34)))), ArgumentError, "undirected"),
    ]
    for use, error, word in cases:
        with pytest.raises(error, match=word):
            use()
