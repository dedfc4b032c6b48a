"""Edge lists as Arrow tables, batch by batch: Parquet and Feather files, data frames and streams."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lpgraph._checks import import_extra
from lpgraph.errors import ArgumentError, ArgumentTypeError, FileFormatError, GraphError, LpgraphError
from lpgraph.graph.convert import choose_columns
from lpgraph.scale.arrow_types import Column, ParquetFile, Reader, Schema, Table
from lpgraph.scale.building.blocks import Block, Ends, Texts
from lpgraph.scale.building.columns import Columns

__all__ = ["parquet_blocks", "stream_blocks"]

#: Rows of a batch.
_ROWS = 1 << 20


def parquet_blocks(path: Path, columns: Columns, after: dict[str, int]) -> Iterator[Block]:
    """Yield the edges of a Parquet file from a row on."""
    arrow, parquet = import_extra("pyarrow", "scale"), import_extra("pyarrow.parquet", "scale")
    try:
        file: ParquetFile = parquet.ParquetFile(path, pre_buffer=False, page_checksum_verification=True)
        chosen = choose_columns(file.schema_arrow.names, columns.weight, str(path), columns.ends)
        titles = [file.schema_arrow.names[k] for k in chosen if k is not None]
        row = after.get("row", 0)
        for groups, first in _runs(file):
            last = first + sum(file.metadata.row_group(g).num_rows for g in groups)
            if last <= row:
                continue
            begin = first
            for batch in file.iter_batches(batch_size=_ROWS, row_groups=groups, columns=titles):
                end = begin + batch.num_rows
                if end > row:
                    skipped = max(row - begin, 0)
                    yield _block(batch.slice(skipped), titles, str(path), begin + skipped)
                begin = end
    except (OSError, arrow.ArrowException) as error:
        if isinstance(error, LpgraphError):
            raise
        why = str(error).splitlines()[0][:200].rstrip(".")
        raise FileFormatError(f"{path}: it is not a whole Parquet file ({why}).") from None


def _runs(file: ParquetFile) -> Iterator[tuple[list[int], int]]:
    """Yield row groups that follow one another, with about the rows of a batch, and their first row."""
    groups: list[int] = []
    first = rows = 0
    for g in range(file.metadata.num_row_groups):
        groups.append(g)
        rows += file.metadata.row_group(g).num_rows
        if rows >= _ROWS:
            yield groups, first
            groups, first, rows = [], first + rows, 0
    if groups:
        yield groups, first


def stream_blocks(reader: Reader, what: str, columns: Columns, after: dict[str, int]) -> Iterator[Block]:
    """Yield the edges of record batches."""
    arrow = import_extra("pyarrow", "scale")
    chosen = choose_columns(reader.schema.names, columns.weight, what, columns.ends)
    titles = [reader.schema.names[k] for k in chosen if k is not None]
    row, wanted = 0, after.get("row", 0)
    try:
        for batch in reader:
            for start in range(0, batch.num_rows, _ROWS):
                part = batch.slice(start, _ROWS)
                if row + part.num_rows > wanted:
                    skipped = max(wanted - row, 0)
                    yield _block(part.slice(skipped), titles, what, row + skipped)
                row += part.num_rows
    except arrow.ArrowException as error:
        why = str(error).splitlines()[0][:200].rstrip(".")
        raise FileFormatError(f"{what}: its rows cannot be read ({why}).") from None


def feather_blocks(path: Path, columns: Columns, after: dict[str, int]) -> Iterator[Block]:
    """Yield the edges of a file or a stream of Arrow's own format."""
    arrow, ipc = import_extra("pyarrow", "scale"), import_extra("pyarrow.ipc", "scale")
    with arrow.memory_map(str(path)) as source:
        try:
            try:
                file = ipc.open_file(source)
                batches: Iterable[Table] = map(file.get_batch, range(file.num_record_batches))
                reader = _Batches(file.schema, batches)
            except arrow.ArrowInvalid:
                source.seek(0)
                reader = ipc.open_stream(source)
        except (OSError, arrow.ArrowException) as error:
            why = str(error).splitlines()[0][:200].rstrip(".")
            raise FileFormatError(f"{path}: it is not a whole Arrow file ({why}).") from None
        yield from stream_blocks(reader, str(path), columns, after)


class _Batches:
    """Record batches as a stream."""

    def __init__(self, schema: Schema, batches: Iterable[Table]) -> None:
        self.schema, self._batches = schema, batches

    def __iter__(self) -> Iterator[Table]:
        return iter(self._batches)


def _block(batch: Table, titles: list[str], what: str, row: int) -> Block:
    ends = [_ends(batch.column(title), title, what, row) for title in titles[:2]]
    weight = _weights(batch.column(titles[2]), titles[2], what, row) if len(titles) == 3 else None
    error = partial(_row_error, what, row)
    return Block(ends[0], ends[1], weight, {"row": row + batch.num_rows}, error, may_be_integers=False)


def _row_error(what: str, row: int, place: int, why: str) -> LpgraphError:
    return GraphError(f"{what}, row {row + place}: {why}.")


def _ends(column: Column, title: str, what: str, row: int) -> Ends:
    """Return end points as integers or as texts."""
    types = import_extra("pyarrow.types", "scale")
    arrow = import_extra("pyarrow", "scale")
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if column.null_count:
        place = row + int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise ArgumentError(f"Row {place} of {what} has no {title!r}; drop that row.")
    if types.is_integer(column.type):
        values = column.to_numpy(zero_copy_only=False)
        if values.dtype == np.uint64 and len(values) and values.max() > np.iinfo(np.int64).max:
            raise ArgumentError(
                f"The column {title!r} of {what} has integers beyond 2^63; write them as texts, or as int64."
            )
        return values.astype(np.int64, copy=False)
    if not (types.is_string(column.type) or types.is_large_string(column.type) or _is_view(column.type)):
        raise ArgumentTypeError(
            f"The column {title!r} of {what} has type {column.type}; names of vertices are integers or texts, so "
            "cast it to one of them."
        )
    if _is_view(column.type):
        column = column.cast(arrow.large_string())
    _, offsets, content = column.buffers()
    kind = np.int64 if types.is_large_string(column.type) else np.int32
    places = np.frombuffer(offsets or b"", dtype=kind)[column.offset : column.offset + len(column) + 1].astype(
        np.int64
    )
    letters = np.frombuffer(content, dtype=np.uint8) if content is not None else np.empty(0, dtype=np.uint8)
    return Texts(letters, places[:-1], np.diff(places))


def _is_view(kind: object) -> bool:
    return str(kind) == "string_view"


def _weights(column: Column, title: str, what: str, row: int) -> NDArray[np.float64]:
    types = import_extra("pyarrow.types", "scale")
    kind = column.type
    if not any(is_kind(kind) for is_kind in (types.is_integer, types.is_floating, types.is_boolean)):
        raise ArgumentTypeError(
            f"The column {title!r} of {what} has type {kind}; make it numeric, or pass weight=None."
        )
    if column.null_count:
        place = row + int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        raise GraphError(f"Row {place} of {what} has no {title!r}; fill or drop that row.")
    values = np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.float64)
    if not np.isfinite(values).all():
        place = int(np.argmin(np.isfinite(values)))
        raise GraphError(
            f"Row {row + place} of {what} has {title}={values[place]}; replace or drop what is not finite."
        )
    return values
