import numpy as np
import pytest

from lpgraph.errors import ConvergenceError
from lpgraph.linalg.interior_point import Iterate, feasible_start, solve


def random_constraints(p, r, seed, spread=1.0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((p, r)) * rng.lognormal(sigma=spread, size=(p, 1))


def by_clarabel(C):
    """Solve the same program with a general conic solver: cone constraints b - A svec(Z) in K."""
    clarabel = pytest.importorskip("clarabel")
    from scipy import sparse

    p, r = C.shape
    columns, rows = np.tril_indices(r)  # svec of the upper triangle, column by column
    weight = np.where(rows == columns, 1.0, np.sqrt(2.0))
    objective = -np.where(rows == columns, 1.0, 0.0)
    A = sparse.csc_matrix(np.vstack([C[:, rows] * C[:, columns] * weight, -np.eye(len(rows))]))
    b = np.concatenate([np.ones(p), np.zeros(len(rows))])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.NonnegativeConeT(p), clarabel.PSDTriangleConeT(r)]
    P = sparse.csc_matrix((len(rows), len(rows)))
    return -clarabel.DefaultSolver(P, objective, A, b, cones, settings).solve().obj_val


CASES = [(6, 1), (30, 5), (12, 6), (200, 9), (60, 15)]


@pytest.mark.parametrize(("p", "r"), CASES)
def test_the_optimum_is_that_of_a_general_conic_solver(p, r):
    C = random_constraints(p, r, seed=p)
    found = solve(C, feasible_start(C), gap=1e-7)
    optimum = by_clarabel(C)
    assert np.trace(found.Z) == pytest.approx(optimum, rel=1e-6)
    assert found.multipliers.sum() == pytest.approx(optimum, rel=1e-6)


@pytest.mark.parametrize(("p", "r"), CASES)
def test_every_result_is_strictly_feasible_on_both_sides(p, r):
    C = random_constraints(p, r, seed=p)
    for iterate in (
        feasible_start(C),
        solve(C, feasible_start(C), gap=1e-2),
        solve(C, feasible_start(C), gap=1e-6),
    ):
        assert np.linalg.eigvalsh(iterate.Z)[0] > 0
        assert (1 - ((C @ iterate.Z) * C).sum(axis=1)).min() > 0
        assert iterate.multipliers.min() > 0
        assert np.linalg.eigvalsh((C.T * iterate.multipliers) @ C)[0] > 1
        assert np.trace(iterate.Z) < iterate.multipliers.sum()


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e3, 1e8])
def test_the_unit_of_length_changes_nothing(unit):
    C = random_constraints(100, 7, seed=4)
    plain, scaled = solve(C, feasible_start(C), gap=1e-6), solve(C / unit, feasible_start(C / unit), gap=1e-6)
    assert scaled.n_iterations == plain.n_iterations
    np.testing.assert_allclose(scaled.Z / unit**2, plain.Z, rtol=1e-4, atol=1e-6 * np.trace(plain.Z))


def test_orthogonal_constraints_have_a_closed_form():
    lengths = np.array([1.0, 0.1, 10.0, 3.0])
    C = np.diag(1 / lengths)
    assert np.trace(solve(C, feasible_start(C), gap=1e-8).Z) == pytest.approx((lengths**2).sum(), rel=1e-7)


@pytest.mark.parametrize("options", [{"gap": 1e-9, "max_iter": 2}, {"gap": 1e-17}])
def test_giving_up_hands_over_a_feasible_iterate(options):
    C = random_constraints(50, 5, seed=6)
    with pytest.raises(ConvergenceError) as caught:
        solve(C, feasible_start(C), **options)
    assert isinstance(caught.value.result, Iterate)
    assert np.trace(caught.value.result.Z) < caught.value.result.multipliers.sum() * (1 + 1e-12)


def test_a_direction_without_constraint_has_no_start():
    assert feasible_start(np.array([[1.0, 1.0], [2.0, 2.0]])) is None
