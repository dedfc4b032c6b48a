"""Step 4: the entries of a partition are sorted, repeated ones are combined, and its files are written."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from lpgraph._progress import tell
from lpgraph._threads import in_threads, thread_count
from lpgraph.errors import GraphError, StoreError
from lpgraph.scale.building.buckets import block_panels, bucket_entries, bucket_of, bucket_sizes
from lpgraph.scale.building.number import vertex_dtype
from lpgraph.scale.building.partition_loops import add_up, count, repeats, scatter, sort_rows
from lpgraph.scale.building.work import Work, whole_file
from lpgraph.scale.grid import ROWS, Grid
from lpgraph.scale.layout import Direction, FileFacts, part_file
from lpgraph.scale.logs import log
from lpgraph.scale.room import gigabytes

__all__ = ["PartFacts", "Task", "save_array", "write_parts"]

_SHIFT = ROWS.bit_length() - 1
_NONE = np.empty(0)


@dataclass(frozen=True)
class PartFacts:
    """What a partition has.

    Attributes
    ----------
    entries, loops : int
        Number of entries, and of those on the diagonal.
    lowest, highest : float
        The lowest and the highest weight.
    weighted : bool
        Whether there is a file of weights: one is not 1.
    files : dict
        Size and checksum of its files.
    """

    entries: int
    loops: int
    lowest: float
    highest: float
    weighted: bool
    files: dict[str, FileFacts]


@dataclass(frozen=True)
class Task:
    """What all partitions have in common.

    Attributes
    ----------
    store : Path
        The folder of the store.
    n : int
        Number of vertices.
    directed, weighted : bool
        Whether edges are arcs, and have weights in the input.
    rule : str
        "sum", "largest", or "one" if every edge has weight 1.
    memory : int
        Bytes that may be taken.
    """

    work: Work
    store: Path
    grid: Grid
    n: int
    directed: bool
    weighted: bool
    rule: str
    memory: int


def write_parts(task: Task) -> dict[tuple[Direction, int], PartFacts]:
    """Write the files of all partitions, or of those that are left; return what each has."""
    directions: tuple[Direction, ...] = ("out", "in") if task.directed else ("out",)
    parts = [(direction, p) for direction in directions for p in range(len(task.grid.cuts) - 1)]
    left = [key for key in parts if not task.work.has(_facts_file(*key))]
    if left:
        sizes = bucket_sizes(task.work)
        most = max(_needed(task, int(sizes[bucket_of(d, p, task.grid)]), p) for d, p in left)
        if most > task.memory:
            raise StoreError(
                f"A partition takes {gigabytes(most)} of memory; call build_store again with memory="
                f"'{gigabytes(1.3 * most + 4e8).replace(' ', '')}' or more: it goes on."
            )
        done = len(parts) - len(left)

        def one(first: int, last: int) -> None:
            for k in range(first, last):
                tell(log, "Writing partitions", of=(done + k, len(parts)))
                _write(task, *left[k], int(sizes[bucket_of(*left[k], task.grid)]))

        in_threads(one, range(len(left) + 1), max(1, min(thread_count(), task.memory // most)))
    return {key: _read_facts(task.work, *key) for key in parts}


def _needed(task: Task, entries: int, part: int) -> int:
    rows = task.grid.cuts[part + 1] - task.grid.cuts[part]
    each = np.dtype(vertex_dtype(task.n)).itemsize + (8 if task.weighted or task.rule == "sum" else 0)
    # Row pointers twice, and what is read of the buckets.
    return each * entries + 8 * (len(task.grid.panels) - 1) * (rows + 1) + (1 << 26)


def _facts_file(direction: Direction, part: int) -> str:
    return f"part-{direction}-{part:05d}.json"


def _read_facts(work: Work, direction: Direction, part: int) -> PartFacts:
    found = work.load(_facts_file(direction, part)) or {}
    files = {name: FileFacts(**facts) for name, facts in found.pop("files").items()}  # type: ignore[attr-defined]
    return PartFacts(**found, files=files)  # type: ignore[arg-type]  # as written


def _write(task: Task, direction: Direction, part: int, entries: int) -> None:
    low = task.grid.cuts[part]
    indptr, indices, data = _sorted(task, direction, part, entries)
    found = np.zeros(5, dtype=np.int64)
    if not task.weighted and task.rule == "sum":
        repeats(indptr, indices, found)
        data = np.ones(len(indices)) if found[0] else _NONE
    found[:] = 0
    add_up(indptr, indices, data, task.rule == "largest", low, found)
    total, loops, weighted, row, column = found.tolist()
    if row >= 0:
        raise _infinite(task, *((row, column) if direction == "out" else (column, row)))
    files: dict[str, FileFacts] = {}
    save_array(task.store, part_file(direction, part, "indptr"), indptr, files)
    save_array(task.store, part_file(direction, part, "indices"), indices[:total], files)
    lowest, highest = (1.0, 1.0) if total else (0.0, 0.0)
    if weighted:
        save_array(task.store, part_file(direction, part, "weights"), data[:total], files)
        lowest, highest = float(data[:total].min()), float(data[:total].max())
    facts = PartFacts(total, loops, lowest, highest, bool(weighted), files)
    shown = {**vars(facts), "files": {name: vars(one) for name, one in files.items()}}
    task.work.save(_facts_file(direction, part), shown)


def _sorted(
    task: Task, direction: Direction, part: int, entries: int
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger], NDArray[np.float64]]:
    """Return row pointers, sorted indices and weights of a partition, repeated entries included."""
    low, high = task.grid.cuts[part], task.grid.cuts[part + 1]
    paths = [task.work.chunk(k, "buckets") for k in task.work.numbers("buckets")]
    bucket, panels = bucket_of(direction, part, task.grid), block_panels(task.grid)
    kind = np.uint32 if entries < 1 << 32 else np.uint64
    indptr = np.zeros((len(task.grid.panels) - 1, high - low + 1), dtype=kind)
    for path in paths:
        rows, columns, _ = bucket_entries(path, bucket)
        count(rows, columns, panels, _SHIFT, indptr)
    # Each row has its number of entries one place behind: sums over panels and rows are the pointers.
    np.cumsum(indptr.ravel(), out=indptr.ravel())
    places = indptr[:, :-1].copy()
    indices = np.empty(entries, dtype=vertex_dtype(task.n))
    data = np.empty(entries if task.weighted else 0)
    for path in paths:
        rows, columns, weights = bucket_entries(path, bucket)
        scatter(rows, columns, weights, panels, _SHIFT, places, indices, data)
    longest = int((indptr[:, 1:] - indptr[:, :-1]).max())
    del places
    spare = np.empty(longest, dtype=indices.dtype)
    sort_rows(indptr, indices, data, spare, np.empty(longest if task.weighted else 0))
    return indptr, indices, data


def _infinite(task: Task, row: int, column: int) -> GraphError:
    from lpgraph.scale.layout import NAMES
    from lpgraph.scale.names_file import FileNames

    names = FileNames(task.store / NAMES, task.n) if (task.store / NAMES).exists() else range(task.n)
    return GraphError(
        f"The weights of the edge {names[row]!r}, {names[column]!r} add up to more than 1e308; divide all weights "
        "by a constant, or pass multi_edges='collapse'."
    )


class _Summed:
    """A file whose checksum is taken as it is written."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._sum, self.size = file, hashlib.sha256(), 0

    def write(self, content: bytes) -> int:
        """Write bytes."""
        self._sum.update(content)
        self.size += len(content)
        return self._file.write(content)

    def facts(self) -> FileFacts:
        """Return size and checksum."""
        return FileFacts(self.size, self._sum.hexdigest())


def save_array(folder: Path, name: str, array: NDArray[np.generic], files: dict[str, FileFacts]) -> None:
    """Write an array as .npy, whole or not at all, and note its size and checksum."""
    with whole_file(folder / name) as file:
        summed = _Summed(file)
        np.lib.format.write_array(summed, array, allow_pickle=False)
        files[name] = summed.facts()
