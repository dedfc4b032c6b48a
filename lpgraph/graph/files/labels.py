"""Labels of vertices in files: a table with a column of names and a column of labels."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from lpgraph._checks import check_flag
from lpgraph._warnings import warn
from lpgraph.errors import ArgumentError, LpgraphWarning, UnknownVertexError
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.files.hints import integer_names
from lpgraph.graph.files.parquet import ParquetTable
from lpgraph.graph.files.reading import check_table_options, format_of
from lpgraph.graph.files.source import open_source
from lpgraph.graph.files.text import (
    DELIMITERS,
    MISSING,
    has_titles,
    is_number,
    is_title,
    open_text,
    second_header,
    unguarded,
)
from lpgraph.graph.names import listed
from lpgraph.graph.unknown_labels import UnknownLabels, check_unknown_labels, check_unknown_rule
from lpgraph.graph.unknown_names import alike, difference

if TYPE_CHECKING:
    import os
    from collections.abc import Hashable, Mapping, Sequence

    from lpgraph.graph.files.source import Source

__all__ = ["LabelTable", "load_labels", "match_names", "read_labels"]


class LabelTable(NamedTuple):
    """Labels of vertices; the names of others that have none, and the labels of others that have one."""

    labels: dict[Hashable, Hashable]
    strangers: list[str]
    others: dict[Hashable, Hashable]


class _Row(NamedTuple):
    """A row of a table of labels, with its line or its number."""

    line: int
    name: str
    label: str


_VERTEX_WORDS = ("vertex", "node", "name", "id", "vertices", "nodes", "names", "index")
_LABEL_WORDS = ("label", "class", "labels", "group", "cluster", "y")


def read_labels(
    path: str | os.PathLike[str] | BinaryIO,
    vertices: object = None,
    *,
    column: str | None = None,
    format: str | None = None,  # noqa: A002 - as in read_graph
    header: bool | None = None,
    unknown: UnknownLabels = "warn",
) -> dict[Hashable, Hashable]:
    r"""Read labels of vertices from a table: a column of names and a column of labels.

    Parameters
    ----------
    path : str, path or binary file
        As for `read_graph`: csv, tsv, txt or parquet, possibly gzipped.
    vertices : graph or iterable of hashable, optional
        The vertices the labels are for. Names are then returned as the names of these vertices, int or str.
    column : str, optional
        The column with the labels, if there are more than two and none is called label, class, labels, group,
        cluster or y.
    format : {"csv", "tsv", "txt", "parquet"}, optional
        None: by the suffix.
    header : bool or None
        For text files: whether the first line has the titles of the columns. None: see Notes.
    unknown : {"warn", "error", "ignore"}
        What to do with labels of other vertices than `vertices`. "warn": leave them out, with a warning that
        counts them; but refuse them if they are more than half, or if their names are numbers and those of the
        others are not, or the reverse: it is probably another table or column. "error": refuse them. "ignore":
        leave them out.

    Returns
    -------
    dict
        From vertex to label, int if all labels are integers, else str. A vertex without a label is left out: its
        label is empty or, with a warning, a text that pandas reads as missing, such as NA, NaN, None or null.

    Raises
    ------
    FileFormatError
        When the file is malformed, gives a vertex two labels, or repeats its header.
    UnknownVertexError
        When labels of other vertices are refused by `unknown`, or if no name is among `vertices`.
    MissingFileError, OSError
        When the file does not exist, or cannot be opened.

    Warns
    -----
    LpgraphWarning
        When labels of other vertices are left out, or texts are read as missing labels.

    Notes
    -----
    Names are in the column called vertex, node, name or id, else in the first. Separators, comments and encodings
    are those of edge lists in `read_graph`. An apostrophe before a text that begins like a formula (=, +, -, @) is
    taken away, since tables of the command line have one there.

    With ``header=None``, the first line is a header if its first entry is such a title or another usual one (as in
    `read_graph`), or if the names or the labels are numbers in all other lines and not in the first. With
    `vertices`, it is no header if its first entry is a vertex, and a header if its first entry is none, that of
    the second line is one, and the label of the first line does not occur again.

    Examples
    --------
    >>> import lpgraph as lp, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> _ = path.write_text("vertex,label\n7,good\n12,bad\n")
    >>> lp.read_labels(path)
    {7: 'good', 12: 'bad'}
    """
    names: Iterable[Hashable] | None
    if vertices is None or (isinstance(vertices, Iterable) and not hasattr(vertices, "adjacency")):
        names = vertices
    else:
        names = as_adjacency(vertices).names
    return load_labels(path, names, column, format, header, unknown=check_unknown_rule(unknown)).labels


def load_labels(
    path: str | os.PathLike[str] | BinaryIO,
    vertices: Iterable[Hashable] | None,
    column: str | None,
    form: str | None,
    header: bool | None,
    *,
    unknown: UnknownLabels = "warn",
) -> LabelTable:
    """Read labels as `read_labels` does, and the names of vertices without a label that are not among `names`."""
    form = format_of(path, form)
    if form not in (*DELIMITERS, "parquet"):
        raise ArgumentError(
            f"path={str(path)!r} is {form}, which holds no labels; pass a csv, tsv, txt or parquet table."
        )
    source = replace(open_source(path), header=None if header is None else check_flag("header", header))
    check_table_options(source, form)
    known = None if vertices is None else _by_text(vertices)
    with source.reading(form):
        rows = _parquet(source, column) if form == "parquet" else _text(source, form, known, column)
    _warn_of_missing(source.path, [row.label for row in rows])
    rows = [row._replace(label="") if row.label in MISSING else row for row in rows]
    if known is None:
        names = [row.name for row in rows]
        known = dict(zip(names, integer_names(names) or names, strict=True))
    else:
        _check_strangers(source, rows, known, unknown)
    labels = _labels(source, [(row, known[row.name]) for row in rows if row.label and row.name in known])
    if not labels:
        raise source.error("no vertex in it has a label")
    others = _labels(source, [(row, row.name) for row in rows if row.label and row.name not in known])
    unlabelled = [row.name for row in rows if not row.label and row.name not in known]
    return LabelTable(labels, list(dict.fromkeys(unlabelled)), others)


def _by_text(vertices: Iterable[Hashable]) -> dict[str, Hashable]:
    """Return names by their texts, and by the texts without the blanks around them, which files do not have."""
    known = {str(name): name for name in listed(vertices)}
    for text, name in list(known.items()):
        known.setdefault(text.strip(), name)
    return known


def _labels(source: Source, rows: Sequence[tuple[_Row, Hashable]]) -> dict[Hashable, Hashable]:
    """Return the labels of vertices, int if all of them are integers."""
    texts = [row.label for row, _ in rows]
    labels: dict[Hashable, Hashable] = {}
    for (row, name), label in zip(rows, integer_names(texts) or texts, strict=True):
        if labels.setdefault(name, label) != label:
            raise source.error(
                f"the vertex {name!r} has the label {label!r} here and {labels[name]!r} before; if this is a list "
                "of edges, pass the table of labels, else keep one of them",
                row.line,
            )
    return labels


def _warn_of_missing(path: str, labels: Sequence[str]) -> None:
    """Warn about labels that are texts for a missing value, with their number."""
    found = [label for label in labels if label in MISSING]
    if found:
        kinds = " or ".join(map(repr, dict.fromkeys(found)))
        what = f"1 label {kinds} was" if len(found) == 1 else f"{len(found)} labels {kinds} were"
        warn(f"{path}: {what} read as missing. Write it in another way if it is a class.", LpgraphWarning)


def _check_strangers(
    source: Source, rows: list[_Row], known: Mapping[str, Hashable], unknown: UnknownLabels
) -> None:
    """Refuse labels of vertices that the graph does not have, or count them in a warning."""
    labelled = {row.name for row in rows if row.label}
    names = [name for name in dict.fromkeys(row.name for row in rows) if name in labelled and name not in known]
    values = [row.label for row in rows if row.label]
    ends = sum(value in known or value in labelled for value in values)
    # Classes may be numbers among which there are names, so that many of them must be different.
    edges = 10 * ends > 9 * len(values) and 2 * len(set(values)) > min(len(values), 40)
    question = "Its labels are names of vertices: is it a list of edges?" if edges else ""
    if rows and not any(row.name in known for row in rows):
        others = [row.name for row in rows]
        if not question and any(value in known for value in values):
            question = "Its labels are vertices of the graph: exchange the columns, or pass column=."
        found = alike(names or others, known.values()) or question or difference(names or others, known.values())
        raise UnknownVertexError(others, f"No vertex of {source.path} is in the graph. {found}")
    check_unknown_labels(unknown, names, len(labelled), known.values(), where=source.path, question=question)


def match_names(names: Iterable[Hashable], index: Container[Hashable]) -> list[Hashable]:
    """Return names from a file, with those of known vertices, compared as text, replaced by the known names.

    A file does not distinguish 7 from "7": its names are integers if all of them are. That may differ between a
    file with new vertices and the known graph, so that names are compared by their text.
    """
    matched: list[Hashable] = []
    for name in listed(names):
        text = str(name)
        whole = integer_names([text])
        others = [name, text, *(whole or [])]
        matched.append(next((other for other in others if other in index), name))
    return matched


def _text(source: Source, form: str, known: dict[str, Hashable] | None, column: str | None) -> list[_Row]:
    body = open_text(source, form)[1]
    rows = [(at, [unguarded(field) for field in fields]) for at, fields in body.records()]
    if source.header is False and column is not None:
        raise ArgumentError(f"column={column!r} is a title but header=False; leave one of them out.")
    if not rows:
        raise source.error("it has no rows; a table of labels has one with a name and a label for each vertex")
    first = rows[0][1]
    for at, fields in rows:
        if len(fields) != len(first):
            raise source.error(f"the number of columns is {len(fields)} here and {len(first)} before", at)
    header = source.header if column is None else True
    if header is None:
        header = _is_header(first, [fields for _, fields in rows[1:]], known)
    if header and len(rows) == 1:
        raise source.error("it has a header and no rows; add a row with a name and a label for each vertex")
    repeated = next((at for at, fields in rows[1:] if fields == first), None) if header else None
    if repeated is not None:
        raise second_header(body, first, repeated)
    name_at, label_at = _columns(source, first if header else None, len(first), column)
    return [_Row(at, fields[name_at], fields[label_at]) for at, fields in rows[header:]]


def _is_header(first: list[str], rest: list[list[str]], known: Container[str] | None) -> bool:
    """Whether the first row has titles, by the rule in `lpgraph.read_labels`."""
    lower = [field.lower() for field in first]
    titled = lower[0] in _VERTEX_WORDS or bool({*lower} & {*_VERTEX_WORDS} and {*lower} & {*_LABEL_WORDS})
    again = len(first) == 2 and any(fields[1] == first[1] for fields in rest)
    if known is not None:  # the vertices of the graph decide, since a vertex may be called "name"
        if first[0] in known:
            return False
        return titled or is_title(first[0]) or (bool(rest) and rest[0][0] in known and not again)
    if titled or not rest or is_number(first[0]):
        return titled
    return (is_title(first[0]) and not again and not any(is_title(fields[0]) for fields in rest)) or any(
        not is_number(title) and all(is_number(fields[k]) for fields in rest) for k, title in enumerate(first)
    )


def _parquet(source: Source, column: str | None) -> list[_Row]:
    table = ParquetTable(source)
    names, labels = (
        ["" if value is None else str(value) for value in values]
        for values in table.values(_columns(source, table.names, len(table.names), column))
    )
    if not names:
        raise source.error("it has no rows; a table of labels has one with a name and a label for each vertex")
    return [_Row(i, name, label) for i, (name, label) in enumerate(zip(names, labels, strict=True), 1)]


def _columns(source: Source, header: list[str] | None, width: int, column: str | None) -> tuple[int, int]:
    if width < 2:
        raise source.error("it has one column; a table of labels has one of names and one of labels")
    if header is None:
        if width > 2:
            raise source.error(
                f"it has {width} columns and no header; name them, or keep name and label alone. Is it a list of "
                "edges?"
            )
        return 0, 1
    lower = [title.lower() for title in header]
    name_at = next((lower.index(word) for word in _VERTEX_WORDS if word in lower), 0)
    if column is not None:
        if header.count(column) != 1:
            how = "no column" if column not in header else "the title of two columns"
            raise ArgumentError(f"column={column!r} is {how} of {source.path}: {header}; name one of them.")
        at = header.index(column)
        return (1 - at if width == 2 else name_at), at
    if width == 2:
        return name_at, 1 - name_at
    found = [lower.index(word) for word in _LABEL_WORDS if word in lower and lower.index(word) != name_at]
    if not found:
        like = ", like a list of edges" if has_titles(header) else ""
        raise ArgumentError(
            f"{source.path} has the columns {header}{like}; pass column= to say which has the labels."
        )
    return name_at, found[0]
