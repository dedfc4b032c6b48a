r"""Positions of all items from the eigenvectors of a few, the landmarks.

The matrix of the landmarks is decomposed, and other items are placed by their rows with Nystrom's formula, which
is the out-of-sample rule of Tang, Park & Priebe (2013, Section 3.1). For the positions Z of all items,
:math:`Z S Z^T` is a Nystrom approximation of their matrix M.

A pass places every item again, by its row of all items and the positions so far. As a map of the positions this is
a product with M, so that passes are steps of orthogonal iteration: errors outside of the leading eigenvectors
shrink by about :math:`\lambda_{d + 1} / \lambda_d` in each. Rayleigh-Ritz gives the eigenvalues of the new
positions. In it more eigenvectors than wanted are used, because the last ones are the least exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._threads import blas_alone
from lpgraph.errors import ArgumentError
from lpgraph.spectral.entries import squared_norm
from lpgraph.spectral.external import FindsPairs
from lpgraph.spectral.operators import Bipartite
from lpgraph.spectral.subspace import ritz_pairs, ritz_triplets

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lpgraph.spectral.embedding import SpectralEmbedding
    from lpgraph.spectral.operators import SymmetricOperator
    from lpgraph.spectral.pairs import EigenPairs, SingularTriplets

    Array = NDArray[np.float64]

__all__ = ["Landmarks"]


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
        The matrix of the landmarks from whose eigenvectors passes start: their part of `operator`, or one that is
        scaled by the degrees among landmarks, which have less noise.
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
        self, found: EigenPairs, more: Callable[[int], EigenPairs], which: str, of_each_sign: bool
    ) -> EigenPairs:
        """Return pairs of all items from those of the landmarks.

        Parameters
        ----------
        found : EigenPairs
            The d wanted pairs of the landmarks.
        more : callable
            Returns the k leading pairs of `start`, coarsely.
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
        vectors = self.lifted(more(min(2 * d, len(self.rows))).vectors)
        ritz = ritz_pairs(self.operator, self.operator @ vectors, self.passes - 1, which)
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

    def triplets(self, found: SingularTriplets, more: Callable[[int], SingularTriplets]) -> SingularTriplets:
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
        start = more(min(2 * d, len(self.rows)))
        images = operator @ np.vstack([self.lifted(start.left), self.lifted(start.right)])
        return ritz_triplets(operator, images[: self.n], images[self.n :], self.passes - 1).take(slice(d))

    @blas_alone()
    def error(self, found: SpectralEmbedding) -> float:
        r"""Return :math:`\|M - Z S Z^T\|_F / \|M\|_F` for the positions Z of all items, or that of the two sides.

        The square is :math:`\|M\|^2 - 2 \operatorname{tr}(S Z^T M Z) + \operatorname{tr}((S Z^T Z)^2)`, which
        takes one product with M. If M is not in memory, its norm is found in the same reading.
        """
        out, into = found.coordinates, found.coordinates_in
        if into is None:
            signs = np.sign(found.values)
            gram = (out * signs).T @ out
            fitted = float((gram * gram.T).sum())
            forms, whole = self._forms(out)
            cross = float(forms @ signs)
        else:
            fitted = float(((out.T @ out) * (into.T @ into)).sum())
            # The form of both sides together has each product twice.
            forms, whole = self._forms(np.vstack([out, into]))
            cross = float(forms.sum()) / 2
        return float(np.sqrt(max(whole - 2 * cross + fitted, 0.0) / whole))

    def _forms(self, vectors: Array) -> tuple[Array, float]:
        """Return ``x' M x`` for each column x, and the sum of the squared entries of M."""
        inside = self.operator.external
        if inside is None or not isinstance(inside.matrix, FindsPairs):
            forms = np.einsum("ij,ij->j", vectors, self.operator @ vectors)
            return forms, squared_norm(self.operator)
        forms, squares = inside.matrix.forms(
            inside.matrix.squared(), inside.scales, vectors, two_sided=inside.two_sided, power=0, single=False
        )
        return forms, float(squares[0]) / (2 if inside.two_sided else 1)
