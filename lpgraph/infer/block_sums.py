"""Sums of edge weights between the blocks of a partition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

__all__ = ["block_sums"]


def block_sums(arcs: sparse.csr_array, labels: NDArray[np.intp], n_blocks: int) -> NDArray[np.float64]:
    """Return the (n_blocks, n_blocks) sums of entries from rows of one block to columns of another.

    Parameters
    ----------
    arcs : csr_array of shape (n, n)
        Of an undirected graph both triangles, so that an edge within a block counts twice and a loop once.
    labels : ndarray of shape (n,)
        Block of each vertex, 0 to n_blocks - 1.
    n_blocks : int
    """
    pairs = np.repeat(labels, np.diff(arcs.indptr)) * n_blocks + labels[arcs.indices]
    sums = np.bincount(pairs, weights=arcs.data, minlength=n_blocks * n_blocks)
    # Without edges, numpy returns integers.
    return np.asarray(sums.reshape(n_blocks, n_blocks), dtype=np.float64)
