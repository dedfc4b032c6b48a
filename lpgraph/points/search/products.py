"""Neighbor search for many coordinates: pairs are excluded by bounds from matrix products, the rest computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._cached import cached_property
from lpgraph._slices import slices
from lpgraph.points.metric import WORK, pair_distances
from lpgraph.points.rows import blocks, mean_of
from lpgraph.points.search.neighbor_pairs import SLACK, CoordinateSearch, Pairs, Reach, collect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from lpgraph.points.types import Array, Numbers

__all__ = ["ProductSearch", "bounds", "rounding"]

_EPS = float(np.finfo(np.float64).eps)

#: Points of at most so many numbers are held relative to their centre, in 256 MB.
_HELD = 1 << 25

#: Columns per group when the count-th smallest value is bounded.
_GROUP = 8


@dataclass(frozen=True, eq=False)
class ProductSearch(CoordinateSearch):
    """The `Search` for Euclidean distances of many coordinates."""

    def reach(self, radii: Array) -> Reach:
        """Return the radii."""
        return Reach(radii)

    def near(self, new: Numbers, count: int, reach: Reach | None = None) -> Pairs:
        """Return the nearest with all ties, and all whose radius includes the new point."""
        return self._near(self._coordinates(new), count, reach)

    def foreign(self, new: Array, mine: NDArray[np.intp], labels: NDArray[np.intp]) -> Pairs:
        """Return a nearest training point of another component."""
        return self._foreign(self._coordinates(new), mine, labels)

    def _near(self, points: Array, count: int, reach: Reach | None) -> Pairs:
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

    def _foreign(self, points: Array, mine: NDArray[np.intp], labels: NDArray[np.intp]) -> Pairs:
        pairs = []
        for low, lower, upper in self._bounds(points):
            same = mine[low : low + len(lower), None] == labels
            upper[same] = np.inf
            lower[same] = np.inf
            pairs.append(self._measure(points, low, lower <= np.maximum(upper.min(axis=1), 0.0)[:, None]))
        return collect(pairs, self.n)

    @cached_property
    def _centre(self) -> Array:
        return mean_of(self.points)

    @cached_property
    def _held(self) -> list[tuple[slice, Array, Array]]:
        return [self._shifted(slice(0, self.n))]

    def _columns(self) -> Iterable[tuple[slice, Array, Array]]:
        """Return slices of training points, relative to the centre, and their squared norms."""
        return self._held if self.points.size <= _HELD else map(self._shifted, blocks(self.points))

    def _shifted(self, part: slice) -> tuple[slice, Array, Array]:
        shifted = self.points[part] - self._centre
        return part, shifted, np.einsum("ij,ij->i", shifted, shifted)

    def _bounds(self, points: Array) -> Iterator[tuple[int, Array, Array]]:
        """Yield lower and upper bounds of squared distances, a block of rows at a time."""
        gamma = rounding(self.points.shape[1])
        for part in slices(len(points), WORK // (3 * self.n)):
            shifted = points[part] - self._centre
            norms = np.einsum("ij,ij->i", shifted, shifted)
            products, sums = np.empty((2, len(shifted), self.n))
            for some, columns, squares in self._columns():
                np.matmul(shifted, columns.T, out=products[:, some])
                np.add(norms[:, None], squares, out=sums[:, some])
            yield part.start, *bounds(products, sums, gamma)

    def _measure(self, points: Array, low: int, wanted: NDArray[np.bool_]) -> Pairs:
        row, column = np.nonzero(wanted)
        row += low
        return Pairs(row, column, self.form.forward(pair_distances(points, row, self.points, column, 2.0)))


def bounds(products: Array, sums: Array, gamma: float) -> tuple[Array, Array]:
    """Return bounds of squared distances ``sums - 2 products``, in the memory of the arguments."""
    products *= -2.0
    products += (1 - gamma) * sums
    sums *= 2 * gamma
    sums += products
    return products, sums


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
