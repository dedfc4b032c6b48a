"""Sums of ``p (1 - p) b b.T`` over the known vertices, by moments that are computed once for a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from lpgraph._slices import slices
from lpgraph._threads import blas_alone, in_threads
from lpgraph.linalg.dense_rows import columnwise_product, rowwise_product
from lpgraph.linalg.packed import packed, pairs
from lpgraph.spectral.extension import Extension

if TYPE_CHECKING:
    from lpgraph.spectral.construction import Array

__all__ = ["Moments", "bernoulli_sums", "moments_of", "pair_sums"]

#: Entries of the work arrays held at a time for new vertices: 32 MB each.
_CHUNK = 1 << 22
#: Vertices in a piece of a sum. Pieces are added in order, so that sums do not depend on the threads.
_PIECE = 1 << 16
#: Entries of the products of known vertices held at a time, which fit into the cache of a core.
_CACHE = 1 << 16
#: Most multiplications for the moments of a model: about half a second.
MOST = 10**10


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over the known vertices j of ``w_j`` and of ``w_j w_j.T``, each times ``b_j b_j.T``.

    Symmetric matrices are packed.

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
        k = design.shape[1]
        sums = pair_sums(basis, design)
        # An entry off the diagonal occurs twice in the symmetric matrix.
        rows, others = np.triu_indices(k)
        sums[k:][rows != others] *= 2
        return cls(sums[:k], sums[k:])

    def columns(self, columns: Array) -> Array:
        """Return the sums of `sums` as columns, for positions as columns: faster, but their bits depend on all."""
        found = np.ascontiguousarray(self.fourth.T) @ pairs(columns)
        return np.subtract(np.ascontiguousarray(self.third.T) @ columns, found, out=found)

    def sums(self, positions: Array) -> Array:
        """Return the packed ``sum_j p_ij (1 - p_ij) b_j b_j.T`` for ``P = positions @ design.T``."""
        result = np.empty((len(positions), self.third.shape[1]))
        for part in slices(len(positions), _CHUNK // len(self.fourth)):
            products = pairs(np.ascontiguousarray(positions[part].T)).T
            result[part] = rowwise_product(positions[part], self.third)
            result[part] -= rowwise_product(products, self.fourth)
        return result


def pair_sums(basis: Array, design: Array) -> Array:
    """Return the sums over j of ``w_j`` and then of the packed ``w_j w_j.T``, each times the packed ``b_j b_j.T``.

    Parameters
    ----------
    basis : ndarray of shape (n, d)
        Rows b_j.
    design : ndarray of shape (n, k)
        Rows w_j.

    Returns
    -------
    ndarray of shape (k + k (k + 1) / 2, d (d + 1) / 2)
    """
    (n, d), k = basis.shape, design.shape[1]
    shape = (k + k * (k + 1) // 2, d * (d + 1) // 2)
    cuts = [*range(0, n, _PIECE), n]
    pieces = np.zeros((len(cuts) - 1, *shape))

    def work(low: int, high: int) -> None:
        total = pieces[low // _PIECE]
        for part in slices(high - low, _CACHE // shape[0]):
            rows = slice(low + part.start, low + part.stop)
            columns = np.ascontiguousarray(design[rows].T)
            squares = pairs(np.ascontiguousarray(basis[rows].T)).T
            total[:k] += columns @ squares
            total[k:] += pairs(columns) @ squares

    with blas_alone():
        in_threads(work, cuts)
    return np.asarray(pieces.sum(axis=0))


def moments_of(extension: Extension, basis: Array, design: Array) -> Moments:
    """Return the moments of a fitted model, which are computed once; see `bernoulli_sums`."""
    kept, k = _known.setdefault(extension, {}), design.shape[1]
    if k not in kept:
        kept[k] = Moments.of(basis, design)
    return kept[k]


#: Moments of fitted models, by their extension and by the number of columns of the design.
_known: WeakKeyDictionary[Extension, dict[int, Moments]] = WeakKeyDictionary()


def bernoulli_sums(extension: Extension, basis: Array, design: Array, positions: Array) -> Array:
    """Return the packed ``sum_j p_ij (1 - p_ij) b_j b_j.T`` for ``P = positions @ design.T``.

    P may have entries outside [0, 1]. Except in large networks with many columns, the sums over j are third and
    fourth moments of the rows of the basis and the design: O(n d^4) once for a model, and O(d^4) for each vertex.

    Parameters
    ----------
    extension : Extension
        The extension of the model, with which its moments are kept.
    basis : ndarray of shape (n, d)
        Rows b_j, determined by `extension`.
    design : ndarray of shape (n, k)
        Determined by `extension` and k.
    positions : ndarray of shape (m, k)
        Positions of the new vertices.

    Returns
    -------
    ndarray of shape (m, d (d + 1) / 2)
    """
    (n, d), k = basis.shape, design.shape[1]
    # The choice must not depend on the number of new vertices: the results differ in the last bits.
    if n * (d * (d + 1) // 2) * (k * (k + 1) // 2) <= MOST:
        return moments_of(extension, basis, design).sums(positions)
    result, columns = np.empty((len(positions), d * (d + 1) // 2)), np.ascontiguousarray(design.T)
    sums = Extension(basis).covariance
    for part in slices(len(positions), _CHUNK // len(design)):
        p = columnwise_product(positions[part], columns)
        result[part] = packed(sums(p * (1 - p)))
    return result
