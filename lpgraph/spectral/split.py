"""Random division of the entries of a matrix into two parts, for cross-validated eigenvalues."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lpgraph.spectral.measure import over_rows

if TYPE_CHECKING:
    from lpgraph.spectral.operators import SymmetricOperator

__all__ = ["Split", "split_entries"]

Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Split:
    """Two parts of a random symmetric operator M.

    For vectors x that depend on the training part only, ``x' test x`` has about the mean ``share x' M x``, and the
    variance ``share (2 x^2' squares x^2 - sum_i diagonal_i x_i^4)``, where squares of vectors are entrywise.

    Attributes
    ----------
    train : SymmetricOperator
        An estimate of M by the entries that are kept.
    test : SymmetricOperator
        The entries that are held out, scaled as the training part is.
    squares : SymmetricOperator
        The squares of all entries, scaled accordingly.
    diagonal : ndarray of shape (n,)
        The diagonal of `squares`.
    share : float
        Probability that an entry is held out.
    skip : int
        Leading eigenvectors of `train` that the embedding leaves out.
    """

    train: SymmetricOperator
    test: SymmetricOperator
    squares: SymmetricOperator
    diagonal: Array
    share: float
    skip: int = 0

    def forms(self, vectors: Array) -> tuple[Array, Array]:
        """Return ``x' test x``, and the variance of it without the factor `share`, for each column x."""
        held_out = np.einsum("ij,ij->j", vectors, self.test @ vectors)
        square = vectors**2
        spread = np.einsum("ij,ij->j", square, self.squares @ square)
        n, k = vectors.shape
        loops = over_rows(n, k, lambda rows: np.asarray(self.diagonal[rows] @ vectors[rows] ** 4))
        return held_out, 2 * spread - reduce(np.add, loops)


#: Holds out each entry whose random number is in [low, high); equal generators give equal numbers.
Thin: TypeAlias = Callable[[float, float, np.random.Generator], Split]


def split_entries(
    matrix: sparse.csr_array, low: float, high: float, rng: np.random.Generator, *, symmetric: bool
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return the entries that are kept and those that are held out, each with probability ``high - low``.

    Parameters
    ----------
    matrix : csr_array of shape (n, n)
        Without stored zeros.
    low, high : float
        An entry is held out if its random number is in [low, high): disjoint intervals and equal generators give
        disjoint parts.
    rng : Generator
        Source of the random numbers.
    symmetric : bool
        Entries (i, j) and (j, i) are one pair, which is held out or kept.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from lpgraph.spectral.split import split_entries
    >>> matrix = sparse.csr_array(np.ones((4, 4)))
    >>> kept, held_out = split_entries(matrix, 0.0, 0.5, np.random.default_rng(0), symmetric=True)
    >>> (kept + held_out).sum(), (held_out != held_out.T).nnz
    (np.float64(16.0), 0)
    """
    rows = np.repeat(np.arange(matrix.shape[0], dtype=matrix.indices.dtype), np.diff(matrix.indptr))
    entries = np.flatnonzero(matrix.indices >= rows) if symmetric else np.arange(matrix.nnz)
    number = rng.random(len(entries))
    chosen = entries[(number >= low) & (number < high)]
    source, target, weight = rows[chosen], matrix.indices[chosen], matrix.data[chosen]
    if symmetric:
        apart = source != target
        source, target = np.r_[source, target[apart]], np.r_[target, source[apart]]
        weight = np.r_[weight, weight[apart]]
    test = sparse.csr_array(sparse.coo_array((weight, (source, target)), shape=matrix.shape))
    # The difference of equal numbers is 0 exactly, and scipy does not store it.
    return sparse.csr_array(matrix - test), test
