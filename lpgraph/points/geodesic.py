"""Geodesic distances: lengths of shortest paths in a graph of distances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._slices import slices
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError
from lpgraph.points.affinities import as_sparse
from lpgraph.points.shortest import shortest_lengths

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from scipy import sparse

__all__ = ["extend_geodesics", "geodesic_distances", "lengths_by_point"]

#: Entries of the work arrays of `extend_geodesics`: 2 MB.
_CACHE = 1 << 18


def geodesic_distances(graph: object, sources: ArrayLike | None = None) -> NDArray[np.float64]:
    """Return the lengths of the shortest paths between points of a graph of distances.

    The length of a path is the sum of its ``|path| - 1`` steps.

    Parameters
    ----------
    graph : sparse array of shape (n, n)
        Edge lengths, as returned by `neighbor_graph`. Explicit zeros are edges of length 0. An edge stored in one
        direction only can be used in that direction only.
    sources : array_like of L ints, optional
        Start points of the paths; all points by default. Memory is O(L n).

    Returns
    -------
    ndarray of shape (L, n)
        Row l holds the lengths from ``sources[l]``; infinity where there is no path.

    Raises
    ------
    GraphError
        If the graph is not square, or a length is negative or not finite.
    ArgumentError, ArgumentTypeError
        If a source is not a vertex, or the graph is not sparse.

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
    return shortest_lengths(matrix, chosen)


def lengths_by_point(graph: sparse.csr_array, sources: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the (n, L) array of `geodesic_distances`, transposed: a row for each point, in C order.

    Examples
    --------
    >>> import lpgraph as lp
    >>> import numpy as np
    >>> from lpgraph.points.geodesic import lengths_by_point
    >>> lengths_by_point(lp.neighbor_graph([[0.0], [1.0], [3.0]], n_neighbors=1), np.array([0, 2]))
    array([[0., 3.],
           [1., 2.],
           [3., 0.]])
    """
    return shortest_lengths(_check_graph(graph), sources, by_vertex=True)


def extend_geodesics(rows: sparse.csr_array, lengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return geodesic distances of new points: shortest paths through one of their neighbors.

    Parameters
    ----------
    rows : csr_array of shape (m, n)
        Distances of new points to their neighbors; stored zeros are neighbors at distance 0.
    lengths : ndarray of shape (n, L)
        Geodesic distances from the training points to L sources.

    Returns
    -------
    ndarray of shape (m, L)
        ``min_i rows[x, i] + lengths[i, l]`` over the neighbors i of x; infinity without neighbors.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.points.geodesic import extend_geodesics
    >>> from lpgraph.points.neighborhood import Neighborhood
    >>> hood = Neighborhood.of([[0.0], [1.0], [3.0]], n_neighbors=1)
    >>> extend_geodesics(hood.rows([[4.0]]), lp.geodesic_distances(hood.distances, [0, 2]).T)
    array([[4., 1.]])
    """
    m, n = rows.shape
    if lengths.ndim != 2 or lengths.shape[0] != n:
        raise ArgumentError(f"lengths has shape {lengths.shape} but rows has {n} columns; pass shape ({n}, L).")
    result = np.full((m, lengths.shape[1]), np.inf)
    sizes = np.diff(rows.indptr)
    order = np.argsort(-sizes, kind="stable")  # rows that have a t-th neighbor come first
    for part in slices(order.size, _CACHE // max(1, lengths.shape[1])):
        chosen = order[part]
        starts = rows.indptr[chosen].astype(np.intp)
        best = np.full((chosen.size, lengths.shape[1]), np.inf)
        for t in range(sizes[chosen[0]]):
            entries = starts[: np.searchsorted(-sizes[chosen], -t)] + t
            ways = lengths[rows.indices[entries]]
            ways += rows.data[entries, None]
            np.minimum(best[: entries.size], ways, out=best[: entries.size])
        result[chosen] = best
    return result


def _check_graph(graph: object) -> sparse.csr_array:
    matrix = as_sparse("graph", graph)
    if matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"graph has shape {matrix.shape}; pass a square array.")
    wrong = ~(np.isfinite(matrix.data) & (matrix.data >= 0))
    if wrong.any():
        e = int(np.argmax(wrong))
        i = int(np.searchsorted(matrix.indptr, e, side="right")) - 1
        raise GraphError(f"graph[{i}, {matrix.indices[e]}] is {matrix.data[e]}; pass finite lengths >= 0.")
    return matrix


def _check_sources(sources: ArrayLike, n: int) -> NDArray[np.intp]:
    array = np.atleast_1d(np.asarray(sources))
    if array.size == 0:
        return np.empty(0, dtype=np.intp)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise ArgumentTypeError(f"sources={sources!r}; pass a sequence of ints in [0, {n - 1}].")
    if array.min() < 0 or array.max() >= n:
        wrong = array[(array < 0) | (array >= n)][0]
        raise ArgumentError(f"sources has {wrong}, which is no vertex; pass ints in [0, {n - 1}].")
    return array.astype(np.intp)
