"""Erdos-Renyi model of a graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import xlog1py, xlogy

from lpgraph.infer.fit.model_fit import ModelFit, count_pairs, read_graph_to_fit
from lpgraph.models.kernels import BlockMatrix
from lpgraph.models.positions import Fixed

__all__ = ["ErdosRenyiFit", "fit_erdos_renyi"]


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
        Any input of `lpgraph.as_adjacency`, without edge weights.
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
