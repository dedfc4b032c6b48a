"""Clusters of a network under a degree-corrected block model, refined by likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.special import softmax

from lpgraph._slices import slices
from lpgraph.infer.block_sums import block_sums, moved
from lpgraph.infer.cluster_order import by_size
from lpgraph.linalg.dense_rows import rowwise_product

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.spectral.construction import Array

__all__ = ["BlockPartition", "refined"]

#: Steps in which all vertices move, and further ones in which half of them do.
_STEPS, _HALVED_STEPS = 20, 60
#: Share of the vertices that may still move at the end: none of up to 10,000.
_FEW = 1e-4
#: Expected edges that are added to each pair of clusters, so that no rate is 0.
_PSEUDO = 0.5
#: Entries of the dense (vertices, clusters) work arrays held at a time: 64 MB.
_ENTRIES = 1 << 23


@dataclass(frozen=True, eq=False, repr=False)
class BlockPartition:
    """Clusters of the known vertices, and the rates of edges between clusters.

    The number of edges between vertices i and j is Poisson with the mean ``d_i d_j r_kl / total``, where k and l
    are their clusters and d their degrees. Clusters are numbered by decreasing size.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Clusters of the known vertices.
    rates : ndarray of shape (n_clusters, n_clusters)
        r: edges relative to those expected without clusters.
    degrees : ndarray of shape (n_clusters,)
        Sums of the degrees of the clusters.
    mean_weight : float
        Edge weights are divided by it.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([60, 40], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    >>> partition = lp.VertexClustering().fit(graph).partition_
    >>> bool(partition.rates[0, 0] > 1 > partition.rates[0, 1])
    True
    >>> partition.predict(graph.adjacency[:3])
    array([0, 0, 0])
    """

    labels: NDArray[np.intp]
    rates: Array
    degrees: Array
    mean_weight: float

    def __repr__(self) -> str:
        return f"BlockPartition({self.n_clusters} clusters of {len(self.labels)} vertices)"

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(self.degrees)

    def predict(self, rows: sparse.csr_array) -> NDArray[np.intp]:
        """Return the clusters of largest likelihood, given the (m, n) edges of vertices to the known ones."""
        parts = slices(rows.shape[0], _ENTRIES // self.n_clusters)
        found = [self._scores(rows[part]).argmax(axis=1) for part in parts]
        return np.concatenate(found) if found else np.empty(0, dtype=np.intp)

    def predict_proba(self, rows: sparse.csr_array) -> Array:
        """Return the (m, n_clusters) probabilities of the clusters, given the edges and equal prior weights."""
        return np.asarray(softmax(self._scores(rows), axis=1))

    def known_proba(self, arcs: sparse.csr_array) -> Array:
        """Return the (n, n_clusters) probabilities of the known vertices, given their edges `arcs`."""
        return np.asarray(softmax(self._scores(arcs, self.labels), axis=1))

    def _moved(self, arcs: sparse.csr_array) -> NDArray[np.intp]:
        """Return the clusters of largest likelihood of the known vertices, given their edges."""
        weight, total = self.mean_weight, self.degrees.sum()
        losses, own = self.degrees @ self.rates / total, self.rates / total
        return moved(arcs, self.labels, np.log(self.rates) / weight, losses / weight, own / weight**2)

    def _scores(self, rows: sparse.csr_array, own: NDArray[np.intp] | None = None) -> Array:
        """Return the log-likelihoods of the clusters; `own` has the clusters of the vertices, if known."""
        edges = np.asarray(rows @ np.eye(self.n_clusters)[self.labels]) / self.mean_weight
        degrees = edges.sum(axis=1)
        total = self.degrees.sum()
        expected = np.multiply.outer(degrees / total, self.degrees @ self.rates)
        if own is not None:
            # A vertex has no edge to itself.
            expected -= (degrees**2 / total)[:, None] * self.rates[own]
        return np.asarray(rowwise_product(edges, np.log(self.rates)) - expected)


def refined(arcs: sparse.csr_array, labels: NDArray[np.intp]) -> BlockPartition:
    """Move each vertex to the cluster of largest likelihood until none moves, or one of 10,000 in large networks.

    All vertices move at a time, so that neighbors may change places again and again. Those that still move after
    20 steps are moved with probability 1/2 in each further step, by a fixed seed.

    Parameters
    ----------
    arcs : csr_array of shape (n, n)
        Nonnegative weights of the edges of an undirected graph without loops.
    labels : ndarray of shape (n,)
        Clusters to start with, for example those of an embedding.

    Returns
    -------
    BlockPartition
        Clusters that lose all their vertices are dropped.

    References
    ----------
    Karrer, B. & Newman, M. E. J. (2011), "Stochastic blockmodels and community structure in networks", Physical
    Review E 83. Gao, C., Ma, Z., Zhang, A. Y. & Zhou, H. H. (2018), "Community detection in degree-corrected block
    models", Annals of Statistics 46 (refinement of spectral clusters attains the optimal rate).
    """
    mean_weight = float(arcs.data.mean())
    partition = _estimated(arcs, labels, mean_weight)
    rng = np.random.default_rng(0)
    for step in range(_STEPS + _HALVED_STEPS):
        before = partition.labels
        after = partition._moved(arcs)
        if np.count_nonzero(after != before) < _FEW * len(before):
            break
        if step >= _STEPS:
            after = np.where(rng.random(len(after)) < 0.5, after, before)
        partition = _estimated(arcs, after, mean_weight)
    return partition


def _estimated(arcs: sparse.csr_array, labels: NDArray[np.intp], mean_weight: float) -> BlockPartition:
    """Return the partition with its clusters numbered by size, and estimates of the rates."""
    found, labels = np.unique(labels, return_inverse=True)
    k = len(found)
    labels = by_size(labels, k)[labels]
    edges = block_sums(arcs, labels, k) / mean_weight
    degrees = edges.sum(axis=1)
    expected = np.multiply.outer(degrees, degrees) / degrees.sum()
    return BlockPartition(labels, (edges + _PSEUDO) / (expected + _PSEUDO), degrees, mean_weight)
