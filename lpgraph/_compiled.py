"""Loops compiled when first called, and the threads that share their rows out.

numba is imported by the first call of a compiled loop, never by importing this file. Where numba is not installed
`available` is false and callers take the road of numpy and scipy, which gives the same to rounding.

The loops release the interpreter's lock, so plain threads run them side by side. Each thread writes rows of its
own, and whatever is summed is summed in pieces that do not depend on the number of threads: results are the same
to the last bit at any number of them.
"""

from __future__ import annotations

import importlib.util
import os
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache, update_wrapper
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["available", "compiled", "in_threads", "thread_count"]


_MAKING = Lock()


@cache
def available() -> bool:
    """Whether numba is there; ``LPGRAPH_COMPILED=0`` in the environment does without it."""
    return os.environ.get("LPGRAPH_COMPILED") != "0" and importlib.util.find_spec("numba") is not None


class compiled:  # noqa: N801
    """A function of arrays and numbers, compiled by numba when it is first called; the lock is released.

    The machine code is kept beside the source, or in the user's cache directory where that cannot be written;
    where neither can, the function is compiled anew in each process.

    Parameters
    ----------
    function : callable
        Plain loops.
    reassociate : bool
        Whether sums may be taken in another order, as vector instructions need it.
    """

    def __init__(self, function: Callable[..., Any], *, reassociate: bool = False) -> None:
        update_wrapper(self, function)
        self._function, self._reassociate = function, reassociate
        self._machine: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        """Call the machine code."""
        if self._machine is None:
            with _MAKING:  # two threads may meet here
                self._machine = self._machine or self._compile()
        return self._machine(*arguments)

    def _compile(self) -> Callable[..., Any]:
        import numba

        options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
        if self._reassociate:
            options["fastmath"] = {"reassoc", "contract", "nsz"}
        try:
            return numba.njit(cache=True, **options)(self._function)  # type: ignore[no-any-return]
        except RuntimeError:  # no directory to keep machine code in
            return numba.njit(**options)(self._function)  # type: ignore[no-any-return]


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


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=max(1, (os.cpu_count() or 1)), thread_name_prefix="lpgraph")


if hasattr(os, "register_at_fork"):
    # A forked child has the pool but not its threads: it makes its own.
    os.register_at_fork(after_in_child=_pool.cache_clear)
