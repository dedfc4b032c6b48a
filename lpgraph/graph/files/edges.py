"""Edge lists: one edge per line, separated by comma, tab or blanks."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.errors import ArgumentError
from lpgraph.graph.convert import ENDPOINT_COLUMNS, choose_columns
from lpgraph.graph.files.common import (
    REAL,
    Hint,
    Source,
    body_table,
    compose_hint,
    file_names,
    integer_names,
    number,
    read_hint,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import EdgeList

__all__ = ["leading_comments", "read", "records", "write"]

# A header of single letters (u, v) could also be an edge, so only words are recognised without further evidence.
_HEADER_WORDS = [pair for pair in ENDPOINT_COLUMNS if len(pair[0]) > 1]
_GAP = {",": rb"[ \t]*+,[ \t]*+", "\t": rb" *+\t *+", " ": rb"[ \t]++"}


def write(graph: Adjacency, delimiter: str) -> bytes:
    """Write columns separated by the delimiter; if that is a blank, names are not quoted."""
    source, target, weight = graph.edge_list()
    names = file_names(graph)
    header = delimiter != " "
    for name in () if header or isinstance(names, range) else map(str, names):
        if name.split() != [name] or name[0] in "#%\ufeff":
            raise ArgumentError(f"The vertex name {name!r} has a blank or begins with # or %; write .csv or .tsv.")
    text = io.StringIO(newline="")
    text.write(compose_hint(graph, source.size, "#", header=header))
    # All strings are quoted, so that no name can be taken for a comment, a number or a second line.
    # Names without blanks need no quotes.
    writer = csv.writer(
        text,
        delimiter=delimiter,
        lineterminator="\n",
        quoting=csv.QUOTE_NONNUMERIC if header else csv.QUOTE_NONE,
        quotechar='"' if header else None,
    )
    columns: list[Iterable[Hashable]] = [(names[i] for i in rows.tolist()) for rows in (source, target)]
    titles = ["source", "target"]
    if graph.weighted:
        columns.append(map(number, weight.tolist()))
        titles.append("weight")
    if header:
        text.write(delimiter.join(titles) + "\n")
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue().encode()


def read(source: Source, delimiter: str) -> EdgeList:
    """Read columns separated by the delimiter."""
    hint, start, line = leading_comments(source)
    if hint is not None and source.weight not in (None, "weight"):
        raise ArgumentError(
            f"weight={source.weight!r} is no column of {source.path}, whose weights, if any, are called weight; "
            "pass weight='weight' or weight=None."
        )
    integers = hint is None or not isinstance(hint.names[0], str)
    rows = records(source, start, line, delimiter)
    first, second = next(rows, None), next(rows, None)
    if first is None and hint is None and source.vertices is None:
        raise source.error("it has no edges")
    columns: tuple[int, int, int | None] = (0, 1, None)
    sources: Sequence[int | str] | NDArray[np.int64] = []
    targets: Sequence[int | str] | NDArray[np.int64] = []
    weight: NDArray[np.float64] | None = None
    if first is not None:
        is_header = (
            hint.header if hint is not None else _is_header(first[1], None if second is None else second[1])
        )
        columns, width = _columns(source, first, is_header and hint is None), len(first[1])
        # Fast path for bodies of integers (and weights), as in most large files.
        quick = _integers(source.content, start, delimiter, columns, width, is_header) if integers else None
        if quick is not None:
            sources, targets, weight = quick
        else:
            body = records(source, start, line, delimiter)
            if is_header:
                next(body)
            sources, targets, weight = _fields(source, body, columns, width)
            if integers and (whole := integer_names(sources + targets)) is not None:
                sources, targets = whole[: len(sources)], whole[len(sources) :]
            elif "" in sources + targets and (hint is None or "" not in hint.names):
                raise source.error("an endpoint is empty")
    cut = not source.content.endswith(b"\n")
    return source.edges(sources, targets, weight, hint, "comment lines", cut=cut)


def leading_comments(source: Source) -> tuple[Hint | None, int, int]:
    """Return the hint in the leading comment lines, where the rest begins, and how many lines came before."""
    content = source.content
    start, line = (3 if content.startswith(b"\xef\xbb\xbf") else 0), 0
    comments = []
    while start < len(content):
        end = content.find(b"\n", start) + 1 or len(content)
        text = content[start:end].strip()
        if text and text[:1] not in b"#%":
            break
        if text:
            comments.append(text[1:].strip().decode("utf-8", "replace"))
        start, line = end, line + 1
    return read_hint(source, comments), start, line


def records(source: Source, start: int, line: int, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and fields of every record that is neither blank nor a comment."""
    at = line
    try:
        text = source.content[start:].decode()
    except UnicodeDecodeError as error:
        at += source.content.count(b"\n", start, start + error.start) + 1
        raise source.error("it is not UTF-8 text; save it as that", at) from None

    if delimiter == " ":
        for raw in io.StringIO(text, newline=None):
            at += 1
            if raw[0] not in "#%" and (fields := raw.split()):
                yield at, fields
        return

    def lines() -> Iterator[str]:
        nonlocal at
        quoted = False
        for raw in io.StringIO(text, newline=""):
            at += 1
            if quoted or raw[0] not in "#%":
                quoted ^= raw.count('"') % 2 == 1  # a field in quotes may run over several lines
                yield raw

    reader = csv.reader(lines(), delimiter=delimiter, strict=True, skipinitialspace=delimiter == ",")
    try:
        for fields in reader:
            if fields:
                yield at, fields
    except csv.Error as error:
        raise source.error(str(error), at) from None


def _is_header(first: list[str], second: list[str] | None) -> bool:
    lower = [field.strip().lower() for field in first]
    if any(pair[0] in lower and pair[1] in lower for pair in _HEADER_WORDS):
        return True
    if second is None or integer_names([field.strip() for field in second[:2]]) is None:
        return False
    return not any(map(_is_number, first[:2]))


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _columns(source: Source, first: tuple[int, list[str]], is_header: bool) -> tuple[int, int, int | None]:
    line, fields = first
    if len(fields) < 2 or (len(fields) > 3 and not is_header):
        raise source.error(
            f"it has {len(fields)} column{'s' * (len(fields) != 1)}; an edge list has 2 or 3, apart by commas in "
            "csv, tabs in tsv, blanks in txt, or a header that names them",
            line,
        )
    if not is_header:
        return 0, 1, 2 if len(fields) == 3 and source.weight is not None else None
    weight = None if source.weight == "weight" and len(fields) == 2 else source.weight
    return choose_columns([field.strip() for field in fields], weight, source.path)


def _integers(
    content: bytes, start: int, delimiter: str, columns: tuple[int, int, int | None], width: int, is_header: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64] | None] | None:
    """Return the columns of a body of integers and weights, or None if it contains anything else."""
    if columns not in ((0, 1, None), (0, 1, 2)) or width > 3:
        return None
    if is_header:
        start = content.find(b"\n", start) + 1
        if start == 0:
            return None
    integer = rb"(?:0|-?[1-9][0-9]{0,17}+)"
    gap = _GAP[delimiter]
    edge = integer + gap + integer + (gap + REAL if width == 3 else b"")
    # Possessive throughout: one pass, no backtracking, whatever the file.
    line = rb"[ ]*+" + edge + rb"[ ]*+\r?+(?:\n|\Z)"
    body = re.compile(rb"(?:" + line + rb"|[ ]*+\r?+\n)*+\Z")
    if body.match(content, start) is None:
        return None
    kind = [("source", np.int64), ("target", np.int64), ("weight", np.float64)][:width]
    table = body_table(content, start, kind, None if delimiter == " " else delimiter)
    weight = table["weight"] if columns[2] == 2 else None
    if weight is not None and not np.isfinite(weight).all():
        return None
    return np.ascontiguousarray(table["source"]), np.ascontiguousarray(table["target"]), weight


def _fields(
    source: Source, records: Iterator[tuple[int, list[str]]], columns: tuple[int, int, int | None], width: int
) -> tuple[list[str], list[str], NDArray[np.float64] | None]:
    i, j, k = columns
    sources, targets, weight = [], [], []
    for line, fields in records:
        if len(fields) != width:
            raise source.error(f"it has {len(fields)} columns here and {width} before", line)
        sources.append(fields[i])
        targets.append(fields[j])
        if k is not None:
            value = float(fields[k]) if _is_number(fields[k]) else math.nan
            if not math.isfinite(value):
                raise source.error(
                    f"the weight {fields[k]!r} is not a finite number; mend or drop that line", line
                )
            weight.append(value)
    return sources, targets, None if k is None else np.array(weight)
