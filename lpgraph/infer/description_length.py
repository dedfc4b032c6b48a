"""Description lengths of a network by block models, which choose the number of clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln, xlogy

from lpgraph.infer.block_sums import block_sums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy import sparse

__all__ = ["DescriptionLength", "description_length"]


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


def description_length(
    layers: Sequence[sparse.csr_array], labels: NDArray[np.intp], n_clusters: int
) -> DescriptionLength:
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
    >>> from lpgraph.infer.description_length import description_length
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
        if not len(arcs.data):
            continue
        found = block_sums(arcs, labels, k)
        ends = np.asarray((found + found.T) * (len(arcs.data) / (2 * found.sum())), dtype=np.float64)
        total, degrees = ends.sum(), ends.sum(axis=1)
        expected = np.multiply.outer(degrees, degrees) / total
        inside, outside, within = np.trace(ends), total - np.trace(ends), np.trace(expected)
        apart = max(total - within, 0.0)
        planted += float(np.log(total / 2 + 1) - (_gain(inside, within) + _gain(outside, apart)) / 2)
        blocks += float(_log_choose(total / 2 + pairs - 1, pairs - 1) - _gain(ends, expected).sum() / 2)
        assortative = assortative and bool(sign * inside * apart >= sign * outside * within)
    return DescriptionLength(planted, blocks, assortative)


def _gain(found: NDArray[np.float64] | float, expected: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Return ``found log(found / expected)``, 0 where nothing was found."""
    ratio = np.divide(found, expected, out=np.ones(np.shape(found)), where=np.asarray(expected) > 0)
    return np.asarray(xlogy(found, ratio))


def _log_choose(n: float, k: float) -> float:
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
