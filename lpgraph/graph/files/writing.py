"""Writing of graphs."""

from __future__ import annotations

import gzip
import os
from typing import TYPE_CHECKING

from lpgraph._files import replace_file
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.files.formats import FORMATS, format_of, is_stream

if TYPE_CHECKING:
    from lpgraph.graph.files.formats import Writable

__all__ = ["write_graph"]


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
    name = format_of(path, format)
    content = FORMATS[name][1](as_adjacency(graph))
    if is_stream(path):
        left = memoryview(content)
        while left:  # an unbuffered stream may write less than it is given
            left = left[path.write(left) :]
        return
    if os.path.realpath(path).endswith(".gz"):
        content = gzip.compress(content, compresslevel=6, mtime=0)
    replace_file(path, content)
