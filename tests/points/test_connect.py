"""Connected graphs: the largest component, bridges, and the remedies that an error names."""

from __future__ import annotations

import re
import warnings

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csgraph
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris
from sklearn.manifold import Isomap

import lpgraph as lp
from lpgraph.errors import ArgumentError, DisconnectedError, DisconnectedGraphWarning
from lpgraph.points.connect import POLICIES, connect


def clusters(p, seed, count=10):
    rng = np.random.default_rng(seed)
    return np.concatenate(
        [rng.normal(size=(rng.integers(1, 20), p)) * 0.2 + rng.normal(size=p) * 6 for _ in range(count)]
    )


@pytest.mark.parametrize("policy", POLICIES)
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


def test_the_remedies_of_the_error_work():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(0, 1, (200, 3)), rng.normal(50, 1, (100, 3))])
    for rule in {"n_neighbors": 5}, {"n_neighbors": None, "radius": 3.0}:
        with pytest.raises(DisconnectedError, match="more neighbors, components='bridge'") as caught:
            lp.manifold.Isomap(**rule, components="error").fit(points)
        bridged = lp.manifold.Isomap(**rule, components="bridge").fit(points)
        kept = re.search(r"components='largest' to keep (\d+) of", str(caught.value))[1]
        assert len(lp.manifold.Isomap(**rule, components="largest").fit(points).kept_) == int(kept)
        with pytest.warns(DisconnectedGraphWarning, match=rf"components='bridge'.* {kept} of 300"):
            np.testing.assert_array_equal(lp.manifold.Isomap(**rule).fit(points).embedding_, bridged.embedding_)


def test_similarities_and_lists_of_distances_have_nothing_to_bridge_by():
    similar = lp.manifold.LaplacianEigenmaps(1, n_neighbors=None, affinity="precomputed")
    lists = lp.manifold.Isomap(1, n_neighbors=2, metric="precomputed")
    K, D = (
        np.kron(np.eye(2), np.ones((3, 3))),
        lp.neighbor_graph([[0.0], [1], [3], [50], [51], [53]], n_neighbors=2),
    )
    for model, given in (similar, K), (lists, D):
        for policy, error in ("warn", DisconnectedError), ("error", DisconnectedError), ("bridge", ArgumentError):
            with pytest.raises(error, match=r"pass .*components='largest' to keep 3 of 6 points"):
                model.set_params(components=policy).fit(given)
        assert model.set_params(components="largest").fit(given).kept_.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "name",
    [
        "Isomap",
        "LaplacianEigenmaps",
        "DiffusionMap",
        "LocallyLinearEmbedding",
        "LocalTangentSpaceAlignment",
        "SemidefiniteEmbedding",
    ],
)
def test_the_defaults_take_two_kinds_of_irises_and_keep_training_points_where_they_are(name):
    X = load_iris().data[::2] + np.random.default_rng(0).uniform(0, 1e-6, size=(75, 4))  # without ties
    with pytest.warns(DisconnectedGraphWarning, match="2 (components|closed sets)"):
        model = getattr(lp.manifold, name)(2).fit(X)
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-10)
    if name == "Isomap":
        with warnings.catch_warnings(action="ignore"):
            theirs = Isomap().fit_transform(X)
        np.testing.assert_allclose(np.abs(model.embedding_), np.abs(theirs), atol=1e-8)
