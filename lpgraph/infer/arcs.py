"""Edges of known and of new vertices, in both directions, without loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import sparse

from lpgraph.errors import GraphError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.new_edges import NewEdges

__all__ = [
    "Arcs",
    "arcs_among",
    "check_joined",
    "isolated",
    "known_arcs",
    "linked_to",
    "new_arcs",
    "without_weights",
]

#: Rows of vertices: their edges, or their outgoing and their incoming arcs.
Arcs: TypeAlias = tuple[sparse.csr_array] | tuple[sparse.csr_array, sparse.csr_array]


def known_arcs(graph: Adjacency) -> Arcs:
    """Return the rows of a graph without loops, and of a directed graph also those of the arcs to each vertex."""
    matrix = graph.matrix
    loops = matrix.diagonal()
    if loops.any():
        matrix = sparse.csr_array(matrix - sparse.diags_array(loops))
        matrix.eliminate_zeros()
    return (matrix, sparse.csr_array(matrix.T)) if graph.directed else (matrix,)


def new_arcs(vertices: NewEdges) -> Arcs:
    """Return the rows of new vertices, and in a directed graph also those of the arcs to them."""
    return (vertices.rows,) if vertices.rows_in is None else (vertices.rows, vertices.rows_in)


def arcs_among(vertices: NewEdges) -> sparse.csr_array | None:
    """Return the absolute weights of the edges among new vertices, without directions; None if there are none."""
    if vertices.among is None:
        return None
    edges = abs(vertices.among)
    if vertices.rows_in is not None:
        edges = edges + edges.T
    edges = sparse.csr_array(edges - sparse.diags_array(edges.diagonal()))
    edges.eliminate_zeros()
    return edges if len(edges.data) else None


def without_weights(rows: sparse.csr_array) -> sparse.csr_array:
    """Return 1 for each edge, so that weights cannot cancel in sums."""
    return sparse.csr_array((np.ones(len(rows.data), dtype=np.intp), rows.indices, rows.indptr), shape=rows.shape)


def linked_to(chosen: NDArray[np.bool_], arcs: Arcs) -> NDArray[np.bool_]:
    """Whether each vertex has an edge to one of the chosen known vertices."""
    counts = np.zeros(arcs[0].shape[0], dtype=np.intp)
    for rows in arcs:
        counts += without_weights(rows) @ chosen.astype(np.intp)
    return counts > 0


def check_joined(arcs: Arcs) -> None:
    """Raise if no two vertices are joined, since loops say nothing about classes or clusters."""
    lonely = isolated(arcs)
    n = len(lonely)
    if lonely.all():
        what = f"No two of the {n} vertices are joined" if n > 1 else "There is one vertex (n_samples = 1)"
        raise GraphError(f"{what}: the graph has no edge, or only loops. Pass edges between vertices.")


def isolated(arcs: Arcs) -> NDArray[np.bool_]:
    """Whether each vertex has no edge."""
    return np.asarray(sum(np.diff(rows.indptr) for rows in arcs) == 0)
