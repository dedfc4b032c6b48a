"""Edges that a list has more than once, or with a weight that is not positive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    from lpgraph.graph.assemble import EdgeList

__all__ = ["Repeats"]


@dataclass(frozen=True)
class Repeats:
    """What adding up the edges of a list merges, and which weights are not positive.

    Attributes
    ----------
    repeated : int
        Number of edges that were listed before, with the same source and target.
    merged : int
        Of an undirected graph, number of pairs that are listed in both directions.
    zeros, negative : int or None
        Number of edges that are listed with weight 0, which are no edges of the graph, and with a negative weight;
        None if there are none.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.graph.assemble import EdgeList
    >>> from lpgraph.graph.repeats import Repeats
    >>> Repeats.of(EdgeList(range(3), np.array([0, 1, 0, 0]), np.array([1, 0, 1, 2]), None, False))
    Repeats(repeated=1, merged=1, zeros=None, negative=None)
    """

    repeated: int
    merged: int
    zeros: int | None
    negative: int | None

    @classmethod
    def of(cls, edges: EdgeList) -> Self:
        """Count the repeats in a list of edges."""
        n = len(edges.names)
        arcs = np.unique(edges.source * n + edges.target)
        source, target = np.divmod(arcs, max(n, 1))
        backward = target[source > target] * n + source[source > target]
        merged = 0 if edges.directed else np.intersect1d(arcs, backward, assume_unique=True).size
        weight = np.empty(0) if edges.weight is None else edges.weight
        zeros, negative = (int(np.count_nonzero(chosen)) or None for chosen in (weight == 0, weight < 0))
        return cls(edges.source.size - arcs.size, int(merged), zeros, negative)
