"""The rows of a large symmetric matrix in partitions, and the tiles of each.

A matrix is described by what is cheap to send to another process: where its tiles are. They are opened, as memory
maps, where they are used.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from lpgraph.scale.edge_numbers import DerivedWeights
from lpgraph.scale.scratch import scratch
from lpgraph.scale.tile_loop import tile_product

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import DTypeLike, NDArray
    from scipy import sparse

    Array = NDArray[np.float64]

__all__ = [
    "Groups",
    "Piece",
    "Tile",
    "TiledMatrix",
    "TiledPieces",
    "pieces_of",
    "product_of_group",
    "product_of_tiles",
    "scaled",
]

#: The row that column number 0 belongs to, row pointers, column numbers, weights (empty if unweighted) or how they
#: are derived.
Tile: TypeAlias = "tuple[int, NDArray[np.unsignedinteger], NDArray[np.unsignedinteger], Array | DerivedWeights]"

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
    weighted : bool
        Whether they have weights; others are 1.
    """

    cuts: tuple[int, ...]
    entries: int
    weighted: bool

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.cuts[-1]

    @property
    def partitions(self) -> int:
        """Number of partitions."""
        return len(self.cuts) - 1

    @property
    @abstractmethod
    def reach(self) -> int:
        """Rows that a tile gathers from, at most."""

    @property
    @abstractmethod
    def groups(self) -> tuple[int, ...]:
        """Bounds of groups of tiles, the same for each partition: a product is the sum of those of the groups."""

    @abstractmethod
    def sources(self, group: int) -> tuple[int, ...]:
        """Return the partitions of the rows that the tiles of a group gather from."""

    @abstractmethod
    def tiles(self, partition: int) -> list[Tile]:
        """Return the tiles of a partition."""

    @abstractmethod
    def scale(self, partition: int) -> Array | None:
        """Return the factors of a partition's rows; None if all are 1."""

    @abstractmethod
    def row_sums(self) -> Array:
        """Return the sums of A's rows."""

    @abstractmethod
    def unscaled(self) -> TiledMatrix:
        """Return A: what is cheap to send."""


def pieces_of(
    tile: Tile,
) -> Iterator[tuple[int, NDArray[np.unsignedinteger], NDArray[np.unsignedinteger], Array]]:
    """Yield a tile with its weights, some rows at a time where these are derived.

    The first row, row pointers, column numbers, weights.
    """
    _, indptr, indices, weights = tile
    if not isinstance(weights, DerivedWeights):
        yield 0, indptr, indices, weights
    elif indptr[0] == indptr[-1]:
        yield 0, indptr, indices, weights.weights
    else:
        yield from weights.pieces(indptr, indices)


def product_of_tiles(
    tiled: TiledMatrix, partition: int, source: Groups, width: int, *, single: bool = False, again: bool = False
) -> Array:
    """Return the (rows, width) product of a partition's rows with a scaled block, in double precision.

    Parameters
    ----------
    source : ndarray of length n * width
        The block row by row, its rows multiplied by `TiledMatrix.scale`.
    single : bool
        Whether the product with each of several groups of tiles is rounded to single precision: other processes
        send it so.
    again : bool
        Whether the result is in memory that the next call in this thread uses again.
    """
    groups = range(len(tiled.groups) - 1)
    size = (tiled.cuts[partition + 1] - tiled.cuts[partition]) * width
    target = scratch("product", size) if again else np.empty(size)
    target[:] = 0.0
    _add_groups(tiled, partition, groups, source, width, target, single=single and len(groups) > 1)
    return scaled(tiled, partition, target, width)


def product_of_group(
    tiled: TiledMatrix, partition: int, group: int, source: Groups, width: int, dtype: DTypeLike
) -> Groups:
    """Return the product of one group of a partition's tiles, row by row.

    Parameters
    ----------
    source : ndarray of length n * width
        As for `product_of_tiles`; only rows of the partitions `TiledMatrix.sources` are read.
    """
    target = scratch("product", (tiled.cuts[partition + 1] - tiled.cuts[partition]) * width)
    target[:] = 0.0
    _add_groups(tiled, partition, [group], source, width, target, single=np.dtype(dtype) == np.float32)
    return target.astype(dtype)


def scaled(tiled: TiledMatrix, partition: int, target: Array, width: int) -> Array:
    """Return the sum of the products of groups as rows, multiplied by the factors of the partition's rows."""
    product, scale = target.reshape(-1, width), tiled.scale(partition)
    if scale is not None:
        product *= scale[:, None]
    return product


def _add_groups(
    tiled: TiledMatrix,
    partition: int,
    groups: Sequence[int],
    source: Groups,
    width: int,
    target: Array,
    *,
    single: bool,
) -> None:
    """Add the products of some groups of tiles to a target."""
    zeros, tiles = (0.0,) * width, tiled.tiles(partition)
    cuts = [(tiled.groups[group], tiled.groups[group + 1]) for group in groups]
    begun = scratch("begun", len(target)) if any(high - low > 1 for low, high in cuts) else target
    for low, high in cuts:
        for k in range(low, high):
            gathered, ends = source[tiles[k][0] * width :], (int(k == low), int(k == high - 1), int(single))
            for row, *piece in pieces_of(tiles[k]):
                here = slice(row * width, None)
                tile_product(*piece, gathered, zeros, begun[here], target[here], *ends)


class Piece(NamedTuple):
    """The rows of a partition in memory, as of a csr matrix.

    Attributes
    ----------
    indptr, indices : ndarray of unsigned int
        Row pointers and column numbers.
    weights : ndarray
        Weights; empty if unweighted.
    """

    indptr: NDArray[np.unsignedinteger]
    indices: NDArray[np.unsignedinteger]
    weights: Array


class TiledPieces(TiledMatrix):
    """A matrix in memory, with one tile a partition.

    Parameters
    ----------
    cuts
        As of `TiledMatrix`.
    pieces : sequence of Piece
        One for each partition.
    factors : ndarray or None
        Factors of all rows.
    """

    def __init__(self, cuts: Sequence[int], pieces: Sequence[Piece], factors: Array | None = None) -> None:
        self.cuts, self.entries = tuple(cuts), sum(int(piece.indptr[-1] - piece.indptr[0]) for piece in pieces)
        self.weighted = any(len(piece.weights) for piece in pieces)
        self._pieces, self._factors = tuple(pieces), factors

    @classmethod
    def of(cls, matrix: sparse.csr_array, cuts: Sequence[int], factors: Array | None = None) -> TiledPieces:
        """Return a csr matrix in pieces, without a copy of its column numbers."""
        indptr, indices = _unsigned(matrix.indptr), _unsigned(matrix.indices)
        weights = np.asarray(matrix.data, dtype=np.float64)
        # All partitions share the arrays of the matrix, to which the row pointers refer.
        pieces = [Piece(indptr[low : high + 1], indices, weights) for low, high in itertools.pairwise(cuts)]
        return cls(cuts, pieces, factors)

    @property
    def reach(self) -> int:
        """All rows."""
        return self.n

    @property
    def groups(self) -> tuple[int, ...]:
        """One group."""
        return 0, 1

    def sources(self, group: int) -> tuple[int, ...]:
        """Return all partitions."""
        del group
        return tuple(range(self.partitions))

    def tiles(self, partition: int) -> list[Tile]:
        """Return the tile of a partition."""
        return [(0, *self._pieces[partition])]

    def scale(self, partition: int) -> Array | None:
        """Return the factors of a partition's rows."""
        low, high = self.cuts[partition], self.cuts[partition + 1]
        return None if self._factors is None else self._factors[low:high]

    def row_sums(self) -> Array:
        """Return the sums of the rows."""
        bare, ones = self.unscaled(), np.ones(self.n)
        return np.concatenate([product_of_tiles(bare, p, ones, 1)[:, 0] for p in range(self.partitions)])

    def unscaled(self) -> TiledPieces:
        """Return the matrix without factors."""
        return TiledPieces(self.cuts, self._pieces)


def _unsigned(numbers: NDArray[np.signedinteger]) -> NDArray[np.unsignedinteger]:
    """Return numbers of type int32 or int64 as unsigned ones, without a copy."""
    return numbers.view(np.uint32) if numbers.dtype.itemsize == 4 else numbers.view(np.uint64)
