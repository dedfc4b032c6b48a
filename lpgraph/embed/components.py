"""Eigenvectors of the normalised adjacency matrix that the components of a network determine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.linalg.sparse_structure import weak_components
from lpgraph.spectral.known import KnownPairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lpgraph.graph.network import Network

__all__ = ["component_pairs"]


def component_pairs(
    items: Network, *, negative: bool = False, trivial: bool = False
) -> Callable[[int], KnownPairs] | None:
    """Return what gives the eigenvectors of ``D^(-1/2) A D^(-1/2)`` for 1 and -1, if there are several components.

    A component with edges has the eigenvector ``sqrt(degree)`` for 1, and if it is bipartite, the same with
    different signs on its two sides for -1. The components are in the order of decreasing volume.

    Parameters
    ----------
    items : Network
        An undirected network without negative weights.
    negative : bool
        Whether the eigenvalue -1 follows 1 in the wanted order. It is looked for if the eigenvectors of 1 are too
        few.
    trivial : bool
        Whether ``sqrt(degree)`` of all vertices is left out.
    """
    matrix = items.product
    if items.directed or not isinstance(matrix, sparse.csr_array):
        return None
    _, labels = weak_components(matrix, directed=False)
    volumes = np.bincount(labels, weights=items.degrees)
    count = int((volumes > 0).sum())
    if count < 2:
        return None
    rank = np.empty(len(volumes), dtype=np.intp)
    rank[np.argsort(-volumes, kind="stable")] = np.arange(len(volumes))
    place, volumes = rank[labels], np.sort(volumes)[::-1][:count]
    left_out = np.sqrt(volumes / volumes.sum()) if trivial else None

    def known(k: int) -> KnownPairs:
        inside = np.flatnonzero(items.degrees > 0)
        entry = np.sqrt(items.degrees[inside] / volumes[place[inside]])
        shape = (items.n_vertices, count)
        vectors = sparse.csc_array((entry, (inside, place[inside])), shape=shape)
        if not negative or k <= count:
            return KnownPairs(np.ones(count), vectors, left_out)
        side = _sides(matrix)
        bipartite = np.ones(count, dtype=bool)
        bipartite[place[inside[side[inside] == 0]]] = False
        signed = sparse.csc_array((entry * side[inside], (inside, place[inside])), shape=shape)[:, bipartite]
        values = np.repeat([1.0, -1.0], [count, signed.shape[1]])
        # The vectors of one component overlap where it is bipartite, but are orthogonal.
        return KnownPairs(values, sparse.csc_array(sparse.hstack([vectors, signed])))

    return known


def _sides(matrix: sparse.csr_array) -> NDArray[np.float64]:
    """Return the side, 1 or -1, of each vertex in a bipartite component, and 0 in others."""
    n = matrix.shape[0]
    # In the double cover, the two copies of a vertex are joined unless its component is bipartite.
    cover = sparse.csr_array(sparse.block_array([[None, matrix], [matrix, None]]))
    _, labels = weak_components(cover, directed=False)
    return np.sign(labels[n:].astype(np.float64) - labels[:n])
