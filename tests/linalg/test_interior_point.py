import numpy as np
import pytest

from lpgraph.errors import ArgumentError, ConvergenceError
from lpgraph.linalg.interior_point import Iterate, feasible_start, solve


def random_constraints(p, r, seed, spread=1.0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((p, r)) * rng.lognormal(sigma=spread, size=(p, 1))


CASES = [(6, 1), (30, 5), (12, 6), (200, 9), (60, 15)]


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
    with pytest.raises(ArgumentError, match="leave a direction"):
        feasible_start(np.array([[1.0, 1.0], [2.0, 2.0]]))


@pytest.mark.parametrize(("p", "r"), CASES)
@pytest.mark.parametrize("gap", [None, 1e-2, 1e-6])
def test_results_are_strictly_feasible_on_both_sides_and_optimal_up_to_the_gap(p, r, gap):
    C = random_constraints(p, r, seed=p)
    found = feasible_start(C) if gap is None else solve(C, feasible_start(C), gap=gap)
    assert np.linalg.eigvalsh(found.Z)[0] > 0
    assert (1 - ((C @ found.Z) * C).sum(axis=1)).min() > 0
    assert found.multipliers.min() > 0
    assert np.linalg.eigvalsh((C.T * found.multipliers) @ C)[0] > 1
    # Weak duality: the optimum is between the two, which the gap bounds.
    assert np.trace(found.Z) < found.multipliers.sum()
    assert gap is None or np.trace(found.Z) >= (1 - 1.01 * gap) * found.multipliers.sum()
