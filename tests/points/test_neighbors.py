"""The neighbor rule: against its definition, scikit-learn and scipy; training points passed as new."""

from __future__ import annotations

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

from lpgraph.points.metric import METRICS
from lpgraph.points.neighborhood import Neighborhood


def manhattan(u, v):
    return float(np.abs(u - v).sum())


def clouds():
    rng = np.random.default_rng(7)
    side = np.arange(1.0, 7.0)
    lattice = np.stack(np.meshgrid(side, side, side[:3]), axis=-1).reshape(-1, 3)
    return {
        "random": rng.normal(size=(120, 3)),
        "lattice": lattice[lattice[:, 0] > lattice[:, 1] - 4] + [0.0, 0.5, 0.0],
        "duplicates": np.concatenate((rng.normal(size=(40, 3)), np.repeat(rng.normal(size=(2, 3)), 30, axis=0))),
        "high": rng.normal(size=(120, 40)),
        "high lattice": rng.integers(0, 2, size=(150, 20)) + np.linspace(0.1, 0.2, 20),
        "high duplicates, far": np.concatenate(
            (rng.normal(size=(40, 40)), np.repeat(rng.normal(size=(2, 40)), 30, axis=0))
        )
        + 1e6,
    }


CLOUDS = clouds()
PATTERNED = ["euclidean", "sqeuclidean", "cosine", "cityblock", "chebyshev", "canberra", manhattan, "precomputed"]


def distances_of(X, metric):
    """Distances of all pairs, by subtraction."""
    if metric == "precomputed" or metric in ("euclidean", "sqeuclidean"):
        squares = ((X[:, None] - X[None]) ** 2).sum(axis=-1)
        return squares if metric == "sqeuclidean" else np.sqrt(squares)
    if metric == "cosine":
        U = X / np.linalg.norm(X, axis=1, keepdims=True)
        return ((U[:, None] - U[None]) ** 2).sum(axis=-1) / 2
    return cdist(X, X, metric)


def by_the_rule(D, k=None, radius=None):
    """Radii and edges by the definition of the rule."""
    n = len(D)
    others = D[~np.eye(n, dtype=bool)].reshape(n, n - 1)
    r = np.sort(others, axis=1)[:, k - 1] if k else np.full(n, radius)
    return r, (np.maximum(r[:, None], r) * (1 + 1e-10) >= D) & ~np.eye(n, dtype=bool)


def pattern(graph):
    dense = np.zeros(graph.shape, dtype=bool)
    dense[graph.tocoo().coords] = True
    return dense


def filled(graph):
    """Dense, with -1 for no edge, so that edges of length 0 count."""
    dense = np.full(graph.shape, -1.0)
    entries = graph.tocoo()
    dense[entries.coords] = entries.data
    return dense


def assert_training_rows(hood, new):
    """Rows of training points are rows of the graph; exact extensions depend on this."""
    rows = filled(hood.rows(new))
    training = filled(hood.distances)
    assert (np.diagonal(training) == -1).all()
    np.fill_diagonal(training, 0.0)
    np.testing.assert_array_equal(rows, training)


@pytest.mark.parametrize("metric", PATTERNED)
@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("by", ["k", "radius"])
def test_the_rule_and_its_rows(cloud, metric, by):
    X = CLOUDS[cloud]
    D = distances_of(X, metric)
    X = D if metric == "precomputed" else X
    given_ = {"k": 6} if by == "k" else {"radius": float(np.quantile(D, 0.04))}
    hood = Neighborhood.of(X, n_neighbors=given_.get("k"), radius=given_.get("radius"), metric=metric)
    radii, edges = by_the_rule(D, **given_)
    # Cosines' ties on the lattice are broken by rounding, which differs between the two ways of computing them.
    if not (metric == "cosine" and "lattice" in cloud):
        np.testing.assert_array_equal(pattern(hood.distances), edges)
    np.testing.assert_allclose(hood.radii, radii, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(hood.distances.data, D[hood.distances.tocoo().coords], rtol=1e-9, atol=1e-15)
    assert (pattern(hood.distances) == pattern(hood.distances).T).all()
    assert hood.distances.has_canonical_format
    assert_training_rows(hood, X)
    some = [5, 70, 71]
    alone = np.concatenate([filled(hood.rows(X[i : i + 1])) for i in some])
    np.testing.assert_array_equal(alone, filled(hood.rows(X))[some])


@pytest.mark.parametrize("metric", [*sorted({*METRICS} - {"seuclidean", "mahalanobis"}), manhattan])
def test_every_metric_agrees_with_scikit_learn(metric):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 2 if metric == "haversine" else 5))
    if metric in ("dice", "jaccard", "rogerstanimoto", "sokalsneath", "yule"):
        X = X > 0
        X[:, 0] = True  # nor are these defined for two points that are nowhere true
    if metric == "hamming":
        X = np.round(X)
    hood = Neighborhood.of(X, n_neighbors=5, metric=metric)
    D = pairwise_distances(X, metric=metric)
    np.testing.assert_allclose(hood.distances.data, D[hood.distances.tocoo().coords], rtol=1e-9, atol=1e-12)
    np.fill_diagonal(D, np.inf)
    np.testing.assert_allclose(hood.radii, np.sort(D, axis=1)[:, 4], rtol=1e-9, atol=1e-12)
    assert_training_rows(hood, X)


integers = arrays.arrays(
    np.int64,
    st.tuples(st.integers(2, 14), st.sampled_from([1, 2, 12])),
    elements=st.integers(-2, 2),
)


@settings(max_examples=150, deadline=None)
@given(points=integers, data=st.data())
def test_ties_and_duplicates_of_integers(points, data):
    X = points.astype(float)
    k = data.draw(st.integers(1, len(X) - 1))
    metric = data.draw(st.sampled_from(["euclidean", "cityblock", "chebyshev", "braycurtis"]))
    if metric == "braycurtis":
        X = X + 3
    hood = Neighborhood.of(X, n_neighbors=k, metric=metric)
    D = cdist(X, X, metric)
    radii, edges = by_the_rule(D, k)
    np.testing.assert_array_equal(pattern(hood.distances), edges)
    np.testing.assert_allclose(hood.radii, radii, rtol=1e-14)
    assert_training_rows(hood, X)
    order = data.draw(st.permutations(range(len(X))))
    again = Neighborhood.of(X[order], n_neighbors=k, metric=metric)
    np.testing.assert_array_equal(filled(again.distances), filled(hood.distances)[np.ix_(order, order)])
    indices, lengths = hood.nearest(X, len(X))
    np.testing.assert_array_equal(indices, np.lexsort((np.arange(len(X)) + 0 * D.astype(int), D), axis=1))
    np.testing.assert_allclose(lengths, np.sort(D, axis=1), rtol=1e-14)


@pytest.mark.parametrize("p", [3, 30])
def test_new_points_reached_by_training_points_with_large_radii(p):
    rng = np.random.default_rng(5)
    # One lonely point far off: its radius is large, and it reaches new points that have nearer ones.
    X = np.concatenate((rng.normal(size=(300, p)) * np.exp(rng.normal(size=(300, 1))), np.full((1, p), 30.0)))
    new = np.concatenate((rng.normal(size=(60, p)), rng.uniform(-3, 30, size=(60, p))))
    hood = Neighborhood.of(X, n_neighbors=5)
    D = cdist(new, X)
    own = np.sort(D, axis=1)[:, 4]
    wanted = np.maximum(own[:, None], hood.radii) * (1 + 1e-10) >= D
    np.testing.assert_array_equal(pattern(hood.rows(new)), wanted)
    assert (wanted.sum(axis=1) > (own[:, None] >= D).sum(axis=1)).any()


@pytest.mark.parametrize("p", [2, 25])
def test_nearest_is_sorted_and_leaves_oneself_out_by_index(p):
    X = np.random.default_rng(2).integers(0, 3, size=(80, p)).astype(float)
    hood, D = Neighborhood.of(X, n_neighbors=3), cdist(X, X)
    for others, found in ((False, hood.nearest(X, 7)), (True, hood.nearest_training(79))):
        if others:
            np.fill_diagonal(D, np.inf)
        order = np.lexsort((np.broadcast_to(np.arange(80), D.shape), D), axis=1)[:, : found[0].shape[1]]
        np.testing.assert_array_equal(found[0], order)
        np.testing.assert_array_equal(found[1], np.take_along_axis(D, order, axis=1))


@pytest.mark.parametrize("metric", ["euclidean", "canberra", "precomputed"])
def test_no_new_points_and_points_without_neighbors(metric):
    X = np.array([[1.0], [2.0], [9.0]])
    hood = Neighborhood.of(cdist(X, X) if metric == "precomputed" else X, radius=0.0, metric=metric)
    assert hood.distances.nnz == 0
    assert hood.rows(hood.points[:0]).shape == (0, 3)
    assert hood.nearest(hood.points[:0], 2)[0].shape == (0, 2)
