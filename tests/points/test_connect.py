from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csgraph
from scipy.spatial.distance import cdist

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError
from lpgraph.points.connect import connect


def clusters(p, seed, count=10):
    rng = np.random.default_rng(seed)
    return np.concatenate(
        [rng.normal(size=(rng.integers(1, 20), p)) * 0.2 + rng.normal(size=p) * 6 for _ in range(count)]
    )


def test_a_connected_neighbour_graph_is_kept_by_every_policy():
    points = np.arange(6.0)[:, None]
    graph = lp.neighbor_graph(points, n_neighbors=1)
    for policy in ("error", "largest", "bridge"):
        result = connect(graph, policy)
        np.testing.assert_array_equal(result.graph.toarray(), graph.toarray())
        assert result.kept.tolist() == list(range(6))
        assert result.bridges.shape == (0, 2)


def test_several_components_are_refused_with_their_sizes():
    graph = lp.neighbor_graph([[0.0], [1.0], [2.0], [7.0], [8.0]], n_neighbors=1)
    with pytest.raises(
        GraphError,
        match=r"has 2 components, of 3, 2 points; pass components='largest' to keep 3 of 5 points\.",
    ):
        connect(graph)
    many = lp.neighbor_graph(np.arange(0.0, 70.0, 10.0)[:, None], radius=1.0)
    with pytest.raises(GraphError, match=r"7 components, of 1, 1, 1, 1, 1, \.\.\. points"):
        connect(many)


def test_the_largest_keeps_order_edges_and_zeros():
    points = np.array([[9.0], [0.0], [1.0], [9.0], [9.0], [2.0], [9.5]])
    graph = lp.neighbor_graph(points, radius=1.0)
    result = connect(graph, "largest")
    assert result.kept.tolist() == [0, 3, 4, 6]
    expected = lp.neighbor_graph(points[result.kept], radius=1.0)
    np.testing.assert_array_equal(result.graph.indptr, expected.indptr)  # edges of length 0 are among them
    np.testing.assert_array_equal(result.graph.indices, expected.indices)
    np.testing.assert_array_equal(result.graph.data, expected.data)
    first = connect(lp.neighbor_graph([[0.0], [9.0], [9.1], [0.1]], radius=1.0), "largest")
    assert first.kept.tolist() == [0, 3]


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cityblock", "canberra", "precomputed"])
@pytest.mark.parametrize("p", [2, 30])
@pytest.mark.parametrize("few", [1000, 3])
def test_bridges_are_a_minimum_spanning_tree_of_components(metric, p, few, monkeypatch):
    monkeypatch.setattr("lpgraph.points.search.tree._FEW", few)  # so that both ways of the tree are gone
    X = clusters(p, seed=p)
    D = cdist(X, X, "euclidean" if metric == "precomputed" else metric)
    points = D if metric == "precomputed" else X
    graph = lp.neighbor_graph(points, radius=float(np.quantile(D, 0.02)), metric=metric)
    count, labels = csgraph.connected_components(graph, directed=False)
    assert count > 5
    result = connect(graph, "bridge", points=points, metric=metric)
    assert result.kept.tolist() == list(range(len(X)))
    assert csgraph.connected_components(result.graph, directed=False)[0] == 1
    assert len(result.bridges) == count - 1
    i, j = result.bridges.T
    assert (labels[i] != labels[j]).all()
    assert (i < j).all()
    between = nx.Graph()
    shortest = np.full((count, count), np.inf)
    np.minimum.at(shortest, (labels[:, None], labels[None]), D)
    between.add_weighted_edges_from((a, b, shortest[a, b]) for a in range(count) for b in range(a))
    wanted = sorted(w for *_, w in nx.minimum_spanning_tree(between).edges(data="weight"))
    np.testing.assert_allclose(np.sort(D[i, j]), wanted, rtol=1e-10)
    added = result.graph - graph
    added.eliminate_zeros()
    assert added.nnz == 2 * len(result.bridges)
    np.testing.assert_allclose(result.graph.toarray()[i, j], D[i, j], rtol=1e-10)
    assert (result.graph != result.graph.T).nnz == 0


def test_bridges_do_not_depend_on_the_order_of_points():
    X = clusters(2, seed=5)
    order = np.random.default_rng(0).permutation(len(X))
    one = connect(lp.neighbor_graph(X, n_neighbors=3), "bridge", points=X)
    other = connect(lp.neighbor_graph(X[order], n_neighbors=3), "bridge", points=X[order])
    back = np.sort(order[other.bridges], axis=1)
    assert sorted(back.tolist()) == one.bridges.tolist()


def test_bridges_among_equally_distant_points_close_no_circle():
    side = np.arange(5.0) * 10
    X = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    result = connect(lp.neighbor_graph(X, radius=1.0), "bridge", points=X)
    assert len(result.bridges) == 24
    assert csgraph.connected_components(result.graph, directed=False)[0] == 1
    assert (result.graph.data == 10).all()


def test_what_cannot_be_connected_says_so():
    graph = lp.neighbor_graph([[0.0], [1.0], [7.0], [8.0]], n_neighbors=1)
    with pytest.raises(ArgumentError, match="policy='bridge' but points=None; pass the points"):
        connect(graph, "bridge")
    with pytest.raises(ArgumentError, match="points has 3 rows"):
        connect(graph, "bridge", points=[[0.0], [1.0], [2.0]])
    with pytest.raises(ArgumentError, match="policy='all'; pass one of 'error', 'largest', 'bridge'"):
        connect(graph, "all")
    with pytest.raises(GraphError, match=r"distances has shape \(2, 4\)"):
        connect(graph[:2])
    with pytest.raises(ArgumentTypeError, match="distances is an ndarray"):
        connect(graph.toarray())
