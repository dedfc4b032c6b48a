"""Powers of degrees, and the mean of the entries of each row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph.errors import GraphError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.network import Edges

    Array = NDArray[np.float64]

__all__ = ["check_nonnegative", "inverse_power", "row_means"]


def inverse_power(degrees: Array, power: float = 0.5) -> Array:
    """Return ``degrees ** -power``, and 0 where the degree is 0."""
    roots = np.sqrt(degrees) if power == 0.5 else degrees**power
    return np.divide(1.0, roots, out=np.zeros_like(degrees), where=degrees > 0)


def row_means(graph: Edges) -> Array:
    """Return the mean of the entries of each row and column that are not on the diagonal; n is at least 2."""
    return ((graph.degrees + graph.in_degrees) / 2 - graph.diagonal) / (graph.n_vertices - 1)


def check_nonnegative(lowest: float, what: str) -> None:
    """Refuse negative weights, for which degrees are not defined."""
    if lowest < 0:
        raise GraphError(
            f"Negative values in data: {what} has negative weights (down to {lowest:g}), for which degrees are "
            "not defined; pass abs(A), or use AdjacencySpectralEmbedding."
        )
