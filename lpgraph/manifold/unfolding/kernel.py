"""A learned kernel as a construction: its factor on the training points, and its rows for new ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.points.reconstruction import reconstruction_weights
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

    On a training point w is 1 for the point itself, so that training rows are exact; Nystrom's formula then
    gives barycentric coordinates, ``y(x) = sum_j w(x, x_j) y_j``.

    Attributes
    ----------
    factor : ndarray of shape (n, q)
        F, one row for every point that was passed, duplicates included.
    points : Distinct
        The different points among them, and the constrained pairs.
    n_reconstruction_neighbors, regularizer
        How new points are rebuilt.
    """

    factor: Array
    points: Distinct
    n_reconstruction_neighbors: int
    regularizer: float

    @property
    def operator(self) -> Operator:
        """The kernel matrix, as its factor."""
        return Gram(self.factor)

    @property
    def graph(self) -> sparse.csr_array:
        """Distances of the constrained pairs; copies of a point hang on the first one by edges of length 0."""
        pairs, first, n = self.points.pairs, self.points.first, len(self.points.origin)
        head = first[self.points.origin]
        copies = np.flatnonzero(head != np.arange(n))
        one = np.concatenate([first[pairs.first], head[copies]])
        two = np.concatenate([first[pairs.second], copies])
        length = np.concatenate([pairs.distance, np.zeros(len(copies))])
        rows, columns = np.concatenate([one, two]), np.concatenate([two, one])
        order = np.lexsort((columns, rows))
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))])
        # Built from sorted rows: a conversion from coordinates might drop the zeros, which are edges.
        return sparse.csr_array((np.tile(length, 2)[order], columns[order], indptr), shape=(n, n))

    def __call__(self, new: Points, side: str = "out") -> ProductRows:
        """Return the kernel's rows for new points."""
        hood = self.points.hood
        weights = rebuilding_weights(hood, new, self.n_reconstruction_neighbors, self.regularizer)
        return ProductRows(np.asarray(weights @ self.factor[self.points.first]), self.factor)


def rebuilding_weights(hood: Neighborhood, new: Points, k: int, regularizer: float) -> sparse.csr_array:
    """Return the weights that rebuild new points; a point at the place of a training point is that point."""
    indices, distances = hood.nearest(new, k)
    weights = reconstruction_weights(hood.points, new, indices, regularizer)
    same = np.flatnonzero(distances[:, 0] == 0)
    # Each row has its k entries together and no others.
    weights.data.reshape(new.shape[0], k)[same] = (weights.indices.reshape(new.shape[0], k) == indices[:, :1])[
        same
    ]
    return weights
