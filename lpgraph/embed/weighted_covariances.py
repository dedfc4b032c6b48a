"""Variances of weighted edges, estimated by squared residuals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.embed.edge_probabilities import shrinkage_weights
from lpgraph.embed.moments import pair_sums
from lpgraph.linalg.dense_rows import rowwise_product
from lpgraph.linalg.packed import pairs, unpacked

if TYPE_CHECKING:
    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.embed.edge_probabilities import EdgeProbabilities, NewVertexEstimates
    from lpgraph.spectral.construction import Array

__all__ = ["WeightedVariances"]


@dataclass(frozen=True, eq=False)
class WeightedVariances:
    """Estimates of ``sum_j var(xi_j) b_j b_j.T`` for the rows xi of weighted edges.

    A squared residual ``(xi_j - p_j)^2``, divided by 1 minus its leverage, estimates a variance. It consists of a
    term that is 0 for absent edges, and of ``p_j^2``, whose sums over the known vertices are moments.

    Attributes
    ----------
    model : EdgeProbabilities
        Estimates of p_j.
    free : ndarray of shape (n,)
        1 minus the leverage of each known vertex.
    products : ndarray of shape (n, D + 1)
        The packed ``b_j b_j.T`` and 1.
    squares : ndarray of shape (d (d + 1) / 2, D + 1)
        Sums over j of the packed ``w_j w_j.T`` with `products`, divided by `free`.
    target : ndarray of shape (D,)
        The packed sums with variances that add up to 1 and are proportional to the known vertices' sums.
    metric : ndarray of shape (d, d)
        Inverse of the target, without the column of ones of a Laplacian embedding.
    lengths : ndarray of shape (n,)
        ``b_j @ metric @ b_j``, squared, divided by the squared `free`.
    mean : float
        Mean variance of an edge of the network.
    """

    model: EdgeProbabilities
    free: Array
    products: Array
    squares: Array
    target: Array
    metric: Array
    lengths: Array
    mean: float

    @classmethod
    def of(cls, model: EdgeProbabilities, embedding: NetworkEmbedding, direction: str) -> WeightedVariances:
        """Return the estimates for rows of one direction of a fitted embedding."""
        n, d = model.design.shape
        # The residual of a vertex with leverage 1 is 0, whatever its variance is.
        free = np.maximum(1 - (model.design * model.basis).sum(axis=1), 1 / n)
        known = _column_sums(model, embedding, direction) / free
        total = float(known.sum())
        basis = model.variance_basis
        products = np.column_stack([pairs(np.ascontiguousarray(basis.T)).T, np.ones(n)])
        target = known @ products[:, :-1] / total
        metric = np.asarray(np.linalg.inv(unpacked(target[None])[0, :d, :d]), dtype=np.float64)
        scaled = model.design / np.sqrt(free)[:, None]
        # With a column of ones, the packed products contain the basis and 1.
        squares = pair_sums(np.column_stack([basis, np.ones(n)]), scaled)[d:]
        return cls(
            model,
            free,
            products,
            _doubled(squares, d)[:, _with_ones(basis.shape[1])],
            target,
            metric,
            ((model.basis @ metric) * model.basis).sum(axis=1) ** 2 / free**2,
            total / int(embedding.graph_.matrix.nnz),
        )

    def sums(self, rows: sparse.csr_array, new: NewVertexEstimates) -> tuple[Array, Array]:
        """Return the packed sums for the given rows, shrunk towards the target, and the target.

        The target is the sum with variances proportional to the products of both vertices' sums of squared
        residuals. The share of noise is estimated from fourth powers of the residuals of the edges; those of
        absent edges, of the order p^4, are left out.
        """
        d = new.positions.shape[1]
        fitted = _fitted(rows, new.positions, self.model.design)
        # (a - p)^2 - p^2
        excess = (rows.data**2 - 2 * rows.data * fitted) / self.free[rows.indices]
        found = np.asarray(_replaced(rows, excess) @ self.products)
        found += rowwise_product(pairs(np.ascontiguousarray(new.positions.T)).T, self.squares)
        # Half an edge more, so that a vertex without edges has a variance.
        sums = np.maximum(found[:, -1:], 0.0) + 0.5 * self.mean
        relative = unpacked(found[:, :-1] / sums)[:, :d, :d] - unpacked(self.target[None])[:, :d, :d]
        whitened = relative @ self.metric
        distances = (whitened * np.swapaxes(whitened, 1, 2)).sum(axis=(1, 2))
        variances = np.asarray(_replaced(rows, (rows.data - fitted) ** 4) @ self.lengths) / sums[:, 0] ** 2
        weights = shrinkage_weights(variances, distances, np.diff(rows.indptr), d)[:, None]
        least = sums * self.target
        return (1 - weights) * found[:, :-1] + weights * least, least


def _column_sums(model: EdgeProbabilities, embedding: NetworkEmbedding, direction: str) -> Array:
    """Return the sum of squared residuals of each known vertex, as the other end of edges of the direction."""
    matrix = embedding.graph_.matrix
    rows = sparse.csr_array(matrix.T) if direction == "in" else matrix
    side = embedding.embedding_in_ if direction == "in" else embedding.embedding_
    sources = model.estimates(rows, side).positions
    excess = rows.data**2 - 2 * rows.data * _fitted(rows, sources, model.design)
    sums = np.bincount(rows.indices, excess, minlength=len(model.design))
    sums += ((model.design @ (sources.T @ sources)) * model.design).sum(axis=1)
    # Smaller sums are errors of the eigenpairs, and may be negative.
    return np.maximum(sums, 1e-10 * float((matrix.data**2).sum()) / len(sums))


def _fitted(rows: sparse.csr_array, positions: Array, design: Array) -> Array:
    """Return the products of positions and design for the stored entries of `rows`."""
    sources = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    return np.asarray(np.einsum("ek,ek->e", positions[sources], design[rows.indices]))


def _replaced(rows: sparse.csr_array, values: Array) -> sparse.csr_array:
    """Return sparse rows with other values."""
    return sparse.csr_array((values, rows.indices, rows.indptr), shape=rows.shape)


def _doubled(sums: Array, d: int) -> Array:
    """Return sums of packed matrices, with the entries off the diagonal, which occur twice, doubled."""
    rows, others = np.triu_indices(d)
    return sums * np.where(rows == others, 1.0, 2.0)[:, None]


def _with_ones(size: int) -> list[int]:
    """Return where the packed products of a basis with a column of ones has those of the basis, and then 1."""
    rows, columns = np.triu_indices(size + 1)
    return [*np.flatnonzero(columns < size).tolist(), len(rows) - 1]
