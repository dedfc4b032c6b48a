"""Construction of an `Adjacency` from any graph, matrix or table, or from edges by name.

Graphs of other libraries are recognised without importing these libraries; among them those in coordinate format,
with the `edge_index` of PyTorch Geometric and OGB.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import as_real, check_count, check_flag, check_real_dtype, is_matrix, is_real, type_of
from lpgraph._utils.frames import as_table
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError

from .adjacency import Adjacency, Network, ProductNetwork
from .assemble import EdgeList, LoopRule, Matrix, MultiEdgeRule, Rules, edges_matrix, tidy_matrix, warn_of_doubts
from .names import Labels, as_labels, as_names, code_names, index_of, is_numbered, number_by_appearance, unwrapped

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    import igraph
    import narwhals.stable.v1 as nw

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array


#: Titles of the end points of an edge list, in any case; the first pair that is found is used.
ENDPOINT_COLUMNS = (
    *(("source", "target"), ("from", "to"), ("src", "dst"), ("u", "v"), ("i", "j"), ("tail", "head")),
    *(("node_a", "node_b"), ("user", "friend"), ("sender", "receiver"), ("citing", "cited")),
)


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
    graph : graph, matrix, table or edge index
        - networkx Graph, DiGraph, MultiGraph, MultiDiGraph; names are the nodes.
        - igraph Graph; names are the vertex attribute ``name`` if there is one.
        - scipy sparse matrix or array of any format, numpy array or matrix, nested lists: entry (i, j) is the
          weight of the edge from i to j. Canonical float64 csr is shared, not copied; do not modify it.
        - table with one edge per row (see Notes): DataFrame of pandas or polars, LazyFrame, which is computed,
          pyarrow Table, relation of DuckDB, or any object that exports an Arrow stream (needs pyarrow).
        - object or mapping with `edge_index`, integers of shape (2, m) in an array or a tensor, and possibly
          `num_nodes`, `edge_weight` and `y`: the data of PyTorch Geometric and the graphs of OGB, see Notes.
        - `Adjacency`, or a sampled graph that has ``adjacency`` and ``directed``.
    directed : bool or None
        With None, graphs keep their direction. A matrix is undirected if it is symmetric (up to rounding of 1e-12
        of its largest entry, which is removed), else directed; so is an `edge_index`. A table is undirected.
        With True, an undirected edge becomes two arcs, and the edges of a table are arcs from source to target.
        With False, arcs become edges, so that u -> v and v -> u are one edge given twice; a matrix that is not
        symmetric is an error.
    weight : str or None
        Edge attribute or column with the weights; an edge without it has weight 1. The weights of a matrix are its
        entries. With None every edge has weight 1, also in a matrix, and however often it is given.
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

    Notes
    -----
    In a table the endpoints are the columns called source and target, or from and to, src and dst, u and v,
    i and j, tail and head (in any case), else the first two of at most three. The weights are the column
    called `weight`. If there are other columns (except Gephi's Type) but none of that name, say which it is, or
    ``weight=None``.
    A table does not say whether its edges have a direction, and is read without; the same edges in a networkx
    DiGraph have one. Pass `directed` to read both alike.

    Column k of an `edge_index` is an arc from ``edge_index[0, k]`` to ``edge_index[1, k]``. If the arcs of both
    directions are listed, with equal weights, they are undirected edges, each of which counts once. The vertices
    are 0 ... ``num_nodes - 1``; without `num_nodes` the largest integer is the last vertex. The weights are
    `edge_weight`, or what `weight` names; `y`, one label for each vertex, becomes a vertex attribute. An array
    alone is always a matrix, also of shape (2, 2): pass ``{"edge_index": array}``.

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
    >>> lp.as_adjacency({"edge_index": [[0, 1], [1, 0]], "num_nodes": 3})
    Adjacency(3 vertices, 1 edges, undirected)
    """
    ends = check_titles(weight, source, target)
    rules = Rules(loops, multi_edges, weight is None)
    if isinstance(graph, ProductNetwork):
        raise graph.needs("all edges in memory")
    directed = None if directed is None else check_flag("directed", directed)
    unchanged = names is None and ends is None and rules == Rules()
    if unchanged and isinstance(graph, Adjacency) and directed in (None, graph.directed):
        return graph
    found = recognise(graph, weight) if ends is None else table_edges(graph, weight, ends)
    if found is None:
        raise ArgumentTypeError(f"graph is {type_of(graph)}; source= and target= are for tables of edges.")
    if names is not None:
        if isinstance(found, EdgeList):
            if not is_numbered(found.names):
                raise ArgumentError("names was passed but the graph names its vertices; rename them there.")
            found = replace(found, names=as_names(names, len(found.names)))
        else:
            found = replace(found, names=names)
    return finished(found, directed, rules, "graph")


def finished(
    found: EdgeList | Matrix, directed: bool | None, rules: Rules, what: str, *, sums: bool = False
) -> Adjacency:
    """Return what was read as a graph, by its own direction if `directed` is None.

    `what` names it in messages. If `sums`, unequal weights of both directions that add up are a warning.
    """
    if isinstance(found, EdgeList):
        warn_of_doubts(found, what, sums=sums)
        return assembled(found.redirected(directed), rules)
    directed = found.directed if directed is None else directed
    matrix, directed = tidy_matrix(found.matrix, directed, rules, "graph")
    n = matrix.shape[0]
    return Adjacency.of_canonical(matrix, range(n) if found.names is None else as_names(found.names, n), directed)


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
    return finished(edges, directed, Rules(loops, multi_edges), "The list of edges")


def assembled(edges: EdgeList, rules: Rules) -> Adjacency:
    """Return the graph of an `EdgeList`; None as its direction means undirected."""
    matrix = edges_matrix(edges, rules)
    return Adjacency.of_canonical(matrix, edges.names, bool(edges.directed), edges.vertex_attributes)


def collect_edges(
    source: object,
    target: object,
    weight: object,
    *,
    directed: bool | None = None,
    vertices: int | Iterable[Hashable] | None = None,
) -> EdgeList:
    """Return edges given by name as an `EdgeList` with numbered end points."""
    sources, targets = as_labels(source, "source"), as_labels(target, "target")
    if len(sources) != len(targets):
        raise ArgumentError(f"source has {len(sources)} entries and target {len(targets)}; pass as many.")
    given = check_real_dtype("weight", np.ones(len(sources)) if weight is None else np.asarray(weight))
    weights = given.astype(np.float64, copy=False)  # whether they are finite is checked when edges can be named
    if weights.shape != sources.shape:
        raise ArgumentError(f"weight has shape {weights.shape} for {len(sources)} edges; pass as many weights.")
    if len(sources) == 0 and vertices is None:
        raise ArgumentError("There are no edges; pass at least one, or from_edges([], [], vertices=NAMES).")
    if vertices is None:
        names, rows, columns = number_by_appearance(sources, targets)
    else:
        if isinstance(vertices, int | np.integer):
            vertices = range(check_count("vertices", vertices))
        names = as_names(vertices, argument="vertices")
        index = index_of(names)
        rows, columns = code_names(sources, index), code_names(targets, index)
    return EdgeList(names, rows, columns, weights, directed)


def as_network(graph: object) -> Network:
    """Return a graph as methods see it: a `ProductNetwork` as it is, any other as an `Adjacency`."""
    return graph if isinstance(graph, ProductNetwork) else as_adjacency(graph)


def check_titles(weight: object, source: object, target: object) -> tuple[str, str] | None:
    """Return the titles of the columns of end points, if they are given; check them, and what is the weight."""
    if weight is not None and not isinstance(weight, str):
        raise ArgumentTypeError(f"weight={weight!r}; pass the name of an edge attribute, or None.")
    if source is None and target is None:
        return None
    if not isinstance(source, str) or not isinstance(target, str):
        raise ArgumentTypeError(f"source={source!r} and target={target!r}; pass the titles of both columns.")
    return source, target


def _is_of(graph: object, module: str, name: str) -> bool:
    """Whether a value is of a class of a library, which is not imported for that."""
    kind = getattr(sys.modules.get(module), name, None)
    return kind is not None and isinstance(graph, kind)


def is_graph(graph: object) -> bool:
    """Whether a value is a graph: of networkx or igraph, an `Adjacency`, sampled, or with an `edge_index`."""
    sampled = hasattr(graph, "adjacency") and hasattr(graph, "directed") and not hasattr(graph, "among")
    foreign = _is_of(graph, "networkx", "Graph") or _is_of(graph, "igraph", "GraphBase")
    return sampled or foreign or has_edge_index(graph)


def recognise(graph: Foreign, weight: str | None) -> EdgeList | Matrix:
    """Return a graph of any type in one of two forms."""
    if is_matrix(graph):
        return Matrix(graph)
    if isinstance(graph, list | tuple):
        if isinstance(graph, list) and any(isinstance(row, tuple) for row in graph):
            raise ArgumentTypeError("graph is a list of pairs; pass lpgraph.from_edges(*zip(*edges)).")
        return Matrix(as_real("graph", graph))
    if _is_of(graph, "networkx", "Graph"):
        return edges_with_data(graph.nodes, list(graph.edges.data()), weight, graph.is_directed())
    if _is_of(graph, "igraph", "GraphBase"):
        return _from_igraph(graph, weight)
    if isinstance(graph, Adjacency):
        return EdgeList(graph.names, *graph.edge_list(), graph.directed, graph.vertex_attributes)
    if has_edge_index(graph):
        return _from_edge_index(graph, weight)
    if is_graph(graph):
        return Matrix(graph.adjacency, directed=bool(graph.directed))
    edges = table_edges(graph, weight)
    if edges is not None:
        return edges
    if hasattr(graph, "__array__"):
        return Matrix(as_real("graph", graph))
    remedy = (
        "pass a networkx or igraph graph, a matrix, a table of edges (pandas, polars, Arrow, DuckDB), an object "
        "with edge_index, or an Adjacency; of a path, read_graph(path), and of a dict, networkx.Graph(graph)"
    )
    raise ArgumentTypeError(f"graph={graph!r:.40} is {type_of(graph)}; {remedy}.")


def edges_with_data(
    nodes: Mapping[Hashable, Mapping[str, Foreign]],
    edges: Sequence[tuple[Hashable, Hashable, Mapping[str, Foreign]]],
    weight: str | None,
    directed: bool | None,
) -> EdgeList:
    """Return a graph whose nodes and edges have attributes, of which one may be the weight."""
    number = {node: i for i, node in enumerate(nodes)}
    source, target = (
        np.fromiter((number[edge[k]] for edge in edges), dtype=np.intp, count=len(edges)) for k in (0, 1)
    )
    keys = dict.fromkeys(key for data in nodes.values() for key in data if isinstance(key, str))
    columns = {key: [data.get(key) for data in nodes.values()] for key in keys}
    return EdgeList(as_names(list(nodes)), source, target, _weights_of(weight, edges), directed, columns)


def _from_igraph(graph: igraph.Graph, weight: str | None) -> EdgeList:
    attributes, n = {key: graph.vs[key] for key in graph.vs.attributes()}, graph.vcount()
    names = as_names(attributes.pop("name", range(n)), n, argument="the vertex attribute 'name'")
    weights = graph.es[weight] if weight in graph.es.attributes() else [None] * graph.ecount()
    edges = [  # None is igraph's "not set"
        (*ends, {} if value is None else {weight: value})
        for ends, value in zip(graph.get_edgelist(), weights, strict=True)
    ]
    found = edges_with_data({key: {} for key in range(n)}, edges, weight, graph.is_directed())
    return replace(found, names=names, vertex_attributes=attributes)


def _weights_of(weight: str | None, edges: Sequence[tuple[Hashable, Hashable, Mapping[str, Foreign]]]) -> Array:
    """Return the attribute `weight` of edges, 1 where an edge does not have it.

    If no edge has it, that is an error if a caller asked for it.
    """
    if weight is None or not any(weight in data for *_, data in edges):
        if edges and weight not in (None, "weight"):
            raise ArgumentError(f"weight={weight!r} is an attribute of no edge of the graph; pass weight=None.")
        return np.ones(len(edges))
    values: list[Foreign] = [unwrapped(data.get(weight, 1.0)) for *_, data in edges]
    for (u, v, _), value in zip(edges, values, strict=True):
        real = is_real(value)  # float("3") is a number, and float(10**400) an error
        if not real or abs(value) > sys.float_info.max:
            problem = f"The edge {u!r}, {v!r} has {weight}={value!r:.40}"
            raise GraphError(f"{problem}; make it a finite number, or pass weight=None.")
    return np.array(values, dtype=np.float64)


def table_edges(
    table: object,
    weight: str | None,
    ends: tuple[str, str] | None = None,
    *,
    what: str = "graph",
    directed: bool | None = None,
) -> EdgeList | None:
    """Return the edges of a table with one edge per row, which messages call `what`; None for other values."""
    frame = as_table(table, what)
    return None if frame is None else collect_edges(*table_columns(frame, weight, ends, what), directed=directed)


def table_columns(
    frame: nw.DataFrame[Foreign], weight: str | None, ends: tuple[str, str] | None, what: str
) -> tuple[Labels, Labels, Array | None]:
    """Return the end points of a table with one edge per row, and the weights if there are any."""
    import narwhals.stable.v1 as nw

    table: Foreign = frame.to_native()
    # A square table has texts as titles; those of pandas.crosstab are named, and so is its index.
    if _is_of(table, "pandas", "DataFrame") and (
        set(table.index) == set(map(str, table.columns)) or None not in (table.index.name, table.columns.name)
    ):
        remedy = f"{what}.to_numpy() with names=, or {what}.stack().rename('weight').reset_index()"
        raise ArgumentTypeError(f"{what} is a matrix with titles, not a list of edges; pass {remedy}.")
    source, target, last = choose_columns(frame.columns, weight, what, ends)
    one, two = (
        as_labels(end.to_numpy() if end.dtype.is_integer() and end.dtype != nw.Int128 else end.to_list(), what)
        for end in (frame[:, source], frame[:, target])
    )
    if last is None:
        return one, two, None
    column = frame[:, last]
    if not column.dtype.is_numeric() and column.dtype != nw.Boolean:
        remedy = "make it numeric, or pass weight=None"
        raise ArgumentTypeError(f"The column {column.name!r} of {what} has {column.dtype}; {remedy}.")
    return one, two, column.cast(nw.Float64).to_numpy()


def choose_columns(
    columns: Sequence[str], weight: str | None, what: str, ends: tuple[str, str] | None = None
) -> tuple[int, int, int | None]:
    """Return the positions of source, target and weight among the columns; None where there is no weight.

    `ends` are the titles of source and target; by default they are found among `ENDPOINT_COLUMNS`.
    """
    titles = list(map(str, columns))
    lower = [title.lower() for title in titles]
    problem = f"{what} has the columns {str(titles[:20])[:200]}"
    found = [pair for pair in ENDPOINT_COLUMNS if all(lower.count(name) == 1 for name in pair)]
    if ends is not None:
        if [titles.count(title) for title in {*ends}] != [1, 1]:
            raise ArgumentError(f"source={ends[0]!r} and target={ends[1]!r}, but {problem}; pass two of them.")
        source, target = map(titles.index, ends)
    elif found:
        source, target = map(lower.index, found[0])
    elif len(lower) in (2, 3) and "weight" not in lower[:2]:
        source, target = 0, 1
    else:
        raise ArgumentError(f"{problem}; name those of end points source and target, or pass source= and target=.")
    # Gephi's column Type has no weights.
    others = [k for k in range(len(titles)) if k not in (source, target) and lower[k] != "type"]
    if weight is None or (weight == "weight" and not others):
        return source, target, None
    same = [k for k in others if titles[k] == weight] or [k for k in others if lower[k] == weight.lower()]
    if len(same) != 1:
        raise ArgumentError(f"weight={weight!r}, but {problem}; pass another one of them, or weight=None.")
    return source, target, same[0]


def has_edge_index(graph: Foreign) -> bool:
    """Whether a value is an object or a mapping with an `edge_index`, and not a table with such a column."""
    return _field(graph, "edge_index") is not None and not hasattr(graph, "columns")


def _field(graph: Foreign, name: str) -> Foreign:
    return graph.get(name) if isinstance(graph, Mapping) else getattr(graph, name, None)


def _from_edge_index(graph: Foreign, weight: str | None) -> EdgeList:
    """Return the edges of a graph with an `edge_index`, and its labels `y` as a vertex attribute.

    Entry (0, k) of `edge_index` is the source of arc k, and entry (1, k) its target. The graph is undirected if
    its matrix is symmetric, that is, if each edge is listed from both ends.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        If `edge_index` is not an array of integers from 0 to ``num_nodes - 1`` with two rows, or there is not one
        weight for each arc.
    GraphError
        If there are no vertices, or a weight is not finite.
    """
    index = as_real("edge_index", _field(graph, "edge_index"))
    if index.ndim != 2 or len(index) != 2 or (index.size and index.dtype.kind not in "iu"):
        raise ArgumentError(f"edge_index is {index.dtype} of shape {index.shape}; pass integers of shape (2, m).")
    source, target = index.astype(np.intp, copy=False)
    least, most, n = int(index.min(initial=0)), int(index.max(initial=-1)), _field(graph, "num_nodes")
    n = check_count("num_nodes", most + 1 if n is None else n)
    if least < 0 or most >= n:
        raise ArgumentError(
            f"edge_index has numbers from {least} to {most} and num_nodes is {n}; pass 0 ... n - 1."
        )
    y, weights = _field(graph, "y"), _arc_weights(graph, weight, len(source))
    labelled = np.shape(y) in ((n,), (n, 1))  # otherwise `y` labels the graph, or several tasks
    attributes = {"y": np.asarray(y).ravel().tolist()} if labelled else {}
    arcs = EdgeList(range(n), source, target, weights, True, attributes)
    if tidy_matrix(edges_matrix(arcs, Rules(unweighted=weight is None)), None, Rules())[1]:
        return arcs
    once = source <= target
    return EdgeList(range(n), source[once], target[once], weights[once], False, attributes)


def _arc_weights(graph: Foreign, weight: str | None, m: int) -> Array:
    """Return the weights of m arcs, by default `edge_weight`, or 1 if there are none."""
    name = "edge_weight" if weight == "weight" and _field(graph, weight) is None else weight
    given = None if name is None else _field(graph, name)
    if name is None or given is None:
        if name not in (None, "edge_weight"):
            raise ArgumentError(f"weight={weight!r}, which the graph with an edge_index lacks; pass weight=None.")
        return np.ones(m)
    values = as_real(name, given)
    if values.shape not in ((m,), (m, 1)):
        raise ArgumentError(f"{name} has shape {values.shape} for {m} arcs; pass {m} weights, or weight=None.")
    return values.ravel().astype(np.float64)
