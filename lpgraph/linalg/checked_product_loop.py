"""The loop of `lpgraph.linalg.checked_product`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from lpgraph._compiled import compiled

__all__ = ["panel"]

tuple_setitem: Any = None


def _prepare() -> None:
    global tuple_setitem
    from numba.cpython.unsafe.tuple import tuple_setitem


@partial(compiled, prepare=_prepare)
def panel(indptr, indices, data, block, result, wrong, n, stride, left, zeros, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Multiply rows low ... high - 1 by columns left ... left + len(zeros) - 1; say if something is wrong."""
    # A tuple's length is known when this is compiled: the loops over it unroll, and its places are registers.
    one, wide = np.uint64(1), np.uint64(stride)
    stored, known = np.int64(min(len(data), len(indices))), np.int64(n)
    sound = 0.0
    for i in range(np.uint64(low), np.uint64(high)):
        first, last = np.int64(indptr[i]), np.int64(indptr[i + one])
        if first < 0 or last < first or last > stored:
            wrong[0] = 1
            return
        sums = zeros
        for p in range(np.uint64(first), np.uint64(last)):
            weight, other = data[p], np.int64(indices[p])
            if other < 0 or other >= known:
                wrong[0] = 1
                return
            sound += weight * 0.0  # not a number once an entry is not finite
            place = np.uint64(other) * wide + np.uint64(left)
            for k in range(len(zeros)):
                grown = sums[k] + weight * block[place + np.uint64(k)]
                sums = tuple_setitem(sums, k, grown)
        place = np.uint64(i) * wide + np.uint64(left)
        for k in range(len(zeros)):
            result[place + np.uint64(k)] = sums[k]
    if sound != 0.0:
        wrong[0] = 1
