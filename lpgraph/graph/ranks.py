"""Replacement of edge weights by their ranks."""

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

    from numpy.typing import NDArray

__all__ = ["pass_to_ranks"]

METHODS = ("simple-nonzero", "simple-all", "zero-boost")


def pass_to_ranks(
    graph: object, method: Literal["simple-nonzero", "simple-all", "zero-boost"] = "simple-nonzero"
) -> Adjacency:
    """Return the graph with edge weights replaced by their ranks, scaled to (0, 1].

    Embeddings of graphs whose weights have a heavy tail are determined by a few edges; those of ranks are not.

    Parameters
    ----------
    graph : graph
        Any input of `lpgraph.as_adjacency`, without negative weights. If all weights are 1, it is returned
        unchanged.
    method : {"simple-nonzero", "simple-all", "zero-boost"}, default "simple-nonzero"
        What the ranks 1, 2, ... of the weights, with the mean for ties, are divided by:

        - "simple-nonzero": the number of entries of the adjacency matrix that are not 0, plus 1;
        - "simple-all": the number of all entries, n^2, plus 1;
        - "zero-boost": the number of possible edges, after the number of absent edges was added to the ranks, as
          if absent edges had the lowest weight. Loops are possible if the graph has one.

    Returns
    -------
    Adjacency
        With the same edges, names and attributes.

    Raises
    ------
    GraphError
        If a weight is negative.
    ArgumentError
        If `method` is none of these.

    Notes
    -----
    Absent edges keep the weight 0, so that the result is as sparse as the graph. The methods are those of
    ``graspologic.utils.pass_to_ranks``. Ranks depend on all weights: the edges of new vertices, which are passed
    to ``transform`` of an embedding of ranks, need weights on the same scale.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.from_edges([0, 1, 2], [1, 2, 3], [7.0, 7.0, 5000.0])
    >>> lp.pass_to_ranks(graph).edge_list()[2].round(3).tolist()
    [0.357, 0.357, 0.786]
    >>> lp.pass_to_ranks(graph, "zero-boost").edge_list()[2].round(3).tolist()
    [0.75, 0.75, 1.0]
    """
    check_choice("method", method, METHODS)
    adjacency = as_adjacency(graph)
    if adjacency.lowest_weight < 0:
        raise GraphError(
            f"The graph has negative weights (down to {adjacency.lowest_weight:g}), which would rank below absent "
            "edges; pass abs(A)."
        )
    if not adjacency.weighted:
        return adjacency
    matrix = adjacency.matrix
    if method == "zero-boost":
        ranks = _boosted(adjacency)
    else:
        n_entries = matrix.nnz if method == "simple-nonzero" else adjacency.n_vertices**2
        ranks = _ranks(matrix.data, np.ones(matrix.nnz)) / (n_entries + 1)
    ranked = sparse.csr_array((ranks, matrix.indices, matrix.indptr), shape=matrix.shape)
    return Adjacency.of_canonical(ranked, adjacency.names, adjacency.directed, adjacency.vertex_attributes)


def _boosted(graph: Adjacency) -> NDArray[np.float64]:
    """Return the ranks of edges among all possible edges, each counted once."""
    n, matrix = graph.n_vertices, graph.matrix
    possible = n * (n - 1) if graph.directed else n * (n - 1) // 2
    on_diagonal = np.repeat(np.arange(n), np.diff(matrix.indptr)) == matrix.indices
    if on_diagonal.any():
        possible += n
    counts = np.ones(matrix.nnz) if graph.directed else np.where(on_diagonal, 1.0, 0.5)
    return (_ranks(matrix.data, counts) + (possible - graph.n_edges)) / possible


def _ranks(values: NDArray[np.float64], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ranks of values, the mean for ties; an entry counts as often as `counts` says."""
    _, inverse = np.unique(values, return_inverse=True)
    totals = np.bincount(inverse, weights=counts)
    means = np.cumsum(totals) - (totals - 1) / 2
    return np.asarray(means[inverse], dtype=np.float64)
