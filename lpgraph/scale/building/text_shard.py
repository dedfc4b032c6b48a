"""Edge lists as text, block by block: csv, tsv and txt files, also gzipped."""

from __future__ import annotations

import codecs
import gzip
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lpgraph.errors import FileFormatError, LpgraphError
from lpgraph.graph.convert import choose_columns
from lpgraph.graph.files.common import Source
from lpgraph.graph.files.text import Body, open_text
from lpgraph.graph.files.titles import has_known_titles, is_number, may_be_header, seems_header
from lpgraph.scale.building.blocks import Block, Texts
from lpgraph.scale.building.columns import Columns
from lpgraph.scale.building.text_loops import fields, integers, reals

__all__ = ["Titles", "text_blocks"]

#: Bytes that are read at once, and of the beginning by which the header is found.
_READ, _BEGINNING = 1 << 23, 1 << 20
#: Pieces of a block, which threads take one after the other.
_PIECES = 16
_POWERS = 10.0 ** np.arange(23)
_GZIP = b"\x1f\x8b"
_FAULTS = {1: "it has another number of columns than the lines before; correct that line"}

#: The titles of a file that had a header whose kind was found by its lines.
Titles: TypeAlias = "tuple[str, ...] | None"


@dataclass(frozen=True)
class Form:
    """How the lines of a file are read."""

    delimiter: str
    width: int
    #: Positions of source, target and weight; -1 if there are no weights.
    wanted: tuple[int, int, int]
    #: Bytes and lines before the first edge.
    start: int
    line: int
    titles: Titles


def text_blocks(path: Path, form: str, columns: Columns, after: dict[str, int], known: Titles) -> Iterator[Block]:
    """Yield the edges of a file from a place on; `known` are the titles of the shard before."""
    with _opened(path) as file:
        found = _form_of(path, form, columns, file, known)
        line = after.get("line", found.line)
        file.seek(after.get("byte", found.start))
        place = file.tell()
        rest = b""
        while block := file.read(_READ):
            cut = block.rfind(b"\n") + 1
            if not cut and len(block) == _READ:
                rest += block
                continue
            whole = bytearray(rest + block[:cut] if cut else rest + block)
            rest = block[cut:] if cut else b""
            place += len(whole)
            lines = whole.count(b"\n")
            yield _block(path, whole, line, found, {"byte": place, "line": line + lines})
            line += lines
        if rest:
            yield _block(path, bytearray(rest), line, found, {"byte": place + len(rest), "line": line + 1})


def titles_of(path: Path, form: str, columns: Columns) -> Titles:
    """Return the titles of the columns if the file has a header, else None."""
    with _opened(path) as file:
        return _form_of(path, form, columns, file, None).titles


def _opened(path: Path) -> IO[bytes]:
    with open(path, "rb") as file:
        packed = file.read(2) == _GZIP
    return gzip.open(path, "rb") if packed else open(path, "rb")  # type: ignore[return-value]  # both read bytes


def _form_of(path: Path, form: str, columns: Columns, file: IO[bytes], known: Titles) -> Form:
    beginning = file.read(_BEGINNING)
    if len(beginning) == _BEGINNING:
        beginning = beginning[: beginning.rfind(b"\n") + 1] or beginning
    source = Source(
        str(path),
        beginning,
        max_bytes=1 << 40,
        weight=columns.weight,
        ends=columns.ends,
        header=columns.header,
    )
    try:
        codecs.getincrementaldecoder("utf-8")().decode(beginning)
    except UnicodeDecodeError as error:
        line = beginning.count(b"\n", 0, error.start) + 1
        raise source.error("it is not UTF-8 text; save it as UTF-8", line) from None
    _, body = open_text(source, form)
    record = next(body.records(), None)
    if record is None:
        return Form(body.delimiter, 0, (0, 1, -1), len(beginning), body.line, None)
    line, first = record
    if len(first) == 1:
        raise source.error(
            "it has 1 column; an edge list has 2 or 3, separated by commas or semicolons in csv, tabs in tsv, "
            "blanks in txt",
            line,
        )
    header = _has_header(source, body, line, first, known)
    if header:
        chosen = choose_columns(first, columns.weight, str(path), columns.ends)
        start = body.start + _bytes_through(beginning[body.start :], line - body.line)
    else:
        if len(first) > 3:
            raise source.error(
                f"it has {len(first)} columns and an edge list without a header has 2 or 3; if the first line has "
                "titles, pass source= and target=, those of the columns of end points",
                line,
            )
        chosen = (0, 1, 2 if len(first) == 3 and columns.weight is not None else None)
        start, line = body.start, body.line
    wanted = (chosen[0], chosen[1], -1 if chosen[2] is None else chosen[2])
    return Form(body.delimiter, len(first), wanted, start, line, tuple(first) if header else None)


def _has_header(source: Source, body: Body, line: int, first: list[str], known: Titles) -> bool:
    """Whether the first line has titles, as `lpgraph.read_graph` finds it, but by the beginning of the file."""
    if source.ends is not None:
        return True
    if source.header is not None:
        return source.header
    if has_known_titles(first):
        return True
    if not may_be_header(first):
        return False
    if known is not None:
        return tuple(first) == known
    rows = [row for _, row in islice(body.records(), 10_000) if len(row) == len(first)]
    return seems_header(source, line, [list(column) for column in zip(*rows, strict=True)])


def _bytes_through(content: bytes, lines: int) -> int:
    place = 0
    for _ in range(lines):
        place = content.find(b"\n", place) + 1 or len(content)
    return place


def _block(path: Path, whole: bytearray, line: int, form: Form, after: dict[str, int]) -> Block:
    content = np.frombuffer(whole, dtype=np.uint8)
    cuts, places = _pieces(whole)
    room = places[-1]
    starts, lengths = np.zeros((3, room), dtype=np.int64), np.zeros((3, room), dtype=np.int64)
    counts, faults = np.zeros(_PIECES, dtype=np.int64), np.zeros((_PIECES, 2), dtype=np.int64)
    quotes = form.delimiter != " " and b'"' in whole
    wanted = np.array(form.wanted, dtype=np.int64)
    delimiter = ord(form.delimiter)
    arguments = (np.array(cuts), np.array(places), delimiter, quotes, form.width, wanted)
    fields.over(range(_PIECES + 1), content, *arguments, starts, lengths, counts, faults)
    for kind, place in faults.tolist():
        if kind:
            number = line + whole.count(b"\n", 0, place) + 1
            raise _fault(path, number, kind)
    kept = np.concatenate([np.arange(at, at + n) for at, n in zip(places[:-1], counts.tolist(), strict=True)])
    ends = [Texts(content, starts[k, kept], lengths[k, kept]) for k in (0, 1)]
    firsts = starts[0, kept]

    def error(k: int, why: str) -> LpgraphError:
        number = line + whole.count(b"\n", 0, int(firsts[k])) + 1
        return FileFormatError(f"{path}, line {number}: {why}.")

    weight = None
    if form.wanted[2] >= 0:
        weight = _numbers(Texts(content, starts[2, kept], lengths[2, kept]), error)
    return Block(ends[0], ends[1], weight, after, error, may_be_integers=True)


def _fault(path: Path, line: int, kind: int) -> FileFormatError:
    what = _FAULTS.get(kind, "a quote is not closed in its line; write names with line breaks as Parquet")
    return FileFormatError(f"{path}, line {line}: {what}.")


def _pieces(whole: bytearray) -> tuple[list[int], list[int]]:
    """Return where pieces of whole lines begin, and room for their records."""
    cuts, places = [0], [0]
    for k in range(1, _PIECES + 1):
        cut = len(whole)
        if k < _PIECES:
            cut = max(whole.find(b"\n", len(whole) * k // _PIECES) + 1 or len(whole), cuts[-1])
        places.append(places[-1] + whole.count(b"\n", cuts[-1], cut) + 1)
        cuts.append(cut)
    return cuts, places


def as_integers(texts: Texts) -> NDArray[np.int64] | None:
    """Return texts as integers if all are integers in their usual form that fit in 64 bits, else None."""
    values = np.empty(len(texts), dtype=np.int64)
    faults = np.full(1, -1, dtype=np.int64)
    cuts = [len(texts) * k // _PIECES for k in range(_PIECES + 1)]
    integers.over(cuts, texts.content, texts.starts, texts.lengths, values, faults)
    return None if faults[0] >= 0 else values


def _numbers(texts: Texts, error: Callable[[int, str], LpgraphError]) -> NDArray[np.float64]:
    """Return texts as finite numbers."""
    values, slow = np.empty(len(texts)), np.zeros(len(texts), dtype=np.uint8)
    cuts = [len(texts) * k // _PIECES for k in range(_PIECES + 1)]
    reals.over(cuts, texts.content, texts.starts, texts.lengths, _POWERS, values, slow)
    for k in np.flatnonzero(slow).tolist():
        text = texts[k]
        values[k] = float(text) if is_number(text) else np.nan
        if not np.isfinite(values[k]):
            raise error(k, f"the weight {text!r} is not a finite number; correct or drop that line")
    return values
