"""Generators of pairs of graphs with correlated edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph.models.kernels import DotProduct
from lpgraph.models.named_models import blocks, dot_product, one_probability

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lpgraph.models.graphs import GraphPair

__all__ = ["correlated_block_model", "correlated_erdos_renyi", "correlated_random_dot_product_graph"]


def correlated_erdos_renyi(
    n: int,
    p: float,
    rho: float,
    *,
    directed: bool = False,
    loops: bool = False,
    edge_weights: object = None,
    random_state: object = None,
) -> GraphPair:
    """Return two Erdos-Renyi graphs with correlated edges.

    Parameters
    ----------
    n : int
        The number of vertices.
    p : float
        The probability of an edge in each graph, in [0, 1].
    rho : float
        Correlation of the entries of a pair of vertices in the two graphs, at most 1 and at least
        ``-min(p / (1 - p), (1 - p) / p)``.
    directed : bool
        Whether to draw arcs. The two arcs of a pair are independent.
    loops : bool
        Whether to draw loops, which are correlated as well.
    edge_weights : EdgeWeights or callable, optional
        Distribution of the edge weights, as in `LatentPositionModel`; independent in the two graphs.
    random_state : int, Generator or None

    Returns
    -------
    GraphPair
        The graphs ``first`` and ``second``; see `LatentPositionModel.sample_pair`.

    Raises
    ------
    ArgumentError
        If p or rho is out of range.

    References
    ----------
    Lyzinski, Fishkind & Priebe (2014), "Seeded graph matching for correlated Erdos-Renyi graphs".

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> pair = lp.correlated_erdos_renyi(400, 0.3, 0.8, random_state=0)
    >>> pairs = np.triu_indices(400, 1)
    >>> a, b = (graph.adjacency.toarray()[pairs] for graph in pair)
    >>> round(float(np.corrcoef(a, b)[0, 1]), 2)
    0.8
    """
    model = one_probability(n, p, directed=directed, loops=loops, edge_weights=edge_weights)
    return model.sample_pair(rho, random_state=random_state)


def correlated_block_model(
    sizes: ArrayLike,
    B: ArrayLike,
    rho: float,
    *,
    sparsity: float = 1.0,
    directed: bool = False,
    loops: bool = False,
    edge_weights: object = None,
    random_state: object = None,
) -> GraphPair:
    """Return two stochastic block model graphs with correlated edges.

    Parameters
    ----------
    sizes : array_like of shape (K,)
        Number of vertices in each block.
    B : array_like of shape (K, K)
        ``sparsity * B[k, l]`` is the probability of an edge from block k to block l in each graph.
    rho : float
        Correlation of the two entries of a pair of vertices; see `LatentPositionModel.sample_pair` for its range.
    sparsity : float
    directed : bool
    loops : bool
        Whether to draw loops, which are correlated as well.
    edge_weights : EdgeWeights or callable, optional
        Distribution of the edge weights, as in `LatentPositionModel`; independent in the two graphs.
    random_state : int, Generator or None

    Returns
    -------
    GraphPair
        The graphs ``first`` and ``second``, with the same labels.

    Raises
    ------
    ArgumentError
        If rho is out of range.
    ProbabilityError
        If a probability is outside [0, 1].

    Examples
    --------
    >>> import lpgraph as lp
    >>> pair = lp.correlated_block_model([60, 40], [[0.5, 0.1], [0.1, 0.5]], 0.9, random_state=0)
    >>> pair.first
    LatentPositionGraph(n_vertices=100, n_edges=1493, directed=False)
    >>> pair.first.adjacency.multiply(pair.second.adjacency).nnz // 2
    1409
    """
    model = blocks(sizes, B, sparsity=sparsity, directed=directed, loops=loops, edge_weights=edge_weights)
    return model.sample_pair(rho, random_state=random_state)


def correlated_random_dot_product_graph(
    X: ArrayLike,
    rho: float,
    *,
    rescale: bool = False,
    sparsity: float = 1.0,
    directed: bool = False,
    loops: bool = False,
    edge_weights: object = None,
    random_state: object = None,
) -> GraphPair:
    """Return two random dot product graphs on the same positions with correlated edges.

    Parameters
    ----------
    X : array_like of shape (n, p)
        Rows i, j are joined with probability ``sparsity * <X_i, X_j>`` in each graph.
    rho : float
        Correlation of the two entries of a pair of vertices; see `LatentPositionModel.sample_pair` for its range.
    rescale : bool
        Whether to divide products of positions that exceed 1, as in `random_dot_product_graph`.
    sparsity : float
    directed : bool
    loops : bool
        Whether to draw loops, which are correlated as well.
    edge_weights : EdgeWeights or callable, optional
        Distribution of the edge weights, as in `LatentPositionModel`; independent in the two graphs.
    random_state : int, Generator or None

    Returns
    -------
    GraphPair
        The graphs ``first`` and ``second``, with the same positions.

    Raises
    ------
    ArgumentError
        If rho is out of range.
    ProbabilityError
        If a probability is outside [0, 1].

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> X = np.random.default_rng(0).dirichlet([1, 1, 1], 200)
    >>> first, second = lp.correlated_random_dot_product_graph(X, 0.7, random_state=0)
    >>> first.n_vertices, second.n_vertices
    (200, 200)
    """
    model = dot_product(
        DotProduct(),
        X,
        rescale=rescale,
        sparsity=sparsity,
        directed=directed,
        loops=loops,
        edge_weights=edge_weights,
    )
    return model.sample_pair(rho, random_state=random_state)
