"""What is done with one partition of blocks of vectors; the same functions on one machine and on many.

A block of w columns is held in partitions of its rows, each as a (w, rows) array: columns are contiguous. Sums
over rows are formed in double precision, piece by piece in a fixed order, so that results do not depend on where
and in which order partitions are processed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.scale.basis_loop import combine, measure, write_rows
from lpgraph.scale.scratch import scratch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import DTypeLike, NDArray

    from lpgraph.scale.tiled import Groups

    Array = NDArray[np.float64]
    Columns = NDArray[np.floating]

__all__ = ["combine_columns", "image", "random_columns", "scalar_products", "tree_sum", "written_rows"]

#: Rows of a tile of vectors, which stays in the cache while the columns are read.
_SHORT = 2048

#: Rows that are copied at a time.
_ROWS = 16 * _SHORT

#: No factors of rows.
_NONE = np.empty(0)


def random_columns(rows: int, width: int, partition: int, seed: tuple[int, ...], dtype: DTypeLike) -> Columns:
    """Return standard normal columns of a partition."""
    rng = np.random.default_rng([*seed, partition])
    return rng.standard_normal((width, rows)).astype(dtype, copy=False)


def written_rows(columns: Columns, scale: Array | None, into: Groups, first: int) -> None:
    """Write a partition's columns, scaled, row by row into the block that tiles gather from."""
    write_rows(columns, _NONE if scale is None else scale, into[first * len(columns) :])


def image(product: Array, blocks: Sequence[Columns], known: Array, into: Columns) -> tuple[Array, Array]:
    """Subtract what is known from the product of a partition's rows with a block, and measure the rest.

    Parameters
    ----------
    product : ndarray of shape (rows, w)
        As of `lpgraph.scale.tiled.product_of_tiles`.
    blocks : sequence of ndarray
        The partition's part of an orthonormal basis.
    known : ndarray of shape (size, w)
        Coefficients in the basis that are subtracted from the product.
    into : ndarray of shape (w, rows)
        What is left of the product is written here.

    Returns
    -------
    along : ndarray of shape (size, w)
        The partition's share of its scalar products with the basis.
    mutual : ndarray of shape (w, w)
        The same with one another.
    """
    return _measured(_Columns.of(blocks, into.dtype), [product], known, into)


def scalar_products(blocks: Sequence[Columns], columns: Columns) -> tuple[Array, Array]:
    """Return a partition's share of the scalar products of columns with a basis and with one another."""
    basis, (width, n) = _Columns.of(blocks, columns.dtype), columns.shape
    pieces = (np.ascontiguousarray(columns[:, low : low + _ROWS].T, np.float64) for low in range(0, n, _ROWS))
    return _measured(basis, pieces, np.zeros((basis.count, width)), np.empty((0, 0), basis.like.dtype))


def combine_columns(blocks: Sequence[Columns], factors: Array, into: Columns) -> None:
    """Write combinations of a partition's columns: ``factors.T`` times all of them."""
    kind, width = blocks[0].dtype, factors.shape[1]
    alike = np.repeat([block.dtype == kind for block in blocks], [len(block) for block in blocks])
    columns = _Columns.of([block for block in blocks if block.dtype == kind], kind)
    others = [block.astype(np.float64, copy=False) for block in blocks if block.dtype != kind]
    padded = np.zeros((_rounded(width), len(columns.where)))
    padded[:width, : columns.count] = factors[alike].T
    of_others = np.zeros((len(padded), int((~alike).sum())))
    of_others[:width] = factors[~alike].T
    tile = scratch("combined", 4 * _SHORT).reshape(4, _SHORT)
    rest = np.concatenate(others) if others else np.empty((0, 0))
    combine(columns.where, columns.like, padded, rest, of_others, tile, into)


@dataclass(frozen=True)
class _Columns:
    """The columns of some blocks, as compiled loops read them.

    Attributes
    ----------
    where : ndarray of int64
        Addresses of the columns; the last one is repeated until their number is a multiple of four.
    count : int
        Number of columns.
    like : ndarray
        Of their type.
    blocks : sequence of ndarray
        The blocks: their memory is not given back while they are referred to.
    """

    where: NDArray[np.int64]
    count: int
    like: Columns
    blocks: Sequence[Columns]

    @classmethod
    def of(cls, blocks: Sequence[Columns], otherwise: np.dtype[np.floating]) -> _Columns:
        """Return the columns of blocks; those of several types are copied in the wider one.

        `otherwise` is their type if there are none, so that no further loop is compiled.
        """
        kind = np.result_type(*(block.dtype for block in blocks)) if blocks else otherwise
        held = [np.require(block, kind, ["C", "A"]) for block in blocks]
        of_blocks = [block.ctypes.data + block.strides[0] * np.arange(len(block)) for block in held]
        where = np.concatenate([np.empty(0, np.int64), *of_blocks])
        padding = np.repeat(where[-1:], _rounded(len(where)) - len(where))
        return cls(np.concatenate([where, padding]), len(where), np.empty(0, kind), held)


def _measured(basis: _Columns, pieces: Iterable[Array], known: Array, result: Columns) -> tuple[Array, Array]:
    """Return the scalar products of vectors, less what is known, with a basis and with one another.

    Parameters
    ----------
    pieces : iterable of ndarray of shape (rows, w)
        The rows of the vectors, one piece after the other.
    known : ndarray of shape (size, w)
        Coefficients in the basis that are subtracted.
    result : ndarray of shape (w, n)
        What is left is written here, unless it is empty; there is one piece then.
    """
    width = known.shape[1]
    padded = np.zeros((len(basis.where), _rounded(width)))
    padded[: basis.count, :width] = known
    along, mutual = np.zeros(padded.shape), np.zeros((width, width))
    # Coefficients are known of the last columns only.
    some = np.flatnonzero(known.any(axis=1))
    first = int(some[0]) // 4 * 4 if len(some) else len(padded)
    tile = scratch("tile", padded.shape[1] * _SHORT).reshape(-1, _SHORT)
    tile[width:] = 0.0
    where = basis.where
    for piece in pieces:
        measure(where, basis.like, piece.T, padded, first, tile, result, along, mutual)
        where = where + len(piece) * basis.like.itemsize
    return along[: basis.count, :width], mutual + np.tril(mutual, -1).T


def _rounded(count: int) -> int:
    """Return the next multiple of four, which compiled loops process at once."""
    return -(-count // 4) * 4


def tree_sum(parts: Sequence[Array]) -> Array:
    """Return the sum of equally shaped arrays, added in pairs: the same order wherever they were made."""
    level = list(parts)
    while len(level) > 1:
        level = [sum(level[i + 1 : i + 2], level[i]) for i in range(0, len(level), 2)]
    return level[0]
