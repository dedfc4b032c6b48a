"""The smallest number of neighbors, or the smallest radius, that connects points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from lpgraph.errors import ArgumentError, GraphError
from lpgraph.points.bridges import shortest_bridges
from lpgraph.points.find_neighbors import EXACT, find_neighbors
from lpgraph.points.search import SLACK

if TYPE_CHECKING:
    from collections.abc import Callable

    from lpgraph.points.find_neighbors import SearchBy
    from lpgraph.points.types import Metric, Points

__all__ = ["connecting_neighbors", "connecting_radius", "neighbor_ranks"]

#: Neighbors are tried up to so many times the number that was passed, at least so many, and so many pairs.
_TIMES, _LEAST, _PAIRS = 16, 100, 5_000_000
#: Significant digits of a radius.
_DIGITS = 4


def connecting_neighbors(ranks_of: Callable[[int], sparse.csr_array], k: int, n: int) -> int | None:
    """Return the smallest number of neighbors, more than k, that connects n points.

    The number is doubled until the graph is connected. Then it is the largest rank in the tree of edges with the
    smallest ranks: edges of up to this rank connect the graph, and those of smaller ranks do not.

    Parameters
    ----------
    ranks_of : callable
        Returns the (n, n) ranks of neighbors up to a number: j has rank r if it is the r-th nearest of i.
    k : int
        A number that does not connect the points.
    n : int
        Number of points.

    Returns
    -------
    int or None
        None if the largest number that is tried does not connect the points either.

    Examples
    --------
    >>> from functools import partial
    >>> import numpy as np
    >>> from lpgraph.points.connecting import connecting_neighbors, neighbor_ranks
    >>> points = np.array([[0.0], [1.0], [2.0], [7.0], [8.0]])
    >>> connecting_neighbors(partial(neighbor_ranks, points, "euclidean"), 1, 5)
    2
    """
    most = min(n - 1, max(_TIMES * k, _LEAST), _PAIRS // n)
    while k < most:
        k = min(2 * k, most)
        try:
            ranks = ranks_of(k)
        except ArgumentError:  # duplicates or ties give too many edges, or lists of distances are too short
            return None
        if csgraph.connected_components(ranks, directed=False)[0] == 1:
            return int(csgraph.minimum_spanning_tree(ranks).max())
    return None


def neighbor_ranks(points: Points, metric: Metric, k: int, by: SearchBy = EXACT) -> sparse.csr_array:
    """Return the (n, n) ranks of the k nearest other points of every point; points in a tie have the same rank.

    Raises
    ------
    ArgumentError
        As `lpgraph.points.neighborhood.Neighborhood.of`.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.points.connecting import neighbor_ranks
    >>> neighbor_ranks(np.array([[0.0], [1.0], [2.0], [5.0]]), "euclidean", 2).toarray().astype(int)
    array([[0, 1, 2, 0],
           [1, 0, 1, 0],
           [2, 1, 0, 0],
           [0, 2, 1, 0]])
    """
    found = find_neighbors(points, metric, k, None, by)
    near = found.distances.copy()
    for i, radius in enumerate(found.radii.tolist()):
        row = near.data[near.indptr[i] : near.indptr[i + 1]]
        # A neighbor beyond the radius is one because of the other point, which has its rank.
        rank = 1 + np.searchsorted(np.sort(row), row / (1 + SLACK))
        row[:] = np.where(row <= radius * (1 + SLACK), rank, 0)
    near.eliminate_zeros()
    return near


def connecting_radius(
    points: Points, metric: Metric, distances: sparse.csr_array, by: SearchBy = EXACT
) -> float | None:
    """Return the smallest radius that connects the components of a neighbor graph, rounded up to four digits.

    It is the longest edge of a minimum spanning tree over components.

    Returns
    -------
    float or None
        None if no radius connects the points, or if it would give too many edges.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> from lpgraph.points.connecting import connecting_radius
    >>> points = np.array([[0.0], [1.0], [3.14159]])
    >>> connecting_radius(points, "euclidean", lp.neighbor_graph(points, radius=1.0))
    2.142
    """
    labels = csgraph.connected_components(distances, directed=False)[1].astype(np.intp)
    try:
        longest = float(shortest_bridges(points, labels, metric)[1].max())
        radius = _rounded_up(longest)
        found = find_neighbors(points, metric, None, radius, by)
    except (ArgumentError, GraphError):
        return None
    return radius if csgraph.connected_components(found.distances, directed=False)[0] == 1 else None


def _rounded_up(value: float) -> float:
    """Return the next number with a few significant digits."""
    if value == 0.0 or not math.isfinite(value):
        return value
    places = _DIGITS - 1 - math.floor(math.log10(value))
    rounded = round(value, places)
    return rounded if rounded >= value else round(value + 0.5 * 10.0**-places, places)
