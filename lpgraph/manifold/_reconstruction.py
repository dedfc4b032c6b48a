"""The construction of locally linear embedding: who rebuilds whom, and by which weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph.errors import ArgumentError
from lpgraph.points.checks import as_scalars
from lpgraph.points.connect import connect
from lpgraph.points.neighborhood import Neighborhood
from lpgraph.points.reconstruction import reconstruction_weights
from lpgraph.spectral.operators import Affine, Gram, Operator

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["Reconstruction"]


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """The kernel ``c I - (I - W).T (I - W)`` of weights W, and its rows for new points.

    Attributes
    ----------
    hood : Neighborhood
        The points that are vertices: given points, equal ones once.
    weights : csr_array of shape (n, n)
        W; row i rebuilds vertex i from its neighbours and sums to 1.
    vertices : ndarray of shape (n,)
        The vertices among the given points.
    kept : ndarray of shape (g,)
        The given points that are embedded.
    place : ndarray of shape (g,)
        The vertex of each of them.
    regularizer : float
        Of the weights of new points.
    c : float or None
        c; None is its limit, infinity.
    """

    hood: Neighborhood
    weights: sparse.csr_array
    vertices: NDArray[np.intp]
    kept: NDArray[np.intp]
    place: NDArray[np.intp]
    regularizer: float
    c: float | None
    dense = False

    @classmethod
    def of(cls, X: Array, k: int, regularizer: float, c: float | None, components: str) -> Reconstruction:
        """Find the neighbours and the weights."""
        first, place = _distinct(X)
        if len(first) <= k:
            # Too few places to give every point k neighbours elsewhere: copies must serve.
            first, place = np.arange(X.shape[0]), np.arange(X.shape[0])
        hood = Neighborhood.of(X[first], n_neighbors=k)
        indices, distances = hood.nearest_training(k)
        rows = np.repeat(np.arange(len(first)), k)
        graph = sparse.csr_array((distances.ravel(), (rows, indices.ravel())), shape=(len(first), len(first)))
        joined = connect(graph, components, points=X[first])
        if len(joined.kept) < len(first):
            # The nearest points of a kept point are kept.
            rank = np.full(len(first), -1)
            rank[joined.kept] = np.arange(len(joined.kept))
            indices, hood = rank[indices[joined.kept]], Neighborhood.of(X[first][joined.kept], n_neighbors=k)
            first, place = first[joined.kept], rank[place]
        weights = _weights(hood.points, indices, joined.bridges, regularizer)
        kept = np.flatnonzero(place >= 0)
        return cls(hood, weights, first, kept, place[kept], regularizer, c)

    @property
    def factor(self) -> sparse.csr_array:
        """``(I - W).T``."""
        return sparse.csr_array((sparse.eye_array(self.weights.shape[0]) - self.weights).T)

    @property
    def operator(self) -> Operator:
        """``c I - (I - W).T (I - W)``."""
        if self.c is None:
            raise ArgumentError("c=None is the limit of kernels, and no kernel; fit with a finite c.")
        return Affine(Gram(self.factor), -1.0, self.c)

    @property
    def trivial(self) -> Array:
        """The constant: rows of W sum to 1."""
        n = self.weights.shape[0]
        return np.full(n, n**-0.5)

    @property
    def graph(self) -> sparse.csr_array:
        """The weights W."""
        return self.weights

    def rows(self, new: Array) -> sparse.csr_array:
        """Return ``(c - 1) w(x, x_i)``, or ``w(x, x_i)`` in the limit; a vertex's own row where x is one."""
        k = self.hood.n_neighbors
        assert k is not None
        if not new.shape[0]:
            return sparse.csr_array((0, self.weights.shape[0]))
        indices, distances = self.hood.nearest(new, k)
        weights = reconstruction_weights(self.hood.points, new, indices, self.regularizer)
        home = distances == 0
        at = home[:, 0]
        # Only where copies had to be vertices does a place have several, which then share x equally.
        m, n = weights.shape
        row, column = np.nonzero(home)
        share = 1 / home.sum(axis=1)[row]
        delta = sparse.csr_array((share, (row, indices[row, column])), shape=(m, n))
        elsewhere = sparse.diags_array((~at).astype(float)) @ weights
        if self.c is None:
            return sparse.csr_array(elsewhere + delta)
        factor = self.factor
        own = self.c * delta - (delta @ factor) @ factor.T
        return sparse.csr_array((self.c - 1) * elsewhere + own)


def _distinct(X: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first of every set of equal points, in order, and which of these each point is equal to."""
    _, first, inverse = np.unique(as_scalars(X), return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[inverse.ravel()]


def _weights(points: Array, indices: NDArray[np.intp], bridges: NDArray[np.intp], regularizer: float) -> Any:
    """Return W; a bridge makes each of its ends a neighbour of the other."""
    weights = reconstruction_weights(points, points, indices, regularizer)
    if not len(bridges):
        return weights
    more: dict[int, list[int]] = {}
    for i, j in bridges.tolist():
        more.setdefault(i, []).append(j)
        more.setdefault(j, []).append(i)
    stays = np.ones(points.shape[0])
    stays[list(more)] = 0
    result = sparse.diags_array(stays) @ weights
    for i, others in more.items():
        wider = np.concatenate([indices[i], np.array(others, dtype=np.intp)])[None]
        row = reconstruction_weights(points, points[i : i + 1], wider, regularizer).tocoo()
        result = result + sparse.csr_array((row.data, (row.coords[0] + i, row.coords[1])), shape=weights.shape)
    return sparse.csr_array(result)
