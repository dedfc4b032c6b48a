"""Enumeration of the cells of pairs of boxes, one range of cells at a time.

Compiled loops enumerate many cells, numpy few; the cells and their order are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._compiled import available, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Index = NDArray[np.intp]

__all__ = ["Copies"]

#: Number of copies below which importing numba would cost more time than it saves.
WORTHWHILE = 4_000_000


class Copies:
    """Item k repeated counts[k] times, for all k.

    Parameters
    ----------
    counts : ndarray of shape (k,)
    start_a, start_b, n_a, n_b : ndarray of shape (k,)
        Item k is a pair of boxes: n_a[k] rows from start_a[k] on, and n_b[k] columns from start_b[k] on.

    Attributes
    ----------
    many : bool
        Whether compiled loops are used.
    """

    def __init__(self, counts: Index, start_a: Index, start_b: Index, n_a: Index, n_b: Index) -> None:
        self.ends = np.cumsum(counts, dtype=np.int64)
        self.boxes = start_a, start_b, n_a, n_b
        self.total = int(self.ends[-1]) if len(self.ends) else 0
        self.many = self.total >= WORTHWHILE and available()

    def cuts(self, size: int) -> list[tuple[int, int]]:
        """Return the ranges of at most `size` copies."""
        return [(begin, min(begin + size, self.total)) for begin in range(0, self.total, size)]

    def cells(self, begin: int, end: int) -> tuple[Index, Index, Index]:
        """Return items, rows and columns of copies begin ... end - 1; an item's copies are its cells in order."""
        first = int(self.ends.searchsorted(begin, side="right"))
        if self.many:
            k, i, j = np.empty((3, end - begin), dtype=np.intp)
            _cells(self.ends, *self.boxes, begin, first, k, i, j)
            return k, i, j
        k, rank = self._items(begin, end, first)
        start_a, start_b, _, n_b = self.boxes
        i, j = np.divmod(rank, n_b[k])
        i += start_a[k]
        j += start_b[k]
        return k, i, j

    def thrown(self, begin: int, end: int, u: Array, v: Array) -> tuple[Index, Index, Index]:
        """Return items, rows and columns of copies begin ... end - 1, at cells given by uniform numbers u, v."""
        first = int(self.ends.searchsorted(begin, side="right"))
        if self.many:
            k, i, j = np.empty((3, end - begin), dtype=np.intp)
            _thrown(self.ends, *self.boxes, begin, first, u, v, k, i, j)
            return k, i, j
        k, _ = self._items(begin, end, first)
        start_a, start_b, n_a, n_b = self.boxes
        i = start_a[k] + (u * n_a[k]).astype(np.intp)
        j = start_b[k] + (v * n_b[k]).astype(np.intp)
        return k, i, j

    def _items(self, begin: int, end: int, first: int) -> tuple[Index, Index]:
        """Return the items of copies begin ... end - 1, and the rank of each copy within its item."""
        last = int(self.ends.searchsorted(end - 1, side="right"))
        ends = self.ends[first : last + 1]
        starts = np.concatenate([[self.ends[first - 1] if first else 0], ends[:-1]])
        inside = np.minimum(ends, end) - np.maximum(starts, begin)
        item = np.repeat(np.arange(first, last + 1), inside)
        return item, np.arange(begin, end) - np.repeat(starts, inside)


@compiled
def _cells(ends, start_a, start_b, n_a, n_b, begin, first, k, i, j):  # type: ignore[no-untyped-def]  # typed by numba
    item = first
    rank = begin - (ends[item - 1] if item > 0 else 0)
    row = rank // n_b[item]
    column = rank - row * n_b[item]
    for t in range(len(k)):
        while begin + t >= ends[item]:
            item += 1
            row = column = 0
        if column == n_b[item]:
            row, column = row + 1, 0
        k[t], i[t], j[t] = item, start_a[item] + row, start_b[item] + column
        column += 1


@compiled
def _thrown(ends, start_a, start_b, n_a, n_b, begin, first, u, v, k, i, j):  # type: ignore[no-untyped-def]  # typed by numba
    item = first
    for t in range(len(k)):
        while begin + t >= ends[item]:
            item += 1
        k[t] = item
        i[t] = start_a[item] + np.int64(u[t] * n_a[item])
        j[t] = start_b[item] + np.int64(v[t] * n_b[item])
