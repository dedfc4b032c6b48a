"""Unfolding of all points at once, by a low-rank factor of the kernel: ``K = Y Y'`` with few columns in Y.

``maximise trace K`` over centred K >= 0 while the squared distances ``K_ii - 2 K_ij + K_jj`` of given pairs stay
fixed ("soft", by a growing penalty) or do not grow (inequalities, by an augmented Lagrangian). The factorisation
of Burer and Monteiro turns this into a smooth unconstrained problem in n q numbers, which is solved by L-BFGS. It
is not convex, but the final multipliers are those of the convex problem, and `trace_bound` computes a rigorous
bound from them. If the final multipliers of the inequalities do not certify the result, a column is added to the
factor, in the direction that they restrain least.

Exact equalities are not supported: if all distances in a small group of points are given, the group cannot be
flattened, and the multipliers diverge.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import optimize, sparse

from lpgraph._utils.progress import tell
from lpgraph._utils.types import Array, Integers
from lpgraph.errors import ConvergenceError
from lpgraph.spectral.eigen import Known, eigenpairs
from lpgraph.spectral.shift_invert import factorised

_log = logging.getLogger("lpgraph.manifold")

#: Largest number of stages, in each of which the penalty grows.
_STAGES = 60
#: Number of steps that L-BFGS remembers.
_MEMORY = 20


@dataclass(frozen=True, eq=False)
class RigidPairs:
    """Pairs ``first[e] < second[e]`` of n points, and their distances."""

    first: Integers
    second: Integers
    distance: Array
    n: int

    @cached_property
    def edges(self) -> sparse.csr_array:
        """The difference operator: ``(edges @ Y)[e] = y_i - y_j``."""
        p = len(self.first)
        where = (np.tile(np.arange(p), 2), np.concatenate([self.first, self.second]))
        return sparse.csr_array((np.repeat([1.0, -1.0], p), where), shape=(p, self.n))

    def steps(self, factor: Array) -> Array:
        """Return the differences of rows, relative to the distances."""
        result: Array = self.edges @ factor
        result /= self.distance[:, None]
        return result


class Problem:
    """Pairs of points with given distances, in units of the median distance.

    Parameters
    ----------
    pairs : RigidPairs
        The pairs, and their distances, positive.
    mass : ndarray of shape (n,)
        The weight of each point in the trace and in the mean.
    """

    def __init__(self, pairs: RigidPairs, mass: Array) -> None:
        self.unit = float(np.median(pairs.distance))
        self.squares = (pairs.distance / self.unit) ** 2
        self.mass, self.edges = mass, pairs.edges
        self.back = sparse.csr_array(self.edges.T)

    def laplacian(self, weights: Array) -> sparse.csr_array:
        """Return ``sum_e weights_e (e_i - e_j)(e_i - e_j)'``."""
        return sparse.csr_array(self.back @ (sparse.diags_array(weights) @ self.edges))

    def growth(self, differences: Array) -> Array:
        """Return the absolute growth of squared distances."""
        return np.asarray((differences**2).sum(axis=1) - self.squares)

    def centre(self, Y: Array) -> Array:
        """Return Y with weighted mean 0."""
        return np.asarray(Y - self.mass @ Y / self.mass.sum())


class Bound(NamedTuple):
    """Lower and upper bound of the largest trace under the inequalities."""

    lower: float
    upper: float

    @property
    def gap(self) -> float:
        """The relative distance of the bounds."""
        return 1 - self.lower / self.upper


@dataclass(frozen=True, eq=False)
class Unfolded:
    """An unfolding.

    Attributes
    ----------
    Y : ndarray of shape (n, q)
        The factor; its columns have mean 0, weighted by the masses.
    change : ndarray of shape (p,)
        Relative changes of the squared distances.
    bound : Bound
        Certified bounds of the largest trace under inequalities; 0 and infinity if not computed.
    """

    Y: Array
    change: Array
    bound: Bound

    @classmethod
    def of(cls, problem: Problem, Y: Array, upper: float = np.inf) -> Unfolded:
        """Return the unfolding for a factor in the problem's unit."""
        Y = problem.centre(Y)
        change = problem.growth(problem.edges @ Y) / problem.squares
        trace = float(problem.mass @ (Y**2).sum(axis=1)) * problem.unit**2
        lower = trace / (1 + change.max(initial=0.0)) if upper < np.inf else 0.0
        return cls(Y * problem.unit, change, Bound(float(lower), upper))

    @property
    def rms(self) -> float:
        """Root mean square of the relative changes."""
        return float(np.sqrt(np.mean(self.change**2)))


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
    Y, rho, none = _prepare(problem, start), float(len(start)), np.zeros(len(problem.squares))
    for _ in range(_STAGES // 2):
        Y, _ = minimise(problem, Y, none, rho, one_sided=False, tol=1e-3, max_iter=1000)
        found = Unfolded.of(problem, Y)
        tell(_log, "unfolding: squared distances kept to %.0e, wanted %.0e", found.rms, rms)
        if found.rms <= rms:
            return found
        # The change is about proportional to 1 / sqrt(rho); the step is limited, so as not to overshoot.
        rho *= float(np.clip((found.rms / rms) ** 1.5, 1.5, 4.0))
    what = f"Squared distances are kept to {found.rms:.2g} (relative root mean square), not to {rms:.2g}"
    raise ConvergenceError(f"{what}; pass a larger tol, or constraints='inequality'.", found)


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
    n, upper = len(start), np.inf
    Y, rho, multipliers = _prepare(problem, start), 3.0 * n, np.zeros(len(problem.squares))
    best = Unfolded.of(problem, Y)
    for _ in range(_STAGES):
        Y, multipliers = minimise(problem, Y, multipliers, rho, one_sided=True, tol=1e-5, max_iter=1500)
        worst = float(Unfolded.of(problem, Y).change.max())
        tell(_log, "unfolding: largest growth %.0e, wanted gap %.0e", worst, gap)
        # A bound costs about as much as a hundred steps, so it is computed only if it can be good enough.
        if worst <= 4 * gap:
            bound, direction = trace_bound(problem, multipliers)
            upper = min(upper, bound * problem.unit**2)
            found = Unfolded.of(problem, Y, upper)
            best = min(best, found, key=lambda result: result.bound.gap)
            if best.bound.gap <= gap:
                return best
            # With few columns there are saddle points; a column in the least restrained direction avoids them.
            if worst <= gap / 10:
                Y = _widened(Y, direction)
        rho = min(3 * rho, 100.0 * n / min(1.0, 500 * gap))
    what = f"The trace is certified to a relative gap of {best.bound.gap:.2g}, not {gap:.2g}"
    raise ConvergenceError(f"{what}; pass a larger tol.", best)


def _prepare(problem: Problem, start: Array) -> Array:
    """Return the start in the problem's unit, with a little noise in every column."""
    Y = problem.centre(start / problem.unit)
    noise = np.random.default_rng(0).standard_normal(Y.shape)
    return problem.centre(Y + 1e-4 * np.abs(Y).max() * noise)


def _widened(Y: Array, direction: Array) -> Array:
    """Return Y, rotated to its principal axes, with a multiple of `direction` in an empty or a new column."""
    U, lengths, _ = np.linalg.svd(Y, full_matrices=False)
    Y = U * lengths
    added = 0.03 * float(np.linalg.norm(lengths)) * direction
    if lengths[-1] < 1e-3 * lengths[0]:
        Y[:, -1] += added
        return Y
    return np.column_stack([Y, added])


def minimise(
    problem: Problem, Y: Array, multipliers: Array, rho: float, *, one_sided: bool, tol: float, max_iter: int
) -> tuple[Array, Array]:
    """Return the minimiser Y of the augmented Lagrangian of one stage, and its multipliers, by L-BFGS.

    It is ``-trace / 2 + sum_e d_e^2 (u_e^2 - lambda_e^2) / (4 rho)``, where ``u = lambda + rho g / d^2`` are the
    multipliers at growth g; for inequalities, which are one-sided, negative values are set to 0. Rows are scaled
    by the roots of their numbers of pairs.
    """
    shape, roots = Y.shape, np.sqrt(np.diff(problem.back.indptr))[:, None]
    least = tol * float(np.linalg.norm(problem.mass[:, None] * Y / roots)) / np.sqrt(Y.size)

    def at(differences: Array) -> Array:
        u = multipliers + rho * problem.growth(differences) / problem.squares
        return np.maximum(u, 0) if one_sided else u

    def loss(flat: Array) -> tuple[float, Array]:
        Y = problem.centre(flat.reshape(shape) / roots)
        differences, weighted = problem.edges @ Y, problem.mass[:, None] * Y
        u = at(differences)
        excess = float(problem.squares @ (u**2 - multipliers**2)) / (4 * rho)
        slope = problem.back @ (u[:, None] * differences) - weighted
        return excess - float(np.vdot(weighted, Y)) / 2, (slope / roots).ravel()

    found = optimize.minimize(
        loss,
        (Y * roots).ravel(),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": max_iter, "maxcor": _MEMORY, "ftol": 0.0, "gtol": least},
    )
    Y = problem.centre(found.x.reshape(shape) / roots)
    return Y, at(problem.edges @ Y)


def trace_bound(problem: Problem, weights: Array) -> tuple[float, Array]:
    """Return an upper bound of ``trace K`` over centred K >= 0 under which no squared distance grows.

    With ``L = sum_e w_e (e_i - e_j)(e_i - e_j)'`` any such K has ``sum_e w_e d_e^2 >= <L, K> >= l trace K``, l the
    smallest eigenvalue of L on centred vectors: the bound is ``sum_e w_e d_e^2 / l``, for any ``w >= 0``.

    Parameters
    ----------
    problem : Problem
        The pairs, their squared distances and the masses.
    weights : ndarray of shape (p,)
        One for each pair; negative weights are set to 0.

    Returns
    -------
    bound : float
        Infinite if the pairs with positive weight do not connect all points.
    direction : ndarray of shape (n,)
        The centred unit direction in which the weighted pairs restrain the points least: if an unfolding does not
        attain the bound, it lacks a column in this direction.

    References
    ----------
    Sun, J., Boyd, S., Xiao, L. & Diaconis, P. (2006), "The fastest mixing Markov process on a graph and a
    connection to a maximum variance unfolding problem", SIAM Review 48, 681-699.
    """
    w, root = np.maximum(weights, 0.0), np.sqrt(problem.mass)
    scale = sparse.diags_array(1 / root)
    least, vector = _second_smallest(sparse.csr_array(scale @ problem.laplacian(w) @ scale), root)
    direction = vector / root
    bound = float(w @ problem.squares) / least if least > 0 else np.inf
    return bound, direction / np.linalg.norm(direction)


def _second_smallest(matrix: sparse.csr_array, null: Array) -> tuple[float, Array]:
    """Return a lower bound of the eigenvalues of a semi-definite matrix except that of `null`, and the vector.

    The bound is 0 if it cannot be certified.
    """
    known = Known(null / np.linalg.norm(null), matrix=matrix)
    found = eigenpairs(matrix, 1, "smallest", known=known, remedies="")
    least = float(found.values[0]) * (1 - 1e-5)
    # Sylvester: M - l I has as many negative pivots as there are eigenvalues below l; `null` gives one.
    if least > 0 and int((factorised(matrix, -least).U.diagonal() < 0).sum()) > 1:
        least = 0.0
    return least, found.vectors[:, 0]
