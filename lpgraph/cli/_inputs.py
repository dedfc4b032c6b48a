"""Input files: standard input and models."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, BinaryIO

import lpgraph as lp
from lpgraph._warnings import warn
from lpgraph.cli._errors import CommandError
from lpgraph.errors import IsolatedVertexWarning

if TYPE_CHECKING:
    from collections.abc import Hashable

    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.new_edges import NewEdges

__all__ = [
    "check_model",
    "embedding_of",
    "is_model",
    "load_model",
    "of_vertices",
    "source_of",
    "warn_of_unconnected",
]

_MODEL = ".lpg"


def source_of(path: str) -> str | BinaryIO:
    """Return the path, or standard input for -."""
    if path != "-":
        return path
    if sys.stdin is None:
        raise CommandError("- is standard input, which is closed; pipe a file into it, or name one.")
    if sys.stdin.isatty():
        raise CommandError("- is standard input, which is a terminal; pipe a file into it, or name one.")
    return sys.stdin.buffer


def warn_of_unconnected(new: NewEdges) -> None:
    """Warn about new vertices without an edge to a known one, which are at the origin without covariates."""
    if new.covariates is not None:
        return
    from lpgraph.graph.names import name_at

    alone = ~new.has_known_neighbor
    if alone.any():
        warn(
            f"{alone.sum()} of {len(alone)} new vertices have no edge to a known vertex, such as "
            f"{name_at(new.names, alone.argmax())!r}; they are at the origin.",
            IsolatedVertexWarning,
        )


def of_vertices(labels: dict[Hashable, Hashable], graph: Adjacency) -> dict[Hashable, Hashable]:
    """Return the labels of the vertices of a part of the graph."""
    return {name: label for name, label in labels.items() if name in graph.index}


def is_model(path: str) -> bool:
    """Whether a file is a saved model, by its suffix."""
    return path.endswith(_MODEL)


def load_model(path: str) -> object:
    """Load a fitted model."""
    check_model(path)
    return lp.load(path)


def check_model(path: str, argument: str = "MODEL") -> None:
    """Refuse a file that is no saved model by its suffix."""
    if not is_model(path):
        raise CommandError(
            f"{argument} is {path}, which does not end in {_MODEL}; "
            f"fit one: lpgraph embed {path} --save model.lpg."
        )


def embedding_of(model: object, path: str) -> NetworkEmbedding:
    """Return the embedding of a network in a model: the model itself, or the one of a classifier or clustering."""
    from lpgraph.embed.base import NetworkEmbedding

    parts = [getattr(model, name, None) for name in ("fitted_embedding_", "embedding")]
    for part in (model, *parts):
        if isinstance(part, NetworkEmbedding):
            return part
    raise CommandError(
        f"{path} holds a model of class {type(model).__name__}, which embeds no network; save one by lpgraph "
        "embed --save."
    )
