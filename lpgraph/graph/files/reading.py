"""Reading of graphs, and the formats of files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

from lpgraph._utils.checks import check_choice, check_flag
from lpgraph._utils.files import check_path
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.assemble import EdgeList, LoopRule, MultiEdgeRule, Rules, tidy_matrix
from lpgraph.graph.construct import assembled
from lpgraph.graph.files import formats, tables
from lpgraph.graph.files.source import EdgeColumns, Source, open_source
from lpgraph.graph.files.store import is_store, open_store
from lpgraph.graph.files.tables import DELIMITERS
from lpgraph.graph.names import as_names
from lpgraph.graph.unknown_names import warn_of_labels, warn_of_similar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from typing_extensions import TypeIs


class Writable(Protocol):
    """What can be written to, such as a binary file."""

    def write(self, content: memoryview, /) -> int:
        """Write some or all of the bytes, and return how many."""


#: How each format is read.
FORMATS: dict[str, Callable[[Source], EdgeList | formats.Matrix]] = {
    **{form: partial(tables.read_edges, form=form) for form in DELIMITERS},
    "graphml": formats.read_graphml,
    "gml": formats.read_gml,
    "mtx": formats.read_mtx,
    "npz": formats.read_npz,
    "parquet": tables.read_parquet,
    "pajek": formats.read_pajek,
    "gexf": formats.read_gexf,
    "json": formats.read_json,
}

#: The formats of suffixes.
_SUFFIXES = {f".{name}": name for name in FORMATS} | {
    ".tab": "tsv",
    **dict.fromkeys((".edges", ".edgelist", ".ncol"), "txt"),
    ".graphmlz": "graphml",
    **dict.fromkeys((".net", ".paj"), "pajek"),
}


def read_graph(
    path: str | os.PathLike[str] | BinaryIO,
    *,
    format: str | None = None,  # noqa: A002 - the name readers of files look for
    directed: bool | None = None,
    weight: str | None = "weight",
    source: str | None = None,
    target: str | None = None,
    header: bool | None = None,
    loops: LoopRule = "keep",
    multi_edges: MultiEdgeRule = "sum",
    vertices: int | Iterable[Hashable] | None = None,
) -> Adjacency:
    """Read a graph from a file.

    Parameters
    ----------
    path : str, path or binary file
        The file, or one that is open for reading bytes (such as ``sys.stdin.buffer``), which needs `format` if
        it has no name with a suffix. Gzipped content is unpacked. Or the folder of an edge store, as for
        `lpgraph.scale.open_store`.
    format : str, optional
        csv, tsv, txt, graphml, gml, mtx, npz, parquet, pajek, gexf or json. None: by the suffix, before a possible
        .gz: one of these, or .tab (tsv), .edges, .edgelist, .ncol (txt), .graphmlz (graphml), .net, .paj (pajek).
    directed : bool or None
        None: as the file says. A table of edges is undirected, except for txt and Parquet files that
        `write_graph` wrote of a directed graph; a general Matrix Market or npz matrix is undirected if it is
        symmetric. Otherwise as in `as_adjacency`.
    weight : str or None
        Name of the column or edge attribute with the weights. None ignores weights: every edge has weight 1,
        however often it is listed.
    source, target : str, optional
        For edge lists: titles of the columns of end points, if they are not found by their titles (see Notes).
        A file with these columns may have any number of columns.
    header : bool or None
        For text files: whether the first line has the titles of the columns. None: see Notes.
    loops, multi_edges
        As in `as_adjacency`. An undirected edge list that has every edge in both directions needs
        ``multi_edges="collapse"``.
    vertices : int, iterable of hashable, or None
        For edge lists: all vertices in their order, as in `from_edges`.

    Returns
    -------
    Adjacency
        GraphML and GML give further vertex attributes, in ``vertex_attributes``.

    Raises
    ------
    FileFormatError
        When the file is truncated, malformed or not of its format; the message names the file and, if known, the
        line.
    GraphError
        When a rule says "error" or the matrix is not symmetric with ``directed=False``.
    MissingFileError, OSError
        When the file does not exist, or cannot be opened.

    Warns
    -----
    LpgraphWarning
        When an edge list seems to be a table of labels, text is not UTF-8, a vertex is called as programs write a
        missing value ("NA"), a first line that was read as an edge may have titles, or two names differ only by
        blanks around them, as they may in a Parquet file.

    Notes
    -----
    *Table of labels.* An undirected edge list without weights seems to be one if it has at least ten rows, each
    name once in the first column, and half as many values or fewer, which are not names, in the second.

    *Parquet* needs pyarrow (``pip install 'lpgraph[parquet]'``); its columns are found as in a data frame.

    *Edge lists.* Lines that begin with # or % are comments. Columns are source, target and possibly weight,
    separated by comma (csv), tab (tsv) or blanks (txt). Blanks around an entry do not count. In csv files the
    separator is a semicolon if the first line has one and no comma, except in decimal numbers. More than three
    columns need a header. Columns are then found as in `as_adjacency`, or by `source` and `target`. If all names
    are decimal integers in their usual form (12, not 012) they come back as int, and the vertices are in this
    order; otherwise names are str, and vertices in the order in which they are first listed. The lines of
    ``networkx.write_edgelist``, which end in a dict of attributes, are read; an edge whose dict has no weight has
    weight 1.

    *Titles.* The first line has the titles of the columns if `source` and `target` are given, or if it has two
    usual titles of end points (source and target, from and to, src and dst, user and friend, node_a and node_b) or
    the title weight. Otherwise it is an edge. The representation of the graph says which (see ``titles``), and a
    line that repeats the titles is an error.

    *Encoding.* Text is UTF-8, or UTF-16 with a byte order mark. Other text is read as Windows-1252, which contains
    Latin-1, with a warning.

    *GraphML.* Names are the node ids (as int if all are integers), or the attribute ``name`` if ids are n0,
    n1, ... as igraph writes them. *GML.* Names are the labels if every node has one and no two are equal,
    otherwise the ids. In files of igraph, and if there are no labels, the attribute ``name`` is used before
    these.

    *Pajek, GEXF and JSON* of nodes and links: names are labels in Pajek, and ids otherwise.

    *Other formats* (adjacency lists, graph6, LEDA, LGL, DIMACS, DOT) are read by networkx or igraph, whose graphs
    `as_adjacency` takes.

    Examples
    --------
    >>> import lpgraph as lp, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "graph.txt.gz"
    >>> lp.write_graph(lp.from_edges(["a", "b"], ["b", "c"], vertices=["c", "b", "a", "z"]), path)
    >>> list(lp.read_graph(path).names)
    ['c', 'b', 'a', 'z']
    """
    graph, edges = load_graph(
        path,
        format,
        Rules(loops, multi_edges),
        EdgeColumns(weight, source, target, header),
        directed=directed,
        vertices=vertices,
    )
    if edges is not None and format_of(path, format) in (*DELIMITERS, "parquet"):
        warn_of_labels(edges, _name_of(path))
    return graph


def load_graph(
    path: str | os.PathLike[str] | BinaryIO,
    form: str | None,
    rules: Rules,
    columns: EdgeColumns,
    *,
    directed: bool | None,
    vertices: int | Iterable[Hashable] | None = None,
) -> tuple[Adjacency, EdgeList | None]:
    """Return a graph as `read_graph` does, and its edges before they are added up if the file lists edges."""
    if is_store(path):
        if (form, directed, vertices, rules, columns) != (None, None, None, Rules(), EdgeColumns()):
            raise ArgumentError(
                f"{path!s} is an edge store, whose edges were read by build_store; leave all other parameters out."
            )
        return open_store(path), None  # type: ignore[arg-type]  # a path by now
    name = format_of(path, form)
    directed = None if directed is None else check_flag("directed", directed)
    content = open_source(path, columns.weight, vertices, columns.ends, columns.header)
    check_table_options(content, name)
    with content.reading(name):
        found = FORMATS[name](content)
    try:
        if isinstance(found, EdgeList):
            warn_of_similar(found.names, content.path)
            edges = found.redirected(directed)
            return assembled(edges, rules.of_weight(content.weight)), edges
        matrix, names, known = found
        directed = known if directed is None else directed
        matrix, directed = tidy_matrix(
            matrix, directed, rules, unweighted=content.weight is None, argument="matrix"
        )
        return Adjacency.of_canonical(matrix, as_names(names, matrix.shape[0]), directed), None
    except GraphError as error:
        raise GraphError(f"{content.path}: {error}") from None


def is_stream(path: object) -> TypeIs[BinaryIO | Writable]:
    """Whether something is open for reading or writing."""
    return hasattr(path, "read") or hasattr(path, "write")


def _name_of(path: str | os.PathLike[str] | BinaryIO | Writable) -> str:
    """Return what a file is called in messages."""
    return str(getattr(path, "name", "a stream")) if is_stream(path) else os.fspath(path)


def format_of(path: str | os.PathLike[str] | BinaryIO | Writable, name: str | None) -> str:
    """Return the format's name, which is given or known by the suffix."""
    if not is_stream(path):
        check_path("path", path)
        if Path(path).is_dir():
            raise ArgumentError(f"path={str(path)!r} is a folder; name a file.")
    if name is not None:
        return check_choice("format", name, tuple(FORMATS))
    file = Path(_name_of(path))
    suffix = (file.with_suffix("") if file.suffix == ".gz" else file).suffix.lower()
    if suffix == ".lpg":
        raise ArgumentError(f"path={str(file)!r} is a saved model, not a graph; pass it to lpgraph.load.")
    if suffix not in _SUFFIXES:
        known = ", ".join(FORMATS)
        raise ArgumentError(f"path={str(file)!r} has no known suffix; pass format=, one of {known}, or a graph.")
    return _SUFFIXES[suffix]


def check_table_options(source: Source, name: str) -> None:
    """Refuse options that the format has no use for."""
    given = {"vertices": source.vertices, "source": source.ends, "header": source.header}
    for option, value in given.items():
        table = name in DELIMITERS or (name == "parquet" and option != "header")
        if value is not None and not table:
            kind = "text tables" if option == "header" else "edge lists"
            raise ArgumentError(f"{option}= is for {kind} and {source.path} is {name}; leave it out.")
