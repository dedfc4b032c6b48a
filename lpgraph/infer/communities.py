"""Partitions of large modularity, from few clusters to many."""

from __future__ import annotations

import random
from threading import Lock
from typing import TYPE_CHECKING

import igraph
import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["communities"]

#: The first and the last resolution, and the ratio of two successive ones.
_FIRST, _LAST, _RATIO = 0.25, 64.0, 2**0.5

#: igraph has one random number generator.
_generator = Lock()


def communities(
    arcs: sparse.csr_array, *, n_init: int, seed: int
) -> Iterator[tuple[float, list[NDArray[np.intp]]]]:
    """Yield resolutions, in rising order, and the partitions that Leiden's method finds from several starts.

    Modularity with a resolution is the likelihood of a planted partition with certain rates (Newman 2016), so that
    the partition of shortest description is nearly one of largest modularity at some resolution.

    Parameters
    ----------
    arcs : csr_array of shape (n, n)
        Positive weights, symmetric.
    n_init : int
        Number of starts at each resolution.
    seed : int
        Seed of the starts.

    References
    ----------
    Traag, V. A., Waltman, L. & van Eck, N. J. (2019), "From Louvain to Leiden: guaranteeing well-connected
    communities", Scientific Reports 9. Newman, M. E. J. (2016), "Equivalence between modularity optimization and
    maximum likelihood methods for community detection", Physical Review E 94.
    """
    upper = sparse.triu(arcs, 1).tocoo()
    graph = igraph.Graph(n=arcs.shape[0], edges=np.column_stack([upper.row, upper.col]))
    generator = random.Random(seed)
    resolution = _FIRST
    while resolution <= _LAST:
        found = []
        with _generator:
            igraph.set_random_number_generator(generator)
            try:
                for _ in range(n_init):
                    memberships = graph.community_leiden("modularity", upper.data, resolution, n_iterations=-1)
                    found.append(np.asarray(memberships.membership, dtype=np.intp))
            finally:
                igraph.set_random_number_generator(random)
        yield resolution, found
        resolution *= _RATIO
