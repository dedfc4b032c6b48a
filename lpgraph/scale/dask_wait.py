"""Waiting for tasks of a Dask cluster, and errors when they will not be done."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from lpgraph.errors import ClusterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from distributed import Client, Future

__all__ = ["WAIT", "results", "results_as_done"]

Value = TypeVar("Value")

#: Seconds to wait for a worker, if all are gone.
WAIT = 120

#: Seconds between looks at whether workers work, and how often in turn they may not.
_POLL, _IDLE = 5, 24


def results(client: Client, futures: Sequence[Future[Value]], token: str) -> list[Value]:
    """Return the results of tasks, whose keys contain a token.

    Raises
    ------
    ClusterError
        If several workers in turn died of a task, or none does anything for two minutes.
    """
    for _ in _done(client, futures, token):
        pass
    with _deaths():
        return list(client.gather(list(futures)))


def results_as_done(
    client: Client, futures: Sequence[Future[Value]], token: str
) -> Iterator[tuple[Future[Value], Value]]:
    """Yield tasks and their results as they are done; see `results`."""
    for future in _done(client, futures, token):
        with _deaths():
            found = future.result()
        yield future, found


def _done(client: Client, futures: Sequence[Future[Value]], token: str) -> Iterator[Future[Value]]:
    """Yield tasks as they are done; raise if no worker works on one for long."""
    from distributed import as_completed

    left, idle = set(futures), 0
    while left:
        try:
            for future in as_completed(list(left), loop=client.loop, timeout=_POLL):
                left.discard(future)
                yield future
        except TimeoutError:
            busy = any(token in str(key) for keys in client.processing().values() for key in keys)
            idle = 0 if busy else idle + 1
            if idle == _IDLE:
                raise ClusterError(
                    f"No worker has done anything for {_IDLE * _POLL} seconds: all were gone at the same time, or "
                    "there is none. Start workers, and call again."
                ) from None


@contextmanager
def _deaths() -> Iterator[None]:
    from distributed import KilledWorker

    try:
        yield
    except KilledWorker as error:
        raise ClusterError(
            f"Several workers in turn died of the task {error.task}. They probably had too little memory: "
            "give them more, or start more workers."
        ) from error
