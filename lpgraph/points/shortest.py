"""Shortest paths from many vertices, compiled and on all cores: Dijkstra's lengths to the last bit.

Near vertices have nearly the same distances. So sources are taken in groups of `_WIDTH` near ones: Dijkstra's
method, with a heap, from one of them gives the order in which vertices are reached; then, in that order and for
the whole group side by side, a vertex takes the shortest way over its neighbours,

    length[v] = min_u (length[u] + edge[u, v]).

Vertices with a changed neighbour are visited again until nothing changes, which is three or four visits in all
where the group lies close together; a visit works on whole vectors of lengths and needs no heap. Every label is
at all times the length of some path, added up from the source on, and in the end none can be shorter: rounding is
monotone, so that holds of the rounded sums too.

Few sources scattered over many vertices are not near each other: from them the heap alone is faster.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from lpgraph._compiled import available, compiled
from lpgraph._threads import in_threads, thread_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["shortest_lengths"]

#: Lengths wanted from which on compiled loops earn back their loading, and, once, their compiling.
_WORTHWHILE = 5_000_000

#: Sources in a group: their lengths to 5000 vertices still lie in a core's own cache.
_WIDTH = 16

#: Groups are used if one vertex in so many is a source. By measurement they are three times faster at 1 in 10, and
#: slower at 1 in 200.
_SPARSEST = 20


def shortest_lengths(graph: sparse.csr_array, sources: NDArray[np.intp]) -> Array:
    """Return the (L, n) lengths of the shortest paths from L sources in a checked graph of lengths >= 0."""
    n = graph.shape[0]
    if len(sources) * n < _WORTHWHILE or not available():
        # On a symmetric graph, too, scipy's directed search is its faster way.
        return np.asarray(csgraph.dijkstra(graph, directed=True, indices=sources))
    chosen, place = np.unique(sources, return_inverse=True)
    # Near vertices get near numbers, so that what is read together lies together.
    old = csgraph.reverse_cuthill_mckee(graph, symmetric_mode=False).astype(np.intp)
    new = np.argsort(old)
    renumbered = sparse.csr_array(graph[old][:, old])
    lengths = np.empty((len(chosen), n))
    _search(renumbered, new[chosen], old, lengths)
    return lengths if np.array_equal(chosen, sources) else lengths[place]


def _search(graph: sparse.csr_array, sources: NDArray[np.intp], old: NDArray[np.intp], lengths: Array) -> None:
    """Write the lengths from each source; column ``old[v]`` is vertex v's."""
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
                _hand_over(found, old, queue.row[group], lengths)
        finally:
            queue.close()

    in_threads(work, range(min(thread_count(), len(sources)) + 1))


def _parts(graph: sparse.csr_array) -> tuple[NDArray[np.uint64], NDArray[np.uint32], Array]:
    """Return a csr array's parts as the loops read them: unsigned, since such numbers need no wrapping round."""
    return (
        graph.indptr.astype(np.uint64),
        graph.indices.astype(np.uint32),
        graph.data.astype(np.float64, copy=False),
    )


class _Queue:
    """The sources not yet taken, which threads take one by one or with their nearest."""

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
        """Take the first of the waiting sources in this order, too."""
        with self._lock:
            others = order[np.flatnonzero(self._waiting[order])[: width - 1]]
            self._waiting[others] = False
        return np.concatenate([[first], others]).astype(np.intp)

    def close(self) -> None:
        """Hand out nothing more: all is done, or a thread was interrupted."""
        self._passed = len(self._vertices)


@compiled
def _from_one(indptr, indices, data, source, length, order, heap, keys, seat):  # type: ignore[no-untyped-def]
    """Dijkstra's method with a heap of four children a node: lengths, and vertices in the order of theirs."""
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
            # The last one sinks from the top.
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
            # A new or shorter way rises.
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
def _from_group(  # type: ignore[no-untyped-def]
    indptr, indices, data, out_ptr, out_indices, order, group, lengths, dirty, best
):
    """Lengths from a group of vertices side by side, by visits in the given order until nothing changes."""
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
def _hand_over(found, old, rows, lengths):  # type: ignore[no-untyped-def]
    """Write what was found for each of a group to its row, columns in the old order."""
    for v in range(old.size):
        for k in range(rows.size):
            lengths[rows[k], old[v]] = found[v, k]
