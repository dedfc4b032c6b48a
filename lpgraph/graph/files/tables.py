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
from itertools import islice
from typing import TYPE_CHECKING, Self

import numpy as np

from lpgraph._utils.checks import import_extra
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError, LpgraphWarning
from lpgraph.graph.construct import ENDPOINT_COLUMNS, choose_columns, collect_edges, table_columns
from lpgraph.graph.files.source import GRAPH_OF_OTHERS, NoEdgesError, file_names
from lpgraph.graph.names import (
    as_labels,
    integer_names,
    is_numbered,
    names_at,
    one_notation,
    texts_of,
    whole_number,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd
    from pyarrow import parquet

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import EdgeList
    from lpgraph.graph.construct import Columns
    from lpgraph.graph.files.source import Source

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
    "user|friend|person|nodes?|vertex|vertices|id|names?|index|label|source|target|from|to|src|dst|sender|receiver|recipient|follower"
    "|followed|author|coauthor|citing|cited|paper|article|parent|child|head|tail|origin|destination|start|end|gene"
    "|protein|neuron|pre|post|presynaptic|postsynaptic|who|whom|page|member|actor|station|city|airport"
)
#: Beginnings of files of other formats, of which some lines would be read as edges.
_OTHERS = re.compile(
    r"[%#]+ *MatrixMarket|\*(vertices|network|arcs|edges|matrix)\b|graph\s*(\[|$)|Creator\b.*\""
    r"|<\?xml|<g(exf|raphml)|[{\[]|dl\b.*\s*n ?=",
    re.IGNORECASE | re.MULTILINE,
)
#: Beginnings of two kinds of adjacency lists, which are separated by blanks.
_LISTS = re.compile(r"(#.*\n)?# *GMT |# *\S+ *\n[^#\s]+( \S+)? *\n(.*\n)*?# *\S+ *$", re.MULTILINE)
#: Unix times from 1980 to 2037, in seconds or milliseconds.
_TIMES = ((3.15e8, 2.12e9), (3.15e11, 2.12e12))
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
    content = usual_text(source)
    if content != source.content.removeprefix(b"\xef\xbb\xbf"):
        what = "accents were composed (NFC), and no-break and zero-width blanks replaced"
        warn(f"{source.path}: {what}. Write parquet or graphml to keep them.", LpgraphWarning)
    start = after_comments(content)
    first = content[start : content.find(b"\n", start) + 1 or None]
    delimiter = ";" if form == "csv" and first.count(b";") > first.count(b",") else DELIMITERS[form]
    body = replace(source, content=without_comments(content, form, start))
    return Body(body, form, start, content.count(b"\n", 0, start), delimiter)


def usual_text(source: Source, line: int = 0) -> bytes:
    """Return text without its byte order mark, by `one_notation`; refuse what is not UTF-8 by its line."""
    if source.content.isascii():
        return source.content
    try:
        return one_notation(source.content.decode("utf-8-sig")).encode()
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
        titled = source.header is True or (source.header is None and source.ends is not None)
        ours = source.content.startswith(_WRITTEN.encode())
        if source.header is None and source.ends is None and not ours:
            # Behind comments as well, with quotes as they are.
            parts = source.content[:10_000], body.source.content[body.start : body.start + 10_000]
            file, own = (part.decode("utf-8", "replace") for part in parts)
            attributes = len(first) > 2 and first[-1].endswith("}")  # as networkx.write_edgelist writes them
            lists = body.form == "txt" and _LISTS.match(file)
            if _OTHERS.match(file) or _OTHERS.match(own) or lists or attributes:
                raise source.error(f"it is of another format; pass format=, or {GRAPH_OF_OTHERS}", line)
            titled = has_titles(first)
        plain = not titled and source.ends is None
        rows = [fields for _, fields in islice(body.records(), 1000)] if plain and width > 2 and not ours else []
        last = [float(fields[-1]) if is_number(fields[-1]) else 0.0 for fields in rows]
        timed = any(low <= min(last, default=0.0) and max(last) <= high for low, high in _TIMES)
        if width < 2 or (plain and width > 3 + timed):
            problem = f"it has {width} columns and an edge list without titles has 2 or 3, by the separator of"
            remedy = "source= and target= if it has titles, or header=False, source='1' and target='2' by position"
            raise source.error(f"{problem} {body.form}; pass another format=, {remedy}", line)
        if len(rows) > 1 and first[0] == first[1] and all(map(str.isdigit, first)):
            n, ends = int(first[0]), [end for row in rows[1:] for end in row[:2]]
            fits = len(rows[1]) == 2 or int(first[2]) == sum(1 for _ in body.after(line).records())
            if fits and all(end.isdigit() and 1 <= int(end) <= n for end in ends):
                raise source.error(f"{' '.join(first)} is the size of a matrix and no edge; drop this line", line)
        weight = None if source.weight == "weight" and width == 2 else source.weight
        if plain and weight == "weight":
            weight = None if timed and width == 3 else "3"
            if timed:
                what = f"column {width} has times, which are not read as weights"
                warn(f"{source.path}: {what}; pass weight='{width}' to do so, or weight=None.", LpgraphWarning)
        titles = first if titled else [str(k + 1) for k in range(width)]
        columns = choose_columns(titles, weight, source.path, ("1", "2") if plain else source.ends)
        chosen = [k for k in columns if k is not None]
        return cls(body.after(line) if titled else body, width, chosen, first if titled else [])

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
    layout = None if record is None else Layout.of(source, body, *record)
    if layout is None or next(layout.body.records(), None) is None:  # pandas refuses to read nothing
        nothing = np.empty(0, dtype=np.int64)
        return replace(_listed(source, (nothing, nothing, None)), titles=layout.titles if layout else None)
    table = _checked_frame(layout)
    one, two, *weight = (table[k].to_numpy() for k in layout.columns)
    if one.dtype != np.int64:
        one, two = np.split(as_labels(_names(layout, [*one, *two]), "names"), 2)
    edges = replace(_listed(source, (one, two, weight[0] if weight else None)), titles=layout.titles)
    for k, title in enumerate(layout.titles):
        if title.lower() == "type" and k not in layout.columns:  # as Gephi writes it
            kinds = table[k].astype(str).str.strip().str.lower()
            if kinds.isin(["directed", "undirected"]).all():
                return source.mixed(edges, (kinds == "directed").to_numpy())
    return edges


def _checked_frame(layout: Layout) -> pd.DataFrame:
    """Return the columns, those of names both as integers or both as texts; raise for a line that is wrong."""
    from pandas.api.types import infer_dtype

    body, ends, types = layout.body, layout.columns[:2], dict.fromkeys(range(layout.width), object)
    types |= dict.fromkeys(layout.columns[2:], np.float64)
    table = None
    if not _TEXTS.search(body.source.content, body.start):
        table = _frame(body, layout.width, {k: kind for k, kind in types.items() if k not in ends})
    if table is None or (
        any(table[k].dtype != np.int64 for k in ends) and any(infer_dtype(table[k]) != "string" for k in ends)
    ):
        table = _frame(body, layout.width, types)
    if table is None or not all(np.isfinite(table[k]).all() for k in layout.columns[2:]):
        layout.check_lines()
        raise body.source.error("pandas cannot read it")
    return table


def _names(layout: Layout, ends: list[str]) -> Sequence[Hashable]:
    """Return names that are texts, as integers if all are; warn of those that may be none."""
    body, titles = layout.body, layout.titles
    names = set(ends)
    if any(name != name.strip() for name in names):
        ends = [name.strip() for name in ends]
        names = set(ends)
    if "" in names or (titles and titles[layout.columns[0]] in names):
        layout.check_lines()
    numbers = integer_names(ends)
    if numbers is None and body.source.vertices is None and all(map(is_number, names)):
        whole = {name: whole_number(name) for name in names}
        numbers = integer_names([whole[name] for name in ends])
        other = [name for name in ends if whole[name] != name]
        if numbers is not None:
            what = f"{len(set(other))} names such as {other[0]!r} were read as integers"
            warn(f"{body.source.path}: {what}; pass vertices= with all names to keep them.", LpgraphWarning)
    if numbers is not None:
        return numbers
    missing = min(MISSING & names, default=None)
    if missing is not None:
        what = f"a vertex is called {missing!r}, as programs write a missing name; drop its lines if it is missing"
        warn(f"{body.source.path}: {what}.", LpgraphWarning)
    if not titles:
        warn_of_titles(body.source, next(body.records())[1], ends)
    return ends


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
    return replace(edges, names=names_at(edges.names, order), source=rank[edges.source], target=rank[edges.target])


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
        kept = one_notation(name).strip() and name == name.strip()
        if not kept or (not table and (name.split() != [name] or name[0] in "#%\ufeff")):
            remedy = "rename it, or write npz or parquet"
            raise ArgumentError(f"Such a file cannot keep the vertex name {name!r}; {remedy}.")
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
    plain = list(map(one_notation, texts))
    integers = integer_names(list(map(whole_number, plain)))
    lost = [
        *([f"{alone} of {graph.n_vertices} vertices have no edge and are left out"] if alone else []),
        *(["the direction of edges is lost unless it is read as directed"] if graph.directed else []),
        *([f"names such as {texts[0]!r} are read as integers"] if texts and integers else []),
        *(["names are read in NFC and with usual blanks"] if plain != texts else []),
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
