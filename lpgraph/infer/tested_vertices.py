"""Known or new vertices whose positions are tested, and their edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._articles import a_type
from lpgraph._checks import check_choice, check_fitted
from lpgraph.embed.covariances import check_all_pairs, check_covariances
from lpgraph.embed.vertex_covariances import EmbeddingWithCovariances
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.names import as_labels, code_names, names_at
from lpgraph.graph.new_edges import NewEdges

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.names import Names

    Array = NDArray[np.float64]

__all__ = ["TestedVertices", "check_both", "checked_embedding", "checked_sides"]


@dataclass(frozen=True, eq=False)
class TestedVertices:
    """Vertices of a network, or new ones.

    Attributes
    ----------
    names : ndarray of shape (m,), or range
        Their names.
    source : ndarray of shape (m,) or NewEdges
        The rows of known vertices, or the edges of new ones.
    """

    __test__ = False  # not a class of tests

    names: Names
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
            found = cls(names_at(embedding.vertex_names_, rows), rows)
        else:
            new = embedding.read_new(value, direction=sides[0])
            check_all_pairs(new)
            if len(sides) == 2:
                check_both(new, argument)
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


def checked_embedding(embedding: object) -> EmbeddingWithCovariances:
    """Return a fitted embedding whose edge probabilities are known; refuse others."""
    if not isinstance(embedding, EmbeddingWithCovariances):
        inside = isinstance(getattr(embedding, "fitted_embedding_", None), EmbeddingWithCovariances)
        raise ArgumentTypeError(
            f"embedding is {a_type(embedding)}; pass "
            f"{'its fitted_embedding_, or ' if inside else ''}a fitted AdjacencySpectralEmbedding or "
            "LaplacianSpectralEmbedding."
        )
    check_fitted(embedding, "embedding_")
    check_covariances(embedding)
    return embedding


def checked_sides(direction: str | None, *, directed: bool) -> tuple[str, ...]:
    """Return the directions that are compared; None is both for a directed graph."""
    if direction is None:
        direction = "both" if directed else "out"
    check_choice("direction", direction, ("out", "in", "both"))
    if direction != "out" and not directed:
        raise ArgumentError(f"direction={direction!r} but the graph is undirected; leave direction out.")
    return ("out", "in") if direction == "both" else (direction,)


def check_both(new: NewEdges, argument: str) -> None:
    """Refuse new vertices of a directed graph without the arcs to them."""
    if new.rows_in is None:
        raise ArgumentError(
            f"{argument} has only the arcs from the new vertices, and both directions are compared; pass "
            "embedding.read_new(edges) with the arcs of both directions, or direction='out'."
        )


def _is_name(value: object, embedding: EmbeddingWithCovariances) -> bool:
    """Whether a value is one name: that of a known vertex, or one that cannot be anything else."""
    if isinstance(value, str | bytes | int | float | np.generic):
        return True
    try:
        return value in embedding.vertex_index_
    except TypeError:
        return False
