"""Geodesic distances: lengths of shortest paths in a graph of distances, in compiled loops on all cores.

Nearby vertices have nearly the same distances. Sources are therefore processed in groups of nearby ones: scipy's
Dijkstra's method from one of them gives the order in which vertices are reached; then, in that order and for the
whole group at once, every vertex is updated from its neighbors,

    length[v] = min_u (length[u] + edge[u, v]).

Vertices with a changed neighbor are visited again until nothing changes: three or four visits in all if the group
is close together. A visit works on vectors of lengths and needs no heap. Every entry is always the length of some
path, summed from the source on, and at the end none can be shorter. Rounding is monotone, so this also holds for
rounded sums: results are bitwise those of Dijkstra's method.

Few sources scattered over many vertices are far apart; for these scipy's method alone is faster.
"""

from __future__ import annotations

import logging
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from lpgraph._utils.checks import type_of
from lpgraph._utils.compiled import available, compiled, in_threads, thread_count
from lpgraph._utils.progress import tell
from lpgraph.errors import ArgumentTypeError, GraphError
from lpgraph.linalg.csr_check import check_structure

from .checks import check_indices
from .rows import is_sparse

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lpgraph._utils.types import Array, Integers

_log = logging.getLogger("lpgraph.points")

#: Number of lengths from which compiled loops are faster, including the time to load them.
_WORTHWHILE = 5_000_000

#: Sources in a group, besides the first: their lengths to 5000 vertices fit into a core's cache.
_MORE = 15

#: Groups are used if at least one vertex in so many is a source. Measured: three times faster at 1 in 10, slower
#: at 1 in 200.
_SPARSEST = 20


def geodesic_distances(graph: object, sources: ArrayLike | None = None) -> Array:
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
    if not is_sparse(graph):  # a dense array cannot store edges of length 0
        raise ArgumentTypeError(f"graph is {type_of(graph)}; pass a sparse array, as neighbor_graph returns.")
    check_structure("graph", graph)
    if graph.shape[0] != graph.shape[1]:
        raise GraphError(f"graph has shape {graph.shape}; pass a square array.")
    matrix = sparse.csr_array(graph).astype(np.float64, copy=False)
    wrong = ~(np.isfinite(matrix.data) & (matrix.data >= 0))
    if wrong.any():
        raise GraphError(f"graph has the length {matrix.data[wrong][0]}; pass finite lengths >= 0.")
    n = matrix.shape[0]
    if sources is None:
        return shortest_lengths(matrix, np.arange(n))
    chosen, place = np.unique(check_indices("sources", np.atleast_1d(sources), n, 1), return_inverse=True)
    return shortest_lengths(matrix, chosen)[place]


def extend_geodesics(rows: sparse.csr_array, lengths: Array) -> Array:
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
    result = np.full((rows.shape[0], lengths.shape[1]), np.inf)
    for x, part in enumerate(map(slice, rows.indptr[:-1], rows.indptr[1:])):
        ways = rows.data[part, None] + lengths[rows.indices[part]]
        ways.min(axis=0, initial=np.inf, out=result[x])
    return result


def shortest_lengths(graph: sparse.csr_array, sources: Integers, *, by_vertex: bool = False) -> Array:
    """Return the (L, n) lengths of the shortest paths from L distinct sources in a checked graph of lengths >= 0.

    If `by_vertex` is true, they are returned as an (n, L) array in C order.
    """
    n = graph.shape[0]
    tell(_log, "shortest paths from %d of %d points", len(sources), n)
    if len(sources) * n < _WORTHWHILE or len(sources) * _SPARSEST < n or not available():
        # scipy's directed search is the faster one, also on symmetric graphs.
        found = csgraph.dijkstra(graph, directed=True, indices=sources)
        return np.ascontiguousarray(found.T) if by_vertex else found
    lengths = np.empty((n, len(sources)) if by_vertex else (len(sources), n))
    _search(graph, sources, lengths.T if by_vertex else lengths)
    return lengths


def _search(graph: sparse.csr_array, sources: Integers, lengths: Array) -> None:
    """Write the lengths from each of the sources, which are distinct."""
    n, lock = graph.shape[0], Lock()
    leaving, arriving = _parts(graph), _parts(sparse.csr_array(graph.T))
    row = np.full(n, -1)
    row[sources] = np.arange(len(sources))
    waiting, left = row >= 0, iter(np.sort(sources).tolist())

    def work(*_: int) -> None:
        found, dirty, best = np.empty((n, _MORE + 1)), np.zeros(n, dtype=np.uint8), np.empty(_MORE + 1)
        try:
            while True:
                with lock:  # take the next source
                    first = next((v for v in left if waiting[v]), None)
                    if first is None:
                        return
                    waiting[first] = False
                order = np.argsort(csgraph.dijkstra(graph, directed=True, indices=first))
                with lock:  # and those that are nearest to it
                    group = np.append(first, order[np.flatnonzero(waiting[order])[:_MORE]])
                    waiting[group] = False
                _from_group(arriving, leaving, order.astype(np.uint32), group, found, (dirty, best))
                lengths[row[group]] = found[:, : len(group)].T
        finally:
            waiting[:] = False  # all are done, or a thread was interrupted

    in_threads(work, range(min(thread_count(), len(sources)) + 1))


def _parts(graph: sparse.csr_array) -> tuple[NDArray[np.uint64], NDArray[np.uint32], Array]:
    """Return indptr, indices and data; unsigned, so that loops need not handle negative indices."""
    return graph.indptr.astype(np.uint64), graph.indices.astype(np.uint32), graph.data


@compiled
def _from_group(arriving, leaving, order, group, lengths, room):  # type: ignore[no-untyped-def]  # typed by numba
    """Lengths from a group of vertices, by visits in the given order until nothing changes."""
    (indptr, indices, data), (out_ptr, out_indices, _), (dirty, best) = arriving, leaving, room
    n, width = lengths.shape
    for v in range(n):
        for k in range(width):
            lengths[v, k] = np.inf
    for k in range(group.size):
        v = group[k]
        lengths[v, k] = 0.0
        for e in range(out_ptr[v], out_ptr[v + 1]):
            dirty[out_indices[e]] = 1
    changed = True
    while changed:
        changed = False
        for at in range(n):
            v = order[at]
            if dirty[v] == 0:
                continue
            dirty[v] = 0
            mine = lengths[v]
            for k in range(width):
                best[k] = mine[k]
            for e in range(indptr[v], indptr[v + 1]):
                theirs, step = lengths[indices[e]], data[e]
                for k in range(width):
                    way = theirs[k] + step
                    best[k] = min(best[k], way)
            shorter = 0
            for k in range(width):
                shorter += best[k] < mine[k]
                mine[k] = best[k]
            if shorter:
                changed = True
                for e in range(out_ptr[v], out_ptr[v + 1]):
                    dirty[out_indices[e]] = 1
