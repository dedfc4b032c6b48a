"""Neighbor search for sparse points: pairs are excluded by bounds from products, the rest computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._cached import cached_property
from lpgraph._compiled import available
from lpgraph._slices import slices
from lpgraph._threads import in_threads
from lpgraph.points.metric import WORK, pair_distances
from lpgraph.points.search.neighbor_pairs import SLACK, Pairs, Reach, check_finite_squares, collect
from lpgraph.points.search.products import ProductSearch, bounds, rounding
from lpgraph.points.sparse_points import row_norms, structure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lpgraph.points.types import Array

__all__ = ["SparseSearch"]

#: For fewer pairs of points, loading numba takes longer than the search.
_WORTHWHILE = 20_000_000

#: New points of a piece for a thread, and pairs of them that are listed at a time.
_ROWS, _LISTED = 64, 1 << 16


@dataclass(frozen=True, eq=False)
class SparseSearch(ProductSearch):
    """The `Search` for Euclidean distances of sparse rows, which are neither centred nor made dense.

    For many pairs, products are computed by compiled loops over the entries of each column.
    """

    def _near(self, points: Any, count: int, reach: Reach | None) -> Pairs:
        if points.shape[0] * self.n < _WORTHWHILE or not available():
            return super()._near(points, count, reach)
        limits = np.full(self.n, -np.inf)
        if reach is not None:
            limits = self.form.back(reach.radii) ** 2 * (1 + 4 * SLACK)
        none = np.empty(0, dtype=np.intp)
        return self._listed(points, count, limits, none, none)

    def _foreign(self, points: Any, mine: NDArray[np.intp], labels: NDArray[np.intp]) -> Pairs:
        if points.shape[0] * self.n < _WORTHWHILE or not available():
            return super()._foreign(points, mine, labels)
        return self._listed(points, 1, np.full(self.n, -np.inf), mine, labels)

    def _listed(
        self, points: Any, count: int, limits: Array, mine: NDArray[np.intp], labels: NDArray[np.intp]
    ) -> Pairs:
        """Return the pairs that bounds do not exclude; with labels, only those of different labels."""
        from lpgraph.points.sparse_loops import list_near  # it imports numba

        new, own, lists = structure(points), row_norms(points) ** 2, self._lists
        gamma = rounding(self._entries(points))
        cuts = [*range(0, points.shape[0], _ROWS), points.shape[0]]
        pairs: dict[int, list[NDArray[np.intp]]] = {low: [] for low in cuts[:-1]}

        def work(low: int, high: int) -> None:
            memory = np.empty(self.n), np.empty(count), np.empty((2, self.n + _LISTED), dtype=np.intp)
            state = np.array([low, high, 0])
            while state[0] < high:
                state[2] = 0
                list_near(new, own, lists, self._squares, gamma, 4 * SLACK, limits, mine, labels, *memory, state)
                pairs[low].append(memory[2][:, : state[2]].copy())

        in_threads(work, cuts)
        row, column = np.concatenate([part for low in cuts[:-1] for part in pairs[low]], axis=1)
        distance = self.form.forward(pair_distances(points, row, self.points, column, 2.0))
        return collect([Pairs(row, column, distance)], self.n)

    @cached_property
    def _lists(self) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
        """The training points with an entry in each column, and these entries."""
        return structure(self.points.tocsc())

    def _entries(self, points: Any) -> int:
        """Return the largest number of entries of a row."""
        return int(max(np.diff(self.points.indptr).max(initial=0), np.diff(points.indptr).max(initial=0)))

    def _coordinates(self, new: Any) -> Any:
        points: Any = self.form.coordinates(new)
        with np.errstate(over="ignore"):
            check_finite_squares(row_norms(points) ** 2 + self._squares.max(initial=0.0))
        return points

    @cached_property
    def _squares(self) -> Array:
        with np.errstate(over="ignore"):
            return row_norms(self.points) ** 2

    def _bounds(self, points: Any) -> Iterator[tuple[int, Array, Array]]:
        gamma = rounding(self._entries(points))
        for part in slices(points.shape[0], WORK // (3 * self.n)):
            sums = row_norms(points[part])[:, None] ** 2 + self._squares
            yield part.start, *bounds((points[part] @ self.points.T).toarray(), sums, gamma)
