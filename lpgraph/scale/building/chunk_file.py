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

__all__ = ["read_arrays", "read_facts", "write_arrays"]

#: Bytes of the first line, with blanks at its end.
_HEAD = 4096


def write_arrays(path: Path, facts: Mapping[str, object], arrays: Sequence[NDArray[np.number]]) -> None:
    """Write facts and arrays, whole or not at all."""
    head = {**facts, "arrays": [[array.dtype.str, array.size] for array in arrays]}
    text = json.dumps(head).encode()
    if len(text) >= _HEAD:
        raise StoreError(f"{path}: its facts take {len(text)} bytes; use a shorter path.")
    with whole_file(path) as file:
        file.write(text.ljust(_HEAD - 1) + b"\n")
        for array in arrays:
            file.write(memoryview(np.ascontiguousarray(array)).cast("B"))


def read_facts(path: Path) -> dict[str, object]:
    """Return the facts of a file."""
    with open(path, "rb") as file:
        head: dict[str, object] = json.loads(file.read(_HEAD))
    return head


def read_arrays(path: Path) -> list[NDArray[np.number]]:
    """Return the arrays of a file as memory maps."""
    head = read_facts(path)
    listed: list[tuple[str, int]] = head["arrays"]  # type: ignore[assignment]  # as written
    size = _HEAD + sum(np.dtype(kind).itemsize * count for kind, count in listed)
    if path.stat().st_size != size:
        raise StoreError(f"{path} is damaged; delete {path.parent} and call build_store again.")
    with open(path, "rb") as file:
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    place, found = _HEAD, []
    for kind, count in listed:
        found.append(np.frombuffer(content, dtype=kind, count=count, offset=place))
        place += np.dtype(kind).itemsize * count
    return found
