"""Truncated feature map of a kernel, the quantity that a spectral embedding estimates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import check_integer
from lpgraph.errors import ArgumentError, ProbabilityError

from .kernels import Kernel, as_kernel
from .positions import check_simplex

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lpgraph._utils.types import Array


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """The truncated feature map Phi_d, a function of positions. Use `FeatureMap.of` to construct it.

    Attributes
    ----------
    kernel : Kernel
    points : ndarray of shape (n, p)
        The support of the measure.
    values : ndarray of shape (d,)
        The largest eigenvalues of the integral operator, decreasing.
    coefficients : ndarray of shape (n, d)
        Phi_d(x) is ``kernel(x, points) @ coefficients``.

    Examples
    --------
    >>> import lpgraph as lp
    >>> phi = lp.FeatureMap.of(lp.kernels.DotProduct(), [[0.5], [1.0]], 1)
    >>> phi([[0.25]]).round(6)
    array([[0.25]])
    """

    kernel: Kernel
    points: Array
    values: Array
    coefficients: Array

    @classmethod
    def of(cls, kernel: object, positions: ArrayLike, d: int, *, weights: ArrayLike | None = None) -> FeatureMap:
        """Diagonalise the integral operator of `kernel` and a discrete measure; see `feature_map`.

        Examples
        --------
        The kernel min(x, y) on [0, 1] has eigenvalues 1 / ((k - 1/2) pi)^2:

        >>> import numpy as np, lpgraph as lp
        >>> x = (np.arange(500) + 0.5) / 500
        >>> lp.FeatureMap.of(lambda x, y: np.minimum(x, y.T), x, 2).values * np.pi**2
        array([4.0000..., 0.444...])
        """
        kernel = as_kernel(kernel)
        points = kernel.prepare(positions)
        n = len(points)
        d = check_integer("d", d, low=1, high=n, why=f"but positions has {n} rows")
        root = np.sqrt(check_simplex("weights", weights, n))
        matrix = _finite(kernel(points, points))
        if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=1e-12):
            raise ArgumentError("kernel is not symmetric on positions; pass a symmetric kernel.")
        matrix = root[:, None] * matrix * root

        from scipy.linalg import eigh

        values, vectors = eigh(matrix, subset_by_index=[n - d, n - 1])
        values, vectors = values[::-1], vectors[:, ::-1]
        # Eigenvalues below LAPACK's error cannot be distinguished from 0.
        positive = values > n * np.finfo(np.float64).eps * np.linalg.norm(matrix)
        if not positive.all():
            k = np.argmin(positive)
            remedy = f"pass d <= {k}" if k else "pass a kernel with a positive eigenvalue"
            raise ArgumentError(f"d={d}, and eigenvalue {k + 1} of the kernel is {values[k]:.3g}; {remedy}.")
        signs = np.sign(vectors[np.argmax(np.abs(vectors), axis=0), np.arange(d)])
        return cls(kernel, points, values, root[:, None] * vectors * (signs / np.sqrt(values)))

    def __call__(self, at: ArrayLike) -> Array:
        """Return Phi_d at positions `at` of shape (m, p), an (m, d) array.

        Examples
        --------
        >>> import lpgraph as lp
        >>> lp.FeatureMap.of(lp.kernels.DotProduct(), [[0.5], [1.0]], 1)([[0.25]]).round(6)
        array([[0.25]])
        """
        rows = self.kernel.prepare(at, "at")
        return _finite(self.kernel(rows, self.points)) @ self.coefficients


def feature_map(
    kernel: object, positions: ArrayLike, d: int, *, weights: ArrayLike | None = None, at: ArrayLike | None = None
) -> Array:
    r"""Return the truncated feature map of a kernel: Tang, Park & Priebe (2013), Eqs. (2) and (3).

    .. math:: \Phi_d(x) = (\sqrt{\lambda_1} \psi_1(x), \ldots, \sqrt{\lambda_d} \psi_d(x))

    :math:`\lambda_j` and :math:`\psi_j` are the largest eigenvalues and the eigenfunctions of the integral
    operator of Eq. (1), :math:`(Kg)(x) = \int \kappa(x, x') g(x') F(dx')`, where F is the discrete measure with
    `weights` on `positions`. The map does not depend on a model's sparsity. The nodes and weights of a quadrature
    rule approximate the map of the integrated measure closely; a sample with equal weights gives an estimate.

    Parameters
    ----------
    kernel : Kernel or callable
        Symmetric.
    positions : array_like of shape (n, p)
        The support of F.
    d : int
        Number of coordinates. The d largest eigenvalues must be positive.
    weights : array_like of shape (n,), optional
        Non-negative weights with sum 1. Default: equal weights.
    at : array_like of shape (m, p), optional
        Points of evaluation, by Nystrom's formula. Default: `positions`.

    Returns
    -------
    ndarray of shape (n, d) or (m, d)
        Columns in order of decreasing eigenvalue, with deterministic signs. A feature map is unique only up to
        rotation within equal eigenvalues.

    Raises
    ------
    ArgumentError
        If one of the d eigenvalues is not positive. The message gives the largest valid d.
    ProbabilityError
        If the kernel is infinite or NaN for a pair.

    References
    ----------
    Tang, Park & Priebe (2013), equations (1) to (3).

    Examples
    --------
    The feature map of the dot product is the position, up to rotation:

    >>> import numpy as np, lpgraph as lp
    >>> X = np.random.default_rng(0).random((50, 2))
    >>> Phi = lp.feature_map(lp.kernels.DotProduct(), X, 2)
    >>> bool(np.allclose(Phi @ Phi.T, X @ X.T))
    True
    """
    found = FeatureMap.of(kernel, positions, d, weights=weights)
    return found(found.points if at is None else at)


def _finite(values: Array) -> Array:
    """Return the values of a kernel; raise if one is infinite or NaN."""
    if not np.isfinite(values).all():
        i, j = np.argwhere(~np.isfinite(values))[0]
        raise ProbabilityError(f"the kernel is {values[i, j]} for pair ({i}, {j}); scale the positions down.")
    return values
