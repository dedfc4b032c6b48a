"""The value every method starts from, and the two doors that lead to it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph._checks import check_flag, check_integer
from lpgraph.errors import ArgumentError
from lpgraph.graph.assemble import (
    EdgeList,
    LoopRule,
    MultiEdgeRule,
    Rules,
    check_weights,
    edges_matrix,
    tidy_matrix,
)
from lpgraph.graph.convert import check_weight_name, recognise
from lpgraph.graph.names import as_labels, as_names, code_names, index_of, number_by_appearance

if TYPE_CHECKING:
    import networkx as nx
    from numpy.typing import NDArray

__all__ = ["Adjacency", "as_adjacency", "from_edges"]


@dataclass(frozen=True, eq=False)
class Adjacency:
    """A graph as a sparse matrix and the names of its vertices.

    Made by `as_adjacency`, `from_edges` and `read_graph`, which see to it that the matrix is as said here.

    Attributes
    ----------
    matrix : csr_array of shape (n, n), float64
        Entry (i, j) is the weight of the edge from i to j. Canonical: indices sorted, none twice, no stored
        zeros. For an undirected graph both triangles are stored and the matrix is exactly symmetric. A loop
        of weight w is w on the diagonal, once. Do not write to it.
    names : sequence of n hashables
        Vertex names in the input's own order; ``range(n)`` where the input has none.
    directed : bool
        Whether entry (i, j) is an arc from i to j, or the edge between i and j.
    vertex_attributes : mapping of str to sequence
        Further attributes of the vertices, each a sequence of n values.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.from_edges(["a", "b", "b"], ["b", "c", "c"])
    >>> graph
    Adjacency(3 vertices, 2 edges, undirected, weighted)
    >>> graph.names
    ('a', 'b', 'c')
    >>> graph.matrix.toarray()
    array([[0., 1., 0.],
           [1., 0., 2.],
           [0., 2., 0.]])
    """

    matrix: sparse.csr_array
    names: Sequence[Any]
    directed: bool = False
    vertex_attributes: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        n = len(self.names)
        if self.matrix.shape != (n, n):
            raise ArgumentError(f"matrix has shape {self.matrix.shape} for {n} names; pass shape ({n}, {n}).")
        for key, values in self.vertex_attributes.items():
            if len(values) != n:
                raise ArgumentError(
                    f"vertex_attributes[{key!r}] has {len(values)} values for {n} vertices; pass {n}."
                )

    def __repr__(self) -> str:
        return (
            f"Adjacency({self.n_vertices} vertices, {self.n_edges} edges, "
            f"{'directed' if self.directed else 'undirected'}{', weighted' if self.weighted else ''})"
        )

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.names)

    @cached_property
    def n_edges(self) -> int:
        """Number of arcs, or of undirected edges, each counted once; a loop is one edge."""
        if self.directed:
            return int(self.matrix.nnz)
        return int(self.matrix.nnz + np.count_nonzero(self.matrix.diagonal())) // 2

    @cached_property
    def weighted(self) -> bool:
        """Whether some edge has a weight other than 1."""
        return bool((self.matrix.data != 1).any())

    @cached_property
    def degrees(self) -> NDArray[np.float64]:
        """Row sums of the matrix: weighted degrees, or out-degrees of a directed graph."""
        return np.asarray(self.matrix.sum(axis=1), dtype=np.float64)

    @cached_property
    def index(self) -> Mapping[Any, int]:
        """The mapping from a vertex's name to its row."""
        return index_of(self.names)

    def subgraph(self, vertices: Iterable[Hashable]) -> Adjacency:
        """Return the graph induced on some vertices, in the order they are named.

        Parameters
        ----------
        vertices : iterable of hashable
            Names of vertices, each once.

        Raises
        ------
        UnknownVertexError
            When a name is not a vertex.
        ArgumentError
            When a name is given twice, or none is given.

        Examples
        --------
        >>> import lpgraph as lp
        >>> lp.from_edges(["a", "b"], ["b", "c"]).subgraph(["c", "a"]).names
        ('c', 'a')
        """
        names = as_names(vertices, argument="vertices")
        if len(names) == 0:
            raise ArgumentError("vertices is empty; name at least one vertex.")
        return self.take(code_names(as_labels(names, "vertices"), self.index))

    def take(self, rows: NDArray[np.intp]) -> Adjacency:
        """Return the graph induced on some rows, in their order; `subgraph` by position instead of name."""
        matrix = sparse.csr_array(self.matrix[rows][:, rows])
        matrix.sort_indices()
        attributes = {key: [values[i] for i in rows] for key, values in self.vertex_attributes.items()}
        return Adjacency(matrix, as_names(self.names[i] for i in rows), self.directed, attributes)

    def edge_list(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
        """Return rows of sources and of targets, and weights; an undirected edge once, source <= target."""
        kept = self.matrix if self.directed else sparse.triu(self.matrix, format="csr")
        entries = kept.tocoo()
        source, target = entries.coords
        return source.astype(np.intp, copy=False), target.astype(np.intp, copy=False), entries.data

    def to_networkx(self) -> nx.Graph[Any]:
        """Return a networkx Graph or DiGraph, with edge attribute ``weight`` if the graph is weighted.

        Examples
        --------
        >>> import lpgraph as lp
        >>> lp.from_edges(["a", "b"], ["b", "c"]).to_networkx().edges
        EdgeView([('a', 'b'), ('b', 'c')])
        """
        import networkx as nx

        graph: nx.Graph[Any] = nx.DiGraph() if self.directed else nx.Graph()
        graph.add_nodes_from(self.names)
        for key, values in self.vertex_attributes.items():
            for name, value in zip(self.names, values, strict=True):
                graph.nodes[name][key] = value
        source, target, weight = self.edge_list()
        names = self.names
        heads = [names[i] for i in source.tolist()]
        tails = [names[j] for j in target.tolist()]
        if self.weighted:
            graph.add_weighted_edges_from(zip(heads, tails, weight.tolist(), strict=True))
        else:
            graph.add_edges_from(zip(heads, tails, strict=True))
        return graph

    def to_igraph(self) -> Any:
        """Return an igraph Graph, with edge attribute ``weight`` if the graph is weighted.

        Vertex names, unless they are 0 ... n-1, become the vertex attribute ``name``.
        igraph finds a vertex by name when names are strings; other names are kept as they are in ``name``.

        Examples
        --------
        >>> import lpgraph as lp
        >>> lp.from_edges(["a", "b"], ["b", "c"]).to_igraph().vs["name"]
        ['a', 'b', 'c']
        """
        import igraph

        source, target, weight = self.edge_list()
        graph = igraph.Graph(
            n=self.n_vertices, edges=np.column_stack((source, target)), directed=bool(self.directed)
        )
        for key, values in self.vertex_attributes.items():
            graph.vs[key] = list(values)
        if not isinstance(self.names, range):
            graph.vs["name"] = list(self.names)
        if self.weighted:
            graph.es["weight"] = weight.tolist()
        return graph


def as_adjacency(
    graph: Any,
    *,
    directed: bool | None = None,
    weight: str | None = "weight",
    loops: LoopRule = "keep",
    multi_edges: MultiEdgeRule = "sum",
    names: Iterable[Hashable] | None = None,
) -> Adjacency:
    """Return any graph as an `Adjacency`: sparse, checked, with its vertices' own names in their own order.

    Parameters
    ----------
    graph : graph, matrix or table
        - networkx Graph, DiGraph, MultiGraph, MultiDiGraph; names are the nodes.
        - igraph Graph; names are the vertex attribute ``name`` if there is one.
        - scipy sparse matrix or array of any format, numpy array or matrix, nested lists: entry (i, j) is the
          weight of the edge from i to j. Canonical float64 csr is shared, not copied: leave it as it is then.
        - pandas or polars DataFrame, pyarrow Table: one edge a row, see Notes.
        - `Adjacency`, or a sampled graph that has ``adjacency`` and ``directed``.
    directed : bool or None
        None takes the graph's word. A matrix is undirected if it is symmetric (one that differs by rounding,
        at most 1e-12 of its largest entry, is made exactly so), else directed. A table is undirected.
        True makes an undirected graph's edges arcs both ways, and a table's edges arcs from source to target.
        False makes every arc of a directed graph an edge, so that u -> v and v -> u are one edge given twice;
        with a matrix that is not symmetric it is an error.
    weight : str or None
        Edge attribute, or column, with the weights; an edge without it has weight 1. The weights of a matrix
        are its entries. None ignores the weights, a matrix's too: every edge has weight 1.
    loops : {"keep", "drop", "error"}
        What to do with loops. A loop of weight w is w once on the diagonal, as networkx has it.
    multi_edges : {"sum", "collapse", "error"}
        What an edge given several times weighs: the sum of its weights, or the largest of them. In an
        undirected edge list (u, v) and (v, u) are the same edge given twice: a list that has every edge from
        both ends wants "collapse".
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
        When names are repeated or too few, or the graph is of none of these types.

    Notes
    -----
    In a table the endpoints are the columns called source and target, or from and to, src and dst, u and v,
    i and j, tail and head (in any case), else the first two of at most three. The weights are the column
    called `weight`. If there are other columns but none of that name, say which it is, or ``weight=None``.

    An edge of weight 0 is no edge. Negative weights are allowed here.

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> lp.as_adjacency(nx.karate_club_graph())
    Adjacency(34 vertices, 78 edges, undirected, weighted)
    >>> lp.as_adjacency([[0, 1], [0, 0]])
    Adjacency(2 vertices, 1 edges, directed)
    """
    rules = Rules(loops, multi_edges)
    directed = None if directed is None else check_flag("directed", directed)
    weight = check_weight_name(weight)
    if isinstance(graph, Adjacency):
        if directed in (None, graph.directed) and rules == Rules() and names is None and weight is not None:
            return graph
        source, target, weights = graph.edge_list()
        found: Any = EdgeList(
            graph.names,
            source,
            target,
            None if weight is None else weights,
            graph.directed,
            graph.vertex_attributes,
        )
    else:
        found, known = recognise(graph, weight)
        directed = known if directed is None else directed
    if isinstance(found, EdgeList):
        found = found.redirected(directed)
        if names is not None:
            found = _renamed(found, names)
        return Adjacency(
            edges_matrix(found, rules), found.names, bool(found.directed), found.vertex_attributes
        )
    matrix, is_directed = tidy_matrix(found, directed, rules, unweighted=weight is None)
    n = matrix.shape[0]
    return Adjacency(matrix, range(n) if names is None else as_names(names, n), is_directed)


def from_edges(
    source: Any,
    target: Any,
    weight: Any = None,
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
    ('x', 'y')
    """
    directed = check_flag("directed", directed)
    edges = collect_edges(source, target, weight, directed=directed, vertices=vertices)
    return Adjacency(edges_matrix(edges, Rules(loops, multi_edges)), edges.names, directed)


def collect_edges(
    source: Any, target: Any, weight: Any, *, directed: bool | None, vertices: int | Iterable[Hashable] | None
) -> EdgeList:
    """Return edges given by name as an `EdgeList`, its endpoints numbered."""
    heads, tails = as_labels(source, "source"), as_labels(target, "target")
    if len(heads) != len(tails):
        raise ArgumentError(f"source has {len(heads)} entries and target {len(tails)}; pass as many.")
    weights = None if weight is None else check_weights(weight, len(heads))
    if len(heads) == 0 and vertices is None:
        raise ArgumentError("source and target are empty; pass vertices= for a graph without edges.")
    if vertices is None:
        names, rows, columns = number_by_appearance(heads, tails)
    else:
        if isinstance(vertices, int | np.integer):
            names = range(check_integer("vertices", vertices, low=1))
        else:
            names = as_names(vertices, argument="vertices")
        index = index_of(names)
        rows, columns = code_names(heads, index), code_names(tails, index)
    return EdgeList(names, rows, columns, weights, directed)


def _renamed(edges: EdgeList, names: Iterable[Hashable]) -> EdgeList:
    n = len(edges.names)
    if not isinstance(edges.names, range):
        raise ArgumentError(
            f"names was passed but the graph names its {n} vertices itself; "
            "rename them there, or leave names out."
        )
    return EdgeList(
        as_names(names, n), edges.source, edges.target, edges.weight, edges.directed, edges.vertex_attributes
    )
