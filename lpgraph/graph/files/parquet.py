"""Edge lists as Parquet tables (needs pyarrow), with direction and names in the metadata."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._checks import import_extra
from lpgraph.errors import ArgumentError, GraphError, UnknownVertexError
from lpgraph.graph.construct import collect_edges
from lpgraph.graph.convert import table_columns
from lpgraph.graph.files.common import file_names, read_hint

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import EdgeList
    from lpgraph.graph.files.common import Source

__all__ = ["read", "read_table", "write"]

_HINT = b"lpgraph"


def read_table(source: Source) -> Any:
    """Return the pyarrow table of a Parquet file; checksums are verified if there are any."""
    pyarrow, parquet = (import_extra(name, "parquet") for name in ("pyarrow", "pyarrow.parquet"))
    try:
        return parquet.ParquetFile(
            io.BytesIO(source.content), page_checksum_verification=True, arrow_extensions_enabled=False
        ).read()
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        why = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise source.error(f"it is not a whole Parquet file ({why.rstrip('.')})") from None


def read(source: Source) -> EdgeList:
    """Read the columns source, target and possibly a weight, found as in a data frame."""
    table = read_table(source)
    try:
        columns = table_columns(table, source.weight)
    except (ArgumentError, GraphError) as error:
        raise type(error)(f"{source.path}: {error}") from None
    if columns is None:
        raise source.error("it has no columns")
    sources, targets, weight = columns
    metadata = (table.schema.metadata or {}).get(_HINT)
    hint = None
    if metadata is not None:
        lines = metadata.decode("utf-8", "replace").split("\n")
        hint = read_hint(source, lines)
    if hint is not None and len(sources) != hint.edges:
        raise source.error(f"it has {len(sources)} edges where its metadata say {hint.edges}; it was edited")
    vertices = hint.names if hint is not None and source.vertices is None else source.vertices
    if len(sources) == 0 and vertices is None:
        raise source.error("it has no edges")
    directed = None if hint is None else hint.directed
    try:
        return collect_edges(sources, targets, weight, directed=directed, vertices=vertices)
    except UnknownVertexError as error:
        if source.vertices is not None:
            raise
        raise source.error(f"its metadata do not name all vertices: {error.names[:5]}") from None


def write(graph: Adjacency) -> bytes:
    """Write the columns source, target and, if the graph is weighted, weight; with checksums."""
    pyarrow, parquet = (import_extra(name, "parquet") for name in ("pyarrow", "pyarrow.parquet"))
    names: Sequence[Hashable] = file_names(graph)
    source, target, weight = graph.edge_list()
    facts: dict[str, object] = {"directed": bool(graph.directed), "vertices": len(names), "edges": source.size}
    hint = [f"lpgraph {json.dumps(facts | {'header': True})}"]
    text = not isinstance(names, range) and isinstance(names[0], str)
    if isinstance(names, range):
        columns = {"source": pyarrow.array(source), "target": pyarrow.array(target)}
    else:
        hint.append(f"names {json.dumps(list(names))}")
        kind = pyarrow.string() if text else pyarrow.int64()
        try:
            dictionary = pyarrow.array(names, type=kind)
        except (OverflowError, pyarrow.ArrowInvalid):
            raise ArgumentError("Vertex names go beyond 64 bits; write them as str.") from None
        columns = {
            key: dictionary.take(pyarrow.array(rows.astype(np.int64)))
            for key, rows in (("source", source), ("target", target))
        }
    if graph.weighted:
        columns["weight"] = pyarrow.array(weight)
    table = pyarrow.table(columns).replace_schema_metadata({_HINT: "\n".join(hint)})
    buffer = io.BytesIO()
    parquet.write_table(table, buffer, write_page_checksum=True)
    return buffer.getvalue()
