"""Locally linear embedding and local tangent space alignment: definitions, scikit-learn, exact cases."""

import numpy as np
import pytest
from sklearn.datasets import make_s_curve
from sklearn.manifold import LocallyLinearEmbedding as SklearnLLE

from lpgraph.errors import ArgumentError, DisconnectedError, DisconnectedGraphWarning
from lpgraph.manifold import LocallyLinearEmbedding, LocalTangentSpaceAlignment

CURVE, NEW = make_s_curve(300, random_state=0)[0], make_s_curve(40, random_state=1)[0]


# Locally linear embedding


@pytest.mark.parametrize("solver", ["lapack", "lanczos"])
@pytest.mark.parametrize("size", [300, 900])
def test_lle_agrees_with_scikit_learn(size, solver):
    X = make_s_curve(size, random_state=0)[0]
    theirs = SklearnLLE(n_neighbors=12, n_components=2, eigen_solver="dense").fit(X)
    ours = LocallyLinearEmbedding(2, n_neighbors=12, solver=solver).fit(X)
    sign = np.sign((ours.embedding_ * theirs.embedding_).sum(axis=0))
    assert np.abs(ours.embedding_ * sign - theirs.embedding_).max() < 1e-6
    assert ours.reconstruction_error_ == pytest.approx(theirs.reconstruction_error_, rel=1e-4)
    # Their transform is the same limit of kernels.
    assert np.abs(ours.transform(NEW) * sign - theirs.transform(NEW)).max() < 1e-6


def test_the_limit_of_large_c_is_saul_and_roweis():
    # Bengio et al. (2004), Section 4.4: y_k(x) = (c - 1) / (c - l_k) sum_i w(x, x_i) y_ik, and then c -> infinity.
    limit = LocallyLinearEmbedding(2, n_neighbors=10).fit(CURVE)
    at_limit, gaps = limit.transform(NEW), []
    for c in (1e1, 1e2, 1e3, 1e4):
        model = LocallyLinearEmbedding(2, n_neighbors=10, c=c).fit(CURVE)
        assert np.allclose(model.embedding_, limit.embedding_, atol=1e-9)
        factor = (c - 1) / (c - model.eigenvalues_)
        assert np.allclose(model.transform(NEW), factor * at_limit, rtol=1e-9, atol=1e-12)
        gaps.append(np.abs(model.transform(NEW) - at_limit).max())
    # The difference is (1 - l_k) / (c - l_k) of the limit: ten times smaller for ten times the c.
    assert np.allclose(np.array(gaps[:-1]) / gaps[1:], 10, rtol=0.15)


def test_the_kernel_of_lle():
    model = LocallyLinearEmbedding(3, n_neighbors=6, c=5.0).fit(CURVE)
    W, Y = model.graph_.toarray(), model.embedding_
    K = 5 * np.eye(300) - (np.eye(300) - W).T @ (np.eye(300) - W)
    assert np.allclose(W.sum(axis=1), 1)
    assert np.allclose(model.kernel_rows_.operator @ np.eye(300), K)
    assert np.allclose(model.kernel_rows_(CURVE).toarray(), K)
    assert np.allclose(5 - model.eigenvalues_, np.linalg.eigvalsh(K)[::-1][1:4])
    # The constant is left out.
    assert np.abs(Y.sum(axis=0)).max() < 1e-10
    assert np.allclose(Y.T @ Y, np.eye(3))
    assert ((Y - W @ Y) ** 2).sum() == pytest.approx(model.reconstruction_error_, rel=1e-6)


def test_equal_points_are_one_vertex():
    rng = np.random.default_rng(0)
    X = rng.permutation(np.vstack([CURVE[:100], CURVE[:100:4], np.repeat(CURVE[:1], 50, axis=0)]))
    for c in (None, 3.0):
        model = LocallyLinearEmbedding(2, n_neighbors=8, c=c).fit(X)
        assert len(model.vertices_) == 100
        assert model.graph_.shape == (100, 100)
        assert np.allclose(model.transform(X), model.embedding_, rtol=0, atol=1e-12)
    alone = LocallyLinearEmbedding(2, n_neighbors=8).fit(X[model.vertices_])
    assert np.allclose(model.embedding_[model.vertices_], alone.embedding_, atol=1e-10)


def test_a_point_between_two_sets_does_not_tie_them():
    # It has neighbors in both, but is among the nearest of no other: without a bridge the eigenvalue 0 is double.
    squares = np.random.default_rng(0).uniform(size=(2, 40, 2)) + np.array([[[0, 0]], [[3, 0]]])
    X = np.vstack([*squares, [[2, 0.5]]])
    with pytest.warns(DisconnectedGraphWarning, match="2 closed sets, of 40, 40 points"):
        assert LocallyLinearEmbedding(2, n_neighbors=6).fit(X).eigenvalues_[0] > 1e-9
    largest = LocallyLinearEmbedding(2, n_neighbors=6, components="largest").fit(X)
    assert largest.kept_.tolist() == list(range(40))
    with pytest.raises(DisconnectedError):
        LocallyLinearEmbedding(2, n_neighbors=6, components="error").fit(X)


WRONG = [
    (LocallyLinearEmbedding, {"n_neighbors": 300}, "n_neighbors"),
    (LocallyLinearEmbedding, {"regularizer": -1.0}, "regularizer"),
    (LocallyLinearEmbedding, {"c": 1e-9, "n_components": 3}, "c=1e-09"),
    (LocallyLinearEmbedding, {"components": "keep"}, "components"),
    (LocalTangentSpaceAlignment, {"n_components": 4}, "n_components"),
    (LocalTangentSpaceAlignment, {"n_neighbors": 2}, "n_neighbors"),
]


@pytest.mark.parametrize(("kind", "settings", "argument"), WRONG, ids=str)
def test_wrong_settings_are_refused(kind, settings, argument):
    with pytest.raises(ArgumentError, match=argument):
        kind(**settings).fit(CURVE)


# Local tangent space alignment


def roll(n):
    """A piece of a cylinder."""
    angle, height = (np.random.default_rng(0).uniform(size=(n, 2)) * [3, 2]).T
    return np.column_stack([np.cos(angle), np.sin(angle), height])


def test_the_alignment_matrix_is_its_definition():
    X, (d, k) = roll(60), (2, 7)
    model = LocalTangentSpaceAlignment(d, n_neighbors=k).fit(X)
    expected, distance = np.zeros((60, 60)), np.linalg.norm(X[:, None] - X, axis=2)
    for i in range(60):
        near = np.argsort(distance[i])[1 : k + 1]
        left = np.linalg.svd(X[near] - X[near].mean(axis=0))[0][:, :d]
        g = np.column_stack([np.full(k, k**-0.5), left])
        expected[np.ix_(near, near)] += np.eye(k) - g @ g.T
    assert np.allclose(model.graph_.toarray(), expected, atol=1e-12)
    assert np.allclose(model.eigenvalues_, np.linalg.eigvalsh(expected)[1:3], atol=1e-12)
    assert np.allclose(model.embedding_.T @ model.embedding_, np.eye(2), atol=1e-9)


@pytest.mark.parametrize("solver", ["auto", "lapack", "lanczos", "inverse"])
def test_points_of_a_plane_are_recovered_exactly(solver):
    rng = np.random.default_rng(0)
    flat, plane = rng.uniform(size=(700, 2)), rng.standard_normal((2, 5))
    model = LocalTangentSpaceAlignment(2, n_neighbors=8, solver=solver).fit(flat @ plane + 3)
    # The affine map that takes positions best to the plane's own coordinates.
    turn = np.linalg.lstsq(np.column_stack([model.embedding_, np.ones(700)]), flat, rcond=None)[0]
    assert np.abs(model.embedding_ @ turn[:2] + turn[2] - flat).max() < 1e-5
    assert np.abs(model.eigenvalues_).max() < 1e-10
    # The affine extension is exact on the plane, off the training points and outside of their hull.
    new = np.vstack([rng.uniform(size=(20, 2)), [[1.2, -0.1]]])
    assert np.allclose(model.transform(new @ plane + 3) @ turn[:2] + turn[2], new, atol=1e-5)


def test_neighborhoods_without_extent():
    line = np.column_stack([np.arange(30.0), np.zeros((30, 2))])  # rank 1, with two tangent directions
    model = LocalTangentSpaceAlignment(2, n_neighbors=5).fit(line)
    assert np.linalg.eigvalsh(model.graph_.toarray()).min() > -1e-12
    assert np.isfinite(model.embedding_).all()
    assert np.isfinite(model.transform(line + 0.1)).all()
    for solver in ("lapack", "lanczos"):  # singular Gram matrices
        model = LocallyLinearEmbedding(1, n_neighbors=4, solver=solver).fit(line)
        assert np.isfinite(model.embedding_).all()
        assert np.allclose(model.graph_.sum(axis=1), 1)
