"""Compiled loop of `lpgraph.linalg.checked_product`; imports numba."""

from __future__ import annotations

import numpy as np

from lpgraph._utils.checks import LARGEST
from lpgraph._utils.compiled import compiled
from lpgraph.linalg.lanes import add_multiple, lanes, put


@compiled
def panel(rows, block, target, columns, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Multiply rows low ... high - 1 by columns left ... left + len(zeros) - 1; report invalid rows in `wrong`."""
    (indptr, indices, data), (result, wrong), (n, stride, left, zeros) = rows, target, columns
    one, wide, begin = np.uint64(1), np.uint64(stride), np.uint64(left)
    stored, known = np.int64(min(len(data), len(indices))), np.int64(n)
    wild = 0
    for i in range(np.uint64(low), np.uint64(high)):
        first, last = np.int64(indptr[i]), np.int64(indptr[i + one])
        if first < 0 or last < first or last > stored:
            wrong[0] = 1
            return
        sums = lanes(zeros)
        for p in range(np.uint64(first), np.uint64(last)):
            weight, other = data[p], np.int64(indices[p])
            if other < 0 or other >= known:
                wrong[0] = 1
                return
            wild += not abs(weight) <= LARGEST  # also where it is NaN
            sums = add_multiple(sums, weight, block, np.uint64(other) * wide + begin)
        put(sums, result, np.uint64(i) * wide + begin)
    if wild:
        wrong[0] = 1
