"""Loops compiled by numba on their first call, their threads, and limits of BLAS threads.

Importing this module does not import numba. Where numba is not installed, `available` is false, and callers use
numpy and scipy. A loop gives the same results as they do up to rounding; eigenvectors that it helps to find differ
by less than the solver's `tol`.

Threads write to disjoint memory, and sums are over pieces that do not depend on the number of threads. So results
are the same to the last bit for any number of threads.
"""

from __future__ import annotations

import importlib.util
import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ContextDecorator, contextmanager, suppress
from functools import cache, cached_property, partial, update_wrapper
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from threadpoolctl import LibController


@cache
def available() -> bool:
    """Whether numba is installed and ``LPGRAPH_COMPILED=0`` is not set in the environment."""
    return os.environ.get("LPGRAPH_COMPILED") != "0" and importlib.util.find_spec("numba") is not None


class compiled:  # noqa: N801
    """A function of arrays and numbers, compiled on its first call; it runs without the interpreter's lock.

    Parameters
    ----------
    function : callable
        Plain loops that write into arrays and return nothing.
    reassociate : bool
        Whether sums may be taken in another order, as vector instructions need it.
    """

    def __init__(self, function: Callable[..., None], *, reassociate: bool = False) -> None:
        update_wrapper(self, function)
        self._function, self._reassociate = function, reassociate

    def __call__(self, *arguments: object) -> None:
        """Run the loop."""
        self._loop(*map(_plain, arguments))

    def over(self, cuts: Sequence[int], *arguments: object) -> None:
        """Run the loop in threads, with two more arguments: two successive `cuts`."""
        in_threads(partial(self._loop, *map(_plain, arguments)), cuts)

    @cached_property
    def _loop(self) -> Callable[..., None]:
        """The function compiled by numba, with a cache on disk if its folder can be written to."""
        import numba
        from numba.core.caching import FunctionCache

        class Cache(FunctionCache):
            """numba's cache; where its files cannot be written, the function is compiled again by each process."""

            def save_overload(self, sig: object, data: object) -> None:
                with suppress(Exception):  # a full disk, a folder that has gone
                    super().save_overload(sig, data)

        fastmath = {"reassoc", "contract", "nsz"} if self._reassociate else False
        loop = numba.njit(nogil=True, error_model="numpy", fastmath=fastmath)(self._function)
        with suppress(RuntimeError, OSError):
            loop._cache = Cache(self._function)
        return loop  # type: ignore[no-any-return]  # numba's types are not followed


def _plain(argument: object) -> object:
    """Return a number as Python's int or float: numba compiles once for each type of number."""
    value = argument.item() if isinstance(argument, np.generic) else argument
    return int(value) if isinstance(value, bool) else value


def slices(count: int, step: int) -> Iterator[slice]:
    """Return the slices of at most `step` items (at least 1) that cover `count` items, in order."""
    step = max(1, step)
    return (slice(low, min(low + step, count)) for low in range(0, count, step))


def thread_count() -> int:
    """Return LPGRAPH_NUM_THREADS, else OMP_NUM_THREADS, else the number of cores of this process."""
    for name in ("LPGRAPH_NUM_THREADS", "OMP_NUM_THREADS"):
        value = os.environ.get(name, "")
        if value.isdecimal() and int(value) > 0:
            return int(value)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(work: Callable[[int, int], object], cuts: Sequence[int], threads: int | None = None) -> None:
    """Call ``work(cuts[t], cuts[t + 1])`` for all t in several threads, including the current one.

    Each thread takes the next piece after finishing one, so that a busy core causes little delay. An error or an
    interruption is raised when all threads have finished their current piece.
    """
    pieces = pairwise(cuts)  # its `next` is atomic, so that no piece is processed twice

    def run() -> None:
        try:
            for low, high in pieces:
                work(low, high)
        finally:
            for _ in pieces:  # after an error no further piece begins
                pass

    count = min(threads or thread_count(), len(cuts) - 1)
    jobs: list[Future[None]] = []
    with suppress(RuntimeError):  # no memory for another thread, or the interpreter is ending
        jobs.extend(_pool(count - 1).submit(run) for _ in range(count - 1))
    try:
        run()
    finally:
        # Jobs that have not begun have nothing left to do; waiting for them could wait for this thread.
        errors = [job.exception() for job in jobs if not job.cancel()]
    for error in filter(None, errors):
        raise error


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="lpgraph")


class _Limit(ContextDecorator):
    """The limit of the process's BLAS threads: set by the first thread that needs it, lifted by the last.

    If each thread restored what it had found, one that began within another's limit and ended later would leave
    the limit for good.
    """

    def __init__(self) -> None:
        self.lock, self.count = Lock(), 0
        self.before: list[tuple[LibController, int]] = []

    def __enter__(self) -> None:
        with self.lock:
            if not self.count:
                self.before = [(library, library.get_num_threads()) for library in _blas_libraries()]
                _set([(library, 1) for library, _ in self.before])
            self.count += 1

    def __exit__(self, *error: object) -> None:
        with self.lock:
            self.count -= 1
            if not self.count:
                _set(self.before)


_limit = _Limit()


def blas_alone() -> _Limit:
    """Limit BLAS to one thread, while this library's threads run or for small matrices and few long vectors.

    BLAS threads wait actively for a while after their work, and so block cores: embeddings would take up to 1.5
    times as long, and sparse factorisations on a busy machine 5 times.
    """
    return _limit


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS and OpenMP, which scikit-learn uses, to one thread.

    Sums are then in one order, so that clusters and classes do not depend on the number of threads; and on a busy
    machine, threads of k-means and of logistic regression wait for each other much longer than they work.
    """
    from threadpoolctl import ThreadpoolController

    # Not cached: scikit-learn's libraries may be newer than the cached ones.
    with blas_alone(), ThreadpoolController().limit(limits=1, user_api="openmp"):
        yield


@cache
def _blas_libraries() -> list[LibController]:
    # Import scipy first: it has its own BLAS, which the controller must find.
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


def _set(numbers: list[tuple[LibController, int]]) -> None:
    for library, number in numbers:
        # threadpoolctl 3.8 ignores limits of OpenBLAS from all threads but the first that has set one.
        free = getattr(library, "clear_controlling_thread", lambda *, force: None)
        free(force=True)
        library.set_num_threads(number)
        free(force=True)


def _after_fork() -> None:
    _pool.cache_clear()  # a forked child process does not have these threads
    _limit.lock = Lock()  # another thread may have held it


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
