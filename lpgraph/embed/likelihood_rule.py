"""Likelihood placement of a new vertex: one step of Fisher scoring from its least-squares position."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._slices import slices
from lpgraph._threads import blas_alone
from lpgraph.errors import ArgumentError
from lpgraph.linalg.dense_rows import rowwise_product
from lpgraph.spectral.extension import Extension

if TYPE_CHECKING:
    from scipy import sparse

    from lpgraph.embed.edge_probabilities import EdgeProbabilities, NewVertexEstimates
    from lpgraph.spectral.construction import Array

__all__ = ["likelihood_positions"]

_CHUNK = 1 << 22
#: Weight of the product of the degrees in the probabilities that give the variances.
_PRODUCT = 0.5
#: Least probability of an edge or of an absent edge, relative to the product of the degrees.
_LEAST = 0.1
#: Least probability, also of edges to a vertex that has none.
_TINY = 1e-12


@blas_alone()
def likelihood_positions(rows: sparse.csr_array, model: EdgeProbabilities, new: NewVertexEstimates) -> Array:
    """Return the (m, d) positions after one step of Fisher scoring for the binary `rows`.

    The log-likelihood of ``P = Y design.T`` has the score ``W.T V^-1 (xi - W y)`` and the information
    ``W.T V^-1 W`` with V = diag(p (1 - p)). One step from any y gives the weighted least-squares position
    ``(W.T V^-1 W)^-1 W.T V^-1 xi``, so that y enters by V only. The probabilities in V are shrunk towards the
    product of the degrees, because the variance of an edge that seems impossible would be 0.
    """
    design = model.design
    information = Extension(design).covariance
    positions = np.empty_like(new.positions)
    for part in slices(len(positions), _CHUNK // design.size):
        product = model.by_degrees(new[part])
        p = (1 - _PRODUCT) * model.by_positions(new[part]) + _PRODUCT * product
        least = np.maximum(_LEAST * np.minimum(product, 1 - product), _TINY)
        p = np.clip(p, least, 1 - least)
        weights = 1 / (p * (1 - p))
        pull = rowwise_product(weights * rows[part].toarray(), design)
        try:
            positions[part] = np.linalg.solve(information(weights), pull[:, :, None])[:, :, 0]
        except np.linalg.LinAlgError:
            raise ArgumentError(
                'rule="likelihood" has no solution, because the known positions are in fewer dimensions than they '
                'have coordinates; pass rule="least_squares", or fit with fewer dimensions.'
            ) from None
    return positions
