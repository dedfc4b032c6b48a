"""Step 3: edges in both directions, sorted by the partition of their row."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lpgraph._progress import tell
from lpgraph._threads import in_threads, thread_count
from lpgraph.scale.building.bucket_loops import count_blocks, count_buckets, put
from lpgraph.scale.building.chunk_file import read_arrays, read_slices, write_arrays
from lpgraph.scale.building.work import Work
from lpgraph.scale.grid import ROWS, Grid, grid_of
from lpgraph.scale.layout import Direction
from lpgraph.scale.logs import log

__all__ = ["Entries", "bucket_chunks", "bucket_entries", "bucket_sizes", "find_grid"]

_SHIFT = ROWS.bit_length() - 1
_NONE = np.empty(0)

#: Rows in the partition, columns, and weights (empty if there are none).
Entries = tuple[NDArray[np.uint32], NDArray[np.unsignedinteger], NDArray[np.float64]]


def find_grid(work: Work, n: int, *, directed: bool) -> Grid:
    """Count the entries of each block of rows, and return the grid."""
    found = work.load("grid.json")
    if found is None:
        counts = np.zeros(-(-n // ROWS), dtype=np.int64)
        numbers = work.numbers("edges")
        for k in numbers:
            tell(log, "Counting degrees", of=(k, len(numbers)))
            source, target, *_ = read_arrays(work.chunk(k, "edges"))
            count_blocks(source, target, directed, _SHIFT, counts)
        grid = grid_of(n, counts, 2 if directed else 1)
        work.save("grid.json", {"cuts": grid.cuts, "panels": grid.panels})
        return grid
    return Grid(tuple(found["cuts"]), tuple(found["panels"]))  # type: ignore[arg-type]  # as written


def bucket_chunks(work: Work, grid: Grid, *, directed: bool, weighted: bool) -> None:
    """Put the edges of all chunks into buckets; a chunk is deleted when its buckets are written."""
    left = [k for k in work.numbers("edges") if not work.chunk(k, "buckets").exists()]
    parts = _parts(grid)

    def one(first: int, last: int) -> None:
        for k in left[first:last]:
            tell(log, "Sorting edges by partition", of=(k, len(left)))
            _bucket(work, k, grid, parts, directed=directed, weighted=weighted)

    in_threads(one, range(len(left) + 1), min(2, thread_count()))
    for k in work.numbers("edges"):
        work.chunk(k, "edges").unlink()


def _parts(grid: Grid) -> NDArray[np.int64]:
    """Return the partition of each block of rows."""
    blocks = -(-np.array(grid.cuts) // ROWS)
    return np.repeat(np.arange(len(grid.cuts) - 1), np.diff(blocks))


def _bucket(work: Work, k: int, grid: Grid, parts: NDArray[np.int64], *, directed: bool, weighted: bool) -> None:
    path = work.chunk(k, "edges")
    source, target, *listed = read_arrays(path)
    weight = listed[0] if weighted else _NONE
    lows = np.array(grid.cuts[:-1], dtype=np.int64)
    back = len(lows) if directed else 0
    counts = np.zeros(len(lows) + back, dtype=np.int64)
    count_buckets(source, target, parts, directed, back, _SHIFT, counts)
    bounds = np.concatenate(([0], np.cumsum(counts)))
    total = int(bounds[-1])
    rows, columns = np.empty(total, dtype=np.uint32), np.empty(total, dtype=source.dtype)
    weights = np.empty(total if weighted else 0)
    put(source, target, weight, parts, lows, directed, back, _SHIFT, bounds[:-1].copy(), rows, columns, weights)
    arrays = [rows, columns, weights] if weighted else [rows, columns]
    write_arrays(work.chunk(k, "buckets"), {}, [bounds, *arrays])
    path.unlink()


def bucket_sizes(work: Work) -> NDArray[np.int64]:
    """Return the number of entries of each bucket, over all chunks."""
    sizes: NDArray[np.int64] = sum(  # type: ignore[assignment]  # there is a chunk
        np.diff(read_arrays(work.chunk(k, "buckets"))[0]) for k in work.numbers("buckets")
    )
    return sizes


def bucket_entries(path: Path, bucket: int) -> Entries:
    """Return the entries of a bucket in one chunk."""
    low, high = read_slices(path, bucket, bucket + 2)[0].tolist()
    rows, columns, *weights = read_slices(path, low, high, first=1)
    return rows, columns, weights[0] if weights else _NONE  # type: ignore[return-value]  # as written


def bucket_of(direction: Direction, part: int, grid: Grid) -> int:
    """Return the number of the bucket of a partition.

    Examples
    --------
    >>> from lpgraph.scale.building.buckets import bucket_of
    >>> from lpgraph.scale.grid import Grid
    >>> bucket_of("in", 1, Grid((0, 4096, 5000), (0, 5000)))
    3
    """
    return part + (len(grid.cuts) - 1 if direction == "in" else 0)


def block_panels(grid: Grid) -> NDArray[np.int64]:
    """Return the panel of each block of columns."""
    blocks = [-(-cut // ROWS) for cut in grid.panels]
    return np.repeat(np.arange(len(blocks) - 1), [high - low for low, high in pairwise(blocks)])
