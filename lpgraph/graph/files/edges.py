"""Edge lists: one edge per line, its columns separated by commas or semicolons, tabs or blanks."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Hashable, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lpgraph._warnings import warn
from lpgraph.errors import ArgumentError, LpgraphWarning
from lpgraph.graph.convert import choose_columns
from lpgraph.graph.files.common import (
    REAL,
    NoEdgesError,
    body_table,
    compose_hint,
    file_names,
    integer_names,
    number,
)
from lpgraph.graph.files.dict_lines import has_dicts, read_dicts
from lpgraph.graph.files.foreign import MULTILINE, refuse_foreign, remedy
from lpgraph.graph.files.memory import EDGE, NAME
from lpgraph.graph.files.missing import MISSING
from lpgraph.graph.files.text import DELIMITERS, open_text
from lpgraph.graph.files.titles import (
    has_known_titles,
    is_number,
    may_be_header,
    second_header,
    seems_header,
)
from lpgraph.graph.files.unwritten import warn_of_unwritten

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import EdgeList
    from lpgraph.graph.files.common import Hint, Source
    from lpgraph.graph.files.text import Body

    #: Positions of the columns source, target and weight; the last is None if there are no weights.
    Columns: TypeAlias = tuple[int, int, int | None]
    #: End points and weights of the edges.
    Edges: TypeAlias = tuple[
        Sequence[int | str] | NDArray[np.int64],
        Sequence[int | str] | NDArray[np.int64],
        NDArray[np.float64] | None,
    ]

__all__ = ["read", "write"]

_GAP = {",": rb"[ \t]*+,[ \t]*+", ";": rb"[ \t]*+;[ \t]*+", "\t": rb" *+\t *+", " ": rb"[ \t]++"}
#: Numbers in so many columns are probably the coordinates of points.
_WIDE = 6
_POINTS = (
    "if the lines are coordinates of points, use 'lpgraph plot points' to draw them, and the module manifold in "
    "Python to embed them"
)
_FILLED = re.compile(rb"\S")
_INTEGER = rb"(?:0|-?[1-9][0-9]{0,17}+)"


def write(graph: Adjacency, form: str) -> bytes:
    """Write columns in the format csv, tsv or txt.

    A csv or tsv file is a plain table with titles, which every program reads. A txt file has no titles and names
    without quotes, and begins with comment lines on what the edges do not tell.
    """
    delimiter = DELIMITERS[form]
    source, target, weight = graph.edge_list()
    names = file_names(graph)
    table = delimiter != " "
    _check_names(names, table=table)
    if table and not graph.weighted and {"source", "target"} <= set(names):
        _check_is_no_header(graph)
    text = io.StringIO(newline="")
    if table:
        warn_of_unwritten(graph, names, (source, target), form)
    else:
        text.write(compose_hint(graph, source.size, "#"))
    # All strings are quoted, so that no name can be taken for a comment or a second line.
    # Names without blanks need no quotes.
    writer = csv.writer(
        text,
        delimiter=delimiter,
        lineterminator="\n",
        quoting=csv.QUOTE_NONNUMERIC if table else csv.QUOTE_NONE,
        quotechar='"' if table else None,
    )
    columns: list[Iterable[Hashable]] = [(names[i] for i in rows.tolist()) for rows in (source, target)]
    titles = ["source", "target"]
    if graph.weighted:
        columns.append(map(number, weight.tolist()))
        titles.append("weight")
    if table:
        text.write(delimiter.join(titles) + "\n")
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue().encode()


def _check_names(names: Sequence[Hashable], *, table: bool) -> None:
    """Refuse names that would be read differently, or not at all."""
    for name in () if isinstance(names, range) else map(str, names):
        if table and name != name.strip():
            raise ArgumentError(
                f"The vertex name {name!r} has blanks around it; strip it, or write .npz, .parquet or .graphml."
            )
        if table and not name:
            raise ArgumentError("A vertex name is empty; rename it, or write .npz, .parquet or .graphml.")
        if not table and (name.split() != [name] or name[0] in "#%\ufeff"):
            raise ArgumentError(f"The vertex name {name!r} has a blank or begins with # or %; write .csv or .tsv.")


def _check_is_no_header(graph: Adjacency) -> None:
    """Refuse an edge that would be read as a second header."""
    source, target, _ = graph.edge_list()
    i, j = graph.index["source"], graph.index["target"]
    if bool(((source == i) & (target == j)).any()):
        raise ArgumentError(
            "The edge 'source', 'target' reads like the titles; rename one, or write .txt or .npz."
        )


def read(source: Source, form: str) -> EdgeList:
    """Read an edge list in the format csv, tsv or txt."""
    hint, body = open_text(source, form)
    if hint is not None:
        _check_options(source)
    record = next(body.records(), None)
    edges: Edges = [], [], None
    if record is not None:
        line, first = record
        header = source.header if hint is None else False
        if source.ends is not None:
            header = True
        elif header is None:
            refuse_foreign(body)
            if has_dicts(body):
                return read_dicts(body)
            if has_known_titles(first) or not may_be_header(first):
                header = has_known_titles(first)
        _check_width(body, line, first, header)
        if header is None and _is_integers(body, len(first), header=True):
            header = True
        edges = _edges(body, hint, first, header)
    elif hint is None and source.vertices is None:
        raise source.error("it has no edges; an edge list has a line with a source and a target for each")
    cut = not source.content.endswith(b"\n")
    return source.edges(*edges, hint, "comment lines", cut=cut)


def _check_options(source: Source) -> None:
    """Refuse options that do not fit a file that `write_graph` wrote."""
    if source.weight not in (None, "weight"):
        raise ArgumentError(
            f"weight={source.weight!r} is no column of {source.path}, whose weights, if any, are called weight; "
            "pass weight='weight' or weight=None."
        )
    if source.header:
        raise ArgumentError(
            f"header=True but {source.path} has no header, as its comment lines say; leave it out."
        )
    if source.ends is not None:
        raise ArgumentError(
            f"source={source.ends[0]!r} but {source.path} has no header; leave source and target out."
        )


def _check_width(body: Body, line: int, first: list[str], header: bool | None) -> None:
    """Raise if the columns of end points are too few, or cannot be found."""
    width = len(first)
    if width == 1:
        other = next(
            (form for form, mark in (("tsv", "\t"), ("csv", ","), ("csv", ";")) if mark in first[0]), None
        )
        remedy = "" if other in (None, body.form) else f"; pass format={other!r}"
        raise body.source.error(
            "it has 1 column; an edge list has 2 or 3, separated by commas or semicolons in csv, tabs in tsv, "
            f"blanks in txt{remedy}",
            line,
        )
    tabs = body.first_line.split("\t") if body.form == "txt" else []
    if len(tabs) > 1 and any(" " in part.strip() for part in tabs) and not all(map(is_number, first)):
        raise body.source.error(
            "its columns are separated by tabs and a name has a blank; pass format='tsv'", line
        )
    if width > 3 and not header:
        what = (
            "if the lines are the rows of a matrix, pass lp.as_adjacency the matrix"
            if all(map(is_number, first))
            else "if the first line has titles, pass source= and target=, those of the columns of end points"
        )
        second = next(islice(body.records(), 1, 2), (0, [""]))[1]
        if width >= _WIDE and all(map(is_number, second)):
            what = f"{_POINTS}; {what}"
        raise body.source.error(
            f"it has {width} columns and an edge list without a header has 2 or 3; {what}", line
        )


def _edges(body: Body, hint: Hint | None, first: list[str], header: bool | None) -> Edges:
    """Return the edges of a file; if `header` is None, all lines say whether the first is a header."""
    source, width = body.source, len(first)
    columns = None if header is None else _columns(source, first, header)
    integers = hint is None or not isinstance(hint.names[0], str)
    if integers and columns is not None:
        # Fast path for bodies of integers (and weights), as in most large files.
        quick = _integers(body, columns, width, header=bool(header))
        if quick is not None:
            return quick
    wanted = range(width) if columns is None else [k for k in columns if k is not None]
    texts = _texts(body, width, wanted, header=bool(header))
    if columns is None:
        header = seems_header(source, body.line + 1, texts)
        columns = _columns(source, first, header)
        texts = [texts[k][header:] for k in columns if k is not None]
    if header:
        _refuse_second_header(body, [first[k] for k in columns if k is not None], texts)
    _refuse_dicts(body, texts[1], header=bool(header))
    weight = None if columns[2] is None else _weights(body, texts[2], header=bool(header))
    sources, targets = texts[:2]
    if integers and (whole := integer_names(sources + targets)) is not None:
        return whole[: len(sources)], whole[len(sources) :], weight
    if hint is None or "" not in hint.names:
        _check_present(body, sources, targets, header=bool(header), written=hint is not None)
    return sources, targets, weight


def _check_present(
    body: Body, sources: Sequence[str], targets: Sequence[str], *, header: bool, written: bool
) -> None:
    """Raise if an end point is empty, and warn if one is called as programs write a missing value."""
    for column in (sources, targets):
        if "" in column:
            line = _line_of(body, column.index("") + header)
            raise body.source.error("an endpoint is empty; correct or drop that line", line)
    for column in () if written else (sources, targets):
        if name := min(MISSING.intersection(column), default=None):
            line = _line_of(body, column.index(name) + header)
            warn(
                f"{body.source.path}, line {line}: a vertex is called {name!r}, as programs write a missing "
                "name. If it is missing, drop the lines with it.",
                LpgraphWarning,
            )
            return


def _columns(source: Source, first: list[str], named: bool | None) -> Columns:
    """Return the columns of an edge list, by their titles if the first line has them."""
    if not named:
        return 0, 1, 2 if len(first) == 3 and source.weight is not None else None
    weight = None if source.weight == "weight" and len(first) == 2 else source.weight
    return choose_columns(first, weight, source.path, source.ends)


def _body_start(body: Body, *, header: bool) -> int:
    """Return where the lines after a header begin."""
    content = body.source.content
    return (content.find(b"\n", body.start) + 1 or len(content)) if header else body.start


def _is_integers(body: Body, width: int, *, header: bool) -> bool:
    """Whether the lines have two integers and, if there are three columns, a weight."""
    gap = _GAP[body.delimiter]
    edge = _INTEGER + gap + _INTEGER + (gap + REAL if width == 3 else b"")
    # Possessive throughout: one pass, no backtracking, whatever the file.
    line = rb"[ ]*+" + edge + rb"[ ]*+\r?+(?:\n|\Z)"
    form = re.compile(rb"(?:" + line + rb"|[ ]*+\r?+\n)*+\Z")
    start = _body_start(body, header=header)
    return (
        form.match(body.source.content, start) is not None
        and _FILLED.search(body.source.content, start) is not None
    )


def _integers(body: Body, columns: Columns, width: int, *, header: bool) -> Edges | None:
    """Return the edges of a body of integers and weights, or None if it contains anything else."""
    if columns not in ((0, 1, None), (0, 1, 2)) or width > 3 or not _is_integers(body, width, header=header):
        return None
    source, content, start = body.source, body.source.content, _body_start(body, header=header)
    kind = [("source", np.int64), ("target", np.int64), ("weight", np.float64)][:width]
    delimiter = None if body.delimiter == " " else body.delimiter
    source.check_bytes(EDGE * (content.count(b"\n", start) + 1))
    table = body_table(content, start, kind, delimiter)
    weight = table["weight"] if columns[2] == 2 else None
    if weight is not None and not np.isfinite(weight).all():
        return None
    return np.ascontiguousarray(table["source"]), np.ascontiguousarray(table["target"]), weight


def _texts(body: Body, width: int, wanted: Sequence[int], *, header: bool) -> list[list[str]]:
    """Return the wanted columns as texts, without a header; equal texts are one object."""
    texts: list[list[str]] = [[] for _ in wanted]
    known: dict[str, str] = {}
    most = EDGE + 2 * NAME
    lines = body.source.content.count(b"\n", body.start)
    for k, (line, fields) in enumerate(islice(body.records(), int(header), None)):
        if len(fields) != width:
            raise body.source.error(
                f"the number of columns is {len(fields)} here and {width} before; correct that line, or use "
                "networkx.read_adjlist if each line is a vertex and its neighbors",
                line,
            )
        if k % 1000 == 0:
            needed = EDGE * k + NAME * len(known)
            body.source.check_bytes(needed, needed + most * (lines - k))
        for column, place in zip(texts, wanted, strict=True):
            text = fields[place]
            column.append(known.setdefault(text, text))
    return texts


def _weights(body: Body, texts: list[str], *, header: bool) -> NDArray[np.float64]:
    """Return the weights as numbers."""
    weights = [float(text) if is_number(text) else math.nan for text in texts]
    for k, (text, weight) in enumerate(zip(texts, weights, strict=True)):
        if not math.isfinite(weight):
            if len(texts) == 1 and not header and text.lower() == str(body.source.weight).lower():
                raise body.source.error(
                    "it has titles and no edges; add a line with a source and a target for each",
                    kind=NoEdgesError,
                )
            remedy = _without_comma(text) if "," in text else "correct or drop that line"
            line = _line_of(body, k + header)
            raise body.source.error(f"the weight {text!r} is not a finite number; {remedy}", line)
    return np.array(weights, dtype=np.float64)


def _without_comma(text: str) -> str:
    """Return how a number with commas is written without: as thousands, as decimals, or as either."""
    readings = [
        reading
        for pattern, reading in (
            (r"[-+]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?", text.replace(",", "")),
            (r"[-+]?[0-9]*,[0-9]+([eE][-+]?[0-9]+)?", text.replace(",", ".")),
        )
        if re.fullmatch(pattern, text)
    ]
    return f"write it as {' or '.join(readings)}" if readings else "correct or drop that line"


def _refuse_dicts(body: Body, targets: list[str], *, header: bool) -> None:
    """Raise for lines of a name and a dict, as in multi-line adjacency lists of networkx."""
    k = next((k for k, name in enumerate(targets) if name.startswith("{") and name.endswith("}")), None)
    if k is not None:
        reader = remedy(MULTILINE, body.source.path)
        raise body.source.error(
            f"it is a name and a dict, as in an adjacency list; {reader}", _line_of(body, k + header)
        )


def _refuse_second_header(body: Body, titles: Sequence[str], texts: Sequence[Sequence[str]]) -> None:
    """Raise if a line repeats the header."""
    if titles[0] in texts[0]:
        k = next((k for k, fields in enumerate(zip(*texts, strict=True)) if list(fields) == titles), None)
        if k is not None:
            raise second_header(body.source, _line_of(body, k + 1))


def _line_of(body: Body, k: int) -> int:
    """Return the line number of a record."""
    return next(islice(body.records(), k, None))[0]
