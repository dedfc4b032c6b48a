"""Large arrays: in memory, or in files that have no name and are gone with the array."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["Space"]


@dataclass(frozen=True)
class Space:
    """Memory that arrays may take, and where larger ones are written.

    Attributes
    ----------
    memory : int
        Bytes of one array in memory.
    folder : Path or None
        Where files of larger arrays are made; the system's temporary folder if None.
    """

    memory: int
    folder: Path | None = None

    def empty(self, shape: tuple[int, ...]) -> Array:
        """Return an array of float64, a memory map of a file that has no name if it is large."""
        if 8 * int(np.prod(shape)) <= self.memory:
            return np.empty(shape)
        with tempfile.TemporaryFile(dir=self.folder) as file:
            return np.memmap(file, np.float64, "w+", shape=shape)

    def kept(self, array: NDArray[np.floating]) -> NDArray[np.floating]:
        """Write an array to a file without a name, and return it as a memory map."""
        with tempfile.TemporaryFile(dir=self.folder) as file:
            array.tofile(file)
            file.flush()
            return np.memmap(file, array.dtype, "r", shape=array.shape)
