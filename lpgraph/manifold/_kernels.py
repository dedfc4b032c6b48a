"""Kernels of points, and what centring makes of them: scalar products in a space of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph.graph.metric import geometry
from lpgraph.spectral.affinity import Centring, FactoredRows
from lpgraph.spectral.operators import Centred, Gram, Matrix, Operator

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["CentredKernel", "HalfSquares", "KernelFunction", "ScalarProducts", "distances_between"]

_CDIST = {1.0: "cityblock", 2.0: "euclidean", np.inf: "chebyshev"}


def distances_between(a: Array, b: Array, metric: Any) -> Array:
    """Return the (m, n) distances of points a to training points b, which the metric may depend on.

    They are found by subtraction, so that equal points are at distance 0 and batches cannot differ.
    """
    from scipy.spatial.distance import cdist

    shape = geometry(b, metric)
    if shape.block is not None:
        return shape.block(a, b)
    norms = cdist(shape.coordinates(a), shape.coordinates(b), _CDIST[shape.norm or 2.0])  # type: ignore[call-overload]
    return shape.forward(np.asarray(norms))


@dataclass(frozen=True, eq=False)
class HalfSquares:
    """``-d(a, b)^2 / 2``: what double centring turns into scalar products."""

    metric: Any

    def __call__(self, a: Array, b: Array) -> Array:
        """Return the (m, n) values for points a and training points b."""
        distances = distances_between(a, b, self.metric)
        distances *= -0.5 * distances
        return distances


@dataclass(frozen=True, eq=False)
class KernelFunction:
    """A kernel by name, with scikit-learn's meaning of the parameters."""

    name: str
    gamma: float
    degree: float
    coef0: float

    def __call__(self, a: Array, b: Array) -> Array:
        """Return the (m, n) kernel values of points a and b."""
        from scipy.spatial.distance import cdist

        if self.name == "rbf":
            return np.asarray(np.exp(-self.gamma * cdist(a, b, "sqeuclidean")))
        if self.name == "laplacian":
            return np.asarray(np.exp(-self.gamma * cdist(a, b, "cityblock")))
        if self.name == "cosine":
            return np.asarray(_unit(a) @ _unit(b).T)
        products = a @ b.T
        if self.name == "poly":
            return np.asarray((self.gamma * products + self.coef0) ** self.degree)
        return np.asarray(np.tanh(self.gamma * products + self.coef0))


@dataclass(frozen=True, eq=False)
class PairFunction:
    """A kernel given as a function of two points."""

    function: Callable[[Array, Array], float]

    def __call__(self, a: Array, b: Array) -> Array:
        """Return the (m, n) kernel values of points a and b."""
        return np.array([[self.function(u, v) for v in b] for u in a], dtype=np.float64).reshape(len(a), len(b))


def _unit(points: Array) -> Array:
    norms = np.linalg.norm(points, axis=1, keepdims=True)
    # A point at the origin has no direction; like scikit-learn, it is given the kernel value 0 with all.
    return np.asarray(points / np.where(norms > 0, norms, 1.0))


@dataclass(frozen=True, eq=False)
class ScalarProducts:
    """Scalar products of centred points, as a product of factors: no n x n matrix anywhere."""

    points: Array
    mean: Array
    as_distances: bool
    dense = False
    trivial = None

    @classmethod
    def of(cls, X: Array, *, as_distances: bool) -> ScalarProducts:
        """Centre the points; their graph is to hold distances, or scalar products."""
        mean = X.mean(axis=0)
        return cls(X - mean, mean, as_distances)

    @property
    def operator(self) -> Operator:
        """``X X.T`` for centred points X."""
        return Gram(self.points)

    @property
    def graph(self) -> Array:
        """All distances, or all scalar products of the points as they were; made when it is asked for."""
        if self.as_distances:
            return distances_between(self.points, self.points, "euclidean")
        X = self.points + self.mean
        return np.asarray(X @ X.T)

    def rows(self, new: Array) -> FactoredRows:
        """Return the scalar products of new points with the training points, both centred."""
        return FactoredRows(new - self.mean, self.points)


@dataclass(frozen=True, eq=False)
class CentredKernel:
    """A kernel minus its means: Eq. (3), and for -d^2 / 2 Eq. (6), of Bengio et al. (2004).

    Attributes
    ----------
    matrix : ndarray of shape (n, n)
        The kernel on the training points, as it is.
    centring : Centring
        Its means.
    kernel : callable or None
        ``kernel(new, points)``; None where the values themselves are passed as new points.
    points : ndarray of shape (n, p)
        The training points.
    """

    matrix: Array
    centring: Centring
    kernel: Callable[[Array, Array], Array] | None
    points: Array | None
    dense = True
    trivial = None

    @classmethod
    def of(
        cls, matrix: Array, kernel: Callable[[Array, Array], Array] | None, points: Array | None
    ) -> CentredKernel:
        """Find the means of a kernel's matrix."""
        return cls(matrix, Centring.of(matrix), kernel, points)

    @property
    def operator(self) -> Operator:
        """``H K H``, the centring done on vectors."""
        return Centred(Matrix(self.matrix))

    @property
    def graph(self) -> Array:
        """The kernel matrix, or the distances where that is what it was made of."""
        return np.sqrt(-2 * self.matrix) if self._of_distances else self.matrix

    @property
    def _of_distances(self) -> bool:
        return isinstance(self.kernel, HalfSquares)

    def rows(self, new: Array) -> Array:
        """Return the (m, n) rows of the centred kernel."""
        if self.points is None:
            return self.centring.rows(-0.5 * new**2 if self._of_distances else new)
        assert self.kernel is not None
        return self.centring.rows(self.kernel(new, self.points))
