"""Covariances of least-squares positions of new vertices, given the network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._slices import slices
from lpgraph._threads import blas_alone
from lpgraph.embed.edge_probabilities import EdgeProbabilities, shrinkage_weights
from lpgraph.embed.moments import bernoulli_covariances
from lpgraph.linalg.dense_rows import columnwise_product, rowwise_product
from lpgraph.spectral.extension import Extension

if TYPE_CHECKING:
    from scipy import sparse

    from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
    from lpgraph.embed.edge_probabilities import NewVertexEstimates
    from lpgraph.spectral.construction import Array

__all__ = ["position_covariances"]

#: Entries of the work arrays held at a time: 32 MB each.
_CHUNK = 1 << 22
#: Least variance in any direction, relative to that of the product of the degrees.
_LEAST = 0.02


@blas_alone()
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
        extension = embedding._placement.extensions[direction]
        result[~weighted] = unweighted_covariances(model, new, extension)
    if weighted.any():
        squares, entries = _known_residuals(embedding, model, direction)
        result[weighted] = weighted_covariances(model, rows[weighted], positions[weighted], squares, entries)
    return result


def unweighted_covariances(model: EdgeProbabilities, new: NewVertexEstimates, extension: Extension) -> Array:
    """Return the (m, d, d) covariances for edges of weight 1, whose variances are ``p (1 - p)``."""
    positions, design = model.shrunk(new)
    found = bernoulli_covariances(extension, design, positions)
    roots = np.linalg.cholesky(bernoulli_covariances(extension, design[:, -1:], new.degrees[:, None]))
    half = np.linalg.solve(roots, found)
    raised = _raised(np.linalg.solve(roots, np.swapaxes(half, 1, 2)), _LEAST)
    return _symmetric(roots @ raised @ np.swapaxes(roots, 1, 2))


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
    columns = np.ascontiguousarray(model.design.T)
    result = np.empty((len(positions), d, d))
    for part in slices(len(positions), _CHUNK // n):
        residuals = (rows[part].toarray() - columnwise_product(positions[part], columns)) ** 2 / free
        # Half an edge more, so that a vertex without edges has a variance.
        sums = residuals.sum(axis=1) + 0.5 * total / n_entries
        relative = residuals / sums[:, None]
        found = extension.covariance(relative)
        distances = ((found - np.eye(d)) ** 2).sum(axis=(1, 2))
        n_edges = np.diff(rows[part].indptr)
        variances = rowwise_product(relative**2, lengths[:, None] ** 2)[:, 0]
        weights = shrinkage_weights(variances, distances, n_edges, d)[:, None, None]
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
