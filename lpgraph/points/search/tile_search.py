"""Neighbor search for many coordinates by products in single precision; needs numba."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._cached import cached_property
from lpgraph._slices import slices
from lpgraph.points.metric import WORK, pair_distances
from lpgraph.points.rows import doubles, same_points
from lpgraph.points.search.lower_bounds import Frame, Lists
from lpgraph.points.search.neighbor_pairs import TRIED, Pairs, Reach, collect
from lpgraph.points.search.products import ProductSearch
from lpgraph.points.search.tiles import Plan, all_columns, smallest, smallest_own, within
from lpgraph.points.search.tree import TreeSearch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["TileSearch"]

#: For fewer pairs of points, loading numba takes longer than the search.
_WORTHWHILE = 20_000_000

#: Successive points that stay together in a random order.
_RUN = 64

#: Up to so many coordinates, a tree finds the neighbors of rows for which bounds do not suffice.
_BY_TREE = 24

#: Rows for which double precision does not suffice are compared about one of them, if at least one in so many is
#: closer to it than to the last centre by this factor of squares; so many times.
_FEW, _CLOSER, _CENTRES = 16, 1e-4, 32

#: Points that are looked at to see if single precision suffices.
_LOOK = 256


@dataclass(frozen=True, eq=False)
class TileSearch(ProductSearch):
    """The `Search` for Euclidean distances of many coordinates and many points.

    Points are chosen by lower bounds in single precision, or in double precision where single precision cannot
    tell which are nearest; distances are then computed by subtraction.
    """

    def _near(self, points: Any, count: int, reach: Reach | None) -> Pairs:
        if len(points) * self.n < _WORTHWHILE:
            return super()._near(points, count, reach)
        if count and reach is None and same_points(points, self.points):
            return self._own(count)
        return self._by_plan(points, count, reach)

    def _foreign(self, points: Array, mine: NDArray[np.intp], labels: NDArray[np.intp]) -> Pairs:
        if len(points) * self.n < _WORTHWHILE:
            return super()._foreign(points, mine, labels)
        # With the points of a component in successive columns, those of the others are two slices.
        frame = Frame(self.points, self._frame.dtype, np.lexsort((self._frame.place, labels)))
        ends = np.concatenate(([0], np.cumsum(np.bincount(labels)))).tolist()
        pairs = []
        for label in np.unique(mine).tolist():
            members = np.flatnonzero(mine == label)
            rows = frame.rows(points[members])
            plan = all_columns(len(members), slice(0, ends[label]), slice(ends[label + 1], self.n))
            row, column, rest = _chosen(smallest(frame, rows, 1, plan), frame.order)
            pairs.append(self._pairs(points, members[row], column))
            found = super()._foreign(points[members[rest]], mine[members[rest]], labels)
            pairs.append(found._replace(row=members[rest][found.row]))
        return collect(pairs, self.n)

    def try_out(self, points: Array) -> None:
        """Search the nearest of some points, to measure the time."""
        smallest(self._frame, self._frame.rows(points), TRIED, all_columns(len(points), slice(0, self.n)))

    @cached_property
    def _frame(self) -> Frame:
        """The frame in single precision if this decides for at least half of some points, else in double."""
        single = Frame(self.points, np.dtype(np.float32), self._order)
        looked = self.points[np.unique(np.linspace(0, self.n - 1, _LOOK).astype(np.intp))]
        plan = all_columns(len(looked), slice(0, self.n))
        lists = smallest(single, single.rows(looked), min(TRIED, self.n), plan)
        return single if 2 * lists.certain.sum() >= len(looked) else self._double

    @cached_property
    def _double(self) -> Frame:
        return Frame(self.points, np.dtype(np.float64), self._order)

    @cached_property
    def _tree(self) -> TreeSearch:
        return TreeSearch(self.n, self.form, self.points)

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        # Points that are read for each tile are read in runs, which are in random order.
        run = 1 if Frame(self.points, np.dtype(np.float32), np.arange(0)).is_kept else _RUN
        starts = np.random.default_rng(0).permutation(-(-self.n // run)) * run
        order = (starts[:, None] + np.arange(run)).ravel()
        return order[order < self.n]

    def _plan(self, points: Array, count: int) -> Plan:
        """Return which columns are compared with points, at least `count` with each."""
        return all_columns(len(points), slice(0, self.n))

    def _by_plan(self, points: Array, count: int, reach: Reach | None) -> Pairs:
        """Return the nearest, and all whose radius includes the new point, among the columns of the plan."""
        frame, pairs = self._frame, []
        rows, plan = frame.rows(points), self._plan(points, count)
        if count:
            row, column, rest = _chosen(smallest(frame, rows, count, plan), frame.order)
            pairs += [self._pairs(points, row, column), *self._decided(points, rest, count)]
        if reach is not None:
            radii, back = reach.radii, self.form.back

            def limits(columns: slice) -> NDArray[Any]:
                return frame.upper(back(radii[frame.order[columns]]))

            for row, column in within(frame, rows, plan, None, limits):
                pairs.append(self._pairs(points, row, frame.order[column]))
        return collect(pairs, self.n)

    def _own(self, count: int) -> Pairs:
        frame = self._frame
        row, column, rest = _chosen(smallest_own(frame, count).of(frame.place), frame.order)
        pairs = self._pairs(self.points, row, column)
        return collect([pairs, *self._decided(self.points, rest, count)], self.n)

    def _decided(self, points: Array, rest: NDArray[np.intp], count: int) -> Iterator[Pairs]:
        """Yield the nearest of rows for which single precision did not suffice."""
        frame = self._double
        for part in slices(rest.size, WORK // self.points.shape[1]):
            some = rest[part]
            rows = frame.rows(points[some])
            lists = smallest(frame, rows, count, self._plan(points[some], count))
            row, column, left = _chosen(lists, frame.order)
            yield self._pairs(points, some[row], column)
            if left.size and self.points.shape[1] <= _BY_TREE:
                # Many ties, or distances so small beside coordinates that even these bounds tell nothing.
                found = self._tree.near(points[some[left]], count)
                yield found._replace(row=some[left][found.row])
            elif left.size:
                pairs, still = self._recentred(points, some[left], rows.squares[left], count)
                yield from pairs
                left = left[still]
                plan = self._plan(points[some[left]], count)
                for row, column in within(frame, rows.of(left), plan, lists.limits[left], None):
                    yield self._pairs(points, some[left[row]], frame.order[column])

    def _recentred(
        self, points: Array, rest: NDArray[np.intp], squares: Array, count: int
    ) -> tuple[list[Pairs], NDArray[np.intp]]:
        """Return the nearest of rows that are close together, by bounds about one of them, and the rows left.

        `squares` are the squared norms of the rows, which rounding errors are proportional to.
        """
        pairs, left, squares = [], np.arange(rest.size), squares.copy()
        for _ in range(_CENTRES):
            about = doubles(points[rest[left[len(left) // 2]]])
            differences = points[rest[left]] - about
            now = np.einsum("ij,ij->i", differences, differences)
            close = now <= _CLOSER * squares[left]
            if _FEW * close.sum() < len(left):
                break  # ties, or many groups
            tried, frame = left[close], Frame(self.points, np.dtype(np.float64), self._double.order, about)
            squares[tried] = now[close]
            some = points[rest[tried]]
            row, column, more = _chosen(
                smallest(frame, frame.rows(some), count, self._plan(some, count)), frame.order
            )
            pairs.append(self._pairs(points, rest[tried[row]], column))
            left = np.concatenate((left[~close], tried[more]))
            if not left.size:
                break
        return pairs, left

    def _pairs(self, points: Array, row: NDArray[np.intp], column: NDArray[np.intp]) -> Pairs:
        return Pairs(row, column, self.form.forward(pair_distances(points, row, self.points, column, 2.0)))


def _chosen(lists: Lists, order: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the wanted pairs of rows and training points, in order, and the rows that are not certain."""
    points = np.where(lists.wanted, order[lists.items], len(order))
    points.sort(axis=1)
    wanted = points < len(order)
    return np.nonzero(wanted)[0], points[wanted], np.flatnonzero(~lists.certain)
