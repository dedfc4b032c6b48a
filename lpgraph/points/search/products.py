"""Neighbor search for many coordinates: pairs are excluded by bounds from matrix products, the rest computed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.points.metric import WORK, Geometry, pair_distances
from lpgraph.points.search.neighbor_pairs import SLACK, Pairs, Radii, Reach, check_within_range, collect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["ProductSearch", "rounding"]

_EPS = float(np.finfo(np.float64).eps)

#: Columns per group when the count-th smallest value is bounded.
_GROUP = 8


@dataclass(frozen=True, eq=False)
class ProductSearch:
    """The `Search` for Euclidean distances of many coordinates."""

    n: int
    form: Geometry
    points: Array

    def reach(self, radii: Array) -> Reach:
        """Return the radii."""
        return Radii(radii)

    def near(self, new: Array, count: int, reach: Reach | None = None) -> Pairs:
        """Return the nearest with all ties, and all whose radius includes the new point."""
        points = self._coordinates(new)
        limits = None if reach is None else self.form.back(reach.radii) ** 2 * (1 + 4 * SLACK)
        pairs = []
        for low, lower, upper in self._bounds(points):
            threshold = np.full(len(lower), -np.inf)
            if count:
                threshold = np.maximum(_no_less_than(upper, count), 0.0) * (1 + 4 * SLACK)
            wanted = lower <= threshold[:, None]
            if limits is not None:
                wanted |= lower <= limits
            pairs.append(self._measure(points, low, wanted))
        return collect(pairs, self.n)

    def foreign(self, new: Array, mine: NDArray[np.intp], labels: NDArray[np.intp]) -> Pairs:
        """Return a nearest training point of another component."""
        points = self._coordinates(new)
        pairs = []
        for low, lower, upper in self._bounds(points):
            same = mine[low : low + len(lower), None] == labels
            upper[same] = np.inf
            lower[same] = np.inf
            pairs.append(self._measure(points, low, lower <= np.maximum(upper.min(axis=1), 0.0)[:, None]))
        return collect(pairs, self.n)

    @cached_property
    def _box(self) -> tuple[Array, Array]:
        return self.points.min(axis=0), self.points.max(axis=0)

    def _coordinates(self, new: Array) -> Array:
        points = self.form.coordinates(new)
        check_within_range(points, *self._box)
        return points

    @cached_property
    def _centred(self) -> tuple[Array, Array, Array]:
        centre = self.points.mean(axis=0)
        shifted = self.points - centre
        return centre, shifted, np.einsum("ij,ij->i", shifted, shifted)

    def _bounds(self, points: Array) -> Iterator[tuple[int, Array, Array]]:
        """Yield lower and upper bounds of squared distances, a block of rows at a time."""
        centre, centred, squares = self._centred
        gamma = rounding(self.points.shape[1])
        step = max(1, WORK // (3 * self.n))
        for low in range(0, len(points), step):
            shifted = points[low : low + step] - centre
            upper = np.einsum("ij,ij->i", shifted, shifted)[:, None] + squares
            lower = shifted @ centred.T
            lower *= -2.0
            lower += (1 - gamma) * upper
            upper *= 2 * gamma
            upper += lower
            yield low, lower, upper

    def _measure(self, points: Array, low: int, wanted: NDArray[np.bool_]) -> Pairs:
        row, column = np.nonzero(wanted)
        row += low
        return Pairs(row, column, self.form.forward(pair_distances(points, row, self.points, column, 2.0)))


def rounding(p: int) -> float:
    """Return the largest error of ``|x|^2 + |y|^2 - 2<x, y>`` in p dimensions, relative to ``|x|^2 + |y|^2``."""
    return 4 * (p + 16) * _EPS


def _no_less_than(values: Array, count: int) -> Array:
    """Return a tight upper bound of the count-th smallest of each row; may reorder `values`."""
    width = values.shape[1] // _GROUP
    if width > 4 * count:
        # The count-th smallest minimum of groups is an upper bound, and faster to find.
        values = values[:, : width * _GROUP].reshape(-1, _GROUP, width).min(axis=1)
    values.partition(count - 1, axis=1)
    return values[:, count - 1]
