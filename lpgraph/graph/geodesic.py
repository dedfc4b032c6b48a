"""Lengths of shortest paths in a graph of distances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csgraph

from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError
from lpgraph.graph.affinities import as_sparse

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray
    from scipy import sparse

__all__ = ["extend_geodesics", "geodesic_distances"]

#: Entries of the work array that `extend_geodesics` holds at a time: 64 MB.
_WORK = 1 << 23


def geodesic_distances(graph: Any, sources: Any = None) -> NDArray[np.float64]:
    """Return the lengths of the shortest paths between points of a graph of distances.

    A path is as long as the sum of its ``|path| - 1`` steps.

    Parameters
    ----------
    graph : sparse array of shape (n, n)
        Lengths of edges, as `neighbor_graph` makes them. Stored zeros are edges of length 0. An edge stored in
        one direction only leads only that way.
    sources : array_like of L ints, optional
        Where paths begin; all points if not given. Memory is O(L n).

    Returns
    -------
    ndarray of shape (L, n)
        Row l holds the lengths from ``sources[l]``; infinity where no path leads.

    Raises
    ------
    GraphError
        When the graph is not square, or a length is negative or not finite.
    ArgumentError, ArgumentTypeError
        When a source is not a vertex, or the graph is not sparse.

    References
    ----------
    Y. Bengio et al. "Out-of-sample extensions for LLE, Isomap, MDS, Eigenmaps, and spectral clustering."
    NIPS 16, 2004. The sum in its definition of the geodesic distance has one step too many.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.neighbor_graph([[0.0], [1.0], [3.0], [9.0], [10.0]], n_neighbors=1)
    >>> lp.geodesic_distances(graph, [0])
    array([[ 0.,  1.,  3., inf, inf]])
    """
    matrix = _check_graph(graph)
    n = matrix.shape[0]
    chosen = np.arange(n) if sources is None else _check_sources(sources, n)
    if chosen.size == 0 or n == 0:
        return np.empty((chosen.size, n))
    # The rule of neighbours is symmetric, and directed search on both directions is scipy's faster way.
    return np.asarray(csgraph.dijkstra(matrix, directed=True, indices=chosen))


def extend_geodesics(rows: sparse.csr_array, geodesics: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return geodesic distances of new points: the shortest way by way of one of their neighbours.

    Parameters
    ----------
    rows : csr_array of shape (m, n)
        Distances of new points to their neighbours; stored zeros are neighbours at the same place.
    geodesics : ndarray of shape (L, n)
        Geodesic distances from L sources to the training points.

    Returns
    -------
    ndarray of shape (m, L)
        ``min_i rows[x, i] + geodesics[l, i]`` over the neighbours i of x; infinity without neighbours.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.graph.geodesic import extend_geodesics
    >>> from lpgraph.graph.neighbors import Neighborhood
    >>> hood = Neighborhood.of([[0.0], [1.0], [3.0]], n_neighbors=1)
    >>> extend_geodesics(hood.rows([[4.0]]), lp.geodesic_distances(hood.distances, [0, 2]))
    array([[4., 1.]])
    """
    m, n = rows.shape
    if geodesics.ndim != 2 or geodesics.shape[1] != n:
        raise ArgumentError(
            f"geodesics has shape {geodesics.shape} but rows has {n} columns; pass shape (L, {n})."
        )
    count = geodesics.shape[0]
    result = np.full((m, count), np.inf)
    filled = np.flatnonzero(np.diff(rows.indptr))
    starts, ends = rows.indptr[filled].astype(np.intp), rows.indptr[filled + 1].astype(np.intp)
    low = 0
    while low < filled.size:
        # As many rows as fit: at least one, and up to the work array's number of entries.
        high = max(low + 1, int(np.searchsorted(ends, starts[low] + _WORK // max(1, count), side="right")))
        part = slice(starts[low], ends[high - 1])
        lengths = geodesics[:, rows.indices[part]]
        lengths += rows.data[part]
        result[filled[low:high]] = np.minimum.reduceat(lengths, starts[low:high] - starts[low], axis=1).T
        low = high
    return result


def _check_graph(graph: Any) -> sparse.csr_array:
    matrix = as_sparse("graph", graph)
    if matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"graph has shape {matrix.shape}; pass a square array.")
    if not (np.isfinite(matrix.data) & (matrix.data >= 0)).all():
        e = int(np.argmax(~(np.isfinite(matrix.data) & (matrix.data >= 0))))
        i = int(np.searchsorted(matrix.indptr, e, side="right")) - 1
        raise GraphError(f"graph[{i}, {matrix.indices[e]}] is {matrix.data[e]}; pass finite lengths >= 0.")
    return matrix


def _check_sources(sources: Any, n: int) -> NDArray[np.intp]:
    array = np.atleast_1d(np.asarray(sources))
    if array.size == 0:
        return np.empty(0, dtype=np.intp)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise ArgumentTypeError(f"sources={sources!r}; pass a sequence of ints in [0, {n - 1}].")
    if array.min() < 0 or array.max() >= n:
        wrong = array[(array < 0) | (array >= n)][0]
        raise ArgumentError(f"sources has {wrong}, which is no vertex; pass ints in [0, {n - 1}].")
    return array.astype(np.intp)
