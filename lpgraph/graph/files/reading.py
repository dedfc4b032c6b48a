"""Reading of graphs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

from lpgraph._checks import check_flag
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.assemble import EdgeList, LoopRule, MultiEdgeRule, Rules, tidy_matrix
from lpgraph.graph.blanks import warn_of_blanks
from lpgraph.graph.construct import assembled
from lpgraph.graph.convert import check_ends, check_weight_name
from lpgraph.graph.files.content import open_source
from lpgraph.graph.files.formats import FORMATS, check_table_options, format_of, name_of
from lpgraph.graph.files.text import DELIMITERS
from lpgraph.graph.label_signs import warn_of_labels
from lpgraph.graph.names import as_names

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Hashable

__all__ = ["load_graph", "read_graph"]


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
        listen=partial(warn_of_labels, what=name_of(path)) if format_of(path, format) in tables else None,
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
    name = format_of(path, form)
    directed = None if directed is None else check_flag("directed", directed)
    content = open_source(path, max_bytes)
    content = replace(
        content,
        weight=check_weight_name(weight),
        vertices=vertices,
        ends=_ends(source, target, header),
        header=None if header is None else check_flag("header", header),
    )
    check_table_options(content, name)
    try:
        found = FORMATS[name][0](content)
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
