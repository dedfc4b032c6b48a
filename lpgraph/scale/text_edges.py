"""Edge lists as text, read in blocks of whole lines: csv, tsv and txt files, also gzipped."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import IO, TYPE_CHECKING, TypeAlias

from lpgraph._utils.checks import import_extra
from lpgraph._utils.files import existing
from lpgraph._utils.progress import warn
from lpgraph.errors import FileFormatError, LpgraphWarning
from lpgraph.graph.construct import choose_columns
from lpgraph.graph.files.source import Source
from lpgraph.graph.files.tables import Body, has_titles, is_number, is_other_format, open_text, without_comments

if TYPE_CHECKING:
    import pyarrow as pa

    #: Sources, targets, and weights if there are any.
    Batch: TypeAlias = tuple[pa.Array, pa.Array, pa.Array | None]

arrow, compute = import_extra("pyarrow", "scale"), import_extra("pyarrow.compute", "scale")
csv = import_extra("pyarrow.csv", "scale")

#: Bytes of a block, and of the beginning by which the header is found, and the format.
_READ, _BEGINNING, _FORMAT = 1 << 22, 1 << 20, 10_000
_COMMENT = re.compile(rb"^[#%].*\n?", re.MULTILINE)
_BLANKS, _AROUND = re.compile(rb"[ \t]+"), re.compile(rb"^ | (?=\r?$)", re.MULTILINE)


@dataclass(frozen=True)
class Columns:
    """Which columns have the end points and the weights, as in `lpgraph.read_graph`.

    Attributes
    ----------
    ends : tuple of str, or None
        Titles of source and target; None: found by their titles.
    weight : str or None
        Title of the weights; None: every edge has weight 1.
    header : bool or None
        For text: whether the first line has titles; None: found by the beginning of the file.
    """

    ends: tuple[str, str] | None = None
    weight: str | None = "weight"
    header: bool | None = None


@dataclass(frozen=True)
class _Layout:
    """How lines are read: columns and those wanted, bytes and lines before the first edge, titles if any."""

    delimiter: str
    width: int
    wanted: list[int]
    start: int
    line: int
    titles: list[str]


def text_batches(path: str, form: str, columns: Columns) -> Iterator[Batch]:
    """Yield the edges of a text file."""
    with existing(path, "edges"), _opened(path) as file:
        try:
            layout = _layout(path, form, columns, file)
            file.seek(layout.start)
            line = layout.line
            while block := file.read(_READ) + file.readline():
                yield _batch(path, form, layout, block, line)
                line += block.count(b"\n")
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            why = f"{path}: its gzip data are truncated or damaged ({error}); get the file again"
            raise FileFormatError(f"{why}.") from None


def _opened(path: str) -> IO[bytes]:
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rb") if packed else open(path, "rb")  # type: ignore[return-value]  # both read bytes


def _layout(path: str, form: str, columns: Columns, file: IO[bytes]) -> _Layout:
    """Find separator, header and columns by the beginning of a file, as `lpgraph.read_graph` does."""
    beginning = file.read(_BEGINNING) + file.readline()
    _check_unicode(path, beginning, 0)
    source = Source(path, beginning, weight=columns.weight, ends=columns.ends, header=columns.header)
    body = open_text(source, form)
    record = next(body.records(), None)
    if record is None:
        return _Layout(body.delimiter, 2, [0, 1], len(beginning), body.line, [])
    line, first = record
    if len(first) == 1:
        raise source.error(f"it has 1 column, and 2 or 3 are needed; check the separator of {form}", line)
    if columns.ends is not None or (has_titles(first) if columns.header is None else columns.header):
        chosen = choose_columns(first, columns.weight, path, columns.ends)
        wanted = [k for k in chosen if k is not None]
        return _Layout(body.delimiter, len(first), wanted, body.after(line).start, line, first)
    start = beginning[body.start :][:_FORMAT].decode("utf-8", "replace")
    if columns.header is None and is_other_format(beginning[:_FORMAT].decode("utf-8", "replace"), start, form):
        raise source.error("it is of another format; read it by lpgraph.read_graph, and pass the graph", line)
    if len(first) > 3:
        count = f"it has {len(first)} columns, and 2 or 3 without a header"
        raise source.error(f"{count}; if the first line has titles, pass source= and target=", line)
    ends = [name for _, fields in islice(body.records(), 1, 1000) for name in fields[:2]]
    if columns.header is None and ends and not any(map(is_number, first[:2])) and all(map(is_number, ends)):
        what = f"{path}: the first line, {', '.join(first)}, was read as an edge"
        warn(f"{what}; pass source= and target= if it has titles.", LpgraphWarning)
    wanted = [0, 1, *([2] if len(first) == 3 and columns.weight is not None else [])]
    return _Layout(body.delimiter, len(first), wanted, body.start, body.line, [])


def _batch(path: str, form: str, layout: _Layout, block: bytes, line: int) -> Batch:
    """Return the edges of whole lines."""
    try:
        source, target, *weight = _parsed(layout, block)
    except (arrow.ArrowException, _UnusualError):
        source, target, *weight = _read_slowly(path, form, layout, block, line)
    source, target = _as_integers(source, target)
    return source, target, weight[0] if weight else None


class _UnusualError(Exception):
    """Lines that are wrong, or that Arrow would read in another way."""


def _parsed(layout: _Layout, block: bytes) -> list[pa.Array]:
    """Return the columns as Arrow reads them; raise if a line is wrong or unusual."""
    table = layout.delimiter != " "
    if not table and (b"\t" in block or b"  " in block or b"\n " in block or b" \n" in block or block[:1] == b" "):
        block = _AROUND.sub(b"", _BLANKS.sub(b" ", block))
    if table and layout.delimiter.encode() + b' "' in block:
        raise _UnusualError
    if block[:1] in (b"#", b"%") or b"\n#" in block or b"\n%" in block:
        block = _COMMENT.sub(b"", block)
    titles = [str(k) for k in range(layout.width)]
    wanted = [titles[k] for k in layout.wanted]
    kinds = [arrow.large_string(), arrow.large_string(), arrow.float64()]
    found = csv.read_csv(
        arrow.BufferReader(block),
        read_options=csv.ReadOptions(column_names=titles),
        parse_options=csv.ParseOptions(delimiter=layout.delimiter, quote_char='"' if table else False),
        convert_options=csv.ConvertOptions(
            column_types=dict(zip(wanted, kinds, strict=False)), include_columns=wanted, null_values=[]
        ),
    )
    columns = [column.combine_chunks() for column in found.columns]
    for k in (0, 1):
        if table and b" " in block:
            columns[k] = compute.utf8_trim_whitespace(columns[k])
        broken = b'"' in block and compute.any(compute.match_substring(columns[k], "\n")).as_py()
        repeated = layout.titles and compute.index(columns[k], layout.titles[layout.wanted[k]]).as_py() >= 0
        if broken or repeated or compute.index(compute.binary_length(columns[k]), 0).as_py() >= 0:
            raise _UnusualError
    if len(columns) == 3 and not compute.all(compute.is_finite(columns[2])).as_py():
        raise _UnusualError
    return columns


def _read_slowly(path: str, form: str, layout: _Layout, block: bytes, line: int) -> list[pa.Array]:
    """Return the columns as `lpgraph.read_graph` reads them; raise with the number of the line that is wrong."""
    _check_unicode(path, block, line)
    source = Source(path, without_comments(block, form))
    body = Body(source, form, 0, line)
    vars(body)["delimiter"] = layout.delimiter  # that of the file, whatever this block is like
    rows: list[list[str]] = []
    for at, fields in body.records():
        if len(fields) != layout.width:
            raise source.error(f"it has {len(fields)} columns, not {layout.width}; correct that line", at)
        if fields == layout.titles:
            raise source.error("it repeats the titles, as in tables put one after the other; drop it", at)
        row = [fields[k] for k in layout.wanted]
        if "" in row[:2]:
            raise source.error("an endpoint is empty; correct or drop that edge", at)
        if "\n" in row[0] or "\n" in row[1]:
            raise source.error("a quote is not closed in its line; write names with line breaks as Parquet", at)
        if len(row) == 3 and not (is_number(row[2]) and abs(float(row[2])) < float("inf")):
            remedy = "write 1.5 for 1,5, pass header=True if the line has titles, or weight=None"
            raise source.error(f"the weight {row[2]!r} is not a finite number; {remedy}", at)
        rows.append(row)
    columns = list(zip(*rows, strict=True)) or [()] * len(layout.wanted)
    ends = [arrow.array(column, arrow.large_string()) for column in columns[:2]]
    return [*ends, *(arrow.array(map(float, column), arrow.float64()) for column in columns[2:])]


def _check_unicode(path: str, block: bytes, line: int) -> None:
    try:
        block.decode()
    except UnicodeDecodeError as error:
        at = line + block.count(b"\n", 0, error.start) + 1
        raise FileFormatError(f"{path}, line {at}: it is not UTF-8 text; save it as UTF-8.") from None


def _as_integers(source: pa.Array, target: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Return texts as integers if all are integers in their usual form that fit in 64 bits."""
    found = []
    for column in (source, target):
        try:
            whole = column.cast(arrow.int64())
        except arrow.ArrowInvalid:
            return source, target
        if not whole.cast(arrow.large_string()).equals(column):
            return source, target
        found.append(whole)
    return found[0], found[1]
