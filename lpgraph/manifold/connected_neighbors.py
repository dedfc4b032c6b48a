"""Connected neighbor graphs, and the neighbors of new points by the same rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._checks import check_choice, is_string
from lpgraph.errors import ArgumentError
from lpgraph.points.connect import POLICIES, connect, union
from lpgraph.points.connecting import connecting_neighbors, connecting_radius, neighbor_ranks
from lpgraph.points.find_neighbors import EXACT, find_neighbors
from lpgraph.points.neighborhood import Neighborhood

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.points.find_neighbors import SearchBy
    from lpgraph.points.types import Metric, Points

__all__ = ["Neighbors"]


@dataclass(frozen=True, eq=False)
class Neighbors:
    """A neighbor graph of points with the edges that joined components.

    Attributes
    ----------
    hood : Neighborhood
        The neighbor rule on the points that were kept.
    graph : csr_array of shape (n, n)
        Distances of neighbors, bridges included.
    bridges : csr_array of shape (n, n) or None
        The bridges. A new point at the place of an end has the bridges of that end.
    kept : ndarray of shape (n,)
        The kept points among those that were given.
    pairwise : bool
        Whether new points are passed as distances to all points, including those that were not kept.
    """

    hood: Neighborhood
    graph: sparse.csr_array
    bridges: sparse.csr_array | None
    kept: NDArray[np.intp]
    pairwise: bool

    @classmethod
    def of(
        cls,
        X: Points,
        metric: Metric,
        n_neighbors: int | None,
        radius: float | None,
        components: str | None,
        by: SearchBy = EXACT,
    ) -> Neighbors:
        """Find the neighbors and apply the policy on components; None leaves them separate."""
        if components is not None:
            check_choice("components", components, POLICIES)
        if n_neighbors is not None and radius is not None:
            raise ArgumentError(
                f"n_neighbors={n_neighbors} and radius={radius} are both given; pass None for one of them."
            )
        pairwise = is_string(metric, "precomputed")
        hood = Neighborhood(*find_neighbors(X, metric, n_neighbors, radius, by))
        if components is None:
            return cls(hood, hood.distances, None, np.arange(hood.n_points), pairwise)

        def wider() -> str | None:
            if n_neighbors is None:
                reach = connecting_radius(X, metric, hood.distances, by)
                return None if reach is None else f"radius={reach}"
            k = connecting_neighbors(lambda k: neighbor_ranks(X, metric, k, by), n_neighbors, hood.n_points)
            return None if k is None else f"n_neighbors={k}"

        graph, kept, ends = connect(hood.distances, components, points=X, metric=metric, wider=wider)
        if len(kept) < hood.n_points:
            hood = hood.among(kept)
        if not len(ends):
            return cls(hood, hood.distances, None, kept, pairwise)
        # Points at one place share their bridges, so that the edges of a new point depend on its place only.
        edges = sparse.coo_array((np.ones(2 * len(ends)), np.vstack([ends, ends[:, ::-1]]).T), shape=graph.shape)
        same = _coincident(hood.distances) + sparse.eye_array(hood.n_points, format="csr")
        pattern = (same @ edges.tocsr() @ same).tocoo()
        lengths = np.asarray(graph.tocsr()[ends[:, 0], ends[:, 1]]).ravel()
        length_of = sparse.coo_array((lengths, tuple(ends.T)), shape=graph.shape).tocsr()
        length_of = same @ (length_of + length_of.T) @ same
        row, column = pattern.coords
        values = np.asarray(length_of[row, column]).ravel() / pattern.data
        bridges = sparse.csr_array((values, (row, column)), shape=graph.shape)
        return cls(hood, union(hood.distances, bridges), bridges, kept, pairwise)

    def rows(self, new: Points) -> sparse.csr_array:
        """Return the (m, n) distances of new points to their neighbors, stored zeros included."""
        rows = self.hood.rows(new[:, self.kept] if self.pairwise else new)
        if self.bridges is None:
            return rows
        home = _coincident(rows)
        # One point of each place is enough, since points at a place have the same bridges.
        counts = np.diff(home.indptr)
        first = home.indptr[:-1][counts > 0]
        one = sparse.csr_array(
            (np.ones(len(first)), (np.flatnonzero(counts > 0), home.indices[first])), shape=rows.shape
        )
        return union(rows, one @ self.bridges)


def _coincident(distances: sparse.csr_array) -> sparse.csr_array:
    """Return 1 where a distance of 0 is stored."""
    entries = distances.tocoo()
    row, column = entries.coords
    zero = entries.data == 0
    return sparse.csr_array((np.ones(zero.sum()), (row[zero], column[zero])), shape=distances.shape)
