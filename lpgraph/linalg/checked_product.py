"""Product of many sparse rows with a narrow block, with checks of the entries, on all cores.

The sums of a row stay in registers, so that their number must be known when the loop is compiled
(`lpgraph.linalg.row_loops`): once for each width up to 16. A wider block is cut into panels. Each
sum is taken in the order of a row's entries, by one thread: the result does not depend on the number of threads.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._utils.compiled import available

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: For fewer entries in a process, importing numba would cost more time than it saves.
WORTHWHILE = 1_000_000

#: For fewer entries in a batch, starting the threads costs more time than they save.
_SMALL = 1 << 14

#: The widest panel: its sums need four registers of four numbers.
_WIDEST = 16

#: Entries of the batches of this process so far, for each number of columns.
_seen: Counter[int] = Counter()

#: Entries of a piece that a thread takes at a time.
_PIECE = 2**17


def rows_product(rows: object, block: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the product of a csr matrix (m, n) with a block (n, d), or None if the rows must be checked first.

    They must be if an entry is not finite or is too large, an index is out of range, or indptr decreases. None is
    also returned if scipy's product serves as well: few entries, another format, another type than float64.
    Repeated entries are added, and their order does not matter, as in any product. scipy's product
    takes the same sums in the same order.
    """
    if (
        not isinstance(rows, sparse.csr_array | sparse.csr_matrix)
        or rows.ndim != 2
        or len(rows.indptr) != rows.shape[0] + 1
        or len(rows.data) < _SMALL
        or rows.data.dtype != np.float64
        or block.dtype != np.float64
        or rows.shape[1] != len(block)
        or not block.shape[1]
        or not available()
    ):
        return None
    _seen[block.shape[1]] += len(rows.data)
    if _seen[block.shape[1]] < WORTHWHILE:
        return None
    from lpgraph.linalg.row_loops import panel

    block = np.ascontiguousarray(block)
    m, d = rows.shape[0], block.shape[1]
    result = np.zeros((m, d))
    pieces = max(2, len(rows.data) // _PIECE)
    # An indptr that is not sound gives any cuts; from 0 to m they pass over every row, and none is after m.
    cuts = np.searchsorted(rows.indptr[:-1], np.linspace(0, len(rows.data), pieces + 1)[1:-1]).tolist()
    count = -(-d // _WIDEST)
    edges = [d * k // count for k in range(count + 1)]
    parts, wrong = (rows.indptr, rows.indices, rows.data), np.zeros(1, dtype=np.int64)
    for left, right in pairwise(edges):
        columns = len(block), d, left, (0.0,) * (right - left)
        panel.over([0, *cuts, m], parts, block.ravel(), (result.ravel(), wrong), columns)
        if wrong[0]:
            return None
    return result
