"""Positions of a fitted model in a folder of Parquet files, written by this process or by Dask workers."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._progress import tell
from lpgraph.embed.vertex_results import side_columns
from lpgraph.scale.logs import log
from lpgraph.scale.name_columns import arrow_names
from lpgraph.scale.part_runs import runs_of
from lpgraph.scale.parts import parts_folder

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence
    from pathlib import Path

    from distributed import Client
    from numpy.typing import NDArray

    from lpgraph.scale.parts import PartsFolder

    Array = NDArray[np.float64]

__all__ = ["ROWS", "Positions", "tables", "write_folder"]

#: Vertices that are written at a time: a row group of Parquet.
ROWS = 1 << 16

#: Row groups of a file.
_GROUPS = 16


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions with names.

    Attributes
    ----------
    names : sequence of hashable
        Names of the vertices.
    titles : sequence of str
        Titles of the columns of the first side.
    sides : list of ndarray of shape (n, d)
        Positions; of a directed network also those as targets.
    """

    names: Sequence[Hashable]
    titles: Sequence[str]
    sides: list[Array]


def tables(positions: Positions, low: int, high: int) -> Iterator[Mapping[str, object]]:
    """Yield the tables of vertices low ... high - 1, of so many vertices as a row group has."""
    for first in range(low, high, ROWS):
        last = min(first + ROWS, high)
        columns = side_columns(positions.titles, [np.asarray(side[first:last]) for side in positions.sides])
        pieces = {title: np.ascontiguousarray(column) for title, column in columns.items()}
        yield {"name": arrow_names(positions.names, first, last), **pieces}


def write_folder(positions: Positions, output: Path, client: Client | None) -> None:
    """Write positions as `lpgraph.scale.write_positions` does into a folder."""
    n, rows = len(positions.sides[0]), _GROUPS * ROWS
    parts = -(-n // rows)
    plan = {
        "function": "write_positions",
        "model": [
            list(positions.titles),
            repr((positions.names[0], positions.names[n - 1])),
            _checksum(positions),
        ],
        "vertices": n,
        "part": rows,
    }
    with parts_folder(output, plan, "write_positions") as folder:
        if folder is None:
            return
        left = folder.missing(parts)
        with runs_of(_Writing(folder, positions, rows), client, folder.work.folder) as runs:
            for done, (k, _) in enumerate(runs.each(_write, left), parts - len(left) + 1):
                tell(log, "Positions, part %d", k, of=(done, parts))
        folder.finish(plan, {"vertices": n})


@dataclass(frozen=True, eq=False)
class _Writing:
    """What the files are made from."""

    folder: PartsFolder
    positions: Positions
    rows: int


def _write(job: _Writing, k: int) -> None:
    """Write a file."""
    low, high = k * job.rows, min((k + 1) * job.rows, len(job.positions.sides[0]))
    job.folder.write(job.folder.path(k), tables(job.positions, low, high))


def _checksum(positions: Positions) -> int:
    found = 0
    for side in positions.sides:
        for low in range(0, len(side), ROWS):
            found = zlib.crc32(np.ascontiguousarray(side[low : low + ROWS]).data, found)
    return found
