"""`NewEdges`: names and edges of new vertices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._html import Shown, few

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.names import Names
    from lpgraph.graph.observed import ObservedPairs

__all__ = ["NewEdges"]


@dataclass(frozen=True, eq=False, repr=False)
class NewEdges(Shown):
    """m new vertices and their edges.

    Attributes
    ----------
    rows : csr_array of shape (m, n)
        Weights of edges from new vertices to the n known ones; of a directed graph, arcs from new to known.
    names : ndarray of shape (m,), or range
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
        Number of edges between two known vertices, which belong to the known graph and are left out.
    n_repeated : int
        Number of edges that were listed before, also in the other direction if the graph is undirected; their
        weights were added up.
    covariates : csr_array of shape (m, R) or None
        Covariates of the new vertices, for an embedding that has those of the known ones.
    pairs, pairs_in : ObservedPairs or None
        Which entries of `rows` and of `rows_in` are observed; None if all are.
    """

    rows: sparse.csr_array
    names: Names
    rows_in: sparse.csr_array | None = None
    among: sparse.csr_array | None = None
    only_rows: bool = False
    n_known: int = 0
    n_ignored: int = 0
    n_repeated: int = 0
    covariates: sparse.csr_array | None = None
    pairs: ObservedPairs | None = None
    pairs_in: ObservedPairs | None = None

    @property
    def all_observed(self) -> bool:
        """Whether all pairs of new and known vertices were observed."""
        return self.pairs is None and self.pairs_in is None

    @property
    def has_known_neighbor(self) -> NDArray[np.bool_]:
        """Whether each new vertex has an edge to a known vertex, in either direction."""
        counts = np.diff(self.rows.indptr)
        if self.rows_in is not None:
            counts = counts + np.diff(self.rows_in.indptr)
        return np.asarray(counts > 0)

    @property
    def n_loops(self) -> int:
        """Number of new vertices with an edge to themselves, which is no edge to a known vertex."""
        return 0 if self.among is None else int(np.count_nonzero(self.among.diagonal()))

    def __repr__(self) -> str:
        m, n = self.rows.shape
        into = "" if self.rows_in is None else f", {self.rows_in.nnz} from them"
        loops = f", {self.n_loops} loops" if self.n_loops else ""
        return f"NewEdges({m} vertices, {self.rows.nnz} edges to {n} known vertices{into}{loops})"

    def _facts(self) -> list[tuple[str, str]]:
        m, n = self.rows.shape
        facts = [
            ("new vertices", f"{m:,}"),
            ("known vertices", f"{n:,}"),
            ("edges to known vertices", f"{self.rows.nnz:,}"),
        ]
        if self.rows_in is not None:
            facts.append(("arcs from known vertices", f"{self.rows_in.nnz:,}"))
        if self.among is not None:
            facts.append(("entries among new vertices", f"{self.among.nnz:,}"))
            facts.append(("loops", f"{self.n_loops:,}"))
        if self.covariates is not None:
            facts.append(("covariates", f"{self.covariates.shape[1]:,}"))
        if not self.all_observed:
            facts.append(("unobserved pairs", "some"))
        for title, count in (("left out, between known vertices", self.n_ignored), ("repeated", self.n_repeated)):
            if count:
                facts.append((f"edges {title}", f"{count:,}"))
        return [*facts, ("names", few(self.names))]

    def towards(self, direction: str) -> sparse.csr_array:
        """Return the rows of a direction: "out" for edges from the new vertices, "in" for arcs to them.

        Covariates follow the edges in each row.
        """
        rows = self.rows_in if direction == "in" and self.rows_in is not None else self.rows
        return rows if self.covariates is None else sparse.csr_array(sparse.hstack([rows, self.covariates]))
