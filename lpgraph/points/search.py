"""Neighbor search with ties: by tree, by products of matrices, in cells, in blocks or lists of distances.

A search returns *candidates*: pairs (new point, training point) that include every wanted pair, with distances
computed separately for each pair. The neighbor rule then compares these distances, so that edges depend neither
on the search nor on the size of a batch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from lpgraph._utils.checks import Numbers, check_scale
from lpgraph._utils.compiled import available, in_threads, slices, thread_count
from lpgraph.errors import ArgumentError

from .checks import is_precomputed
from .metric import SLACK, WORK, Geometry, Metric, coordinates_of, geometry, pair_distances
from .rows import Points, dense, doubles, in_memory, is_sparse, some_points
from .tiles import WIDTH, Plan, Tiles

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lpgraph._utils.types import Array, Flags, Integers


#: Up to so many coordinates a tree is faster than products of all pairs; up to the second it is without compiled
#: loops, and for another norm than the Euclidean.
_LOW, _LOW_ELSE = 7, 15
#: For fewer new points a tree is not worth building; for fewer pairs, loading numba takes longer than products.
_FEW_NEW, _FEW_PAIRS = 32, 20_000_000
#: Points of a leaf: queries take 0.7 of the time that they take with scipy's 10.
_LEAF = 32
#: Distances that a query of a tree returns at a time.
_ASKED = 1 << 19

#: Points of the sample for each centre, and rounds of Lloyd's algorithm.
_SAMPLE, _ROUNDS = 32, 6
#: Points by which the number of cells to look through is chosen, as many that measure the recall, and its aim.
_SAMPLED, _AIM = 500, 0.99
#: The share of all points from which on a search among all is faster.
_SHARE = 1 / 3
#: Nearest points that are listed at a time; ties may give many more pairs.
_BATCH = 1 << 20


class Pairs(NamedTuple):
    """Pairs of a new point and a training point, each pair once, sorted by row and then by column."""

    row: Integers
    column: Integers
    distance: Array

    def where(self, keep: Flags) -> Pairs:
        """Return the pairs where `keep` is true."""
        return Pairs(self.row[keep], self.column[keep], self.distance[keep])


Search: TypeAlias = "BlockSearch | NormSearch"


def make_search(points: Points, metric: Metric, cells: Cells | None = None) -> Search:
    """Return the search for checked points (or distances) that suits them, or the one that looks through cells."""
    if is_precomputed(metric):
        return BlockSearch(None, points)
    form = geometry(points, metric)
    coordinates = coordinates_of(points, form)
    if is_sparse(coordinates) or form.norm is None or (form.norm != 2.0 and coordinates.shape[1] > _LOW_ELSE):
        return BlockSearch(form, in_memory(coordinates))
    return NormSearch(form, coordinates, cells)


@dataclass(frozen=True, eq=False)
class BlockSearch:
    """The search that computes every distance. If `form` is None, points are rows of distances, all or listed."""

    form: Geometry | None
    points: Points

    def near(self, new: Points, count: int, radii: Array | None = None) -> Pairs:
        """Do as `NormSearch.near`. Of rows that list some distances, all of these are returned."""
        if self.form is None and is_sparse(new):
            row = np.repeat(np.arange(new.shape[0]), np.diff(new.indptr))
            return Pairs(row, new.indices.astype(np.intp), new.data)
        pairs = [(np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0))]
        for part in slices(new.shape[0], WORK // (2 * self.points.shape[0])):
            block = self._block(new[part], part.start)
            limits = np.array([[-np.inf]]) if radii is None else radii
            if count:
                limits = np.maximum(limits, np.partition(block, count - 1, axis=1)[:, count - 1 : count])
            row, column = np.nonzero(block <= limits * (1 + 2 * SLACK))
            pairs.append((row + part.start, column, block[row, column]))
        return Pairs(*map(np.concatenate, zip(*pairs, strict=True)))

    def _block(self, new: Points, low: int) -> Array:
        if self.form is None:
            return doubles(dense(new))
        block = self.form.forward(self.form.block(self.form.coordinates(in_memory(new), low), self.points))
        wrong = ~(np.isfinite(block) & (block >= 0))
        if wrong.any():
            i, j = np.argwhere(wrong)[0]
            raise ArgumentError(f"The metric of points {i + low} and {j} is {block[i, j]}; pass another metric.")
        return block


@dataclass(frozen=True, eq=False)
class NormSearch:
    """The search by a norm of differences of coordinates: by a tree, or by products for many coordinates."""

    form: Geometry
    points: Numbers
    cells: Cells | None = None

    def near(self, new: Points, count: int, radii: Array | None = None) -> Pairs:
        """Return the `count` nearest training points of each new point with ties, and all whose radius covers it.

        New points are dense or sparse as the training points are. The result may contain more pairs, at slightly
        larger distances.
        """
        n, points = len(self.points), dense(coordinates_of(new, self.form))
        if points.size:
            check_scale("The points have coordinates", float(points.min()), float(points.max()), new=True)
        reach = None if radii is None else self.form.back(radii) * (1 + 2 * SLACK)
        key = np.sort(np.concatenate([np.empty(0, np.int64), *self._keys(points, count, reach)]))
        row, column = np.divmod(key[np.diff(key, prepend=-1) > 0], n)
        norms = pair_distances(points, row, self.points, column, self.form.norm or 2.0)
        return Pairs(row, column, self.form.forward(norms))

    def _keys(self, points: Numbers, count: int, reach: Array | None) -> Iterator[NDArray[np.int64]]:
        """Return keys ``row * n + column`` of pairs."""
        n, low = len(self.points), points.shape[1] <= (_LOW if available() else _LOW_ELSE)
        if self.cells is None and ((low and len(points) >= _FEW_NEW) or self.form.norm != 2.0):
            return self._by_tree(points, count, reach)
        few = len(points) * n < _FEW_PAIRS or not available()
        return self._by_products(points, count, reach) if few else self._by_tiles(points, count, reach)

    @cached_property
    def _tiles(self) -> tuple[Tiles, Tiles]:
        # In a random order of the training points, few enter a list and leave it again.
        order = np.random.default_rng(0).permutation(len(self.points)) if self.cells is None else self.cells.order
        return Tiles(self.points, order, np.float32), Tiles(self.points, order, np.float64)

    def _plan(self, points: Numbers, count: int) -> Plan:
        if self.cells is not None:
            return self.cells.plan(points, count)
        groups = np.array_split(np.arange(len(points)), max(thread_count(), len(points) // 1024))
        pieces = [*slices(len(self.points), WIDTH)]
        return [(group, pieces) for group in groups]

    def _by_products(self, points: Numbers, count: int, reach: Array | None) -> Iterator[NDArray[np.int64]]:
        for row, column in self._tiles[1].of_few(points, count, self._plan(points, count), reach):
            yield row * len(self.points) + column

    def _by_tiles(self, points: Numbers, count: int, reach: Array | None) -> Iterator[NDArray[np.int64]]:
        n, (single, double) = len(self.points), self._tiles
        if reach is not None:
            finite = single if single.squares.max() <= single.large else double
            for row, column in finite.within(points, self._plan(points, count), reach):
                yield row * n + column
        rest = np.arange(len(points) if count else 0)
        for tiles in self._tiles:
            if not rest.size:
                return
            some = dense(some_points(points, rest))
            row, column, certain = tiles.nearest(some, count, self._plan(some, count))
            yield rest[row] * n + column
            rest = rest[~certain]
        # Ties, or distances so small beside coordinates that even double precision does not tell them.
        for part in slices(rest.size, WORK // n):
            some = points[rest[part]]
            row, column = np.divmod(np.sort(np.concatenate([*self._by_products(some, count, None)])), n)
            pairs = Pairs(row, column, pair_distances(some, row, self.points, column, 2.0))
            limits = kth_smallest(pairs, np.full(len(some), count)) * (1 + 2 * SLACK)
            near = pairs.where(pairs.distance <= limits[row])
            yield rest[part][near.row] * n + near.column

    @cached_property
    def _tree(self) -> cKDTree:
        return _tree_of(self.points)

    def _by_tree(self, points: Numbers, count: int, reach: Array | None) -> Iterator[NDArray[np.int64]]:
        # Not by scipy's `workers`: after an interruption its threads write on, to arrays that have been freed.
        n, norm = len(self.points), self.form.norm or 2.0
        width, found = min(count + 1, n), []
        # Training points are queried in the order of the tree's leaves, for locality of memory access.
        rows = self._tree.indices if points is self.points else np.arange(len(points))

        def nearest(low: int, high: int) -> None:
            some = rows[low:high]
            norms, column = map(np.asarray, self._tree.query(points[some], k=np.arange(1, width + 1), p=norm))
            limit = norms[:, count - 1] * (1 + 2 * SLACK)
            row, place = np.nonzero(norms <= limit[:, None])
            found.append(some[row] * n + column[row, place])
            if width < n and (tied := norms[:, -1] <= limit).any():  # there may be more at this distance
                row, item = _flat(self._tree.query_ball_point(points[some[tied]], limit[tied], p=norm))
                found.append(some[tied][row] * n + item)

        def covered(other: cKDTree, reach: Array, low: int, high: int) -> None:
            column, row = _flat(other.query_ball_point(self.points[low:high], reach[low:high], p=norm))
            found.append(row * n + column + low)

        if count:
            in_threads(nearest, _cuts(len(rows), _ASKED // width))
        if reach is not None:
            in_threads(partial(covered, _tree_of(points), reach), _cuts(n, 1 << 14))
        yield from found


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
        Neighbors of a point are searched in the cells of the `probes` centres that are nearest to its own centre.
    recall : float
        The share of nearest neighbors that are in these cells, for a sample of points by which `probes` was not
        chosen.
    """

    centres: Array
    cell: Integers
    probes: int
    recall: float

    def index_bounds(self) -> list[tuple[Integers | int, int]]:
        """Return the indices that searches rely on, and what they must be below, for models in files."""
        return [(self.cell, len(self.centres)), (self.probes - 1, len(self.centres))]

    @cached_property
    def order(self) -> Integers:
        """The training points in the order of their cells."""
        return np.argsort(self.cell, kind="stable")

    @cached_property
    def _pieces(self) -> list[list[slice]]:
        """The places of every cell's points in `order`, in pieces."""
        ends = np.searchsorted(self.cell[self.order], np.arange(len(self.centres) + 1)).tolist()
        return [[slice(a, min(a + WIDTH, high)) for a in range(low, high, WIDTH)] for low, high in pairwise(ends)]

    def plan(self, points: Numbers, count: int) -> Plan:
        """Return which points are compared with which training points, as places in `order`.

        These are the training points in the `probes` cells nearest to the point's own, or in more if those hold
        fewer than `count`, so that they depend on the point only.
        """
        own, sizes = (
            _nearest_centres(self.centres, points, 1)[:, 0],
            np.bincount(self.cell, minlength=len(self.centres)),
        )
        order = np.argsort(own, kind="stable")
        cells, starts = np.unique(own[order], return_index=True)
        result = []
        ranked = _nearest_centres(self.centres, self.centres[cells], len(self.centres))
        for rows, near in zip(np.split(order, starts[1:]), ranked, strict=False):  # no points have one empty part
            most = max(self.probes, 1 + int(np.searchsorted(np.cumsum(sizes[near]), count)))
            pieces = [self._pieces[c] for c in near[:most]]
            result.append((rows, [*chain.from_iterable(pieces)]))
        return result


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
    centres = _centres(points, math.ceil(2 * math.sqrt(n)), rng)
    cell = _nearest_centres(centres, points, 1)[:, 0]
    looked = rng.choice(n, min(n, 2 * _SAMPLED), replace=False)
    near = nearest(make_search(points, "euclidean"), points[looked], k, looked)[0]
    # The place of every neighbor's cell among all cells in order of the distance of their centres.
    ranked = _nearest_centres(centres, centres[cell[looked]], len(centres))
    needed = np.take_along_axis(np.argsort(ranked, axis=1), cell[near], axis=1) + 1
    half = len(looked) // 2
    probes = int(np.quantile(needed[: half or 1], _AIM, method="inverted_cdf"))
    seen = np.bincount(cell, minlength=len(centres))[ranked[:, :probes]].sum(axis=1).mean()
    if seen > n * _SHARE:
        return None
    return Cells(centres, cell, probes, float((needed[half:] <= probes).mean()))


def _nearest_centres(centres: Array, points: Numbers, count: int) -> Integers:
    """Return the nearest centres of every point, by distance and then by index."""
    return nearest(make_search(centres, "euclidean"), points, count)[0]


def _centres(points: Numbers, count: int, rng: np.random.Generator) -> Array:
    """Return at most `count` centres of points by Lloyd's algorithm on a sample.

    Every point goes to its nearest centre by exact distances, and sums are in the order of the points, so that
    centres do not depend on the number of threads.
    """
    sample = points[np.sort(rng.choice(len(points), min(len(points), _SAMPLE * count), replace=False))]
    drawn = np.sort(rng.choice(len(sample), min(count, len(sample)), replace=False))
    centres: Array = doubles(np.unique(sample[drawn], axis=0))
    for _ in range(_ROUNDS):
        nearest = _nearest_centres(centres, sample, 1)[:, 0]
        sizes = np.bincount(nearest, minlength=len(centres))
        sums = [np.bincount(nearest, weights=column, minlength=len(centres)) for column in sample.T]
        centres = (np.stack(sums, axis=1) / np.maximum(sizes, 1)[:, None])[sizes > 0]
    return centres


def _tree_of(points: Numbers) -> cKDTree:
    return cKDTree(doubles(points), leafsize=_LEAF)


def _flat(lists: NDArray[np.object_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the number of the list of every item, and the items."""
    sizes = [len(one) for one in lists]
    return np.repeat(np.arange(len(sizes)), sizes), np.fromiter(chain.from_iterable(lists), np.int64, sum(sizes))


def _cuts(m: int, most: int) -> list[int]:
    """Return the ends of pieces of m points for threads, of about `most` points or fewer."""
    pieces = max(1, min(4 * thread_count(), m // 64), -(-m // max(1, most)))
    return [m * t // pieces for t in range(pieces + 1)]


def kth_smallest(pairs: Pairs, counts: Integers) -> Array:
    """Return for each row its count-th smallest distance, -1 if count is 0; raise if it lists fewer."""
    starts = np.searchsorted(pairs.row, np.arange(len(counts) + 1))
    lacking = np.diff(starts) < counts
    if lacking.any():
        i = np.argmax(lacking)
        listed = f"{starts[i + 1] - starts[i]} distances, not {counts[i]}"
        raise ArgumentError(f"Point {i} lists {listed}; pass a smaller n_neighbors.")
    values = np.append(pairs.distance[_by_distance(pairs, starts)], -1.0)
    return values.take(np.where(counts > 0, starts[:-1] + counts, 0) - 1)


def nearest_first(pairs: Pairs, m: int, count: int) -> tuple[Integers, Array]:
    """Return the `count` nearest points of m rows and their distances; of equal ones those of least index."""
    starts = np.searchsorted(pairs.row, np.arange(m + 1))
    places = _by_distance(pairs, starts)[starts[:-1, None] + np.arange(count)]
    return pairs.column[places], pairs.distance[places]


def nearest(search: Search, new: Points, count: int, themselves: Integers | None = None) -> tuple[Integers, Array]:
    """Return the `count` nearest training points of new ones, and their distances, some rows at a time.

    If new points are training points, `themselves` are their indices, which are left out.
    """
    indices, distances = np.empty((new.shape[0], count), dtype=np.intp), np.empty((new.shape[0], count))
    for part in slices(new.shape[0], _BATCH // count):
        pairs = search.near(new[part], count + (themselves is not None))
        if themselves is not None:
            pairs = pairs.where(themselves[part][pairs.row] != pairs.column)
        indices[part], distances[part] = nearest_first(pairs, part.stop - part.start, count)
    return indices, distances


def _by_distance(pairs: Pairs, starts: Integers) -> Integers:
    """Return the order of pairs by row and distance; of equal ones the least column stays first."""
    sizes = np.diff(starts)
    if sizes.size and sizes[0] and (sizes == sizes[0]).all():  # as a rule without ties; a third of the time
        order = np.argsort(pairs.distance.reshape(-1, sizes[0]), axis=1, kind="stable")
        return (order + starts[:-1, None]).ravel()
    return np.lexsort((pairs.distance, pairs.row))


def to_csr(pairs: Pairs, shape: tuple[int, int], values: NDArray[np.int64] | None = None) -> sparse.csr_array:
    """Return the distances, or other values of the pairs, as a sparse array, zeros stored."""
    dtype = sparse.get_index_dtype(maxval=max(*shape, pairs.row.size))
    data = pairs.distance if values is None else values
    starts = np.searchsorted(pairs.row, np.arange(shape[0] + 1)).astype(dtype)
    result = sparse.csr_array((data, pairs.column.astype(dtype), starts), shape=shape)
    result.has_canonical_format = True
    return result
