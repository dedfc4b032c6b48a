"""Locally linear embedding: weights, bottom eigenvectors, and the limit of its kernels."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs, make_s_curve
from sklearn.manifold import LocallyLinearEmbedding as SklearnLLE
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from lpgraph.errors import ArgumentError, GraphError
from lpgraph.manifold import LocallyLinearEmbedding

CURVE = make_s_curve(300, random_state=0)[0]
NEW = make_s_curve(40, random_state=1)[0]


def same_up_to_sign(a, b, atol):
    return np.abs(a * np.sign((a * b).sum(axis=0)) - b).max() < atol


@pytest.mark.parametrize("solver", ["lapack", "lanczos"])
@pytest.mark.parametrize("size", [300, 900])
def test_scikit_learn_agrees(size, solver):
    X = make_s_curve(size, random_state=0)[0]
    theirs = SklearnLLE(n_neighbors=12, n_components=2, eigen_solver="dense").fit(X)
    ours = LocallyLinearEmbedding(2, n_neighbors=12, solver=solver).fit(X)
    assert same_up_to_sign(ours.embedding_, theirs.embedding_, 1e-6)
    assert ours.reconstruction_error_ == pytest.approx(theirs.reconstruction_error_, rel=1e-4)
    sign = np.sign((ours.embedding_ * theirs.embedding_).sum(axis=0))
    # scikit-learn's transform is the same limit, with the weights of the one-sided nearest points.
    assert np.abs(ours.transform(NEW) * sign - theirs.transform(NEW)).max() < 1e-6


def test_the_limit_of_large_c_is_saul_and_roweis():
    # Bengio et al. (2004), Section 4.4: y_k(x) = (c - 1) / (c - l_k) sum_i w(x, x_i) y_ik, and then c -> infinity.
    limit = LocallyLinearEmbedding(2, n_neighbors=10).fit(CURVE)
    at_limit = limit.transform(NEW)
    gaps = []
    for c in (1e1, 1e2, 1e3, 1e4):
        model = LocallyLinearEmbedding(2, n_neighbors=10, c=c).fit(CURVE)
        assert np.allclose(model.embedding_, limit.embedding_, atol=1e-9)  # c does not touch the training points
        factor = (c - 1) / (c - model.eigenvalues_)
        assert np.allclose(model.transform(NEW), factor * at_limit, rtol=1e-9, atol=1e-12)
        gaps.append(np.abs(model.transform(NEW) - at_limit).max())
    # The difference is (1 - l_k) / (c - l_k) of the limit: ten times smaller for ten times the c.
    assert np.allclose(np.array(gaps[:-1]) / gaps[1:], 10, rtol=0.15)


def test_the_kernel_is_c_minus_the_cost_on_training_points():
    model = LocallyLinearEmbedding(2, n_neighbors=6, c=5.0).fit(CURVE)
    W = model.graph_.toarray()
    K = 5 * np.eye(300) - (np.eye(300) - W).T @ (np.eye(300) - W)
    assert np.allclose(model.kernel_rows_.operator @ np.eye(300), K)
    assert np.allclose(model.kernel_rows_(CURVE).toarray(), K)
    values = np.linalg.eigvalsh(K)[::-1]
    assert np.allclose(5 - model.eigenvalues_, values[1:3])


def test_weights_are_affine_and_the_constant_is_left_out():
    model = LocallyLinearEmbedding(3, n_neighbors=8).fit(CURVE)
    assert np.allclose(model.graph_.sum(axis=1), 1)
    assert np.abs(model.embedding_.sum(axis=0)).max() < 1e-10
    assert np.allclose(model.embedding_.T @ model.embedding_, np.eye(3))
    residual = model.embedding_ - model.graph_ @ model.embedding_
    assert (residual**2).sum() == pytest.approx(model.reconstruction_error_, rel=1e-6)


def test_a_grid_is_rebuilt_and_its_noisy_copy_lands_near():
    rng = np.random.default_rng(42)
    grid = np.array(list(product(range(5), repeat=2)), dtype=float)
    grid = grid + 1e-6 * rng.uniform(size=grid.shape)
    model = LocallyLinearEmbedding(2, n_neighbors=5).fit(grid)
    assert model.reconstruction_error_ < 0.1
    noisy = grid + rng.standard_normal(grid.shape) / 100
    assert np.linalg.norm(model.transform(noisy) - model.embedding_) < 0.1


def test_equal_points_are_one_vertex():
    rng = np.random.default_rng(0)
    X = rng.permutation(np.vstack([CURVE[:100], CURVE[:100:4], np.repeat(CURVE[:1], 50, axis=0)]))
    model = LocallyLinearEmbedding(2, n_neighbors=8).fit(X)
    assert len(model.vertices_) == 100
    assert model.graph_.shape == (100, 100)
    alone = LocallyLinearEmbedding(2, n_neighbors=8).fit(X[model.vertices_])
    assert np.allclose(model.embedding_[model.vertices_], alone.embedding_, atol=1e-10)
    for c in (None, 3.0):
        model = LocallyLinearEmbedding(2, n_neighbors=8, c=c).fit(X)
        assert np.allclose(model.transform(X), model.embedding_, rtol=0, atol=1e-12)


def test_it_does_not_fail_where_every_weight_matrix_is_singular():
    X = np.ones((200, 3))
    X[0] = 2.0  # points that are all equal are refused
    for solver in ("lapack", "lanczos"):
        model = LocallyLinearEmbedding(1, n_neighbors=2, solver=solver).fit(X)
        assert np.isfinite(model.embedding_).all()
        assert np.allclose(model.graph_.sum(axis=1), 1)
        assert np.isfinite(model.transform(np.ones((2, 3)))).all()
        assert np.isfinite(model.transform(np.zeros((2, 3)))).all()


def test_integers_are_points_too():
    X = np.random.default_rng(0).integers(0, 100, (20, 3))
    assert np.isfinite(LocallyLinearEmbedding(2, n_neighbors=10).fit_transform(X)).all()


def test_components_are_refused_cut_or_bridged():
    X, y = make_blobs(90, centers=3, cluster_std=0.3, random_state=0)
    with pytest.raises(GraphError, match="3 components"):
        LocallyLinearEmbedding(2).fit(X)
    largest = LocallyLinearEmbedding(2, components="largest").fit(X)
    assert len(set(y[largest.kept_])) == 1
    assert np.allclose(largest.embedding_, LocallyLinearEmbedding(2).fit(X[largest.kept_]).embedding_)
    assert np.array_equal(largest.transform(X[largest.kept_]), largest.embedding_)
    bridged = LocallyLinearEmbedding(2, components="bridge").fit(X)
    assert np.array_equal(bridged.transform(X), bridged.embedding_)
    assert (np.diff(bridged.graph_.indptr) > 5).sum() in (3, 4)  # two bridges, that may share an end
    assert sparse.csgraph.connected_components(bridged.graph_)[0] == 1
    pipeline = make_pipeline(LocallyLinearEmbedding(2, components="bridge"), KNeighborsClassifier())
    assert pipeline.fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors=0"),
        ({"n_neighbors": 300}, "n_neighbors=300 but only 300 points; pass n_neighbors <= 299"),
        ({"regularizer": -1.0}, "regularizer=-1.0"),
        ({"c": 0.0}, "c=0.0"),
        ({"c": 1e-9, "n_components": 3}, "pass c > .* or None"),
        ({"components": "keep"}, "components='keep'"),
    ],
    ids=str,
)
def test_wrong_settings_are_refused(settings, message):
    with pytest.raises(ArgumentError, match=message):
        LocallyLinearEmbedding(**settings).fit(CURVE)
