"""Pairs of near points by lower bounds of squared distances, which products of matrices give in tiles.

``|x - y|^2 = |x|^2 + |y|^2 - 2 <x, y>`` is the product of ``(-2 x, |x|^2, 1)`` and ``(y, 1, |y|^2)``. Squared
norms are reduced by the largest rounding error `gamma`, so that the product is a lower bound; an upper bound is
larger by ``2 gamma (|x|^2 + |y|^2)``. Single precision is twice as fast, and decides for most points.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lpgraph._utils.compiled import blas_alone, compiled, in_threads, slices, thread_count

from .metric import SLACK, WORK
from .rows import blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from lpgraph._utils.checks import Numbers
    from lpgraph._utils.types import Array, Flags, Integers

    Floats: TypeAlias = NDArray[np.floating]
    Found: TypeAlias = tuple[Integers, Integers]

#: Groups of rows, each with the pieces of columns that it is compared with.
Plan: TypeAlias = "Sequence[tuple[Integers, Sequence[slice]]]"

#: Rows and columns of a tile, at most: with the lists of its points, it stays in a core's cache.
_HEIGHT, WIDTH = 256, 512
#: Bytes of factors that are kept (256 MB); more are computed tile by tile.
_KEPT = 1 << 28
#: A list has this many more points than are wanted, because bounds may put points in another order.
_EXTRA = 7
#: Bounds that are compared at a time, without branches, so that vector registers are used; hits are rare.
_PIECE = 64
#: Points of which the centre is the median.
_SAMPLE = 1000


class Tiles:
    """Training points in some order, whose products with others are bounds, in single or double precision."""

    def __init__(self, points: Numbers, order: Integers, dtype: type[np.float32 | np.float64]) -> None:
        self.points, self.order, self.dtype, number = points, order, np.dtype(dtype), np.finfo(dtype)
        #: The largest error of a product, relative to the sum of two squared norms.
        self.gamma = float(4 * (points.shape[1] + 16) * number.eps)
        #: More than the error of numbers that are too small for the precision's full number of digits.
        self.tiny = 1e8 * float(number.tiny)
        #: Squared norms up to which products do not overflow.
        self.large = 0.01 * float(number.max)

    @cached_property
    def centre(self) -> Array:
        """The median of some points: bounds are sharpest for points close to it."""
        looked = np.unique(np.linspace(0, len(self.points) - 1, _SAMPLE).astype(np.intp))
        return np.median(self.points[looked].astype(np.float64), axis=0)

    @cached_property
    def squares(self) -> Array:
        """The squared norms of the training points."""
        return self._squares(self.points)

    def _squares(self, points: Numbers) -> Array:
        result = np.empty(len(points))
        with np.errstate(over="ignore"):
            for part in blocks(points):
                shifted = self._shifted(points[part])
                np.einsum("ij,ij->i", shifted, shifted, out=result[part])
        return result

    def _shifted(self, points: Numbers) -> Array:
        return points - self.centre

    def _right(self, points: Numbers) -> Floats:
        """Return the factors of columns, of shape (k, p + 2)."""
        p, shifted = points.shape[1], self._shifted(points)
        result = np.empty((len(points), p + 2), dtype=self.dtype)
        result[:, :p], result[:, p] = shifted, 1.0
        result[:, p + 1] = (1 - self.gamma) * np.einsum("ij,ij->i", shifted, shifted)
        return result

    @cached_property
    def _kept(self) -> Floats | None:
        """The factors of all columns, if they are few enough."""
        if self.points.size * self.dtype.itemsize > _KEPT:
            return None
        result = np.empty((len(self.points), self.points.shape[1] + 2), dtype=self.dtype)
        for part in blocks(self.points):
            result[part] = self._right(self.points[self.order[part]])
        return result

    def _factors(self, columns: slice) -> Floats:
        """Return the factors of some columns."""
        return self._right(self.points[self.order[columns]]) if self._kept is None else self._kept[columns]

    def _left(self, points: Numbers) -> Floats:
        """Return the factors of rows."""
        result, p = self._right(points), points.shape[1]
        result[:, p] = result[:, p + 1]
        result[:, p + 1] = 1.0
        result[:, :p] *= -2
        return result

    def _each(self, points: Numbers, plan: Plan, use: Callable[[Integers, Integers, Floats], None]) -> None:
        """Call `use` with rows of `points`, training points and their lower bounds, for every tile, in threads."""

        @np.errstate(over="ignore", invalid="ignore")  # of points too far away for single precision
        def work(t: int, _: int) -> None:
            (rows, pieces), memory = plan[t], np.empty(_HEIGHT * WIDTH, dtype=self.dtype)
            left = self._left(points[rows])
            for piece in pieces:
                right = self._factors(piece)
                for part in slices(len(rows), _HEIGHT):
                    tile = memory[: len(rows[part]) * len(right)].reshape(-1, len(right))
                    use(rows[part], self.order[piece], np.matmul(left[part], right.T, out=tile))

        with blas_alone():
            in_threads(work, range(len(plan) + 1))

    def nearest(self, points: Numbers, count: int, plan: Plan) -> tuple[Integers, Integers, Flags]:
        """Return rows and columns of the smallest bounds, `count` of each row wanted, and which rows are certain.

        The pairs include all nearest points of the rows that are certain.
        """
        m, width = len(points), min(count + _EXTRA, len(self.points))
        values = np.full((m, width), np.inf, self.dtype)
        items, worst = np.full((m, width), -1, dtype=np.int32), np.full(m, np.inf, self.dtype)
        self._each(points, plan, lambda *tile: _keep(*tile, values, items, worst))
        limits, wanted, squares = np.empty(m), np.zeros(values.shape, dtype=bool), self._squares(points)
        for part in slices(m, WORK // (16 * width)):
            lower = np.where(np.isfinite(values[part]), values[part], np.inf)
            limits[part] = self._limits(lower, squares[part], items[part], count)
            wanted[part] = values[part] <= limits[part, None]
        # A list that is not full contains every column.
        certain = (limits < values.max(axis=1)) & np.isfinite(limits) & (squares <= self.large)
        row, place = np.nonzero(wanted & certain[:, None])
        return row, items[row, place].astype(np.intp), certain

    def _limits(self, lower: Floats, squares: Array, items: NDArray[np.integer], count: int) -> Array:
        """Return a bound of the squared distances of the `count` nearest items of each row."""
        upper = lower + 2 * self.gamma * (squares[:, None] + self.squares[items]) + self.tiny
        return np.partition(upper, count - 1, axis=1)[:, count - 1] * (1 + 4 * SLACK)

    def of_few(self, points: Numbers, count: int, plan: Plan, radii: Array | None) -> list[Found]:
        """Do as `nearest` and `within` together for few rows, without compiled loops."""
        found: list[Found] = []
        reach = np.full(len(self.points), -np.inf) if radii is None else radii**2 * (1 + 4 * SLACK) + self.tiny

        def work(t: int, _: int) -> None:
            group, pieces = plan[t]
            columns = np.concatenate([self.order[piece] for piece in pieces])
            for part in slices(len(group), WORK // (3 * len(columns) * thread_count())):
                rows, limits = group[part], reach[columns]
                left = self._left(points[rows])
                lower = np.hstack([left @ self._factors(piece).T for piece in pieces])
                if count:
                    nearest = self._limits(lower, self._squares(points[rows]), columns, count)
                    limits = np.maximum(limits, nearest[:, None])
                row, column = np.nonzero(lower <= limits)
                found.append((rows[row], columns[column]))

        with blas_alone():
            in_threads(work, range(len(plan) + 1))
        return found

    def within(self, points: Numbers, plan: Plan, radii: Array) -> list[Found]:
        """Return rows and columns whose bound is at most the squared radius of the column."""
        with np.errstate(over="ignore"):
            squares = np.where(radii < 0, -np.inf, radii**2) * (1 + 4 * SLACK) + self.tiny
            limits = np.nextafter(squares.astype(self.dtype), self.dtype.type(np.inf))  # rounded upwards
        found: list[Found] = []

        def add(rows: Integers, columns: Integers, tile: Floats) -> None:
            row, column = np.nonzero(~(tile > limits[columns]))  # also those that overflowed
            found.append((rows[row], columns[column]))

        self._each(points, plan, add)
        return found


@compiled
def _keep(rows, columns, tile, values, items, worst):  # type: ignore[no-untyped-def]  # typed by numba
    """Keep the smallest bounds of a tile in the lists of its rows.

    Each list is a heap of bounds, the largest of them in front and in `worst`.
    """
    width = values.shape[1]
    for i in range(tile.shape[0]):
        row = rows[i]
        for begin in range(0, tile.shape[1], _PIECE):
            piece, least = tile[i, begin : begin + _PIECE], worst[row]
            hits = 0
            for c in range(np.uint64(len(piece))):
                hits += piece[c] < least
            if not hits:
                continue
            heap, names = values[row], items[row]
            for c in range(len(piece)):
                if piece[c] >= heap[0]:
                    continue
                # Put the bound in the place of the largest.
                place = 0
                while 2 * place + 1 < width:
                    below = 2 * place + 1
                    if below + 1 < width and heap[below + 1] > heap[below]:
                        below += 1
                    if heap[below] <= piece[c]:
                        break
                    heap[place], names[place] = heap[below], names[below]
                    place = below
                heap[place], names[place] = piece[c], columns[begin + c]
            worst[row] = heap[0]
