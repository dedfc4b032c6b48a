"""Columns of a Parquet file, read only if what the headers of their pages say fits in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lpgraph._checks import import_extra
from lpgraph.errors import FileFormatError
from lpgraph.graph.files.memory import EDGE, TEXT, VALUE
from lpgraph.graph.files.parquet_pages import chunks, pages

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from types import ModuleType

    from lpgraph.graph.files.common import Source

__all__ = ["ParquetTable"]

#: DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY. Such a page holds a number of lengths, which only pyarrow sees,
#: and pyarrow makes them all: four bytes each, up to 2^32. A text may also repeat the one before it.
_TEXT_DELTAS = (6, 7)
_TEXT_DELTA_BYTES = 4 * 2**32
#: Bytes for a value in an array of pyarrow, except texts.
_A_VALUE = 16


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
        self.source = source
        self._pyarrow: ModuleType = import_extra("pyarrow", "parquet")
        self._parquet: ModuleType = import_extra("pyarrow.parquet", "parquet")
        with _Damage(self):
            self._file = self._open()
            self.names: list[str] = list(self._file.schema_arrow.names)
            self.metadata: dict[bytes, bytes] = self._file.metadata.metadata or {}
            schema = self._file.metadata.schema
            self._leaves = [schema.column(j) for j in range(len(schema))]

    def columns(self, positions: Sequence[int]) -> list[Any]:
        """Return columns as chunked arrays of pyarrow, those of texts as dictionaries."""
        leaves = [self._leaf(k) for k in positions]
        with _Damage(self):
            as_texts = self._check_memory(leaves)
            texts = [self.names[k] for k, j in zip(positions, leaves, strict=True) if j in as_texts]
            titles = [self.names[k] for k in positions]
            table = self._open(read_dictionary=texts).read(columns=titles)
            return [table.column(title) for title in titles]

    def coded(self, ends: Sequence[int], others: Sequence[int]) -> tuple[Any, list[list[Hashable] | None]]:
        """Return a table with numbers instead of the texts of end points, and the texts."""
        found = self.columns([*ends, *others])
        with _Damage(self):
            values = [self._coded(column) for column in found[: len(ends)]]
            columns = [*(codes for codes, _ in values), *found[len(ends) :]]
            table = self._pyarrow.table(columns, names=[self.names[k] for k in (*ends, *others)])
            return table, [names for _, names in values]

    def values(self, positions: Sequence[int]) -> list[list[Any]]:
        """Return columns as lists; a text that occurs several times is one object."""
        found = self.columns(positions)
        with _Damage(self):
            self.source.check_bytes(VALUE * sum(map(len, found)))
            lists = []
            for column in found:
                codes, names = self._coded(column)
                entries = codes.to_pylist()
                if names is not None:
                    entries = [None if code is None else names[code] for code in entries]
                lists.append(entries)
            return lists

    def _open(self, **options: object) -> Any:
        # A container in the metadata may claim any length; an element has at least one byte.
        size = len(self.source.content)
        return self._parquet.ParquetFile(
            self._pyarrow.BufferReader(self.source.content),
            page_checksum_verification=True,
            arrow_extensions_enabled=False,
            thrift_string_size_limit=size + 1,
            thrift_container_size_limit=size // 4 + 1,
            **options,
        )

    def _leaf(self, position: int) -> int:
        """Return the number of a column of the file's own schema, which lists the parts of nested columns."""
        title = self.names[position]
        if self.names.count(title) > 1:
            raise self.source.error(f"it has two columns {title!r}; rename one of them")
        places = [j for j, leaf in enumerate(self._leaves) if leaf.path == title]
        if len(places) != 1 or self._leaves[places[0]].max_repetition_level:
            raise self.source.error(f"it has nested values in {title!r}; pass a column of single ones")
        return places[0]

    def _check_memory(self, leaves: Sequence[int]) -> set[int]:
        """Check what the headers of the pages say; return the columns that can be read as dictionaries."""
        groups = chunks(self.source.content)
        source, rows, unpacked, expanded, walked, texts = self.source, 0, 0, 0, 0, set()
        for j in leaves:
            count, delta = 0, False
            for start, end, values in (group[j] for group in groups):
                count += values
                walked += end - start
                if values < 0 or walked > len(leaves) * len(source.content):
                    raise ValueError("its columns overlap, or have no length")
                for page in pages(source.content, start, end):
                    unpacked += page.size + _A_VALUE * page.values
                    if page.encoding in _TEXT_DELTAS:
                        delta = True
                        expanded += page.size * page.values
            if self._leaves[j].physical_type == "FIXED_LEN_BYTE_ARRAY":
                unpacked += count * self._leaves[j].length
            if delta:
                expanded += _TEXT_DELTA_BYTES
            elif self._leaves[j].physical_type == "BYTE_ARRAY":
                texts.add(j)
            rows = max(rows, count)
        rows = max(rows, self._file.metadata.num_rows)
        needed = 2 * unpacked + expanded + EDGE * rows
        # What names and metadata take is known when they are read.
        source.check_bytes(needed, needed + TEXT * (len(source.content) + unpacked))
        return texts

    def _coded(self, column: Any) -> tuple[Any, list[Any] | None]:
        """Return a column of texts as numbers and the text of each; other columns as they are."""
        types = self._pyarrow.types
        if types.is_string(column.type) or types.is_binary(column.type):
            column = column.dictionary_encode()
        if not types.is_dictionary(column.type):
            return column, None
        whole = column.unify_dictionaries().combine_chunks()
        return whole.indices, whole.dictionary.to_pylist()


class _Damage:
    """Turns what pyarrow raises for a damaged file into an error of lpgraph."""

    def __init__(self, table: ParquetTable) -> None:
        self.table = table

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if isinstance(error, FileFormatError) or error is None:
            return
        known = (OSError, ValueError, LookupError, OverflowError, TypeError, NotImplementedError)
        if isinstance(error, (self.table._pyarrow.ArrowException, *known)):
            why = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
            raise self.table.source.error(f"it is not a whole Parquet file ({why.rstrip('.')})") from None
