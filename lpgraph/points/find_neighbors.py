"""Neighbors of all training points.

Points i and j are neighbors if ``d(i, j) <= max(r_i, r_j)``, where r_i is the distance of point i to its k-th
nearest other point, or a given radius that is the same for all.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lpgraph._checks import check_generator, check_integer, check_real, is_string
from lpgraph._compiled import available
from lpgraph._progress import tell
from lpgraph.errors import ArgumentError, MissingDependencyError
from lpgraph.points.distance_lists import is_precomputed
from lpgraph.points.edge_limit import check_duplicates, check_radius, check_ties
from lpgraph.points.metric import coordinates_of, geometry, is_euclidean
from lpgraph.points.search import SLACK, Pairs, Search, make_search
from lpgraph.points.search.cells import divide
from lpgraph.points.search.chosen import LOW
from lpgraph.points.search.neighbor_pairs import kth_smallest, symmetric
from lpgraph.points.sparse_points import is_sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.points.search.cells import Cells
    from lpgraph.points.types import Metric, Points

__all__ = ["EXACT", "FoundNeighbors", "SearchBy", "find_neighbors", "kth_distances"]

_log = logging.getLogger("lpgraph.points")


#: For fewer points the exact search is faster than the division into cells.
_MANY = 5000


class FoundNeighbors(NamedTuple):
    """The fields of a `Neighborhood`, and the search."""

    points: Points
    metric: Metric
    n_neighbors: int | None
    radius: float | None
    radii: NDArray[np.float64]
    distances: sparse.csr_array
    cells: Cells | None
    search: Search


class SearchBy(NamedTuple):
    """How neighbors are searched: parameters of `lpgraph.points.neighborhood.Neighborhood.of`."""

    neighbors: str | int = "exact"
    random_state: int | np.random.Generator | None = None

    def cells(self, points: Points, metric: Metric, k: int | None) -> Cells | None:
        """Return the cells that an approximate search looks through, or None for an exact search."""
        if not self._is_approximate(points.shape[0]):
            return None
        what = f"neighbors={self.neighbors!r} with {points.shape[0]} points"
        if k is None:
            raise ArgumentError(f"{what} and radius; pass n_neighbors, or neighbors='exact'.")
        if is_precomputed(metric) or is_sparse(points):
            kind = "distances" if is_precomputed(metric) else "sparse points"
            raise ArgumentError(f"{what} is not possible for {kind}; pass dense points, or neighbors='exact'.")
        if not is_euclidean(metric):
            raise ArgumentError(
                f"{what} and metric={metric!r}; pass a Euclidean metric, such as 'euclidean' or 'cosine', or "
                "neighbors='exact'."
            )
        if points.shape[0] < _MANY or points.shape[1] <= LOW:
            return None
        if not available():
            raise MissingDependencyError(f"{what} needs numba; install numba, or pass neighbors='exact'.")
        seed = 0 if self.random_state is None else self.random_state
        coordinates = coordinates_of(points, geometry(points, metric))
        return None if is_sparse(coordinates) else divide(coordinates, k, check_generator(seed))

    def _is_approximate(self, n: int) -> bool:
        if is_string(self.neighbors, "exact"):
            return False
        if is_string(self.neighbors, "approximate"):
            return True
        if isinstance(self.neighbors, str):
            raise ArgumentError(
                f"neighbors={self.neighbors!r}; pass 'exact', 'approximate', or the number of points above which "
                "the search is approximate."
            )
        return n > check_integer("neighbors", self.neighbors, low=0)


#: The search among all points.
EXACT = SearchBy()


def find_neighbors(
    points: Points, metric: Metric, n_neighbors: int | None, radius: float | None, by: SearchBy
) -> FoundNeighbors:
    """Return the radius and the neighbors of checked points; see `lpgraph.points.neighborhood.Neighborhood.of`."""
    n = points.shape[0]
    if (n_neighbors is None) == (radius is None):
        raise ArgumentError(
            f"n_neighbors={n_neighbors} and radius={radius}; pass exactly one of n_neighbors and radius."
        )
    if radius is not None:
        radius = check_real("radius", radius, low=0.0, infinite=True)
        k = 0
    else:
        k = n_neighbors = check_integer("n_neighbors", n_neighbors, low=1)
        if k >= n:
            remedy = f"pass n_neighbors <= {n - 1}" if n > 1 else "pass more points"
            raise ArgumentError(f"n_neighbors={k} but only {n} points; {remedy}.")
        if not is_precomputed(metric):
            check_duplicates(points, k)
    if n == 0:
        raise ArgumentError("X has no points; pass at least one.")
    tell(_log, "nearest neighbors of %d points", n)
    cells = by.cells(points, metric, n_neighbors)
    search = make_search(points, metric, cells)
    if radius is not None:
        radii = np.full(n, radius)
        reach = search.reach(radii) if np.isfinite(radius) else None
        if not is_precomputed(metric):
            check_radius(search, points, radius, reach)
        pairs = _others(search.near(points, n if reach is None else 0, reach))
    else:
        pairs = _others(search.near(points, k + 1))
        radii = kth_distances(pairs, np.full(n, k))
    pairs = pairs.where(pairs.distance <= radii[pairs.row] * (1 + SLACK))
    if k:
        check_ties(n, k, pairs.row.size)
    return FoundNeighbors(points, metric, n_neighbors, radius, radii, symmetric(pairs, n), cells, search)


def kth_distances(pairs: Pairs, count: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the count-th smallest distance of every row; raise if fewer are listed."""
    lacking = np.bincount(pairs.row, minlength=count.size) < count
    if lacking.any():
        i = int(np.argmax(lacking))
        raise ArgumentError(
            f"Point {i} lists {int((pairs.row == i).sum())} distances but {count[i]} are needed; list as many for "
            "every point, or pass a smaller n_neighbors, or radius=np.inf for all that are listed."
        )
    return kth_smallest(pairs, count)


def _others(pairs: Pairs) -> Pairs:
    return pairs.where(pairs.row != pairs.column)
