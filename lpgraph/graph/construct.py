"""Construction of an `Adjacency` from any graph, matrix or table, or from edges by name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._checks import check_count, check_flag
from lpgraph.errors import ArgumentError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.assemble import (
    EdgeList,
    LoopRule,
    MultiEdgeRule,
    Rules,
    check_weights,
    edges_matrix,
    tidy_matrix,
)
from lpgraph.graph.convert import check_ends, check_weight_name, recognise
from lpgraph.graph.name_warnings import warn_of_types
from lpgraph.graph.names import as_labels, as_names, code_names, index_of, number_by_appearance
from lpgraph.graph.network import Network, ProductNetwork

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

__all__ = [
    "Adjacency",
    "as_adjacency",
    "as_network",
    "assembled",
    "collect_edges",
    "edges_in_memory",
    "from_edges",
]


def as_adjacency(
    graph: object,
    *,
    directed: bool | None = None,
    weight: str | None = "weight",
    source: str | None = None,
    target: str | None = None,
    loops: LoopRule = "keep",
    multi_edges: MultiEdgeRule = "sum",
    names: Iterable[Hashable] | None = None,
) -> Adjacency:
    """Return any graph as an `Adjacency`: sparse and checked, with the names and order of its vertices.

    Parameters
    ----------
    graph : graph, matrix or table
        - networkx Graph, DiGraph, MultiGraph, MultiDiGraph; names are the nodes.
        - igraph Graph; names are the vertex attribute ``name`` if there is one.
        - scipy sparse matrix or array of any format, numpy array or matrix, nested lists: entry (i, j) is the
          weight of the edge from i to j. Canonical float64 csr is shared, not copied; do not modify it.
        - pandas or polars DataFrame, pyarrow Table: one edge per row, see Notes.
        - `Adjacency`, or a sampled graph that has ``adjacency`` and ``directed``.
    directed : bool or None
        With None, graphs keep their direction. A matrix is undirected if it is symmetric (up to rounding of 1e-12
        of its largest entry, which is removed), else directed. A table is undirected.
        With True, an undirected edge becomes two arcs, and the edges of a table are arcs from source to target.
        With False, arcs become edges, so that u -> v and v -> u are one edge given twice; a matrix that is not
        symmetric is an error.
    weight : str or None
        Edge attribute or column with the weights; an edge without it has weight 1. If no edge of a networkx or
        igraph graph has the attribute "weight" but others that are numbers, a warning names them. The weights of a
        matrix are its entries. With None every edge has weight 1, also in a matrix, and however often it is given.
    source, target : str, optional
        For tables: titles of the columns of end points, if they are not found by their titles (see Notes).
    loops : {"keep", "drop", "error"}
        What to do with loops. A loop of weight w is stored as w on the diagonal, as in networkx.
    multi_edges : {"sum", "collapse", "error"}
        What an edge given several times weighs: the sum of its weights (1 with ``weight=None``), or the largest of
        them. In an undirected edge list (u, v) and (v, u) are the same edge given twice: a list that has every
        edge from both ends wants "collapse".
    names : iterable of hashable, optional
        Vertex names for a graph that has none of its own.

    Returns
    -------
    Adjacency

    Raises
    ------
    GraphError
        When the graph has no vertices, the matrix is not square or not symmetric with ``directed=False``, a
        weight is not a finite number, or a rule says "error".
    ArgumentError, ArgumentTypeError
        When names are repeated or too few, the graph is of none of these types, `source` and `target` are passed
        with one that is no table, or no edge has the attribute `weight`, if that is not "weight".

    Warns
    -----
    LpgraphWarning
        When no edge has the attribute "weight" but others may be it, or a table seems to be one of labels, which
        has each name once, beside at most half as many values.

    Notes
    -----
    In a table the endpoints are the columns called source and target, or from and to, src and dst, u and v,
    i and j, tail and head (in any case), else the first two of at most three. The weights are the column
    called `weight`. If there are other columns but none of that name, say which it is, or ``weight=None``.
    A table does not say whether its edges have a direction, and is read without; the same edges in a networkx
    DiGraph have one. Pass `directed` to read both alike.

    An edge of weight 0 is no edge, unless ``weight=None`` makes it one of weight 1: a sparse matrix of distances
    between neighbors (`lpgraph.neighbor_graph`, the ``graph_`` of `lpgraph.manifold.Isomap`) stores 0 for
    neighbors at the same place, and ``as_adjacency(graph, weight=None)`` has all its edges. Negative weights are
    allowed here.

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> lp.as_adjacency(nx.karate_club_graph())
    Adjacency(34 vertices, 78 edges, undirected, weighted)
    >>> lp.as_adjacency([[0, 1], [0, 0]])
    Adjacency(2 vertices, 1 edges, directed)
    """
    rules, ends = Rules(loops, multi_edges), check_ends(source, target)
    if isinstance(graph, ProductNetwork):
        raise graph.needs("all edges in memory")
    directed = None if directed is None else check_flag("directed", directed)
    weight = check_weight_name(weight)
    if isinstance(graph, Adjacency) and ends is None:
        if directed in (None, graph.directed) and rules == Rules() and names is None and weight is not None:
            return graph
        rows, columns, values = graph.edge_list()
        weights = None if weight is None else values
        found: Any = EdgeList(graph.names, rows, columns, weights, graph.directed, graph.vertex_attributes)
    else:
        found, known = recognise(graph, weight, ends)
        directed = known if directed is None else directed
    if isinstance(found, EdgeList):
        found = found.redirected(directed)
        if names is not None:
            found = _renamed(found, names)
        return assembled(found, rules.of_weight(weight))
    matrix, is_directed = tidy_matrix(found, directed, rules, unweighted=weight is None)
    n = matrix.shape[0]
    return Adjacency.of_canonical(matrix, range(n) if names is None else as_names(names, n), is_directed)


def from_edges(
    source: object,
    target: object,
    weight: object = None,
    *,
    directed: bool = False,
    vertices: int | Iterable[Hashable] | None = None,
    loops: LoopRule = "keep",
    multi_edges: MultiEdgeRule = "sum",
) -> Adjacency:
    """Return the graph with edges from ``source[k]`` to ``target[k]``.

    Parameters
    ----------
    source, target : sequence of m hashables
        Names of the endpoints. Integer arrays are fastest.
    weight : array-like of shape (m,), optional
        Weights; None is 1 everywhere.
    directed : bool
        Whether an edge is an arc from source to target.
    vertices : int, iterable of hashable, or None
        All vertices in their order, those without an edge too: names, or n for 0 ... n-1. None takes the
        vertices in order of first appearance, edge by edge (s0, t0, s1, t1, ...).
    loops : {"keep", "drop", "error"}
        What to do with loops, as in `as_adjacency`.
    multi_edges : {"sum", "collapse", "error"}
        What an edge given several times weighs, as in `as_adjacency`. If the graph is undirected, (u, v) and
        (v, u) are the same edge given twice.

    Returns
    -------
    Adjacency

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When lengths differ, an endpoint is missing or not hashable, or a weight is not a real number.
    UnknownVertexError
        When an endpoint is not among `vertices`.
    GraphError
        When there are no vertices, a weight is not finite, or a rule says "error".

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.from_edges([0, 1], [1, 2], vertices=5)
    Adjacency(5 vertices, 2 edges, undirected)
    >>> lp.from_edges(["x", "y"], ["y", "x"], [0.5, 2.0], directed=True).names
    array(['x', 'y'], dtype=object)
    """
    directed = check_flag("directed", directed)
    edges = collect_edges(source, target, weight, directed=directed, vertices=vertices)
    return assembled(edges, Rules(loops, multi_edges))


def assembled(edges: EdgeList, rules: Rules) -> Adjacency:
    """Return the graph of an `EdgeList`; None as its direction means undirected."""
    return Adjacency.of_canonical(
        edges_matrix(edges, rules), edges.names, bool(edges.directed), edges.vertex_attributes
    )


def collect_edges(
    source: object,
    target: object,
    weight: object,
    *,
    directed: bool | None,
    vertices: int | Iterable[Hashable] | None,
) -> EdgeList:
    """Return edges given by name as an `EdgeList` with numbered end points."""
    sources, targets = as_labels(source, "source"), as_labels(target, "target")
    if len(sources) != len(targets):
        raise ArgumentError(f"source has {len(sources)} entries and target {len(targets)}; pass as many.")
    weights = None if weight is None else check_weights(weight, len(sources))
    if len(sources) == 0 and vertices is None:
        raise ArgumentError("source and target are empty; pass vertices= for a graph without edges.")
    if vertices is None:
        names, rows, columns = number_by_appearance(sources, targets)
        warn_of_types(names, "The table of edges")
    else:
        if isinstance(vertices, int | np.integer):
            names = range(check_count("vertices", vertices))
        else:
            names = as_names(vertices, argument="vertices")
        index = index_of(names)
        rows, columns = code_names(sources, index), code_names(targets, index)
    return EdgeList(names, rows, columns, weights, directed)


def _renamed(edges: EdgeList, names: Iterable[Hashable]) -> EdgeList:
    n = len(edges.names)
    if not isinstance(edges.names, range):
        raise ArgumentError(
            f"names was passed but the graph names its {n} vertices itself; rename them there, or leave names out."
        )
    return replace(edges, names=as_names(names, n))


def as_network(graph: object) -> Network:
    """Return a graph as methods see it: a `ProductNetwork` as it is, any other as an `Adjacency`."""
    return graph if isinstance(graph, ProductNetwork) else as_adjacency(graph)


def edges_in_memory(network: Network) -> Adjacency:
    """Return the network of a fitted model for what needs all edges; raise if only products are known."""
    return as_adjacency(network)
