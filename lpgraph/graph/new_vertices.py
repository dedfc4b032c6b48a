"""New vertices in any form, as sparse rows over the known vertices."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import LARGEST, check_finite_array, check_scale, is_matrix, is_real
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError, UnknownVertexError

from .adjacency import NewEdges as NewEdges
from .assemble import EdgeList, Rules, real_csr
from .construct import as_adjacency, assembled, collect_edges, is_graph, table_edges
from .names import as_labels, as_names, called_like, code_names, index_of, is_listing, listed, name_at, names_at

if TYPE_CHECKING:
    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Integers

    from .names import Names


def as_new_edges(
    new: object, names: Names | Sequence[Hashable] | Mapping[Hashable, int], *, directed: bool = False
) -> NewEdges:
    """Return new vertices, given in any form, as sparse rows over the known vertices.

    Parameters
    ----------
    new : rows, mapping, edge list or graph
        - Rows of shape (m, n), sparse or dense: entry (i, j) is the weight of the edge from new vertex i to
          known vertex j. Sparse rows are shared, not copied, if they are canonical float64 csr.
        - A pair (tuple) of such rows, if the known graph is directed: the arcs from the new vertices to known
          ones, and the arcs to them.
        - ``{name: neighbors}``, the neighbors an iterable of names or ``{name: weight}``. A neighbor is a known
          vertex or, if there is none of that name, another key. An undirected edge may be given at one end or at
          both. In a directed graph neighbors are the targets of arcs.
        - An edge list: tuples (u, v) or (u, v, weight), or a table as `as_adjacency` takes.
        - A graph (networkx, igraph, `Adjacency`, a sampled one, an `edge_index`).
        - A sampled batch that has ``adjacency`` (m, n), ``among`` and possibly ``adjacency_in``.
    names : sequence of n hashables, or mapping of name to row
        The known vertices. A mapping (`Adjacency.index`) spares building one at each call.
    directed : bool
        Whether the known graph is directed.

    Returns
    -------
    NewEdges

    Raises
    ------
    UnknownVertexError
        When a neighbor is neither known nor new.
    ArgumentError, ArgumentTypeError
        When rows are of the wrong length, or all vertices are known.
    GraphError
        When a weight is not a finite number.

    Warns
    -----
    LpgraphWarning
        When there are edges between known vertices, or when no name is known.

    Notes
    -----
    The rule for names is the same in a mapping, an edge list and a graph. A vertex whose name is not known is new.
    Edges between two known vertices belong to the known graph: they are left out, and counted in a warning. If no
    vertex is new, that is an error; but a graph or an edge list on exactly the known vertices gives their rows in
    the known order. As in `from_edges`, edges that are listed several times add up, and a loop is an edge of the
    new vertex with itself. The fit has loops of known vertices on the diagonal of the matrix; loops of new ones
    are edges among new vertices, which only the batch rule uses.

    Examples
    --------
    >>> from lpgraph.graph.new_vertices import as_new_edges
    >>> edges = as_new_edges({"x": ["a", "c"], "y": {"b": 0.5, "x": 1.0}}, ["a", "b", "c"])
    >>> edges.rows.toarray()
    array([[1. , 0. , 1. ],
           [0. , 0.5, 0. ]])
    >>> edges.among.toarray()
    array([[0., 1.],
           [1., 0.]])
    """
    if isinstance(new, NewEdges):
        return new
    found = read_edges(new, index_of(names), directed)
    if found.n_ignored:
        warn(f"new has {found.n_ignored} edges between known vertices, which are left out.")
    return found


def read_edges(new: Foreign, index: Mapping[Hashable, int], directed: bool) -> NewEdges:
    """Return new vertices in any form as rows over the known ones."""
    n = len(index)
    if is_matrix(new):  # before mappings: a dok_array is one
        return _from_rows([new], n)
    if isinstance(new, Mapping) and "edge_index" not in new:
        found = _from_edges(_of_mapping(new, index, directed), index, directed)
        known_only = found.rows_in is not None and found.rows_in.nnz == 0  # arcs to new vertices are not given
        return replace(found, rows_in=None if known_only else found.rows_in)
    if hasattr(new, "adjacency") and hasattr(new, "among"):  # a sampled batch
        sides = new.adjacency, getattr(new, "adjacency_in", None)
        found = _from_rows([side for side in sides if side is not None], n)
        among = None if new.among is None else real_csr(new.among, "new.among", new=True)
        return replace(found, among=among, only_rows=among is None)
    if isinstance(new, tuple) and len(new) == 2 and all(map(is_matrix, new)):
        if not directed:
            raise ArgumentError("new is a pair of rows but the known graph is undirected; pass only one of them.")
        return _from_rows(new, n)
    edges = listed_edges(new, "new", directed=directed)
    if edges is not None:
        check_linked(edges.names, index, "new")
        return _from_edges(edges, index, directed)
    if isinstance(new, list | tuple) or hasattr(new, "__array__"):
        return _from_rows([check_finite_array("new", new)], n)
    wanted = f"rows of shape (m, {n}), {{name: neighbors}}, edges between new and known names, or a graph"
    raise ArgumentTypeError(f"new={new!r:.40} is a {type(new).__name__}; pass {wanted}, such as read_graph(path).")


def listed_edges(
    edges: object, argument: str, *, directed: bool, weight: str | None = "weight"
) -> EdgeList | None:
    """Return edges in a graph, a list of tuples (u, v) or (u, v, weight), or a table; None for other values."""
    if is_graph(edges):
        graph = as_adjacency(edges, weight=weight)
        if graph.directed and not directed:
            remedy = f"pass as_adjacency({argument}, directed=False)"
            raise ArgumentError(f"{argument} is directed and the known graph is undirected; {remedy}.")
        return EdgeList(graph.names, *graph.edge_list(), graph.directed)
    if isinstance(edges, list | tuple):
        if not edges or not all(isinstance(edge, tuple) for edge in edges):
            return None
        widths = set(map(len, edges))
        if widths not in ({2}, {3}):
            raise ArgumentError(
                f"{argument} has tuples of lengths {sorted(widths)}; pass (u, v) or (u, v, weight)."
            )
        source, target, *weights = ([*column] for column in zip(*edges, strict=True))
        return collect_edges(source, target, weights[0] if weights else None, directed=directed)
    return table_edges(edges, weight, what=argument, directed=directed)


def _rows(rows: Foreign, n: int, argument: str) -> sparse.csr_array:
    if rows.ndim != 2:
        # scikit-learn's checks look for "Reshape your data".
        raise ArgumentError(f"{argument} has shape {rows.shape}. Reshape your data: row.reshape(1, -1).")
    if rows.shape[1] != n:
        raise ArgumentError(f"{argument} has shape {rows.shape} and {n} vertices are known; pass shape (m, {n}).")
    return real_csr(rows, argument, new=True)


def _from_rows(given: Sequence[Foreign], n: int) -> NewEdges:
    """Return new vertices from rows, and possibly from arcs in the other direction."""
    rows, *inward = (_rows(one, n, "new" if len(given) == 1 else f"new[{k}]") for k, one in enumerate(given))
    if inward and rows.shape != inward[0].shape:
        raise ArgumentError(f"new has shapes {rows.shape} and {inward[0].shape}; pass rows of the same vertices.")
    return NewEdges(rows, range(rows.shape[0]), inward[0] if inward else None, only_rows=True)


def _of_mapping(new: Mapping[Hashable, object], index: Mapping[Hashable, int], directed: bool) -> EdgeList:
    """Return the edges in ``{name: neighbors}``; an undirected one that is given at both ends counts once."""
    if new and all(name in index for name in new):
        raise ArgumentError(f"All {len(new)} vertices of new are known; pass new ones.")
    weights: dict[tuple[Hashable, Hashable], float] = {}
    for name, neighbors in new.items():
        for neighbor, value in _neighbors(name, neighbors):
            weights[name, neighbor] = weights.get((name, neighbor), 0.0) + value
    names = list(dict.fromkeys([*new, *(neighbor for _, neighbor in weights)]))
    unknown = [name for name in names if name not in index and name not in new]
    if unknown:
        remedy = "A neighbor is a known vertex or another new one; fit them too, or leave them out."
        raise UnknownVertexError(unknown, f"{called_like(index)} {remedy}")
    for (u, v), value in [] if directed else list(weights.items()):
        other = weights.get((v, u), value)
        if other != value:
            raise ArgumentError(f"The edge {u!r}, {v!r} of new weighs {value} and {other}; pass one weight.")
        if u != v and (u, v) in weights:
            weights.pop((v, u), None)
    row = {name: i for i, name in enumerate(names)}
    ends = np.array([(row[u], row[v]) for u, v in weights], dtype=np.intp).reshape(-1, 2)
    values = np.array([*weights.values()], dtype=np.float64)
    return EdgeList(as_names(names, argument="new"), ends[:, 0], ends[:, 1], values, directed)


def _neighbors(name: Hashable, neighbors: object) -> Iterable[tuple[Hashable, float]]:
    """Return pairs of neighbor and weight, which are checked."""
    if is_listing(neighbors):
        return [(neighbor, 1.0) for neighbor in as_labels(neighbors, f"new[{name!r}]").tolist()]
    if not isinstance(neighbors, Mapping):
        raise ArgumentTypeError(f"new[{name!r}]={neighbors!r:.40}; pass names, or a mapping to weights.")
    for neighbor, value in neighbors.items():
        real = is_real(value)
        if not real or not abs(value) <= LARGEST:
            raise ArgumentError(f"new[{name!r}][{neighbor!r}]={value!r:.40}; pass up to {LARGEST:g}.")
    return [(neighbor, float(value)) for neighbor, value in neighbors.items()]


def _from_edges(edges: EdgeList, index: Mapping[Hashable, int], directed: bool) -> NewEdges:
    """Return new vertices from edges by name: those that are not known, or exactly the known ones."""
    n, known = len(index), code_names(as_labels(edges.names, "new"), index, missing=-1)
    is_new = known < 0
    if len(known) and not is_new.any():
        if len(known) != n:
            raise ArgumentError(
                f"All {len(known)} vertices of new are known; pass new ones, or all {n} known ones."
            )
        graph = assembled(edges, Rules()).take(np.argsort(known))
        rows_in = graph.matrix.T.tocsr() if directed else None
        return NewEdges(graph.matrix, graph.names, rows_in, only_rows=True, n_known=n)
    if not np.isfinite(edges.weight).all():
        raise GraphError("new has a weight that is not finite; replace or drop it.")
    check_scale("new has weights", edges.weight.min(initial=0), edges.weight.max(initial=0), new=True)
    arcs, m = edges.redirected(directed), int(is_new.sum())
    place = np.where(is_new, n - 1 + np.cumsum(is_new), known)
    source, target = place[arcs.source], place[arcs.target]
    if not directed:
        source, target = np.maximum(source, target), np.minimum(source, target)

    def of_new(ends: Integers, others: Integers) -> sparse.csr_array:
        chosen = ends >= n
        found = sparse.csr_array((arcs.weight[chosen], (ends[chosen] - n, others[chosen])), shape=(m, n + m))
        found.eliminate_zeros()
        return found

    out = of_new(source, target)
    rows_in, among = of_new(target, source)[:, :n] if directed else None, out[:, n:]
    if not directed:
        among = among + sparse.tril(among, k=-1).T.tocsr()
    ignored = np.stack([source, target])[:, np.maximum(source, target) < n]
    return NewEdges(
        out[:, :n],
        names_at(edges.names, np.flatnonzero(is_new)),
        rows_in,
        among if among.nnz else None,
        n_known=len(known) - m,
        n_ignored=np.unique(ignored, axis=1).shape[1],
    )


def check_linked(everyone: Names, index: Mapping[Hashable, int], argument: str) -> None:
    """Refuse names of which none is known because the known are integers and these are texts, or the reverse.

    The names in a file are integers or texts depending on that file alone. Without this check all of its vertices
    would count as new, without an edge to a known one, and would be placed at the origin. If none is known for
    another reason, a warning says so.
    """
    if not len(everyone) or any(name in index for name in listed(everyone)):
        return
    first = name_at(everyone, 0)
    problem = f"None of the {len(everyone)} names in {argument}, such as {first!r}, is known. {called_like(index)}"
    if isinstance(next(iter(index)), str) != isinstance(first, str):
        raise UnknownVertexError(listed(everyone), f"{problem} Use the same type of names in both.")
    warn(f"{problem} Pass edges between new vertices and known ones.")
