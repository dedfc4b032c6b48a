"""Tables of numbers: points, and positions of vertices."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from lpgraph.cli._errors import CommandError
from lpgraph.cli._inputs import source_of
from lpgraph.cli._values import is_number
from lpgraph.errors import FileFormatError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lpgraph.graph.covariates import CovariateTable
    from lpgraph.graph.names import Names

__all__ = ["read_covariates", "read_numbers", "read_positions"]

#: Titles of a column of names.
_VERTEX_WORDS = ("vertex", "node", "name", "id")


def read_numbers(path: str) -> NDArray[np.float64]:
    """Read a table of numbers, one point a row, with or without a header; a first column of names is dropped."""
    header, rows = _rows(path)
    first = int(_is_named(header))
    return _numbers(path, [row[first:] for row in rows], header[first:])


def read_positions(path: str, names: Names) -> NDArray[np.float64]:
    """Read positions of vertices: by name if the first column has names, else in the order of the vertices."""
    header, rows = _rows(path)
    if not _is_named(header):
        found = _numbers(path, rows, header)
        if len(found) != len(names):
            raise CommandError(
                f"{path} has {len(found)} rows for {len(names)} vertices; pass a row for each in their order, or "
                "call the first column vertex and name them in it."
            )
        return found
    named = {str(row[0]): row[1:] for row in rows}
    missing = [name for name in names if str(name) not in named]
    if missing:
        raise CommandError(f"{path}: it has no row for the vertex {missing[0]!r}; add it.")
    return _numbers(path, [named[str(name)] for name in names], header[1:])


def read_covariates(path: str) -> CovariateTable:
    """Read the covariates of vertices, whose names are in the first column; empty cells and NA are missing."""
    from lpgraph.graph.covariates import CovariateTable

    header, rows = _rows(path)
    if not header:
        raise CommandError(f"{path} has no titles; pass a table whose first line has titles, such as name,age.")
    table: dict[str, list[float]] = {}
    for name, *cells in rows:
        if len(cells) != len(header) - 1:
            raise FileFormatError(
                f"{path}: the row of {str(name)!r} has {len(cells)} cells for {len(header) - 1} titles; correct "
                "that row."
            )
        if str(name) in table:
            raise FileFormatError(f"{path}: it has two rows for {str(name)!r}; keep one row for each vertex.")
        table[str(name)] = [
            _number(cell, path, name, title) for cell, title in zip(cells, header[1:], strict=True)
        ]
    return CovariateTable(table, tuple(header[1:]))


def _number(cell: object, path: str, name: object, title: str) -> float:
    from lpgraph.graph.files.text import MISSING

    if cell is None or cell == "" or cell in MISSING:
        return float("nan")
    if not is_number(cell):
        raise FileFormatError(
            f"{path}: {cell!r} in the column {title!r} for {str(name)!r} is no number; pass numbers, such as 0 "
            "and 1 for each class."
        )
    return float(str(cell))


def _is_named(header: list[str]) -> bool:
    return bool(header) and header[0].lower() in _VERTEX_WORDS


def _rows(path: str) -> tuple[list[str], list[list[Any]]]:
    """Return the header, if there is one, and the rows."""
    from lpgraph.graph.files.source import open_source
    from lpgraph.graph.files.text import unguarded

    source = open_source(source_of(path))
    if path.endswith(".parquet"):
        from lpgraph.graph.files.parquet import ParquetTable

        table = ParquetTable(source)
        columns = table.values(range(len(table.names)))
        return table.names, [list(row) for row in zip(*columns, strict=True)]
    delimiter = "\t" if path.removesuffix(".gz").endswith(".tsv") else ","
    lines = io.TextIOWrapper(io.BytesIO(source.content), encoding="utf-8-sig", newline="")
    try:
        rows: list[list[Any]] = [
            [unguarded(row[0].strip()), *[cell.strip() for cell in row[1:]]]
            for row in csv.reader(lines, delimiter=delimiter)
            if row
        ]
    except UnicodeDecodeError:
        raise FileFormatError(f"{path}: it is not UTF-8 text; pass a csv or tsv table of numbers.") from None
    except csv.Error as error:
        raise FileFormatError(f"{path}: it is no table ({error}); pass a csv or tsv table of numbers.") from None
    if rows and not any(map(is_number, rows[0])):
        return rows[0], rows[1:]
    return [], rows


def _numbers(path: str, rows: list[list[Any]], titles: list[str]) -> NDArray[np.float64]:
    """Return rows of numbers as an array; `titles` are those of the columns, if the table has some."""
    import numpy as np

    if not rows:
        raise FileFormatError(f"{path}: it has no rows; pass a table with one point a row.")
    for i, row in enumerate(rows, 1):
        if not row or len(row) != len(rows[0]):
            raise FileFormatError(
                f"{path}: row {i} has {len(row)} numbers and the first {max(1, len(rows[0]))}; correct that row."
            )
        wrong = next((k for k, cell in enumerate(row) if not is_number(cell)), None)
        if wrong is not None:
            column = repr(titles[wrong]) if wrong < len(titles) else str(wrong + 1)
            raise FileFormatError(
                f"{path}: {row[wrong]!r} in row {i}, column {column} is no number; correct it, or drop the column."
            )
    return np.array([[float(value) for value in row] for row in rows])
