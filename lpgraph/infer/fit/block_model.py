"""Block models of a graph, also degree-corrected, with given blocks or with blocks that are found.

Positions of the adjacency spectral embedding are clustered into more blocks than wanted. Then the two blocks whose
merging costs least are merged, again and again, and between merges each vertex moves to its most likely block. The
path has one partition for each number of blocks, so that all numbers together cost one embedding and one k-means.

The degree-corrected model is fitted by maximum likelihood.
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
from functools import cached_property, partial
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import xlog1py, xlogy

from lpgraph._utils.checks import check_generator, check_integer
from lpgraph._utils.compiled import one_thread, slices
from lpgraph._utils.progress import tell
from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
from lpgraph.errors import ArgumentError
from lpgraph.graph.names import name_at
from lpgraph.infer._labels import known_labels
from lpgraph.infer.block_partition import block_sums, membership, numbered
from lpgraph.infer.cluster import VertexClustering
from lpgraph.infer.cluster_choice import cluster_directions, trial_numbers
from lpgraph.infer.vertices import check_numbers, embedded, log
from lpgraph.models.kernels import BlockMatrix, PoissonBlockMatrix
from lpgraph.models.positions import Fixed
from lpgraph.spectral.embedding import AtMost

from .model_fit import ModelFit, count_pairs, read_graph_to_fit, vertex_penalty

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from lpgraph._utils.types import Array, Integers, Seed
    from lpgraph.graph.adjacency import Adjacency

    Values = NDArray[np.generic]

#: Edges and pairs that are added to each pair of blocks, so that no probability is 0 or 1.
_EDGES, _PAIRS = 0.5, 1.0
#: Entries of the dense (vertices, blocks) work arrays held at a time: 64 MB.
_ENTRIES = 1 << 23
#: Largest number of blocks that is tried by default.
MOST_BLOCKS = 64
#: Blocks at the start of the first path; paths with `_MORE` times as many follow until the best has a `_MORE`-th.
_START, _MORE = 24, 3
#: Dimensions of the positions, and their residuals. With 10, 20 or as many as cross-validation chooses, criteria
#: of models of 2 to 40 blocks differ by less than 0.2%, since moves use all edges.
_DIMENSIONS, _TOL = 20, 1e-3
#: Rounds of moves after a merge, and at the end.
_ROUNDS, _LAST_ROUNDS = 3, 20
#: Starts of k-means.
_STARTS = 3
#: Vertices from which the first blocks are learnt; the others are assigned to them.
_SAMPLE = 20_000

#: Steps of the EM algorithm, and the gain of log-likelihood per vertex at which it ends.
_STEPS, _GAIN = 1000, 1e-9


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class BlockModelFit(ModelFit):
    """A stochastic block model fitted to a graph by `fit_block_model`.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        The block of each vertex.
    blocks : ndarray of shape (K,)
        The distinct labels, sorted: the rows and columns of `B`.
    B : ndarray of shape (K, K)
        Probability of an edge from a vertex of one block to one of another.
    graph, loops, log_likelihood, n_parameters, penalty
        See `ModelFit`.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([100, 50], [[0.5, 0.1], [0.1, 0.3]], random_state=0)
    >>> lp.fit_block_model(graph, graph.labels).B.round(2)
    array([[0.5 , 0.09],
           [0.09, 0.31]])
    """

    labels: Values
    blocks: Values
    B: Array

    def _kernel_and_positions(self) -> tuple[BlockMatrix, Fixed]:
        return BlockMatrix(self.B), Fixed(np.searchsorted(self.blocks, self.labels), self.labels)


def fit_block_model(
    graph: object,
    labels: object = None,
    *,
    n_blocks: int | Iterable[int] | None = None,
    loops: bool | None = None,
    random_state: Seed = 0,
) -> BlockModelFit:
    """Fit a stochastic block model to a graph.

    Parameters
    ----------
    graph : graph
        A graph in any form of `lpgraph.as_adjacency`, without edge weights.
    labels : array-like of shape (n,), mapping or Series, optional
        The block of each vertex, in the order of the vertices or by name. Default: blocks 0, 1, ... by decreasing
        size, found in the graph; see Notes.
    n_blocks : int or iterable of int, optional
        If `labels` is None: the number of blocks, or the numbers to choose from by `BlockModelFit.bic`. Default: 1
        to 64, and at most a fifth of the vertices.
    loops : bool, optional
        Whether the model has loops, so that a vertex and itself are a pair. Default: whether the graph has any.
    random_state : int, Generator or None, default 0
        Seed of the clustering.

    Returns
    -------
    BlockModelFit
        The maximum likelihood fit, given the blocks: B is the share of pairs that are joined, and 0 where there is
        no pair. Time is proportional to vertices and edges, for given blocks and for those that are found.

    Raises
    ------
    GraphError
        If the graph has edge weights, loops in spite of ``loops=False``, or no pair of vertices.
    ArgumentError
        If both labels and n_blocks are passed, a label is missing, or there are more blocks than vertices with
        different positions.

    Notes
    -----
    Blocks are found in one path for all numbers: the adjacency spectral embedding is clustered into more blocks
    than wanted, pairs of blocks are merged at least cost, and after each merge vertices move to their most likely
    blocks. The number of smallest `BlockModelFit.bic` is chosen, which is the integrated classification likelihood
    criterion of Daudin et al. (2008).

    References
    ----------
    Holland, P., Laskey, K. & Leinhardt, S. (1983), "Stochastic blockmodels: first steps", Social Networks 5.
    Daudin, J.-J., Picard, F. & Robin, S. (2008), "A mixture model for random graphs", Statistics and Computing 18.

    Examples
    --------
    >>> import networkx as nx, lpgraph as lp
    >>> club = nx.karate_club_graph()
    >>> sides = dict(club.nodes(data="club"))
    >>> fit = lp.fit_block_model(lp.as_adjacency(club, weight=None), sides)
    >>> fit.blocks, fit.B.round(2)
    (array(['Mr. Hi', 'Officer'], dtype='<U7'), array([[0.26, 0.04],
           [0.04, 0.24]]))
    """
    adjacency, has_loops = read_graph_to_fit(graph, loops)
    find = partial(_find_blocks, adjacency, has_loops, random_state)
    blocks = read_blocks(adjacency, has_loops, labels, n_blocks, find)
    return BlockModelFit(
        graph=adjacency,
        loops=has_loops,
        log_likelihood=blocks.log_likelihood,
        n_parameters=blocks.n_parameters,
        penalty=blocks.penalty,
        labels=blocks.labels,
        blocks=blocks.names,
        B=np.divide(blocks.edges, blocks.pairs, out=np.zeros_like(blocks.edges), where=blocks.pairs > 0),
    )


class Blocks:
    """Blocks of the vertices of a graph without edge weights, by the criterion of a stochastic block model.

    Parameters
    ----------
    graph : Adjacency
        The graph.
    labels : ndarray of shape (n,)
        The label of each vertex.
    loops : bool
        Whether the model has loops.
    estimated : bool
        Whether the blocks were found in the graph.

    Attributes
    ----------
    names : ndarray of shape (K,)
        The distinct labels, sorted.
    codes : ndarray of shape (n,)
        The row of each label in `names`.
    sizes : ndarray of shape (K,)
    """

    def __init__(self, graph: Adjacency, labels: Values, *, loops: bool, estimated: bool) -> None:
        self.graph, self.labels, self.loops, self.estimated = graph, labels, loops, estimated
        self.names, self.codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
        self.sizes = sizes.astype(np.float64)

    @property
    def count(self) -> int:
        """The number K of blocks."""
        return len(self.names)

    @property
    def n_parameters(self) -> int:
        """The number of free entries of a matrix of parameters of pairs of blocks."""
        return self.count**2 if self.graph.directed else self.count * (self.count + 1) // 2

    @property
    def penalty(self) -> float:
        """The penalty of a matrix of parameters of pairs of blocks, and of estimated blocks."""
        found = self.n_parameters * np.log(count_pairs(self.graph, self.loops))
        if self.estimated:
            n = len(self.codes)
            found += (self.count - 1) * np.log(n) - 2 * xlogy(self.sizes, self.sizes / n).sum()
        return float(found)

    @cached_property
    def edges(self) -> Array:
        """The (K, K) numbers of edges between blocks, as a symmetric matrix if the graph is undirected."""
        sums = block_sums(self.graph.matrix, self.codes, self.count)
        if not self.graph.directed:
            loops = np.bincount(self.codes, weights=self.graph.diagonal, minlength=self.count)
            np.fill_diagonal(sums, (sums.diagonal() + loops) / 2)
        return sums

    @cached_property
    def pairs(self) -> Array:
        """The (K, K) numbers of pairs of vertices, counted as `edges` are."""
        sizes = self.sizes
        found = np.multiply.outer(sizes, sizes)
        within = sizes * (sizes - 1) / (1 if self.graph.directed else 2)
        np.fill_diagonal(found, within + sizes if self.loops else within)
        return found

    @cached_property
    def log_likelihood(self) -> float:
        """The largest log-likelihood of the graph, given the blocks."""
        cells = _cell_likelihood(self.edges, self.pairs)
        return float((cells if self.graph.directed else np.triu(cells)).sum())

    @property
    def criterion(self) -> float:
        """The integrated classification likelihood criterion, `ModelFit.bic` of the fit: smaller is better."""
        return self.penalty - 2 * self.log_likelihood

    def others(self, labels: Integers) -> Blocks:
        """Return other blocks of the same graph."""
        return Blocks(self.graph, labels, loops=self.loops, estimated=True)

    def merged(self, count: int) -> Blocks:
        """Return a partition into `count` blocks, for which the pairs of blocks of least cost are merged.

        No block is merged twice, so that at least half of the blocks must be wanted.
        """
        costs = self._costs()
        first, second = np.triu_indices(self.count, 1)
        target, free = np.arange(self.count), np.ones(self.count, dtype=bool)
        left = self.count - count
        for pair in np.argsort(costs[first, second], kind="stable"):
            a, b = first[pair], second[pair]
            if left and free[a] and free[b]:
                target[b], free[[a, b]] = a, False
                left -= 1
        return self.others(target[self.codes])

    def _costs(self) -> Array:
        """Return what merging each two blocks adds to minus the log-likelihood of the graph and its blocks."""
        edges, pairs, sizes = self.edges, self.pairs, self.sizes
        cells = _cell_likelihood(edges, pairs)
        before, shared, after = cells.sum(axis=1), cells, _other_cells(edges, pairs)
        inside = [np.add.outer(of.diagonal(), of.diagonal()) + of for of in (edges, pairs)]
        if self.graph.directed:
            before, shared = before + cells.sum(axis=0) - cells.diagonal(), cells + cells.T
            after += _other_cells(edges.T, pairs.T)
            inside = [inside[0] + edges.T, inside[1] + pairs.T]
        after += _cell_likelihood(*inside)
        both, own = np.add.outer(sizes, sizes), xlogy(sizes, sizes)
        prior = xlogy(both, both) - np.add.outer(own, own)
        return np.asarray(np.add.outer(before, before) - shared - after - prior)

    def moved(self) -> Blocks:
        """Return the partition in which each vertex is in its most likely block, given the blocks of the others.

        A block that would lose all its vertices keeps them.
        """
        codes, count, n = self.codes, self.count, len(self.codes)
        rates = (self.edges + _EDGES) / (self.pairs + _PAIRS)
        sides = [(self.graph.matrix, rates)]
        if self.graph.directed:
            sides.append((self.graph.matrix.T.tocsr(), rates.T))
        members = membership(codes, count)
        found = np.empty_like(codes)
        for part in slices(n, _ENTRIES // count):
            scores = np.tile(np.log(self.sizes / n), (part.stop - part.start, 1))
            for arcs, p in sides:
                scores += (arcs[part] @ members).toarray() @ (np.log(p) - np.log1p(-p)).T
                # A vertex is no pair with itself.
                scores += np.log1p(-p) @ self.sizes - np.log1p(-p).T[codes[part]]
            found[part] = scores.argmax(axis=1)
        kept = np.isin(codes, found)
        return self.others(np.where(kept, found, codes))

    def improved(self, rounds: int) -> Blocks:
        """Return the partition after moves, until none makes the criterion smaller."""
        if not rounds:
            return self
        other = self.moved()
        return other.improved(rounds - 1) if other.criterion < self.criterion else self


def _cell_likelihood(edges: Array, pairs: Array) -> Array:
    """Return the largest log-likelihood of numbers of edges among numbers of pairs; 0 where there is no pair."""
    p = np.divide(edges, pairs, out=np.zeros_like(edges), where=pairs > 0)
    return np.asarray(xlogy(edges, p) + xlog1py(pairs - edges, -p))


def _other_cells(edges: Array, pairs: Array) -> Array:
    """Return the log-likelihood of the rows of each two merged blocks, without the columns of these two."""
    found = np.empty_like(edges)
    for a in range(len(edges)):
        cells = _cell_likelihood(edges[a] + edges, pairs[a] + pairs)
        found[a] = cells.sum(axis=1) - cells[:, a] - cells.diagonal()
        # Of two equal blocks both terms are one.
        found[a, a] += cells[a, a]
    return found


def read_blocks(
    graph: Adjacency,
    loops: bool,
    labels: object,
    n_blocks: int | Iterable[int] | None,
    find: Callable[[list[int] | None], Integers],
) -> Blocks:
    """Return given blocks, or those found in a graph by `find`, which takes numbers of blocks or None.

    Raises
    ------
    ArgumentError
        If both labels and n_blocks are passed, or a label is missing.
    UnknownVertexError
        If a label is for a vertex that the graph does not have.
    """
    if labels is None:
        n, numbers = graph.n_vertices, None
        if n_blocks is not None:
            numbers = check_numbers("n_blocks", n_blocks)
            check_integer("n_blocks", numbers[-1], low=1, high=n, why=f"but only {n} vertices")
        return Blocks(graph, find(numbers), loops=loops, estimated=True)
    if n_blocks is not None:
        raise ArgumentError(f"labels and n_blocks={n_blocks} were passed; pass only one of them.")
    given, known = known_labels(labels, graph.names, argument="labels")
    if not known.all():
        name = name_at(graph.names, np.argmin(known))
        raise ArgumentError(f"labels has no label of {name!r}; pass one for each vertex, or n_blocks.")
    return Blocks(graph, given, loops=loops, estimated=False)


def _find_blocks(graph: Adjacency, loops: bool, random_state: Seed, wanted: Sequence[int] | None) -> Integers:
    """Return blocks by the smallest integrated classification likelihood criterion, numbered by decreasing size.

    `wanted` are the numbers of blocks to choose from, increasing; None means 1 to 64, and at most a fifth of the
    vertices.

    References
    ----------
    Daudin, J.-J., Picard, F. & Robin, S. (2008), "A mixture model for random graphs", Statistics and Computing 18
    (the criterion). Ward, J. (1963), "Hierarchical grouping to optimize an objective function", Journal of the
    American Statistical Association 58 (merges of least cost).
    """
    if wanted is None:
        wanted = range(1, max(1, min(MOST_BLOCKS, graph.n_vertices // 5)) + 1)
    positions = np.zeros((graph.n_vertices, 1))
    if graph.n_edges:  # which need not be connected
        embedding = AdjacencySpectralEmbedding(AtMost(_DIMENSIONS), tol=_TOL)
        positions = np.hstack(embedded(embedding, graph, quiet=True))

    def path(start: int) -> Blocks:
        rng = check_generator(random_state)
        seed = int(rng.integers(1 << 31))
        sample = np.sort(rng.permutation(len(positions))[:_SAMPLE])
        most = min(start, len(np.unique(np.round(positions[sample], 6), axis=0)))
        clusters = cluster_directions(positions, sample, most, n_init=_STARTS, seed=seed)
        return _best_of_path(Blocks(graph, clusters, loops=loops, estimated=True), wanted)

    # Moves compare sums, whose last bits may depend on the number of threads.
    with one_thread():
        start = max(_START, _MORE * wanted[0])
        best = found = path(start)
        while start < _MORE * wanted[-1] and _MORE * found.count >= start:
            start = min(_MORE * start, _MORE * wanted[-1])
            found = path(start)
            best = min(best, found, key=attrgetter("criterion"))
        return numbered(best.improved(_LAST_ROUNDS).codes)


def _best_of_path(first: Blocks, wanted: Sequence[int]) -> Blocks:
    """Return the best partition of a wanted number of blocks, of those found by merging the first ones."""
    least, count = wanted[0], first.count
    if count < least:
        raise ArgumentError(f"n_blocks={least}: {count} positions are distinct; pass n_blocks <= {count}.")
    # A range has all numbers between two levels: they are tried next to the best level only.
    several = isinstance(wanted, range)
    levels = {least, *trial_numbers(count), *(() if several else wanted)}
    tried = _merged(first, [level for level in levels if least <= level <= count])
    best = min((each for each in tried if each.count in wanted), key=attrgetter("criterion"))
    if several:
        place = tried.index(best)
        above, below = tried[max(place - 1, 0)], tried[min(place + 1, len(tried) - 1)]
        between = range(below.count + 1, min(above.count - 1, wanted[-1]) + 1)
        best = min([best, *_merged(above, between)], key=attrgetter("criterion"))
    return best


def _merged(found: Blocks, numbers: Iterable[int]) -> list[Blocks]:
    """Return partitions into numbers of blocks, from the largest to the smallest, each merged from the last."""
    tried = []
    for number in sorted(numbers, reverse=True):
        merged = found.merged(number) if number < found.count else found
        found = merged.improved(_ROUNDS)
        tell(log, "%d blocks: criterion %.8g", number, found.criterion)
        tried.append(found)
    return tried


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

    labels: Values
    blocks: Values
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
    random_state: Seed = 0,
) -> DegreeCorrectedFit:
    """Fit a degree-corrected block model to a graph.

    The mean number of edges between vertices i and j is ``w_i w_j B_kl``, and they are joined if it is not 0, with
    probability ``1 - exp(-w_i w_j B_kl)``. In a directed graph, vertices have one weight as sources and one as
    targets of arcs.

    Parameters
    ----------
    graph : graph
        A graph in any form of `lpgraph.as_adjacency`, without edge weights.
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
    clustering = VertexClustering(random_state=random_state)
    blocks = read_blocks(
        adjacency,
        has_loops,
        labels,
        n_blocks,
        lambda numbers: clustering.set_params(n_clusters=numbers).fit(adjacency).labels_,
    )
    log_likelihood, weights, weights_in, B = _fit_weights(blocks)
    n_weights = (1 + adjacency.directed) * (adjacency.n_vertices - blocks.count)
    return DegreeCorrectedFit(
        graph=adjacency,
        loops=has_loops,
        log_likelihood=log_likelihood,
        n_parameters=blocks.n_parameters + n_weights,
        penalty=blocks.penalty + vertex_penalty(adjacency, n_weights),
        labels=blocks.labels,
        blocks=blocks.names,
        B=B,
        weights=weights,
        weights_in=weights_in,
    )


def _fit_weights(blocks: Blocks) -> tuple[float, Array, Array, Array]:
    """Return the log-likelihood, the weights of vertices as sources and as targets, and `B`, by EM."""
    directed, codes, count, n = blocks.graph.directed, blocks.codes, blocks.count, len(blocks.codes)
    has_loop = (blocks.graph.diagonal > 0).astype(np.float64)
    orders = 1 if directed else 2  # in which a pair of vertices occurs in the matrix
    i, j = blocks.graph.matrix.tocoo().coords
    i, j = i[i != j], j[i != j]  # of an undirected graph, each edge in both orders
    pair = codes[i] * count + codes[j]

    def solve(edges: Array, own: Array) -> tuple[Array, Array, Array]:
        """Return the parameters of largest likelihood for numbers of edges, and `own` on the diagonal."""
        out = into = _shares(np.bincount(i, edges, n) + own, codes, count)
        if directed:
            into = _shares(np.bincount(j, edges, n) + own, codes, count)
        pairs = np.bincount(pair, edges, count * count).reshape(count, count)
        sums = np.asarray(pairs + np.diag(np.bincount(codes, own, count)), dtype=np.float64)
        return out, into, sums if directed else (sums + sums.T) / 2

    def means_of(out: Array, into: Array, B: Array) -> tuple[Array, Array]:
        """Return the means of the edges, and those of a vertex with itself."""
        return out[i] * into[j] * B.ravel()[pair], out * into * B.diagonal()[codes]

    def likelihood(means: Array, own: Array, B: Array) -> float:
        edges, loops = _log_expm1(means).sum(), _log_expm1(own[has_loop > 0]).sum()
        # All weights of a block have the sum 1, unless it has no edges.
        diagonal = own.sum()
        return float((edges - (B.sum() - diagonal)) / orders + loops - diagonal * blocks.loops)

    found = solve(np.ones(len(i)), has_loop * orders)
    means, own = means_of(*found)
    largest = likelihood(means, own, found[2])
    for _ in range(_STEPS):
        # A loop is both ends of its vertex, but its mean occurs once in the sum over pairs, not twice.
        loops = orders * has_loop * _expected(own) - (orders - 1) * own
        other = solve(_expected(means), loops if blocks.loops else own)
        means, own = means_of(*other)
        after = likelihood(means, own, other[2])
        if after <= largest:
            break
        gain, found, largest = after - largest, other, after
        if gain < _GAIN * abs(after):
            break
    return largest, *found


def _expected(means: Array) -> Array:
    """Return the expected Poisson numbers that are not 0."""
    return np.divide(means, -np.expm1(-means), out=np.ones_like(means), where=means > 0)


def _log_expm1(means: Array) -> Array:
    return means + np.log(-np.expm1(-means))


def _shares(values: Array, codes: Integers, count: int) -> Array:
    """Divide values by the sum of their block."""
    sums = np.bincount(codes, weights=values, minlength=count)[codes]
    return np.divide(values, sums, out=np.zeros_like(values), where=sums > 0)
