"""Compiled loops of `lpgraph.linalg.matvec` for two columns at once, by rows and by blocks; imports numba."""

from __future__ import annotations

import numpy as np

from lpgraph._compiled import compiled
from lpgraph.linalg.lanes import add_multiple, lane, lanes, put

__all__ = ["block_product", "count_entries", "pair_product", "sort_entries"]


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


@compiled
def block_product(  # type: ignore[no-untyped-def]  # numba infers the types
    entries,
    starts,
    pieces,
    sums,
    rows,
    bits,
    weight,
    pair,
    flat,
    step,
    first,
    second,
    factor,
    shift,
    scale,
    now,
    before,
    piece,
    _,
):
    """Do as `pair_product` where all entries are `weight` and sorted by blocks, for a piece of the rows."""
    one, half, columns = np.uint64(1), np.uint64(16), starts.shape[1] - 1
    within, size, own, zeros = np.uint64((1 << 16) - 1), 1 << bits, sums[piece], lanes((0.0, 0.0))
    for block in range(pieces[piece], pieces[piece + 1]):
        low, high = block * size, min((block + 1) * size, rows)
        own[: 2 * (high - low)] = 0.0
        for column in range(columns):
            before_it = np.uint64(2 * column * size)
            for p in range(starts[block, column], starts[block, column + 1]):
                entry = np.uint64(entries[p])
                row, place = (entry >> half) << one, before_it + ((entry & within) << one)
                put(add_multiple(add_multiple(zeros, 1.0, own, row), 1.0, pair, place), own, row)
        for i in range(low, high):
            a, b = weight * own[2 * (i - low)], weight * own[2 * (i - low) + 1]
            # Also in `pair_product`: a function for both, compiled or inlined, made both loops half as fast.
            if len(scale):
                a, b = scale[i] * a, scale[i] * b
            if len(before):
                a = factor * (a - shift * now[2 * i]) - before[2 * i]
                b = factor * (b - shift * now[2 * i + 1]) - before[2 * i + 1]
            flat[i * step + first] = a
            flat[i * step + second] = b


@compiled
def count_entries(indptr, indices, bits, counts, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Count the entries of some rows of blocks in each column of blocks."""
    for block in range(low, high):
        first, last = block << bits, min((block + 1) << bits, len(indptr) - 1)
        for p in range(np.int64(indptr[first]), np.int64(indptr[last])):
            counts[block, np.int64(indices[p]) >> bits] += 1


@compiled
def sort_entries(indptr, indices, bits, starts, entries, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Write row and column of each entry within its block, two bytes each, sorted by blocks and columns.

    Entries of a row are apart then: an addition that follows another one to the same sum has to wait for it.
    """
    size, within = 1 << bits, (1 << 16) - 1
    for block in range(low, high):
        first, last = block * size, min((block + 1) * size, len(indptr) - 1)
        places, counts = starts[block].copy(), np.zeros(size + 1, np.int64)
        by_rows = np.empty(starts[block, -1] - starts[block, 0], np.uint32)
        origin = starts[block, 0]
        for i in range(first, last):
            for p in range(np.int64(indptr[i]), np.int64(indptr[i + 1])):
                j = np.int64(indices[p])
                column = j >> bits
                by_rows[places[column] - origin] = ((i - first) << 16) | (j - column * size)
                places[column] += 1
        for column in range(starts.shape[1] - 1):
            begin, end = starts[block, column] - origin, starts[block, column + 1] - origin
            counts[:] = 0
            for p in range(begin, end):
                counts[(by_rows[p] & within) + 1] += 1
            for k in range(size):
                counts[k + 1] += counts[k]
            for p in range(begin, end):
                place = by_rows[p] & within
                entries[origin + begin + counts[place]] = by_rows[p]
                counts[place] += 1
