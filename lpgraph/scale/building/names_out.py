"""The file of the vertex names, written in order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lpgraph._checks import import_extra
from lpgraph.scale.arrow_types import Column
from lpgraph.scale.building.work import whole_file

__all__ = ["NamesWriter", "names_writer"]

#: Names of a row group.
ROWS = 1 << 16


class NamesWriter:
    """Writes names, in increasing order, in row groups of equal size."""

    def __init__(self, writer: object, schema: object) -> None:
        self._writer, self._schema = writer, schema
        self._waiting: list[Column] = []
        self._count = 0
        self.written = 0

    def add(self, names: Column) -> None:
        """Add the next names."""
        self._waiting.append(names)
        self._count += len(names)
        if self._count >= ROWS:
            self._flush(self._count - self._count % ROWS)

    def _flush(self, count: int) -> None:
        arrow = import_extra("pyarrow", "scale")
        whole = arrow.chunked_array(self._waiting)
        for start in range(0, count, ROWS):
            names = whole.slice(start, min(ROWS, count - start)).cast(self._schema.field(0).type)  # type: ignore[attr-defined]
            table = arrow.table([names], schema=self._schema)
            self._writer.write_table(table, row_group_size=ROWS)  # type: ignore[attr-defined]
        rest = whole.slice(count)
        self._waiting, self._count = [arrow.concat_arrays(rest.chunks)] if len(rest) else [], len(rest)
        self.written += count

    def finish(self) -> None:
        """Write what is left."""
        if self._count:
            self._flush(self._count)


@contextmanager
def names_writer(path: Path, *, texts: bool) -> Iterator[NamesWriter]:
    """Yield a writer of names; the file gets its name when the block succeeds."""
    arrow, parquet = import_extra("pyarrow", "scale"), import_extra("pyarrow.parquet", "scale")
    schema = arrow.schema([("name", arrow.string() if texts else arrow.int64())])
    with (
        whole_file(path) as file,
        parquet.ParquetWriter(
            file, schema, compression="zstd", use_dictionary=False, write_statistics=True, write_page_checksum=True
        ) as writer,
    ):
        names = NamesWriter(writer, schema)
        yield names
        names.finish()
