"""Random dot product graph model of a graph, by its adjacency spectral embedding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._slices import slices
from lpgraph._threads import blas_alone
from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
from lpgraph.infer.fit.model_fit import ModelFit, count_pairs, read_graph_to_fit, vertex_penalty
from lpgraph.models.kernels import ClippedDotProduct
from lpgraph.models.positions import Fixed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.spectral.embedding import Dimension

    Array = NDArray[np.float64]

__all__ = ["RandomDotProductFit", "fit_random_dot_product_graph"]

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
        Position of each vertex as a target of arcs; `positions` itself if the graph is undirected.
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

    def __repr__(self) -> str:
        note = f", {self.clipped:.1%} of pairs clipped, {self.excess:+.1%} edges without rescaling)"
        return f"{super().__repr__()[:-1]}{note}"

    def _kernel_and_positions(self) -> tuple[ClippedDotProduct, Fixed]:
        kernel = ClippedDotProduct(*self.signature, high=self.high, two_sided=self.directed)
        return kernel, Fixed(_rows(self.positions, self.positions_in, self.floors, self.floors_in, self.directed))


def fit_random_dot_product_graph(
    graph: object,
    n_components: Dimension = None,
    *,
    loops: bool | None = None,
) -> RandomDotProductFit:
    """Fit a random dot product graph model, generalised by negative eigenvalues, to a graph.

    The positions are those of the adjacency spectral embedding, each multiplied by a positive factor. The edge
    probability of vertices i and j is the product ``<X_i, X_j>`` of their positions (``<X_i, Y_j>`` if the graph
    is directed), clipped where it is too small or too large. The factors are chosen such that the expected degree
    of each vertex is its degree in the graph; in a directed graph, both of its degrees.

    Parameters
    ----------
    graph : graph
        Any input of `lpgraph.as_adjacency`, without edge weights.
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
    x = embedding.embedding_
    n, d = x.shape
    if adjacency.directed:
        positions, positions_in, signature = x, embedding.embedding_in_, (d, 0)
        n_parameters = 2 * n * d - d * d
    else:
        order = np.argsort(-embedding.signature_, kind="stable")
        positions = positions_in = x[:, order]
        negative = int((embedding.signature_ < 0).sum())
        signature = d - negative, negative
        n_parameters = n * d - d * (d - 1) // 2
    scale = np.sqrt(_SHARE / adjacency.degrees.sum())
    floors, floors_in = scale * adjacency.degrees, scale * adjacency.in_degrees
    kernel = ClippedDotProduct(*signature, high=high, two_sided=adjacency.directed)
    sums = _Pairs(
        adjacency, kernel, _rows(positions, positions_in, floors, floors_in, adjacency.directed), has_loops
    )
    with blas_alone():
        excess = sums.fit_degrees()
        log_likelihood, clipped = sums.log_likelihood()
    positions, floors = positions * sums.out[:, None], floors * sums.out
    if adjacency.directed:
        positions_in, floors_in = positions_in * sums.into[:, None], floors_in * sums.into
    else:
        positions_in, floors_in = positions, floors
    return RandomDotProductFit(
        graph=adjacency,
        loops=has_loops,
        log_likelihood=log_likelihood,
        n_parameters=n_parameters,
        # Least probabilities have a parameter for each vertex and side, in so far as they are used.
        penalty=vertex_penalty(adjacency, n_parameters + clipped / pairs * floors.size * (1 + adjacency.directed)),
        positions=positions,
        positions_in=positions_in,
        signature=signature,
        floors=floors,
        floors_in=floors_in,
        high=high,
        clipped=clipped / pairs,
        excess=excess,
    )


def _rows(x: Array, y: Array, f: Array, g: Array, directed: bool) -> Array:
    """Return the positions of the kernel: with the floors, and in a directed graph those of both sides."""
    return np.column_stack([x, f, y, g] if directed else [x, f])


class _Pairs:
    """Sums over all pairs of vertices, in blocks of rows, and the factors `out` and `into` of the vertices.

    Of an undirected graph, only the blocks on and above the diagonal are computed.
    """

    def __init__(self, graph: Adjacency, kernel: ClippedDotProduct, x: Array, loops: bool) -> None:
        self._graph, self._kernel, self._unscaled, self._loops = graph, kernel, x, loops
        self.out = self.into = np.ones(len(x))

    @property
    def _x(self) -> Array:
        """The positions of the kernel, multiplied by the factors."""
        if not self._graph.directed:
            return self._unscaled * self.out[:, None]
        half = self._unscaled.shape[1] // 2
        return self._unscaled * np.repeat(np.column_stack([self.out, self.into]), half, axis=1)

    def _blocks(self, x: Array) -> Iterator[tuple[slice, slice, Array]]:
        """Yield rows, columns and probabilities of blocks; without loops the diagonal is 0."""
        n = len(x)
        for rows in slices(n, _CELLS // n):
            columns = slice(0 if self._graph.directed else rows.start, n)
            p = self._kernel(x[rows], x[columns])
            if not self._loops:
                own = np.arange(len(p))
                p[own, own + (rows.start if self._graph.directed else 0)] = 0.0
            yield rows, columns, p

    def fit_degrees(self) -> float:
        """Set the factors, and return the relative excess of the sum of the expected degrees before."""
        degrees, in_degrees = self._graph.degrees, self._graph.in_degrees
        root, in_root = np.sqrt(np.maximum(degrees, 1)), np.sqrt(np.maximum(in_degrees, 1))
        excess = 0.0
        for k in range(_PASSES):
            out, into = self._expected_degrees()
            if k == 0:
                excess = float(out.sum() / degrees.sum()) - 1
            if max((abs(out - degrees) / root).max(), (abs(into - in_degrees) / in_root).max()) < _DIFFERENCE:
                break
            if not self._graph.directed:
                self.out = self.into = self.out * _ratio(degrees, out) ** _POWER
            elif k % 2 == 0:
                self.out = self.out * _ratio(degrees, out)
            else:
                self.into = self.into * _ratio(in_degrees, into)
        return excess

    def _expected_degrees(self) -> tuple[Array, Array]:
        """Return the sums of the rows and of the columns of the probabilities."""
        out, into = np.zeros((2, len(self.out)))
        for rows, _, p in self._blocks(self._x):
            out[rows] += p.sum(axis=1)
            if self._graph.directed:
                into += p.sum(axis=0)
            else:
                out[rows.stop :] += p[:, len(p) :].sum(axis=0)
        return (out, into) if self._graph.directed else (out, out)

    def log_likelihood(self) -> tuple[float, int]:
        """Return the sum over pairs of log p for edges and log(1 - p) for others, and how many are clipped."""
        x = self._x
        f, g = x[:, self._kernel.p + self._kernel.q], x[:, -1]
        i, j, _ = self._graph.edge_list()
        edges, others, clipped = [], [], 0
        for part in slices(len(i), _CELLS // x.shape[1]):
            p = self._kernel.pairs(x[i[part]], x[j[part]])
            edges.append(float((np.log(p) - np.log1p(-p)).sum()))
        for rows, columns, p in self._blocks(x):
            floor = np.multiply.outer(f[rows], g[columns])
            at_bound = (p >= self._kernel.high) | ((p == floor) & (floor > 0))
            # Of an undirected graph, a block of the diagonal has each pair twice, but loops once.
            half = 0 if self._graph.directed else len(p)
            logs = np.log1p(-p)
            others.append(float(logs.sum()) - float(np.tril(logs[:, :half], -1).sum()))
            clipped += int(at_bound.sum()) - int(np.tril(at_bound[:, :half], -1).sum())
        return float(np.sum(edges) + np.sum(others)), clipped


def _ratio(degrees: Array, expected: Array) -> Array:
    """Return degrees relative to expected ones; 0 for vertices without an edge."""
    return np.divide(degrees, expected, out=np.zeros(len(degrees)), where=degrees > 0)
