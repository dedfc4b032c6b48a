"""Radial-type kernels: decreasing functions of a squared distance."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_real
from lpgraph._compiled import compiled
from lpgraph.models.kernels.base import BoundedKernel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]
    Index = NDArray[np.integer]


def gathered_squares(x: Array, i: Index, y: Array, j: Index) -> Array:
    """Return the squared distances between rows i of `x` and rows j of `y`, by a compiled loop."""
    squared = np.empty(len(i))
    _squares(x, i, y, j, squared)
    return squared


@compiled
def _squares(x: Array, i: Index, y: Array, j: Index, squared: Array) -> None:
    for t in range(len(i)):
        a, b = i[t], j[t]
        gap = x[a, 0] - y[b, 0]
        total = gap * gap
        for k in range(1, x.shape[1]):
            gap = x[a, k] - y[b, k]
            total += gap * gap
        squared[t] = total


class RadialKernel(BoundedKernel):
    """A decreasing function of the squared distance."""

    @abstractmethod
    def of_squares(self, squared: Array) -> Array:
        """Return the kernel as a function of the squared distance."""

    def __call__(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Return the (n, m) matrix of values."""
        from scipy.spatial.distance import cdist

        # From differences, not |x|^2 + |y|^2 - 2<x, y>, which cancels for near points.
        return self.of_squares(cdist(*self._prepare_both(x, y), "sqeuclidean"))

    def pairs(self, x: Array, y: Array) -> Array:
        """Return the values of row i of `x` with row i of `y`."""
        gap = x - y
        gap *= gap
        # Summed in the order of `gathered_squares`, so that the graph does not depend on compiled loops.
        squared = gap[:, 0].copy()
        for k in range(1, gap.shape[1]):
            squared += gap[:, k]
        return self.of_squares(squared)

    def bounds(self, lo_a: Array, hi_a: Array, lo_b: Array, hi_b: Array) -> tuple[Array, Array]:
        """Return bounds over k pairs of boxes."""
        above, below = hi_a - lo_b, hi_b - lo_a
        far = np.maximum(above, below)
        near = np.maximum(np.maximum(-above, -below), 0.0)
        ends = np.einsum("ij,ij->i", far, far), np.einsum("ij,ij->i", near, near)
        return self.of_squares(ends[0]), self.of_squares(ends[1])


@dataclass(frozen=True)
class Gaussian(RadialKernel):
    r"""The Gaussian kernel :math:`\exp(-|x - y|^2 / \sigma^2)` of Proposition 6.

    Parameters
    ----------
    sigma : float
        Positive. There is no factor 2 in the exponent.

    References
    ----------
    Tang, Park & Priebe (2013), Proposition 6.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.kernels.Gaussian(0.5)([[0.0, 0.0]], [[0.0, 0.0], [0.3, 0.4]]).round(3)
    array([[1.   , 0.368]])
    """

    sigma: float

    def __post_init__(self) -> None:
        check_real("sigma", self.sigma, low=0, open_low=True)

    def of_squares(self, squared: Array) -> Array:
        """Return the kernel as a function of the squared distance."""
        with np.errstate(over="ignore"):
            return np.exp(-(squared / self.sigma / self.sigma))


@dataclass(frozen=True)
class InverseMultiquadric(RadialKernel):
    r"""The inverse multiquadric :math:`(c^2 + |x - y|^2)^{-\beta}` of Proposition 6; c < 1 needs ``sparsity`` < 1.

    Parameters
    ----------
    c, beta : float
        Positive.

    References
    ----------
    Tang, Park & Priebe (2013), Proposition 6.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.kernels.InverseMultiquadric(1.0, 0.5)([[0.0]], [[0.0], [3.0 ** 0.5]])
    array([[1. , 0.5]])
    """

    c: float
    beta: float

    def __post_init__(self) -> None:
        check_real("c", self.c, low=0, open_low=True)
        check_real("beta", self.beta, low=0, open_low=True)

    def of_squares(self, squared: Array) -> Array:
        """Return the kernel as a function of the squared distance."""
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray((self.c**2 + squared) ** -self.beta, dtype=np.float64)
