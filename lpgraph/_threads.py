"""Thread pool for compiled loops.

Threads write to disjoint memory, and sums are over pieces that do not depend on the number of threads. So results
are the same to the last bit for any number of threads.
"""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from threadpoolctl import ThreadpoolController

__all__ = ["blas_alone", "in_threads", "one_thread", "thread_count"]


def thread_count() -> int:
    """Return LPGRAPH_NUM_THREADS, else OMP_NUM_THREADS, else the number of cores of this process."""
    for name in ("LPGRAPH_NUM_THREADS", "OMP_NUM_THREADS"):
        value = os.environ.get(name, "")
        if value.isdecimal() and int(value) > 0:
            return int(value)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(work: Callable[[int, int], object], cuts: Sequence[int], threads: int | None = None) -> None:
    """Call ``work(cuts[t], cuts[t + 1])`` for all t in several threads, including the current one.

    Each thread takes the next piece after finishing one, so that a busy core causes little delay. An interruption
    (Ctrl-C) is raised when all threads have finished their current piece.
    """
    pieces = iter(range(len(cuts) - 1))  # its `next` is atomic, so that no piece is processed twice

    def help_out() -> None:
        for t in pieces:
            work(cuts[t], cuts[t + 1])

    count = min(thread_count() if threads is None else threads, len(cuts) - 1)
    others: list[Future[None]] = [_pool().submit(help_out) for _ in range(count - 1)]
    try:
        help_out()
    finally:
        for _ in pieces:  # after an interruption or an error no further piece is started
            pass
        wait(others)
    for other in others:
        other.result()


def blas_alone() -> AbstractContextManager[object]:
    """Limit BLAS to one thread, while this library's threads run or for small matrices and few long vectors.

    BLAS threads wait actively for a while after their work, and so block cores: embeddings would take up to 1.5
    times as long, and sparse factorisations on a busy machine 5 times.
    """
    limit: AbstractContextManager[object] = _controller().limit(limits=1, user_api="blas")
    return limit


def one_thread() -> AbstractContextManager[object]:
    """Limit BLAS and OpenMP, which scikit-learn uses, to one thread.

    Sums are then in one order, so that clusters and classes do not depend on the number of threads; and on a busy
    machine, threads of k-means and of logistic regression wait for each other much longer than they work.
    """
    from threadpoolctl import threadpool_limits

    # Not by the cached controller, which may be older than scikit-learn's libraries.
    limit: AbstractContextManager[object] = threadpool_limits(limits=1)
    return limit


@cache
def _controller() -> ThreadpoolController:
    # Import scipy first: it has its own BLAS, which the controller must find.
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=max(1, (os.cpu_count() or 1)), thread_name_prefix="lpgraph")


if hasattr(os, "register_at_fork"):
    # A forked child process has the pool but not its threads, and needs a new pool.
    os.register_at_fork(after_in_child=_pool.cache_clear)
