"""Input files: standard input, labels and models."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, BinaryIO, Literal

import lpgraph as lp
from lpgraph.errors import ArgumentError, UnknownVertexError

if TYPE_CHECKING:
    from collections.abc import Hashable

    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.saved.placer import Placer

__all__ = ["check_model", "embedding_of", "is_model", "load_model", "load_placer", "source_of", "vertex_labels"]

_MODEL = ".lpg"


def source_of(path: str) -> str | BinaryIO:
    """Return the path, or standard input for -."""
    if path != "-":
        return path
    if sys.stdin is None:
        raise ArgumentError("- is standard input, which is closed; pipe a file into it, or name one.")
    if sys.stdin.isatty():
        raise ArgumentError("- is standard input, which is a terminal; pipe a file into it, or name one.")
    return sys.stdin.buffer


def vertex_labels(
    path: str, graph: Adjacency, column: str | None, unknown: str, max_bytes: int | None
) -> dict[Hashable, Hashable]:
    """Read the labels of a graph's vertices; `unknown` says what to do with those of other vertices."""
    if unknown not in ("error", "ignore"):
        raise ArgumentError(f"--unknown={unknown}; pass error or ignore.")
    rule: Literal["error", "ignore"] = "ignore" if unknown == "ignore" else "error"
    form = "csv" if path == "-" else None
    try:
        return lp.read_labels(
            source_of(path), graph.names, column=column, format=form, unknown=rule, max_bytes=max_bytes
        )
    except UnknownVertexError as error:
        if rule == "ignore":
            raise
        raise UnknownVertexError(
            error.names,
            f"{path} labels vertices that the graph does not have; pass --unknown ignore, or drop them.",
        ) from None


def is_model(path: str) -> bool:
    """Whether a file is a saved model, by its suffix."""
    return path.endswith(_MODEL)


def load_model(path: str) -> object:
    """Load a fitted model."""
    check_model(path)
    return lp.load(path)


def load_placer(path: str) -> Placer | None:
    """Load the part of a fitted model that places new vertices by least squares, if it has one."""
    from lpgraph.saved import placer

    check_model(path)
    return placer.load_placer(path)


def check_model(path: str) -> None:
    """Refuse a file that is no saved model by its suffix."""
    if not is_model(path):
        raise ArgumentError(
            f"MODEL is {path}, which does not end in {_MODEL}; fit one: lpgraph embed {path} --save model.lpg."
        )


def embedding_of(model: object, path: str) -> NetworkEmbedding:
    """Return the embedding of a network in a model: the model itself, or the one of a classifier or clustering."""
    from lpgraph.embed.base import NetworkEmbedding

    parts = [getattr(model, name, None) for name in ("fitted_embedding_", "embedding")]
    for part in (model, *parts):
        if isinstance(part, NetworkEmbedding):
            return part
    raise ArgumentError(
        f"{path} holds a {type(model).__name__}, which embeds no network; fit one by lpgraph embed --save."
    )
