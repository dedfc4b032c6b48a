"""Neighbor search by Euclidean distances in the way that is fastest for the points at hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._cached import cached_property
from lpgraph._compiled import available
from lpgraph._threads import thread_count
from lpgraph.points.rows import doubles
from lpgraph.points.search.neighbor_pairs import Pairs, Reach, Search
from lpgraph.points.search.products import ProductSearch
from lpgraph.points.search.tile_search import TileSearch
from lpgraph.points.search.tree import TreeSearch

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lpgraph.points.metric import Geometry
    from lpgraph.points.types import Array, Numbers

__all__ = ["LOW", "ChosenSearch", "is_low"]

#: Up to the first number of coordinates a tree is fast; up to the second it is if there are many points.
_FEW, _NOT_MANY = 10, 15
_MANY_POINTS = 20_000

#: For fewer new points, one after the other or at once, a tree is not worth building.
_FEW_NEW = 32

#: For fewer points, and up to so many coordinates, the choice needs no measurement.
_FEW_POINTS, LOW = 4096, 3

#: A tree that needs less time (in seconds) is not compared; nor is one that needs this many times the usual time
#: of products, in seconds for a pair of points and for a coordinate of a pair.
_SOON, _MUCH = 0.2, 4.0
_PAIR, _COORDINATE = 5e-10, 2e-11

#: A tree has all coordinates in double precision. Points of another type are not copied to one of 512 MB.
_CONVERTED = 1 << 26

#: Training points whose neighbors are searched to measure the time: a few, then more.
_FIRST, _LOOK = 4, 256


@dataclass(frozen=True, eq=False)
class ChosenSearch:
    """The `Search` for Euclidean distances: blocks for few new points, else a tree or products in tiles.

    All give the same result, so that the choice may follow from measured times.
    """

    n: int
    form: Geometry
    points: Numbers
    _placed: list[int] = field(default_factory=lambda: [0])

    def reach(self, radii: Array) -> Reach:
        """Return the radii; a tree prepares for them when it first needs to."""
        return self._tree.reach(radii)

    def near(self, new: Array, count: int, reach: Reach | None = None) -> Pairs:
        """Return the nearest with all ties, and all whose radius includes the new point."""
        return self._for(len(new)).near(new, count, reach)

    def foreign(self, new: Array, mine: NDArray[np.intp], labels: NDArray[np.intp]) -> Pairs:
        """Return a nearest training point of another component."""
        return self._for(len(new)).foreign(new, mine, labels)

    def _for(self, new: int) -> Search:
        self._placed[0] += new
        return self._blocks if self._placed[0] < min(_FEW_NEW, self.n) else self._best

    @cached_property
    def _blocks(self) -> ProductSearch:
        return ProductSearch(self.n, self.form, self.points)

    @cached_property
    def _tree(self) -> TreeSearch:
        return TreeSearch(self.n, self.form, self.points)

    @cached_property
    def _best(self) -> Search:
        p = self.points.shape[1]
        if not available() or self.n < _FEW_POINTS or p <= LOW:
            return self._tree if is_low(p, self.n) else self._blocks
        tiles = TileSearch(self.n, self.form, self.points)
        if self.points.dtype != np.float64 and self.n * p > _CONVERTED:
            return tiles
        usual = self.n * self.n / 2 * (_PAIR + _COORDINATE * p) / thread_count()
        for looked, runs in ((_FIRST, 1), (_LOOK, 3)):
            sample = doubles(self.points[np.linspace(0, self.n - 1, looked).astype(np.intp)])
            by_tree = self.n / looked * _seconds(partial(self._tree.try_out, sample), runs)
            if by_tree > max(_SOON, _MUCH * usual):
                return tiles
        if by_tree <= _SOON:
            return self._tree
        by_tiles = self.n / looked / 2 * _seconds(partial(tiles.try_out, sample), 3)
        return self._tree if by_tree <= by_tiles else tiles


def is_low(p: int, n: int) -> bool:
    """Whether a tree of n points with p coordinates is usually faster than a look at all pairs."""
    return p <= _FEW or (p <= _NOT_MANY and n > _MANY_POINTS)


def _seconds(work: Callable[[], object], runs: int) -> float:
    """Return the least time of some runs; several follow a first one, which prepares what they use."""
    times = []
    for _ in range(runs if runs == 1 else runs + 1):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times[runs > 1 :])
