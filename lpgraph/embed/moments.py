"""Sums of ``p (1 - p) b b.T`` over the known vertices, by moments that are computed once for a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from lpgraph._slices import slices
from lpgraph._threads import blas_alone
from lpgraph.linalg.dense_rows import columnwise_product, rowwise_product
from lpgraph.spectral.extension import Extension

if TYPE_CHECKING:
    from lpgraph.spectral.construction import Array

__all__ = ["bernoulli_covariances"]

#: Entries of the work arrays held at a time for new vertices: 32 MB each.
_CHUNK = 1 << 22
#: Entries of the products of known vertices held at a time, which fit into the cache of a core.
_CACHE = 1 << 16
#: Most multiplications for the moments of a model: about half a second.
MOST = 10**10


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over the known vertices j of ``w_j`` and of ``w_j w_j.T``, each times ``b_j b_j.T``.

    Symmetric matrices are packed: their upper triangles are rows.

    Attributes
    ----------
    third : ndarray of shape (k, d (d + 1) / 2)
        The sums of ``w_j``.
    fourth : ndarray of shape (k (k + 1) / 2, d (d + 1) / 2)
        The sums of ``w_j w_j.T``; those of different entries are counted twice.
    """

    third: Array
    fourth: Array

    @classmethod
    def of(cls, basis: Array, design: Array) -> Moments:
        """Return the moments of rows b_j of `basis` and w_j of `design`."""
        d, k = basis.shape[1], design.shape[1]
        third, fourth = np.zeros((k, d * (d + 1) // 2)), np.zeros((k * (k + 1) // 2, d * (d + 1) // 2))
        with blas_alone():
            for part in slices(len(basis), _CACHE // len(fourth)):
                columns = np.ascontiguousarray(design[part].T)
                squares = _pairs(np.ascontiguousarray(basis[part].T))
                third += columns @ squares.T
                fourth += _pairs(columns) @ squares.T
        # An entry off the diagonal occurs twice in the symmetric matrix.
        rows, others = np.triu_indices(k)
        fourth[rows != others] *= 2
        return cls(third, fourth)

    def sums(self, positions: Array, d: int) -> Array:
        """Return ``sum_j p_ij (1 - p_ij) b_j b_j.T`` for ``P = positions @ design.T``, of shape (m, d, d)."""
        result = np.empty((len(positions), d, d))
        rows, columns = np.triu_indices(d)
        for part in slices(len(positions), _CHUNK // len(self.fourth)):
            pairs = _pairs(positions[part].T).T
            packed = rowwise_product(positions[part], self.third) - rowwise_product(pairs, self.fourth)
            result[part, rows, columns] = packed
            result[part, columns, rows] = packed
        return result


#: Moments of fitted models, by their extension and by the number of columns of the design.
_known: WeakKeyDictionary[Extension, dict[int, Moments]] = WeakKeyDictionary()


def bernoulli_covariances(extension: Extension, design: Array, positions: Array) -> Array:
    """Return ``sum_j p_ij (1 - p_ij) b_j b_j.T`` for ``P = positions @ design.T``.

    P may have entries outside [0, 1]. Except in large networks with many columns, the sums over j are third and
    fourth moments of the rows of the basis and the design: O(n d^4) once for a model, and O(d^4) for each vertex.

    Parameters
    ----------
    extension : Extension
        Its basis has the rows b_j, of d columns.
    design : ndarray of shape (n, k)
        Determined by `extension` and k.
    positions : ndarray of shape (m, k)
        Positions of the new vertices.

    Returns
    -------
    ndarray of shape (m, d, d)
    """
    (n, d), k = extension.basis.shape, design.shape[1]
    # The choice must not depend on the number of new vertices: the results differ in the last bits.
    if n * (d * (d + 1) // 2) * (k * (k + 1) // 2) <= MOST:
        moments = _known.setdefault(extension, {})
        if k not in moments:
            moments[k] = Moments.of(extension.whole, design)
        return moments[k].sums(positions, d)
    result, columns = np.empty((len(positions), d, d)), np.ascontiguousarray(design.T)
    for part in slices(len(positions), _CHUNK // len(design)):
        p = columnwise_product(positions[part], columns)
        result[part] = extension.covariance(p * (1 - p))
    return result


def _pairs(columns: Array) -> Array:
    """Return the products of all pairs of columns, which are the rows of the argument: upper triangles."""
    rows, others = np.triu_indices(len(columns))
    return np.asarray(columns[rows] * columns[others])
