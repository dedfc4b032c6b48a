"""Connecting a neighbor graph: its components, bridges between them, and the parameter that would connect it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from lpgraph._utils.compiled import slices
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError, DisconnectedError, DisconnectedGraphWarning

from .checks import is_precomputed
from .metric import WORK, Metric
from .rows import Points, is_sparse
from .search import make_search

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lpgraph._utils.types import Array, Integers

POLICIES = ("warn", "bridge", "largest", "error")

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
    kept: Integers
    bridges: Integers


def connect(
    graph: sparse.csr_array,
    policy: str,
    *,
    points: Points | None = None,
    metric: Metric = "euclidean",
    parts: str = "components",
) -> Connected:
    """Make a graph of distances connected.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        Distances of neighbors, as returned by `neighbor_graph`; stored zeros are edges. Direction is ignored.
    policy : {"warn", "bridge", "largest", "error"}
        What to do with several components: join them by the shortest edges between them (a minimum spanning tree
        over components), with a warning or without; keep the largest (the first of several of equal size); or
        raise an error. Without the points or all distances, "warn" is "error".
    points : ndarray or csr_array of shape (n, p), optional
        The points, which bridges need; or their (n, n) distances with ``metric="precomputed"``.
    metric : str or callable, default "euclidean"
        As for `neighbor_graph`.
    parts : str
        What errors and warnings call the components, if the graph is a part of the neighbor graph.

    Returns
    -------
    Connected
        The graph, the points kept, and the edges added.

    Raises
    ------
    DisconnectedError
        If the graph is not connected and the policy is ``"error"``.
    ArgumentError
        If the policy is ``"bridge"`` and there are similarities, or a list of distances, but no points.

    Warns
    -----
    DisconnectedGraphWarning
        If components are joined and the policy is ``"warn"``.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> from lpgraph.points.connect import connect
    >>> points = np.array([[0.0], [1.0], [2.0], [5.0], [6.0]])
    >>> graph = lp.neighbor_graph(points, n_neighbors=1)
    >>> connect(graph, "largest").kept
    array([0, 1, 2])
    >>> connect(graph, "bridge", points=points).bridges
    array([[2, 3]])
    """
    n = graph.shape[0]
    count, labels = csgraph.connected_components(graph, directed=False)
    everyone, none = np.arange(n), np.empty((0, 2), dtype=np.intp)
    if count <= 1:
        return Connected(graph, everyone, none)
    sizes = np.bincount(labels)
    if policy == "largest":
        kept = np.flatnonzero(labels == np.argmax(sizes))
        return Connected(graph[kept][:, kept], kept, none)
    largest = ", ".join(map(str, np.sort(sizes)[::-1][:5]))
    problem = f"The neighbor graph has {count} {parts}, of {largest} points"
    remedy = "components='largest'" + (f" to keep {sizes.max()} of {n} points" if parts == "components" else "")
    given = None if points is None or (is_precomputed(metric) and is_sparse(points)) else points
    if given is None and policy == "bridge":
        raise ArgumentError(f"components='bridge' needs the points or all distances; pass these, or {remedy}.")
    if given is None or policy == "error":
        raise DisconnectedError(f"{problem}; pass more neighbors, components='bridge' with points, or {remedy}.")
    bridges, lengths = shortest_bridges(given, labels.astype(np.intp), metric)
    if policy == "warn":
        joined = f"{problem}, joined by their shortest distances, up to {lengths.max():.3g}; pass more neighbors"
        warn(f"{joined}, components='bridge' for that, or {remedy}.", DisconnectedGraphWarning)
    both = np.vstack([bridges, bridges[:, ::-1]])
    added = sparse.coo_array((np.tile(lengths, 2), tuple(both.T)), shape=graph.shape)
    return Connected(union(graph, added), everyone, bridges)


def union(a: sparse.csr_array, b: sparse.csr_array | sparse.coo_array) -> sparse.csr_array:
    """Return the entries of both, which must not overlap; stored zeros are kept."""
    x, y = a.tocoo(), b.tocoo()
    return sparse.csr_array((np.append(x.data, y.data), np.hstack([x.coords, y.coords])), shape=a.shape)


def shortest_bridges(points: Points, labels: Integers, metric: Metric = "euclidean") -> tuple[Integers, Array]:
    """Return the edges that join components with the least total length.

    These edges form a minimum spanning tree over components, found by Boruvka's algorithm: every component except
    the largest takes the shortest edge that leaves it, until one component is left.

    Parameters
    ----------
    points : ndarray or csr_array of shape (n, p)
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
    >>> shortest_bridges(np.array([[0.0], [1.0], [9.0], [4.0]]), np.array([0, 0, 1, 2]))
    (array([[1, 3],
            [2, 3]]), array([3., 5.]))
    """
    edges, lengths = np.empty((0, 2), dtype=np.intp), np.empty(0)
    while labels.max() > 0:
        # The shortest edge of every component; ties are broken by the indices of the end points, so that there are
        # no cycles.
        i, j, length = (np.concatenate(part) for part in zip(*_leaving(points, labels, metric), strict=True))
        ends = np.sort(np.column_stack([i, j]), axis=1)
        order = np.lexsort((ends[:, 1], ends[:, 0], length, labels[i]))
        best = order[np.unique(labels[i][order], return_index=True)[1]]
        edges, lengths = np.vstack([edges, ends[best]]), np.append(lengths, length[best])
        joined = sparse.coo_array((np.ones(len(best)), tuple(labels[ends[best]].T)), shape=(labels.max() + 1,) * 2)
        labels = csgraph.connected_components(joined, directed=False)[1].astype(np.intp)[labels]
    edges, first = np.unique(edges, axis=0, return_index=True)
    return edges, lengths[first]


def _leaving(points: Points, labels: Integers, metric: Metric) -> Iterator[tuple[Integers, Integers, Array]]:
    """Yield pairs from all components but the largest to others, the shortest included, and their distances."""
    sizes = np.bincount(labels)
    sizes[np.argmax(sizes)] = 0
    few = len(labels) if is_precomputed(metric) else _FEW
    for label in np.flatnonzero(sizes > few):
        rows, others = np.flatnonzero(labels == label), np.flatnonzero(labels != label)
        pairs = make_search(points[others], metric).near(points[rows], 1)
        yield rows[pairs.row], others[pairs.column], pairs.distance
    search = make_search(points, metric)
    # Among the s + 1 nearest of a point in a component of size s, at least one belongs to another component.
    width = np.where(sizes > few, 0, sizes)[labels]
    for size in np.unique(width[width > 0]).tolist():
        members = np.flatnonzero(width == size)
        for part in slices(len(members), WORK // (8 * size)):
            rows = members[part]
            pairs = search.near(points[rows], size + 1)
            pairs = pairs.where(labels[rows[pairs.row]] != labels[pairs.column])
            yield rows[pairs.row], pairs.column, pairs.distance
