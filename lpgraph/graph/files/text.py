"""Tables in text files: encoding, leading comments, separator, and records with their line numbers."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lpgraph._cached import cached_property
from lpgraph._warnings import warn
from lpgraph.errors import FileFormatError, LpgraphWarning
from lpgraph.graph.files.common import BLANK_LINES, read_hint
from lpgraph.graph.files.memory import CONTENT, TEXT, VALUE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lpgraph.graph.files.common import Hint, Source

__all__ = ["DELIMITERS", "Body", "open_text"]

#: Separator of the columns of each format; of csv files it may also be a semicolon.
DELIMITERS = {"csv": ",", "tsv": "\t", "txt": " "}
#: How a txt file begins that `write_graph` wrote, always as UTF-8.
_OWN = b"# lpgraph {"
_MOST_COLUMNS = 10_000
_QUOTED = re.compile(r'"[^"]*"')
_DECIMAL_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9])")


@dataclass(frozen=True)
class Body:
    """The lines after the leading comments; the content is UTF-8."""

    source: Source
    form: str
    comments: tuple[str, ...]
    start: int
    line: int

    @property
    def size(self) -> int:
        """The number of bytes of the lines."""
        return len(self.source.content) - self.start

    @cached_property
    def beginning(self) -> str:
        """The first 10,000 bytes of the lines."""
        return self.source.content[self.start : self.start + 10_000].decode("utf-8", "replace")

    @cached_property
    def first_line(self) -> str:
        """The first line, empty if there is none."""
        content = self.source.content
        return content[self.start : content.find(b"\n", self.start) + 1 or None].decode().strip()

    @cached_property
    def delimiter(self) -> str:
        """The separator: in csv files a semicolon if the first line has one and no comma, except in numbers."""
        if self.form == "csv":
            bare = _QUOTED.sub("", self.first_line)
            if ";" in bare and "," not in _DECIMAL_COMMA.sub("", bare):
                return ";"
        return DELIMITERS[self.form]

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield line number and fields of every record that is neither blank nor a comment.

        Fields are without the blanks around them.
        """
        if self.form == "txt":
            for at, raw in self.lines():
                if fields := raw.split(maxsplit=_MOST_COLUMNS):
                    if len(fields) > _MOST_COLUMNS:
                        raise self._too_wide(at)
                    yield at, fields
            return
        at, width, delimiter = self.line, 0, self.delimiter

        def quoted_lines() -> Iterator[str]:
            nonlocal at, width
            quoted = False
            for raw in self._raw_lines(""):
                at += 1
                if quoted or raw[0] not in "#%":
                    quoted ^= raw.count('"') % 2 == 1  # a field in quotes may run over several lines
                    width += raw.count(delimiter)
                    if width > _MOST_COLUMNS:  # before they are made
                        raise self._too_wide(at)
                    yield raw

        spaced = delimiter != "\t"
        reader = csv.reader(quoted_lines(), delimiter=delimiter, strict=True, skipinitialspace=spaced)
        try:
            for fields in reader:
                width = 0
                if fields:
                    yield at, [field.strip() for field in fields]
        except csv.Error as error:
            raise self.source.error(str(error), at) from None

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield number and text of every line that is no comment."""
        for at, raw in enumerate(self._raw_lines(None), self.line + 1):
            if raw[0] not in "#%":
                yield at, raw

    def _raw_lines(self, newline: str | None) -> Iterator[str]:
        """Decode line by line: the whole text would take up to four bytes a character."""
        content = io.BytesIO(self.source.content)
        content.seek(self.start)
        return io.TextIOWrapper(content, encoding="utf-8", newline=newline)

    def _too_wide(self, line: int) -> FileFormatError:
        return self.source.error(
            f"it has more than {_MOST_COLUMNS} columns; if it is a matrix, write it as .mtx by scipy.io.mmwrite",
            line,
        )


def open_text(source: Source, form: str) -> tuple[Hint | None, Body]:
    """Return the metadata that `write_graph` wrote to a txt file, if any, and the lines after leading comments."""
    content = _utf8(source)
    # Also lines without content, which take no memory but time: tens of millions fit into a small gzip file.
    source.check_bytes(VALUE * (content.count(b"\n") + content.count(b"\r")), TEXT * len(content))
    start, line = (3 if content.startswith(b"\xef\xbb\xbf") else 0), 0
    comments = []
    while start < len(content):
        if blank := BLANK_LINES.match(content, start):
            line += content.count(b"\n", start, blank.end())
            start = blank.end()
            continue
        end = content.find(b"\n", start) + 1 or len(content)
        text = content[start:end].strip()
        if text[:1] not in (b"#", b"%"):
            break
        comments.append(text[1:].strip().decode("utf-8", "replace"))
        source.check_bytes(CONTENT * len(content) + VALUE * len(comments))
        start, line = end, line + 1
    body = Body(replace(source, content=content), form, tuple(comments), start, line)
    return read_hint(source, comments) if form == "txt" else None, body


def _utf8(source: Source) -> bytes:
    """Return the content as UTF-8. Other text is taken for Windows-1252, which contains the text of Latin-1."""
    content = source.content
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            return content.decode("utf-16").encode()
        except UnicodeError:
            raise source.error("it begins as UTF-16 text and is not; save it as UTF-8") from None
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
    else:
        return content
    if _OWN in content[:64]:
        raise source.error("it is not UTF-8 text; save it as that", line)
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise source.error("it is neither UTF-8 nor Windows-1252 text; save it as UTF-8", line) from None
    what = "it is not UTF-8 and was read as Windows-1252; save it as UTF-8 if names look wrong"
    warn(f"{source.path}, line {line}: {what}.", LpgraphWarning)
    return text.encode()
