"""Probabilities of the edges of new vertices, estimated from positions and from degrees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.embed.rows import degrees_of
from lpgraph.graph.degrees import inverse_power
from lpgraph.linalg.dense_rows import columnwise_product, rowwise_product

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.spectral.construction import Array
    from lpgraph.spectral.extension import Extension

__all__ = ["EdgeProbabilities", "NewVertexEstimates", "bounded_degrees", "shrinkage_weights"]

#: Least degree: with 0, the estimated variance of all edges of a vertex would be 0.
_LEAST_DEGREE = 0.5


@dataclass(frozen=True, eq=False)
class NewVertexEstimates:
    """Estimates of m vertices, from which edge probabilities and variances follow.

    Attributes
    ----------
    positions : ndarray of shape (m, d)
        Positions y_i, those of the Laplacian embedding times ``sqrt(d_i + tau)``.
    degrees : ndarray of shape (m,)
        Degrees d_i, bounded.
    """

    positions: Array
    degrees: Array

    def __getitem__(self, part: slice | NDArray[np.intp]) -> NewVertexEstimates:
        return NewVertexEstimates(self.positions[part], self.degrees[part])


@dataclass(frozen=True, eq=False)
class EdgeProbabilities:
    """Two estimates of ``p_ij = E[xi_ij]`` for the row xi_i of a new vertex, and the weight of the second.

    The first estimate, ``y_i @ w_j`` for the position y_i, has little bias. It is noisy in sparse networks, where
    it can be negative. The second, ``q_ij = d_i t_j / T`` for the degrees d_i and t_j and the number T of
    (directed) edges, has little noise. It is biased, and lies in (0, 1).

    Attributes
    ----------
    design : ndarray of shape (n, d)
        Rows w_j.
    basis : ndarray of shape (n, d)
        ``y_i = xi_i @ basis``.
    mirror : ndarray of shape (n, d)
        w_j is the column j of the adjacency matrix times `mirror`.
    degrees : ndarray of shape (n,)
        t_j: of a directed network, degrees in the other direction.
    sources : ndarray of shape (n,)
        Degrees of the known vertices in the same direction as d_i.
    total : float
        T, the sum of the degrees.
    extension : Extension
        The extension of the embedding, with which sums over the known vertices are kept.
    regularizer : float or None
        tau of a Laplacian embedding, whose positions are ``y_i / sqrt(d_i + tau)``; None of an adjacency
        embedding.
    """

    design: Array
    basis: Array
    mirror: Array
    degrees: Array
    sources: Array
    total: float
    extension: Extension
    regularizer: float | None = None

    @classmethod
    def of_embedding(cls, embedding: NetworkEmbedding, direction: str) -> EdgeProbabilities:
        """Return the estimates for rows of one direction; degrees are bounded so that ``0 < q < 1``.

        Parameters
        ----------
        embedding : AdjacencySpectralEmbedding or LaplacianSpectralEmbedding
            A fitted embedding.
        direction : {"out", "in"}
            Which rows of a directed graph.
        """
        out, into = embedding.graph_.degrees, embedding.graph_.in_degrees
        extensions = embedding._placement.extensions
        basis = extensions[direction].basis
        if not embedding.directed_:
            design, mirror = embedding.embedding_, basis
        elif direction == "out":
            design, mirror = embedding.embedding_in_, extensions["in"].basis
        else:
            design, mirror, out, into = embedding.embedding_, extensions["out"].basis, into, out
        n, total = len(out), float(out.sum())
        regularizer: float | None = getattr(embedding, "regularizer_", None)
        if regularizer is not None:
            # L is A divided by the roots of both degrees, and products with A follow from those with L.
            there, back = inverse_power(into + regularizer)[:, None], inverse_power(out + regularizer)[:, None]
            design, basis = design * np.sqrt(into + regularizer)[:, None], basis * there
            mirror = mirror * back if embedding.directed_ else basis
        if not embedding.directed_ and (embedding.signature_ < 0).any():
            design, mirror = design * embedding.signature_, mirror * embedding.signature_
        return cls(
            design,
            basis,
            mirror,
            degrees=bounded_degrees(into, total, n),
            sources=bounded_degrees(out, total, n),
            total=total,
            extension=extensions[direction],
            regularizer=regularizer,
        )

    @cached_property
    def variance_basis(self) -> Array:
        """The rows b_j, followed for a Laplacian embedding by 1: a column for the degree."""
        if self.regularizer is None:
            return self.basis
        return np.column_stack([self.basis, np.ones(len(self.basis))])

    def estimates(self, rows: sparse.csr_array, positions: Array) -> NewVertexEstimates:
        """Return the estimates for the vertices with the given rows, and positions in the embedding."""
        degrees = degrees_of(rows)
        if self.regularizer is not None:
            positions = positions * np.sqrt(degrees + self.regularizer)[:, None]
        return NewVertexEstimates(positions, bounded_degrees(degrees, self.total, len(self.design)))

    def by_degrees(self, new: NewVertexEstimates) -> Array:
        """Return q, of shape (m, n)."""
        return np.asarray(np.multiply.outer(new.degrees, self.degrees / self.total))

    def by_positions(self, new: NewVertexEstimates) -> Array:
        """Return the first estimate, of shape (m, n)."""
        return columnwise_product(new.positions, np.ascontiguousarray(self.design.T))

    def weights(self, new: NewVertexEstimates) -> Array:
        """Return the weight a_i in [0, 1] of q_i in ``(1 - a_i) p_i + a_i q_i``, for each new vertex.

        All sums over the known vertices are moments, so that no (m, n) array is needed.
        """
        n, dimension = self.design.shape
        own = new.degrees * self._shared.own[0] - new.degrees**2 * self._shared.own[1]
        known = (rowwise_product(new.positions, self._shared.noise) * new.positions).sum(axis=1)
        along = rowwise_product(new.positions, self._shared.along[:, None])[:, 0]
        within = (rowwise_product(new.positions, self._shared.gram) * new.positions).sum(axis=1)
        distance = within - 2 * new.degrees * along + new.degrees**2 * self._shared.square
        fewer = np.minimum(new.degrees, n - new.degrees)
        return shrinkage_weights(own + known, distance, fewer, dimension)

    @cached_property
    def _shared(self) -> _Shared:
        """Sums over the known vertices that the weights of all new vertices need."""
        share = self.degrees / self.total
        square = float(share @ share)
        leverage = (self.design * self.basis).sum(axis=1)
        return _Shared(
            own=(float(leverage @ share), float(leverage @ share**2)),
            noise=(self.mirror.T * (self.sources - self.sources**2 * square)) @ self.mirror,
            along=self.design.T @ share,
            gram=self.design.T @ self.design,
            square=square,
        )

    @cached_property
    def shrunk_design(self) -> Array:
        """The (n, d + 1) design of both estimates; see `shrunk`."""
        return np.column_stack([self.design, self.degrees / self.total])

    def shrunk(self, new: NewVertexEstimates) -> Array:
        """Return (m, d + 1) positions whose products with `shrunk_design` are ``(1 - a_i) p_i + a_i q_i``."""
        weights = self.weights(new)
        return np.column_stack([(1 - weights)[:, None] * new.positions, weights * new.degrees])


@dataclass(frozen=True, eq=False)
class _Shared:
    """Sums over the known vertices.

    Attributes
    ----------
    own : tuple of float
        Coefficients of d_i and of -d_i^2 in the noise of ``y_i @ w_j`` due to y_i.
    noise : ndarray of shape (d, d)
        The sum over j of the covariance of w_j, with variances q (1 - q).
    along : ndarray of shape (d,)
        The sum of w_j times t_j / T.
    gram : ndarray of shape (d, d)
        The sum of ``w_j w_j.T``.
    square : float
        The sum of (t_j / T)^2.
    """

    own: tuple[float, float]
    noise: Array
    along: Array
    gram: Array
    square: float


def shrinkage_weights(variances: Array, distances: Array, n_edges: Array, dimension: int) -> Array:
    """Return the weights in [0, 1] of shrinkage targets with the given squared distances from noisy estimates.

    The expected squared distance consists of the variance of the estimate and the squared bias of the target. The
    weight is the share of the variance (Ledoit & Wolf 2004), and at least the weight that adds one of `n_edges`
    for each dimension: a direction in which no edge was observed would otherwise have no variance.
    """
    # A distance below the variance, 0 or negative by rounding, says that the target fits.
    shares = np.divide(variances, distances, out=np.ones_like(variances), where=distances > variances)
    return np.minimum(np.maximum(shares, dimension / np.maximum(n_edges, _LEAST_DEGREE)), 1.0)


def bounded_degrees(degrees: Array, total: float, n: int) -> Array:
    """Return degrees of at least 1/2, and at most such that ``d_i t_j / T <= 1 - 1/n`` for all pairs.

    In a complete graph of n vertices the upper bound is the degree of all vertices, n - 1.
    """
    # The sum of negative weights is negative; degrees are used for edges of weight 1 only.
    most = np.sqrt(max(total, 0.0) * (1 - 1 / n))
    return np.asarray(np.clip(degrees, _LEAST_DEGREE, most))
