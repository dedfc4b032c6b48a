"""Tables of numbers: points, and positions of vertices."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lpgraph.cli._inputs import source_of
from lpgraph.cli._values import is_number
from lpgraph.errors import ArgumentError, FileFormatError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["read_numbers", "read_positions"]

#: Titles of a column of names.
_VERTEX_WORDS = ("vertex", "node", "name", "id")


def read_numbers(path: str) -> NDArray[np.float64]:
    """Read a table of numbers, one point a row, with or without a header; a first column of names is dropped."""
    header, rows = _rows(path)
    return _numbers(path, [row[1:] for row in rows] if _is_named(header) else rows)


def read_positions(path: str, names: Sequence[Hashable]) -> NDArray[np.float64]:
    """Read positions of vertices: by name if the first column has names, else in the order of the vertices."""
    header, rows = _rows(path)
    if not _is_named(header):
        found = _numbers(path, rows)
        if len(found) != len(names):
            raise ArgumentError(
                f"{path} has {len(found)} rows for {len(names)} vertices; pass a row for each in their order, or "
                "call the first column vertex and name them in it."
            )
        return found
    named = {str(row[0]): row[1:] for row in rows}
    missing = [name for name in names if str(name) not in named]
    if missing:
        raise ArgumentError(f"{path}: it has no row for the vertex {missing[0]!r}; add it.")
    return _numbers(path, [named[str(name)] for name in names])


def _is_named(header: list[str]) -> bool:
    return bool(header) and header[0].lower() in _VERTEX_WORDS


def _rows(path: str) -> tuple[list[str], list[list[Any]]]:
    """Return the header, if there is one, and the rows."""
    if path.endswith(".parquet"):
        from lpgraph.graph.files.common import Source
        from lpgraph.graph.files.parquet import read_table

        table = read_table(Source(path, Path(path).read_bytes()))
        return table.column_names, [list(row.values()) for row in table.to_pylist()]
    given = source_of(path)
    content = Path(given).read_bytes() if isinstance(given, str) else given.read()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileFormatError(f"{path}: it is not UTF-8 text; pass a csv or tsv table of numbers.") from None
    delimiter = "\t" if path.endswith(".tsv") else ","
    rows: list[list[Any]] = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row]
    if rows and not any(map(is_number, rows[0])):
        return rows[0], rows[1:]
    return [], rows


def _numbers(path: str, rows: list[list[Any]]) -> NDArray[np.float64]:
    import numpy as np

    if not rows:
        raise FileFormatError(f"{path}: it has no rows; pass a table with one point a row.")
    for i, row in enumerate(rows):
        if not row or len(row) != len(rows[0]) or not all(map(is_number, row)):
            raise FileFormatError(
                f"{path}: row {i + 1} is not {max(1, len(rows[0]))} numbers, as the first is; correct that row."
            )
    return np.array(rows, dtype=np.float64)
