"""Structure of sparse matrices: symmetry, connected components, parts of them.

Large matrices are read by compiled loops: scipy would make a transpose, which takes several times as long and, for
a matrix that is mapped from a file, does not fit into memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._utils.compiled import available, compiled, slices

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph._utils.types import Array, Integers

#: Number of stored entries from which compiled loops are used.
WORTHWHILE = 1_000_000

#: Pieces of the rows that threads take one after the other.
_PIECES = 64

#: Rows of a panel.
_ROWS = 1 << 18


def is_symmetric(matrix: sparse.csr_array) -> bool:
    """Whether a square canonical csr matrix equals its transpose.

    In large matrices, each entry above the diagonal adds a 64-bit fingerprint of (row, column, value), and each
    entry below subtracts that of its mirror image: the sum is zero if the matrix is symmetric, and with
    probability 2^-64 if not.
    """
    if matrix.nnz >= WORTHWHILE and available():
        cuts = [*range(0, matrix.shape[0], -(-matrix.shape[0] // _PIECES)), matrix.shape[0]]
        sums = np.zeros(matrix.shape[0], dtype=np.uint64)
        _fingerprint.over(cuts, (matrix.indptr, matrix.indices, matrix.data.view(np.uint64)), sums)
        return not sums.sum(dtype=np.uint64)
    mirror = matrix.T.tocsr()
    return all(
        np.array_equal(getattr(matrix, part), getattr(mirror, part)) for part in ("indptr", "indices", "data")
    )


def diagonal_of(matrix: sparse.csr_array) -> Array:
    """Return the diagonal of a square matrix, read in panels of rows.

    scipy would copy all entries where they are not contiguous, as the weights of a mapped unweighted network.
    """
    result = np.empty(matrix.shape[0])
    for rows in slices(len(result), _ROWS):
        indptr = matrix.indptr[rows.start : rows.stop + 1]
        own = slice(int(indptr[0]), int(indptr[-1]))
        parts = matrix.data[own], matrix.indices[own], indptr - indptr[0]
        panel = sparse.csr_array(parts, shape=(rows.stop - rows.start, matrix.shape[1]))
        result[rows] = panel.diagonal(rows.start)
    return result


def rows_of(matrix: sparse.csr_array, rows: Integers) -> sparse.csr_array:
    """Return some rows of a canonical matrix, read alone."""
    begin, counts = matrix.indptr[rows].astype(np.int64), np.diff(matrix.indptr)[rows]
    indptr = np.concatenate([[0], np.cumsum(counts)])
    places = np.repeat(begin - indptr[:-1], counts) + np.arange(indptr[-1])
    parts = matrix.data[places], matrix.indices[places], indptr
    return sparse.csr_array(parts, shape=(len(rows), matrix.shape[1]))


def weak_components(matrix: sparse.csr_array, *, directed: bool) -> tuple[int, NDArray[np.int32]]:
    """Return the number of components and the component of every vertex, numbered by first vertex."""
    n = matrix.shape[0]
    if matrix.nnz < WORTHWHILE or not available():
        from scipy.sparse import csgraph

        count, labels = csgraph.connected_components(matrix, directed=directed)
        return int(count), labels
    parent = np.arange(n, dtype=np.int32)
    begins, ends = matrix.indptr[:-1], matrix.indptr[1:]
    split = np.minimum(begins + 2, ends)
    _join(begins, split, matrix.indices, parent, -1)
    # Two entries of each vertex join nearly all vertices. Other entries of vertices in the largest part can be
    # skipped: a vertex outside has the same entry in its own row. This does not hold for arcs.
    largest = -1 if directed else np.bincount(parent[:: max(1, n // 1024)]).argmax()
    _join(split, ends, matrix.indices, parent, largest)
    # Every root is the first vertex of its component.
    roots = parent == np.arange(n, dtype=np.int32)
    number = np.cumsum(roots, dtype=np.int32) - np.int32(1)
    return int(roots.sum()), number[parent]


@compiled
def _fingerprint(matrix, sums, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    indptr, indices, bits = matrix
    for i in range(low, high):
        row, total = np.uint64(i), np.uint64(0)
        for p in range(indptr[i], indptr[i + 1]):
            column = np.uint64(indices[p])
            z = (min(row, column) << np.uint64(32)) | max(row, column)
            z = (z * np.uint64(0x9E3779B97F4A7C15)) ^ bits[p]
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)  # splitmix64
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            z ^= z >> np.uint64(31)
            if row < column:
                total += z
            elif row > column:
                total -= z
        sums[i] = total


@compiled
def _join(begins, ends, indices, parent, largest):  # type: ignore[no-untyped-def]  # numba infers the types
    # Union-find by path halving, smaller root on top. Vertices whose parent is `largest` are left out.
    for i in range(len(parent)):
        if parent[i] == largest:
            continue
        for p in range(begins[i], ends[i]):
            a, b = parent[i], parent[indices[p]]
            while a != b:
                if a < b:
                    a, b = b, a
                # a is the larger: one step up, or onto the other if it is a root.
                if parent[a] == a:
                    parent[a] = b
                    break
                parent[a] = parent[parent[a]]
                a = parent[a]
    for i in range(len(parent)):  # the parent of a parent is smaller, and a root by then
        parent[i] = parent[parent[i]]
