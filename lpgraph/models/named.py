"""Graph generators: block models, dot product graphs and Erdos-Renyi graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._checks import check_count, check_generator, check_integer
from lpgraph.errors import ArgumentError
from lpgraph.models.edge_count import MOST_VERTICES, count_pairs, uniform_edges
from lpgraph.models.graphs import LatentPositionGraph
from lpgraph.models.kernels import BlockMatrix, DegreeCorrectedBlockMatrix, DotProduct, IndefiniteDotProduct
from lpgraph.models.latent_position import LatentPositionModel
from lpgraph.models.matrices import Vertices, weighted
from lpgraph.models.named_models import blocks, check_blocks, dot_product, one_probability
from lpgraph.models.positions import BlockWeights, Dirichlet

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "degree_corrected_block_model",
    "erdos_renyi",
    "generalized_random_dot_product_graph",
    "mixed_membership_block_model",
    "random_dot_product_graph",
    "stochastic_block_model",
]


def erdos_renyi(
    n: int,
    p: float | None = None,
    *,
    n_edges: int | None = None,
    directed: bool = False,
    loops: bool = False,
    edge_weights: object = None,
    random_state: object = None,
) -> LatentPositionGraph:
    """Return an Erdos-Renyi graph: all pairs have the same probability, or a given number of them is joined.

    Parameters
    ----------
    n : int
        The number of vertices.
    p : float, optional
        The probability of an edge, in [0, 1].
    n_edges : int, optional
        Instead of `p`: the exact number of edges (of arcs if directed). All sets of so many pairs are equally
        likely. Time and memory are O(n + n_edges).
    directed : bool
    loops : bool
        Whether to draw loops.
    edge_weights : EdgeWeights or callable, optional
        Distribution of the edge weights, as in `LatentPositionModel`.
    random_state : int, Generator or None

    Returns
    -------
    LatentPositionGraph
        All positions are 0; there are no labels. With `n_edges`, the probability of the model, which new vertices
        use, is the share of pairs that are joined.

    Raises
    ------
    ArgumentError
        If n < 1, p is outside [0, 1], there are fewer than `n_edges` pairs, or not exactly one of p and `n_edges`
        is passed.

    References
    ----------
    Gilbert (1959), "Random graphs" (`p`). Erdos & Renyi (1959), "On random graphs I" (`n_edges`).

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.erdos_renyi(1000, 0.01, random_state=0)
    LatentPositionGraph(n_vertices=1000, n_edges=5021, directed=False)
    >>> lp.erdos_renyi(1000, n_edges=5000, random_state=0)
    LatentPositionGraph(n_vertices=1000, n_edges=5000, directed=False)
    """
    if (p is None) == (n_edges is None):
        raise ArgumentError(
            f"p={p} and n_edges={n_edges}; pass either p, the probability of an edge, or n_edges, their number."
        )
    options: dict[str, Any] = {"directed": directed, "loops": loops, "edge_weights": edge_weights}
    if p is not None:
        return one_probability(n, p, **options).sample(random_state=random_state)
    pairs = count_pairs(check_integer("n", n, low=1, high=MOST_VERTICES), directed=directed, loops=loops)
    m = check_integer("n_edges", n_edges, low=0, high=pairs, why=f"but only {pairs} pairs of vertices")
    model = one_probability(n, m / max(pairs, 1), **options)
    rng = check_generator(random_state)
    edges = uniform_edges(n, m, rng, directed=model.directed, loops=model.loops)
    vertices = Vertices(np.zeros((n, 1)), None)
    return LatentPositionGraph(weighted(model, edges, vertices, None, rng), *vertices, model)


def stochastic_block_model(
    sizes: ArrayLike,
    B: ArrayLike,
    *,
    sparsity: float = 1.0,
    directed: bool = False,
    loops: bool = False,
    edge_weights: object = None,
    random_state: object = None,
) -> LatentPositionGraph:
    """Return a stochastic block model graph.

    Parameters
    ----------
    sizes : array_like of shape (K,)
        Number of vertices in each block; vertices are ordered by block.
    B : array_like of shape (K, K)
        ``sparsity * B[k, l]`` is the probability of an edge from block k to block l.
    sparsity : float
    directed : bool
        If False, B must be symmetric.
    loops : bool
        Whether to draw loops.
    edge_weights : EdgeWeights or callable, optional
        Distribution of the edge weights, as in `LatentPositionModel`.
    random_state : int, Generator or None

    Returns
    -------
    LatentPositionGraph
        ``labels`` are the blocks.

    References
    ----------
    Holland, Laskey & Leinhardt (1983), "Stochastic blockmodels: first steps".

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([50, 50], [[0.1, 0.5], [0.5, 0.1]], random_state=0)
    >>> graph.n_vertices, graph.labels[[0, 99]].tolist()
    (100, [0, 1])
    """
    model = blocks(sizes, B, sparsity=sparsity, directed=directed, loops=loops, edge_weights=edge_weights)
    return model.sample(random_state=random_state)


def degree_corrected_block_model(
    sizes: ArrayLike,
    B: ArrayLike,
    weights: ArrayLike,
    *,
    sparsity: float = 1.0,
    directed: bool = False,
    loops: bool = False,
    edge_weights: object = None,
    random_state: object = None,
) -> LatentPositionGraph:
    """Return a degree-corrected stochastic block model graph, with exact Bernoulli edges.

    Parameters
    ----------
    sizes : array_like of shape (K,)
    B : array_like of shape (K, K)
    weights : array_like of shape (n,)
        One weight per vertex, ordered by block. Vertices i, j are joined with probability
        ``sparsity * weights[i] * weights[j] * B[z_i, z_j]``.
    sparsity : float
    directed : bool
    loops : bool
        Whether to draw loops.
    edge_weights : EdgeWeights or callable, optional
        Distribution of the edge weights, as in `LatentPositionModel`.
    random_state : int, Generator or None

    Returns
    -------
    LatentPositionGraph
        ``labels`` are the blocks; ``positions`` has the columns (label, weight).

    Raises
    ------
    ProbabilityError
        If a pair's probability exceeds 1.

    References
    ----------
    Karrer & Newman (2011), "Stochastic blockmodels and community structure in networks".

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> weights = np.linspace(0.2, 1.0, 100)
    >>> B = [[0.9, 0.2], [0.2, 0.9]]
    >>> lp.degree_corrected_block_model([60, 40], B, weights, random_state=0).n_vertices
    100
    """
    positions = BlockWeights(sizes, weights)
    kernel = DegreeCorrectedBlockMatrix(B)
    check_blocks(positions.sizes, kernel)
    model = LatentPositionModel(
        kernel, positions, sparsity=sparsity, directed=directed, loops=loops, edge_weights=edge_weights
    )
    return model.sample(random_state=random_state)


def mixed_membership_block_model(
    n: int,
    alpha: ArrayLike,
    B: ArrayLike,
    *,
    sparsity: float = 1.0,
    directed: bool = False,
    loops: bool = False,
    edge_weights: object = None,
    random_state: object = None,
) -> LatentPositionGraph:
    r"""Return a mixed membership block model graph.

    The vertices' membership vectors are drawn from Dirichlet(alpha). Vertices with memberships x, y are joined
    with probability :math:`\rho\, x^T B y`, where :math:`\rho` is `sparsity`.

    Parameters
    ----------
    n : int
    alpha : array_like of shape (K,)
        Positive, K >= 2.
    B : array_like of shape (K, K)
    sparsity : float
    directed : bool
    loops : bool
        Whether to draw loops.
    edge_weights : EdgeWeights or callable, optional
        Distribution of the edge weights, as in `LatentPositionModel`.
    random_state : int, Generator or None

    Returns
    -------
    LatentPositionGraph
        ``positions`` are the memberships; ``labels`` is the block with the largest membership.

    References
    ----------
    Airoldi, Blei, Fienberg & Xing (2008), "Mixed membership stochastic blockmodels".

    Examples
    --------
    >>> import lpgraph as lp
    >>> B = [[0.5, 0.1], [0.1, 0.5]]
    >>> lp.mixed_membership_block_model(100, [0.3, 0.3], B, random_state=0).positions.shape
    (100, 2)
    """
    positions = Dirichlet(alpha)
    kernel = BlockMatrix(B)
    if len(np.asarray(positions.alpha)) != len(kernel.matrix):
        raise ArgumentError(
            f"alpha has {len(np.asarray(positions.alpha))} entries but B is {kernel.matrix.shape}; "
            "pass one entry per block."
        )
    model = LatentPositionModel(
        kernel, positions, sparsity=sparsity, directed=directed, loops=loops, edge_weights=edge_weights
    )
    return model.sample(check_count("n", n), random_state=random_state)


def random_dot_product_graph(
    X: ArrayLike,
    *,
    rescale: bool = False,
    sparsity: float = 1.0,
    directed: bool = False,
    loops: bool = False,
    edge_weights: object = None,
    random_state: object = None,
) -> LatentPositionGraph:
    """Return a random dot product graph on given positions.

    Parameters
    ----------
    X : array_like of shape (n, p)
        Rows i, j are joined with probability ``sparsity * <X_i, X_j>``.
    rescale : bool
        Whether to divide all probabilities by the largest product of positions, also of one with itself, if it
        exceeds 1. `positions` of the graph are then divided by its square root. Negative products are refused.
    sparsity : float
    directed : bool
    loops : bool
        Whether to draw loops.
    edge_weights : EdgeWeights or callable, optional
        Distribution of the edge weights, as in `LatentPositionModel`.
    random_state : int, Generator or None

    Returns
    -------
    LatentPositionGraph

    Raises
    ------
    ProbabilityError
        If a pair's probability is outside [0, 1].

    References
    ----------
    Young & Scheinerman (2007), "Random dot product graph models for social networks".

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> X = np.random.default_rng(0).dirichlet([1, 1, 1], 200)
    >>> lp.random_dot_product_graph(X, random_state=0).n_vertices
    200
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
    return model.sample(random_state=random_state)


def generalized_random_dot_product_graph(
    X: ArrayLike,
    signature: ArrayLike,
    *,
    rescale: bool = False,
    sparsity: float = 1.0,
    directed: bool = False,
    loops: bool = False,
    edge_weights: object = None,
    random_state: object = None,
) -> LatentPositionGraph:
    """Return a generalised random dot product graph on given positions.

    Parameters
    ----------
    X : array_like of shape (n, p + q)
        Rows i, j are joined with probability sparsity times their indefinite dot product.
    signature : (int, int) or array_like of shape (p + q,)
        (p, q): the first p columns have a plus sign, the last q a minus sign; or the sign of each column, as in
        ``signature_`` of a fitted embedding.
    rescale : bool
        Whether to divide all probabilities by the largest product of positions, also of one with itself, if it
        exceeds 1. `positions` of the graph are then divided by its square root. Negative products are refused.
    sparsity : float
    directed : bool
    loops : bool
        Whether to draw loops.
    edge_weights : EdgeWeights or callable, optional
        Distribution of the edge weights, as in `LatentPositionModel`.
    random_state : int, Generator or None

    Returns
    -------
    LatentPositionGraph

    Raises
    ------
    ProbabilityError
        If a pair's probability is outside [0, 1].

    References
    ----------
    Rubin-Delanchy, Cape, Tang & Priebe (2022), "A statistical interpretation of spectral embedding: the
    generalised random dot product graph".

    Examples
    --------
    Two disassortative blocks, each with one position:

    >>> import numpy as np, lpgraph as lp
    >>> X = np.repeat([[0.6, 0.5], [0.6, -0.5]], 50, axis=0)
    >>> lp.generalized_random_dot_product_graph(X, (1, 1), random_state=0).n_vertices
    100
    """
    model = dot_product(
        IndefiniteDotProduct.of(signature),
        X,
        rescale=rescale,
        sparsity=sparsity,
        directed=directed,
        loops=loops,
        edge_weights=edge_weights,
    )
    return model.sample(random_state=random_state)
