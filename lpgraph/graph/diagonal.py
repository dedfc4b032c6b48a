"""Augmentation of the diagonal of an adjacency matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph._checks import check_real
from lpgraph.errors import GraphError
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.degrees import row_means

if TYPE_CHECKING:
    from lpgraph.graph.adjacency import Adjacency

__all__ = ["augment_diagonal"]


def augment_diagonal(graph: object, weight: float = 1.0) -> Adjacency:
    """Return the graph with loops whose weights are the mean weights of the pairs of each vertex.

    A network without loops does not determine the diagonal of its adjacency matrix, and zeros there bias its
    eigenvectors. The mean of the other entries of a row, which is the degree divided by n - 1 if weights are 1, is
    closer to the probability that belongs there.

    Parameters
    ----------
    graph : graph
        Any input of `lpgraph.as_adjacency`. Its loops are replaced.
    weight : float, default 1
        Factor of the new diagonal; with 0, loops are removed.

    Returns
    -------
    Adjacency
        With the same names and attributes. In directed graphs the mean of row and column is used.

    Raises
    ------
    GraphError
        If the graph has one vertex, which has no pair.
    ArgumentError, ArgumentTypeError
        If `weight` is not a finite number.

    See Also
    --------
    AdjacencySpectralEmbedding : ``augment_diagonal=True`` embeds this matrix, and keeps the graph as it is.

    References
    ----------
    Marchette, D., Priebe, C. & Coppersmith, G. (2011), "Vertex nomination via attributed random dot product
    graphs", Proceedings of the 57th ISI World Statistics Congress.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.augment_diagonal([[0, 1, 1], [1, 0, 0], [1, 0, 0]]).matrix.toarray()
    array([[1. , 1. , 1. ],
           [1. , 0.5, 0. ],
           [1. , 0. , 0.5]])
    """
    factor = check_real("weight", weight)
    adjacency = as_adjacency(graph)
    if adjacency.n_vertices < 2:
        raise GraphError("The graph has one vertex, which has no pairs to average; pass a graph with two or more.")
    return adjacency.with_diagonal(factor * row_means(adjacency))
