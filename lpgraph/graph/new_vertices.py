"""New vertices in any form, as sparse rows over the known vertices."""

from __future__ import annotations

import os
import sys
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._articles import with_article
from lpgraph._checks import check_finite_array
from lpgraph._warnings import warn
from lpgraph.errors import ArgumentError, ArgumentTypeError, LpgraphWarning
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.assemble import real_csr
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.convert import check_weight_name, table_columns
from lpgraph.graph.names import as_names, index_of
from lpgraph.graph.new_edges import NewEdges
from lpgraph.graph.new_vertices_named import from_edges, from_graph, from_mapping, from_tuples

if TYPE_CHECKING:
    from typing import Any

    from lpgraph.graph.names import Names

__all__ = ["NewEdges", "as_new_edges", "is_graph"]


def as_new_edges(
    new: object,
    names: Names | Sequence[Hashable] | Mapping[Hashable, int],
    *,
    directed: bool = False,
    weight: str | None = "weight",
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
          vertex or, if there is none of that name, another key. An undirected edge may stand with one end or with
          both. In a directed graph neighbors are the targets of arcs.
        - An edge list: tuples (u, v) or (u, v, weight), or a table as `as_adjacency` takes.
        - A graph (networkx, igraph, `Adjacency`, a sampled one).
        - A sampled batch that has ``adjacency`` (m, n), ``among`` and possibly ``adjacency_in``.
    names : sequence of n hashables, or mapping of name to row
        The known vertices. A mapping (`Adjacency.index`) spares building one at each call.
    directed : bool
        Whether the known graph is directed.
    weight : str or None
        Name of the edge attribute or column with the weights; None ignores weights of graphs and tables.

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
        or a graph has no known neighbor and almost the name of a known vertex.

    Notes
    -----
    The rule for names is the same in a mapping, an edge list and a graph. A vertex whose name is not known is new.
    Edges between two known vertices belong to the known graph: they are left out, and counted in a warning. If no
    vertex is new, that is an error; but a graph or an edge list on exactly the known vertices gives their rows in
    the known order. As in `from_edges`, edges that are listed several times add up (`NewEdges.n_repeated` counts
    them), and a loop is an edge of the new vertex with itself. The fit has loops of known vertices on the diagonal
    of the matrix; loops of new ones (`NewEdges.n_loops`) are edges among new vertices, which only the batch rule
    uses.

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
    found = _read(new, index_of(names), directed, check_weight_name(weight))
    if found.n_ignored:
        one = found.n_ignored == 1
        warn(
            f"new has {found.n_ignored} edge{'' if one else 's'} between known vertices, which "
            f"{'is' if one else 'are'} left out; fit again to take {'it' if one else 'them'} in.",
            LpgraphWarning,
        )
    return found


def _read(new: object, index: Mapping[Hashable, int], directed: bool, weight: str | None) -> NewEdges:
    """Return new vertices in any form as rows over the known ones."""
    if _is_matrix(new):  # before mappings: a dok_array is one
        return _from_rows(new, len(index))
    if isinstance(new, Mapping):
        return from_mapping(new, index, directed)
    if isinstance(new, str | os.PathLike):
        raise ArgumentTypeError(f"new={str(new)!r} is a path; pass read_graph({str(new)!r}).")
    if is_graph(new):
        return from_graph(as_adjacency(new, weight=weight), index, directed)
    if hasattr(new, "adjacency") and hasattr(new, "among"):
        return _from_batch(new, len(index))
    if isinstance(new, tuple) and len(new) == 2 and all(map(_is_matrix, new)):
        return _from_pair(new, len(index), directed)
    if isinstance(new, list | tuple):
        if new and all(isinstance(edge, tuple) for edge in new):
            return from_tuples(new, index, directed)
        return _from_rows(check_finite_array("new", new), len(index))
    columns = table_columns(new, weight, what="new")
    if columns is None and hasattr(new, "__array__"):
        return _from_rows(np.asarray(new), len(index))
    if columns is None:
        module = "" if type(new).__module__ == "builtins" else f"{type(new).__module__}."
        raise ArgumentTypeError(
            f"new is {with_article(module + type(new).__qualname__)}; "
            f"pass rows of shape (m, {len(index)}), "
            "{name: neighbors}, an edge list between new and known names, or a graph."
        )
    return from_edges(*columns, index, directed)


def _is_matrix(new: object) -> bool:
    return sparse.issparse(new) or isinstance(new, np.ndarray)


def is_graph(new: object) -> bool:
    """Whether a value is a graph: of networkx or igraph, an `Adjacency` or a sampled one."""
    networkx, igraph = sys.modules.get("networkx"), sys.modules.get("igraph")
    return (
        isinstance(new, Adjacency)
        or (networkx is not None and isinstance(new, networkx.Graph))
        or (igraph is not None and isinstance(new, igraph.GraphBase))
        or (hasattr(new, "adjacency") and hasattr(new, "directed") and not hasattr(new, "among"))
    )


def _rows(rows: Any, n: int, argument: str = "new") -> sparse.csr_array:
    if rows.ndim != 2:
        remedy = (
            "Reshape your data: row.reshape(1, -1) for one vertex" if rows.ndim == 1 else "Pass two dimensions"
        )
        raise ArgumentError(f"{argument} has shape {rows.shape}. {remedy}.")
    if rows.shape[1] != n:
        raise ArgumentError(
            f"{argument} has rows of length {rows.shape[1]} but there are {n} known vertices; "
            f"pass shape (m, {n}), with entry (i, j) for new vertex i and known vertex j."
        )
    return real_csr(rows, argument, new=True)


def _from_rows(new: Any, n: int) -> NewEdges:
    rows = _rows(new, n)
    return NewEdges(rows, range(rows.shape[0]), only_rows=True)


def _from_pair(new: Any, n: int, directed: bool) -> NewEdges:
    if not directed:
        raise ArgumentError("new is a pair of rows but the known graph is undirected; pass only one of them.")
    rows, inward = _rows(new[0], n, "new[0]"), _rows(new[1], n, "new[1]")
    if rows.shape != inward.shape:
        raise ArgumentError(
            f"new has rows of shape {rows.shape} and {inward.shape}; pass both for the same new vertices."
        )
    return NewEdges(rows, range(rows.shape[0]), inward, only_rows=True)


def _from_batch(new: Any, n: int) -> NewEdges:
    rows = _rows(new.adjacency, n, "new.adjacency")
    m = rows.shape[0]
    inward = getattr(new, "adjacency_in", None)
    return NewEdges(
        rows,
        as_names(getattr(new, "names", range(m)), m),
        None if inward is None else _rows(inward, n, "new.adjacency_in"),
        None if new.among is None else _rows(new.among, m, "new.among"),
        only_rows=new.among is None,
    )
