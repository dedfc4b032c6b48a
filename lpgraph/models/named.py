"""Graph generators: block models, dot product graphs and Erdos-Renyi graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_count, check_real
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.models.kernels import BlockMatrix, DegreeCorrectedBlockMatrix, DotProduct, IndefiniteDotProduct
from lpgraph.models.latent_position import LatentPositionModel
from lpgraph.models.positions import BlockLabels, BlockWeights, Dirichlet, Fixed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lpgraph.models.graphs import LatentPositionGraph

__all__ = [
    "degree_corrected_block_model",
    "erdos_renyi",
    "generalized_random_dot_product_graph",
    "mixed_membership_block_model",
    "random_dot_product_graph",
    "stochastic_block_model",
]


def erdos_renyi(n: int, p: float, *, directed: bool = False, random_state: object = None) -> LatentPositionGraph:
    """Return an Erdos-Renyi graph, in which all pairs are joined with the same probability.

    Parameters
    ----------
    n : int
        The number of vertices.
    p : float
        The probability of an edge, in [0, 1].
    directed : bool
    random_state : int, Generator or None

    Returns
    -------
    LatentPositionGraph
        All positions are 0; there are no labels.

    Raises
    ------
    ArgumentError
        If n < 1 or p is outside [0, 1].

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.erdos_renyi(1000, 0.01, random_state=0)
    LatentPositionGraph(n_vertices=1000, n_edges=5021, directed=False)
    """
    n = check_count("n", n)
    kernel = BlockMatrix([[check_real("p", p, low=0, high=1)]])
    return LatentPositionModel(kernel, Fixed(np.zeros(n)), directed=directed).sample(random_state=random_state)


def stochastic_block_model(
    sizes: ArrayLike,
    B: ArrayLike,
    *,
    sparsity: float = 1.0,
    directed: bool = False,
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
    positions = BlockLabels(sizes)
    kernel = BlockMatrix(B)
    _check_blocks(positions.sizes, kernel)
    model = LatentPositionModel(kernel, positions, sparsity=sparsity, directed=directed)
    return model.sample(random_state=random_state)


def degree_corrected_block_model(
    sizes: ArrayLike,
    B: ArrayLike,
    weights: ArrayLike,
    *,
    sparsity: float = 1.0,
    directed: bool = False,
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
    _check_blocks(positions.sizes, kernel)
    model = LatentPositionModel(kernel, positions, sparsity=sparsity, directed=directed)
    return model.sample(random_state=random_state)


def mixed_membership_block_model(
    n: int,
    alpha: ArrayLike,
    B: ArrayLike,
    *,
    sparsity: float = 1.0,
    directed: bool = False,
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
    model = LatentPositionModel(kernel, positions, sparsity=sparsity, directed=directed)
    return model.sample(check_count("n", n), random_state=random_state)


def random_dot_product_graph(
    X: ArrayLike, *, sparsity: float = 1.0, directed: bool = False, random_state: object = None
) -> LatentPositionGraph:
    """Return a random dot product graph on given positions.

    Parameters
    ----------
    X : array_like of shape (n, p)
        Rows i, j are joined with probability ``sparsity * <X_i, X_j>``.
    sparsity : float
    directed : bool
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
    model = LatentPositionModel(DotProduct(), Fixed(X), sparsity=sparsity, directed=directed)
    return model.sample(random_state=random_state)


def generalized_random_dot_product_graph(
    X: ArrayLike,
    signature: tuple[int, int],
    *,
    sparsity: float = 1.0,
    directed: bool = False,
    random_state: object = None,
) -> LatentPositionGraph:
    """Return a generalised random dot product graph on given positions.

    Parameters
    ----------
    X : array_like of shape (n, p + q)
        Rows i, j are joined with probability sparsity times their indefinite dot product.
    signature : (int, int)
        (p, q): the first p columns have a plus sign, the last q a minus sign.
    sparsity : float
    directed : bool
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
    if not isinstance(signature, tuple | list) or len(signature) != 2:
        raise ArgumentTypeError(f"signature={signature!r}; pass a pair (p, q) of integers.")
    kernel = IndefiniteDotProduct(*signature)
    model = LatentPositionModel(kernel, Fixed(X), sparsity=sparsity, directed=directed)
    return model.sample(random_state=random_state)


def _check_blocks(sizes: ArrayLike, kernel: BlockMatrix | DegreeCorrectedBlockMatrix) -> None:
    n_blocks = len(np.asarray(sizes))
    if n_blocks != len(kernel.matrix):
        raise ArgumentError(
            f"sizes has {n_blocks} blocks but B is {kernel.matrix.shape}; pass one size per row of B."
        )
