"""Entries of a large unweighted symmetric matrix sorted by blocks, for products that are repeated many times.

A product by rows gathers numbers from all over a vector. Where that is larger than a core's own cache, each of
them comes from memory that all cores share. Entries sorted by blocks of 2^15 rows and columns gather from 256 KB
and add to 512 KB (a pair of columns in single, a pair of sums in double precision); both stay in the core's cache.
Row and column within the block need four bytes together, as the column alone does in a csr matrix. Blocks below
the diagonal are not stored: they are those above it, with rows and columns exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.compiled import compiled

from . import room

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph._utils.types import Array, Floats

    Index = NDArray[np.unsignedinteger]
    #: Numbers of a result, the step from row to row, and the places of the two columns.
    Target = tuple[Floats, int, int, int]

#: Rows and columns of a block: a power of two, as an exponent. At most 16, so that a place has two bytes.
_BITS = 15
#: A shorter vector stays in the cache as it is.
_LEAST_COLUMNS = 1 << 18
#: Entries of a block, on average, for which reading the block's part of the vector pays.
_LEAST_ENTRIES = 1 << 11
#: Share of the machine's memory that sorted entries take at most.
_SHARE = 1 / 8
#: Pieces of the rows that threads take one after the other, at most.
_PIECES = 16


@dataclass(frozen=True, eq=False)
class Blocks:
    """Places of the entries of a symmetric matrix, sorted by rows of blocks, and by columns of blocks.

    Attributes
    ----------
    entries : ndarray of uint32
        The row within the block, and the column, two bytes each.
    starts : ndarray of int64, of shape (rows of blocks, columns of blocks + 1)
        Where the entries of each block begin and end.
    pieces : tuple of int
        Rows of blocks at which pieces with about as many entries begin, and their number.
    rows : int
        Rows of the matrix.
    """

    entries: NDArray[np.uint32]
    starts: NDArray[np.int64]
    pieces: tuple[int, ...]
    rows: int

    @classmethod
    def of(cls, indptr: Index, indices: Index) -> Blocks | None:
        """Sort the entries of a symmetric csr matrix; None if products by rows are as fast, or they do not fit."""
        n, size = len(indptr) - 1, 2 * len(indices)
        side = 1 + ((n - 1) >> _BITS)
        if n < _LEAST_COLUMNS or len(indices) < _LEAST_ENTRIES * side**2:
            return None
        if size > min(_SHARE * room.installed_memory(float("inf")), room.limit() / 2):
            return None
        counts = np.zeros((side, side), np.int64)
        _count.over(range(side + 1), (indptr, indices), counts)
        ends = np.cumsum(counts).reshape(side, side)
        starts = np.column_stack([ends[:, 0] - counts[:, 0], ends])
        entries = np.empty(int(ends[-1, -1]), np.uint32)
        _sort.over(range(side + 1), (indptr, indices), (starts, entries))
        targets = np.linspace(0, len(indices), min(_PIECES, side) + 1)[1:-1]
        pieces = (0, *np.searchsorted(indptr[: side << _BITS : 1 << _BITS], targets).tolist(), side)
        return cls(entries, starts, pieces, n)

    def multiply(self, weight: float, pair: NDArray[np.complexfloating], target: Target, scale: Array) -> None:
        """Write the product of a pair of columns and the matrix, all of whose entries are `weight`."""
        blocks = self.entries, self.starts, self.rows, _BITS, weight
        _block_product.over(self.pieces, blocks, pair, target, scale)


@compiled
def _count(matrix, counts, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Count the entries of some rows of blocks in each column of blocks, not below the diagonal."""
    indptr, indices = matrix
    for block in range(low, high):
        first, last = block << _BITS, min((block + 1) << _BITS, len(indptr) - 1)
        for p in range(np.int64(indptr[first]), np.int64(indptr[last])):
            column = np.int64(indices[p]) >> _BITS
            counts[block, column] += column >= block


@compiled
def _sort(matrix, sorted_entries, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Write the row and column of each entry within its block, sorted by blocks."""
    (indptr, indices), (starts, entries) = matrix, sorted_entries
    size = 1 << _BITS
    for block in range(low, high):
        first, last = block * size, min((block + 1) * size, len(indptr) - 1)
        places = starts[block].copy()
        for i in range(first, last):
            for p in range(np.int64(indptr[i]), np.int64(indptr[i + 1])):
                j = np.int64(indices[p])
                column = j >> _BITS
                if column >= block:
                    entries[places[column]] = ((i - first) << 16) | (j - column * size)
                    places[column] += 1


@compiled
def _block_product(blocks, pair, target, scale, first_block, last_block):  # type: ignore[no-untyped-def]  # numba infers the types
    """Multiply some rows of blocks by a pair of columns."""
    entries, starts, rows, bits, weight = blocks
    flat, step, first, second = target
    sixteen, within = np.uint64(16), np.uint64((1 << 16) - 1)
    columns, size = starts.shape[1] - 1, 1 << bits
    own = np.empty(size, np.complex128)
    for block in range(first_block, last_block):
        low, high = block * size, min((block + 1) * size, rows)
        own[: high - low] = 0
        for column in range(columns):
            given, exchanged = pair[column * size :], column < block
            upper, lower = (column, block) if exchanged else (block, column)
            for p in range(np.uint64(starts[upper, lower]), np.uint64(starts[upper, lower + 1])):
                row, place = np.uint64(entries[p]) >> sixteen, np.uint64(entries[p]) & within
                if exchanged:
                    row, place = place, row
                own[row] += given[place]
        for i in range(low, high):
            factor = weight * scale[i] if len(scale) else weight
            flat[i * step + first] = factor * own[i - low].real
            flat[i * step + second] = factor * own[i - low].imag
