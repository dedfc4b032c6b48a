"""Kernel of an unfolding: its factor on the training points, and rows for new points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.points.reconstruction import affine_weights
from lpgraph.spectral.construction import KernelRows, ProductRows
from lpgraph.spectral.operators import Gram

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.manifold.unfolding.learn import Distinct
    from lpgraph.points.neighborhood import Neighborhood
    from lpgraph.points.types import Points
    from lpgraph.spectral.operators import Operator

    Array = NDArray[np.float64]

__all__ = ["Unfolding"]


@dataclass(frozen=True, eq=False)
class Unfolding(KernelRows):
    """``K = F F.T``, and ``K(x, x_i) = sum_j w(x, x_j) K_ji`` with reconstruction weights w.

    A training point has weight 1 on itself, so that training rows are exact. Nystrom's formula then gives
    barycentric coordinates, ``y(x) = sum_j w(x, x_j) y_j``.

    Attributes
    ----------
    factor : ndarray of shape (n, q)
        F, with one row for every point that was passed, duplicates included.
    points : Distinct
        The distinct points, and the constrained pairs.
    n_reconstruction_neighbors, regularizer
        The parameters for new points, see `reconstruction_weights`.
    """

    factor: Array
    points: Distinct
    n_reconstruction_neighbors: int
    regularizer: float

    @property
    def operator(self) -> Operator:
        """The kernel matrix, given by its factor."""
        return Gram(self.factor)

    @property
    def graph(self) -> sparse.csr_array:
        """Distances of the constrained pairs; copies of a point are joined to the first by edges of length 0."""
        pairs, first, n = self.points.pairs, self.points.first, len(self.points.origin)
        first_copy = first[self.points.origin]
        copies = np.flatnonzero(first_copy != np.arange(n))
        one = np.concatenate([first[pairs.first], first_copy[copies]])
        two = np.concatenate([first[pairs.second], copies])
        length = np.concatenate([pairs.distance, np.zeros(len(copies))])
        rows, columns = np.concatenate([one, two]), np.concatenate([two, one])
        order = np.lexsort((columns, rows))
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
        # Built from sorted rows, because a conversion from coordinates may drop zeros, which are edges.
        return sparse.csr_array((np.tile(length, 2)[order], columns[order], indptr), shape=(n, n))

    def __call__(self, new: Points, side: str = "out") -> ProductRows:
        """Return the kernel rows of new points."""
        hood = self.points.hood
        weights = new_point_weights(hood, new, self.n_reconstruction_neighbors, self.regularizer)
        return ProductRows(np.asarray(weights @ self.factor[self.points.first]), self.factor)


def new_point_weights(hood: Neighborhood, new: Points, k: int, regularizer: float) -> sparse.csr_array:
    """Return the reconstruction weights of new points; a copy of a training point has weight 1 on it."""
    indices, distances = hood.nearest(new, k)
    weights = affine_weights(hood.points, new, indices, regularizer)
    same = np.flatnonzero(distances[:, 0] == 0)
    # Each row has exactly k entries, stored contiguously.
    on_nearest = weights.indices.reshape(-1, k) == indices[:, :1]
    weights.data.reshape(-1, k)[same] = on_nearest[same]
    return weights
