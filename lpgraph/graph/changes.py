"""Changes of the degrees and neighbors of vertices between two networks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency

__all__ = ["neighbor_changes"]


def neighbor_changes(
    graph: Adjacency, earlier: Adjacency, rows: NDArray[np.intp], earlier_rows: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return how the degrees and the neighbors of the common vertices of two networks changed.

    Parameters
    ----------
    graph, earlier : Adjacency
        Two networks, both directed or both undirected.
    rows, earlier_rows : ndarray of shape (c,)
        Rows of the common vertices in each of them.

    Returns
    -------
    degree_change : ndarray of shape (c,)
        The degree, a sum of weights, minus the earlier one; of a directed network over arcs in both directions.
    changed_neighbors : ndarray of int of shape (c,)
        Number of neighbors that only one of the networks has. Vertices that only one of them has are counted, and
        of a directed network arcs, in both directions.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> from lpgraph.graph.changes import neighbor_changes
    >>> monday = lp.from_edges(["a", "a", "b"], ["b", "c", "c"])
    >>> tuesday = lp.from_edges(["a", "a", "b"], ["b", "c", "d"])
    >>> degrees, neighbors = neighbor_changes(tuesday, monday, np.arange(3), np.arange(3))
    >>> tuesday.names[:3], degrees, neighbors
    (('a', 'b', 'c'), array([ 0.,  0., -1.]), array([0, 2, 1]))
    """
    degree_change = graph.degrees[rows] - earlier.degrees[earlier_rows]
    changed = _changed(graph.matrix, earlier.matrix, rows, earlier_rows)
    if graph.directed:
        degree_change += graph.in_degrees[rows] - earlier.in_degrees[earlier_rows]
        changed += _changed(graph.matrix.T.tocsr(), earlier.matrix.T.tocsr(), rows, earlier_rows)
    return degree_change, changed


def _changed(
    matrix: sparse.csr_array, earlier: sparse.csr_array, rows: NDArray[np.intp], earlier_rows: NDArray[np.intp]
) -> NDArray[np.int64]:
    """Return the number of entries that only one of two matrices has, for each common row."""
    now, before = matrix[rows], earlier[earlier_rows]
    column = np.full(earlier.shape[1], -1, dtype=np.int64)
    column[earlier_rows] = rows
    row = np.repeat(np.arange(len(rows)), np.diff(before.indptr))
    known = column[before.indices] >= 0
    entries = np.ones(int(known.sum()), dtype=np.int8), (row[known], column[before.indices[known]])
    moved = sparse.csr_array(sparse.coo_array(entries, shape=now.shape))
    kept = sparse.csr_array((np.ones(now.nnz, dtype=np.int8), now.indices, now.indptr), shape=now.shape)
    common = np.diff(sparse.csr_array(kept.multiply(moved)).indptr)
    counts = np.diff(now.indptr).astype(np.int64) + np.diff(before.indptr)
    return np.asarray(counts - 2 * common, dtype=np.int64)
