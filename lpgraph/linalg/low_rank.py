"""The unfolding of all points at once, its kernel kept as a factor: ``K = Y Y'`` with few columns in Y.

``maximise trace K`` over centred K >= 0 while the squared distances ``K_ii - 2 K_ij + K_jj`` of given pairs stay
as they are ("soft", by a growing penalty) or do not grow (inequalities, by an augmented Lagrangian). Burer and
Monteiro's factorisation makes it a smooth problem without constraints in n q numbers, which L-BFGS solves, with
the Laplacian of the pairs as preconditioner. It is not convex, but the multipliers it ends with are those of the
convex problem, and `pair_bound` turns them into a bound that holds whatever happened on the way.

Exact equalities have no place here: where all distances in a small group of points are given, the group cannot
be flattened at all, the multipliers diverge, and what remains of the unfolding is lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from lpgraph.errors import ConvergenceError
from lpgraph.linalg.pair_bound import pair_bound

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["Pairs", "Unfolded", "unfold_softly", "unfold_within"]

_MEMORY = 20
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
        Certified bounds of the largest trace under inequalities; 0 and infinity where none was asked for.
    n_iterations : int
        Steps of L-BFGS in all.
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


class Pairs:
    """Pairs of points with given distances, in units of the median one.

    Parameters
    ----------
    first, second : ndarray of int, shape (p,)
        The pairs.
    distance : ndarray of shape (p,)
        Their distances, positive.
    mass : ndarray of shape (n,)
        How often each point counts in the trace and in the centre.
    """

    def __init__(self, first: NDArray[np.intp], second: NDArray[np.intp], distance: Array, mass: Array) -> None:
        p, n = len(first), len(mass)
        self.unit = float(np.median(distance))
        self.squares = (distance / self.unit) ** 2
        self.mass = mass
        signs = np.concatenate([np.ones(p), -np.ones(p)])
        where = (np.tile(np.arange(p), 2), np.concatenate([first, second]))
        #: Rows are differences: ``(edges @ Y)[e] = y_i - y_j``.
        self.edges = sparse.csr_array((signs, where), shape=(p, n))
        self.back = sparse.csr_array(self.edges.T)

    def laplacian(self, weights: Array) -> sparse.csc_array:
        """Return ``sum_e weights_e (e_i - e_j)(e_i - e_j)'``."""
        return sparse.csc_array(self.back @ (sparse.diags_array(weights) @ self.edges))

    def growth(self, differences: Array) -> Array:
        """Return how much squared distances grew, absolutely."""
        return np.asarray((differences**2).sum(axis=1) - self.squares)

    def centre(self, Y: Array) -> Array:
        """Return Y with weighted mean 0."""
        return np.asarray(Y - self.mass @ Y / self.mass.sum())

    def trace(self, Y: Array) -> float:
        """Return the trace of the centred kernel."""
        return float(self.mass @ (self.centre(Y) ** 2).sum(axis=1))


@dataclass(frozen=True, eq=False)
class _Penalty:
    """The augmented Lagrangian of one stage: ``-trace / 2 + sum_e d_e^2 (u_e^2 - lambda_e^2) / (4 rho)``.

    ``u = lambda + rho g / d^2`` are the multipliers it holds at growth g, cut off at 0 for inequalities.
    """

    multipliers: Array
    rho: float
    one_sided: bool

    def at(self, growth: Array, squares: Array) -> Array:
        u = self.multipliers + self.rho * growth / squares
        return np.maximum(u, 0) if self.one_sided else u

    def bend(self, u: Array) -> Array:
        return (u > 0).astype(float) if self.one_sided else np.ones_like(u)


def unfold_softly(pairs: Pairs, start: Array, *, rms: float) -> Unfolded:
    """Unfold with distances kept up to a root mean square relative change of their squares.

    A quadratic penalty grows until `rms` is met. The changes that remain are of the size that the curvature of
    the points within a neighbourhood asks for, which no flat embedding could meet exactly.

    Parameters
    ----------
    pairs : Pairs
        What is kept.
    start : ndarray of shape (n, q)
        Where to begin, in the unit of the distances.
    rms : float
        What is wanted.

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
    Y, total = _prepare(pairs, start), 0
    rho, none = float(len(start)), np.zeros(len(pairs.squares))
    found = _result(pairs, Y, total)
    try:
        for _ in range(_STAGES // 2):
            Y, _, steps = _minimise(pairs, Y, _Penalty(none, rho, False), tol=1e-3, max_iter=500)
            total += steps
            found = _result(pairs, Y, total)
            if found.rms <= rms:
                return found
            # The change falls with about the square root of the penalty: never far beyond what is wanted.
            rho *= float(np.clip((found.rms / rms) ** 1.5, 1.5, 4.0))
    except KeyboardInterrupt as interrupt:
        interrupt.result = found  # type: ignore[attr-defined]
        raise
    raise ConvergenceError(
        f"Squared distances are kept to {found.rms:.2g} (root mean square, relative), not to {rms:.2g}; pass a "
        'larger tol, or constraints="inequality".',
        found,
    )


def unfold_within(pairs: Pairs, start: Array, *, gap: float) -> Unfolded:
    """Unfold as far as no distance grows, with certified bounds of the largest trace.

    Parameters
    ----------
    pairs : Pairs
        Which distances must not grow; they connect all points.
    start : ndarray of shape (n, q)
        Where to begin, in the unit of the distances.
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
    Y, rho = _prepare(pairs, start), 3.0 * n
    multipliers = np.zeros(len(pairs.squares))
    best = found = _result(pairs, Y, total)
    upper = np.inf
    try:
        for _ in range(_STAGES):
            penalty = _Penalty(multipliers, rho, True)
            Y, multipliers, steps = _minimise(pairs, Y, penalty, tol=1e-5, max_iter=1500)
            total += steps
            found = _result(pairs, Y, total, upper)
            worst = float(found.change.max())
            # A bound costs about as much as a hundred steps: not before it could be good enough.
            if worst <= 4 * gap:
                upper = min(upper, pair_bound(pairs, multipliers) * pairs.unit**2)
                found = _result(pairs, Y, total, upper)
                if best.upper == np.inf or found.gap < best.gap:
                    best = found
                if best.gap <= gap:
                    return best
            rho = min(3 * rho, 100.0 * n / min(1.0, 500 * gap))
    except KeyboardInterrupt as interrupt:
        bound = pair_bound(pairs, multipliers) * pairs.unit**2 if multipliers.any() else np.inf
        interrupt.result = _result(pairs, Y, total, min(upper, bound))  # type: ignore[attr-defined]
        raise
    raise ConvergenceError(
        f"The trace is certified to a relative gap of {best.gap:.2g}, not {gap:.2g}; pass a larger tol.", best
    )


def _prepare(pairs: Pairs, start: Array) -> Array:
    """Return the start in the pairs' unit, with a little of everything in every column."""
    Y = pairs.centre(start / pairs.unit)
    noise = np.random.default_rng(0).standard_normal(Y.shape)
    return np.asarray(pairs.centre(Y + 1e-4 * np.abs(Y).max() * noise))


def _result(pairs: Pairs, Y: Array, steps: int, upper: float = np.inf) -> Unfolded:
    Y = pairs.centre(Y)
    change = pairs.growth(pairs.edges @ Y) / pairs.squares
    lower = pairs.trace(Y) * pairs.unit**2 / (1 + max(float(change.max()), 0.0))
    return Unfolded(Y * pairs.unit, change, lower if upper < np.inf else 0.0, upper, steps)


def _minimise(pairs: Pairs, Y: Array, penalty: _Penalty, *, tol: float, max_iter: int) -> tuple[Array, Array, int]:
    """Return the minimiser over Y of one stage, the multipliers it holds there, and the steps taken.

    Along a line distances are quadratic in the step, so that the line search needs no product with the points.
    """
    differences = pairs.edges @ Y
    growth = pairs.growth(differences)

    def gradient() -> Array:
        u = penalty.at(growth, pairs.squares)
        return np.asarray(pairs.back @ (u[:, None] * differences) - pairs.mass[:, None] * pairs.centre(Y))

    solve = _preconditioner(pairs, penalty, penalty.at(growth, pairs.squares), Y.shape[1])
    history: list[tuple[Array, Array, float]] = []
    slope = gradient()
    step = 0
    for step in range(max_iter):
        if np.linalg.norm(slope) <= tol * np.linalg.norm(pairs.mass[:, None] * Y):
            break
        direction = -_two_loops(slope, history, solve)
        direction = pairs.centre(direction)
        turned = pairs.edges @ direction
        length = _line_search(pairs, penalty, Y, direction, differences, turned, growth)
        if length <= 0:
            if not history:
                break
            history = []
            continue
        Y = Y + length * direction
        differences = pairs.edges @ Y if step % 50 == 0 else differences + length * turned
        growth = pairs.growth(differences)
        before, slope = slope, gradient()
        change, moved = slope - before, length * direction
        curvature = float(np.vdot(change, moved))
        if curvature > 1e-12 * float(np.linalg.norm(change) * np.linalg.norm(moved)):
            history = [*history[-_MEMORY + 1 :], (moved, change, 1 / curvature)]
    return Y, penalty.at(growth, pairs.squares), step


def _preconditioner(pairs: Pairs, penalty: _Penalty, u: Array, q: int) -> Callable[[Array], Array]:
    """Return the inverse of the pairs' stiffness: their tension, and the penalty's average over directions."""
    stiffness = np.maximum(u, 0) + 2 * penalty.rho / q * np.maximum(penalty.bend(u), 0.1)
    matrix = pairs.laplacian(stiffness) + 1e-6 * penalty.rho * sparse.diags_array(pairs.mass)
    factors = splu(
        sparse.csc_array(matrix),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    return lambda block: np.asarray(factors.solve(block))


def _two_loops(slope: Array, history: list[tuple[Array, Array, float]], solve: Callable[[Array], Array]) -> Array:
    """Return the L-BFGS approximation of the inverse Hessian applied to `slope`."""
    result, shares = slope.copy(), []
    for moved, change, inverse in reversed(history):
        share = inverse * float(np.vdot(moved, result))
        shares.append(share)
        result -= share * change
    result = solve(result)
    for (moved, change, inverse), share in zip(history, reversed(shares), strict=True):
        result += (share - inverse * float(np.vdot(change, result))) * moved
    return result


def _line_search(
    pairs: Pairs, penalty: _Penalty, Y: Array, direction: Array, differences: Array, turned: Array, growth: Array
) -> float:
    """Return the step at which the slope along `direction` is a thousandth of what it was; 0 if it goes up."""
    linear = 2 * (differences * turned).sum(axis=1)
    square = (turned**2).sum(axis=1)
    weighted = pairs.mass[:, None] * direction
    pull, spread = float(np.vdot(weighted, pairs.centre(Y))), float(np.vdot(weighted, direction))

    def slopes(a: float) -> tuple[float, float]:
        u = penalty.at(growth + a * (linear + a * square), pairs.squares)
        along = linear + 2 * a * square
        first = 0.5 * float(u @ along) - pull - a * spread
        second = float(u @ square) - spread
        return first, second + 0.5 * penalty.rho * float(penalty.bend(u) @ (along**2 / pairs.squares))

    start = slopes(0.0)[0]
    if not start < 0:
        return 0.0
    a, low, high = 1.0, 0.0, np.inf
    for _ in range(40):
        first, second = slopes(a)
        if abs(first) <= -1e-3 * start:
            break
        low, high = (low, a) if first > 0 else (a, high)
        newton = a - first / second if second > 0 else np.inf
        a = newton if low < newton < min(high, 10 * a) else (0.5 * (low + high) if high < np.inf else 2 * a)
    return a
