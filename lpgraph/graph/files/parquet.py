"""Edge lists as Parquet tables (needs pyarrow), with direction and names in the metadata."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import import_extra
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.graph.convert import choose_columns, table_columns
from lpgraph.graph.files.common import file_names, read_hint
from lpgraph.graph.files.parquet_table import ParquetTable

if TYPE_CHECKING:
    from collections.abc import Hashable

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import EdgeList
    from lpgraph.graph.files.common import Source
    from lpgraph.graph.names import Labels

__all__ = ["read", "write"]

_HINT = b"lpgraph"


def read(source: Source) -> EdgeList:
    """Read the columns source, target and possibly a weight, found as in a data frame."""
    table = ParquetTable(source)
    try:
        chosen = [k for k in choose_columns(table.names, source.weight, "the table", source.ends) if k is not None]
        # The end points are numbered by distinct values: a long name may be repeated a million times.
        coded, values = table.coded(chosen[:2], chosen[2:])
        columns = table_columns(coded, source.weight, (coded.column_names[0], coded.column_names[1]))
    except (ArgumentError, GraphError) as error:
        raise type(error)(f"{source.path}: {error}") from None
    if columns is None:
        raise source.error("it has no columns")
    sources, targets = (_decoded(codes, names) for codes, names in zip(columns[:2], values, strict=True))
    lines = table.metadata.get(_HINT, b"").decode("utf-8", "replace").split("\n")
    return source.edges(sources, targets, columns[2], read_hint(source, lines), "metadata")


def _decoded(codes: Labels, names: list[Hashable] | None) -> Labels:
    if names is None or not isinstance(codes, np.ndarray):
        return codes
    return [names[code] for code in codes.tolist()]


def write(graph: Adjacency) -> bytes:
    """Write the columns source, target and, if the graph is weighted, weight; with checksums."""
    pyarrow, parquet = (import_extra(name, "parquet") for name in ("pyarrow", "pyarrow.parquet"))
    names = file_names(graph)
    source, target, weight = graph.edge_list()
    facts: dict[str, object] = {"directed": bool(graph.directed), "vertices": len(names), "edges": source.size}
    hint = [f"lpgraph {json.dumps(facts)}"]
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
