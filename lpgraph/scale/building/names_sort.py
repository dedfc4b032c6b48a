"""Sorting of texts in bounded memory: parts by their first letters, each sorted in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lpgraph._checks import import_extra
from lpgraph._progress import tell
from lpgraph.scale.arrow_types import Column
from lpgraph.scale.building.chunk_file import read_arrays
from lpgraph.scale.building.prefix_loops import common, prefixes
from lpgraph.scale.logs import log

__all__ = ["sorted_names"]

#: Bytes that sorting takes for a byte of text, and for a text in addition.
_FACTOR, _EACH = 4, 56
#: Names by which the parts are chosen, of each file.
_SAMPLE = 1 << 14


def sorted_names(paths: list[Path], memory: int) -> Iterator[tuple[Column, NDArray[np.uint64]]]:
    """Yield different texts of some files in increasing order, part by part, with the key of each."""
    needed = 0
    for path in paths:
        letters, lengths, _ = read_arrays(path)
        needed += _FACTOR * len(letters) + _EACH * len(lengths)
    count = -(-needed // memory)
    if count <= 1:
        yield _sorted([_column(*read_arrays(path)) for path in paths])
        return
    skipped = _common(paths)
    bounds = _bounds(paths, skipped, count)
    for k in range(len(bounds) + 1):
        tell(log, "Sorting names", of=(k, len(bounds) + 1))
        parts = []
        for path in paths:
            letters, lengths, keys = read_arrays(path)
            part = np.searchsorted(bounds, _prefixes(letters, lengths, skipped), side="right")
            parts.append(_taken(letters, lengths, keys, np.flatnonzero(part == k)))
        yield _sorted(parts)


def _column(
    letters: NDArray[np.number], lengths: NDArray[np.number], keys: NDArray[np.number]
) -> tuple[Column, NDArray[np.uint64]]:
    arrow = import_extra("pyarrow", "scale")
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    buffers = [None, arrow.py_buffer(offsets), arrow.py_buffer(letters)]
    column: Column = arrow.Array.from_buffers(arrow.large_string(), len(lengths), buffers)
    return column, keys  # type: ignore[return-value]  # unsigned, as written


def _taken(
    letters: NDArray[np.number], lengths: NDArray[np.number], keys: NDArray[np.number], places: NDArray[np.intp]
) -> tuple[Column, NDArray[np.uint64]]:
    arrow = import_extra("pyarrow", "scale")
    column, _ = _column(letters, lengths, keys)
    return column.take(arrow.array(places)), keys[places]  # type: ignore[return-value]


def _sorted(parts: list[tuple[Column, NDArray[np.uint64]]]) -> tuple[Column, NDArray[np.uint64]]:
    """Return the different texts in order, and their keys."""
    arrow, compute = import_extra("pyarrow", "scale"), import_extra("pyarrow.compute", "scale")
    names = arrow.concat_arrays([column for column, _ in parts])
    keys = np.concatenate([found for _, found in parts])
    parts.clear()
    order = compute.array_sort_indices(names)
    names, keys = names.take(order), keys[order.to_numpy()]
    if len(names) > 1:
        same = compute.equal(names.slice(1), names.slice(0, len(names) - 1)).to_numpy(zero_copy_only=False)
        if same.any():
            kept = np.flatnonzero(~np.concatenate(([False], same)))
            names, keys = names.take(arrow.array(kept)), keys[kept]
    return names, keys


def _common(paths: list[Path]) -> int:
    """Return how many first bytes all texts have in common."""
    found = np.full(1, -1, dtype=np.int64)
    first, size, _ = read_arrays(paths[0])
    first = np.array(first[: int(size[0])])
    found[0] = len(first)
    for path in paths:
        letters, lengths, _ = read_arrays(path)
        common(letters, lengths, first, found)
    return int(found[0])


def _prefixes(letters: NDArray[np.number], lengths: NDArray[np.number], skipped: int) -> NDArray[np.uint64]:
    found = np.empty(len(lengths), dtype=np.uint64)
    prefixes(letters, lengths, skipped, found)
    return found


def _bounds(paths: list[Path], skipped: int, count: int) -> NDArray[np.uint64]:
    """Return the first letters, as numbers, at which the parts begin."""
    samples = []
    for path in paths:
        letters, lengths, _ = read_arrays(path)
        found = _prefixes(letters, lengths, skipped)
        samples.append(found[:: max(1, len(found) // _SAMPLE)])
    ordered = np.sort(np.concatenate(samples))
    return np.unique(ordered[len(ordered) * np.arange(1, count) // count])
