"""Conversion of graphs of other libraries, without importing these libraries."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph._articles import a_type, with_article
from lpgraph._checks import LARGEST, check_finite_array
from lpgraph._warnings import warn
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError, LpgraphWarning
from lpgraph.graph.assemble import EdgeList
from lpgraph.graph.label_signs import warn_of_labels
from lpgraph.graph.name_warnings import warn_of_blanks, warn_of_types
from lpgraph.graph.names import Labels, as_labels, as_names, name_at, number_by_appearance
from lpgraph.graph.square_tables import refuse_matrix, titles
from lpgraph.graph.unused_weights import may_be_weight, report_unused

if TYPE_CHECKING:
    from narwhals.stable.v1 import Series
    from numpy.typing import NDArray

    from lpgraph.graph.names import Names

__all__ = ["ENDPOINT_COLUMNS", "check_ends", "check_weight_name", "choose_columns", "recognise", "table_columns"]

# Names of the two end point columns of an edge list, in any case; the first pair that is found is used.
ENDPOINT_COLUMNS = (("source", "target"), ("from", "to"), ("src", "dst"), ("u", "v"), ("i", "j"), ("tail", "head"))


def recognise(graph: Any, weight: str | None, ends: tuple[str, str] | None = None) -> tuple[Any, bool | None]:
    """Return the graph's `EdgeList` or matrix, and whether it is directed (None if unknown).

    `ends` are the titles of the columns of end points, which only a table has.
    """
    if ends is not None:
        columns = table_columns(graph, weight, ends)
        if columns is None:
            raise ArgumentTypeError(
                f"source={ends[0]!r} is for tables and graph is {a_type(graph)}; leave source and target out."
            )
        return _from_table(columns), None
    if sparse.issparse(graph):
        return graph, None
    if isinstance(graph, np.ndarray):
        return np.asarray(graph) if not np.ma.isMaskedArray(graph) else graph, None
    if isinstance(graph, list | tuple):
        first = graph[0] if graph else None
        pairs = isinstance(first, tuple) or (isinstance(first, list) and any(isinstance(v, str) for v in first))
        if isinstance(graph, list) and pairs:
            raise ArgumentTypeError(
                "graph is a list of pairs; pass lpgraph.from_edges(*zip(*edges)) if they are edges, "
                "or numpy.array(rows) if they are the rows of a matrix."
            )
        return check_finite_array("graph", graph), None
    networkx, igraph = sys.modules.get("networkx"), sys.modules.get("igraph")
    if networkx is not None and isinstance(graph, networkx.Graph):
        return _from_networkx(graph, weight), None
    if igraph is not None and isinstance(graph, igraph.GraphBase):
        return _from_igraph(graph, weight), None
    if sparse.issparse(getattr(graph, "adjacency", None)) and hasattr(graph, "directed"):
        return graph.adjacency, bool(graph.directed)
    columns = table_columns(graph, weight)
    if columns is not None:
        return _from_table(columns), None
    if hasattr(graph, "__array__"):
        return np.asarray(graph), None
    if isinstance(graph, str | os.PathLike):
        raise ArgumentTypeError(f"graph={graph!r} is a path; pass read_graph({graph!r}).")
    hint = "; collect() it first" if hasattr(graph, "collect") else ""
    neighbors = " If it maps vertices to their neighbors, pass networkx.Graph(graph)." * isinstance(graph, Mapping)
    module = "" if type(graph).__module__ == "builtins" else f"{type(graph).__module__}."
    raise ArgumentTypeError(
        f"graph is {with_article(module + type(graph).__qualname__)}{hint}; "
        "pass a networkx or igraph graph, a scipy sparse matrix or array, a numpy array, "
        f"an edge-list DataFrame (pandas, polars, pyarrow) or an Adjacency.{neighbors}"
    )


def check_weight_name(weight: object) -> str | None:
    """Return the name of the edge attribute with the weights, or None."""
    if weight is not None and not isinstance(weight, str):
        raise ArgumentTypeError(
            f"weight={weight!r} is {a_type(weight)}; pass the name of an edge attribute, or None."
        )
    return weight


def check_ends(source: object, target: object) -> tuple[str, str] | None:
    """Return the titles of the columns of end points, if they are given."""
    if source is None and target is None:
        return None
    for argument, title in (("source", source), ("target", target)):
        if not isinstance(title, str):
            raise ArgumentTypeError(
                f"{argument}={title!r} is {a_type(title)}; pass the titles of both columns of end points."
            )
    return str(source), str(target)


def _from_table(columns: tuple[Labels, Labels, NDArray[np.float64] | None]) -> EdgeList:
    names, source, target = number_by_appearance(columns[0], columns[1])
    edges = EdgeList(names, source, target, columns[2], directed=None)
    warn_of_labels(edges, "graph")
    warn_of_blanks(names, "graph")
    warn_of_types(names, "graph")
    return edges


def _from_networkx(graph: Any, weight: str | None) -> EdgeList:
    # The dicts of neighbors are read into arrays directly, without a tuple for each edge.
    neighbors = dict(graph.adjacency())
    nodes = list(neighbors)
    n = len(nodes)
    degrees = np.fromiter(map(len, neighbors.values()), dtype=np.intp, count=n)
    number = {node: i for i, node in enumerate(nodes)}
    targets = np.fromiter(
        map(number.__getitem__, chain.from_iterable(neighbors.values())), dtype=np.intp, count=degrees.sum()
    )
    sources = np.repeat(np.arange(n, dtype=np.intp), degrees)
    entries: Any = chain.from_iterable(row.values() for row in neighbors.values())
    if graph.is_multigraph():
        parallel = list(entries)
        copies = np.fromiter(map(len, parallel), dtype=np.intp, count=len(parallel))
        targets, sources = np.repeat(targets, copies), np.repeat(sources, copies)
        entries = chain.from_iterable(keyed.values() for keyed in parallel)
    names = as_names(nodes)
    weights = None
    if weight is not None:
        listed = list(entries)
        if listed and not any(weight in data for data in listed):
            report_unused(weight, chain.from_iterable(map(may_be_weight, listed)), "as_adjacency(graph, {})")
        values = [data.get(weight, 1.0) for data in listed]
        weights = _numbers(values, weight, lambda k: (nodes[sources[k]], nodes[targets[k]]))
    if not graph.is_directed():  # each edge is listed twice
        once = sources <= targets
        sources, targets = sources[once], targets[once]
        weights = None if weights is None else weights[once]
    columns: dict[str, list[Hashable]] = {}
    if any(data for _, data in graph.nodes.data()):
        keys = dict.fromkeys(k for _, data in graph.nodes.data() for k in data if isinstance(k, str))
        columns = {key: [data.get(key) for _, data in graph.nodes.data()] for key in keys}
    return EdgeList(names, sources, targets, weights, graph.is_directed(), columns)


def _from_igraph(graph: Any, weight: str | None) -> EdgeList:
    pairs = np.array(graph.get_edgelist(), dtype=np.intp).reshape(-1, 2)
    attributes = {key: graph.vs[key] for key in graph.vs.attributes()}
    n = graph.vcount()
    names: Names = range(n)
    if "name" in attributes:
        names = as_names(attributes.pop("name"), n, argument="the vertex attribute 'name'")
    weights = None
    if weight is not None and weight in graph.es.attributes():
        values = [1.0 if value is None else value for value in graph.es[weight]]  # None is igraph's "not set"
        weights = _numbers(values, weight, lambda k: (name_at(names, pairs[k, 0]), name_at(names, pairs[k, 1])))
    elif weight is not None and graph.ecount():
        found = {key: next((v for v in graph.es[key] if v not in (None, 1)), 1) for key in graph.es.attributes()}
        report_unused(weight, may_be_weight(found), "as_adjacency(graph, {})")
    return EdgeList(names, pairs[:, 0], pairs[:, 1], weights, graph.is_directed(), attributes)


def table_columns(
    table: Any, weight: str | None, ends: tuple[str, str] | None = None, *, what: str = "graph"
) -> tuple[Labels, Labels, NDArray[np.float64] | None] | None:
    """Return the endpoints and weights of an edge-list table, which messages call `what`; None for others."""
    import narwhals.stable.v1 as nw

    long = (nw.Int128, nw.UInt128)  # numpy has no such integers
    refuse_matrix(table, what)
    _refuse_repeated(getattr(table, "columns" if hasattr(table, "iloc") else "column_names", ()), what)
    frame = nw.from_native(table, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return None
    # Titles of end points are arguments of a function that takes a weight as well.
    call = f"lpgraph.as_adjacency({what}, {{}})" if ends is None else "{}"
    chosen = choose_columns(frame.columns, weight, what, ends, call=call)
    if ends is None:
        _refuse_weights_as_ends([frame[:, position] for position in chosen[:2]], frame.columns, what)
    labels = []
    for position in chosen[:2]:
        column = frame[:, position]
        missing = column.is_null()
        if column.dtype.is_float():
            missing = missing | column.is_nan()
        if missing.any():
            row = int(np.argmax(missing.to_numpy()))
            raise ArgumentError(f"Row {row} of {what} has no {frame.columns[position]!r}; drop that row.")
        in_numpy = column.dtype.is_integer() and column.dtype not in long
        labels.append(as_labels(column.to_numpy() if in_numpy else column.to_list(), what))
    weights = None
    if chosen[2] is not None:
        column = frame[:, chosen[2]]
        if not column.dtype.is_numeric() and column.dtype != nw.Boolean:
            # The library's own name where narwhals has none.
            dtype = getattr(column.to_native(), "dtype", "") if column.dtype == nw.Unknown else column.dtype
            raise ArgumentTypeError(
                f"The column {column.name!r} of {what} has dtype {dtype}; "
                f"make it numeric, or pass {call.format('weight=None')}."
            )
        missing = column.is_null()
        if missing.any():
            row = int(np.argmax(missing.to_numpy()))
            raise GraphError(f"Row {row} of {what} has no {column.name!r}; fill or drop that row.")
        values = column.to_list() if column.dtype in long else column.to_numpy()
        weights = np.asarray(values, dtype=np.float64)
    return labels[0], labels[1], weights


def _refuse_weights_as_ends(chosen: Sequence[Series[Any]], columns: Sequence[str], what: str) -> None:
    """Raise if a column of numbers called weight would be end points, as without a column that is the index."""
    if any(str(column.name).lower() == "weight" and column.dtype.is_numeric() for column in chosen):
        raise ArgumentError(
            f"{what} has the columns {titles(columns)}, of which one has weights; an edge list has two columns of "
            f"end points. Pass {what}.reset_index() if one is the index, or rename 'weight' if it has end points."
        )


def _refuse_repeated(titles: object, what: str) -> None:
    """Raise if two columns of a pandas or pyarrow table have one title, by which they could not be told apart."""
    names = list(titles) if isinstance(titles, Iterable) else []
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise ArgumentError(f"{what} has two columns {twice!r}; rename or drop one of them.")


def choose_columns(
    columns: Sequence[str],
    weight: str | None,
    what: str,
    ends: tuple[str, str] | None = None,
    *,
    call: str = "{}",
) -> tuple[int, int, int | None]:
    """Return the positions of source, target and weight among the columns; None where there is no weight.

    `ends` are the titles of source and target; by default they are found among `ENDPOINT_COLUMNS`.
    `call` is the call that takes another weight, for messages.
    """
    without = call.format("weight=None")
    lower = [str(column).lower() for column in columns]
    if len(lower) < 2:
        raise ArgumentError(f"{what} has the columns {titles(columns)}; an edge list has two endpoint columns.")
    source, target = (
        _endpoint_columns(columns, lower, what) if ends is None else _named_columns(columns, what, ends)
    )
    others = [k for k in range(len(lower)) if k not in (source, target)]
    for k in (source, target):
        if list(columns).count(columns[k]) > 1:
            raise ArgumentError(f"{what} has two columns {columns[k]!r}; rename or drop one of them.")
    if weight not in (None, "weight") and weight in (columns[source], columns[target]):
        raise ArgumentError(f"weight={weight!r} is a column of end points of {what}; pass {without}.")
    if weight is None or not others:
        if weight not in (None, "weight"):
            raise ArgumentError(f"weight={weight!r} is no column of {what}: {titles(columns)}; pass {without}.")
        return source, target, None
    for same in ([k for k in others if columns[k] == weight], [k for k in others if lower[k] == weight.lower()]):
        if len(same) > 1:
            raise ArgumentError(f"{what} has two columns {columns[same[0]]!r}; rename or drop one of them.")
        if same:
            return source, target, same[0]
    if ends is not None and weight == "weight" and len(others) > 1:
        # One more column is probably the weight, several are probably not.
        names = ", ".join(repr(columns[k]) for k in others)
        warn(
            f"No column of {what} is called weight, so that all edges have weight 1; pass one of {names} as "
            f"weight if it has the weights, or {without}.",
            LpgraphWarning,
        )
        return source, target, None
    # "weight" is the default, which the caller need not have passed.
    missing = f"No column of {what} is called weight"
    if weight != "weight":
        missing = f"weight={weight!r} is no column of {what}"
    title: object = columns[others[0]]
    if not isinstance(title, str):  # weight= takes texts
        raise ArgumentError(
            f"{missing}: {titles(columns)}; rename the column {title!r} to 'weight' if it has the weights, or "
            f"pass {without}."
        )
    raise ArgumentError(
        f"{missing}: {titles(columns)}; pass {call.format(f'weight={title!r}')} if that has the weights, or "
        f"{without}."
    )


def _named_columns(columns: Sequence[str], what: str, ends: tuple[str, str]) -> tuple[int, int]:
    for argument, title in zip(("source", "target"), ends, strict=True):
        if list(columns).count(title) != 1:
            raise ArgumentError(
                f"{argument}={title!r} is {'no' if title not in columns else 'more than one'} column of {what}: "
                f"{titles(columns)}; pass the title of one column."
            )
    if ends[0] == ends[1]:
        raise ArgumentError(
            f"source and target are both {ends[0]!r}; pass two columns of {what}: {titles(columns)}."
        )
    return list(columns).index(ends[0]), list(columns).index(ends[1])


def _endpoint_columns(columns: Sequence[str], lower: list[str], what: str) -> tuple[int, int]:
    for pair in ENDPOINT_COLUMNS:
        if all(lower.count(name) == 1 for name in pair):
            return lower.index(pair[0]), lower.index(pair[1])
    if len(lower) > 3:
        raise ArgumentError(
            f"{what} has the columns {titles(columns)} and no two are called source and target; rename the "
            "endpoint columns, or pass source= and target=, or a matrix as an array."
        )
    return 0, 1


def _numbers(
    values: list[Hashable], weight: str, edge_of: Callable[[int], tuple[Hashable, Hashable]]
) -> NDArray[np.float64]:
    """Return edge attributes as floats. Types are checked because float("3") is a number."""
    good = {kind for kind in set(map(type, values)) if issubclass(kind, int | float | np.number | np.bool_)}
    good = {kind for kind in good if not issubclass(kind, np.complexfloating)}
    for k, value in enumerate(values) if set(map(type, values)) - good else ():
        if type(value) not in good:
            u, v = edge_of(k)
            raise GraphError(
                f"The edge {u!r}, {v!r} has {weight}={value!r}, which is no real number; "
                "make it one, or pass weight=None."
            )
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:
        k = next(k for k, value in enumerate(values) if abs(value) > LARGEST)  # type: ignore[arg-type]  # numbers
        u, v = edge_of(k)
        raise GraphError(
            f"The edge {u!r}, {v!r} has an integer beyond 1e308 as {weight}; divide all weights by a constant."
        ) from None
