"""Loops compiled by numba on their first call.

Importing this module does not import numba. Where numba is not installed, `available` is false, and callers use
numpy and scipy. A loop gives the same results as they do up to rounding; eigenvectors that it helps to find differ
by less than the solver's `tol`.
"""

from __future__ import annotations

import importlib.util
import logging  # noqa: F401 - before our hook: a fork takes the lock of `logging` after ours, as numba does
import os
import sys
from functools import cache, partial, update_wrapper
from operator import index
from threading import RLock
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._threads import in_threads
from lpgraph.errors import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["available", "compiled"]


#: Held while numba is imported, and so longer than the locks of the modules.
_importing = RLock()


@cache
def available() -> bool:
    """Whether numba is installed and ``LPGRAPH_COMPILED=0`` is not set in the environment."""
    return os.environ.get("LPGRAPH_COMPILED") != "0" and importlib.util.find_spec("numba") is not None


def _plain(argument: object) -> object:
    """Return a number as Python's int or float: numba compiles once for each type of number."""
    if isinstance(argument, np.ndarray | tuple):
        return argument
    if isinstance(argument, float | np.floating):
        return float(argument)
    return int(argument) if isinstance(argument, np.bool_) else index(argument)  # type: ignore[arg-type]  # it raises


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
        self._loop: Callable[..., None] | None = None

    def __call__(self, *arguments: object) -> None:
        """Run the loop."""
        self._bound(arguments)()

    def over(self, cuts: Sequence[int], *arguments: object) -> None:
        """Run the loop in threads, with two more arguments: two successive `cuts`."""
        in_threads(self._bound(arguments), cuts)

    def _bound(self, arguments: tuple[object, ...]) -> Callable[..., None]:
        if self._loop is None:
            with _importing:
                self._loop = _dispatcher(self._function, reassociate=self._reassociate)
        return partial(self._loop, *map(_plain, arguments))


def _dispatcher(function: Callable[..., None], *, reassociate: bool) -> Callable[..., None]:
    try:
        from lpgraph._loop_cache import dispatcher
    except (ImportError, OSError) as error:  # also where memory is too small for LLVM
        raise MissingDependencyError(
            f"numba cannot be loaded: {error}. Allow more memory, repair numba, or set LPGRAPH_COMPILED=0."
        ) from error
    return dispatcher(function, reassociate=reassociate)


def _before_fork() -> None:
    """Wait until other threads have imported numba and compiled: the child would find their locks taken."""
    _importing.acquire()
    loops = sys.modules.get("lpgraph._loop_cache")
    if loops is not None:
        loops.compiler_lock.acquire()


def _after_fork() -> None:
    loops = sys.modules.get("lpgraph._loop_cache")
    if loops is not None:
        loops.compiler_lock.release()
    _importing.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
