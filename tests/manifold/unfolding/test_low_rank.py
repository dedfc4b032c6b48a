import numpy as np
import pytest

from lpgraph.errors import ConvergenceError
from lpgraph.linalg.interior_point import feasible_start, solve
from lpgraph.manifold.unfolding import low_rank
from lpgraph.manifold.unfolding.descent import Penalty, line_search
from lpgraph.manifold.unfolding.low_rank import unfold_softly, unfold_within
from lpgraph.manifold.unfolding.problem import Problem
from lpgraph.manifold.unfolding.rigid import rigid_pairs
from lpgraph.manifold.unfolding.trace_bound import loosest_direction, trace_bound
from lpgraph.points.neighborhood import Neighborhood


def sheet(n, seed=0):
    """A strip bent along a parabola in space."""
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-2, 2, n), rng.uniform(0, 1, n)
    X = np.column_stack([x, y, x**2])
    found = rigid_pairs(Neighborhood.of(X, n_neighbors=4))
    return X, found


def problem(n, mass=None, seed=0):
    X, found = sheet(n, seed)
    pairs = Problem(found.first, found.second, found.distance, np.ones(n) if mass is None else mass)
    start = np.zeros((n, 8))
    start[:, :3] = X - X.mean(axis=0)
    return pairs, start, found


def by_interior_point(found, mass):
    """The same program for the whole kernel: K = U Z U' with U orthonormal in the masses and centred."""
    n = len(mass)
    basis = np.linalg.qr(np.column_stack([np.sqrt(mass), np.eye(n)]))[0][:, 1:n] / np.sqrt(mass)[:, None]
    C = (basis[found.first] - basis[found.second]) / found.distance[:, None]
    return float(np.trace(solve(C, feasible_start(C), gap=1e-6).Z))


@pytest.mark.parametrize("weighted", [False, True])
def test_the_optimum_under_inequalities_is_that_of_the_interior_point_method(weighted):
    mass = np.random.default_rng(1).integers(1, 4, 60).astype(float) if weighted else np.ones(60)
    pairs, start, found = problem(60, mass)
    result = unfold_within(pairs, start, gap=1e-3)
    optimum = by_interior_point(found, mass)
    assert result.gap <= 1e-3
    assert result.lower <= optimum * (1 + 1e-5)
    assert result.upper >= optimum * (1 - 1e-5)
    np.testing.assert_allclose(mass @ result.Y, 0, atol=1e-9 * np.abs(result.Y).max() * mass.sum())


@pytest.mark.parametrize("n", [60, 700])
def test_any_weights_give_a_bound(n):
    # 700 points use the sparse solver, which is compared with LAPACK.
    pairs, _, _ = problem(n)
    rng = np.random.default_rng(2)
    for _ in range(3):
        w = rng.exponential(size=len(pairs.squares))
        least = np.linalg.eigvalsh(pairs.laplacian(w).toarray())[1]
        exact = w @ pairs.squares / least
        assert exact * (1 - 1e-9) <= trace_bound(pairs, w) <= exact * (1 + 1e-4)


def test_weights_that_leave_a_point_loose_bound_nothing():
    pairs, _, _ = problem(60)
    w = np.ones(len(pairs.squares))
    w[pairs.edges.toarray()[:, 0] != 0] = 0
    assert trace_bound(pairs, w) > 1e8 * trace_bound(pairs, np.ones(len(w)))


def test_soft_equalities_are_kept_and_the_sheet_is_flattened():
    pairs, start, found = problem(200)
    result = unfold_softly(pairs, start, rms=1e-3)
    assert result.rms <= 1e-3
    lengths = np.linalg.norm(result.Y[found.first] - result.Y[found.second], axis=1)
    assert np.sqrt(np.mean(((lengths / found.distance) ** 2 - 1) ** 2)) == pytest.approx(result.rms)
    spectrum = np.linalg.svd(result.Y, compute_uv=False) ** 2
    assert spectrum[:2].sum() > 0.998 * spectrum.sum()
    assert spectrum.sum() > (start**2).sum()


def softest(found, n, rms):
    """The largest trace at an `rms` of relative changes, by Newton's method on a barrier for the dual.

    max tr Z - rho/2 sum g_e^2 / d_e^2  =  min sum u_e d_e^2 + sum u_e^2 d_e^2 / (2 rho),  sum u_e c_e c_e' >= I.
    """
    unit = np.median(found.distance)
    squares = (found.distance / unit) ** 2
    basis = np.linalg.qr(np.column_stack([np.ones(n), np.eye(n)[:, 1:]]))[0][:, 1:]
    C = basis[found.first] - basis[found.second]
    u = 2 / np.linalg.eigvalsh(C.T @ C)[0] * np.ones(len(C))

    def slack(u):
        return (C.T * u) @ C - np.eye(n - 1)

    traces = []
    for rho in np.geomspace(1e2, 1e7, 21):
        for mu in np.geomspace(10, 1e-4, 9):
            for _ in range(30):
                half = np.linalg.solve(np.linalg.cholesky(slack(u)), C.T)
                leverage = half.T @ half
                slope = squares + u * squares / rho - mu * np.diag(leverage)
                step = np.linalg.solve(mu * leverage**2 + np.diag(squares / rho), slope)
                decrement = np.sqrt(slope @ step / mu)
                # Damped as Nesterov & Nemirovskii do, so that no step leaves the cone.
                u = u - step / (1 + decrement if decrement > 0.25 else 1)
                if decrement < 1e-4:
                    break
        Z = mu * np.linalg.inv(slack(u))
        change = np.einsum("ij,ij->i", C @ Z, C) / squares - 1
        traces.append((np.sqrt(np.mean(change**2)), np.trace(Z) * unit**2))
    changes, optima = np.array(traces[::-1]).T
    return np.interp(np.log(rms), np.log(changes), optima)


@pytest.mark.slow
def test_soft_equalities_reach_the_optimum_of_the_convex_program():
    pairs, start, found = problem(60)
    result = unfold_softly(pairs, start, rms=1e-3)
    optimum = softest(found, 60, result.rms)
    assert pairs.trace(result.Y / pairs.unit) * pairs.unit**2 == pytest.approx(optimum, rel=5e-3)


@pytest.mark.parametrize("one_sided", [False, True])
def test_the_line_search_finds_where_the_slope_ends(one_sided):
    pairs, start, _ = problem(50)
    rng = np.random.default_rng(3)
    Y = pairs.centre(start + 0.1 * rng.standard_normal(start.shape))
    penalty = Penalty(rng.exponential(size=len(pairs.squares)), 50.0, one_sided)

    def value(Y):
        u = penalty.at(pairs.growth(pairs.edges @ Y), pairs.squares)
        return -0.5 * pairs.trace(Y) + ((u**2 - penalty.multipliers**2) * pairs.squares).sum() / (4 * penalty.rho)

    def gradient(Y):
        u = penalty.at(pairs.growth(pairs.edges @ Y), pairs.squares)
        return pairs.back @ (u[:, None] * (pairs.edges @ Y)) - pairs.centre(Y)

    direction = pairs.centre(rng.standard_normal(Y.shape))
    numeric = (value(Y + 1e-6 * direction) - value(Y - 1e-6 * direction)) / 2e-6
    assert np.vdot(gradient(Y), direction) == pytest.approx(numeric, rel=1e-5)
    downhill = -gradient(Y)
    difference = pairs.edges @ Y
    a = line_search(pairs, penalty, Y, downhill, difference, pairs.edges @ downhill, pairs.growth(difference))
    assert a > 0
    before, after = (np.vdot(gradient(Y + s * downhill), downhill) for s in (0.0, a))
    assert abs(after) <= 2e-3 * abs(before)


def test_a_tolerance_that_cannot_be_met_hands_over_what_was_reached(monkeypatch):
    monkeypatch.setattr(low_rank, "_STAGES", 4)
    pairs, start, _ = problem(60)
    with pytest.raises(ConvergenceError, match="root mean square, relative") as caught:
        unfold_softly(pairs, start, rms=1e-9)
    assert caught.value.result.rms > 1e-9
    with pytest.raises(ConvergenceError, match="certified to a relative gap of") as caught:
        unfold_within(pairs, start, gap=1e-7)
    assert np.isfinite(caught.value.result.Y).all()


def test_an_interruption_hands_over_a_bound(monkeypatch):
    pairs, start, found = problem(60)
    minimise, calls = low_rank.minimise, []

    def interrupted(*arguments, **options):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return minimise(*arguments, **options)

    monkeypatch.setattr(low_rank, "minimise", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        unfold_within(pairs, start, gap=1e-4)
    reached, optimum = caught.value.result, by_interior_point(found, np.ones(60))
    assert 0 < reached.lower <= optimum * (1 + 1e-5)
    assert optimum <= reached.upper * (1 + 1e-5)


@pytest.mark.parametrize("n", [60, 700])
def test_the_loosest_direction_is_the_eigenvector_of_the_bound(n):
    mass = np.random.default_rng(1).integers(1, 4, n).astype(float)
    pairs, _, _ = problem(n, mass)
    w = np.random.default_rng(2).exponential(size=len(pairs.squares))
    v = loosest_direction(pairs, w)
    # The least of v' L v / v' M v over centred v, as LAPACK has it.
    root = 1 / np.sqrt(mass)
    least = np.linalg.eigvalsh(root[:, None] * pairs.laplacian(w).toarray() * root)[1]
    assert np.linalg.norm(v) == pytest.approx(1)
    assert abs(mass @ v) <= 1e-6 * mass.sum()
    assert v @ (pairs.laplacian(w) @ v) / (mass @ v**2) == pytest.approx(least, rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_too_few_columns_grow_until_the_bound_is_met(seed):
    # One column ends in a local optimum, with a gap above 0.9; the optimum is certified all the same.
    pairs, start, found = problem(60, seed=seed)
    result = unfold_within(pairs, start[:, :1], gap=1e-3)
    optimum = by_interior_point(found, np.ones(60))
    assert result.gap <= 1e-3
    assert result.lower <= optimum * (1 + 1e-5)
    assert result.upper >= optimum * (1 - 1e-5)
