"""Neighbor search in sparse distance matrices: pairs that are not stored are not neighbors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.errors import ArgumentError
from lpgraph.points.search.neighbor_pairs import Pairs, Reach

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ListedSearch"]


@dataclass(frozen=True, eq=False)
class ListedSearch:
    """The `Search` among listed distances.

    Attributes
    ----------
    n : int
        The number of training points.
    points : csr_array of shape (n, n)
        Their stored distances, symmetric, with stored zeros, also on the diagonal.
    """

    n: int
    points: sparse.csr_array

    def reach(self, radii: NDArray[np.float64]) -> Reach:
        """Return the radii."""
        return Reach(radii)

    def near(self, new: sparse.csr_array, count: int, reach: Reach | None = None) -> Pairs:
        """Return all stored pairs.

        A new point at distance 0 from a training point is regarded as that point and has its row: its own list of
        nearest points may lack points that have it as a neighbor.
        """
        entries = new.tocoo()
        row, column = (index.astype(np.intp) for index in entries.coords)
        first = np.full(new.shape[0], self.n)
        zero = entries.data == 0
        np.minimum.at(first, row[zero], column[zero])
        home = first < self.n
        same = np.flatnonzero(home)
        there = self.points[first[same]].tocoo()
        away = ~home[row]
        row = np.concatenate([row[away], same[there.coords[0]]])
        column = np.concatenate([column[away], there.coords[1].astype(np.intp)])
        distance = np.concatenate([entries.data[away], there.data])
        order = np.lexsort((column, row))
        return Pairs(row[order], column[order], distance[order])

    def foreign(self, new: sparse.csr_array, mine: NDArray[np.intp], labels: NDArray[np.intp]) -> Pairs:
        """Raise: no distance between two components is stored."""
        raise ArgumentError(
            "components='bridge' with a sparse graph of distances, which has no distances between components; "
            "pass more neighbors, the points, all distances, or components='largest'."
        )
