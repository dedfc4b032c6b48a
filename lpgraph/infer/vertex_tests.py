r"""Tests of vertices by a fitted embedding: how badly they fit, and whether two have the same position.

The positions y and z of a pair are sums of ``xi_j b_j`` and of ``eta_j b_j``. If both are equal, an edge to a
vertex j that is not a common neighbor belongs to either vertex with probability 1/2. Given these edges, the
difference has the covariance :math:`\sum_j (\xi_j - \eta_j)^2 b_j b_j^\top`.

If positions are equal up to a factor, the edges of the first vertex are a random sample of all N of these edges,
given the degrees. The difference ``y - r z`` for the ratio r of the degrees then has the covariance
:math:`r N / (N - 1) \sum_j (\xi_j - \eta_j)^2 b_j b_j^\top`, minus a multiple of the square of ``y + z``. The sum
``y + z`` is the same for any sample. The squared distance from the multiples of ``y + z`` does not depend on the
subtracted term.

In both cases the squared distance has exactly the mean of chi-squared, and its variance follows from the terms.

Let xi be the row of edges of a vertex, y its least-squares position and :math:`\hat p_j = \langle y, w_j\rangle`
the fitted probabilities. For edges of weight 1 the squared residual exceeds its mean under the fit by the number
of edges that are not explained,

.. math:: |\xi - \hat p|^2 - \sum_j \hat p_j (1 - \hat p_j) = \sum_j \xi_j - \sum_j \hat p_j,

since least-squares residuals are orthogonal to the fitted row. The right side is linear in xi, with the weights
:math:`e_j = 1 - \langle b_j, \sum_k w_k\rangle` for the rows b_j of the extension. So its variance
:math:`\sum_j p_j (1 - p_j) e_j^2` is a moment, as for covariances of positions.

The noise of the known positions pulls y towards the origin, so that the mean of the right side is not 0 but about
its standard deviation. The map of `Feedback.unbiased` corrects y, in e.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import add
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse, stats
from scipy.linalg import block_diag

from lpgraph._utils.checks import check_choice, check_flag, type_of
from lpgraph._utils.compiled import blas_alone, slices
from lpgraph._utils.estimators import Shown, check_fitted
from lpgraph.embed.constructions import check_direction, with_values
from lpgraph.embed.covariances import (
    EmbeddingWithCovariances,
    Feedback,
    Withdrawal,
    check_all_pairs,
    check_covariances,
    known_rows,
)
from lpgraph.embed.edge_probabilities import EdgeProbabilities, Moments
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.names import as_labels, code_names, is_among, listed, names_at
from lpgraph.graph.new_vertices import NewEdges
from lpgraph.linalg.dense_rows import rowwise_product
from lpgraph.linalg.matvec import dense
from lpgraph.linalg.packed import packed, pairs, unpacked

from .block_partition import membership

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    import pandas

    from lpgraph._utils.estimators import Facts
    from lpgraph._utils.types import Array, Integers
    from lpgraph.embed.edge_probabilities import NewVertexEstimates
    from lpgraph.graph.names import Names

#: Edges added to those of each vertex in the covariance, so that it has an inverse for vertices with few edges.
_MORE = 0.01
#: Edges added to those of each vertex in the variance of its residuals.
_MORE_EDGES = 0.5
#: Variances below this share of those by degrees are computed without moments, and have the second as least share.
_SUSPICIOUS, _LEAST = 0.25, 0.02
#: Pairs of vertices whose edges are held at a time.
_PAIRS = 32


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
        m, least = len(self.names), self.p_values.min(initial=1.0)
        return f"Misfit({m} {'vertex' if m == 1 else 'vertices'}, least p-value {least:.3g})"

    def _facts(self) -> Facts:
        return [("vertices", f"{len(self.names):,}"), ("least p-value", f"{self.p_values.min(initial=1.0):.3g}")]

    def table(self, names: Mapping[Hashable, str] | pandas.Series | None = None) -> pandas.DataFrame:
        """Return a data frame with the columns ``name``, ``unexplained``, ``score``, ``p_value`` and ``q_value``.

        Parameters
        ----------
        names : mapping or Series, optional
            Texts by the names of the vertices, such as titles, which the column ``name`` shows instead of them; a
            vertex without a text keeps its name.

        Returns
        -------
        pandas.DataFrame

        Raises
        ------
        ArgumentTypeError
            If `names` is no mapping or Series.

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
        import pandas

        texts = {} if names is None else names
        if not isinstance(texts, Mapping | pandas.Series):
            raise ArgumentTypeError(f"names is {type_of(names)}; pass a mapping or Series from names to texts.")
        shown = [texts.get(name, name) for name in listed(self.names)]
        columns = {"name": shown, "unexplained": self.unexplained, "score": self.scores}
        return pandas.DataFrame(columns | {"p_value": self.p_values, "q_value": self.q_values})


def misfit(embedding: object, vertices: object = None, *, direction: str = "out") -> Misfit:
    r"""Score how badly new or known vertices fit an embedding, with p-values.

    A vertex of a latent position model has the edges that its position predicts, up to chance. The score is the
    number of edges that it has more, divided by its standard error. For edges of weight 1 this is the squared
    residual :math:`|\xi - \hat p|^2`, standardised by its mean and variance.

    Parameters
    ----------
    embedding : AdjacencySpectralEmbedding or LaplacianSpectralEmbedding
        A fitted embedding.
    vertices : hashable, sequence of hashable, or new vertices, optional
        A name or a sequence of names of known vertices; or new vertices as ``embedding.transform`` takes them: a
        mapping, rows, a graph, a data frame, or what ``embedding.read_new`` returns for an edge list. None means
        all known vertices.
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
    (``lpgraph.embed.covariances.Feedback``).

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
    array([0.89, 0.05, 0.39])
    >>> lp.infer.misfit(ase, {"new": range(0, 100, 4)}).scores.round(1)
    array([13.5])
    """
    checked = checked_embedding(embedding)
    check_direction(direction, checked.directed_)
    vertices = checked.vertex_names_ if vertices is None else vertices
    tested = TestedVertices.of("vertices", vertices, checked, (direction,))
    known = tested.numbers if tested.known else None
    sums, errors = row_residuals(checked, direction, tested.edges[0], known)
    scores = sums / errors
    p_values = 2 * stats.norm.sf(np.abs(scores))
    return Misfit(tested.names, sums, scores, p_values, stats.false_discovery_control(p_values))


@blas_alone()
def row_residuals(
    embedding: EmbeddingWithCovariances, side: str, rows: sparse.csr_array, known: Integers | None = None
) -> tuple[Array, Array]:
    """Return the sums of weights that are not explained, and their standard errors, of m vertices.

    Those of a new vertex depend on its own row only, to the last bit.

    Parameters
    ----------
    embedding : AdjacencySpectralEmbedding or LaplacianSpectralEmbedding
        The fitted embedding.
    side : {"out", "in"}
        Which rows of a directed graph.
    rows : csr_array of shape (m, n)
        Edges of the vertices to the known ones.
    known : ndarray of shape (m,), optional
        The numbers of known vertices; each is scored as a new vertex in the network of the others.

    Returns
    -------
    sums, errors : ndarray of shape (m,)
    """
    model, feedback = EdgeProbabilities.of_embedding(embedding, side), Feedback.of(embedding, side)
    # The correction is linear, so that it is the image of the identity.
    turn, total = feedback.unbiased(np.eye(model.design.shape[1])), model.design.sum(axis=0)
    weights = 1 - model.basis @ (turn @ total)
    positions = embedding._placement(rows, side) if known is None else feedback.as_new()[known]
    new, sums = model.estimates(rows, positions), rows @ weights
    if known is not None:
        own, fitted = model.design[known], new.positions @ turn
        # There is no pair of a vertex with itself: it is taken out of the sum, and replaced by its fit in the row.
        fitted += (fitted * own).sum(axis=1)[:, None] * (model.basis[known] @ turn)
        sums = rows.sum(axis=1) - embedding.graph_.diagonal[known] - (fitted * (total - own)).sum(axis=1)
    weighted = np.full(len(sums), embedding.weighted_)
    weighted[rows.tocoo().row[rows.data != 1]] = True
    variances = np.empty(len(sums))
    if weighted.any():
        matrix = embedding.graph_.matrix
        more = _MORE_EDGES * (matrix.data**2 @ weights[matrix.indices] ** 2 / matrix.nnz)
        variances[weighted] = _by_squares(model, weights**2, rows[weighted], new[weighted]) + more
    if not weighted.all():
        variances[~weighted] = _by_probabilities(model, weights, new[~weighted])
    return sums, np.sqrt(np.maximum(variances, np.finfo(float).tiny))


def _by_probabilities(model: EdgeProbabilities, weights: Array, new: NewVertexEstimates) -> Array:
    """Return the sums of p (1 - p) e_j^2, and half an edge more, as for covariances of positions."""
    found = Moments.of(weights[:, None], model.shrunk_design).sums(model.shrunk(new))[:, 0]
    least = Moments.of(weights[:, None], model.shrunk_design[:, -1:]).sums(new.degrees[:, None])[:, 0]
    # Moments count p (1 - p) < 0 where a hub's estimated p exceeds 1; there the sum is taken term by term.
    for vertex in np.flatnonzero(found < _SUSPICIOUS * least):
        p = np.clip(model.by_positions(new[vertex : vertex + 1])[0], 0, 1)
        found[vertex] = max((p * (1 - p)) @ weights**2, _LEAST * least[vertex])
    return found + least * _MORE_EDGES / new.degrees


def _by_squares(
    model: EdgeProbabilities, squares: Array, rows: sparse.csr_array, new: NewVertexEstimates
) -> Array:
    """Return the sums of squared residuals times e_j^2: (a - p)^2 - p^2 of the edges, and p^2 of all pairs."""
    fitted = np.einsum("ek,ek->e", new.positions[rows.tocoo().row], model.design[rows.indices])
    found: Array = with_values(rows, rows.data**2 - 2 * rows.data * fitted) @ squares
    gram = (model.design.T * squares) @ model.design
    found += (rowwise_product(new.positions, gram) * new.positions).sum(axis=1)
    return np.asarray(np.maximum(found, 0.0))


@dataclass(frozen=True, eq=False)
class SamePosition(Shown):
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

    def table(self) -> pandas.DataFrame:
        """Return a data frame with the columns ``u``, ``v``, ``statistic``, ``p_value`` and ``q_value``.

        Returns
        -------
        pandas.DataFrame


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
        import pandas

        columns = {"u": self.u, "v": self.v, "statistic": self.statistics}
        return pandas.DataFrame(columns | {"p_value": self.p_values, "q_value": self.q_values})


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
        If `u` and `v` have different numbers of vertices, neither of them 1,
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

    Known vertices are compared in the network of the others (``lpgraph.embed.covariances.Withdrawal``), to first
    order in their edges. Known and new positions then have the same mean if the latent positions are equal, also
    in sparse networks, in which the noise of the known positions pulls those of new vertices towards the origin.
    In a Laplacian embedding positions are compared without the factors for the degrees of the two vertices,
    since equal positions imply equal expected degrees.

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
    ends = TestedVertices.of("u", u, embedding, sides), TestedVertices.of("v", v, embedding, sides)
    sizes = [len(end.names) for end in ends]
    if sizes[0] != sizes[1] and 1 not in sizes:
        raise ArgumentError(f"u has {sizes[0]} vertices and v has {sizes[1]}; pass as many of both, or one.")
    m = max(sizes)
    names = [listed(end.names) * (m // len(end.names)) for end in ends]
    freedom = len(sides) * (d - degree_corrected)
    with blas_alone():
        models = [EdgeProbabilities.of_embedding(embedding, side) for side in sides]
        # The mean square of the term of an edge to any vertex.
        weight = (embedding.graph_.matrix.data**2).mean()
        least = block_diag(*(of.basis.T @ of.basis * (weight / len(of.basis)) for of in models))
        units = _units(embedding, models, ends, sides, m)
        tested = [_tested(some, least, degree_corrected=degree_corrected) for some in units]
        statistics, p_values = (np.concatenate(found) for found in zip(*tested, strict=True))
    q_values = stats.false_discovery_control(p_values)
    return SamePosition(names[0], names[1], statistics, freedom, p_values, q_values)


@dataclass(frozen=True, eq=False)
class Units:
    """Vertices with an edge to either vertex of a pair, for m pairs; e is their number, k that of directions.

    Attributes
    ----------
    owners : csr_array of shape (m, e)
        1 where a unit belongs to a pair. Products with it are sums over the units of each pair.
    pairs : ndarray of shape (e,)
        The pair of each unit.
    first, second : ndarray of shape (e, k)
        Weights of the edges of the first and of the second vertex of the pair, in each direction.
    basis : ndarray of shape (e, k, d)
        Rows of the extension, in the network without those vertices of the pair that it contains.
    """

    owners: sparse.csr_array
    pairs: Integers
    first: Array
    second: Array
    basis: Array

    def terms(self, weights: Array) -> Array:
        """Return the rows of the extension times weights of shape (e, k), of shape (e, k d)."""
        e, k, d = self.basis.shape
        return (weights[:, :, None] * self.basis).reshape(e, k * d)


def _units(
    embedding: EmbeddingWithCovariances,
    models: Sequence[EdgeProbabilities],
    ends: Sequence[TestedVertices],
    sides: Sequence[str],
    m: int,
) -> Iterator[Units]:
    """Yield the units of m pairs of vertices, of some pairs at a time.

    Parameters
    ----------
    embedding : AdjacencySpectralEmbedding or LaplacianSpectralEmbedding
        The fitted embedding.
    models : sequence of EdgeProbabilities
        Those of the directions.
    ends : pair of TestedVertices
        The first and the second vertices; one vertex may be part of all pairs.
    sides : sequence of str
        The directions that are compared.
    m : int
        Number of pairs.
    """
    # The changes of the bases on the removal of known vertices.
    of_sides = zip(models, sides, strict=True)
    withdrawals = [Withdrawal.of(embedding, *of) for of in of_sides if any(end.known for end in ends)]
    places = [np.resize(np.arange(len(end.names)), m) for end in ends]
    for part in slices(m, _PAIRS):
        chosen = [of[part] for of in places]
        numbers = [end.numbers[of] for end, of in zip(ends, chosen, strict=True)]
        rows = [[of_side[of] for of_side in end.edges] for end, of in zip(ends, chosen, strict=True)]
        union = sparse.csr_array(reduce(add, map(abs, chain(*rows))))
        union.sort_indices()
        pairs, vertices = (of.astype(np.intp) for of in union.nonzero())
        # An edge between both belongs to both.
        apart = np.all([of[pairs] != vertices for of in numbers], axis=0)
        pairs, vertices = pairs[apart], vertices[apart]
        first, second = (np.column_stack([dense(of[pairs, vertices]) for of in end]) for end in rows)
        basis = np.stack([model.basis[vertices] for model in models], axis=1)
        for end, own, weights in zip(ends, numbers, (first, second), strict=True):
            for side, withdrawal in enumerate(withdrawals if end.known else []):
                basis[:, side] += withdrawal.changes(own[pairs], vertices, weights[:, side])
        owners = sparse.csr_array(membership(pairs, len(chosen[0])).T)
        yield Units(owners, pairs, first, second, basis)


def _contrasts(units: Units, *, degree_corrected: bool) -> tuple[Array, Array, Array, Array]:
    """Return contrasts, which are differences ``y - r z`` of positions of m pairs of vertices, for factors r.

    In both directions of a directed graph, positions as sources and as targets are side by side, and each
    direction has a factor; k is the number of directions. Factors are 1, or the ratios of the degrees. In the
    second case, weights are divided by those of a typical edge of their vertex, so that multiples of its weights
    do not matter.

    Returns
    -------
    offsets : ndarray of shape (m, k d)
        The differences.
    weights : ndarray of shape (e, k)
        Weights of the units in the differences, with random signs.
    scale : ndarray of shape (m, k d)
        Standard deviations of the signs.
    design : ndarray of shape (m, k d, c)
        Vectors whose multiples are added to the differences: none, or one for each direction.
    """
    owners, first, second = units.owners, units.first, units.second
    if not degree_corrected:
        offsets = owners @ units.terms(first - second)
        return offsets, first - second, np.ones_like(offsets), np.empty((*offsets.shape, 0))
    degrees, others = owners @ abs(first) + _MORE, owners @ abs(second) + _MORE
    # The root of the ratio of typical weights, sums of squares by sums.
    balance = np.sqrt((owners @ second**2 + _MORE) / others * degrees)
    balance /= np.sqrt(owners @ first**2 + _MORE)
    ratios = degrees / others * balance**2
    first, second = first * balance[units.pairs], second / balance[units.pairs]
    weights = first - second
    sums = (owners @ abs(weights)) ** 2
    shares = np.divide(owners @ weights**2, sums, out=np.ones_like(sums), where=sums > 0)
    d = units.basis.shape[2]
    # 1 / (1 - share) is N / (N - 1). If there is only one edge, the p-value is 1 anyway.
    scale = np.repeat(np.sqrt(ratios / np.maximum(1 - shares, 0.5)), d, axis=1)
    y, z = owners @ units.terms(first), owners @ units.terms(second)
    design = (y + z)[:, :, None] * np.repeat(np.eye(ratios.shape[1]), d, axis=0)
    return y - np.repeat(ratios, d, axis=1) * z, weights, scale, design


def _tested(units: Units, least: Array, *, degree_corrected: bool) -> tuple[Array, Array]:
    """Return the squared Mahalanobis distances of the differences from 0, and their p-values.

    `least` is the mean square of the term of an edge to any vertex, of shape (k d, k d).

    Given the terms, the distance is that of a sum with random signs. Its mean is the number of degrees of freedom
    f. It is also the sum of the contributions of the terms, n of equal size or `effective`. Its variance is that
    of chi-squared times ``1 - f / n``. The distribution is the multiple of a beta distribution with these moments,
    as for Gaussian terms.
    """
    offsets, weights, scale, design = _contrasts(units, degree_corrected=degree_corrected)
    products = pairs(units.terms(weights).T).T
    covariances = unpacked(units.owners @ products) + 2 * _MORE * least
    covariances *= scale[:, :, None] * scale[:, None, :]
    # In coordinates in which the covariances are the identity.
    roots = np.linalg.inv(np.linalg.cholesky(covariances))
    offsets = (roots @ offsets[:, :, None])[:, :, 0]
    along = np.linalg.qr(roots @ design)[0]
    explained = (along.mT @ offsets[:, :, None])[:, :, 0]
    distances = np.maximum((offsets**2).sum(axis=1) - (explained**2).sum(axis=1), 0.0)
    rest = roots - along @ (along.mT @ roots)
    # An entry off the diagonal occurs twice in the symmetric matrix.
    metric = packed(rest.mT @ rest * scale[:, :, None] * scale[:, None, :] * (2 - np.eye(roots.shape[1])))
    lengths = (products * metric[units.pairs]).sum(axis=1)
    freedom = design.shape[1] - design.shape[2]
    squares = units.owners @ lengths**2
    effective = (units.owners @ lengths) ** 2 / np.where(squares > 0, squares, 1.0)
    # The number of random signs, 1 less if their sum is given.
    n = units.owners @ (weights != 0).any(axis=1) - degree_corrected
    # The distance cannot exceed n. That of no more terms than dimensions does not depend on the signs.
    size, enough = np.maximum((freedom + 2) / freedom * effective - 2, n), n > freedom
    size = np.where(enough, size, freedom + 1.0)
    found = stats.beta.sf(distances / size, freedom / 2, (size - freedom) / 2)
    return distances, np.where(enough, found, 1.0)


@dataclass(frozen=True, eq=False)
class TestedVertices:
    """Vertices of a network, or new ones.

    Attributes
    ----------
    names : ndarray of shape (m,), or range
        Their names.
    known : bool
        Whether they are known.
    numbers : ndarray of shape (m,)
        The numbers of known vertices; -1 for new ones.
    edges : list of csr_array of shape (m, n)
        Their edges to the known vertices, in each direction that is compared.
    """

    __test__ = False  # not a class of tests

    names: Names
    known: bool
    numbers: Integers
    edges: list[sparse.csr_array]

    @classmethod
    def of(
        cls, argument: str, value: object, embedding: EmbeddingWithCovariances, sides: Sequence[str]
    ) -> TestedVertices:
        """Read the names of known vertices, or new vertices in any form that ``embedding.transform`` takes."""
        one: bool = isinstance(value, str | int | float | np.generic) or is_among(value, embedding.vertex_index_)
        if one:
            value = [value]
        if not isinstance(value, Sequence) and getattr(value, "ndim", 0) != 1:
            new = new_vertices(argument, value, embedding, sides)
            edges = [new.towards(side) for side in sides]
            return cls(new.names, False, np.full(len(new.names), -1), edges)
        numbers = code_names(as_labels(value, argument), embedding.vertex_index_)
        if not len(numbers):
            raise ArgumentError(f"{argument} has no vertex; pass at least one.")
        edges = [known_rows(embedding, side)[numbers] for side in sides]
        return cls(names_at(embedding.vertex_names_, numbers), True, numbers, edges)


def checked_embedding(embedding: object) -> EmbeddingWithCovariances:
    """Return a fitted embedding whose edge probabilities are known; refuse others."""
    if not isinstance(embedding, EmbeddingWithCovariances):
        kinds = "AdjacencySpectralEmbedding or LaplacianSpectralEmbedding"
        raise ArgumentTypeError(f"embedding is {type_of(embedding)}; pass a fitted {kinds}.")
    check_fitted(embedding, "embedding_")
    check_covariances(embedding)
    return embedding


def checked_sides(direction: str | None, *, directed: bool) -> tuple[str, ...]:
    """Return the directions that are compared; None is both for a directed graph."""
    if direction is None:
        direction = "both" if directed else "out"
    check_choice("direction", direction, ("out", "in", "both"))
    if direction != "out" and not directed:
        raise ArgumentError(f"direction={direction!r} but the graph is undirected; leave direction out.")
    return ("out", "in") if direction == "both" else (direction,)


def new_vertices(name: str, given: object, embedding: EmbeddingWithCovariances, sides: Sequence[str]) -> NewEdges:
    """Read new vertices with the edges of the directions that are compared."""
    new = embedding.read_new(given, direction=sides[0])
    check_all_pairs(new)
    if len(sides) == 2 and new.rows_in is None:
        raise ArgumentError(
            f"{name} has only arcs from the new vertices; pass read_new(edges) of both, or direction='out'."
        )
    if not len(new.names):
        raise ArgumentError(f"{name} has no vertex; pass at least one.")
    return new
