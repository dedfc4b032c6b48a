"""Kernels of points, and what centring makes of them: scalar products in a space of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph._threads import in_threads
from lpgraph.points.metric import geometry
from lpgraph.points.sparse_points import in_dense_blocks, is_sparse, row_norms
from lpgraph.spectral.affinity import Centring, FactoredRows
from lpgraph.spectral.operators import Centred, Gram, Matrix, Operator

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = [
    "CentredKernel",
    "HalfSquares",
    "KernelFunction",
    "PairFunction",
    "ScalarProducts",
    "SparseScalarProducts",
    "distances_between",
    "scalar_products",
]

#: Entries worked on at a time: they stay in a core's cache.
_ENTRIES = 1 << 16

_CDIST = {1.0: "cityblock", 2.0: "euclidean", np.inf: "chebyshev"}


def distances_between(a: Any, b: Any, metric: Any) -> Array:
    """Return the (m, n) distances of points a to training points b, which the metric may depend on.

    They are found by subtraction, so that equal points are at distance 0 and batches cannot differ.
    """
    from scipy.spatial.distance import cdist

    shape = geometry(b, metric)
    a, b = shape.coordinates(a), shape.coordinates(b)
    if shape.block is not None:
        return shape.forward(shape.block(a, b))
    return shape.forward(np.asarray(cdist(a, b, _CDIST[shape.norm or 2.0])))  # type: ignore[call-overload]


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
    gamma: float = 1.0
    degree: float = 3.0
    coef0: float = 1.0

    def __call__(self, a: Any, b: Any) -> Array:
        """Return the (m, n) kernel values of points a and b."""
        if self.name == "rbf":
            return _decayed(distances_between(a, b, "euclidean"), self.gamma, squared=True)
        if self.name == "laplacian":
            return _decayed(distances_between(a, b, "cityblock"), self.gamma, squared=False)
        if self.name == "cosine":
            a, b = _unit(a), _unit(b)
        products = _products(a, b)
        if self.name in ("linear", "cosine"):
            return products
        if self.name == "poly":
            return np.asarray((self.gamma * products + self.coef0) ** self.degree)
        return np.asarray(np.tanh(self.gamma * products + self.coef0))


def _decayed(distances: Array, gamma: float, *, squared: bool) -> Array:
    """Return ``exp(-gamma d)``, or of d squared, in the place of the distances, rows shared out among threads."""

    def work(low: int, high: int) -> None:
        part = distances[low:high]
        with np.errstate(over="ignore", under="ignore"):  # a square that is infinite is as far as can be
            if squared:
                np.square(part, out=part)
            part *= -gamma
            np.exp(part, out=part)

    step = max(1, _ENTRIES // max(1, distances.shape[1]))
    in_threads(work, [*range(0, len(distances), step), len(distances)])
    return distances


@dataclass(frozen=True, eq=False)
class PairFunction:
    """A kernel given as a function of two points."""

    function: Callable[[Array, Array], float]

    def __call__(self, a: Any, b: Any) -> Array:
        """Return the (m, n) kernel values of points a and b; the function is given them dense."""
        return in_dense_blocks(self._block)(a, b) if is_sparse(a) else self._block(a, b)

    def _block(self, a: Array, b: Array) -> Array:
        return np.array([[self.function(u, v) for v in b] for u in a], dtype=np.float64).reshape(len(a), len(b))


def _unit(points: Any) -> Any:
    norms = row_norms(points) if is_sparse(points) else np.linalg.norm(points, axis=1)
    # A point at the origin has no direction; like scikit-learn, it is given the kernel value 0 with all.
    inverse = 1 / np.where(norms > 0, norms, 1.0)
    return sparse.diags_array(inverse) @ points if is_sparse(points) else points * inverse[:, None]


def _products(a: Any, b: Any) -> Array:
    products = a @ b.T
    return products.toarray() if is_sparse(products) else np.asarray(products)


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
class SparseScalarProducts:
    """Scalar products of sparse points, centred as a kernel is: the points themselves would be dense then."""

    points: sparse.csr_array
    centring: Centring
    as_distances: bool
    dense = True
    trivial = None

    @classmethod
    def of(cls, X: sparse.csr_array, *, as_distances: bool) -> SparseScalarProducts:
        """Find the means of the scalar products, from the mean of the points."""
        mean = np.asarray(X.mean(axis=0)).ravel()
        return cls(X, Centring(np.asarray(X @ mean), float(mean @ mean)), as_distances)

    @property
    def operator(self) -> Operator:
        """``H X X.T H``, the centring done on vectors."""
        return Centred(Gram(self.points))

    @property
    def graph(self) -> Array:
        """All distances, or all scalar products; made when it is asked for."""
        if self.as_distances:
            return distances_between(self.points, self.points, "euclidean")
        return _products(self.points, self.points)

    def rows(self, new: sparse.csr_array) -> Array:
        """Return the (m, n) rows of the centred scalar products."""
        return self.centring.rows(_products(new, self.points))


def scalar_products(X: Any, *, as_distances: bool) -> Any:
    """Return the centred scalar products of points; their graph is to hold distances, or scalar products."""
    kind: Any = SparseScalarProducts if is_sparse(X) else ScalarProducts
    return kind.of(X, as_distances=as_distances)


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
    points : ndarray or csr_array of shape (n, p), or None
        The training points.
    """

    matrix: Array
    centring: Centring
    kernel: Callable[[Array, Array], Array] | None
    points: Any
    dense = True
    trivial = None

    @classmethod
    def of(cls, matrix: Array, kernel: Callable[[Array, Array], Array] | None, points: Any) -> CentredKernel:
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
