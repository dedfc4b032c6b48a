"""Tables of edges in text and Parquet files: encoding, separator, titles, and records with line numbers."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Self

import numpy as np

from lpgraph._utils.checks import import_extra
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError, LpgraphWarning
from lpgraph.graph.construct import ENDPOINT_COLUMNS, choose_columns, collect_edges, table_columns
from lpgraph.graph.files.source import NoEdgesError, file_names
from lpgraph.graph.names import as_names, integer_names, is_numbered, texts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd
    from numpy.typing import NDArray
    from pyarrow import parquet

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import EdgeList
    from lpgraph.graph.files.source import Source

    #: A column of names.
    Column = Sequence[Hashable] | NDArray[np.int64] | NDArray[np.object_]
    #: Sources, targets, and weights if there are any.
    Columns = tuple[Column, Column, NDArray[np.float64] | None]

#: Separator of the columns of each format; of csv files, a semicolon if the first line has more of these.
DELIMITERS = {"csv": ",", "tsv": "\t", "txt": " "}
#: Formats of tables.
TABLES = (*DELIMITERS, "parquet")
#: First line of txt files of `write_graph`, whose next line is never one of titles.
_WRITTEN = "# lpgraph: source, target and possibly weight\n"
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
#: Ends of edges from which it is told that those of the first line occur nowhere else.
_SEVERAL = 8
#: pandas reads floats exactly by default from 3.1 on, where this option is deprecated.
EXACT = {} if tuple(map(int, version("pandas").split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}

_NUMBER = re.compile(r"[-+]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][-+]?+[0-9]++)?+")
#: Integers that are names as texts and not as numbers: 007, -0 and +7.
_TEXTS = re.compile(rb"0(?<![0-9.eE+-]0)[0-9]|-(?<![eE]-)0(?!\.)|\+(?<![eE]\+)")
# A spreadsheet computes a cell that begins like this; a formula can call programs or send the table elsewhere.
_FORMULA, _GUARDED = re.compile(r"'*[=+\-@\t\r]"), re.compile(r"'+[=+\-@\t\r]")
# Possessive: one pass, no backtracking, whatever the file.
_COMMENTS = re.compile(rb"(?:[ \t\r]*+(?:[#%].*+)?(?:\n|(?<=.)\Z))*+")
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
    delimiter: str

    def after(self, line: int) -> Body:
        """Return the lines after a line, which may be several lines of the file if a title has a line break."""
        start = self.start
        for _ in range(line - self.line):
            start = self.source.content.find(b"\n", start) + 1 or len(self.source.content)
        return replace(self, start=start, line=line)

    def rows(self, width: int, titles: list[str]) -> Iterator[tuple[int, list[str]]]:
        """Yield the records; raise for one of another width, or one that repeats the titles."""
        for line, fields in self.records():
            if len(fields) != width:
                problem = f"the number of columns is {len(fields)} here and {width} before"
                raise self.source.error(f"{problem}; correct it, or read adjacency lists by networkx", line)
            if fields == titles:
                repeated = f"it repeats the titles {', '.join(titles)[:80]}"
                raise self.source.error(f"{repeated}, as in tables put one after the other; drop it", line)
            yield line, fields

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


def open_text(source: Source, form: str) -> Body:
    """Return the lines after leading comments."""
    check_utf8(source)
    content = source.content
    start = after_comments(content, 3 if content.startswith(b"\xef\xbb\xbf") else 0)
    first = content[start : content.find(b"\n", start) + 1 or None]
    delimiter = ";" if form == "csv" and first.count(b";") > first.count(b",") else DELIMITERS[form]
    body = replace(source, content=without_comments(content, form, start))
    return Body(body, form, start, content.count(b"\n", 0, start), delimiter)


def check_utf8(source: Source, line: int = 0) -> None:
    """Refuse text that is not UTF-8; its lines are counted from a number on."""
    try:
        source.content.decode()
    except UnicodeDecodeError as error:
        at = line + source.content.count(b"\n", 0, error.start) + 1
        raise source.error("it is not UTF-8 text; save it as UTF-8", at) from None


def without_comments(content: bytes, form: str, start: int = 0) -> bytes:
    """Return a table of which comments from a place on are empty lines; lines of a quoted text are no comments."""
    marks = (b"#", b"%")
    if content[start : start + 1] not in marks and all(content.find(b"\n" + m, start) < 0 for m in marks):
        return content
    pattern = _COMMENT_OR_QUOTED if form != "txt" and b'"' in content else _COMMENT
    rest = pattern.sub(lambda match: b"" if match[0][:1] in marks else match[0], content[start:])
    return content[:start] + rest


def after_comments(content: bytes, start: int = 0) -> int:
    """Return where the first line from a place on begins that is neither a comment nor blank."""
    found = _COMMENTS.match(content, start)
    return start if found is None else found.end()


def _frame(body: Body, width: int, types: Mapping[int, type]) -> pd.DataFrame | None:
    """Return the columns as pandas reads them, of some types if given; None if a line is wrong."""
    import pandas as pd

    try:
        table = pd.read_csv(
            io.BytesIO(body.source.content[body.start :]),
            sep=r"\s+" if body.delimiter == " " else body.delimiter,
            header=None,  # pandas refuses a line that is longer than the first one
            dtype=types,
            na_filter=False,
            low_memory=False,  # else each part of the file would have types of its own
            skipinitialspace=body.delimiter in ",;",
            quoting=csv.QUOTE_NONE if body.form == "txt" else csv.QUOTE_MINIMAL,
            **EXACT,
        )
    except (ValueError, OverflowError):
        return None
    last = table[table.shape[1] - 1]  # empty where a line is too short
    wrong = table.shape[1] != width or (last.dtype.kind == "O" and (last == "").any())
    return None if wrong else table


@dataclass(frozen=True)
class Layout:
    """How lines of edges are read.

    Attributes
    ----------
    body : Body
        The lines after the titles.
    width : int
        Number of columns.
    columns : list of int
        Those of source and target, and of the weight if it is read.
    titles : list of str
        Titles of all columns; empty if there are none.
    """

    body: Body
    width: int
    columns: list[int]
    titles: list[str]

    @classmethod
    def of(cls, source: Source, body: Body, line: int, first: list[str]) -> Self:
        """Find titles and columns by the first line with entries, and by what the caller says."""
        width = len(first)
        titled = source.header is True or source.ends is not None
        if source.header is None and source.ends is None and not source.content.startswith(_WRITTEN.encode()):
            # Behind comments as well, with quotes as they are.
            parts = source.content[:10_000], body.source.content[body.start : body.start + 10_000]
            file, own = (part.decode("utf-8", "replace") for part in parts)
            if _OTHERS.match(file) or _OTHERS.match(own) or (body.form == "txt" and _LISTS.match(file)):
                raise source.error("it is of another format; pass format=, or a graph of networkx or igraph", line)
            if len(first) > 2 and first[-1].endswith("}"):
                remedy = "read it by networkx.read_edgelist, and pass the graph to as_adjacency"
                raise source.error(f"it has the attributes of an edge as a dict; {remedy}", line)
            titled = has_titles(first)
        if width < 2 or (width > 3 and not titled):
            problem = f"it has {width} columns and an edge list without titles has 2 or 3, by the separator of"
            remedy = "pass another format=, or source= and target= if it has titles"
            raise source.error(f"{problem} {body.form}; {remedy}", line)
        if not titled:
            return cls(body, width, [0, 1, 2] if width == 3 and source.weight is not None else [0, 1], [])
        weight = None if source.weight == "weight" and width == 2 else source.weight
        columns = choose_columns(first, weight, source.path, source.ends)
        return cls(body.after(line), width, [k for k in columns if k is not None], first)

    def check_lines(self) -> None:
        """Raise for the first line that is wrong."""
        error = self.body.source.error
        for line, fields in self.body.rows(self.width, self.titles):
            source, target, *weight = (fields[k] for k in self.columns)
            if "" in (source, target):
                raise error("an endpoint is empty; correct or drop that edge", line)
            if weight and not (is_number(weight[0]) and math.isfinite(float(weight[0]))):
                remedy = "write 1.5 for 1,5, pass header=True if the line has titles, or weight=None"
                raise error(f"the weight {weight[0]!r} is not a finite number; {remedy}", line)


def read_edges(source: Source, form: str) -> EdgeList:
    """Read an edge list in the format csv, tsv or txt."""
    body = open_text(source, form)
    record = next(body.records(), None)
    if record is None:
        return _listed(source, ([], [], None))
    layout = Layout.of(source, body, *record)
    return replace(_listed(source, _columns(layout)), titles=layout.titles)


def _columns(layout: Layout) -> Columns:
    """Return names, as integers if all are, and weights; raise with the number of the line that is wrong."""
    body, width, columns, titles = layout.body, layout.width, layout.columns, layout.titles
    first = next(body.records(), None)
    if first is None:  # pandas refuses to read nothing
        return [], [], None
    types = dict.fromkeys(range(width), object) | dict.fromkeys(columns[2:], np.float64)
    table = None
    if not _TEXTS.search(body.source.content, body.start):
        table = _frame(body, width, {k: kind for k, kind in types.items() if k not in columns[:2]})
    if table is None or any(table[k].dtype != np.int64 for k in columns[:2]):
        table = _frame(body, width, types)
    if table is None or not all(np.isfinite(table[k]).all() for k in columns[2:]):
        layout.check_lines()
        raise body.source.error("pandas cannot read it")
    source, target, *weight = (table[k].to_numpy() for k in columns)
    if source.dtype == np.int64 and target.dtype == np.int64:
        return source, target, weight[0] if weight else None
    ends = [name.strip() for name in (*source, *target)]
    names = set(ends)
    if "" in names or (titles and titles[columns[0]] in names):
        layout.check_lines()
    numbers = integer_names(ends)
    missing = None if numbers else min(MISSING & names, default=None)
    if missing is not None:
        what = f"a vertex is called {missing!r}, as programs write a missing name; drop its lines if it is missing"
        warn(f"{body.source.path}: {what}.", LpgraphWarning)
    if not titles and numbers is None:
        warn_of_titles(body.source, first[1], ends)
    found = numbers or ends
    return found[: len(table)], found[len(table) :], weight[0] if weight else None


def warn_of_titles(source: Source, first: list[str], ends: Sequence[str]) -> None:
    """Warn if the first line, which was read as an edge, has names that occur nowhere else among the ends."""
    others = [is_number(name) for name in ends if name not in first[:2]]
    several = len(ends) >= _SEVERAL or (all(others) and not any(map(is_number, first[:2])))
    if source.header is None and others and several and len(others) == len(ends) - 2:
        what = f"the first line, {', '.join(first)}, was read as an edge; pass header=True if it has titles"
        warn(f"{source.path}: {what}, and header=False if it has not.", LpgraphWarning)


def _listed(source: Source, found: Columns) -> EdgeList:
    """Return edges by name; vertices whose names are integers come in their order."""
    if len(found[0]) == 0 and source.vertices is None:
        error = source.error("it has no edges; add a line with a source and a target for each")
        raise error if source.content.lstrip()[:1] in (b"", b"#", b"%") else NoEdgesError(str(error))
    edges = collect_edges(*found, directed=None, vertices=source.vertices)
    if source.vertices is not None or is_numbered(edges.names) or texts_of(edges.names[:1]):
        return edges
    order = np.argsort(edges.names)
    rank = np.argsort(order)
    return replace(edges, names=as_names(edges.names[order]), source=rank[edges.source], target=rank[edges.target])


def open_parquet(source: Source) -> parquet.ParquetFile:
    """Return an open Parquet file (needs pyarrow)."""
    arrow, parquet = (import_extra(name, "parquet") for name in ("pyarrow", "pyarrow.parquet"))
    # A container in the metadata may claim any length; an element has at least one byte.
    return parquet.ParquetFile(
        arrow.BufferReader(source.content),
        page_checksum_verification=True,
        arrow_extensions_enabled=False,
        thrift_string_size_limit=len(source.content) + 1,
        thrift_container_size_limit=len(source.content) // 4 + 1,
    )


def read_parquet(source: Source) -> EdgeList:
    """Read the columns source, target and possibly a weight, found as in a data frame."""
    file = open_parquet(source)
    titles = file.schema_arrow.names
    chosen = choose_columns(titles, source.weight, source.path, source.ends)
    names = [titles[k] for k in chosen if k is not None]
    table = file.read(columns=names).select(names)
    columns = table_columns(table, source.weight, (names[0], names[1]), what=source.path)
    if columns is None:
        raise source.error("it has no columns")
    written = (file.metadata.metadata or {}).get(METADATA)
    if written is None or source.vertices is not None:
        return _listed(source, columns)
    directed, vertices = (json.loads(written)[key] for key in ("directed", "vertices"))
    edges = collect_edges(*columns, directed=bool(directed), vertices=vertices)
    source.check_size(len(edges.names))
    return edges


def write_table(graph: Adjacency, form: str) -> bytes:
    """Write a table in the format csv, tsv or txt; a txt file has no titles, and names without quotes."""
    table, names = form != "txt", file_names(graph)
    for name in () if is_numbered(names) else map(str, names):
        if not name or name != name.strip() or (not table and (name.split() != [name] or name[0] in "#%\ufeff")):
            raise ArgumentError(
                f"Such a file cannot keep the vertex name {name!r}; rename it, or write npz or parquet."
            )
    source, target, weight = (column.tolist() for column in graph.edge_list())
    columns: list[Iterable[Hashable]] = [(names[i] for i in source), (names[i] for i in target)]
    if graph.weighted:
        columns.append(int(w) if w.is_integer() and abs(w) < 1e15 else w for w in weight)  # 1 and not 1.0
    _warn_of_unwritten(graph, names, len({*source, *target}), form)
    text, rows = io.StringIO(newline=""), zip(*columns, strict=True)
    if table:
        text.write(DELIMITERS[form].join(["source", "target", "weight"][: len(columns)]) + "\n")
        # All strings are quoted, so that no name can be taken for a comment or a second line.
        writer = csv.writer(text, delimiter=DELIMITERS[form], lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
        writer.writerows(rows)
    else:
        text.write(_WRITTEN)
        text.writelines(" ".join(map(str, row)) + "\n" for row in rows)
    return text.getvalue().encode()


def _warn_of_unwritten(graph: Adjacency, names: Sequence[Hashable], n_linked: int, form: str) -> None:
    """Warn if reading a table of edges would not give the graph back, except for the order of its vertices."""
    alone = graph.n_vertices - n_linked
    texts = texts_of(names)
    lost = [
        *([f"{alone} of {graph.n_vertices} vertices have no edge and are left out"] if alone else []),
        *(["the direction of edges is lost unless it is read as directed"] if graph.directed else []),
        *([f"names such as {texts[0]!r} are read as integers"] if texts and integer_names(texts) else []),
    ]
    if lost:
        told = f"A {form} table lists edges only: {', and '.join(lost)}"
        warn(f"{told}. Write npz, parquet or graphml to keep all.", LpgraphWarning)


def write_parquet(graph: Adjacency) -> bytes:
    """Write the columns source, target and, if the graph is weighted, weight; with checksums."""
    arrow, parquet = (import_extra(name, "parquet") for name in ("pyarrow", "pyarrow.parquet"))
    names = file_names(graph)
    source, target, weight = graph.edge_list()
    columns = {"source": [names[i] for i in source.tolist()], "target": [names[i] for i in target.tolist()]}
    if graph.weighted:
        columns["weight"] = weight.tolist()
    try:
        table = arrow.table(columns)
    except OverflowError:
        raise ArgumentError("Vertex names go beyond 64 bits; write them as str.") from None
    vertices = len(names) if is_numbered(names) else names
    metadata = {METADATA: json.dumps({"directed": bool(graph.directed), "vertices": vertices})}
    buffer = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata(metadata), buffer, write_page_checksum=True)
    return buffer.getvalue()
