"""Interior-point method for the semidefinite program of maximum variance unfolding.

    maximise   trace Z     subject to   c_i' Z c_i <= 1  for all i,   Z >= 0        (primal)
    minimise   sum lambda  subject to   sum_i lambda_i c_i c_i' >= I,  lambda >= 0  (dual)

Both sides have an interior that can be written down, so every iterate is strictly feasible on both sides, and
``trace Z`` and ``sum lambda`` are bounds of the optimum at all times, also before convergence.

The slacks ``t_i = 1 - c_i' Z c_i`` and ``S = sum lambda_i c_i c_i' - I`` are computed afresh from Z and lambda in
each iteration, so that feasibility cannot drift. The direction is Nesterov and Todd's with Mehrotra's corrector.
In the scaling ``Z = G D G'``, ``S = G^-T D G^-1`` with D diagonal it is one linear system, with an equation for
each constraint. (A system for the triangle of Z loses digits, and grows with the fourth power of the size of Z.)
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import linalg

from lpgraph._utils.progress import tell
from lpgraph.errors import ArgumentError, ConvergenceError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lpgraph._utils.types import Array

    Solve = Callable[[Array, Array], tuple[Array, Array]]

_log = logging.getLogger("lpgraph.linalg")

#: Share of the distance to the boundary that a step may go.
_STEP = 0.9
#: Gap of the iterate kept for a warm start. Nearer to the optimum it is nearer to the boundary: steps are short.
_WARM_GAP = 0.05


@dataclass(frozen=True, eq=False)
class Iterate:
    """A strictly feasible pair.

    Attributes
    ----------
    Z : ndarray of shape (r, r)
        The primal matrix, positive definite.
    multipliers : ndarray of shape (p,)
        The dual variables lambda, positive.
    warm : Iterate or None
        The first iterate within 5 % of the optimum, from which to start when constraints are added.
    """

    Z: Array
    multipliers: Array
    warm: Iterate | None = None

    @property
    def gap(self) -> float:
        """Relative distance between the two bounds of the optimum, ``trace Z`` and ``sum lambda``."""
        upper = float(self.multipliers.sum())
        return (upper - float(np.trace(self.Z))) / upper


def feasible_start(C: Array) -> Iterate:
    """Return a strictly feasible pair for constraints C of shape (p, r); raise if they do not bound the trace.

    ``c_i' M^-1 c_i`` with ``M = C'C`` is the leverage of row i, at most 1, so ``Z = M^-1 / (2 max leverage)`` has
    every constraint half used; ``lambda = 2 / lambda_min(M)`` makes ``sum lambda c c'`` at least 2 I.
    """
    values, vectors = linalg.eigh(C.T @ C, check_finite=False)
    if not values[0] > 1e-13 * len(values) * values[-1]:
        raise ArgumentError(
            f"The {C.shape[0]} constraints leave a direction of the {C.shape[1]}-dimensional space free, so that "
            "the trace has no upper bound; add constraints, or drop the direction."
        )
    leverage = ((C @ (vectors / np.sqrt(values))) ** 2).sum(axis=1)
    Z = (vectors / values) @ vectors.T / (2 * leverage.max())
    return Iterate((Z + Z.T) / 2, np.full(len(C), 2 / values[0]))


def solve(C: Array, start: Iterate, *, gap: float, max_iter: int = 100) -> Iterate:
    """Follow the central path from `start` until the relative gap is at most `gap`.

    Parameters
    ----------
    C : ndarray of shape (p, r)
        One constraint a row. Their common scale is free: Z scales as its inverse square.
    start : Iterate
        A strictly feasible pair, from `feasible_start` or from a solution with fewer constraints.
    gap : float
        Wanted bound of ``(sum lambda - trace Z) / sum lambda``.
    max_iter : int, default 100
        Maximal number of steps.

    Returns
    -------
    Iterate
        Strictly feasible, with `gap` met.

    Raises
    ------
    ConvergenceError
        If the gap is not met after `max_iter` steps, or rounding prevents progress; its `result` is the last
        iterate, which is feasible.

    References
    ----------
    Todd, M., Toh, K. & Tütüncü, R. (1998), "On the Nesterov-Todd direction in semidefinite programming", SIAM
    Journal on Optimization 8, 769-796. Mehrotra, S. (1992), "On the implementation of a primal-dual interior
    point method", SIAM Journal on Optimization 2, 575-601.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.linalg.interior_point import feasible_start, solve
    >>> C = np.array([[1.0, 0.0], [0.0, 0.5]])
    >>> round(float(np.trace(solve(C, feasible_start(C), gap=1e-8).Z)), 6)
    5.0
    """
    # One number takes the scale, so that all others are around 1.
    scale = float(np.trace(start.Z)) / len(start.Z)
    C, Z, lam, warm = C * np.sqrt(scale), start.Z / scale, start.multipliers / scale, None
    for step in range(max_iter + 1):
        now = Iterate(Z * scale, lam * scale, warm)
        if warm is None and now.gap <= _WARM_GAP:
            warm = now
        tell(_log, "interior point, step %d: relative gap %.0e, wanted %.0e", step, now.gap, gap)
        if now.gap <= gap:
            return replace(now, warm=warm)
        try:
            Z, lam = _step(C, Z, lam)
        except linalg.LinAlgError:
            raise ConvergenceError(
                f"Rounding stopped the interior-point method at a relative gap of {now.gap:.2g}, not {gap:.2g}; "
                f"pass tol >= {2 * now.gap:.1g}, or rescale constraints that differ by many orders.",
                now,
            ) from None
    raise ConvergenceError(
        f"The interior-point method is at a relative gap of {now.gap:.2g}, not {gap:.2g}, after {max_iter} steps; "
        "pass a larger tol.",
        now,
    )


def _step(C: Array, Z: Array, lam: Array) -> tuple[Array, Array]:
    """Return the next strictly feasible pair; raise LinAlgError if rounding leaves no direction."""
    t = 1 - np.einsum("ij,ij->i", C @ Z, C)
    S = (C.T * lam) @ C
    S.flat[:: len(S) + 1] -= 1
    root_z, root_s = linalg.cholesky(Z, lower=True), linalg.cholesky(S, lower=True)
    if t.min() <= 0:
        raise linalg.LinAlgError("A constraint is violated.")
    _, d, v = linalg.svd(root_s.T @ root_z, check_finite=False)
    G = root_z @ v.T / np.sqrt(d)
    A = C @ G
    mu = float((d @ d + lam @ t) / (len(d) + len(lam)))
    system = _system(A, t, lam)
    affine, affine_lam = system(-np.diag(d), -lam * t)
    a_z, a_l, dual, dt = _lengths(A, d, (t, lam), (affine, affine_lam), 1.0)
    gap_z = np.tensordot(np.diag(d) + a_z * affine, np.diag(d) + a_l * dual)
    reached = float(gap_z + (t + a_z * dt) @ (lam + a_l * affine_lam)) / (len(d) + len(lam))
    # Mehrotra's corrector, and the pull to the centre.
    bend, centre = affine @ dual, min(0.1, max(reached / mu, 0.0) ** 3) * mu
    corrected = np.diag(centre / d - d) - (bend + bend.T) / (d[:, None] + d)
    dz, dl = system(corrected, centre - lam * t - dt * affine_lam)
    a_z, a_l, _, _ = _lengths(A, d, (t, lam), (dz, dl), _STEP)
    dz, dl = a_z * dz, a_l * dl
    change = float(dl.sum() - np.tensordot(G.T @ G, dz))
    # From an uncentred start the gap may have to grow first; near the optimum it grows only by rounding.
    if not np.isfinite(change) or (change >= 0 and lam.sum() - np.trace(Z) < _WARM_GAP * lam.sum()):
        raise linalg.LinAlgError("The gap does not become smaller.")
    Z = G @ (np.diag(d) + dz) @ G.T
    return (Z + Z.T) / 2, lam + dl


def _lengths(
    A: Array, d: Array, pair: tuple[Array, Array], step: tuple[Array, Array], share: float
) -> tuple[float, float, Array, Array]:
    """Return how far the primal and the dual may go, and the changes of S (scaled) and t.

    `pair` has the slacks t and the multipliers, `step` the changes of Z (scaled) and of the multipliers.
    """
    (t, lam), (dz, dl) = pair, step
    dual = (A.T * dl) @ A
    dt = -np.einsum("ij,ij->i", A @ dz, A)
    root = np.sqrt(d)
    around = root[:, None] * root

    def longest(matrix: Array, vector: Array, change: Array) -> float:
        worst = max(
            -float(linalg.eigvalsh(matrix / around, subset_by_index=(0, 0), check_finite=False)[0]),
            -float((change / vector).min()),
        )
        return 1.0 if worst <= share else share / worst

    return longest(dz, t, dt), longest(dual, lam, dl), dual, dt


def _system(A: Array, t: Array, lam: Array) -> Solve:
    """Eliminate dZ: ``((A A')^2 + diag(t / lambda)) dlambda = a' R a + r / lambda``, the square entry by entry."""
    H = A @ A.T
    H *= H
    H.flat[:: len(H) + 1] += t / lam
    factors = linalg.cho_factor(H, lower=True, overwrite_a=True, check_finite=False)

    def system(R: Array, r: Array) -> tuple[Array, Array]:
        dl = linalg.cho_solve(factors, np.einsum("ij,ij->i", A @ R, A) + r / lam, check_finite=False)
        return R - (A.T * dl) @ A, dl

    return system
