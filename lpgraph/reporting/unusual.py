"""Unusual vertices of a clustered network: those whose neighbors fit it worst, and bridges between clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from lpgraph._utils.compiled import slices
from lpgraph.graph.names import name_at
from lpgraph.infer.vertices import known_arcs, without_weights

if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Self

    from numpy.typing import NDArray

    from lpgraph._utils.types import Array, Flags, Integers
    from lpgraph.graph.adjacency import Adjacency


#: Least number of vertices of a network, and of neighbors of a vertex, that can be unusual.
_VERTICES, _NEIGHBORS = 50, 3
#: Vertices that are compared at a time.
_BLOCK = 1 << 14
#: Number of vertices in each list, and of clusters listed for each vertex.
_LISTED, _CLUSTERS = 10, 3


class UnusualVertex(NamedTuple):
    """A vertex in a list of `UnusualVertices`.

    Attributes
    ----------
    name : hashable
        The vertex.
    cluster : hashable
        Its cluster, or its class.
    degree : int
        Number of neighbors; in a directed network, of arcs in both directions. Loops do not count.
    score : float
        What the list is sorted by.
    neighbors : dict
        The clusters of most of its neighbors, at most three: their number, and the number expected from the other
        members of its cluster.
    """

    name: Hashable
    cluster: Hashable
    degree: int
    score: float
    neighbors: dict[Hashable, tuple[int, float]]

    @property
    def told(self) -> str:
        """The clusters of its neighbors in words."""
        return ", ".join(f"{n:,} in {k} ({mean:,.1f} expected)" for k, (n, mean) in self.neighbors.items())


@dataclass(frozen=True)
class UnusualVertices:
    r"""Vertices whose neighbors fit the clusters worst, and bridges between clusters.

    Attributes
    ----------
    worst_fit : list of UnusualVertex
        The ten largest standardised residuals.
    bridges : list of UnusualVertex
        The ten largest participation coefficients.
    correlation : float
        The correlation :math:`\rho` of the neighbors of a vertex.

    Notes
    -----
    Vertex i with k neighbors, :math:`n_r` of these in cluster r, is compared with the other members of its
    cluster: a share :math:`\pi_r` of their neighbors is in cluster r (plus as many neighbors at random as the
    median degree, so that no share is 0). Its squared residual is :math:`Q = \sum_r (n_r - k \pi_r)^2 / k`. If the
    neighbors were drawn independently with probabilities :math:`\pi`, as in a degree-corrected block model, with
    :math:`s_j = \sum_r \pi_r^j`,

    .. math::

        E Q = 1 - s_2, \qquad
        \mathrm{Var}\, Q = \frac{4 (s_3 - s_2^2)}{k} + 2 \left(1 - \frac1k\right) (s_2 - 2 s_3 + s_2^2).

    In real networks the neighbors of a vertex are more alike, and :math:`E Q = (1 - s_2)(1 + (k - 1) \rho)`
    (Dirichlet-multinomial distribution); :math:`\rho \ge 0` is estimated from the sums of both sides over all
    vertices. The score is :math:`(Q / (1 + (k - 1) \rho) - E Q) / \sqrt{\mathrm{Var}\, Q}`: under the null
    hypothesis its mean is 0, and if :math:`\rho = 0` its standard deviation is 1. Its distribution is skewed to
    the right as that of a chi-squared variable.

    The participation coefficient of Guimera & Amaral (2005), :math:`1 - \sum_r (n_r / k)^2`, is 1/2 if the
    neighbors are halved between two clusters. Few neighbors say little about it. The score is therefore its mean
    under the posterior distribution of the shares, with a Dirichlet prior of mean :math:`\pi` and the weight of a
    vertex of median degree.

    References
    ----------
    Guimera, R. & Amaral, L. A. N. (2005), "Functional cartography of complex metabolic networks", Nature 433.
    """

    worst_fit: list[UnusualVertex]
    bridges: list[UnusualVertex]
    correlation: float

    @classmethod
    def of(cls, graph: Adjacency, labels: NDArray[np.generic], eligible: Flags) -> Self | None:
        """Return the unusual vertices, or None with fewer than 50 vertices or two clusters.

        Parameters
        ----------
        graph : Adjacency
            The network.
        labels : ndarray of shape (n,)
            The cluster or class of each vertex.
        eligible : ndarray of shape (n,)
            Whether a vertex may be listed. Vertices with fewer than three neighbors are not.

        Examples
        --------
        >>> import numpy as np
        >>> import lpgraph as lp
        >>> from lpgraph.reporting.unusual import UnusualVertices
        >>> graph = lp.stochastic_block_model([50, 50], [[0.3, 0.01], [0.01, 0.3]], random_state=0)
        >>> network = lp.as_adjacency(graph)
        >>> moved = np.where(np.arange(100) == 7, 1, graph.labels)
        >>> found = UnusualVertices.of(network, moved, np.full(100, True))
        >>> found.worst_fit[0].name, found.worst_fit[0].cluster
        (7, 1)
        """
        kinds, codes = np.unique(labels, return_inverse=True)
        profile = _Profile.of(graph, codes)
        k = profile.degrees
        chosen = np.flatnonzero(eligible & (k >= _NEIGHBORS))
        if graph.n_vertices < _VERTICES or len(kinds) < 2 or not len(chosen):
            return None
        everyone = np.arange(len(k))
        blocks = [profile.residuals(everyone[part]) for part in slices(len(k), _BLOCK)]
        residual, mean, spread, bridge = np.hstack(blocks)
        more = np.maximum(k - 1, 0)
        correlation = np.clip((residual - mean)[k > 0].sum() / max((more * mean).sum(), 1e-300), 0, 1)
        fit = (residual / (1 + more * correlation) - mean) / spread

        def listed(score: Array) -> list[UnusualVertex]:
            first = chosen[np.argsort(-score[chosen], kind="stable")[:_LISTED]]
            return [profile.vertex(i, score[i], kinds.tolist(), graph) for i in first.tolist()]

        return cls(listed(fit), listed(bridge), float(correlation))

    def __str__(self) -> str:
        """Return both lists as text."""
        lines = []
        for name, rows, form in ("worst fit", self.worst_fit, ".1f"), ("bridges", self.bridges, ".3f"):
            lines.append(f"{name}:")
            for row in rows:
                where = f"cluster {row.cluster}, degree {row.degree}: {row.told}"
                lines.append(f"  {row.name}: {row.score:{form}} ({where})")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class _Profile:
    """Numbers of neighbors in each cluster: of the vertices, and together of the members of each cluster.

    The prior has the numbers that are added to those of the other members, and `weight` is its sum.
    """

    neighbors: sparse.csr_array
    labels: Integers
    degrees: Array
    together: sparse.csr_array
    weight: float
    prior: Array

    @classmethod
    def of(cls, graph: Adjacency, labels: Integers) -> Self:
        n, k = len(labels), int(labels.max()) + 1
        member: sparse.csr_array = sparse.csr_array((np.ones(n), labels, np.arange(n + 1)), shape=(n, k))
        neighbors = sum(without_weights(rows) @ member for rows in known_arcs(graph))
        degrees, everywhere = neighbors.sum(axis=1), neighbors.sum(axis=0)
        weight = np.median(degrees[degrees > 0]) if degrees.any() else 1.0
        prior = weight * everywhere / max(everywhere.sum(), 1.0)
        return cls(neighbors, labels, degrees, member.T @ neighbors, weight, prior)

    def shares(self, members: Integers) -> tuple[Array, Array]:
        """Return members' numbers of neighbors in each cluster, and shares of the other members' neighbors."""
        counts = self.neighbors[members].toarray()
        others = self.together[self.labels[members]].toarray() - counts + self.prior
        return counts, others / others.sum(axis=1, keepdims=True)

    def residuals(self, members: Integers) -> tuple[Array, Array, Array, Array]:
        """Return squared residuals, their means and standard deviations, and participation coefficients."""
        counts, shares = self.shares(members)
        k, total = np.maximum(self.degrees[members], 1.0), self.weight + self.degrees[members]
        second, third = (shares**2).sum(axis=1), (shares**3).sum(axis=1)
        variance = 4 * (third - second**2) / k + 2 * (1 - 1 / k) * (second - 2 * third + second**2)
        residual = ((counts - k[:, None] * shares) ** 2).sum(axis=1) / k
        posterior = self.weight * shares + counts
        participation = 1 - (posterior * (posterior + 1)).sum(axis=1) / (total * (total + 1))
        # Rounding may give variances just below 0 where one share is nearly 1.
        return residual, 1 - second, np.sqrt(np.maximum(variance, 1e-12)), participation

    def vertex(self, i: int, score: float, kinds: list[Hashable], graph: Adjacency) -> UnusualVertex:
        """Return the entry of a vertex in a list."""
        (counts,), (shares,) = self.shares(np.array([i]))
        degree = int(self.degrees[i])
        most = [k for k in np.argsort(-counts, kind="stable")[:_CLUSTERS].tolist() if counts[k]]
        neighbors = {kinds[k]: (int(counts[k]), float(degree * shares[k])) for k in most}
        return UnusualVertex(name_at(graph.names, i), kinds[self.labels[i]], degree, float(score), neighbors)
