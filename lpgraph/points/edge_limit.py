"""Limits on the size of neighbor graphs: many ties, many duplicates or a large radius raise an error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph.errors import ArgumentError
from lpgraph.points.equal_rows import copies
from lpgraph.points.rows import doubles
from lpgraph.points.sparse_points import is_sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.points.search import Reach, Search
    from lpgraph.points.types import Points

__all__ = ["check_duplicates", "check_radius", "check_ties"]

#: A graph of k neighbors may have this many times n k entries, or `_SMALL` entries in total.
_MOST_TIES = 50
_SMALL = 1_000_000

#: Entries that a graph by radius may have; building it takes several gigabytes.
_MOST = 50_000_000

#: Distances computed to estimate the number of entries.
_LOOK = 1 << 22


def check_duplicates(points: Points, k: int) -> None:
    """Raise, before any search, if duplicates alone make the graph too large."""
    n = points.shape[0]
    most = max(_SMALL, _MOST_TIES * n * k)
    # Equal points have equal first coordinates, and sorting numbers is much faster than sorting points.
    if not is_sparse(points) and _pairs(np.unique(doubles(points[:, 0]), return_counts=True)[1]) <= most:
        return
    times = copies(points)
    entries = _pairs(times)
    if entries > most:
        what = f"duplicates give {entries} neighbors: one point occurs {times.max()} times"
        raise _too_many_ties(n, k, what, "drop duplicates: np.unique(X, axis=0)")


def _pairs(copies: NDArray[np.intp]) -> int:
    return int((copies * (copies - 1)).sum())


def check_ties(n: int, k: int, entries: int) -> None:
    """Raise if ties make a graph of k neighbors too large."""
    if entries > max(_SMALL, _MOST_TIES * n * k):
        remedy = "pass radius instead, or a metric with fewer ties"
        raise _too_many_ties(n, k, f"ties give {entries} neighbors", remedy)


def check_radius(search: Search, points: Points, radius: float, reach: Reach | None) -> None:
    """Raise if a radius gives too many neighbors, estimated from an evenly spaced sample of points."""
    n = points.shape[0]
    if n * n <= _MOST:
        return
    looked = np.unique(np.linspace(0, n - 1, min(n, max(64, _LOOK // n))).astype(np.intp))
    if np.isinf(radius):
        entries = float(n) * n
    else:
        entries = len(search.near(points[looked], 0, reach).row) * n / len(looked)
    if entries > _MOST:
        raise ArgumentError(
            f"radius={radius} with {n} points gives about {entries:.2g} neighbors, but at most "
            f"{_MOST:.2g} are allowed; pass a smaller radius, or n_neighbors."
        )


def _too_many_ties(n: int, k: int, what: str, remedy: str) -> ArgumentError:
    return ArgumentError(
        f"n_neighbors={k} with {n} points, but points at equal distance are all neighbors, and {what}; {remedy}."
    )
