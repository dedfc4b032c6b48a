"""New vertices in any form, as sparse rows over the known vertices."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import LARGEST, check_finite_array, is_matrix
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphWarning, UnknownVertexError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.adjacency import NewEdges as NewEdges
from lpgraph.graph.assemble import EdgeList, Rules, edges_matrix, real_csr
from lpgraph.graph.construct import as_adjacency, assembled, collect_edges, is_graph, table_columns
from lpgraph.graph.names import (
    as_labels,
    as_names,
    check_hashable,
    code_names,
    index_of,
    is_listing,
    listed,
    name_at,
    names_at,
    only_one_is_text,
    texts_of,
)
from lpgraph.graph.unknown_names import alike, difference

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph._utils.checks import Foreign
    from lpgraph.graph.names import Names

#: Weights of edges by row and column.
Ties: TypeAlias = dict[tuple[int, int], float]


def as_new_edges(
    new: object,
    names: Names | Sequence[Hashable] | Mapping[Hashable, int],
    *,
    directed: bool = False,
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
        When there are edges between known vertices, when no name is known, or when a new vertex of an edge list
        or a graph has no known neighbor and is written like a known vertex.

    Notes
    -----
    The rule for names is the same in a mapping, an edge list and a graph. A vertex whose name is not known is new.
    Edges between two known vertices belong to the known graph: they are left out, and counted in a warning. If no
    vertex is new, that is an error; but a graph or an edge list on exactly the known vertices gives their rows in
    the known order. As in `from_edges`, edges that are listed several times add up, and a loop is an edge of the
    new vertex with itself. The fit has loops of known vertices on the diagonal of the matrix; loops of new ones
    (`NewEdges.n_loops`) are edges among new vertices, which only the batch rule uses.

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
        problem = f"new has {found.n_ignored} edges between known vertices, which are left out"
        warn(f"{problem}; fit again to take them in.", LpgraphWarning)
    return found


def read_edges(new: Foreign, index: Mapping[Hashable, int], directed: bool) -> NewEdges:
    """Return new vertices in any form as rows over the known ones."""
    n = len(index)
    if is_matrix(new):  # before mappings: a dok_array is one
        return _from_rows([new], n)
    if isinstance(new, Mapping) and "edge_index" not in new:
        return _from_mapping(new, index, directed)
    if hasattr(new, "adjacency") and hasattr(new, "among"):  # a sampled batch
        sides = new.adjacency, getattr(new, "adjacency_in", None)
        found = _from_rows([side for side in sides if side is not None], n)
        among = None if new.among is None else real_csr(new.among, "new.among", new=True)
        return replace(found, among=among, only_rows=among is None)
    if isinstance(new, tuple) and len(new) == 2 and all(map(is_matrix, new)):
        if not directed:
            raise ArgumentError("new is a pair of rows but the known graph is undirected; pass only one of them.")
        return _from_rows(new, n)
    if isinstance(new, Adjacency) and new.directed <= directed:
        known = code_names(as_labels(new.names, "new"), index, missing=-1)
        if np.array_equal(known, np.arange(n)):  # without listing its edges
            return _of_known(new, directed)
    edges = listed_edges(new, "new", directed=directed)
    if edges is not None:
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
        graph = as_adjacency(edges)
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
                f"{argument} has tuples of lengths {sorted(widths)}; pass (u, v), or (u, v, weight) throughout."
            )
        source, target, *weights = ([*column] for column in zip(*edges, strict=True))
        return collect_edges(source, target, weights[0] if weights else None, directed=directed)
    columns = table_columns(edges, weight, what=argument)
    return None if columns is None else collect_edges(*columns, directed=directed)


def _rows(rows: Foreign, n: int, argument: str) -> sparse.csr_array:
    if rows.ndim != 2:
        # scikit-learn's checks look for "Reshape your data".
        raise ArgumentError(f"{argument} has shape {rows.shape}. Reshape your data: row.reshape(1, -1).")
    if rows.shape[1] != n:
        problem = f"{argument} has rows of length {rows.shape[1]} but there are {n} known vertices"
        raise ArgumentError(f"{problem}; pass shape (m, {n}), with entry (i, j) for new i and known j.")
    return real_csr(rows, argument, new=True)


def _from_rows(given: Sequence[Foreign], n: int) -> NewEdges:
    """Return new vertices from rows, and possibly from arcs in the other direction."""
    rows, *inward = (_rows(one, n, "new" if len(given) == 1 else f"new[{k}]") for k, one in enumerate(given))
    if inward and rows.shape != inward[0].shape:
        raise ArgumentError(
            f"new has rows of shape {rows.shape} and {inward[0].shape}; pass both for the same new vertices."
        )
    return NewEdges(rows, range(rows.shape[0]), inward[0] if inward else None, only_rows=True)


def _from_mapping(new: Mapping[Hashable, object], index: Mapping[Hashable, int], directed: bool) -> NewEdges:
    """Return new vertices from ``{name: neighbors}``."""
    # Plain dicts throughout: for one vertex with ten neighbors, array calls would cost more than the work.
    names = as_names([name for name in new if name not in index], argument="new")
    if new and not len(names):
        raise _all_known(list(new), len(index))
    m, n = len(names), len(index)
    place = dict(zip(listed(names), range(n, n + m), strict=True))  # new vertices are numbered from n on
    unknown: dict[Hashable, None] = {}
    between: set[tuple[int, int]] = set()
    ties: Ties = {}
    for name, neighbors in new.items():
        i = index.get(name, place.get(name, -1))
        for neighbor, value in _neighbors(name, neighbors):
            j = index.get(neighbor, place.get(neighbor, -1))
            if j < 0:
                unknown[neighbor] = None
            elif i < n and j < n:
                between.add((i, j) if directed else (min(i, j), max(i, j)))
            else:
                ties[i, j] = ties.get((i, j), 0.0) + value
    if unknown:
        remedy = "A neighbor is a known vertex or another new one; fit them too, or leave them out."
        raise UnknownVertexError(unknown, f"{alike(unknown, index)} {remedy}".lstrip())
    ties = ties if directed else _undirected(ties, names, n)
    outward = {(i - n, j): value for (i, j), value in ties.items() if j < n}
    inward = {(j - n, i): value for (i, j), value in ties.items() if i < n}
    among = {(i - n, j - n): value for (i, j), value in ties.items() if i >= n and j >= n}
    if not directed:
        among |= {(j, i): value for (i, j), value in among.items()}
    return NewEdges(
        _sparse(outward, m, n),
        names,
        _sparse(inward, m, n) if inward else None,
        _sparse(among, m, m) if among else None,
        n_ignored=len(between),
    )


def _undirected(ties: Ties, names: Names, n: int) -> Ties:
    """Return edges from the later to the earlier vertex; one that is given at both ends counts once."""
    merged: Ties = {}
    for (i, j), value in ties.items():
        pair = (i, j) if i > j else (j, i)
        if merged.setdefault(pair, value) != value:
            problem = (
                f"An edge of {name_at(names, pair[0] - n)!r} has weight {merged[pair]} at one end and {value}"
            )
            raise ArgumentError(f"{problem} at the other; give it the same at both, or at one end only.")
    return merged


def _sparse(ties: Ties, m: int, n: int) -> sparse.csr_array:
    """Return rows given by the weight of each known vertex; an edge of weight 0 is no edge."""
    kept = sorted(tie for tie in ties.items() if tie[1] != 0)
    counts = [0] * (m + 1)
    for (i, _), _ in kept:
        counts[i + 1] += 1
    dtype = sparse.get_index_dtype(maxval=max(m, n, len(kept)))
    indices = np.array([pair[1] for pair, _ in kept], dtype=dtype)
    data = np.array([value for _, value in kept], dtype=np.float64)
    return sparse.csr_array((data, indices, np.array(list(accumulate(counts)), dtype=dtype)), shape=(m, n))


def _all_known(names: Sequence[Hashable], n: int) -> ArgumentError:
    return ArgumentError(f"All {len(names)} vertices of new are known; pass new ones, or all {n} known ones.")


def _neighbors(name: Hashable, neighbors: object) -> Iterable[tuple[Hashable, float]]:
    """Return pairs of neighbor and weight, which are checked."""
    if is_listing(neighbors):
        found = list(neighbors)
        check_hashable(found, f"new[{name!r}]")
        return [(neighbor, 1.0) for neighbor in found]
    if not isinstance(neighbors, Mapping):
        raise ArgumentTypeError(
            f"new[{name!r}]={neighbors!r:.40}; pass a list of names, or a mapping of names to weights."
        )
    for neighbor, value in neighbors.items():
        real = isinstance(value, int | float | np.integer | np.floating)
        if not real or not abs(value) <= LARGEST:
            shown = "too large" if isinstance(value, int) else f"{value!r:.40}"
            raise ArgumentError(f"new[{name!r}][{neighbor!r}] is {shown}; pass finite weights up to {LARGEST:g}.")
    return [(neighbor, float(value)) for neighbor, value in neighbors.items()]


def _from_edges(edges: EdgeList, index: Mapping[Hashable, int], directed: bool) -> NewEdges:
    """Return new vertices from edges by name: those that are not known, or exactly the known ones."""
    known = code_names(as_labels(edges.names, "new"), index, missing=-1)
    if len(known) and (known >= 0).all():
        if len(known) != len(index):
            raise _all_known(listed(edges.names), len(index))
        return _of_known(assembled(edges, Rules()).take(np.argsort(known)), directed)
    return _split(edges, known, index, directed)


def _of_known(graph: Adjacency, directed: bool) -> NewEdges:
    """Return the rows of a graph on exactly the known vertices, in their order."""
    rows_in = graph.matrix.T.tocsr() if directed else None
    return NewEdges(graph.matrix, graph.names, rows_in, only_rows=True, n_known=graph.n_vertices)


def check_linked(
    everyone: Names, known: NDArray[np.intp], index: Mapping[Hashable, int], argument: str = "new"
) -> None:
    """Refuse names of which none is known because the known are integers and these are texts, or the reverse.

    The names in a file are integers or texts depending on that file alone. Without this check all of its vertices
    would count as new, without an edge to a known one, and would be placed at the origin. If none is known for
    another reason, a warning says so.
    """
    if (known >= 0).any() or not len(everyone):
        return
    mine, theirs = next(iter(index)), name_at(everyone, 0)
    problem = f"None of the {len(everyone)} names in {argument} is known. {difference(listed(everyone), index)}"
    if only_one_is_text(mine, theirs):
        raise UnknownVertexError(listed(everyone), f"{problem} Use the same type of names in both.")
    warn(f"{problem} Pass edges between new vertices and known ones.", LpgraphWarning)


def _split(edges: EdgeList, known: NDArray[np.intp], index: Mapping[Hashable, int], directed: bool) -> NewEdges:
    """Divide edges into new -> known, known -> new and new -> new; `known` has -1 for new vertices."""
    check_linked(edges.names, known, index)
    both = np.flatnonzero((known[edges.source] >= 0) & (known[edges.target] >= 0))
    pairs = np.stack([edges.source[both], edges.target[both]])
    if not edges.directed:
        pairs.sort(axis=0)
    n_ignored = np.unique(pairs, axis=1).shape[1]
    edges = edges.redirected(directed)
    u, v, is_new = edges.source, edges.target, known < 0
    weight = np.ones(u.size) if edges.weight is None else edges.weight
    names = names_at(edges.names, np.flatnonzero(is_new))
    place = np.where(is_new, np.cumsum(is_new) - 1, known)  # among the new vertices, or among the known ones
    out, inward, inside = is_new[u] & ~is_new[v], ~is_new[u] & is_new[v], is_new[u] & is_new[v]

    def block(rows: NDArray[np.intp], columns: NDArray[np.intp], chosen: NDArray[np.bool_]) -> sparse.csr_array:
        entries = weight[chosen], (place[rows[chosen]], place[columns[chosen]])
        return real_csr(sparse.coo_array(entries, shape=(len(names), len(index))), "new", new=True)

    first, second = (u, v) if directed else (np.where(is_new[u], u, v), np.where(is_new[u], v, u))
    among = EdgeList(names, place[u[inside]], place[v[inside]], weight[inside], directed)
    found = NewEdges(
        block(first, second, out if directed else out | inward),
        names,
        block(v, u, inward) if directed else None,
        edges_matrix(among, Rules()) if inside.any() else None,
        n_known=len(known) - len(names),
        n_ignored=n_ignored,
    )
    if found.n_known:
        alone = [name_at(names, i) for i in np.flatnonzero(~found.has_known_neighbor).tolist()]
        question = alike(texts_of(alone), index)
        if question:
            warn(f"{question} It is new and has no known neighbor; correct the name if so.", LpgraphWarning)
    return found
