"""Labels of vertices in files: a table with a column of names and a column of labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError, LpgraphWarning, UnknownVertexError
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.files.reading import check_table_options, format_of
from lpgraph.graph.files.source import open_source
from lpgraph.graph.files.tables import (
    DELIMITERS,
    MISSING,
    ParquetTable,
    is_title,
    open_text,
    second_titles,
    unguarded,
)
from lpgraph.graph.names import integer_names, listed
from lpgraph.graph.unknown_names import UnknownLabels, check_unknown_labels, check_unknown_rule, difference

if TYPE_CHECKING:
    import os
    from collections.abc import Container, Hashable, Sequence

    from lpgraph.graph.files.source import Source


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

    With ``header=None``, the first line has titles if its first entry is such a title or another usual one (as in
    `read_graph`), or another entry is a usual title of labels (label, class, group, cluster, y); but not if its
    first entry is one of `vertices`.

    Examples
    --------
    >>> import lpgraph as lp, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "labels.csv"
    >>> _ = path.write_text("vertex,label\n7,good\n12,bad\n")
    >>> lp.read_labels(path)
    {7: 'good', 12: 'bad'}
    """
    names = vertices if vertices is None or isinstance(vertices, Iterable) else as_adjacency(vertices).names
    if hasattr(vertices, "adjacency"):  # graphs may be iterable
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
        raise ArgumentError(f"path={str(path)!r} is {form}; labels are in csv, tsv, txt or parquet tables.")
    source = open_source(path, header=header)
    check_table_options(source, form)
    known: dict[str, Hashable] = {}
    for name in () if vertices is None else listed(vertices):
        known.setdefault(str(name).strip(), name)  # files do not have blanks around names
    with source.reading(form):
        rows = _of_parquet(source, column) if form == "parquet" else _of_text(source, form, known, column)
    if not rows:
        raise source.error("it has no rows; a table of labels has one with a name and a label for each vertex")
    missing = [row.label for row in rows if row.label in MISSING]
    if missing:
        what = f"{len(missing)} label(s), such as {missing[0]!r}, were read as missing"
        warn(f"{source.path}: {what}. Write them in another way if they are a class.", LpgraphWarning)
    rows = [row._replace(label="") if row.label in MISSING else row for row in rows]
    if vertices is None:
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


def _labels(source: Source, rows: Sequence[tuple[_Row, Hashable]]) -> dict[Hashable, Hashable]:
    """Return the labels of vertices, int if all of them are integers."""
    texts = [row.label for row, _ in rows]
    labels: dict[Hashable, Hashable] = {}
    for (row, name), label in zip(rows, integer_names(texts) or texts, strict=True):
        if labels.setdefault(name, label) != label:
            problem = f"the vertex {name!r} has the label {label!r} here and {labels[name]!r} before"
            raise source.error(
                f"{problem}; keep one, or pass the table of labels if this is one of edges", row.line
            )
    return labels


def _check_strangers(source: Source, rows: list[_Row], known: dict[str, Hashable], unknown: UnknownLabels) -> None:
    """Refuse labels of vertices that the graph does not have, or count them in a warning."""
    if not any(row.name in known for row in rows):
        names = [row.name for row in rows]
        hint = difference(names, known.values()) if known else ""
        if any(row.label in known for row in rows):
            hint = "Its labels are vertices of the graph: is it a list of edges, or are its columns exchanged?"
        raise UnknownVertexError(names, f"No vertex of {source.path} is in the graph. {hint}")
    labelled = dict.fromkeys(row.name for row in rows if row.label)
    strangers = [name for name in labelled if name not in known]
    check_unknown_labels(unknown, strangers, len(labelled), known.values(), where=source.path)


def _of_text(source: Source, form: str, known: Container[str], column: str | None) -> list[_Row]:
    body = open_text(source, form)[1]
    rows = [(at, [unguarded(field) for field in fields]) for at, fields in body.records()]
    if source.header is False and column is not None:
        raise ArgumentError(f"column={column!r} is a title but header=False; leave one of them out.")
    if not rows:
        return []
    first = rows[0][1]
    lower = [field.lower() for field in first]
    header = source.header
    if header is None:
        titled = lower[0] in _VERTEX_WORDS or is_title(lower[0]) or bool({*_LABEL_WORDS}.intersection(lower[1:]))
        header = column is not None or (titled and first[0] not in known)
    for at, fields in rows[1:]:
        if len(fields) != len(first):
            raise source.error(f"the number of columns is {len(fields)} here and {len(first)} before", at)
        if header and fields == first:
            raise second_titles(source, first, at)
    name_at, label_at = _columns(source, first if header else None, len(first), column)
    return [_Row(at, fields[name_at], fields[label_at]) for at, fields in rows[header:]]


def _of_parquet(source: Source, column: str | None) -> list[_Row]:
    table = ParquetTable(source)
    names, labels = (
        ["" if value is None else str(value) for value in values]
        for values in table.read(_columns(source, table.names, len(table.names), column)).to_pydict().values()
    )
    return [_Row(i, name, label) for i, (name, label) in enumerate(zip(names, labels, strict=True), 1)]


def _columns(source: Source, titles: list[str] | None, width: int, column: str | None) -> tuple[int, int]:
    """Return the positions of the names and of the labels."""
    if width < 2 or (titles is None and width > 2):
        raise source.error(
            f"it has {width} columns without titles; a table of labels has one of names and one of labels"
        )
    if titles is None:
        return 0, 1
    lower = [title.lower() for title in titles]
    name_at = next((lower.index(word) for word in _VERTEX_WORDS if word in lower), 0)
    if column is not None and titles.count(column) == 1:
        at = titles.index(column)
        return (1 - at if width == 2 else name_at), at
    if column is None and width == 2:
        return name_at, 1 - name_at
    found = [lower.index(word) for word in _LABEL_WORDS if word in lower and lower.index(word) != name_at]
    if column is not None or not found:
        raise ArgumentError(
            f"column={column!r}, and {source.path} has the columns {titles}; pass the one with the labels."
        )
    return name_at, found[0]
