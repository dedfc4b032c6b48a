"""Labels of vertices in files: a table with a column of names and a column of labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable
from typing import TYPE_CHECKING, NamedTuple

from lpgraph._warnings import warn
from lpgraph.errors import ArgumentError, LpgraphWarning, UnknownVertexError
from lpgraph.graph.files.cells import unguarded
from lpgraph.graph.files.common import integer_names
from lpgraph.graph.files.memory import TEXT, VALUE
from lpgraph.graph.files.missing import MISSING, warn_of_missing
from lpgraph.graph.files.parquet_table import ParquetTable
from lpgraph.graph.files.text import DELIMITERS, open_text
from lpgraph.graph.files.titles import has_known_titles, is_number, is_title, second_header
from lpgraph.graph.unknown_labels import check_unknown_labels
from lpgraph.graph.unknown_names import alike, difference

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Hashable, Mapping, Sequence

    from lpgraph.graph.files.common import Source
    from lpgraph.graph.unknown_labels import UnknownLabels

__all__ = ["LabelTable", "match_names", "read_label_table"]


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
_NO_ROWS = "it has no rows; a table of labels has one with a name and a label for each vertex"
_ONE_COLUMN = "it has one column; a table of labels has one of names and one of labels"
#: Labels may be end points if more than this share are names, and if distinct ones are many, or half the rows;
#: classes may be numbers among which there are names.
_MOSTLY, _MANY = 0.9, 20
#: Formats of tables; the others hold graphs only.
TABLES = (*DELIMITERS, "parquet")


def read_label_table(
    source: Source,
    form: str,
    vertices: Iterable[Hashable] | None,
    column: str | None,
    *,
    unknown: UnknownLabels = "warn",
) -> LabelTable:
    """Return the mapping from vertex to label that a table holds; see `lpgraph.read_labels`."""
    if form not in TABLES:
        raise ArgumentError(
            f"{source.path} is {form}, which holds no labels; pass a csv, tsv, txt or parquet table."
        )
    known = None if vertices is None else _by_text(vertices)
    rows = _parquet(source, column) if form == "parquet" else _text(source, form, known, column)
    warn_of_missing(source.path, (row.label for row in rows))
    rows = [row._replace(label="") if row.label in MISSING else row for row in rows]
    names = [row.name for row in rows]
    unlabelled: list[str] = []
    others: list[tuple[int, Hashable, str]] = []
    if known is None:
        whole = integer_names(names)
        resolved: Sequence[Hashable] = names if whole is None else whole
    else:
        _check_strangers(source, rows, known, unknown)
        others = [(row.line, row.name, row.label) for row in rows if row.name not in known and row.label]
        unlabelled = list(dict.fromkeys(row.name for row in rows if row.name not in known and not row.label))
        rows = [row for row, name in zip(rows, names, strict=True) if name in known]
        resolved = [known[name] for name in names if name in known]
    kept = [(row.line, name, row.label) for row, name in zip(rows, resolved, strict=True) if row.label]
    if not kept:
        raise source.error("no vertex in it has a label")
    labels = _labels(source, kept)
    return LabelTable(labels, unlabelled, _labels(source, others))


def _by_text(vertices: Iterable[Hashable]) -> dict[str, Hashable]:
    """Return names by their texts, and by the texts without the blanks around them, which files do not have."""
    known = {str(name): name for name in vertices}
    for text, name in list(known.items()):
        known.setdefault(text.strip(), name)
    return known


def _labels(source: Source, rows: Sequence[tuple[int, Hashable, str]]) -> dict[Hashable, Hashable]:
    """Return the labels of vertices, int if all of them are integers; the rows have lines, names and labels."""
    texts = [label for *_, label in rows]
    whole = integer_names(texts)
    labels: dict[Hashable, Hashable] = {}
    for (line, name, _), label in zip(rows, texts if whole is None else whole, strict=True):
        if labels.setdefault(name, label) != label:
            raise source.error(
                f"the vertex {name!r} has the label {label!r} here and {labels[name]!r} before; if this is a list "
                "of edges, pass the table of labels, else keep one of them",
                line,
            )
    return labels


def _check_strangers(
    source: Source, rows: list[_Row], known: Mapping[str, Hashable], unknown: UnknownLabels
) -> None:
    """Refuse labels of vertices that the graph does not have, or count them in a warning."""
    names = list(dict.fromkeys(row.name for row in rows if row.label and row.name not in known))
    edges = _as_edges(rows, known)
    if rows and not any(row.name in known for row in rows):
        others = [row.name for row in rows]
        found = alike(names or others, known.values()) or edges
        if not found and any(row.label in known for row in rows):
            found = (
                "Its labels are vertices of the graph: is it a list of edges? If it is not, exchange the columns, "
                "or pass column= with the title of the labels."
            )
        found = found or difference(names or others, known.values())
        raise UnknownVertexError(others, f"No vertex of {source.path} is in the graph. {found}")
    count = len({row.name for row in rows if row.label})
    check_unknown_labels(unknown, names, count, known.values(), where=source.path, question=edges)


def _as_edges(rows: list[_Row], known: Collection[str] | None) -> str:
    """Return a question if the labels seem to be the other end points of edges, else an empty text."""
    labels = [row.label for row in rows if row.label]
    names = {row.name for row in rows} | set(known or ())
    distinct = len(set(labels))
    several = 2 * distinct > len(labels) or distinct > max(_MANY, len(labels) / 10)
    if several and sum(label in names for label in labels) > _MOSTLY * len(labels):
        return "Its labels are names of vertices: is it a list of edges?"
    return ""


def match_names(names: Iterable[Hashable], index: Container[Hashable]) -> list[Hashable]:
    """Return names from a file, with those of known vertices, compared as text, replaced by the known names.

    A file does not distinguish 7 from "7": its names are integers if all of them are. That may differ between a
    file with new vertices and the known graph, so that names are compared by their text.
    """
    matched: list[Hashable] = []
    for name in names:
        if name in index:
            matched.append(name)
            continue
        text = str(name)
        other: Hashable = text
        if isinstance(name, str):
            whole = integer_names([text])
            other = name if whole is None else whole[0]
        matched.append(other if other in index else name)
    return matched


def _text(source: Source, form: str, known: dict[str, Hashable] | None, column: str | None) -> list[_Row]:
    _, body = open_text(source, form)
    rows: list[tuple[int, list[str]]] = []
    width = 0
    for at, fields in body.records():
        width = width or len(fields)
        if width < 2:
            raise source.error(_ONE_COLUMN)
        if len(fields) != width:
            raise source.error(f"the number of columns is {len(fields)} here and {width} before", at)
        needed = VALUE * (width + 3) * len(rows)
        source.check_bytes(needed, needed + TEXT * len(source.content))
        rows.append((at, [unguarded(field) for field in fields]))
    if not rows:
        raise source.error(_NO_ROWS)
    if source.header is False and column is not None:
        raise ArgumentError(f"column={column!r} is a title but header=False; leave one of them out.")
    header = source.header if column is None else True
    titled = _is_header(source, rows, known) if header is None else header
    if titled and len(rows) == 1:
        raise source.error("it has a header and no rows; add a row with a name and a label for each vertex")
    repeated = next((at for at, fields in rows[1:] if fields == rows[0][1]), None) if titled else None
    if repeated is not None:
        raise second_header(source, repeated)
    name_at, label_at = _columns(source, rows[0][1] if titled else None, width, column)
    return [_Row(at, fields[name_at], fields[label_at]) for at, fields in rows[titled:]]


def _is_header(source: Source, rows: list[tuple[int, list[str]]], known: dict[str, Hashable] | None) -> bool:
    """Whether the first row has titles, by the rule in `lpgraph.read_labels`."""
    first, rest = rows[0][1], [fields for _, fields in rows[1:]]
    lower = [field.lower() for field in first]
    titled = lower[0] in _VERTEX_WORDS or bool({*lower} & {*_VERTEX_WORDS} and {*lower} & {*_LABEL_WORDS})
    again = len(first) == 2 and any(fields[1] == first[1] for fields in rest)
    if known is not None:
        # The vertices of the graph decide, since a vertex may be called "name".
        titled = titled or is_title(first[0])
        return first[0] not in known and (titled or (bool(rest) and rest[0][0] in known and not again))
    if titled or not rest:
        return titled
    if is_title(first[0]) and not again and not any(is_title(fields[0]) for fields in rest):
        return True
    columns = [[fields[k] for fields in rest] for k in range(len(first))]
    if not is_number(first[0]) and any(
        not is_number(title) and all(map(is_number, column)) for title, column in zip(first, columns, strict=True)
    ):
        return True
    if len(first) > 2 or again or "" in first or any(map(is_number, first)):
        return False
    counts = Counter(label for label in columns[1] if label)
    # Classes have several vertices, and the class of the first vertex would have one.
    header = 2 * sum(count == 1 for count in counts.values()) < len(counts)
    warn(
        f"{source.path}, line {rows[0][0]}: the label {first[1]!r} of {first[0]!r} occurs nowhere else, and is "
        f"read as {'a header' if header else 'a label'}; pass the graph, or header=True or header=False to "
        "say which.",
        LpgraphWarning,
    )
    return header


def _parquet(source: Source, column: str | None) -> list[_Row]:
    table = ParquetTable(source)
    names, labels = (
        ["" if value is None else str(value) for value in values]
        for values in table.values(_columns(source, table.names, len(table.names), column))
    )
    if not names:
        raise source.error(_NO_ROWS)
    return [_Row(i, name, label) for i, (name, label) in enumerate(zip(names, labels, strict=True), 1)]


def _columns(source: Source, header: list[str] | None, width: int, column: str | None) -> tuple[int, int]:
    if width < 2:
        raise source.error(_ONE_COLUMN)
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
        if column not in header:
            raise ArgumentError(f"column={column!r} is no column of {source.path}: {header}; name one of them.")
        if header.count(column) > 1:
            raise ArgumentError(f"{source.path} has two columns {column!r}; rename one of them.")
        at = header.index(column)
        return (1 - at if width == 2 else name_at), at
    if width == 2:
        return name_at, 1 - name_at
    label_at = next(
        (lower.index(word) for word in _LABEL_WORDS if word in lower and lower.index(word) != name_at), None
    )
    if label_at is None and has_known_titles(header):
        raise ArgumentError(
            f"{source.path} has the columns {header}, like a list of edges; pass the table of labels, or column= "
            "to say which column has them."
        )
    if label_at is None:
        raise ArgumentError(f"{source.path} has the columns {header}; pass column= to say which has the labels.")
    return name_at, label_at
