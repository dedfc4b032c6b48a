"""Covariances of least-squares positions of new vertices, given the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._slices import slices
from lpgraph.embed.edge_probabilities import EdgeProbabilities, shrinkage_weights
from lpgraph.spectral.extension import Extension

if TYPE_CHECKING:
    from scipy import sparse

    from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
    from lpgraph.embed.edge_probabilities import NewVertexEstimates
    from lpgraph.spectral.construction import Array

__all__ = ["bernoulli_covariances", "position_covariances"]

#: Entries of the work arrays held at a time: 32 MB each.
_CHUNK = 1 << 22
#: Most rows of a table of fourth moments; each has fewer columns than rows, so that it has at most 128 MB.
_MOST_MOMENTS = 1 << 12
#: Least variance in any direction, relative to that of the product of the degrees.
_LEAST = 0.02


def position_covariances(
    embedding: AdjacencySpectralEmbedding, rows: sparse.csr_array, positions: Array, direction: str
) -> Array:
    """Return the (m, d, d) covariances of the least-squares `positions` of the new vertices with the given rows.

    If the graph is unweighted, each new vertex with other weights than 1 is treated as a weighted one.
    """
    m, d = positions.shape
    model = EdgeProbabilities.of_embedding(embedding, direction)
    weighted = np.full(m, embedding.weighted_)
    weighted[np.repeat(np.arange(m), np.diff(rows.indptr))[rows.data != 1]] = True
    result = np.empty((m, d, d))
    if not weighted.all():
        new = model.estimates(rows[~weighted], positions[~weighted])
        result[~weighted] = unweighted_covariances(model, new)
    if weighted.any():
        squares, entries = _known_residuals(embedding, model, direction)
        result[weighted] = weighted_covariances(model, rows[weighted], positions[weighted], squares, entries)
    return result


def unweighted_covariances(model: EdgeProbabilities, new: NewVertexEstimates) -> Array:
    """Return the (m, d, d) covariances for edges of weight 1, whose variances are ``p (1 - p)``."""
    positions, design = model.shrunk(new)
    found = bernoulli_covariances(model.basis, design, positions)
    roots = np.linalg.cholesky(bernoulli_covariances(model.basis, design[:, -1:], new.degrees[:, None]))
    half = np.linalg.solve(roots, found)
    raised = _raised(np.linalg.solve(roots, np.swapaxes(half, 1, 2)), _LEAST)
    return _symmetric(roots @ raised @ np.swapaxes(roots, 1, 2))


def bernoulli_covariances(basis: Array, design: Array, positions: Array) -> Array:
    """Return ``sum_j p_ij (1 - p_ij) b_j b_j.T`` for ``P = positions @ design.T``, of shape (m, d, d).

    P may have entries outside [0, 1]. For many vertices the sums over j are third and fourth moments of the rows
    of `basis` and `design`, packed as symmetric matrices: O(n d^4 + m d^4) without an (m, n) array.
    """
    m, d = len(positions), basis.shape[1]
    result = np.empty((m, d, d))
    width = design.shape[1] * (design.shape[1] + 1) // 2
    if width < min(m, _MOST_MOMENTS):
        third, fourth = _moments(basis, design)
        rows, columns = np.triu_indices(d)
        for part in slices(m, _CHUNK // width):
            packed = positions[part] @ third - _pairs(positions[part]) @ fourth
            result[part, rows, columns] = packed
            result[part, columns, rows] = packed
        return result
    extension = Extension(basis)
    for part in slices(m, _CHUNK // len(basis)):
        p = positions[part] @ design.T
        result[part] = extension.covariance(p * (1 - p))
    return result


def _moments(basis: Array, design: Array) -> tuple[Array, Array]:
    """Return the sums over j of ``w_j`` and of ``w_j w_j.T``, each times ``b_j b_j.T``, with packed products."""
    d, k = basis.shape[1], design.shape[1]
    third, fourth = np.zeros((k, d * (d + 1) // 2)), np.zeros((k * (k + 1) // 2, d * (d + 1) // 2))
    for part in slices(len(basis), _CHUNK // len(fourth)):
        pairs = _pairs(basis[part])
        third += design[part].T @ pairs
        fourth += _pairs(design[part]).T @ pairs
    # An entry off the diagonal occurs twice in the symmetric matrix.
    rows, columns = np.triu_indices(k)
    fourth[rows != columns] *= 2
    return third, fourth


def _pairs(vectors: Array) -> Array:
    """Return the products of all pairs of entries of each row: the upper triangle of its outer square."""
    rows, columns = np.triu_indices(vectors.shape[1])
    return np.asarray(vectors[:, rows] * vectors[:, columns])


def weighted_covariances(
    model: EdgeProbabilities, rows: sparse.csr_array, positions: Array, squares: Array, n_entries: int
) -> Array:
    """Return the (m, d, d) covariances for weighted edges, whose variances are estimated by squared residuals.

    `squares` are the sums of squared residuals of the known vertices, of a matrix with `n_entries` entries. A
    squared residual is divided by 1 minus its leverage. The covariance is shrunk towards the one with variances
    proportional to the products of both vertices' sums of squares. It is computed in coordinates in which the
    latter is a multiple of the identity.
    """
    n, d = model.design.shape
    # The residual of a vertex with leverage 1 is 0, whatever its variance is.
    free = np.maximum(1 - (model.design * model.basis).sum(axis=1), 1 / n)
    known = squares / free
    total = float(known.sum())
    root = np.linalg.cholesky(Extension(model.basis).covariance(known[None] / total)[0])
    extension = Extension(np.asarray(np.linalg.solve(root, model.basis.T).T, dtype=np.float64))
    lengths = (extension.whole**2).sum(axis=1)
    result = np.empty((len(positions), d, d))
    for part in slices(len(positions), _CHUNK // n):
        residuals = (rows[part].toarray() - positions[part] @ model.design.T) ** 2 / free
        # Half an edge more, so that a vertex without edges has a variance.
        sums = residuals.sum(axis=1) + 0.5 * total / n_entries
        relative = residuals / sums[:, None]
        found = extension.covariance(relative)
        distances = ((found - np.eye(d)) ** 2).sum(axis=(1, 2))
        n_edges = np.diff(rows[part].indptr)
        weights = shrinkage_weights(relative**2 @ lengths**2, distances, n_edges, d)[:, None, None]
        raised = _raised((1 - weights) * found + weights * np.eye(d), _LEAST)
        result[part] = sums[:, None, None] * (root @ raised @ root.T)
    return _symmetric(result)


def _known_residuals(
    embedding: AdjacencySpectralEmbedding, model: EdgeProbabilities, direction: str
) -> tuple[Array, int]:
    """Return the sum of squared residuals of each known vertex, and the number of entries of the matrix."""
    squared = embedding.graph_.matrix.power(2)
    into = embedding.directed_ and direction == "out"
    sources = embedding.embedding_in_ if embedding.directed_ and not into else embedding.embedding_
    # Residuals are orthogonal to the fitted rows, so that squares are subtracted.
    fitted = ((model.design @ (sources.T @ sources)) * model.design).sum(axis=1)
    sums = np.asarray(squared.sum(axis=0 if into else 1)).ravel()
    # Smaller differences are errors of the eigenpairs, and may be negative.
    return np.maximum(sums - fitted, 1e-10 * sums.mean()), int(squared.nnz)


def _raised(matrices: Array, least: float) -> Array:
    """Return symmetric matrices whose eigenvalues below `least` are replaced by it."""
    values, vectors = np.linalg.eigh(_symmetric(matrices))
    return np.asarray((vectors * np.maximum(values, least)[:, None, :]) @ np.swapaxes(vectors, 1, 2))


def _symmetric(matrices: Array) -> Array:
    return np.asarray((matrices + np.swapaxes(matrices, 1, 2)) / 2)
