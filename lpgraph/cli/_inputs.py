"""From the command line's words to graphs, labels, models and numbers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, BinaryIO

from lpgraph.errors import ArgumentError, FileFormatError, LpgraphWarning

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.saved.placer import Placer

__all__ = [
    "as_integers",
    "as_matrix",
    "as_range",
    "embedding_of",
    "is_model",
    "load_model",
    "load_placer",
    "read_arrivals",
    "read_graph",
    "read_labels",
    "read_new",
    "read_numbers",
    "save_model",
    "source_of",
]

_MODEL = ".lpg"


def source_of(path: str) -> str | BinaryIO:
    """Return the path, or standard input for -."""
    if path != "-":
        return path
    if sys.stdin.isatty():
        raise ArgumentError("- is standard input, which is a terminal; pipe a file into it, or name one.")
    return sys.stdin.buffer


def read_graph(
    path: str,
    *,
    format: str | None = None,  # noqa: A002 - as in lpgraph.read_graph
    directed: bool | None = None,
    weight: str = "weight",
    unweighted: bool = False,
    largest: bool = False,
    **rules: Any,
) -> Adjacency:
    """Read the graph that a command is about."""
    import lpgraph as lp

    if path == "-" and format is None:
        format = "csv"  # noqa: A001
    graph: Adjacency = lp.read_graph(
        source_of(path), format=format, directed=directed, weight=None if unweighted else weight, **rules
    )
    if largest:
        graph = lp.largest_component(graph)
    return graph


def read_arrivals(path: str, embedding: Any, **options: Any) -> Adjacency:
    """Read edges between new vertices and those an embedding knows; see `read_new`."""
    return read_new(path, embedding._vertex_index, bool(embedding.directed_), **options)


def read_new(path: str, index: Mapping[Any, int], directed: bool, **options: Any) -> Adjacency:
    """Read edges between new and known vertices, the known ones called as the model calls them in its index."""
    import warnings

    from lpgraph.graph.files.labels import match_names
    from lpgraph.graph.names import as_names
    from lpgraph.graph.value import Adjacency

    graph = read_graph(path, directed=directed, **options)
    names = match_names(graph.names, index)
    known = [i for i, name in enumerate(names) if name in index]
    if len(known) == len(names):
        raise ArgumentError(f"{path}: all its {len(names)} vertices are in the model; pass edges of new vertices.")
    if not known:
        raise ArgumentError(
            f"{path}: none of its vertices is in the model, whose first is {next(iter(index))!r}; "
            "pass edges between new vertices and known ones."
        )
    ignored = graph.matrix[known][:, known].nnz // (1 if graph.directed else 2)
    if ignored:
        warnings.warn(
            f"{ignored} edges in {path} join vertices the model knows, and change nothing; "
            "fit again to take them in.",
            LpgraphWarning,
            stacklevel=2,
        )
    return Adjacency(graph.matrix, as_names(names), graph.directed)


def read_labels(path: str, graph: Adjacency, column: str | None) -> dict[Any, Any]:
    """Read the labels of a graph's vertices."""
    import lpgraph as lp

    form = "csv" if path == "-" else None
    found: dict[Any, Any] = lp.read_labels(source_of(path), graph.names, column=column, format=form)
    return found


def read_numbers(path: str) -> NDArray[np.float64]:
    """Read a table of numbers, one point a row, with or without a header."""
    import csv
    import io
    from pathlib import Path

    import numpy as np

    if path.endswith(".parquet"):
        from lpgraph.graph.files.common import Source
        from lpgraph.graph.files.parquet import read_table

        table = read_table(Source(path, Path(path).read_bytes()))
        rows = [list(row.values()) for row in table.to_pylist()]
    else:
        given = source_of(path)
        content = Path(given).read_bytes() if isinstance(given, str) else given.read()
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise FileFormatError(f"{path}: it is not UTF-8 text; pass a csv or tsv table of numbers.") from None
        delimiter = "\t" if path.endswith(".tsv") else ","
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row]
        if rows and not any(map(_is_number, rows[0])):
            rows = rows[1:]
    if not rows:
        raise FileFormatError(f"{path}: it has no rows; pass a table with one point a row.")
    for i, row in enumerate(rows):
        if len(row) != len(rows[0]) or not all(map(_is_number, row)):
            raise FileFormatError(
                f"{path}: row {i + 1} is not {len(rows[0])} numbers, as the first is; mend that row."
            )
    return np.array(rows, dtype=np.float64)


def _is_number(text: object) -> bool:
    try:
        float(text)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True


def is_model(path: str) -> bool:
    """Whether a file is a saved model, by its suffix."""
    return path.endswith(_MODEL)


def save_model(model: Any, path: str) -> None:
    """Save a fitted model; commands check the suffix before they compute."""
    import lpgraph as lp

    lp.save(model, path)


def load_model(path: str) -> Any:
    """Load a fitted model."""
    import lpgraph as lp

    _check_model(path)
    return lp.load(path)


def load_placer(path: str) -> Placer | None:
    """Load what of a fitted model places new vertices by least squares, if it has that."""
    from lpgraph.saved import placer

    _check_model(path)
    return placer.load_placer(path)


def _check_model(path: str) -> None:
    if not is_model(path):
        raise ArgumentError(
            f"MODEL is {path}, which does not end in {_MODEL}; fit one: lpgraph embed {path} --save model.lpg."
        )


def embedding_of(model: Any, path: str) -> Any:
    """Return the embedding of a network in a model: the model itself, or what a classifier stands on."""
    from lpgraph.embed._network import NetworkEmbedding

    parts = [getattr(model, name, None) for name in ("embedding_", "fitted_embedding_", "embedding")]
    for part in (model, *parts):
        if isinstance(part, NetworkEmbedding):
            return part
    raise ArgumentError(
        f"{path} holds a {type(model).__name__}, which embeds no network; fit one by lpgraph embed --save."
    )


def as_range(option: str, text: str | None) -> int | range | None:
    """Return "3" as 3 and "2-8" as range(2, 9)."""
    if text is None:
        return None
    low, dash, high = text.partition("-")
    if low.isdecimal() and (not dash or high.isdecimal()):
        first, last = int(low), int(high) if dash else int(low)
        if 1 <= first <= last:
            return range(first, last + 1) if dash else first
    raise ArgumentError(f"{option}={text}; pass a number such as 3, or a range such as 2-8.")


def as_integers(option: str, text: str) -> list[int]:
    """Return "60,40" as [60, 40]."""
    parts = text.split(",")
    if not all(part.strip().isdecimal() for part in parts):
        raise ArgumentError(f"{option}={text}; pass whole numbers separated by commas, such as 60,40.")
    return [int(part) for part in parts]


def as_matrix(option: str, text: str) -> list[list[float]]:
    """Return "0.5,0.1;0.1,0.5" as a square matrix."""
    rows = [row.split(",") for row in text.split(";")]
    if not all(_is_number(entry) for row in rows for entry in row) or {len(row) for row in rows} != {len(rows)}:
        raise ArgumentError(f"{option}={text}; pass the rows of a square matrix, such as 0.5,0.1;0.1,0.5.")
    return [[float(entry) for entry in row] for row in rows]
