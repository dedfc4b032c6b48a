"""Writing of graphs: tables of edges, GML, GraphML, matrices and Parquet."""

from __future__ import annotations

import csv
import gzip
import io
import math
import os
import re
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import import_extra
from lpgraph._utils.files import replace_file
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError, LpgraphWarning
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.files.formats import NAME_KIND
from lpgraph.graph.files.reading import format_of, is_stream
from lpgraph.graph.files.source import compose_hint, file_names
from lpgraph.graph.files.tables import DELIMITERS, METADATA
from lpgraph.graph.names import integer_names, is_numbered, texts_of, unwrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.files.reading import Writable

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


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
    if name not in _WRITERS:
        raise ArgumentError(f"format={name!r} is read and not written; pass one of {', '.join(_WRITERS)}.")
    content = _WRITERS[name](as_adjacency(graph))
    if is_stream(path):
        left = memoryview(content)
        while left:  # an unbuffered stream may write less than it is given
            left = left[path.write(left) :]
        return
    if os.path.realpath(path).endswith(".gz"):
        content = gzip.compress(content, compresslevel=6, mtime=0)
    replace_file(path, content)


def _number(value: float) -> int | float:
    """Return a whole weight as an int, so that it is written 1 and not 1.0."""
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def _table(graph: Adjacency, form: str) -> bytes:
    """Write columns in the format csv, tsv or txt.

    A csv or tsv file is a plain table with titles, which every program reads. A txt file has no titles and names
    without quotes, and begins with comment lines on what the edges do not tell.
    """
    delimiter, table = DELIMITERS[form], form != "txt"
    source, target, weight = graph.edge_list()
    names = file_names(graph)
    _check_names(graph, names, table=table)
    text = io.StringIO(newline="")
    if table:
        _warn_of_unwritten(graph, names, np.union1d(source, target).size, form)
        text.write(delimiter.join(["source", "target", "weight"][: 2 + graph.weighted]) + "\n")
    else:
        text.write(compose_hint(graph, source.size, "# "))
    # All strings in tables are quoted, so that no name can be taken for a comment or a second line.
    writer = csv.writer(
        text,
        delimiter=delimiter,
        lineterminator="\n",
        quoting=csv.QUOTE_NONNUMERIC if table else csv.QUOTE_NONE,
        quotechar='"' if table else None,
    )
    columns: list[Iterable[Hashable]] = [(names[i] for i in rows.tolist()) for rows in (source, target)]
    if graph.weighted:
        columns.append(map(_number, weight.tolist()))
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue().encode()


def _check_names(graph: Adjacency, names: Sequence[Hashable], *, table: bool) -> None:
    """Refuse names that would be read differently, or not at all."""
    for name in () if is_numbered(names) else map(str, names):
        if not name or name != name.strip() or (not table and (name.split() != [name] or name[0] in "#%\ufeff")):
            raise ArgumentError(
                f"Such a file cannot keep the vertex name {name!r}; rename it, or write npz or parquet."
            )
    if table and not graph.weighted and {"source", "target"} <= set(names):
        source, target, _ = graph.edge_list()
        if ((source == graph.index["source"]) & (target == graph.index["target"])).any():
            raise ArgumentError(
                "The edge 'source', 'target' reads like the titles; rename one, or write .txt or .npz."
            )


def _warn_of_unwritten(graph: Adjacency, names: Sequence[Hashable], n_linked: int, form: str) -> None:
    """Warn if reading a table of edges would not give the graph back, except for the order of its vertices."""
    alone = graph.n_vertices - n_linked
    texts = texts_of(names)
    lost = [
        *([f"{alone} of {graph.n_vertices} vertices have no edge and are left out"] if alone else []),
        *(["the direction of edges is lost unless it is read as directed"] if graph.directed else []),
        *([f"names such as {texts[0]!r} are read as integers"] if texts and integer_names(texts) else []),
    ]
    if lost:
        told = f"A {form} table lists edges only: {', and '.join(lost)}"
        warn(f"{told}. Write npz, parquet or graphml to keep all.", LpgraphWarning)


def _attributes(graph: Adjacency) -> dict[str, list[Hashable]]:
    """Return vertex attributes as lists of bool, int, float, str and None; raise for others."""
    found = {}
    for key, values in graph.vertex_attributes.items():
        found[key] = [unwrapped(value) for value in values]
        wrong = next((v for v in found[key] if not isinstance(v, bool | int | float | str | None)), None)
        if wrong is not None:
            raise ArgumentError(f"vertex_attributes[{key!r}] has {wrong!r}; the format holds numbers and strings.")
    return found


def _gml(graph: Adjacency) -> bytes:
    """Write the graph in ASCII; what is not ASCII becomes an entity, which networkx and igraph undo."""
    columns = _attributes(graph)
    for key in columns:
        if not _KEY.fullmatch(key) or key in ("id", "label"):
            raise ArgumentError(
                f"vertex_attributes has {key!r}, which is no key in GML; rename it to letters and digits."
            )
    columns = {"id": list(range(graph.n_vertices)), "label": list(file_names(graph)), **columns}
    lines = ["graph [", f"  directed {int(graph.directed)}"]
    for values in zip(*columns.values(), strict=True):
        written = [f"{k} {_gml_value(v)}" for k, v in zip(columns, values, strict=True) if v is not None]
        lines.append("  node [\n    " + "\n    ".join(written) + "\n  ]")
    for i, j, weight in zip(*(column.tolist() for column in graph.edge_list()), strict=True):
        last = f"\n    weight {_number(weight)!r}" if graph.weighted else ""
        lines.append(f"  edge [\n    source {i}\n    target {j}{last}\n  ]")
    return ("\n".join(lines) + "\n]\n").encode("ascii")


def _gml_value(value: bool | float | str) -> str:
    match value:
        case str():
            return '"{}"'.format(
                "".join(c if " " <= c <= "~" and c not in '"&' else f"&#{ord(c)};" for c in value)
            )
        case float() if not math.isfinite(value):
            return "NAN" if math.isnan(value) else f"{'+' if value > 0 else '-'}INF"
    return repr(+value)  # a bool as 0 or 1


def _graphml(graph: Adjacency) -> bytes:
    """Write the graph by networkx; a node's id is its name."""
    import networkx as nx

    names, columns = file_names(graph), _attributes(graph)
    texts = {str(name) for name in names} | {*columns} | {v for c in columns.values() for v in texts_of(c)}
    bad = next(filter(_NO_XML.search, texts), None)
    if bad is not None:
        raise ArgumentError(f"{bad!r} has a character that XML cannot hold; write .csv or .gml.")
    made = graph.to_networkx()
    for key, values in columns.items():
        kinds = {*map(type, values)} - {type(None)}
        if str in kinds and len(kinds) > 1:
            raise ArgumentError(f"vertex_attributes[{key!r}] has texts and numbers; GraphML holds one of them.")
        for node, value in zip(made, values, strict=True):
            made.nodes[node][key] = value
            if value is None:
                del made.nodes[node][key]
    if texts_of(names) and integer_names([str(name) for name in names]):
        made.graph[NAME_KIND] = "string"
    buffer = io.BytesIO()
    nx.write_graphml_xml(made, buffer, infer_numeric_types=True)
    return buffer.getvalue().replace(b"\r", b"&#13;")  # it would be read as a line feed


def _mtx(graph: Adjacency) -> bytes:
    """Write coordinates: the lower triangle of an undirected graph, no values of an unweighted one."""
    from scipy.io import mmwrite

    matrix = graph.matrix if graph.directed else sparse.csr_array(sparse.tril(graph.matrix))
    field: Literal["real", "pattern"] = "real" if graph.weighted else "pattern"
    symmetry = "general" if graph.directed else "symmetric"
    buffer = io.BytesIO()
    mmwrite(buffer, matrix.tocoo(), field=field, symmetry="general", precision=17)
    # The banner is written here: scipy looks for symmetry in the whole matrix, and our comment follows it.
    lines = re.sub(rb"\A(%.*\n)+", b"", buffer.getvalue())
    banner = f"%%MatrixMarket matrix coordinate {field} {symmetry}\n" + compose_hint(graph, matrix.nnz, "% ")
    return banner.encode() + lines


def _npz(graph: Adjacency) -> bytes:
    """Write the arrays of `scipy.sparse.save_npz`, and names and direction in addition."""
    names, matrix = file_names(graph), graph.matrix
    arrays: dict[str, NDArray[np.generic]] = {
        "format": np.array(b"csr"),
        "shape": np.array(matrix.shape, dtype=np.int64),
        "data": matrix.data,
        "indices": matrix.indices,
        "indptr": matrix.indptr,
        "_is_array": np.array(True),
        "directed": np.array(bool(graph.directed)),
    }
    if not is_numbered(names):
        try:
            arrays["names"] = np.array(names, dtype=np.str_ if texts_of(names[:1]) else np.int64)
        except OverflowError:
            raise ArgumentError("Vertex names go beyond 64 bits; write them as str.") from None
        if arrays["names"].tolist() != list(names):
            raise ArgumentError("A vertex name ends in a NUL character, which npz drops; write .csv or .gml.")
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def _parquet(graph: Adjacency) -> bytes:
    """Write the columns source, target and, if the graph is weighted, weight; with checksums."""
    arrow, parquet = (import_extra(name, "parquet") for name in ("pyarrow", "pyarrow.parquet"))
    names = file_names(graph)
    source, target, weight = graph.edge_list()
    columns = {"source": arrow.array(source), "target": arrow.array(target)}
    if not is_numbered(names):
        try:
            listed = arrow.array(names, type=arrow.string() if texts_of(names[:1]) else arrow.int64())
        except (OverflowError, arrow.ArrowInvalid):
            raise ArgumentError("Vertex names go beyond 64 bits; write them as str.") from None
        columns = {key: listed.take(rows) for key, rows in columns.items()}
    if graph.weighted:
        columns["weight"] = arrow.array(weight)
    table = arrow.table(columns).replace_schema_metadata({METADATA: compose_hint(graph, source.size, "")})
    buffer = io.BytesIO()
    parquet.write_table(table, buffer, write_page_checksum=True)
    return buffer.getvalue()


_WRITERS: dict[str, Callable[[Adjacency], bytes]] = {
    **{form: partial(_table, form=form) for form in DELIMITERS},
    "graphml": _graphml,
    "gml": _gml,
    "mtx": _mtx,
    "npz": _npz,
    "parquet": _parquet,
}
