"""Fitted models of a graph, Erdos-Renyi and random dot product graphs, and their comparison with samples."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import igraph
import numpy as np
from scipy.special import xlog1py, xlogy

from lpgraph._utils.checks import check_flag, check_generator, check_integer
from lpgraph._utils.compiled import blas_alone, slices
from lpgraph._utils.estimators import Shown, ShownColumns
from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.names import as_labels, code_names, index_of
from lpgraph.graph.preprocess import connected_components
from lpgraph.graph.summary import reciprocity
from lpgraph.models.kernels import BlockMatrix, ClippedDotProduct
from lpgraph.models.latent_position import LatentPositionModel
from lpgraph.models.positions import Fixed
from lpgraph.spectral.eigen import eigenpairs, singular_triplets

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    import pandas

    from lpgraph._utils.types import Array
    from lpgraph.graph.names import Names
    from lpgraph.models.kernels import Kernel
    from lpgraph.spectral.embedding import Dimension


#: Probabilities that `ModelFit.probabilities` returns at most: 1 GB.
_MOST = 1 << 27
#: Leading eigenvalues that are compared, and the bound of their residuals: their errors are of the order of 1e-4.
_VALUES, _TOL = 5, 1e-2
_QUARTILES = {"lower quartile": 0.25, "median": 0.5, "upper quartile": 0.75}

#: Least probabilities, as a share of those in a random graph with the same expected degrees. In four networks with
#: a tenth of the edges held out (email-Eu, polblogs, Cora, football), 0.03 to 0.2 predict these edges about
#: equally well, and better than 0.5.
_SHARE = 0.1
#: Probabilities computed at a time: 32 MB.
_CELLS = 1 << 22
#: Passes over all pairs that fit the expected degrees, at most, and the largest difference from the degrees at
#: which they end, in units of the root of the degree.
_PASSES, _DIFFERENCE = 40, 0.02
#: Exponent of a step of an undirected graph. With eigenvalues l of the probabilities divided by the expected
#: degrees, a step multiplies the error by 1 - power (1 + l): by a third at most for l from 0 to 1.
_POWER = 2 / 3


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelFit(Shown, ABC):
    """A random graph model fitted to a graph by maximum likelihood, or by a spectral embedding.

    Attributes
    ----------
    graph : Adjacency
        The graph, without edge weights.
    loops : bool
        Whether a vertex and itself are a pair.
    log_likelihood : float
        Natural logarithm of the probability of the graph: the sum over pairs of vertices of ``log p`` for edges
        and ``log(1 - p)`` for others.
    n_parameters : int
        Number of free parameters, without the blocks of the vertices.
    penalty : float
        What `bic` adds for the parameters. This is ``log(pairs)`` for a parameter of the graph or of a pair of
        blocks, and ``log(d + 3)`` for one of a vertex with d edges, which are what it is estimated from: its
        information does not grow with the pairs that are not joined (Volinsky & Raftery). Blocks that were
        estimated from the graph add minus twice the logarithm of their probability,
        ``-2 sum_k n_k log(n_k / n)``, and ``(K - 1) log(n)`` for its K - 1 parameters.

    References
    ----------
    Schwarz, G. (1978), "Estimating the dimension of a model", Annals of Statistics 6. Volinsky, C. & Raftery, A.
    (2000), "Bayesian information criterion for censored survival models", Biometrics 56. Daudin, J.-J., Picard, F.
    & Robin, S. (2008), "A mixture model for random graphs", Statistics and Computing 18 (the integrated
    classification likelihood, for estimated blocks).

    Examples
    --------
    >>> import networkx as nx, lpgraph as lp
    >>> club = lp.as_adjacency(nx.karate_club_graph(), weight=None)
    >>> one, two = lp.fit_erdos_renyi(club), lp.fit_degree_corrected_block_model(club, n_blocks=2)
    >>> two.bic < one.bic
    True
    >>> two.sample(random_state=0)
    Adjacency(34 vertices, 80 edges, undirected)
    """

    graph: Adjacency
    loops: bool
    log_likelihood: float
    n_parameters: int
    penalty: float

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({len(self.names)} vertices, {self.n_parameters} parameters, "
            f"log_likelihood={self.log_likelihood:.1f}, bic={self.bic:.1f})"
        )

    @property
    def names(self) -> Names:
        """The names of the vertices."""
        return self.graph.names

    @property
    def directed(self) -> bool:
        """Whether the graph is directed."""
        return self.graph.directed

    @cached_property
    def model(self) -> LatentPositionModel:
        """The fitted model, whose ``sample()`` has the vertices in the order of `names`."""
        kernel, positions = self._kernel_and_positions()
        return LatentPositionModel(kernel, positions, directed=self.directed, loops=self.loops)

    @abstractmethod
    def _kernel_and_positions(self) -> tuple[Kernel, Fixed]:
        """Return the kernel of the model, and the positions of the vertices."""

    @property
    def bic(self) -> float:
        """The Bayesian information criterion, ``penalty - 2 log_likelihood``: smaller is better.

        Models of one graph can be compared, whatever their kind.
        """
        return self.penalty - 2 * self.log_likelihood

    def probabilities(self, vertices: Iterable[Hashable] | None = None) -> Array:
        """Return edge probabilities of some vertices with all vertices, dense.

        Parameters
        ----------
        vertices : iterable of k hashables, optional
            Names of the vertices of the rows. Default: all.

        Returns
        -------
        ndarray of shape (k, n)
            Entry (i, j) is the probability of the edge or arc from the i-th of `vertices` to vertex j; 0 for a
            vertex and itself if the model has no loops.

        Raises
        ------
        UnknownVertexError
            If a name is not a vertex.
        ArgumentError
            If the result would have more than 2^27 entries.

        Examples
        --------
        >>> import lpgraph as lp
        >>> fit = lp.fit_erdos_renyi(lp.from_edges(["a", "b"], ["b", "c"]))
        >>> fit.probabilities(["b"]).round(2)
        array([[0.67, 0.  , 0.67]])
        """
        n = len(self.names)
        rows = np.arange(n)
        if vertices is not None:
            rows = code_names(as_labels(vertices, "vertices"), index_of(self.names))
        if len(rows) * n > _MOST:
            raise ArgumentError(f"{len(rows)} rows of {n} probabilities exceed {_MOST}; pass fewer vertices.")
        positions = self.model.positions.initial(None, np.random.default_rng(0))[0]
        found = self.model.probabilities(positions[rows], positions)
        if not self.loops:
            found[np.arange(len(rows)), rows] = 0.0
        return found

    def sample(self, *, random_state: object = None) -> Adjacency:
        """Return a graph drawn from the model, with the names of the vertices.

        Parameters
        ----------
        random_state : int, Generator or None
            Seed of the graph. Pass one Generator to several calls for independent graphs.

        Returns
        -------
        Adjacency
            ``model.sample(random_state=random_state)`` is the same graph with its positions.

        Examples
        --------
        >>> import numpy as np, lpgraph as lp
        >>> fit, rng = lp.fit_erdos_renyi(lp.from_edges(["a", "b"], ["b", "c"])), np.random.default_rng(0)
        >>> [fit.sample(random_state=rng).n_edges for _ in range(3)]
        [3, 2, 1]
        """
        drawn = self.model.sample(random_state=random_state)
        return Adjacency.of_canonical(drawn.matrix, self.names, drawn.directed)

    def compare(self, n_graphs: int = 20, *, random_state: object = 0) -> SampleComparison:
        """Compare the graph with samples: which of its properties the model describes, and which not.

        Parameters
        ----------
        n_graphs : int, default 20
            Number of samples, at least 2.
        random_state : int, Generator or None, default 0
            Seed of the samples.

        Returns
        -------
        SampleComparison
            Edges, degrees, triangles, clustering, components and eigenvalues of the graph and of the samples. It
            is printed as a table; `lpgraph.plot.samples` draws it.

        Examples
        --------
        >>> import networkx as nx, lpgraph as lp
        >>> club = lp.as_adjacency(nx.karate_club_graph(), weight=None)
        >>> found = lp.fit_degree_corrected_block_model(club, n_blocks=2).compare()
        >>> found.table().columns.tolist()
        ['quantity', 'network', 'mean', 'standard deviation', '5%', '95%', 'z']
        """
        n_graphs = check_integer("n_graphs", n_graphs, low=2)
        rng = check_generator(random_state)
        return compare_samples(self.graph, (self.sample(random_state=rng) for _ in range(n_graphs)))


def read_graph_to_fit(graph: object, loops: bool | None) -> tuple[Adjacency, bool]:
    """Return a graph without edge weights, and whether its model has loops.

    Raises
    ------
    GraphError
        If edges have weights other than 1, there are loops but ``loops=False``, or no pair could be joined.
    """
    adjacency = as_adjacency(graph)
    if adjacency.weighted:
        raise GraphError(
            f"The graph has weights from {adjacency.lowest_weight:g} to {adjacency.highest_weight:g}; pass "
            "lpgraph.as_adjacency(graph, weight=None), whose weights are 1."
        )
    n_loops = int(np.count_nonzero(adjacency.diagonal))
    has_loops = n_loops > 0 if loops is None else check_flag("loops", loops)
    if n_loops and not has_loops:
        raise GraphError(f'The graph has {n_loops} loops; pass loops=True, or as_adjacency(graph, loops="drop").')
    if count_pairs(adjacency, has_loops) == 0:
        raise GraphError("The graph has one vertex; pass a graph of at least two.")
    return adjacency, has_loops


def vertex_penalty(graph: Adjacency, n_parameters: float) -> float:
    """Return the penalty of so many parameters, equally many of each vertex, or of each side of a directed graph.

    Without the 3, isolated vertices would have free parameters, and Erdos-Renyi graphs of mean degree 1 would be
    taken for degree-corrected ones.
    """
    sides = [graph.degrees, graph.in_degrees] if graph.directed else [graph.degrees]
    return n_parameters * float(np.mean([np.log(degrees + 3).mean() for degrees in sides]))


def count_pairs(graph: Adjacency, loops: bool) -> int:
    """Return the number of pairs of vertices, ordered if the graph is directed."""
    n = graph.n_vertices
    return n * (n - 1) // (1 if graph.directed else 2) + n * loops


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ErdosRenyiFit(ModelFit):
    """An Erdos-Renyi model fitted to a graph by `fit_erdos_renyi`.

    Attributes
    ----------
    p : float
        The probability of an edge.
    graph, loops, log_likelihood, n_parameters, penalty
        See `ModelFit`.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.fit_erdos_renyi(lp.erdos_renyi(100, n_edges=990, random_state=0)).p
    0.2
    """

    p: float

    def _kernel_and_positions(self) -> tuple[BlockMatrix, Fixed]:
        return BlockMatrix([[self.p]]), Fixed(np.zeros(len(self.names)))


def fit_erdos_renyi(graph: object, *, loops: bool | None = None) -> ErdosRenyiFit:
    """Fit an Erdos-Renyi model, in which all pairs are joined with the same probability, to a graph.

    Parameters
    ----------
    graph : graph
        A graph in any form of `lpgraph.as_adjacency`, without edge weights.
    loops : bool, optional
        Whether the model has loops, so that a vertex and itself are a pair. Default: whether the graph has any.

    Returns
    -------
    ErdosRenyiFit
        The maximum likelihood fit: p is the share of pairs that are joined.

    Raises
    ------
    GraphError
        If the graph has edge weights, loops in spite of ``loops=False``, or no pair of vertices.

    Examples
    --------
    >>> import networkx as nx, lpgraph as lp
    >>> club = lp.as_adjacency(nx.karate_club_graph(), weight=None)
    >>> lp.fit_erdos_renyi(club)
    ErdosRenyiFit(34 vertices, 1 parameters, log_likelihood=-226.2, bic=458.7)
    """
    adjacency, has_loops = read_graph_to_fit(graph, loops)
    pairs, edges = count_pairs(adjacency, has_loops), adjacency.n_edges
    p = edges / pairs
    return ErdosRenyiFit(
        graph=adjacency,
        loops=has_loops,
        log_likelihood=float(xlogy(edges, p) + xlog1py(pairs - edges, -p)),
        n_parameters=1,
        penalty=float(np.log(pairs)),
        p=p,
    )


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RandomDotProductFit(ModelFit):
    """A random dot product graph model fitted to a graph by `fit_random_dot_product_graph`.

    The probability of an edge is ``min(high, max(<X_i, X_j>, f_i f_j))``, for the positions X and the numbers f in
    `floors`.

    Attributes
    ----------
    positions : ndarray of shape (n, d)
        Position of each vertex, in a directed graph as a source of arcs: a positive multiple of its position in
        the adjacency spectral embedding. Columns of positive eigenvalues are first.
    positions_in : ndarray of shape (n, d)
        Position of each vertex as a target of arcs; that in `positions` if the graph is undirected.
    signature : (int, int)
        The numbers of columns whose products are added, and subtracted.
    floors, floors_in : ndarray of shape (n,)
        Numbers whose product is the least probability of a pair of vertices.
    high : float
        The largest probability.
    clipped : float
        Share of the pairs whose product is replaced by the least or the largest probability.
    excess : float
        Expected edges of the products of the adjacency spectral embedding that are clipped and not rescaled,
        relative to the edges of the graph, minus 1.
    graph, loops, log_likelihood, n_parameters, penalty
        See `ModelFit`.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([60, 40], [[0.1, 0.5], [0.5, 0.1]], random_state=0)
    >>> fit = lp.fit_random_dot_product_graph(graph, 2)
    >>> fit.signature, round(fit.clipped, 3)
    ((1, 1), 0.046)
    """

    positions: Array
    positions_in: Array
    signature: tuple[int, int]
    floors: Array
    floors_in: Array
    high: float
    clipped: float
    excess: float

    def _kernel_and_positions(self) -> tuple[ClippedDotProduct, Fixed]:
        kernel = ClippedDotProduct(*self.signature, high=self.high, two_sided=self.directed)
        sides = [(self.positions, self.floors), (self.positions_in, self.floors_in)][: 1 + self.directed]
        return kernel, Fixed(np.hstack([np.column_stack(side) for side in sides]))


def fit_random_dot_product_graph(
    graph: object, n_components: Dimension = None, *, loops: bool | None = None
) -> RandomDotProductFit:
    """Fit a random dot product graph model, generalised by negative eigenvalues, to a graph.

    The positions are those of the adjacency spectral embedding, each multiplied by a positive factor. The edge
    probability of vertices i and j is the product ``<X_i, X_j>`` of their positions (``<X_i, Y_j>`` if the graph
    is directed), clipped where it is too small or too large. The factors are chosen such that the expected degree
    of each vertex is its degree in the graph; in a directed graph, both of its degrees.

    Parameters
    ----------
    graph : graph
        A graph in any form of `lpgraph.as_adjacency`, without edge weights.
    n_components : int, None, str or callable
        The dimension d, as in `AdjacencySpectralEmbedding`.
    loops : bool, optional
        Whether the model has loops, so that a vertex and itself are a pair. Default: whether the graph has any.

    Returns
    -------
    RandomDotProductFit
        Not the maximum likelihood fit, whose log-likelihood is larger. Time is O(n^2 d) for each of 5 to 40 passes
        over all pairs, in bounded memory.

    Raises
    ------
    GraphError
        If the graph has edge weights, loops in spite of ``loops=False``, or no edge.
    ArgumentError
        If n_components is larger than the rank of the matrix.

    Notes
    -----
    Products of estimated positions may be negative, also for joined vertices. A product below a tenth of
    ``d_i d_j / sum(d)``, the probability in the model of Chung & Lu (2002) for the degrees d, is replaced by it.
    This alone changes the expected number of edges: it grows if many products are negative, and products of
    positions that describe few vertices, such as hubs, are too small for the others. So all values are multiplied
    by ``c_i c_j > 0``, which iterative scaling finds (Sinkhorn 1967). Expected and observed degrees then differ by
    less than 2 % of the root of the degree, except where probabilities would have to be larger than `high`, as of
    a vertex that is joined to all others.

    The largest probability `high` is 1 minus a tenth of the share of pairs that are joined, or of those that are
    not, whichever is less. The number of parameters is ``n d - d (d - 1) / 2``, since a rotation of the positions
    changes no product, and ``2 n d - d^2`` for directed graphs. `penalty` also has the n parameters of the least
    probabilities (2 n if directed), times the share of pairs that are clipped.

    References
    ----------
    Young, S. & Scheinerman, E. (2007), "Random dot product graph models for social networks". Sussman, D., Tang,
    M., Fishkind, D. & Priebe, C. (2012), "A consistent adjacency spectral embedding for stochastic blockmodel
    graphs", Journal of the American Statistical Association 107. Rubin-Delanchy, P., Cape, J., Tang, M. & Priebe,
    C. (2022), "A statistical interpretation of spectral embedding", Journal of the Royal Statistical Society B 84.
    Chung, F. & Lu, L. (2002), "Connected components in random graphs with given expected degree sequences",
    Annals of Combinatorics 6. Sinkhorn, R. (1967), "Diagonal equivalence to matrices with prescribed row and
    column sums", American Mathematical Monthly 74.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> X = np.random.default_rng(0).dirichlet([1, 1, 1], 200)
    >>> graph = lp.random_dot_product_graph(X, random_state=0)
    >>> fit = lp.fit_random_dot_product_graph(graph, 3)
    >>> round(float(np.abs(fit.probabilities() - X @ X.T).mean()), 2)
    0.07
    >>> graph.n_edges, round(float(fit.probabilities().sum()) / 2)
    (6611, 6613)
    """
    adjacency, has_loops = read_graph_to_fit(graph, loops)
    pairs = count_pairs(adjacency, has_loops)
    high = 1 - _SHARE * max(min(adjacency.n_edges, pairs - adjacency.n_edges), 1) / pairs
    embedding = AdjacencySpectralEmbedding(n_components).fit(adjacency)
    x, directed = embedding.embedding_, adjacency.directed
    n, d = x.shape
    scale = np.sqrt(_SHARE / adjacency.degrees.sum())
    if directed:
        signature, n_parameters = (d, 0), 2 * n * d - d * d
        ends = [(x, adjacency.degrees), (embedding.embedding_in_, adjacency.in_degrees)]
    else:
        negative = int((embedding.signature_ < 0).sum())
        signature, n_parameters = (d - negative, negative), n * d - d * (d - 1) // 2
        ends = [(x[:, np.argsort(-embedding.signature_, kind="stable")], adjacency.degrees)]
    kernel = ClippedDotProduct(*signature, high=high, two_sided=directed)
    sides = [np.column_stack([positions, scale * degrees]) for positions, degrees in ends]
    sums = _Pairs(adjacency, kernel, sides, has_loops)
    with blas_alone():
        excess = sums.fit_degrees()
        log_likelihood, clipped = sums.log_likelihood()
    out, into = sums.sides[0], sums.sides[-1]
    # Least probabilities have a parameter for each vertex and side, in so far as they are used.
    used = clipped / pairs * n * (1 + directed)
    return RandomDotProductFit(
        graph=adjacency,
        loops=has_loops,
        log_likelihood=log_likelihood,
        n_parameters=n_parameters,
        penalty=vertex_penalty(adjacency, n_parameters + used),
        positions=out[:, :-1],
        positions_in=into[:, :-1],
        signature=signature,
        floors=out[:, -1],
        floors_in=into[:, -1],
        high=high,
        clipped=clipped / pairs,
        excess=excess,
    )


class _Pairs:
    """Sums over all pairs of vertices, in blocks of rows, and the factors of the vertices.

    Of an undirected graph, only the blocks on and above the diagonal are computed, and each pair counts once.
    """

    def __init__(self, graph: Adjacency, kernel: ClippedDotProduct, sides: list[Array], loops: bool) -> None:
        self._graph, self._kernel, self._unscaled, self._loops = graph, kernel, sides, loops
        self._factors = [np.ones(len(side)) for side in sides]

    @property
    def sides(self) -> list[Array]:
        """Positions and floors, multiplied by the factors; in a directed graph also those of targets."""
        return [side * factor[:, None] for side, factor in zip(self._unscaled, self._factors, strict=True)]

    def _blocks(self, x: Array) -> Iterator[tuple[slice, slice, Array]]:
        """Yield rows, columns and probabilities of blocks; 0 for what is no pair, or the second order of one."""
        n, directed = len(x), self._graph.directed
        for rows in slices(n, _CELLS // n):
            columns = slice(0 if directed else rows.start, n)
            p = self._kernel(x[rows], x[columns])
            if not directed:
                p = np.triu(p)
            if not self._loops:
                np.fill_diagonal(p[:, rows.start - columns.start :], 0.0)
            yield rows, columns, p

    def fit_degrees(self) -> float:
        """Set the factors, and return the relative excess of the sum of the expected degrees before."""
        degrees = np.array([self._graph.degrees, self._graph.in_degrees][: len(self._factors)])
        excess = 0.0
        for k in range(_PASSES):
            expected = self._expected_degrees()
            if k == 0:
                excess = float(expected[0].sum() / degrees[0].sum()) - 1
            if (abs(expected - degrees) / np.sqrt(np.maximum(degrees, 1))).max() < _DIFFERENCE:
                break
            side = k % len(degrees)
            # 0 for vertices without an edge.
            ratio = np.divide(degrees, expected, out=np.zeros_like(expected), where=degrees > 0)[side]
            self._factors[side] = self._factors[side] * ratio ** (1 if self._graph.directed else _POWER)
        return excess

    def _expected_degrees(self) -> Array:
        """Return the sums of the rows of the probabilities, in a directed graph also of the columns."""
        found = np.zeros((2, self._graph.n_vertices))
        for rows, columns, p in self._blocks(np.hstack(self.sides)):
            found[0, rows] += p.sum(axis=1)
            found[1, columns] += p.sum(axis=0)
            if not self._graph.directed:  # a loop is in one row and in one column
                found[1, rows] -= p.diagonal()
        return found if self._graph.directed else found.sum(axis=0, keepdims=True)

    def log_likelihood(self) -> tuple[float, int]:
        """Return the sum over pairs of log p for edges and log(1 - p) for others, and how many are clipped."""
        x = np.hstack(self.sides)
        f, g = x[:, self._kernel.p + self._kernel.q], x[:, -1]
        i, j, _ = self._graph.edge_list()
        found, clipped = 0.0, 0
        for part in slices(len(i), _CELLS // x.shape[1]):
            p = self._kernel.pairs(x[i[part]], x[j[part]])
            found += float((np.log(p) - np.log1p(-p)).sum())
        for rows, columns, p in self._blocks(x):
            floor = np.multiply.outer(f[rows], g[columns])
            clipped += int(((p >= self._kernel.high) | ((p == floor) & (floor > 0))).sum())
            found += float(np.log1p(-p).sum())
        return found, clipped


@dataclass(frozen=True, eq=False, repr=False)
class SampleComparison(ShownColumns):
    """What samples of a fitted model share with the network, and what not, from `lpgraph.infer.ModelFit.compare`.

    Attributes
    ----------
    quantities : tuple of q str
        Names of the properties. Degrees do not count loops. Triangles, clustering (three times the triangles, per
        pair of edges that meet in a vertex) and components are those of the graph without directions. Eigenvalues,
        of a directed graph singular values, are the five of largest magnitude, without their signs.
    network : ndarray of shape (q,)
        Values of the network.
    samples : ndarray of shape (n_graphs, q)
        Values of the samples.

    Examples
    --------
    >>> import networkx as nx, lpgraph as lp
    >>> club = lp.as_adjacency(nx.karate_club_graph(), weight=None)
    >>> found = lp.fit_erdos_renyi(club).compare()
    >>> dict(zip(found.quantities, found.z.round(1).tolist()))["maximum degree"]
    6.5
    """

    quantities: tuple[str, ...]
    network: Array
    samples: Array

    _columns = ("quantities", "network", "mean", "standard_deviation", "z")

    @property
    def mean(self) -> Array:
        """Mean of the samples, of shape (q,)."""
        return np.asarray(self.samples.mean(axis=0))

    @property
    def standard_deviation(self) -> Array:
        """Standard deviation of the samples, of shape (q,)."""
        return np.asarray(self.samples.std(axis=0, ddof=1))

    @property
    def z(self) -> Array:
        """Network minus mean in standard deviations, of shape (q,); infinite if all samples have another value.

        Magnitudes above 3 are properties that the model does not describe.
        """
        difference, spread = self.network - self.mean, self.standard_deviation
        alike = np.where(np.abs(difference) > 1e-9 * np.abs(self.network), np.copysign(np.inf, difference), 0.0)
        return np.divide(difference, spread, out=alike, where=spread > 0)

    def table(self) -> pandas.DataFrame:
        """Return a data frame with a row for each property.

        Returns
        -------
        pandas.DataFrame
            The columns are "quantity", "network", "mean", "standard deviation", "5%" and "95%" (quantiles of the
            samples), and "z".


        Examples
        --------
        >>> import lpgraph as lp
        >>> found = lp.fit_erdos_renyi(lp.from_edges([0, 1, 2, 2], [1, 2, 0, 3])).compare()
        >>> found.table()["quantity"].tolist()[:2]
        ['edges', 'degree, lower quartile']
        """
        import pandas

        found = pandas.DataFrame({"quantity": self.quantities, "network": self.network, "mean": self.mean})
        found["standard deviation"] = self.standard_deviation
        found[["5%", "95%"]] = np.quantile(self.samples, [0.05, 0.95], axis=0).T
        return found.assign(z=self.z)

    def __repr__(self) -> str:
        return str(self.table().to_string(index=False, float_format="{:.4g}".format))


def compare_samples(graph: Adjacency, samples: Iterable[Adjacency]) -> SampleComparison:
    """Return the properties of a graph and of samples with the same vertices, which are drawn one at a time."""
    values = _values(graph)
    drawn = np.array([list(_values(sample).values()) for sample in samples])
    return SampleComparison(tuple(values), np.array(list(values.values())), drawn)


def _values(graph: Adjacency) -> dict[str, float]:
    """Return the properties of a graph by name."""
    own = graph.diagonal
    sides = {"degree": graph.degrees - own}
    if graph.directed:
        sides = {"out-degree": graph.degrees - own, "in-degree": graph.in_degrees - own}
    found: dict[str, float] = {"edges": graph.n_edges}
    for side, degrees in sides.items():
        found |= {f"{side}, {name}": float(np.quantile(degrees, share)) for name, share in _QUARTILES.items()}
        found[f"maximum {side}"] = float(degrees.max())
    if graph.directed:
        found["reciprocity"] = reciprocity(graph)
    found["triangles"], found["clustering"] = _triangles(graph)
    count, labels = connected_components(graph)
    found |= {"components": count, "largest component": int(np.bincount(labels).max())}
    kind = "singular value" if graph.directed else "eigenvalue"
    return found | {f"{kind} {k + 1}": value for k, value in enumerate(_leading(graph))}


def _triangles(graph: Adjacency) -> tuple[int, float]:
    """Return the number of triangles, and the clustering coefficient, without directions."""
    ends = np.column_stack(graph.edge_list()[:2])
    plain = igraph.Graph(n=graph.n_vertices, edges=ends).simplify()
    degrees = np.array(plain.degree(), dtype=np.float64)
    clustering = float(plain.transitivity_undirected(mode="zero"))
    return round(clustering * (degrees * (degrees - 1)).sum() / 6), clustering


def _leading(graph: Adjacency) -> list[float]:
    """Return the magnitudes of the leading eigenvalues, of a directed graph singular values; 0 without edges."""
    k = min(_VALUES, graph.n_vertices)
    if not graph.n_edges:
        return [0.0] * k
    pairs = (singular_triplets if graph.directed else eigenpairs)(graph.matrix, k, tol=_TOL)
    return sorted(np.abs(pairs.values).tolist(), reverse=True)
