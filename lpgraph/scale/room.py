"""Memory and disk space: what is free, and what would not fit."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from lpgraph._articles import a_type
from lpgraph._memory import installed_memory
from lpgraph.errors import ArgumentError, ArgumentTypeError, StoreError

__all__ = ["as_bytes", "check_memory", "free_memory", "gigabytes"]

_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_SIZE = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?B?)\s*", re.IGNORECASE)


def gigabytes(size: float) -> str:
    """Return a size as text.

    Examples
    --------
    >>> from lpgraph.scale.room import gigabytes
    >>> gigabytes(2.5e9), gigabytes(3e5)
    ('2.5 GB', '0.3 MB')
    """
    unit, factor = ("GB", 1e9) if size >= 1e9 else ("MB", 1e6)
    return f"{size / factor:.3g} {unit}"


def as_bytes(name: str, value: object, *, low: int) -> int:
    """Return a size given as a number of bytes or as text such as "2GB".

    Examples
    --------
    >>> from lpgraph.scale.room import as_bytes
    >>> as_bytes("memory", "2GB", low=0)
    2000000000
    """
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ArgumentTypeError(f"{name}={value!r} is {a_type(value)}; pass a text such as '2GB'.")
    if isinstance(value, int):
        size = value
    else:
        found = _SIZE.fullmatch(value)
        unit = "" if found is None else found[2].upper()
        unit = f"{unit}B" if unit in ("K", "M", "G", "T") else unit
        if found is None:
            raise ArgumentError(f"{name}={value!r} is no size; pass a text such as '2GB' or '500MB'.")
        size = int(float(found[1]) * _UNITS[unit])
    if size < low:
        raise ArgumentError(f"{name}={value!r} is too little; pass {gigabytes(low)} or more.")
    return size


def free_memory() -> float:
    """Return the bytes that this process can still take, as far as the system says; else infinity."""
    with suppress(OSError, ValueError, TypeError):
        found = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text())
        if found is not None:
            return 1024.0 * int(found[1])
    return installed_memory(float("inf"))


def check_memory(needed: int, what: str, remedy: str) -> None:
    """Raise if so many bytes are not free."""
    free = free_memory()
    if needed > free:
        raise StoreError(f"{what} takes {gigabytes(needed)} of memory and {gigabytes(free)} are free; {remedy}.")
