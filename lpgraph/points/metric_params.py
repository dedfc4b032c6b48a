"""A metric together with its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_finite_array, check_real
from lpgraph.errors import ArgumentError, ArgumentTypeError

if TYPE_CHECKING:
    from lpgraph.points.types import Array, Metric

__all__ = ["MetricWithParams", "with_params"]

#: Parameters of metrics given by name; those of a function are passed to it.
PARAMETERS = {"minkowski": ("p", "w"), "seuclidean": ("V",), "mahalanobis": ("V", "VI")}

#: Squares of distances that are scaled by such numbers are finite.
_LARGEST = 1e50
#: Names of the Minkowski metric for special p.
_NAMES = {1.0: "cityblock", 2.0: "euclidean", np.inf: "chebyshev"}


@dataclass(frozen=True)
class MetricWithParams:
    """A norm of differences of coordinates that are first scaled or multiplied by a matrix.

    Attributes
    ----------
    name : str
        The name of the metric.
    p : float
        The exponent of the norm.
    scale : ndarray of shape (p,) or (p, p), or None
        The factors or the matrix.
    """

    name: str
    p: float = 2.0
    scale: Array | None = field(default=None, compare=False)


def with_params(metric: Metric, params: Mapping[str, object] | None) -> Metric:
    """Return a metric and its parameters as one value.

    Parameters
    ----------
    metric : str or callable
        A metric's name, or a function of two points.
    params : mapping of str, or None
        For "minkowski", the exponent `p` >= 1 (or inf) and the weights `w` of ``sum_c w_c |a_c - b_c|^p``; for
        "seuclidean" the variances `V`; for "mahalanobis" the covariance `V` or its inverse `VI`. For a function,
        further keyword arguments.

    Returns
    -------
    str, callable or MetricWithParams

    Raises
    ------
    ArgumentError, ArgumentTypeError
        If the metric has no such parameter, or a value is invalid.

    Examples
    --------
    >>> from lpgraph.points.metric_params import with_params
    >>> with_params("minkowski", {"p": 1})
    'cityblock'
    """
    if params is not None and not isinstance(params, Mapping):
        raise ArgumentTypeError(f"metric_params={params!r}; pass a mapping from names to values, or None.")
    if not params:
        return metric
    if callable(metric):
        return partial(metric, **params)
    known = PARAMETERS.get(metric, ()) if isinstance(metric, str) else ()
    for key in params:
        if key not in known:
            remedy = f"pass {' or '.join(map(repr, known))}" if known else "pass None"
            raise ArgumentError(f"metric_params has {key!r}, which metric={metric!r} does not take; {remedy}.")
    if metric == "minkowski":
        p, w = params.get("p", 2), params.get("w")
        power = check_real("metric_params['p']", p, low=1.0, infinite=True)
        if w is None:
            return _NAMES.get(power, MetricWithParams("minkowski", power))
        return MetricWithParams("minkowski", power, _positive("w", w) ** (0.0 if power == np.inf else 1 / power))
    if metric == "seuclidean":
        return MetricWithParams("seuclidean", 2.0, _positive("V", params["V"]) ** -0.5)
    if len(params) > 1:
        raise ArgumentError("metric_params has 'V' and 'VI'; pass only one of the covariance and its inverse.")
    key = next(iter(params))
    matrix = check_finite_array(f"metric_params[{key!r}]", params[key], ndim=2)
    return MetricWithParams("mahalanobis", 2.0, _root(key, matrix))


def _positive(key: str, values: object) -> Array:
    array = check_finite_array(f"metric_params[{key!r}]", values, ndim=1)
    sound = (array >= 1 / _LARGEST) & (array <= _LARGEST)
    if not sound.all():
        c = int(np.argmin(sound))
        raise ArgumentError(
            f"metric_params[{key!r}][{c}] is {array[c]}; pass positive numbers, from {1 / _LARGEST:g} to "
            f"{_LARGEST:g}."
        )
    return array


def _root(key: str, matrix: Array) -> Array:
    """Return W with ``W @ W.T`` the inverse covariance."""
    if matrix.shape[0] != matrix.shape[1] or not np.allclose(matrix, matrix.T):
        raise ArgumentError(f"metric_params[{key!r}] has shape {matrix.shape}; pass a square symmetric matrix.")
    values, vectors = np.linalg.eigh(matrix)
    if values[0] <= 1e-12 * values[-1]:
        raise ArgumentError(
            f"metric_params[{key!r}] has the eigenvalues {values[0]:.3g} to {values[-1]:.3g}; pass a definite "
            "matrix."
        )
    return np.asarray(vectors * (values**0.5 if key == "VI" else values**-0.5))
