"""Metrics as norms of differences of coordinates or, if that is not possible, as blocks of distances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._articles import a_type
from lpgraph._checks import meant
from lpgraph._slices import slices
from lpgraph._threads import in_threads
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.linalg.room import empty
from lpgraph.points.metric_params import MetricWithParams
from lpgraph.points.rows import blocks, box, doubles, in_memory, mean_of
from lpgraph.points.sparse_points import (
    WORK,
    euclidean_distances,
    in_dense_blocks,
    is_sparse,
    pair_norms,
    row_norms,
    scaled_rows,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from numpy.typing import NDArray

    from lpgraph.points.types import Array, Metric, Numbers, Points

    #: The distances of all points of one block to all of another.
    Block: TypeAlias = Callable[..., NDArray[np.float64]]


__all__ = [
    "METRICS",
    "WORK",
    "Geometry",
    "coordinates_of",
    "determined",
    "geometry",
    "is_euclidean",
    "pair_distances",
    "pairwise",
]

#: Coordinates of pairs that are subtracted at a time: they stay in a core's cache.
_CACHED = 1 << 15

#: Numpy adds fewer numbers than these one after the other.
_SHORT = 8

_NORMS = {
    "euclidean": 2.0,
    "l2": 2.0,
    "minkowski": 2.0,
    "sqeuclidean": 2.0,
    "seuclidean": 2.0,
    "mahalanobis": 2.0,
    "cosine": 2.0,
    "correlation": 2.0,
    "cityblock": 1.0,
    "l1": 1.0,
    "manhattan": 1.0,
    "chebyshev": np.inf,
}
_CDIST = {"l1": "cityblock", "manhattan": "cityblock"}
_BOOLEAN = ("dice", "jaccard", "rogerstanimoto", "sokalsneath", "yule")
_BLOCKS = ("braycurtis", "canberra", "hamming", "haversine", *_BOOLEAN)

#: Names of metrics of points; a callable ``metric(u, v)`` and "precomputed" are also accepted.
METRICS = (*_NORMS, *_BLOCKS)


@dataclass(frozen=True, eq=False)
class Geometry:
    """A metric, fitted to training points.

    Most metrics are a power of a norm of differences of suitable coordinates: the cosine distance is half the
    squared Euclidean distance of unit vectors, the Mahalanobis distance is the Euclidean distance of whitened
    points. Distances are computed by subtraction, so that equal points have distance exactly 0.

    Attributes
    ----------
    coordinates : callable
        ``coordinates(points, first)`` are the transformed points, with as many columns; each row is independent of
        the batch. An error names the points from the number `first` on, 0 by default.
    norm : 1.0, 2.0, inf or None
        The norm of differences of coordinates; None if the metric is only available as `block`.
    block : callable or None
        ``block(a, b)``, the distances between all rows of coordinates a and b, independent of the block; for
        metrics that are not a Euclidean norm.
    power : 1 or 2
        The distance is ``factor * norm ** power``.
    factor : float
        The factor.
    """

    coordinates: Callable[..., Array]
    norm: float | None
    block: Block | None = None
    power: int = 1
    factor: float = 1.0

    def forward(self, norms: Array) -> Array:
        """Return the distances that correspond to norms."""
        return norms if self.power == 1 else self.factor * norms * norms

    def between(self, a: Any, b: Any) -> Array:
        """Return the distances of all points a to all points b."""
        from scipy.spatial.distance import cdist

        a, b = (self.coordinates(in_memory(some)) for some in (a, b))
        return self.forward(np.asarray(cdist(a, b)) if self.block is None else self.block(a, b))

    def back(self, distances: Array) -> Array:
        """Return the norms that correspond to distances."""
        return distances if self.power == 1 else np.sqrt(distances / self.factor)


def geometry(points: Any, metric: Metric) -> Geometry:
    """Return the geometry of `metric`; ``"seuclidean"`` and ``"mahalanobis"`` depend on the points."""
    if is_sparse(points):
        return _sparse_geometry(points, metric)
    if isinstance(metric, MetricWithParams):
        return _with_params(points.shape[1], metric)
    if callable(metric):
        return Geometry(_unchanged, None, pairwise(metric))
    if not isinstance(metric, str):
        raise ArgumentTypeError(
            f"metric={metric!r} is {a_type(metric)}; pass a name, a callable or 'precomputed'."
        )
    if metric not in METRICS:
        names = ", ".join(map(repr, sorted(METRICS)))
        raise ArgumentError(
            f"metric={metric!r}; pass one of {names}, a callable or 'precomputed'.{meant(metric, METRICS)}"
        )
    if metric == "haversine":
        if points.shape[1] != 2:
            raise ArgumentError(
                f"metric='haversine' but the points have {points.shape[1]} coordinates; "
                "pass latitude and longitude in radians."
            )
        return Geometry(_unchanged, None, _haversine)
    if metric in _BLOCKS:
        return Geometry(_unchanged, None, _distances(metric, boolean=metric in _BOOLEAN))
    if _NORMS[metric] != 2.0:
        return Geometry(_unchanged, _NORMS[metric], _distances(_CDIST.get(metric, metric)))
    if metric == "sqeuclidean":
        return Geometry(_unchanged, 2.0, power=2)
    if metric in ("cosine", "correlation"):
        return Geometry(_unit_rows(centred=metric == "correlation"), 2.0, power=2, factor=0.5)
    if metric == "seuclidean":
        return Geometry(_product_with(_inverse_deviations(points)), 2.0)
    if metric == "mahalanobis":
        return Geometry(_product_with(_whitening(points)), 2.0)
    return Geometry(_unchanged, 2.0)


def coordinates_of(points: Points, form: Geometry) -> Points:
    """Return the coordinates of points in a geometry; a new array takes memory, or a file if it does not fit."""
    if is_sparse(points) or form.coordinates is _unchanged:
        return form.coordinates(points)
    result = np.asarray(empty(points.shape), dtype=np.float64)
    for part in blocks(points):
        result[part] = form.coordinates(doubles(points[part]), part.start)
    return result


def is_euclidean(metric: object) -> bool:
    """Whether a metric of dense points is a function of a Euclidean distance of coordinates."""
    if isinstance(metric, MetricWithParams):
        return metric.p == 2.0
    return isinstance(metric, str) and _NORMS.get(metric) == 2.0


def determined(metric: Metric, points: Any) -> Metric:
    """Return a metric with the parameters that it takes from points, so that it is the same for some of them."""
    if is_sparse(points) or not isinstance(metric, str):
        return metric  # for sparse points such a metric is refused
    if metric == "seuclidean":
        return MetricWithParams("seuclidean", 2.0, _inverse_deviations(points))
    if metric == "mahalanobis":
        return MetricWithParams("mahalanobis", 2.0, _whitening(points))
    return metric


def _with_params(width: int, metric: MetricWithParams) -> Geometry:
    coordinates: Callable[..., Array] = _unchanged
    if metric.scale is not None:
        if len(metric.scale) != width:
            raise ArgumentError(
                f"metric_params of metric={metric.name!r} are for {len(metric.scale)} coordinates but the points "
                f"have {width}; pass one for each."
            )
        coordinates = _product_with(metric.scale)
    if metric.p == 2.0:
        return Geometry(coordinates, 2.0)
    block = _distances("chebyshev") if metric.p == np.inf else _distances("minkowski", p=metric.p)
    return Geometry(coordinates, metric.p if metric.p in (1.0, np.inf) else None, block)


def _sparse_geometry(points: sparse.csr_array, metric: Metric) -> Geometry:
    """Return the geometry of sparse points: Euclidean and cosine by sparse products, others by dense blocks."""
    if isinstance(metric, str):
        if metric in ("seuclidean", "mahalanobis"):
            raise ArgumentError(
                f"metric={metric!r} with sparse X and no metric_params; pass the variances or the covariance "
                "in metric_params, or a dense X."
            )
        if metric == "cosine":
            return Geometry(_unit_sparse_rows, 2.0, euclidean_distances, power=2, factor=0.5)
        if metric in _NORMS and _NORMS[metric] == 2.0 and metric != "correlation":
            return replace(geometry(np.zeros((1, points.shape[1])), metric), block=euclidean_distances)
    dense = geometry(np.zeros((1, points.shape[1])), metric)
    return Geometry(_unchanged, None, in_dense_blocks(dense.between))


def _unit_sparse_rows(points: Any, first: int = 0) -> Any:
    largest = abs(points).max(axis=1).toarray().ravel()
    if not largest.all():
        zero = largest == 0
        count = f" ({zero.sum()} such points)" if zero.sum() > 1 else ""
        raise ArgumentError(
            f"metric='cosine' is not defined for point {int(np.argmax(zero))}, which is zero{count}; drop such "
            "points, as by X = X[np.diff(X.indptr) > 0], or use another metric."
        )
    scaled = scaled_rows(points, 1 / largest)
    return scaled_rows(scaled, 1 / row_norms(scaled))


def pair_distances(a: Any, i: NDArray[np.intp], b: Any, j: NDArray[np.intp], norm: float) -> Array:
    """Return the norms of ``a[i] - b[j]``: bitwise equal in any batch, and with a and b swapped."""
    if is_sparse(a):
        return pair_norms(a, i, b, j, norm)
    result = np.empty(i.size)

    def work(low: int, high: int) -> None:
        for some in slices(high - low, _CACHED // a.shape[1]):
            part = slice(low + some.start, low + some.stop)
            difference = _some_rows(a, i[part])
            difference -= _some_rows(b, j[part])
            if norm == 2.0:
                np.multiply(difference, difference, out=difference)
                np.sqrt(_row_sums(difference), out=result[part])
            elif norm == 1.0:
                np.abs(difference, out=difference).sum(axis=1, out=result[part])
            else:
                np.abs(difference, out=difference).max(axis=1, out=result[part])

    in_threads(work, [*range(0, i.size, max(1, WORK // (4 * a.shape[1]))), i.size])
    return result


def _some_rows(points: Numbers, rows: NDArray[np.intp]) -> Array:
    """Return a copy of some points, by `take` if it does not copy all: it is several times as fast as an index."""
    flags = points.flags
    return doubles(points.take(rows, axis=0) if flags.c_contiguous and flags.aligned else points[rows])


def _row_sums(values: Array) -> Array:
    if values.shape[1] >= _SHORT:
        return np.asarray(values.sum(axis=1))
    sums = values[:, 0].copy()  # the same sums in the same order, without numpy's delay for each row
    for column in values.T[1:]:
        sums += column
    return sums


def _unchanged(points: Any, first: int = 0) -> Any:
    return points


def _unit_rows(centred: bool) -> Callable[..., Array]:
    name, trouble = ("correlation", "constant") if centred else ("cosine", "zero")

    def coordinates(points: Array, first: int = 0) -> Array:
        largest = np.abs(points).max(axis=1, keepdims=True)
        scaled = points / np.where(largest > 0, largest, 1.0)
        if centred:
            scaled = scaled - scaled.mean(axis=1, keepdims=True)
        norms = np.sqrt((scaled * scaled).sum(axis=1))
        if (norms <= 1e-13).any():
            i = first + int(np.argmax(norms <= 1e-13))
            raise ArgumentError(
                f"metric={name!r} is not defined for point {i}, which is {trouble}; "
                "drop it, or use another metric."
            )
        return np.asarray(scaled / norms[:, None])

    return coordinates


def _product_with(matrix: Array) -> Callable[..., Array]:
    def coordinates(points: Array, first: int = 0) -> Array:
        if matrix.ndim == 1:
            return np.asarray(points * matrix)
        # Column by column: the rounding of a BLAS product would depend on the batch.
        result = np.zeros((len(points), matrix.shape[1]))
        for column, row in zip(points.T, matrix, strict=True):
            result += column[:, None] * row
        return result

    return coordinates


def _inverse_deviations(points: Numbers) -> Array:
    low, high = box(points)
    if (low == high).any():
        c = int(np.argmax(low == high))
        raise ArgumentError(f"metric='seuclidean' but column {c} of X is constant; drop that column.")
    centre, total = mean_of(points), np.zeros(points.shape[1])
    for part in blocks(points):
        total += np.square(points[part] - centre).sum(axis=0)
    return np.asarray(np.sqrt((len(points) - 1) / total))


def _whitening(points: Numbers) -> Array:
    """Return W with ``W @ W.T`` the inverse of the points' covariance."""
    if len(points) > points.shape[1]:
        centre, total = mean_of(points), np.zeros((points.shape[1], points.shape[1]))
        for part in blocks(points):
            shifted = points[part] - centre
            total += shifted.T @ shifted
        values, vectors = np.linalg.eigh(total / (len(points) - 1))
        if values[0] > 1e-12 * values[-1]:
            return np.asarray(vectors / np.sqrt(values))
    raise ArgumentError(
        "metric='mahalanobis' but the covariance of X is singular; reduce X by PCA first, or use 'seuclidean'."
    )


def _haversine(a: Array, b: Array) -> Array:
    from sklearn.metrics.pairwise import haversine_distances

    return np.asarray(haversine_distances(a, b))


def _distances(metric: str, *, boolean: bool = False, **options: float) -> Block:
    """Return the function of two sets of points that computes a metric of scipy."""

    def block(a: Array, b: Array) -> Array:
        from scipy.spatial.distance import cdist

        if boolean:
            a, b = a.astype(bool), b.astype(bool)
        return np.asarray(cdist(a, b, metric, **options), dtype=np.float64)  # type: ignore[call-overload]  # wants a literal

    return block


def pairwise(function: Callable[..., float]) -> Block:
    """Return a function of two sets of points that calls a function of two points for all pairs."""

    def block(a: Array, b: Array) -> Array:
        return np.array([[function(u, v) for v in b] for u in a], dtype=np.float64).reshape(len(a), len(b))

    return block
