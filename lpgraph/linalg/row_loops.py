"""Compiled products of sparse rows whose sums stay in vector registers; imports numba."""

from __future__ import annotations

import numpy as np

from lpgraph._utils.checks import LARGEST
from lpgraph._utils.compiled import compiled
from lpgraph.linalg.lanes import add_multiple, add_to, lane, lanes


@compiled
def pair_product(matrix, pair, target, scale, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Multiply rows low ... high - 1 by a pair of columns."""
    indptr, indices, data = matrix
    flat, step, first, second = target
    zero, one, two = np.uint64(0), np.uint64(1), np.uint64(2)
    equal = len(data) == 1
    weight = data[0] if equal else 1.0
    for i in range(low, high):
        sums = lanes((0.0, 0.0))
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            sums = add_multiple(sums, 1.0 if equal else data[p], pair, two * np.uint64(indices[p]))
        a, b = weight * lane(sums, zero), weight * lane(sums, one)
        if len(scale):
            a, b = scale[i] * a, scale[i] * b
        flat[i * step + first] = a
        flat[i * step + second] = b


@compiled
def block_product(blocks, pair, target, scale, first_block, last_block):  # type: ignore[no-untyped-def]  # numba infers the types
    """Do as `pair_product` for `lpgraph.linalg.blocks.Blocks`, for some rows of blocks."""
    entries, starts, rows, bits, weight = blocks
    flat, step, first, second = target
    sixteen, columns = np.uint64(16), starts.shape[1] - 1
    within, size, zeros = np.uint64((1 << 16) - 1), 1 << bits, lanes((0.0, 0.0))
    own = np.empty(2 * size)
    for block in range(first_block, last_block):
        low, high = block * size, min((block + 1) * size, rows)
        own[: 2 * (high - low)] = 0.0
        for column in range(columns):
            given, exchanged = pair[2 * column * size :], column < block
            upper, lower = (column, block) if exchanged else (block, column)
            for p in range(np.uint64(starts[upper, lower]), np.uint64(starts[upper, lower + 1])):
                row, place = np.uint64(entries[p]) >> sixteen, np.uint64(entries[p]) & within
                if exchanged:
                    row, place = place, row
                add_to(add_multiple(zeros, 1.0, given, place), own, row)
        for i in range(low, high):
            factor = weight * scale[i] if len(scale) else weight
            flat[i * step + first] = factor * own[2 * (i - low)]
            flat[i * step + second] = factor * own[2 * (i - low) + 1]


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
        add_to(sums, result, np.uint64(i) * wide + begin)
    if wild:
        wrong[0] = 1
