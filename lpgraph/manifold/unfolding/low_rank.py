"""Unfolding of all points at once, by a low-rank factor of the kernel: ``K = Y Y'`` with few columns in Y.

``maximise trace K`` over centred K >= 0 while the squared distances ``K_ii - 2 K_ij + K_jj`` of given pairs stay
fixed ("soft", by a growing penalty) or do not grow (inequalities, by an augmented Lagrangian). The factorisation
of Burer and Monteiro turns this into a smooth unconstrained problem in n q numbers, which is solved by L-BFGS
with the Laplacian of the pairs as preconditioner. It is not convex, but the final multipliers are those of the
convex problem, and `trace_bound` computes a rigorous bound from them. If the final multipliers of the inequalities
do not certify the result, a column is added to the factor, in the direction that they restrain least.

Exact equalities are not supported: if all distances in a small group of points are given, the group cannot be
flattened, and the multipliers diverge.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._progress import tell
from lpgraph.errors import ConvergenceError
from lpgraph.manifold.unfolding.descent import Penalty, minimise
from lpgraph.manifold.unfolding.trace_bound import loosest_direction, trace_bound

if TYPE_CHECKING:
    from lpgraph.manifold.unfolding.problem import Problem
    from lpgraph.points.types import Array

__all__ = ["Unfolded", "unfold_softly", "unfold_within"]

_log = logging.getLogger("lpgraph.manifold")

_STAGES = 60


@dataclass(frozen=True, eq=False)
class Unfolded:
    """An unfolding.

    Attributes
    ----------
    Y : ndarray of shape (n, q)
        The factor; its columns have mean 0, weighted by the masses.
    change : ndarray of shape (p,)
        Relative changes of the squared distances.
    lower, upper : float
        Certified bounds of the largest trace under inequalities; 0 and infinity if not computed.
    n_iterations : int
        The total number of L-BFGS steps.
    """

    Y: Array
    change: Array
    lower: float
    upper: float
    n_iterations: int

    @property
    def rms(self) -> float:
        """Root mean square of the relative changes."""
        return float(np.sqrt(np.mean(self.change**2)))

    @property
    def gap(self) -> float:
        """Relative distance between the bounds."""
        return 1 - self.lower / self.upper


def unfold_softly(problem: Problem, start: Array, *, rms: float) -> Unfolded:
    """Unfold with distances kept up to a root mean square relative change of their squares.

    A quadratic penalty grows until `rms` is met. The remaining changes are of the size of the curvature within a
    neighborhood, which no flat embedding can remove.

    Parameters
    ----------
    problem : Problem
        The pairs and their distances.
    start : ndarray of shape (n, q)
        The initial factor, in the unit of the distances.
    rms : float
        The wanted root mean square relative change.

    Returns
    -------
    Unfolded

    Raises
    ------
    ConvergenceError
        If no penalty meets `rms`; its `result` is the last Unfolded.

    References
    ----------
    Burer, S. & Monteiro, R. (2003), "A nonlinear programming algorithm for solving semidefinite programs via
    low-rank factorization", Mathematical Programming 95, 329-357.
    """
    Y, total = _prepare(problem, start), 0
    rho, none = float(len(start)), np.zeros(len(problem.squares))
    found = _result(problem, Y, total)
    try:
        for _ in range(_STAGES // 2):
            Y, _, steps = minimise(problem, Y, Penalty(none, rho, False), tol=1e-3, max_iter=500)
            total += steps
            found = _result(problem, Y, total)
            tell(_log, "unfolding, %d steps: squared distances kept to %.0e, wanted %.0e", total, found.rms, rms)
            if found.rms <= rms:
                return found
            # The change is about proportional to 1 / sqrt(rho); the step is limited, so as not to overshoot.
            rho *= float(np.clip((found.rms / rms) ** 1.5, 1.5, 4.0))
    except KeyboardInterrupt as interrupt:
        interrupt.result = found  # type: ignore[attr-defined]  # for the caller
        raise
    raise ConvergenceError(
        f"Squared distances are kept to {found.rms:.2g} (root mean square, relative), not to {rms:.2g}; pass a "
        'larger tol, or constraints="inequality".',
        found,
    )


def unfold_within(problem: Problem, start: Array, *, gap: float) -> Unfolded:
    """Unfold under the constraint that no distance grows, with certified bounds of the largest trace.

    Parameters
    ----------
    problem : Problem
        The pairs whose distances must not grow; they connect all points.
    start : ndarray of shape (n, q)
        The initial factor, in the unit of the distances.
    gap : float
        Wanted relative distance of the bounds.

    Returns
    -------
    Unfolded

    Raises
    ------
    ConvergenceError
        If `gap` is not met; its `result` is the best Unfolded, with its bounds.
    """
    n, total = len(start), 0
    Y, rho = _prepare(problem, start), 3.0 * n
    multipliers = np.zeros(len(problem.squares))
    best = found = _result(problem, Y, total)
    upper = np.inf
    try:
        for _ in range(_STAGES):
            penalty = Penalty(multipliers, rho, True)
            Y, multipliers, steps = minimise(problem, Y, penalty, tol=1e-5, max_iter=1500)
            total += steps
            found = _result(problem, Y, total, upper)
            worst = float(found.change.max())
            tell(_log, "unfolding, %d steps: largest growth %.0e, wanted gap %.0e", total, worst, gap)
            # A bound costs about as much as a hundred steps, so it is computed only if it can be good enough.
            if worst <= 4 * gap:
                upper = min(upper, trace_bound(problem, multipliers) * problem.unit**2)
                found = _result(problem, Y, total, upper)
                if best.upper == np.inf or found.gap < best.gap:
                    best = found
                if best.gap <= gap:
                    return best
                # With few columns there are saddle points; a column in the least restrained direction avoids them.
                if worst <= gap / 10:
                    Y = _widened(Y, loosest_direction(problem, multipliers))
            rho = min(3 * rho, 100.0 * n / min(1.0, 500 * gap))
    except KeyboardInterrupt as interrupt:
        bound = trace_bound(problem, multipliers) * problem.unit**2 if multipliers.any() else np.inf
        interrupt.result = _result(problem, Y, total, min(upper, bound))  # type: ignore[attr-defined]  # for the caller
        raise
    raise ConvergenceError(
        f"The trace is certified to a relative gap of {best.gap:.2g}, not {gap:.2g}; pass a larger tol.", best
    )


def _prepare(problem: Problem, start: Array) -> Array:
    """Return the start in the problem's unit, with a little noise in every column."""
    Y = problem.centre(start / problem.unit)
    noise = np.random.default_rng(0).standard_normal(Y.shape)
    return np.asarray(problem.centre(Y + 1e-4 * np.abs(Y).max() * noise))


def _widened(Y: Array, direction: Array) -> Array:
    """Return Y, rotated to its principal axes, with a multiple of `direction` in an empty or a new column."""
    U, lengths, _ = np.linalg.svd(Y, full_matrices=False)
    Y = U * lengths
    added = 0.03 * float(np.linalg.norm(lengths)) * direction
    if lengths[-1] < 1e-3 * lengths[0]:
        Y[:, -1] += added
        return np.asarray(Y)
    return np.column_stack([Y, added])


def _result(problem: Problem, Y: Array, steps: int, upper: float = np.inf) -> Unfolded:
    Y = problem.centre(Y)
    change = problem.growth(problem.edges @ Y) / problem.squares
    lower = problem.trace(Y) * problem.unit**2 / (1 + max(float(change.max()), 0.0))
    return Unfolded(Y * problem.unit, change, lower if upper < np.inf else 0.0, upper, steps)
