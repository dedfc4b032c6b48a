"""Step 5: degrees, loops, connected components, and the manifest."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from lpgraph._progress import tell
from lpgraph.scale.building.finish_loops import diagonal, join, roots, row_sums
from lpgraph.scale.building.partition import PartFacts, Task, save_array
from lpgraph.scale.layout import NAMES, Direction, FileFacts, Manifest, part_file
from lpgraph.scale.logs import log
from lpgraph.scale.part import StorePart
from lpgraph.scale.store import checksum

__all__ = ["finish"]

_NONE = np.empty(0)
_PIECES = 16


def finish(task: Task, parts: Mapping[tuple[Direction, int], PartFacts], source: Mapping[str, object]) -> None:
    """Write the files of vertices and the manifest."""
    files: dict[str, FileFacts] = {}
    for found in parts.values():
        files |= found.files
    weighted = any(found.weighted for found in parts.values())
    if weighted:
        _write_ones(task, parts, files)
    out = [found for (direction, _), found in parts.items() if direction == "out"]
    entries, loops = sum(found.entries for found in out), sum(found.loops for found in out)
    tell(log, "Degrees")
    _save_degrees(task, "out", "degrees.npy", files, weighted=weighted)
    if task.directed:
        _save_degrees(task, "in", "in_degrees.npy", files, weighted=weighted)
    if loops:
        _save_diagonal(task, files, weighted=weighted)
    tell(log, "Connected components")
    _save_components(task, files, weighted=weighted)
    names = NAMES if (task.store / NAMES).exists() else "integers"
    if names == NAMES:
        files[NAMES] = FileFacts((task.store / NAMES).stat().st_size, checksum(task.store / NAMES))
    filled = [found for found in out if found.entries]
    Manifest(
        n_vertices=task.n,
        n_edges=entries if task.directed else (entries + loops) // 2,
        n_entries=entries,
        directed=task.directed,
        weighted=weighted,
        lowest_weight=min((found.lowest for found in filled), default=0.0),
        highest_weight=max((found.highest for found in filled), default=0.0),
        cuts=task.grid.cuts,
        panels=task.grid.panels,
        names=names,
        files=dict(sorted(files.items())),
        source=source,
    ).write(task.store)


def _write_ones(task: Task, parts: Mapping[tuple[Direction, int], PartFacts], files: dict[str, FileFacts]) -> None:
    """Write the weights of partitions in which all are 1."""
    for (direction, p), found in parts.items():
        name = part_file(direction, p, "weights")
        if name not in files:
            save_array(task.store, name, np.ones(found.entries), files)


def _parts(task: Task, direction: Direction, *, weighted: bool) -> list[StorePart]:
    return [
        StorePart(task.store, direction, p, task.grid.cuts, task.grid.panels, weighted=weighted)
        for p in range(len(task.grid.cuts) - 1)
    ]


def _pieces(count: int) -> list[int]:
    return [count * k // _PIECES for k in range(_PIECES + 1)]


def _save_degrees(
    task: Task, direction: Direction, name: str, files: dict[str, FileFacts], *, weighted: bool
) -> None:
    sums = np.zeros(task.n)
    for part in _parts(task, direction, weighted=weighted):
        indptr, _, weights = part.arrays
        own = sums[part.low : part.high]
        for q in range(len(indptr)):
            values = _NONE if weights is None else np.asarray(weights)
            row_sums.over(_pieces(len(own)), np.asarray(indptr[q]), values, own)
    save_array(task.store, name, sums, files)


def _save_diagonal(task: Task, files: dict[str, FileFacts], *, weighted: bool) -> None:
    values = np.zeros(task.n)
    for part in _parts(task, "out", weighted=weighted):
        for tile in part.tiles:
            if tile.first < part.high and part.low < tile.last:
                weights = _NONE if tile.weights is None else np.asarray(tile.weights)
                own = values[part.low : part.high]
                arrays = np.asarray(tile.indptr), np.asarray(tile.indices), weights
                diagonal.over(_pieces(len(own)), *arrays, part.low, own)
    save_array(task.store, "diagonal.npy", values, files)


def _save_components(task: Task, files: dict[str, FileFacts], *, weighted: bool) -> None:
    dtype = np.int32 if task.n < 1 << 31 else np.int64
    parent: NDArray[np.signedinteger] = np.arange(task.n, dtype=dtype)
    for part in _parts(task, "out", weighted=weighted):
        for tile in part.tiles:
            join(np.asarray(tile.indptr), np.asarray(tile.indices), part.low, parent, task.directed)
    sizes = np.zeros(task.n, dtype=dtype)
    roots(parent, sizes)
    found = np.flatnonzero(sizes)
    order = found[np.argsort(-sizes[found], kind="stable")]
    sizes[order] = np.arange(len(order), dtype=dtype)
    save_array(task.store, "components.npy", sizes[parent], files)
