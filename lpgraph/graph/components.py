"""Connected pieces of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csgraph

from lpgraph.graph.adjacency import Adjacency, as_adjacency

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

__all__ = ["connected_components", "isolated_vertices", "largest_component"]


def connected_components(adjacency: Adjacency) -> tuple[int, NDArray[np.int32]]:
    """Return the number of components and the component of every vertex; arcs connect either way.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.graph.components import connected_components
    >>> connected_components(lp.from_edges([0, 2], [1, 3]))
    (2, array([0, 0, 1, 1], dtype=int32))
    """
    # "weak" is scipy's default for directed graphs; every stored entry connects, whatever its weight.
    count, labels = csgraph.connected_components(adjacency.matrix, directed=adjacency.directed)
    return int(count), labels


def isolated_vertices(adjacency: Adjacency) -> NDArray[np.intp]:
    """Return the rows of vertices that have no edge to another vertex; a loop does not count.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.graph.components import isolated_vertices
    >>> isolated_vertices(lp.from_edges([0, 2], [1, 2], vertices=4))
    array([2, 3])
    """
    entries = adjacency.matrix.tocoo()
    row, column = entries.coords
    lonely = np.ones(adjacency.n_vertices, dtype=bool)
    apart = row != column
    lonely[row[apart]] = False
    lonely[column[apart]] = False
    return np.flatnonzero(lonely)


def largest_component(graph: Any) -> Adjacency:
    """Return the largest connected component, its vertices in their own order; the first of several as large.

    Parameters
    ----------
    graph : Adjacency or anything `as_adjacency` takes
        Arcs of a directed graph connect either way (weak components).

    Returns
    -------
    Adjacency

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.largest_component(lp.from_edges(["a", "b", "x"], ["b", "c", "y"])).names
    ('a', 'b', 'c')
    """
    adjacency = as_adjacency(graph)
    count, labels = connected_components(adjacency)
    if count == 1:
        return adjacency
    biggest = int(np.argmax(np.bincount(labels)))
    return adjacency.take(np.flatnonzero(labels == biggest))
