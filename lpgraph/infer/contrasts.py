"""Differences of the positions of pairs of vertices, with their covariances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse, stats
from scipy.linalg import block_diag

from lpgraph._slices import slices
from lpgraph.embed.edge_probabilities import EdgeProbabilities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lpgraph.embed.vertex_covariances import EmbeddingWithCovariances
    from lpgraph.infer.tested_vertices import TestedVertices

    Array = NDArray[np.float64]

__all__ = ["Contrasts"]

#: Edges added to those of each pair in the covariance, so that it has an inverse for vertices with few edges.
_MORE = 0.01
#: Entries of the sums of products held at a time: 32 MB.
_CHUNK = 1 << 22
#: Least multiple of the beta distribution, relative to the number of terms, which the distance cannot exceed.
_LEAST_SIZE = 1.5


@dataclass(frozen=True, eq=False)
class _End:
    """Terms ``xi_j (b_j - xi_j f)`` of the positions of m vertices, for edges xi, basis b and feedback f."""

    edges: sparse.csr_array
    basis: Array
    feedback: Array


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Differences ``y - r z`` of positions of m pairs of vertices, for factors r.

    The positions are sums of ``xi_j b_j`` over the edges xi. In both directions of a directed graph, those as
    sources and as targets are side by side, and each direction has a factor; k is the number of directions.

    Attributes
    ----------
    first, second : ndarray of shape (m, k d)
        Positions y and z.
    squares : tuple of ndarray of shape (m, k d, k d)
        Sums over j of ``xi_j b_j`` times the transposed ``eta_j b_j``: for the edges xi and eta of the first
        vertex, of the first and the second, and of the second.
    ratios : ndarray of shape (m, k)
        Ratios of the degrees.
    ends : tuple of sequence of _End
        The terms of y and of z in each direction.
    """

    first: Array
    second: Array
    squares: tuple[Array, Array, Array]
    ratios: Array
    ends: tuple[Sequence[_End], Sequence[_End]]

    @classmethod
    def of(
        cls,
        embedding: EmbeddingWithCovariances,
        first: TestedVertices,
        second: TestedVertices,
        sides: Sequence[str],
        m: int,
    ) -> Contrasts:
        """Return the contrasts of m pairs of vertices; one vertex may be part of all pairs."""
        models = [EdgeProbabilities.of_embedding(embedding, side) for side in sides]
        known = [np.resize(vertices.rows, m) for vertices in (first, second) if vertices.rows is not None]
        positions, ends = [], []
        for vertices in (first, second):
            found, feedback = zip(*(vertices.positions(embedding, side) for side in sides), strict=True)
            edges = [_without(_of_all(vertices.edges(embedding, side), m), known) for side in sides]
            positions.append(_repeated(np.hstack(found), m))
            parts = zip(edges, models, feedback, strict=True)
            ends.append([_End(rows, model.basis, _repeated(own, m)) for rows, model, own in parts])
        u, v = ends
        least = _MORE * _mean_square(embedding, models)
        squares = _products(u, u) + least, _products(u, v), _products(v, v) + least
        degrees = [
            np.column_stack([np.asarray(abs(end.edges).sum(axis=1)) for end in part]) + _MORE for part in ends
        ]
        return cls(positions[0], positions[1], squares, degrees[0] / degrees[1], (u, v))

    def distances(self) -> Array:
        """Return the squared Mahalanobis distances of y and z."""
        offset, _, covariances = self._terms(np.ones_like(self.ratios))
        return np.asarray((offset * np.linalg.solve(covariances, offset[:, :, None])[:, :, 0]).sum(axis=1))

    def least(self) -> Array:
        """Return the least squared distances of multiples of y and z, with the covariances for the ratios r.

        A multiple t of the sum of y and r z is added to their difference: ``(1 + t) y - (1 - t) r z``. The least
        distance over t, by least squares, is symmetric in y and z.
        """
        offset, sums, covariances = self._terms(self.ratios)
        size, k = offset.shape[1], self.ratios.shape[1]
        design = sums[:, :, None] * np.repeat(np.eye(k), size // k, axis=0)
        # In coordinates in which the covariances are the identity.
        roots = np.linalg.cholesky(covariances)
        solved = np.linalg.solve(roots, np.concatenate([offset[:, :, None], design], axis=2))
        basis = np.linalg.qr(solved[:, :, 1:])[0]
        explained = (np.swapaxes(basis, 1, 2) @ solved[:, :, :1])[:, :, 0]
        return np.asarray((solved[:, :, 0] ** 2).sum(axis=1) - (explained**2).sum(axis=1))

    def p_values(self, distances: Array, freedom: int, *, degree_corrected: bool) -> Array:
        """Return the probability of larger squared distances if the means of y and r z are equal.

        Given the squared terms, the distance is that of a sum with random signs. Its mean is the number of degrees
        of freedom f, and its variance that of chi-squared times ``1 - f / n``, for n terms of equal size. The
        distribution is the multiple of a beta distribution with these moments, as for Gaussian terms.
        """
        factors = self.ratios if degree_corrected else np.ones_like(self.ratios)
        n, effective = self._numbers_of_terms(factors)
        size = np.maximum((freedom + 2) / freedom * effective - 2, _LEAST_SIZE * n)
        # The distance of no more terms than dimensions does not depend on the signs.
        enough = size > freedom
        rest = np.where(enough, size - freedom, 1.0) / 2
        found = stats.beta.sf(distances / np.where(enough, size, 1.0), freedom / 2, rest)
        return np.where(enough & (n > freedom), found, 1.0)

    def _numbers_of_terms(self, factors: Array) -> tuple[Array, Array]:
        """Return the number of terms of each difference, and how many of equal size would vary as much."""
        sizes: list[sparse.csr_array] = []
        for k, (end, other) in enumerate(zip(*self.ends, strict=True)):
            difference = sparse.csr_array(end.edges - sparse.diags_array(factors[:, k]) @ other.edges)
            inverse = np.linalg.inv(end.basis.T @ end.basis)
            lengths = ((end.basis @ inverse) * end.basis).sum(axis=1)
            sizes.append(sparse.csr_array(difference * difference) * lengths)
        total = sparse.csr_array(sum(sizes[1:], start=sizes[0]))
        squares = np.asarray((total * total).sum(axis=1))
        effective = np.asarray(total.sum(axis=1)) ** 2 / np.where(squares > 0, squares, 1.0)
        return np.diff(total.indptr), effective

    def _terms(self, factors: Array) -> tuple[Array, Array, Array]:
        """Return the differences and sums of y and r z, and the covariances of the differences."""
        scale = np.repeat(factors, self.first.shape[1] // factors.shape[1], axis=1)
        inner, cross, outer = self.squares
        mixed = cross * scale[:, None, :]
        covariances = inner - mixed - np.swapaxes(mixed, 1, 2) + scale[:, :, None] * outer * scale[:, None, :]
        second = scale * self.second
        return self.first - second, self.first + second, covariances


def _mean_square(embedding: EmbeddingWithCovariances, models: Sequence[EdgeProbabilities]) -> Array:
    """Return the mean of the square of the term of an edge to any vertex, of shape (k d, k d)."""
    sums = [model.basis.T @ model.basis / len(model.basis) for model in models]
    return np.asarray(block_diag(*sums) * float((embedding.graph_.matrix.data**2).mean()))


def _products(first: Sequence[_End], second: Sequence[_End]) -> Array:
    """Return the sums of the products of the terms of two vertices, of shape (m, k d, k d)."""
    blocks = [[_block(left, right) for right in second] for left in first]
    return np.block(blocks)


def _block(left: _End, right: _End) -> Array:
    """Return the sums of the products of terms in two directions, of shape (m, d, d)."""
    xi, eta = left.edges, right.edges
    weights = sparse.csr_array(xi * eta)
    m, d = weights.shape[0], left.basis.shape[1]
    touched, place = np.unique(weights.indices, return_inverse=True)
    # Only the products of neighbors are computed, some columns at a time.
    few = sparse.csr_array((weights.data, place, weights.indptr), shape=(m, len(touched)))
    result = np.empty((m, d, d))
    for part in slices(d, _CHUNK // (d * max(1, len(touched)))):
        outer = left.basis[touched, part, None] * right.basis[touched, None, :]
        result[:, part] = np.asarray(few @ outer.reshape(len(touched), outer.shape[1] * d)).reshape(m, -1, d)
    near, there = np.asarray((weights * eta) @ left.basis), np.asarray((weights * xi) @ right.basis)
    both = np.asarray((weights * weights).sum(axis=1))[:, None, None]
    result -= near[:, :, None] * right.feedback[:, None, :]
    result -= left.feedback[:, :, None] * (there[:, None, :] - both * right.feedback[:, None, :])
    return result


def _repeated(rows: Array, m: int) -> Array:
    """Return m rows, of one or of m rows."""
    return rows if len(rows) == m else np.repeat(rows, m, axis=0)


def _of_all(rows: sparse.csr_array, m: int) -> sparse.csr_array:
    """Return the edges of m vertices, of those of one or of m."""
    return rows if rows.shape[0] == m else rows[np.zeros(m, dtype=np.intp)]


def _without(rows: sparse.csr_array, vertices: Sequence[NDArray[np.intp]]) -> sparse.csr_array:
    """Return rows of edges without those to the vertices of the own pair, which belong to both."""
    sources = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    own = np.zeros(len(sources), dtype=bool)
    for column in vertices:
        own |= rows.indices == column[sources]
    if not own.any():
        return rows
    kept = rows.copy()  # zeros are eliminated in place
    kept.data[own] = 0
    kept.eliminate_zeros()
    return kept
