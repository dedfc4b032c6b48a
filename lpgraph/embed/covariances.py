"""Covariances of least-squares positions of vertices, given the network of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._threads import blas_alone, in_threads
from lpgraph.embed.edge_probabilities import EdgeProbabilities
from lpgraph.embed.moments import bernoulli_sums
from lpgraph.embed.weighted_covariances import WeightedVariances
from lpgraph.errors import ArgumentError
from lpgraph.linalg.packed import are_definite, packed, unpacked

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.embed.edge_probabilities import NewVertexEstimates
    from lpgraph.spectral.construction import Array

__all__ = ["check_all_observed", "position_covariances"]

#: Vertices of a piece that a thread takes at a time.
_PIECE = 1 << 13
#: Edges added to those of each vertex, as for weighted edges.
_MORE = 0.5
#: Least variance in any direction, relative to that of the product of the degrees.
_LEAST = 0.02


def check_all_observed(embedding: NetworkEmbedding) -> None:
    """Refuse a network with unobserved pairs, whose positions vary more than the formulas say."""
    if getattr(embedding, "completion_", None) is not None:
        raise ArgumentError(
            "embedding was fitted with unobserved pairs, for which covariances are not known; fit without "
            "observed and unobserved, or use positions only."
        )


@blas_alone()
def position_covariances(
    embedding: NetworkEmbedding,
    rows: sparse.csr_array,
    positions: Array,
    direction: str,
    *,
    everyone: bool = False,
) -> Array:
    r"""Return the packed covariances of the least-squares positions of vertices that the network does not contain.

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
    everyone : bool
        Whether the vertices are those of the network. Otherwise results do not depend on the number of vertices.

    Returns
    -------
    ndarray of shape (m, d (d + 1) / 2)
        Upper triangles of symmetric positive definite matrices.
    """
    check_all_observed(embedding)
    m, d = positions.shape
    model = EdgeProbabilities.of_embedding(embedding, direction)
    new = model.estimates(rows, positions)
    weighted = np.full(m, embedding.weighted_)
    weighted[np.repeat(np.arange(m), np.diff(rows.indptr))[rows.data != 1]] = True
    variances = WeightedVariances.of(model, embedding, direction) if weighted.any() else None
    # Each vertex costs O(d^4) by moments, and O(n d^2) without.
    by_moments = everyone and m > (d + 1) * (d + 2)
    result = np.empty((m, d * (d + 1) // 2))

    def fill(part: slice | NDArray[np.intp], *, by_residuals: bool) -> None:
        if variances is not None and by_residuals:
            found, least = variances.sums(rows[part], new[part])
        else:
            found, least = _unweighted_sums(model, new[part], by_moments=by_moments)
        # Operations on all matrices at a time are faster on columns.
        found, least = np.ascontiguousarray(found.T), np.ascontiguousarray(least.T)
        if model.regularizer is not None:
            found, least = (_with_degrees(model.regularizer, new[part], sums) for sums in (found, least))
        result[part] = _raised(found, least).T

    def work(low: int, high: int) -> None:
        kinds = weighted[low:high]
        if kinds.all() or not kinds.any():
            fill(slice(low, high), by_residuals=bool(kinds.any()))
        else:
            fill(low + np.flatnonzero(~kinds), by_residuals=False)
            fill(low + np.flatnonzero(kinds), by_residuals=True)

    if not weighted.all():  # before the threads begin: the first vertices compute the moments
        _unweighted_sums(model, new[:1], by_moments=by_moments)
    in_threads(work, [*range(0, m, _PIECE), m])
    return result


def _unweighted_sums(
    model: EdgeProbabilities, new: NewVertexEstimates, *, by_moments: bool
) -> tuple[Array, Array]:
    """Return the packed sums of ``p (1 - p) b b.T``, and those for the product of the degrees.

    To the first, half an edge is added, in proportion to the second: the errors of a position and of its variance
    are correlated, as those of a Poisson variable are.
    """
    positions, design = model.shrunk(new), model.shrunk_design
    args = model.extension, model.variance_basis
    found = bernoulli_sums(*args, design, positions, by_moments=by_moments)
    least = bernoulli_sums(*args, design[:, -1:], new.degrees[:, None], by_moments=by_moments)
    found += least * (_MORE / new.degrees)[:, None]
    return found, least


def _with_degrees(regularizer: float, new: NewVertexEstimates, sums: Array) -> Array:
    """Return the packed covariances of positions divided by the roots of random degrees, as columns.

    Column i of `sums` is that of ``v (b, 1) (b, 1).T`` over the edges with variances v, for the rows b of the
    basis.
    """
    m, d = new.positions.shape
    roots = np.sqrt(new.degrees + regularizer)
    slopes = np.ascontiguousarray(new.positions.T) / (2 * roots**2)
    ends = sums[[a * (d + 1) - a * (a - 1) // 2 + d - a for a in range(d)]]
    # The product of b - s with itself, for the slopes s, has the term s s.T: half of it is in each s e.T.
    ends -= slopes * (sums[-1] / 2)
    result, first, begin = np.empty((d * (d + 1) // 2, m)), 0, 0
    for a in range(d):
        row = result[first : first + d - a]
        row[:] = sums[begin : begin + d - a]
        row -= slopes[a] * ends[a:]
        row -= ends[a] * slopes[a:]
        first, begin = first + d - a, begin + d + 1 - a
    return np.asarray(result / roots**2)


def _raised(found: Array, least: Array) -> Array:
    """Return packed matrices whose eigenvalues relative to those of `least` are at least a small number.

    The matrices are columns.
    """
    wrong = np.flatnonzero(~are_definite(found - _LEAST * least))
    if not len(wrong):
        return found
    roots = np.linalg.cholesky(unpacked(least.T[wrong]))
    half = np.linalg.solve(roots, unpacked(found.T[wrong]))
    relative = np.linalg.solve(roots, np.swapaxes(half, 1, 2))
    values, vectors = np.linalg.eigh((relative + np.swapaxes(relative, 1, 2)) / 2)
    raised = (vectors * np.maximum(values, _LEAST)[:, None, :]) @ np.swapaxes(vectors, 1, 2)
    full = roots @ raised @ np.swapaxes(roots, 1, 2)
    found[:, wrong] = packed((full + np.swapaxes(full, 1, 2)) / 2).T
    return found
