from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ortho_group
from sklearn.manifold._locally_linear import barycenter_weights

import lpgraph as lp
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.points import reconstruction
from lpgraph.points.neighborhood import Neighborhood


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
def test_rows_sum_to_one(regularizer):
    X, indices = cloud(k=10)
    weights = lp.reconstruction_weights(X, X, indices, regularizer)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, rtol=1e-12)
    assert weights.has_sorted_indices


def test_they_minimise_what_they_should():
    X, indices = cloud(k=5)
    weights = lp.reconstruction_weights(X, X, indices, 1e-2).toarray()
    rng = np.random.default_rng(1)
    for i in range(10):
        w = weights[i, indices[i]]
        strength = 1e-2 * ((X[indices[i]] - X[i]) ** 2).sum()

        def cost(w, i=i, strength=strength):
            return ((X[i] - w @ X[indices[i]]) ** 2).sum() + strength * (w**2).sum()

        for _ in range(20):
            step = rng.normal(size=w.size)
            step -= step.mean()  # the sum stays 1
            assert cost(w + 1e-3 * step) > cost(w)
            assert cost(w + step) > cost(w)


@pytest.mark.parametrize("k", [3, 4])
def test_affine_combinations_are_reproduced(k):
    # k <= p + 1 points in general position: the combination is unique, and found to rounding.
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 3))
    indices = np.array([rng.permutation(50)[:k] for _ in range(30)])
    expected = rng.dirichlet(np.ones(k), size=30) * 1.5 - 0.5 / k
    new = np.einsum("ij,ijp->ip", expected, X[indices])
    weights = lp.reconstruction_weights(X, new, indices, 0.0)
    np.testing.assert_allclose(weights @ X, new, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(np.take_along_axis(weights.toarray(), indices, axis=1), expected, atol=1e-7)


def test_more_neighbours_than_coordinates_reproduce_points_too():
    X, indices = cloud(p=2, k=12)
    weights = lp.reconstruction_weights(X, X, indices, 0.0)
    inside = np.abs(weights @ X - X).max(axis=1)
    assert np.median(inside) < 1e-7
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, rtol=1e-12)


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
        weights = lp.reconstruction_weights(points, points[:1], [[0, 1, 2]], regularizer)
        np.testing.assert_allclose(weights.toarray()[0, :3], 1 / 3, rtol=1e-12)
        line = lp.reconstruction_weights(points, [[2.5, 2.5]], [[0, 3, 4]], regularizer).toarray()
        assert np.isfinite(line).all()
        np.testing.assert_allclose(line @ points, [[2.5, 2.5]], atol=2e-3)
        same = lp.reconstruction_weights(points, [[2.0, 2.0]], [[0, 3, 4]], regularizer).toarray()
        np.testing.assert_allclose(same @ points, [[2.0, 2.0]], atol=2e-3)


def test_batches_do_not_matter(monkeypatch):
    X, indices = cloud()
    one = lp.reconstruction_weights(X, X, indices).toarray()
    monkeypatch.setattr(reconstruction, "_WORK", 100)
    np.testing.assert_allclose(lp.reconstruction_weights(X, X, indices).toarray(), one, rtol=1e-12)
    assert lp.reconstruction_weights(X, X[:0], indices[:0]).shape == (0, 80)


X, INDICES = cloud()


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ((X, X[:, :2], INDICES), ArgumentError, "neighbours_of has points of 2 coordinates"),
        ((X, X, INDICES[:5]), ArgumentError, r"indices has shape \(5, 6\) but there are 80 points to reconstruct"),
        ((X, X, INDICES[:, :0]), ArgumentError, r"indices has shape \(80, 0\)"),
        ((X, X, INDICES + 60), ArgumentError, r"indices has \d+ but there are 80 points"),
        ((X, X, INDICES - 80), ArgumentError, r"indices has -\d+"),
        ((X, X, INDICES.astype(float)), ArgumentTypeError, "indices has dtype float64; pass ints"),
        ((X, X[:1], [[1, 2, 1]]), ArgumentError, r"indices\[0\] has a neighbor twice: \[1, 2, 1\]"),
        ((X, X, INDICES, -1.0), ArgumentError, "regularizer=-1.0"),
        ((X * np.nan, X, INDICES), ArgumentError, r"points\[0, 0\] is nan"),
    ],
)
def test_what_cannot_work_says_so(arguments, error, match):
    with pytest.raises(error, match=match):
        lp.reconstruction_weights(*arguments)
