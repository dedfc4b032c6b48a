"""Neighbor search for any metric, which computes all distances in blocks of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from lpgraph._cached import cached_property
from lpgraph._slices import slices
from lpgraph.errors import ArgumentError
from lpgraph.points.equal_rows import as_scalars
from lpgraph.points.metric import WORK, Geometry
from lpgraph.points.rows import in_memory
from lpgraph.points.search.neighbor_pairs import SLACK, Pairs, Reach, collect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lpgraph.points.metric import Block

    Array = NDArray[np.float64]

__all__ = ["BlockSearch"]


@dataclass(frozen=True, eq=False)
class BlockSearch:
    """The `Search` that computes every distance. If `form` is None, points are rows of distances."""

    n: int
    form: Geometry | None
    points: Array

    def reach(self, radii: Array) -> Reach:
        """Return the radii."""
        return Reach(radii)

    def near(self, new: Array, count: int, reach: Reach | None = None) -> Pairs:
        """Return the nearest with all ties, and all whose radius includes the new point."""
        pairs = []
        for low, block in self._blocks(new):
            limits = np.full(len(block), -np.inf)
            if count:
                limits = np.partition(block, count - 1, axis=1)[:, count - 1] * (1 + 2 * SLACK)
            wanted = block <= limits[:, None]
            if reach is not None:
                wanted |= block <= reach.radii * (1 + 2 * SLACK)
            row, column = np.nonzero(wanted)
            pairs.append(Pairs(row + low, column, block[row, column]))
        return collect(pairs, self.n)

    def foreign(self, new: Array, mine: NDArray[np.intp], labels: NDArray[np.intp]) -> Pairs:
        """Return the nearest training points of another component."""
        pairs = []
        for low, block in self._blocks(new):
            others = np.where(mine[low : low + len(block), None] == labels, np.inf, block)
            row, column = np.nonzero(others == others.min(axis=1)[:, None])
            pairs.append(Pairs(row + low, column, others[row, column]))
        return collect(pairs, self.n)

    @cached_property
    def _places(self) -> tuple[NDArray[np.void], NDArray[np.intp]]:
        """The distinct points, and the index among them of every training point."""
        return np.unique(as_scalars(self.points), return_inverse=True)

    def _blocks(self, new: Array) -> Iterator[tuple[int, Array]]:
        for part in slices(new.shape[0], WORK // (2 * self.n)):
            yield part.start, new[part] if self.form is None else self._block(self.form, new[part], part.start)

    def _block(self, form: Geometry, new: Array, low: int) -> Array:
        points = form.coordinates(in_memory(new), low)
        block = cast("Block", form.block)(points, self.points)  # only metrics without a norm have no other search
        # Equal points have distance 0, which some formulas give only approximately.
        known, place = self._places
        scalars = as_scalars(points)
        found = np.minimum(np.searchsorted(known, scalars), len(known) - 1)
        block[np.where(known[found] == scalars, found, -1)[:, None] == place] = 0.0
        wrong = ~(np.isfinite(block) & (block >= 0))
        if wrong.any():
            i, j = np.argwhere(wrong)[0]
            raise ArgumentError(
                f"The metric's distance of point {i + low} to training point {j} is {block[i, j]}; "
                "use a metric that is defined for these points."
            )
        return block
