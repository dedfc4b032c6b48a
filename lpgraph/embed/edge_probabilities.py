"""Probabilities of the edges of vertices, estimated from positions and from degrees, and sums of their variances.

The sums of ``p (1 - p) b b.T`` over the known vertices are computed by moments, once for a model.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from lpgraph._utils.compiled import blas_alone, in_threads, slices
from lpgraph.graph.preprocess import inverse_power
from lpgraph.linalg.dense_rows import columnwise_product, rowwise_product
from lpgraph.linalg.packed import packed, pairs

from .constructions import degrees_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from scipy import sparse

    from lpgraph._utils.types import Array, Integers
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.spectral.extension import Extension

    from .base import NetworkEmbedding

#: Least degree: with 0, the estimated variance of all edges of a vertex would be 0.
_LEAST_DEGREE = 0.5
#: Edges added to those of each vertex, as for weighted edges.
MORE_EDGES = 0.5
#: Entries of the work arrays held at a time for new vertices: 32 MB each.
_CHUNK = 1 << 22
#: Vertices in a piece of a sum. Pieces are added in order, so that sums do not depend on the threads.
_PIECE = 1 << 16
#: Entries of the products of known vertices held at a time, which fit into the cache of a core.
_CACHE = 1 << 16
#: Moments of fitted models, by their extension.
_known: WeakKeyDictionary[Extension, Moments] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class NewVertexEstimates:
    """Estimates of m vertices, from which edge probabilities and variances follow.

    Attributes
    ----------
    positions : ndarray of shape (m, d)
        Positions y_i, those of the Laplacian embedding times ``sqrt(d_i + tau)``.
    degrees : ndarray of shape (m,)
        Degrees d_i, bounded.
    """

    positions: Array
    degrees: Array

    def __getitem__(self, part: slice | Integers) -> NewVertexEstimates:
        return NewVertexEstimates(self.positions[part], self.degrees[part])


@dataclass(frozen=True, eq=False)
class EdgeProbabilities:
    """Two estimates of ``p_ij = E[xi_ij]`` for the row xi_i of a new vertex, and the weight of the second.

    The first estimate, ``y_i @ w_j`` for the position y_i, has little bias. It is noisy in sparse networks, where
    it can be negative. The second, ``q_ij = d_i t_j / T`` for the degrees d_i and t_j and the number T of
    (directed) edges, has little noise. It is biased, and lies in (0, 1).

    Attributes
    ----------
    design : ndarray of shape (n, d)
        Rows w_j.
    basis : ndarray of shape (n, d)
        ``y_i = xi_i @ basis``.
    mirror : ndarray of shape (n, d)
        w_j is the column j of the adjacency matrix times `mirror`.
    degrees : ndarray of shape (n,)
        t_j: of a directed network, degrees in the other direction.
    sources : ndarray of shape (n,)
        Degrees of the known vertices in the same direction as d_i.
    total : float
        T, the sum of the degrees.
    extension : Extension
        The extension of the embedding, with which sums over the known vertices are kept.
    regularizer : float or None
        tau of a Laplacian embedding, whose positions are ``y_i / sqrt(d_i + tau)``; None of an adjacency
        embedding.
    """

    design: Array
    basis: Array
    mirror: Array
    degrees: Array
    sources: Array
    total: float
    extension: Extension
    regularizer: float | None = None

    @classmethod
    def of_embedding(cls, embedding: NetworkEmbedding, direction: str) -> EdgeProbabilities:
        """Return the estimates for rows of one direction; degrees are bounded so that ``0 < q < 1``.

        Parameters
        ----------
        embedding : AdjacencySpectralEmbedding or LaplacianSpectralEmbedding
            A fitted embedding.
        direction : {"out", "in"}
            Which rows of a directed graph.
        """
        out, into = both_degrees(embedding.graph_, direction)
        extensions = embedding._placement.extensions
        other = "in" if embedding.directed_ and direction == "out" else "out"
        basis, mirror = extensions[direction].basis, extensions[other].basis
        design = embedding.embedding_in_ if other == "in" else embedding.embedding_
        n, total = len(out), float(out.sum())
        regularizer: float | None = getattr(embedding, "regularizer_", None)
        if regularizer is not None:
            # L is A divided by the roots of both degrees, and products with A follow from those with L.
            design = design * np.sqrt(into + regularizer)[:, None]
            basis = basis * inverse_power(into + regularizer)[:, None]
            mirror = mirror * inverse_power(out + regularizer)[:, None]
        if not embedding.directed_ and (embedding.signature_ < 0).any():
            design, mirror = design * embedding.signature_, mirror * embedding.signature_
        return cls(
            design,
            basis,
            mirror,
            degrees=bounded_degrees(into, total, n),
            sources=bounded_degrees(out, total, n),
            total=total,
            extension=extensions[direction],
            regularizer=regularizer,
        )

    @cached_property
    def variance_basis(self) -> Array:
        """The rows b_j, followed for a Laplacian embedding by 1: a column for the degree."""
        if self.regularizer is None:
            return self.basis
        return np.column_stack([self.basis, np.ones(len(self.basis))])

    def estimates(self, rows: sparse.csr_array, positions: Array) -> NewVertexEstimates:
        """Return the estimates for the vertices with the given rows, and positions in the embedding."""
        degrees = degrees_of(rows)
        if self.regularizer is not None:
            positions = positions * np.sqrt(degrees + self.regularizer)[:, None]
        return NewVertexEstimates(positions, bounded_degrees(degrees, self.total, len(self.design)))

    def by_degrees(self, new: NewVertexEstimates) -> Array:
        """Return q, of shape (m, n)."""
        return np.outer(new.degrees, self.degrees / self.total)

    def by_positions(self, new: NewVertexEstimates) -> Array:
        """Return the first estimate, of shape (m, n)."""
        return columnwise_product(new.positions, np.ascontiguousarray(self.design.T))

    def weights(self, new: NewVertexEstimates) -> Array:
        """Return the weight a_i in [0, 1] of q_i in ``(1 - a_i) p_i + a_i q_i``, for each new vertex.

        All sums over the known vertices are moments, so that no (m, n) array is needed.
        """
        n, dimension = self.design.shape
        first, second, noise, along, gram, square = self._shared
        own = new.degrees * first - new.degrees**2 * second
        known = (rowwise_product(new.positions, noise) * new.positions).sum(axis=1)
        product = rowwise_product(new.positions, along[:, None])[:, 0]
        within = (rowwise_product(new.positions, gram) * new.positions).sum(axis=1)
        distance = within - 2 * new.degrees * product + new.degrees**2 * square
        fewer = np.minimum(new.degrees, n - new.degrees)
        return shrinkage_weights(own + known, distance, fewer, dimension)

    @cached_property
    def _shared(self) -> tuple[float, float, Array, Array, Array, float]:
        """Sums over the known vertices that the weights of all new vertices need.

        These are the coefficients of d_i and of -d_i^2 in the noise of ``y_i @ w_j`` due to y_i; the sum of the
        covariances of w_j, with variances q (1 - q); those of w_j times t_j / T, of ``w_j w_j.T``, and of
        (t_j / T)^2.
        """
        share = self.degrees / self.total
        square = float(share @ share)
        leverage = (self.design * self.basis).sum(axis=1)
        noise = (self.mirror.T * (self.sources - self.sources**2 * square)) @ self.mirror
        gram = self.design.T @ self.design
        return float(leverage @ share), float(leverage @ share**2), noise, self.design.T @ share, gram, square

    @cached_property
    def shrunk_design(self) -> Array:
        """The (n, d + 1) design of both estimates; see `shrunk`."""
        return np.column_stack([self.design, self.degrees / self.total])

    def shrunk(self, new: NewVertexEstimates) -> Array:
        """Return (m, d + 1) positions whose products with `shrunk_design` are ``(1 - a_i) p_i + a_i q_i``."""
        weights = self.weights(new)
        return np.column_stack([(1 - weights)[:, None] * new.positions, weights * new.degrees])

    def variance_sums(self) -> Callable[[NewVertexEstimates], tuple[Array, Array]]:
        """Return a function that estimates ``sum_j p_ij (1 - p_ij) b_j b_j.T``, with the moments of this model.

        It returns the packed sums, and those for the product of the degrees, as columns. To the first, half an
        edge is added, in proportion to the second: the errors of a position and of its variance are correlated,
        as those of a Poisson variable are.
        """
        if self.extension not in _known:
            _known[self.extension] = Moments.of(self.variance_basis, self.shrunk_design)
        moments = _known[self.extension]
        # The rows of the last column of the design and of its square.
        of_share, of_square = moments.table[[self.shrunk_design.shape[1], -1]]

        def estimated(new: NewVertexEstimates) -> tuple[Array, Array]:
            least = np.multiply.outer(of_share, new.degrees) + np.multiply.outer(of_square, new.degrees**2)
            return moments.sums(self.shrunk(new)).T + least * (MORE_EDGES / new.degrees), least

        return estimated


def shrinkage_weights(variances: Array, distances: Array, n_edges: Array, dimension: int) -> Array:
    """Return the weights in [0, 1] of shrinkage targets with the given squared distances from noisy estimates.

    The expected squared distance consists of the variance of the estimate and the squared bias of the target. The
    weight is the share of the variance (Ledoit & Wolf 2004), and at least the weight that adds one of `n_edges`
    for each dimension: a direction in which no edge was observed would otherwise have no variance.
    """
    # A distance below the variance, 0 or negative by rounding, says that the target fits.
    shares = np.divide(variances, distances, out=np.ones_like(variances), where=distances > variances)
    return np.minimum(np.maximum(shares, dimension / np.maximum(n_edges, _LEAST_DEGREE)), 1.0)


def both_degrees(graph: Adjacency, direction: str) -> tuple[Array, Array]:
    """Return the degrees in a direction, and those in the other one."""
    return (graph.in_degrees, graph.degrees) if direction == "in" else (graph.degrees, graph.in_degrees)


def bounded_degrees(degrees: Array, total: float, n: int) -> Array:
    """Return degrees of at least 1/2, and at most such that ``d_i t_j / T <= 1 - 1/n`` for all pairs.

    In a complete graph of n vertices the upper bound is the degree of all vertices, n - 1.
    """
    # The sum of negative weights is negative; degrees are used for edges of weight 1 only.
    most = np.sqrt(max(total, 0.0) * (1 - 1 / n))
    return np.clip(degrees, _LEAST_DEGREE, most)


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over the known vertices j of the packed ``(1, w_j) (1, w_j).T``, times those of ``b_j b_j.T``.

    Attributes
    ----------
    table : ndarray of shape ((k + 1) (k + 2) / 2, d (d + 1) / 2)
        The sums, times the coefficients of ``p - p^2`` for ``p = y @ w_j`` in the products of pairs of ``(1, y)``:
        0 for 1, 1 for y_a, -1 for y_a^2, and -2 for y_a y_b.
    """

    table: Array

    @classmethod
    def of(cls, basis: Array, design: Array) -> Moments:
        """Return the moments of rows b_j of `basis` and w_j of `design`."""
        (n, d), k = basis.shape, design.shape[1] + 1
        coefficients = np.eye(k) - 2
        coefficients[0] = 1
        coefficients[0, 0] = 0
        weights = packed(coefficients[None]).T
        cuts = [*range(0, n, _PIECE), n]
        pieces = np.zeros((len(cuts) - 1, len(weights), d * (d + 1) // 2))

        def work(low: int, high: int) -> None:
            for part in slices(high - low, _CACHE // len(weights)):
                inside = slice(low + part.start, low + part.stop)
                pieces[low // _PIECE] += _of_pairs(design[inside]).T @ pairs(basis[inside].T).T

        with blas_alone():
            in_threads(work, cuts)
        return cls(pieces.sum(axis=0) * weights)

    def sums(self, positions: Array) -> Array:
        """Return the packed ``sum_j p_ij (1 - p_ij) b_j b_j.T`` for ``P = positions @ design.T``."""
        result = np.empty((len(positions), self.table.shape[1]))
        for part in slices(len(positions), _CHUNK // len(self.table)):
            result[part] = rowwise_product(_of_pairs(positions[part]), self.table)
        return result


def _of_pairs(rows: Array) -> Array:
    """Return the packed ``(1, y) (1, y).T`` of rows y."""
    return pairs(np.vstack([np.ones(len(rows)), rows.T])).T
