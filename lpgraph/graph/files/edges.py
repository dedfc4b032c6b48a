"""Edge lists in text files: one edge per line, its columns separated by commas or semicolons, tabs or blanks."""

from __future__ import annotations

import ast
import math
import re
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lpgraph._warnings import warn
from lpgraph.errors import ArgumentError, LpgraphWarning
from lpgraph.graph.convert import choose_columns
from lpgraph.graph.files.foreign import refuse_foreign
from lpgraph.graph.files.hints import integer_names, listed_edges
from lpgraph.graph.files.text import (
    MISSING,
    has_header,
    is_number,
    number_table,
    open_text,
    read_frame,
    second_header,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.assemble import EdgeList
    from lpgraph.graph.files.hints import Hint
    from lpgraph.graph.files.source import Source
    from lpgraph.graph.files.text import Body

__all__ = ["read"]

#: What Python takes for blanks or ends of lines, or for text, and pandas does not.
_CONTROL = [bytes([code]) for code in (0, 11, 12, 28, 29, 30, 31)]
_BLANKS = re.compile(
    rb"\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80|\xef\xbb\xbf"
)
#: numpy's numbers, as they appear in the text of a dict.
_NUMPY = re.compile(r"\bnp\.[a-z]+[0-9]*_?\(([^()]*)\)")


class _Layout(NamedTuple):
    """How the lines are read: columns of end points and weight, titles if any, and where the edges begin."""

    width: int
    columns: list[int]
    titles: list[str]
    start: int


class _Columns(NamedTuple):
    sources: list[str]
    targets: list[str]
    weight: NDArray[np.float64] | None


def read(source: Source, form: str) -> EdgeList:
    """Read an edge list in the format csv, tsv or txt."""
    hint, body = open_text(source, form)
    if hint is not None:
        _check_options(source)
    source = body.source
    record = next(body.records(), None)
    if record is None:
        return listed_edges(source, [], [], None, hint, cut=not source.content.endswith(b"\n"))
    line, first = record
    header = source.header if hint is None else False
    if source.ends is not None:
        header = True
    if header is None:
        refuse_foreign(body)
        if first[-1].endswith("}") and len(first) > 2:
            return _read_dicts(body)
        header = has_header(body, first)
    _check_width(body, line, first, header=header)
    layout = _layout(body, line, first, header=header)
    return replace(_listed(body, layout, hint), titles=first if header else ())


def _listed(body: Body, layout: _Layout, hint: Hint | None) -> EdgeList:
    """Return the edges of a file with at least one line."""
    source, cut = body.source, not body.source.content.endswith(b"\n")
    texts = hint is not None and isinstance(hint.names[0], str)
    if not texts:
        numbers = _read_numbers(body, layout)
        if numbers is not None:
            return listed_edges(source, *numbers, hint, cut=cut)
    found = _read_quickly(body, layout) or _read_lines(body, layout)
    if hint is None:
        _warn_of_missing(body, layout, found)
    whole = None if texts else integer_names(found.sources + found.targets)
    if whole is not None:
        m = len(found.sources)
        return listed_edges(source, whole[:m], whole[m:], found.weight, hint, cut=cut)
    return listed_edges(source, *found, hint, cut=cut)


def _check_options(source: Source) -> None:
    """Refuse options that do not fit a file that `write_graph` wrote."""
    if source.weight not in (None, "weight"):
        raise ArgumentError(
            f"weight={source.weight!r} is no column of {source.path}, whose weights, if any, are called weight; "
            "pass weight='weight' or weight=None."
        )
    for option, given in (("header=True", source.header), ("source=", source.ends)):
        if given:
            raise ArgumentError(f"{option} is passed but {source.path} has no header; leave it out.")


def _check_width(body: Body, line: int, first: list[str], *, header: bool) -> None:
    """Raise if the columns of end points are too few, or cannot be found."""
    if len(first) == 1:
        other = next((form for form, mark in (("tsv", "\t"), ("csv", ","), ("csv", ";")) if mark in first[0]), "")
        raise body.source.error(
            "it has 1 column; an edge list has 2 or 3, separated by commas or semicolons in csv, tabs in tsv, "
            f"blanks in txt{f'; pass format={other!r}' if other else ''}",
            line,
        )
    if len(first) > 3 and not header:
        what = (
            "if the lines are the rows of a matrix, pass lp.as_adjacency the matrix; if they are coordinates of "
            "points, use the module lp.manifold"
            if all(map(is_number, first))
            else "if the first line has titles, pass source= and target=, those of the columns of end points"
        )
        raise body.source.error(
            f"it has {len(first)} columns and an edge list without a header has 2 or 3; {what}", line
        )


def _layout(body: Body, line: int, first: list[str], *, header: bool) -> _Layout:
    source, width, start = body.source, len(first), body.start
    if not header:
        return _Layout(width, [0, 1, 2] if width == 3 and source.weight is not None else [0, 1], [], start)
    for _ in range(line - body.line):  # several if a title has a line break
        start = source.content.find(b"\n", start) + 1 or len(source.content)
    weight = None if source.weight == "weight" and width == 2 else source.weight
    chosen = choose_columns(first, weight, source.path, source.ends)
    return _Layout(width, [k for k in chosen if k is not None], first, start)


def _read_numbers(
    body: Body, layout: _Layout
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64] | None] | None:
    """Return the edges of lines of integers and weights, or None if they have anything else."""
    if layout.width > 3 or layout.columns != [0, 1, 2][: len(layout.columns)]:
        return None
    table = number_table(body.source.content, layout.start, "iif"[: layout.width], body.delimiter)
    if table is None or (layout.width == 3 and not np.isfinite(table[2]).all()):
        return None
    return table[0].to_numpy(), table[1].to_numpy(), table[2].to_numpy() if len(layout.columns) == 3 else None


def _read_quickly(body: Body, layout: _Layout) -> _Columns | None:
    """Return the columns as pandas reads them; None if that may be wrong, or if a line is."""
    # pandas raises for a line that is longer than the first one, but only warns if that is longer than the titles.
    longer = any(len(fields) != layout.width for _, fields in islice(body.records(), 1, 2))
    if longer or _is_unusual(body, layout.start):
        return None
    ends, weight = layout.columns[:2], layout.columns[2:]
    types = dict.fromkeys(range(layout.width), object) | dict.fromkeys(weight, np.float64)
    content, quotes = body.source.content, body.form != "txt"
    try:
        table = read_frame(content, layout.start, body.delimiter, types, quotes=quotes)
    except (ValueError, OverflowError):  # a line of another width, or a weight that is no number
        return None
    sources, targets = (table[k].tolist() for k in ends)
    found = _Columns(sources, targets, table[weight[0]].to_numpy() if weight else None)
    last, names = table[layout.width - 1], {*found.sources, *found.targets}
    wrong = (
        (last.dtype == object and (last == "").any())  # empty, or not there
        or (found.weight is not None and not np.isfinite(found.weight).all())
        or (layout.titles and layout.titles[ends[0]] in names)  # perhaps the titles once more
        or any(not name or name != name.strip() for name in names)
    )
    return None if wrong else found


def _is_unusual(body: Body, start: int) -> bool:
    """Whether pandas may read lines in another way than `Body.records` does."""
    content = body.source.content
    if not content[start:].strip() or any(code in content for code in _CONTROL):
        return True
    if content.count(b"\r") != content.count(b"\r\n"):
        return True
    if any(content.find(mark, max(start - 1, 0)) >= 0 for mark in (b"\n#", b"\n%")):
        return True
    if not content.isascii() and _BLANKS.search(content):
        return True
    mark = re.escape(body.delimiter.encode())
    within = rb'"(?<=[^%b\r\n]")(?=[^%b\r\n])' % (
        mark,
        mark,
    )  # a quote that is neither first nor last in its field
    return body.form != "txt" and b'"' in content and re.compile(within).search(content, start) is not None


def _read_lines(body: Body, layout: _Layout) -> _Columns:
    """Return the columns line by line; raise with the number of the line that is wrong."""
    source = body.source
    sources: list[str] = []
    targets: list[str] = []
    weights: list[float] = []
    known: dict[str, str] = {}  # equal names are one object
    titles = [layout.titles[k] for k in layout.columns] if layout.titles else None
    for line, fields in islice(body.records(), bool(layout.titles), None):
        if len(fields) != layout.width:
            raise source.error(
                f"the number of columns is {len(fields)} here and {layout.width} before; correct it, or use "
                "networkx.read_adjlist if each line is a vertex and its neighbors",
                line,
            )
        picked = [fields[k] for k in layout.columns]
        if picked == titles:
            raise second_header(body, titles, line)
        if "" in picked[:2]:
            raise source.error("an endpoint is empty; correct or drop that line", line)
        sources.append(known.setdefault(picked[0], picked[0]))
        targets.append(known.setdefault(picked[1], picked[1]))
        for text in picked[2:]:
            weight = float(text) if is_number(text) else math.nan
            if not math.isfinite(weight):
                remedy = "write 1.5 for 1,5 and 1234 for 1,234" if "," in text else "correct or drop that line"
                raise source.error(f"the weight {text!r} is not a finite number; {remedy}", line)
            weights.append(weight)
    return _Columns(sources, targets, np.array(weights) if len(layout.columns) == 3 else None)


def _warn_of_missing(body: Body, layout: _Layout, found: _Columns) -> None:
    """Warn if a vertex is called as programs write a missing value."""
    for column in (found.sources, found.targets):
        if name := min(MISSING.intersection(column), default=None):
            place = column.index(name) + bool(layout.titles)
            line = next(islice(body.records(), place, None))[0]
            warn(
                f"{body.source.path}, line {line}: a vertex is called {name!r}, as programs write a missing "
                "name. If it is missing, drop the lines with it.",
                LpgraphWarning,
            )
            return


def _read_dicts(body: Body) -> EdgeList:
    """Read two names and a dict from every line, as networkx writes them; without a weight, an edge has 1."""
    source = body.source
    names: list[str] = []
    weights: list[float] = []
    weighted = False
    for line, raw in enumerate(source.content[body.start :].decode().splitlines(), body.line + 1):
        if not raw.strip() or raw[0] in "#%":
            continue
        head, brace, rest = raw.partition("{")
        ends = head.split(None if body.form == "txt" else body.delimiter)
        ends = [end.strip() for end in ends if end.strip()]
        if len(ends) != 2 or not brace:
            raise source.error("it is not two names and a dict, as networkx.write_edgelist writes them", line)
        try:
            attributes = ast.literal_eval(_NUMPY.sub(r"\1", brace + rest.rstrip()))
            value = attributes.get(source.weight, 1)
            weight = float(value) if isinstance(value, int | float) else math.nan
        except (ValueError, SyntaxError, TypeError, AttributeError, OverflowError, RecursionError):
            raise source.error(
                f"{raw[len(head) :][:40]!r} is no dict of numbers and strings; write the graph by "
                "networkx.write_edgelist(graph, path, data=['weight'])",
                line,
            ) from None
        if not math.isfinite(weight):
            raise source.error("the weight is not a finite number; correct or drop that line", line)
        names += ends
        weights.append(weight)
        weighted = weighted or source.weight in attributes
    if source.weight not in (None, "weight") and not weighted:
        raise ArgumentError(
            f"weight={source.weight!r} is no attribute of an edge in {source.path}; pass weight='weight' or None."
        )
    whole = integer_names(names)
    found = names if whole is None else whole
    return listed_edges(source, found[0::2], found[1::2], np.array(weights) if weighted else None)
