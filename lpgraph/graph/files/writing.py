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
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from scipy import sparse

from lpgraph._articles import a_type
from lpgraph._checks import import_extra
from lpgraph._files import replace_file
from lpgraph._warnings import warn
from lpgraph.errors import ArgumentError, LpgraphWarning
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.files.hints import compose_hint, file_names, integer_names
from lpgraph.graph.files.listings import NAME_KIND
from lpgraph.graph.files.parquet import METADATA
from lpgraph.graph.files.reading import format_of, is_stream
from lpgraph.graph.files.text import DELIMITERS

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.files.reading import Writable

__all__ = ["write_graph"]

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
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
        _warn_of_unwritten(graph, names, (source, target), form)
        text.write(delimiter.join(["source", "target", "weight"][: 2 + graph.weighted]) + "\n")
    else:
        text.write(compose_hint(graph, source.size, "# "))
    # All strings are quoted, so that no name can be taken for a comment or a second line.
    # Names without blanks need no quotes.
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
    for name in () if isinstance(names, range) else map(str, names):
        if table and (not name or name != name.strip()):
            raise ArgumentError(
                f"The vertex name {name!r} is empty or has blanks around it; rename it, or write npz, parquet or "
                "graphml."
            )
        if not table and (name.split() != [name] or name[0] in "#%\ufeff"):
            raise ArgumentError(f"The vertex name {name!r} has a blank or begins with # or %; write .csv or .tsv.")
    if table and not graph.weighted and {"source", "target"} <= set(names):
        source, target, _ = graph.edge_list()
        if ((source == graph.index["source"]) & (target == graph.index["target"])).any():
            raise ArgumentError(
                "The edge 'source', 'target' reads like the titles; rename one, or write .txt or .npz."
            )


def _warn_of_unwritten(
    graph: Adjacency,
    names: Sequence[Hashable],
    ends: tuple[NDArray[np.integer], NDArray[np.integer]],
    form: str,
) -> None:
    """Warn if reading a table of edges would not give the graph back, except for the order of its vertices."""
    alone = graph.n_vertices - np.union1d(*ends).size
    lost = []
    if alone:
        lost.append(f"{alone} of {graph.n_vertices} vertices have no edge and are left out")
    if graph.directed:
        lost.append("the direction of edges is lost unless it is read as directed")
    texts = [] if isinstance(names, range) else [name for name in names if isinstance(name, str)]
    if texts and integer_names(texts) is not None:
        lost.append(f"names such as {texts[0]!r} are read as integers")
    if lost:
        what = ", and ".join(lost)
        warn(
            f"A {form} table lists edges only: {what}. Write npz, parquet or graphml to keep all.", LpgraphWarning
        )


def _gml(graph: Adjacency) -> bytes:
    """Write the graph in ASCII; what is not ASCII becomes an entity, which networkx and igraph undo."""
    for key in graph.vertex_attributes:
        if not _KEY.fullmatch(key) or key in ("id", "label"):
            raise ArgumentError(
                f"vertex_attributes has {key!r}, which is no key in GML; rename it to letters and digits."
            )
    lines = ["graph [", f"  directed {int(graph.directed)}"]
    columns = {"label": file_names(graph), **graph.vertex_attributes}
    for i, values in enumerate(zip(*columns.values(), strict=True)):
        written = (
            f"{key} {_gml_value(key, value)}"
            for key, value in zip(columns, values, strict=True)
            if value is not None
        )
        lines.append("  node [\n    id " + "\n    ".join((str(i), *written)) + "\n  ]")
    for i, j, weight in zip(*(column.tolist() for column in graph.edge_list()), strict=True):
        last = f"\n    weight {_number(weight)!r}" if graph.weighted else ""
        lines.append(f"  edge [\n    source {i}\n    target {j}{last}\n  ]")
    return ("\n".join(lines) + "\n]\n").encode("ascii")


def _gml_value(key: str, value: object) -> str:
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool | int):
        return str(int(value))
    if isinstance(value, float):
        if math.isfinite(value):
            return repr(value)
        return "NAN" if math.isnan(value) else f"{'+' if value > 0 else '-'}INF"
    if isinstance(value, str):
        safe = (c if " " <= c <= "~" and c not in '"&' else f"&#{ord(c)};" for c in value)
        return f'"{"".join(safe)}"'
    raise ArgumentError(
        f"vertex_attributes[{key!r}] has {value!r}, {a_type(value)}; GML holds numbers and strings."
    )


def _graphml(graph: Adjacency) -> bytes:
    """Write the graph; a node's id is its name."""
    names = file_names(graph)
    ids = list(map(str, names))
    texts = isinstance(names[0], str) and integer_names(ids) is not None
    keys = [f'<key id="names" for="graph" attr.name="{NAME_KIND}" attr.type="string"/>'] if texts else []
    for k, (key, values) in enumerate(graph.vertex_attributes.items()):
        kind = _graphml_type(key, values)
        keys.append(f'<key id="v{k}" for="node" attr.name={quoteattr(_valid(key))} attr.type="{kind}"/>')
    if graph.weighted:
        keys.append('<key id="weight" for="edge" attr.name="weight" attr.type="double"/>')
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<graphml xmlns="{_NAMESPACE}">',
        *keys,
        f'<graph edgedefault="{"directed" if graph.directed else "undirected"}">',
    ]
    if texts:
        lines.append('<data key="names">string</data>')
    quoted = [quoteattr(_valid(name)) for name in ids]
    columns = list(graph.vertex_attributes.values())
    for i, name in enumerate(quoted):
        data = (
            f'<data key="v{k}">{_graphml_value(column[i])}</data>'
            for k, column in enumerate(columns)
            if column[i] is not None
        )
        lines.append(f"  <node id={name}>{''.join(data)}</node>")
    for i, j, weight in zip(*(column.tolist() for column in graph.edge_list()), strict=True):
        last = f'><data key="weight">{_number(weight)!r}</data></edge>' if graph.weighted else "/>"
        lines.append(f"  <edge source={quoted[i]} target={quoted[j]}{last}")
    return "\n".join((*lines, "</graph>", "</graphml>", "")).encode()


def _graphml_type(key: str, values: Sequence[object]) -> str:
    """GraphML's type for a vertex attribute."""
    found = {type(v.item() if hasattr(v, "item") else v) for v in values if v is not None}
    for kinds, name in (({bool}, "boolean"), ({int}, "long"), ({int, float}, "double"), ({str}, "string")):
        if found <= kinds:
            return name
    raise ArgumentError(
        f"vertex_attributes[{key!r}] has values of {sorted(kind.__name__ for kind in found)}; "
        "GraphML holds one of bool, int, float, str."
    )


def _graphml_value(value: object) -> str:
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, bool):
        return str(value).lower()
    return escape(_valid(value), {"\r": "&#13;"}) if isinstance(value, str) else repr(value)


def _valid(text: str) -> str:
    bad = _NO_XML.search(text)
    if bad is not None:
        raise ArgumentError(
            f"{text!r} has the character {bad.group()!r}, which XML cannot hold; write .csv or .gml."
        )
    return text


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
    if not isinstance(names, range):
        try:
            arrays["names"] = np.array(names, dtype=np.int64 if isinstance(names[0], int) else np.str_)
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
    if not isinstance(names, range):
        try:
            listed = arrow.array(names, type=arrow.string() if isinstance(names[0], str) else arrow.int64())
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
