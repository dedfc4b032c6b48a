"""Work shared out among threads.

Each thread writes what is its own, and whatever is summed is summed in pieces that do not depend on the number of
threads: results are the same to the last bit at any number of them.
"""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

__all__ = ["blas_alone", "in_threads", "thread_count"]


def thread_count() -> int:
    """Return the number of threads to use: LPGRAPH_NUM_THREADS, OMP_NUM_THREADS, or the cores of this process."""
    for name in ("LPGRAPH_NUM_THREADS", "OMP_NUM_THREADS"):
        value = os.environ.get(name, "")
        if value.isdecimal() and int(value) > 0:
            return int(value)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(work: Callable[[int, int], object], cuts: Sequence[int], threads: int | None = None) -> None:
    """Call ``work(cuts[t], cuts[t + 1])`` for all t, shared out among threads, of which this is one.

    A thread takes the next piece when it is done with one, so that a core busy with something else delays little.
    An interruption (Ctrl-C) is raised here when this thread's piece is done; the others end with theirs.
    """
    pieces = iter(
        range(len(cuts) - 1)
    )  # its next is a single step of the interpreter: no piece is given out twice

    def help_out() -> None:
        for t in pieces:
            work(cuts[t], cuts[t + 1])

    count = min(thread_count() if threads is None else threads, len(cuts) - 1)
    others: list[Future[None]] = [_pool().submit(help_out) for _ in range(count - 1)]
    try:
        help_out()
    finally:
        for _ in pieces:  # after an interruption or an error nothing is begun any more
            pass
        wait(others)
    for other in others:
        other.result()


def blas_alone() -> AbstractContextManager[object]:
    """Keep BLAS on one thread, beside threads of this library or for work on few long vectors and small matrices.

    When its own threads are done they go on waiting busily for a while, on cores that others could use: embeddings
    take up to one and a half times as long, and sparse factorisations on a busy machine five times.
    """
    return _controller().limit(limits=1, user_api="blas")  # type: ignore[no-any-return]


@cache
def _controller() -> Any:
    # A scipy that was not imported yet would bring a BLAS of its own, unseen.
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=max(1, (os.cpu_count() or 1)), thread_name_prefix="lpgraph")


if hasattr(os, "register_at_fork"):
    # A forked child has the pool but not its threads: it makes its own.
    os.register_at_fork(after_in_child=_pool.cache_clear)
