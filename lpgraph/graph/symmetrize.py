"""Undirected graphs from directed ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._checks import check_choice
from lpgraph.errors import GraphError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.construct import as_adjacency

if TYPE_CHECKING:
    from typing import Literal

__all__ = ["symmetrize"]

METHODS = ("avg", "sum", "max", "min", "triu", "tril")


def symmetrize(graph: object, method: Literal["avg", "sum", "max", "min", "triu", "tril"] = "avg") -> Adjacency:
    """Return a directed graph as an undirected one; an undirected graph is returned unchanged.

    Parameters
    ----------
    graph : graph
        Any input of `lpgraph.as_adjacency`.
    method : {"avg", "sum", "max", "min", "triu", "tril"}, default "avg"
        Weight of the edge between two vertices, from the weights of the two arcs; an absent arc has the weight 0:

        - "avg", "sum": their mean or their sum;
        - "max", "min": the larger or the smaller one. With weights above 0, "max" keeps an edge where there is an
          arc in one direction, and "min" where there are arcs in both;
        - "triu", "tril": the arc from the vertex that comes first to the one that comes later, or the reverse.

        Loops keep their weights.

    Returns
    -------
    Adjacency
        Undirected, with the same names and attributes.

    Raises
    ------
    ArgumentError
        If `method` is none of these.
    GraphError
        If the sum of two weights is not finite.

    Examples
    --------
    >>> import lpgraph as lp
    >>> arcs = lp.from_edges(["a", "b", "b"], ["b", "a", "c"], [1.0, 3.0, 4.0], directed=True)
    >>> lp.symmetrize(arcs).matrix.toarray()
    array([[0., 2., 0.],
           [2., 0., 2.],
           [0., 2., 0.]])
    >>> lp.symmetrize(arcs, "min").n_edges
    1
    """
    check_choice("method", method, METHODS)
    adjacency = as_adjacency(graph)
    if not adjacency.directed:
        return adjacency
    matrix = adjacency.matrix
    if method in ("triu", "tril"):
        half = sparse.triu(matrix, 1) if method == "triu" else sparse.tril(matrix, -1)
        result = half + half.T + sparse.diags_array(adjacency.diagonal)
    elif method in ("max", "min"):
        mirror = matrix.T.tocsr()
        result = matrix.maximum(mirror) if method == "max" else matrix.minimum(mirror)
    elif method == "avg":
        result = 0.5 * matrix + 0.5 * matrix.T.tocsr()  # halved first, so that no sum overflows
    else:
        with np.errstate(over="ignore"):
            result = matrix + matrix.T.tocsr() - sparse.diags_array(adjacency.diagonal)
    symmetric = sparse.csr_array(result)
    symmetric.sum_duplicates()
    symmetric.eliminate_zeros()
    if not np.isfinite(symmetric.data).all():
        raise GraphError("The sum of the weights of two arcs is beyond 1e308; divide all weights by a constant.")
    return Adjacency.of_canonical(symmetric, adjacency.names, False, adjacency.vertex_attributes)
