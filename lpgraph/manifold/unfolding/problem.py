"""The unfolding problem: constrained pairs with distances, their Laplacian, the trace to maximise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import SuperLU, splu

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["Problem", "factorise"]


class Problem:
    """Pairs of points with given distances, in units of the median distance.

    Parameters
    ----------
    first, second : ndarray of int, shape (p,)
        The pairs.
    distance : ndarray of shape (p,)
        Their distances, positive.
    mass : ndarray of shape (n,)
        The weight of each point in the trace and in the mean.
    """

    def __init__(self, first: NDArray[np.intp], second: NDArray[np.intp], distance: Array, mass: Array) -> None:
        p, n = len(first), len(mass)
        self.unit = float(np.median(distance))
        self.squares = (distance / self.unit) ** 2
        self.mass = mass
        signs = np.concatenate([np.ones(p), -np.ones(p)])
        where = (np.tile(np.arange(p), 2), np.concatenate([first, second]))
        #: Difference operator: ``(edges @ Y)[e] = y_i - y_j``.
        self.edges = sparse.csr_array((signs, where), shape=(p, n))
        self.back = sparse.csr_array(self.edges.T)

    def laplacian(self, weights: Array) -> sparse.csc_array:
        """Return ``sum_e weights_e (e_i - e_j)(e_i - e_j)'``."""
        return sparse.csc_array(self.back @ (sparse.diags_array(weights) @ self.edges))

    def growth(self, differences: Array) -> Array:
        """Return the absolute growth of squared distances."""
        return np.asarray((differences**2).sum(axis=1) - self.squares)

    def centre(self, Y: Array) -> Array:
        """Return Y with weighted mean 0."""
        return np.asarray(Y - self.mass @ Y / self.mass.sum())

    def trace(self, Y: Array) -> float:
        """Return the trace of the centred kernel."""
        return float(self.mass @ (self.centre(Y) ** 2).sum(axis=1))


def factorise(matrix: sparse.csc_array) -> SuperLU:
    """Return the sparse factors of a symmetric positive definite matrix."""
    options = {"SymmetricMode": True}
    return splu(sparse.csc_array(matrix), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
