"""Points and their positions in an embedding, as read by the quality measures, and the distances in both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from scipy.spatial.distance import cdist

from lpgraph._checks import check_finite_array, check_fitted, check_generator, check_integer, is_string
from lpgraph._slices import slices
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.manifold.base import PointsEmbedding
from lpgraph.points.distance_lists import check_given, is_precomputed
from lpgraph.points.metric import WORK, geometry, pair_distances
from lpgraph.points.metric_params import with_params
from lpgraph.points.sparse_points import is_sparse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray
    from sklearn.base import BaseEstimator

    from lpgraph.points.metric import Geometry
    from lpgraph.points.types import Array, Metric, Points

    #: Positions of points, or a fitted estimator that holds them.
    Embedded: TypeAlias = ArrayLike | BaseEstimator
    Index: TypeAlias = NDArray[np.intp]

__all__ = ["Comparison", "Reading", "Space", "draw"]


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
        New points and their positions.
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
        model = embedding if hasattr(embedding, "get_params") else None
        metric = _metric_of(model) if metric is None else metric
        pairwise = is_precomputed(metric)
        points = check_given("X", X, pairwise, as_sparse=False if pairwise and not lists else None)
        width = points.shape[1]
        positions = _positions("embedding", embedding if model is None else _held(model))
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
        checked = check_given("new", new, pairwise, width, as_sparse=is_sparse(points))
        placed = _positions("new_embedding", _placed(model, new) if new_embedding is None else new_embedding)
        if placed.shape != (checked.shape[0], positions.shape[1]) or not len(placed):
            raise ArgumentError(
                f"new_embedding has shape {placed.shape} for {checked.shape[0]} new points in "
                f"{positions.shape[1]} dimensions; pass one row for each, and at least one point."
            )
        if pairwise and kept is not None:
            checked = checked[:, kept]
        return cls(points, positions, checked, placed, metric)

    @property
    def held_out(self) -> bool:
        """Whether new points are measured."""
        return self.new is not None


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
        Number of training points besides the point itself.
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


def _positions(name: str, value: object) -> Array:
    array = check_finite_array(name, value)
    if array.ndim != 2 or not array.shape[1]:
        remedy = f"pass {name}.reshape(-1, 1) for one dimension" if array.ndim == 1 else "pass (n, d)"
        raise ArgumentError(f"{name} has shape {array.shape}; {remedy}.")
    return np.ascontiguousarray(array)


def _held(model: object) -> object:
    """Return the positions of a fitted estimator."""
    if isinstance(model, PointsEmbedding):
        check_fitted(model, "embedding_")
    held = getattr(model, "embedding_", None)
    if held is None:
        raise ArgumentTypeError(
            f"embedding is a {type(model).__name__} without embedding_; pass a fitted embedding, or positions."
        )
    return held


def _kept(model: object, n: int, size: int) -> Index | None:
    """Return the indices of the points that an embedding kept of n points, if it left out some."""
    if n <= size or not is_string(getattr(model, "components", None), "largest"):
        return None
    kept: Index | None = getattr(model, "kept_", None)
    return kept if kept is not None and kept.max() < n else None


def _placed(model: object, new: object) -> object:
    """Return the positions of new points by the model's own rule."""
    transform = getattr(model, "transform", None)
    if transform is None:
        what = (
            "embedding has no rule for new points" if model is None else f"{type(model).__name__} has no transform"
        )
        raise ArgumentError(
            f"new was passed without new_embedding, and {what}; pass the positions of the new points."
        )
    placed: object = transform(new)
    return placed


def _metric_of(model: object) -> Metric:
    """Return the metric of a fitted embedding of points; Euclidean for others."""
    if not isinstance(model, PointsEmbedding):
        return "euclidean"
    kind = model.input.kind
    if kind in ("similarities", "kernel"):
        raise ArgumentError(
            f"embedding was fitted to {kind}, not to points; pass the points and their metric, such as "
            "metric='euclidean'."
        )
    metric = getattr(model, "metric", "euclidean")
    return with_params(metric, getattr(model, "metric_params", None))
