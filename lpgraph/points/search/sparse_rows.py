"""Neighbor search for sparse points: pairs are excluded by bounds from sparse products, the rest computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._cached import cached_property
from lpgraph._slices import slices
from lpgraph.points.metric import WORK
from lpgraph.points.search.neighbor_pairs import check_finite_squares
from lpgraph.points.search.products import ProductSearch, bounds, rounding
from lpgraph.points.sparse_points import row_norms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lpgraph.points.types import Array

__all__ = ["SparseSearch"]


@dataclass(frozen=True, eq=False)
class SparseSearch(ProductSearch):
    """The `Search` for Euclidean distances of sparse rows, which are neither centred nor made dense."""

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
        entries = int(max(np.diff(self.points.indptr).max(initial=0), np.diff(points.indptr).max(initial=0)))
        gamma = rounding(entries)
        for part in slices(points.shape[0], WORK // (3 * self.n)):
            sums = row_norms(points[part])[:, None] ** 2 + self._squares
            yield part.start, *bounds((points[part] @ self.points.T).toarray(), sums, gamma)
