"""Graph generators: block models, dot product graphs and Erdos-Renyi graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import check_count, check_generator, check_integer, check_real
from lpgraph.errors import ArgumentError

from .collect import matrix_of, refuse_too_many
from .kernels import BlockMatrix, DegreeCorrectedBlockMatrix, DotProduct, IndefiniteDotProduct
from .latent_position import LatentPositionGraph, LatentPositionModel, Vertices, weighted
from .positions import BlockLabels, BlockWeights, Dirichlet, check_positions

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import ArrayLike, NDArray
    from scipy import sparse

    Index = NDArray[np.int64]

#: Pairs of more vertices would not be numbered by 64-bit integers.
_MOST_VERTICES = 3_000_000_000


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
        raise ArgumentError(f"p={p} and n_edges={n_edges}; pass either p, or the number of edges n_edges.")
    if n_edges is not None:
        pairs = _count_pairs(check_integer("n", n, low=1, high=_MOST_VERTICES), directed=directed, loops=loops)
        check_integer("n_edges", n_edges, low=0, high=pairs, why=f"but only {pairs} pairs of vertices")
        p = n_edges / max(pairs, 1)
    kernel, positions = BlockMatrix([[check_real("p", p, low=0, high=1)]]), np.zeros(check_count("n", n))
    model = LatentPositionModel(kernel, positions, directed=directed, loops=loops, edge_weights=edge_weights)
    if n_edges is None:
        return model.sample(random_state=random_state)
    rng = check_generator(random_state)
    edges = _uniform_edges(n, n_edges, rng, directed=model.directed, loops=model.loops)
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
    positions, kernel = BlockLabels(sizes), BlockMatrix(B)
    _check_blocks(positions, kernel)
    model = LatentPositionModel(
        kernel, positions, sparsity=sparsity, directed=directed, loops=loops, edge_weights=edge_weights
    )
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
    positions, kernel = BlockWeights(sizes, weights), DegreeCorrectedBlockMatrix(B)
    _check_blocks(positions, kernel)
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
    positions, kernel = Dirichlet(alpha), BlockMatrix(B)
    if np.shape(positions.alpha) != kernel.matrix.shape[:1]:
        raise ArgumentError(f"alpha has shape {np.shape(positions.alpha)}; pass one entry for each row of B.")
    model = LatentPositionModel(
        kernel, positions, sparsity=sparsity, directed=directed, loops=loops, edge_weights=edge_weights
    )
    return model.sample(check_count("n", n), random_state=random_state)


def random_dot_product_graph(
    X: ArrayLike,
    *,
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
    model = LatentPositionModel(
        DotProduct(),
        check_positions("X", X),
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
    kernel = IndefiniteDotProduct.of(signature)
    positions = kernel.prepare(X, "X")
    model = LatentPositionModel(
        kernel, positions, sparsity=sparsity, directed=directed, loops=loops, edge_weights=edge_weights
    )
    return model.sample(random_state=random_state)


def _check_blocks(positions: BlockLabels, kernel: BlockMatrix | DegreeCorrectedBlockMatrix) -> None:
    """Raise unless B has a row for each block."""
    if np.size(positions.sizes) != len(kernel.matrix):
        problem = f"sizes has {np.size(positions.sizes)} blocks"
        raise ArgumentError(f"{problem}; pass {len(kernel.matrix)}, one for each row of B.")


def _count_pairs(n: int, *, directed: bool, loops: bool) -> int:
    """Return the number of pairs of vertices that may be joined."""
    once = n * (n - 1) // 2
    return once * (2 if directed else 1) + n * loops


def _uniform_edges(n: int, n_edges: int, rng: Generator, *, directed: bool, loops: bool) -> sparse.csr_array:
    """Return a 0/1 matrix with exactly `n_edges` edges: every set of so many pairs is equally likely."""
    total = _count_pairs(n, directed=directed, loops=loops)
    refuse_too_many(n_edges)
    drawn = _subset(total, min(n_edges, total - n_edges), rng)
    if n_edges > total - n_edges:
        drawn = np.delete(np.arange(total), drawn)
    if directed:
        i, j = np.divmod(drawn, n if loops else n - 1)
        if not loops:
            j += j >= i
    else:
        # A pair i <= j is a pair i < j + 1 of one vertex more.
        i, j = _pair(drawn, n + loops)
        j -= loops
    return matrix_of([(i, j)], (n, n), mirror=not directed)


def _subset(total: int, size: int, rng: Generator) -> Index:
    """Return a uniform set of `size` <= total / 2 numbers below `total`: the first distinct ones drawn."""
    drawn = np.empty(0, dtype=np.int64)
    while len(drawn) < size:
        # About so many draws have the missing number of new ones.
        missing = size - len(drawn)
        more = rng.integers(total, size=missing + missing * size // (total - size) + 1, dtype=np.int64)
        drawn = np.concatenate([drawn, more])
        _, first = np.unique(drawn, return_index=True)
        drawn = drawn[np.sort(first)[:size]]
    return drawn


def _pair(k: Index, n: int) -> tuple[Index, Index]:
    """Return the k-th of the pairs i < j < n, in an order for which integer arithmetic suffices.

    Rows r and n - 2 - r of the triangle (r and n - 1 - r for even n) have n entries together (n - 1), so that the
    triangle is a rectangle.
    """
    even = 1 - n % 2
    r, c = np.divmod(k, n - even)
    c += even
    upper = c > r
    return np.where(upper, r, n - 2 + even - r), np.where(upper, c, n - 1 + even - c)
