"""Random dot product graph model of a graph, by its adjacency spectral embedding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_real
from lpgraph._slices import slices
from lpgraph._threads import blas_alone
from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
from lpgraph.infer.fit.model_fit import ModelFit, count_pairs, read_graph_to_fit, vertex_penalty
from lpgraph.models.kernels import ClippedDotProduct
from lpgraph.models.positions import Fixed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.spectral.embedding import Dimension

    Array = NDArray[np.float64]

__all__ = ["RandomDotProductFit", "fit_random_dot_product_graph"]

#: The default of `low`, relative to the share of joined pairs. On simulated block models and dot product graphs of
#: 600 vertices, 0.03 to 0.2 have nearly the same log-likelihoods, and 0.01 and 0.5 lower ones.
_SHARE = 0.1
#: Probabilities computed at a time: 32 MB.
_CELLS = 1 << 22


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RandomDotProductFit(ModelFit):
    """A random dot product graph model fitted to a graph by `fit_random_dot_product_graph`.

    Attributes
    ----------
    positions : ndarray of shape (n, d)
        Position of each vertex, in a directed graph as a source of arcs. Columns of positive eigenvalues are
        first.
    positions_in : ndarray of shape (n, d)
        Position of each vertex as a target of arcs; `positions` itself if the graph is undirected.
    signature : (int, int)
        The numbers of columns whose products are added, and subtracted.
    low, high : float
        Products of positions below `low` and above `high` are replaced by these probabilities.
    names, directed, loops, log_likelihood, n_parameters, penalty
        See `ModelFit`.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([60, 40], [[0.1, 0.5], [0.5, 0.1]], random_state=0)
    >>> lp.fit_random_dot_product_graph(graph, 2).signature
    (1, 1)
    """

    positions: Array
    positions_in: Array
    signature: tuple[int, int]
    low: float
    high: float

    def _kernel_and_positions(self) -> tuple[ClippedDotProduct, Fixed]:
        rows = np.hstack([self.positions, self.positions_in]) if self.directed else self.positions
        return _kernel(self.signature, self.low, two_sided=self.directed), Fixed(rows)


def fit_random_dot_product_graph(
    graph: object,
    n_components: Dimension = None,
    *,
    low: float | None = None,
    loops: bool | None = None,
) -> RandomDotProductFit:
    """Fit a random dot product graph model, generalised by negative eigenvalues, to a graph.

    The positions are the adjacency spectral embedding, and the edge probability of vertices i and j is the product
    ``<X_i, X_j>`` of their positions (``<X_i, Y_j>`` if the graph is directed), clipped to ``[low, 1 - low]``.

    Parameters
    ----------
    graph : graph
        Any input of `lpgraph.as_adjacency`, without edge weights.
    n_components : int, None, str or callable
        The dimension d, as in `AdjacencySpectralEmbedding`.
    low : float, optional
        The smallest probability, in (0, 1/2]. The log-likelihood of an edge whose product is 0 or negative depends
        on it. Default: a tenth of the share of pairs that are joined, or of those that are not, whichever is less.
    loops : bool, optional
        Whether the model has loops, so that a vertex and itself are a pair. Default: whether the graph has any.

    Returns
    -------
    RandomDotProductFit
        Not the maximum likelihood fit, whose log-likelihood is larger. The time of the log-likelihood is O(n^2 d),
        in bounded memory.

    Raises
    ------
    GraphError
        If the graph has edge weights, loops in spite of ``loops=False``, or no edge.
    ArgumentError
        If n_components is larger than the rank of the matrix.

    Notes
    -----
    The number of parameters is ``n d - d (d - 1) / 2``, since a rotation of the positions changes no product, and
    ``2 n d - d^2`` for directed graphs.

    References
    ----------
    Young, S. & Scheinerman, E. (2007), "Random dot product graph models for social networks". Sussman, D., Tang,
    M., Fishkind, D. & Priebe, C. (2012), "A consistent adjacency spectral embedding for stochastic blockmodel
    graphs", Journal of the American Statistical Association 107. Rubin-Delanchy, P., Cape, J., Tang, M. & Priebe,
    C. (2022), "A statistical interpretation of spectral embedding", Journal of the Royal Statistical Society B 84.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> X = np.random.default_rng(0).dirichlet([1, 1, 1], 200)
    >>> fit = lp.fit_random_dot_product_graph(lp.random_dot_product_graph(X, random_state=0), 3)
    >>> round(float(np.abs(fit.probabilities() - X @ X.T).mean()), 2)
    0.07
    """
    adjacency, has_loops = read_graph_to_fit(graph, loops)
    pairs = count_pairs(adjacency, has_loops)
    if low is None:
        rarer = min(adjacency.n_edges, pairs - adjacency.n_edges)
        low = _SHARE * max(rarer, 1) / pairs
    else:
        low = check_real("low", low, low=0, high=0.5, open_low=True)
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
    kernel = _kernel(signature, low, two_sided=adjacency.directed)
    rows = np.hstack([positions, positions_in]) if adjacency.directed else positions
    return RandomDotProductFit(
        names=adjacency.names,
        directed=adjacency.directed,
        loops=has_loops,
        log_likelihood=_log_likelihood(adjacency, kernel, rows, loops=has_loops),
        n_parameters=n_parameters,
        penalty=vertex_penalty(adjacency, n_parameters),
        positions=positions,
        positions_in=positions_in,
        signature=signature,
        low=low,
        high=1 - low,
    )


def _kernel(signature: tuple[int, int], low: float, *, two_sided: bool) -> ClippedDotProduct:
    return ClippedDotProduct(*signature, low=low, high=1 - low, two_sided=two_sided)


def _log_likelihood(graph: Adjacency, kernel: ClippedDotProduct, x: Array, *, loops: bool) -> float:
    """Return the sum over pairs of log p for edges and log(1 - p) for others, computed in blocks of rows."""
    i, j, _ = graph.edge_list()
    parts = []
    for part in slices(len(i), _CELLS // x.shape[1]):
        p = kernel.pairs(x[i[part]], x[j[part]])
        parts.append(float((np.log(p) - np.log1p(-p)).sum()))
    own = float(np.log1p(-kernel.pairs(x, x)).sum())
    with blas_alone():
        for rows in slices(len(x), _CELLS // len(x)):
            p = kernel(x[rows], x)
            parts.append(float(np.log1p(-p).sum()) / (1 if graph.directed else 2))
    # All ordered pairs were summed, with the diagonal; of an undirected graph, half of that.
    diagonal = own if graph.directed else own / 2
    added = (0.0 if graph.directed else diagonal) if loops else -diagonal
    return float(np.sum(parts)) + added
