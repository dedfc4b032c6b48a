"""Degree-corrected block model of a graph, by maximum likelihood.

The number N_ij of edges of a pair is Poisson with mean l_ij = w_i v_j B_kl, as in Karrer & Newman (2011), and the
graph shows which numbers are not 0: p_ij = 1 - exp(-l_ij). Then the log-likelihood

    sum over edges of log(exp(l_ij) - 1)  -  sum over pairs of l_ij

is that of a graph without multiple edges, and the second sum is one over blocks. No probability exceeds 1, which
w_i v_j B_kl itself does where two hubs meet.

The EM algorithm replaces each edge by the expected number l / (1 - exp(-l)), given that it is not 0, and then
solves Karrer & Newman's equations for these numbers. If there are no loops, the numbers on the diagonal are
missing as well and are replaced by their means, so that the solution has a closed form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.infer.cluster import VertexClustering
from lpgraph.infer.fit.blocks import read_blocks
from lpgraph.infer.fit.model_fit import ModelFit, read_graph_to_fit, vertex_penalty
from lpgraph.models.kernels import PoissonBlockMatrix
from lpgraph.models.positions import Fixed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.infer.fit.blocks import Blocks

    Array = NDArray[np.float64]

__all__ = ["DegreeCorrectedFit", "fit_degree_corrected_block_model"]

#: Steps of the EM algorithm, and the gain of log-likelihood per vertex at which it ends.
_STEPS, _GAIN = 1000, 1e-9


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class DegreeCorrectedFit(ModelFit):
    """A degree-corrected block model fitted to a graph by `fit_degree_corrected_block_model`.

    The probability of an edge from vertex i to vertex j is ``1 - exp(-weights[i] weights_in[j] B[k, l])``, where k
    and l are their blocks; in an undirected graph `weights_in` is `weights`.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        The block of each vertex.
    blocks : ndarray of shape (K,)
        The distinct labels, sorted: the rows and columns of `B`.
    B : ndarray of shape (K, K)
        Sums of the means of all pairs between two blocks; within a block of an undirected graph, of both orders.
    weights, weights_in : ndarray of shape (n,)
        Weights of the vertices as sources and as targets of edges; their sum in each block is 1.
    graph, loops, log_likelihood, n_parameters, penalty
        See `ModelFit`.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> weights = np.tile(np.linspace(0.2, 1.0, 50), 2)
    >>> B = [[0.4, 0.1], [0.1, 0.4]]
    >>> graph = lp.degree_corrected_block_model([50, 50], B, weights, random_state=0)
    >>> fit = lp.fit_degree_corrected_block_model(graph, graph.labels)
    >>> round(float(np.corrcoef(fit.weights, weights)[0, 1]), 2)
    0.74
    """

    labels: NDArray[np.generic]
    blocks: NDArray[np.generic]
    B: Array
    weights: Array
    weights_in: Array

    def _kernel_and_positions(self) -> tuple[PoissonBlockMatrix, Fixed]:
        sides = (self.weights, self.weights_in) if self.directed else (self.weights,)
        codes = np.searchsorted(self.blocks, self.labels)
        return PoissonBlockMatrix(self.B), Fixed(np.column_stack([codes, *sides]), self.labels)


def fit_degree_corrected_block_model(
    graph: object,
    labels: object = None,
    *,
    n_blocks: int | Iterable[int] | None = None,
    loops: bool | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> DegreeCorrectedFit:
    """Fit a degree-corrected block model to a graph.

    The mean number of edges between vertices i and j is ``w_i w_j B_kl``, and they are joined if it is not 0, with
    probability ``1 - exp(-w_i w_j B_kl)``. In a directed graph, vertices have one weight as sources and one as
    targets of arcs.

    Parameters
    ----------
    graph : graph
        Any input of `lpgraph.as_adjacency`, without edge weights.
    labels : array-like of shape (n,), mapping or Series, optional
        The block of each vertex, in the order of the vertices or by name. Default: blocks are found by
        `VertexClustering`, which refines them by the likelihood of a degree-corrected block model.
    n_blocks : int or iterable of int, optional
        If `labels` is None: the number of blocks, or the numbers to choose from. Default: chosen by clustering.
    loops : bool, optional
        Whether the model has loops, so that a vertex and itself are a pair. Default: whether the graph has any.
    random_state : int, Generator or None, default 0
        Seed of the clustering.

    Returns
    -------
    DegreeCorrectedFit
        The maximum likelihood fit, given the blocks. Each of some ten to a thousand steps takes time proportional
        to vertices and edges; they end when the log-likelihood grows by less than 1e-9 of its value.

    Raises
    ------
    GraphError
        If the graph has edge weights, loops in spite of ``loops=False``, or no pair of vertices.
    ArgumentError
        If both labels and n_blocks are passed, or a label is missing.

    Notes
    -----
    The log-likelihood is the exact one of the graph without multiple edges, ``sum over edges of log(exp(l) - 1)``
    minus ``sum over pairs of l`` for the means l, so that its `bic` can be compared with that of other models. The
    Poisson log-likelihood of Karrer & Newman (2011), equation (14), is of graphs with multiple edges. Means that
    have no finite estimate, as of a vertex that is joined to all others, grow until the steps end.

    References
    ----------
    Karrer, B. & Newman, M. E. J. (2011), "Stochastic blockmodels and community structure in networks", Physical
    Review E 83. Dempster, A., Laird, N. & Rubin, D. (1977), "Maximum likelihood from incomplete data via the EM
    algorithm", Journal of the Royal Statistical Society B 39.

    Examples
    --------
    >>> import networkx as nx, lpgraph as lp
    >>> club = nx.karate_club_graph()
    >>> sides = dict(club.nodes(data="club"))
    >>> fit = lp.fit_degree_corrected_block_model(lp.as_adjacency(club, weight=None), sides)
    >>> fit.n_parameters  # 3 of pairs of blocks, and 34 weights with 2 given sums
    35
    >>> float(fit.probabilities([33]).sum().round(1))  # the expected degree of the officer, who has 17 friends
    16.5
    """
    adjacency, has_loops = read_graph_to_fit(graph, loops)

    def find(numbers: list[int] | None) -> NDArray[np.intp]:
        clusters = VertexClustering(n_clusters=numbers, random_state=random_state).fit(adjacency)
        return np.asarray(clusters.labels_)

    blocks = read_blocks(adjacency, labels, n_blocks, find)
    steps = _Steps(adjacency, blocks, has_loops)
    log_likelihood = steps.run()
    directed, n, count = adjacency.directed, adjacency.n_vertices, blocks.count
    n_weights = (2 if directed else 1) * (n - count)
    return DegreeCorrectedFit(
        graph=adjacency,
        loops=has_loops,
        log_likelihood=log_likelihood,
        n_parameters=blocks.n_parameters(directed=directed) + n_weights,
        penalty=blocks.penalty(adjacency, has_loops) + vertex_penalty(adjacency, n_weights),
        labels=blocks.labels,
        blocks=blocks.names,
        B=steps.B,
        weights=steps.out,
        weights_in=steps.into,
    )


class _Steps:
    """The EM algorithm for the weights of vertices, `out` and `into`, and the means `B` of pairs of blocks."""

    def __init__(self, graph: Adjacency, blocks: Blocks, loops: bool) -> None:
        self._codes, self._count = blocks.codes, blocks.count
        self._directed, self._has_loops = graph.directed, loops
        self._loops = np.asarray(graph.diagonal > 0, dtype=np.float64)
        entries = graph.matrix.tocoo()
        off = entries.coords[0] != entries.coords[1]
        # Of an undirected graph, each edge in both orders.
        self._i, self._j = (ends[off] for ends in entries.coords)
        self._pair = blocks.codes[self._i] * blocks.count + blocks.codes[self._j]
        self.out: Array
        self.into: Array
        self.B: Array
        self._solve(np.ones(len(self._i)), self._loops * (1.0 if graph.directed else 2.0))

    def run(self) -> float:
        """Take steps until the log-likelihood no longer grows, and return it."""
        means, own = self._means()
        found = self._log_likelihood(means, own)
        for _ in range(_STEPS):
            before = self.out, self.into, self.B
            edges, loops = _expected(means), self._loops * _expected(own)
            if self._directed:
                self._solve(edges, loops if self._has_loops else own)
            else:
                # A loop is both ends of its vertex, but its mean occurs once in the sum over pairs, not twice.
                self._solve(edges, 2 * loops - own if self._has_loops else own)
            means, own = self._means()
            previous, found = found, self._log_likelihood(means, own)
            if found <= previous:
                self.out, self.into, self.B = before
                return previous
            if found - previous < _GAIN * abs(found):
                break
        return found

    def _solve(self, edges: Array, own: Array) -> None:
        """Set the parameters of largest likelihood for numbers of edges, and `own` on the diagonal."""
        n, count, codes = len(self._codes), self._count, self._codes
        out = np.bincount(self._i, weights=edges, minlength=n) + own
        self.out = self.into = _shares(out, codes, count)
        if self._directed:
            self.into = _shares(np.bincount(self._j, weights=edges, minlength=n) + own, codes, count)
        pairs = np.bincount(self._pair, weights=edges, minlength=count * count).reshape(count, count)
        sums = np.asarray(pairs + np.diag(np.bincount(codes, weights=own, minlength=count)), dtype=np.float64)
        self.B = sums if self._directed else (sums + sums.T) / 2

    def _means(self) -> tuple[Array, Array]:
        """Return the means of the edges, and those of a vertex with itself."""
        means = self.out[self._i] * self.into[self._j] * self.B.ravel()[self._pair]
        return means, self.out * self.into * self.B.diagonal()[self._codes]

    def _log_likelihood(self, means: Array, own: Array) -> float:
        edges = _log_expm1(means).sum() / (1 if self._directed else 2)
        loops = _log_expm1(own[self._loops > 0]).sum()
        # All weights of a block have the sum 1, unless it has no edges.
        total = self.B.sum()
        if self._directed:
            pairs = total if self._has_loops else total - own.sum()
        else:
            pairs = (total + (own.sum() if self._has_loops else -own.sum())) / 2
        return float(edges + loops - pairs)


def _expected(means: Array) -> Array:
    """Return the expected Poisson numbers that are not 0."""
    return np.divide(means, -np.expm1(-means), out=np.ones_like(means), where=means > 0)


def _log_expm1(means: Array) -> Array:
    return np.asarray(means + np.log(-np.expm1(-means)))


def _shares(values: Array, codes: NDArray[np.intp], count: int) -> Array:
    """Divide values by the sum of their block."""
    sums = np.bincount(codes, weights=values, minlength=count)[codes]
    return np.divide(values, sums, out=np.zeros_like(values), where=sums > 0)
