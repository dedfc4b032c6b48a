"""Edge lists as Parquet tables (needs pyarrow), with direction and names in the metadata."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._checks import import_extra
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.graph.convert import table_columns
from lpgraph.graph.files.common import file_names, read_hint

if TYPE_CHECKING:
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
        columns = table_columns(table, source.weight, source.ends)
    except (ArgumentError, GraphError) as error:
        raise type(error)(f"{source.path}: {error}") from None
    if columns is None:
        raise source.error("it has no columns")
    sources, targets, weight = columns
    metadata = (table.schema.metadata or {}).get(_HINT)
    hint = None if metadata is None else read_hint(source, metadata.decode("utf-8", "replace").split("\n"))
    return source.edges(sources, targets, weight, hint, "metadata")


def write(graph: Adjacency) -> bytes:
    """Write the columns source, target and, if the graph is weighted, weight; with checksums."""
    pyarrow, parquet = (import_extra(name, "parquet") for name in ("pyarrow", "pyarrow.parquet"))
    names = file_names(graph)
    source, target, weight = graph.edge_list()
    facts: dict[str, object] = {"directed": bool(graph.directed), "vertices": len(names), "edges": source.size}
    hint = [f"lpgraph {json.dumps(facts | {'header': True})}"]
    if isinstance(names, range):
        columns = {"source": pyarrow.array(source), "target": pyarrow.array(target)}
    else:
        hint.append(f"names {json.dumps(list(names))}")
        kind = pyarrow.string() if isinstance(names[0], str) else pyarrow.int64()
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
