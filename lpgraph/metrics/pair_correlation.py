"""Correlations and stress of pairs of distances, with standard errors of a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.points.types import Array

    #: A value, and each pair's influence on it: the change of the value with the pair's weight.
    Estimate = tuple[float, Array]

__all__ = ["correlation", "rank_correlation", "sampling_error", "stress"]


def correlation(x: Array, y: Array) -> Estimate:
    """Return Pearson's correlation of two arrays, neither of which is constant."""
    a, b = (values - values.mean() for values in (x, y))
    a, b = (values / np.sqrt(np.square(values).mean()) for values in (a, b))
    r = float(np.clip((a * b).mean(), -1.0, 1.0))
    return r, a * b - r * (a * a + b * b) / 2


def rank_correlation(x: Array, y: Array) -> Estimate:
    """Return Spearman's correlation of ranks, ties at their mean rank; the ranks are taken as fixed."""
    return correlation(rankdata(x), rankdata(y))


def stress(x: Array, y: Array) -> Estimate:
    r"""Return :math:`\min_a \sqrt{\sum (x - a y)^2 / \sum x^2}` of two arrays, neither of which is zero."""
    x, y = x / np.sqrt(np.square(x).mean()), y / np.sqrt(np.square(y).mean())
    shared = float((x * y).mean())
    value = float(np.sqrt(max(0.0, 1 - shared * shared)))
    if value < 1e-8:  # rounding
        return 0.0, np.zeros(len(x))
    return value, shared * (shared * (x * x + y * y) / 2 - x * y) / value


def sampling_error(influences: Array, groups: NDArray[np.intp]) -> float:
    """Return the standard error of an estimate from pairs that were drawn in independent groups."""
    sums = np.bincount(groups, weights=influences)
    count = len(sums)
    return float(np.sqrt(count / (count - 1) * np.square(sums).sum()) / len(influences))
