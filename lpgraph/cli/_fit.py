"""Fit what the options ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lpgraph.cli._progress import bar
from lpgraph.errors import ArgumentError

if TYPE_CHECKING:
    from lpgraph.graph.adjacency import Adjacency

__all__ = ["columns_of", "make_embedding"]


def make_embedding(graph: Adjacency, method: str, dimension: str, regularizer: str | None) -> Any:
    """Return the unfitted embedding that --method, --dimension and --regularizer describe."""
    import lpgraph as lp

    chosen = _dimension(graph, dimension)
    if method == "laplacian":
        tau = 0.0 if regularizer is None else regularizer if regularizer == "mean" else _number(regularizer)
        return lp.LaplacianSpectralEmbedding(chosen, regularizer=tau)
    if method != "adjacency":
        raise ArgumentError(f"--method={method}; pass adjacency or laplacian.")
    if regularizer is not None:
        raise ArgumentError(f"--regularizer={regularizer} is for --method laplacian; leave it out, or pass that.")
    return lp.AdjacencySpectralEmbedding(chosen)


def _dimension(graph: Adjacency, dimension: str) -> int | str:
    from lpgraph.infer.dimension import RULES, cross_validate

    if dimension.isdecimal():
        return int(dimension)
    if dimension in RULES:
        return dimension
    if dimension != "cross-validation":
        raise ArgumentError(f"--dimension={dimension}; pass a number, {', '.join(RULES)} or cross-validation.")
    with bar("Cross-validating the dimension") as progress:
        return cross_validate(graph, progress=progress).smallest_good


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentError(f"--regularizer={text}; pass a number >= 0, or mean.") from None


def columns_of(embedding: Any, positions: Any, prefix: str = "") -> dict[str, Any]:
    """Return the columns of a table of positions."""
    names = embedding.get_feature_names_out()
    return {f"{prefix}{name}": positions[:, k] for k, name in enumerate(names)}
