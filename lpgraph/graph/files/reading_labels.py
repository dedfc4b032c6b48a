"""Reading of labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO

from lpgraph._checks import check_flag
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.files import labels
from lpgraph.graph.files.content import open_source
from lpgraph.graph.files.formats import check_table_options, format_of
from lpgraph.graph.unknown_labels import UnknownLabels, check_unknown_rule

if TYPE_CHECKING:
    import os
    from collections.abc import Hashable

    from lpgraph.graph.files.labels import LabelTable

__all__ = ["load_labels", "read_labels"]


def read_labels(
    path: str | os.PathLike[str] | BinaryIO,
    vertices: object = None,
    *,
    column: str | None = None,
    format: str | None = None,  # noqa: A002 - as in read_graph
    header: bool | None = None,
    unknown: UnknownLabels = "warn",
    max_bytes: int | None = None,
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
    max_bytes : int or None
        As for `read_graph`.

    Returns
    -------
    dict
        From vertex to label, int if all labels are integers, else str. A vertex without a label is left out: its
        label is empty or, with a warning, a text that pandas reads as missing, such as NA, NaN, None or null.

    Raises
    ------
    FileFormatError
        When the file is malformed, gives a vertex two labels, repeats its header, or would take more than
        `max_bytes`.
    UnknownVertexError
        When labels of other vertices are refused by `unknown`, or if no name is among `vertices`.
    MissingFileError, OSError
        When the file does not exist, or cannot be opened.

    Warns
    -----
    LpgraphWarning
        When labels of other vertices are left out, texts are read as missing labels, or the first line may be a
        header or a row.

    Notes
    -----
    Names are in the column called vertex, node, name or id, else in the first. Separators, comments and encodings
    are those of edge lists in `read_graph`. An apostrophe before a text that begins like a formula (=, +, -, @) is
    taken away, since tables of the command line have one there.

    With ``header=None`` and `vertices`, the first line is a header if its first entry is no vertex and either it
    has such a title or another usual one such as user, or the second line begins with a vertex and, in two
    columns, the label of the first line does not occur again. Without `vertices`, it is a header if it has such a
    title, if its first entry is the only usual title in its column and its label does not occur again, or if the
    names or the labels are numbers in all other lines and not in the first. If in another table of two columns the
    label of the first line does not occur again, a warning says how the line is read: as a header if fewer than
    half of the other labels have one vertex.

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
    rule = check_unknown_rule(unknown)
    return load_labels(path, names, column, format, header, unknown=rule, max_bytes=max_bytes).labels


def load_labels(
    path: str | os.PathLike[str] | BinaryIO,
    names: Iterable[Hashable] | None,
    column: str | None,
    form: str | None,
    header: bool | None,
    *,
    unknown: UnknownLabels = "warn",
    max_bytes: int | None,
) -> LabelTable:
    """Read labels as `read_labels` does, and the names of vertices without a label that are not among `names`."""
    form = format_of(path, form, labels=True)
    source = replace(open_source(path, max_bytes), header=None if header is None else check_flag("header", header))
    check_table_options(source, form)
    return labels.read_label_table(source, form, names, column, unknown=unknown)
