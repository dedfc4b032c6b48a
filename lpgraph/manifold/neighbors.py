"""Connected neighbor graphs of points: two-sided with distances, or the k nearest points with affine weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from lpgraph._utils.checks import check_integer, is_string
from lpgraph._utils.compiled import blas_alone, slices
from lpgraph._utils.types import Array, Integers
from lpgraph.errors import ArgumentError
from lpgraph.points.connect import connect, union
from lpgraph.points.metric import Metric
from lpgraph.points.neighborhood import EXACT, Neighborhood, SearchBy, find_neighbors
from lpgraph.points.rows import Points, dense, distinct, doubles, some_points
from lpgraph.points.weights import affine_weights, weight_rows
from lpgraph.spectral.construction import Construction, KernelRows
from lpgraph.spectral.eigen import Known
from lpgraph.spectral.operators import SymmetricOperator

#: Coordinates of neighborhoods held at a time: 32 MB.
_ENTRIES = 1 << 22


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
        The bridges. Points at one place share their bridges, also with a new point at that place.
    kept : ndarray of shape (n,)
        The kept points among those that were given.
    """

    hood: Neighborhood
    graph: sparse.csr_array
    bridges: sparse.csr_array | None
    kept: Integers

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
        hood = find_neighbors(X, metric, n_neighbors, radius, by)
        if components is None:
            return cls(hood, hood.distances, None, np.arange(hood.n_points))
        graph, kept, ends = connect(hood.distances, components, points=X, metric=metric)
        if not len(ends):
            hood = hood if len(kept) == hood.n_points else hood.among(kept)
            return cls(hood, hood.distances, None, kept)
        same = sparse.csr_array(_coincident(hood.distances) + sparse.eye_array(hood.n_points))
        lengths = sparse.diags_array(graph[ends[:, 0], ends[:, 1]])
        there = sparse.csr_array(same[ends[:, 0]].T @ lengths @ same[ends[:, 1]])
        bridges = sparse.csr_array(there + there.T)
        return cls(hood, union(hood.distances, bridges), bridges, kept)

    def rows(self, new: Points) -> sparse.csr_array:
        """Return the (m, n) distances of new points to their neighbors, stored zeros included."""
        # Distances are passed to all points, also to those that were not kept.
        rows = self.hood.rows(new[:, self.kept] if is_string(self.hood.metric, "precomputed") else new)
        if self.bridges is None:
            return rows
        # The first of the training points at the place of a new point.
        row, column = _coincident(rows).tocoo().coords
        row, first = np.unique(row, return_index=True)
        home = sparse.csr_array((np.ones(len(row)), (row, column[first])), shape=rows.shape)
        return union(rows, home @ self.bridges)


def _coincident(distances: sparse.csr_array) -> sparse.csr_array:
    """Return 1 where a distance of 0 is stored."""
    entries = distances.tocoo()
    row, column = entries.coords
    zero = entries.data == 0
    return sparse.csr_array((np.ones(zero.sum()), (row[zero], column[zero])), shape=distances.shape)


@dataclass(frozen=True, eq=False)
class LocalNeighbors:
    """Distinct points, each with its k nearest other points.

    Attributes
    ----------
    hood : Neighborhood
        The points that are vertices: each set of equal points once.
    indices : ndarray of shape (n, k)
        The nearest other vertices of each vertex.
    bridges : ndarray of shape (b, 2)
        Pairs of vertices that were joined to make the graph connected.
    vertices : ndarray of shape (n,)
        Indices of the vertices among the given points.
    kept : ndarray of shape (g,)
        Indices of the given points that are embedded.
    place : ndarray of shape (g,)
        The vertex of each embedded point.
    """

    hood: Neighborhood
    indices: Integers
    bridges: Integers
    vertices: Integers
    kept: Integers
    place: Integers

    @classmethod
    def of(
        cls, X: Points, k: int, components: str, by: SearchBy = EXACT, *, directed: bool = False
    ) -> LocalNeighbors:
        """Find the neighbors and apply the policy on components, or on closed sets of a directed graph.

        A set is closed if the nearest points of its points are in the set. Reconstruction weights do not determine
        the positions of two such sets relative to each other, even if another point has neighbors in both.
        """
        first, place = distinct(X)
        check_integer("n_neighbors", k, low=1, high=len(first) - 1, why=f"but only {len(first)} distinct points")
        points = some_points(X, first)
        hood = find_neighbors(points, "euclidean", k, None, by)
        indices, distances = hood.nearest_training(k)
        graph = weight_rows(distances, indices, len(first))
        core = _closed(graph) if directed else np.arange(len(first))
        parts = "components" if len(core) == len(first) else "closed sets"
        _, chosen, bridges = connect(
            graph[core][:, core], components, points=some_points(points, core), parts=parts
        )
        lost = np.isin(np.arange(len(first)), np.delete(core, chosen))
        while (further := lost[indices].any(axis=1) & ~lost).any():
            lost |= further
        if lost.any():
            among = np.flatnonzero(~lost)
            indices, hood = (np.cumsum(~lost) - 1)[indices[among]], hood.among(among)
            first, place = first[among], np.where(lost, -1, np.cumsum(~lost) - 1)[place]
        kept = np.flatnonzero(place >= 0)
        return cls(hood, indices, core[bridges], first, kept, place[kept])

    def covering(self) -> Integers:
        """Return neighborhoods that tie every vertex to the others, k vertices in each row.

        In addition to the nearest others of each vertex there is a neighborhood for each vertex that is in
        none, of itself and its nearest others, and one for each bridge, with half of its vertices from either end.
        """
        n, k = self.indices.shape
        alone = np.setdiff1d(np.arange(n), self.indices)
        i, j = self.bridges.T
        near, far = self.indices[i, : k // 2 - 1], self.indices[j, : k - k // 2 - 1]
        own = np.hstack([alone[:, None], self.indices[alone, : k - 1]])
        return np.vstack([self.indices, own, np.hstack([i[:, None], near, j[:, None], far])])

    def weights(self, regularizer: float) -> sparse.csr_array:
        """Return the (n, n) weights that reconstruct vertices; a bridge makes each end a neighbor of the other."""
        points, ends, rows = self.hood.points, np.unique(self.bridges), []
        for i in ends:
            others = self.bridges[(self.bridges == i).any(axis=1)].sum(axis=1) - i
            wider = np.concatenate([self.indices[i], others])[None]
            rows.append(affine_weights(points, points[i : i + 1], wider, regularizer))
        inner = np.setdiff1d(np.arange(len(self.indices)), ends)
        weights = affine_weights(points, some_points(points, inner), self.indices[inner], regularizer)
        order = np.argsort(np.concatenate([inner, ends]))
        return sparse.csr_array(sparse.csr_array(sparse.vstack([weights, *rows]))[order])


def _closed(graph: sparse.csr_array) -> Integers:
    """Return the points from which no edge leaves their strongly connected component."""
    labels = csgraph.connected_components(graph, connection="strong")[1]
    source, target = (labels[index] for index in graph.tocoo().coords)
    return np.flatnonzero(~np.isin(labels, source[source != target]))


def neighborhoods(points: Points, indices: Integers) -> Iterator[tuple[slice, Array]]:
    """Yield the coordinates of neighborhoods, (b, k, p) for b rows of `indices` at a time."""
    m, k = indices.shape
    for part in slices(m, _ENTRIES // (k * points.shape[1])):
        near = doubles(dense(points[indices[part].ravel()]))
        yield part, near.reshape(-1, k, points.shape[1])


@dataclass(frozen=True, eq=False)
class LocalRows(KernelRows, ABC):
    """Affine weights of new points; a copy of a training point has weight 1 on that point.

    Attributes
    ----------
    neighbors : LocalNeighbors
        The training points.
    """

    neighbors: LocalNeighbors

    @abstractmethod
    def weights(self, points: Points, indices: Integers) -> sparse.csr_array:
        """Return the (m, n) weights of points by some vertices; rows sum to 1."""

    @property
    def trivial(self) -> Array:
        """The constant vector of unit length: rows sum to 1."""
        n = self.neighbors.hood.n_points
        return np.full(n, n**-0.5)

    @property
    def operator(self) -> SymmetricOperator:
        """Not defined: the rows are weights and not those of a symmetric kernel."""
        raise ArgumentError("The method places points by weights and has no kernel; pass another, such as Isomap.")

    def construction(self, operator: SymmetricOperator, matrix: Callable[[], sparse.csr_array]) -> Construction:
        """Return the construction by the smallest eigenvalues of an operator; `matrix` forms it."""
        neighbors, recall = self.neighbors, self.neighbors.hood.recall
        return Construction(
            operator,
            self,
            end="smallest",
            extension="weights",
            power=0.0,
            known=Known(self.trivial, matrix=matrix),
            training=lambda found: found.coordinates[neighbors.place],
            attributes={"kept_": neighbors.kept, "vertices_": neighbors.vertices, "recall_": recall},
        )

    def parts(self, new: Points) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Return the (m, n) weights of new points that equal no training point, and unit rows of the others."""
        hood = self.neighbors.hood
        shape = (new.shape[0], hood.n_points)
        indices, distances = hood.nearest(new, self.neighbors.indices.shape[1])
        home = distances[:, 0] == 0
        unit = sparse.csr_array((np.ones(home.sum()), (np.flatnonzero(home), indices[home, 0])), shape=shape)
        away = sparse.diags_array((~home).astype(float))
        with blas_alone():  # threads of LAPACK change the last bits of singular vectors
            return sparse.csr_array(away @ self.weights(new, indices)), unit

    def __call__(self, new: Points, side: str = "out") -> sparse.csr_array:
        """Return the (m, n) rows of new points."""
        elsewhere, unit = self.parts(new)
        return sparse.csr_array(elsewhere + unit)
