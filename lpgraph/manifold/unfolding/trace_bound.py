"""Upper bound of the trace of an unfolding, from any weights of the constrained pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import eigsh

from lpgraph.manifold.unfolding.problem import factorise

if TYPE_CHECKING:
    from lpgraph.manifold.unfolding.problem import Problem
    from lpgraph.points.types import Array

__all__ = ["loosest_direction", "trace_bound"]

#: Largest number of points for which LAPACK computes the eigenvalues.
_DENSE = 600


def trace_bound(problem: Problem, weights: Array) -> float:
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
    float
        Infinite if the pairs with positive weight do not connect all points.

    References
    ----------
    Sun, J., Boyd, S., Xiao, L. & Diaconis, P. (2006), "The fastest mixing Markov process on a graph and a
    connection to a maximum variance unfolding problem", SIAM Review 48, 681-699.
    """
    w = np.maximum(weights, 0.0)
    least = _second_smallest(*_scaled(problem, w))
    return float(w @ problem.squares) / least if least > 0 else np.inf


def loosest_direction(problem: Problem, weights: Array) -> Array:
    """Return the centred unit direction in which the weighted pairs restrain the points least.

    If an unfolding does not attain `trace_bound`, it lacks a column in this direction.
    """
    scaled, null = _scaled(problem, np.maximum(weights, 0.0))
    n, size = scaled.shape[0], float(abs(scaled).max())
    if n > _DENSE:
        vector = _inverse_iteration(scaled, null, 1e-3 * size / n)[1]
    else:
        vector = linalg.eigh(_without_null(scaled, null), subset_by_index=(0, 0))[1][:, 0]
    direction = vector / np.sqrt(problem.mass)
    return np.asarray(direction / np.linalg.norm(direction))


def _scaled(problem: Problem, weights: Array) -> tuple[sparse.csc_array, Array]:
    """Return the Laplacian scaled by the roots of the masses, and its unit null vector."""
    root = sparse.diags_array(1 / np.sqrt(problem.mass))
    return sparse.csc_array(root @ problem.laplacian(weights) @ root), np.sqrt(problem.mass / problem.mass.sum())


def _without_null(matrix: sparse.csc_array, null: Array) -> Array:
    """Return the dense matrix, with a large eigenvalue for the null vector."""
    return np.asarray(matrix.toarray() + 2 * float(abs(matrix).max()) * np.outer(null, null) * len(null))


def _inverse_iteration(matrix: sparse.csc_array, null: Array, shift: float) -> tuple[float, Array]:
    """Return the largest eigenpair of the inverse of the shifted matrix, orthogonal to `null`."""
    n = matrix.shape[0]
    factors = factorise(matrix + shift * sparse.eye_array(n))
    inverse = sparse.linalg.LinearOperator(
        (n, n), matvec=lambda x: _without(factors.solve(_without(x, null)), null), dtype=np.float64
    )
    start = _without(np.random.default_rng(0).standard_normal(n), null)
    values, vectors = eigsh(inverse, k=1, which="LA", v0=start, tol=1e-6)
    return float(values[0]), np.asarray(vectors[:, 0])


def _second_smallest(matrix: sparse.csc_array, null: Array) -> float:
    """Return a lower bound of the eigenvalues of a semi-definite matrix, except that of `null`."""
    n = matrix.shape[0]
    size = float(abs(matrix).max())
    if n > _DENSE and size > 0:
        shift = 1e-3 * size / n
        identity = sparse.eye_array(n)
        largest = _inverse_iteration(matrix, null, shift)[0]
        least = (1 / largest - shift) * (1 - 1e-5)
        # Sylvester: M - l I has as many negative pivots as there are eigenvalues below l; `null` gives one.
        if least > 0 and int((factorise(matrix - least * identity).U.diagonal() < 0).sum()) <= 1:
            return least
    least = float(linalg.eigvalsh(_without_null(matrix, null), subset_by_index=(0, 0))[0])
    return least - 1e-14 * n * size


def _without(vector: Array, null: Array) -> Array:
    return np.asarray(vector - null * (null @ vector))
