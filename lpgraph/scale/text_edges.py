"""Edge lists as text, read in blocks of whole lines: csv, tsv and txt files, also gzipped."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from lpgraph._utils.checks import import_extra
from lpgraph._utils.files import existing
from lpgraph.errors import FileFormatError
from lpgraph.graph.files.source import Source
from lpgraph.graph.files.tables import Layout, open_text, utf8_text, without_comments

if TYPE_CHECKING:
    import pyarrow as pa

    #: Sources, targets, and weights if there are any.
    Batch: TypeAlias = tuple[pa.Array, pa.Array, pa.Array | None]

arrow, compute = import_extra("pyarrow", "scale"), import_extra("pyarrow.compute", "scale")
csv = import_extra("pyarrow.csv", "scale")

#: Types of sources, targets and weights.
_KINDS = arrow.large_string(), arrow.large_string(), arrow.float64()
#: Bytes of a block, and of the beginning in which the header is searched.
_READ, _BEGINNING = 1 << 22, 1 << 20
_COMMENT = re.compile(rb"^[#%].*\n?", re.MULTILINE)
_BLANKS, _AROUND = re.compile(rb"[ \t]+"), re.compile(rb"^ | (?=\r?$)", re.MULTILINE)


def text_batches(source: Source, form: str) -> Iterator[Batch]:
    """Yield the edges of a text file."""
    path = source.path
    with existing(path, "edges"), open(path, "rb") as given:
        packed = given.read(2) == b"\x1f\x8b"
    with gzip.open(path, "rb") if packed else open(path, "rb") as file:
        try:
            # Separator, header and columns are found by the beginning of the file, as by `lpgraph.read_graph`.
            beginning = file.read(_BEGINNING) + file.readline()
            layout = Layout.of(open_text(replace(source, content=beginning), form))
            source = layout.body.source
            file.seek(0)
            line = source.content[: -len(source.content.lstrip())].count(b"\n")  # after comments and titles
            for _ in range(line):
                file.readline()
            while block := file.read(_READ) + file.readline():
                part = replace(source, content=utf8_text(replace(source, content=block), line))
                yield _batch(replace(layout, body=replace(layout.body, source=part)), line)
                line += block.count(b"\n")
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            why = f"{path}: its gzip data are truncated or damaged ({error}); get the file again"
            raise FileFormatError(f"{why}.") from None


def _batch(layout: Layout, line: int) -> Batch:
    """Return the edges of whole lines, which are after some others."""
    try:
        columns = _parsed(layout)
    except arrow.ArrowException:
        columns = _read_slowly(layout, line)
    source, target = _as_integers(*columns[:2])
    return source, target, columns[2] if columns[2:] else None


def _parsed(layout: Layout) -> list[pa.Array]:
    """Return the columns as Arrow reads them; raise its error if a line is wrong or unusual."""
    block, delimiter = layout.body.source.content, layout.body.delimiter
    table = delimiter != " "
    if not table and (b"\t" in block or b"  " in block or b"\n " in block or b" \n" in block or block[:1] == b" "):
        block = _AROUND.sub(b"", _BLANKS.sub(b" ", block))
    if block[:1] in (b"#", b"%") or b"\n#" in block or b"\n%" in block:
        block = _COMMENT.sub(b"", block)
    titles = [str(k) for k in range(layout.width)]
    kinds = dict(zip([titles[k] for k in layout.columns], _KINDS, strict=False))
    found = csv.read_csv(
        arrow.BufferReader(block),
        read_options=csv.ReadOptions(column_names=titles),
        parse_options=csv.ParseOptions(delimiter=delimiter, quote_char='"' if table else False),
        convert_options=csv.ConvertOptions(column_types=kinds, include_columns=list(kinds), null_values=[]),
    )
    columns = [column.combine_chunks() for column in found.columns]
    unusual = table and delimiter.encode() + b' "' in block
    for k in (0, 1):
        if table and b" " in block:
            columns[k] = compute.utf8_trim_whitespace(columns[k])
        unusual |= b'"' in block and compute.any(compute.match_substring(columns[k], "\n")).as_py()
        unusual |= compute.index(compute.binary_length(columns[k]), 0).as_py() >= 0
        unusual |= bool(layout.titles) and compute.index(columns[k], layout.titles[layout.columns[k]]).as_py() >= 0
    if unusual or not all(compute.all(compute.is_finite(weights)).as_py() for weights in columns[2:]):
        raise arrow.ArrowInvalid
    return columns


def _read_slowly(layout: Layout, line: int) -> list[pa.Array]:
    """Return the columns as `lpgraph.read_graph` reads them; raise with the number of the line that is wrong."""
    source = layout.body.source
    # Empty lines in place of earlier ones, so that lines keep their numbers.
    source = replace(source, content=b"\n" * line + without_comments(source.content))
    body = replace(layout.body, source=source)
    with source.reading("text"):
        table = {} if body.empty else replace(layout, body=body).texts()
        columns = [list(table.get(k, ())) for k in layout.columns]
    if any("\n" in name for column in columns[:2] for name in column):  # a block may end within a name
        raise source.error("a quote is not closed in its line; write names with line breaks as Parquet", line + 1)
    return [arrow.array(column, kind) for column, kind in zip(columns, _KINDS, strict=False)]


def _as_integers(*texts: pa.Array) -> Sequence[pa.Array]:
    """Return texts as integers if all are integers in their usual form that fit in 64 bits."""
    try:
        whole = [column.cast(arrow.int64()) for column in texts]
    except arrow.ArrowInvalid:
        return texts
    usual = all(a.cast(b.type).equals(b) for a, b in zip(whole, texts, strict=True))
    return whole if usual else texts
