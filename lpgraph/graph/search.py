"""Which training points are near: by tree, by matrix products or by blocks of distances, always the same answer.

A search gives *candidates*: pairs (new point, training point) among which every pair asked for is found, with
distances computed for each pair by itself. The neighbour rule then compares those distances, so that neither
the way of searching nor the size of a batch can turn an edge into none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from lpgraph.errors import ArgumentError
from lpgraph.graph.metric import WORK, Geometry, geometry, pair_distances

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["SLACK", "Pairs", "Reach", "Search", "make_search"]

#: Distances that differ by this factor count as equal when compared with a radius.
SLACK = 1e-10

#: Up to this many coordinates a tree visits few of its nodes.
_TREE_DIMENSION = 15

_EPS = float(np.finfo(np.float64).eps)


class Pairs(NamedTuple):
    """Pairs of a new point and a training point, each pair once, sorted by row and then by column."""

    row: NDArray[np.intp]
    column: NDArray[np.intp]
    distance: NDArray[np.float64]

    def where(self, keep: NDArray[np.bool_]) -> Pairs:
        """Return the pairs to keep."""
        return Pairs(self.row[keep], self.column[keep], self.distance[keep])


class Reach(Protocol):
    """How far every training point reaches, prepared for searching."""

    @property
    def radii(self) -> NDArray[np.float64]:
        """The radius of every training point."""
        ...


class Search(Protocol):
    """A search among training points."""

    def reach(self, radii: NDArray[np.float64]) -> Reach:
        """Prepare for finding the training points i at a distance of at most ``radii[i]``."""
        ...

    def near(self, new: NDArray[np.float64], count: int, reach: Reach | None = None) -> Pairs:
        """Return the `count` nearest training points of each new one with all ties, and all that reach it."""
        ...


def make_search(points: NDArray[np.float64], metric: Any) -> Search:
    """Return the search that suits the metric and the dimension."""
    if isinstance(metric, str) and metric == "precomputed":
        return _Blocks(len(points), None, points)
    form = geometry(points, metric)
    coordinates = form.coordinates(points)
    if form.norm is None or (coordinates.shape[1] > _TREE_DIMENSION and form.norm != 2.0):
        return _Blocks(len(points), _with_block(form), coordinates)
    with np.errstate(over="ignore"):
        spread = np.square(np.ptp(coordinates, axis=0)).sum()
    if not np.isfinite(spread):
        raise ArgumentError("X has coordinates so far apart that their distances overflow; pass X / abs(X).max().")
    kind = _Tree if coordinates.shape[1] <= _TREE_DIMENSION else _Products
    return kind(len(points), form, coordinates)


def _with_block(form: Geometry) -> Geometry:
    if form.block is not None:
        return form
    name = "cityblock" if form.norm == 1.0 else "chebyshev"

    def block(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
        from scipy.spatial.distance import cdist

        return np.asarray(cdist(a, b, name))  # type: ignore[call-overload]

    return Geometry(form.coordinates, None, block)


def _collect(parts: list[Pairs], n: int) -> Pairs:
    """Join candidates: each pair once, in order."""
    row, column, distance = (np.concatenate(part) for part in zip(*parts, strict=True))
    key, first = np.unique(row * np.int64(n) + column, return_index=True)
    if not np.isfinite(distance).all():
        i = int(np.argmax(~np.isfinite(distance)))
        raise ArgumentError(
            f"The distance of point {row[i]} to training point {column[i]} is {distance[i]}; "
            "rescale the points, or use a metric that is defined for them."
        )
    return Pairs(key // n, key % n, distance[first])


_NONE = Pairs(np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0))


@dataclass(frozen=True, eq=False)
class _Class:
    """Training points of similar radii, in a tree of their own."""

    members: NDArray[np.intp]
    tree: Any
    radius: float


@dataclass(frozen=True, eq=False)
class _TreeReach:
    radii: NDArray[np.float64]
    classes: list[_Class]


@dataclass(frozen=True, eq=False)
class _Tree:
    """Few coordinates: a k-d tree finds the nearest, and one tree per class of radii those that reach."""

    n: int
    form: Geometry
    points: NDArray[np.float64]

    @cached_property
    def _tree(self) -> Any:
        return _kd_tree(self.points)

    def reach(self, radii: NDArray[np.float64]) -> Reach:
        # A ball of the class's radius holds up to ratio**p times the points wanted: about four.
        ratio = 4.0 ** (1.0 / self.points.shape[1])
        norms = self.form.back(radii)
        top = norms.max(initial=0.0)
        with np.errstate(divide="ignore"):
            level = np.log(norms / top) / np.log(ratio) if top > 0 else np.zeros(self.n)
        level = np.ceil(np.maximum(level, -48.0)).astype(np.intp)
        level[norms == 0] = -100  # duplicates reach nothing but themselves
        classes = []
        for value in np.unique(level):
            members = np.flatnonzero(level == value)
            classes.append(_Class(members, _kd_tree(self.points[members]), float(norms[members].max())))
        return _TreeReach(radii, classes)

    def near(self, new: NDArray[np.float64], count: int, reach: Reach | None = None) -> Pairs:
        points = self.form.coordinates(new)
        found = [(_NONE.row, _NONE.column)]
        if count:
            found += self._nearest(points, count)
        if reach is not None:
            assert isinstance(reach, _TreeReach)
            for part in reach.classes:
                found += self._within(points, part)
        pairs = []
        for row, column in found:
            norms = pair_distances(points, row, self.points, column, self._norm)
            pairs.append(Pairs(row, column, self.form.forward(norms)))
        return _collect(pairs, self.n)

    @property
    def _norm(self) -> float:
        assert self.form.norm is not None
        return self.form.norm

    def _nearest(self, points: NDArray[np.float64], count: int) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        rows = np.arange(len(points))
        width = min(count + 1, self.n)
        while rows.size:
            step = max(1, WORK // (4 * width))
            tied = []
            for low in range(0, rows.size, step):
                part = rows[low : low + step]
                norms, column = self._tree.query(points[part], k=np.arange(1, width + 1), p=self._norm, workers=-1)
                limit = norms[:, count - 1] * (1 + 2 * SLACK)
                # While the last one found is tied with the count-th there may be more ties: ask for more.
                whole = norms[:, -1] > limit if width < self.n else np.ones(part.size, dtype=bool)
                inside = (norms <= limit[:, None]) & whole[:, None]
                yield np.repeat(part, inside.sum(axis=1)), column[inside]
                tied.append(part[~whole])
            rows = np.concatenate(tied)
            width = min(2 * width + 8, self.n)

    def _within(self, points: NDArray[np.float64], part: _Class) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        radius = part.radius * (1 + 2 * SLACK)
        step = 1 << 14
        for low in range(0, len(points), step):
            lists = part.tree.query_ball_point(points[low : low + step], radius, p=self._norm, workers=-1)
            sizes = np.fromiter(map(len, lists), dtype=np.intp, count=len(lists))
            column = np.fromiter(chain.from_iterable(lists), dtype=np.intp, count=int(sizes.sum()))
            yield np.repeat(np.arange(low, low + len(lists)), sizes), part.members[column]


def _kd_tree(points: NDArray[np.float64]) -> Any:
    from scipy.spatial import cKDTree

    return cKDTree(points)


@dataclass(frozen=True, eq=False)
class _Radii:
    radii: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Products:
    """Many coordinates: matrix products bound the distances, and what they cannot rule out is computed."""

    n: int
    form: Geometry
    points: NDArray[np.float64]

    def reach(self, radii: NDArray[np.float64]) -> Reach:
        return _Radii(radii)

    @cached_property
    def _centred(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        centre = self.points.mean(axis=0)
        shifted = self.points - centre
        return centre, shifted, np.einsum("ij,ij->i", shifted, shifted)

    def near(self, new: NDArray[np.float64], count: int, reach: Reach | None = None) -> Pairs:
        points = self.form.coordinates(new)
        centre, centred, squares = self._centred
        # |x|^2 + |y|^2 - 2<x, y> is off by at most gamma (|x|^2 + |y|^2): p products and sums, each rounded.
        gamma = 4 * (self.points.shape[1] + 16) * _EPS
        limits = None if reach is None else self.form.back(reach.radii) ** 2 * (1 + 4 * SLACK)
        pairs = [_NONE]
        step = max(1, WORK // (3 * self.n))
        for low in range(0, len(points), step):
            shifted = points[low : low + step] - centre
            own = np.einsum("ij,ij->i", shifted, shifted)
            weights = own[:, None] + squares
            lower = shifted @ centred.T
            lower *= -2.0
            lower += (1 - gamma) * weights
            threshold = np.full(len(shifted), -np.inf)
            if count:
                weights *= 2 * gamma
                weights += lower
                weights.partition(count - 1, axis=1)
                threshold = np.maximum(weights[:, count - 1], 0.0) * (1 + 4 * SLACK)
            wanted = lower <= threshold[:, None]
            if limits is not None:
                wanted |= lower <= limits
            row, column = np.nonzero(wanted)
            row += low
            norms = pair_distances(points, row, self.points, column, 2.0)
            pairs.append(Pairs(row, column, self.form.forward(norms)))
        return _collect(pairs, self.n)


@dataclass(frozen=True, eq=False)
class _Blocks:
    """Any metric: all distances, a block of rows at a time. Without a form the points *are* the distances."""

    n: int
    form: Geometry | None
    points: NDArray[np.float64]

    def reach(self, radii: NDArray[np.float64]) -> Reach:
        return _Radii(radii)

    @cached_property
    def _groups(self) -> tuple[NDArray[np.void], NDArray[np.intp]]:
        return np.unique(_bytes_of(self.points), return_inverse=True)

    def near(self, new: NDArray[np.float64], count: int, reach: Reach | None = None) -> Pairs:
        pairs = [_NONE]
        step = max(1, WORK // (2 * self.n))
        for low in range(0, len(new), step):
            block = self._block(new[low : low + step], low)
            limits = np.full(len(block), -np.inf)
            if count:
                limits = np.partition(block, count - 1, axis=1)[:, count - 1] * (1 + 2 * SLACK)
            wanted = block <= limits[:, None]
            if reach is not None:
                wanted |= block <= reach.radii * (1 + 2 * SLACK)
            row, column = np.nonzero(wanted)
            pairs.append(Pairs(row + low, column, block[row, column]))
        return _collect(pairs, self.n)

    def _block(self, new: NDArray[np.float64], low: int) -> NDArray[np.float64]:
        if self.form is None:
            return new
        assert self.form.block is not None
        points = self.form.coordinates(new)
        block = self.form.block(points, self.points)
        # Equal points are at distance 0, which not every formula gives to the last bit.
        known, group = self._groups
        mine = _bytes_of(points)
        place = np.minimum(np.searchsorted(known, mine), len(known) - 1)
        equal = np.where(known[place] == mine, place, -1)[:, None] == group
        block = np.where(equal, 0.0, block)
        if not (np.isfinite(block) & (block >= 0)).all():
            i, j = np.argwhere(~(np.isfinite(block) & (block >= 0)))[0]
            raise ArgumentError(
                f"The metric's distance of point {i + low} to training point {j} is {block[i, j]}; "
                "use a metric that is defined for these points."
            )
        return block


def _bytes_of(points: NDArray[np.float64]) -> NDArray[np.void]:
    """Return the points as scalars that compare equal if all coordinates do."""
    rows = np.ascontiguousarray(points)
    return rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
