"""Features of vertices for classification: coordinates, degrees, and labels of neighbors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_choice
from lpgraph.errors import ArgumentError, ArgumentTypeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.infer.arcs import Arcs
    from lpgraph.spectral.construction import Array

__all__ = ["FEATURES", "VertexFeatures", "check_features", "features_of", "unit_rows"]

#: Names of the parts.
FEATURES = ("unit_rows", "positions", "degrees", "neighbor_labels")


@dataclass(frozen=True, eq=False)
class VertexFeatures:
    """Features of m vertices.

    Attributes
    ----------
    sides : sequence of ndarray of shape (m, D)
        Positions; of a directed embedding as sources and as targets. Empty if no coordinates are used.
    scaled : bool
        Whether the rows of the leading coordinates are divided by their lengths.
    degrees : ndarray of shape (m, 1) or (m, 2), or None
        See `features_of`.
    labels : ndarray of shape (m, p) or None
        Those of `lpgraph.infer.neighbor_labels.NeighborLabels`.
    """

    sides: Sequence[Array]
    scaled: bool
    degrees: Array | None
    labels: Array | None

    @property
    def n_columns(self) -> int:
        """Number of columns of the embedding; 0 if no coordinates are used."""
        return self.sides[0].shape[1] if self.sides else 0

    @property
    def has_others(self) -> bool:
        """Whether there are features other than coordinates."""
        return self.degrees is not None or self.labels is not None

    def rows(self, chosen: NDArray[np.intp], n_columns: int) -> Array:
        """Return the features of the chosen vertices, with the first `n_columns` columns of each side."""
        leading = [side[chosen, :n_columns] for side in self.sides]
        parts = [unit_rows(side) for side in leading] if self.scaled else leading
        if self.degrees is not None:
            parts.append(self.degrees[chosen])
        if self.labels is not None:
            parts.append(self.labels[chosen])
        return np.hstack(parts)


def check_features(features: object) -> tuple[str, ...]:
    """Return the names of the parts."""
    named = [features] if isinstance(features, str) else features
    if not isinstance(named, Iterable):
        raise ArgumentTypeError(f"features={features!r}; pass names among {', '.join(map(repr, FEATURES))}.")
    chosen = tuple(check_choice("features", name, FEATURES) for name in named)
    if not chosen or {"unit_rows", "positions"} <= set(chosen):
        raise ArgumentError(
            f"features={features!r}; pass at least one name among {', '.join(map(repr, FEATURES))}, and only one "
            "of 'unit_rows' and 'positions'."
        )
    return chosen


def unit_rows(positions: Array) -> Array:
    """Return the rows divided by their lengths; rows of zeros remain."""
    length = np.sqrt(np.einsum("ij,ij->i", positions, positions))[:, None]
    return np.asarray(np.divide(positions, length, out=np.zeros_like(positions), where=length > 0))


def features_of(
    parts: Sequence[str],
    sides: Sequence[Array],
    arcs: Arcs,
    labels: Array | None,
) -> VertexFeatures:
    """Return the features of vertices with the given positions, edges, and features from labels of neighbors.

    The degree is log(1 + degree), from absolute weights; in directed graphs of arcs from and of arcs to the
    vertices. With unit rows it keeps what the division of the rows removes.
    """
    degrees = None
    if "degrees" in parts:
        degrees = _log_degrees(arcs)
    scaled = "unit_rows" in parts
    return VertexFeatures(sides if scaled or "positions" in parts else (), scaled, degrees, labels)


def _log_degrees(arcs: Arcs) -> Array:
    return np.column_stack([np.log1p(np.asarray(abs(rows).sum(axis=1)).ravel()) for rows in arcs])
