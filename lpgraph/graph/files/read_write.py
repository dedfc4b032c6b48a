"""`read_graph`, `write_graph` and `read_labels`, and the formats of files."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, get_args

from lpgraph._utils.checks import check_choice
from lpgraph._utils.files import check_path, replace_file
from lpgraph.errors import ArgumentError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.assemble import EdgeList, LoopRule, Matrix, MultiEdgeRule, Rules
from lpgraph.graph.construct import as_adjacency, check_titles, finished
from lpgraph.graph.names import integer_names, is_listing, listed
from lpgraph.graph.vertex_values import UnknownLabels, check_unknown_labels

from . import formats, tables
from .source import Source, name_of, open_source
from .store import is_store, open_store
from .tables import DELIMITERS, MISSING, above_numbers, is_number, open_text

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Hashable

    from typing_extensions import TypeIs

    from .tables import Body


#: How each format is read.
FORMATS: dict[str, Callable[[Source], EdgeList | Matrix]] = {
    **{form: partial(tables.read_edges, form=form) for form in DELIMITERS},
    "graphml": formats.read_xml,
    "gml": formats.read_gml,
    "mtx": formats.read_mtx,
    "npz": formats.read_npz,
    "parquet": tables.read_parquet,
    "pajek": formats.read_pajek,
    "gexf": formats.read_xml,
    "json": formats.read_json,
}

#: How each format is written.
_WRITERS: dict[str, Callable[[Adjacency], bytes]] = {
    **{form: partial(tables.write_table, form=form) for form in DELIMITERS},
    "npz": formats.write_npz,
    "parquet": tables.write_parquet,
}

#: The formats of suffixes.
SUFFIXES = {f".{name}": name for name in FORMATS} | {
    ".tab": "tsv",
    **dict.fromkeys((".edges", ".edgelist", ".ncol"), "txt"),
    ".graphmlz": "graphml",
    **dict.fromkeys((".net", ".paj"), "pajek"),
}


_VERTEX_WORDS = ("vertex", "node", "name", "id", "vertices", "nodes", "names", "index")
_LABEL_WORDS = ("label", "class", "labels", "group", "cluster", "y")


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
        None: as the file says. A table of edges is undirected, except for Parquet files of `write_graph`; a
        general Matrix Market or npz matrix is undirected if it is symmetric. Otherwise as in `as_adjacency`.
    weight : str or None
        Name of the column or edge attribute with the weights. None ignores weights: every edge has weight 1,
        however often it is listed.
    source, target : str, optional
        For edge lists: titles of the columns of end points, if they are not found by their titles (see Notes), or
        with ``header=False`` their positions, from "1" on. Such a file may have any number of columns.
    header : bool or None
        For text files: whether the first line has the titles of the columns. None: see Notes. With False,
        `source`, `target` and `weight` name columns by their position, from "1" on.
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
        When a vertex has the name of a missing value ("NA"), undirected edges became two arcs, times were not read
        as weights, two names differ only by blanks or notation, or different weights of both directions add up.

    Notes
    -----
    *Parquet* needs pyarrow (``pip install 'lpgraph[parquet]'``); its columns are found as in a data frame.

    *Edge lists.* Lines that begin with # or % are comments. Columns are source, target and possibly weight,
    separated by comma (csv), tab (tsv) or blanks (txt). Blanks around an entry do not count. In csv files the
    separator is a semicolon if the first line has more of them than commas. More than three columns need titles or
    positions. A third column without a title is not the weight if it has Unix times. A column called Type with
    Directed and Undirected, as Gephi writes it, says what edges are. Columns with titles are found as in
    `as_adjacency`, or by `source` and `target`. If all names are decimal integers in their usual form (12, not 012
    or 12.0) they come back as int, and the vertices are in this order; otherwise names are str, and vertices in
    the order in which they are first listed. Lines that end in a dict of attributes are read by
    ``networkx.read_edgelist``, whose graph `as_adjacency` takes.

    *Titles.* The first line has the titles of the columns if `source` and `target` are given, or if it has two
    usual titles of end points (source and target, from and to, src and dst, user and friend, node_a and node_b),
    or texts where all names or all weights below it are numbers. Otherwise it is an edge. A line that
    repeats the titles is an error.

    *Encoding.* Text is UTF-8, and otherwise an error; GML and Pajek may be Latin-1.

    *Matrix Market.* The layout is coordinate, and vertices are numbered. A banner is enough, whatever the suffix.

    *GraphML.* Names are the node ids (as int if all are integers), or the attribute ``name`` or the ``label`` if
    ids are n0, n1, ... as igraph and yEd write them. *GML.* Names are the labels if every node has one and no two
    are equal, otherwise the ids. In files of igraph, and if there are no labels, the attribute ``name`` is used
    before these.

    *Pajek, GEXF and JSON* of nodes and edges: names are labels in Pajek, and ids otherwise. An undirected edge
    among arcs becomes two arcs, as in GraphML and tables of Gephi.

    *Other formats* (adjacency lists, graph6, LEDA, LGL, DIMACS, DOT) are read by networkx or igraph, whose graphs
    `as_adjacency` takes.

    Examples
    --------
    >>> import lpgraph as lp, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "graph.npz"
    >>> lp.write_graph(lp.from_edges(["a", "b"], ["b", "c"], vertices=["c", "b", "a", "z"]), path)
    >>> list(lp.read_graph(path).names)
    ['c', 'b', 'a', 'z']
    """
    rules, ends = Rules(loops, multi_edges, weight is None), check_titles(weight, source, target)
    if is_store(path):
        given = [option for option in (format, directed, vertices, ends, header) if option is not None]
        if given or (rules, weight) != (Rules(), "weight"):
            raise ArgumentError(f"{path!s} is an edge store, made by build_store; leave all other parameters out.")
        return open_store(path)  # type: ignore[arg-type]  # a path by now
    name = format_of(path, format)
    content = open_source(path)
    if format is None and name in DELIMITERS and formats.BANNER.match(content.content):
        name = "mtx"
    content = replace(content, weight=weight, vertices=vertices, ends=ends, header=header, directed=directed)
    for option, value in (("header", header), ("vertices", vertices), ("source", ends)):
        if value is not None and name not in DELIMITERS and (name != "parquet" or option == "header"):
            raise ArgumentError(f"{option}= is for tables of edges, and {content.path} is {name}; leave it out.")
    sums = directed is None and multi_edges == "sum"
    with content.reading(name):
        return finished(FORMATS[name](content), directed, rules, content.path, sums=sums)


def write_graph(
    graph: object,
    path: str | os.PathLike[str] | BinaryIO,
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
    format : {"csv", "tsv", "txt", "npz", "parquet"}, optional
        None: by the suffix, as in `read_graph`.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When the format cannot hold the names, or it is not known.

    Warns
    -----
    LpgraphWarning
        When vertices without an edge are left out of a table of edges.

    Notes
    -----
    *csv, tsv and txt* files are plain tables of source, target and, if the graph is weighted, weight: csv and tsv
    files with titles, as ``pandas.read_csv`` reads them, and txt files without, as most programs for graphs read
    them. They have neither the vertices without an edge, nor the direction, nor that names such as "12" are texts.
    The order of vertices is not kept, unless their names are integers in order.

    *npz and Parquet* keep vertices in their order, isolated ones included, and the direction (Parquet files in
    their metadata). `scipy.sparse.load_npz` also reads npz files.

    *Other formats* are written by other libraries: ``networkx.write_graphml(graph.to_networkx(), path)``, which
    keeps vertex attributes too, ``networkx.write_gml``, ``scipy.io.mmwrite(path, graph.matrix)``.

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
    name = format_of(path, format)
    if name not in _WRITERS:
        raise ArgumentError(f"format={name!r} is read and not written; use {', '.join(_WRITERS)} or networkx.")
    try:
        content = _WRITERS[name](as_adjacency(graph))
    except (UnicodeEncodeError, OverflowError) as error:
        raise ArgumentError(f"A vertex name does not fit in a {name} file ({error}); rename it.") from None
    if is_stream(path):
        left = memoryview(content)
        while left:  # an unbuffered stream may write less than it is given
            left = left[path.write(left) :]
        return
    if os.path.realpath(path).endswith(".gz"):
        content = gzip.compress(content, compresslevel=6, mtime=0)
    replace_file(path, content)


def is_stream(path: object) -> TypeIs[BinaryIO]:
    """Whether something is open for reading or writing."""
    return hasattr(path, "read") or hasattr(path, "write")


def format_of(path: str | os.PathLike[str] | BinaryIO, name: str | None) -> str:
    """Return the format's name, which is given or known by the suffix; an error lists the known ones."""
    if not is_stream(path):
        check_path("path", path)
        if Path(path).is_dir():
            raise ArgumentError(f"path={str(path)!r} is a folder; name a file.")
    if name is not None:
        return check_choice("format", name, FORMATS)
    file = Path(name_of(path))
    suffix = Path(file.name.removesuffix(".gz")).suffix.lower()
    if suffix not in SUFFIXES:
        raise ArgumentError(f"path={str(file)!r} has no known suffix; pass format=, one of {', '.join(FORMATS)}.")
    return SUFFIXES[suffix]


def read_labels(
    path: str | os.PathLike[str] | BinaryIO,
    vertices: object = None,
    *,
    column: str | None = None,
    format: str | None = None,  # noqa: A002 - as in read_graph
    header: bool | None = None,
    unknown: UnknownLabels = "warn",
    missing: str | None = None,
) -> dict[Hashable, Hashable]:
    r"""Read labels of vertices from a table: a column of names and a column of labels.

    Parameters
    ----------
    path : str, path or binary file
        As for `read_graph`: csv, tsv or txt, possibly gzipped. Labels in a data frame need no file: estimators
        take a pandas Series whose index has the names.
    vertices : graph or iterable of hashable, optional
        The vertices the labels are for. Names are then returned as the names of these vertices, int or str.
    column : str, optional
        The column with the labels, if there are more than two and none is called label, class, labels, group,
        cluster or y.
    format : {"csv", "tsv", "txt"}, optional
        None: by the suffix.
    header : bool or None
        Whether the first line has the titles of the columns. None: see Notes.
    unknown : {"warn", "error", "ignore"}
        What to do with labels of other vertices than `vertices`. "warn": leave them out, with a warning that
        counts them; but refuse them if they are more than half: it is probably another table or column. "error":
        refuse them. "ignore": leave them out.
    missing : str, optional
        Another text that means a missing label, such as "0" or "unknown".

    Returns
    -------
    dict
        From vertex to label, int if all labels are integers, else str. A vertex without a label is left out: its
        label is empty, or a text that pandas reads as missing, such as NA, NaN, None or null.

    Raises
    ------
    FileFormatError
        When the file is malformed, gives a vertex two labels, or repeats its header.
    UnknownVertexError
        When labels of other vertices are refused by `unknown`.
    MissingFileError, OSError
        When the file does not exist, or cannot be opened.

    Warns
    -----
    LpgraphWarning
        When labels of other vertices are left out.

    Notes
    -----
    Names are in the column called vertex, node, name or id, else in the first. Separators, comments and encodings
    are those of edge lists in `read_graph`.

    With ``header=None``, the first line has titles if one of them is such a title or a usual one of labels (label,
    class, group, cluster, y), or if all names below it are numbers; but not if its first entry is one of
    `vertices`. Two entries are titles as well if the first is not among `vertices`, the second is no number, and
    another row has one of `vertices`.

    Examples
    --------
    >>> import lpgraph as lp, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> _ = path.write_text("vertex,label\n7,good\n12,bad\n")
    >>> lp.read_labels(path)
    {7: 'good', 12: 'bad'}
    """
    names = vertices if vertices is None or is_listing(vertices) else as_adjacency(vertices).names
    check_choice("unknown", unknown, get_args(UnknownLabels))
    form = format_of(path, format)
    if form not in DELIMITERS:
        raise ArgumentError(f"path={str(path)!r} is {form}; labels are read from csv, tsv and txt tables.")
    source = replace(open_source(path), header=header)
    wanted = () if names is None else listed(names)
    known = {str(vertex).strip(): vertex for vertex in wanted}  # as names are written in files
    with source.reading(form):
        body, found, labels = _label_table(source, form, known, column)
    given: dict[str, str] = {}
    no_labels = {"", *MISSING, missing}
    again = [
        label not in no_labels and given.setdefault(name, label) != label
        for name, label in zip(found, labels, strict=True)
    ]
    remedy = "keep one, write the titles vertex and label, or pass the table of labels if this is one of edges"
    body.refuse(again, lambda row: f"the vertex {found[row]!r} has two labels, {labels[row]!r} here; {remedy}")
    if names is None:
        known = dict(zip(found, integer_names(found) or found, strict=True))
    strangers = [name for name in given if name not in known]
    check_unknown_labels(unknown, strangers, len(given), known.values(), where=source.path)
    kept = {known[name]: label for name, label in given.items() if name in known}
    return dict(zip(kept, integer_names([*kept.values()]) or kept.values(), strict=True))


def _label_table(
    source: Source, form: str, known: Container[str], column: str | None
) -> tuple[Body, list[str], list[str]]:
    """Return a table of labels, the names in its rows, and the labels."""
    body = open_text(source, form)
    if source.header is False and column is not None:
        raise ArgumentError(f"column={column!r} is a title but header=False; leave one of them out.")
    first, *below = body.texts(1000).to_numpy().tolist()
    header = source.header
    if header is None:
        usual = {*_VERTEX_WORDS, *_LABEL_WORDS}.intersection(map(str.lower, first))
        of_others = not is_number(first[-1]) and any(row[0] in known for row in below)
        titled = bool(usual) or of_others or above_numbers(first, below, stop=1)
        header = column is not None or (titled and first[0] not in known)
    if len(first) < 2 or (not header and len(first) > 2):
        raise source.error(f"it has {len(first)} columns without titles; write one of names and one of labels")
    name_at, label_at = _columns(source, first, column) if header else (0, 1)
    body = body.without_titles() if header else body
    table = body.texts(titles=first if header else ())
    return body, table[name_at].tolist(), table[label_at].tolist()


def _columns(source: Source, titles: list[str], column: str | None) -> tuple[int, int]:
    """Return the positions of the names and of the labels."""
    lower = [title.lower() for title in titles]
    # pandas writes an index without a title.
    name_at = next((lower.index(word) for word in _VERTEX_WORDS if word in lower), int(titles[0] == ""))
    if column is None and len(titles) == 2:
        return name_at, 1 - name_at
    usual = [lower.index(word) for word in _LABEL_WORDS if word in lower and lower.index(word) != name_at]
    found = usual[:1] if column is None else [k for k, title in enumerate(titles) if title == column]
    if len(found) != 1:
        raise ArgumentError(f"column={column!r}; pass the one with the labels: {source.path} has {titles}.")
    return (1 - found[0] if len(titles) == 2 else name_at), found[0]
