"""Changes of a network: edges and vertices that are added or removed, and what changes for the other vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.errors import ArgumentError, ArgumentTypeError, UnknownVertexError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.assemble import EdgeList, Rules
from lpgraph.graph.construct import as_adjacency, assembled, is_graph
from lpgraph.graph.names import as_labels, as_names, code_names, is_among, is_listing, listed, name_at, names_at
from lpgraph.graph.new_vertices import check_linked, listed_edges
from lpgraph.graph.unknown_names import warn_of_similar

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    source, target, weight = graph.edge_list()
    gone, stays = _removed(graph, removed, source, target)
    added = _read(edges, graph.directed)
    place = np.cumsum(~gone) - 1  # of the vertices that stay
    kept = np.flatnonzero(~gone)
    everyone = as_labels(added.names, "edges")
    rows = code_names(everyone, graph.index, missing=-1)
    if len(everyone):
        check_linked(added.names, rows, graph.index, "edges")
    known = rows >= 0
    known[known] = ~gone[rows[known]]  # a vertex that is removed and has new edges begins anew
    rows[known] = place[rows[known]]
    new = np.flatnonzero(~known)
    rows[new] = len(kept) + np.arange(len(new))
    names = listed(names_at(graph.names, kept)) + listed(names_at(added.names, new))
    unweighted = not graph.weighted and (added.weight is None or (added.weight == 1).all())
    more = np.ones(len(added.source)) if added.weight is None else added.weight
    merged = EdgeList(
        as_names(names),
        np.concatenate((place[source[stays]], rows[added.source])),
        np.concatenate((place[target[stays]], rows[added.target])),
        np.concatenate((weight[stays], more)),
        graph.directed,
        {
            key: [values[i] for i in kept.tolist()] + [None] * len(new)
            for key, values in graph.vertex_attributes.items()
        },
    )
    warn_of_similar(merged.names, "The network with edges")
    return assembled(merged, Rules(multi_edges="collapse" if unweighted else "sum"))


def _read(edges: object, directed: bool) -> EdgeList:
    """Return added edges, given in any form with names."""
    if is_graph(edges):
        graph = as_adjacency(edges)
        if graph.directed and not directed:
            raise ArgumentError(
                "edges is directed and the known graph is undirected; pass as_adjacency(edges, directed=False)."
            )
        return EdgeList(graph.names, *graph.edge_list(), graph.directed).redirected(directed)
    if edges is None or (isinstance(edges, list | tuple) and not edges):
        return EdgeList(range(0), np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp), None, directed)
    found = listed_edges(edges, "edges", directed=directed)
    if found is None:
        raise ArgumentTypeError(f"edges={edges!r:.40}; pass tuples (u, v) or (u, v, weight), a table, or a graph.")
    return found


def _removed(
    graph: Adjacency, removed: object, source: NDArray[np.intp], target: NDArray[np.intp]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which vertices are removed, and which edges stay."""
    gone = np.zeros(graph.n_vertices, dtype=bool)
    listing: object = () if removed is None else removed
    if not is_listing(listing) or hasattr(removed, "columns") or is_graph(removed):
        raise ArgumentTypeError(f"removed={removed!r:.40}; pass a list of names, and of edges as tuples (u, v).")
    entries = listing.tolist() if hasattr(listing, "tolist") else list(listing)
    pairs, unknown = [], []
    for entry in entries:
        name = tuple(entry) if isinstance(entry, list) else entry
        row = graph.index[name] if is_among(name, graph.index) else None
        ends = name if row is None and isinstance(name, tuple) and len(name) == 2 else ()
        if row is not None:
            gone[row] = True
        elif ends and all(is_among(end, graph.index) for end in ends):
            pairs.append([graph.index[end] for end in ends])
        else:
            unknown += [end for end in ends or (name,) if not is_among(end, graph.index)]
    if unknown:
        raise UnknownVertexError(unknown, "removed has names of vertices, and edges as (u, v), of the network.")
    stays = ~(gone[source] | gone[target])
    if pairs:
        both, n = np.array(pairs), graph.n_vertices
        if not graph.directed:
            both.sort(axis=1)  # as in edge_list
        codes, listed = source * n + target, both[:, 0] * n + both[:, 1]
        missing = ~np.isin(listed, codes)
        if missing.any():
            u, v = (name_at(graph.names, row) for row in pairs[int(missing.argmax())])
            raise ArgumentError(
                f"removed has the edge ({u!r}, {v!r}), which the network does not have; leave it out."
            )
        stays &= ~np.isin(codes, listed)
    return gone, stays


def neighbor_changes(
    graph: Adjacency, earlier: Adjacency, rows: NDArray[np.intp], earlier_rows: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
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
    matrix: sparse.csr_array, earlier: sparse.csr_array, rows: NDArray[np.intp], earlier_rows: NDArray[np.intp]
) -> NDArray[np.int64]:
    """Return the number of entries that only one of two matrices has, for each common row."""
    now, before = (
        sparse.csr_array((np.ones(whole.nnz, dtype=np.int64), whole.indices, whole.indptr), shape=whole.shape)[
            some
        ]
        for whole, some in ((matrix, rows), (earlier, earlier_rows))
    )
    ones = np.ones(len(rows), dtype=np.int64)
    place = sparse.csr_array((ones, (earlier_rows, rows)), shape=(earlier.shape[1], matrix.shape[1]))
    common = np.asarray(now.multiply(before @ place).sum(axis=1), dtype=np.int64)
    return np.diff(now.indptr) + np.diff(before.indptr) - 2 * common
