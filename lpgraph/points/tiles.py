"""Pairs of near points by lower bounds of squared distances, which products of matrices give in tiles.

``|x - y|^2 = |x|^2 + |y|^2 - 2 <x, y>`` is the product of ``(-2 x, |x|^2, 1)`` and ``(y, 1, |y|^2)``. Squared
norms are reduced by the largest rounding error `gamma`, so that the product is a lower bound; an upper bound is
larger by ``2 gamma (|x|^2 + |y|^2)``. Single precision is twice as fast, and decides for most points.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from lpgraph._utils.compiled import blas_alone, compiled, in_threads, slices, thread_count
from lpgraph.points.metric import SLACK, WORK
from lpgraph.points.rows import blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from lpgraph._utils.checks import Numbers
    from lpgraph.points.rows import Array

    Index: TypeAlias = NDArray[np.intp]
    Floats: TypeAlias = NDArray[np.floating]
    Found: TypeAlias = tuple[Index, Index]

#: Rows and columns of a tile: with the lists of its points, it stays in a core's cache.
_HEIGHT, _WIDTH = 256, 512
#: Bytes of factors that are kept (256 MB); more are computed tile by tile.
_KEPT = 1 << 28
#: A list has this many more points than are wanted, because bounds may put points in another order.
_EXTRA = 7
#: Bounds that are compared at a time, without branches, so that vector registers are used; hits are rare.
_PIECE = 64
#: Successive points that stay together in a random order, because files are read in runs.
_RUN = 16
#: Points of which the centre is the median.
_SAMPLE = 1000


class Plan(NamedTuple):
    """Which columns are compared with rows: groups of rows, and the places in a group with their columns."""

    groups: Sequence[Index]
    jobs: Callable[[Index], Sequence[tuple[Index | slice, Index]]]


def against(groups: Sequence[Index], columns: Index) -> Plan:
    """Return the plan that compares all rows with all columns."""
    return Plan(groups, lambda _: [(slice(None), columns)])


class _Lists(NamedTuple):
    """Pairs that include all nearest points of the rows that are `certain`, and squared limits of all rows."""

    row: Index
    column: Index
    limits: Array
    certain: NDArray[np.bool_]


class Tiles:
    """Training points whose products with other points are bounds, in single or double precision."""

    def __init__(self, points: Numbers, dtype: type[np.float32 | np.float64]) -> None:
        self.points, self.dtype, number = points, np.dtype(dtype), np.finfo(dtype)
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
        return np.asarray(np.median(self.points[looked].astype(np.float64), axis=0))

    @cached_property
    def order(self) -> Index:
        """A random order of the training points, in which few enter a list and leave it again."""
        starts = np.random.default_rng(0).permutation(-(-len(self.points) // _RUN)) * _RUN
        order: Index = (starts[:, None] + np.arange(_RUN)).ravel()
        return order[order < len(self.points)]

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
        return np.asarray(points - self.centre)

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
            result[part] = self._right(self.points[part])
        return result

    def _left(self, points: Numbers) -> Floats:
        """Return the factors of rows."""
        result, p = self._right(points), points.shape[1]
        result[:, p] = result[:, p + 1]
        result[:, p + 1] = 1.0
        result[:, :p] *= -2
        return result

    def _tiles(self, points: Numbers, plan: Plan) -> Iterator[tuple[Index, Index, Floats]]:
        """Yield rows of `points`, columns and their lower bounds, which the next overwrite."""
        memory = np.empty(_HEIGHT * _WIDTH, dtype=self.dtype)
        with np.errstate(over="ignore", invalid="ignore"):  # of points too far away for single precision
            for group in plan.groups:
                left = self._left(points[group])
                for places, columns in plan.jobs(group):
                    mine, rows = left[places], group[places]
                    for across in slices(len(columns), _WIDTH):
                        some = columns[across]
                        right = self._right(self.points[some]) if self._kept is None else self._kept[some]
                        for part in slices(len(rows), _HEIGHT):
                            tile = memory[: len(rows[part]) * len(right)].reshape(-1, len(right))
                            yield rows[part], some, np.matmul(mine[part], right.T, out=tile)

    def smallest(self, points: Numbers, count: int, plan: Plan) -> _Lists:
        """Return for every point the training points of its smallest bounds, `count` of them wanted."""
        lists = self._empty_lists(len(points), count)

        def work(low: int, high: int) -> None:
            for rows, columns, tile in self._tiles(points, Plan(plan.groups[low:high], plan.jobs)):
                _keep(tile, rows, columns, lists, False)

        with blas_alone():
            in_threads(work, range(len(plan.groups) + 1))
        values, items, _, width = lists
        return self._judged(values.reshape(-1, width), items.reshape(-1, width), self._squares(points), count)

    def smallest_own(self, count: int) -> _Lists:
        """Do as `smallest` for the training points; each tile serves both its rows and its columns."""
        n = len(self.points)
        lists = self._empty_lists(n, count)
        # In a round each block meets one other, so that no two threads write to the same lists.
        many = 2 * max(1, min(max(8, 2 * thread_count()), n // (2 * _HEIGHT)))
        ends, place = np.linspace(0, n, many + 1).astype(int), np.argsort(self.order)

        def meet(pairs: Sequence[tuple[int, int]], low: int, high: int) -> None:
            for one, other in pairs[low:high]:
                rows, columns = (self.order[ends[b] : ends[b + 1]] for b in (one, other))
                for some, others, tile in self._tiles(self.points, against([rows], columns)):
                    _keep(tile, place[some], place[others], lists, one != other)

        with blas_alone():
            for pairs in _rounds(many):
                in_threads(partial(meet, pairs), range(len(pairs) + 1))
        values, items, _, width = lists
        found = np.append(self.order, -1)[items.reshape(-1, width)[place]]
        return self._judged(values.reshape(-1, width)[place], found, self.squares, count)

    def bounds(self, points: Numbers) -> tuple[Array, Array]:
        """Return lower and upper bounds of the squared distances of all pairs, in double precision."""
        right = self._right(self.points) if self._kept is None else self._kept
        lower: Array = self._left(points) @ right.T
        upper = self._squares(points)[:, None] + self.squares
        upper *= 2 * self.gamma
        upper += lower
        return lower, upper

    def within(self, points: Numbers, plan: Plan, limits: Array, radii: Array) -> list[Found]:
        """Return rows and columns whose bound is at most the squared limit of the row or radius of the column."""
        with np.errstate(over="ignore"):
            row_limits = self._up(limits)
            column_limits = self._up(np.where(radii < 0, -np.inf, radii**2))
        found: list[Found] = []

        def work(low: int, high: int) -> None:
            for rows, columns, tile in self._tiles(points, Plan(plan.groups[low:high], plan.jobs)):
                beyond = tile > row_limits[rows, None]
                beyond &= tile > column_limits[columns]
                row, column = np.nonzero(~beyond)  # also those that overflowed
                found.append((rows[row], columns[column]))

        with blas_alone():
            in_threads(work, range(len(plan.groups) + 1))
        return found

    def _up(self, squares: Array) -> Floats:
        """Return limits of lower bounds, rounded upwards."""
        limits = (squares * (1 + 4 * SLACK) + self.tiny).astype(self.dtype)
        return np.asarray(np.nextafter(limits, self.dtype.type(np.inf)))

    def _empty_lists(self, rows: int, count: int) -> tuple[Floats, NDArray[np.int32], Floats, int]:
        width = min(count + _EXTRA, len(self.points))
        values, worst = np.full(rows * width, np.inf, self.dtype), np.full(rows, np.inf, self.dtype)
        return values, np.full(rows * width, -1, dtype=np.int32), worst, width

    def _judged(self, values: Floats, items: NDArray[np.integer], squares: Array, count: int) -> _Lists:
        """Return which lists are certain; of several, those entries that may be among the nearest."""
        m = len(values)
        limits, wanted = np.full(m, np.inf), np.zeros(values.shape, dtype=bool)
        for part in slices(m, WORK // (16 * values.shape[1])):
            some = values[part].astype(np.float64)
            most = some + 2 * self.gamma * (squares[part, None] + self.squares[items[part]]) + self.tiny
            most[(items[part] < 0) | ~np.isfinite(some)] = np.inf
            limits[part] = np.partition(most, count - 1, axis=1)[:, count - 1] * (1 + 4 * SLACK)
            wanted[part] = some <= limits[part, None]
        # A list that is not full contains every column.
        certain = (limits < values.max(axis=1)) & np.isfinite(limits) & (squares <= self.large)
        row, place = np.nonzero(wanted & certain[:, None])
        return _Lists(row, items[row, place].astype(np.intp), limits, certain)


def _rounds(many: int) -> Iterator[list[tuple[int, int]]]:
    """Yield the rounds of a tournament of an even number of players: each meets itself, then every other."""
    last = many - 1
    yield [(r, r) for r in range(many)]
    for r in range(last):
        yield [(r, last), *(((r + q) % last, (r - q) % last) for q in range(1, many // 2))]


@compiled
def _keep(tile, rows, columns, lists, both):  # type: ignore[no-untyped-def]  # typed by numba
    """Keep the smallest bounds of a tile in the lists of its rows and, if `both`, of its successive columns.

    Each list is a heap of `width` bounds, the largest of them in front and in `worst`.
    """
    values, items, worst, width = lists

    def put(row: int, value: float, item: int) -> None:
        """Put a bound and its point into the list of `row`, in the place of the largest."""
        front, place = row * width, 0
        while 2 * place + 1 < width:
            below = 2 * place + 1
            if below + 1 < width and values[front + below + 1] > values[front + below]:
                below += 1
            if values[front + below] <= value:
                break
            values[front + place], items[front + place] = values[front + below], items[front + below]
            place = below
        values[front + place], items[front + place] = value, item
        worst[row] = values[front]

    for i in range(tile.shape[0]):
        row = rows[i]
        for begin in range(0, tile.shape[1], _PIECE):
            piece, least = tile[i, begin : begin + _PIECE], worst[row]
            hits = 0
            if both:
                others = worst[columns[begin] : columns[begin] + len(piece)]
                for c in range(np.uint64(len(piece))):
                    hits += (piece[c] < least) | (piece[c] < others[c])
            else:
                for c in range(np.uint64(len(piece))):
                    hits += piece[c] < least
            if hits:
                for c in range(len(piece)):
                    column = columns[begin + c]
                    if piece[c] < worst[row]:
                        put(row, piece[c], column)
                    if both and piece[c] < worst[column]:
                        put(column, piece[c], row)
