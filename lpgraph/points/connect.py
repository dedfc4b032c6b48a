"""Connecting a neighbor graph: its components, bridges between them, and the parameter that would connect it."""

from __future__ import annotations

from bisect import bisect_left
from decimal import ROUND_CEILING, Context
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from lpgraph._utils.checks import check_choice
from lpgraph._utils.compiled import slices
from lpgraph.errors import ArgumentError, DisconnectedError, GraphError
from lpgraph.points.checks import check_given, check_graph, is_precomputed, kind_of
from lpgraph.points.metric import WORK, determined
from lpgraph.points.neighborhood import EXACT, SearchBy, find_neighbors
from lpgraph.points.rows import is_sparse
from lpgraph.points.search import BlockSearch, make_search

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lpgraph.points.rows import Array, Metric, Points

POLICIES = ("error", "largest", "bridge")

#: Neighbors are tried up to so many times the number that was passed, at least so many, and so many pairs.
_TIMES, _LEAST, _PAIRS = 16, 100, 5_000_000
#: Largest component of which a point looks for the nearest of another among as many points as that has.
_FEW = 200


class Connected(NamedTuple):
    """A connected graph of distances, and how it was connected.

    Attributes
    ----------
    graph : csr_array of shape (k, k)
        Distances of neighbors; stored zeros are edges.
    kept : ndarray of shape (k,)
        The points that were kept, in order. Neighbors of new points are searched among them.
    bridges : ndarray of shape (b, 2)
        Pairs of points (rows of `graph`) joined by an edge that the neighbor rule does not give. Paths from new
        points also use these edges.
    """

    graph: sparse.csr_array
    kept: NDArray[np.intp]
    bridges: NDArray[np.intp]


def connect(
    distances: object,
    policy: str = "error",
    *,
    points: Points | None = None,
    metric: Metric = "euclidean",
    n_neighbors: int | None = None,
    by: SearchBy = EXACT,
) -> Connected:
    """Make a graph of distances connected.

    Parameters
    ----------
    distances : sparse array of shape (n, n)
        Distances of neighbors, as returned by `neighbor_graph`; stored zeros are edges. Direction is ignored.
    policy : {"error", "largest", "bridge"}
        What to do with several components: raise an error; keep the largest (the first of several of equal size);
        or join them by the shortest edges between them (a minimum spanning tree over components).
    points : array_like of shape (n, p), optional
        The points, for ``"bridge"`` and for the error, which names the least number of neighbors, or the least
        radius, that connects them; or their (n, n) distances with ``metric="precomputed"``.
    metric : str or callable, default "euclidean"
        As for `neighbor_graph`.
    n_neighbors : int, optional
        The number of neighbors in the graph; None for a radius.
    by : SearchBy
        How neighbors are searched.

    Returns
    -------
    Connected
        The graph, the points kept, and the edges added.

    Raises
    ------
    GraphError
        If the graph is not square.
    DisconnectedError
        If the graph is not connected and the policy is ``"error"``.
    ArgumentError
        If the policy is ``"bridge"`` and the points are missing, or their number is wrong.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.points.connect import connect
    >>> points = [[0.0], [1.0], [2.0], [5.0], [6.0]]
    >>> graph = lp.neighbor_graph(points, n_neighbors=1)
    >>> connect(graph, "largest").kept
    array([0, 1, 2])
    >>> connect(graph, "bridge", points=points).bridges
    array([[2, 3]])
    """
    check_choice("policy", policy, POLICIES)
    graph = check_graph("distances", distances)
    n = graph.shape[0]
    count, labels = csgraph.connected_components(graph, directed=False)
    everyone, none = np.arange(n), np.empty((0, 2), dtype=np.intp)
    if count <= 1:
        return Connected(graph, everyone, none)
    sizes = np.bincount(labels)
    if policy == "error":
        shown = ", ".join(map(str, np.sort(sizes)[::-1][:5])) + (", ..." if count > 5 else "")
        remedies = [f"components='largest' to keep {sizes.max()} of {n} points"]
        if points is not None:
            wider = _wider(points, metric, labels.astype(np.intp), n_neighbors, by)
            remedies = [*wider, "components='bridge' to join them by their shortest distances", *remedies]
        what = f"The neighbor graph has {count} components, of {shown} points"
        raise DisconnectedError(f"{what}; pass {', or '.join(remedies)}.")
    if policy == "largest":
        kept = np.flatnonzero(labels == np.argmax(sizes))
        return Connected(graph[kept][:, kept], kept, none)
    if points is None:
        raise ArgumentError("policy='bridge' but points=None; pass the points, from which bridges are computed.")
    bridges, lengths = shortest_bridges(points, labels.astype(np.intp), metric)
    both = np.vstack([bridges, bridges[:, ::-1]])
    added = sparse.coo_array((np.tile(lengths, 2), tuple(both.T)), shape=graph.shape)
    return Connected(union(graph, added), everyone, bridges)


def _wider(points: Points, metric: Metric, labels: NDArray[np.intp], k: int | None, by: SearchBy) -> list[str]:
    """Return the least number of neighbors above k, or the least radius to four digits, that connects the points.

    The list is empty if none within reach does.
    """
    n = points.shape[0]

    def connects(k: int | None, radius: float | None = None) -> bool:
        graph = find_neighbors(points, metric, k, radius, by).distances
        return bool(csgraph.connected_components(graph, directed=False)[0] == 1)

    try:
        if k is None:
            longest = float(shortest_bridges(points, labels, metric)[1].max())
            radius = float(Context(prec=4, rounding=ROUND_CEILING).create_decimal(longest))
            return [f"radius={radius}"] if connects(None, radius) else []
        most = min(n - 1, max(_TIMES * k, _LEAST), _PAIRS // n)
        high = min(2 * k, most)
        while high < most and not connects(high):
            k, high = high, min(2 * high, most)
        number = bisect_left(range(high + 1), True, k + 1, key=connects)
    except (ArgumentError, GraphError):  # too many edges by duplicates or ties, or lists that are too short
        return []
    return [f"n_neighbors={number}"] if number <= high else []


def union(a: sparse.csr_array, b: sparse.csr_array | sparse.coo_array) -> sparse.csr_array:
    """Return the entries of both, which must not overlap; stored zeros are kept."""
    x, y = a.tocoo(), b.tocoo()
    where = tuple(np.concatenate(pair) for pair in zip(x.coords, y.coords, strict=True))
    return sparse.csr_array((np.concatenate([x.data, y.data]), where), shape=a.shape)


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
    >>> from lpgraph.points.connect import shortest_bridges
    >>> shortest_bridges([[0.0], [1.0], [9.0], [4.0]], np.array([0, 0, 1, 2]))
    (array([[1, 3],
            [2, 3]]), array([3., 5.]))
    """
    array = check_given("points", points, kind_of(metric))
    if array.shape[0] != len(labels):
        raise ArgumentError(f"points has {array.shape[0]} rows but the graph {len(labels)}; pass {len(labels)}.")
    if is_precomputed(metric) and is_sparse(array):
        raise ArgumentError("components='bridge' with a list of distances; pass the points, or all distances.")
    metric, chosen = determined(metric, array), [(0, 0, 0.0)][:0]
    while labels.max() > 0:
        # The shortest edge of every component; ties are broken by the indices of the end points.
        i, j, length = (np.concatenate(part) for part in zip(*_leaving(array, labels, metric), strict=True))
        low, high = np.minimum(i, j), np.maximum(i, j)
        order = np.lexsort((high, low, length, labels[i]))
        best = order[np.unique(labels[i][order], return_index=True)[1]]
        # In order of length, without those that would close a cycle.
        best = best[np.lexsort((high[best], low[best], length[best]))]
        for e in best.tolist():
            one, other = labels[low[e]], labels[high[e]]
            if one != other:
                labels = np.where(labels == other, one, labels)
                chosen.append((int(low[e]), int(high[e]), float(length[e])))
        labels = np.unique(labels, return_inverse=True)[1]
    chosen.sort()
    edges = np.array([(i, j) for i, j, _ in chosen], dtype=np.intp).reshape(-1, 2)
    return edges, np.array([length for _, _, length in chosen])


def _leaving(
    array: Points, labels: NDArray[np.intp], metric: Metric
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], Array]]:
    """Yield pairs from all components but the largest to others, the shortest included, and their distances."""
    sizes = np.bincount(labels)
    sizes[np.argmax(sizes)] = 0
    for label in np.flatnonzero(sizes > _FEW):
        rows, others = np.flatnonzero(labels == label), np.flatnonzero(labels != label)
        if is_precomputed(metric):
            pairs = BlockSearch(len(others), None, array).near(array[rows][:, others], 1)
        else:
            pairs = make_search(array[others], metric).near(array[rows], 1)
        yield rows[pairs.row], others[pairs.column], pairs.distance
    search = make_search(array, metric)
    # Among the s + 1 nearest of a point in a component of size s, at least one belongs to another component.
    width = np.where(sizes > _FEW, 0, sizes)[labels]
    for size in np.unique(width[width > 0]).tolist():
        members = np.flatnonzero(width == size)
        for part in slices(len(members), WORK // (8 * size)):
            rows = members[part]
            pairs = search.near(array[rows], size + 1)
            pairs = pairs.where(labels[rows[pairs.row]] != labels[pairs.column])
            yield rows[pairs.row], pairs.column, pairs.distance
