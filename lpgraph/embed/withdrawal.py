r"""Effect of removing a vertex from a network on the rows of the extension.

For a vertex i with the row :math:`A_i` of edges, whose fitted part is :math:`P_i`, the rows :math:`b_j` of an
adjacency embedding become to first order

.. math:: b'_j = b_j - (A_{ij} - P_{ij}) r_j \Lambda^{-2} x_i, \quad r_j = 1 / (1 - g_j s \Lambda^{-2}),

with the numbers of `lpgraph.embed.feedback`; r_j is the diagonal of the resolvent of the noise times Lambda. The
rows of a Laplacian embedding are divided by the root of ``t_j = d_j + tau``, and t_j contains the edge:

.. math:: b'_j = b_j + (A_{ij} - P_{ij}) r_j (b_j - \Lambda^{-2} x_i t_i^{-1/2}) / (t_j - A_{ij}).

This is the perturbation of the eigenproblem :math:`A w = \lambda T w`. The fitted part changes eigenvalues only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.embed.feedback import MOST_FEEDBACK, Residuals

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.embed.edge_probabilities import EdgeProbabilities
    from lpgraph.spectral.construction import Array

__all__ = ["Withdrawal"]


@dataclass(frozen=True, eq=False)
class Withdrawal:
    """Changes of rows of the extension on the removal of vertices, for edges in one direction.

    Attributes
    ----------
    model : EdgeProbabilities
        The rows b_j, and the fitted part of the rows of edges.
    positions : ndarray of shape (n, d)
        Positions of the vertices, those of a Laplacian embedding times the root of t_i.
    pull : ndarray of shape (n, d)
        ``Lambda^-2 x_i``, for a Laplacian embedding divided by the root of t_i, in coordinates of eigenvectors.
    factors : ndarray of shape (d,)
        ``s Lambda^-2``.
    residuals : ndarray of shape (n,)
        g_j, of the vertices as the other ends of edges.
    degrees : ndarray of shape (n,) or None
        t_j of a Laplacian embedding.
    turn : ndarray of shape (d, d) or None
        The rotation by which the embedding was aligned to an earlier one, if it was.
    """

    model: EdgeProbabilities
    positions: Array
    pull: Array
    factors: Array
    residuals: Array
    degrees: Array | None
    turn: Array | None

    @classmethod
    def of(cls, embedding: NetworkEmbedding, model: EdgeProbabilities, direction: str) -> Withdrawal:
        """Return the changes for a fitted embedding and the rows of one direction of a directed graph."""
        own = other = Residuals.of(embedding, direction)
        if embedding.directed_:
            other = Residuals.of(embedding, "out" if direction == "in" else "in")
        positions = embedding.embedding_in_ if direction == "in" else embedding.embedding_
        squares = embedding.singular_values_**2
        pull, degrees = own.positions / squares, None
        if model.regularizer is not None:
            sources, degrees = (
                part + model.regularizer for part in (embedding.graph_.degrees, embedding.graph_.in_degrees)
            )
            if direction == "in":
                sources, degrees = degrees, sources
            roots = np.sqrt(sources)[:, None]
            positions, pull = positions * roots, pull / np.where(roots > 0, roots, 1.0)
        turn = None if embedding.alignment_ is None else embedding.alignment_.rotation
        return cls(model, positions, pull, own.factors / squares, other.kept, degrees, turn)

    def changes(self, vertices: NDArray[np.intp], others: NDArray[np.intp], weights: Array) -> Array:
        """Return ``b'_j - b_j`` for pairs of removed vertices i and others j.

        Parameters
        ----------
        vertices, others : ndarray of shape (e,)
            The rows i and j.
        weights : ndarray of shape (e,)
            Weights of the edges between both; 0 without an edge.

        Returns
        -------
        ndarray of shape (e, d)
        """
        fitted = np.einsum("ea,ea->e", self.positions[vertices], self.model.design[others])
        residuals, found = weights - fitted, -self.pull[vertices]
        if self.degrees is not None:
            basis, degrees = self.model.basis[others], self.degrees[others]
            found += basis if self.turn is None else basis @ self.turn.T
            # The change of a vertex whose only edge is taken off is bounded.
            residuals /= np.maximum(np.maximum(degrees - np.abs(weights), degrees / 2), np.finfo(float).tiny)
        diagonal = np.minimum(np.multiply.outer(self.residuals[others], self.factors), MOST_FEEDBACK)
        found *= residuals[:, None] / (1 - diagonal)
        return found if self.turn is None else found @ self.turn
