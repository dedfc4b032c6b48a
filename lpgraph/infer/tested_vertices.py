"""Known or new vertices whose positions are tested: their edges, and their positions as new vertices."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.embed.edge_probabilities import EdgeProbabilities
from lpgraph.embed.feedback import Feedback
from lpgraph.errors import ArgumentError
from lpgraph.graph.names import as_labels, code_names
from lpgraph.graph.new_edges import NewEdges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.embed.vertex_covariances import EmbeddingWithCovariances

    Array = NDArray[np.float64]

__all__ = ["TestedVertices"]


@dataclass(frozen=True, eq=False)
class TestedVertices:
    """Vertices of a network, or new ones.

    Attributes
    ----------
    names : sequence of hashable
        Their names.
    source : ndarray of shape (m,) or NewEdges
        The rows of known vertices, or the edges of new ones.
    """

    __test__ = False  # not a class of tests

    names: Sequence[Hashable]
    source: NDArray[np.intp] | NewEdges

    @classmethod
    def of(
        cls, argument: str, value: object, embedding: EmbeddingWithCovariances, sides: Sequence[str]
    ) -> TestedVertices:
        """Read the names of known vertices, or new vertices in any form that ``embedding.transform`` takes."""
        if _is_name(value, embedding):
            value = [value]
        if isinstance(value, Sequence) or getattr(value, "ndim", 0) == 1:
            rows = code_names(as_labels(value, argument), embedding.vertex_index_)
            found = cls([embedding.vertex_names_[row] for row in rows.tolist()], rows)
        else:
            new = embedding.read_new(value, direction=sides[0])
            if len(sides) == 2 and new.rows_in is None:
                raise ArgumentError(
                    f"{argument} has only the arcs from the new vertices, and both directions are compared; pass "
                    "embedding.read_new(edges) with the arcs of both directions, or direction='out'."
                )
            found = cls(new.names, new)
        if not len(found.names):
            raise ArgumentError(f"{argument} has no vertex; pass at least one.")
        return found

    def comparable(self, other: TestedVertices) -> bool:
        """Whether equal names mean the same vertex; rows of an array have no names."""
        ends = self.source, other.source
        if not any(isinstance(end, NewEdges) for end in ends):
            return True
        named = all(isinstance(end, NewEdges) and not end.only_rows for end in ends)
        return ends[0] is ends[1] or named

    @property
    def rows(self) -> NDArray[np.intp] | None:
        """The rows of known vertices; None for new ones."""
        return None if isinstance(self.source, NewEdges) else self.source

    def edges(self, embedding: EmbeddingWithCovariances, side: str) -> sparse.csr_array:
        """Return the (m, n) rows of edges of one direction."""
        if isinstance(self.source, NewEdges):
            return self.source.towards(side)
        matrix = embedding.graph_.matrix
        rows: sparse.csr_array = sparse.csr_array(matrix.T)[self.source] if side == "in" else matrix[self.source]
        return rows

    def positions(self, embedding: EmbeddingWithCovariances, side: str) -> tuple[Array, Array]:
        """Return positions as new vertices, and what their own edges of weight 1 add to the rows of the extension.

        Returns
        -------
        positions, feedback : ndarray of shape (m, d)
            The positions, for a Laplacian embedding times the root of d + tau. In the network without the vertex,
            the extension would have the row ``b_j - xi_j feedback`` in place of b_j.
        """
        edges = self.edges(embedding, side)
        scale = EdgeProbabilities.of_embedding(embedding, side).estimates
        if self.rows is None:
            found = scale(edges, embedding._placement(edges, side)).positions
            return found, np.zeros_like(found)
        known = (embedding.embedding_in_ if side == "in" else embedding.embedding_)[self.rows]
        found = scale(edges, Feedback.of(embedding, side).as_new()[self.rows]).positions
        squares = np.asarray((edges * edges).sum(axis=1))[:, None]
        return found, (scale(edges, known).positions - found) / np.where(squares > 0, squares, 1.0)


def _is_name(value: object, embedding: EmbeddingWithCovariances) -> bool:
    """Whether a value is one name: that of a known vertex, or one that cannot be anything else."""
    if isinstance(value, str | bytes | int | float | np.generic):
        return True
    try:
        return value in embedding.vertex_index_
    except TypeError:
        return False
