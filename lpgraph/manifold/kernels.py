"""Kernels of points, and their centring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._threads import in_threads
from lpgraph.errors import ArgumentError
from lpgraph.linalg.dense_rows import rowwise_product
from lpgraph.points.metric import geometry, pairwise
from lpgraph.points.rows import in_memory
from lpgraph.points.sparse_points import in_dense_blocks, is_sparse, row_norms
from lpgraph.spectral.construction import Array, KernelRows, ProductRows
from lpgraph.spectral.operators import Centred, Gram, Matrix, Operator

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lpgraph.points.types import Metric, Points, Values

__all__ = [
    "CentredKernel",
    "Centring",
    "HalfSquares",
    "KernelFunction",
    "PairFunction",
    "ScalarProducts",
    "SparseScalarProducts",
    "distances_between",
    "scalar_products",
]

#: Entries processed at a time, which fit into the cache of a core.
_ENTRIES = 1 << 16


def distances_between(a: Points, b: Points, metric: Metric) -> Array:
    """Return the (m, n) distances of points a to training points b, which may determine the metric.

    They are computed from differences, so that equal points have distance 0, and results do not depend on batches.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        distances = geometry(b, metric).between(a, b)
    if not np.isfinite(distances).all():
        raise ArgumentError(
            f"X has points whose distances are not finite in metric={metric!r}; divide X by a constant, or "
            "pass another metric or smaller parameters of it."
        )
    return distances


@dataclass(frozen=True, eq=False)
class HalfSquares:
    """``-d(a, b)^2 / 2``, which double centring turns into scalar products."""

    metric: Metric

    def __call__(self, a: Points, b: Points) -> Array:
        """Return the (m, n) values for points a and training points b."""
        distances = distances_between(a, b, self.metric)
        distances *= -0.5 * distances
        return distances


@dataclass(frozen=True, eq=False)
class KernelFunction:
    """A kernel given by its name in scikit-learn, with its parameters."""

    name: str
    gamma: float = 1.0
    degree: float = 3.0
    coef0: float = 1.0

    def __call__(self, a: Points, b: Points) -> Array:
        """Return the (m, n) kernel values of points a and b."""
        if self.name == "rbf":
            return _decayed(distances_between(a, b, "euclidean"), self.gamma, squared=True)
        if self.name == "laplacian":
            return _decayed(distances_between(a, b, "cityblock"), self.gamma, squared=False)
        if self.name == "cosine":
            a, b = (_unit(a),) * 2 if a is b else (_unit(a), _unit(b))
        products = _products(a, in_memory(b))
        if self.name in ("linear", "cosine"):
            return products
        if self.name == "poly":
            return np.asarray((self.gamma * products + self.coef0) ** self.degree)
        return np.asarray(np.tanh(self.gamma * products + self.coef0))


def _decayed(distances: Array, gamma: float, *, squared: bool) -> Array:
    """Return ``exp(-gamma d)``, or ``exp(-gamma d^2)``; overwrites the distances; runs in threads."""

    def work(low: int, high: int) -> None:
        part = distances[low:high]
        with np.errstate(over="ignore", under="ignore"):  # an infinite square gives the kernel value 0
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

    def __call__(self, a: Points, b: Points) -> Array:
        """Return the (m, n) kernel values of points a and b; the function is called with dense points."""
        values = pairwise(self.function)
        return in_dense_blocks(values)(a, b) if is_sparse(a) and is_sparse(b) else values(a, b)


def _unit(points: Points) -> Values:
    sparse_points = points if is_sparse(points) else None
    norms = np.linalg.norm(np.asarray(points), axis=1) if sparse_points is None else row_norms(sparse_points)
    # A point at the origin has no direction; as in scikit-learn, its kernel values are 0.
    inverse = 1 / np.where(norms > 0, norms, 1.0)
    if sparse_points is None:
        return np.asarray(points) * inverse[:, None]
    return sparse.csr_array(sparse.diags_array(inverse) @ sparse_points)


def _products(a: Points, b: Values) -> Array:
    """Return the (m, n) scalar products of points; exactly symmetric if both are the same array."""
    if is_sparse(a):
        return np.asarray(sparse.csr_array(a @ b.T).toarray())
    dense = np.asarray(a, dtype=np.float64)
    return np.asarray(dense @ dense.T) if a is b else rowwise_product(dense, np.asarray(b).T)


@dataclass(frozen=True, eq=False)
class Centring:
    """The additive normalisation of a kernel by its means over the training items.

    ``K(a, b) - E_x K(x, b) - E_x K(a, x) + E_xy K(x, y)``: Bengio et al. (2004, Neural Computation), Eq. (3);
    for ``K = -d^2 / 2`` also Eq. (6), the double centring of multidimensional scaling.

    Attributes
    ----------
    means : ndarray of shape (n,)
        ``E_x K(x, x_j)`` for every training item.
    mean : float
        ``E_xy K(x, y)``.
    """

    means: Array
    mean: float

    @classmethod
    def of(cls, matrix: Array) -> Centring:
        """Return the means of an (n, n) kernel matrix."""
        means = matrix.mean(axis=0)
        return cls(means, float(means.mean()))

    def rows(self, rows: Array) -> Array:
        """Return the (m, n) rows of the centred kernel for rows of the kernel itself."""
        result = np.asarray(rows - rows.mean(axis=1, keepdims=True))
        result -= self.means
        result += self.mean
        return result


@dataclass(frozen=True, eq=False)
class ScalarProducts(KernelRows):
    """Scalar products of centred points as a product of factors; no n x n matrix is formed."""

    points: Array
    mean: Array
    as_distances: bool

    @classmethod
    def of(cls, X: Array, *, as_distances: bool) -> ScalarProducts:
        """Centre the points; the graph contains distances or scalar products."""
        mean = X.mean(axis=0)
        return cls(X - mean, mean, as_distances)

    @property
    def operator(self) -> Operator:
        """``X X.T`` for centred points X."""
        return Gram(self.points)

    @property
    def graph(self) -> Array:
        """All distances or scalar products of the original points; computed on access."""
        if self.as_distances:
            return distances_between(self.points, self.points, "euclidean")
        X = self.points + self.mean
        return np.asarray(X @ X.T)

    def __call__(self, new: Points, side: str = "out") -> ProductRows:
        """Return the scalar products of new points with the training points, both centred."""
        return ProductRows(np.asarray(new - self.mean), self.points)


@dataclass(frozen=True, eq=False)
class SparseScalarProducts(KernelRows):
    """Scalar products of sparse points; the kernel is centred, because centred points would be dense."""

    points: sparse.csr_array
    centring: Centring
    as_distances: bool

    dense = True

    @classmethod
    def of(cls, X: sparse.csr_array, *, as_distances: bool) -> SparseScalarProducts:
        """Compute the means of the scalar products from the mean of the points."""
        mean = np.asarray(X.mean(axis=0)).ravel()
        return cls(X, Centring(np.asarray(X @ mean), float(mean @ mean)), as_distances)

    @property
    def operator(self) -> Operator:
        """``H X X.T H``, the centring applied to vectors."""
        return Centred(Gram(self.points))

    @property
    def graph(self) -> Array:
        """All distances or scalar products; computed on access."""
        if self.as_distances:
            return distances_between(self.points, self.points, "euclidean")
        return _products(self.points, self.points)

    def __call__(self, new: Points, side: str = "out") -> Array:
        """Return the (m, n) rows of the centred scalar products."""
        return self.centring.rows(_products(new, self.points))


def scalar_products(X: Values, *, as_distances: bool) -> ScalarProducts | SparseScalarProducts:
    """Return the centred scalar products of points; the graph contains distances or scalar products."""
    if isinstance(X, sparse.csr_array):
        return SparseScalarProducts.of(X, as_distances=as_distances)
    return ScalarProducts.of(X, as_distances=as_distances)


@dataclass(frozen=True, eq=False)
class CentredKernel(KernelRows):
    """A kernel minus its means: Eq. (3), and for -d^2 / 2 Eq. (6), of Bengio et al. (2004).

    Attributes
    ----------
    matrix : ndarray of shape (n, n)
        The kernel on the training points, not centred.
    centring : Centring
        Its means.
    kernel : HalfSquares, KernelFunction, PairFunction or None
        ``kernel(new, points)``; None if new points are passed as kernel values.
    points : ndarray or csr_array of shape (n, p), or None
        The training points; None if new points are passed as values of pairs.
    columns : ndarray of shape (n,), or None
        The columns of these values that belong to the n points; None if there are no others.
    """

    matrix: Array
    centring: Centring
    kernel: HalfSquares | KernelFunction | PairFunction | None
    points: Values | None
    columns: NDArray[np.intp] | None = None

    dense = True

    @classmethod
    def of(
        cls,
        matrix: Array,
        kernel: HalfSquares | KernelFunction | PairFunction | None,
        points: Values | None,
        columns: NDArray[np.intp] | None = None,
    ) -> CentredKernel:
        """Compute the means of a kernel matrix."""
        return cls(matrix, Centring.of(matrix), kernel, points, columns)

    @property
    def operator(self) -> Operator:
        """``H K H``, the centring applied to vectors."""
        return Centred(Matrix(self.matrix))

    @property
    def graph(self) -> Array:
        """The kernel matrix, or the distances if the kernel was computed from distances."""
        return np.sqrt(-2 * self.matrix) if isinstance(self.kernel, HalfSquares) else self.matrix

    def __call__(self, new: Points, side: str = "out") -> Array:
        """Return the (m, n) rows of the centred kernel."""
        if self.points is not None and self.kernel is not None:
            return self.centring.rows(self.kernel(new, self.points))
        values = np.asarray(new if self.columns is None else new[:, self.columns])
        return self.centring.rows(-0.5 * values**2 if isinstance(self.kernel, HalfSquares) else values)
