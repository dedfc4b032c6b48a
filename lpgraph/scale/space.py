"""Large arrays: in memory while there is room, then in files without a name, which are gone with the array."""

from __future__ import annotations

import tempfile
import weakref
from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import DTypeLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["Space"]

Numbers = TypeVar("Numbers", bound="NDArray[np.floating]")


@dataclass(eq=False)
class Space:
    """Memory that arrays may take in all, and where others are written.

    Attributes
    ----------
    memory : int
        Bytes of all arrays in memory.
    folder : Path or None
        Where files of other arrays are made; the system's temporary folder if None.
    """

    memory: int
    folder: Path | None = None
    _used: int = 0
    _lock: RLock = field(default_factory=RLock, repr=False)

    def empty(self, shape: tuple[int, ...]) -> Array:
        """Return an array of float64, or a memory map of a file."""
        if self._taken(8 * int(np.prod(shape))):
            return self._counted(np.empty(shape))
        with tempfile.TemporaryFile(dir=self.folder) as file:
            return np.memmap(file, np.float64, "w+", shape=shape)

    def in_memory(self, size: int, dtype: DTypeLike) -> NDArray[np.floating] | None:
        """Return an array of so many numbers; None if there is no room for it."""
        fits = self._taken(size * np.dtype(dtype).itemsize)
        return self._counted(np.empty(size, dtype)) if fits else None

    def kept(self, array: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return an array that is not written to again, or a memory map of a file with its content."""
        return self._counted(array) if self._taken(array.nbytes) else self.written(array)

    def written(self, array: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return a memory map of a file with the content of an array."""
        with tempfile.TemporaryFile(dir=self.folder) as file:
            array.tofile(file)
            file.flush()
            return np.memmap(file, array.dtype, "r", shape=array.shape)

    def _taken(self, size: int) -> bool:
        """Whether there is room for so many bytes; then they are taken."""
        with self._lock:
            fits = self._used + size <= self.memory
            self._used += size if fits else 0
        return fits

    def _counted(self, array: Numbers) -> Numbers:
        """Return an array whose bytes are given back when it is gone."""
        weakref.finalize(array, self._give_back, array.nbytes).atexit = False
        return array

    def _give_back(self, size: int) -> None:
        with self._lock:
            self._used -= size
