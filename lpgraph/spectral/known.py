"""Eigenvectors that are known beforehand, such as those of the components of a graph."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.spectral.measure import fix_signs
from lpgraph.spectral.operators import Wrapped
from lpgraph.spectral.order import relative_scale
from lpgraph.spectral.pairs import EigenPairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.spectral.operators import SymmetricOperator

    Array = NDArray[np.float64]

__all__ = ["KnownPairs", "beside_known"]


@dataclass(frozen=True, eq=False)
class KnownPairs:
    """Orthonormal eigenvectors at the wanted end of a spectrum, before all others.

    Attributes
    ----------
    values : ndarray of shape (m,)
        Their eigenvalues in the wanted order.
    vectors : csc_array of shape (n, m)
        The eigenvectors.
    left_out : ndarray of shape (m,), optional
        Coefficients of a unit vector in their span that is not wanted; then all values are equal.
    """

    values: Array
    vectors: sparse.csc_array
    left_out: Array | None = None

    def __len__(self) -> int:
        return len(self.values) - (self.left_out is not None)

    def leading(self, k: int) -> tuple[Array, Array]:
        """Return the first k values and vectors."""
        if self.left_out is None:
            return self.values[:k], self.vectors[:, :k].toarray()
        # A Householder reflection maps the first axis to the unwanted vector; its other columns are wanted.
        normal = self.left_out.copy()
        normal[0] += np.copysign(1.0, normal[0])
        normal /= np.linalg.norm(normal)
        vectors = self.vectors[:, 1 : k + 1].toarray()
        vectors -= np.multiply.outer(self.vectors @ normal, 2 * normal[1 : k + 1])
        return self.values[:k], vectors


@dataclass(frozen=True, eq=False)
class _Others(Wrapped):
    """``P M P - shift V V'`` with ``P = I - V V'``: M with the eigenvalue ``-shift`` for known eigenvectors V."""

    operator: SymmetricOperator
    vectors: sparse.csc_array
    shift: float

    def __matmul__(self, block: Array) -> Array:
        along = self.vectors.T @ block
        product = self.operator @ (block - self.vectors @ along)
        product -= self.vectors @ (self.vectors.T @ product + self.shift * along)
        return np.asarray(product)


def beside_known(
    operator: SymmetricOperator,
    known: KnownPairs,
    k: int,
    which: str,
    find: Callable[[SymmetricOperator, int], EigenPairs],
) -> EigenPairs:
    """Return the k wanted eigenpairs, of which only those that are not known are searched.

    Parameters
    ----------
    operator : SymmetricOperator
        M.
    known : KnownPairs
        Pairs that come first in the wanted order.
    k : int
        Number of pairs.
    which : {"LM", "LA"}
        The wanted end.
    find : callable
        Returns a number of pairs of an operator.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from lpgraph.spectral.eigen import eigenpairs
    >>> from lpgraph.spectral.known import KnownPairs, beside_known
    >>> from lpgraph.spectral.operators import Matrix
    >>> known = KnownPairs(np.array([2.0]), sparse.csc_array(np.eye(3, 1)))
    >>> beside_known(Matrix(np.diag([2.0, 0.5, 1.0])), known, 2, "LM", eigenpairs).values
    array([2., 1.])
    """
    values, vectors = known.leading(min(k, len(known)))
    vectors *= fix_signs(vectors)
    images = np.asarray(operator @ vectors)
    norm = float(np.abs(known.values).max())
    gap = np.linalg.norm(images - vectors * values, axis=0)
    first = EigenPairs(values, vectors, images, gap / relative_scale(values, norm), "known", 0, len(values), norm)
    if k <= len(known):
        return first
    shift = norm if which == "LA" else 0.0
    others = find(_Others(operator, known.vectors, shift), k - len(known))
    return replace(
        others,
        values=np.r_[values, others.values],
        vectors=np.hstack([vectors, others.vectors]),
        # By the operator itself, because the extension of training items is this product.
        images=np.hstack([images, operator @ others.vectors]),
        residuals=np.r_[first.residuals, others.residuals],
        norm=norm,
    )
