"""Operations on blocks of vectors that are held in partitions: what the eigensolver asks of an engine.

`LocalEngine` works in threads of this process; blocks are arrays, or memory maps of files if there are too many.
Other engines hold the same partitions elsewhere, and call the same functions of
`lpgraph.scale.tasks`, so that results are the same to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar, TypeVarTuple, Unpack

import numpy as np

from lpgraph._threads import blas_alone, in_threads
from lpgraph.scale import tasks
from lpgraph.scale.scratch import scratch
from lpgraph.scale.tasks import tree_sum
from lpgraph.scale.tiled import product_of_tiles

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import DTypeLike, NDArray

    from lpgraph.scale.space import Space
    from lpgraph.scale.tasks import Columns
    from lpgraph.scale.tiled import TiledMatrix

    Array = NDArray[np.float64]

__all__ = ["Block", "Engine", "LocalEngine"]

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")


@dataclass(frozen=True, eq=False)
class Block:
    """Some columns of all rows, in partitions; only the engine that made it knows what these are.

    Attributes
    ----------
    width : int
        Number of columns.
    parts : tuple
        One for each partition: an array of shape (width, rows), or what stands for it.
    """

    width: int
    parts: tuple[object, ...]


class Engine(Protocol):
    """What the eigensolver needs. All results are independent of the number of threads, processes and machines.

    Attributes
    ----------
    overhead : float
        Seconds that a pass takes beside the work: where they are many, blocks are wide and passes few.
    """

    overhead: float

    @property
    def passes(self) -> int:
        """How often the edges have been read."""

    def each(
        self,
        function: Callable[[TiledMatrix, int, Unpack[Arguments]], Result],
        tiled: TiledMatrix,
        *arguments: *Arguments,
    ) -> list[Result]:
        """Return what a function gives for each partition of the matrix without factors: a pass over the edges."""

    def random(self, tiled: TiledMatrix, width: int, seed: tuple[int, ...], dtype: DTypeLike) -> Block:
        """Return a block of standard normal numbers."""

    def image(
        self, tiled: TiledMatrix, block: Block, basis: Sequence[Block], known: Array, dtype: DTypeLike
    ) -> tuple[Block, Array, Array]:
        """Multiply a block; return what is left without ``basis @ known``, and its scalar products.

        The second result are those with the basis, the third those with one another. The block is there until
        the next image is formed.
        """

    def scalar_products(self, basis: Sequence[Block], block: Block) -> tuple[Array, Array]:
        """Return the scalar products of a block with a basis, and with itself."""

    def combined(self, blocks: Sequence[Block], factors: Array, dtype: DTypeLike) -> Block:
        """Return ``[blocks] @ factors``."""

    def columns(self, block: Block, partition: int) -> Columns:
        """Return a partition of a block, as an array of this process."""

    def restored(self, parts: Sequence[Columns]) -> Block:
        """Return a block with these partitions."""


@dataclass(eq=False)
class LocalEngine:
    """Threads of this process.

    Attributes
    ----------
    space : Space
        Where blocks are: in memory or in files.
    room : int
        An image of at most so many bytes is in memory beside the space: it is read once, and not worth a file.
    passes : int
        How often the edges have been read.
    overhead : float
        As of `Engine`.
    """

    space: Space
    room: int = 0
    passes: int = 0
    overhead: float = 0.0

    def each(
        self,
        function: Callable[[TiledMatrix, int, Unpack[Arguments]], Result],
        tiled: TiledMatrix,
        *arguments: *Arguments,
    ) -> list[Result]:
        """Return what a function gives for each partition; see `Engine`."""
        self.passes += 1
        found: dict[int, Result] = {}
        bare = tiled.unscaled()

        def one(p: int) -> None:
            found[p] = function(bare, p, *arguments)

        _each(tiled.partitions, one)
        return [found[p] for p in range(tiled.partitions)]

    def random(self, tiled: TiledMatrix, width: int, seed: tuple[int, ...], dtype: DTypeLike) -> Block:
        """Return a block of standard normal numbers."""

        def one(p: int, into: Columns) -> None:
            into[:] = tasks.random_columns(into.shape[1], width, p, seed, dtype)

        return self._block(tiled.cuts, width, dtype, one)

    @blas_alone()
    def image(
        self, tiled: TiledMatrix, block: Block, basis: Sequence[Block], known: Array, dtype: DTypeLike
    ) -> tuple[Block, Array, Array]:
        """Multiply a block; see `Engine`."""
        self.passes += 1
        kind = np.result_type(*(_array(part).dtype for part in block.parts))
        size = tiled.n * block.width
        source = _scratch("source", size, kind)
        _each(
            tiled.partitions,
            lambda p: tasks.written_rows(_array(block.parts[p]), tiled.scale(p), source, tiled.cuts[p]),
        )
        sums: dict[int, tuple[Array, Array]] = {}
        single = np.dtype(dtype) == np.float32

        def one(p: int, into: Columns) -> None:
            product = product_of_tiles(tiled, p, source, block.width, single=single, again=True)
            sums[p] = tasks.image(product, _parts(basis, p), known, into)

        fits = size * np.dtype(dtype).itemsize <= self.room
        into = _scratch("image", size, dtype) if fits else None
        result = self._block(tiled.cuts, block.width, dtype, one, into)
        return result, *_summed(sums)

    @blas_alone()
    def scalar_products(self, basis: Sequence[Block], block: Block) -> tuple[Array, Array]:
        """Return the scalar products of a block with a basis, and with itself."""
        sums: dict[int, tuple[Array, Array]] = {}

        def one(p: int) -> None:
            sums[p] = tasks.scalar_products(_parts(basis, p), _array(block.parts[p]))

        _each(len(block.parts), one)
        return _summed(sums)

    @blas_alone()
    def combined(self, blocks: Sequence[Block], factors: Array, dtype: DTypeLike) -> Block:
        """Return ``[blocks] @ factors``."""
        cuts = (0, *np.cumsum([_array(part).shape[1] for part in blocks[0].parts]).tolist())

        def one(p: int, into: Columns) -> None:
            tasks.combine_columns(_parts(blocks, p), factors, into)

        return self._block(cuts, factors.shape[1], dtype, one)

    def columns(self, block: Block, partition: int) -> Columns:
        """Return a partition of a block."""
        return _array(block.parts[partition])

    def restored(self, parts: Sequence[Columns]) -> Block:
        """Return a block with these partitions."""
        return Block(len(parts[0]), tuple(parts))

    def _block(
        self,
        cuts: Sequence[int],
        width: int,
        dtype: DTypeLike,
        write: Callable[[int, Columns], None],
        into: Columns | None = None,
    ) -> Block:
        """Return the block of what a function writes for each partition, in given memory, the space, or files.

        A block in memory is one array, whose pages go back to the system with it; those of small arrays need not.
        """
        whole = self.space.in_memory(cuts[-1] * width, dtype) if into is None else into
        parts: list[object] = [None] * (len(cuts) - 1)

        def one(p: int, _: int) -> None:
            rows = cuts[p + 1] - cuts[p]
            here = slice(cuts[p] * width, cuts[p + 1] * width)
            memory = _scratch("part", rows * width, dtype) if whole is None else whole[here]
            columns = memory.reshape(width, rows)
            write(p, columns)
            parts[p] = self.space.written(columns) if whole is None else columns

        in_threads(one, range(len(cuts)))
        return Block(width, tuple(parts))


def _each(count: int, work: Callable[[int], object]) -> None:
    """Call a function for each number below `count`, in threads."""
    in_threads(lambda p, _: work(p), range(count + 1))


def _scratch(purpose: str, size: int, dtype: DTypeLike) -> Columns:
    """Return memory that was used for the purpose before; see `lpgraph.scale.scratch.scratch`."""
    return scratch(purpose, -(-size * np.dtype(dtype).itemsize // 8)).view(dtype)[:size]


def _array(part: object) -> Columns:
    """Return a partition of a block of a `LocalEngine`."""
    if not isinstance(part, np.ndarray):
        raise TypeError(f"{type(part).__name__} is no partition of a local block.")
    return part


def _parts(blocks: Sequence[Block], p: int) -> list[Columns]:
    return [_array(block.parts[p]) for block in blocks]


def _summed(sums: dict[int, tuple[Array, Array]]) -> tuple[Array, Array]:
    first, second = zip(*(sums[p] for p in range(len(sums))), strict=True)
    return tree_sum(first), tree_sum(second)
