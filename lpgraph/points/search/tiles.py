"""Searches of tiles of lower bounds, in threads: the smallest of each row, or all up to a limit."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lpgraph._progress import tell
from lpgraph._slices import slices
from lpgraph._threads import blas_alone, in_threads, thread_count
from lpgraph.points.search.lower_bounds import Frame, Lists, Rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    Limits: TypeAlias = Callable[[slice], NDArray[Any]]
    Found: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]

__all__ = ["HEIGHT", "Job", "Plan", "all_columns", "cut", "smallest", "smallest_own", "within"]

#: Rows and columns of a tile: with the lists of its points, it stays in a core's cache. Factors of a thread have
#: ``_TOGETHER * HEIGHT + WIDTH`` rows; twice the width is not faster.
HEIGHT, WIDTH = 256, 512

#: A list has this many more points than are wanted, because bounds may put points in another order.
_EXTRA = 7

#: Sets of rows that are compared with a set of columns before the next: their factors are kept for so long.
_TOGETHER = 8

#: Rows and a slice of columns to compare, at most ``HEIGHT * WIDTH`` pairs.
Job: TypeAlias = tuple[NDArray[np.intp], slice]

#: Pieces of work for threads; all jobs of a row are in one piece.
Plan: TypeAlias = Sequence[Sequence[Job]]

_log = logging.getLogger("lpgraph.points")


def all_columns(m: int, *columns: slice) -> Plan:
    """Return the plan that compares m rows with slices of columns."""
    height, everyone = max(16, min(HEIGHT, -(-m // thread_count()))), np.arange(m)
    return [_crossed([everyone[part]], columns) for part in slices(m, height)]


def smallest(frame: Frame, rows: Rows, count: int, plan: Plan) -> Lists:
    """Return for every row the columns of its smallest bounds, `count` of them wanted."""
    from lpgraph.points.search.tile_loops import keep_rows  # it imports numba

    heaps = _Heaps(frame, len(rows.squares), count)

    def work(low: int, high: int) -> None:
        for piece in range(low, high):
            for (members, columns), tile in _tiles(frame, rows, plan[piece]):
                keep_rows(tile, *heaps.state, members, columns.start)

    with blas_alone():
        in_threads(work, range(len(plan) + 1))
    return heaps.lists(frame, rows.squares, count)


def smallest_own(frame: Frame, count: int) -> Lists:
    """Do as `smallest` for the training points as rows, in the order of the columns; each tile serves both."""
    from lpgraph.points.search.tile_loops import keep_both, keep_rows  # it imports numba

    rows = frame.own_rows()
    n = len(rows.squares)
    heaps = _Heaps(frame, n, count)
    # In a round each block meets one other, so that no two threads write to the same lists.
    many = 2 * max(1, min(max(8, 2 * thread_count()), n // (2 * HEIGHT)))
    edges = np.linspace(0, n, many + 1).astype(int).tolist()
    everyone = np.arange(n)
    blocks = [slice(*ends) for ends in pairwise(edges)]

    def jobs(one: slice, other: slice) -> list[Job]:
        return _crossed([everyone[part] for part in cut(one, HEIGHT)], [other])

    def alone(low: int, high: int) -> None:
        for block in blocks[low:high]:
            for (members, columns), tile in _tiles(frame, rows, jobs(block, block)):
                keep_rows(tile, *heaps.state, members, columns.start)

    def meet(pairs: Sequence[tuple[int, int]], low: int, high: int) -> None:
        for one, other in pairs[low:high]:
            for (members, columns), tile in _tiles(frame, rows, jobs(blocks[one], blocks[other])):
                keep_both(tile, *heaps.state, int(members[0]), columns.start)

    with blas_alone():
        in_threads(alone, range(many + 1))
        for done, pairs in enumerate(_rounds(many)):
            tell(_log, "nearest neighbors of %d points", n, of=(done, many - 1))
            in_threads(partial(meet, pairs), range(many // 2 + 1))
    return heaps.lists(frame, rows.squares, count)


def within(
    frame: Frame, rows: Rows, plan: Plan, row_limits: NDArray[Any] | None, column_limits: Limits | None
) -> Iterator[Found]:
    """Yield rows and columns whose bound is at most the limit of the row or that of the column.

    `column_limits` gives the limits of a slice of columns, in the frame's precision; `row_limits` are doubles.
    """
    from lpgraph.points.search.tile_loops import list_within  # it imports numba

    of_rows = np.full(len(rows.squares), -np.inf) if row_limits is None else row_limits
    none = np.full(HEIGHT * WIDTH, -np.inf, dtype=frame.dtype)
    found: list[list[Found]] = [[] for _ in plan]

    def work(low: int, high: int) -> None:
        row, column = np.empty((2, HEIGHT * WIDTH), dtype=np.int32)
        count = np.zeros(1, dtype=np.intp)
        for piece in range(low, high):
            for (members, columns), tile in _tiles(frame, rows, plan[piece]):
                limits = none[: tile.shape[1]] if column_limits is None else column_limits(columns)
                list_within(tile, of_rows[members], limits, row, column, count)
                if count[0]:
                    some = slice(0, int(count[0]))
                    found[piece].append((members[row[some]], column[some].astype(np.intp) + columns.start))

    with blas_alone():
        in_threads(work, range(len(plan) + 1))
    return (one for piece in found for one in piece)


class _Heaps:
    """The lists while they are filled: the arguments of the compiled loops."""

    def __init__(self, frame: Frame, rows: int, count: int) -> None:
        width = min(count + _EXTRA, len(frame.points))
        values = np.full(rows * width, np.inf, dtype=frame.dtype)
        items = np.full(rows * width, -1, dtype=np.int32)
        self.state = values, items, np.full(rows, np.inf, dtype=frame.dtype), width

    def lists(self, frame: Frame, squares: NDArray[np.float64], count: int) -> Lists:
        """Return the lists, judged."""
        values, items, _, width = self.state
        return frame.lists(values.reshape(-1, width), items.reshape(-1, width), squares, count)


def _tiles(frame: Frame, rows: Rows, jobs: Sequence[Job]) -> Iterator[tuple[Job, NDArray[Any]]]:
    """Yield every job with its bounds; they are overwritten by the next."""
    memory = np.empty(HEIGHT * WIDTH, dtype=frame.dtype)
    lefts: dict[int, NDArray[Any]] = {}
    for columns, some in groupby(jobs, key=itemgetter(1)):
        right = frame.right(columns)
        for job in some:
            members = job[0]
            if id(members) not in lefts:
                if len(lefts) == _TOGETHER:
                    lefts.clear()
                lefts[id(members)] = rows.left(members)
            left = lefts[id(members)]
            tile = memory[: len(left) * len(right)].reshape(len(left), len(right))
            yield job, np.matmul(left, right.T, out=tile)
        del right  # before the next is made


def _crossed(rows: Sequence[NDArray[np.intp]], columns: Sequence[slice]) -> list[Job]:
    """Return the jobs that compare rows with columns, in an order in which factors are used again soon."""
    return [
        (members, some)
        for part in slices(len(rows), _TOGETHER)
        for one in columns
        for some in cut(one)
        for members in rows[part]
    ]


def cut(whole: slice, width: int = WIDTH) -> list[slice]:
    """Return slices of at most `width` items that cover a slice."""
    first = whole.start
    return [slice(first + part.start, first + part.stop) for part in slices(whole.stop - first, width)]


def _rounds(many: int) -> Iterator[list[tuple[int, int]]]:
    """Yield the rounds of a tournament of an even number of players: in each, every player meets another."""
    last = many - 1
    for r in range(last):
        yield [(r, last), *(((r + q) % last, (r - q) % last) for q in range(1, many // 2))]
