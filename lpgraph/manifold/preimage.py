"""Regression of points on their coordinates, for inverse transforms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import linalg

from lpgraph._checks import check_real
from lpgraph.linalg.dense_rows import rowwise_product

if TYPE_CHECKING:
    from lpgraph.points.types import Array

__all__ = ["PreImage"]


@dataclass(frozen=True, eq=False)
class PreImage:
    """Kernel ridge regression of points on their coordinates: ``x(y) = K(y, Y) (K(Y, Y) + alpha I)^(-1) X``.

    Attributes
    ----------
    kernel : callable
        The kernel, ``kernel(a, b)`` for coordinates a and b.
    coordinates : ndarray of shape (n, d)
        Y, the coordinates of the training points.
    coefficients : ndarray of shape (n, p)
        ``(K(Y, Y) + alpha I)^(-1) X``.

    References
    ----------
    Bakir, G., Weston, J. & Scholkopf, B. (2004), "Learning to find pre-images", NIPS 16.
    """

    kernel: Any
    coordinates: Array
    coefficients: Array

    @classmethod
    def of(cls, kernel: Any, coordinates: Array, points: Array, alpha: Any) -> PreImage:
        """Fit the regression."""
        matrix = kernel(coordinates, coordinates)
        matrix[np.diag_indices(len(matrix))] += check_real("alpha", alpha, low=0.0, open_low=True)
        # A sigmoid kernel may be indefinite, so Cholesky factors may not exist.
        return cls(kernel, coordinates, linalg.solve(matrix, points, assume_a="sym"))

    def __call__(self, new: Array) -> Array:
        """Return the (m, p) points of (m, d) coordinates."""
        return rowwise_product(self.kernel(new, self.coordinates), self.coefficients)
