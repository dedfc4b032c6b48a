"""Tables in text files: encoding, comments, separator, records with their line numbers, and titles."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._cached import cached_property
from lpgraph._warnings import warn
from lpgraph.errors import FileFormatError, LpgraphWarning
from lpgraph.graph.convert import ENDPOINT_COLUMNS
from lpgraph.graph.files.hints import read_hint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandas as pd

    from lpgraph.graph.files.hints import Hint
    from lpgraph.graph.files.source import Source

__all__ = [
    "DELIMITERS",
    "MISSING",
    "Body",
    "comment_lines",
    "guarded",
    "has_header",
    "has_titles",
    "is_number",
    "is_title",
    "number_table",
    "open_text",
    "read_frame",
    "second_header",
    "unguarded",
]

#: Separator of the columns of each format; of csv files it may also be a semicolon.
DELIMITERS = {"csv": ",", "tsv": "\t", "txt": " "}
_MOST_COLUMNS = 10_000
#: Lines that say whether the first one has titles.
_SEEN = 1000
#: What pandas writes or reads for a missing value by default, except for the empty text.
MISSING = frozenset(
    (
        *("#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A"),
        *("NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    )
)
#: pandas reads floats exactly by default from 3.1 on, where this option is deprecated.
_EXACT = {} if tuple(map(int, version("pandas").split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}
#: Words of usual titles of columns of end points.
_TITLES = {
    *("user", "friend", "person", "people", "node", "vertex", "id", "name", "label", "source", "target", "from"),
    *("to", "src", "dst", "sender", "receiver", "recipient", "follower", "followed", "followee", "following"),
    *("author", "coauthor", "citing", "cited", "cites", "paper", "article", "parent", "child", "head", "tail"),
    *("origin", "destination", "start", "end", "gene", "protein", "neuron", "pre", "post", "presynaptic"),
    *("postsynaptic", "who", "whom", "buyer", "seller", "employee", "manager", "account", "station", "stop"),
    *("city", "country", "airport", "page", "site", "url", "host", "email", "member", "customer", "client"),
    *("contact", "supplier", "company", "firm", "character", "actor", "player", "team", "entity", "object"),
    "subject",
}
#: The pairs that need no further evidence: u and v, or i and j, may also be an edge.
_PAIRS = [pair for pair in ENDPOINT_COLUMNS if len(pair[0]) > 1]

# Possessive throughout: one pass, no backtracking, whatever the file.
_REAL = rb"[-+]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][-+]?+[0-9]++)?+"
_INTEGER = rb"(?:0|-?[1-9][0-9]{0,17}+)"
_GAP = {",": rb"[ \t]*+,[ \t]*+", ";": rb"[ \t]*+;[ \t]*+", "\t": rb" *+\t *+", " ": rb"[ \t]++"}
_NUMBER = re.compile(_REAL.decode())
_BLANK_LINES = re.compile(rb"(?:[ \t\r]*+\n)++")
_FILLED = re.compile(rb"\S")
_QUOTED = re.compile(r'"[^"]*"')
_DECIMAL_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9])")
# A spreadsheet computes a cell that begins like this; a formula can call programs or send the table elsewhere.
_FORMULA, _GUARDED = re.compile(r"'*[=+\-@\t\r]"), re.compile(r"'+[=+\-@\t\r]")


def is_number(field: str) -> bool:
    """Whether a field is a number."""
    return _NUMBER.fullmatch(field.strip()) is not None


def is_title(field: str) -> bool:
    """Whether a field is a usual title of a column of end points, such as "User_1", "node_a" or "friend id"."""
    words = re.findall(r"[a-z]+", field.lower())
    return bool(_TITLES.intersection(words)) and all(word in _TITLES or len(word) == 1 for word in words)


def has_titles(first: Sequence[str]) -> bool:
    """Whether a first line has the usual titles of a table of edges."""
    lower = [field.lower() for field in first]
    named = any(one in lower and other in lower for one, other in _PAIRS)
    return named or "weight" in lower[2:] or all(map(is_title, first[:2]))


def has_header(body: Body, first: Sequence[str]) -> bool:
    """Whether the first line of a table of edges has titles, by the rule of `lpgraph.read_graph`."""
    if has_titles(first) or any(map(is_number, first[:2])):
        return has_titles(first)
    rows = [fields for _, fields in islice(body.records(), 1, _SEEN) if fields != first]
    texts = [k for k, title in enumerate(first) if not is_number(title)]
    return bool(rows) and any(all(len(row) > k and is_number(row[k]) for row in rows) for k in texts)


def guarded(value: object) -> object:
    """Return a cell, with an apostrophe before it if it is a text that may be a formula and no number."""
    if isinstance(value, str) and _FORMULA.match(value) and not is_number(value):
        return f"'{value}"
    return value


def unguarded(text: str) -> str:
    """Return the text of a cell that `guarded` has returned."""
    return text[1:] if _GUARDED.match(text) else text


@dataclass(frozen=True)
class Body:
    """The lines after the leading comments; the content is UTF-8."""

    source: Source
    form: str
    comments: tuple[str, ...]
    start: int
    line: int

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
            for at, raw in enumerate(self._decoded(None), self.line + 1):
                if raw[0] not in "#%" and (fields := raw.split(maxsplit=_MOST_COLUMNS)):
                    if len(fields) > _MOST_COLUMNS:
                        raise self.source.error(f"it has more than {_MOST_COLUMNS} columns", at)
                    yield at, fields
            return
        at, begin = self.line, f'(?:^|{re.escape(self.delimiter)}) *"'
        opened, closed = re.compile(begin), re.compile(rf'{begin}(?:[^"]++|"")*+"')

        def lines() -> Iterator[str]:
            nonlocal at
            quoted = False
            for raw in self._decoded(""):
                at += 1
                if raw.count(self.delimiter) > _MOST_COLUMNS:
                    raise self.source.error(f"it has more than {_MOST_COLUMNS} columns", at)
                if quoted or raw[0] not in "#%":
                    if quoted or raw.count('"') % 2:  # a field in quotes may run over several lines
                        quoted = opened.search(closed.sub("", '"' + raw if quoted else raw)) is not None
                    yield raw

        spaced = self.delimiter != "\t"
        reader = csv.reader(lines(), delimiter=self.delimiter, strict=True, skipinitialspace=spaced)
        try:
            for fields in reader:
                if fields:
                    yield at, [field.strip() for field in fields]
        except csv.Error as error:
            raise self.source.error(str(error), at) from None

    def _decoded(self, newline: str | None) -> Iterator[str]:
        content = io.BytesIO(self.source.content)
        content.seek(self.start)
        return io.TextIOWrapper(content, encoding="utf-8", newline=newline)


def open_text(source: Source, form: str) -> tuple[Hint | None, Body]:
    """Return the metadata that `write_graph` wrote to a txt file, if any, and the lines after leading comments."""
    source = replace(source, content=_utf8(source))
    start = 3 if source.content.startswith(b"\xef\xbb\xbf") else 0
    comments, start, line = comment_lines(source.content, start, b"#%")
    return read_hint(source, comments) if form == "txt" else None, Body(source, form, tuple(comments), start, line)


def comment_lines(content: bytes, start: int, marks: bytes) -> tuple[list[str], int, int]:
    """Return comments without their marks, where the first other line begins, and the lines before it."""
    comments, line = [], content.count(b"\n", 0, start)
    while start < len(content):
        if blank := _BLANK_LINES.match(content, start):
            line += content.count(b"\n", start, blank.end())
            start = blank.end()
            continue
        end = content.find(b"\n", start) + 1 or len(content)
        text = content[start:end].strip()
        if not text or text[0] not in marks:
            break
        comments.append(text.lstrip(marks).strip().decode("utf-8", "replace"))
        start, line = end, line + 1
    return comments, start, line


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
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise source.error("it is neither UTF-8 nor Windows-1252 text; save it as UTF-8", line) from None
    if content[:64].lstrip(b"# ").startswith(b"lpgraph {"):  # write_graph writes UTF-8
        raise source.error("it is not UTF-8 text; save it as that", line)
    what = "it is not UTF-8 and was read as Windows-1252; save it as UTF-8 if names look wrong"
    warn(f"{source.path}, line {line}: {what}.", LpgraphWarning)
    return text.encode()


def number_table(content: bytes, start: int, kinds: str, delimiter: str) -> pd.DataFrame | None:
    """Return the lines from `start` on as columns of integers (i) and reals (f), or None if one has other fields.

    pandas alone would read 007 as the integer 7.
    """
    fields = (_INTEGER if kind == "i" else _REAL for kind in kinds)
    line = rb"[ ]*+" + _GAP[delimiter].join(fields) + rb"[ \t]*+\r?+(?:\n|\Z)"
    if re.compile(rb"(?:" + line + rb"|[ \t]*+\r?+\n)*+[ \t]*+\Z").match(content, start) is None:
        return None
    types = {k: np.int64 if kind == "i" else np.float64 for k, kind in enumerate(kinds)}
    return read_frame(content, start, delimiter, types)


def read_frame(
    content: bytes, start: int, delimiter: str, types: Mapping[int, type], *, quotes: bool = False
) -> pd.DataFrame:
    """Return the columns of the lines from `start` on, by position; raise if a line has more than `types`."""
    import pandas as pd

    if _FILLED.search(content, start) is None:  # pandas refuses to read nothing
        return pd.DataFrame({k: np.empty(0, dtype=kind) for k, kind in types.items()})
    lines = io.BytesIO(content)
    lines.seek(start)
    return pd.read_csv(
        lines,
        sep=r"\s+" if delimiter == " " else delimiter,
        header=None,
        names=range(len(types)),
        index_col=False,
        dtype=types,
        na_filter=False,
        quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
        **_EXACT,
    )


def second_header(body: Body, titles: Sequence[str], line: int) -> FileFormatError:
    """Return the error about a line that repeats the header."""
    return body.source.error(
        f"it repeats the titles {', '.join(titles)[:80]}, as in tables put one after the other; drop it, "
        "or rename the titles if it is no header",
        line,
    )
