r"""Edges of vertices that their positions do not explain, with their standard errors.

Let xi be the row of edges of a vertex, y its least-squares position and :math:`\hat p_j = \langle y, w_j\rangle`
the fitted probabilities. For edges of weight 1 the squared residual exceeds its mean under the fit by the number
of edges that are not explained,

.. math:: |\xi - \hat p|^2 - \sum_j \hat p_j (1 - \hat p_j) = \sum_j \xi_j - \sum_j \hat p_j,

since least-squares residuals are orthogonal to the fitted row. The right side is linear in xi, with the weights
:math:`e_j = 1 - \langle b_j, \sum_k w_k\rangle` for the rows b_j of the extension. So its variance
:math:`\sum_j p_j (1 - p_j) e_j^2` is a moment, as for covariances of positions.

The noise of the known positions pulls y towards the origin, so that the mean of the right side is not 0 but about
its standard deviation. The map of `Feedback.unbiased` corrects y, in e.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._threads import blas_alone
from lpgraph.embed.edge_probabilities import EdgeProbabilities
from lpgraph.embed.feedback import Feedback
from lpgraph.embed.moments import Moments
from lpgraph.linalg.dense_rows import rowwise_product

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.embed.edge_probabilities import NewVertexEstimates
    from lpgraph.embed.vertex_covariances import EmbeddingWithCovariances

    Array = NDArray[np.float64]

__all__ = ["RowResiduals"]

#: Edges added to those of each vertex, so that it has a variance.
_MORE = 0.5
#: Variances below this share of those by degrees are computed without moments, and have the second as least share.
_SUSPICIOUS, _LEAST = 0.25, 0.02


@dataclass(frozen=True, eq=False)
class RowResiduals:
    """Edges that positions do not explain, in one direction of a fitted network.

    Attributes
    ----------
    embedding : AdjacencySpectralEmbedding or LaplacianSpectralEmbedding
        The fitted embedding.
    side : {"out", "in"}
        Which rows of a directed graph.
    model : EdgeProbabilities
        The estimates of edge probabilities.
    feedback : Feedback
        The positions of known vertices as new ones.
    turn : ndarray of shape (d, d)
        The matrix that corrects positions of new vertices for the noise of the known ones.
    weights : ndarray of shape (n,)
        The weights e_j.
    """

    embedding: EmbeddingWithCovariances
    side: str
    model: EdgeProbabilities
    feedback: Feedback
    turn: Array
    weights: Array

    @classmethod
    @blas_alone()
    def of(cls, embedding: EmbeddingWithCovariances, side: str) -> RowResiduals:
        """Return what residuals of rows of one direction need."""
        model, feedback = EdgeProbabilities.of_embedding(embedding, side), Feedback.of(embedding, side)
        # The correction is linear, so that it is the image of the identity.
        turn = feedback.unbiased(np.eye(model.design.shape[1]))
        weights = 1 - model.basis @ (turn @ model.design.sum(axis=0))
        return cls(embedding, side, model, feedback, turn, weights)

    @blas_alone()
    def of_new(self, rows: sparse.csr_array) -> tuple[Array, Array]:
        """Return the sums of weights that are not explained, and their standard errors, of m new vertices.

        Each depends on the row of its own vertex only, to the last bit.

        Parameters
        ----------
        rows : csr_array of shape (m, n)
            Their edges to the known vertices.

        Returns
        -------
        sums, errors : ndarray of shape (m,)
        """
        new = self.model.estimates(rows, self.embedding._placement(rows, self.side))
        return np.asarray(rows @ self.weights), self._errors(rows, new)

    @blas_alone()
    def of_known(self, vertices: NDArray[np.intp]) -> tuple[Array, Array]:
        """Return the same for known vertices, each as a new vertex in the network of the others.

        Parameters
        ----------
        vertices : ndarray of shape (m,)
            Their rows.
        """
        matrix = self.embedding.graph_.matrix
        rows: sparse.csr_array = sparse.csr_array(matrix.T)[vertices] if self.side == "in" else matrix[vertices]
        new = self.model.estimates(rows, self.feedback.as_new()[vertices])
        own, step = self.model.design[vertices], self.model.basis[vertices] @ self.turn
        fitted = new.positions @ self.turn
        # There is no pair of a vertex with itself: it is taken out of the sum, and replaced by its fit in the row.
        fitted += (fitted * own).sum(axis=1)[:, None] * step
        loops = matrix.diagonal()[vertices]
        sums = np.asarray(rows.sum(axis=1)) - loops
        explained = (fitted * (self.model.design.sum(axis=0) - own)).sum(axis=1)
        return sums - explained, self._errors(rows, new)

    def _errors(self, rows: sparse.csr_array, new: NewVertexEstimates) -> Array:
        """Return the standard errors: by probabilities, or for other weights than 1 by squared residuals."""
        weighted = np.full(rows.shape[0], self.embedding.weighted_)
        sources = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        weighted[sources[rows.data != 1]] = True
        found = np.empty(rows.shape[0])
        for part, variances in (
            (np.flatnonzero(~weighted), self._probabilities),
            (np.flatnonzero(weighted), self._squares),
        ):
            if len(part):
                found[part] = variances(rows[part], new[part])
        return np.sqrt(np.maximum(found, np.finfo(float).tiny))

    def _probabilities(self, rows: sparse.csr_array, new: NewVertexEstimates) -> Array:
        """Return the sums of p (1 - p) e_j^2, and half an edge more, as for covariances of positions."""
        model, basis = self.model, self.weights[:, None]
        found = Moments.of(basis, model.shrunk_design).sums(model.shrunk(new))[:, 0]
        least = Moments.of(basis, model.shrunk_design[:, -1:]).sums(new.degrees[:, None])[:, 0]
        # Moments count p (1 - p) < 0 where a hub's estimated p exceeds 1; there the sum is taken term by term.
        for vertex in np.flatnonzero(found < _SUSPICIOUS * least):
            p = np.clip(model.by_positions(new[vertex : vertex + 1])[0], 0, 1)
            found[vertex] = max(float((p * (1 - p)) @ self.weights**2), _LEAST * float(least[vertex]))
        return np.asarray(found + least * _MORE / new.degrees)

    def _squares(self, rows: sparse.csr_array, new: NewVertexEstimates) -> Array:
        """Return the sums of squared residuals times e_j^2, and half an edge more."""
        sources = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
        fitted = np.einsum("ek,ek->e", new.positions[sources], self.model.design[rows.indices])
        squares = self.weights**2
        # (a - p)^2 - p^2 of the edges, and p^2 of all pairs.
        excess = (rows.data**2 - 2 * rows.data * fitted) * squares[rows.indices]
        found = np.bincount(sources, excess, minlength=rows.shape[0])
        gram = (self.model.design.T * squares) @ self.model.design
        found += (rowwise_product(new.positions, gram) * new.positions).sum(axis=1)
        known = self.embedding.graph_.matrix
        return np.maximum(found, 0.0) + _MORE * float((known.data**2 @ squares[known.indices]) / known.nnz)
