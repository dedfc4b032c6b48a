"""Probabilities of the edges of new vertices, estimated from positions and from degrees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.linalg.dense_rows import columnwise_product, rowwise_product

if TYPE_CHECKING:
    from scipy import sparse

    from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
    from lpgraph.spectral.construction import Array

__all__ = ["EdgeProbabilities", "NewVertexEstimates", "bounded_degrees", "shrinkage_weights"]

#: Least degree: with 0, the estimated variance of all edges of a vertex would be 0.
_LEAST_DEGREE = 0.5


@dataclass(frozen=True, eq=False)
class NewVertexEstimates:
    """Positions (m, d) and degrees (m,) of m new vertices, from which edge probabilities are estimated."""

    positions: Array
    degrees: Array

    def __getitem__(self, part: slice) -> NewVertexEstimates:
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
    """

    design: Array
    basis: Array
    mirror: Array
    degrees: Array
    sources: Array
    total: float

    @classmethod
    def of_embedding(cls, embedding: AdjacencySpectralEmbedding, direction: str) -> EdgeProbabilities:
        """Return the estimates for rows of one direction; degrees are bounded so that ``0 < q < 1``."""
        out, into = embedding.graph_.degrees, embedding.graph_.in_degrees
        bases = {side: extension.whole for side, extension in embedding._placement.extensions.items()}
        if not embedding.directed_:
            signature, basis = embedding.signature_, bases["out"]
            parts = embedding.embedding_ * signature, basis, basis * signature
        elif direction == "out":
            parts = embedding.embedding_in_, bases["out"], bases["in"]
        else:
            parts, out, into = (embedding.embedding_, bases["in"], bases["out"]), into, out
        n, total = len(out), float(out.sum())
        return cls(
            *parts, degrees=bounded_degrees(into, total, n), sources=bounded_degrees(out, total, n), total=total
        )

    def estimates(self, rows: sparse.csr_array, positions: Array) -> NewVertexEstimates:
        """Return positions and bounded degrees of the vertices with the given rows."""
        degrees = np.asarray(rows.sum(axis=1), dtype=np.float64).ravel()
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
        share = self.degrees / self.total
        square = float(share @ share)
        leverage = (self.design * self.basis).sum(axis=1)
        own = new.degrees * (leverage @ share) - new.degrees**2 * (leverage @ share**2)
        # The sum over j of the covariance of w_j, with variances q (1 - q).
        noise = (self.mirror.T * (self.sources - self.sources**2 * square)) @ self.mirror
        known = (rowwise_product(new.positions, noise) * new.positions).sum(axis=1)
        along = rowwise_product(new.positions, (self.design.T @ share)[:, None])[:, 0]
        within = (rowwise_product(new.positions, self.design.T @ self.design) * new.positions).sum(axis=1)
        distance = within - 2 * new.degrees * along + new.degrees**2 * square
        fewer = np.minimum(new.degrees, n - new.degrees)
        return shrinkage_weights(own + known, distance, fewer, dimension)

    def shrunk(self, new: NewVertexEstimates) -> tuple[Array, Array]:
        """Return (m, d + 1) positions and an (n, d + 1) design whose products are ``(1 - a_i) p_i + a_i q_i``."""
        weights = self.weights(new)
        positions = np.column_stack([(1 - weights)[:, None] * new.positions, weights * new.degrees])
        return positions, np.column_stack([self.design, self.degrees / self.total])


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
