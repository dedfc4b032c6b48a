"""Candidate pairs of neighbor searches, the protocol of a search, and operations on pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from scipy import sparse

from lpgraph._cached import cached_property
from lpgraph._slices import slices
from lpgraph.errors import ArgumentError
from lpgraph.linalg.sparse_structure import index_dtype
from lpgraph.points.metric import WORK, Geometry, coordinates_of
from lpgraph.points.rows import blocks, box

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from lpgraph.points.types import Array, Numbers

__all__ = [
    "SLACK",
    "TRIED",
    "CoordinateSearch",
    "Pairs",
    "Reach",
    "Search",
    "check_finite_squares",
    "check_within_range",
    "collect",
    "kth_smallest",
    "nearest_first",
    "symmetric",
    "to_csr",
]

#: Relative difference up to which a distance counts as equal to a radius.
SLACK = 1e-10

#: Nearest points that are searched for to measure times and precision: 10 others and the point itself.
TRIED = 11


class Pairs(NamedTuple):
    """Pairs of a new point and a training point, each pair once, sorted by row and then by column."""

    row: NDArray[np.intp]
    column: NDArray[np.intp]
    distance: Array

    def where(self, keep: NDArray[np.bool_]) -> Pairs:
        """Return the pairs where `keep` is true."""
        return Pairs(self.row[keep], self.column[keep], self.distance[keep])


@dataclass(frozen=True, eq=False)
class Reach:
    """The radii of all training points; a search may add data for searching by them."""

    radii: Array


class Search(Protocol):
    """A search among n training points; new points are dense or sparse as the training points are."""

    def reach(self, radii: Array) -> Reach:
        """Prepare the search for training points i at a distance of at most ``radii[i]``."""
        ...

    def near(self, new: Any, count: int, reach: Reach | None = None) -> Pairs:
        """Return the `count` nearest training points of each new point with ties, and all whose radius covers it.

        The result may contain more pairs, at slightly larger distances.
        """
        ...

    def foreign(self, new: Any, mine: NDArray[np.intp], labels: NDArray[np.intp]) -> Pairs:
        """Return for each new point, which belongs to component ``mine``, a nearest training point of another."""
        ...


@dataclass(frozen=True, eq=False)
class CoordinateSearch:
    """Base of searches by a norm of differences of coordinates."""

    n: int
    form: Geometry
    points: Any  # an array; sparse in `SparseSearch`

    @cached_property
    def _box(self) -> tuple[Array, Array]:
        return box(self.points)

    def _coordinates(self, new: Any) -> Any:
        points: Any = coordinates_of(new, self.form)
        check_within_range(points, *self._box)
        return points


def collect(parts: Iterable[Pairs], n: int) -> Pairs:
    """Join candidates for n training points: each pair once, in order."""
    row, column, distance = (np.concatenate(part) for part in zip(_NONE, *parts, strict=True))
    if not np.isfinite(distance).all():
        e = int(np.argmax(~np.isfinite(distance)))
        raise ArgumentError(
            f"The distance of point {row[e]} to training point {column[e]} is {distance[e]}; "
            "rescale the points, or use a metric that is defined for them."
        )
    key = row * np.int64(n) + column
    if (key[1:] > key[:-1]).all():
        return Pairs(row, column, distance)
    key, first = np.unique(key, return_index=True)
    return Pairs(key // n, key % n, distance[first])


def check_within_range(points: Numbers, low: Array, high: Array) -> None:
    """Raise if squared distances to the bounding box of the training points overflow."""
    with np.errstate(over="ignore"):
        if len(points) > 1:  # the box of all points: less work, and enough if they are no farther than usual
            least, most = box(points)
            far = np.maximum(np.abs(most - low), np.abs(least - high))
            if np.isfinite(4 * np.square(far).sum()):
                return
        squares = np.empty(len(points))
        for part in blocks(points):
            far = np.maximum(np.abs(points[part] - low), np.abs(points[part] - high))
            squares[part] = np.square(far).sum(axis=1)
    check_finite_squares(squares)


def check_finite_squares(squares: Array) -> None:
    """Raise if a point's bound of squared distances overflows."""
    with np.errstate(over="ignore"):
        finite = np.isfinite(4 * squares)  # factor 4 for intermediate sums
    if not finite.all():
        raise ArgumentError(
            f"Point {int(np.argmin(finite))} is so far from other points that distances overflow; "
            "divide all coordinates by the largest."
        )


def kth_smallest(pairs: Pairs, count: NDArray[np.intp]) -> Array:
    """Return for every row its count-th smallest distance."""
    starts = np.searchsorted(pairs.row, np.arange(count.size + 1))
    sizes = np.diff(starts)
    result = np.empty(count.size)
    level = np.ceil(np.log2(sizes))
    for value in np.unique(level):  # rows of similar size are sorted together as an array
        rows = np.flatnonzero(level == value)
        width = 1 << int(value)
        slots = np.arange(width)
        for chosen in slices(rows.size, WORK // width):
            part = rows[chosen]
            table = pairs.distance.take(starts[part, None] + slots, mode="clip")
            table[slots >= sizes[part, None]] = np.inf
            table.sort(axis=1)
            result[part] = table[np.arange(part.size), count[part] - 1]
    return result


def nearest_first(pairs: Pairs, m: int, count: int) -> tuple[NDArray[np.intp], Array]:
    """Return the `count` nearest points of m rows and their distances; of equal ones those of least index."""
    starts = np.searchsorted(pairs.row, np.arange(m + 1))
    sizes = np.diff(starts)
    width = int(sizes.max(initial=0))
    if width > 4 * count + 16:  # many ties: a table would be large
        order = np.lexsort((pairs.column, pairs.distance, pairs.row))
        chosen = order[starts[:-1, None] + np.arange(count)]
    else:
        slots = np.arange(width)
        table = pairs.distance.take(starts[:-1, None] + slots, mode="clip")
        table[slots >= sizes[:, None]] = np.inf
        # Stable, so that of equal distances the least column, which comes first in the pairs, stays first.
        chosen = starts[:-1, None] + np.argsort(table, axis=1, kind="stable")[:, :count]
    return pairs.column[chosen], pairs.distance[chosen]


def symmetric(pairs: Pairs, n: int) -> sparse.csr_array:
    """Return the distances of pairs and of their mirror images."""
    # Entries are the bits of distances as integers from 1 on: scipy's maxima drop zeros, and distances may be 0.
    bits: NDArray[Any] = (pairs.distance + 0.0).view(np.int64) + 1  # adding 0.0 makes -0.0 positive
    one = to_csr(pairs._replace(distance=bits), (n, n))
    other = one.T.tocsr()
    union = one.maximum(other)
    # Where both directions have the same distance, their difference is not stored.
    if (one - other).nnz > 2 * (union.nnz - one.nnz):
        _check_symmetric(pairs, n)
    distance = (union.data - 1).view(np.float64)
    return sparse.csr_array((distance, union.indices, union.indptr), shape=(n, n))


def _check_symmetric(pairs: Pairs, n: int) -> None:
    key, mirrored = pairs.row * np.int64(n) + pairs.column, pairs.column * np.int64(n) + pairs.row
    place = np.minimum(np.searchsorted(key, mirrored), len(key) - 1)
    d, e = pairs.distance, np.where(key[place] == mirrored, pairs.distance[place], pairs.distance)
    differ = np.abs(d - e) > SLACK * (d + e)
    if differ.any():
        at = int(np.argmax(differ))
        i, j = pairs.row[at], pairs.column[at]
        raise ArgumentError(
            f"The metric is not symmetric: the distance from {i} to {j} is {d[at]}, from {j} to {i} {e[at]}; "
            "pass a symmetric metric."
        )


def to_csr(pairs: Pairs, shape: tuple[int, int]) -> sparse.csr_array:
    """Return the distances as a sparse array, zeros stored."""
    dtype = index_dtype(shape, pairs.row.size)
    starts = np.searchsorted(pairs.row, np.arange(shape[0] + 1)).astype(dtype)
    result = sparse.csr_array((pairs.distance, pairs.column.astype(dtype), starts), shape=shape)
    result.has_canonical_format = True
    return result


_NONE = Pairs(np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0))
