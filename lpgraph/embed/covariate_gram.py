"""Scalar products of the covariates of vertices, standardised without making a sparse matrix dense."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._threads import blas_alone
from lpgraph.errors import ArgumentError
from lpgraph.spectral.operators import Centred, Gram

if TYPE_CHECKING:
    from lpgraph.linalg.matvec import AnyMatrix
    from lpgraph.spectral.construction import Array
    from lpgraph.spectral.operators import Operator

__all__ = ["CovariateGram"]


@dataclass(frozen=True, eq=False)
class CovariateGram:
    """``X X.T`` for covariates X of shape (n, R), or ``Z Z.T`` for the standardised Z = (X - means) * factors.

    Attributes
    ----------
    scaled : csr_array or ndarray of shape (n, R)
        ``X * factors``.
    factors, means : ndarray of shape (R,)
        Inverse standard deviations and means of the columns; 1 and 0 if they are not standardised. A constant
        column has the factor 0.
    centred : bool
        Whether the means are subtracted.
    """

    scaled: AnyMatrix
    factors: Array
    means: Array
    centred: bool

    @classmethod
    def of(cls, matrix: AnyMatrix, *, standardize: bool) -> CovariateGram:
        """Return the scalar products of covariates; raise ArgumentError if all of them are 0 or constant."""
        count = matrix.shape[1]
        factors, means = np.ones(count), np.zeros(count)
        if standardize:
            means = np.asarray(matrix.mean(axis=0)).ravel()
            deviations = _deviations(matrix, means)
            # A constant column has the deviation of its rounding errors.
            constant = deviations <= 1e-12 * np.abs(means)
            factors = np.divide(1.0, deviations, out=np.zeros(count), where=~constant)
        scaled = sparse.csr_array(matrix * factors) if sparse.issparse(matrix) else matrix * factors
        if not (scaled.data if isinstance(scaled, sparse.csr_array) else scaled).any():
            raise ArgumentError(
                f"Each column of covariates is {'constant' if standardize else '0'}, so that they tell no "
                "vertices apart; use LaplacianSpectralEmbedding without covariates."
            )
        return cls(scaled, factors, means, standardize)

    @property
    def operator(self) -> Operator:
        """The n x n scalar products, never formed: subtracting column means is centring on both sides."""
        return Centred(Gram(self.scaled)) if self.centred else Gram(self.scaled)

    def for_new(self, basis: Array) -> Array:
        """Return the (R + 1, d) array that ``[x, 1]`` is multiplied by, for the product of a new row with a basis.

        For the standardised z of covariates x this is ``z @ Z.T @ basis``.
        """
        with blas_alone():  # the same bits for any number of threads
            weights = self.factors[:, None] * (self.scaled.T @ (basis - basis.mean(axis=0) * self.centred))
            return np.vstack([weights, -(self.means @ weights)])


def _deviations(matrix: AnyMatrix, means: Array) -> Array:
    """Return the standard deviations of the columns."""
    if isinstance(matrix, np.ndarray):
        return np.asarray(matrix.std(axis=0))
    n = matrix.shape[0]
    away = np.square(matrix.data - means.take(matrix.indices))
    squares = np.bincount(matrix.indices, away, minlength=matrix.shape[1])
    absent = n - np.bincount(matrix.indices, minlength=matrix.shape[1])
    return np.asarray(np.sqrt((squares + absent * np.square(means)) / n))
