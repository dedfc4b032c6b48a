"""What a Dask worker does with one partition: the functions of `lpgraph.scale.tasks`, one BLAS thread each.

All are functions of their arguments and of the files of the store, so that Dask can compute again what a worker
held that is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from lpgraph._threads import blas_alone
from lpgraph.scale import tasks
from lpgraph.scale.tiled import TiledMatrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike, NDArray

    from lpgraph.scale.tasks import Columns
    from lpgraph.scale.tiled import Groups, Tile

    Array = NDArray[np.float64]

__all__ = [
    "Held",
    "assembled",
    "combined",
    "image",
    "only_columns",
    "reduced",
    "same",
    "scalar_products",
    "shares",
    "written",
]

#: A partition of a block: its columns, or these and the shares of scalar products that were formed with them.
Held: TypeAlias = "Columns | tuple[Columns, Array, Array]"

Value = TypeVar("Value")


class _Scaled(TiledMatrix):
    """A matrix and the factors of one partition's rows."""

    def __init__(self, inside: TiledMatrix, factors: Array | None) -> None:
        self.cuts, self.entries = inside.cuts, inside.entries
        self._inside, self._factors = inside, factors

    def tiles(self, partition: int) -> list[Tile]:
        return self._inside.tiles(partition)

    def scale(self, partition: int) -> Array | None:
        return self._factors

    def unscaled(self) -> TiledMatrix:
        return self._inside


def same(value: Value) -> Value:
    """Return what is given: data of the client, which the scheduler keeps as an argument of this task."""
    return value


def only_columns(held: Held) -> Columns:
    """Return the columns of a partition."""
    return held[0] if isinstance(held, tuple) else held


def written(held: Held, factors: Array | None) -> Groups:
    """Return a partition's columns, scaled and row by row."""
    columns = only_columns(held)
    result = np.empty(columns.size, columns.dtype)
    tasks.written_rows(columns, factors, result, 0)
    return result


def assembled(pieces: Sequence[Groups]) -> Groups:
    """Return the block that tiles gather from."""
    return np.concatenate(pieces)


def image(
    tiled: TiledMatrix,
    partition: int,
    source: Groups,
    factors: Array | None,
    blocks: Sequence[Held],
    known: Array,
    dtype: DTypeLike,
) -> tuple[Columns, Array, Array]:
    """Multiply a block by a partition's rows; see `lpgraph.scale.tasks.image`."""
    with blas_alone():
        basis = [only_columns(held) for held in blocks]
        return tasks.image(_Scaled(tiled, factors), partition, source, basis, known, dtype)


def shares(held: tuple[Columns, Array, Array]) -> tuple[Array, Array]:
    """Return a partition's share of the scalar products of an image."""
    return held[1], held[2]


def scalar_products(blocks: Sequence[Held], held: Held) -> tuple[Array, Array]:
    """Return a partition's share of scalar products; see `lpgraph.scale.tasks.scalar_products`."""
    with blas_alone():
        return tasks.scalar_products([only_columns(block) for block in blocks], only_columns(held))


def combined(blocks: Sequence[Held], factors: Array, dtype: DTypeLike) -> Columns:
    """Return combinations of a partition's columns; see `lpgraph.scale.tasks.combined`."""
    with blas_alone():
        return tasks.combined([only_columns(block) for block in blocks], factors, dtype)


def reduced(pairs: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Return the sums of pairs of arrays, in the order of `lpgraph.scale.tasks.tree_sum`."""
    first, second = zip(*pairs, strict=True)
    return tasks.tree_sum(first), tasks.tree_sum(second)
