"""The two arguments of every measure: points and their positions, with distances to the training points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
from scipy.spatial.distance import cdist

from lpgraph._utils.checks import check_finite_array, check_generator, check_integer, is_string
from lpgraph._utils.compiled import slices
from lpgraph._utils.estimators import not_fitted
from lpgraph.errors import ArgumentError
from lpgraph.manifold.base import PointsEmbedding
from lpgraph.points.checks import check_given, is_precomputed, kind_of
from lpgraph.points.metric import WORK, geometry, pair_distances, with_params
from lpgraph.points.rows import in_memory, is_sparse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray
    from sklearn.base import BaseEstimator

    from lpgraph._utils.checks import Foreign
    from lpgraph.points.metric import Geometry
    from lpgraph.points.rows import Array, Metric, Points

    #: Positions of points, or a fitted estimator that holds them.
    Embedded: TypeAlias = ArrayLike | BaseEstimator
    Index: TypeAlias = NDArray[np.intp]
    Seed: TypeAlias = int | np.random.Generator | None


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
    queries: Foreign
    points: Foreign

    @classmethod
    def of(cls, name: str, points: Points, new: Points | None, metric: Metric = "euclidean") -> Space:
        """Return the distances of training points, or of new points, to the training points."""
        form = None if is_precomputed(metric) else geometry(points, metric)
        if form is None:
            return cls(name, None, points if new is None else new, points)
        coordinates = form.coordinates(points)
        return cls(name, form, coordinates if new is None else form.coordinates(new), coordinates)

    def rows(self, index: Index) -> Array:
        """Return the distances of some of the points to all training points."""
        return self._between(index, slice(None))

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
        for part in np.split(order, np.flatnonzero(np.diff(i[order], prepend=-1))[1:]):
            result[part] = self._between(i[part[:1]], j[part])[0]
        return result

    def _between(self, i: Index, j: Index | slice) -> Array:
        """Return the distances of the points i to the training points j."""
        if self.form is None:
            return cast("Array", self.queries[i][:, j])
        a, b = self.queries[i], self.points[j]
        norms = np.asarray(cdist(a, b)) if self.form.block is None else self.form.block(a, b)
        return self._finite(self.form.forward(norms))

    def _finite(self, distances: Array) -> Array:
        if not (np.isfinite(distances).all() and (distances >= 0).all()):
            raise ArgumentError(
                f"{self.name} has distances that are infinite or NaN; divide it by its largest entry."
            )
        return distances


@dataclass(frozen=True, eq=False)
class Reading:
    """Checked points and their positions.

    Attributes
    ----------
    points : ndarray or csr_array of shape (n, p), or (n, n)
        Training points, or their distances.
    positions : ndarray of shape (n, d)
        Their positions.
    new, new_positions : arrays of shape (m, p), or (m, n), and (m, d), or None
        New points and their positions; if given, they are measured.
    metric : str or callable
        The metric of the points.
    """

    points: Points
    positions: Array
    new: Points | None
    new_positions: Array | None
    metric: Metric

    @classmethod
    def of(
        cls,
        X: object,
        embedding: Embedded,
        metric: Metric | None,
        new: object,
        new_embedding: ArrayLike | None,
        *,
        lists: bool = False,
    ) -> Reading:
        """Check the arguments of a measure; with `lists`, distances may be sparse lists of those of neighbors."""
        model: object = embedding if hasattr(embedding, "get_params") else None
        metric = _metric_of(model) if metric is None else metric
        pairwise = is_precomputed(metric)
        points = in_memory(
            check_given("X", X, kind_of(metric), as_sparse=False if pairwise and not lists else None)
        )
        width = points.shape[1]
        if model is not None and getattr(model, "embedding_", None) is None:
            raise not_fitted(f"embedding is {model!r:.80} without embedding_; pass a fitted one, or positions.")
        positions = _positions("embedding", getattr(model, "embedding_", embedding))
        kept = _kept(model, points.shape[0], len(positions))
        if kept is not None:
            points = points[kept][:, kept] if pairwise else points[kept]
        if points.shape[0] != len(positions):
            raise ArgumentError(
                f"embedding has {len(positions)} rows but X has {points.shape[0]} points; pass one row for each."
            )
        if new is None:
            if new_embedding is not None:
                raise ArgumentError("new_embedding was passed without new; pass the new points too.")
            return cls(points, positions, None, None, metric)
        checked = in_memory(check_given("new", new, kind_of(metric), width, as_sparse=is_sparse(points)))
        if new_embedding is None:
            if not hasattr(model, "transform"):
                raise ArgumentError("new_embedding is None; pass the positions of the new points.")
            new_embedding = model.transform(new)
        placed = _positions("new_embedding", new_embedding)
        if placed.shape != (checked.shape[0], positions.shape[1]) or not len(placed):
            most = max(1, checked.shape[0]), positions.shape[1]
            raise ArgumentError(f"new_embedding has shape {placed.shape}; pass an array of shape {most}.")
        if pairwise and kept is not None:
            checked = checked[:, kept]
        return cls(points, positions, checked, placed, metric)

    @property
    def held_out(self) -> bool:
        """Whether new points are measured."""
        return self.new is not None

    @property
    def n_points(self) -> int:
        """Number of points from which distances are measured."""
        return len(self.positions if self.new_positions is None else self.new_positions)

    @property
    def n_others(self) -> int:
        """Number of other training points that a point is compared with."""
        return len(self.positions) - (not self.held_out)

    @cached_property
    def data(self) -> Space:
        """Distances in the data."""
        return Space.of("new" if self.held_out else "X", self.points, self.new, self.metric)

    @cached_property
    def embedding(self) -> Space:
        """Distances in the embedding."""
        return Space.of("embedding", self.positions, self.new_positions)

    def blocks(self, index: Index) -> Iterator[tuple[slice, Array, Array]]:
        """Yield the rows of distances of some points, in both spaces; a point is infinitely far from itself."""
        for part in slices(len(index), WORK // (4 * (self.n_others + 1))):
            chosen = index[part]
            near, shown = self.data.rows(chosen), self.embedding.rows(chosen)
            if not self.held_out:
                near[np.arange(len(chosen)), chosen] = np.inf
                shown[np.arange(len(chosen)), chosen] = np.inf
            yield part, near, shown


def seeded(random_state: Seed) -> np.random.Generator:
    """Return a generator; None means a fixed seed."""
    return check_generator(0 if random_state is None else random_state)


def draw(name: str, count: int, most: int, rng: np.random.Generator) -> Index:
    """Return the indices of all points or, if there are more than `most`, of so many at random, in order."""
    if count <= check_integer(name, most, low=2):
        return np.arange(count)
    return np.sort(rng.choice(count, most, replace=False))


def _positions(name: str, value: object) -> Array:
    array = check_finite_array(name, value)
    if array.ndim != 2 or not array.shape[1]:
        raise ArgumentError(f"{name} has shape {array.shape}; pass (n, d), {name}.reshape(-1, 1) for one column.")
    return np.ascontiguousarray(array)


def _kept(model: object, n: int, size: int) -> Index | None:
    """Return the indices of the points that an embedding kept of n points, if it left out some."""
    if n > size and is_string(getattr(model, "components", None), "largest"):
        kept: Index = getattr(model, "kept_", np.array([n]))
        return kept if kept.max() < n else None
    return None


def _metric_of(model: object) -> Metric:
    """Return the metric of a fitted embedding of points; Euclidean for others."""
    if not isinstance(model, PointsEmbedding):
        return "euclidean"
    if model.input.kind in ("similarities", "kernel"):
        raise ArgumentError(
            f"embedding was fitted to {model.input.kind}, not to points; pass metric=, such as 'euclidean'."
        )
    return with_params(getattr(model, "metric", "euclidean"), getattr(model, "metric_params", None))
