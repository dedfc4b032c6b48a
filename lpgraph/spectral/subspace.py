"""Approximate eigenpairs and singular triplets by few products with a block of vectors.

A block B is replaced by ``M B``, orthonormalised, a given number of times; Rayleigh-Ritz then gives the pairs of
its span. Each product shrinks the part outside of the leading k eigenvectors by about ``l_{k + 1} / l_k``. No
tolerance is reached: residuals say how far the pairs are from eigenpairs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._threads import blas_alone
from lpgraph.spectral.measure import measured
from lpgraph.spectral.pairs import SingularTriplets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.spectral.operators import Bipartite, SymmetricOperator
    from lpgraph.spectral.pairs import EigenPairs

    Array = NDArray[np.float64]

__all__ = ["orthonormal", "ritz_pairs", "ritz_triplets"]

#: Squared lengths below this share of the largest, of combinations of unit vectors, are left out.
_DEPENDENT = 1e-10


@blas_alone()
def ritz_pairs(operator: SymmetricOperator, block: Array, products: int, which: str) -> EigenPairs:
    """Return the Ritz pairs of ``M^products block``, in the order of `which`.

    Parameters
    ----------
    operator : SymmetricOperator
        M.
    block : ndarray of shape (n, k)
        The first vectors.
    products : int
        How often they are multiplied; Rayleigh-Ritz takes one more product.
    which : {"LM", "LA"}
        Order of the pairs.

    Returns
    -------
    EigenPairs
        k pairs, or fewer if the vectors are dependent; not converged.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.operators import Matrix
    >>> from lpgraph.spectral.subspace import ritz_pairs
    >>> pairs = ritz_pairs(Matrix(np.diag([4.0, -2.0, 1e-3])), np.ones((3, 2)) + np.eye(3)[:, :2], 2, "LM")
    >>> pairs.values.round(6)
    array([ 4., -2.])
    """
    k = block.shape[1]
    for _ in range(products):
        block = operator @ orthonormal(block)
    pairs = measured(operator, orthonormal(block), which, 0.0, "subspace", products, products * k)
    return replace(pairs, norm=float(np.abs(pairs.values).max()))


@blas_alone()
def ritz_triplets(operator: Bipartite, left: Array, right: Array, products: int) -> SingularTriplets:
    """Return the approximate singular triplets of A in the spans of two blocks that are multiplied by A and A.T.

    Parameters
    ----------
    operator : Bipartite
        ``[[0, A], [A.T, 0]]``.
    left, right : ndarray of shape (m, k) and (n, k)
        The first vectors.
    products : int
        How often they are multiplied.

    Returns
    -------
    SingularTriplets
        k triplets, or fewer if vectors are dependent; not converged. The values decrease.
    """
    m, k = left.shape
    for _ in range(products):
        left, right = _images(operator, orthonormal(left), orthonormal(right))
    # The eigenvectors of the operator are [u; v] and [u; -v]: both halves are projected by themselves.
    out, into = orthonormal(left), orthonormal(right)
    rank = min(out.shape[1], into.shape[1])
    apart = np.zeros((len(left) + len(right), out.shape[1] + into.shape[1]))
    apart[:m, : out.shape[1]], apart[m:, out.shape[1] :] = out, into
    pairs = measured(operator, apart, "LA", 0.0, "subspace", products, 2 * products * k)
    return SingularTriplets.of_pairs(pairs.take(slice(rank)), m)


def _images(operator: Bipartite, left: Array, right: Array) -> tuple[Array, Array]:
    """Return ``A right`` and ``A.T left``, whose numbers of columns may differ."""
    m, k, j = len(left), left.shape[1], right.shape[1]
    block = np.zeros((m + len(right), max(k, j)))
    block[:m, :k], block[m:, :j] = left, right
    images = operator @ block
    return images[:m, :j], images[m:, :k]


def orthonormal(block: Array) -> Array:
    """Return an orthonormal basis of the span of the columns, to about 1e-6, without nearly dependent directions.

    The eigenvectors of the small matrix of scalar products give it in less than half of the time of a QR
    decomposition. `measured` corrects for what is missing to orthonormality.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.subspace import orthonormal
    >>> orthonormal(np.array([[3.0, 3.0], [0.0, 0.0], [4.0, 4.0]])).shape
    (3, 1)
    """
    gram = block.T @ block
    lengths = np.sqrt(np.diagonal(gram))
    inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    values, vectors = np.linalg.eigh(gram * np.multiply.outer(inverse, inverse))
    kept = values > _DEPENDENT * values[-1]
    return np.asarray(block @ (inverse[:, None] * vectors[:, kept] / np.sqrt(values[kept])))
