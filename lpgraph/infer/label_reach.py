"""Vertices that a path of edges joins to a labelled vertex."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy import sparse

from lpgraph.infer.arcs import linked_to, without_weights
from lpgraph.linalg.sparse_structure import weak_components

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.infer.arcs import Arcs

__all__ = ["LabelReach"]


@dataclass(frozen=True, eq=False)
class LabelReach:
    """Which known vertices have labels, and which are connected to a labelled one.

    Positions and labels of neighbors say nothing about the class of a vertex that no path joins to a labelled one.
    The direction of arcs is ignored.

    Attributes
    ----------
    labelled : ndarray of shape (n,)
        Whether the label of each known vertex was given.
    others : ndarray of shape (n,)
        Whether another vertex of its component is labelled.

    Examples
    --------
    >>> import networkx as nx, numpy as np
    >>> from lpgraph.graph.construct import as_adjacency
    >>> from lpgraph.infer.arcs import known_arcs
    >>> from lpgraph.infer.label_reach import LabelReach
    >>> arcs = known_arcs(as_adjacency(nx.Graph([(0, 1), (1, 2), (3, 4)])))
    >>> found = LabelReach.of(arcs, np.array([True, False, False, False, False]))
    >>> found.others
    array([False,  True,  True, False, False])
    >>> found.neighbors(arcs)
    array([0, 1, 0, 0, 0])
    """

    labelled: NDArray[np.bool_]
    others: NDArray[np.bool_]

    @classmethod
    def of(cls, arcs: Arcs, labelled: NDArray[np.bool_]) -> Self:
        """Return what a graph without loops, and its labels, say."""
        _, component = weak_components(arcs[0], directed=len(arcs) == 2)
        count = np.bincount(component[labelled], minlength=int(component.max()) + 1)
        return cls(labelled, count[component] > labelled)

    def neighbors(self, arcs: Arcs) -> NDArray[np.intp]:
        """Return the number of labelled neighbors of each vertex; arcs in both directions count once."""
        return self._neighbors(arcs)

    def _neighbors(self, arcs: Arcs) -> NDArray[np.intp]:
        edges = without_weights(arcs[0])
        if len(arcs) == 2:
            edges = without_weights(sparse.csr_array(edges + without_weights(arcs[1])))
        return np.asarray(edges @ self.labelled.astype(np.intp), dtype=np.intp)

    def of_new(self, arcs: Arcs, among: sparse.csr_array | None) -> NDArray[np.bool_]:
        """Whether a path joins each new vertex to a labelled one; `among` has the edges among them that count."""
        direct = linked_to(self.labelled | self.others, arcs)
        if among is None:
            return direct
        _, component = weak_components(among, directed=False)
        return np.asarray(np.bincount(component, weights=direct)[component] > 0)
