"""Graphs in files: edge lists, Parquet, GraphML, GML, Matrix Market and npz, each also gzipped."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeAlias

from lpgraph._checks import check_choice, check_flag
from lpgraph._files import replace_file
from lpgraph._missing_file import check_path
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.assemble import EdgeList, LoopRule, MultiEdgeRule, Rules, tidy_matrix
from lpgraph.graph.blanks import warn_of_blanks
from lpgraph.graph.construct import as_adjacency, assembled
from lpgraph.graph.convert import check_ends, check_weight_name
from lpgraph.graph.files import edges, gml, graphml, labels, matrix_market, npz, parquet
from lpgraph.graph.files.common import Source
from lpgraph.graph.files.content import open_source
from lpgraph.graph.files.foreign import READERS, remedy
from lpgraph.graph.files.labels import LabelTable
from lpgraph.graph.files.text import DELIMITERS
from lpgraph.graph.label_signs import warn_of_labels
from lpgraph.graph.names import as_names
from lpgraph.graph.unknown_labels import UnknownLabels, check_unknown_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from scipy import sparse
    from typing_extensions import TypeIs

    #: Edges, or a matrix with names and direction.
    Found: TypeAlias = EdgeList | tuple[sparse.csr_array | sparse.coo_array, Sequence[Hashable], bool | None]


class Writable(Protocol):
    """What can be written to, such as a binary file."""

    def write(self, content: memoryview, /) -> int:
        """Write some or all of the bytes, and return how many."""


__all__ = ["load_graph", "load_labels", "read_graph", "read_labels", "write_graph"]

_FORMATS: dict[str, tuple[Callable[[Source], Found], Callable[[Adjacency], bytes]]] = {
    **{form: (partial(edges.read, form=form), partial(edges.write, form=form)) for form in DELIMITERS},
    "graphml": (graphml.read, graphml.write),
    "gml": (gml.read, gml.write),
    "mtx": (matrix_market.read, matrix_market.write),
    "npz": (npz.read, npz.write),
    "parquet": (parquet.read, parquet.write),
}
_SUFFIXES = {f".{name}": name for name in _FORMATS} | {
    ".tab": "tsv",
    ".edges": "txt",
    ".edgelist": "txt",
    ".ncol": "txt",
    ".graphmlz": "graphml",
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
    max_bytes: int | None = None,
) -> Adjacency:
    """Read a graph from a file.

    Parameters
    ----------
    path : str, path or binary file
        The file, or one that is open for reading bytes (such as ``sys.stdin.buffer``), which needs `format` if
        it has no name with a suffix. Gzipped content is unpacked.
    format : {"csv", "tsv", "txt", "graphml", "gml", "mtx", "npz", "parquet"}, optional
        None: by the suffix, before a possible .gz: .csv, .tsv, .tab, .txt, .edges, .edgelist, .graphml,
        .gml, .mtx, .npz, .parquet; also .ncol (txt) and .graphmlz.
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
    max_bytes : int or None
        Limit of the memory that may be taken for the file, which is estimated from its content before it is taken:
        unpacked text, arrays, names and edges. None: 200 times the size of the file, at least 200 MB.

    Returns
    -------
    Adjacency
        GraphML and GML give further vertex attributes, in ``vertex_attributes``.

    Raises
    ------
    FileFormatError
        When the file is truncated, malformed or not of its format, or would take more than `max_bytes`; the
        message names the file and, if known, the line, or the limit that suffices.
    GraphError
        When a rule says "error" or the matrix is not symmetric with ``directed=False``.
    MissingFileError, OSError
        When the file does not exist, or cannot be opened.

    Warns
    -----
    LpgraphWarning
        When an edge list seems to be a table of labels, text is not UTF-8, a vertex is called as programs write a
        missing value ("NA"), or two names differ only by blanks around them, as they may in a Parquet file.

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

    *Header.* With ``header=None`` the first line is a header

    - if it has columns called source and target, from and to, src and dst, or tail and head;
    - else, if none of its first two fields is a number, and one of its (two or three) columns has numbers in all
      other lines and not in the first;
    - else, if none of its first two fields is a number or occurs as an end point in another line, and they are
      usual titles such as user and friend, or fewer than half of the other lines are edges between two vertices
      without other edges. In the last case the first line may also be such an edge, and a warning says how it
      was read, also where it was read as an edge.

    Lines that repeat the first one are not the other lines of these rules. A line that repeats a header is an
    error.

    *Encoding.* Text is UTF-8, or UTF-16 with a byte order mark. Other text is read as Windows-1252, which contains
    Latin-1, with a warning.

    *GraphML.* Names are the node ids (as int if all are integers), or the attribute ``name`` if ids are n0,
    n1, ... as igraph writes them. *GML.* Names are the labels if every node has one and no two are equal,
    otherwise the ids. In files of igraph, and if there are no labels, the attribute ``name`` is used before
    these.

    *Other formats* (Pajek, adjacency lists, graph6, LEDA, GEXF, JSON, LGL, DIMACS, DOT) are refused; the error has
    the call of networkx or igraph that reads them.

    Examples
    --------
    >>> import lpgraph as lp, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "graph.txt.gz"
    >>> lp.write_graph(lp.from_edges(["a", "b"], ["b", "c"], vertices=["c", "b", "a", "z"]), path)
    >>> lp.read_graph(path).names
    ('c', 'b', 'a', 'z')
    """
    tables = {*DELIMITERS, "parquet"}  # other formats say which nodes there are
    return load_graph(
        path,
        format,
        Rules(loops, multi_edges),
        directed=directed,
        weight=weight,
        source=source,
        target=target,
        header=header,
        max_bytes=max_bytes,
        vertices=vertices,
        listen=partial(warn_of_labels, what=_name_of(path)) if _format_of(path, format) in tables else None,
    )


def load_graph(
    path: str | os.PathLike[str] | BinaryIO,
    form: str | None,
    rules: Rules,
    *,
    directed: bool | None,
    weight: str | None,
    source: str | None,
    target: str | None,
    header: bool | None,
    max_bytes: int | None,
    vertices: int | Iterable[Hashable] | None = None,
    listen: Callable[[EdgeList], None] | None = None,
) -> Adjacency:
    """Read a graph as `read_graph` does; `listen` gets the edges of a list before they are added up."""
    name = _format_of(path, form)
    directed = None if directed is None else check_flag("directed", directed)
    content = open_source(path, max_bytes)
    content = replace(
        content,
        weight=check_weight_name(weight),
        vertices=vertices,
        ends=_ends(source, target, header),
        header=None if header is None else check_flag("header", header),
    )
    _check_table_options(content, name)
    try:
        found = _FORMATS[name][0](content)
    except MemoryError:
        raise content.error("it takes more memory than there is") from None
    try:
        if isinstance(found, EdgeList):
            warn_of_blanks(found.names, content.path)
            listed = found.redirected(directed)
            if listen is not None:
                listen(listed)
            return assembled(listed, rules.of_weight(content.weight))
        matrix, names, known = found
        directed = known if directed is None else directed
        matrix, directed = tidy_matrix(matrix, directed, rules, unweighted=weight is None, argument="matrix")
        return Adjacency.of_canonical(matrix, as_names(names, matrix.shape[0]), directed)
    except GraphError as error:
        raise GraphError(f"{content.path}: {error}") from None


def _ends(source: str | None, target: str | None, header: bool | None) -> tuple[str, str] | None:
    """Return the titles of the columns of end points, if they are given."""
    ends = check_ends(source, target)
    if ends is not None and header is False:
        raise ArgumentError(f"source={source!r} is a title but header=False; leave one of them out.")
    return ends


def _check_table_options(source: Source, name: str) -> None:
    """Refuse options that the format has no use for."""
    given = {"vertices": source.vertices, "source": source.ends, "header": source.header}
    for option, value in given.items():
        if value is not None and (name not in DELIMITERS if option == "header" else name not in labels.TABLES):
            kind = "text tables" if option == "header" else "edge lists"
            raise ArgumentError(f"{option}= is for {kind} and {source.path} is {name}; leave it out.")


def read_labels(
    path: str | os.PathLike[str] | BinaryIO,
    vertices: object = None,
    *,
    column: str | None = None,
    format: str | None = None,  # noqa: A002 - as in read_graph
    header: bool | None = None,
    unknown: UnknownLabels = "warn",
    max_bytes: int | None = None,
) -> dict[Hashable, Hashable]:
    r"""Read labels of vertices from a table: a column of names and a column of labels.

    Parameters
    ----------
    path : str, path or binary file
        As for `read_graph`: csv, tsv, txt or parquet, possibly gzipped.
    vertices : graph or iterable of hashable, optional
        The vertices the labels are for. Names are then returned as the names of these vertices, int or str.
    column : str, optional
        The column with the labels, if there are more than two and none is called label, class, labels, group,
        cluster or y.
    format : {"csv", "tsv", "txt", "parquet"}, optional
        None: by the suffix.
    header : bool or None
        For text files: whether the first line has the titles of the columns. None: see Notes.
    unknown : {"warn", "error", "ignore"}
        What to do with labels of other vertices than `vertices`. "warn": leave them out, with a warning that
        counts them; but refuse them if they are more than half, or if their names are numbers and those of the
        others are not, or the reverse: it is probably another table or column. "error": refuse them. "ignore":
        leave them out.
    max_bytes : int or None
        As for `read_graph`.

    Returns
    -------
    dict
        From vertex to label, int if all labels are integers, else str. A vertex without a label is left out: its
        label is empty or, with a warning, a text that pandas reads as missing, such as NA, NaN, None or null.

    Raises
    ------
    FileFormatError
        When the file is malformed, gives a vertex two labels, repeats its header, or would take more than
        `max_bytes`.
    UnknownVertexError
        When labels of other vertices are refused by `unknown`, or if no name is among `vertices`.
    MissingFileError, OSError
        When the file does not exist, or cannot be opened.

    Warns
    -----
    LpgraphWarning
        When labels of other vertices are left out, texts are read as missing labels, or the first line may be a
        header or a row.

    Notes
    -----
    Names are in the column called vertex, node, name or id, else in the first. Separators, comments and encodings
    are those of edge lists in `read_graph`. An apostrophe before a text that begins like a formula (=, +, -, @) is
    taken away, since tables of the command line have one there.

    With ``header=None`` and `vertices`, the first line is a header if its first entry is no vertex and either it
    has such a title or another usual one such as user, or the second line begins with a vertex and, in two
    columns, the label of the first line does not occur again. Without `vertices`, it is a header if it has such a
    title, if its first entry is the only usual title in its column and its label does not occur again, or if the
    names or the labels are numbers in all other lines and not in the first. If in another table of two columns the
    label of the first line does not occur again, a warning says how the line is read: as a header if fewer than
    half of the other labels have one vertex.

    Examples
    --------
    >>> import lpgraph as lp, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> _ = path.write_text("vertex,label\n7,good\n12,bad\n")
    >>> lp.read_labels(path)
    {7: 'good', 12: 'bad'}
    """
    names: Iterable[Hashable] | None
    if vertices is None or (isinstance(vertices, Iterable) and not hasattr(vertices, "adjacency")):
        names = vertices
    else:
        names = as_adjacency(vertices).names
    rule = check_unknown_rule(unknown)
    return load_labels(path, names, column, format, header, unknown=rule, max_bytes=max_bytes).labels


def load_labels(
    path: str | os.PathLike[str] | BinaryIO,
    names: Iterable[Hashable] | None,
    column: str | None,
    form: str | None,
    header: bool | None,
    *,
    unknown: UnknownLabels = "warn",
    max_bytes: int | None,
) -> LabelTable:
    """Read labels as `read_labels` does, and the names of vertices without a label that are not among `names`."""
    form = _format_of(path, form, labels=True)
    source = replace(open_source(path, max_bytes), header=None if header is None else check_flag("header", header))
    _check_table_options(source, form)
    return labels.read_label_table(source, form, names, column, unknown=unknown)


def write_graph(
    graph: object,
    path: str | os.PathLike[str] | Writable,
    *,
    format: str | None = None,  # noqa: A002 - as in read_graph
) -> None:
    """Write a graph to a file: as a plain table of edges, or so that `read_graph` returns an equal one.

    Parameters
    ----------
    graph : Adjacency or anything `as_adjacency` takes
        Vertex names must all be str or all be int.
    path : str, path or binary file
        The file; gzipped if its suffix is .gz. It is replaced as a whole or, if something fails, not at all.
        A device, a pipe, or a file that is open for writing bytes (such as ``sys.stdout.buffer``) is written
        directly.
    format : {"csv", "tsv", "txt", "graphml", "gml", "mtx", "npz", "parquet"}, optional
        None: by the suffix, as in `read_graph`.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When the format cannot hold the names or the vertex attributes, or the format is not known.

    Warns
    -----
    LpgraphWarning
        When a csv or tsv file does not hold all of the graph: its vertices without an edge (which are counted),
        its direction, or that names such as "12" are texts.

    Notes
    -----
    *csv and tsv* files are plain tables with the titles source, target and, if the graph is weighted, weight, as
    ``pandas.read_csv`` reads them. The order of vertices is not kept, unless their names are integers in order.

    *All other formats* keep vertices in their order, isolated ones included, and the direction: txt and Matrix
    Market files in comment lines (# lpgraph ...), which other programs ignore, and Parquet files in their
    metadata. `scipy.sparse.load_npz` also reads npz files.
    Further vertex attributes are kept by GraphML and GML only.

    Examples
    --------
    >>> import lpgraph as lp, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "graph.csv"
    >>> lp.write_graph(lp.from_edges([0, 1], [1, 2], [1.0, 0.5]), path)
    >>> print(path.read_text())
    source,target,weight
    0,1,1
    1,2,0.5
    """
    name = _format_of(path, format)
    content = _FORMATS[name][1](as_adjacency(graph))
    if _is_stream(path):
        left = memoryview(content)
        while left:  # an unbuffered stream may write less than it is given
            left = left[path.write(left) :]
        return
    if os.path.realpath(path).endswith(".gz"):
        content = gzip.compress(content, compresslevel=6, mtime=0)
    replace_file(path, content)


def _is_stream(path: object) -> TypeIs[BinaryIO | Writable]:
    return hasattr(path, "read") or hasattr(path, "write")


def _name_of(path: str | os.PathLike[str] | BinaryIO | Writable) -> str:
    return str(getattr(path, "name", "a stream")) if _is_stream(path) else os.fspath(path)


def _format_of(
    path: str | os.PathLike[str] | BinaryIO | Writable, name: str | None, *, labels: bool = False
) -> str:
    if not _is_stream(path):
        check_path("path", path)
        if Path(path).is_dir():
            raise ArgumentError(f"path={str(path)!r} is a folder; name a file.")
    if name is not None:
        return check_choice("format", name, tuple(_FORMATS))
    file = Path(_name_of(path))
    suffix = (file.with_suffix("") if file.suffix == ".gz" else file).suffix.lower()
    if suffix == ".lpg":
        raise ArgumentError(f"path={str(file)!r} is a saved model, not a graph; pass it to lpgraph.load.")
    if labels and suffix in READERS and suffix != ".xlsx":
        raise ArgumentError(f"path={str(file)!r} holds no labels; pass a csv, tsv, txt or parquet table.")
    if suffix in READERS:
        raise ArgumentError(f"path={str(file)!r} has the suffix {suffix}; {remedy(READERS[suffix], str(file))}.")
    if suffix not in _SUFFIXES:
        raise ArgumentError(
            f"path={str(file)!r} has no suffix that tells the format; name a file that ends in "
            f"{', '.join(f'.{name}' for name in _FORMATS)}, or pass format=."
        )
    return _SUFFIXES[suffix]
