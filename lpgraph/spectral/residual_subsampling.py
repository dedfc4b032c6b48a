"""Inference on the rank of a random matrix by the residuals of a random part of its entries.

Han, X., Yang, Q. & Fan, Y. (2019), "Universal rank inference via residual subsampling with application to large
networks", arXiv:1912.11583.

With k dimensions fitted, the residuals of all entries are close to the noise, but their sum is not: errors of the
fit add up. In a small random part they do not, and the sum is approximately normal if k is the rank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lpgraph._slices import slices

if TYPE_CHECKING:
    from scipy import sparse

__all__ = ["residual_statistics"]

Array: TypeAlias = NDArray[np.float64]

#: Sampled pairs times dimensions, at a time: 32 MB.
_CHUNK = 1 << 22

#: Most pairs that are sampled: the part becomes smaller in large networks.
_MOST = 5_000_000


def residual_statistics(
    matrix: sparse.csr_array,
    values: Array,
    left: Array,
    right: Array,
    *,
    symmetric: bool,
    subsample: float | None,
    rng: np.random.Generator,
) -> Array:
    r"""Return the statistics of the hypotheses that 0, 1, ..., K dimensions are enough.

    :math:`T_k = \sqrt m \sum w_{ij} y_{ij} / (\sum w_{ij}^2)^{1/2}` over the pairs i < j, or over all i != j if
    the matrix is not symmetric. Here w are the residuals of k dimensions, and each y is 1 with probability 1 / m,
    and otherwise 0. This is their T_n for networks without loops.

    Parameters
    ----------
    matrix : csr_array of shape (n, n)
    values, left, right : ndarray of shapes (K,), (n, K) and (n, K)
        The leading eigenpairs, with equal vectors on both sides, or singular triplets.
    symmetric : bool
        Whether entries (i, j) and (j, i) are one pair.
    subsample : float or None
        m; None means the root of n, or more if over 5 million pairs were sampled otherwise.
    rng : Generator
        Source of y.

    Returns
    -------
    ndarray of shape (K + 1,)

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> from lpgraph.spectral.residual_subsampling import residual_statistics
    >>> A = lp.as_adjacency(lp.erdos_renyi(400, 0.2, random_state=0)).matrix
    >>> values, vectors = np.linalg.eigh(A.toarray())
    >>> one = values[-1:], vectors[:, -1:], vectors[:, -1:]
    >>> rng = np.random.default_rng(0)
    >>> abs(residual_statistics(A, *one, symmetric=True, subsample=None, rng=rng)) > 3
    array([ True, False])
    """
    n, K = left.shape
    m = max(np.sqrt(n), n * n / (2 * _MOST)) if subsample is None else subsample
    rows, columns = _sampled(n, 1 / m, symmetric, rng)
    entries = _entries(matrix, rows, columns)
    sums = np.zeros(K + 1)
    for part in slices(len(rows), max(1, _CHUNK // (K + 1))):
        fitted = np.zeros((len(rows[part]), K + 1))
        np.cumsum(left[rows[part]] * values * right[columns[part]], axis=1, out=fitted[:, 1:])
        sums += entries[part].sum() - fitted.sum(axis=0)
    # The fit is orthogonal to its residuals; the diagonal is no pair.
    squares = (matrix.data**2).sum() - np.r_[0.0, np.cumsum(values**2)]
    diagonal = np.zeros((n, K + 1))
    np.cumsum(left * values * right, axis=1, out=diagonal[:, 1:])
    squares -= ((matrix.diagonal()[:, None] - diagonal) ** 2).sum(axis=0)
    return np.asarray(np.sqrt(m) * sums / np.sqrt(np.maximum(squares, 0.0) / (2 if symmetric else 1)))


def _sampled(
    n: int, share: float, symmetric: bool, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and columns of entries, each sampled with the given probability; of a symmetric matrix i < j."""
    # The gaps between sampled places are geometric.
    expected = n * n * share
    gaps = rng.geometric(share, int(expected + 10 * np.sqrt(expected) + 10))
    places = np.cumsum(gaps) - 1
    rows, columns = np.divmod(places[places < n * n], n)
    kept = rows < columns if symmetric else rows != columns
    return rows[kept], columns[kept]


def _entries(matrix: sparse.csr_array, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Array:
    """Return the entries at places that are sorted by rows and columns."""
    n = matrix.shape[1]
    of = np.repeat(np.arange(matrix.shape[0], dtype=np.int64), np.diff(matrix.indptr)) * n + matrix.indices
    keys = rows * n + columns
    order = np.argsort(of) if (np.diff(of) < 0).any() else slice(None)
    of, data = of[order], matrix.data[order]
    place = np.minimum(np.searchsorted(of, keys), max(0, len(of) - 1))
    return np.where(of[place] == keys, data[place], 0.0) if len(of) else np.zeros(len(keys))
