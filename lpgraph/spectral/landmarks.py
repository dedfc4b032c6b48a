r"""Positions of all items from the eigenvectors of a few, the landmarks.

The matrix of the landmarks is decomposed, and other items are placed by their rows with Nystrom's formula, which
is the out-of-sample rule of Tang, Park & Priebe (2013, Section 3.1). For the positions Z of all items,
:math:`Z S Z^T` is a Nystrom approximation of their matrix M.

Passes start from the rows of the landmarks: their leading right singular vectors, which place all items by their
columns there. These have much more of the matrix than the part that landmarks have with one another: of a
network of mean degree 100, a landmark of 5 % has 5 edges with others, but 100 in its row.

A pass places every item again, by its row of all items and the positions so far. As a map of the positions this is
a product with M, so that passes are steps of orthogonal iteration: errors outside of the leading eigenvectors
shrink by about :math:`\lambda_{d + 1} / \lambda_d` in each. Rayleigh-Ritz gives the eigenvalues of the new
positions. In it more eigenvectors than wanted are used, because the last ones are the least exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy import sparse

from lpgraph._threads import blas_alone
from lpgraph.errors import ArgumentError
from lpgraph.spectral.entries import matrix_of, some_rows, squared_norm
from lpgraph.spectral.landmark_edges import warn_of_few_edges, warn_of_few_walks
from lpgraph.spectral.operators import Bipartite, Gram
from lpgraph.spectral.subspace import ritz_pairs, ritz_triplets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.linalg.matvec import AnyMatrix
    from lpgraph.spectral.embedding import SpectralEmbedding
    from lpgraph.spectral.operators import SymmetricOperator
    from lpgraph.spectral.pairs import EigenPairs, SingularTriplets

    Array = NDArray[np.float64]

__all__ = ["CoarseVectors", "Landmarks"]

#: Tolerances of the vectors from which passes start: of the landmarks' part, and of their rows.
_OF_PART, _OF_ROWS = 1e-3, 0.03


class CoarseVectors(Protocol):
    """A search for the k leading eigenvectors of an operator at an end."""

    def __call__(self, operator: SymmetricOperator, which: str, k: int, tol: float, otherwise: Array) -> Array:
        """Return them with this tolerance, or `otherwise` if the search does not converge."""


@dataclass(frozen=True, eq=False)
class Landmarks:
    """The items by which all others are placed.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        The landmarks.
    operator : SymmetricOperator
        The matrix of all n items.
    start : SymmetricOperator
        The matrix of the landmarks from whose eigenvectors passes start if only the largest eigenvalues are
        wanted: their part of `operator`, or one that is scaled by the degrees among
        landmarks, which have less noise.
    passes : int
        How often all items are placed again.
    """

    rows: NDArray[np.intp]
    operator: SymmetricOperator
    start: SymmetricOperator
    passes: int

    @property
    def n(self) -> int:
        """Number of items."""
        return self.operator.shape[0] // (2 if isinstance(self.operator, Bipartite) else 1)

    def lifted(self, vectors: Array) -> Array:
        """Return vectors of landmarks as vectors of all items, 0 elsewhere."""
        result = np.zeros((self.n, vectors.shape[1]))
        result[self.rows] = vectors
        return result

    def pairs(
        self,
        found: EigenPairs,
        coarse: CoarseVectors,
        which: str,
        of_each_sign: bool,
    ) -> EigenPairs:
        """Return pairs of all items from those of the landmarks.

        Parameters
        ----------
        found : EigenPairs
            The d wanted pairs of the landmarks.
        coarse : callable
            Returns the k leading eigenvectors of an operator of the landmarks at an end, to a tolerance.
        which : {"LM", "LA"}
            Order of the pairs.
        of_each_sign : bool
            Whether the pairs must have the signs of `found`.

        Returns
        -------
        EigenPairs
            d pairs; the vectors are orthonormal. Without a pass, the vectors are 0 except at landmarks, and images
            are not multiples of them.
        """
        d = len(found)
        if not self.passes:
            vectors = self.lifted(found.vectors)
            return replace(found, vectors=vectors, images=np.asarray(self.operator @ vectors))
        k = min(2 * d, len(self.rows))
        # Singular values have no sign.
        parts = some_rows(self.operator, self.rows) if which == "LM" else None
        if parts is None:
            self._warn_of_few_edges()
            start = coarse(self.start, which, k, _OF_PART, found.vectors)
            block = self.operator @ self.lifted(start)
        else:
            warn_of_few_walks(parts)
            block = _placed(parts[0], found.vectors, coarse, k)
        ritz = ritz_pairs(self.operator, block, self.passes - 1, which)
        ritz = _of_images(ritz)
        if not of_each_sign:
            return ritz.take(slice(d))
        signs = ritz.values > 0
        positive = int((found.values > 0).sum())
        chosen = np.sort(np.r_[np.flatnonzero(signs)[:positive], np.flatnonzero(~signs)[: d - positive]])
        if len(chosen) < d:
            raise ArgumentError(
                f"align_to has {positive} positive and {d - positive} negative eigenvalues, but {len(self.rows)} "
                "landmarks do not show so many; pass more landmarks."
            )
        return ritz.take(chosen)

    def triplets(self, found: SingularTriplets, coarse: CoarseVectors) -> SingularTriplets:
        """Return the triplets of all items of a directed network from those of the landmarks, as `pairs` does."""
        operator, d = self.operator, len(found)
        if not isinstance(operator, Bipartite):
            raise TypeError("Triplets are those of a directed network.")
        if not self.passes:
            left, right = self.lifted(found.left), self.lifted(found.right)
            images = operator @ np.vstack([left, right])
            return replace(
                found, left=left, right=right, left_images=images[: self.n], right_images=images[self.n :]
            )
        k, parts = min(2 * d, len(self.rows)), some_rows(operator, self.rows)
        warn_of_few_walks(parts)
        into, out = (
            _placed(part, side, coarse, k) for part, side in zip(parts, (found.left, found.right), strict=True)
        )
        ritz = ritz_triplets(operator, out, into, self.passes - 1)
        sizes = [np.linalg.norm(images, axis=0) for images in (ritz.left_images, ritz.right_images)]
        return replace(ritz, values=np.sqrt(sizes[0] * sizes[1])).take(slice(d))

    def _warn_of_few_edges(self) -> None:
        part = matrix_of(self.start)
        if isinstance(part, sparse.csr_array):
            warn_of_few_edges(part, self.n)

    @blas_alone()
    def error(self, found: SpectralEmbedding) -> float:
        r"""Return :math:`\|M - Z S Z^T\|_F / \|M\|_F` for the positions Z of all items, or that of the two sides.

        The square is :math:`\|M\|^2 - 2 \operatorname{tr}(S Z^T M Z) + \operatorname{tr}((S Z^T Z)^2)`, which
        takes one product with M.
        """
        out, into = found.coordinates, found.coordinates_in
        if into is None:
            signs = np.sign(found.values)
            gram = (out * signs).T @ out
            fitted = float((gram * gram.T).sum())
            cross = float(self._forms(out) @ signs)
        else:
            fitted = float(((out.T @ out) * (into.T @ into)).sum())
            # The form of both sides together has each product twice.
            cross = float(self._forms(np.vstack([out, into])).sum()) / 2
        whole = squared_norm(self.operator)
        return float(np.sqrt(max(whole - 2 * cross + fitted, 0.0) / whole))

    def _forms(self, vectors: Array) -> Array:
        """Return ``x' M x`` for each column x."""
        return np.asarray(np.einsum("ij,ij->j", vectors, self.operator @ vectors))


def _placed(rows: AnyMatrix, found: Array, coarse: CoarseVectors, k: int) -> Array:
    """Return the leading right singular vectors of the landmarks' rows, not of unit length."""
    gram = Gram(rows)
    return gram.back(coarse(gram, "LA", k, _OF_ROWS, found))


def _of_images(pairs: EigenPairs) -> EigenPairs:
    """Return pairs with the lengths of images as magnitudes of eigenvalues, by which positions are divided.

    Singular vectors of noise are combinations of eigenvectors with both signs: their Ritz values are near 0.
    """
    return replace(pairs, values=np.copysign(np.linalg.norm(pairs.images, axis=0), pairs.values))
