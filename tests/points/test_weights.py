"""Affinities of edges, and affine weights that reconstruct points."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import ortho_group
from sklearn.manifold._locally_linear import barycenter_weights

import lpgraph as lp
from lpgraph.points.neighborhood import Neighborhood
from lpgraph.points.weights import affinity

POINTS = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 2.0], [3.0, 1.0], [60.0, 0.0]])


def test_affinities_of_every_edge():
    graph = lp.neighbor_graph(POINTS, n_neighbors=2)
    before, (i, j) = graph.copy(), graph.tocoo().coords
    found = affinity(graph, 1.5)
    expected = np.exp(-(cdist(POINTS, POINTS) ** 2) / 1.5**2)
    np.testing.assert_allclose(found.toarray()[i, j], expected[i, j], rtol=1e-14)
    assert found[0, 1] == 1.0  # points at the same place are neighbours
    assert found.nnz == graph.nnz  # also where the affinity is 0 in floating point
    assert (found.data == 0).any()
    np.testing.assert_array_equal(graph.data, before.data)
    ones = lp.neighbor_graph(POINTS, n_neighbors=2, mode="connectivity")
    np.testing.assert_array_equal(affinity(graph, None).toarray(), ones.toarray())
    for width in (1e-300, 1e300):
        assert np.isfinite(affinity(graph, width).data).all()


def cloud(n=80, p=3, k=6, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, p))
    return X, Neighborhood.of(X, n_neighbors=k).nearest_training(k)[0]


@pytest.mark.parametrize(("p", "k"), [(3, 6), (8, 4), (2, 1)])
@pytest.mark.parametrize("regularizer", [1e-3, 1e-6])
def test_it_agrees_with_scikit_learn(p, k, regularizer):
    X, indices = cloud(p=p, k=k)
    ours = lp.reconstruction_weights(X, X, indices, regularizer).toarray()
    theirs = barycenter_weights(X, X, indices, reg=regularizer)
    np.testing.assert_allclose(np.take_along_axis(ours, indices, axis=1), theirs, rtol=1e-7, atol=1e-9)
    assert (np.count_nonzero(ours, axis=1) <= k).all()


@pytest.mark.parametrize("regularizer", [0.0, 1e-3, 10.0])
def test_rows_sum_to_one_and_reproduce_points(regularizer):
    X, indices = cloud(p=2, k=12)  # more neighbors than coordinates
    found = lp.reconstruction_weights(X, X, indices, regularizer)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    assert found.has_sorted_indices
    assert regularizer or np.median(np.abs(found @ X - X).max(axis=1)) < 1e-7


@pytest.mark.parametrize("k", [3, 4])
def test_affine_combinations_are_reproduced(k):
    # k <= p + 1 points in general position: the combination is unique, and found to rounding.
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 3))
    indices = np.array([rng.permutation(50)[:k] for _ in range(30)])
    expected = rng.dirichlet(np.ones(k), size=30) * 1.5 - 0.5 / k
    new = np.einsum("ij,ijp->ip", expected, X[indices])
    found = lp.reconstruction_weights(X, new, indices, 0.0)
    np.testing.assert_allclose(found @ X, new, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.take_along_axis(found.toarray(), indices, axis=1), expected, atol=1e-7)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_they_do_not_change_with_the_frame(scale):
    X, indices = cloud(p=4, k=7)
    turn = ortho_group.rvs(4, random_state=np.random.default_rng(3))
    one = lp.reconstruction_weights(X, X, indices).toarray()
    moved = (X @ turn + [1.0, -2.0, 3.0, 0.5]) * scale
    np.testing.assert_allclose(
        lp.reconstruction_weights(moved, moved, indices).toarray(), one, rtol=1e-9, atol=1e-12
    )


def test_a_singular_gram_matrix_is_no_trouble():
    # All at one place; all on one line; the point at the place of a neighbour.
    points = np.array([[1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    for regularizer in (0.0, 1e-3):
        found = lp.reconstruction_weights(points, points[:1], [[0, 1, 2]], regularizer)
        np.testing.assert_allclose(found.toarray()[0, :3], 1 / 3, rtol=1e-12)
        line = lp.reconstruction_weights(points, [[2.5, 2.5]], [[0, 3, 4]], regularizer).toarray()
        assert np.isfinite(line).all()
        np.testing.assert_allclose(line @ points, [[2.5, 2.5]], atol=2e-3)
        same = lp.reconstruction_weights(points, [[2.0, 2.0]], [[0, 3, 4]], regularizer).toarray()
        np.testing.assert_allclose(same @ points, [[2.0, 2.0]], atol=2e-3)
