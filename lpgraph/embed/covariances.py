"""Covariances of least-squares positions of vertices, given the network of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._threads import blas_alone, in_threads
from lpgraph.embed.edge_probabilities import EdgeProbabilities
from lpgraph.embed.moments import bernoulli_sums, moments_of
from lpgraph.embed.weighted_covariances import WeightedVariances
from lpgraph.errors import ArgumentError
from lpgraph.linalg.packed import are_definite, packed, unpacked

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.embed.edge_probabilities import NewVertexEstimates
    from lpgraph.embed.feedback import Feedback
    from lpgraph.graph.new_edges import NewEdges
    from lpgraph.spectral.construction import Array

__all__ = ["MORE_EDGES", "check_all_pairs", "check_covariances", "position_covariances", "raised"]

#: Vertices of a piece that a thread takes at a time.
_PIECE = 1 << 11
#: Edges added to those of each vertex, as for weighted edges.
MORE_EDGES = 0.5
#: Least variance in any direction, relative to that of the product of the degrees.
_LEAST = 0.02


def check_covariances(embedding: NetworkEmbedding) -> None:
    """Refuse networks with unobserved pairs or landmarks, whose positions vary more than the formulas say."""
    if getattr(embedding, "landmarks_", None) is not None:
        raise ArgumentError(
            "embedding was fitted with landmarks, for which covariances are not known; fit without landmarks, or "
            "use positions only."
        )
    if getattr(embedding, "completion_", None) is not None:
        raise ArgumentError(
            "embedding was fitted with unobserved pairs, for which only the covariances of known vertices are "
            "implemented; use embedding.covariances, or fit without observed and unobserved."
        )


def check_all_pairs(vertices: NewEdges) -> None:
    """Refuse new vertices with unobserved pairs, as `check_covariances` does with a network."""
    if not vertices.all_observed:
        raise ArgumentError(
            "Pairs of new vertices are unobserved, and covariances of their positions are not known; leave those "
            "vertices out, or use positions only."
        )


@blas_alone()
def position_covariances(
    embedding: NetworkEmbedding,
    rows: sparse.csr_array,
    positions: Array,
    direction: str,
    *,
    known: tuple[Feedback, NDArray[np.intp] | None] | None = None,
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
    known : pair of Feedback and ndarray of shape (m,) or None, optional
        The vertices are those of the network with these numbers, or all; the covariances are those of their
        positions in the embedding. Otherwise they are new, and results do not depend on the number of vertices.

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
    others = np.flatnonzero(rows.data != 1)
    weighted[np.searchsorted(rows.indptr, others, side="right") - 1] = True
    variances = WeightedVariances.of(model, embedding, direction) if weighted.any() else None
    # Each vertex costs O(d^4) by moments, and O(n d^2) without.
    everyone = known is not None and known[1] is None
    unweighted = _sums_by_moments if everyone and m > (d + 1) * (d + 2) else _unweighted_sums
    result = np.empty((m, d * (d + 1) // 2))

    def fill(part: slice | NDArray[np.intp], *, by_residuals: bool) -> None:
        # Operations on all matrices at a time are faster on columns.
        if variances is not None and by_residuals:
            found, least = (np.ascontiguousarray(sums.T) for sums in variances.sums(rows[part], new[part]))
        else:
            found, least = unweighted(model, new[part])
        if model.regularizer is not None:
            found, least = (_with_degrees(model.regularizer, new[part], sums) for sums in (found, least))
        found = raised(found, least)
        if known is not None:
            feedback, chosen = known
            found = feedback.apply(found, part if chosen is None else chosen[part])
        result[part] = found.T

    def work(low: int, high: int) -> None:
        kinds = weighted[low:high]
        if kinds.all() or not kinds.any():
            fill(slice(low, high), by_residuals=bool(kinds.any()))
        else:
            fill(low + np.flatnonzero(~kinds), by_residuals=False)
            fill(low + np.flatnonzero(kinds), by_residuals=True)

    if not weighted.all():  # before the threads begin: the first vertices compute the moments
        unweighted(model, new[:1])
    in_threads(work, [*range(0, m, _PIECE), m])
    return result


def _unweighted_sums(model: EdgeProbabilities, new: NewVertexEstimates) -> tuple[Array, Array]:
    """Return the packed sums of ``p (1 - p) b b.T``, and those for the product of the degrees, as columns.

    To the first, half an edge is added, in proportion to the second: the errors of a position and of its variance
    are correlated, as those of a Poisson variable are.
    """
    args, design = (model.extension, model.variance_basis), model.shrunk_design
    found = bernoulli_sums(*args, design, model.shrunk(new))
    least = bernoulli_sums(*args, design[:, -1:], new.degrees[:, None])
    found += least * (MORE_EDGES / new.degrees)[:, None]
    return np.ascontiguousarray(found.T), np.ascontiguousarray(least.T)


def _sums_by_moments(model: EdgeProbabilities, new: NewVertexEstimates) -> tuple[Array, Array]:
    """Return the same for all vertices of a network, whose sums need not have the same bits alone."""
    args, design = (model.extension, model.variance_basis), model.shrunk_design
    found = moments_of(*args, design).columns(np.ascontiguousarray(model.shrunk(new).T))
    least = moments_of(*args, design[:, -1:]).columns(new.degrees[None, :])
    found += least * (MORE_EDGES / new.degrees)
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


def raised(found: Array, least: Array) -> Array:
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
