"""Ranks of neighbors in two spaces, with ties counted as if they were broken at random, in expectation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.points.types import Array

    Index = NDArray[np.intp]

__all__ = ["Nearest", "nearest"]

#: Distances whose relative difference is smaller are equal: the difference is rounding.
_ROUNDING = 1e-10


class Nearest(NamedTuple):
    """The nearest points of one point in one space, and their ranks in another.

    Ranks begin at 1. Points at equal distance have the ranks ``low + 1, ..., high`` between them, each equally
    likely.

    Attributes
    ----------
    shares : ndarray of shape (j, q)
        The probability that a point is among the k nearest, for the q values of k.
    low, high : ndarray of shape (j,)
        The ranks of the points in the other space.
    """

    shares: Array
    low: Index
    high: Index

    def excess(self, ks: Index) -> Array:
        """Return the sum over the k nearest of the expected ranks beyond k in the other space, for each k."""
        beyond_high, beyond_low = (np.maximum(r[:, None] - ks, 0) for r in (self.high, self.low))
        sums = (beyond_high * (beyond_high + 1) - beyond_low * (beyond_low + 1)) / 2
        total: Array = (self.shares * sums / (self.high - self.low)[:, None]).sum(axis=0)
        return total

    def kept(self, ks: Index) -> Array:
        """Return the expected number of the k nearest that are so in the other space also, for each k."""
        total: Array = (self.shares * _within(ks, self.low, self.high)).sum(axis=0)
        return total


def nearest(own: Array, other: Array, other_sorted: Array, ks: Index) -> Nearest:
    """Return the nearest points by one row of distances, with their ranks by another.

    Parameters
    ----------
    own, other : ndarray of shape (n,)
        Distances of one point to the same n points in two spaces.
    other_sorted : ndarray of shape (n,)
        The second row, sorted.
    ks : ndarray of shape (q,)
        Numbers of neighbors, at most n.

    Returns
    -------
    Nearest

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.metrics.neighbor_ranks import nearest
    >>> far = np.array([3.0, 1.0, 2.0])
    >>> found = nearest(np.array([1.0, 1.0, 5.0]), far, np.sort(far), np.array([1]))
    >>> found.shares.ravel(), found.high  # two are equally near; they are the third and the first elsewhere
    (array([0.5, 0.5]), array([3, 1]))
    """
    most = int(ks.max())
    chosen = np.flatnonzero(own <= np.partition(own, most - 1)[most - 1] * (1 + _ROUNDING))
    values = own[chosen]
    return Nearest(_within(ks, *_ranks(np.sort(values), values)), *_ranks(other_sorted, other[chosen]))


def _ranks(ordered: Array, values: Array) -> tuple[Index, Index]:
    """Return how many of the sorted distances are smaller than each value, and how many are not larger."""
    return (
        np.searchsorted(ordered, values * (1 - _ROUNDING), side="left"),
        np.searchsorted(ordered, values * (1 + _ROUNDING), side="right"),
    )


def _within(ks: Index, low: Index, high: Index) -> Array:
    """Return the probability that a rank between low + 1 and high is at most k."""
    return np.clip((ks - low[:, None]) / (high - low)[:, None], 0.0, 1.0)
