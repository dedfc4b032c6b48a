"""Edge lists and labels as Parquet tables (needs pyarrow)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lpgraph._checks import import_extra
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.graph.convert import choose_columns, table_columns
from lpgraph.graph.files.hints import listed_edges, read_hint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lpgraph.graph.assemble import EdgeList
    from lpgraph.graph.files.source import Source

__all__ = ["METADATA", "ParquetTable", "read_parquet"]

#: Key of the direction and the names of vertices.
METADATA = b"lpgraph"


class ParquetTable:
    """A Parquet file whose columns are read on demand.

    Attributes
    ----------
    names : list of str
        Titles of the columns.
    metadata : dict
        Key-value metadata, as bytes.
    """

    def __init__(self, source: Source) -> None:
        self._arrow = import_extra("pyarrow", "parquet")
        parquet = import_extra("pyarrow.parquet", "parquet")
        self._source = source
        with source.reading("Parquet"):
            # A container in the metadata may claim any length; an element has at least one byte.
            self._file = parquet.ParquetFile(
                self._arrow.BufferReader(source.content),
                page_checksum_verification=True,
                arrow_extensions_enabled=False,
                thrift_string_size_limit=len(source.content) + 1,
                thrift_container_size_limit=len(source.content) // 4 + 1,
            )
            self.names: list[str] = list(self._file.schema_arrow.names)
            self.metadata: dict[bytes, bytes] = self._file.metadata.metadata or {}

    def read(self, positions: Sequence[int]) -> Any:
        """Return some columns as a table of pyarrow."""
        titles = [self.names[k] for k in positions]
        with self._source.reading("Parquet"):
            for title in titles:
                if self.names.count(title) > 1:
                    raise self._source.error(f"it has two columns {title!r}; rename one of them")
                if self._arrow.types.is_nested(self._file.schema_arrow.field(title).type):
                    raise self._source.error(f"it has nested values in {title!r}; pass a column of single ones")
            return self._file.read(columns=titles).select(titles)

    def values(self, positions: Sequence[int]) -> list[list[Any]]:
        """Return columns as lists."""
        return [column.to_pylist() for column in self.read(positions).columns]


def read_parquet(source: Source) -> EdgeList:
    """Read the columns source, target and possibly a weight, found as in a data frame."""
    table = ParquetTable(source)
    try:
        chosen = [k for k in choose_columns(table.names, source.weight, "the table", source.ends) if k is not None]
        read = table.read(chosen)
        columns = table_columns(read, source.weight, (read.column_names[0], read.column_names[1]))
    except (ArgumentError, GraphError) as error:
        raise type(error)(f"{source.path}: {error}") from None
    if columns is None:
        raise source.error("it has no columns")
    hint = read_hint(source, table.metadata.get(METADATA, b"").decode("utf-8", "replace").split("\n"))
    sources, targets, weight = columns
    return listed_edges(source, sources, targets, weight, hint)
