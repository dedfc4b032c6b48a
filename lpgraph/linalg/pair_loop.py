"""Compiled loop of `lpgraph.linalg.matvec` for two columns at once; imports numba."""

from __future__ import annotations

import numpy as np

from lpgraph._compiled import compiled
from lpgraph.linalg.lanes import add_multiple, lane, lanes

__all__ = ["pair_product"]


@compiled
def pair_product(  # type: ignore[no-untyped-def]  # numba infers the types
    indptr, indices, data, pair, flat, step, first, second, factor, shift, scale, now, before, low, high
):
    """Multiply rows low ... high - 1 by a pair of columns, or take a step of a three-term recurrence."""
    zero, one, two = np.uint64(0), np.uint64(1), np.uint64(2)
    equal = len(data) == 1
    weight = data[0] if equal else 1.0
    for i in range(low, high):
        p, end = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        last = p + ((end - p) & ~one)
        sums = more = lanes((0.0, 0.0))
        while p < last:
            sums = add_multiple(sums, 1.0 if equal else data[p], pair, two * np.uint64(indices[p]))
            more = add_multiple(more, 1.0 if equal else data[p + one], pair, two * np.uint64(indices[p + one]))
            p += two
        if p < end:
            sums = add_multiple(sums, 1.0 if equal else data[p], pair, two * np.uint64(indices[p]))
        a, b = weight * (lane(sums, zero) + lane(more, zero)), weight * (lane(sums, one) + lane(more, one))
        if len(scale):
            a, b = scale[i] * a, scale[i] * b
        if len(before):
            a = factor * (a - shift * now[2 * i]) - before[2 * i]
            b = factor * (b - shift * now[2 * i + 1]) - before[2 * i + 1]
        flat[i * step + first] = a
        flat[i * step + second] = b
