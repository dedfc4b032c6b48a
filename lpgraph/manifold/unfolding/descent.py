"""L-BFGS for the factor of an unfolding, with a penalty on the growth of distances.

Steps are preconditioned with the Laplacian of the pairs. The line search is nearly exact and needs no product with
the points, because squared distances are quadratic in the step length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.manifold.unfolding.problem import factorise

if TYPE_CHECKING:
    from collections.abc import Callable

    from lpgraph.manifold.unfolding.problem import Problem
    from lpgraph.points.types import Array

__all__ = ["Penalty", "line_search", "minimise"]

_MEMORY = 20


@dataclass(frozen=True, eq=False)
class Penalty:
    """The augmented Lagrangian of one stage: ``-trace / 2 + sum_e d_e^2 (u_e^2 - lambda_e^2) / (4 rho)``.

    ``u = lambda + rho g / d^2`` are the multipliers at growth g; for inequalities negative values are set to 0.
    """

    multipliers: Array
    rho: float
    one_sided: bool

    def at(self, growth: Array, squares: Array) -> Array:
        """Return the multipliers u at given growths."""
        u = self.multipliers + self.rho * growth / squares
        return np.maximum(u, 0) if self.one_sided else u

    def bend(self, u: Array) -> Array:
        """Return 1 for pairs on which the penalty acts, else 0."""
        return (u > 0).astype(float) if self.one_sided else np.ones_like(u)


def minimise(
    problem: Problem, Y: Array, penalty: Penalty, *, tol: float, max_iter: int
) -> tuple[Array, Array, int]:
    """Return the minimiser Y, its multipliers, and the number of steps."""
    differences = problem.edges @ Y
    growth = problem.growth(differences)

    def gradient() -> Array:
        u = penalty.at(growth, problem.squares)
        return np.asarray(problem.back @ (u[:, None] * differences) - problem.mass[:, None] * problem.centre(Y))

    solve = _preconditioner(problem, penalty, penalty.at(growth, problem.squares), Y.shape[1])
    history: list[tuple[Array, Array, float]] = []
    slope = gradient()
    step = 0
    for step in range(max_iter):
        if np.linalg.norm(slope) <= tol * np.linalg.norm(problem.mass[:, None] * Y):
            break
        direction = -_two_loops(slope, history, solve)
        direction = problem.centre(direction)
        turns = problem.edges @ direction
        length = line_search(problem, penalty, Y, direction, differences, turns, growth)
        if length <= 0:
            if not history:
                break
            history = []
            continue
        Y = Y + length * direction
        differences = problem.edges @ Y if step % 50 == 0 else differences + length * turns
        growth = problem.growth(differences)
        before, slope = slope, gradient()
        change, moved = slope - before, length * direction
        curvature = float(np.vdot(change, moved))
        if curvature > 1e-12 * float(np.linalg.norm(change) * np.linalg.norm(moved)):
            history = [*history[-_MEMORY + 1 :], (moved, change, 1 / curvature)]
    return Y, penalty.at(growth, problem.squares), step


def _preconditioner(problem: Problem, penalty: Penalty, u: Array, q: int) -> Callable[[Array], Array]:
    """Return a solver for the stiffness of the pairs: multipliers, and the penalty averaged over directions."""
    stiffness = np.maximum(u, 0) + 2 * penalty.rho / q * np.maximum(penalty.bend(u), 0.1)
    matrix = problem.laplacian(stiffness) + 1e-6 * penalty.rho * sparse.diags_array(problem.mass)
    factors = factorise(matrix)
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


def line_search(
    problem: Problem, penalty: Penalty, Y: Array, direction: Array, differences: Array, turns: Array, growth: Array
) -> float:
    """Return a step length that reduces the slope along `direction` to a thousandth, or 0 if it is no descent."""
    linear = 2 * (differences * turns).sum(axis=1)
    square = (turns**2).sum(axis=1)
    weighted = problem.mass[:, None] * direction
    pull, spread = float(np.vdot(weighted, problem.centre(Y))), float(np.vdot(weighted, direction))

    def slopes(a: float) -> tuple[float, float]:
        u = penalty.at(growth + a * (linear + a * square), problem.squares)
        along = linear + 2 * a * square
        first = 0.5 * float(u @ along) - pull - a * spread
        second = float(u @ square) - spread
        return first, second + 0.5 * penalty.rho * float(penalty.bend(u) @ (along**2 / problem.squares))

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
