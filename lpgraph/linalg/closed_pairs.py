"""Edges among the neighbors of vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

#: Entries of the sparse products held at a time.
_CHUNK = 1 << 22


def closed_pairs(rows: sparse.csr_array, matrix: sparse.csr_array) -> Array:
    r"""Return :math:`\sum_{jk} \xi_j A_{jk} \xi_k` for each row xi.

    For rows of ones this is the number of edges among the neighbors of a vertex, twice if A is symmetric.

    Parameters
    ----------
    rows : csr_array of shape (m, n)
        Rows of edges, each listed once.
    matrix : csr_array of shape (n, n)
        A.

    Returns
    -------
    ndarray of shape (m,)

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.linalg.closed_pairs import closed_pairs
    >>> from scipy import sparse
    >>> path = sparse.csr_array(np.array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    >>> closed_pairs(sparse.csr_array([[1.0, 1, 0], [1, 0, 1]]), path)
    array([2., 0.])
    """
    joined = sparse.csr_array((np.ones(rows.nnz), rows.indices, rows.indptr), shape=rows.shape)
    # A row takes as many steps as its neighbors have neighbors together.
    sizes = np.concatenate([[0.0], np.cumsum(np.asarray(joined @ np.diff(matrix.indptr)))])
    found = np.zeros(rows.shape[0])
    low = 0
    while low < len(found):
        high = max(low + 1, int(np.searchsorted(sizes, sizes[low] + _CHUNK, side="right")) - 1)
        part = rows[low:high]
        found[low:high] = np.asarray((sparse.csr_array(part @ matrix) * part).sum(axis=1))
        low = high
    return found
