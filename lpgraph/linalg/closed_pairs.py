"""Edges among the neighbors of vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._utils.compiled import slices

if TYPE_CHECKING:
    from lpgraph._utils.types import Array


#: Rows that are multiplied at a time.
_ROWS = 1 << 12


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
    parts = (rows[part] for part in slices(rows.shape[0], _ROWS))
    found = [np.asarray((sparse.csr_array(part @ matrix) * part).sum(axis=1)) for part in parts]
    return np.concatenate([np.empty(0), *found])
