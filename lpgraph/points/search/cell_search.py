"""Approximate neighbor search: the exact rule among the points of the nearest cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np

from lpgraph._cached import cached_property
from lpgraph.points.search.neighbor_pairs import Pairs, Reach, collect
from lpgraph.points.search.tile_search import TileSearch
from lpgraph.points.search.tiles import HEIGHT, WIDTH, Job, Plan, cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.points.search.cells import Cells

    Array = NDArray[np.float64]

__all__ = ["CellSearch"]

#: Rows of a piece of work; the more, the fewer tiles, but the less similar are the cells they look through.
_ROWS = 2 * HEIGHT

#: Points for which all distances in their cells are computed.
_FEW = 32


@dataclass(frozen=True, eq=False)
class CellSearch(TileSearch):
    """The `Search` that looks through some cells for each point.

    Which cells these are depends on the point only, so that its neighbors are the same alone and in any batch.
    """

    cells: Cells

    def _near(self, points: Array, count: int, reach: Reach | None) -> Pairs:
        if len(points) > _FEW:
            return self._by_plan(points, count, reach)
        # For few points, the factors of all training points would take longer than all distances in the cells.
        parts = []
        for i, chosen in enumerate(self.cells.chosen(points, count)):
            ends = (self.cells.ends[c : c + 2] for c in chosen if c >= 0)
            column = np.concatenate([self.cells.order[slice(*pair)] for pair in ends])
            parts.append(self._pairs(points, np.full(len(column), i), column))
        return collect(parts, self.n)

    def _plan(self, points: Array, count: int) -> Plan:
        return _CellPlan(self.cells, self.cells.chosen(points, count))

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        return self.cells.order


class _CellPlan(Sequence[Sequence[Job]]):
    """The jobs of points that look through cells; those of a piece are made when it is asked for."""

    def __init__(self, cells: Cells, chosen: NDArray[np.int32]) -> None:
        self._ends, self._chosen = cells.ends, chosen
        self._order = np.argsort(chosen[:, 0], kind="stable")  # points of one cell look through similar cells
        self._pieces = cut(slice(0, len(chosen)), _ROWS)

    def __len__(self) -> int:
        return len(self._pieces)

    @overload
    def __getitem__(self, index: int) -> Sequence[Job]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Sequence[Job]]: ...
    def __getitem__(self, index: int | slice) -> Sequence[Job] | Sequence[Sequence[Job]]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        members = self._order[self._pieces[index]]
        row, place = np.nonzero(self._chosen[members] >= 0)
        row, cell = members[row], self._chosen[members[row], place]
        by_cell = np.argsort(cell, kind="stable")
        cell, row = cell[by_cell], row[by_cell]
        starts = np.flatnonzero(np.diff(cell, prepend=-1))
        return [
            (rows, columns)
            for rows, label in zip(np.split(row, starts[1:]), cell[starts].tolist(), strict=True)
            for columns in cut(slice(*self._ends[label : label + 2].tolist()), HEIGHT * WIDTH // len(rows))
        ]
