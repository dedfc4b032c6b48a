"""Partitions of networks, for comparison with `VertexClustering()`."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import igraph
import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

import lpgraph as lp

if TYPE_CHECKING:
    from _labelled_networks import Network
    from numpy.typing import NDArray

    Codes = NDArray[np.intp]


def default(network: Network, seed: int) -> Codes:
    """Return the clusters of `VertexClustering()`, which gets the directions of the edges."""
    return lp.VertexClustering(random_state=seed).fit(network.graph).labels_


def leiden(network: Network, seed: int) -> Codes:
    """Return the communities of igraph's Leiden method, iterated until modularity no longer grows."""
    random.seed(seed)
    igraph.set_random_number_generator(random)
    edges = sparse.triu(network.undirected().graph.matrix).tocoo()
    pairs = np.column_stack([edges.row, edges.col]).tolist()
    graph = igraph.Graph(n=edges.shape[0], edges=pairs)
    found = graph.community_leiden(objective_function="modularity", weights=edges.data.tolist(), n_iterations=-1)
    return np.array(found.membership)


def k_means(network: Network, seed: int) -> Codes:
    """Return k-means clusters of unit rows, with as many clusters and coordinates as classes."""
    k = network.n_classes
    rows = lp.LaplacianSpectralEmbedding(k, regularizer="mean").fit_transform(network.undirected().graph)
    return KMeans(k, n_init=10, random_state=seed).fit_predict(normalize(rows))
