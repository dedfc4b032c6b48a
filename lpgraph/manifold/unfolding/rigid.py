"""Constrained pairs of an unfolding: neighbors, and points with a common neighbor."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from lpgraph._slices import slices
from lpgraph.points.rows import doubles
from lpgraph.points.search import SLACK

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.points.neighborhood import Neighborhood

__all__ = ["RigidPairs", "rigid_pairs"]


class RigidPairs(NamedTuple):
    """Pairs ``first[e] < second[e]`` of n points, and their distances."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    distance: NDArray[np.float64]
    n: int

    def graph(self) -> sparse.csr_array:
        """Return the (n, n) graph of the pairs, with distances as entries."""
        rows = np.concatenate([self.first, self.second])
        columns = np.concatenate([self.second, self.first])
        return sparse.csr_array((np.tile(self.distance, 2), (rows, columns)), shape=(self.n, self.n))

    def components(self) -> tuple[int, NDArray[np.int32]]:
        """Return the number of connected components, and the component of every point."""
        count, labels = sparse.csgraph.connected_components(self.graph(), directed=False)
        return int(count), labels


def rigid_pairs(neighborhood: Neighborhood) -> RigidPairs:
    """Return the pairs that are neighbors, or are both neighbors of a third point.

    j is a neighbor of i if it is among the k nearest of i, ties included. Two neighbors of a point form a pair
    because the three distances of a triangle determine its angles, so that neighborhoods stay rigid.

    Parameters
    ----------
    neighborhood : Neighborhood
        A neighborhood of points with a Euclidean metric.

    Returns
    -------
    RigidPairs

    References
    ----------
    Weinberger, K., Packer, B. & Saul, L. (2005), "Nonlinear dimensionality reduction by semidefinite
    programming and kernel matrix factorization", AISTATS 10, Section 2.

    Examples
    --------
    A closed curve with two neighbors on each side: pairs up to four steps apart.

    >>> import numpy as np
    >>> from lpgraph.points.neighborhood import Neighborhood
    >>> from lpgraph.manifold.unfolding.rigid import rigid_pairs
    >>> angle = 2 * np.pi * np.arange(30) / 30
    >>> pairs = rigid_pairs(Neighborhood.of(np.column_stack([np.cos(angle), np.sin(angle)]), n_neighbors=4))
    >>> len(pairs.distance)
    120
    """
    graph = neighborhood.distances
    n = neighborhood.n_points
    rows = np.repeat(np.arange(n), np.diff(graph.indptr))
    own = graph.data <= neighborhood.radii[rows] * (1 + SLACK)
    near = sparse.csr_array((np.ones(int(own.sum())), (rows[own], graph.indices[own])), shape=(n, n))
    joined = sparse.triu(near + near.T + near.T @ near, 1).tocoo()
    first, second = (index.astype(np.intp) for index in joined.coords)
    points = neighborhood.points
    distance = np.empty(len(first))
    for part in slices(len(first), 1 << 16):
        distance[part] = np.linalg.norm(doubles(points[first[part]]) - doubles(points[second[part]]), axis=1)
    return RigidPairs(first, second, distance, n)
