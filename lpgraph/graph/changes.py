"""Changes of a network: edges and vertices that are added or removed, and what changes for the other vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError

from .adjacency import Adjacency
from .assemble import EdgeList, Rules
from .construct import assembled, is_graph
from .names import as_labels, as_names, code_names, index_of, is_among, is_listing, listed
from .new_vertices import check_linked, listed_edges

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from lpgraph._utils.types import Array, Integers


def changed_network(graph: Adjacency, edges: object = None, removed: object = None) -> Adjacency:
    """Return a network without some of its vertices and edges, and then with further edges and their vertices.

    The parameters are described at ``update`` of the embeddings. Known vertices keep their order, and new ones
    follow in the order in which they appear; these have None as attributes.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.graph.changes import changed_network
    >>> graph = lp.from_edges(["a", "b", "c"], ["b", "c", "a"])
    >>> changed = changed_network(graph, [("a", "d"), ("d", "b")], removed=["b", ("a", "c")])
    >>> changed.names.tolist(), changed
    (['a', 'c', 'd', 'b'], Adjacency(4 vertices, 2 edges, undirected))
    """
    kept = _without(graph, removed)
    if edges is None or (isinstance(edges, list | tuple) and not edges):
        return kept
    added = listed_edges(edges, "edges", directed=graph.directed)
    if added is None:
        raise ArgumentTypeError(f"edges={edges!r:.40}; pass tuples (u, v) or (u, v, weight), a table, or a graph.")
    added = added.redirected(graph.directed)
    check_linked(added.names, graph.index, "edges")
    # A vertex that is removed and has new edges begins anew.
    new = [name for name in listed(added.names) if name not in kept.index]
    names = as_names(listed(kept.names) + new)
    rows = code_names(as_labels(added.names, "edges"), index_of(names))
    source, target, weight = kept.edge_list()
    merged = EdgeList(
        names,
        np.append(source, rows[added.source]),
        np.append(target, rows[added.target]),
        np.append(weight, added.weight),
        graph.directed,
        {key: [*values, *[None] * len(new)] for key, values in kept.vertex_attributes.items()},
    )
    return assembled(merged, Rules(unweighted=not graph.weighted and bool((added.weight == 1).all())))


def _without(graph: Adjacency, removed: object) -> Adjacency:
    """Return a network without some vertices, and edges between others."""
    if removed is None:
        return graph
    if not is_listing(removed) or is_graph(removed) or hasattr(removed, "columns"):
        raise ArgumentTypeError(f"removed={removed!r:.40}; pass a list of names, and of edges as tuples (u, v).")
    names: list[Hashable] = []
    pairs: list[tuple[Hashable, Hashable]] = []
    for entry in listed(removed):
        is_vertex = is_among(entry, graph.index)
        if isinstance(entry, tuple) and len(entry) == 2 and not is_vertex:
            pairs.append(entry)
        else:
            names.append(entry)
    gone = code_names(as_labels(names, "removed"), graph.index)
    if len(gone) == graph.n_vertices:
        raise GraphError("removed has all vertices of the network; keep at least one.")
    matrix = graph.matrix
    if pairs:
        u, v = (code_names(as_labels(side, "removed"), graph.index) for side in zip(*pairs, strict=True))
        absent = matrix[u, v] == 0
        if absent.any():
            pair = pairs[int(absent.argmax())]
            raise ArgumentError(f"removed has the edge {pair!r}, which the network does not have; leave it out.")
        matrix = matrix.copy()
        matrix[u, v] = 0
        if not graph.directed:
            matrix[v, u] = 0
        matrix.eliminate_zeros()
    rest = Adjacency.of_canonical(matrix, graph.names, graph.directed, graph.vertex_attributes)
    return rest.take(np.setdiff1d(np.arange(graph.n_vertices), gone))


def neighbor_changes(
    graph: Adjacency, earlier: Adjacency, rows: Integers, earlier_rows: Integers
) -> tuple[Array, NDArray[np.int64]]:
    """Return how the degrees and the neighbors of the common vertices of two networks changed.

    Parameters
    ----------
    graph, earlier : Adjacency
        Two networks, both directed or both undirected.
    rows, earlier_rows : ndarray of shape (c,)
        Rows of the common vertices in each of them.

    Returns
    -------
    degree_change : ndarray of shape (c,)
        The degree, a sum of weights, minus the earlier one; of a directed network over arcs in both directions.
    changed_neighbors : ndarray of int of shape (c,)
        Number of neighbors that only one of the networks has. Vertices that only one of them has are counted, and
        of a directed network arcs, in both directions.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> from lpgraph.graph.changes import neighbor_changes
    >>> monday = lp.from_edges(["a", "a", "b"], ["b", "c", "c"])
    >>> tuesday = lp.from_edges(["a", "a", "b"], ["b", "c", "d"])
    >>> degrees, neighbors = neighbor_changes(tuesday, monday, np.arange(3), np.arange(3))
    >>> list(tuesday.names[:3]), degrees, neighbors
    (['a', 'b', 'c'], array([ 0.,  0., -1.]), array([0, 2, 1]))
    """
    degree_change = graph.degrees[rows] - earlier.degrees[earlier_rows]
    changed = _changed(graph.matrix, earlier.matrix, rows, earlier_rows)
    if graph.directed:
        degree_change += graph.in_degrees[rows] - earlier.in_degrees[earlier_rows]
        changed += _changed(graph.matrix.T.tocsr(), earlier.matrix.T.tocsr(), rows, earlier_rows)
    return degree_change, changed


def _changed(
    matrix: sparse.csr_array, earlier: sparse.csr_array, rows: Integers, earlier_rows: Integers
) -> NDArray[np.int64]:
    """Return the number of entries that only one of two matrices has, for each common row."""
    now = matrix[rows].astype(bool).astype(np.int64)
    before = earlier[earlier_rows].astype(bool).astype(np.int64)
    ones = np.ones(len(rows), dtype=np.int64)
    place = sparse.csr_array((ones, (earlier_rows, rows)), shape=(earlier.shape[1], matrix.shape[1]))
    common: NDArray[np.int64] = now.multiply(before @ place).sum(axis=1)
    return np.diff(now.indptr) + np.diff(before.indptr) - 2 * common
