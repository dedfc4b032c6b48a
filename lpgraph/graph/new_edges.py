"""`NewEdges`: names and edges of new vertices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray
    from scipy import sparse

__all__ = ["NewEdges"]


@dataclass(frozen=True, eq=False)
class NewEdges:
    """m new vertices and their edges.

    Attributes
    ----------
    rows : csr_array of shape (m, n)
        Weights of edges from new vertices to the n known ones; of a directed graph, arcs from new to known.
    names : sequence of m hashables
        Names of the new vertices.
    rows_in : csr_array of shape (m, n) or None
        Of a directed graph, weights of arcs from known to new, row i for new vertex i; None if not known.
    among : csr_array of shape (m, m) or None
        Weights of edges among the new vertices; None if there are none, or they are not known.
    only_rows : bool
        Whether nothing is known of edges among the new vertices, as when they come as plain rows.
    n_known : int
        Of a graph or edge list, the number of its vertices that are known; otherwise 0.
    n_ignored : int
        Of a graph, the number of its edges between known vertices, which do not count; otherwise 0.
    """

    rows: sparse.csr_array
    names: Sequence[Hashable]
    rows_in: sparse.csr_array | None = None
    among: sparse.csr_array | None = None
    only_rows: bool = False
    n_known: int = 0
    n_ignored: int = 0

    @property
    def has_known_neighbor(self) -> NDArray[np.bool_]:
        """Whether each new vertex has an edge to a known vertex, in either direction."""
        counts = np.diff(self.rows.indptr)
        if self.rows_in is not None:
            counts = counts + np.diff(self.rows_in.indptr)
        return np.asarray(counts > 0)

    def towards(self, direction: str) -> sparse.csr_array:
        """Return the rows of a direction: "out" for edges from the new vertices, "in" for arcs to them."""
        return self.rows_in if direction == "in" and self.rows_in is not None else self.rows
