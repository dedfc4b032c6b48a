"""Labels of vertices in files: a table with a column of names and a column of labels."""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import TYPE_CHECKING

from lpgraph._warnings import warn
from lpgraph.errors import ArgumentError, LpgraphWarning, UnknownVertexError
from lpgraph.graph.files.common import integer_names
from lpgraph.graph.files.parquet import read_table
from lpgraph.graph.files.text import DELIMITERS, open_text
from lpgraph.graph.files.titles import is_number

if TYPE_CHECKING:
    from collections.abc import Container, Hashable, Sequence

    from lpgraph.graph.files.common import Source

__all__ = ["match_names", "read_label_table"]

_VERTEX_WORDS = ("vertex", "node", "name", "id", "vertices", "nodes", "names", "index")
_LABEL_WORDS = ("label", "class", "labels", "group", "cluster", "y")
#: Formats of tables; the others hold graphs only.
TABLES = (*DELIMITERS, "parquet")


def read_label_table(
    source: Source,
    form: str,
    vertices: Iterable[Hashable] | None,
    column: str | None,
    *,
    ignore: bool = False,
) -> dict[Hashable, Hashable]:
    """Return the mapping from vertex to label that a table holds; see `lpgraph.read_labels`."""
    if form not in TABLES:
        raise ArgumentError(
            f"{source.path} is {form}, which holds no labels; pass a csv, tsv, txt or parquet table."
        )
    known = None if vertices is None else {str(name): name for name in vertices}
    header, rows = _parquet(source) if form == "parquet" else _text(source, form, known, column)
    name_at, label_at = _columns(source, header, len(rows[0][1]), column)
    names = [fields[name_at] for _, fields in rows]
    if known is None:
        whole = integer_names(names)
        resolved: Sequence[Hashable] = names if whole is None else whole
    else:
        _check_strangers(source, [name for name in names if name not in known], len(names), ignore=ignore)
        rows = [row for row, name in zip(rows, names, strict=True) if name in known]
        resolved = [known[name] for name in names if name in known]
    kept = [(line, name, row[label_at]) for (line, row), name in zip(rows, resolved, strict=True) if row[label_at]]
    if not kept:
        raise source.error("no vertex in it has a label")
    texts = [label for *_, label in kept]
    whole = integer_names(texts)
    labels: dict[Hashable, Hashable] = {}
    for (line, name, _), label in zip(kept, texts if whole is None else whole, strict=True):
        if labels.setdefault(name, label) != label:
            raise source.error(
                f"the vertex {name!r} has the label {label!r} here and {labels[name]!r} before", line
            )
    return labels


def _check_strangers(source: Source, strangers: list[str], count: int, *, ignore: bool) -> None:
    """Refuse or count labels of vertices that the graph does not have."""
    names = list(dict.fromkeys(strangers))
    if len(strangers) == count:
        raise UnknownVertexError(names, f"No vertex of {source.path} is in the graph; check the names.")
    if names and not ignore:
        raise UnknownVertexError(
            names,
            f"{source.path} labels vertices that the graph does not have; pass unknown='ignore' or drop them.",
        )
    if names:
        plural = "vertex" if len(names) == 1 else "vertices"
        warn(
            f"{source.path} labels {len(names)} {plural} that the graph does not have, such as {names[0]!r}; they "
            "are ignored.",
            LpgraphWarning,
        )


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


def _text(
    source: Source, form: str, known: dict[str, object] | None, column: str | None
) -> tuple[list[str] | None, list[tuple[int, list[str]]]]:
    _, body = open_text(source, form)
    rows = [(at, [field.strip() for field in fields]) for at, fields in body.records()]
    if not rows:
        raise source.error("it has no rows")
    width = len(rows[0][1])
    for at, fields in rows:
        if len(fields) != width:
            raise source.error(f"it has {len(fields)} columns here and {width} before", at)
    if source.header is False and column is not None:
        raise ArgumentError(f"column={column!r} is a title but header=False; leave one of them out.")
    header = source.header if column is None else True
    if not (_is_header(rows, known) if header is None else header):
        return None, rows
    if len(rows) == 1:
        raise source.error("it has a header and no rows")
    return rows[0][1], rows[1:]


def _is_header(rows: list[tuple[int, list[str]]], known: dict[str, object] | None) -> bool:
    """Whether the first row has titles, by the rule in `lpgraph.read_labels`."""
    first, rest = rows[0][1], [fields for _, fields in rows[1:]]
    lower = [field.lower() for field in first]
    titled = lower[0] in _VERTEX_WORDS or bool({*lower} & {*_VERTEX_WORDS} and {*lower} & {*_LABEL_WORDS})
    if known is not None:
        # The vertices of the graph decide, since a vertex may be called "name".
        again = len(first) == 2 and any(fields[1] == first[1] for fields in rest)
        return first[0] not in known and (titled or (bool(rest) and rest[0][0] in known and not again))
    if titled or not rest:
        return titled
    return not is_number(first[0]) and any(
        not is_number(first[k]) and all(is_number(fields[k]) for fields in rest) for k in range(len(first))
    )


def _parquet(source: Source) -> tuple[list[str], list[tuple[int, list[str]]]]:
    table = read_table(source)
    columns = [["" if value is None else str(value) for value in column.to_pylist()] for column in table.columns]
    rows = [(i + 1, list(fields)) for i, fields in enumerate(zip(*columns, strict=True))]
    if not rows:
        raise source.error("it has no rows")
    return list(table.column_names), rows


def _columns(source: Source, header: list[str] | None, width: int, column: str | None) -> tuple[int, int]:
    if width < 2:
        raise source.error("it has one column; a table of labels has one of names and one of labels")
    if header is None:
        if width > 2:
            raise source.error(f"it has {width} columns and no header; name them, or keep name and label alone")
        return 0, 1
    lower = [title.lower() for title in header]
    name_at = next((lower.index(word) for word in _VERTEX_WORDS if word in lower), 0)
    if column is not None:
        if column not in header:
            raise ArgumentError(f"column={column!r} is no column of {source.path}: {header}; name one of them.")
        return name_at, header.index(column)
    if width == 2:
        return name_at, 1 - name_at
    label_at = next(
        (lower.index(word) for word in _LABEL_WORDS if word in lower and lower.index(word) != name_at), None
    )
    if label_at is None:
        raise ArgumentError(f"{source.path} has the columns {header}; pass column= to say which has the labels.")
    return name_at, label_at
