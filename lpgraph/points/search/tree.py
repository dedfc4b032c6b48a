"""Neighbor search for few coordinates: a k-d tree, and one tree for each class of similar radii."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, cast

import numpy as np

from lpgraph._cached import cached_property
from lpgraph._slices import slices
from lpgraph._threads import in_threads, thread_count
from lpgraph.points.metric import WORK, pair_distances
from lpgraph.points.rows import same_points
from lpgraph.points.search.neighbor_pairs import SLACK, TRIED, CoordinateSearch, Pairs, Reach, collect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeAlias

    from numpy.typing import NDArray

    Found: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]

    from lpgraph.points.types import Array, Numbers

__all__ = ["TreeSearch"]

#: Points of a leaf: queries take 0.7 of the time that they take with scipy's 10.
_LEAF = 32

#: Largest component for which the nearest point of another is found by a query that includes its own points.
_FEW = 1000


@dataclass(frozen=True, eq=False)
class _Class:
    """Training points of similar radii, and a tree of them."""

    members: NDArray[np.intp]
    tree: Any
    radius: float


@dataclass(frozen=True, eq=False)
class _Classes(Reach):
    """Training points divided into classes of similar radii."""

    norms: Array
    points: Numbers

    @cached_property
    def classes(self) -> list[_Class]:
        """The classes; made when a tree first needs them."""
        return [
            _Class(members, _kd_tree(self.points[members]), float(self.norms[members].max()))
            for members in _by_size(self.norms, self.points.shape[1])
        ]


@dataclass(frozen=True, eq=False)
class TreeSearch(CoordinateSearch):
    """The `Search` for a norm of few coordinates."""

    def reach(self, radii: Array) -> Reach:
        """Divide the training points into classes of similar radii."""
        return _Classes(radii, self.form.back(radii), self.points)

    def near(self, new: Array, count: int, reach: Reach | None = None) -> Pairs:
        """Return the nearest with all ties, and all whose radius includes the new point."""
        points = self._coordinates(new)
        pairs: list[Pairs] = []
        if count:
            pairs.append(self._nearest(points, count))
        if reach is not None:
            limits = reach.radii * (1 + 4 * SLACK)
            for part in cast("_Classes", reach).classes:  # `reach` is what `TreeSearch.reach` returned
                found = self._measure(points, self._within(points, part))
                pairs.extend(some.where(some.distance <= limits[some.column]) for some in found)
        return collect(pairs, self.n)

    def try_out(self, points: Array) -> None:
        """Search the nearest of some points, to measure the time."""
        _query(self._tree, points, np.arange(1, min(TRIED, self.n) + 1), self._norm)

    def foreign(self, new: Array, mine: NDArray[np.intp], labels: NDArray[np.intp]) -> Pairs:
        """Return a nearest training point of another component."""
        points = self._coordinates(new)
        found: list[Found] = []
        sizes = np.bincount(labels)
        for label in np.unique(mine[sizes[mine] > _FEW]):
            # Few components are large, so a tree of all other points is built for each.
            rows, others = np.flatnonzero(mine == label), np.flatnonzero(labels != label)
            column = _query(_kd_tree(self.points[others]), points[rows], 1, self._norm)[1]
            found.append((rows, others[column]))
        # Among the s + 1 nearest of a point in a component of size s, at least one belongs to another component.
        width = np.where(sizes > _FEW, 0, np.exp2(np.ceil(np.log2(sizes + 1.0)))).astype(np.intp)[mine]
        for k in np.unique(width[width > 0]):
            ranks = np.arange(1, min(int(k), self.n) + 1)
            chosen = np.flatnonzero(width == k)
            for part in slices(chosen.size, WORK // (4 * ranks.size)):
                rows = chosen[part]
                column = _query(self._tree, points[rows], ranks, self._norm)[1]
                first = np.argmax(labels[column] != mine[rows, None], axis=1)
                found.append((rows, column[np.arange(rows.size), first]))
        return collect(self._measure(points, found), self.n)

    @cached_property
    def _tree(self) -> Any:
        return _kd_tree(self.points)

    @property
    def _norm(self) -> float:
        return cast("float", self.form.norm)  # `make_search` uses trees only for metrics with a norm

    def _measure(self, points: Array, found: Iterable[Found]) -> Iterator[Pairs]:
        for row, column in found:
            norms = pair_distances(points, row, self.points, column, self._norm)
            yield Pairs(row, column, self.form.forward(norms))

    def _nearest(self, points: Array, count: int) -> Pairs:
        """Return the nearest with all ties, in order of rows and columns."""
        m = len(points)
        # Training points are queried in the order of the tree's leaves, for locality of memory access.
        same = same_points(points, self.points)
        rows = self._tree.indices if same else np.arange(m)
        sizes = np.zeros(m, dtype=np.intp)
        found: dict[int, tuple[NDArray[np.intp], Array]] = {}
        width = [min(count + 1, self.n)]  # numbers of points to ask for first: more if most rows have ties

        def search(low: int, high: int) -> None:
            part = rows[low:high]
            row, column = self._with_ties(points[part], count, width)
            sizes[part] = np.bincount(row, minlength=part.size)
            found[low] = column, pair_distances(points, part[row], self.points, column, self._norm)

        cuts = _cuts(m, WORK // (4 * width[0]))
        in_threads(search, cuts)
        ends = np.cumsum(sizes)
        columns, norms = np.empty(int(sizes.sum()), dtype=np.intp), np.empty(int(sizes.sum()))

        def place(low: int, high: int) -> None:
            part = rows[low:high]
            many = sizes[part]
            at = np.repeat(ends[part] - np.cumsum(many), many) + np.arange(many.sum())
            columns[at], norms[at] = found.pop(low)

        in_threads(place, cuts)
        return Pairs(np.repeat(np.arange(m), sizes), columns, self.form.forward(norms))

    def _with_ties(self, points: Array, count: int, first: list[int]) -> Found:
        """Return the nearest, in order; more are asked for until the last is not tied with the count-th."""
        rest, width, keys = np.arange(len(points)), first[0], [np.empty(0, dtype=np.int64)]
        while rest.size:
            norms, column = self._tree.query(points[rest], k=np.arange(1, width + 1), p=self._norm)
            limit = norms[:, count - 1] * (1 + 2 * SLACK)
            whole = norms[:, -1] > limit if width < self.n else np.ones(rest.size, dtype=bool)
            inside = (norms <= limit[:, None]) & whole[:, None]
            keys.append((rest[:, None] * np.int64(self.n) + column)[inside])
            many, width = 2 * whole.sum() < rest.size, min(2 * width + 8, self.n)
            rest = rest[~whole]
            if many:
                first[0] = max(first[0], width)
        key = np.sort(np.concatenate(keys))
        return key // self.n, key % self.n

    def _within(self, points: Array, part: _Class) -> Iterator[Found]:
        radius = part.radius * (1 + 2 * SLACK)
        for some in slices(len(points), 1 << 14):
            lists = _ball(part.tree, points[some], radius, self._norm)
            sizes = np.fromiter(map(len, lists), dtype=np.intp, count=len(lists))
            column = np.fromiter(chain.from_iterable(lists), dtype=np.intp, count=int(sizes.sum()))
            yield np.repeat(np.arange(some.start, some.stop), sizes), part.members[column]


def _by_size(radii: Array, dimension: int) -> list[NDArray[np.intp]]:
    """Divide the points into classes by radius; zeros form one class.

    In a class, a ball of the largest radius holds up to ``ratio**dimension``, about four, times as many points as
    a ball of the smallest. Radii below the 48th class are few and small, and belong to it.
    """
    positive = radii > 0
    level = np.full(radii.size, -1)
    if positive.any():
        steps = np.log(radii[positive].max() / radii[positive]) * (dimension / np.log(4.0))
        level[positive] = np.minimum(steps, 48.0).astype(np.intp)
    return [np.flatnonzero(level == value) for value in np.unique(level)]


def _kd_tree(points: Numbers) -> Any:
    from scipy.spatial import cKDTree

    return cKDTree(points, leafsize=_LEAF)


def _query(tree: Any, points: Array, ranks: NDArray[np.intp] | int, norm: float) -> tuple[Array, NDArray[np.intp]]:
    """Return the distances and numbers of nearest points."""
    found = _asked(lambda some: tree.query(some, k=ranks, p=norm), points)
    return np.concatenate([norms for norms, _ in found]), np.concatenate([column for _, column in found])


def _ball(tree: Any, points: Array, radius: float, norm: float) -> list[list[int]]:
    """Return the numbers of the points within a radius."""
    return list(chain.from_iterable(_asked(lambda some: tree.query_ball_point(some, radius, p=norm), points)))


def _asked(ask: Callable[[Array], Any], points: Array) -> list[Any]:
    """Return the answers for parts of the points, in threads.

    Not by scipy's `workers`: after an interruption its threads write on, to arrays that have been freed.
    """
    cuts = _cuts(len(points), len(points))
    found: dict[int, Any] = {}

    def one(low: int, high: int) -> None:
        found[low] = ask(points[low:high])

    in_threads(one, cuts)
    return [found[low] for low in cuts[:-1]]


def _cuts(m: int, most: int) -> list[int]:
    """Return the ends of pieces of m points for threads, of about `most` points or fewer."""
    pieces = max(1, min(4 * thread_count(), m // 64), -(-m // max(1, most)))
    cuts: list[int] = np.linspace(0, m, pieces + 1).astype(int).tolist()
    return cuts
