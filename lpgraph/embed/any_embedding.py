"""New vertices of any estimator that embeds a network: how they are read, and where they are placed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph._warnings import warn
from lpgraph.errors import ArgumentError, LpgraphWarning
from lpgraph.graph.new_vertices import as_new_edges

if TYPE_CHECKING:
    from lpgraph.graph.names import Names
    from lpgraph.graph.new_edges import NewEdges
    from lpgraph.spectral.construction import Array

__all__ = ["new_sides", "read_new_by"]


def read_new_by(embedding: Any, new: object, names: Names, *, directed: bool, **details: object) -> NewEdges:
    """Return the names and edges of new vertices.

    Parameters
    ----------
    embedding : estimator
        A fitted embedding, also a pipeline.
    new : array, sparse matrix, mapping, edge list or graph
        The new vertices.
    names : ndarray of shape (n,), or range
        The names of the known vertices, if the embedding has none.
    directed : bool
        Whether the known graph is directed. Then arcs to the new vertices that were not given count as absent, and
        a warning says so.
    **details
        What else is known of the new vertices: parameters of the embedding's `read_new`.
    """
    details = {key: value for key, value in details.items() if value is not None}
    if hasattr(embedding, "read_new") and getattr(embedding, "directed_", directed) == directed:
        vertices: NewEdges = embedding.read_new(new, **details)
    else:
        vertices = as_new_edges(new, getattr(embedding, "vertex_index_", None) or names, directed=directed)
        if details or not vertices.all_observed:
            raise ArgumentError(
                f"{next(iter(details), 'unobserved')} was passed, but the embedding, a "
                f"{type(embedding).__name__}, knows only edges of new vertices; pass these alone, or use an "
                "AdjacencySpectralEmbedding or a CovariateAssistedEmbedding itself."
            )
    if not directed or vertices.rows_in is not None:
        return vertices
    warn(
        "The new vertices were given with only the arcs from them, and arcs to them count as absent; pass an "
        "edge list or a graph with the arcs of both directions. Cross-validation by scikit-learn passes rows "
        "only: instead, label held-out vertices -1 and look up their transduction_.",
        LpgraphWarning,
    )
    return replace(vertices, rows_in=sparse.csr_array(vertices.rows.shape))


def new_sides(embedding: Any, vertices: NewEdges) -> list[Array]:
    """Return the positions of new vertices, and of a directed embedding also those as targets."""
    if vertices.rows_in is not None and not getattr(embedding, "directed_", True):
        # The embedding of the graph without directions, in which arcs of both directions add up.
        rows = sparse.csr_array(vertices.rows + vertices.rows_in)
        vertices = replace(vertices, rows=rows, rows_in=None)
    # As arrays, independent of `set_output`.
    positions = np.asarray(embedding.transform(vertices))
    if getattr(embedding, "embedding_in_", None) is None:
        return [positions]
    if getattr(embedding, "concat", False):
        return list(np.hsplit(positions, 2))
    return [positions, np.asarray(embedding.transform(vertices, direction="in"))]
