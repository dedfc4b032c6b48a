"""Labels of vertices: in a table, or in a vertex attribute of the graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from lpgraph.cli._choices import UNKNOWN
from lpgraph.cli._errors import CommandError
from lpgraph.cli._inputs import source_of
from lpgraph.errors import UnknownVertexError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.files.labels import LabelTable
    from lpgraph.graph.names import Names
    from lpgraph.graph.unknown_labels import UnknownLabels

__all__ = ["labels_in_table", "labels_of_new", "table_of_labels", "vertex_labels"]


def table_of_labels(labels: str | None) -> str | None:
    """Return what was passed as labels if it must be a table; None if it may be a vertex attribute.

    Examples
    --------
    >>> from lpgraph.cli._labels import table_of_labels
    >>> table_of_labels("regions.csv"), table_of_labels("region")
    ('regions.csv', None)
    """
    return None if labels is None or _may_be_attribute(labels) else labels


def _may_be_attribute(labels: str) -> bool:
    """Whether a text may be the name of an attribute: a file without a suffix is no table."""
    return labels != "-" and not Path(labels).suffix


def vertex_labels(labels: str, graph: Adjacency, path: str, column: str | None, unknown: str) -> LabelTable:
    """Read the labels of the vertices of the graph in `path`, from a table or a vertex attribute.

    `unknown` says what to do with the labels of other vertices in a table.
    """
    UNKNOWN.check("--unknown", unknown)
    if labels in graph.vertex_attributes and _may_be_attribute(labels):
        for option, value, default in (("--column", column, None), ("--unknown", unknown, "warn")):
            if value != default:
                raise CommandError(
                    f"{option}={value} is for a table of labels, and {labels} is a vertex attribute of {path}; "
                    "leave it out."
                )
        return _of_attribute(labels, graph, path)
    _check_exists(labels, graph, path)
    return labels_in_table(labels, graph.names, column, unknown)


def labels_in_table(labels: str, names: Names, column: str | None, unknown: str) -> LabelTable:
    """Read the labels of vertices from a table; `unknown` says what to do with those of other vertices."""
    from lpgraph.graph.files import load_labels

    rule = cast("UnknownLabels", UNKNOWN.check("--unknown", unknown))
    form = "csv" if labels == "-" else None
    return load_labels(source_of(labels), names, column, form, None, unknown=rule)


def labels_of_new(labels: str, names: Names, graph: Adjacency | None, path: str) -> NDArray[np.object_]:
    """Return the labels of new vertices, None where there are none.

    They are in a table, which may also have those of other vertices, or in a vertex attribute of the graph in
    `path`, which has the edges of the new vertices.
    """
    import numpy as np

    from lpgraph.graph.files import load_labels
    from lpgraph.graph.names import name_at

    if graph is not None and labels in graph.vertex_attributes and _may_be_attribute(labels):
        found = _of_attribute(labels, graph, path).labels
    else:
        if graph is not None:
            _check_exists(labels, graph, path)
        form = "csv" if labels == "-" else None
        try:
            found = load_labels(source_of(labels), names, None, form, None, unknown="ignore").labels
        except UnknownVertexError:
            found = {}
    by_text = {str(name): label for name, label in found.items()}
    kept = np.array([by_text.get(str(name)) for name in names], dtype=object)
    if len(names) and all(label is None for label in kept):
        raise CommandError(
            f"--new-labels={labels} has no label of a new vertex, such as {name_at(names, 0)!r}; pass the output "
            "of lpgraph classify."
        )
    return kept


def _of_attribute(name: str, graph: Adjacency, path: str) -> LabelTable:
    """Return the values of a vertex attribute as labels; missing values are no labels."""
    from lpgraph.graph.files.labels import LabelTable
    from lpgraph.infer._labels import known_labels

    what = f"the vertex attribute {name} of {path}"
    values, known = known_labels(list(graph.vertex_attributes[name]), graph.names, argument=what)
    rows = zip(graph.names, values.tolist(), known.tolist(), strict=True)
    return LabelTable({vertex: value for vertex, value, is_known in rows if is_known}, [], {})


def _check_exists(labels: str, graph: Adjacency, path: str) -> None:
    """Refuse what is neither a file nor a vertex attribute."""
    if not _may_be_attribute(labels) or Path(labels).is_file():
        return
    attributes = ", ".join(graph.vertex_attributes)
    remedy = f"pass one of {attributes}, or a table" if attributes else "pass a table of labels"
    what = "no file" if Path(labels).exists() else "no such file"
    raise CommandError(f"{labels}: there is {what}, and {path} has no vertex attribute of this name; {remedy}.")
