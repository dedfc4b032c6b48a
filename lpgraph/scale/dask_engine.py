"""Blocks of vectors on the workers of a Dask cluster.

Partitions are plain futures, computed by functions of other futures and of the store's files alone. If a worker
is gone, Dask computes again what it held; workers keep no state, except memory maps of tiles.

A round is one product with the matrix. Each partition of the block is written row by row; each worker gets all of
these pieces and makes one array of them, from which its tiles gather. The basis stays where it is. The partitions'
shares of scalar products are added in a fixed tree, groups of 16 on workers and the rest by the client. So results
are those of `LocalEngine`, to the last bit, for any number of workers of one type of processor.

A task that was released is known to the scheduler as long as a later one was computed from it: the history of a
fit, without its results, is what makes it possible to compute lost partitions again.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np

from lpgraph._progress import tell
from lpgraph.errors import ClusterError
from lpgraph.scale import dask_tasks, tasks
from lpgraph.scale.dask_placement import placed
from lpgraph.scale.engine import Block
from lpgraph.scale.room import gigabytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from distributed import Client, Future
    from numpy.typing import DTypeLike, NDArray

    from lpgraph.scale.tasks import Columns
    from lpgraph.scale.tiled import TiledMatrix

    Array = NDArray[np.float64]

__all__ = ["DaskEngine"]

#: Partitions whose shares are added by one task; a power of two, so that the tree is that of `tree_sum`.
_GROUP = 16

#: How often a task that failed is repeated.
_RETRIES = 3

#: Seconds to wait for a worker, if all are gone.
_WAIT = 120

_log = logging.getLogger("lpgraph.scale")


@dataclass(frozen=True, eq=False)
class _Part:
    """A partition of a block on a worker.

    Attributes
    ----------
    future : Future
        Its columns; see `lpgraph.scale.dask_tasks.Held`.
    rows : int
        Number of rows.
    dtype : dtype
        Of the columns.
    """

    future: Future[dask_tasks.Held]
    rows: int
    dtype: np.dtype[np.floating]


@dataclass(frozen=True, eq=False)
class _OnWorkers:
    """A matrix as tasks see it: where its tiles are, and the factors of each partition's rows."""

    tiled: TiledMatrix
    where: Future[TiledMatrix]
    factors: tuple[Future[Array] | None, ...]


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
    reduced_bytes : int
        Bytes of scalar products and coefficients that were sent, by workers and by the client.
    gathered_bytes : int
        Bytes of results that the client has read.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.passes = self.broadcast_bytes = self.reduced_bytes = self.gathered_bytes = 0
        self._token, self._count = uuid4().hex, 0
        self._workers: list[str] = []
        self._matrix: _OnWorkers | None = None

    def random(self, tiled: TiledMatrix, width: int, seed: tuple[int, ...], dtype: DTypeLike) -> Block:
        """Return a block of standard normal numbers."""
        self._place(tiled.partitions)
        rows = np.diff(tiled.cuts).tolist()
        return _block(
            width,
            rows,
            dtype,
            [
                self._submit("random", p, tasks.random_columns, rows[p], width, p, seed, np.dtype(dtype))
                for p in range(tiled.partitions)
            ],
        )

    def image(
        self, tiled: TiledMatrix, block: Block, basis: Sequence[Block], known: Array, dtype: DTypeLike
    ) -> tuple[Block, Array, Array]:
        """Multiply a block; see `lpgraph.scale.engine.Engine`."""
        self.passes += 1
        before = self.broadcast_bytes, self.reduced_bytes
        self._place(tiled.partitions)
        matrix, coefficients = self._on_workers(tiled), self._small(known)
        source = self._broadcast(block, matrix)
        futures = [
            self._submit(
                "image",
                p,
                dask_tasks.image,
                matrix.where,
                p,
                source[self._workers[p]],
                matrix.factors[p],
                _futures(basis, p),
                coefficients,
                np.dtype(dtype),
            )
            for p in range(tiled.partitions)
        ]
        along, mutual = self._sums([self._submit("share", p, dask_tasks.shares, f) for p, f in enumerate(futures)])
        tell(
            _log,
            "round %d: %s of vectors sent between %d workers, %s of scalar products",
            self.passes,
            gigabytes(self.broadcast_bytes - before[0]),
            len(source),
            gigabytes(self.reduced_bytes - before[1]),
        )
        return _block(block.width, np.diff(tiled.cuts).tolist(), dtype, futures), along, mutual

    def scalar_products(self, basis: Sequence[Block], block: Block) -> tuple[Array, Array]:
        """Return the scalar products of a block with a basis, and with itself."""
        self._place(len(block.parts))
        return self._sums(
            [
                self._submit("products", p, dask_tasks.scalar_products, _futures(basis, p), _part(part).future)
                for p, part in enumerate(block.parts)
            ]
        )

    def combined(self, blocks: Sequence[Block], factors: Array, dtype: DTypeLike) -> Block:
        """Return ``[blocks] @ factors``."""
        parts = [_part(part) for part in blocks[0].parts]
        self._place(len(parts))
        small = self._small(factors)
        return _block(
            factors.shape[1],
            [part.rows for part in parts],
            dtype,
            [
                self._submit("combine", p, dask_tasks.combined, _futures(blocks, p), small, np.dtype(dtype))
                for p in range(len(parts))
            ],
        )

    def columns(self, block: Block, partition: int) -> Columns:
        """Return a partition of a block, as an array of this process."""
        future = self._submit("columns", partition, dask_tasks.only_columns, _part(block.parts[partition]).future)
        found = self._gathered(future)
        self.gathered_bytes += found.nbytes
        return found

    def restored(self, parts: Sequence[Columns]) -> Block:
        """Return a block with these partitions; the scheduler keeps them until the block is released."""
        self._place(len(parts))
        futures = [self._given("restore", p, np.ascontiguousarray(part)) for p, part in enumerate(parts)]
        return _block(len(parts[0]), [part.shape[1] for part in parts], parts[0].dtype, futures)

    def _place(self, count: int) -> None:
        """Decide where partitions are worked on, with the workers that are there now."""
        threads = self.client.nthreads()
        if not threads:
            try:
                self.client.wait_for_workers(1, timeout=_WAIT)
            except TimeoutError:
                raise ClusterError(
                    f"The cluster at {self.client.scheduler.address} has had no worker for {_WAIT} seconds; start "
                    "workers, and fit again."
                ) from None
            threads = self.client.nthreads()
        if count != len(self._workers) or set(self._workers) != set(threads):
            self._workers = placed(self._workers, count, threads)

    def _on_workers(self, tiled: TiledMatrix) -> _OnWorkers:
        """Return a matrix as tasks see it; the last one is kept."""
        if self._matrix is None or self._matrix.tiled is not tiled:
            factors = [tiled.scale(p) for p in range(tiled.partitions)]
            self._matrix = _OnWorkers(
                tiled,
                self._given("matrix", None, tiled.unscaled()),
                tuple(None if f is None else self._given("scale", p, np.array(f)) for p, f in enumerate(factors)),
            )
        return self._matrix

    def _broadcast(self, block: Block, matrix: _OnWorkers) -> dict[str, Future[tasks.Groups]]:
        """Return the block that tiles gather from, once for each worker."""
        parts = [_part(part) for part in block.parts]
        pieces = [
            self._submit("write", p, dask_tasks.written, part.future, matrix.factors[p])
            for p, part in enumerate(parts)
        ]
        found = {}
        for worker in sorted(set(self._workers)):
            found[worker] = self._submit("assemble", self._workers.index(worker), dask_tasks.assembled, pieces)
            self.broadcast_bytes += sum(
                part.rows * block.width * part.dtype.itemsize
                for part, owner in zip(parts, self._workers, strict=True)
                if owner != worker
            )
        return found

    def _sums(self, shares: Sequence[Future[tuple[Array, Array]]]) -> tuple[Array, Array]:
        """Return the sums of the partitions' shares."""
        groups = [
            self._submit("reduce", p, dask_tasks.reduced, list(shares[p : p + _GROUP]))
            for p in range(0, len(shares), _GROUP)
        ]
        sums = self._gathered(groups)
        first, second = dask_tasks.reduced(sums)
        elsewhere = sum(
            worker != self._workers[p // _GROUP * _GROUP] for p, worker in enumerate(self._workers[: len(shares)])
        )
        self.reduced_bytes += (first.nbytes + second.nbytes) * (elsewhere + len(groups))
        return first, second

    def _small(self, array: Array) -> Future[Array]:
        """Return coefficients, which each worker gets once."""
        self.reduced_bytes += array.nbytes * len(set(self._workers))
        return self._given("coefficients", None, np.ascontiguousarray(array))

    def _given(self, name: str, p: int | None, value: dask_tasks.Value) -> Future[dask_tasks.Value]:
        """Return data of this process as a task, so that they are not lost with the worker that has them.

        They do not belong to the worker's memory alone, as scattered data do.
        """
        import dask

        # Dask warns of large arguments of tasks: here they are data.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PB"}):
            return self._submit(name, p, dask_tasks.same, value)

    def _submit(
        self, name: str, p: int | None, function: Callable[..., dask_tasks.Value], *arguments: object
    ) -> Future[dask_tasks.Value]:
        """Have a task run where a partition is, or elsewhere if that worker is gone."""
        self._count += 1
        workers = None if p is None else [self._workers[p]]
        return self.client.submit(
            function,
            *arguments,
            key=f"lpgraph-{name}-{self._token}-{self._count}",
            workers=workers,
            allow_other_workers=workers is not None,
            retries=_RETRIES,
        )

    def _gathered(self, futures):
        """Return results, and raise an error of this library if workers died of a task."""
        from distributed import KilledWorker

        try:
            return self.client.gather(futures)
        except KilledWorker as error:
            raise ClusterError(
                f"Several workers in turn died of one task ({error}); they probably had too little memory. Give "
                "them more, or start more workers."
            ) from error


def _block(width: int, rows: Sequence[int], dtype: DTypeLike, futures: Sequence[Future[dask_tasks.Held]]) -> Block:
    kind = np.dtype(dtype)
    return Block(width, tuple(_Part(future, n, kind) for future, n in zip(futures, rows, strict=True)))


def _part(part: object) -> _Part:
    """Return a partition of a block of a `DaskEngine`."""
    if not isinstance(part, _Part):
        raise TypeError(f"A {type(part).__name__} is no partition of a block on Dask workers.")
    return part


def _futures(blocks: Sequence[Block], p: int) -> list[Future[dask_tasks.Held]]:
    return [_part(block.parts[p]).future for block in blocks]
