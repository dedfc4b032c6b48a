"""Several networks on common vertices: `as_graphs` reads them, and aligns their vertices by name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from operator import add
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import Foreign, check_choice, is_matrix, type_of
from lpgraph._utils.estimators import Shown, few
from lpgraph._utils.frames import as_table
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError, LpgraphError
from lpgraph.graph.adjacency import Adjacency, ProductNetwork
from lpgraph.graph.construct import as_adjacency, has_edge_index, is_graph
from lpgraph.graph.files.read_write import SUFFIXES, read_graph
from lpgraph.graph.names import Named, as_labels, as_names, code_names, index_of, is_listing, listed, match_names

if TYPE_CHECKING:
    from lpgraph._utils.types import Flags, Integers
    from lpgraph.graph.adjacency import Network
    from lpgraph.graph.names import Names


@dataclass(frozen=True, eq=False)
class GraphSequence(Named, Shown):
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
    present: Flags

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

    @property
    def total(self) -> Adjacency:
        """The sum of the networks."""
        for graph in self:
            graph.check_room(24, "The sum of several networks")
        matrix = sparse.csr_array(reduce(add, [graph.matrix for graph in self]))
        matrix.eliminate_zeros()
        return Adjacency.of_canonical(matrix, self.names, self.directed)

    def place(self, key: Hashable) -> int:
        """Return the number of a network, given its key."""
        if key not in self.keys:
            raise ArgumentError(f"No network has the key {key!r}; pass one of {few(self.keys, 6)}.")
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
    graphs : mapping, iterable of graphs, table, path, or GraphSequence
        - ``{key: graph}``, each in any form of `lpgraph.as_adjacency`, or the path of a file;
        - a list, generator or array of graphs, whose keys are 0, 1, ...;
        - a folder: each file with a suffix of `lpgraph.read_graph` is a network, whose key is its name without the
          suffix, in the order of the names: numbers in them by value, so that 10 comes after 9;
        - with `time`, a table of the edges of all networks, of any kind that `lpgraph.as_adjacency` takes.
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
    ArgumentError, ArgumentTypeError, FileFormatError
        If there is no network, two files have one name, a file cannot be read, `time` is not a column of a table,
        or an argument has another value.
    GraphError
        If a graph cannot be read, some graphs are directed and others are not, matrices without names have
        different sizes, no vertex is in all networks ("intersection"), or none is in two of them ("union").

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
        if (time, vertices, weight) != (None, "union", "weight") or directed not in (None, graphs.directed):
            raise ArgumentError("graphs is already a GraphSequence; pass these arguments where it is made.")
        return graphs
    given = _by_key(graphs, time)
    if not given:
        raise ArgumentError("graphs is empty; pass at least one network.")
    read = [_read(key, graph, directed, weight) for key, graph in given.items()]
    known: set[Hashable] = set()
    for k, graph in enumerate(given.values()):
        if isinstance(graph, str | PathLike) and not known.issuperset(listed(read[k].names)):
            read[k] = replace(read[k], names=as_names(match_names(read[k].names, known)))
            known.update(listed(read[k].names))
    if len({graph.directed for graph in read}) == 2:
        raise GraphError("Some networks are directed and others are not; pass directed=True or directed=False.")
    sizes = {graph.n_vertices for graph, of in zip(read, given.values(), strict=True) if _is_unnamed(of)}
    if len(sizes) > 1:
        problem = f"Matrices of {sorted(sizes)} vertices have no names"
        raise GraphError(f"{problem}; pass as_adjacency(matrix, names=...).")
    names = common_names([graph.names for graph in read], vertices)
    counts = [graph.n_vertices for graph in read if graph.n_vertices]
    if vertices == "union" and len(counts) > 1 and len(names) == sum(counts):
        raise GraphError("No vertex is in two networks; pass networks with the same names of vertices.")
    if not len(names):
        raise GraphError("No vertex is in all networks; pass vertices='union'.")
    index = index_of(names)
    rows = [code_names(as_labels(graph.names, "names"), index, missing=-1) for graph in read]
    present = np.array([np.isin(np.arange(len(names)), places) for places in rows])
    aligned = tuple(_moved(graph, places, names) for graph, places in zip(read, rows, strict=True))
    return GraphSequence(tuple(given), aligned, names, present)


def _by_key(graphs: object, time: str | None) -> dict[Hashable, object]:
    """Return the networks by their keys, in order."""
    if time is not None:
        return _of_table(graphs, time)
    if isinstance(graphs, Mapping) and not is_graph(graphs):
        return dict(graphs)
    if isinstance(graphs, str | PathLike) and Path(graphs).is_dir():
        return dict(files_by_key([graphs]))
    one = is_graph(graphs) or (is_matrix(graphs) and graphs.ndim < 3)
    table = hasattr(type(graphs), "columns") or hasattr(graphs, "__arrow_c_stream__")
    if one or table or not is_listing(graphs):
        remedy = "pass a list or a dict of graphs, a folder, or a table and time='month', its column of networks"
        raise ArgumentTypeError(f"graphs is {type_of(graphs)}; {remedy}.")
    return dict(enumerate(graphs))


def _of_table(table: Foreign, time: str) -> dict[Hashable, object]:
    found = as_table(table, "graphs")
    if found is None:
        raise ArgumentTypeError(f"graphs is {type_of(table)} but time={time!r}; pass a data frame of edges.")
    frame = found.to_pandas()
    if time not in frame.columns:
        raise ArgumentError(f"time={time!r} is not a column; pass one of {few(list(frame.columns), 6)}.")
    if frame[time].isna().any():
        raise ArgumentError(f"The column time={time!r} has missing values; drop the rows that have none.")
    return {key: part.drop(columns=time) for key, part in frame.groupby(time, sort=True, observed=True)}


def _read(key: Hashable, graph: object, directed: bool | None, weight: str | None) -> Network:
    try:
        if isinstance(graph, ProductNetwork) and directed in (None, graph.directed) and weight == "weight":
            return graph  # embeddings with a number of dimensions use its products
        if isinstance(graph, str | PathLike):
            return read_graph(graph, directed=directed, weight=weight)
        return as_adjacency(graph, directed=directed, weight=weight)
    except LpgraphError as error:
        error.add_note(f"This is the network {key!r}.")
        raise


def files_by_key(paths: Iterable[str | PathLike[str]]) -> dict[Hashable, Path]:
    """Return files by their names without suffixes; of a folder, those whose format is known by the suffix."""
    found: dict[Hashable, Path] = {}
    for path in map(Path, paths):
        for file in sorted(path.iterdir(), key=_natural) if path.is_dir() else [path]:
            name = Path(file.name.removesuffix(".gz"))
            known = file == path or name.suffix.lower() in SUFFIXES
            if known and found.setdefault(name.stem, file) is not file:
                raise ArgumentError(f"Several files are called {name.stem!r}, without suffixes; rename one.")
    return found


def _natural(path: Path) -> list[str | int]:
    """Return a key by which numbers in names are sorted by value."""
    return [int(part) if k % 2 else part for k, part in enumerate(re.split(r"([0-9]+)", path.name))]


def _is_unnamed(graph: object) -> bool:
    """Whether a graph is a matrix, which has no names of vertices."""
    return is_matrix(graph) or isinstance(graph, list | tuple) or has_edge_index(graph)


def common_names(names: Sequence[Names], vertices: str = "union") -> Names:
    """Return the names of the common vertices, in the order of their first appearance."""
    if all(np.array_equal(some, names[0]) for some in names[1:]):
        return names[0]
    counts = Counter(chain.from_iterable(map(listed, names)))
    return as_names([name for name, count in counts.items() if vertices == "union" or count == len(names)])


def _moved(graph: Network, rows: Integers, names: Names) -> Adjacency:
    """Return a graph with its vertices in other rows, or without them."""
    n = len(names)
    if np.array_equal(rows, np.arange(n)):
        if isinstance(graph, ProductNetwork):
            return graph  # type: ignore[return-value]  # it has what embeddings ask of it
        return Adjacency.of_canonical(graph.matrix, names, graph.directed)
    move = placing(rows, n)
    moved = sparse.csr_array(move @ graph.matrix @ move.T)
    moved.sort_indices()
    return Adjacency.of_canonical(moved, names, graph.directed)


def placing(rows: Integers, n: int) -> sparse.csr_array:
    """Return the matrix that moves rows to their places among n, and drops rows with place -1."""
    kept = np.flatnonzero(rows >= 0)
    return sparse.csr_array((np.ones(len(kept)), (rows[kept], kept)), shape=(n, len(rows)))


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
            raise GraphError(f"graph has {read.n_vertices} vertices instead of {n}; pass one with vertex names.")
        return read.matrix
    rows = code_names(as_labels(read.names, "names"), known.index)
    return _moved(read, rows, known.names).matrix
