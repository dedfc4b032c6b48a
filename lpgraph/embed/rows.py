"""Rows of new vertices, scaled as the adjacency matrix of the known vertices is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._checks import check_choice
from lpgraph.errors import ArgumentError
from lpgraph.graph.degrees import check_nonnegative, inverse_power
from lpgraph.spectral.construction import Array, NewRows

if TYPE_CHECKING:
    from lpgraph.spectral.construction import Items

__all__ = [
    "AdjacencyRows",
    "CovariateRows",
    "DegreeRows",
    "ModularityRows",
    "VertexRows",
    "check_direction",
    "degrees_of",
]


class VertexRows(NewRows):
    """Rows of new vertices of a network: their edges to the known ones, all placed in one batch."""

    def batch(self, n: int) -> int:
        """Return how many new vertices are placed at a time: all of them, since rows are sparse."""
        return 1 << 62


@dataclass(frozen=True, eq=False)
class AdjacencyRows(VertexRows):
    """The edges themselves."""

    plain = True

    def __call__(self, new: Items, side: str = "out") -> Items:
        """Return the rows as they are."""
        return new


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

    stored = ("left", "right")

    def __call__(self, new: Items, side: str = "out") -> sparse.csr_array:
        """Return the (m, n) rows, scaled."""
        rows = sparse.csr_array(new)
        check_nonnegative(float(rows.data.min(initial=0.0)), "a new vertex")
        factors = inverse_power(degrees_of(rows) + self.regularizer, self.power)
        known = self.right if side == "out" else self.left
        # Only degrees of neighbors are read, so that the cost of a vertex is its number of edges.
        scaled = (rows.data * known.take(rows.indices)) * np.repeat(factors, np.diff(rows.indptr))
        return sparse.csr_array((scaled, rows.indices, rows.indptr), shape=rows.shape)


@dataclass(frozen=True, eq=False)
class ModularityRows(VertexRows):
    """Rows of ``A - k k.T / 2m``: edges minus those expected from the degrees.

    The expected part has rank one; its product with the basis is kept, and subtracted when a vertex is placed.

    Attributes
    ----------
    degrees : ndarray of shape (n,) or None
        Degrees k of the known vertices; None after a fit.
    total : float
        2m, the sum of the degrees.
    projection : ndarray of shape (d,) or None
        ``k @ basis``.
    """

    degrees: Array | None
    total: float
    projection: Array | None = None

    def __call__(self, new: Items, side: str = "out") -> Items:
        """Return the edges."""
        return new

    def fitted(self, basis: Array) -> ModularityRows:
        """Return the rows that are kept: the product of the expected part with the basis."""
        return ModularityRows(None, self.total, None if self.degrees is None else self.degrees @ basis)

    def finish(self, coordinates: Array, new: Items) -> Array:
        """Subtract the expected part."""
        if self.projection is None:
            return coordinates
        return coordinates - np.multiply.outer(degrees_of(new) / self.total, self.projection)


@dataclass(frozen=True, eq=False)
class CovariateRows(VertexRows):
    """Rows of an embedding with covariates: edges scaled by both degrees, the covariates, and 1.

    The basis that they are multiplied by has a row for each known vertex, for each covariate, and one for the
    means of the covariates.

    Attributes
    ----------
    edges : DegreeRows
        Scales the edges.
    n_covariates : int
        Number R of covariates, the last columns of new vertices.
    """

    edges: DegreeRows
    n_covariates: int

    def __call__(self, new: Items, side: str = "out") -> sparse.csr_array:
        """Return the (m, n + R + 1) rows of (m, n + R) edges and covariates."""
        n, given = len(self.edges.left), sparse.csr_array(new)
        if given.shape[1] != n + self.n_covariates:
            raise ArgumentError(
                f"The new vertices have no covariates, and the known ones have {self.n_covariates}; pass "
                "covariates=VALUES to read_new, and its result in place of new."
            )
        ones = sparse.csr_array(np.ones((given.shape[0], 1)))
        return sparse.csr_array(sparse.hstack([self.edges(given[:, :n]), given[:, n:], ones]))


def degrees_of(rows: Items) -> Array:
    """Return the sums of the rows of new vertices."""
    return np.asarray(rows.sum(axis=1), dtype=np.float64).ravel()


def check_direction(direction: str, directed: bool) -> None:
    """Refuse an unknown direction, or "in" for an undirected graph."""
    check_choice("direction", direction, ("out", "in"))
    if direction == "in" and not directed:
        raise ArgumentError('direction="in" but the graph is undirected; pass direction="out".')
