"""Memory that a thread uses again."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakSet

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["kept_memory", "scratch"]


class _Arrays:
    """Arrays of a thread by their purpose."""

    def __init__(self) -> None:
        self.found: dict[str, NDArray[np.float64]] = {}
        with _lock:
            _all.add(self)


class _Kept(threading.local):
    """The arrays of each thread."""

    def __init__(self) -> None:
        self.arrays = _Arrays()


_lock = threading.Lock()
_all: WeakSet[_Arrays] = WeakSet()
_kept = _Kept()


def scratch(purpose: str, size: int) -> NDArray[np.float64]:
    """Return `size` numbers in memory that this thread has used for the purpose before, and will use again.

    A Dask worker gives memory back to the system as soon as it is free; to get it again takes a third of the time
    of the arithmetic.
    """
    arrays = _kept.arrays.found
    if purpose not in arrays or len(arrays[purpose]) < size:
        arrays.pop(purpose, None)  # freed before more is allocated
        arrays[purpose] = np.empty(size)
    return arrays[purpose][:size]


@contextmanager
def kept_memory() -> Iterator[None]:
    """Give the memory of all threads back at the end."""
    try:
        yield
    finally:
        with _lock:
            for arrays in _all:
                arrays.found = {}
