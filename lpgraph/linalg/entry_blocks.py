"""Entries of a large unweighted matrix sorted by blocks, for products that are repeated many times.

A product by rows gathers numbers from all over a vector. Where that is larger than a core's own cache, each of
them comes from memory that all cores share. Entries sorted by blocks of 2^15 rows and columns gather from 256 KB
and add to 512 KB (a pair of columns in single, a pair of sums in double precision); both stay in the core's cache.
Row and column within the block need four bytes together, as the column alone does in a csr matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._memory import installed_memory

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Blocks"]

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
    """Places of the entries of a matrix, sorted by rows of blocks, columns of blocks and columns.

    Attributes
    ----------
    entries : ndarray of uint32
        The row within the block times 2^16, plus the column within the block.
    starts : ndarray of int64, of shape (rows of blocks, columns of blocks + 1)
        Where the entries of each block begin and end.
    pieces : ndarray of int64
        Rows of blocks at which pieces with about as many entries begin, and their number.
    rows : int
        Rows of the matrix.
    sums : ndarray of float64
        Room for the sums of a row of blocks of each piece: one product at a time.
    """

    entries: NDArray[np.uint32]
    starts: NDArray[np.int64]
    pieces: NDArray[np.int64]
    rows: int
    sums: NDArray[np.float64]

    @staticmethod
    def pays(shape: tuple[int, int], entries: int) -> bool:
        """Whether products of a matrix of this size and number of entries are faster by blocks, and these fit."""
        if 4 * entries > _SHARE * installed_memory(float("inf")):
            return False
        blocks = (1 + ((shape[0] - 1) >> _BITS)) * (1 + ((shape[1] - 1) >> _BITS))
        return shape[1] >= _LEAST_COLUMNS and entries >= _LEAST_ENTRIES * blocks

    @classmethod
    def of(
        cls,
        indptr: NDArray[np.unsignedinteger],
        indices: NDArray[np.unsignedinteger],
        shape: tuple[int, int],
    ) -> Blocks:
        """Sort the entries of a csr matrix."""
        from lpgraph.linalg.pair_loop import count_entries, sort_entries  # it imports numba

        rows, columns = (1 + ((side - 1) >> _BITS) for side in shape)
        starts = np.zeros((rows, columns + 1), np.int64)
        count_entries.over(range(rows + 1), indptr, indices, _BITS, starts[:, 1:])
        starts[:, 0] = indptr[: rows << _BITS : 1 << _BITS]
        np.cumsum(starts, axis=1, out=starts)
        entries = np.empty(len(indices), np.uint32)
        sort_entries.over(range(rows + 1), indptr, indices, _BITS, starts, entries)
        targets = np.linspace(0, len(indices), min(_PIECES, rows) + 1)[1:-1]
        pieces = np.array([0, *np.searchsorted(starts[:, 0], targets), rows])
        return cls(entries, starts, pieces, shape[0], np.empty((len(pieces) - 1, 2 << _BITS)))

    def multiply(
        self,
        weight: float,
        pair: NDArray[np.floating],
        *more: float | NDArray[np.floating],
    ) -> None:
        """Write the product with a pair of columns, or a step of a recurrence, as `pair_product` does."""
        from lpgraph.linalg.pair_loop import block_product

        given = self.entries, self.starts, self.pieces, self.sums, self.rows, _BITS, weight
        block_product.over(range(len(self.pieces)), *given, pair, *more)
