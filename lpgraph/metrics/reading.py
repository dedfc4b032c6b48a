"""Reading of points and their positions in an embedding, also as a fitted estimator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lpgraph._articles import a_type
from lpgraph._checks import check_finite_array, check_fitted, is_string
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.manifold.base import PointsEmbedding
from lpgraph.points.distance_lists import check_given, is_precomputed
from lpgraph.points.metric_params import with_params
from lpgraph.points.rows import in_memory
from lpgraph.points.sparse_points import is_sparse

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from sklearn.base import BaseEstimator

    from lpgraph.points.types import Array, Metric, Points

    #: Positions of points, or a fitted estimator that holds them.
    Embedded: TypeAlias = ArrayLike | BaseEstimator
    Index: TypeAlias = NDArray[np.intp]

__all__ = ["Reading"]


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
        points = in_memory(check_given("X", X, pairwise, as_sparse=False if pairwise and not lists else None))
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
        checked = in_memory(check_given("new", new, pairwise, width, as_sparse=is_sparse(points)))
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
            f"embedding is {a_type(model)} without embedding_; pass a fitted embedding, or positions."
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
