import numpy as np
import pytest

from lpgraph.errors import ArgumentError, ConvergenceError
from lpgraph.linalg.interior_point import feasible_start, solve
from lpgraph.linalg.semidefinite import certify, maximize_trace


@pytest.fixture(scope="module")
def many():
    """Many more constraints than the solver uses first, a few of them much tighter than the sample."""
    rng = np.random.default_rng(0)
    C = rng.standard_normal((2400, 8))
    C[rng.choice(2400, 40, replace=False)] *= 4
    return C


def test_adding_violated_constraints_finds_the_optimum_of_all(many):
    whole = solve(many, feasible_start(many), gap=1e-5)
    found = maximize_trace(many, tol=1e-3, random_state=0)
    assert found.n_monitored < len(many)
    assert found.lower <= whole.multipliers.sum()
    assert found.upper >= np.trace(whole.Z)
    assert found.gap <= 1e-3
    assert found.violation <= 1e-3
    assert ((many @ found.Z) * many).sum(axis=1).max() <= 1 + found.violation + 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_the_certificate_holds_for_anything(seed):
    rng = np.random.default_rng(seed)
    C = rng.standard_normal((60, 4))
    optimum = np.trace(solve(C, feasible_start(C), gap=1e-8).Z)
    factor = rng.standard_normal((4, 4)) * 10.0 ** rng.uniform(-2, 2)
    lower, upper, _ = certify(C, factor @ factor.T, rng.exponential(size=60))
    assert lower <= optimum * (1 + 1e-7)
    assert upper >= optimum * (1 - 1e-7)


@pytest.mark.parametrize("unit", [1e-6, 1e8])
def test_any_unit(many, unit):
    found = maximize_trace(many / unit, tol=1e-3, random_state=0)
    plain = maximize_trace(many, tol=1e-3, random_state=0)
    assert found.gap <= 1e-3
    assert found.lower / unit**2 == pytest.approx(plain.lower, rel=2e-3)


def test_constraints_that_leave_a_direction_free_are_refused():
    with pytest.raises(ArgumentError, match="free"):
        maximize_trace(np.array([[1.0, 1.0], [2.0, 2.0]]))


def test_giving_up_hands_over_a_certified_solution(many):
    with pytest.raises(ConvergenceError, match="1 rounds did not meet tol") as caught:
        maximize_trace(many, tol=1e-3, max_rounds=1, random_state=0)
    found = caught.value.result
    optimum = np.trace(solve(many, feasible_start(many), gap=1e-5).Z)
    assert found.lower <= optimum <= found.upper < np.inf
