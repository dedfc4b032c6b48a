r"""Effect of a vertex's own edges on the positions of its neighbors, and by them on its own position.

The row i of an embedding is the least-squares position of its edges, :math:`\sum_j A_{ij} b_j`. The rows b_j
depend on the same edges: an edge adds a multiple of x_i to the position of j. By the self-consistent equations for
the resolvent of a random matrix, the position is therefore about

.. math:: x_i = z_i (1 - f_i)^{-1}, \quad f_i = g_i s \Lambda^{-2} - h_i

for the position z_i of a new vertex with the same edges in the network without i, the sum g_i of squared residuals
of row i of the decomposed matrix, and its eigenvalues Lambda. s is the solution of
:math:`s = 1 / (1 - \bar g s \Lambda^{-2})` for the mean of g. In a Laplacian embedding the degree of j contains
the edge as well, which takes off :math:`h_i = \sum_j A_{ij}^2 / t_j / d_i`. In networks with few edges for each
dimension, f is as large as the share of noise in the positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._threads import blas_alone
from lpgraph.graph.construct import edges_in_memory
from lpgraph.graph.degrees import inverse_power
from lpgraph.linalg.packed import packed, pairs, unpacked

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.spectral.construction import Array

__all__ = ["MOST_FEEDBACK", "Feedback", "Residuals"]

#: Most feedback: above, a hub is an eigenvector of its own, and its position says nothing of others.
MOST_FEEDBACK = 0.8


@dataclass(frozen=True, eq=False)
class Residuals:
    """Sums of squared residuals of the rows of the decomposed matrix, in one direction of a directed graph.

    Attributes
    ----------
    positions : ndarray of shape (n, d)
        Positions of all vertices in the embedding, in the coordinates of eigenvectors.
    kept : ndarray of shape (n,)
        The sums g_i.
    share : ndarray of shape (n,)
        g_i relative to the sum of squares of the row.
    lost : ndarray of shape (n,) or None
        h_i of a Laplacian embedding.
    factors : ndarray of shape (d,)
        s.
    """

    positions: Array
    kept: Array
    share: Array
    lost: Array | None
    factors: Array

    @classmethod
    @blas_alone()
    def of(cls, embedding: NetworkEmbedding, direction: str) -> Residuals:
        """Return the sums of a fitted embedding."""
        positions = embedding.embedding_in_ if direction == "in" else embedding.embedding_
        if embedding.alignment_ is not None:
            positions = positions @ embedding.alignment_.rotation.T
        values = embedding.singular_values_
        squares, lost = _squared_rows(embedding, direction)
        lengths = positions**2
        # Residuals are orthogonal to the fitted rows, so that squares are subtracted.
        kept = np.maximum(squares - lengths @ values, 0.0)
        share = np.divide(kept, squares, out=np.zeros_like(kept), where=squares > 0)
        mean = (kept @ lengths) / np.maximum(lengths.sum(axis=0), np.finfo(float).tiny) / values**2
        # The solution s of s = 1 / (1 - mean s), at the edge of the spectrum of the noise 2.
        factors = 2 / (1 + np.sqrt(np.maximum(1 - 4 * mean, 0.0)))
        return cls(positions, kept, share, lost, factors)


@dataclass(frozen=True, eq=False)
class Feedback:
    """Factors between positions of vertices in an embedding and as new vertices.

    Attributes
    ----------
    positions : ndarray of shape (n, d)
        Positions of all vertices in the embedding, in the coordinates of eigenvectors.
    gains : ndarray of shape (n, d)
        ``1 / (1 - f)``, by which a position as a new vertex is multiplied.
    turn : ndarray of shape (d, d) or None
        The rotation by which the embedding was aligned to an earlier one, if it was.
    """

    positions: Array
    gains: Array
    turn: Array | None

    @classmethod
    @blas_alone()
    def of(cls, embedding: NetworkEmbedding, direction: str) -> Feedback:
        """Return the factors of all vertices of a fitted embedding, in one direction of a directed graph."""
        found = Residuals.of(embedding, direction)
        turn = None if embedding.alignment_ is None else embedding.alignment_.rotation
        feedback = np.multiply.outer(found.kept, found.factors / embedding.singular_values_**2)
        if found.lost is not None:
            feedback -= (found.share * found.lost)[:, None]
        np.minimum(feedback, MOST_FEEDBACK, out=feedback)
        np.subtract(1, feedback, out=feedback)
        return cls(found.positions, np.divide(1, feedback, out=feedback), turn)

    @blas_alone()
    def as_new(self) -> Array:
        """Return the positions that the vertices would have as new vertices, of shape (n, d)."""
        return self._aligned(self.positions / self.gains)

    def apply(self, covariances: Array, rows: slice | NDArray[np.intp]) -> Array:
        """Return covariances of positions in the embedding, from those of positions as new vertices.

        Parameters
        ----------
        covariances : ndarray of shape (d (d + 1) / 2, m)
            Packed covariances of the vertices `rows`, as columns; they may be changed in place.
        rows : slice or ndarray of shape (m,)
            The vertices.
        """
        gains = self.gains[rows]
        if self.turn is None:
            covariances *= pairs(np.ascontiguousarray(gains.T))
            return covariances
        factors = (self.turn.T * gains[:, None, :]) @ self.turn
        return packed(factors @ unpacked(covariances.T) @ np.swapaxes(factors, 1, 2)).T

    @blas_alone()
    def unbiased(self, positions: Array) -> Array:
        """Return positions of new vertices, corrected for the noise of the known positions.

        Noise in the known positions pulls those of new vertices towards the origin, as errors of regressors do.
        The correction is the linear map that fits the known vertices' positions best to those that they would
        have as new vertices.
        """
        return positions @ np.linalg.lstsq(self.as_new(), self._aligned(self.positions), rcond=None)[0]

    def _aligned(self, positions: Array) -> Array:
        return positions if self.turn is None else positions @ self.turn


def _squared_rows(embedding: NetworkEmbedding, direction: str) -> tuple[Array, Array | None]:
    """Return the sums of squares of the rows of the decomposed matrix, and the h_i of a Laplacian embedding."""
    graph = edges_in_memory(embedding.graph_)
    matrix = sparse.csr_array(graph.matrix.T) if direction == "in" else graph.matrix
    degrees, others = graph.degrees, graph.in_degrees
    if direction == "in":
        degrees, others = others, degrees
    squares = matrix
    if embedding.weighted_:
        squares = sparse.csr_array((matrix.data**2, matrix.indices, matrix.indptr), shape=matrix.shape)
    tau: float | None = getattr(embedding, "regularizer_", None)
    if tau is None:
        return np.asarray(squares.sum(axis=1), dtype=np.float64), None
    sums = np.asarray(squares @ inverse_power(others + tau, 1.0))
    return sums * inverse_power(degrees + tau, 1.0), sums * inverse_power(degrees, 1.0)
