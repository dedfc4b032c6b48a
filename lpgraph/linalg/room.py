"""Room for long arrays: memory, or a file without a name where they would not fit; sizes as text."""

from __future__ import annotations

import mmap
import os
import re
import tempfile
from contextlib import suppress
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from lpgraph._utils.checks import is_array, is_integer
from lpgraph.errors import ArgumentError, ArgumentTypeError, StoreError

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: float32 or float64.
Precision: TypeAlias = "type[np.floating] | np.dtype[np.floating]"

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)B?\s*", re.IGNORECASE)

#: Arrays of fewer bytes are always in memory.
_SMALL = 1 << 24

#: What the user has set: bytes that one long array may take, and the folder for files.
_limits: dict[str, Any] = {"memory": None, "folder": None}


def limit_memory(memory: str | int | None = None, folder: str | os.PathLike[str] | None = None) -> None:
    """Set what memory this process may take; long arrays that would take more become files without a name.

    These arrays are the basis of an eigensolver, its vectors and their images, and positions. Each is in memory if
    it takes at most half of what is left when it is made. The setting holds for the process.

    Parameters
    ----------
    memory : str, int or None
        Such as "1.5GB"; None is what is free on the machine.
    folder : path or None
        An existing folder for the files; None is the system's temporary folder.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When `memory` is no size, or `folder` is no folder.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.scale.limit_memory("1.5GB")
    >>> lp.scale.limit_memory()
    """
    size = None if memory is None else float(as_bytes("memory", memory, low=10**8))
    if folder is not None and not os.path.isdir(folder):
        raise ArgumentError(f"folder={str(folder)!r} is no folder; make it first.")
    _limits.update(memory=size, folder=None if folder is None else os.path.abspath(os.fsdecode(folder)))


def empty(shape: tuple[int, ...], dtype: Precision = np.float64) -> NDArray[Any]:
    """Return a new array in memory, or mapped from a file without a name if it would not fit."""
    size = prod(shape) * np.dtype(dtype).itemsize
    if size < _SMALL or size <= min(free_memory(), limit() - own_memory()) / 2:
        return np.empty(shape, dtype)
    with tempfile.TemporaryFile(dir=_limits["folder"]) as file:
        os.truncate(file.fileno(), size)
        return np.memmap(file, dtype, "r+", shape=shape)


def limit() -> float:
    """Return the bytes that the user lets this process take; infinity if there is no limit."""
    return float(_limits["memory"] or "inf")


def is_mapped(array: NDArray[np.generic]) -> bool:
    """Whether an array is a part of a mapped file."""
    base: object = array
    while is_array(base):
        base = base.base
    return isinstance(base, mmap.mmap)


def beyond_cache(array: NDArray[np.generic]) -> bool:
    """Whether an array is mapped from a file that does not fit into memory, and is read from the disk."""
    return is_mapped(array) and array.nbytes > free_memory()


def gigabytes(size: float) -> str:
    """Return a size as text.

    Examples
    --------
    >>> from lpgraph.linalg.room import gigabytes
    >>> gigabytes(2.5e9), gigabytes(3e5)
    ('2.5 GB', '0.3 MB')
    """
    unit, factor = ("GB", 1e9) if size >= 1e9 else ("MB", 1e6)
    return f"{size / factor:.3g} {unit}"


def as_bytes(name: str, value: object, *, low: int) -> int:
    """Return a size given as a number of bytes or as text such as "2GB".

    Examples
    --------
    >>> from lpgraph.linalg.room import as_bytes
    >>> as_bytes("memory", "2GB", low=0)
    2000000000
    """
    if not isinstance(value, str) and not is_integer(value):
        raise ArgumentTypeError(f"{name}={value!r} is of type {type(value).__name__}; pass a text such as '2GB'.")
    found = _SIZE.fullmatch(str(value))
    if found is None:
        raise ArgumentError(f"{name}={value!r} is no size; pass a text such as '2GB' or '500MB'.")
    size = int(float(found[1]) * _UNITS[found[2].upper()])
    if size < low:
        raise ArgumentError(f"{name}={value!r} is too little; pass {gigabytes(low)} or more.")
    return size


def installed_memory(otherwise: float) -> float:
    """Return the bytes of physical memory, or a number that is assumed where the system does not say."""
    with suppress(AttributeError, OSError, ValueError):  # not POSIX, or not reported
        return float(os.sysconf("SC_PAGE_SIZE")) * float(os.sysconf("SC_PHYS_PAGES"))
    return otherwise


def free_memory() -> float:
    """Return the bytes that this process can still take, as far as the system says; else infinity."""
    return _kilobytes("/proc/meminfo", "MemAvailable", installed_memory(float("inf")))


def own_memory() -> float:
    """Return the bytes that this process has taken, files aside, as far as the system says; else 0."""
    return _kilobytes("/proc/self/status", "RssAnon", 0.0)


def _kilobytes(path: str, title: str, otherwise: float) -> float:
    with suppress(OSError):
        found = re.search(rf"{title}:\s+(\d+) kB", Path(path).read_text())
        return otherwise if found is None else 1024.0 * int(found[1])
    return otherwise


def check_memory(needed: int, what: str, remedy: str) -> None:
    """Raise if so many bytes are not free."""
    free = free_memory()
    if needed > free:
        raise StoreError(f"{what} takes {gigabytes(needed)} of memory and {gigabytes(free)} are free; {remedy}.")
