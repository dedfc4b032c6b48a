"""A lazy k-d tree of bounding boxes, and pairs of boxes that cover all pairs of positions.

A node is a contiguous range of a permutation of the points, with the bounding box of that range. A split cuts
the widest side at its midpoint, which separates discrete coordinates (labels) exactly and leaves no half empty.
Children are computed on demand, many nodes at a time: a level of the tree takes a few vectorised passes over its
points.

The cells of pairs of boxes are enumerated one range at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.compiled import slices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator

    from lpgraph._utils.types import Array, Integers


def ranges(starts: Integers, counts: Integers) -> Integers:
    """Return the concatenation of ``arange(start, start + count)``; every count is positive."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1]) + np.repeat(starts - ends + counts, counts)


class BoxTree:
    """The tree over points (n, p).

    Attributes
    ----------
    points : ndarray of shape (n, p)
        The points, reordered in place when nodes are split; a node is always a contiguous range.
    order : ndarray of shape (n,)
        The row of each of `points` in the input.
    start, stop : ndarray of shape (nodes,)
        The range of each node; node 0 is the root.
    lo, hi : ndarray of shape (nodes, p)
        The tight box of each node.
    width : ndarray of shape (nodes,)
        The widest side of each box; 0 when the node cannot be split.
    """

    def __init__(self, points: Array) -> None:
        self.points = np.array(points, dtype=np.float64, order="C")
        self.order: Integers = np.arange(len(points))
        self.start: Integers = np.zeros(1, dtype=np.intp)
        self.stop: Integers = np.full(1, len(points), dtype=np.intp)
        self.lo: Array = self.points.min(axis=0)[None]
        self.hi: Array = self.points.max(axis=0)[None]
        self.width: Array = (self.hi - self.lo).max(axis=1)
        self._left: Integers = np.full(1, -1, dtype=np.intp)

    def size(self, nodes: Integers) -> Integers:
        """Return the number of points in each of `nodes`."""
        return self.stop[nodes] - self.start[nodes]

    def range(self, node: np.intp) -> slice:
        """Return the points in a node."""
        return slice(self.start[node], self.stop[node])

    def children(self, nodes: Integers) -> tuple[Integers, Integers]:
        """Return the left and the right child of each of `nodes`, which all have positive width."""
        missing = np.unique(nodes[self._left[nodes] < 0])
        if len(missing):
            self._split(missing)
        left = self._left[nodes]
        return left, left + 1

    def _split(self, nodes: Integers) -> None:
        start, stop = self.start[nodes], self.stop[nodes]
        count = stop - start
        axis = np.argmax(self.hi[nodes] - self.lo[nodes], axis=1)
        lo, hi = self.lo[nodes, axis], self.hi[nodes, axis]
        middle = lo / 2 + hi / 2
        # Keep the cut in [lo, hi) despite rounding, so that both halves have a point.
        middle = np.where((middle >= lo) & (middle < hi), middle, lo)

        where = ranges(start, count)
        on_right = self.points[where, np.repeat(axis, count)] > np.repeat(middle, count)
        n_right = np.add.reduceat(on_right, np.cumsum(count) - count, dtype=np.intp)
        cut = stop - n_right
        target = np.concatenate([ranges(start, count - n_right), ranges(cut, n_right)])
        source = np.concatenate([where[~on_right], where[on_right]])
        points = self.points[source]
        self.points[target], self.order[target] = points, self.order[source]

        sizes = np.concatenate([count - n_right, n_right])
        offsets = np.cumsum(sizes) - sizes
        # Column by column: reduceat on an (n, p) array would make one call per row.
        box_lo, box_hi = (
            np.stack([extreme.reduceat(column, offsets) for column in points.T], axis=1)
            for extreme in (np.minimum, np.maximum)
        )

        self._left[nodes] = len(self.start) + 2 * np.arange(len(nodes))
        self._left = np.concatenate([self._left, np.full(2 * len(nodes), -1)])
        # The children of a node follow each other.
        self.start = np.concatenate([self.start, np.column_stack([start, cut]).ravel()])
        self.stop = np.concatenate([self.stop, np.column_stack([cut, stop]).ravel()])
        place = np.arange(2 * len(nodes)).reshape(2, -1).T.ravel()
        self.lo = np.concatenate([self.lo, box_lo[place]])
        self.hi = np.concatenate([self.hi, box_hi[place]])
        self.width = np.concatenate([self.width, (box_hi - box_lo).max(axis=1)[place]])


def split_pairs(
    tree_a: BoxTree, tree_b: BoxTree, a: Integers, b: Integers, *, unordered: bool
) -> tuple[Integers, Integers]:
    """Replace pairs of nodes by pairs of smaller nodes that cover the same cells once.

    Parameters
    ----------
    tree_a, tree_b : BoxTree
        The trees of the rows and of the columns; the same object for a square matrix.
    a, b : ndarray of shape (k,)
        The pairs; at least one node of each has positive width.
    unordered : bool
        Whether a node paired with itself represents its unordered pairs of points.
    """
    same = (a == b) if unordered else np.zeros(len(a), dtype=bool)
    wide_a = ~same & (tree_a.width[a] >= tree_b.width[b])
    wide_b = ~same & ~wide_a
    left, right = tree_a.children(a[same])
    rows = [left, left, right, *tree_a.children(a[wide_a]), a[wide_b], a[wide_b]]
    columns = [left, right, right, b[wide_a], b[wide_a], *tree_b.children(b[wide_b])]
    return np.concatenate(rows), np.concatenate(columns)


class Copies:
    """Item k repeated counts[k] times, for all k.

    Parameters
    ----------
    counts : ndarray of shape (k,)
    tree_a, tree_b : BoxTree
    a, b : ndarray of shape (k,)
        Item k is a pair of boxes: node a[k] of the tree of the rows, and node b[k] of that of the columns.
    """

    def __init__(self, counts: Integers, tree_a: BoxTree, tree_b: BoxTree, a: Integers, b: Integers) -> None:
        self.ends = np.cumsum(counts, dtype=np.int64)
        self.starts = self.ends - counts
        self.boxes = tree_a.start[a], tree_b.start[b], tree_a.size(a), tree_b.size(b)

    def parts(self, size: int) -> Iterator[slice]:
        """Return the ranges of at most `size` copies."""
        return slices(int(self.ends[-1]) if len(self.ends) else 0, size)

    def cells(self, part: slice) -> tuple[Integers, Integers, Integers]:
        """Return items, rows and columns of some copies; an item's copies are its cells in order."""
        k = self._items(part)
        start_a, start_b, _, n_b = self.boxes
        i, j = np.divmod(np.arange(part.start, part.stop) - self.starts[k], n_b[k])
        return k, i + start_a[k], j + start_b[k]

    def thrown(self, part: slice, rng: Generator) -> tuple[Integers, Integers, Integers]:
        """Return items, rows and columns of some copies, each at a uniform cell."""
        k = self._items(part)
        start_a, start_b, n_a, n_b = self.boxes
        i = (rng.random(len(k)) * n_a.take(k)).astype(np.intp) + start_a.take(k)
        j = (rng.random(len(k)) * n_b.take(k)).astype(np.intp) + start_b.take(k)
        return k, i, j

    def _items(self, part: slice) -> Integers:
        """Return the items of some copies."""
        first, last = self.ends.searchsorted([part.start, part.stop - 1], side="right")
        counts = np.diff(self.ends[first:last], prepend=part.start, append=part.stop)
        return np.repeat(np.arange(first, last + 1), counts)
