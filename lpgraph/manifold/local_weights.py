"""Local affine weights: distinct points, their nearest other points, and weights of new points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
from scipy import sparse

from lpgraph._checks import check_choice
from lpgraph._slices import slices
from lpgraph._threads import blas_alone
from lpgraph._warnings import warn
from lpgraph.errors import ArgumentError, ConvergenceError, LpgraphWarning
from lpgraph.points.connect import POLICIES, connect
from lpgraph.points.connecting import connecting_neighbors
from lpgraph.points.equal_rows import distinct
from lpgraph.points.find_neighbors import EXACT, SearchBy, find_neighbors
from lpgraph.points.neighborhood import Neighborhood
from lpgraph.points.rows import doubles, some_points
from lpgraph.spectral.bottom import bottom_pairs
from lpgraph.spectral.construction import Array, Construction, KernelRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from lpgraph.points.types import Points
    from lpgraph.spectral.embedding import SpectralEmbedding
    from lpgraph.spectral.operators import SymmetricOperator
    from lpgraph.spectral.pairs import EigenPairs

__all__ = ["LocalNeighbors", "LocalRows", "neighborhoods"]

#: Coordinates of neighborhoods held at a time: 32 MB.
_ENTRIES = 1 << 22


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
    indices: NDArray[np.intp]
    bridges: NDArray[np.intp]
    vertices: NDArray[np.intp]
    kept: NDArray[np.intp]
    place: NDArray[np.intp]

    @classmethod
    def of(cls, X: Points, k: int, components: str, by: SearchBy = EXACT) -> LocalNeighbors:
        """Find the neighbors and apply the policy on components."""
        check_choice("components", components, POLICIES)
        first, place = distinct(X)
        if len(first) <= k:
            # Too few distinct points for k neighbors each: copies are separate vertices.
            first, place = np.arange(X.shape[0]), np.arange(X.shape[0])
        points = some_points(X, first)
        hood, indices, graph = _nearest(points, k, by)

        def wider() -> str | None:
            more = connecting_neighbors(lambda k: _ranks(_nearest(points, k, by).indices), k, len(first))
            return None if more is None else f"n_neighbors={more}"

        joined = connect(graph, components, points=points, wider=wider)
        if len(joined.kept) < len(first):
            # The nearest points of a kept point are in the same component.
            rank = np.full(len(first), -1)
            rank[joined.kept] = np.arange(len(joined.kept))
            indices, hood = rank[indices[joined.kept]], hood.among(joined.kept)
            first, place = first[joined.kept], rank[place]
        kept = np.flatnonzero(place >= 0)
        return cls(hood, indices, joined.bridges, first, kept, place[kept])

    def covering(self) -> NDArray[np.intp]:
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


@dataclass(frozen=True, eq=False)
class LocalRows(KernelRows):
    """Affine weights of new points; a copy of a training point has weight 1 on that point.

    Attributes
    ----------
    neighbors : LocalNeighbors
        The training points.
    """

    neighbors: LocalNeighbors

    def weights(self, points: Points, indices: NDArray[np.intp]) -> sparse.csr_array:
        """Return the (m, n) weights of points by some vertices; rows sum to 1."""
        raise TypeError(f"{type(self).__name__} does not define weights.")

    @property
    def trivial(self) -> Array:
        """The constant vector of unit length: rows sum to 1."""
        n = self.neighbors.hood.n_points
        return np.full(n, n**-0.5)

    @property
    def operator(self) -> SymmetricOperator:
        """Not defined: the rows are weights and not those of a symmetric kernel."""
        raise ArgumentError(f"{type(self).__name__} has weights and no kernel of the points.")

    def construction(
        self,
        operator: SymmetricOperator,
        matrix: Callable[[], sparse.csr_array],
        null: float = 0.0,
        c: float | None = None,
        root: Callable[[], sparse.csr_array] | None = None,
    ) -> Construction:
        """Return the construction by the smallest eigenvalues of an operator; `matrix` forms it.

        Eigenvalues up to `null` are zero to rounding. `root` returns B if the matrix is ``B.T B``.
        """

        def training(found: SpectralEmbedding) -> Array:
            self._warn_of_freedom(operator, null, found)
            return found.coordinates[self.neighbors.place]

        return Construction(
            operator,
            self,
            end="smallest",
            extension="weights" if c is None else "nystrom",
            power=0.0,
            c=c,
            trivial=self.trivial,
            inverse_of=matrix,
            root=root,
            training=training,
            attributes={
                "kept_": self.neighbors.kept,
                "vertices_": self.neighbors.vertices,
                "recall_": self.neighbors.hood.recall,
            },
        )

    def _warn_of_freedom(self, operator: SymmetricOperator, null: float, found: SpectralEmbedding) -> None:
        """Warn if more eigenvalues than dimensions are 0, so that the coordinates are arbitrary."""
        wanted = len(found.values)
        if wanted == operator.shape[0] - 1 or found.values[-1] > null:
            return
        start = found.extension.basis
        try:
            more = bottom_pairs(operator, wanted + 1, without=self.trivial, tol=0.1, max_restarts=20, start=start)
            last = float(more.values[-1])
        except ConvergenceError as error:
            last = float(cast("EigenPairs", error.result).values[-1])
        if last <= null:
            warn(
                f"The weights reconstruct more than n_components={wanted} functions without error, so that the "
                "coordinates are an arbitrary choice among them. Pass more n_neighbors (bridged components can "
                "rotate about their bridges), or a larger regularizer if there is one.",
                LpgraphWarning,
            )

    def parts(self, new: Points) -> tuple[sparse.csr_array, sparse.csr_array]:
        """Return the (m, n) weights of new points that equal no training point, and unit rows of the others."""
        hood = self.neighbors.hood
        shape = (new.shape[0], hood.n_points)
        if not shape[0]:
            return sparse.csr_array(shape), sparse.csr_array(shape)
        indices, distances = hood.nearest(new, cast("int", hood.n_neighbors))
        home = distances == 0
        # A place has several vertices only if copies are separate vertices; they get equal shares.
        row, column = np.nonzero(home)
        share = 1 / home.sum(axis=1)[row]
        unit = sparse.csr_array((share, (row, indices[row, column])), shape=shape)
        away = sparse.diags_array((~home[:, 0]).astype(float))
        with blas_alone():  # threads of LAPACK change the last bits of singular vectors
            return sparse.csr_array(away @ self.weights(new, indices)), unit

    def __call__(self, new: Points, side: str = "out") -> sparse.csr_array:
        """Return the (m, n) rows of new points."""
        elsewhere, unit = self.parts(new)
        return sparse.csr_array(elsewhere + unit)


class _Nearest(NamedTuple):
    """The k nearest other points of every point, and the graph of their distances."""

    hood: Neighborhood
    indices: NDArray[np.intp]
    graph: sparse.csr_array


def _nearest(points: Points, k: int, by: SearchBy) -> _Nearest:
    hood = Neighborhood(*find_neighbors(points, "euclidean", k, None, by))
    indices, distances = hood.nearest_training(k)
    n = len(indices)
    rows = np.repeat(np.arange(n), k)
    return _Nearest(hood, indices, sparse.csr_array((distances.ravel(), (rows, indices.ravel())), shape=(n, n)))


def _ranks(indices: NDArray[np.intp]) -> sparse.csr_array:
    """Return the (n, n) ranks of the nearest points, 1 for the nearest."""
    n, k = indices.shape
    # The spanning tree of older scipy takes indices of 32 bits only.
    starts, columns = np.arange(0, n * k + 1, k, dtype=np.int32), indices.ravel().astype(np.int32)
    return sparse.csr_array((np.tile(np.arange(1.0, k + 1), n), columns, starts), shape=(n, n))


def neighborhoods(points: Points, indices: NDArray[np.intp]) -> Iterator[tuple[slice, Array]]:
    """Yield the coordinates of neighborhoods, (b, k, p) for b rows of `indices` at a time."""
    m, k = indices.shape
    for part in slices(m, _ENTRIES // (k * points.shape[1])):
        near = points[indices[part].ravel()]
        dense = near.toarray() if isinstance(near, sparse.csr_array) else doubles(near)
        yield part, dense.reshape(-1, k, points.shape[1])
