r"""Networks with unobserved pairs: their embedding, its covariances, and new vertices with unobserved pairs.

The row i of the embedding solves :math:`M_i x_i = \sum_{j \in O} A_{ij} w_j` for the observed pairs O of i, the
design :math:`w_j` (the other positions, times the signature) and

.. math:: M_i = \Lambda - \sum_{j \in H} w_j w_j^\top D,

for the unobserved pairs H and the factors D by which eigenvalues are shrunk there. With all pairs observed, M is
Lambda. A vertex's own edges affect its position through those of its neighbors, as in `lpgraph.embed.covariances`,
with matrices in place of numbers: with the residuals :math:`g_{ij} = A_{ij} - p_{ij}` and the signature S,

.. math:: K_i = (M_i - \sum_{j \in O} g_{ij}^2 S K_j S)^{-1}, \quad
    \mathrm{cov}(x_i) = K_i \sum_{j \in O} p_{ij} (1 - p_{ij}) w_j w_j^\top K_i^\top.

In unobserved pairs, shrunk values predict less than the truth, which biases the positions of vertices with many of
them. The square of the bias is added. No n x n array is formed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_integer
from lpgraph._utils.compiled import blas_alone
from lpgraph.embed.align import Target
from lpgraph.embed.base import EmbeddingWrapper
from lpgraph.embed.constructions import degrees_of, with_values
from lpgraph.embed.covariances import MOST_FEEDBACK, EmbeddingWithCovariances, raised
from lpgraph.embed.edge_probabilities import MORE_EDGES, bounded_degrees, shrinkage_weights
from lpgraph.embed.vertex_results import sides_of
from lpgraph.errors import ArgumentError
from lpgraph.graph.names import name_at, names_at
from lpgraph.graph.observed import ObservedPairs, check_rows, pairs_of
from lpgraph.linalg.packed import packed, pairs, unpacked
from lpgraph.spectral.completed_rank import completed_rank
from lpgraph.spectral.completion import LowRank, Partial, complete
from lpgraph.spectral.dimension import EIGENVALUE_CV
from lpgraph.spectral.embedding import without_choice
from lpgraph.spectral.extension import Extension

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lpgraph._utils.types import Array, Integers
    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.names import Names
    from lpgraph.graph.network import Network
    from lpgraph.graph.new_vertices import NewEdges
    from lpgraph.spectral.completion import Completion
    from lpgraph.spectral.construction import Construction
    from lpgraph.spectral.embedding import Dimension, OfEachSign, SpectralEmbedding

#: Condition number above which normal equations count as singular.
_SINGULAR = 1e12
#: Steps of the equation for K, whose error decreases by the share of feedback in each.
_STEPS = 5
#: Share of the mean sum over observed pairs that is added to that of each vertex.
_LEAST = 1e-4


class EmbeddingOfPairs(EmbeddingWithCovariances):
    """Base of the embeddings that place new vertices by some of their pairs."""

    _takes_unobserved = True

    def transform(
        self,
        new: object,
        *,
        direction: str | None = None,
        observed: object = None,
        unobserved: object = None,
    ) -> Array:
        """Embed new vertices by their edges to the known vertices, without another decomposition.

        The position of a vertex is the same, bit for bit, alone and in any batch, in any order, and with any
        number of threads.

        Parameters
        ----------
        new, direction
            As in `LaplacianSpectralEmbedding.transform`.
        observed, unobserved : matrix, mapping, list of pairs, graph or None
            The pairs of new and known vertices that were observed, or those that were not; at most one of the two.
            In any form that `new` has: an (m, n) matrix of zeros and ones, ``{name: known names}``, or pairs
            (new name, known name). The position is then that of least squares on the observed pairs. For tables,
            `OutOfSample` and estimators that use this embedding, pass what `read_new` returns with them.

        Returns
        -------
        ndarray of shape (m, d), or (m, 2d) with ``concat=True`` for a directed graph
            One row for each new vertex. A vertex without an edge to a known vertex is placed at the origin. After
            ``set_output(transform="pandas")`` a data frame with the names of the new vertices as index; see also
            `transform_table`.

        Raises
        ------
        ArgumentError, UnknownVertexError
            If rows have the wrong length, a neighbor in a mapping is neither known nor new, all vertices are
            known, arcs of only one direction are given where both are needed, or the observed pairs of a vertex do
            not determine its position.

        Notes
        -----
        If the network has unobserved pairs itself, the unobserved entries of a row are predicted with the shrunk
        eigenvalues of `completion_`, which is least squares with a penalty. ``transform(A, unobserved=pairs)`` is
        then `embedding_` for the pairs of the fit, to the accuracy of the iteration.
        """
        if observed is None and unobserved is None:
            return super().transform(new, direction=direction)
        side = "out" if direction is None else direction
        vertices = self.read_new(new, direction=side, observed=observed, unobserved=unobserved)
        return super().transform(vertices, direction=direction)

    def _on_side(self, vertices: NewEdges, direction: str) -> Array:
        positions = super()._on_side(vertices, direction)
        inward = direction == "in" and vertices.rows_in is not None
        pairs = vertices.pairs_in if inward else vertices.pairs
        if pairs is not None:
            # A vertex with all pairs has the same bits alone and with others.
            some = np.flatnonzero(pairs.of_rows() < self.n_features_in_)
            rows, names = vertices.towards(direction)[some], names_at(vertices.names, some)
            positions[some] = self._by_pairs(rows, pairs.take(some), names, direction)
        return positions

    @blas_alone()
    def _by_pairs(self, rows: sparse.csr_array, pairs: ObservedPairs, names: Names, direction: str) -> Array:
        """Return the (m, d) positions of new vertices of which only some pairs are observed.

        With design W (the rows of the known vertices, times the signature), observed rows O and unobserved rows
        H, the position z of a row xi solves ``(W.T W - W_H.T W_H D) z = W_O.T xi_O``. D is diagonal in the
        coordinates of the eigenvectors. If all pairs of the known vertices are observed, D = I, and this is least
        squares on the observed entries. Otherwise it has the factors by which eigenvalues are shrunk in unobserved
        entries, so that rows of the training matrix get their positions.
        """
        if self.directed_:
            design = self.embedding_in_ if direction == "out" else self.embedding_
        else:
            design = self.embedding_ * self.signature_
        m, d = len(names), design.shape[1]
        completion: Completion | None = getattr(self, "completion_", None)
        factors = np.eye(d) if completion is None else np.diag(completion.factors(self.singular_values_))
        if self.alignment_ is not None:
            factors = self.alignment_.rotation.T @ factors @ self.alignment_.rotation
        check_rows(pairs.of_rows(), names, "new vertex")
        whole, pull = design.T @ design, Extension(design)(pairs.restricted(rows))
        positions = np.empty((m, d))
        indptr, indices = pairs.listed.indptr, pairs.listed.indices
        for i in range(m):
            listed = design[indices[indptr[i] : indptr[i + 1]]]
            hidden = listed.T @ listed if pairs.hidden else whole - listed.T @ listed
            left = whole - hidden @ factors
            if completion is None and not np.linalg.cond(left) < _SINGULAR:
                name = name_at(names, i)
                raise ArgumentError(f"The observed pairs of {name!r} do not determine its position; observe more.")
            positions[i] = np.linalg.solve(left, pull[i])
        return positions


class CompletedEmbedding(EmbeddingWrapper, EmbeddingOfPairs):
    r"""Embed a network of which some pairs of vertices were not observed.

    An absent edge and an unobserved pair are different things. The unobserved entries of the adjacency matrix are
    replaced by those of the low-rank matrix that fits the observed ones.

    Parameters
    ----------
    embedding : AdjacencySpectralEmbedding
        The method and its parameters; it is not fitted itself. ``n_components=None`` adds dimensions as long as
        held-out edges confirm one, which takes a fit for each; rules that are given eigenvalues are refused.
    observed, unobserved : matrix, list of pairs, graph or None, default None
        The pairs of vertices that were observed, or those that were not; at most one of the two. A matrix of zeros
        and ones, sparse or dense, in the order of the vertices; pairs (u, v) of names; or a graph or table of such
        pairs. Edges of unobserved pairs are not used; (i, i) is a pair like the others.

    Attributes
    ----------
    completion_ : lpgraph.spectral.completion.Completion or None
        How the unobserved pairs were filled in; None if all pairs were observed.
    embedding_, eigenvalues_, residuals_, ...
        The fitted attributes of `embedding`.

    Notes
    -----
    A is replaced by a matrix W that has fitted values in the places of unobserved pairs: X minimises
    :math:`\tfrac12 \|M \circ (A - X)\|^2` over matrices of rank d, where M are the observed pairs, plus a penalty
    without which a minimum need not exist; see `lpgraph.spectral.completion`. W is a sparse matrix, or a sparse
    plus a low-rank one. If pairs are unobserved at random, the variance of positions is that of zeros in their
    places, rescaled by the observed share q, times :math:`\sum p(1 - p) / \sum p(1 - qp)`: the gain is large in
    dense networks and small in sparse ones. If they are not random, such as all pairs between two groups, zeros
    give wrong positions. A direction whose eigenvalue does not exceed the noise is not filled in: unobserved pairs
    count as 0 there.

    References
    ----------
    Mazumder, R., Hastie, T. & Tibshirani, R. (2010), "Spectral regularization algorithms for learning large
    incomplete matrices", JMLR 11.

    Examples
    --------
    Nobody recorded whether 0 and 33 know each other, nor whether the new vertex knows 33:

    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> ase = lp.AdjacencySpectralEmbedding(2)
    >>> masked = lp.CompletedEmbedding(ase, unobserved=[(0, 33)]).fit(nx.karate_club_graph())
    >>> masked.transform({"new": [0, 1, 2]}, unobserved={"new": [33]}).shape
    (1, 2)
    """

    _allowed = "_takes_completion"
    completion_: Completion | None

    def __init__(self, embedding: NetworkEmbedding, *, observed: object = None, unobserved: object = None) -> None:
        self.embedding = embedding
        self.observed = observed
        self.unobserved = unobserved

    def _construct(self, items: Network) -> Construction:
        whole = self.embedding._construct(items)
        given = pairs_of(self.observed, self.unobserved, items)
        if given is None:
            return replace(whole, attributes={**whole.attributes, "completion_": None})
        if whole.attributes["diagonal_"] is not None:
            raise ArgumentError("augment_diagonal=True with unobserved pairs; list (i, i) as unobserved instead.")
        # The dimension must be known before the pairs are filled in.
        size, choice = without_choice(self.n_components), None
        if size is None and self.align_to is not None:
            size = Target.of(self.align_to, items, self._method).earlier.d
        if size != EIGENVALUE_CV and (isinstance(size, str) or callable(size)):
            raise ArgumentError(f"n_components={size!r} with unobserved pairs; pass a number or 'eigenvalue_cv'.")
        matrix, seed = items.product, self.random_state
        if not sparse.issparse(matrix):
            raise ArgumentError("observed needs a network in memory; pass as_adjacency(graph).")
        partial = Partial(given.restricted(matrix), given.listed, given.hidden, items.directed)
        if not partial.known.nnz:
            raise ArgumentError("No observed pair has an edge; observe more pairs.")
        if size in (None, EIGENVALUE_CV):
            choice = completed_rank(partial, self._end, seed)
            size = choice.n_components
        d = check_integer("n_components", size, low=1, high=items.n_vertices)
        operator, completion = complete(partial, d, self._end, tol=self.tol, random_state=seed)
        attributes = {**whole.attributes, "completion_": completion, "dimension_choice_": choice}
        return replace(whole, operator=operator, attributes=attributes)

    def _solve(self, construction: Construction, n_components: Dimension | OfEachSign) -> SpectralEmbedding:
        choice = construction.attributes.get("dimension_choice_")
        return super()._solve(construction, getattr(choice, "n_components", n_components))

    def _covariances(self, chosen: Integers | None, direction: str) -> Array:
        if self.completion_ is None:
            return super()._covariances(chosen, direction)
        found = observed_covariances(self, direction)
        return found if chosen is None else found[chosen]


@dataclass(frozen=True, eq=False)
class _Side:
    """Positions in one direction of a directed graph, and what determines them.

    Attributes
    ----------
    positions, design : ndarray of shape (n, d)
        x_i, and w_j.
    edges : csr_array of shape (n, n)
        Observed edges.
    pairs : ObservedPairs
        The observed pairs.
    values, factors : ndarray of shape (d,)
        Lambda and D.
    """

    positions: Array
    design: Array
    edges: sparse.csr_array
    pairs: ObservedPairs
    values: Array
    factors: Array

    def hidden(self, values: Array) -> Array:
        """Return the sums of values of shape (n, c) over the unobserved pairs of each vertex."""
        listed: Array = self.pairs.listed @ values
        return listed if self.pairs.hidden else values.sum(axis=0) - listed

    def sums(self, rows: Array, design: Array, values: Array) -> Array:
        """Return the sums over observed pairs of ``p values_j`` for the entries p of ``rows @ design.T``."""
        listed = self.pairs.listed
        p = LowRank(rows, np.ones(rows.shape[1]), design).at(listed)
        found: Array = with_values(listed, p) @ values
        return rows @ (design.T @ values) - found if self.pairs.hidden else found

    def squares(self, rows: Array, design: Array, values: Array) -> Array:
        """Return the sums of ``p^2 values_j``; p^2 is an entry of the product of pairs of columns."""
        twice = 2 - packed(np.eye(rows.shape[1])[None])  # pairs of different columns
        return self.sums(pairs(rows.T).T * twice, pairs(design.T).T, values)

    def variances(self, rows: Array, design: Array) -> Array:
        """Return the packed sums of ``p (1 - p) w_j w_j.T``."""
        values = pairs(self.design.T).T
        return self.sums(rows, design, values) - self.squares(rows, design, values)

    @cached_property
    def predicted(self) -> Array:
        """The sums of ``w_j w_j.T`` over unobserved pairs, of shape (n, d, d)."""
        return unpacked(self.hidden(pairs(self.design.T).T))

    @cached_property
    def normal(self) -> Array:
        """M_i, of shape (n, d, d)."""
        return np.diag(self.values) - self.predicted * self.factors

    @cached_property
    def degrees(self) -> Array:
        """Degrees, with fitted values for the unobserved pairs."""
        return degrees_of(self.edges) + degrees_of(self.positions * self.factors * self.hidden(self.design))

    def squared_residuals(self, values: Array) -> Array:
        """Return the sums of the squared residuals of observed pairs times values of shape (n, c)."""
        p = LowRank(self.positions, np.ones(len(self.values)), self.design).at(self.edges)
        # (1 - p)^2 - p^2 for an edge.
        return with_values(self.edges, 1 - 2 * p) @ values + self.squares(self.positions, self.design, values)


@blas_alone()
def observed_covariances(embedding: CompletedEmbedding, direction: str) -> Array:
    """Return the packed covariances of all positions, for a model with unobserved pairs.

    Parameters
    ----------
    embedding : CompletedEmbedding
        Fitted with unobserved pairs.
    direction : {"out", "in"}
        Which positions of a directed graph.

    Returns
    -------
    ndarray of shape (n, d (d + 1) / 2)
        Upper triangles of symmetric positive definite matrices.

    Raises
    ------
    ArgumentError
        If the graph is weighted, or the pairs are no longer those of the fit.
    """
    sides = _sides(embedding)
    # The signs of the entries of S M S.
    signs = np.ones(()) if embedding.directed_ else np.multiply.outer(*[np.sign(embedding.eigenvalues_)] * 2)
    inverses = _inverses(sides, signs)
    ends = list(zip(sides, sides[::-1], strict=True))  # in an undirected graph, both are the same
    least = [_by_degrees(*both) for both in ends]
    targets = [_sandwich(*parts) for parts in zip(inverses, least, strict=True)]
    found = []
    for number, both in enumerate(ends):
        sums = _sums(*both, targets[number], targets[-1 - number].sum(axis=0) * signs, least[number])
        found.append(_sandwich(inverses[number], unpacked(raised(sums.T, packed(least[number]).T).T)))
    number = 1 if direction == "in" else 0
    bias = _bias(sides[number], inverses[number], found[-1 - number].sum(axis=0) * signs)
    result = found[number] + bias[:, :, None] * bias[:, None, :]
    if embedding.alignment_ is not None:
        turn = embedding.alignment_.rotation
        result = turn.T @ result @ turn
    return packed((result + np.swapaxes(result, 1, 2)) / 2)


def _sides(embedding: CompletedEmbedding) -> list[_Side]:
    """Return the positions as sources and as targets, or those of an undirected graph."""
    completion, graph = embedding.completion_, embedding.graph_
    observed = pairs_of(embedding.observed, embedding.unobserved, graph)
    n = graph.matrix.shape[0]
    if completion is None or observed is None or abs(observed.n_observed / n**2 - completion.share) > 1e-9:
        raise ArgumentError("The unobserved pairs were changed after the fit; fit again.")
    if embedding.weighted_:
        raise ArgumentError("The graph is weighted, and covariances with unobserved pairs need weights of 1.")
    edges, values = observed.restricted(graph.matrix), embedding.singular_values_
    positions = [embedding.along_eigenvectors(side) for side in sides_of(embedding)]
    factors = completion.factors(values)
    if not embedding.directed_:
        design = positions[0] * np.sign(embedding.eigenvalues_)
        return [_Side(positions[0], design, edges, observed, values, factors)]
    transposed = ObservedPairs(sparse.csr_array(observed.listed.T), observed.hidden)
    return [
        _Side(positions[0], positions[1], edges, observed, values, factors),
        _Side(positions[1], positions[0], sparse.csr_array(edges.T), transposed, values, factors),
    ]


def _inverses(sides: Sequence[_Side], signs: Array) -> list[Array]:
    """Return K_i of each side, of shape (n, d, d)."""
    found = [np.asarray(np.linalg.inv(side.normal)) for side in sides]
    for _ in range(_STEPS):
        last = found
        found = [_inverse(side, other * signs) for side, other in zip(sides, last[::-1], strict=True)]
        if all(np.allclose(new, old, rtol=1e-3, atol=0) for new, old in zip(found, last, strict=True)):
            break
    return found


def _inverse(side: _Side, others: Array) -> Array:
    """Return K_i by ``S K_j S`` of the other side."""
    n, d, _ = others.shape
    feedback = side.squared_residuals(others.reshape(n, d * d)).reshape(n, d, d)
    relative = np.linalg.solve(side.normal, feedback)
    size = np.linalg.norm(relative, ord=2, axis=(1, 2))[:, None, None]
    relative *= MOST_FEEDBACK / np.maximum(size, MOST_FEEDBACK)
    return np.linalg.solve(np.eye(d) - relative, np.linalg.inv(side.normal))


def _sandwich(outer: Array, inner: Array) -> Array:
    return outer @ inner @ np.swapaxes(outer, 1, 2)


def _by_degrees(side: _Side, other: _Side) -> Array:
    """Return the sums of ``q (1 - q) w w.T`` over observed pairs, for the product q of the degrees."""
    degrees, share = _bounded(side, other)
    sums = side.variances(degrees[:, None], share[:, None])
    # Fewer observed pairs than dimensions have no variance in some direction.
    return unpacked(sums + _LEAST * sums.mean(axis=0))


def _bounded(side: _Side, other: _Side) -> tuple[Array, Array]:
    """Return the degrees of a side, and those of the other divided by their sum, with products in (0, 1)."""
    total, n = float(max(side.degrees.sum(), other.degrees.sum())), len(side.degrees)
    return bounded_degrees(side.degrees, total, n), bounded_degrees(other.degrees, total, n) / total


def _sums(side: _Side, other: _Side, own: Array, noise: Array, least: Array) -> Array:
    """Return the packed sums of ``p (1 - p) w w.T`` over observed pairs, for p shrunk towards q.

    `own` are the covariances of the positions, and `noise` is the sum of those of the design, with the variances
    ``q (1 - q)``. The weight is that of `EdgeProbabilities.weights`.
    """
    degrees, share = _bounded(side, other)
    edges = np.diff(side.edges.indptr)
    gram, d = side.design.T @ side.design, len(side.values)
    variances = np.einsum("iab,ab->i", own, gram) + ((side.positions @ noise) * side.positions).sum(axis=1)
    within = ((side.positions @ gram) * side.positions).sum(axis=1)
    along = side.positions @ (side.design.T @ share)
    distances = within - 2 * degrees * along + degrees**2 * float(share @ share)
    weights = shrinkage_weights(variances, distances, np.minimum(edges, side.pairs.of_rows() - edges), d)
    rows = np.column_stack([(1 - weights)[:, None] * side.positions, weights * degrees])
    found = side.variances(rows, np.column_stack([side.design, share]))
    return found + packed(least) * (MORE_EDGES / degrees)[:, None]


def _bias(side: _Side, inverses: Array, noise: Array) -> Array:
    """Return the deviations of the mean positions from the truth that no map of all positions removes."""
    d = len(side.values)
    # The share of the truth in the estimated design, by its noise.
    truth = np.eye(d) - noise / side.values[:, None]
    means = inverses @ (np.diag(side.values) - side.predicted) @ truth
    found = (means @ side.positions[:, :, None])[:, :, 0]
    return found - side.positions @ np.linalg.lstsq(side.positions, found, rcond=None)[0]
