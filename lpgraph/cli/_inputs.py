"""From files to graphs, labels and models."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, BinaryIO

from lpgraph.errors import ArgumentError, LpgraphWarning

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.saved.placer import Placer

__all__ = [
    "embedding_of",
    "is_model",
    "load_model",
    "load_placer",
    "read_arrivals",
    "read_graph",
    "read_new",
    "save_model",
    "source_of",
    "vertex_labels",
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
    return read_new(path, embedding.vertex_index_, bool(embedding.directed_), **options)


def read_new(path: str, index: Mapping[Any, int], directed: bool, **options: Any) -> Adjacency:
    """Read edges between new and known vertices, the known ones called as the model calls them in its index."""
    import warnings

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.files.labels import match_names
    from lpgraph.graph.names import as_names

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


def vertex_labels(path: str, graph: Adjacency, column: str | None) -> dict[Any, Any]:
    """Read the labels of a graph's vertices."""
    import lpgraph as lp

    form = "csv" if path == "-" else None
    found: dict[Any, Any] = lp.read_labels(source_of(path), graph.names, column=column, format=form)
    return found


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
    from lpgraph.embed.base import NetworkEmbedding

    parts = [getattr(model, name, None) for name in ("fitted_embedding_", "embedding")]
    for part in (model, *parts):
        if isinstance(part, NetworkEmbedding):
            return part
    raise ArgumentError(
        f"{path} holds a {type(model).__name__}, which embeds no network; fit one by lpgraph embed --save."
    )
