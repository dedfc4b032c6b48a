"""Input files: graphs, new vertices, labels, tables of numbers, and saved models."""

from __future__ import annotations

import sys
from collections.abc import Container, Hashable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

from typer import Option

import lpgraph as lp
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError, FileFormatError, LpgraphWarning

from . import options

if TYPE_CHECKING:
    import pandas as pd

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array
    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import LoopRule, MultiEdgeRule
    from lpgraph.graph.new_vertices import NewEdges

#: Titles of a column of names.
_VERTEX_WORDS = ("vertex", "node", "name", "id")
#: So few edges may all have weight 1 by chance.
_FEW_EDGES = 10


def source_of(path: str) -> str | BinaryIO:
    """Return the path, or standard input for -."""
    if path != "-":
        return path
    if sys.stdin is None or sys.stdin.isatty():
        raise ArgumentError(
            "- is standard input, which is closed or a terminal; pipe a file into it, or name one."
        )
    return sys.stdin.buffer


@dataclass(frozen=True)
class Columns:
    """The columns of a list of edges.

    Attributes
    ----------
    weight : NAME
        Column or attribute with the weights.
    unweighted
        Every edge weighs 1, however often it is listed (weight=None).
    source : NAME
        Column with the source of each edge; with --target.
    target : NAME
        Column with the target of each edge; with --source.
    header
        Whether the first line of an edge list has titles; by default as its content suggests.
    """

    weight: str = "weight"
    unweighted: bool = False
    source: str | None = None
    target: str | None = None
    header: bool | None = None

    @property
    def columns(self) -> dict[str, Foreign]:
        """The columns as arguments of the library's functions."""
        weight = None if self.unweighted else self.weight
        return {"weight": weight, "source": self.source, "target": self.target, "header": self.header}


@dataclass(frozen=True)
class Edges(Columns):
    """How the edges in a file are read.

    Attributes
    ----------
    form : FORMAT
        csv, tsv, txt, parquet, graphml, gml, mtx, npz, pajek, gexf or json; by default by the suffix, csv for -.
    """

    form: Annotated[options.Format | None, Option("--format")] = None

    def graph(
        self, path: str, directed: bool | None, loops: LoopRule = "keep", multi_edges: MultiEdgeRule = "sum"
    ) -> Adjacency:
        """Read a graph."""
        return lp.read_graph(
            source_of(path),
            format="csv" if path == "-" and self.form is None else self.form,
            directed=directed,
            **self.columns,
            loops=loops,
            multi_edges=multi_edges,
        )

    def table(self, path: str, time: str) -> pd.DataFrame:
        """Read a table of the edges of several networks; names of vertices are texts."""
        table = _read_table(path)
        for title in {time, self.weight} & set(table.columns):
            table[title] = table[title].map(options.as_number)
        return table.rename(columns={self.source: "source", self.target: "target"})

    def new_graph(self, path: str, directed: bool, index: Container[Hashable]) -> Adjacency:
        """Read edges of new vertices; the known vertex "7" is found where the file has 7."""
        from scipy import sparse

        from lpgraph.graph.adjacency import Adjacency
        from lpgraph.graph.files.read_write import format_of
        from lpgraph.graph.files.source import NoEdgesError
        from lpgraph.graph.files.tables import DELIMITERS

        try:
            graph = renamed(self.graph(path, directed), index)
        except NoEdgesError:
            warn(f"{path} has no edges: there are no new vertices.")
            return Adjacency.of_canonical(sparse.csr_array((0, 0)), range(0), directed)
        table = path == "-" or format_of(path, self.form) in DELIMITERS
        if self.header is None and table and _begins_alone(graph, index):
            if path == "-":
                raise ArgumentError("The first line may have titles; pass --header or --no-header.")
            warn(f"{path}: the first line was read as titles; pass --no-header if it is an edge.")
            return replace(self, header=True).new_graph(path, directed, index)
        if all(name in index for name in graph.names):
            raise ArgumentError(f"{path}: all its vertices are in the model; pass edges of new vertices.")
        return graph

    def read_new(
        self, path: str, model: NetworkEmbedding, covariates: str | None = None, unobserved: str | None = None
    ) -> NewEdges:
        """Read edges of vertices that are new to a model."""
        graph = self.new_graph(path, model.directed_, model.vertex_index_)
        return as_new(path, graph, model, covariates, unobserved)


def as_new(
    path: str, graph: Adjacency, model: NetworkEmbedding, covariates: str | None, unobserved: str | None
) -> NewEdges:
    """Return the new vertices of a graph that was read from a file, with their covariates and unobserved pairs."""
    index = model.vertex_index_
    pairs = None if unobserved is None else read_pairs(unobserved, model.directed_, index, graph.index)
    values = None if covariates is None else read_covariates(covariates)
    new = model.read_new(graph, covariates=values, unobserved=pairs)
    if model.weighted_ is not graph.weighted and (graph.weighted or graph.n_edges >= _FEW_EDGES):
        kind, other = ("weighted", "unweighted") if graph.weighted else ("unweighted", "weighted")
        warn(
            f"{path} is {kind} and the graph of the model is {other}, so that positions differ in scale; pass "
            "--weight or --unweighted, or fit the model again.",
            LpgraphWarning,
        )
    return new


def _begins_alone(graph: Adjacency, index: Container[Hashable]) -> bool:
    """Whether the first line, read as an edge, joins two new texts that no other line has, as "student,friend"."""
    known = [name in index for name in graph.names]
    texts = all(str(name).isalpha() for name in graph.names[:2])
    return texts and any(known) and not any(known[:2]) and graph.matrix[:2, 2:].nnz + graph.matrix[2:, :2].nnz == 0


@dataclass(frozen=True)
class Reading(Edges):
    """How a file is read as a graph.

    Attributes
    ----------
    directed
        Read edges as arcs, or arcs as edges; by default as the file says.
    largest_component
        Keep the largest connected component only.
    """

    directed: Annotated[bool | None, Option("--directed/--undirected")] = None
    largest_component: bool = False

    def read(self, path: str, loops: LoopRule = "keep", multi_edges: MultiEdgeRule = "sum") -> Adjacency:
        """Read the graph that a command is about."""
        return self.part(self.graph(path, self.directed, loops, multi_edges))

    def part(self, graph: Adjacency) -> Adjacency:
        """Return the part of a graph that a command is about."""
        return lp.largest_component(graph) if self.largest_component else graph


def renamed(graph: Adjacency, *indices: Container[Hashable]) -> Adjacency:
    """Return a graph with the names of the indices: a file does not tell 7 from "7"."""
    from lpgraph.graph.names import as_names, match_names

    names: Iterable[Hashable] = graph.names
    for index in indices:
        names = match_names(names, index)
    return replace(graph, names=as_names(names))


def read_pairs(path: str, directed: bool, *indices: Container[Hashable]) -> Adjacency:
    """Read a list of pairs of vertices, by the names that the indices have."""
    return renamed(Edges().graph(path, directed), *indices)


def is_model(path: str) -> bool:
    """Whether a file is a saved model, by its suffix."""
    return path.endswith(".lpg")


def embedding_of(model: Foreign, path: str) -> NetworkEmbedding:
    """Return the embedding of a network in a model: the model itself, or the one of a classifier or clustering."""
    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.embed.procrustes import fitted_part

    part = fitted_part(model)
    if not isinstance(part, NetworkEmbedding):
        kind = type(model).__name__
        raise ArgumentError(f"{path} holds a model of class {kind}, which embeds no network; see embed --save.")
    return part


def table_of(labels: str | None) -> str | None:
    """Return what was passed as labels if it must be a table; None for what may be the name of an attribute.

    Examples
    --------
    >>> from lpgraph.cli.inputs import table_of
    >>> table_of("regions.csv"), table_of("region")
    ('regions.csv', None)
    """
    return labels if labels is not None and (labels == "-" or Path(labels).suffix) else None


@dataclass(frozen=True)
class Labelling:
    """How labels are read.

    Attributes
    ----------
    column : NAME
        Column of the labels, if the table has several.
    unknown
        Labels of vertices that the graph does not have: warn, which leaves them out and counts them, but refuses
        them if they are more than half; error; or ignore.
    missing : TEXT
        A label that means that a vertex has none, such as 0.
    """

    column: str | None = None
    unknown: options.Unknown = "warn"
    missing: str | None = None

    def read_labels(self, labels: str, graph: Adjacency, new: Iterable[Hashable] = ()) -> dict[Hashable, Hashable]:
        """Read the labels of a graph's vertices, from a table, also of `new` ones, or a vertex attribute."""
        if table_of(labels) is not None:
            return lp.read_labels(
                source_of(labels),
                [*graph.names, *(name for name in new if name not in graph.index)],
                column=self.column,
                format="csv" if labels == "-" else None,
                unknown=self.unknown,
                missing=self.missing,
            )
        from lpgraph.graph.vertex_values import of_attribute
        from lpgraph.infer._labels import known_labels

        given = of_attribute(labels, graph, "labels")
        values, known = known_labels(given, graph.names, argument=f"labels={labels!r}")
        rows = zip(graph.names, values.tolist(), known.tolist(), strict=True)
        return {vertex: value for vertex, value, is_known in rows if is_known and str(value) != self.missing}


@dataclass(frozen=True)
class Colouring(Labelling):
    """Labels or clusters, which colour the vertices.

    Attributes
    ----------
    labels : FILE|NAME
        Table with a column of vertices and one of labels, or a vertex attribute of the graph.
    n_clusters
        A number, a range such as 2-8 to choose from, or auto.
    """

    labels: str | None = None
    n_clusters: options.Clusters = None

    def read(self, path: str, reading: Reading) -> tuple[Adjacency, dict[Hashable, Hashable] | None]:
        """Read a graph, and the labels of its vertices if there are any."""
        whole = reading.graph(path, reading.directed)
        graph = reading.part(whole)
        if self.labels is None:
            return graph, None
        labels = self.read_labels(self.labels, whole)
        return graph, {name: label for name, label in labels.items() if name in graph.index}

    def kinds(self, graph: Adjacency, known: dict[Hashable, Hashable] | None) -> object:
        """Return what colours the vertices: labels, a clustering, or None."""
        if known is not None and self.n_clusters is not None:
            raise ArgumentError("labels and n_clusters both say how to colour the vertices; pass one of them.")
        return known if self.n_clusters is None else lp.VertexClustering(None, self.numbers).fit(graph)

    @property
    def numbers(self) -> int | range | None:
        """The numbers of clusters to choose from; None for the default ones."""
        return options.as_range("n_clusters", self.n_clusters)


def _read_table(path: str) -> pd.DataFrame:
    """Read a table with or without titles; titles of columns that have none are numbers, and cells are texts."""
    from lpgraph.graph.files.source import open_source
    from lpgraph.graph.files.tables import is_number, open_parquet, open_text

    source = open_source(source_of(path))
    if path.endswith(".parquet"):
        with source.reading("Parquet"):
            return open_parquet(source).read().to_pandas().astype(str)
    body = open_text(source, "tsv" if path.removesuffix(".gz").endswith(".tsv") else "csv")
    if body.empty:
        raise source.error("it has no rows; pass a table with one row for each point or vertex")
    table = body.texts()
    titled = not any(map(is_number, table.iloc[0]))
    return table.iloc[1:].set_axis(list(table.iloc[0]), axis=1) if titled else table


def _numbers(path: str, table: pd.DataFrame) -> Array:
    """Return the numbers in a table of texts."""
    import numpy as np

    if not table.size:
        raise FileFormatError(f"{path}: it has no rows of numbers; pass a table with one point a row.")
    columns = []
    for title, column in table.items():
        try:
            columns.append(column.map(float))
        except ValueError as error:
            raise FileFormatError(f"{path}, column {title}: {error}; correct it, or drop the column.") from None
    return np.array(columns).T


def read_numbers(path: str) -> Array:
    """Read a table of numbers, one point a row, with or without titles; a first column of names is dropped."""
    table = _read_table(path)
    named = str(table.columns[0]).lower() in _VERTEX_WORDS
    return _numbers(path, table.iloc[:, int(named) :])


def read_covariates(path: str) -> pd.DataFrame:
    """Read the covariates of vertices, whose names are in the first column; empty cells and NA are missing."""
    import pandas as pd

    from lpgraph.graph.files.tables import MISSING

    table = _read_table(path)
    names, values = table.iloc[:, 0], table.iloc[:, 1:]
    numbers = _numbers(path, values.mask(values.isin([*MISSING, ""]), "nan"))
    return pd.DataFrame(numbers, index=names, columns=values.columns)
