"""Product of many sparse rows with a narrow block, with checks of the entries, on all cores.

The sums of a row stay in registers, which needs their number known when the loop is compiled
(`lpgraph.linalg.checked_product_loop`): once for each width up to ten. A wider block is cut into panels. Each
sum is taken in the order of a row's entries, by one thread: the result does not depend on the number of threads.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._compiled import available
from lpgraph.linalg.checked_product_loop import panel

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["rows_product"]

#: From so many entries on, the import of numba is earned back.
WORTHWHILE = 1_000_000

#: The widest panel whose sums stay in registers: by measurement, with 12 sums the loop is 20 times slower.
_WIDEST = 10

#: Entries of a piece that a thread takes at a time.
_PIECE = 2**17


def rows_product(rows: Any, block: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the product of a csr matrix (m, n) with a block (n, d), or None where it has to be looked at first.

    That is so where entries are not finite, an index is out of range, or indptr does not rise; and where scipy's
    own product serves as well: few entries, another format, other types than float64. Repeated entries are added
    up and their order does not matter, as in any product.
    """
    if (
        getattr(rows, "format", "") != "csr"
        or rows.ndim != 2
        or len(rows.data) < WORTHWHILE
        or rows.data.dtype != np.float64
        or block.dtype != np.float64
        or rows.shape[1] != len(block)
        or not block.shape[1]
        or not available()
    ):
        return None
    block = np.ascontiguousarray(block)
    m, d = rows.shape[0], block.shape[1]
    result = np.empty((m, d))
    pieces = max(2, len(rows.data) // _PIECE)
    cuts = np.searchsorted(rows.indptr, np.linspace(0, len(rows.data), pieces + 1)[1:-1]).tolist()
    count = -(-d // _WIDEST)
    edges = [d * k // count for k in range(count + 1)]
    parts = rows.indptr, rows.indices, rows.data, block.ravel(), result.ravel()
    wrong = np.zeros(1, dtype=np.int64)
    for left, right in pairwise(edges):
        panel.over([0, *cuts, m], *parts, wrong, len(block), d, left, (0.0,) * (right - left))
        if wrong[0]:
            return None
    return result
