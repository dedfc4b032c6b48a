"""Entries of a large unweighted matrix sorted by blocks, for products that are repeated many times.

A product by rows gathers numbers from all over a vector. Where that is larger than a core's own cache, each of
them comes from memory that all cores share. Entries sorted by blocks of 2^14 rows and columns gather from 128 KB
and add to 256 KB (a pair of columns in single, a pair of sums in double precision); both stay in the core's cache.
Blocks of sparser matrices have twice as many rows and columns. Row and column within the block need four bytes
together, as the column alone does in a csr matrix. Of a symmetric matrix, blocks below the diagonal are not
stored: they are those above it, with rows and columns exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.linalg import room
from lpgraph.linalg.room import installed_memory

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Rows and columns of a block: powers of two, as exponents. At most 15, so that twice a place has two bytes.
_BITS = (14, 15)
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
        The row within the block times 2^17, plus twice the column within the block: places in pairs of numbers.
    starts : ndarray of int64, of shape (rows of blocks, columns of blocks + 1)
        Where the entries of each block begin and end.
    pieces : tuple of int
        Rows of blocks at which pieces with about as many entries begin, and their number.
    rows : int
        Rows of the matrix.
    bits : int
        Rows and columns of a block: a power of two, as an exponent.
    half : bool
        Whether the matrix is symmetric, and has no entries here below the diagonal blocks.
    """

    entries: NDArray[np.uint32]
    starts: NDArray[np.int64]
    pieces: tuple[int, ...]
    rows: int
    bits: int
    half: bool

    @staticmethod
    def bits_for(shape: tuple[int, int], entries: int, *, symmetric: bool = False) -> int | None:
        """Return the exponent of a block's size, or None if products by rows are as fast, or blocks do not fit."""
        size = 4 * entries
        if shape[1] < _LEAST_COLUMNS or size > _SHARE * installed_memory(float("inf")):
            return None
        if (size / 2 if symmetric else size) > room.limit() / 2:
            return None
        blocks = {bits: (1 + ((shape[0] - 1) >> bits)) * (1 + ((shape[1] - 1) >> bits)) for bits in _BITS}
        return next((bits for bits in _BITS if entries >= _LEAST_ENTRIES * blocks[bits]), None)

    @classmethod
    def of(
        cls,
        indptr: NDArray[np.unsignedinteger],
        indices: NDArray[np.unsignedinteger],
        shape: tuple[int, int],
        bits: int,
        *,
        symmetric: bool,
    ) -> Blocks:
        """Sort the entries of a csr matrix; of a symmetric one, about half of them."""
        from lpgraph.linalg.pair_loop import count_entries, sort_entries  # it imports numba

        rows, columns = (1 + ((side - 1) >> bits) for side in shape)
        counts = np.zeros((rows, columns), np.int64)
        count_entries.over(range(rows + 1), (indptr, indices), bits, symmetric, counts)
        ends = np.cumsum(counts, axis=None).reshape(counts.shape)
        starts = np.concatenate([ends[:, :1] - counts[:, :1], ends], axis=1)
        entries = np.empty(int(ends[-1, -1]), np.uint32)
        sort_entries.over(range(rows + 1), (indptr, indices), bits, symmetric, (starts, entries))
        targets = np.linspace(0, len(indices), min(_PIECES, rows) + 1)[1:-1]
        pieces = (0, *np.searchsorted(indptr[: rows << bits : 1 << bits], targets).tolist(), rows)
        return cls(entries, starts, pieces, shape[0], bits, symmetric)

    def multiply(
        self,
        weight: float,
        pair: NDArray[np.floating],
        target: tuple[NDArray[np.floating], int, int, int],
        recurrence: tuple[float, float, NDArray[np.float64], NDArray[np.floating], NDArray[np.floating]],
    ) -> None:
        """Write the product with a pair of columns, or a step of a recurrence, as `pair_product` does."""
        from lpgraph.linalg.pair_loop import block_product

        blocks = self.entries, self.starts, self.half, self.rows, self.bits, weight
        block_product.over(self.pieces, blocks, pair, target, recurrence)
