"""Connecting a neighbor graph: keep its largest component, or bridge the components."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from lpgraph._checks import check_choice
from lpgraph.errors import ArgumentError, DisconnectedError, GraphError
from lpgraph.points.affinities import as_sparse
from lpgraph.points.bridges import shortest_bridges

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lpgraph.points.types import Metric

__all__ = ["POLICIES", "Connected", "connect", "union"]

POLICIES = ("error", "largest", "bridge")


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
    points: object = None,
    metric: Metric = "euclidean",
    wider: Callable[[], str | None] | None = None,
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
        The points, for ``"bridge"``, or their (n, n) distances with ``metric="precomputed"``.
    metric : str or callable, default "euclidean"
        As for `neighbor_graph`.
    wider : callable, optional
        Returns the parameter that would connect the graph, such as "n_neighbors=7", or None if there is none. It
        is called for the error only.

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
    graph = as_sparse("distances", distances)
    n = graph.shape[0]
    if graph.shape[1] != n:
        raise GraphError(f"distances has shape {graph.shape}; pass a square array.")
    count, labels = csgraph.connected_components(graph, directed=False)
    everyone, none = np.arange(n), np.empty((0, 2), dtype=np.intp)
    if count <= 1:
        return Connected(graph, everyone, none)
    sizes = np.bincount(labels)
    if policy == "error":
        raise _disconnected(sizes, None if wider is None else wider(), bridge=points is not None)
    if policy == "largest":
        kept = np.flatnonzero(labels == np.argmax(sizes))
        return Connected(graph[kept][:, kept], kept, none)
    if points is None:
        raise ArgumentError("policy='bridge' but points=None; pass the points, from which bridges are computed.")
    count_given = np.shape(cast("Any", points))[0]
    if count_given != n:
        raise ArgumentError(f"points has {count_given} rows but distances is of shape {graph.shape}; pass {n}.")
    bridges, lengths = shortest_bridges(points, labels.astype(np.intp), metric)
    both = np.vstack([bridges, bridges[:, ::-1]])
    added = sparse.coo_array((np.tile(lengths, 2), tuple(both.T)), shape=graph.shape)
    return Connected(union(graph, added), everyone, bridges)


def _disconnected(sizes: NDArray[np.intp], wider: str | None, *, bridge: bool) -> DisconnectedError:
    """Return the error that gives the sizes of the components and what would connect them."""
    shown = ", ".join(map(str, np.sort(sizes)[::-1][:5])) + (", ..." if len(sizes) > 5 else "")
    remedies = [] if wider is None else [wider]
    if bridge:
        remedies.append("components='bridge' to join them by their shortest distances")
    remedies.append(f"components='largest' to keep {sizes.max()} of {sizes.sum()} points")
    return DisconnectedError(
        f"The neighbor graph has {len(sizes)} components, of {shown} points; pass {', or '.join(remedies)}."
    )


def union(a: sparse.csr_array, b: sparse.csr_array | sparse.coo_array) -> sparse.csr_array:
    """Return the entries of both, which must not overlap; stored zeros are kept."""
    x, y = a.tocoo(), b.tocoo()
    where = tuple(np.concatenate(pair) for pair in zip(x.coords, y.coords, strict=True))
    return sparse.csr_array((np.concatenate([x.data, y.data]), where), shape=a.shape)
