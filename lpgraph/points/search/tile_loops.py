"""Compiled loops over tiles of lower bounds of squared distances; imports numba.

A tile has a row for each point of one set and a column for each point of another. Each row keeps a list of its
smallest bounds as a heap, the largest of them in front and in `worst`. Comparisons of a piece of a row are counted
without branches, so that they use vector registers; pieces with a hit are rare.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from lpgraph._compiled import compiled

__all__ = ["keep_both", "keep_rows", "list_within"]

#: Bounds that are compared at a time.
_PIECE = 64


@register_jitable
def _keep(values, items, worst, width, row, value, item):  # type: ignore[no-untyped-def]  # numba infers the types
    """Put a bound and its point into the list of `row`, in the place of the largest."""
    front, place = row * width, 0
    while True:
        below = 2 * place + 1
        if below >= width:
            break
        if below + 1 < width and values[front + below + 1] > values[front + below]:
            below += 1
        if values[front + below] <= value:
            break
        values[front + place], items[front + place] = values[front + below], items[front + below]
        place = below
    values[front + place], items[front + place] = value, item
    worst[row] = values[front]


@compiled
def keep_rows(tile, values, items, worst, width, members, left):  # type: ignore[no-untyped-def]  # numba infers the types
    """Keep the bounds of a tile of the rows `members` and of columns from `left` on in the lists of its rows."""
    rows, columns = tile.shape
    for i in range(rows):
        row = members[i]
        for begin in range(0, columns, _PIECE):
            piece, least = tile[i, begin : begin + _PIECE], worst[row]
            hits = 0
            for c in range(np.uint64(len(piece))):
                hits += piece[c] < least
            if hits:
                for c in range(len(piece)):
                    if piece[c] < worst[row]:
                        _keep(values, items, worst, width, row, piece[c], left + begin + c)


@compiled
def keep_both(tile, values, items, worst, width, top, left):  # type: ignore[no-untyped-def]  # numba infers the types
    """Do as `keep_rows` for rows from `top` on, also for the lists of the columns: all are points of one set."""
    rows, columns = tile.shape
    for i in range(rows):
        for begin in range(0, columns, _PIECE):
            piece, least = tile[i, begin : begin + _PIECE], worst[top + i]
            others = worst[left + begin : left + begin + len(piece)]
            hits = 0
            for c in range(np.uint64(len(piece))):
                hits += (piece[c] < least) | (piece[c] < others[c])
            if hits:
                for c in range(len(piece)):
                    if piece[c] < worst[top + i]:
                        _keep(values, items, worst, width, top + i, piece[c], left + begin + c)
                    if piece[c] < others[c]:
                        _keep(values, items, worst, width, left + begin + c, piece[c], top + i)


@compiled
def list_within(tile, row_limits, column_limits, row, column, count):  # type: ignore[no-untyped-def]  # numba infers the types
    """List the entries of a tile up to the limit of their row or of their column, and count them."""
    rows, columns = tile.shape
    found = 0
    for i in range(rows):
        limit = row_limits[i]
        for begin in range(0, columns, _PIECE):
            piece, limits = tile[i, begin : begin + _PIECE], column_limits[begin : begin + _PIECE]
            hits = 0
            for c in range(np.uint64(len(piece))):
                hits += (piece[c] <= limit) | (piece[c] <= limits[c])
            if hits:
                for c in range(len(piece)):
                    if piece[c] <= limit or piece[c] <= limits[c]:
                        row[found], column[found] = i, begin + c
                        found += 1
    count[0] = found
