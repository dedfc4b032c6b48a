"""How badly vertices fit a fitted embedding: edges that their positions do not explain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from lpgraph._frames import data_frame
from lpgraph._html import Shown
from lpgraph.embed.rows import check_direction
from lpgraph.infer.row_residuals import RowResiduals
from lpgraph.infer.tested_vertices import TestedVertices, checked_embedding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph._frames import Backend, Column, DataFrame
    from lpgraph._html import Facts
    from lpgraph.graph.names import Names

    Array = NDArray[np.float64]

__all__ = ["Misfit", "misfit"]


@dataclass(frozen=True, eq=False, repr=False)
class Misfit(Shown):
    """How badly m vertices fit, from `misfit`.

    Attributes
    ----------
    names : ndarray of shape (m,), or range
        Names of the vertices; of rows of an array their numbers.
    unexplained : ndarray of shape (m,)
        Number of edges, or sum of weights, that a vertex has more than its position predicts; negative if less.
    scores : ndarray of shape (m,)
        `unexplained` divided by its standard error: about standard normal for a vertex of the model.
    p_values : ndarray of shape (m,)
        Two-sided: probability of at least this magnitude for a vertex of the model.
    q_values : ndarray of shape (m,)
        P-values adjusted for the number of vertices (Benjamini & Hochberg 1995).

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> ase = lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph())
    >>> lp.infer.misfit(ase, {"new": [0, 1, 2], "newer": [11, 12, 17]})
    Misfit(2 vertices, least p-value 0.204)
    """

    names: Names
    unexplained: Array
    scores: Array
    p_values: Array
    q_values: Array

    def __repr__(self) -> str:
        m = len(self.names)
        return (
            f"Misfit({m} {'vertex' if m == 1 else 'vertices'}, least p-value {self.p_values.min(initial=1.0):.3g})"
        )

    def _facts(self) -> Facts:
        worst = np.argsort(self.p_values, kind="stable")[:3]
        rows = [(f"{self.names[i]}", f"score {self.scores[i]:.2f}, q-value {self.q_values[i]:.3g}") for i in worst]
        return [("vertices", f"{len(self.names):,}"), *rows]

    def table(self, *, backend: Backend | None = None) -> DataFrame:
        """Return a data frame with the columns ``name``, ``unexplained``, ``score``, ``p_value`` and ``q_value``.

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
        >>> lp.infer.misfit(ase, [0, 11]).table()[["name", "p_value"]].round(2)
           name  p_value
        0     0     0.02
        1    11     0.46
        """
        columns: dict[str, Column] = {"name": self.names, "unexplained": self.unexplained, "score": self.scores}
        columns |= {"p_value": self.p_values, "q_value": self.q_values}
        return data_frame(self, columns, backend)


def misfit(embedding: object, vertices: object, *, direction: str = "out") -> Misfit:
    r"""Score how badly new or known vertices fit an embedding, with p-values.

    A vertex of a latent position model has the edges that its position predicts, up to chance. The score is the
    number of edges that it has more, divided by its standard error. For edges of weight 1 this is the squared
    residual :math:`|\xi - \hat p|^2`, standardised by its mean and variance.

    Parameters
    ----------
    embedding : AdjacencySpectralEmbedding or LaplacianSpectralEmbedding
        A fitted embedding.
    vertices : hashable, sequence of hashable, or new vertices
        A name or a sequence of names of known vertices; or new vertices as ``embedding.transform`` takes them: a
        mapping, rows, a graph, a data frame, or what ``embedding.read_new`` returns for an edge list.
    direction : {"out", "in"}, default "out"
        For directed graphs: arcs from the vertices, or arcs to them.

    Returns
    -------
    Misfit
        Scores, p-values, and q-values for the number of vertices.

    Raises
    ------
    NotFittedError
        If the embedding is not fitted.
    UnknownVertexError
        If a name is not a vertex of the graph.
    ArgumentError, ArgumentTypeError
        If the embedding is of another kind, was fitted with unobserved pairs, or the direction does not apply.

    See Also
    --------
    drift : a test of a stream of new vertices that also sees unusual positions and changed mixtures.

    Notes
    -----
    For least-squares positions and edges of weight 1, the squared residual exceeds its mean under the fit,
    :math:`\sum_j \hat p_j (1 - \hat p_j)`, by :math:`\sum_j \xi_j - \sum_j \hat p_j`: other residuals of ones and
    zeros say nothing. The sum is linear in the row of edges, so that its variance follows from probabilities,
    estimated as by `OutOfSample.covariance`, or of weighted graphs from squared residuals. The noise of the known
    positions, which pulls new positions towards the origin, is corrected as by ``covariance(marginal=True)``.
    Otherwise the mean of the scores would be 1.

    A vertex fits if its edges are those of *some* position. The score sees edges that no position explains: to
    vertices that the embedding describes badly, or to all vertices alike in a network with hubs. It does not see
    a position at which no known vertex is, such as that of random edges in proportion to the degrees; see `drift`.

    Known vertices are scored at the positions that they would have as new vertices in the network of the others
    (``lpgraph.embed.feedback``).

    References
    ----------
    Tang, M., Park, Y. & Priebe, C. E. (2013), "Out-of-sample extension for latent position graphs",
    arXiv:1305.4893, Definition 1. Benjamini, Y. & Hochberg, Y. (1995), "Controlling the false discovery rate",
    JRSS B 57.

    Examples
    --------
    New vertices of the model, and one with edges to vertices of low degree:

    >>> import numpy as np
    >>> import lpgraph as lp
    >>> factors = np.linspace(0.1, 1, 300)
    >>> graph = lp.random_dot_product_graph(0.6 * factors[:, None], random_state=0)
    >>> ase = lp.AdjacencySpectralEmbedding(1).fit(graph)
    >>> lp.infer.misfit(ase, graph.new_vertices(3, random_state=1)).p_values.round(2)
    array([0.25, 0.56, 0.8 ])
    >>> lp.infer.misfit(ase, {"new": range(0, 100, 4)}).scores.round(1)
    array([12.4])
    """
    checked = checked_embedding(embedding)
    check_direction(direction, checked.directed_)
    tested = TestedVertices.of("vertices", vertices, checked, (direction,))
    residuals = RowResiduals.of(checked, direction)
    if tested.rows is None:
        sums, errors = residuals.of_new(tested.edges(checked, direction))
    else:
        sums, errors = residuals.of_known(tested.rows)
    scores = sums / errors
    p_values = 2 * stats.norm.sf(np.abs(scores))
    return Misfit(tested.names, sums, scores, p_values, np.asarray(stats.false_discovery_control(p_values)))
