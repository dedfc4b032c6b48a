"""Stochastic block model of a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.infer.fit.block_search import find_blocks
from lpgraph.infer.fit.blocks import cell_likelihood, read_blocks
from lpgraph.infer.fit.model_fit import ModelFit, read_graph_to_fit
from lpgraph.models.kernels import BlockMatrix
from lpgraph.models.positions import Fixed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["BlockModelFit", "fit_block_model"]


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

    labels: NDArray[np.generic]
    blocks: NDArray[np.generic]
    B: NDArray[np.float64]

    def _kernel_and_positions(self) -> tuple[BlockMatrix, Fixed]:
        return BlockMatrix(self.B), Fixed(np.searchsorted(self.blocks, self.labels), self.labels)


def fit_block_model(
    graph: object,
    labels: object = None,
    *,
    n_blocks: int | Iterable[int] | None = None,
    loops: bool | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> BlockModelFit:
    """Fit a stochastic block model to a graph.

    Parameters
    ----------
    graph : graph
        Any input of `lpgraph.as_adjacency`, without edge weights.
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

    def find(numbers: list[int] | None) -> NDArray[np.intp]:
        return find_blocks(adjacency, numbers, loops=has_loops, random_state=random_state)

    blocks = read_blocks(adjacency, labels, n_blocks, find)
    directed = adjacency.directed
    edges, pairs = blocks.edges(adjacency), blocks.pairs(directed=directed, loops=has_loops)
    B = np.divide(edges, pairs, out=np.zeros_like(edges), where=pairs > 0)
    each = cell_likelihood(edges, pairs)
    return BlockModelFit(
        graph=adjacency,
        loops=has_loops,
        log_likelihood=float((each if directed else np.triu(each)).sum()),
        n_parameters=blocks.n_parameters(directed=directed),
        penalty=blocks.penalty(adjacency, has_loops),
        labels=blocks.labels,
        blocks=blocks.names,
        B=B,
    )
