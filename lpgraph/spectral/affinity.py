"""A construction's result: the operator on the training items, and the kernel rows of new ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lpgraph.spectral.operators import Operator

__all__ = ["Affinity", "Centring", "FactoredRows"]


@dataclass(frozen=True, eq=False)
class Affinity:
    """A symmetric operator M with ``M[i, j] = K(x_i, x_j)``, and the rows of K for new items.

    Attributes
    ----------
    operator : Operator
        M on the n training items; matrix-free wherever M would be dense.
    rows : callable
        ``rows(new)`` gives the m x n rows ``K(x, x_j)`` of m new items, sparse where K is sparse. For the
        training items themselves it gives M, which makes the extension exact on them. Whatever can be
        multiplied by an (n, d) array will do: an array, a sparse array, `FactoredRows`.
    trivial : ndarray of shape (n,), optional
        A unit eigenvector that says nothing, such as the constant one of a random walk: it is left out.
    """

    operator: Operator
    rows: Callable[..., Any]
    trivial: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class FactoredRows:
    """``left @ right.T``, the (m, n) rows of a kernel of scalar products, never formed."""

    left: NDArray[np.float64]
    right: NDArray[np.float64]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of new and of training items."""
        return len(self.left), len(self.right)

    def __matmul__(self, basis: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.left @ (self.right.T @ basis))


@dataclass(frozen=True, eq=False)
class Centring:
    """The additive normalisation of a kernel by its means over the training items.

    ``K(a, b) - E_x K(x, b) - E_x K(a, x) + E_xy K(x, y)``: Bengio et al. (2004, Neural Computation), Eq. (3);
    for ``K = -d^2 / 2`` also Eq. (6), the double centring of multi-dimensional scaling.

    Attributes
    ----------
    means : ndarray of shape (n,)
        ``E_x K(x, x_j)`` for every training item.
    mean : float
        ``E_xy K(x, y)``.
    """

    means: NDArray[np.float64]
    mean: float

    @classmethod
    def of(cls, matrix: NDArray[np.float64]) -> Centring:
        """Return the means of an (n, n) kernel matrix."""
        means = matrix.mean(axis=0)
        return cls(means, float(means.mean()))

    def rows(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the (m, n) rows of the centred kernel for rows of the kernel itself."""
        return np.asarray(rows - rows.mean(axis=1, keepdims=True) - self.means + self.mean)
