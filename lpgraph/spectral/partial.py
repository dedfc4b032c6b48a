"""Matrices with unobserved entries, and matrices of low rank that are fitted to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._slices import slices
from lpgraph.spectral.operators import Bipartite, Matrix, PlusLowRank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lpgraph.spectral.operators import SymmetricOperator

    Array = NDArray[np.float64]

__all__ = ["LowRank", "Partial"]

#: Entries of X that are computed at a time, times its rank: 16 MB.
_CHUNK = 1 << 21


@dataclass(frozen=True, eq=False)
class LowRank:
    """``X = left diag(values) right.T`` with orthonormal columns; `right` is `left` if X is symmetric."""

    left: Array
    values: Array
    right: Array

    def at(self, places: sparse.csr_array) -> Array:
        """Return the entries of X at the places of the stored entries of a matrix, in their order."""
        scaled, result = self.left * self.values, np.empty(places.nnz)
        for part in slices(places.nnz, _CHUNK // max(1, len(self.values))):
            rows = np.searchsorted(places.indptr, np.arange(part.start, part.stop), side="right") - 1
            np.einsum("ij,ij->i", scaled[rows], self.right[places.indices[part]], out=result[part])
        return result

    def take(self, chosen: slice) -> LowRank:
        """Return some of the components."""
        return LowRank(self.left[:, chosen], self.values[chosen], self.right[:, chosen])

    def distance(self, other: LowRank) -> float:
        """Return the Frobenius norm of the difference."""
        left = np.hstack([self.left * self.values, -other.left * other.values])
        right = np.hstack([self.right, other.right])
        outer, inner = (np.asarray(np.linalg.qr(side, mode="r")) for side in (left, right))
        return float(np.linalg.norm(outer @ inner.T))


@dataclass(frozen=True, eq=False)
class Partial:
    """An (n, n) matrix of which some entries are observed.

    Attributes
    ----------
    known : csr_array of shape (n, n)
        The observed entries, and zeros elsewhere.
    listed : csr_array of shape (n, n)
        Places of the unobserved entries, or of the observed ones.
    hidden : bool
        Whether `listed` are the unobserved entries.
    directed : bool
        Whether the matrix is not symmetric.
    """

    known: sparse.csr_array
    listed: sparse.csr_array
    hidden: bool
    directed: bool

    @property
    def n_observed(self) -> int:
        """Number of observed entries."""
        n = self.known.shape[0]
        return n * n - self.listed.nnz if self.hidden else int(self.listed.nnz)

    def filled(self, terms: Sequence[tuple[float, LowRank, Array]]) -> SymmetricOperator:
        """Return W, with ``sum_k c_k X_k`` in place of the unobserved entries.

        `terms` are c_k, X_k and the listed entries of X_k.
        """
        spread = self._spread(np.asarray(sum(factor * values for factor, _, values in terms)))
        if self.hidden:
            matrix = sparse.csr_array(self.known + spread)
            return Bipartite(matrix) if self.directed else Matrix(matrix)
        left = np.hstack([factor * low.left * low.values for factor, low, _ in terms])
        right = np.hstack([low.right for _, low, _ in terms])
        whole = PlusLowRank(sparse.csr_array(self.known - spread), left, right)
        return Bipartite(whole) if self.directed else whole

    def observed_product(self, low: LowRank, block: Array) -> Array:
        """Return the product of the observed entries of X with a block of vectors."""
        listed = self._spread(low.at(self.listed)) @ block
        return (low.left * low.values) @ (low.right.T @ block) - listed if self.hidden else listed

    def _spread(self, entries: Array) -> sparse.csr_array:
        """Return the matrix with the given entries at the listed places."""
        return sparse.csr_array((entries, self.listed.indices, self.listed.indptr), shape=self.listed.shape)

    def errors(self, low: LowRank, listed: Array) -> Array:
        """Return the sum of squared residuals of the observed entries of each row; `listed` are entries of X."""
        scaled = low.left * low.values
        cross = np.asarray(self.known.power(2).sum(axis=1)) - 2 * ((self.known @ low.right) * scaled).sum(axis=1)
        squares = np.asarray(self._spread(listed**2).sum(axis=1))
        return np.asarray(cross + ((scaled**2).sum(axis=1) - squares if self.hidden else squares))

    def variances(self, low: LowRank) -> Array:
        """Return n times the mean squared residual of the observed entries of each row."""
        n, counts = self.known.shape[0], np.diff(self.listed.indptr)
        observed = n - counts if self.hidden else counts
        errors = np.maximum(self.errors(low, low.at(self.listed)), 0.0)
        return np.asarray(n * errors / np.maximum(observed, 1))

    @property
    def transposed(self) -> Partial:
        """The transposed matrix."""
        known, listed = sparse.csr_array(self.known.T), sparse.csr_array(self.listed.T)
        return Partial(known, listed, self.hidden, self.directed)
