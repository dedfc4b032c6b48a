"""Tables of edges in text and Parquet files: encoding, separator, titles, and records with line numbers."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import islice
from typing import TYPE_CHECKING, Self

import numpy as np

from lpgraph._utils.checks import import_extra
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError
from lpgraph.graph.construct import ENDPOINT_COLUMNS, choose_columns, collect_edges, table_columns
from lpgraph.graph.names import as_labels, integer_names, is_numbered, names_at, texts_of

from .source import GRAPH_OF_OTHERS, NoEdgesError, file_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sized

    import pandas as pd
    from numpy.typing import ArrayLike
    from pyarrow import parquet

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import EdgeList

    from .source import Source

#: Separator of the columns of each format; of csv files, a semicolon if the first line has more of these.
DELIMITERS = {"csv": ",", "tsv": "\t", "txt": " "}
#: First line of txt files of `write_graph`, whose next line is never one of titles.
_WRITTEN = "# lpgraph: source, target and possibly weight\n"
#: Key of the direction and the names of vertices in Parquet files.
METADATA = b"lpgraph"
#: What pandas writes or reads for a missing value by default, except for the empty text.
MISSING = {
    *("#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A"),
    *("NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
}
#: pandas reads floats exactly by default from 3.1 on, where this option is deprecated.
EXACT = {} if tuple(map(int, version("pandas").split(".")[:2])) >= (3, 1) else {"float_precision": "round_trip"}

_NUMBER = re.compile(r"[-+]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][-+]?+[0-9]++)?+")
#: Integers that are names as texts and not as numbers: 007, -0 and +7.
_TEXTS = re.compile(rb"0(?<![0-9.eE+-]0)[0-9]|-(?<![eE]-)0(?!\.)|\+(?<![eE]\+)")
#: Words of usual titles of end points, and words of two letters and more.
_TITLE = re.compile(
    "actor|airport|article|author|child|cited|citing|city|coauthor|destination|dst|end|followed|follower|friend|from"
    "|gene|id|label|member|name|neuron|node|origin|paper|parent|person|post|pre|protein|receiver|recipient|sender"
    "|source|src|start|station|target|to|user|vertex|who|whom"
)
_WORD = re.compile(r"[^\W\d_]{2,}")
#: Number of edges from which on it matters that names of the first line occur nowhere else.
_SEVERAL = 8
#: Beginnings of adjacency lists of networkx and of Matrix Market files, whose lines would be read as edges.
_OTHERS = re.compile(rb"(#.*\n)?# *GMT |[%#]+ *MatrixMarket", re.IGNORECASE)


def is_number(field: str) -> bool:
    """Whether a field is a number."""
    return _NUMBER.fullmatch(field.strip()) is not None


def above_numbers(first: list[str], rows: Iterable[list[str]], start: int = 0, stop: int | None = None) -> bool:
    """Whether some entries of a line are no numbers, and those below them are, where the line is not repeated."""
    below = [is_number(field) for row in rows if row != first for field in row[start:stop]]
    return not any(map(is_number, first[start:stop])) and bool(below) and all(below)


def has_titles(first: list[str], rows: Sequence[list[str]] = ()) -> bool:
    """Whether the first line of a list of edges has titles: usual ones, or texts above columns of numbers.

    Examples
    --------
    >>> from lpgraph.graph.files.tables import has_titles
    >>> has_titles(["kind", "from", "to"]), has_titles(["ann", "bob"]), has_titles(["a", "b"], [["1", "2"]])
    (True, False, True)
    >>> has_titles(["Person", "friend id"], [["ann", "bob"]]), has_titles(["node1", "node2"], [["node1", "node3"]])
    (True, False)
    """
    lower = [field.lower() for field in first]
    # u and v, or i and j, may also be vertices.
    named = any(one in lower and other in lower for one, other in ENDPOINT_COLUMNS if len(one) > 1)
    if named or "weight" in lower[2:] or above_numbers(first, rows, stop=2) or above_numbers(first, rows, start=2):
        return True
    # node_1 is a vertex if there is a node_2.
    words = [_WORD.findall(field) for field in lower[:2]]
    below = [_WORD.findall(name.lower()) for row in rows for name in row[:2]]
    return all(found and all(map(_TITLE.fullmatch, found)) and found not in below for found in words)


@dataclass(frozen=True)
class Body:
    """A table as text. Comments and titles are empty lines in it, so that lines keep their numbers."""

    source: Source
    delimiter: str

    @property
    def empty(self) -> bool:
        """Whether it has no entries; pandas refuses it then."""
        return not self.source.content.strip()

    def frame(self, types: object, rows: int | None = None) -> pd.DataFrame:
        """Return the columns, or some rows of them, as pandas reads them with some types."""
        import pandas as pd

        if self.empty:
            raise self.source.error(
                "it has no rows; a table has one with two or more entries for each edge or vertex"
            )
        try:
            return pd.read_csv(
                io.BytesIO(self.source.content),
                sep=r"\s+" if self.delimiter == " " else self.delimiter,
                header=None,  # pandas refuses a line that is longer than the first one
                dtype=types,
                nrows=rows,
                na_filter=False,
                low_memory=False,  # else each part of the file would have types of its own
                skipinitialspace=self.delimiter in ",;",
                quoting=csv.QUOTE_NONE if self.delimiter == " " else csv.QUOTE_MINIMAL,
                **EXACT,
            )
        except pd.errors.ParserError as error:  # its words have the line
            words = str(error).strip().removeprefix("Error tokenizing data. C error: ")
            raise self.source.error(f"{words}; correct it, pass another format=, or {GRAPH_OF_OTHERS}") from None

    def texts(self, rows: int | None = None, titles: Sequence[str] = ()) -> pd.DataFrame:
        """Return all entries, or those of some rows, as texts without the blanks around them; refuse titles."""
        table = self.frame(str, rows).apply(lambda column: column.str.strip()).astype(object)
        if titles:
            why = f"it repeats the titles {', '.join(titles)[:80]}, as in tables put one after the other; drop it"
            self.refuse((table == titles).all(axis=1), lambda _: why)
        return table

    def without_titles(self) -> Body:
        """Return the table without its first line that is not empty."""
        content = re.sub(rb"[ \t]*\S.*", b"", self.source.content, count=1)
        return replace(self, source=replace(self.source, content=content))

    def refuse(self, wrong: ArrayLike, why: Callable[[int], str]) -> None:
        """Raise for the first row that is wrong, with its line."""
        if np.any(wrong):
            row = int(np.argmax(wrong))
            lines = enumerate(self.source.content.split(b"\n"), 1)
            line = next(islice((at for at, text in lines if text.strip()), row, None))
            raise self.source.error(why(row), line)


def open_text(source: Source, form: str) -> Body:
    """Return the lines of a table."""
    if source.header is None and source.content.startswith(_WRITTEN.encode()):
        source = replace(source, header=False)
    if _OTHERS.match(source.content):
        raise source.error(f"it is of another format; pass format=, or {GRAPH_OF_OTHERS}")
    content = without_comments(utf8_text(source))
    first = content.lstrip().partition(b"\n")[0]
    delimiter = ";" if form == "csv" and first.count(b";") > first.count(b",") else DELIMITERS[form]
    return Body(replace(source, content=content), delimiter)


def utf8_text(source: Source, line: int = 0) -> bytes:
    """Return text without its byte order mark; refuse what is not UTF-8 by its line."""
    try:
        source.content.decode()
    except UnicodeDecodeError as error:
        at = line + source.content.count(b"\n", 0, error.start) + 1
        raise source.error("it is not UTF-8 text; save it as UTF-8", at) from None
    return source.content.removeprefix(b"\xef\xbb\xbf")


def without_comments(content: bytes) -> bytes:
    """Return a table of which comments are empty lines."""
    return re.sub(rb"\n[#%].*", b"\n", b"\n" + content)[1:]  # several times faster than by ^


@dataclass(frozen=True)
class Layout:
    """How lines of edges are read.

    Attributes
    ----------
    body : Body
        The table without titles.
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
    def of(cls, body: Body) -> Self:
        """Find titles and columns by the first lines with entries, and by what the caller says."""
        source = body.source
        if body.empty:
            return cls(body, 2, [0, 1], [])
        first, *rows = body.texts(1000).to_numpy().tolist()
        width, ends, weight, titled = len(first), source.ends, source.weight, source.header
        if titled is None:
            titled = ends is not None or has_titles(first, rows)
        if not titled and ends is None:
            joined = source.header is None and body.delimiter == " " and first[0].endswith((",", ";"))
            problem = f"its columns are {first[:5]}, and without titles there are 2 or 3"
            remedy = "source= and target= if it has titles, or header=False, source='1' and target='2'"
            why = f"{problem}; pass another format=, {remedy}, or {GRAPH_OF_OTHERS}"
            body.refuse([joined or width not in (2, 3)], lambda _: why)
            ends, weight = ("1", "2"), "3" if weight == "weight" and width == 3 else weight
            if source.header is None:
                size = f"{' '.join(first)} is the size of a matrix and no edge; drop this line"
                body.refuse([is_size(first, body)], lambda _: size)
                if weight == "3" and are_times([row[2] for row in (first, *rows)]):
                    what = "the third column has Unix times, which are not read as weights"
                    warn(f"{source.path}: {what}; pass header=False to read them.")
                    weight = None
        titles = first if titled else [str(k + 1) for k in range(width)]
        chosen = [k for k in choose_columns(titles, weight, "it", ends) if k is not None]
        return cls(body.without_titles() if titled else body, width, chosen, first if titled else [])

    def numbers(self) -> pd.DataFrame | None:
        """Return the columns if names are integers and all is well, in one pass of pandas; else None."""
        ends, weights = self.columns[:2], self.columns[2:]
        first = self.body.frame(str, 1)[ends].iloc[0]
        if _TEXTS.search(self.body.source.content) or not all(map(is_number, first)):
            return None
        table = self.body.frame(None)
        whole = all(table[k].dtype == np.int64 for k in ends)
        finite = all(table[k].dtype.kind in "iuf" and np.isfinite(table[k]).all() for k in weights)
        return table if whole and finite else None

    def texts(self) -> pd.DataFrame:
        """Return the columns with names as texts and weights as numbers; raise for a line that is wrong."""
        body, table = self.body, self.body.texts(titles=self.titles)
        for k in self.columns[:2]:
            body.refuse(table[k] == "", lambda _: "an endpoint is empty; correct or drop that edge")
        if len(self.columns) == 3:
            weights = table[self.columns[2]]
            finite = {text for text in set(weights) if is_number(text) and math.isfinite(float(text))}
            remedy = "write 1.5 for 1,5, pass header=True if the line has titles, or weight=None"
            why = "the weight {!r} is not a finite number; " + remedy
            body.refuse(~weights.isin(finite), lambda row: why.format(weights[row]))
            table[self.columns[2]] = weights.map(float)
        return table


def is_size(first: list[str], body: Body) -> bool:
    """Whether the first line is the size ``n n edges`` of a matrix with rows from 1 to n."""
    if len(first) != 3 or first[0] != first[1] or not all(map(str.isdigit, first)):
        return False
    n, ends = int(first[0]), body.texts().iloc[1:, :2].to_numpy()
    return len(ends) == int(first[2]) and all(end.isdigit() and 1 <= int(end) <= n for end in ends.flat)


def are_times(texts: list[str]) -> bool:
    """Whether all texts are Unix times of the years 1980 to 2037, in seconds or milliseconds."""
    values = [float(text) if is_number(text) else 0.0 for text in texts]
    return any(scale * 3.15e8 <= min(values) and max(values) <= scale * 2.12e9 for scale in (1, 1000))


def read_edges(source: Source, form: str) -> EdgeList:
    """Read an edge list in the format csv, tsv or txt."""
    layout = Layout.of(open_text(source, form))
    if layout.body.empty:
        return _listed(source, [], [])
    table = layout.numbers()
    if table is None:
        table = layout.texts()
    one, two, *weight = (table[k].to_numpy() for k in layout.columns)
    if one.dtype != np.int64:
        ends = [*one, *two]
        untitled = not layout.titles and layout.body.source.header is None and len(one) >= _SEVERAL
        if untitled and ends.count(one[0]) == ends.count(two[0]) == 1:
            what = f"the names in its first line, {one[0]!r} and {two[0]!r}, are in no other line"
            warn(f"{source.path}: {what}; pass header=True if they are titles, or header=False.")
        if missing := min(MISSING.intersection(ends), default=None):
            what = f"a vertex is called {missing!r}, as programs write a missing name"
            warn(f"{source.path}: {what}; drop its lines if it is missing.")
        one, two = np.split(as_labels(integer_names(ends) or ends, "names"), 2)
    edges = _listed(source, one, two, *weight)
    for k, title in enumerate(layout.titles):
        if title.lower() == "type" and k not in layout.columns:  # as Gephi writes it
            kinds = table[k].astype(str).str.strip().str.lower()
            if kinds.isin(["directed", "undirected"]).all():
                return source.mixed(edges, (kinds == "directed").to_numpy())
    return edges


def _listed(source: Source, one: Sized, two: Sized, weight: object = None) -> EdgeList:
    """Return edges by name; vertices whose names are integers come in their order."""
    if len(one) == 0 and source.vertices is None:
        why = "it has no edges; add a line with a source and a target for each"
        raise NoEdgesError(str(source.error(why)))
    edges = collect_edges(one, two, weight, vertices=source.vertices)
    if source.vertices is not None or is_numbered(edges.names) or texts_of(edges.names[:1]):
        return edges
    order = np.argsort(edges.names)
    rank = np.argsort(order)
    return replace(edges, names=names_at(edges.names, order), source=rank[edges.source], target=rank[edges.target])


def open_parquet(source: Source) -> parquet.ParquetFile:
    """Return an open Parquet file (needs pyarrow)."""
    return import_extra("pyarrow.parquet", "parquet").ParquetFile(io.BytesIO(source.content))


def read_parquet(source: Source) -> EdgeList:
    """Read the columns source, target and possibly a weight, found as in a data frame."""
    import narwhals.stable.v1 as nw

    file = open_parquet(source)
    columns = table_columns(nw.from_native(file.read(), eager_only=True), source.weight, source.ends, what="it")
    written = (file.metadata.metadata or {}).get(METADATA)
    if written is None or source.vertices is not None:
        return _listed(source, *columns)
    directed, vertices = (json.loads(written)[key] for key in ("directed", "vertices"))
    edges = collect_edges(*columns, directed=bool(directed), vertices=vertices)
    source.check_size(len(edges.names))
    return edges


def write_table(graph: Adjacency, form: str) -> bytes:
    """Write a table in the format csv, tsv or txt; a txt file has no titles, and names without quotes."""
    table, names = form != "txt", file_names(graph)
    for name in texts_of(names):
        kept = name.splitlines() == [name] and name == name.strip()
        if not kept or (not table and (name.split() != [name] or name[0] in "#%\ufeff")):
            remedy = "rename it, or write npz or parquet"
            raise ArgumentError(f"Such a file cannot keep the vertex name {name!r}; {remedy}.")
    columns = graph.named_edges()
    if graph.weighted:  # 1 and not 1.0
        columns["weight"] = [int(w) if w.is_integer() and abs(w) < 1e15 else w for w in columns["weight"]]
    alone = graph.n_vertices - len({*columns["source"], *columns["target"]})
    if alone:
        what = f"{alone} of {graph.n_vertices} vertices have no edge and are left out"
        warn(f"A {form} table lists edges only: {what}. Write npz or parquet to keep them.")
    text, delimiter = io.StringIO(newline=""), DELIMITERS[form]
    text.write(delimiter.join(columns) + "\n" if table else _WRITTEN)
    # In tables all strings are quoted, so that no name can be taken for a comment.
    quotes = {"quoting": csv.QUOTE_NONNUMERIC} if table else {"quoting": csv.QUOTE_NONE, "quotechar": None}
    csv.writer(text, delimiter=delimiter, lineterminator="\n", **quotes).writerows(
        zip(*columns.values(), strict=True)
    )
    return text.getvalue().encode()


def write_parquet(graph: Adjacency) -> bytes:
    """Write the columns source, target and, if the graph is weighted, weight."""
    arrow, parquet = (import_extra(name, "parquet") for name in ("pyarrow", "pyarrow.parquet"))
    names, buffer = file_names(graph), io.BytesIO()
    vertices = len(names) if is_numbered(names) else names
    metadata = {METADATA: json.dumps({"directed": bool(graph.directed), "vertices": vertices})}
    table = arrow.table(graph.named_edges())
    parquet.write_table(table.replace_schema_metadata(metadata), buffer)
    return buffer.getvalue()
