"""What a Dask worker does with some partitions: the functions of `lpgraph.scale.tasks`, one BLAS thread a task.

All are functions of their arguments and of the files of the store, so that Dask can compute again what a worker
held that is gone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar, TypeVarTuple, Unpack

import numpy as np

from lpgraph._threads import blas_alone
from lpgraph.scale import tasks
from lpgraph.scale.tiled import TiledMatrix, product_of_group, product_of_tiles, scaled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import DTypeLike, NDArray

    from lpgraph.scale.tasks import Columns
    from lpgraph.scale.tiled import Groups, Tile

    Array = NDArray[np.float64]
    Shares: TypeAlias = dict[int, tuple[Array, Array]]

__all__ = [
    "Held",
    "Image",
    "Spread",
    "assembled",
    "combined",
    "each",
    "group_products",
    "images",
    "images_of_sums",
    "one",
    "picked",
    "random_columns",
    "same",
    "scalar_products",
    "shares",
    "spread",
    "written",
]

Value = TypeVar("Value")
Arguments = TypeVarTuple("Arguments")


@dataclass(frozen=True, eq=False)
class Image:
    """Partitions of an image, and their shares of its scalar products."""

    columns: dict[int, Columns]
    shares: Shares


@dataclass(frozen=True, eq=False)
class Spread:
    """Some rows of a block at their places in an array whose other pages are not written, and take no memory."""

    rows: Groups
    n_bytes: int

    def __sizeof__(self) -> int:
        return self.n_bytes


#: Columns of some partitions of a block, by the partition's number; of an image with shares of scalar products.
Held: TypeAlias = "dict[int, Columns] | Image"


class _Scaled(TiledMatrix):
    """A matrix, and the factors of some partitions' rows."""

    def __init__(self, inside: TiledMatrix, factors: Mapping[int, Array] | None) -> None:
        self.cuts, self.entries, self.weighted = inside.cuts, inside.entries, inside.weighted
        self._inside, self._factors = inside, factors

    @property
    def reach(self) -> int:
        return self._inside.reach

    @property
    def groups(self) -> tuple[int, ...]:
        return self._inside.groups

    def sources(self, group: int) -> tuple[int, ...]:
        return self._inside.sources(group)

    def tiles(self, partition: int) -> list[Tile]:
        return self._inside.tiles(partition)

    def scale(self, partition: int) -> Array | None:
        return None if self._factors is None else self._factors[partition]

    def row_sums(self) -> Array:
        return self._inside.row_sums()

    def unscaled(self) -> TiledMatrix:
        return self._inside


def same(value: Value) -> Value:
    """Return what is given: data of the client, which the scheduler keeps as an argument of this task."""
    return value


def one(held: Sequence[Held], partition: int) -> Columns:
    """Return the columns of a partition."""
    for some in held:
        columns = some.columns if isinstance(some, Image) else some
        if partition in columns:
            return columns[partition]
    raise KeyError(partition)


def picked(held: Held, partitions: Sequence[int]) -> dict[int, Columns]:
    """Return some partitions."""
    return {p: one([held], p) for p in partitions}


def random_columns(
    rows: Mapping[int, int], width: int, seed: tuple[int, ...], dtype: DTypeLike
) -> dict[int, Columns]:
    """Return standard normal columns of partitions of so many rows."""
    return {p: tasks.random_columns(count, width, p, seed, dtype) for p, count in rows.items()}


def written(
    held: Sequence[Held], partitions: Sequence[int], factors: Mapping[int, Array] | None
) -> dict[int, Groups]:
    """Return columns of partitions, scaled and row by row."""
    result = {}
    for p in partitions:
        columns = one(held, p)
        result[p] = np.empty(columns.size, columns.dtype)
        tasks.written_rows(columns, None if factors is None else factors[p], result[p], 0)
    return result


def each(
    function: Callable[[TiledMatrix, int, Unpack[Arguments]], Value],
    tiled: TiledMatrix,
    partitions: Sequence[int],
    arguments: tuple[*Arguments],
) -> dict[int, Value]:
    """Return what a function gives for each partition."""
    return {p: function(tiled, p, *arguments) for p in partitions}


def assembled(pieces: Sequence[Mapping[int, Groups]]) -> Groups:
    """Return the block that tiles gather from."""
    of_partition = {p: piece for some in pieces for p, piece in some.items()}
    return np.concatenate([of_partition[p] for p in range(len(of_partition))])


def spread(pieces: Sequence[Mapping[int, Groups]], tiled: TiledMatrix) -> Spread:
    """Return an array of the size of a block with some of its rows."""
    of_partition = {p: piece for some in pieces for p, piece in some.items()}
    cuts, (some, piece) = tiled.cuts, next(iter(of_partition.items()))
    width = len(piece) // (cuts[some + 1] - cuts[some])
    rows = np.empty(tiled.n * width, piece.dtype)
    for p, piece in of_partition.items():
        rows[cuts[p] * width : cuts[p + 1] * width] = piece
    return Spread(rows, sum(piece.nbytes for piece in of_partition.values()))


def images(
    tiled: TiledMatrix,
    partitions: Sequence[int],
    source: Groups | Sequence[Mapping[int, Groups]],
    factors: Mapping[int, Array] | None,
    basis: Sequence[Sequence[Held]],
    known: Array,
    dtype: DTypeLike,
) -> Image:
    """Multiply a block, or its pieces, by the rows of partitions; see `lpgraph.scale.tasks.image`."""
    source = source if isinstance(source, np.ndarray) else assembled(source)
    matrix, width, single = _Scaled(tiled, factors), known.shape[1], np.dtype(dtype) == np.float32

    def product(p: int) -> Array:
        return product_of_tiles(matrix, p, source, width, single=single, again=True)

    return _images(product, partitions, basis, known, dtype)


def group_products(
    tiled: TiledMatrix,
    partitions: Sequence[int],
    column: int,
    source: Spread | Sequence[Mapping[int, Groups]],
    width: int,
    dtype: DTypeLike,
) -> dict[int, Groups]:
    """Multiply the part of a block, or its pieces, that a group of columns gathers from by these tiles."""
    rows = (source if isinstance(source, Spread) else spread(source, tiled)).rows
    return {p: product_of_group(tiled, p, column, rows, width, dtype) for p in partitions}


def images_of_sums(
    tiled: TiledMatrix,
    partitions: Sequence[int],
    products: Sequence[Mapping[int, Groups]],
    factors: Mapping[int, Array] | None,
    basis: Sequence[Sequence[Held]],
    known: Array,
    dtype: DTypeLike,
) -> Image:
    """Add up the products of groups of columns in their order, and do the rest of `images`."""
    matrix, width = _Scaled(tiled, factors), known.shape[1]

    def product(p: int) -> Array:
        target = products[0][p].astype(np.float64)
        for other in products[1:]:
            target += other[p]
        return scaled(matrix, p, target, width)

    return _images(product, partitions, basis, known, dtype)


def _images(
    product: Callable[[int], Array],
    partitions: Sequence[int],
    basis: Sequence[Sequence[Held]],
    known: Array,
    dtype: DTypeLike,
) -> Image:
    columns, sums = {}, {}
    with blas_alone():
        for p in partitions:
            rows = product(p)
            columns[p] = np.empty(rows.shape[::-1], dtype)
            sums[p] = tasks.image(rows, [one(held, p) for held in basis], known, columns[p])
    return Image(columns, sums)


def shares(image: Image) -> Shares:
    """Return the partitions' shares of the scalar products of an image."""
    return image.shares


def scalar_products(partitions: Sequence[int], basis: Sequence[Sequence[Held]], block: Sequence[Held]) -> Shares:
    """Return the partitions' shares of scalar products; see `lpgraph.scale.tasks.scalar_products`."""
    with blas_alone():
        return {p: tasks.scalar_products([one(held, p) for held in basis], one(block, p)) for p in partitions}


def combined(
    partitions: Sequence[int], blocks: Sequence[Sequence[Held]], factors: Array, dtype: DTypeLike
) -> dict[int, Columns]:
    """Return combinations of the columns of partitions; see `lpgraph.scale.tasks.combine_columns`."""
    result = {}
    with blas_alone():
        for p in partitions:
            columns = [one(held, p) for held in blocks]
            result[p] = np.empty((factors.shape[1], columns[0].shape[1]), dtype)
            tasks.combine_columns(columns, factors, result[p])
    return result
