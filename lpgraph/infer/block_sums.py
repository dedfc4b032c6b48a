"""Sums of edge weights between the blocks of a partition, and moves of vertices to their most likely block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._compiled import available, compiled
from lpgraph.linalg.matvec import WORTHWHILE

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    Array = NDArray[np.float64]

__all__ = ["best_blocks", "block_sums", "moved"]

#: Scores are equal if they differ by less than this share.
_ROUNDING = 1e-9
#: Pieces of the rows, whose sums are added in their order, so that these do not depend on the number of threads.
_PIECES = 64


def block_sums(arcs: sparse.csr_array, labels: NDArray[np.integer], n_blocks: int) -> Array:
    """Return the (n_blocks, n_blocks) sums of entries from rows of one block to columns of another.

    Parameters
    ----------
    arcs : csr_array of shape (n, n)
        Of an undirected graph both triangles, so that an edge within a block counts twice and a loop once.
    labels : ndarray of shape (n,)
        Block of each vertex, 0 to n_blocks - 1.
    n_blocks : int
    """
    if _is_large(arcs):
        sums = np.zeros((_PIECES, n_blocks, n_blocks))
        _add_sums.over(
            range(_PIECES + 1), _bounds(arcs), arcs.indptr, arcs.indices, arcs.data, labels.astype(np.int32), sums
        )
        return np.asarray(sums.sum(axis=0))
    pairs = np.repeat(labels, np.diff(arcs.indptr)) * n_blocks + labels[arcs.indices]
    found = np.bincount(pairs, weights=arcs.data, minlength=n_blocks * n_blocks)
    # Without edges, numpy returns integers.
    return np.asarray(found.reshape(n_blocks, n_blocks), dtype=np.float64)


def moved(
    arcs: sparse.csr_array, labels: NDArray[np.intp], gains: Array, losses: Array, own: Array
) -> NDArray[np.intp]:
    """Return the most likely block of each vertex, given its edges and the blocks of all others.

    The score of block l for a vertex of block r is ``sum_k e_k gains[k, l] - d losses[l] + d^2 own[r, l]``, where
    e_k is the weight of its edges to block k, and d their sum.

    Parameters
    ----------
    arcs : csr_array of shape (n, n)
        Weights of the edges.
    labels : ndarray of shape (n,)
        Block of each vertex.
    gains, own : ndarray of shape (n_blocks, n_blocks)
    losses : ndarray of shape (n_blocks,)

    Returns
    -------
    ndarray of shape (n,)
        See `best_blocks`.
    """
    after = np.empty(len(labels), dtype=np.intp)
    small = labels.astype(np.int32)
    rates = np.ascontiguousarray(gains), losses, np.ascontiguousarray(own)
    if _is_large(arcs):
        cuts = _bounds(arcs).tolist()
        _move.over(cuts, arcs.indptr, arcs.indices, arcs.data, small, *rates, _ROUNDING, after)
        return after
    edges = np.asarray(arcs @ np.eye(len(losses))[labels])
    degrees = edges.sum(axis=1)
    scores = edges @ gains - np.multiply.outer(degrees, losses) + (degrees**2)[:, None] * own[labels]
    return best_blocks(scores, labels)


def best_blocks(scores: Array, labels: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the block of largest score: a vertex's own one if none is better, else the first of equal ones.

    Scores that differ by rounding are equal, so that a network is divided in the same way on all machines.
    """
    largest = scores.max(axis=1)
    equal = scores >= (largest - _ROUNDING * np.maximum(1.0, np.abs(largest)))[:, None]
    return np.where(equal[np.arange(len(labels)), labels], labels, equal.argmax(axis=1))


def _is_large(arcs: sparse.csr_array) -> bool:
    return len(arcs.data) >= WORTHWHILE and available()


def _bounds(arcs: sparse.csr_array) -> NDArray[np.int64]:
    """Return rows between which there are about as many entries."""
    targets = np.linspace(0, len(arcs.data), _PIECES + 1)[1:-1].astype(arcs.indptr.dtype)
    return np.array([0, *np.searchsorted(arcs.indptr, targets).tolist(), arcs.shape[0]])


@compiled
def _add_sums(bounds, indptr, indices, data, labels, sums, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    for piece in range(low, high):
        for i in range(bounds[piece], bounds[piece + 1]):
            own = labels[i]
            for p in range(indptr[i], indptr[i + 1]):
                sums[piece, own, labels[indices[p]]] += data[p]


@compiled
def _move(indptr, indices, data, labels, gains, losses, own, rounding, after, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    k = len(losses)
    edges, scores = np.zeros(k), np.zeros(k)
    for i in range(low, high):
        for block in range(k):
            edges[block] = 0.0
        degree = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            edges[labels[indices[p]]] += data[p]
            degree += data[p]
        for block in range(k):
            scores[block] = degree * (degree * own[labels[i], block] - losses[block])
        for other in range(k):
            if edges[other] != 0.0:
                for block in range(k):
                    scores[block] += edges[other] * gains[other, block]
        largest = scores[0]
        for block in range(1, k):
            largest = max(largest, scores[block])
        least = largest - rounding * max(1.0, abs(largest))
        best = labels[i]
        if scores[best] < least:
            best = 0
            while scores[best] < least:
                best += 1
        after[i] = best
