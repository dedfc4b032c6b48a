"""Several networks on common vertices: `as_graphs` reads them, and aligns their vertices by name."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import Foreign, check_choice, is_array, is_matrix, type_of
from lpgraph._utils.estimators import Shown, few
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError, LpgraphError, UnknownVertexError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.construct import as_adjacency, is_graph
from lpgraph.graph.names import as_names, index_of, is_listing, listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.names import Names


@dataclass(frozen=True, eq=False)
class GraphSequence(Shown):
    """Networks with common vertices, in the order of their keys; made by `as_graphs`.

    Attributes
    ----------
    keys : tuple of hashable
        What the networks are called: times, layers or subjects.
    graphs : tuple of Adjacency
        The networks, with the same vertices in the same order.
    names : ndarray of shape (n,) or range
        Names of the vertices.
    present : ndarray of shape (m, n), bool
        Whether each network was given with each vertex; a vertex that is absent has no edge there.

    Examples
    --------
    >>> import networkx as nx, lpgraph as lp
    >>> days = lp.as_graphs({"Mon": nx.path_graph(3), "Tue": nx.cycle_graph(4)})
    >>> days["Tue"], days.present.sum(axis=1).tolist()
    (Adjacency(4 vertices, 4 edges, undirected), [3, 4])
    """

    keys: tuple[Hashable, ...]
    graphs: tuple[Adjacency, ...]
    names: Names
    present: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[Adjacency]:
        return iter(self.graphs)

    def __getitem__(self, key: Hashable) -> Adjacency:
        return self.graphs[self.place(key)]

    def __repr__(self) -> str:
        counts = f"{len(self)} networks, {len(self.names)} vertices, {self.n_edges} edges"
        return f"GraphSequence({counts}, {'' if self.directed else 'un'}directed)"

    @property
    def directed(self) -> bool:
        """Whether the networks are directed."""
        return self.graphs[0].directed

    @property
    def n_edges(self) -> int:
        """Number of edges in all networks together."""
        return sum(graph.n_edges for graph in self.graphs)

    @cached_property
    def index(self) -> Mapping[Hashable, int]:
        """The mapping from a vertex's name to its row."""
        return index_of(self.names)

    def place(self, key: Hashable) -> int:
        """Return the number of a network, given its key."""
        if key not in self.keys:
            raise ArgumentError(f"{key!r} is the key of no network; the keys are {few(self.keys, 6)}.")
        return self.keys.index(key)


def as_graphs(
    graphs: object,
    *,
    time: str | None = None,
    vertices: str = "union",
    directed: bool | None = None,
    weight: str | None = "weight",
) -> GraphSequence:
    """Return several networks, whose vertices are aligned by name.

    Parameters
    ----------
    graphs : mapping, iterable of graphs, data frame, or GraphSequence
        - ``{key: graph}``, each in any form of `lpgraph.as_adjacency`;
        - a list, generator or array of graphs, whose keys are 0, 1, ...;
        - with `time`, a table of the edges of all networks.
    time : str, optional
        The column of a table that says to which network an edge belongs, such as a month or a layer. Its values
        are the keys, in increasing order.
    vertices : {"union", "intersection"}, default "union"
        All vertices, or only those that every network has. With "union" a vertex that a network does not have is
        isolated there; `GraphSequence.present` distinguishes it from a vertex that is there without edges.
    directed : bool, optional
        As for `lpgraph.as_adjacency`; by default what the graphs are.
    weight : str or None, default "weight"
        As for `lpgraph.as_adjacency`.

    Returns
    -------
    GraphSequence

    Raises
    ------
    ArgumentError, ArgumentTypeError
        If there is no network, `time` is not a column of a table, or an argument has another value.
    GraphError
        If a graph cannot be read, some graphs are directed and others are not, matrices without names have
        different sizes, or no vertex is in all networks.

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> monday, tuesday = nx.Graph([("Ann", "Bob")]), nx.Graph([("Bob", "Cem")])
    >>> days = lp.as_graphs({"Mon": monday, "Tue": tuesday})
    >>> days, days.names.tolist()
    (GraphSequence(2 networks, 3 vertices, 2 edges, undirected), ['Ann', 'Bob', 'Cem'])
    >>> days.present.tolist()
    [[True, True, False], [False, True, True]]
    """
    check_choice("vertices", vertices, ("union", "intersection"))
    if isinstance(graphs, GraphSequence):
        if (
            time is not None
            or vertices != "union"
            or directed not in (None, graphs.directed)
            or weight != "weight"
        ):
            raise ArgumentError("graphs is a GraphSequence already; pass these arguments where it is made.")
        return graphs
    given = _by_key(graphs, time)
    if not given:
        raise ArgumentError("graphs is empty; pass at least one network.")
    read = [_read(key, graph, directed, weight) for key, graph in given.items()]
    if len({graph.directed for graph in read}) == 2:
        raise GraphError("Some networks are directed and others are not; pass directed=True or directed=False.")
    sizes = {graph.n_vertices for graph, of in zip(read, given.values(), strict=True) if _is_unnamed(of)}
    if len(sizes) > 1:
        shown = f"{min(sizes)} to {max(sizes)}"
        raise GraphError(f"Matrices have {shown} vertices and no names; pass as_adjacency(matrix, names=...).")
    names = _common([graph.names for graph in read], vertices)
    if not len(names):
        raise GraphError("No vertex is in all networks; pass vertices='union'.")
    index = index_of(names)
    rows = [_rows(graph.names, names, index) for graph in read]
    present = np.zeros((len(read), len(names)), dtype=bool)
    for row, places in zip(present, rows, strict=True):
        row[places[places >= 0]] = True
    aligned = tuple(_moved(graph, places, names) for graph, places in zip(read, rows, strict=True))
    return GraphSequence(tuple(given), aligned, names, present)


def _by_key(graphs: object, time: str | None) -> dict[Hashable, object]:
    """Return the networks by their keys, in order."""
    if time is not None:
        return _of_table(graphs, time)
    if isinstance(graphs, Mapping):
        return dict(graphs)
    if hasattr(graphs, "columns"):
        raise ArgumentTypeError("graphs is a table; pass time=, the column that says of which network an edge is.")
    one = is_graph(graphs) or sparse.issparse(graphs) or (is_array(graphs) and graphs.ndim < 3)
    if one or not is_listing(graphs):
        raise ArgumentTypeError(f"graphs is {type_of(graphs)}; pass a list or a dict of graphs.")
    return dict(enumerate(graphs))


def _of_table(table: Foreign, time: str) -> dict[Hashable, object]:
    import pandas

    frame = table.to_pandas() if hasattr(table, "to_pandas") else table
    if not isinstance(frame, pandas.DataFrame):
        raise ArgumentTypeError(f"graphs is {type_of(table)} but time={time!r}; pass a data frame of edges.")
    if time not in frame.columns:
        raise ArgumentError(f"time={time!r} is no column of the table; it has {few(list(frame.columns), 6)}.")
    if frame[time].isna().any():
        raise ArgumentError(f"The column time={time!r} has missing values; drop these rows.")
    return {key: part.drop(columns=time) for key, part in frame.groupby(time, sort=True, observed=True)}


def _read(key: Hashable, graph: object, directed: bool | None, weight: str | None) -> Adjacency:
    try:
        return as_adjacency(graph, directed=directed, weight=weight)
    except LpgraphError as error:
        error.add_note(f"This is the network {key!r}.")
        raise


def _is_unnamed(graph: object) -> bool:
    """Whether a graph is a matrix, which has no names of vertices."""
    return is_matrix(graph) or isinstance(graph, list | tuple)


def _common(names: list[Names], vertices: str) -> Names:
    """Return the names of the common vertices, in the order of their first appearance."""
    first = names[0]
    if all(other is first or (len(other) == len(first) and np.array_equal(other, first)) for other in names):
        return first
    lists = [listed(some) for some in names]
    if vertices == "union":
        return as_names(list(dict.fromkeys(name for some in lists for name in some)))
    shared: set[Hashable] = reduce(set.intersection, map(set, lists))
    return as_names([name for name in lists[0] if name in shared])


def _rows(names: Names, common: Names, index: Mapping[Hashable, int]) -> NDArray[np.intp]:
    """Return the row of each vertex among the common ones; -1 if it is none of them."""
    if names is common or (len(names) == len(common) and np.array_equal(names, common)):
        return np.arange(len(common))
    return np.array([index.get(name, -1) for name in listed(names)], dtype=np.intp)


def _moved(graph: Adjacency, rows: NDArray[np.intp], names: Names) -> Adjacency:
    """Return a graph with its vertices in other rows, or without them."""
    n = len(names)
    if len(rows) == n and np.array_equal(rows, np.arange(n)):
        return Adjacency.of_canonical(graph.matrix, names, graph.directed)
    entries = graph.matrix.tocoo()
    row, column = (rows[ends] for ends in entries.coords)
    kept = (row >= 0) & (column >= 0)
    dtype = sparse.get_index_dtype(maxval=max(n, int(kept.sum())))
    ends = row[kept].astype(dtype), column[kept].astype(dtype)
    moved = sparse.csr_array((entries.data[kept], ends), shape=(n, n))
    return Adjacency.of_canonical(moved, names, graph.directed)


def on_vertices(graph: object, known: GraphSequence) -> sparse.csr_array:
    """Return the matrix of a further network on the vertices of others; those that it does not have are isolated.

    Raises
    ------
    UnknownVertexError
        If it has other vertices.
    GraphError
        If it is a matrix without names of another size.
    """
    read, n = as_adjacency(graph, directed=known.directed), len(known.names)
    if _is_unnamed(graph):
        if read.n_vertices != n:
            raise GraphError(f"The matrix has {read.n_vertices} vertices, not {n}; pass a graph with names.")
        return read.matrix
    rows = _rows(read.names, known.names, known.index)
    if (rows < 0).any():
        unknown = [name for name, row in zip(listed(read.names), rows, strict=True) if row < 0]
        raise UnknownVertexError(unknown, "Place new vertices by transform.")
    return _moved(read, rows, known.names).matrix
