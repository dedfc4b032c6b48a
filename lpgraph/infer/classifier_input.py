"""`ClassifierInput`: features of vertices, and the probabilities of those that are not classified by features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lpgraph.infer.features import VertexFeatures
    from lpgraph.spectral.construction import Array

__all__ = ["ClassifierInput"]


@dataclass(frozen=True, eq=False)
class ClassifierInput:
    """What is known about m vertices that are to be classified.

    Attributes
    ----------
    features : VertexFeatures
        Their features.
    near : ndarray of shape (m, n_classes) or None
        Shares of the classes in the visits to their neighbors.
    neighbors : ndarray of int of shape (m,)
        Their numbers of labelled neighbors.
    reached : ndarray of shape (m,)
        Whether a path of edges joins each vertex to a labelled one.
    by_features : ndarray of shape (m,)
        Whether each vertex is classified by its features.
    shares : ndarray of shape (m, n_classes)
        Class probabilities of the other vertices.
    spread : pair of ndarray or None
        Of new vertices with edges among them, what `lpgraph.infer.neighbor_labels.NeighborLabels.spread` returns.
    """

    features: VertexFeatures
    near: Array | None
    neighbors: NDArray[np.intp]
    reached: NDArray[np.bool_]
    by_features: NDArray[np.bool_]
    shares: Array
    spread: tuple[Array, Array] | None = None
