"""Partitions of an edge store: memory maps of tiles, whose structure is checked on first use in a process."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lpgraph._cached import cached_property
from lpgraph.errors import StoreError
from lpgraph.scale.layout import Direction, part_file
from lpgraph.scale.tile_check import tiles_fault

if TYPE_CHECKING:
    from lpgraph.scale.edge_numbers import Order

__all__ = ["StorePart", "Tile", "mapped"]

#: Row pointers, one row for each panel; indices; weights, if there are any.
Arrays: TypeAlias = tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger], NDArray[np.float64] | None]

#: Files whose structure has been checked in this process: path, size, time of change, number.
_checked: set[tuple[tuple[str, int, int, int], ...]] = set()
#: Held while numpy parses the header of a file by `ast.literal_eval`: Python 3.11 and 3.12 count the depth of what
#: all threads parse in one place, and raise SystemError when a collection of garbage lets another thread in.
_header = threading.Lock()


class Tile(NamedTuple):
    """Some rows and columns of the adjacency matrix.

    Attributes
    ----------
    first, last : int
        Columns `first` ... `last` - 1.
    indptr : ndarray of shape (rows + 1,)
        Row i has the entries ``indptr[i]`` ... ``indptr[i + 1] - 1`` of the partition.
    indices : ndarray
        Columns of all entries of the partition, increasing in each row of a tile; numbers of vertices.
    weights : ndarray or None
        Their weights; None if all are 1.
    """

    first: int
    last: int
    indptr: NDArray[np.unsignedinteger]
    indices: NDArray[np.unsignedinteger]
    weights: NDArray[np.float64] | None


class StorePart:
    """Rows `low` ... `high` - 1 of the adjacency matrix, or of its transpose, as tiles.

    Attributes
    ----------
    low, high : int
        The rows.
    weighted : bool
        Whether entries have weights; others are 1.
    order : str
        Which end of an edge comes first in its number; see `lpgraph.scale.edge_numbers.edge_numbers`.
    """

    def __init__(
        self,
        folder: Path,
        direction: Direction,
        number: int,
        cuts: Sequence[int],
        panels: Sequence[int],
        *,
        weighted: bool,
        directed: bool,
    ) -> None:
        self._folder, self._direction, self._number = folder, direction, number
        self._panels, self.weighted = tuple(panels), weighted
        self.low, self.high = cuts[number], cuts[number + 1]
        self.order: Order = "lower" if not directed else "row" if direction == "out" else "column"

    def __repr__(self) -> str:
        return f"StorePart({self._direction}, rows {self.low} to {self.high - 1}, {len(self._panels) - 1} tiles)"

    def __getstate__(self) -> dict[str, object]:
        """Return what is cheap to send: no maps, which would be sent as arrays."""
        return {name: value for name, value in vars(self).items() if name != "arrays"}

    @property
    def paths(self) -> list[Path]:
        """The files: row pointers, indices and, if there are any, weights."""
        kinds = ("indptr", "indices", "weights") if self.weighted else ("indptr", "indices")
        return [self._folder / part_file(self._direction, self._number, kind) for kind in kinds]  # type: ignore[arg-type]  # literals

    @cached_property
    def arrays(self) -> Arrays:
        """Row pointers (a row for each panel), indices and weights, as memory maps; their structure is sound."""
        paths = self.paths
        maps = [mapped(path) for path in paths]
        indptr, indices, weights = maps[0], maps[1], maps[2] if self.weighted else None
        key = tuple((str(path), *_state(path)) for path in paths)
        if key not in _checked:
            fault = tiles_fault(indptr, indices, weights, self.high - self.low, self._panels)
            if fault is not None:
                raise StoreError(
                    f"{paths[0]} and its indices are damaged: {fault}; build the store again, or restore it from "
                    "a copy."
                )
            _checked.add(key)
        return indptr, indices, weights  # type: ignore[return-value]  # the dtypes are checked

    @property
    def tiles(self) -> list[Tile]:
        """The tiles, from left to right."""
        indptr, indices, weights = self.arrays
        bounds = zip(self._panels[:-1], self._panels[1:], strict=True)
        return [Tile(first, last, indptr[q], indices, weights) for q, (first, last) in enumerate(bounds)]

    @property
    def n_entries(self) -> int:
        """Number of stored entries."""
        return len(self.arrays[1])


def mapped(path: Path) -> NDArray[np.number]:
    """Return the array of a file as a memory map; raise if the file is damaged."""
    try:
        with _header:
            found: NDArray[np.number] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise StoreError(
            f"{path} cannot be read ({error}); build the store again, or restore it from a copy."
        ) from None
    return found


def _state(path: Path) -> tuple[int, int, int]:
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns, found.st_ino
