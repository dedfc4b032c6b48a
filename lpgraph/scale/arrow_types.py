"""What this package uses of pyarrow's objects, for type checkers; pyarrow is imported only where it is used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Column", "ParquetFile", "Table"]


class Statistics(Protocol):
    """Least and largest value of a column of a row group."""

    has_min_max: bool
    min: str | int


class ColumnFacts(Protocol):
    """Metadata of a column of a row group."""

    statistics: Statistics | None


class RowGroup(Protocol):
    """Metadata of a row group."""

    num_rows: int

    def column(self, number: int) -> ColumnFacts: ...


class Metadata(Protocol):
    """Metadata of a Parquet file."""

    num_rows: int
    num_columns: int
    num_row_groups: int

    def row_group(self, number: int) -> RowGroup: ...


class Column(Protocol):
    """A chunk of a column."""

    type: object
    null_count: int
    offset: int

    def __len__(self) -> int: ...
    def buffers(self) -> Sequence[memoryview | None]: ...  # noqa: D102
    def cast(self, target: object) -> Column: ...  # noqa: D102
    def take(self, places: object) -> Column: ...  # noqa: D102
    def to_numpy(self, *, zero_copy_only: bool) -> NDArray[np.generic]: ...  # noqa: D102
    def to_pylist(self) -> list[str | int]: ...  # noqa: D102
    def is_null(self) -> Column: ...  # noqa: D102
    def dictionary_decode(self) -> Column: ...  # noqa: D102


class Table(Protocol):
    """A table or a record batch."""

    num_rows: int
    column_names: list[str]

    def column(self, name: int | str) -> Column: ...  # noqa: D102
    def slice(self, start: int, length: int = ...) -> Table: ...  # noqa: D102


class Schema(Protocol):
    """Titles of columns."""

    names: list[str]


class ParquetFile(Protocol):
    """An open Parquet file."""

    metadata: Metadata
    schema_arrow: Schema

    def read_row_group(self, number: int) -> Table: ...  # noqa: D102
    def iter_batches(
        self, *, batch_size: int, row_groups: Iterable[int], columns: Sequence[str]
    ) -> Iterator[Table]:
        """Yield the rows of some row groups."""


class Reader(Protocol):
    """A stream of record batches."""

    schema: Schema

    def __iter__(self) -> Iterator[Table]: ...
