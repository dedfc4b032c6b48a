"""What a Dask worker does with some partitions: the functions of `lpgraph.scale.tasks`, one BLAS thread a task.

All are functions of their arguments and of the files of the store, so that Dask can compute again what a worker
held that is gone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from lpgraph._threads import blas_alone
from lpgraph.scale import tasks
from lpgraph.scale.tiled import TiledMatrix

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import DTypeLike, NDArray

    from lpgraph.scale.tasks import Columns
    from lpgraph.scale.tiled import Groups, Tile

    Array = NDArray[np.float64]
    Shares: TypeAlias = dict[int, tuple[Array, Array]]

__all__ = [
    "Held",
    "Image",
    "assembled",
    "combined",
    "images",
    "one",
    "picked",
    "random_columns",
    "same",
    "scalar_products",
    "shares",
    "written",
]

Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class Image:
    """Partitions of an image, and their shares of its scalar products."""

    columns: dict[int, Columns]
    shares: Shares


#: Columns of some partitions of a block, by the partition's number; of an image with shares of scalar products.
Held: TypeAlias = "dict[int, Columns] | Image"


class _Scaled(TiledMatrix):
    """A matrix, and the factors of some partitions' rows."""

    def __init__(self, inside: TiledMatrix, factors: Mapping[int, Array] | None) -> None:
        self.cuts, self.entries = inside.cuts, inside.entries
        self._inside, self._factors = inside, factors

    def tiles(self, partition: int) -> list[Tile]:
        return self._inside.tiles(partition)

    def scale(self, partition: int) -> Array | None:
        return None if self._factors is None else self._factors[partition]

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


def assembled(pieces: Sequence[Mapping[int, Groups]]) -> Groups:
    """Return the block that tiles gather from."""
    of_partition = {p: piece for some in pieces for p, piece in some.items()}
    return np.concatenate([of_partition[p] for p in range(len(of_partition))])


def images(
    tiled: TiledMatrix,
    partitions: Sequence[int],
    source: Groups,
    factors: Mapping[int, Array] | None,
    basis: Sequence[Sequence[Held]],
    known: Array,
    dtype: DTypeLike,
) -> Image:
    """Multiply a block by the rows of partitions; see `lpgraph.scale.tasks.image`."""
    scaled, columns, sums = _Scaled(tiled, factors), {}, {}
    with blas_alone():
        for p in partitions:
            found = tasks.image(scaled, p, source, [one(held, p) for held in basis], known, dtype)
            columns[p], sums[p] = found[0], found[1:]
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
    """Return combinations of the columns of partitions; see `lpgraph.scale.tasks.combined`."""
    with blas_alone():
        return {p: tasks.combined([one(held, p) for held in blocks], factors, dtype) for p in partitions}
