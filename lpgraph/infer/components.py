"""Components of a network by size, and how many clusters each gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.graph.components import connected_components
from lpgraph.infer.cluster_order import by_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency

__all__ = ["Components"]

#: Components with at least this share of the vertices with edges are embedded, and so is the largest.
_LARGE = 0.1


@dataclass(frozen=True)
class Components:
    """Connected components by decreasing size.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Component of each vertex, 0, 1, ... by decreasing size.
    sizes : ndarray
        Numbers of vertices.
    """

    labels: NDArray[np.intp]
    sizes: NDArray[np.intp]

    @classmethod
    def of(cls, graph: Adjacency) -> Components:
        """Find the components; the direction of arcs is ignored."""
        count, labels = connected_components(graph)
        ranked = by_size(labels, count)[labels]
        return cls(ranked, np.bincount(ranked))

    @property
    def n_joined(self) -> int:
        """Number of components with edges."""
        return int((self.sizes > 1).sum())

    @property
    def n_large(self) -> int:
        """Number of embedded components: the largest, and those with a tenth of the vertices with edges."""
        joined = self.sizes[self.sizes > 1].sum()
        return max(1, int((self.sizes >= _LARGE * max(joined, 2)).sum()))

    def allocated(self, n_clusters: int) -> NDArray[np.intp]:
        """Return how many of a number of clusters each component gets, the largest first.

        All components get one if there are enough, otherwise those with at least a tenth of the vertices of the
        largest. The others are given so that clusters are as equal in size as possible.
        """
        covered = self.n_joined
        if covered > n_clusters:
            covered = min(n_clusters, int((self.sizes >= _LARGE * self.sizes[0]).sum()))
        counts = np.ones(covered, dtype=np.intp)
        for _ in range(n_clusters - covered):
            counts[np.argmax(self.sizes[:covered] / (counts + 1))] += 1
        return counts
