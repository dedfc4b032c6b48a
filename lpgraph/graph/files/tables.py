"""Tables of edges in text and Parquet files: encoding, separator, titles, and records with line numbers."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import import_extra
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError, FileFormatError, LpgraphWarning, UnknownVertexError
from lpgraph.graph.construct import ENDPOINT_COLUMNS, choose_columns, collect_edges, recognise, table_columns
from lpgraph.graph.files.source import NoEdgesError, read_hint
from lpgraph.graph.names import as_names, integer_names, is_numbered, listed, texts_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    import pyarrow
    from numpy.typing import NDArray

    from lpgraph.graph.assemble import EdgeList
    from lpgraph.graph.files.source import Hint, Source

    #: A column of names.
    Column = Sequence[Hashable] | NDArray[np.int64] | NDArray[np.object_]
    #: Sources, targets, and weights if there are any.
    Columns = tuple[Column, Column, NDArray[np.float64] | None]

#: Separator of the columns of each format; of csv files it may also be a semicolon.
DELIMITERS = {"csv": ",", "tsv": "\t", "txt": " "}
#: Key of the direction and the names of vertices in Parquet files.
METADATA = b"lpgraph"
#: What pandas writes or reads for a missing value by default, except for the empty text.
MISSING = frozenset(
    (
        *("#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A"),
        *("NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    )
)
#: Usual titles of two columns of end points, in any case, and without "_1", " id" and the like.
_TITLE = re.compile(
    "user|friend|person|node|vertex|id|name|label|source|target|from|to|src|dst|sender|receiver|recipient|follower"
    "|followed|author|coauthor|citing|cited|paper|article|parent|child|head|tail|origin|destination|start|end|gene"
    "|protein|neuron|pre|post|presynaptic|postsynaptic|who|whom|page|member|actor|station|city|airport"
)
#: Beginnings of files of other formats, of which some lines would be read as edges.
_OTHERS = re.compile(
    r"%%MatrixMarket|\*(vertices|network|arcs|edges|matrix)\b|graph\s*(\[|$)|Creator\b.*\"|<\?xml|<g(exf|raphml)"
    r"|[{\[]",
    re.IGNORECASE | re.MULTILINE,
)
#: Beginnings of two kinds of adjacency lists, which are separated by blanks.
_LISTS = re.compile(r"(#.*\n)?# *GMT |# *\S+ *\n[^#\s]+( \S+)? *\n(.*\n)*?# *\S+ *$", re.MULTILINE)
#: pandas reads floats exactly by default from 3.1 on, where this option is deprecated.
_EXACT = {} if tuple(map(int, version("pandas").split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}

# Possessive throughout: one pass, no backtracking, whatever the file.
_REAL = rb"[-+]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][-+]?+[0-9]++)?+"
_INTEGER = rb"(?:0|-?[1-9][0-9]{0,17}+)"
_GAP = {",": rb"[ \t]*+,[ \t]*+", ";": rb"[ \t]*+;[ \t]*+", "\t": rb" *+\t *+", " ": rb"[ \t]++"}
_NUMBER = re.compile(_REAL.decode())
_BLANK_LINES = re.compile(rb"(?:[ \t\r]*+\n)++")
_DECIMAL_COMMA = re.compile(r'"[^"]*"|(?<=[0-9]),(?=[0-9])')
# A spreadsheet computes a cell that begins like this; a formula can call programs or send the table elsewhere.
_FORMULA, _GUARDED = re.compile(r"'*[=+\-@\t\r]"), re.compile(r"'+[=+\-@\t\r]")
#: numpy's numbers, as they appear in the text of a dict.
_NUMPY = re.compile(r"\bnp\.[a-z]+[0-9]*_?\(([^()]*)\)")
_COMMENT = re.compile(rb"^[#%].*", re.MULTILINE)
_COMMENT_OR_QUOTED = re.compile(rb'(?<![^,;\t\n])[ ]*+"(?:[^"]|"")*+"|^[#%].*', re.MULTILINE)


def is_number(field: str) -> bool:
    """Whether a field is a number."""
    return _NUMBER.fullmatch(field.strip()) is not None


def is_title(field: str) -> bool:
    """Whether a field is a usual title of a column of end points, such as "User_1", "node_a" or "friend id"."""
    words = re.findall(r"[a-z]+", field.lower())
    titles = [word for word in words if len(word) > 1]
    return bool(titles) and all(map(_TITLE.fullmatch, titles))


def has_titles(first: Sequence[str]) -> bool:
    """Whether the first line of a list of edges has titles: those of two columns of end points, or weight.

    Examples
    --------
    >>> from lpgraph.graph.files.tables import has_titles
    >>> has_titles(["kind", "from", "to"]), has_titles(["Node_A", "Node_B"]), has_titles(["ann", "bob"])
    (True, True, False)
    """
    lower = [field.lower() for field in first]
    # u and v, or i and j, may also be vertices.
    named = any(one in lower and other in lower for one, other in ENDPOINT_COLUMNS if len(one) > 1)
    return named or "weight" in lower[2:] or all(map(is_title, first[:2]))


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
    start: int
    line: int

    @cached_property
    def delimiter(self) -> str:
        """The separator: in csv files a semicolon if the first line has one and no comma, except in numbers."""
        content = self.source.content
        first = content[self.start : content.find(b"\n", self.start) + 1 or None].decode()
        bare = _DECIMAL_COMMA.sub("", first)
        return ";" if self.form == "csv" and ";" in bare and "," not in bare else DELIMITERS[self.form]

    def after(self, line: int) -> Body:
        """Return the lines after a line, which may be several lines of the file if a title has a line break."""
        start = self.start
        for _ in range(line - self.line):
            start = self.source.content.find(b"\n", start) + 1 or len(self.source.content)
        return replace(self, start=start, line=line)

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield line number and fields, without the blanks around them, of every record that is not blank."""
        content = io.BytesIO(self.source.content)
        content.seek(self.start)
        text = io.TextIOWrapper(content, encoding="utf-8", newline=None if self.form == "txt" else "")
        if self.form == "txt":
            yield from ((at, raw.split()) for at, raw in enumerate(text, self.line + 1) if raw.strip())
            return
        spaced = self.delimiter != "\t"
        reader = csv.reader(text, delimiter=self.delimiter, strict=True, skipinitialspace=spaced)
        try:
            for fields in reader:
                if fields:
                    yield self.line + reader.line_num, [field.strip() for field in fields]
        except csv.Error as error:
            raise self.source.error(str(error), self.line + reader.line_num) from None


def open_text(source: Source, form: str) -> tuple[Hint | None, Body]:
    """Return the metadata that `write_graph` wrote to a txt file, if any, and the lines after leading comments."""
    content = _utf8(source)
    start = 3 if content.startswith(b"\xef\xbb\xbf") else 0
    comments, start, line = comment_lines(content, start, b"#%")
    hint = read_hint(source, comments) if form == "txt" else None
    return hint, Body(replace(source, content=without_comments(content, form, start)), form, start, line)


def without_comments(content: bytes, form: str, start: int = 0) -> bytes:
    """Return a table of which comments from a place on are empty lines; lines of a quoted text are no comments."""
    marks = (b"#", b"%")
    if content[start : start + 1] not in marks and all(content.find(b"\n" + m, start) < 0 for m in marks):
        return content
    pattern = _COMMENT_OR_QUOTED if form != "txt" and b'"' in content else _COMMENT
    rest = pattern.sub(lambda match: b"" if match[0][:1] in marks else match[0], content[start:])
    return content[:start] + rest


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
        return content
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
    ours = content[:64].lstrip(b"# ").startswith(b"lpgraph {")  # write_graph writes UTF-8
    try:
        text = content.decode("ascii" if ours else "cp1252")
    except UnicodeDecodeError:
        raise source.error("it is not UTF-8 text; save it as that", line) from None
    what = "it is not UTF-8 and was read as Windows-1252; save it as UTF-8 if names look wrong"
    warn(f"{source.path}, line {line}: {what}.", LpgraphWarning)
    return text.encode()


def number_lines(content: bytes, start: int, kinds: str, delimiter: str) -> bool:
    """Whether the lines from `start` on are columns of integers in their usual form (i) and of reals (f)."""
    fields = (_INTEGER if kind == "i" else _REAL for kind in kinds)
    line = rb"[ ]*+" + _GAP[delimiter].join(fields) + rb"[ \t]*+\r?+(?:\n|\Z)"
    pattern = re.compile(rb"(?:" + line + rb"|[ \t]*+\r?+\n)*+[ \t]*+\Z")
    return pattern.match(content, start) is not None


def _frame(body: Body, types: Mapping[int, type]) -> pd.DataFrame | None:
    """Return the columns as pandas reads them; None if a line is wrong."""
    import pandas as pd

    first = next(body.records(), None)
    if first is None:  # pandas refuses to read nothing
        return pd.DataFrame({k: np.empty(0, dtype=kind) for k, kind in types.items()})
    if len(first[1]) != len(types):  # pandas refuses a line that is longer than the first one
        return None
    try:
        table = pd.read_csv(
            io.BytesIO(body.source.content[body.start :]),
            sep=r"\s+" if body.delimiter == " " else body.delimiter,
            header=None,
            names=range(len(types)),
            index_col=False,
            dtype=types,
            na_filter=False,
            skipinitialspace=body.delimiter in ",;",
            quoting=csv.QUOTE_NONE if body.form == "txt" else csv.QUOTE_MINIMAL,
            **_EXACT,
        )
    except (ValueError, OverflowError):
        return None
    last = table[len(types) - 1]  # empty where a line is too short
    return None if last.dtype == object and (last == "").any() else table


def read_edges(source: Source, form: str) -> EdgeList:
    """Read an edge list in the format csv, tsv or txt."""
    beginning = source.content[:10_000].decode("utf-8", "replace")
    hint, body = open_text(source, form)
    source = body.source
    if hint is not None and not source.content.endswith(b"\n"):
        raise source.error("it ends within a line: it is truncated")
    record = next(body.records(), None)
    if record is None:
        return _listed(source, ([], [], None), hint)
    line, first = record
    titled = source.header is True or source.ends is not None
    if source.header is None and source.ends is None and hint is None:
        # Behind comments as well, with quotes as they are.
        own = source.content[body.start :][:10_000].decode("utf-8", "replace")
        if _OTHERS.match(beginning) or _OTHERS.match(own) or (form == "txt" and _LISTS.match(beginning)):
            raise source.error("it is of another format; pass its format=, or a graph of networkx or igraph", line)
        if first[-1].endswith("}") and len(first) > 2:
            return _with_dicts(body)
        titled = has_titles(first)
    width = len(first)
    if width < 2 or (width > 3 and not titled):
        problem = f"it has {width} columns and an edge list without titles has 2 or 3, by the separator of {form}"
        raise source.error(f"{problem}; pass another format=, or source= and target= if it has titles", line)
    columns = [0, 1, 2] if width == 3 and source.weight is not None else [0, 1]
    if titled:
        weight = None if source.weight == "weight" and width == 2 else source.weight
        columns = [k for k in choose_columns(first, weight, source.path, source.ends) if k is not None]
        body = body.after(line)
    texts = hint is not None and bool(texts_of(hint.names[:1]))
    found = _columns(body, width, columns, first if titled else (), texts=texts)
    return replace(_listed(source, found, hint), titles=first if titled else ())


def _columns(body: Body, width: int, columns: list[int], titles: Sequence[str], *, texts: bool) -> Columns:
    """Return names, as integers if all are, and weights; raise with the number of the line that is wrong."""
    # pandas alone would read 007 as the integer 7.
    whole = not texts and columns == [0, 1, 2][: len(columns)] and width <= 3
    whole = whole and number_lines(body.source.content, body.start, "iif"[:width], body.delimiter)
    types = dict.fromkeys(range(width), object) | dict.fromkeys(columns[2:], np.float64)
    table = _frame(body, types | dict.fromkeys(columns[:2], np.int64) if whole else types)
    sound = table is not None and all(np.isfinite(table[k]).all() for k in columns[2:])
    if table is None or not sound:
        table, whole = _by_lines(body, width, columns, titles), False
    weight = np.asarray(table[columns[2]], dtype=np.float64) if len(columns) == 3 else None
    if whole:
        return (table[columns[0]].to_numpy(), table[columns[1]].to_numpy(), weight)
    sources, targets = ([str(name).strip() for name in table[k].tolist()] for k in columns[:2])
    names = {*sources, *targets}
    if "" in names or (titles and titles[columns[0]] in names):
        _by_lines(body, width, columns, titles)
    numbers = None if texts else integer_names([*sources, *targets])
    if numbers is not None:
        return (numbers[: len(sources)], numbers[len(sources) :], weight)
    if not texts:
        _warn_of_names(body, [*sources, *targets], titled=bool(titles))
    return (sources, targets, weight)


def _by_lines(body: Body, width: int, columns: list[int], titles: Sequence[str]) -> pd.DataFrame:
    """Return the columns line by line; raise for the first line that is wrong."""
    import pandas as pd

    rows: list[list[str]] = []
    for line, fields in body.records():
        if len(fields) != width:
            problem = f"the number of columns is {len(fields)} here and {width} before"
            raise body.source.error(f"{problem}; correct it, or read adjacency lists by networkx", line)
        if titles and all(fields[k] == titles[k] for k in columns):
            raise second_titles(body.source, titles, line)
        if "" in (fields[columns[0]], fields[columns[1]]):
            raise body.source.error("an endpoint is empty; correct or drop that line", line)
        text = fields[columns[2]] if len(columns) == 3 else "1"
        if not is_number(text) or not math.isfinite(float(text)):
            remedy = "correct it, or pass weight=None if the column has no weights"
            if "," in text:
                remedy = "write 1.5 for 1,5"
            elif not titles and not rows:
                remedy = "pass header=True, and weight= with its title, if the line has titles"
            raise body.source.error(f"the weight {text!r} is not a finite number; {remedy}", line)
        rows.append(fields)
    return pd.DataFrame(rows, columns=range(width), dtype=object)


def second_titles(source: Source, titles: Sequence[str], line: int) -> FileFormatError:
    """Return the error about a line that repeats the titles."""
    return source.error(
        f"it repeats the titles {', '.join(titles)[:80]}, as in tables put one after the other; drop it", line
    )


#: Ends of edges in a table that is long.
_LONG = 40


def _warn_of_names(body: Body, ends: list[str], *, titled: bool) -> None:
    """Warn of vertices that are called as missing values, and of a first line that may have titles."""
    names = set(ends)
    missing = min(MISSING & names, default=None)
    if missing is not None:
        what = f"a vertex is called {missing!r}, as programs write a missing name; drop its lines if it is missing"
        warn(f"{body.source.path}: {what}.", LpgraphWarning)
    first = [] if titled else next(body.records())[1]
    others, pair = names.difference(first), [name.strip() for name in first[:2]]
    # Titles are no numbers where all names are, and are in no other line of a long table.
    alone = len(ends) >= _LONG and all(ends.count(name) == 1 for name in pair)
    if pair and others and not any(map(is_number, pair)) and (alone or all(map(is_number, others))):
        what = f"the first line, {', '.join(first)}, was read as an edge; pass header=True if it has titles"
        warn(f"{body.source.path}: {what}.", LpgraphWarning)


def _with_dicts(body: Body) -> EdgeList:
    """Read two names and a dict from every line, as networkx writes them; without a weight, an edge has 1."""
    import networkx as nx

    lines = _NUMPY.sub(r"\1", body.source.content[body.start :].decode()).splitlines()
    delimiter = None if body.form == "txt" else body.delimiter
    graph = nx.parse_edgelist(lines, delimiter=delimiter, create_using=nx.MultiDiGraph)
    edges: EdgeList = recognise(graph, body.source.weight)[0]
    texts = [str(name).strip() for name in listed(edges.names)]
    names = np.array(integer_names(texts) or texts, dtype=object)
    if body.source.vertices is None:
        return _in_order(replace(edges, names=as_names(names), directed=None, vertex_attributes={}))
    return _listed(body.source, (names[edges.source], names[edges.target], edges.weight))


def _listed(source: Source, found: Columns, hint: Hint | None = None) -> EdgeList:
    """Return edges by name; without metadata, vertices whose names are integers come in their order."""
    m = len(found[0])
    if hint is not None and m != hint.edges:
        raise source.error(f"it has {m} edges where its metadata say {hint.edges}: it is truncated, or edited")
    vertices = hint.names if hint is not None and source.vertices is None else source.vertices
    if m == 0 and vertices is None:
        begun = source.content.lstrip()[:1] not in (b"", b"#", b"%")
        kind = NoEdgesError if begun else FileFormatError
        raise source.error("it has no edges; add a line with a source and a target for each", kind=kind)
    try:
        edges = collect_edges(*found, directed=None if hint is None else hint.directed, vertices=vertices)
    except UnknownVertexError as error:
        if source.vertices is not None:
            raise
        raise source.error(f"its metadata do not name all vertices: {error.names[:5]}") from None
    return edges if vertices is not None else _in_order(edges)


def _in_order(edges: EdgeList) -> EdgeList:
    """Return edges whose vertices come in their order if all names are integers."""
    if is_numbered(edges.names) or not all(isinstance(name, int) for name in edges.names.tolist()):
        return edges
    order = np.argsort(edges.names)
    rank = np.argsort(order)
    return replace(edges, names=as_names(edges.names[order]), source=rank[edges.source], target=rank[edges.target])


class ParquetTable:
    """A Parquet file whose columns are read on demand (needs pyarrow).

    Attributes
    ----------
    names : list of str
        Titles of the columns.
    metadata : dict
        Key-value metadata, as bytes.
    """

    def __init__(self, source: Source) -> None:
        self._arrow, parquet = (import_extra(name, "parquet") for name in ("pyarrow", "pyarrow.parquet"))
        self._source = source
        with source.reading("Parquet"):
            # A container in the metadata may claim any length; an element has at least one byte.
            self._file = parquet.ParquetFile(
                self._arrow.BufferReader(source.content),
                page_checksum_verification=True,
                arrow_extensions_enabled=False,
                thrift_string_size_limit=len(source.content) + 1,
                thrift_container_size_limit=len(source.content) // 4 + 1,
            )
            self.names: list[str] = list(self._file.schema_arrow.names)
            self.metadata: dict[bytes, bytes] = self._file.metadata.metadata or {}

    def read(self, positions: Sequence[int]) -> pyarrow.Table:
        """Return some columns as a table of pyarrow."""
        titles = [self.names[k] for k in positions]
        with self._source.reading("Parquet"):
            kinds = self._file.schema_arrow
            for title in titles:
                if self.names.count(title) > 1 or self._arrow.types.is_nested(kinds.field(title).type):
                    raise self._source.error(f"it has two columns {title!r}, or nested values; pass single ones")
            return self._file.read(columns=titles).select(titles)


def read_parquet(source: Source) -> EdgeList:
    """Read the columns source, target and possibly a weight, found as in a data frame."""
    table = ParquetTable(source)
    try:
        chosen = [k for k in choose_columns(table.names, source.weight, "the table", source.ends) if k is not None]
        read = table.read(chosen)
        columns = table_columns(read, source.weight, (read.column_names[0], read.column_names[1]))
    except ArgumentError as error:
        raise ArgumentError(f"{source.path}: {error}") from None
    if columns is None:
        raise source.error("it has no columns")
    hint = read_hint(source, table.metadata.get(METADATA, b"").decode("utf-8", "replace").split("\n"))
    return _listed(source, columns, hint)
