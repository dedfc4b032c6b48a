"""Connected components and isolated vertices of a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph.graph.construct import as_adjacency
from lpgraph.linalg.sparse_structure import weak_components

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency

__all__ = ["connected_components", "isolated_vertices", "largest_component"]


def connected_components(adjacency: Adjacency) -> tuple[int, NDArray[np.signedinteger]]:
    """Return the number of components and the component of every vertex; the direction of arcs is ignored.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.graph.components import connected_components
    >>> connected_components(lp.from_edges([0, 2], [1, 3]))
    (2, array([0, 0, 1, 1], dtype=int32))
    """
    return weak_components(adjacency.matrix, directed=adjacency.directed)


def isolated_vertices(adjacency: Adjacency) -> NDArray[np.intp]:
    """Return the rows of vertices without an edge to another vertex; loops do not count.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.graph.components import isolated_vertices
    >>> isolated_vertices(lp.from_edges([0, 2], [1, 2], vertices=4))
    array([2, 3])
    """
    matrix = adjacency.matrix
    entries = np.diff(matrix.indptr)
    single = np.flatnonzero(entries == 1)
    entries[single] -= matrix.indices[matrix.indptr[single]] == single  # only a loop
    lonely = np.flatnonzero(entries == 0)
    if adjacency.directed and len(lonely):
        inward = np.bincount(matrix.indices, minlength=adjacency.n_vertices)[lonely]
        lonely = lonely[inward == np.diff(matrix.indptr)[lonely]]
    return lonely


def largest_component(graph: object) -> Adjacency:
    """Return the largest connected component, with the order of vertices kept; the first of several of equal size.

    Parameters
    ----------
    graph : Adjacency or anything `as_adjacency` takes
        For directed graphs, components are weak.

    Returns
    -------
    Adjacency

    Examples
    --------
    >>> import lpgraph as lp
    >>> list(lp.largest_component(lp.from_edges(["a", "b", "x"], ["b", "c", "y"])).names)
    ['a', 'b', 'c']
    """
    adjacency = as_adjacency(graph)
    count, labels = connected_components(adjacency)
    if count == 1:
        return adjacency
    biggest = int(np.argmax(np.bincount(labels)))
    return adjacency.take(np.flatnonzero(labels == biggest))
