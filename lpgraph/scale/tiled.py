"""The rows of a large symmetric matrix in partitions, and the tiles of each.

A matrix is described by what is cheap to send to another process: where its tiles are. They are opened, as memory
maps, where they are used.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lpgraph.scale.tile_loop import tile_product

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    Array = NDArray[np.float64]

__all__ = ["Groups", "Tile", "TiledArray", "TiledMatrix", "product_of_tiles"]

#: The row that column number 0 belongs to, row pointers, column numbers, weights (empty if unweighted).
Tile: TypeAlias = "tuple[int, NDArray[np.unsignedinteger], NDArray[np.unsignedinteger], Array]"

#: A block of columns row by row, as tiles gather it: one array for all rows.
Groups: TypeAlias = "NDArray[np.floating]"


class TiledMatrix(ABC):
    """A symmetric n x n matrix ``diag(scale) A diag(scale)`` whose rows are in partitions; can be pickled.

    Attributes
    ----------
    cuts : tuple of int
        Bounds of the partitions, from 0 to n.
    entries : int
        Stored entries of A.
    """

    cuts: tuple[int, ...]
    entries: int

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.cuts[-1]

    @property
    def partitions(self) -> int:
        """Number of partitions."""
        return len(self.cuts) - 1

    @abstractmethod
    def tiles(self, partition: int) -> list[Tile]:
        """Return the tiles of a partition."""

    @abstractmethod
    def scale(self, partition: int) -> Array | None:
        """Return the factors of a partition's rows; None if all are 1."""

    @abstractmethod
    def unscaled(self) -> TiledMatrix:
        """Return A: what is cheap to send."""


def product_of_tiles(tiled: TiledMatrix, partition: int, source: Groups, width: int) -> Array:
    """Return the (rows, width) product of a partition's rows with a scaled block, in double precision.

    Parameters
    ----------
    source : ndarray of length n * width
        The block row by row, its rows multiplied by `TiledMatrix.scale`.
    """
    rows = tiled.cuts[partition + 1] - tiled.cuts[partition]
    target = np.zeros(rows * width)
    zeros = (0.0,) * width
    for first, indptr, indices, weights in tiled.tiles(partition):
        tile_product(indptr, indices, weights, source[first * width :], zeros, target)
    product = target.reshape(rows, width)
    scale = tiled.scale(partition)
    if scale is not None:
        product *= scale[:, None]
    return product


class TiledArray(TiledMatrix):
    """A csr matrix in memory, with one tile a partition."""

    def __init__(self, matrix: sparse.csr_array, cuts: Sequence[int], factors: Array | None = None) -> None:
        self.cuts, self.entries = tuple(cuts), matrix.nnz
        self._matrix, self._factors = matrix, factors

    def tiles(self, partition: int) -> list[Tile]:
        """Return the tile of a partition."""
        matrix, rows = self._matrix, slice(self.cuts[partition], self.cuts[partition + 1] + 1)
        indptr, indices = np.asarray(matrix.indptr[rows]), np.asarray(matrix.indices)
        return [(0, _unsigned(indptr), _unsigned(indices), np.asarray(matrix.data, dtype=np.float64))]

    def scale(self, partition: int) -> Array | None:
        """Return the factors of a partition's rows."""
        low, high = self.cuts[partition], self.cuts[partition + 1]
        return None if self._factors is None else self._factors[low:high]

    def unscaled(self) -> TiledArray:
        """Return the matrix without factors."""
        return TiledArray(self._matrix, self.cuts)


def _unsigned(numbers: NDArray[np.signedinteger]) -> NDArray[np.unsignedinteger]:
    """Return numbers of type int32 or int64 as unsigned ones, without a copy."""
    return numbers.view(np.uint32) if numbers.dtype.itemsize == 4 else numbers.view(np.uint64)
