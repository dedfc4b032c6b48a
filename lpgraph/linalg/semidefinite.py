"""Trace maximisation under very many constraints, most of them inactive.

``maximise trace Z subject to c_i' Z c_i <= 1, Z >= 0``, Z small (r x r) and the constraints many (p). A sample of
them is solved by `interior_point`. The constraints that the solution violates most are added, and the larger
problem is solved from there. The result is certified against all p constraints by two bounds that do not depend on
the solver: the optimum is not below the trace of Z, shrunk until it meets every constraint, and not above the sum
of any non-negative multipliers, scaled until ``sum lambda c c' >= I``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import linalg

from lpgraph._utils.checks import check_generator
from lpgraph._utils.compiled import blas_alone, slices
from lpgraph.errors import ConvergenceError

from .interior_point import Iterate, feasible_start, solve

if TYPE_CHECKING:
    from lpgraph._utils.types import Array, Integers, Seed


_FIRST, _MORE = 1000, 400
#: Constraints that are multiplied at a time.
_ROWS = 50_000


@dataclass(frozen=True, eq=False)
class Solution:
    """A certified solution.

    Attributes
    ----------
    Z : ndarray of shape (r, r)
        Positive semi-definite; it meets all constraints to `violation`.
    multipliers : ndarray of shape (p,)
        The dual variables, 0 where a constraint was never monitored.
    lower, upper : float
        Bounds of the optimum, each recomputed from Z and from the multipliers against all constraints.
    violation : float
        Largest ``c_i' Z c_i - 1`` over all constraints, 0 if none is violated.
    n_monitored : int
        Number of constraints passed to the solver.
    """

    Z: Array
    multipliers: Array
    lower: float
    upper: float
    violation: float
    n_monitored: int

    @property
    def gap(self) -> float:
        """Relative distance between the bounds."""
        return (self.upper - self.lower) / self.upper


def certify(C: Array, Z: Array, multipliers: Array) -> tuple[float, float, float]:
    """Return the lower bound, the upper bound and the largest violation of any Z >= 0 and multipliers >= 0.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.linalg.semidefinite import certify
    >>> C = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> certify(C, np.diag([2.0, 1.0]), np.array([1.0, 0.5]))
    (1.5, 3.0, 1.0)
    """
    used = _used(C, Z)
    violation = max(float(used.max()) - 1, 0.0)
    active = np.flatnonzero(multipliers)
    dual = (C[active].T * multipliers[active]) @ C[active]
    firmness = float(linalg.eigvalsh(dual, subset_by_index=(0, 0))[0])
    upper = float(multipliers.sum()) / firmness if firmness > 0 else np.inf
    return float(np.trace(Z)) / (1 + violation), upper, violation


def maximize_trace(
    C: Array,
    *,
    tol: float = 1e-3,
    first: Integers | None = None,
    max_rounds: int = 100,
    random_state: Seed = None,
) -> Solution:
    """Maximise ``trace Z`` subject to ``c_i' Z c_i <= 1`` for every row c_i and Z positive semi-definite.

    Parameters
    ----------
    C : ndarray of shape (p, r)
        One c_i a row, in any unit.
    tol : float, default 1e-3
        Wanted relative distance of the certified bounds, and largest violation.
    first : ndarray of int, optional
        Rows to be monitored from the start, in addition to a random sample.
    max_rounds : int, default 100
        Maximal number of calls of the solver.
    random_state : int, Generator or None
        Draws the first sample.

    Returns
    -------
    Solution

    Raises
    ------
    ArgumentError
        If the constraints leave a direction free, so that the trace has no upper bound.
    ConvergenceError
        If `tol` is not met; its `result` is the best Solution, with its certified bounds.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.linalg.semidefinite import maximize_trace
    >>> found = maximize_trace(np.array([[1.0, 0.0], [0.0, 0.5], [0.0, 0.1]]))
    >>> found.lower <= 5 <= found.upper, found.gap <= 1e-3
    (True, True)
    """
    rounds = _Rounds(C, _first_sample(C, first, check_generator(random_state)), tol)
    stages = [stage for stage in (1e-2, 1e-3) if stage > tol / 4] + [tol / 4]
    try:
        # Matrices this small gain nothing from threads, which on a busy machine wait long for one another.
        with blas_alone():
            for stage in stages:
                while rounds.solve(stage) > 2 * stage:
                    if rounds.count == max_rounds:
                        raise ConvergenceError(f"{max_rounds} rounds did not meet tol={tol:g}; pass a larger tol.")
                    rounds.add()
    except ConvergenceError as error:
        found = rounds.solution(error.result)
        if found.gap <= tol and found.violation <= tol:
            return found
        raise ConvergenceError(str(error), found) from None
    return rounds.solution(None)


class _Rounds:
    """The monitored constraints and the last iterate, from which the next one starts."""

    def __init__(self, C: Array, monitored: Integers, tol: float) -> None:
        self.C, self.tol = C, tol
        self.monitored = monitored
        self.start = self.now = feasible_start(C[monitored])
        self.count = 0

    def solve(self, gap: float) -> float:
        """Solve for the monitored constraints; return the largest violation of any."""
        self.count += 1
        self.now = solve(self.C[self.monitored], self.start, gap=gap)
        # The next stage of the same constraints goes on from here; added ones start from further inside.
        self.start = self.now
        self.used = _used(self.C, self.now.Z)
        return float(self.used.max()) - 1

    def add(self) -> None:
        """Monitor also the most violated constraints, and make the warm iterate feasible for them."""
        used = self.used.copy()
        used[self.monitored] = 0
        worst = np.argpartition(used, -min(_MORE, len(used)))[-_MORE:]
        added = worst[used[worst] > 1]
        warm = self.now.warm or self.now
        self.monitored = np.concatenate([self.monitored, added])
        self.start = _inside(self.C[self.monitored], warm)

    def solution(self, reached: object) -> Solution:
        """Return the last iterate, or the one reached after it, certified against all constraints."""
        found = []
        for iterate in (self.now, reached):
            if isinstance(iterate, Iterate):
                multipliers = np.zeros(len(self.C))
                multipliers[self.monitored[: len(iterate.multipliers)]] = iterate.multipliers
                bounds = certify(self.C, iterate.Z, multipliers)
                found.append(Solution(iterate.Z, multipliers, *bounds, len(self.monitored)))
        return min(found, key=lambda solution: solution.upper - solution.lower)


def _inside(C: Array, warm: Iterate) -> Iterate:
    """Return a pair near `warm`, whose constraints are the first of C, that is strictly feasible for all of C.

    Z is shrunk until it meets all constraints, and mixed with the standard start by the share that it lost.
    Otherwise one constraint would bring the other directions needlessly close to the boundary.
    """
    standard = feasible_start(C)
    share = min(1.0, 0.95 / float(_used(C, warm.Z).max()))
    Z = share * warm.Z + (1 - share) * standard.Z
    Z *= min(1.0, 0.95 / float(_used(C, Z).max()))
    slack = 1 - _used(C, Z)
    multipliers = np.zeros(len(C))
    multipliers[: len(warm.multipliers)] = warm.multipliers
    centre = max(float(multipliers.sum() - np.trace(Z)), 0.0) / (len(C) + len(Z))
    return Iterate(Z, np.maximum(multipliers, centre / slack * np.where(multipliers > 0, 0.1, 1.0)))


def _used(C: Array, Z: Array) -> Array:
    """Return ``c_i' Z c_i`` of every row, without a second array of C's size."""
    result = np.empty(len(C))
    for part in slices(len(C), _ROWS):
        np.einsum("ij,ij->i", C[part] @ Z, C[part], out=result[part])
    return result


def _first_sample(C: Array, first: Integers | None, rng: np.random.Generator) -> Integers:
    """Return the first constraints: a random sample and those given, or all if these do not bound the trace."""
    given = np.empty(0, dtype=np.intp) if first is None else first
    rows = np.union1d(given, rng.permutation(len(C))[:_FIRST])
    return rows if np.linalg.matrix_rank(C[rows]) == C.shape[1] else np.arange(len(C))
