"""Metrics and their parameters, as norms of differences of coordinates or, if that is not possible, as blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lpgraph._utils.checks import check_choice, check_finite_array, check_real, is_string
from lpgraph._utils.compiled import in_threads, slices
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.linalg.room import empty

from .rows import (
    Points,
    Values,
    blocks,
    dense,
    doubles,
    in_memory,
    is_sparse,
    row_norms,
    scaled_rows,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph._utils.types import Array, Integers

#: A metric's name in scikit-learn, a function of two points, or a metric with its parameters.
Metric: TypeAlias = "str | Callable[[Array, Array], float] | MetricWithParams"
#: The distances of all points of one block to all of another.
Block: TypeAlias = Callable[..., "NDArray[np.float64]"]

#: Entries in work arrays: 64 MB.
WORK = 1 << 23
#: Relative difference up to which a distance counts as equal to a radius.
SLACK = 1e-10
#: Coordinates of pairs that are subtracted at a time: they stay in a core's cache.
_CACHED = 1 << 15
#: Sparse rows whose products are computed at a time.
_ROWS = 128
#: Squared distances of sparse rows below this fraction of the squared norms are computed by subtraction.
_CANCELS = 1e-4

_EUCLIDEAN = ("euclidean", "l2", "minkowski", "sqeuclidean", "seuclidean", "mahalanobis", "cosine", "correlation")
_NORMS = dict.fromkeys(_EUCLIDEAN, 2.0) | {"cityblock": 1.0, "l1": 1.0, "manhattan": 1.0, "chebyshev": np.inf}
_BOOLEAN = ("dice", "jaccard", "rogerstanimoto", "sokalsneath", "yule")
_BLOCKS = ("braycurtis", "canberra", "hamming", "haversine", *_BOOLEAN)

#: Names of metrics of points; a callable ``metric(u, v)`` and "precomputed" are also accepted.
METRICS = (*_NORMS, *_BLOCKS)
_WITH_PARAMS = ("minkowski", "seuclidean", "mahalanobis")


@dataclass(frozen=True)
class MetricWithParams:
    """A metric of scipy and its parameters.

    Attributes
    ----------
    name : str
        The name of the metric.
    params : mapping of str
        The arguments of `scipy.spatial.distance.cdist`.
    """

    name: str
    params: Mapping[str, object] = field(compare=False)


@dataclass(frozen=True, eq=False)
class Geometry:
    """A metric of points of some width.

    Most metrics are a power of a norm of differences of suitable coordinates: the cosine distance is half the
    squared Euclidean distance of unit vectors. Distances are computed by subtraction, so that equal points have
    distance exactly 0.

    Attributes
    ----------
    coordinates : callable
        ``coordinates(points, first)`` are the transformed points, with as many columns; each row is independent of
        the batch. An error names the points from the number `first` on, 0 by default.
    norm : 1.0, 2.0, inf or None
        The norm of differences of coordinates; None if the metric is only available as `block`.
    block : callable
        ``block(a, b)``, the norms or, without a norm, the distances of all rows of coordinates a and b,
        independent of the block.
    power : 1 or 2
        The distance is ``factor * norm ** power``.
    factor : float
        The factor.
    """

    coordinates: Callable[..., Values]
    norm: float | None
    block: Block
    power: int = 1
    factor: float = 1.0

    def forward(self, norms: Array) -> Array:
        """Return the distances that correspond to norms."""
        return norms if self.power == 1 else self.factor * norms * norms

    def back(self, distances: Array) -> Array:
        """Return the norms that correspond to distances."""
        return distances if self.power == 1 else np.sqrt(distances / self.factor)

    def between(self, a: Points, b: Points) -> Array:
        """Return the distances of all points a to all points b."""
        return self.forward(self.block(*(self.coordinates(in_memory(some)) for some in (a, b))))


def geometry(points: Points, metric: Metric) -> Geometry:
    """Return the geometry of `metric` for points that are as wide and as sparse as the given ones."""
    if is_sparse(points):
        return _sparse_geometry(points, metric)
    if isinstance(metric, MetricWithParams):
        return Geometry(_unchanged, None, _distances(metric.name, **metric.params))
    if callable(metric):
        return Geometry(_unchanged, None, pairwise(metric))
    name = check_choice("metric", metric, METRICS)
    if name in ("seuclidean", "mahalanobis"):
        raise ArgumentError(f"metric={name!r} without metric_params; pass metric_params={{'V': ...}}.")
    if name in ("cosine", "correlation"):
        return Geometry(partial(_unit_rows, name), 2.0, _distances("euclidean"), power=2, factor=0.5)
    norm = _NORMS.get(name)
    block = _distances("euclidean" if norm == 2.0 else name)
    return Geometry(_unchanged, norm, block, 1 + (name == "sqeuclidean"))


def coordinates_of(points: Points, form: Geometry) -> Points:
    """Return the coordinates of points in a geometry; a new array takes memory, or a file if it does not fit."""
    if form.coordinates is _unchanged:
        return points
    if is_sparse(points):
        return form.coordinates(points)
    result = np.asarray(empty(points.shape))
    for part in blocks(points):
        result[part] = dense(form.coordinates(doubles(points[part]), part.start))
    return result


def with_params(metric: Metric, params: Mapping[str, object] | None) -> Metric:
    """Return a metric and its parameters as one value.

    Parameters
    ----------
    metric : str or callable
        A metric's name, or a function of two points.
    params : mapping of str, or None
        As for scipy: for "minkowski", the exponent `p` >= 1 (or inf) and the weights `w` of
        ``sum_c w_c |a_c - b_c|^p``; for "seuclidean" the variances `V`; for "mahalanobis" the inverse covariance
        `VI`, or the covariance `V`. For a function, further keyword arguments.

    Returns
    -------
    str, callable or MetricWithParams

    Raises
    ------
    ArgumentError, ArgumentTypeError
        If the metric has no parameters, or `p` or `V` is invalid. scipy checks the other parameters when the first
        distances are computed.

    Examples
    --------
    >>> from lpgraph.points.metric import with_params
    >>> with_params("minkowski", {"p": 1})
    'cityblock'
    """
    if params is not None and not isinstance(params, Mapping):
        raise ArgumentTypeError(f"metric_params={params!r}; pass a mapping from names to values, or None.")
    if not params:
        return metric
    if callable(metric):
        return partial(metric, **params)
    if metric == "minkowski" and set(params) == {"p"}:
        power = check_real("metric_params['p']", params["p"], low=1.0, infinite=True)
        named = {1.0: "cityblock", 2.0: "euclidean", np.inf: "chebyshev"}.get(power)
        return named or MetricWithParams(metric, {"p": power})
    if metric == "mahalanobis" and set(params) == {"V"}:
        covariance = check_finite_array("metric_params['V']", params["V"], ndim=2)
        try:
            return MetricWithParams(metric, {"VI": np.linalg.inv(covariance)})
        except np.linalg.LinAlgError as error:
            raise ArgumentError(f"metric_params['V']: {error}; pass a matrix with an inverse.") from error
    if metric not in _WITH_PARAMS:
        raise ArgumentError(f"metric_params={params} with metric={metric!r}; only {_WITH_PARAMS} take parameters.")
    return MetricWithParams(metric, params)


def _sparse_geometry(points: sparse.csr_array, metric: Metric) -> Geometry:
    """Return the geometry of sparse points: Euclidean and cosine by sparse products, others by dense blocks."""
    if is_string(metric, "cosine"):
        return Geometry(_unit_sparse_rows, 2.0, _sparse_distances, power=2, factor=0.5)
    dense = geometry(np.zeros((1, points.shape[1])), metric)
    if dense.norm == 2.0 and dense.coordinates is _unchanged:
        return replace(dense, block=_sparse_distances)
    return Geometry(_unchanged, None, in_dense_blocks(dense.between))


def pair_distances(a: Points, i: Integers, b: Points, j: Integers, norm: float) -> Array:
    """Return the norms of ``a[i] - b[j]``: bitwise equal in any batch, and with a and b swapped."""
    result, width, at_once = np.empty(i.size), a.shape[1], _CACHED
    if is_sparse(a) and is_sparse(b):
        width, at_once = 8 * (1 + max(a.nnz // max(1, a.shape[0]), b.nnz // max(1, b.shape[0]))), WORK

    def work(low: int, high: int) -> None:
        one, other = a[i[low:high]], b[j[low:high]]
        if is_sparse(one) and is_sparse(other):
            result[low:high] = row_norms(one - other)
        else:
            result[low:high] = _dense_norms(doubles(dense(one)) - doubles(dense(other)), norm)

    in_threads(work, [*range(0, i.size, max(1, at_once // width)), i.size])
    return result


def _dense_norms(difference: Array, norm: float) -> Array:
    if norm == 2.0:
        return np.asarray(np.sqrt(np.square(difference, out=difference).sum(axis=1)))
    np.abs(difference, out=difference)
    return np.asarray(difference.sum(axis=1) if norm == 1.0 else difference.max(axis=1))


def _sparse_distances(a: sparse.csr_array, b: sparse.csr_array) -> Array:
    """Return the (m, n) Euclidean distances of sparse rows: by products, or by subtraction where these cancel."""
    result, squares = np.empty((a.shape[0], b.shape[0])), row_norms(b) ** 2

    def work(low: int, high: int) -> None:
        some, block = a[low:high], result[low:high]
        used = np.unique(some.indices)
        # With a dense factor, because a product of sparse rows is dense, and scipy finds its entries first.
        np.multiply((b[:, used] @ np.ascontiguousarray(some[:, used].toarray().T)).T, -2.0, out=block)
        block += row_norms(some)[:, None] ** 2 + squares

    in_threads(work, [*range(0, a.shape[0], _ROWS), a.shape[0]])
    i, j = np.nonzero(result <= _CANCELS * (row_norms(a)[:, None] ** 2 + squares))
    np.sqrt(np.maximum(result, 0.0, out=result), out=result)
    result[i, j] = pair_distances(a, i, b, j, 2.0)
    return result


def in_dense_blocks(block: Block) -> Block:
    """Return a function of sparse points that calls `block` with dense ones, several rows at a time."""

    def function(a: sparse.csr_array, b: sparse.csr_array) -> Array:
        step, result = WORK // max(1, a.shape[1]), np.empty((a.shape[0], b.shape[0]))
        for j in slices(b.shape[0], step):
            right = b[j].toarray()
            for i in slices(a.shape[0], step):
                result[i, j] = block(a[i].toarray(), right)
        return result

    return function


def _distances(metric: str, **options: object) -> Block:
    """Return the function of two sets of points that computes a metric of scikit-learn, by scipy's loops."""

    def block(a: Array, b: Array) -> Array:
        from scipy.spatial.distance import cdist
        from sklearn.metrics import pairwise_distances

        if metric == "euclidean":  # scikit-learn's are not differences
            return cdist(a, b)
        if metric in _BOOLEAN:
            a, b = a.astype(bool), b.astype(bool)
        try:
            return np.asarray(pairwise_distances(a, b, metric, **options), dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ArgumentError(f"metric={metric!r} with metric_params={options}: {error}") from error

    return block


def pairwise(function: Callable[..., float]) -> Block:
    """Return a function of two sets of points that calls a function of two points for all pairs."""

    def block(a: Array, b: Array) -> Array:
        return np.array([function(u, v) for u in a for v in b], dtype=np.float64).reshape(len(a), len(b))

    return block


def _unchanged(points: Values, first: int = 0) -> Values:
    return points


def _unit_rows(name: str, points: Array, first: int = 0) -> Array:
    largest = np.abs(points).max(axis=1, keepdims=True)
    scaled = points / np.where(largest > 0, largest, 1.0)
    if name == "correlation":
        scaled = scaled - scaled.mean(axis=1, keepdims=True)
    norms = np.sqrt((scaled * scaled).sum(axis=1))
    if (norms <= 1e-13).any():
        i, trouble = first + np.argmin(norms), "zero" if name == "cosine" else "constant"
        raise ArgumentError(f"metric={name!r} is not defined for point {i}, which is {trouble}; drop it.")
    return np.asarray(scaled / norms[:, None])


def _unit_sparse_rows(points: sparse.csr_array, first: int = 0) -> sparse.csr_array:
    largest = abs(points).max(axis=1).toarray().ravel()
    if not largest.all():
        zero = first + np.argmin(largest)
        raise ArgumentError(f"metric='cosine' is not defined for point {zero}, which is zero; drop such points.")
    scaled = scaled_rows(points, 1 / largest)
    return scaled_rows(scaled, 1 / row_norms(scaled))
