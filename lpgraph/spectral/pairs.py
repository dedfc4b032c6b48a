"""Results of the eigensolvers: eigenpairs and singular triplets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["EigenPairs", "SingularTriplets"]


@dataclass(frozen=True, eq=False)
class EigenPairs:
    r"""Eigenvalues and eigenvectors of a symmetric operator, with their residuals and cost.

    Attributes
    ----------
    values : ndarray of shape (k,)
        Eigenvalues in the wanted order: LM by decreasing magnitude (of a pair +-l the positive one first), LA
        decreasing, SA increasing.
    vectors : ndarray of shape (n, k)
        Orthonormal eigenvectors; in each the entry of largest magnitude is positive.
    images : ndarray of shape (n, k)
        The measured products ``M @ vectors``.
    residuals : ndarray of shape (k,)
        Measured :math:`\|M v - \lambda v\| / \max(|\lambda|, \|M\| / 1000)`: relative to the eigenvalue, or to a
        thousandth of the operator's norm if the eigenvalue is smaller than that. With an `origin` of `eigenpairs`
        relative to the eigenvalue's distance from it, or to the norm / 10^5.
    solver : str
        "lapack", "lanczos", "inverse" (Lanczos's method on an inverse) or "multigrid" (Davidson's method); see
        `lpgraph.spectral.bottom`.
    iterations : int
        Restarts of Lanczos's method, steps of Davidson's; 0 for LAPACK.
    products : int
        Number of vectors multiplied by the operator.
    norm : float
        The largest magnitude of an eigenvalue, as far as it is known.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.eigen import eigenpairs
    >>> pairs = eigenpairs(np.diag([3.0, -5.0, 1.0]), 2)
    >>> pairs.values.tolist(), pairs.solver
    ([-5.0, 3.0], 'lapack')
    >>> pairs.take([1]).values.tolist()
    [3.0]
    """

    values: NDArray[np.float64]
    vectors: NDArray[np.float64]
    images: NDArray[np.float64]
    residuals: NDArray[np.float64]
    solver: str
    iterations: int
    products: int
    norm: float

    def __len__(self) -> int:
        return len(self.values)

    def take(self, index: slice | NDArray[np.intp] | NDArray[np.bool_] | list[int]) -> EigenPairs:
        """Return the chosen pairs."""
        return replace(
            self,
            values=self.values[index],
            vectors=self.vectors[:, index],
            images=self.images[:, index],
            residuals=self.residuals[index],
        )


@dataclass(frozen=True, eq=False)
class SingularTriplets:
    r"""Singular values with their left and right vectors, residuals and cost.

    Attributes
    ----------
    left : ndarray of shape (m, k)
        Left singular vectors u.
    values : ndarray of shape (k,)
        Singular values, decreasing.
    right : ndarray of shape (n, k)
        Right singular vectors v.
    left_images, right_images : ndarray of shape (m, k) and (n, k)
        The measured products ``A @ right`` and ``A.T @ left``.
    residuals : ndarray of shape (k,)
        Measured :math:`\|[A v - s u; A^T u - s v]\| / (\sqrt{2} \max(s, \|A\| / 1000))`.
    solver, iterations, products
        As in `EigenPairs`.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.eigen import singular_triplets
    >>> triplets = singular_triplets(np.array([[0.0, 2.0], [0.0, 0.0], [1.0, 0.0]]), 1)
    >>> triplets.values, triplets.left.shape, triplets.right.shape
    (array([2.]), (3, 1), (2, 1))
    """

    left: NDArray[np.float64]
    values: NDArray[np.float64]
    right: NDArray[np.float64]
    left_images: NDArray[np.float64]
    right_images: NDArray[np.float64]
    residuals: NDArray[np.float64]
    solver: str
    iterations: int
    products: int

    @classmethod
    def of_pairs(cls, pairs: EigenPairs, m: int) -> SingularTriplets:
        """Return the triplets of an m x n matrix A from positive eigenpairs of ``[[0, A], [A.T, 0]]``."""
        # An eigenvector is [u; v] / sqrt(2); the images are A v in the upper part and A.T u in the lower.
        vectors, images = 2**0.5 * pairs.vectors, 2**0.5 * pairs.images
        found = pairs.residuals, pairs.solver, pairs.iterations, pairs.products
        return cls(vectors[:m], pairs.values, vectors[m:], images[:m], images[m:], *found)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def norm(self) -> float:
        """The largest singular value."""
        return float(self.values[0])

    def take(self, index: slice | NDArray[np.intp]) -> SingularTriplets:
        """Return the chosen triplets."""
        return replace(
            self,
            left=self.left[:, index],
            values=self.values[index],
            right=self.right[:, index],
            left_images=self.left_images[:, index],
            right_images=self.right_images[:, index],
            residuals=self.residuals[index],
        )
