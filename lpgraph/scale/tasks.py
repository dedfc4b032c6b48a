"""What is done with one partition of blocks of vectors; the same functions on one machine and on many.

A block of w columns is held in partitions of its rows, each as a (w, rows) array: columns are contiguous. Sums
over rows are formed in double precision, piece by piece in a fixed order, so that results do not depend on where
and in which order partitions are processed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph.scale.scratch import scratch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray

    from lpgraph.scale.tiled import Groups

    Array = NDArray[np.float64]
    Columns = NDArray[np.floating]

__all__ = ["combined", "image", "random_columns", "scalar_products", "tree_sum", "written_rows"]

#: Rows that are processed at a time: what is read of all columns stays in the cache.
_ROWS = 4096


def random_columns(rows: int, width: int, partition: int, seed: tuple[int, ...], dtype: DTypeLike) -> Columns:
    """Return standard normal columns of a partition."""
    rng = np.random.default_rng([*seed, partition])
    return rng.standard_normal((width, rows)).astype(dtype, copy=False)


def written_rows(columns: Columns, scale: Array | None, into: Groups, first: int) -> None:
    """Write a partition's columns, scaled, row by row into the block that tiles gather from."""
    width, rows = columns.shape
    target = into.reshape(-1, width)[first : first + rows]
    for low in range(0, rows, _ROWS):
        piece = slice(low, low + _ROWS)
        target[piece] = columns[:, piece].T if scale is None else columns[:, piece].T * scale[piece, None]


def image(
    product: Array, blocks: Sequence[Columns], known: Array, dtype: DTypeLike
) -> tuple[Columns, Array, Array]:
    """Subtract what is known from the product of a partition's rows with a block, and measure the rest.

    Parameters
    ----------
    product : ndarray of shape (rows, w)
        As of `lpgraph.scale.tiled.product_of_tiles`; it is changed.
    blocks : sequence of ndarray
        The partition's part of an orthonormal basis.
    known : ndarray of shape (size, w)
        Coefficients in the basis that are subtracted from the product.

    Returns
    -------
    columns : ndarray of shape (w, rows)
        What is left of the product.
    along : ndarray of shape (size, w)
        The partition's share of its scalar products with the basis.
    mutual : ndarray of shape (w, w)
        The same with one another.
    """
    width = known.shape[1]
    result = np.empty((width, len(product)), dtype)
    along, mutual = np.zeros(known.shape), np.zeros((width, width))
    pieces, space = _Pieces(blocks), scratch("combined", _ROWS * width)
    # Coefficients are known of the last columns only.
    some = np.flatnonzero(known.any(axis=1))
    first = int(some[0]) if len(some) else len(known)
    for low in range(0, len(product), _ROWS):
        piece = slice(low, low + _ROWS)
        rows = product[piece]
        basis = pieces.rows(piece, len(rows))
        if first < len(known):
            rows -= np.matmul(basis[first:].T, known[first:], out=_shaped(space, rows.shape))
        along += basis @ rows
        mutual += rows.T @ rows
        result[:, piece] = rows.T
    return result, along, mutual


def scalar_products(blocks: Sequence[Columns], columns: Columns) -> tuple[Array, Array]:
    """Return a partition's share of the scalar products of columns with a basis and with one another."""
    size, (width, n) = sum(map(len, blocks)), columns.shape
    along, mutual = np.zeros((size, width)), np.zeros((width, width))
    pieces, own = _Pieces(blocks), _Pieces([columns], "own")
    for low in range(0, n, _ROWS):
        piece = slice(low, low + _ROWS)
        rows = own.rows(piece, min(_ROWS, n - low))
        along += pieces.rows(piece, rows.shape[1]) @ rows.T
        mutual += rows @ rows.T
    return along, mutual


def combined(blocks: Sequence[Columns], factors: Array, dtype: DTypeLike) -> Columns:
    """Return combinations of a partition's columns: ``factors.T`` times all of them."""
    n = blocks[0].shape[1]
    width = factors.shape[1]
    result, pieces = np.empty((width, n), dtype), _Pieces(blocks)
    space = scratch("combined", _ROWS * width)
    for low in range(0, n, _ROWS):
        piece, count = slice(low, low + _ROWS), min(_ROWS, n - low)
        result[:, piece] = np.matmul(factors.T, pieces.rows(piece, count), out=_shaped(space, (width, count)))
    return result


class _Pieces:
    """Some rows of all columns at a time, in double precision and in the same memory."""

    def __init__(self, blocks: Sequence[Columns], name: str = "pieces") -> None:
        self._blocks, self._size = blocks, sum(map(len, blocks))
        self._space = scratch(name, self._size * _ROWS)

    def rows(self, rows: slice, count: int) -> Array:
        """Return `count` rows of all columns, until the next call."""
        found = _shaped(self._space, (self._size, count))
        if self._blocks:
            np.concatenate([block[:, rows] for block in self._blocks], out=found)
        return found


def _shaped(space: Array, shape: tuple[int, ...]) -> Array:
    """Return the beginning of an array in a shape."""
    return space[: shape[0] * shape[1]].reshape(shape)


def tree_sum(parts: Sequence[Array]) -> Array:
    """Return the sum of equally shaped arrays, added in pairs: the same order wherever they were made."""
    level = list(parts)
    while len(level) > 1:
        level = [sum(level[i + 1 : i + 2], level[i]) for i in range(0, len(level), 2)]
    return level[0]
