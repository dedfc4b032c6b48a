"""Connected graphs: the largest component, bridges, and the parameters that an error names."""

from __future__ import annotations

import re

import networkx as nx
import numpy as np
import pytest
from scipy import sparse
from scipy.sparse import csgraph
from scipy.spatial.distance import cdist
from sklearn.datasets import load_digits

import lpgraph as lp
from lpgraph.errors import GraphError
from lpgraph.points.connect import connect


def clusters(p, seed, count=10):
    rng = np.random.default_rng(seed)
    return np.concatenate(
        [rng.normal(size=(rng.integers(1, 20), p)) * 0.2 + rng.normal(size=p) * 6 for _ in range(count)]
    )


@pytest.mark.parametrize("policy", ["error", "largest", "bridge"])
def test_a_connected_neighbour_graph_is_kept_by_every_policy(policy):
    graph = lp.neighbor_graph(np.arange(6.0)[:, None], n_neighbors=1)
    result = connect(graph, policy)
    np.testing.assert_array_equal(result.graph.toarray(), graph.toarray())
    assert result.kept.tolist() == list(range(6))
    assert result.bridges.shape == (0, 2)


def test_the_largest_keeps_order_edges_and_zeros():
    points = np.array([[9.0], [0.0], [1.0], [9.0], [9.0], [2.0], [9.5]])
    result = connect(lp.neighbor_graph(points, radius=1.0), "largest")
    assert result.kept.tolist() == [0, 3, 4, 6]
    expected = lp.neighbor_graph(points[result.kept], radius=1.0)
    for name in ("indptr", "indices", "data"):  # edges of length 0 are among them
        np.testing.assert_array_equal(getattr(result.graph, name), getattr(expected, name))
    first = connect(lp.neighbor_graph([[0.0], [9.0], [9.1], [0.1]], radius=1.0), "largest")
    assert first.kept.tolist() == [0, 3]


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cityblock", "canberra", "precomputed"])
@pytest.mark.parametrize("p", [2, 30])
@pytest.mark.parametrize("few", [200, 3])
def test_bridges_are_a_minimum_spanning_tree_of_components(metric, p, few, monkeypatch):
    monkeypatch.setattr("lpgraph.points.connect._FEW", few)  # small and large components
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


DIGITS = load_digits().data


def is_connected(points, metric="euclidean", **rule):
    graph = lp.neighbor_graph(points, metric=metric, **rule)
    return csgraph.connected_components(graph, directed=False)[0] == 1


def groups(seed, *, integers=False):
    """Return groups of points, each farther from the others than from its own, possibly with ties."""
    rng = np.random.default_rng(seed)
    points = np.concatenate([rng.normal(0, 1, (rng.integers(2, 12), 2)) + rng.normal(0, 9, 2) for _ in range(6)])
    return np.round(points) if integers else points


def named(points, metric="euclidean", **rule):
    """Return the number of neighbors, or the radius, that the error of a graph with several components names."""
    graph = lp.neighbor_graph(points, metric=metric, **rule)
    with pytest.raises(GraphError) as caught:
        connect(graph, points=points, metric=metric, n_neighbors=rule.get("n_neighbors"))
    return float(re.search(rf"pass {next(iter(rule))}=([\d.]+), or components=", str(caught.value))[1])


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "precomputed", "lists"])
@pytest.mark.parametrize("integers", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_the_number_is_the_smallest_of_all(metric, integers, seed):
    points = groups(seed, integers=integers)
    if metric in ("precomputed", "lists"):
        points = cdist(points, points)
    if metric == "lists":
        points, metric = sparse.csr_array(np.where(points > 0, points, 0)), "precomputed"
    smallest = next(k for k in range(1, points.shape[0]) if is_connected(points, metric, n_neighbors=k))
    assert smallest > 1
    assert named(points, metric, n_neighbors=1) == smallest


@pytest.mark.parametrize("seed", range(5))
def test_the_radius_is_the_smallest_to_four_digits(seed):
    points = groups(seed)
    tree = csgraph.minimum_spanning_tree(cdist(points, points)).data.max()
    radius = named(points, radius=float(tree) / 2)
    assert tree <= radius <= tree * 1.001
    assert is_connected(points, radius=radius)
    assert radius == float(f"{radius:.4g}")


CASES = {
    "isomap": (lp.manifold.Isomap, DIGITS, {"n_neighbors": 4}),
    "sparse": (lp.manifold.Isomap, sparse.csr_array(DIGITS), {"n_neighbors": 4}),
    "radius": (lp.manifold.Isomap, DIGITS[:800], {"n_neighbors": None, "radius": 20.0}),
    "lle": (lp.manifold.LocallyLinearEmbedding, DIGITS, {"n_neighbors": 4}),
    "ltsa": (lp.manifold.LocalTangentSpaceAlignment, DIGITS[:900], {"n_neighbors": 4, "n_components": 1}),
}


@pytest.mark.parametrize("case", CASES)
def test_the_remedy_of_the_error_works_and_less_does_not(case):
    method, points, options = CASES[case]
    with pytest.raises(GraphError) as caught:
        method(**options).fit(points)
    name, value = re.search(r"pass (n_neighbors|radius)=([\d.]+), or components=", str(caught.value)).groups()
    enough = int(value) if name == "n_neighbors" else float(value)
    assert np.isfinite(method(**options | {name: enough}).fit(points).embedding_).all()
    with pytest.raises(GraphError, match="components"):
        method(**options | {name: enough - 1 if name == "n_neighbors" else enough * 0.999}).fit(points)
    method(**options, components="bridge").fit(points)
    kept = re.search(r"components='largest' to keep (\d+) of", str(caught.value))[1]
    assert len(method(**options, components="largest").fit(points).kept_) == int(kept)


def test_no_number_is_named_where_none_within_reach_suffices():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(0, 1, (200, 3)), rng.normal(50, 1, (200, 3))])
    with pytest.raises(GraphError, match="pass components="):
        lp.manifold.Isomap(n_neighbors=5).fit(points)
    matrix = np.kron(np.eye(2), np.ones((3, 3)))  # similarities have no distances to bridge by
    with pytest.raises(GraphError, match="pass components='largest'"):
        lp.manifold.LaplacianEigenmaps(1, n_neighbors=None, affinity="precomputed", components="error").fit(matrix)
