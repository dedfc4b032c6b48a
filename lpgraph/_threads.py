"""Threads of compiled loops, and limits of BLAS threads.

Threads write to disjoint memory, and sums are over pieces that do not depend on the number of threads. So results
are the same to the last bit for any number of threads.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from functools import cache, partial
from queue import SimpleQueue
from threading import Lock, RLock, Thread, get_ident
from typing import TYPE_CHECKING

from lpgraph._interrupts import surely

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from threadpoolctl import LibController

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
    (Ctrl-C) is raised when all threads have finished their current piece, also if further ones arrive meanwhile.
    """
    job = _Job(work, cuts)
    count = min(thread_count() if threads is None else threads, len(cuts) - 1)
    try:
        if count > 1:
            _helpers().ask(job.help, count - 1)
        job.run()
    finally:
        surely(job.finish)
    job.raise_error()


class _Job:
    """The pieces of one call, and the threads that process them."""

    def __init__(self, work: Callable[[int, int], object], cuts: Sequence[int]) -> None:
        self._work, self._cuts = work, cuts
        self._left = iter(range(len(cuts) - 1))  # its `next` is atomic, so that no piece is processed twice
        self._busy: list[Lock] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        """Process pieces until none is left."""
        for t in self._left:
            self._work(self._cuts[t], self._cuts[t + 1])

    def help(self) -> None:
        """Do as `run` in another thread; an error is kept for the caller."""
        turn = Lock()
        turn.acquire()
        self._busy.append(turn)  # before the first piece is taken: `finish` waits for it, or leaves none to take
        try:
            self.run()
        except BaseException as error:
            self._error = error
            self._stop()
        finally:
            self._busy.remove(turn)
            turn.release()

    def finish(self) -> None:
        """Start no further piece, and wait for those that are being processed; may be repeated."""
        self._stop()
        while self._busy:
            for turn in tuple(self._busy):
                turn.acquire()  # released after it has left the list, so that it is not acquired again

    def raise_error(self) -> None:
        """Raise the error of another thread."""
        error, self._error = self._error, None
        if error is not None:
            try:
                raise error
            finally:
                del error  # it refers to this frame

    def _stop(self) -> None:
        for _ in self._left:
            pass


class _Helpers:
    """Threads that wait for jobs.

    Not a ThreadPoolExecutor: an interruption while that starts its first thread leaves one that nobody ends, and
    for which the interpreter waits forever.
    """

    def __init__(self) -> None:
        self._tasks: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._count = 0

    def ask(self, task: Callable[[], None], count: int) -> None:
        """Have `count` threads run a task, or fewer if no more threads can be started."""
        while self._count < count:
            name = f"lpgraph-{self._count + 1}"
            try:
                Thread(target=_serve, args=(self._tasks,), name=name, daemon=True).start()
            except RuntimeError:  # no memory for its stack, too many threads, or the interpreter is ending
                break
            self._count += 1
        for _ in range(min(count, self._count)):
            self._tasks.put(task)


def _serve(tasks: SimpleQueue[Callable[[], None]]) -> None:
    while True:
        with suppress(MemoryError):
            tasks.get()()  # without a name, which would hold the task's arrays until the next one


@cache
def _helpers() -> _Helpers:
    return _Helpers()


@contextmanager
def blas_alone() -> Iterator[None]:
    """Limit BLAS to one thread, while this library's threads run or for small matrices and few long vectors.

    BLAS threads wait actively for a while after their work, and so block cores: embeddings would take up to 1.5
    times as long, and sparse factorisations on a busy machine 5 times.
    """
    token = object()
    with _limited([library for library in _blas_libraries() if _is_of_a_thread(library)]):
        try:
            surely(partial(_shared.limit, token))
            yield
        finally:
            surely(partial(_shared.release, token))


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS and OpenMP, which scikit-learn uses, to one thread.

    Sums are then in one order, so that clusters and classes do not depend on the number of threads; and on a busy
    machine, threads of k-means and of logistic regression wait for each other much longer than they work.
    """
    from threadpoolctl import ThreadpoolController

    # Not cached: scikit-learn's libraries may be newer than the cached ones.
    with blas_alone(), _limited(ThreadpoolController().select(user_api="openmp").lib_controllers):
        yield


@contextmanager
def _limited(libraries: Sequence[LibController]) -> Iterator[None]:
    """Limit libraries whose limits are those of the calling thread."""
    before = _numbers(libraries)
    try:
        _set([(library, 1) for library, _ in before])
        yield
    finally:
        surely(partial(_set, before))


class _SharedLimit:
    """The limit of the process's BLAS threads: set by the first thread that needs it, lifted by the last.

    If each thread restored what it had found, one that began within another's limit and ended later would leave
    the limit for good.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self._threads: dict[object, int] = {}
        self._before: list[tuple[LibController, int]] | None = None

    def limit(self, token: object) -> None:
        """Set the limit, until `release`."""
        with self.lock:
            # Not the own token, which is there if the first try was interrupted.
            nested = any(thread == get_ident() for other, thread in self._threads.items() if other is not token)
            self._threads[token] = get_ident()
            if nested:
                return  # the limit is set; setting it again would take 10 microseconds
            if self._before is None:
                self._before = _numbers([one for one in _blas_libraries() if not _is_of_a_thread(one)])
            _set([(library, 1) for library, _ in self._before])

    def release(self, token: object) -> None:
        """Restore the numbers of threads, if no other token needs the limit."""
        with self.lock:
            self._threads.pop(token, None)
            if not self._threads and self._before is not None:
                _set(self._before)
                self._before = None

    def forget_others(self) -> None:
        """Forget threads that a forked child process does not have."""
        self._threads = {token: thread for token, thread in self._threads.items() if thread == get_ident()}


_shared = _SharedLimit()


@cache
def _blas_libraries() -> list[LibController]:
    # Import scipy first: it has its own BLAS, which the controller must find.
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


def _is_of_a_thread(library: LibController) -> bool:
    """Whether a limit of this library holds for the calling thread only."""
    return getattr(library, "threading_layer", None) == "openmp"


def _numbers(libraries: Sequence[LibController]) -> list[tuple[LibController, int]]:
    return [(library, library.get_num_threads()) for library in libraries]


def _set(numbers: list[tuple[LibController, int]]) -> None:
    for library, number in numbers:
        _let_any_thread_set(library)
        library.set_num_threads(number)
        _let_any_thread_set(library)


def _let_any_thread_set(library: LibController) -> None:
    """Undo that threadpoolctl 3.8 ignores limits of OpenBLAS from all threads but the first that has set one."""
    if hasattr(library, "clear_controlling_thread"):
        library.clear_controlling_thread(force=True)


def _after_fork() -> None:
    _helpers.cache_clear()  # a forked child process does not have these threads
    _shared.forget_others()
    _shared.lock.release()


if hasattr(os, "register_at_fork"):
    # A fork waits until another thread has set a limit: the child would find its locks taken forever.
    os.register_at_fork(
        before=_shared.lock.acquire, after_in_parent=_shared.lock.release, after_in_child=_after_fork
    )
