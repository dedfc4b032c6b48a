"""Partitions of a network under a degree-corrected block model: rates, description lengths, refinement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy import sparse
from scipy.special import gammaln, softmax, xlogy

from lpgraph._utils.compiled import slices
from lpgraph.embed.constructions import with_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lpgraph._utils.types import Array, Flags, Integers


#: Steps in which all vertices move, and further ones in which half of them do.
_STEPS, _HALVED_STEPS = 20, 120
#: Share of the vertices that may still move at the end: none of up to 10,000.
_FEW = 1e-4
#: Expected edges that are added to each rate, so that no rate is 0.
_PSEUDO = 0.5
#: Entries of the dense (vertices, clusters) work arrays held at a time: 64 MB.
_ENTRIES = 1 << 23
#: Clusters up to which products with the rates are dense.
_DENSE = 1024
#: Scores are equal if they differ by less than this share.
_ROUNDING = 1e-9


def by_size(labels: Integers, n_clusters: int) -> Integers:
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
    >>> from lpgraph.infer.block_partition import by_size
    >>> by_size(np.array([2, 1, 0, 0, 1]), 3)  # cluster 1 has a vertex before cluster 0 has one
    array([1, 0, 2])
    """
    first = np.full(n_clusters, len(labels))
    found, first[found] = np.unique(labels, return_index=True)
    return np.argsort(np.lexsort((first, -np.bincount(labels, minlength=n_clusters))))


def numbered(labels: NDArray[np.integer]) -> Integers:
    """Return labels whose clusters are numbered by decreasing size, without empty ones; see `by_size`."""
    found, codes = np.unique(labels, return_inverse=True)
    return by_size(codes, len(found))[codes]


def signed_layers(rows: sparse.csr_array) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return the edges of positive weight, and the absolute weights of those of negative weight."""
    if not rows.nnz or rows.data.min() > 0:
        return rows, sparse.csr_array(rows.shape)
    return sparse.csr_array(rows.maximum(0)), sparse.csr_array((-rows).maximum(0))


def block_sums(arcs: sparse.csr_array, labels: NDArray[np.integer], n_blocks: int) -> Array:
    """Return the (n_blocks, n_blocks) sums of entries from rows of one block to columns of another.

    Parameters
    ----------
    arcs : csr_array of shape (n, n)
        Of an undirected graph both triangles, so that an edge within a block counts twice and a loop once.
    labels : ndarray of shape (n,)
        Block of each vertex, 0 to n_blocks - 1.
    n_blocks : int
    """
    pairs = np.repeat(labels, np.diff(arcs.indptr)) * n_blocks + labels[arcs.indices]
    found = np.bincount(pairs, weights=arcs.data, minlength=n_blocks * n_blocks)
    # Without edges, numpy returns integers.
    return found.reshape(n_blocks, n_blocks).astype(np.float64)


def membership(labels: NDArray[np.integer], n_clusters: int) -> sparse.csr_array:
    """Return the (n, n_clusters) matrix with 1 at the cluster of each vertex."""
    n = len(labels)
    return sparse.csr_array((np.ones(n), labels, np.arange(n + 1)), shape=(n, n_clusters))


@dataclass(frozen=True)
class DescriptionLength:
    """Description lengths of a network and its clusters, in nats, minus the one of a single cluster.

    Attributes
    ----------
    planted : float
        By the planted partition: one rate of edges within clusters, and one between them.
    blocks : float
        By the block model: a rate for each pair of clusters.
    assortative : bool
        Whether edges within clusters are at least as frequent as those between them, relative to the degrees, and
        edges of negative weight at most as frequent.
    """

    planted: float
    blocks: float
    assortative: bool

    @property
    def mean(self) -> float:
        """The mean of both lengths."""
        return (self.planted + self.blocks) / 2


def description_length(layers: Sequence[sparse.csr_array], labels: Integers, n_clusters: int) -> DescriptionLength:
    """Return the description lengths of a partition by degree-corrected block models.

    The length is minus the log-likelihood of the edges, maximised over the rates, plus the length of the
    partition, ``log n! - sum_r log n_r! + log C(n - 1, K - 1)``, plus the length of the numbers of edges. This is
    ``log(m + 1)`` for the planted partition, and ``log C(m + B - 1, B - 1)`` with B = K (K + 1) / 2 for the block
    model. The rate between two vertices is proportional to their degrees, so that vertices of high and of low
    degree share a cluster. Positive and negative edges of a signed network are two networks with the same
    partition: their log-likelihoods and the lengths of their numbers of edges add up.

    Parameters
    ----------
    layers : sequence of csr_array of shape (n, n)
        Networks on the same vertices, with nonnegative weights; of an undirected graph both triangles. Weights are
        divided by their mean. The direction of arcs is not used.
    labels : ndarray of shape (n,)
        Cluster of each vertex, 0 to n_clusters - 1.
    n_clusters : int
        Number of clusters.

    Returns
    -------
    DescriptionLength

    References
    ----------
    Peixoto, T. P. (2017), "Nonparametric Bayesian inference of the microcanonical stochastic block model",
    Physical Review E 95. Zhang, L. & Peixoto, T. P. (2020), "Statistical inference of assortative community
    structures", Physical Review Research 2 (the planted partition).

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> from lpgraph.infer.block_partition import description_length
    >>> graph = lp.stochastic_block_model([100, 100], [[0.2, 0.05], [0.05, 0.2]], random_state=0)
    >>> description_length([graph.adjacency], graph.labels, 2).planted < 0
    True
    >>> mixed = np.random.default_rng(0).permutation(graph.labels)
    >>> description_length([graph.adjacency], mixed, 2).planted > 0
    True
    """
    if n_clusters == 1:
        return DescriptionLength(0.0, 0.0, assortative=True)
    n, k = len(labels), n_clusters
    sizes = np.bincount(labels, minlength=k)
    planted = blocks = float(gammaln(n + 1) - gammaln(sizes + 1).sum() + _log_choose(n - 1, k - 1))
    pairs, assortative = k * (k + 1) / 2, True
    for sign, arcs in zip((1, -1), layers, strict=False):
        if not arcs.nnz:
            continue
        found = block_sums(arcs, labels, k)
        ends = (found + found.T) * (arcs.nnz / (2 * found.sum()))
        total, degrees = ends.sum(), ends.sum(axis=1)
        expected = np.multiply.outer(degrees, degrees) / total
        inside, outside, within = np.trace(ends), total - np.trace(ends), np.trace(expected)
        apart = max(total - within, 0.0)
        planted += float(np.log(total / 2 + 1) - (_gain(inside, within) + _gain(outside, apart)) / 2)
        blocks += float(_log_choose(total / 2 + pairs - 1, pairs - 1) - _gain(ends, expected).sum() / 2)
        assortative &= bool(sign * inside * apart >= sign * outside * within)
    return DescriptionLength(planted, blocks, assortative)


def _gain(found: Array | float, expected: Array | float) -> Array:
    """Return ``found log(found / expected)``, 0 where nothing was found."""
    ratio = np.divide(found, expected, out=np.ones(np.shape(found)), where=expected > 0)
    return np.asarray(xlogy(found, ratio))


def _log_choose(n: float, k: float) -> float:
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


@dataclass(frozen=True, eq=False, repr=False)
class EdgeRates:
    """Rates of the edges of one sign between clusters.

    The number of edges between vertices i and j is Poisson with the mean ``d_i d_j r_kl / total``, where k and l
    are their clusters and d their degrees.

    Attributes
    ----------
    rates : csr_array of shape (n_clusters, n_clusters)
        r: edges relative to those expected without clusters, for pairs of clusters in the same component.
    degrees : ndarray of shape (n_clusters,)
        Sums of the degrees of the clusters.
    mean_weight : float
        Edge weights are divided by it.
    elsewhere : float
        r of clusters in different components.
    """

    rates: sparse.csr_array
    degrees: Array
    mean_weight: float
    elsewhere: float

    @classmethod
    def of(cls, arcs: sparse.csr_array, labels: Integers, components: Integers, planted: Flags) -> Self:
        """Estimate the rates.

        Parameters
        ----------
        arcs : csr_array of shape (n, n)
            Weights of the edges, symmetric.
        labels : ndarray of shape (n,)
            Clusters.
        components : ndarray of shape (n_clusters,)
            Component of each cluster.
        planted : ndarray of shape (n_components,)
            Whether the clusters of a component have one rate within, and one between them, instead of a rate for
            each pair.
        """
        mean_weight = float(arcs.data.mean())
        found = _edges_in_components(arcs, labels, components)
        found.data /= mean_weight
        degrees = np.asarray(found.sum(axis=1), dtype=np.float64)
        total = degrees.sum()
        rows = found.tocoo().row
        expected = degrees[rows] * degrees[found.indices] / total
        part, own = components[rows], 2 * len(planted)  # own: each a rate of its own
        kind = np.where(planted[part], 2 * part + (rows == found.indices), own)
        kind[kind == own] += np.arange(np.sum(kind == own))
        sums = [np.bincount(kind, column)[kind] + _PSEUDO for column in (found.data, expected)]
        elsewhere = _PSEUDO / (max(float(total - expected.sum()), 0.0) + _PSEUDO)
        return cls(with_values(found, sums[0] / sums[1]), degrees, mean_weight, elsewhere)

    def scores(
        self,
        rows: sparse.csr_array,
        labels: Integers,
        own: Integers | None = None,
        clusters: Integers | None = None,
    ) -> Array:
        """Return the log-likelihoods of the clusters, in columns.

        Parameters
        ----------
        rows : csr_array of shape (m, n)
            Edges of vertices to the known ones.
        labels : ndarray of shape (n,)
            Clusters of the known vertices.
        own : ndarray of shape (m,), optional
            Clusters of the vertices, if these are known ones.
        clusters : ndarray, optional
            The clusters of the columns, of one component that has all of the edges. None means all clusters.
        """
        edges = sparse.csr_array(rows @ membership(labels, len(self.degrees)))
        rates, ends, place = self.rates, self.degrees, np.arange(len(self.degrees))
        if clusters is not None:
            edges, rates, ends = edges[:, clusters], rates[clusters][:, clusters], ends[clusters]
            place[clusters] = np.arange(len(clusters))
        edges.data /= self.mean_weight
        degrees, total = edges.sum(axis=1), self.degrees.sum()
        # Terms that are the same for all clusters are left out.
        more = with_values(rates, rates.data - self.elsewhere)
        log = with_values(rates, np.log(rates.data / self.elsewhere))
        gains = edges @ (log.toarray() if len(ends) <= _DENSE else log)
        found = gains.toarray() if sparse.issparse(gains) else gains
        found -= np.multiply.outer(degrees / total, more.T @ ends)
        if own is not None:
            # A vertex has no edge to itself.
            found += (degrees**2 / total)[:, None] * more[place[own]].toarray()
        return found


def _edges_in_components(arcs: sparse.csr_array, labels: Integers, components: Integers) -> sparse.csr_array:
    """Return the weights of edges between clusters, with an entry for each two clusters of a component."""
    k = len(components)
    parts, member = membership(components, int(components.max()) + 1), membership(labels, k)
    pairs = (parts @ parts.T).nonzero()
    return sparse.csr_array((sparse.csr_array(member.T @ arcs @ member)[pairs], pairs), shape=(k, k))


@dataclass(frozen=True, eq=False, repr=False)
class BlockPartition:
    """Clusters of the known vertices, and the rates of edges between clusters.

    Clusters are numbered by decreasing size. Each is in one component.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Clusters of the known vertices; 0 if a vertex has none.
    has_cluster : ndarray of shape (n,)
        Whether each known vertex has a cluster: those without edges have none, and those of small components if
        fewer clusters were asked for than there are components.
    positive, negative : EdgeRates or None
        Rates of the edges of positive and of negative weight; None without such edges.

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

    labels: Integers
    has_cluster: Flags
    positive: EdgeRates | None
    negative: EdgeRates | None = None

    def index_bounds(self) -> list[tuple[Integers, int]]:
        """Return indices that scipy does not check, and what they must be below, for models in files."""
        return [(self.labels, len(rates.degrees)) for rates in (self.positive, self.negative) if rates is not None]

    @classmethod
    def of(
        cls, layers: Sequence[sparse.csr_array], labels: Integers, components: Integers, planted: Flags
    ) -> Self:
        """Estimate the rates of the edges of positive and of negative weight, as in `EdgeRates.of`.

        Labels of vertices without a cluster are -1.
        """
        found = np.maximum(labels, 0)
        rates = [EdgeRates.of(arcs, found, components, planted) if arcs.nnz else None for arcs in layers]
        return cls(found, labels >= 0, *rates)

    @property
    def rates(self) -> sparse.csr_array:
        """Edges relative to those expected without clusters, of positive weight if there are any."""
        return self._layers[0].rates

    @property
    def n_clusters(self) -> int:
        """Number of clusters."""
        return len(self._layers[0].degrees)

    @property
    def _layers(self) -> list[EdgeRates]:
        return [rates for rates in (self.positive, self.negative) if rates is not None]

    def predict(self, rows: sparse.csr_array) -> Integers:
        """Return the clusters of largest likelihood, given the (m, n) edges of vertices to the known ones."""
        parts = slices(max(1, rows.shape[0]), _ENTRIES // self.n_clusters)
        return np.concatenate([self._scores(signed_layers(rows[part])).argmax(axis=1) for part in parts])

    def predict_proba(self, rows: sparse.csr_array) -> Array:
        """Return the (m, n_clusters) probabilities of the clusters, given the edges and equal prior weights."""
        return softmax(self._scores(signed_layers(rows)), axis=1)

    def known_proba(self, arcs: sparse.csr_array) -> sparse.csr_array:
        """Return the (n, n_clusters) probabilities of the known vertices, given their edges `arcs`.

        Those of clusters in other components are 0, and not stored.
        """
        layers, pattern = signed_layers(arcs), self._layers[0].rates
        result = pattern[self.labels]
        result.data = np.ones(len(result.data))
        component = pattern.indices[pattern.indptr[:-1]]  # the first of its clusters
        order = np.argsort(component[self.labels], kind="stable")
        for members in np.split(order, np.flatnonzero(np.diff(component[self.labels[order]])) + 1):
            clusters = pattern[[self.labels[members[0]]]].indices.astype(np.intp)
            if len(clusters) == 1:
                continue
            for part in slices(len(members), _ENTRIES // len(clusters)):
                some = members[part]
                scores = self._scores([layer[some] for layer in layers], self.labels[some], clusters)
                result.data[result.indptr[some][:, None] + np.arange(len(clusters))] = softmax(scores, axis=1)
        return result

    def _scores(
        self, layers: Sequence[sparse.csr_array], own: Integers | None = None, clusters: Integers | None = None
    ) -> Array:
        signs = zip((self.positive, self.negative), layers, strict=False)
        scores = [rates.scores(rows, self.labels, own, clusters) for rates, rows in signs if rates is not None]
        return np.asarray(np.sum(scores, axis=0))


def refined(layers: Sequence[sparse.csr_array], labels: NDArray[np.integer], *, planted: bool) -> Integers:
    """Move each vertex of a connected network to the cluster of largest likelihood.

    This goes on until none moves, or fewer than one of 10,000 in large networks.

    All vertices move at a time, so that neighbors may change places again and again. Those that still move after
    20 steps are moved with probability 1/2 in each further step, by a fixed seed.

    Parameters
    ----------
    layers : sequence of csr_array of shape (n, n)
        Edges of positive weight, and absolute weights of those of negative weight, symmetric and without loops.
    labels : ndarray of shape (n,)
        Clusters to start with, for example those of an embedding.
    planted : bool
        Whether there are two rates, within and between clusters, or one for each pair of clusters.

    Returns
    -------
    ndarray of shape (n,)
        Clusters by decreasing size. Those that lose all their vertices are dropped.

    References
    ----------
    Karrer, B. & Newman, M. E. J. (2011), "Stochastic blockmodels and community structure in networks", Physical
    Review E 83. Gao, C., Ma, Z., Zhang, A. Y. & Zhou, H. H. (2018), "Community detection in degree-corrected block
    models", Annals of Statistics 46 (refinement of spectral clusters attains the optimal rate).
    """
    labels = numbered(labels)
    rng = np.random.default_rng(0)
    for step in range(_STEPS + _HALVED_STEPS):
        after = _moved(layers, labels, planted)
        if np.count_nonzero(after != labels) < _FEW * len(labels):
            break
        if step >= _STEPS:
            after = np.where(rng.random(len(after)) < 0.5, after, labels)
        labels = numbered(after)
    return labels


def _moved(layers: Sequence[sparse.csr_array], labels: Integers, planted: bool) -> Integers:
    """Return the cluster of largest likelihood of each vertex, given its edges and the clusters of all others."""
    components = np.zeros(int(labels.max()) + 1, dtype=np.intp)
    partition = BlockPartition.of(layers, labels, components, np.array([planted]))
    after = np.empty(len(labels), dtype=np.intp)
    for part in slices(len(labels), _ENTRIES // len(components)):
        scores = partition._scores([arcs[part] for arcs in layers], labels[part])
        # Scores that differ by rounding are equal, so that a network is divided in the same way on all machines.
        # Of equal ones, the own cluster is chosen, or else the first.
        largest = scores.max(axis=1)
        equal = scores >= (largest - _ROUNDING * np.maximum(1.0, np.abs(largest)))[:, None]
        stays = equal[np.arange(len(equal)), labels[part]]
        after[part] = np.where(stays, labels[part], equal.argmax(axis=1))
    return after
