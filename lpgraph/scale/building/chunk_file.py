"""Files of chunks: arrays one after the other, after a line of JSON with their lengths."""

from __future__ import annotations

import json
import mmap
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lpgraph.errors import StoreError
from lpgraph.scale.building.work import whole_file

__all__ = ["bytes_of", "count_of", "read_arrays", "read_facts", "read_slices", "write_arrays"]

#: Bytes of the first line, with blanks at its end.
_HEAD = 4096


def write_arrays(path: Path, facts: Mapping[str, object], arrays: Sequence[NDArray[np.generic]]) -> None:
    """Write facts and arrays, whole or not at all."""
    head = {**facts, "arrays": [[array.dtype.str, array.size] for array in arrays]}
    text = json.dumps(head).encode()
    if len(text) >= _HEAD:
        raise StoreError(f"{path}: its facts take {len(text)} bytes; use a shorter path.")
    with whole_file(path) as file:
        file.write(text.ljust(_HEAD - 1) + b"\n")
        for array in arrays:
            file.write(bytes_of(array))


def bytes_of(array: NDArray[np.generic]) -> memoryview:
    """Return the bytes of an array, without a copy if it is contiguous."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def count_of(facts: Mapping[str, object], key: str) -> int:
    """Return a number among the facts of a file."""
    value = facts.get(key)
    if not isinstance(value, int):
        raise StoreError(f"A file of an unfinished build has {key}={value!r}; delete the build to begin again.")
    return value


def read_facts(path: Path) -> dict[str, object]:
    """Return the facts of a file."""
    with open(path, "rb") as file:
        head: dict[str, object] = json.loads(file.read(_HEAD))
    return head


def read_arrays(path: Path) -> list[NDArray[np.number]]:
    """Return the arrays of a file as memory maps."""
    with open(path, "rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return [np.frombuffer(content, kind, count, offset=place) for kind, count, place in _places(path)]


def read_slices(path: Path, low: int, high: int, first: int = 0) -> list[NDArray[np.number]]:
    """Return a part of each array from number `first` on, in memory.

    Not mapped: what is read of a map counts as memory of the process until all of it is given back.
    """
    with open(path, "rb") as file:
        found = []
        for kind, _, place in _places(path)[first:]:
            file.seek(place + low * np.dtype(kind).itemsize)
            found.append(np.fromfile(file, dtype=kind, count=high - low))
    return found


def _places(path: Path) -> list[tuple[str, int, int]]:
    """Return the type, the size and the place of each array."""
    listed: list[tuple[str, int]] = read_facts(path)["arrays"]  # type: ignore[assignment]  # as written
    place, found = _HEAD, []
    for kind, count in listed:
        found.append((kind, count, place))
        place += np.dtype(kind).itemsize * count
    if path.stat().st_size != place:
        raise StoreError(f"{path} is damaged; delete {path.parent} and call build_store again.")
    return found
