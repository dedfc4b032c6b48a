"""Matrix Market files: coordinates, or all values column by column."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import sparse

from lpgraph.graph.files.common import BLANK_LINES, REAL, Hint, body_table, compose_hint, read_hint
from lpgraph.graph.files.memory import VALUE

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.files.common import Source

__all__ = ["read", "write"]

_BANNER = "%%MatrixMarket matrix coordinate"
_FIELDS = ("real", "double", "integer", "unsigned-integer", "pattern")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric")


def write(graph: Adjacency) -> bytes:
    """Write coordinates: the lower triangle of an undirected graph, no values of an unweighted one."""
    from scipy.io import mmwrite

    matrix = graph.matrix if graph.directed else sparse.csr_array(sparse.tril(graph.matrix))
    field: Literal["real", "pattern"] = "real" if graph.weighted else "pattern"
    symmetry = "general" if graph.directed else "symmetric"
    buffer = io.BytesIO()
    mmwrite(buffer, matrix.tocoo(), field=field, symmetry="general", precision=17)
    # The banner is written here: scipy looks for symmetry in the whole matrix, and our comment follows it.
    lines = buffer.getvalue().split(b"\n", 1)[1]
    while lines.startswith(b"%"):
        lines = lines.split(b"\n", 1)[1]
    banner = f"{_BANNER} {field} {symmetry}\n" + compose_hint(graph, matrix.nnz, "%")
    return banner.encode() + lines


def read(source: Source) -> tuple[sparse.coo_array, Sequence[Hashable], bool | None]:
    """Read a Matrix Market file; a matrix may be symmetric even if its banner says general.

    scipy's own reader is not used: damaged files can make it read past its arrays and end the process.
    """
    coordinate, valued, symmetry, hint, sizes, start, line = _head(source)
    n = sizes[0]
    expected = sizes[2] if coordinate else n * n if symmetry == "general" else n * (n + 1) // 2
    if symmetry == "skew-symmetric" and not coordinate:
        expected -= n
    if 2 * expected > len(source.content):
        raise source.error(f"it has {len(source.content)} bytes for {expected} entries, so it is truncated", line)
    source.check_size(n, expected)
    table = _body(source, start, line, coordinate, valued)
    if table.size != expected or (hint is not None and not source.content.endswith(b"\n")):
        raise source.error(f"it has {table.size} entries and should have {expected}; it may be truncated")
    values = table["value"] if valued else np.ones(table.size)
    if coordinate:
        row, column = table["row"] - 1, table["column"] - 1
        outside = (row < 0) | (row >= n) | (column < 0) | (column >= n)
        if outside.any():
            k = int(np.argmax(outside))
            raise source.error(f"entry {k + 1} is at {row[k] + 1}, {column[k] + 1}, outside a matrix of size {n}")
    elif symmetry == "general":
        column, row = np.divmod(np.arange(n * n), max(n, 1))
    else:
        column, row = np.triu_indices(n, 0 if symmetry == "symmetric" else 1)
    if not np.isfinite(values).all():
        raise source.error("an entry is not a finite number; correct it")
    if symmetry != "general":
        apart = row != column
        mirrored = values[apart] if symmetry == "symmetric" else -values[apart]
        row, column = np.concatenate((row, column[apart])), np.concatenate((column, row[apart]))
        values = np.concatenate((values, mirrored))
    matrix = sparse.coo_array((values, (row, column)), shape=(n, n))
    if hint is not None:
        if len(hint.names) != n:
            raise source.error(f"its comment lines have {len(hint.names)} vertices for a matrix of size {n}")
        return matrix, hint.names, hint.directed
    return matrix, range(n), False if symmetry == "symmetric" else None


def _head(source: Source) -> tuple[bool, bool, str, Hint | None, list[int], int, int]:
    """Read banner, comments and the line of sizes; return also where the entries begin, and in which line."""
    content = source.content
    banner = content[: content.find(b"\n") + 1][:1000].decode("latin-1").lower().split()
    if banner[:2] != ["%%matrixmarket", "matrix"] or len(banner) != 5:
        raise source.error("it does not begin with '%%MatrixMarket matrix ...'", 1)
    layout, field, symmetry = banner[2:]
    if field == "complex":
        raise source.error("its entries are complex; a graph's weights are real", 1)
    known = layout in ("coordinate", "array") and field in _FIELDS and symmetry in _SYMMETRIES
    if not known or (layout == "array" and field == "pattern"):
        raise source.error(f"its banner says {' '.join(banner[2:])!r}, which is not Matrix Market", 1)
    comments, start, line = [], content.find(b"\n") + 1, 2
    while start:
        if blank := BLANK_LINES.match(content, start):
            line += content.count(b"\n", start, blank.end())
            start = blank.end()
        if content[start : start + 1] != b"%":
            break
        end = content.find(b"\n", start) + 1
        text = content[start : end or len(content)].strip().lstrip(b"%").strip()
        comments.append(text.decode("utf-8", "replace"))
        source.check_bytes(VALUE * len(comments))
        start, line = end, line + 1
    sizes = content[start : content.find(b"\n", start) + 1 or None][:1000].split() if start else []
    if len(sizes) != (3 if layout == "coordinate" else 2) or not all(
        size.isdigit() and len(size) < 19 for size in sizes
    ):
        raise source.error("the line with the matrix's size is missing or damaged", line)
    numbers = [int(size) for size in sizes]
    if numbers[0] != numbers[1]:
        raise source.error(
            f"its matrix has shape ({numbers[0]}, {numbers[1]}), and an adjacency matrix is square", line
        )
    begin = content.find(b"\n", start) + 1 or len(content)
    return (
        layout == "coordinate",
        field != "pattern",
        symmetry,
        read_hint(source, comments),
        numbers,
        begin,
        line + 1,
    )


def _body(
    source: Source, start: int, line: int, coordinate: bool, valued: bool
) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    """Return the entries as a table with the fields row, column and value, as far as the format has them."""
    parts = ([rb"[0-9]{1,18}+"] * 2 if coordinate else []) + ([REAL] if valued else [])
    entry = rb"[ \t]*+" + rb"[ \t]++".join(parts) + rb"[ \t]*+\r?+"
    # Possessive throughout: one pass, no backtracking, whatever the file.
    body = re.compile(rb"(?:" + entry + rb"(?:\n|\Z)|[ \t]*+\r?+\n)*+[ \t]*+\Z")
    if body.match(source.content, start) is None:
        lines = io.BytesIO(source.content)
        lines.seek(start)
        for k, text in enumerate(lines, line):
            if text.strip() and re.fullmatch(entry + rb"\n?+", text) is None:
                raise source.error(f"{text.rstrip()[:40]!r} is no entry of this matrix", k)
    fields: list[tuple[str, type]] = [("row", np.int64), ("column", np.int64)] if coordinate else []
    return body_table(source.content, start, [*fields, *([("value", np.float64)] if valued else [])])
