"""Where new vertices go: the arithmetic of `transform`, which needs no estimator.

scikit-learn, whose classes the estimators are, takes a second to import; a saved model places vertices without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph._checks import check_choice
from lpgraph.errors import ArgumentError, GraphError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from lpgraph.graph.arrivals import Arrivals
    from lpgraph.spectral.extension import Extension

    Array = NDArray[np.float64]

__all__ = ["Scaling", "check_direction", "inverse_root", "place"]

DIRECTIONS = ("out", "in")


@dataclass(frozen=True, eq=False)
class Scaling:
    """The diagonal factors of ``M = diag(left) A diag(right)``, and those of new vertices.

    Attributes
    ----------
    left, right : ndarray of shape (n,), optional
        Factors of rows and columns, equal for an undirected graph; None leaves A as it is.
    regularizer : float
        What is added to a degree before its root is taken.
    """

    left: Array | None = None
    right: Array | None = None
    regularizer: float = 0.0

    @property
    def plain(self) -> bool:
        """Whether rows are taken as they are."""
        return self.left is None and self.right is None

    def rows(self, new: Any, direction: str = "out") -> Any:
        """Scale the (m, n) rows of new vertices as the matrix itself is scaled: by both degrees' roots."""
        known = self.right if direction == "out" else self.left
        if known is None:
            return new
        if new.data.min(initial=0.0) < 0:
            raise GraphError(
                f"A new vertex has a negative weight ({new.data.min():g}), for which degrees make no sense; "
                "pass weights >= 0, or use AdjacencySpectralEmbedding."
            )
        factors = inverse_root(np.asarray(new.sum(axis=1), dtype=np.float64).ravel() + self.regularizer)
        # Only the degrees of neighbours are looked at: one vertex costs its edges, whatever the network's size.
        scaled = (new.data * known.take(new.indices)) * np.repeat(factors, np.diff(new.indptr))
        return sparse.csr_array((scaled, new.indices, new.indptr), shape=new.shape)


def inverse_root(degrees: Array) -> Array:
    """Return ``degrees ** -0.5``, and 0 where the degree is 0."""
    return np.divide(1.0, np.sqrt(degrees), out=np.zeros_like(degrees), where=degrees > 0)


def check_direction(direction: str, directed: bool) -> None:
    """Refuse a direction that is none, or that an undirected graph does not have."""
    check_choice("direction", direction, DIRECTIONS)
    if direction == "in" and not directed:
        raise ArgumentError('direction="in" but the graph is undirected; pass direction="out".')


def place(arrivals: Arrivals, direction: str, scaling: Scaling, extensions: Mapping[str, Extension]) -> Array:
    """Return the (m, d) positions of new vertices."""
    rows = arrivals.rows
    if direction == "in" and arrivals.rows_in is not None:
        rows = arrivals.rows_in
    return extensions[direction](scaling.rows(rows, direction))
