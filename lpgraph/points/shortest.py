"""Shortest path lengths from many vertices, in compiled loops on all cores.

Nearby vertices have nearly the same distances. Sources are therefore processed in groups of `_WIDTH` nearby ones:
Dijkstra's method, with a heap, from one of them gives the order in which vertices are reached; then, in that order
and for the whole group at once, every vertex is updated from its neighbors,

    length[v] = min_u (length[u] + edge[u, v]).

Vertices with a changed neighbor are visited again until nothing changes: three or four visits in all if the group
is close together. A visit works on vectors of lengths and needs no heap. Every entry is always the length of some
path, summed from the source on, and at the end none can be shorter. Rounding is monotone, so this also holds for
rounded sums: results are bitwise those of Dijkstra's method.

Few sources scattered over many vertices are far apart; for these the heap alone is faster.
"""

from __future__ import annotations

import logging
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from lpgraph._compiled import available, compiled
from lpgraph._progress import tell
from lpgraph._threads import in_threads, thread_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["shortest_lengths"]

_log = logging.getLogger("lpgraph.points")

#: Number of lengths from which compiled loops are faster, including the time to load them.
_WORTHWHILE = 5_000_000

#: Sources in a group: their lengths to 5000 vertices fit into a core's cache.
_WIDTH = 16

#: Groups are used if at least one vertex in so many is a source. Measured: three times faster at 1 in 10, slower
#: at 1 in 200.
_SPARSEST = 20


def shortest_lengths(graph: sparse.csr_array, sources: NDArray[np.intp], *, by_vertex: bool = False) -> Array:
    """Return the (L, n) lengths of the shortest paths from L sources in a checked graph of lengths >= 0.

    If `by_vertex` is true, they are returned as an (n, L) array in C order.
    """
    n = graph.shape[0]
    tell(_log, "shortest paths from %d of %d points", len(sources), n)
    if len(sources) * n < _WORTHWHILE or not available():
        # scipy's directed search is the faster one, also on symmetric graphs.
        found = np.asarray(csgraph.dijkstra(graph, directed=True, indices=sources))
        return np.ascontiguousarray(found.T) if by_vertex else found
    chosen, place = np.unique(sources, return_inverse=True)
    # Nearby vertices get nearby numbers, for locality of memory access.
    old = csgraph.reverse_cuthill_mckee(graph, symmetric_mode=False).astype(np.intp)
    new = np.argsort(old)
    renumbered = sparse.csr_array(graph[old][:, old])
    lengths = np.empty((n, len(chosen)) if by_vertex else (len(chosen), n))
    _search(renumbered, new[chosen], new, lengths.T if by_vertex else lengths)
    if np.array_equal(chosen, sources):
        return lengths
    return np.take(lengths, place, axis=int(by_vertex))


def _search(graph: sparse.csr_array, sources: NDArray[np.intp], new: NDArray[np.intp], lengths: Array) -> None:
    """Write the lengths from each source; column v is that of vertex ``new[v]``."""
    n = graph.shape[0]
    grouped = len(sources) * _SPARSEST >= n
    leaving, arriving = _parts(graph), _parts(sparse.csr_array(graph.T))
    queue = _Queue(sources, n)

    def work(*_: int) -> None:
        alone, order = np.empty(n), np.empty(n, dtype=np.uint32)
        heap, keys, seat = np.empty(n, dtype=np.uint32), np.empty(n), np.empty(n, dtype=np.int64)
        together, dirty = np.empty((n if grouped else 0, _WIDTH)), np.zeros(n, dtype=np.uint8)
        best = np.empty(_WIDTH)
        try:
            while (first := queue.next()) is not None:
                _from_one(*leaving, first, alone, order, heap, keys, seat)
                group, found = np.array([first]), alone[:, None]
                if grouped:
                    group, found = queue.with_nearest(first, order, _WIDTH), together
                    _from_group(*arriving, leaving[0], leaving[1], order, group, together, dirty, best)
                _hand_over(found, new, queue.row[group], lengths)
        finally:
            queue.close()

    in_threads(work, range(min(thread_count(), len(sources)) + 1))


def _parts(graph: sparse.csr_array) -> tuple[NDArray[np.uint64], NDArray[np.uint32], Array]:
    """Return indptr, indices and data; unsigned, so that loops need not handle negative indices."""
    return (
        graph.indptr.astype(np.uint64),
        graph.indices.astype(np.uint32),
        graph.data.astype(np.float64, copy=False),
    )


class _Queue:
    """The remaining sources; threads take one at a time, or one with its nearest."""

    def __init__(self, sources: NDArray[np.intp], n: int) -> None:
        self.row = np.full(n, -1)
        self.row[sources] = np.arange(len(sources))
        self._waiting = self.row >= 0
        self._vertices, self._passed, self._lock = np.flatnonzero(self._waiting), 0, Lock()

    def next(self) -> int | None:
        """Take the next source, or None if none is left."""
        with self._lock:
            while self._passed < len(self._vertices):
                vertex = int(self._vertices[self._passed])
                self._passed += 1
                if self._waiting[vertex]:
                    self._waiting[vertex] = False
                    return vertex
        return None

    def with_nearest(self, first: int, order: NDArray[np.uint32], width: int) -> NDArray[np.intp]:
        """Take also the first waiting sources in this order."""
        with self._lock:
            others = order[np.flatnonzero(self._waiting[order])[: width - 1]]
            self._waiting[others] = False
        return np.concatenate([[first], others]).astype(np.intp)

    def close(self) -> None:
        """Give out no more sources: all are done, or a thread was interrupted."""
        self._passed = len(self._vertices)


@compiled
def _from_one(indptr, indices, data, source, length, order, heap, keys, seat):  # type: ignore[no-untyped-def]  # typed by numba
    """Dijkstra's method with a 4-ary heap: lengths, and vertices in order of length."""
    n = length.size
    for v in range(n):
        length[v] = np.inf
        seat[v] = -1
    heap[0], keys[0], seat[source], size, count = source, 0.0, 0, 1, 0
    while size > 0:
        u, way = heap[0], keys[0]
        length[u], seat[u], order[count] = way, -2, u
        count += 1
        size -= 1
        if size > 0:
            # Move the last entry to the top and sift it down.
            v, key, p = heap[size], keys[size], 0
            while 4 * p + 1 < size:
                best = 4 * p + 1
                for child in range(best + 1, min(best + 4, size)):
                    if keys[child] < keys[best]:
                        best = child
                if keys[best] >= key:
                    break
                heap[p], keys[p] = heap[best], keys[best]
                seat[heap[p]] = p
                p = best
            heap[p], keys[p], seat[v] = v, key, p
        for e in range(indptr[u], indptr[u + 1]):
            v, key = indices[e], way + data[e]
            p = seat[v]
            if p == -2 or (p >= 0 and key >= keys[p]):
                continue
            if p == -1:
                p = size
                size += 1
            # Sift the new or shorter length up.
            while p > 0 and keys[(p - 1) // 4] > key:
                above = (p - 1) // 4
                heap[p], keys[p] = heap[above], keys[above]
                seat[heap[p]] = p
                p = above
            heap[p], keys[p], seat[v] = v, key, p
    for v in range(n):
        if seat[v] == -1:
            order[count] = v
            count += 1


@compiled
def _from_group(  # type: ignore[no-untyped-def]  # typed by numba
    indptr, indices, data, out_ptr, out_indices, order, group, lengths, dirty, best
):
    """Lengths from a group of vertices, by visits in the given order until nothing changes."""
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


@compiled
def _hand_over(found, new, rows, lengths):  # type: ignore[no-untyped-def]  # typed by numba
    """Write the lengths of a group to their rows, columns in the old order."""
    for v in range(new.size):
        for k in range(rows.size):
            lengths[rows[k], v] = found[new[v], k]
