"""`Prediction`: classes or clusters of vertices, with their probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.sparse import csr_array

from lpgraph.graph.names import names_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from lpgraph._frames import Column
    from lpgraph.graph.names import Names
    from lpgraph.spectral.construction import Array

__all__ = ["Prediction"]


@dataclass(frozen=True, eq=False)
class Prediction:
    """Predicted classes or clusters of m vertices.

    Attributes
    ----------
    title : {"label", "cluster"}
        What is predicted.
    names : ndarray of shape (m,), or range
        Names of the vertices.
    predicted : ndarray of shape (m,)
        The labels or clusters.
    evidence : mapping of str to ndarray of shape (m,)
        Columns that say what the prediction of each vertex rests on, such as ``has_known_neighbor``.
    kinds : ndarray of shape (k,)
        All labels or clusters, sorted.
    shares : ndarray or csr_array of shape (m, k), or None
        Their probabilities; None if the classifier gives none.
    """

    title: str
    names: Names
    predicted: NDArray[Any]
    evidence: Mapping[str, NDArray[Any]]
    kinds: NDArray[Any]
    shares: Array | csr_array | None

    @property
    def probability(self) -> Array | None:
        """Probability of the predicted label or cluster, of shape (m,)."""
        if self.shares is None:
            return None
        found: Any = self.shares[np.arange(len(self.predicted)), np.searchsorted(self.kinds, self.predicted)]
        return np.asarray(found.toarray() if hasattr(found, "toarray") else found)

    def take(self, chosen: NDArray[np.intp]) -> Self:
        """Return the predictions of some of the vertices."""
        return type(self)(
            self.title,
            names_at(self.names, chosen),
            self.predicted[chosen],
            {title: column[chosen] for title, column in self.evidence.items()},
            self.kinds,
            None if self.shares is None else self.shares[chosen],
        )

    def columns(self, *, all_shares: bool = False) -> dict[str, Column]:
        """Return the columns of a table by title; `all_shares` adds one for each label or cluster."""
        table: dict[str, Column] = {"name": self.names, self.title: self.predicted}
        if self.probability is not None:
            table["probability"] = self.probability
        table |= self.evidence
        if all_shares and self.shares is not None:
            shares = self.shares.toarray() if isinstance(self.shares, csr_array) else self.shares
            titles = [f"p_{kind}" for kind in self.kinds.tolist()]
            table |= dict(zip(titles, shares.T, strict=True))
        return table
