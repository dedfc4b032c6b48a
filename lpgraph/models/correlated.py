"""Edges of two graphs that are correlated pair by pair, each with the distribution of the model.

Given an edge of probability p in the first graph, the second has it with probability p + rho (1 - p); given none,
with probability p (1 - rho). Its marginal probability is p (p + rho (1 - p)) + (1 - p) p (1 - rho) = p, and the
covariance is p (p + rho (1 - p)) - p^2 = rho p (1 - p). The edges that the first graph does not have are those of
a third graph, drawn with probabilities p (1 - rho), outside the edges of the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.errors import ArgumentError
from lpgraph.models.cell_values import probabilities_at
from lpgraph.models.matrices import unweighted, upper, weighted
from lpgraph.models.probabilities import ROUNDING, Probabilities, row_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.models.matrices import EdgeModel, Vertices

__all__ = ["correlated_edges"]

#: Cells of the matrix of probabilities computed at a time.
_CELLS = 2**20


def correlated_edges(
    model: EdgeModel, vertices: Vertices, rho: float, rng: np.random.Generator
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return two adjacency matrices whose entries have correlation `rho`, a number in [-1, 1]."""
    if rho < 0:
        _check_negative(model, vertices.positions, rho)
    first = unweighted(model, vertices, rng, model.sparsity)
    kept = first.copy() if model.directed else upper(first)
    i, j = kept.tocoo().coords
    x = vertices.positions
    p = probabilities_at(model.kernel, model.sparsity, x, x, i, j)
    kept.data = np.asarray(rng.random(len(p)) < p + rho * (1 - p), dtype=np.float64)
    kept.eliminate_zeros()
    second = kept if model.directed else _mirrored(kept)
    if rho < 1:
        other = unweighted(model, vertices, rng, model.sparsity * (1 - rho))
        added = sparse.csr_array(other - other.multiply(first))
        added.eliminate_zeros()
        second = sparse.csr_array(second + added)
    return weighted(model, first, vertices, None, rng), weighted(model, second, vertices, None, rng)


def _mirrored(triangle: sparse.csr_array) -> sparse.csr_array:
    return sparse.csr_array(triangle + sparse.triu(triangle, 1).T)


def _check_negative(model: EdgeModel, x: NDArray[np.float64], rho: float) -> None:
    """Raise if a pair has a probability for which the correlation does not exist."""
    ids = np.arange(len(x)), np.arange(len(x))
    matrix = Probabilities(model.kernel, model.sparsity, x, x, *ids, hollow=not model.loops)
    lowest, of = -1.0, 0.0
    for rows in row_blocks(len(x), len(x), _CELLS):
        p = matrix.block(rows, slice(0, len(x)))
        p = p[p > 0]  # the entries of impossible edges are 0 in both graphs
        for end in (p.min(initial=1.0), p.max(initial=0.0)) if len(p) else ():
            limit = -float(min(end / max(1 - end, ROUNDING), (1 - end) / end))
            if limit > lowest:
                lowest, of = limit, float(end)
    lowest = round(lowest, 12) + 0.0  # the limit itself is accepted in spite of rounding
    if rho < lowest:
        raise ArgumentError(
            f"rho={rho:g}, but a pair of vertices has edge probability {of:g}, for which no correlation below "
            f"{lowest:g} exists; pass rho >= {np.ceil(lowest * 1e6) / 1e6:g}."
        )
