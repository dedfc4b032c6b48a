"""Division of points into cells around centres, for approximate neighbor search."""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._cached import cached_property
from lpgraph._progress import tell
from lpgraph._slices import slices
from lpgraph.points.metric import WORK, geometry
from lpgraph.points.rows import doubles
from lpgraph.points.search.neighbor_pairs import nearest_first
from lpgraph.points.search.tile_search import TileSearch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lpgraph.points.types import Array, Numbers

__all__ = ["Cells", "divide", "first_of"]

#: Points of the sample for each centre, and rounds of Lloyd's algorithm.
_SAMPLE, _ROUNDS = 32, 6

#: Points by which the number of cells to look through is chosen, as many that measure the recall, and its aim.
_LOOKED, _AIM = 500, 0.99

#: The work of choosing a cell for a point, in comparisons with points, and the share of all points from which on
#: a search among all, where each comparison serves two points, is faster.
_PROBE, _SHARE = 300, 1 / 3

#: Points whose nearest centres are searched at a time.
_BATCH = 1 << 16

_log = logging.getLogger("lpgraph.points")


@dataclass(frozen=True, eq=False)
class Cells:
    """Centres, the training points that are nearest to each, and how many cells a search looks through.

    Attributes
    ----------
    centres : ndarray of shape (c, p)
        The centres, as coordinates of the metric's geometry.
    cell : ndarray of shape (n,)
        The nearest centre of every training point; the first of several.
    probes : int
        Neighbors of a point are searched in the cells of its `probes` nearest centres.
    recall : float
        The share of nearest neighbors that are in these cells, for a sample of points by which `probes` was not
        chosen.
    """

    centres: Array
    cell: NDArray[np.intp]
    probes: int
    recall: float

    def index_bounds(self) -> list[tuple[NDArray[np.intp] | int, int]]:
        """Return the indices that searches rely on, and what they must be below, for models in files."""
        return [(self.cell, len(self.centres)), (self.probes - 1, len(self.centres))]

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """The training points, sorted by cell."""
        return np.argsort(self.cell, kind="stable")

    @cached_property
    def ends(self) -> NDArray[np.intp]:
        """The first place in `order` of every cell, and n."""
        return np.concatenate(([0], np.cumsum(np.bincount(self.cell, minlength=len(self.centres)))))

    def chosen(self, points: Numbers, count: int) -> NDArray[np.int32]:
        """Return for every point the cells to look through, the nearest first, and then -1.

        These are the `probes` nearest, or more for a point that finds fewer than `count` training points in them.
        """
        result = np.empty((len(points), self.probes), dtype=np.int32)
        for part in _batches(points):
            result[part] = first_of(self._search, points[part], self.probes)
        sizes = np.diff(self.ends)
        lacking = np.flatnonzero(sizes[result].sum(axis=1) < count)
        while lacking.size:
            wanted = min(2 * result.shape[1], len(self.centres))
            more = first_of(self._search, points[lacking], wanted)
            result = np.pad(result, ((0, 0), (0, wanted - result.shape[1])), constant_values=-1)
            result[lacking] = more
            lacking = lacking[sizes[more].sum(axis=1) < count]
        return result

    @cached_property
    def _search(self) -> TileSearch:
        return TileSearch(len(self.centres), geometry(self.centres, "euclidean"), self.centres)


def divide(points: Numbers, k: int, rng: np.random.Generator) -> Cells | None:
    """Divide points into cells, and choose how many are looked through for k neighbors.

    None is returned if so many cells are needed that a search among all points is faster.

    Parameters
    ----------
    points : ndarray of shape (n, p)
        Coordinates, whose Euclidean distances count.
    k : int
        The number of nearest other points that are wanted.
    rng : Generator
        Chooses samples. The result does not depend on the number of threads.
    """
    n = len(points)
    tell(_log, "cells of %d points", n)
    centres = _centres(points, math.ceil(2 * math.sqrt(n)), rng)
    search = TileSearch(len(centres), geometry(centres, "euclidean"), centres)
    cell = np.concatenate([first_of(search, points[part], 1)[:, 0] for part in _batches(points)])
    looked = rng.choice(n, min(n, 2 * _LOOKED), replace=False)
    pairs = TileSearch(n, geometry(points, "euclidean"), points).near(points[looked], k + 1)
    pairs = pairs.where(looked[pairs.row] != pairs.column)
    nearest = nearest_first(pairs, len(looked), k)[0]
    # The place of every neighbor's cell among all cells in order of the distance of their centres.
    ranked = first_of(search, points[looked], len(centres))
    place = np.argsort(ranked, axis=1)
    needed = np.take_along_axis(place, cell[nearest], axis=1) + 1
    half = len(looked) // 2
    probes = int(np.quantile(needed[: half or 1], _AIM, method="inverted_cdf"))
    seen = np.bincount(cell, minlength=len(centres))[ranked[:, :probes]].sum(axis=1).mean()
    if seen + _PROBE * probes > n * _SHARE:
        return None
    return Cells(centres, cell, probes, float((needed[half:] <= probes).mean()))


def _batches(points: Numbers) -> Iterator[slice]:
    return slices(len(points), min(_BATCH, WORK // points.shape[1]))


def first_of(search: TileSearch, points: Numbers, count: int) -> NDArray[np.intp]:
    """Return the `count` nearest training points of every point, by distance and then by index."""
    return nearest_first(search.near(points, count), len(points), count)[0]


def _centres(points: Numbers, count: int, rng: np.random.Generator) -> Array:
    """Return at most `count` centres of points by Lloyd's algorithm on a sample.

    Every point goes to its nearest centre by exact distances, and sums are in the order of the points, so that
    centres do not depend on the number of threads.
    """
    sample = points[np.sort(rng.choice(len(points), min(len(points), _SAMPLE * count), replace=False))]
    drawn = np.sort(rng.choice(len(sample), min(count, len(sample)), replace=False))
    centres: Array = doubles(np.unique(sample[drawn], axis=0))
    for _ in range(_ROUNDS):
        search = TileSearch(len(centres), geometry(centres, "euclidean"), centres)
        nearest = first_of(search, sample, 1)[:, 0]
        sizes = np.bincount(nearest, minlength=len(centres))
        sums = [np.bincount(nearest, weights=column, minlength=len(centres)) for column in sample.T]
        centres = (np.stack(sums, axis=1) / np.maximum(sizes, 1)[:, None])[sizes > 0]
    return centres
