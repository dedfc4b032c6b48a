"""Compiled loops that sort the entries of a partition and add up those that are repeated."""

from __future__ import annotations

import numpy as np

from lpgraph._compiled import compiled

__all__ = ["add_up", "count", "repeats", "scatter", "sort_rows"]


def _count(rows, columns, panels, shift, indptr):  # type: ignore[no-untyped-def]  # numba infers the types
    """Count entries by panel and row, one place behind."""
    by, one = np.uint64(shift), np.uint64(1)
    for k in range(len(rows)):
        indptr[panels[np.uint64(columns[k]) >> by], np.uint64(rows[k]) + one] += 1


count = compiled(_count)


def _scatter(rows, columns, weights, panels, shift, places, indices, data):  # type: ignore[no-untyped-def]  # numba infers the types
    """Put entries at the places of their panel and row."""
    by = np.uint64(shift)
    weighted = len(weights) > 0
    for k in range(len(rows)):
        q, i = panels[np.uint64(columns[k]) >> by], np.uint64(rows[k])
        place = places[q, i]
        places[q, i] = place + 1
        indices[place] = columns[k]
        if weighted:
            data[place] = weights[k]


scatter = compiled(_scatter)


def _sort_rows(indptr, indices, data, spare, spare_data):  # type: ignore[no-untyped-def]  # numba infers the types
    """Sort each row of each tile by column, and equal columns by weight, so that sums have one order."""
    weighted = len(data) > 0
    run = np.int64(24)
    for q in range(indptr.shape[0]):
        for i in range(indptr.shape[1] - 1):
            low, high = np.int64(indptr[q, i]), np.int64(indptr[q, i + 1])
            # Short runs by insertion.
            for begin in range(low, high, run):
                for k in range(begin + 1, min(begin + run, high)):
                    key = indices[k]
                    value = data[k] if weighted else 0.0
                    p = k - 1
                    while p >= begin and (
                        indices[p] > key or (weighted and indices[p] == key and data[p] > value)
                    ):
                        indices[p + 1] = indices[p]
                        if weighted:
                            data[p + 1] = data[p]
                        p -= 1
                    indices[p + 1] = key
                    if weighted:
                        data[p + 1] = value
            # Longer ones by merging: the left half is put aside.
            width = run
            while width < high - low:
                for begin in range(low, high - width, 2 * width):
                    middle, end = begin + width, min(begin + 2 * width, high)
                    for k in range(width):
                        spare[k] = indices[begin + k]
                        if weighted:
                            spare_data[k] = data[begin + k]
                    a, b, to = np.int64(0), middle, begin
                    while a < width:
                        left = b >= end or spare[a] < indices[b]
                        if not left and spare[a] == indices[b]:
                            left = not weighted or spare_data[a] <= data[b]
                        if left:
                            indices[to] = spare[a]
                            if weighted:
                                data[to] = spare_data[a]
                            a += 1
                        else:
                            indices[to] = indices[b]
                            if weighted:
                                data[to] = data[b]
                            b += 1
                        to += 1
                width *= 2


sort_rows = compiled(_sort_rows)


def _repeats(indptr, indices, found):  # type: ignore[no-untyped-def]  # numba infers the types
    """Set `found[0]` to 1 if a sorted row has a column twice."""
    for q in range(indptr.shape[0]):
        for i in range(indptr.shape[1] - 1):
            for k in range(np.int64(indptr[q, i]) + 1, np.int64(indptr[q, i + 1])):
                if indices[k] == indices[k - 1]:
                    found[0] = 1
                    return


repeats = compiled(_repeats)


def _add_up(indptr, indices, data, largest, first, found):  # type: ignore[no-untyped-def]  # numba infers the types
    """Combine repeated entries of sorted rows and drop zeros, in place; row 0 is vertex `first`.

    `found` gets the number of entries, the number of loops, whether a sum is not 1, and row and column of a sum
    that is not finite (or -1).
    """
    weighted = len(data) > 0
    to, begin, loops = np.int64(0), np.int64(0), np.int64(0)
    found[3] = -1
    for q in range(indptr.shape[0]):
        for i in range(indptr.shape[1] - 1):
            end = np.int64(indptr[q, i + 1])
            indptr[q, i] = to
            k = begin
            while k < end:
                column = indices[k]
                total = data[k] if weighted else 1.0
                k += 1
                while k < end and indices[k] == column:
                    if weighted:
                        total = max(total, data[k]) if largest else total + data[k]
                    k += 1
                if total == 0.0:
                    continue
                if not abs(total) < np.inf and found[3] < 0:
                    found[3], found[4] = first + i, np.int64(column)
                if total != 1.0:
                    found[2] = 1
                if np.int64(column) == first + i:
                    loops += 1
                indices[to] = column
                if weighted:
                    data[to] = total
                to += 1
            begin = end
        indptr[q, indptr.shape[1] - 1] = to
    found[0], found[1] = to, loops


add_up = compiled(_add_up)
