"""Blocks of vectors on the workers of a Dask cluster.

Partitions are plain futures, a few in each, computed by functions of other futures and of the store's files alone.
If a worker is gone, Dask computes again what it held; workers keep no state, except memory maps of tiles.

A round is one product with the matrix. Each partition of the block is written row by row; each worker gets all of
these pieces and makes one array of them, from which its tiles gather; with many workers, it gets those of a group
of columns, and sends products to the worker that adds them up. The basis stays where it is. The shares of
scalar products of all partitions are added by the client in the order of `tree_sum`. So results are those of
`LocalEngine`, to the last bit, for any number of workers of one type of processor.

A task that was released is known to the scheduler as long as a later one was computed from it: the history of a
fit, without its results, is what makes it possible to compute lost partitions again.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar, TypeVarTuple, Unpack
from uuid import uuid4

import numpy as np

from lpgraph._progress import tell
from lpgraph.errors import ClusterError
from lpgraph.scale import dask_tasks, dask_wait
from lpgraph.scale.dask_grid import Grid, grid_of
from lpgraph.scale.dask_placement import Group
from lpgraph.scale.dask_wait import results
from lpgraph.scale.engine import Block
from lpgraph.scale.room import gigabytes
from lpgraph.scale.tasks import tree_sum

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from distributed import Client, Future
    from numpy.typing import DTypeLike, NDArray

    from lpgraph.scale.dask_tasks import Image, Shares, Spread, Value
    from lpgraph.scale.tasks import Columns
    from lpgraph.scale.tiled import Groups, TiledMatrix

    Array = NDArray[np.float64]
    #: The block that tiles gather from, or its pieces.
    Source: TypeAlias = Future[Groups] | Future[Spread] | list[Future[dict[int, Groups]]]
    #: Some partitions of a block.
    OfBlock: TypeAlias = Future[dict[int, Columns]] | Future[Image]

__all__ = ["DaskEngine"]

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")

#: How often a task that failed is repeated.
_RETRIES = 3

_log = logging.getLogger("lpgraph.scale")


@dataclass(frozen=True, eq=False)
class _Part:
    """A partition of a block on a worker.

    Attributes
    ----------
    future : Future
        Columns of a group of partitions.
    group : Group
        These partitions.
    rows : int
        Number of rows of this one.
    n_bytes : int
        Size of its columns.
    """

    future: OfBlock
    group: Group
    rows: int
    n_bytes: int


@dataclass(frozen=True, eq=False)
class _Matrix:
    """A matrix as tasks see it: where its tiles are, and the factors of the rows of each group."""

    tiled: TiledMatrix
    groups: tuple[Group, ...]
    where: Future[TiledMatrix]
    factors: dict[Group, Future[dict[int, Array]] | None]


class DaskEngine:
    """Workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client
        The cluster. All of its workers are used, also those that join later.

    Attributes
    ----------
    passes : int
        Rounds: how often the edges have been read.
    broadcast_bytes : int
        Bytes of vectors that were sent from workers to other workers.
    partial_bytes : int
        Bytes of products with groups of columns that were sent from workers to other workers.
    reduced_bytes : int
        Bytes of scalar products and coefficients that the client has received and sent.
    gathered_bytes : int
        Bytes of vectors that the client has received: the result.
    overhead : float
        As of `lpgraph.scale.engine.Engine`: of 0.03 to 0.15 s, what took the least time with two workers on one
        machine.
    """

    overhead: float = 0.05

    def __init__(self, client: Client) -> None:
        self.client = client
        self.passes = self.broadcast_bytes = self.partial_bytes = self.reduced_bytes = self.gathered_bytes = 0
        self._token, self._count = uuid4().hex, 0
        self._threads: Mapping[str, int] = {}
        self._sources: list[tuple[int, ...]] = []
        self._grid: Grid | None = None
        self._matrix: _Matrix | None = None

    def each(
        self,
        function: Callable[[TiledMatrix, int, Unpack[Arguments]], Result],
        tiled: TiledMatrix,
        *arguments: *Arguments,
    ) -> list[Result]:
        """Return what a function gives for each partition; see `lpgraph.scale.engine.Engine`."""
        self.passes += 1
        self._place(tiled.partitions, tiled)
        matrix = self._on_workers(tiled)
        given = self._given("arguments", None, arguments)
        futures = [
            self._submit("each", group, dask_tasks.each, function, matrix.where, group.partitions, given)
            for group in self._groups
        ]
        found = {p: result for some in results(self.client, futures, self._token) for p, result in some.items()}
        return [found[p] for p in range(tiled.partitions)]

    def random(self, tiled: TiledMatrix, width: int, seed: tuple[int, ...], dtype: DTypeLike) -> Block:
        """Return a block of standard normal numbers."""
        self._place(tiled.partitions, tiled)
        rows = _rows(tiled)
        futures = [
            self._submit(
                "random",
                group,
                dask_tasks.random_columns,
                {p: rows[p] for p in group.partitions},
                width,
                seed,
                dtype,
            )
            for group in self._groups
        ]
        return self._block(futures, width, rows, dtype)

    def image(
        self, tiled: TiledMatrix, block: Block, basis: Sequence[Block], known: Array, dtype: DTypeLike
    ) -> tuple[Block, Array, Array]:
        """Multiply a block; see `lpgraph.scale.engine.Engine`."""
        self.passes += 1
        before = self.broadcast_bytes + self.partial_bytes, self.reduced_bytes
        self._place(tiled.partitions, tiled)
        matrix, coefficients = self._on_workers(tiled), self._counted(known)
        source = self._broadcast(block, matrix)
        products = self._products(matrix, source, block.width, dtype)
        futures = [
            self._submit(
                "image",
                group,
                dask_tasks.images_of_sums if products else dask_tasks.images,
                matrix.where,
                group.partitions,
                products[group] if products else source[group.worker],
                matrix.factors[group],
                self._inputs(basis, group),
                coefficients,
                dtype,
            )
            for group in self._groups
        ]
        result = self._block(futures, block.width, _rows(tiled), dtype)
        along, mutual = self._sums(
            [
                self._submit("share", group, dask_tasks.shares, future)
                for group, future in zip(self._groups, futures, strict=True)
            ]
        )
        tell(
            _log,
            "round %d: %s of vectors sent between %d workers, %s of scalar products",
            self.passes,
            gigabytes(self.broadcast_bytes + self.partial_bytes - before[0]),
            len(self._threads),
            gigabytes(self.reduced_bytes - before[1]),
        )
        return result, along, mutual

    def scalar_products(self, basis: Sequence[Block], block: Block) -> tuple[Array, Array]:
        """Return the scalar products of a block with a basis, and with itself."""
        self._place(len(block.parts))
        return self._sums(
            [
                self._submit(
                    "products",
                    group,
                    dask_tasks.scalar_products,
                    group.partitions,
                    self._inputs(basis, group),
                    self._input(block, group),
                )
                for group in self._groups
            ]
        )

    def combined(self, blocks: Sequence[Block], factors: Array, dtype: DTypeLike) -> Block:
        """Return ``[blocks] @ factors``."""
        parts = _parts(blocks[0])
        self._place(len(parts))
        coefficients = self._counted(factors)
        futures = [
            self._submit(
                "combine",
                group,
                dask_tasks.combined,
                group.partitions,
                self._inputs(blocks, group),
                coefficients,
                dtype,
            )
            for group in self._groups
        ]
        return self._block(futures, factors.shape[1], [part.rows for part in parts], dtype)

    def columns(self, block: Block, partition: int) -> Columns:
        """Return a partition of a block, as an array of this process."""
        part = _parts(block)[partition]
        (found,) = self._gathered([self._submit("columns", part.group, dask_tasks.one, [part.future], partition)])
        self.gathered_bytes += found.nbytes
        return found

    def restored(self, parts: Sequence[Columns]) -> Block:
        """Return a block with these partitions; the scheduler keeps them until the block is released."""
        self._place(len(parts))
        futures = [
            self._given("restore", group, {p: np.array(parts[p]) for p in group.partitions})
            for group in self._groups
        ]
        return self._block(futures, len(parts[0]), [part.shape[1] for part in parts], parts[0].dtype)

    def _place(self, count: int, tiled: TiledMatrix | None = None) -> None:
        """Decide where partitions and tiles are worked on, with the workers that are there now."""
        threads = self.client.nthreads()
        if not threads:
            try:
                self.client.wait_for_workers(1, timeout=dask_wait.WAIT)
            except TimeoutError:
                raise ClusterError(
                    f"The cluster has had no worker for {dask_wait.WAIT} seconds; start workers, and fit again."
                ) from None
            threads = self.client.nthreads()
        sources = self._sources if tiled is None else [tiled.sources(k) for k in range(len(tiled.groups) - 1)]
        if self._grid is not None and len(self._grid.workers) != count:
            self._grid = None
        if self._grid is None or threads != self._threads or sources != self._sources:
            self._grid = grid_of(self._grid, count, threads, sources)
            self._threads, self._sources = threads, sources

    @property
    def _groups(self) -> tuple[Group, ...]:
        """The partitions that tasks work on."""
        return () if self._grid is None else self._grid.groups

    def _on_workers(self, tiled: TiledMatrix) -> _Matrix:
        """Return a matrix as tasks see it; the last one is kept."""
        if self._matrix is None or self._matrix.tiled is not tiled:
            where = self._given("matrix", None, tiled.unscaled())
            self._matrix = _Matrix(tiled, (), where, {})
        if self._matrix.groups != self._groups:
            factors = {group: self._factors(tiled, group) for group in self._groups}
            self._matrix = _Matrix(tiled, self._groups, self._matrix.where, factors)
        return self._matrix

    def _factors(self, tiled: TiledMatrix, group: Group) -> Future[dict[int, Array]] | None:
        found = {p: np.array(factors) for p in group.partitions if (factors := tiled.scale(p)) is not None}
        return self._given("factors", group, found) if found else None

    def _broadcast(self, block: Block, matrix: _Matrix) -> dict[str, Source]:
        """Return what the tiles of each worker gather from: the block, or the rows of its group of columns."""
        assert self._grid is not None  # `_place` makes it
        pieces = [
            self._submit(
                "write",
                group,
                dask_tasks.written,
                self._input(block, group),
                group.partitions,
                matrix.factors[group],
            )
            for group in self._groups
        ]
        sizes = [part.n_bytes for part in _parts(block)]
        columns, workers = self._grid.columns, self._grid.workers
        tasks = Counter(group.worker for group in ([share.at for share in self._grid.shares] or self._groups))
        source: dict[str, Source] = {}
        for worker, count in tasks.items():
            own = [
                (group, piece)
                for group, piece in zip(self._groups, pieces, strict=True)
                if not columns or columns[group.worker] == columns[worker]
            ]
            wanted = [piece for _, piece in own]
            # A single task of a worker makes the array itself.
            at = Group(worker, ())
            if count == 1:
                source[worker] = wanted
            elif columns:
                source[worker] = self._submit("assemble", at, dask_tasks.spread, wanted, matrix.where)
            else:
                source[worker] = self._submit("assemble", at, dask_tasks.assembled, wanted)
            self.broadcast_bytes += sum(
                sizes[p] for group, _ in own for p in group.partitions if workers[p] != worker
            )
        return source

    def _products(
        self, matrix: _Matrix, source: Mapping[str, Source], width: int, dtype: DTypeLike
    ) -> dict[Group, list[Future[dict[int, Groups]]]]:
        """Return the products of the groups of columns, in their order, for each group of partitions."""
        assert self._grid is not None  # `_place` makes it
        result: dict[Group, list[Future[dict[int, Groups]]]] = {}
        rows, size = _rows(matrix.tiled), width * np.dtype(dtype).itemsize
        for share in self._grid.shares:
            result.setdefault(share.owner, []).append(
                self._submit(
                    "multiply",
                    share.at,
                    dask_tasks.group_products,
                    matrix.where,
                    share.at.partitions,
                    share.column,
                    source[share.at.worker],
                    width,
                    dtype,
                )
            )
            if share.at.worker != share.owner.worker:
                self.partial_bytes += size * sum(rows[p] for p in share.owner.partitions)
        return result

    def _sums(self, futures: Sequence[Future[Shares]]) -> tuple[Array, Array]:
        """Return the sums of the partitions' shares."""
        of_partition = {p: pair for some in self._gathered(futures) for p, pair in some.items()}
        first, second = zip(*(of_partition[p] for p in range(len(of_partition))), strict=True)
        self.reduced_bytes += sum(array.nbytes for array in (*first, *second))
        return tree_sum(first), tree_sum(second)

    def _counted(self, array: Array) -> Array:
        """Return a small matrix, which is sent with the task of each group."""
        self.reduced_bytes += array.nbytes * len(self._groups)
        return np.ascontiguousarray(array)

    def _inputs(self, blocks: Sequence[Block], group: Group) -> list[list[OfBlock]]:
        return [self._input(block, group) for block in blocks]

    def _input(self, block: Block, group: Group) -> list[OfBlock]:
        """Return the futures that have a group's partitions of a block: one, if groups have not changed since."""
        parts = _parts(block)
        first = parts[group.partitions[0]]
        if first.group.partitions == group.partitions:
            return [first.future]
        wanted: dict[Group, list[int]] = {}
        for p in group.partitions:
            wanted.setdefault(parts[p].group, []).append(p)
        return [
            self._submit("pick", there, dask_tasks.picked, parts[some[0]].future, some)
            for there, some in wanted.items()
        ]

    def _block(
        self,
        futures: Sequence[Future[dict[int, Columns]]] | Sequence[Future[Image]],
        width: int,
        rows: Sequence[int],
        dtype: DTypeLike,
    ) -> Block:
        """Return the block of futures of all groups."""
        size = width * np.dtype(dtype).itemsize
        found = {
            p: _Part(futures[g], group, rows[p], size * rows[p])
            for g, group in enumerate(self._groups)
            for p in group.partitions
        }
        return Block(width, tuple(found[p] for p in range(len(found))))

    def _given(self, name: str, group: Group | None, value: Value) -> Future[Value]:
        """Return data of this process as a task: scattered data would be lost with the worker that has them."""
        import dask

        # Dask warns of large arguments of tasks: these are data.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PB"}):
            return self._submit(name, group, dask_tasks.same, value)

    def _submit(
        self, name: str, group: Group | None, function: Callable[..., Value], *arguments: object
    ) -> Future[Value]:
        """Have a task run by a group's worker, or by another one if that is gone."""
        self._count += 1
        # Dask forgets that another worker may run a task if there is none at all when it could begin: a single
        # worker, which may be restarted, is not named.
        named = group is not None and len(self._threads) > 1
        return self.client.submit(
            function,
            *arguments,
            key=f"lpgraph-{name}-{self._token}-{self._count}",
            workers=[group.worker] if group is not None and named else None,
            allow_other_workers=named,
            retries=_RETRIES,
        )

    def _gathered(self, futures: Sequence[Future[Value]]) -> list[Value]:
        return results(self.client, futures, self._token)


def _rows(tiled: TiledMatrix) -> list[int]:
    return [high - low for low, high in zip(tiled.cuts[:-1], tiled.cuts[1:], strict=True)]


def _parts(block: Block) -> list[_Part]:
    """Return the partitions of a block of a `DaskEngine`."""
    found = [part for part in block.parts if isinstance(part, _Part)]
    if len(found) != len(block.parts):
        raise TypeError("The block is not on Dask workers.")
    return found
