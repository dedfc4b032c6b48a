"""New vertices on the report: their places, clusters and degrees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.plot._models import placed_new

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from lpgraph.graph.new_edges import NewEdges
    from lpgraph.infer.cluster import VertexClustering

    Array = NDArray[np.float64]

__all__ = ["NewVertices"]


@dataclass(frozen=True, eq=False)
class NewVertices:
    """New vertices of a fitted clustering.

    Attributes
    ----------
    names : list of m str
        Their names.
    positions : ndarray of shape (m, d)
        Their positions, 0 where nothing is known of it.
    clusters : ndarray of shape (m,)
        The most probable clusters.
    probabilities : ndarray of shape (m,)
        The probabilities of these.
    degrees : ndarray of shape (m,)
        Numbers of known neighbors.
    """

    names: list[str]
    positions: Array
    clusters: NDArray[np.intp]
    probabilities: Array
    degrees: NDArray[np.intp]

    @classmethod
    def of(cls, clustering: VertexClustering, vertices: NewEdges) -> Self:
        """Place new vertices and find their clusters."""
        # Not by `predict`, which warns if there are no directions, as in the default embedding.
        found = clustering._predict(vertices, " The report says so by their 0 known neighbors.")
        arcs = vertices.rows if vertices.rows_in is None else vertices.rows + vertices.rows_in
        return cls(
            [str(name) for name in vertices.names],
            placed_new(clustering.fitted_embedding_, vertices),
            found.predicted,
            np.asarray(found.probability, dtype=np.float64),
            np.diff(arcs.indptr).astype(np.intp),
        )
