"""Compiled loops of `lpgraph.linalg.matvec` for two columns at once, by rows and by blocks; imports numba."""

from __future__ import annotations

import numpy as np

from lpgraph._utils.compiled import compiled
from lpgraph.linalg.lanes import add_multiple, lane, lanes, loaded, put

#: Streams of a block's sorted entries.
_STREAMS = 8


@compiled
def pair_product(matrix, pair, target, recurrence, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Multiply rows low ... high - 1 by a pair of columns, or take a step of a three-term recurrence."""
    indptr, indices, data = matrix
    flat, step, first, second = target
    factor, shift, scale, now, before = recurrence
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
def block_product(blocks, pair, target, recurrence, first_block, last_block):  # type: ignore[no-untyped-def]  # numba infers the types
    """Do as `pair_product` where all entries are `weight` and sorted by blocks, for some rows of blocks.

    With `half`, blocks below the diagonal are those above it, with rows and columns exchanged.
    """
    entries, starts, half, rows, bits, weight = blocks
    flat, step, first, second = target
    factor, shift, scale, now, before = recurrence
    one, sixteen, columns = np.uint64(1), np.uint64(16), starts.shape[1] - 1
    within, size, like = np.uint64((1 << 16) - 1), 1 << bits, lanes((0.0, 0.0))
    own = np.empty(2 * size)
    for block in range(first_block, last_block):
        low, high = block * size, min((block + 1) * size, rows)
        own[: 2 * (high - low)] = 0.0
        for column in range(columns):
            given = pair[2 * column * size :]
            if half and column < block:
                p, end = np.uint64(starts[column, block]), np.uint64(starts[column, block + 1])
                while p < end:
                    row, place = np.uint64(entries[p]) & within, np.uint64(entries[p]) >> sixteen
                    put(add_multiple(loaded(like, own, row), 1.0, given, place), own, row)
                    p += one
            else:
                p, end = np.uint64(starts[block, column]), np.uint64(starts[block, column + 1])
                while p < end:
                    row, place = np.uint64(entries[p]) >> sixteen, np.uint64(entries[p]) & within
                    put(add_multiple(loaded(like, own, row), 1.0, given, place), own, row)
                    p += one
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
def count_entries(matrix, bits, half, counts, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Count the entries of some rows of blocks in each column of blocks; with `half`, not below the diagonal."""
    indptr, indices = matrix
    for block in range(low, high):
        first, last = block << bits, min((block + 1) << bits, len(indptr) - 1)
        for p in range(np.int64(indptr[first]), np.int64(indptr[last])):
            column = np.int64(indices[p]) >> bits
            counts[block, column] += not half or column >= block


@compiled
def sort_entries(matrix, bits, half, sorted_entries, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Write twice the row and column of each entry within its block, two bytes each, sorted by blocks.

    Entries of a row are apart, and so are those of a column: an addition that follows another one to the same sum
    has to wait for it. Sorted by columns, each block is cut into streams, from which entries are taken in turn.
    """
    (indptr, indices), (starts, entries) = matrix, sorted_entries
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
                if half and column < block:
                    continue
                by_rows[places[column] - origin] = ((i - first) << 17) | ((j - column * size) << 1)
                places[column] += 1
        for column in range(starts.shape[1] - 1):
            begin, end = starts[block, column] - origin, starts[block, column + 1] - origin
            counts[:] = 0
            for p in range(begin, end):
                counts[((by_rows[p] & within) >> 1) + 1] += 1
            for k in range(size):
                counts[k + 1] += counts[k]
            streams = _STREAMS if end - begin >= _STREAMS**2 else 1
            length = (end - begin + streams - 1) // streams
            last_length = end - begin - (streams - 1) * length
            for p in range(begin, end):
                place = (by_rows[p] & within) >> 1
                stream, at = counts[place] // length, counts[place] % length
                entries[origin + begin + at * streams - max(0, at - last_length) + stream] = by_rows[p]
                counts[place] += 1
