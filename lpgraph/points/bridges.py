"""Shortest edges between connected components: a minimum spanning tree over components."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from lpgraph.points.distance_lists import check_given, is_precomputed
from lpgraph.points.search import make_search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.points.search import Pairs
    from lpgraph.points.types import Metric

__all__ = ["shortest_bridges"]


def shortest_bridges(
    points: object, labels: NDArray[np.intp], metric: Metric = "euclidean"
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the edges that join components with the least total length.

    These edges form a minimum spanning tree over components, found by Boruvka's algorithm: every component except
    the largest takes the shortest edge that leaves it, until one component is left.

    Parameters
    ----------
    points : array_like of shape (n, p)
        The points, or their (n, n) distances with ``metric="precomputed"``.
    labels : ndarray of shape (n,)
        The component of every point, 0, 1, ...
    metric : str or callable, default "euclidean"
        As for `neighbor_graph`.

    Returns
    -------
    bridges : ndarray of shape (components - 1, 2)
        Pairs of points i < j, in order.
    lengths : ndarray of shape (components - 1,)

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.points.bridges import shortest_bridges
    >>> shortest_bridges([[0.0], [1.0], [9.0], [4.0]], np.array([0, 0, 1, 2]))
    (array([[1, 3],
            [2, 3]]), array([3., 5.]))
    """
    array = check_given("points", points, is_precomputed(metric))
    search = make_search(array, metric)
    count = int(labels.max()) + 1
    chosen: list[tuple[int, int, float]] = []
    while count > 1:
        largest = int(np.argmax(np.bincount(labels)))
        leaving = np.flatnonzero(labels != largest)
        pairs = search.foreign(array[leaving], labels[leaving], labels)
        tree = _forest(_shortest(pairs, leaving, labels), labels, count)
        chosen += tree
        ends = np.array([(labels[i], labels[j]) for i, j, _ in tree], dtype=np.intp)
        joined = sparse.coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count, count))
        count, merged = csgraph.connected_components(joined, directed=False)
        labels = merged[labels].astype(np.intp)
    chosen.sort()
    edges = np.array([(i, j) for i, j, _ in chosen], dtype=np.intp).reshape(-1, 2)
    return edges, np.array([length for _, _, length in chosen])


def _shortest(pairs: Pairs, leaving: NDArray[np.intp], labels: NDArray[np.intp]) -> list[tuple[float, int, int]]:
    """Return the shortest edge of every component; ties are broken by the indices of the end points."""
    i, j = leaving[pairs.row], pairs.column
    low, high = np.minimum(i, j), np.maximum(i, j)
    order = np.lexsort((high, low, pairs.distance, labels[i]))
    first = np.unique(labels[i][order], return_index=True)[1]
    best = order[first]
    return list(zip(pairs.distance[best].tolist(), low[best].tolist(), high[best].tolist(), strict=True))


def _forest(
    edges: list[tuple[float, int, int]], labels: NDArray[np.intp], count: int
) -> list[tuple[int, int, float]]:
    """Return the edges in order of length, without those that close a cycle of components."""
    parent = list(range(count))

    def root(c: int) -> int:
        while parent[c] != c:
            parent[c] = parent[parent[c]]
            c = parent[c]
        return c

    kept = []
    for length, i, j in sorted(edges):
        a, b = root(int(labels[i])), root(int(labels[j]))
        if a != b:
            parent[a] = b
            kept.append((i, j, length))
    return kept
