"""Semidefinite embedding: constrained pairs, the programs by landmarks and for all points, and the estimator."""

import numpy as np
import pytest
from scipy.sparse import csgraph
from sklearn.base import clone

import lpgraph as lp
from lpgraph.errors import (
    ArgumentError,
    ArgumentTypeError,
    ConvergenceError,
    DisconnectedError,
    GraphError,
    LpgraphWarning,
)
from lpgraph.linalg.interior_point import feasible_start, solve
from lpgraph.manifold import SemidefiniteEmbedding, low_rank, unfolding
from lpgraph.manifold.low_rank import Problem, trace_bound, unfold_softly, unfold_within
from lpgraph.manifold.unfolding import rigid_pairs
from lpgraph.points.neighborhood import Neighborhood
from lpgraph.points.weights import reconstruction_weights


def swiss_roll(n, seed=0):
    """Return points as in the paper, and their positions on the flat sheet."""
    rng = np.random.default_rng(seed)
    t = 1.5 * np.pi * (1 + 2 * rng.uniform(size=n))
    height = 21 * rng.uniform(size=n)
    length = 0.5 * (t * np.sqrt(1 + t**2) + np.arcsinh(t))
    return np.column_stack([t * np.cos(t), height, t * np.sin(t)]), np.column_stack([length, height])


def explained(Y, z):
    """Return the R^2 of the best affine map from Y to z."""
    A = np.column_stack([Y, np.ones(len(Y))])
    residual = z - A @ np.linalg.lstsq(A, z, rcond=None)[0]
    return 1 - residual.var(axis=0).sum() / z.var(axis=0).sum()


# Constrained pairs


def as_set(pairs):
    return set(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))


@pytest.mark.parametrize("k", [1, 3, 4])
def test_pairs_are_neighbors_or_neighbors_of_a_third_point(k):
    # Weinberger, Packer & Saul (2005), Section 2, literally (these points have no ties).
    X = np.random.default_rng(k).standard_normal((60, 3))
    near = [set(np.argsort(row)[1 : k + 1].tolist()) for row in np.linalg.norm(X[:, None] - X, axis=2)]
    pairs = rigid_pairs(Neighborhood.of(X, n_neighbors=k))
    assert as_set(pairs) == {
        (i, j)
        for i in range(60)
        for j in range(i + 1, 60)
        if j in near[i] or i in near[j] or any({i, j} <= near[a] for a in range(60))
    }
    np.testing.assert_allclose(pairs.distance, np.linalg.norm(X[pairs.first] - X[pairs.second], axis=1))


def test_pairs_with_ties_do_not_depend_on_the_order_of_points():
    grid = np.stack(np.meshgrid(np.arange(5.0), np.arange(6.0)), axis=-1).reshape(-1, 2)
    order = np.random.default_rng(0).permutation(len(grid))
    one, two = (rigid_pairs(Neighborhood.of(points, n_neighbors=3)) for points in (grid, grid[order]))
    assert {tuple(sorted((order[i], order[j]))) for i, j in as_set(two)} == as_set(one)


# All points at once, by a low-rank factor


def problem(n, mass=None):
    """Return the problem of a strip bent along a parabola in space, its start and its pairs."""
    rng = np.random.default_rng(0)
    x, y = rng.uniform(-2, 2, n), rng.uniform(0, 1, n)
    X = np.column_stack([x, y, x**2])
    found = rigid_pairs(Neighborhood.of(X, n_neighbors=4))
    start = np.zeros((n, 8))
    start[:, :3] = X - X.mean(axis=0)
    return Problem(found, np.ones(n) if mass is None else mass), start, found


def by_interior_point(found, mass):
    """The same program for the whole kernel: K = U Z U' with U orthonormal in the masses and centred."""
    n = len(mass)
    basis = np.linalg.qr(np.column_stack([np.sqrt(mass), np.eye(n)]))[0][:, 1:n] / np.sqrt(mass)[:, None]
    C = (basis[found.first] - basis[found.second]) / found.distance[:, None]
    return float(np.trace(solve(C, feasible_start(C), gap=1e-6).Z))


@pytest.mark.parametrize(("columns", "weighted"), [(8, False), (8, True), (1, False)])
def test_the_optimum_under_inequalities_is_that_of_the_interior_point_method(columns, weighted):
    # One column ends in a local optimum, with a gap above 0.9; columns are added until the bound is met.
    mass = np.random.default_rng(1).integers(1, 4, 60).astype(float) if weighted else np.ones(60)
    pairs, start, found = problem(60, mass)
    result, optimum = unfold_within(pairs, start[:, :columns], gap=1e-3), by_interior_point(found, mass)
    assert result.bound.gap <= 1e-3
    assert result.bound.lower <= optimum * (1 + 1e-5)
    assert result.bound.upper >= optimum * (1 - 1e-5)
    np.testing.assert_allclose(mass @ result.Y, 0, atol=1e-9 * np.abs(result.Y).max() * mass.sum())


@pytest.mark.parametrize("n", [60, 700])
def test_any_weights_give_a_bound(n):
    # 700 points use the sparse solver, which is compared with LAPACK.
    mass = np.random.default_rng(1).integers(1, 4, n).astype(float)
    pairs, _, _ = problem(n, mass)
    w, root = np.random.default_rng(2).exponential(size=len(pairs.squares)), 1 / np.sqrt(mass)
    least = np.linalg.eigvalsh(root[:, None] * pairs.laplacian(w).toarray() * root)[1]
    bound, v = trace_bound(pairs, w)
    exact = w @ pairs.squares / least
    assert exact * (1 - 1e-9) <= bound <= exact * (1 + 1e-4)
    # The direction that is restrained least.
    assert np.linalg.norm(v) == pytest.approx(1)
    assert abs(mass @ v) <= 1e-6 * mass.sum()
    assert v @ (pairs.laplacian(w) @ v) / (mass @ v**2) == pytest.approx(least, rel=1e-4)
    w[pairs.edges.toarray()[:, 0] != 0] = 0  # a point without pairs
    assert trace_bound(pairs, w)[0] > 1e8 * bound


def test_soft_equalities_are_kept_and_the_sheet_is_flattened():
    pairs, start, found = problem(200)
    result = unfold_softly(pairs, start, rms=1e-3)
    assert result.rms <= 1e-3
    lengths = np.linalg.norm(result.Y[found.first] - result.Y[found.second], axis=1)
    assert np.sqrt(np.mean(((lengths / found.distance) ** 2 - 1) ** 2)) == pytest.approx(result.rms)
    spectrum = np.linalg.svd(result.Y, compute_uv=False) ** 2
    assert spectrum[:2].sum() > 0.998 * spectrum.sum() > 0.998 * (start**2).sum()


def test_a_tolerance_that_cannot_be_met_raises_with_the_best_result(monkeypatch):
    monkeypatch.setattr(low_rank, "_STAGES", 4)
    pairs, start, _ = problem(60)
    for call in (lambda: unfold_softly(pairs, start, rms=1e-9), lambda: unfold_within(pairs, start, gap=1e-7)):
        with pytest.raises(ConvergenceError, match="pass a larger tol") as caught:
            call()
        assert np.isfinite(caught.value.result.Y).all()


# The estimator, by landmarks


@pytest.fixture(scope="module")
def roll():
    return swiss_roll(2000)


@pytest.fixture(scope="module")
def fitted(roll):
    return SemidefiniteEmbedding(2, landmarks=30, random_state=0).fit(roll[0])


def test_a_swiss_roll_unrolls(roll, fitted):
    assert explained(fitted.embedding_, roll[1]) > 0.999
    assert fitted.eigenvalues_.sum() > 0.999 * fitted.spectrum_.sum()
    np.testing.assert_allclose((fitted.embedding_**2).sum(axis=0), fitted.eigenvalues_, rtol=1e-7)
    assert fitted.bound_.gap <= 1e-3
    assert fitted.constraints_.violation <= 1e-3
    assert fitted.constraints_.monitored < fitted.constraints_.count
    # The kernel is centred and feasible, and has the trace that is reported.
    F, graph = fitted.kernel_, fitted.graph_.tocoo()
    np.testing.assert_allclose(F.mean(axis=0), 0, atol=1e-9 * np.abs(F).max())
    assert (F**2).sum() == pytest.approx(fitted.spectrum_.sum(), rel=1e-9)
    i, j = graph.coords
    kept = ((F[i] - F[j]) ** 2).sum(axis=1) / graph.data**2
    assert kept.max() <= 1 + fitted.constraints_.violation + 1e-9
    assert len(i) == 2 * fitted.constraints_.count
    assert np.median(np.sqrt(kept)) == pytest.approx(fitted.constraints_.median_ratio)


def test_training_points_are_exact_and_new_ones_barycentric(roll, fitted):
    X = roll[0]
    scale = np.abs(fitted.embedding_).max()
    np.testing.assert_allclose(fitted.transform(X), fitted.embedding_, atol=1e-8 * scale)
    new, _ = swiss_roll(200, seed=1)
    weights = reconstruction_weights(X, new, Neighborhood.of(X, n_neighbors=4).nearest(new, 12)[0], 1e-4)
    np.testing.assert_allclose(fitted.transform(new), weights @ fitted.embedding_, atol=1e-6 * scale)


def test_the_map_of_many_points_is_found_for_a_part_of_them(monkeypatch, roll, fitted):
    X, z = roll
    monkeypatch.setattr(unfolding, "_AT_ONCE", 1600)
    part = SemidefiniteEmbedding(2, landmarks=30, random_state=0).fit(X)
    assert np.array_equal(part.landmarks_, fitted.landmarks_)
    assert not np.array_equal(part.embedding_, fitted.embedding_)
    assert explained(part.embedding_, z) > explained(fitted.embedding_, z) - 0.03
    assert part.constraints_.violation <= 1e-3
    assert np.allclose(part.transform(X[:5]), part.embedding_[:5])


@pytest.mark.parametrize(("n", "landmarks"), [(500, 15), (60, None)])
def test_any_unit_of_length(n, landmarks):
    X, _ = swiss_roll(n)
    model = SemidefiniteEmbedding(2, landmarks=landmarks, random_state=0)
    plain = clone(model).fit(X)
    for unit in (1e-6, 1e8):
        scaled = clone(model).fit(X * unit)
        np.testing.assert_allclose(scaled.eigenvalues_ / unit**2, plain.eigenvalues_, rtol=5e-3)


def test_duplicates_are_one_point_with_their_multiplicity():
    X, _ = swiss_roll(150)
    extra = np.concatenate([X, X[:40], X[7:8], X[7:8]])
    for model in (SemidefiniteEmbedding(2, landmarks=12, random_state=0), SemidefiniteEmbedding(2, n_neighbors=6)):
        model.fit(extra)
        np.testing.assert_allclose(model.embedding_[150:190], model.embedding_[:40], rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(model.embedding_[190], model.embedding_[7], rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(model.kernel_.mean(axis=0), 0, atol=1e-9 * np.abs(model.kernel_).max())
        np.testing.assert_allclose(model.transform(extra), model.embedding_, atol=1e-7)
    graph = model.graph_
    assert graph.shape == (192, 192)
    assert abs(graph - graph.T).max() == 0
    assert graph.indices[graph.indptr[150] : graph.indptr[151]].tolist() == [0]  # an edge of length 0


def test_near_duplicates_and_distances_that_shrink():
    X, _ = swiss_roll(300)
    model = SemidefiniteEmbedding(2, landmarks=12, random_state=0).fit(np.concatenate([X, X[:1] + 1e-9]))
    assert np.linalg.norm(model.embedding_[0] - model.embedding_[-1]) < 1e-3
    noise = np.random.default_rng(0).standard_normal((400, 30))
    with pytest.warns(LpgraphWarning, match="landmarks"):
        SemidefiniteEmbedding(2, landmarks=6, random_state=0).fit(noise)


def test_components():
    X, _ = swiss_roll(100)
    X = np.concatenate([X, X[:60] + 40])
    with pytest.raises(GraphError, match="landmarks determine"):
        SemidefiniteEmbedding(2, landmarks=list(range(10)), components="bridge").fit(X)
    for landmarks in (range(0, 160, 4), None):
        with pytest.raises(DisconnectedError, match="2 components"):
            SemidefiniteEmbedding(2, landmarks=landmarks, components="error").fit(X)
        model = SemidefiniteEmbedding(2, landmarks=landmarks, components="bridge").fit(X)
        assert csgraph.connected_components(model.graph_)[0] == 1
        np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-6)
    chosen, settings = np.arange(61, 160, 6), {"components": "largest", "tol": 1e-2}
    largest = SemidefiniteEmbedding(2, landmarks=chosen, **settings).fit(X[::-1])
    assert np.array_equal(largest.kept_, np.arange(60, 160))
    assert np.array_equal(largest.landmarks_, chosen)
    alone = SemidefiniteEmbedding(2, landmarks=chosen - 60, **settings).fit(X[99::-1])
    assert np.array_equal(largest.embedding_, alone.embedding_)


WRONG = [
    ({"landmarks": [0, 1, 100]}, "landmarks"),
    ({"landmarks": 10, "n_neighbors": 100}, "n_neighbors"),
    ({"n_reconstruction_neighbors": 100}, "n_reconstruction_neighbors"),
    ({"landmarks": 10, "constraints": "soft"}, "constraints='soft'"),
    ({"landmarks": 10, "tol": 0.0}, "tol"),
    ({"landmarks": 10, "regularizer": -1.0}, "regularizer"),
]


@pytest.mark.parametrize(("settings", "argument"), WRONG, ids=str)
def test_wrong_settings_are_refused(settings, argument):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=argument):
        SemidefiniteEmbedding(2, **settings).fit(swiss_roll(100)[0])


# The estimator, for all points


def test_all_points_under_inequalities_and_a_flat_sheet():
    X, _ = swiss_roll(150)
    model = SemidefiniteEmbedding(2, constraints="inequality", tol=1e-2).fit(X)
    assert model.bound_.gap <= 1e-2
    assert model.constraints_.violation <= 1.1e-2
    # Landmarks only restrict the kernel: they cannot unfold further.
    few = SemidefiniteEmbedding(2, landmarks=20, random_state=0).fit(X)
    assert few.bound_.lower <= model.bound_.upper
    flat = np.random.default_rng(0).uniform(size=(150, 2)) * [3, 1]
    embedding, centred = SemidefiniteEmbedding(2).fit(flat).embedding_, flat - flat.mean(axis=0)
    np.testing.assert_allclose(embedding @ lp.procrustes(embedding, centred), centred, atol=0.05)
