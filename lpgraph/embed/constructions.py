"""Rows of new vertices, scaled as those of the known vertices are, and eigenvectors that components determine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_choice, check_real
from lpgraph._utils.types import Array
from lpgraph.errors import ArgumentError
from lpgraph.graph.preprocess import check_nonnegative, inverse_power
from lpgraph.linalg.sparse_structure import weak_components
from lpgraph.spectral.construction import NewRows
from lpgraph.spectral.eigen import KnownPairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from lpgraph.graph.adjacency import Network
    from lpgraph.spectral.construction import Items


class VertexRows(NewRows):
    """Rows of new vertices of a network: their edges to the known ones, all placed in one batch."""

    def batch(self, n: int) -> int:
        """Return how many new vertices are placed at a time: all of them, since rows are sparse."""
        return 1 << 62


@dataclass(frozen=True, eq=False)
class AdjacencyRows(VertexRows):
    """The edges themselves, from which positions follow directly."""

    plain = True


@dataclass(frozen=True, eq=False)
class DegreeRows(VertexRows):
    """Rows of ``diag(left) A diag(right)``: entries divided by the roots of both degrees.

    Attributes
    ----------
    left, right : ndarray of shape (n,)
        Factors of rows and columns, equal for an undirected network.
    regularizer : float
        Added to each degree before the power is computed.
    power : float
        The row of a new vertex of degree d is divided by ``d^power``: 1/2, or 1 for a random walk.
    """

    left: Array
    right: Array
    regularizer: float = 0.0
    power: float = 0.5

    def __call__(self, new: Items, side: str = "out") -> sparse.csr_array:
        """Return the (m, n) rows, scaled."""
        rows = sparse.csr_array(new)
        check_nonnegative(float(rows.data.min(initial=0.0)), "a new vertex")
        factors = inverse_power(degrees_of(rows) + self.regularizer, self.power)
        known = self.right if side == "out" else self.left
        # Only degrees of neighbors are read, so that the cost of a vertex is its number of edges.
        return with_values(rows, (rows.data * known.take(rows.indices)) * np.repeat(factors, np.diff(rows.indptr)))


def degrees_of(rows: Items) -> Array:
    """Return the sums of the rows of new vertices."""
    return np.asarray(rows.sum(axis=1), dtype=np.float64).ravel()


def with_values(rows: sparse.csr_array, values: Array) -> sparse.csr_array:
    """Return a sparse matrix with other values of its entries."""
    return sparse.csr_array((values, rows.indices, rows.indptr), shape=rows.shape)


def tau_of(regularizer: float | str, items: Network) -> float:
    """Return the number that is added to every degree: "mean" is the mean degree."""
    if isinstance(regularizer, str):
        check_choice("regularizer", regularizer, ("mean",))
        return float(items.degrees.mean())
    return check_real("regularizer", regularizer, low=0.0)


def check_direction(direction: str, directed: bool) -> None:
    """Refuse an unknown direction, or "in" for an undirected graph."""
    check_choice("direction", direction, ("out", "in"))
    if direction == "in" and not directed:
        raise ArgumentError('direction="in" but the graph is undirected; pass direction="out".')


def component_pairs(items: Network, *, trivial: bool = False) -> Callable[[int], KnownPairs] | None:
    """Return what gives the eigenvectors of ``D^(-1/2) A D^(-1/2)`` for 1, if there are several components.

    A component with edges has the eigenvector ``sqrt(degree)``. The components are in the order of decreasing
    volume.

    Parameters
    ----------
    items : Network
        An undirected network without negative weights.
    trivial : bool
        Whether ``sqrt(degree)`` of all vertices is left out.
    """
    matrix = items.product
    if items.directed or not sparse.issparse(matrix):
        return None
    _, labels = weak_components(matrix, directed=False)
    volumes = np.bincount(labels, weights=items.degrees)
    count = int((volumes > 0).sum())
    if count < 2:
        return None
    order = np.argsort(-volumes, kind="stable")
    place, volumes = np.argsort(order)[labels], volumes[order[:count]]
    left_out = np.sqrt(volumes / volumes.sum()) if trivial else None

    def known(k: int) -> KnownPairs:
        inside = np.flatnonzero(items.degrees > 0)
        component = place[inside]
        entry = np.sqrt(items.degrees[inside] / volumes[component])
        vectors = sparse.csc_array((entry, (inside, component)), shape=(items.n_vertices, count))
        return KnownPairs(np.ones(count), vectors, left_out)

    return known
