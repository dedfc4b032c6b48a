"""Tests of the number of dimensions with parameters of one's own; embeddings take them by name."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lpgraph._articles import a_type
from lpgraph._checks import check_choice, check_integer, check_real
from lpgraph.embed.flipping import flipping
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.graph.construct import as_adjacency, as_network
from lpgraph.spectral.eigen import eigenpairs, singular_triplets
from lpgraph.spectral.operators import Bipartite, Matrix
from lpgraph.spectral.rank_rules import LARGEST, above_flips, by_residuals
from lpgraph.spectral.rank_tests import LEVEL
from lpgraph.spectral.sign_flips import FLIPS

if TYPE_CHECKING:
    import numpy as np

    from lpgraph.graph.network import Edges, Network
    from lpgraph.spectral.choice import DimensionChoice
    from lpgraph.spectral.pairs import EigenPairs, SingularTriplets

__all__ = ["residual_subsampling", "sign_flips"]

#: Bound on the residuals of the eigenpairs, and remedies if it is not reached.
_TOL, _REMEDIES = 1e-3, "a smaller max_dimension, or solver='lapack'"


def sign_flips(
    graph: object,
    max_dimension: int | None = None,
    *,
    flips: int = FLIPS,
    level: float = LEVEL,
    which: str = "LM",
    solver: str = "auto",
    random_state: int | np.random.Generator | None = 0,
) -> DimensionChoice:
    """Count the eigenvalues of an adjacency matrix above those of the matrix with random signs.

    This is the upper-edge comparison of signflip parallel analysis. ``n_components="sign_flips"`` of a network
    embedding is the same rule, with the defaults and the matrix that the embedding decomposes.

    Parameters
    ----------
    graph : graph
        Any input of `lpgraph.as_adjacency`, including weighted and directed graphs.
    max_dimension : int, optional
        The largest number of dimensions to try; None means 64, or n if this is smaller.
    flips : int, default 19
        Number of matrices with random signs. Each costs the leading eigenvalue of a matrix as large.
    level : float, default 0.05
        An eigenvalue counts if its p-value is at most this, and those of all larger ones are. The smallest p-value
        is ``1 / (flips + 1)``.
    which : {"LM", "LA"}, default "LM"
        The eigenvalues of largest magnitude, or the largest. A directed graph has singular values.
    solver : {"auto", "lapack", "lanczos"}
        See `lpgraph.spectral.eigen.eigenpairs`.
    random_state : int, Generator or None, default 0
        Seed of the signs.

    Returns
    -------
    DimensionChoice
        With the eigenvalues, those of the matrices with random signs, and p-values.

    Raises
    ------
    ArgumentError
        If no p-value can be as small as `level`, or a parameter is out of range.
    GraphError
        If the graph has no edge.

    Notes
    -----
    Random signs keep the second moments p of the entries where the noise has the variance p (1 - p): in networks
    that are not sparse, the threshold is too high by the factor :math:`(1 - p)^{-1/2}`, about.

    References
    ----------
    Hong, D., Sheng, Y. & Dobriban, E. (2020), "Selecting the number of components in PCA via random signflips",
    arXiv:2012.02985.

    Examples
    --------
    >>> import lpgraph as lp
    >>> B = [[0.05, 0.25], [0.25, 0.05]]
    >>> graph = lp.stochastic_block_model([150, 150], B, random_state=0)
    >>> found = lp.infer.dimension.sign_flips(graph)
    >>> found.n_components, found.signature
    (2, (1, 1))
    """
    network = as_network(graph)
    _check_edges(network)
    flips = check_integer("flips", flips, low=1)
    level = check_real("level", level, low=0.0, high=1.0)
    if level < 1 / (flips + 1) - 1e-9:
        least = f"{1 / (flips + 1):.3g}"
        raise ArgumentError(f"level={level:g} but the least p-value of flips={flips} is {least}; pass more flips.")
    which = check_choice("which", which, ("LM", "LA"))
    most = _most(max_dimension, network)
    flip = flipping(network, _operator)
    if flip is None:
        raise TypeError(f"The matrix of {a_type(network)} is dense.")
    pairs_of = partial(_pairs, network, which=which, solver=solver)
    return above_flips(pairs_of, flip, which, most, random_state, flips=flips, level=level)


def residual_subsampling(
    graph: object,
    max_dimension: int | None = None,
    *,
    subsample: float | None = None,
    level: float = LEVEL,
    solver: str = "auto",
    random_state: int | np.random.Generator | None = 0,
) -> DimensionChoice:
    r"""Test by the residuals of a random part of the pairs whether 1, 2, ... dimensions are enough.

    The statistic is :math:`T_k = \sqrt m \sum_{i < j} w_{ij} y_{ij} / (\sum_{i < j} w_{ij}^2)^{1/2}` for the
    residuals w of k dimensions and random y, which are 1 with probability 1 / m and otherwise 0. The number of
    dimensions is the first that a two-sided test accepts. ``n_components="residual_subsampling"`` of an
    `AdjacencySpectralEmbedding` is the same rule, with the defaults.

    Parameters
    ----------
    graph, max_dimension, solver
        As in `sign_flips`.
    subsample : float or None, default None
        One of so many pairs is sampled, m in the paper; None means the root of n, which the authors recommend, or
        more if over 5 million places were sampled otherwise.
    level : float, default 0.05
        Level of each test.
    random_state : int, Generator or None, default 0
        Seed of the sampled pairs.

    Returns
    -------
    DimensionChoice
        With the statistics and p-values of 0, 1, ... dimensions. `at_cap` says that no number was accepted.

    Raises
    ------
    ArgumentError
        If a parameter is out of range.
    GraphError
        If the graph has no edge.

    Notes
    -----
    The mean of :math:`T_k` is proportional to :math:`\sum_{l > k} \lambda_l (1^T v_l)^2`: an eigenvector whose
    entries sum to 0 is not seen, as all but the first in a model with equal blocks. Then the rule finds one
    dimension. "eigenvalue_cv" tests the same residuals along the eigenvectors of the other pairs; see the
    comparison in the documentation.

    References
    ----------
    Han, X., Yang, Q. & Fan, Y. (2019), "Universal rank inference via residual subsampling with application to
    large networks", arXiv:1912.11583.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([300, 100], [[0.5, 0.02], [0.02, 0.5]], random_state=0)
    >>> lp.infer.dimension.residual_subsampling(graph).n_components
    2
    """
    adjacency = as_adjacency(graph)
    _check_edges(adjacency)
    if subsample is not None:
        subsample = check_real("subsample", subsample, low=1.0, high=float(adjacency.n_vertices))
    level = check_real("level", level, low=0.0, high=1.0)
    pairs_of = partial(_pairs, adjacency, which="LM", solver=solver)
    most = _most(max_dimension, adjacency)
    return by_residuals(pairs_of, adjacency.product, most, random_state, subsample=subsample, level=level)


def _check_edges(network: Network) -> None:
    if network.lowest_weight == network.highest_weight == 0:
        raise GraphError(f"The graph has {network.n_vertices} vertices and no edge; it has no dimension.")


def _most(max_dimension: int | None, network: Network) -> int:
    n = network.n_vertices
    if max_dimension is None:
        return min(LARGEST, n)
    return check_integer("max_dimension", max_dimension, low=1, high=n, why=f"but only {n} vertices")


def _operator(edges: Edges) -> Bipartite | Matrix:
    return Bipartite(edges.product, transposed=edges.transposed) if edges.directed else Matrix(edges.product)


def _pairs(network: Network, k: int, *, which: str, solver: str) -> EigenPairs | SingularTriplets:
    operator = _operator(network)
    if isinstance(operator, Bipartite):
        return singular_triplets(operator, k, solver=solver, tol=_TOL, remedies=_REMEDIES)
    return eigenpairs(operator, k, which, solver=solver, tol=_TOL, remedies=_REMEDIES)
