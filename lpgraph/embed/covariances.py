r"""Covariances of the positions of new and of known vertices, and the effect of a vertex's own edges.

The least-squares position of a new vertex is linear in its edges. The row i of an embedding is also the
least-squares position of its edges, :math:`\sum_j A_{ij} b_j`, but the rows b_j depend on the same edges: an edge
adds a multiple of x_i to the position of j. By the self-consistent equations for the resolvent of a random matrix,
the position is therefore about

.. math:: x_i = z_i (1 - f_i)^{-1}, \quad f_i = g_i s \Lambda^{-2} - h_i

for the position z_i of a new vertex with the same edges in the network without i, the sum g_i of squared residuals
of row i of the decomposed matrix, and its eigenvalues Lambda. s is the solution of
:math:`s = 1 / (1 - \bar g s \Lambda^{-2})` for the mean of g. In a Laplacian embedding the degree of j contains
the edge as well, which takes off :math:`h_i = \sum_j A_{ij}^2 / t_j / d_i`. In networks with few edges for each
dimension, f is as large as the share of noise in the positions.

The rows of the extension change when a vertex is removed. For a vertex i with the row :math:`A_i` of edges, whose
fitted part is :math:`P_i`, the rows :math:`b_j` of an adjacency embedding become to first order

.. math:: b'_j = b_j - (A_{ij} - P_{ij}) r_j \Lambda^{-2} x_i, \quad r_j = 1 / (1 - g_j s \Lambda^{-2}),

where r_j is the diagonal of the resolvent of the noise times Lambda. The rows of a Laplacian embedding are divided
by the root of ``t_j = d_j + tau``, and t_j contains the edge:

.. math:: b'_j = b_j + (A_{ij} - P_{ij}) r_j (b_j - \Lambda^{-2} x_i t_i^{-1/2}) / (t_j - A_{ij}).

This is the perturbation of the eigenproblem :math:`A w = \lambda T w`. The fitted part changes eigenvalues only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._utils.compiled import blas_alone, in_threads
from lpgraph._utils.estimators import check_fitted
from lpgraph.errors import ArgumentError
from lpgraph.graph.names import as_labels, code_names
from lpgraph.graph.preprocess import inverse_power
from lpgraph.linalg.dense_rows import rowwise_product
from lpgraph.linalg.packed import are_definite, packed, pairs, unpacked

from .base import NetworkEmbedding
from .constructions import check_direction, degrees_of, with_values
from .edge_probabilities import MORE_EDGES, EdgeProbabilities, both_degrees, shrinkage_weights
from .vertex_results import sides_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from lpgraph._utils.types import Array, Integers
    from lpgraph.graph.new_vertices import NewEdges

    from .edge_probabilities import NewVertexEstimates

#: Vertices of a piece that a thread takes at a time.
_PIECE = 1 << 11
#: Least variance in any direction, relative to that of the product of the degrees.
_LEAST = 0.02
#: Most feedback: above, a hub is an eigenvector of its own, and its position says nothing of others.
_MOST_FEEDBACK = 0.8


def check_covariances(embedding: NetworkEmbedding) -> None:
    """Refuse networks with unobserved pairs, whose positions vary more than the formulas say."""
    if getattr(embedding, "completion_", None) is not None:
        raise ArgumentError(
            "embedding was fitted with unobserved pairs, without covariances; fit the embedding that it wraps to "
            "the observed pairs alone, or leave out the vertices with unobserved pairs."
        )


def check_all_pairs(vertices: NewEdges) -> None:
    """Refuse new vertices with unobserved pairs, as `check_covariances` does with a network."""
    if not vertices.all_observed:
        raise ArgumentError("New vertices have unobserved pairs, without covariances; leave them out.")


@blas_alone()
def position_covariances(
    embedding: NetworkEmbedding,
    rows: sparse.csr_array,
    positions: Array,
    direction: str,
    *,
    feedback: Feedback | None = None,
) -> Array:
    r"""Return the packed covariances of the least-squares positions of vertices.

    The position of an adjacency embedding is ``sum_j xi_j b_j`` for the rows b_j of the extension. That of a
    Laplacian embedding is divided by the root of ``t = d + tau``, so that to first order its deviation is
    :math:`\sum_j (\xi_j - p_j) (b_j / \sqrt t - y / (2 t))` (Tang & Priebe 2018, Theorem 3.2). Both are linear in
    the independent entries of the row.

    Parameters
    ----------
    embedding : AdjacencySpectralEmbedding or LaplacianSpectralEmbedding
        A fitted embedding.
    rows : csr_array of shape (m, n)
        Edges of the vertices. If the graph is unweighted, vertices with other weights than 1 are treated as those
        of a weighted one.
    positions : ndarray of shape (m, d)
        Their least-squares positions.
    direction : {"out", "in"}
        Which rows of a directed graph.
    feedback : Feedback, optional
        That of the vertices, if they are known ones: the covariances are those of their positions in the
        embedding. Otherwise they are new.

    Returns
    -------
    ndarray of shape (m, d (d + 1) / 2)
        Upper triangles of symmetric positive definite matrices.
    """
    check_covariances(embedding)
    m, d = positions.shape
    model = EdgeProbabilities.of_embedding(embedding, direction)
    new = model.estimates(rows, positions)
    weighted = np.full(m, embedding.weighted_)
    weighted[rows.tocoo(copy=False).row[rows.data != 1]] = True
    result = np.empty((m, d * (d + 1) // 2))

    # Operations on all matrices at a time are faster on columns.
    def fill(chosen: Integers, sums: Callable[[Integers], tuple[Array, Array]]) -> None:
        def work(low: int, high: int) -> None:
            part = chosen[low:high]
            found, least = sums(part)
            if model.regularizer is not None:
                found, least = (_with_degrees(model.regularizer, new[part], of) for of in (found, least))
            found = raised(found, least)
            result[part] = (found if feedback is None else feedback.apply(found, part)).T

        in_threads(work, [*range(0, len(chosen), _PIECE), len(chosen)])

    if weighted.any():
        by_weights = _weighted_sums(model, embedding, direction)
        fill(np.flatnonzero(weighted), lambda part: by_weights(rows[part], new[part]))
    if not weighted.all():
        by_probabilities = model.variance_sums()
        fill(np.flatnonzero(~weighted), lambda part: by_probabilities(new[part]))
    return result


def _with_degrees(regularizer: float, new: NewVertexEstimates, sums: Array) -> Array:
    """Return the packed covariances of positions divided by the roots of random degrees, as columns.

    Column i of `sums` is that of ``v (b, 1) (b, 1).T`` over the edges with variances v, for the rows b of the
    basis.
    """
    squares, d = (new.degrees + regularizer)[:, None, None], new.positions.shape[1]
    slopes = new.positions[:, :, None] / (2 * squares)
    full = unpacked(sums.T)
    # The product of b - s with itself, for the slopes s, has the term s s.T: half of it is in each s e.T.
    crossed = slopes * (full[:, d:, :d] - slopes.mT * full[:, d:, d:] / 2)
    found = (full[:, :d, :d] - crossed - crossed.mT) / squares
    return np.ascontiguousarray(packed(found).T)


def raised(found: Array, least: Array) -> Array:
    """Return packed matrices whose eigenvalues relative to those of `least` are at least a small number.

    The matrices are columns.
    """
    wrong = np.flatnonzero(~are_definite(found - _LEAST * least))
    roots = np.linalg.cholesky(unpacked(least.T[wrong]))
    inverses = np.linalg.inv(roots)
    values, vectors = np.linalg.eigh(inverses @ unpacked(found.T[wrong]) @ inverses.mT)
    half = roots @ vectors
    found[:, wrong] = packed((half * np.maximum(values, _LEAST)[:, None, :]) @ half.mT).T
    return found


def _weighted_sums(
    model: EdgeProbabilities, embedding: NetworkEmbedding, direction: str
) -> Callable[[sparse.csr_array, NewVertexEstimates], tuple[Array, Array]]:
    """Return a function that estimates ``sum_j var(xi_j) b_j b_j.T`` for rows xi of weighted edges.

    A squared residual ``(xi_j - p_j)^2``, divided by 1 minus its leverage, estimates a variance. It consists of a
    term that is 0 for absent edges, and of ``p_j^2``, whose sums over the known vertices are moments. The sums are
    shrunk towards a target with variances that are proportional to the products of both vertices' sums of squared
    residuals; the function returns both, packed, as columns. The share of noise is estimated from fourth powers of
    the residuals of the edges; those of absent edges, of the order p^4, are left out.
    """
    (n, d), basis = model.design.shape, model.variance_basis
    # The residual of a vertex with leverage 1 is 0, whatever its variance is.
    free = np.maximum(1 - (model.design * model.basis).sum(axis=1), 1 / n)
    known = _column_sums(model, embedding, direction) / free
    products = np.column_stack([pairs(basis.T).T, np.ones(n)])
    target = known @ products[:, :-1] / known.sum()
    mean = known.sum() / embedding.graph_.matrix.nnz
    # Without the column of ones of a Laplacian embedding.
    center = unpacked(target[None])[:, :d, :d]
    metric: Array = np.linalg.inv(center[0])
    lengths = ((model.basis @ metric) * model.basis).sum(axis=1) ** 2 / free**2
    squares = pairs((model.design / np.sqrt(free)[:, None]).T) @ products
    rows, others = np.triu_indices(d)
    squares[rows != others] *= 2  # they occur twice in the symmetric matrix

    def weighted(rows: sparse.csr_array, new: NewVertexEstimates) -> tuple[Array, Array]:
        sources = rows.tocoo(copy=False).row
        fitted = np.einsum("ek,ek->e", new.positions[sources], model.design[rows.indices])
        # (a - p)^2 - p^2
        excess = (rows.data**2 - 2 * rows.data * fitted) / free[rows.indices]
        found = with_values(rows, excess) @ products
        found += rowwise_product(pairs(new.positions.T).T, squares)
        # Half an edge more, so that a vertex without edges has a variance.
        sums = np.maximum(found[:, -1:], 0.0) + MORE_EDGES * mean
        whitened = (unpacked(found[:, :-1] / sums)[:, :d, :d] - center) @ metric
        distances = (whitened * whitened.mT).sum(axis=(1, 2))
        variances = with_values(rows, (rows.data - fitted) ** 4) @ lengths / sums[:, 0] ** 2
        weights = shrinkage_weights(variances, distances, np.diff(rows.indptr), d)[:, None]
        least = sums * target
        return ((1 - weights) * found[:, :-1] + weights * least).T, least.T

    return weighted


def _column_sums(model: EdgeProbabilities, embedding: NetworkEmbedding, direction: str) -> Array:
    """Return the sum of squared residuals of each known vertex, as the other end of edges of the direction."""
    rows, side = known_rows(embedding, direction), sides_of(embedding)[direction == "in"]
    sources, design = model.estimates(rows, side).positions, model.design
    squares = rows.power(2).sum(axis=0)
    # The sum of a^2 - 2 a p + p^2 over the rows.
    sums = squares + ((design @ (sources.T @ sources) - 2 * (rows.T @ sources)) * design).sum(axis=1)
    # Smaller sums are errors of the eigenpairs, and may be negative.
    return np.asarray(np.maximum(sums, 1e-10 * squares.mean()))


def known_rows(embedding: NetworkEmbedding, direction: str) -> sparse.csr_array:
    """Return the rows of edges of the known vertices; those of arcs to them for the direction "in"."""
    matrix = embedding.graph_.matrix
    return sparse.csr_array(matrix.T) if direction == "in" else matrix


@dataclass(frozen=True, eq=False)
class Feedback:
    """Factors between positions of vertices in an embedding and as new vertices.

    Attributes
    ----------
    positions : ndarray of shape (n, d)
        Positions of all vertices in the embedding, in the coordinates of eigenvectors.
    gains : ndarray of shape (n, d)
        ``1 / (1 - f)``, by which a position as a new vertex is multiplied.
    turn : ndarray of shape (d, d) or None
        The rotation by which the embedding was aligned to an earlier one, if it was.
    kept : ndarray of shape (n,)
        The sums g_i of squared residuals.
    factors : ndarray of shape (d,)
        ``s Lambda^-2``.
    """

    positions: Array
    gains: Array
    turn: Array | None
    kept: Array
    factors: Array

    @classmethod
    @blas_alone()
    def of(cls, embedding: NetworkEmbedding, direction: str) -> Feedback:
        """Return the factors of all vertices of a fitted embedding, in one direction of a directed graph."""
        turn = None if embedding.alignment_ is None else embedding.alignment_.rotation
        positions = embedding.along_eigenvectors(sides_of(embedding)[direction == "in"])
        squares, lost = _squared_rows(embedding, direction)
        values, lengths = embedding.singular_values_, positions**2
        # Residuals are orthogonal to the fitted rows, so that squares are subtracted.
        kept = np.maximum(squares - lengths @ values, 0.0)
        mean = (kept @ lengths) / np.maximum(lengths.sum(axis=0), np.finfo(float).tiny) / values**2
        # The solution s of s = 1 / (1 - mean s), at the edge of the spectrum of the noise 2.
        factors = 2 / (1 + np.sqrt(np.maximum(1 - 4 * mean, 0.0))) / values**2
        feedback = np.multiply.outer(kept, factors)
        if lost is not None:
            share = np.divide(kept, squares, out=np.zeros_like(kept), where=squares > 0)
            feedback -= (share * lost)[:, None]
        return cls(positions, 1 / (1 - np.minimum(feedback, _MOST_FEEDBACK)), turn, kept, factors)

    @blas_alone()
    def as_new(self) -> Array:
        """Return the positions that the vertices would have as new vertices, of shape (n, d)."""
        return self._aligned(self.positions / self.gains)

    def apply(self, covariances: Array, rows: Integers) -> Array:
        """Return covariances of positions in the embedding, from those of positions as new vertices.

        Parameters
        ----------
        covariances : ndarray of shape (d (d + 1) / 2, m)
            Packed covariances of the vertices `rows`, as columns; they may be changed in place.
        rows : ndarray of shape (m,)
            The vertices.
        """
        gains = self.gains[rows]
        if self.turn is None:
            covariances *= pairs(gains.T)
            return covariances
        factors = (self.turn.T * gains[:, None, :]) @ self.turn
        return packed(factors @ unpacked(covariances.T) @ factors.mT).T

    @blas_alone()
    def unbiased(self, positions: Array) -> Array:
        """Return positions of new vertices, corrected for the noise of the known positions.

        Noise in the known positions pulls those of new vertices towards the origin, as errors of regressors do.
        The correction is the linear map that fits the known vertices' positions best to those that they would
        have as new vertices.
        """
        return positions @ np.linalg.lstsq(self.as_new(), self._aligned(self.positions), rcond=None)[0]

    def _aligned(self, positions: Array) -> Array:
        return positions if self.turn is None else positions @ self.turn


@dataclass(frozen=True, eq=False)
class Withdrawal:
    """Changes of rows of the extension on the removal of vertices, for edges in one direction.

    Attributes
    ----------
    model : EdgeProbabilities
        The rows b_j, and the fitted part of the rows of edges.
    positions : ndarray of shape (n, d)
        Positions of the vertices, those of a Laplacian embedding times the root of t_i.
    pull : ndarray of shape (n, d)
        ``Lambda^-2 x_i``, for a Laplacian embedding divided by the root of t_i, in coordinates of eigenvectors.
    factors : ndarray of shape (d,)
        ``s Lambda^-2``.
    residuals : ndarray of shape (n,)
        g_j, of the vertices as the other ends of edges.
    degrees : ndarray of shape (n,) or None
        t_j of a Laplacian embedding.
    turn : ndarray of shape (d, d) or None
        The rotation by which the embedding was aligned to an earlier one, if it was.
    """

    model: EdgeProbabilities
    positions: Array
    pull: Array
    factors: Array
    residuals: Array
    degrees: Array | None
    turn: Array | None

    @classmethod
    def of(cls, embedding: NetworkEmbedding, model: EdgeProbabilities, direction: str) -> Withdrawal:
        """Return the changes for a fitted embedding and the rows of one direction of a directed graph."""
        own = other = Feedback.of(embedding, direction)
        if embedding.directed_:
            other = Feedback.of(embedding, "out" if direction == "in" else "in")
        positions, degrees = sides_of(embedding)[direction == "in"], None
        pull = own.positions / embedding.singular_values_**2
        if model.regularizer is not None:
            sources, degrees = (part + model.regularizer for part in both_degrees(embedding.graph_, direction))
            roots = np.sqrt(sources)[:, None]
            positions, pull = positions * roots, pull / np.where(roots > 0, roots, 1.0)
        return cls(model, positions, pull, own.factors, other.kept, degrees, own.turn)

    def changes(self, vertices: Integers, others: Integers, weights: Array) -> Array:
        """Return ``b'_j - b_j`` for pairs of removed vertices i and others j.

        Parameters
        ----------
        vertices, others : ndarray of shape (e,)
            The rows i and j.
        weights : ndarray of shape (e,)
            Weights of the edges between both; 0 without an edge.

        Returns
        -------
        ndarray of shape (e, d)
        """
        fitted = np.einsum("ea,ea->e", self.positions[vertices], self.model.design[others])
        residuals, found = weights - fitted, -self.pull[vertices]
        if self.degrees is not None:
            basis, degrees = self.model.basis[others], self.degrees[others]
            found += basis if self.turn is None else basis @ self.turn.T
            # The change of a vertex whose only edge is taken off is bounded.
            residuals /= np.maximum(np.maximum(degrees - np.abs(weights), degrees / 2), np.finfo(float).tiny)
        diagonal = np.minimum(np.multiply.outer(self.residuals[others], self.factors), _MOST_FEEDBACK)
        found *= residuals[:, None] / (1 - diagonal)
        return found if self.turn is None else found @ self.turn


def _squared_rows(embedding: NetworkEmbedding, direction: str) -> tuple[Array, Array | None]:
    """Return the sums of squares of the rows of the decomposed matrix, and the h_i of a Laplacian embedding."""
    squares = known_rows(embedding, direction).power(2)
    tau: float | None = getattr(embedding, "regularizer_", None)
    if tau is None:
        return degrees_of(squares), None
    degrees, others = both_degrees(embedding.graph_, direction)
    sums: Array = squares @ inverse_power(others + tau, 1.0)
    return sums * inverse_power(degrees + tau, 1.0), sums * inverse_power(degrees, 1.0)


class EmbeddingWithCovariances(NetworkEmbedding):
    """Base of the embeddings whose positions have known covariances."""

    def covariances(self, vertices: Iterable[Hashable] | None = None, *, direction: str = "out") -> Array:
        r"""Estimate the covariance of the position of each vertex about its true latent position.

        Parameters
        ----------
        vertices : iterable of hashable, optional
            Names of vertices, which are their numbers if the graph has no names; None for all.
        direction : {"out", "in"}, default "out"
            For directed graphs: covariances of `embedding_` or of `embedding_in_`.

        Returns
        -------
        ndarray of shape (n, d (d + 1) / 2) or (m, d, d)
            For all vertices the upper triangles of the matrices, row after row, in the order of
            ``numpy.triu_indices(d)``. For m chosen vertices the matrices. They are positive definite.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        UnknownVertexError
            If a name is not a vertex of the graph.
        ArgumentError, ArgumentTypeError
            If `vertices` is not a collection of names, `direction` is "in" and the graph is undirected, or the
            embedding was fitted with unobserved pairs.

        Notes
        -----
        The deviation of a position from the truth is linear in the row of edges of its vertex to first order:
        :math:`\sum_j (A_{ij} - p_{ij}) b_j` for the rows b_j of the least-squares rule (Athreya et al. 2016;
        Rubin-Delanchy et al. 2022). In a Laplacian embedding b_j is replaced by
        :math:`b_j / \sqrt{t_i} - x_i / (2 t_i)` with :math:`t_i = d_i + \tau` (Tang & Priebe 2018). Variances are
        estimated as by `OutOfSample.covariance`. The sums over j are moments of the rows b_j: O(n d^4) for all
        vertices, without an n x n matrix.

        The terms of second order matter in sparse networks. One is the noise of the rows b_j, which the moments
        contain. The other is the effect of a vertex's own edges on the positions of its neighbors, and by them on
        its own: ``lpgraph.embed.covariances``. Without both, 95 % regions cover 88 to 92 % at a mean degree of 30.

        The truth is meant after the best alignment of all vertices, since positions are determined up to a
        rotation (an indefinite one for negative eigenvalues) only.

        References
        ----------
        Athreya, A. et al. (2016), "A limit theorem for scaled eigenvectors of random dot product graphs", Sankhya
        A 78. Rubin-Delanchy, P., Cape, J., Tang, M. & Priebe, C. E. (2022), "A statistical interpretation of
        spectral embedding: the generalised random dot product graph", JRSS B 84. Tang, M. & Priebe, C. E. (2018),
        "Limit theorems for eigenvectors of the normalized Laplacian for random graphs", Annals of Statistics 46.

        Examples
        --------
        >>> import networkx as nx
        >>> import lpgraph as lp
        >>> ase = lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph())
        >>> ase.covariances([0, 33]).shape
        (2, 2, 2)
        >>> ase.covariances().shape
        (34, 3)
        """
        check_fitted(self, "embedding_")
        check_direction(direction, self.directed_)
        feedback = Feedback.of(self, direction)
        rows, positions = known_rows(self, direction), feedback.as_new()
        if vertices is None:
            return position_covariances(self, rows, positions, direction, feedback=feedback)
        chosen = code_names(as_labels(vertices, "vertices"), self.vertex_index_)
        feedback = replace(feedback, gains=feedback.gains[chosen])
        found = position_covariances(self, rows[chosen], positions[chosen], direction, feedback=feedback)
        return unpacked(found)
