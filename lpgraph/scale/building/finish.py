"""Step 5: degrees, loops, connected components, and the manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
    _save_vertices(task, files, weighted=weighted, loops=loops > 0)
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


def _parts(task: Task, direction: Direction, *, weighted: bool) -> Iterator[StorePart]:
    """Yield the partitions; a map is given back before the next one is made."""
    for p in range(len(task.grid.cuts) - 1):
        yield StorePart(
            task.store, direction, p, task.grid.cuts, task.grid.panels, weighted=weighted, directed=task.directed
        )


def _pieces(count: int) -> list[int]:
    return [count * k // _PIECES for k in range(_PIECES + 1)]


def _add_degrees(part: StorePart, sums: NDArray[np.float64]) -> None:
    indptr, _, weights = part.arrays
    own = sums[part.low : part.high]
    for pointers in indptr:
        values = _NONE if weights is None else np.asarray(weights)
        row_sums.over(_pieces(len(own)), np.asarray(pointers), values, own)


def _find_loops(part: StorePart, loops: NDArray[np.float64]) -> None:
    own = loops[part.low : part.high]
    for tile in part.tiles:
        if tile.first < part.high and part.low < tile.last:
            weights = _NONE if tile.weights is None else np.asarray(tile.weights)
            arrays = np.asarray(tile.indptr), np.asarray(tile.indices), weights
            diagonal.over(_pieces(len(own)), *arrays, part.low, own)


def _join(part: StorePart, parent: NDArray[np.signedinteger], *, directed: bool) -> None:
    for tile in part.tiles:
        join(np.asarray(tile.indptr), np.asarray(tile.indices), part.low, parent, directed)


def _components(parent: NDArray[np.signedinteger]) -> NDArray[np.signedinteger]:
    """Return the component of each vertex, by decreasing size, and of equal ones by their lowest vertex."""
    sizes = np.zeros_like(parent)
    roots(parent, sizes)
    found = np.flatnonzero(sizes)
    order = found[np.argsort(-sizes[found], kind="stable")]
    sizes[order] = np.arange(len(order))
    found_: NDArray[np.signedinteger] = sizes[parent]
    return found_


def _save_vertices(task: Task, files: dict[str, FileFacts], *, weighted: bool, loops: bool) -> None:
    """Write the files that have a number for each vertex, in one pass over the tiles of each direction."""
    sums, values = np.zeros(task.n), np.zeros(task.n if loops else 0)
    parent: NDArray[np.signedinteger] = np.arange(task.n, dtype=np.int32 if task.n < 1 << 31 else np.int64)
    for p, part in enumerate(_parts(task, "out", weighted=weighted)):
        tell(log, "Degrees and connected components", of=(p, len(task.grid.cuts) - 1))
        _add_degrees(part, sums)
        _join(part, parent, directed=task.directed)
        if loops:
            _find_loops(part, values)
    save_array(task.store, "degrees.npy", sums, files)
    if loops:
        save_array(task.store, "diagonal.npy", values, files)
    del sums, values  # before more arrays are made
    save_array(task.store, "components.npy", _components(parent), files)
    del parent
    if task.directed:
        sums = np.zeros(task.n)
        for part in _parts(task, "in", weighted=weighted):
            _add_degrees(part, sums)
        save_array(task.store, "in_degrees.npy", sums, files)
