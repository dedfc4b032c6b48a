"""Tests of whether two vertices have the same latent position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from lpgraph._checks import check_flag
from lpgraph._frames import data_frame
from lpgraph._threads import blas_alone
from lpgraph.errors import ArgumentError
from lpgraph.graph.names import listed
from lpgraph.infer.contrasts import Contrasts
from lpgraph.infer.pair_edges import PairEdges
from lpgraph.infer.tested_vertices import TestedVertices, checked_embedding, checked_sides

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from lpgraph._frames import Backend, Column, DataFrame
    from lpgraph.graph.names import Names

    Array = NDArray[np.float64]

__all__ = ["SamePosition", "same_position"]


@dataclass(frozen=True, eq=False)
class SamePosition:
    """Results of tests of pairs of vertices, from `same_position`.

    Attributes
    ----------
    u, v : sequence of length m
        Names of the vertices of each pair.
    statistics : ndarray of shape (m,)
        Squared Mahalanobis distances of the positions.
    degrees_of_freedom : int
        Of the chi-squared distribution of the statistics of vertices with the same position and many edges.
    p_values : ndarray of shape (m,)
        Probability of at least this distance if both have the same position.
    q_values : ndarray of shape (m,)
        P-values adjusted for the number of pairs: among the pairs with a q-value of at most a, the expected share
        of those with the same position is at most a (Benjamini & Hochberg 1995).

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> ase = lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph())
    >>> lp.infer.same_position(ase, 0, [33, 1])
    SamePosition(2 pairs, least p-value 0.00159)
    """

    u: Sequence[Hashable]
    v: Sequence[Hashable]
    statistics: Array
    degrees_of_freedom: int
    p_values: Array
    q_values: Array

    def __repr__(self) -> str:
        m = len(self.p_values)
        return f"SamePosition({m} pair{'s' * (m != 1)}, least p-value {self.p_values.min(initial=1.0):.3g})"

    def table(self, *, backend: Backend | None = None) -> DataFrame:
        """Return a data frame with the columns ``u``, ``v``, ``statistic``, ``p_value`` and ``q_value``.

        Parameters
        ----------
        backend : {"pandas", "polars"} or None
            The library of the data frame; None is pandas.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame

        Raises
        ------
        MissingDependencyError
            If the library is not installed.

        Examples
        --------
        >>> import networkx as nx
        >>> import lpgraph as lp
        >>> ase = lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph())
        >>> lp.infer.same_position(ase, 0, [33, 1]).table()[["u", "v", "p_value"]].round(3)
           u   v  p_value
        0  0  33    0.002
        1  0   1    0.958
        """
        columns: dict[str, Column] = {"u": self.u, "v": self.v, "statistic": self.statistics}
        columns |= {"p_value": self.p_values, "q_value": self.q_values}
        return data_frame(self, columns, backend)


def same_position(
    embedding: object, u: object, v: object, *, direction: str | None = None, degree_corrected: bool = False
) -> SamePosition:
    r"""Test whether two vertices have the same latent position, for one or many pairs.

    The statistic is the squared Mahalanobis distance of both positions. Its distribution is chi-squared for many
    edges if the latent positions are equal (Du & Tang 2021).

    Parameters
    ----------
    embedding : AdjacencySpectralEmbedding or LaplacianSpectralEmbedding
        A fitted embedding.
    u, v : hashable, sequence of hashable, or new vertices
        A name or a sequence of names of known vertices; or new vertices as ``embedding.transform`` takes them: a
        mapping, rows, a graph, a data frame, or what ``embedding.read_new`` returns for an edge list. One vertex
        is tested against each of several others; otherwise the vertices of `u` and `v` are pairs in their order.
    direction : {"out", "in", "both"}, optional
        For directed graphs: whether positions as sources, as targets, or both are compared. None is "both" for
        directed graphs.
    degree_corrected : bool, default False
        Whether positions are compared up to a positive factor, as in degree-corrected block models. There is one
        degree of freedom less for each direction.

    Returns
    -------
    SamePosition
        Statistics, p-values, and q-values for the number of pairs.

    Raises
    ------
    NotFittedError
        If the embedding is not fitted.
    UnknownVertexError
        If a name is not a vertex of the graph.
    ArgumentError, ArgumentTypeError
        If a vertex is compared with itself, `u` and `v` have different numbers of vertices, neither of them 1,
        the embedding has no covariances or, for `degree_corrected`, one dimension only, or new vertices of a
        directed graph lack the arcs of a direction.

    Notes
    -----
    The least-squares position of a vertex is the sum of ``xi_j b_j`` for its row of edges xi and the rows b_j of
    the extension. If two vertices have the same position, the differences ``D_j`` of their rows are independent
    with mean 0, given the network of the others. Given their squares, the sum of ``D_j b_j`` then has exactly the
    covariance :math:`\sum_j D_j^2 b_j b_j^\top`: each edge belongs to either vertex with probability 1/2. Neither
    edge probabilities nor the distribution of edge weights are needed. Arcs to and from j are taken together, so
    that reciprocated arcs need not be independent.

    With `degree_corrected`, the edges of each vertex are a random sample of the edges of both, given the degrees.
    The statistic is the distance of one position from the multiple of the other by the ratio of the degrees, in
    the directions that a factor does not change.

    The mean and the variance of the statistic follow from the edges, and the variance is smaller than that of
    chi-squared. The p-values are those of a beta distribution with these moments, and 1 for no more edges than
    degrees of freedom.

    Known vertices are compared in the network of the others (``lpgraph.embed.withdrawal``), to first order in
    their edges. Known and new positions then have the same mean if the latent positions are equal, also in sparse
    networks, in which the noise of the known positions pulls those of new vertices towards the origin. In a
    Laplacian embedding positions are compared without the factors for the degrees of the two vertices, since equal
    positions imply equal expected degrees.

    References
    ----------
    Du, X. & Tang, M. (2021), "Hypothesis testing for equality of latent positions in random graphs",
    arXiv:2105.10838. Benjamini, Y. & Hochberg, Y. (1995), "Controlling the false discovery rate", JRSS B 57.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([100, 100], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    >>> ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
    >>> found = lp.infer.same_position(ase, 0, [1, 2, 150])
    >>> found.p_values.round(2)
    array([0.21, 0.59, 0.  ])

    A new vertex, with edges to 40 of the first 80 vertices:

    >>> lp.infer.same_position(ase, [0, 150], {"new": range(0, 80, 2)}).p_values.round(2)
    array([0.01, 0.  ])
    """
    embedding = checked_embedding(embedding)
    check_flag("degree_corrected", degree_corrected)
    sides = checked_sides(direction, directed=embedding.directed_)
    d = embedding.embedding_.shape[1]
    if degree_corrected and d < 2:
        raise ArgumentError("degree_corrected=True needs at least 2 dimensions, but the embedding has 1.")
    first, second = (TestedVertices.of(name, given, embedding, sides) for name, given in (("u", u), ("v", v)))
    m = _number_of_pairs(len(first.names), len(second.names))
    names = [_repeated(part.names, m) for part in (first, second)]
    if first.comparable(second) or u is v:
        _refuse_equal(*names)
    freedom = len(sides) * (d - degree_corrected)
    with blas_alone():
        edges = PairEdges.of(embedding, first, second, sides, m)
        least = edges.mean_square(float((embedding.graph_.matrix.data**2).mean()))
        contrasts = Contrasts.proportional if degree_corrected else Contrasts.equal
        tested = [contrasts(units).test(least) for units in edges.parts()]
        statistics, p_values = (np.concatenate(found) for found in zip(*tested, strict=True))
    q_values = np.asarray(stats.false_discovery_control(p_values))
    return SamePosition(names[0], names[1], statistics, freedom, p_values, q_values)


def _number_of_pairs(first: int, second: int) -> int:
    if first == second or 1 in (first, second):
        return second if first == 1 else first
    raise ArgumentError(
        f"u has {first} vertices and v has {second}; pass as many of both, or one vertex as either of them."
    )


def _repeated(names: Names, m: int) -> Sequence[Hashable]:
    return listed(names) * (m if len(names) == 1 else 1)


def _refuse_equal(first: Sequence[Hashable], second: Sequence[Hashable]) -> None:
    for number, (name, other) in enumerate(zip(first, second, strict=True)):
        if name == other:
            raise ArgumentError(
                f"Pair {number} is the vertex {name!r} twice, which has one position; pass two vertices."
            )
