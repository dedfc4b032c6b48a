"""Numbers of clusters by decreasing size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["by_size"]


def by_size(labels: NDArray[np.intp], n_clusters: int) -> NDArray[np.intp]:
    """Return the rank of each cluster by decreasing size; of equal ones, that with the first vertex comes first.

    The order of the clusters passed may depend on the last bits of the positions, and has no effect on the ranks.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        Clusters, from 0 to ``n_clusters - 1``.
    n_clusters : int
        Number of clusters; empty ones come last.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.infer.cluster_order import by_size
    >>> by_size(np.array([2, 1, 0, 0, 1]), 3)  # cluster 1 has a vertex before cluster 0 has one
    array([1, 0, 2])
    """
    first = np.full(n_clusters, len(labels))
    found, places = np.unique(labels, return_index=True)
    first[found] = places
    ranks = np.empty(n_clusters, dtype=np.intp)
    ranks[np.lexsort((first, -np.bincount(labels, minlength=n_clusters)))] = np.arange(n_clusters)
    return ranks
