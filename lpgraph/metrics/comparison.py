"""Distances of points in the data and in an embedding, in blocks of rows and for pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from scipy.spatial.distance import cdist

from lpgraph._checks import check_generator, check_integer
from lpgraph._slices import slices
from lpgraph.errors import ArgumentError
from lpgraph.points.distance_lists import is_precomputed
from lpgraph.points.metric import WORK, geometry, pair_distances

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lpgraph.metrics.reading import Reading
    from lpgraph.points.metric import Geometry
    from lpgraph.points.types import Array, Metric, Points

    Index: TypeAlias = NDArray[np.intp]

__all__ = ["Comparison", "Space", "draw"]


@dataclass(frozen=True, eq=False)
class Space:
    """Distances from some points to all training points.

    Attributes
    ----------
    name : str
        The argument that holds the points, for errors.
    form : Geometry or None
        The metric; None if distances were passed.
    queries : ndarray or csr_array of shape (m, p), or (m, n)
        Coordinates of the points from which distances are measured, or the distances.
    points : ndarray or csr_array of shape (n, p), or (n, n)
        Coordinates of the training points, or the distances.
    """

    name: str
    form: Geometry | None
    queries: Any
    points: Any

    @classmethod
    def of(cls, name: str, points: Points, new: Points | None, metric: Metric = "euclidean") -> Space:
        """Return the distances of training points, or of new points, to the training points."""
        if is_precomputed(metric):
            return cls(name, None, points if new is None else new, points)
        form = geometry(points, metric)
        coordinates = form.coordinates(points)
        return cls(name, form, coordinates if new is None else form.coordinates(new), coordinates)

    def rows(self, index: Index) -> Array:
        """Return the distances of some of the points to all training points."""
        if self.form is None:
            return cast("Array", self.queries[index])
        return self._finite(self._between(self.form, self.queries[index], self.points))

    def pairs(self, i: Index, j: Index) -> Array:
        """Return the distances of the points i to the training points j, one for each pair."""
        if self.form is None:
            return cast("Array", self.queries[i, j])
        if self.form.norm is not None:
            with np.errstate(over="ignore"):  # an overflow is an error below
                norms = pair_distances(self.queries, i, self.points, j, self.form.norm)
            return self._finite(self.form.forward(norms))
        result = np.empty(i.size)
        order = np.argsort(i, kind="stable")
        first = np.flatnonzero(np.diff(i[order], prepend=-1))
        for part in np.split(order, first[1:]):
            near = self._between(self.form, self.queries[i[part[:1]]], self.points[j[part]])
            result[part] = near[0]
        return self._finite(result)

    @staticmethod
    def _between(form: Geometry, a: Any, b: Any) -> Array:
        return form.forward(np.asarray(cdist(a, b)) if form.block is None else form.block(a, b))

    def _finite(self, distances: Array) -> Array:
        if not (np.isfinite(distances).all() and (distances >= 0).all()):
            raise ArgumentError(
                f"{self.name} has points whose distance is negative, infinite or NaN; divide all coordinates by "
                "the largest, or use a metric that is defined for them."
            )
        return distances


@dataclass(frozen=True, eq=False)
class Comparison:
    """Distances to the training points in the data and in the embedding, from these points or from new ones.

    Attributes
    ----------
    data, embedding : Space
        The distances in both.
    n_points : int
        Number of points from which distances are measured.
    n_others : int
        Number of other training points that a point is compared with.
    held_out : bool
        Whether the points are new ones.
    """

    data: Space
    embedding: Space
    n_points: int
    n_others: int
    held_out: bool

    @classmethod
    def of(cls, read: Reading) -> Comparison:
        """Return the distances of what was read."""
        n = len(read.positions)
        return cls(
            Space.of("X" if read.new is None else "new", read.points, read.new, read.metric),
            Space.of("embedding", read.positions, read.new_positions),
            n if read.new_positions is None else len(read.new_positions),
            n if read.held_out else n - 1,
            read.held_out,
        )

    def blocks(self, index: Index) -> Iterator[tuple[slice, Array, Array]]:
        """Yield the rows of distances of some points, in both spaces; a point is infinitely far from itself."""
        for part in slices(len(index), WORK // (4 * (self.n_others + 1))):
            chosen = index[part]
            near, shown = self.data.rows(chosen), self.embedding.rows(chosen)
            if not self.held_out:
                near[np.arange(len(chosen)), chosen] = np.inf
                shown[np.arange(len(chosen)), chosen] = np.inf
            yield part, near, shown


def draw(name: str, count: int, most: int, random_state: int | np.random.Generator | None) -> Index:
    """Return the indices of all points or, if there are more than `most`, of so many at random, in order."""
    check_integer(name, most, low=2)
    rng = check_generator(0 if random_state is None else random_state)
    if count <= most:
        return np.arange(count)
    return np.sort(rng.choice(count, most, replace=False))
