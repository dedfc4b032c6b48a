"""Kernels of points and their centring: classical scaling and kernel PCA, of all points or of landmarks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from lpgraph._utils.types import Array, Integers
from lpgraph.errors import ArgumentError
from lpgraph.linalg.dense_rows import rowwise_product
from lpgraph.points.metric import Metric, geometry, in_dense_blocks, pairwise
from lpgraph.points.rows import Points, Values, in_memory, is_sparse, row_norms, scaled_rows
from lpgraph.spectral.construction import Construction, KernelRows, ProductRows
from lpgraph.spectral.embedding import SpectralEmbedding
from lpgraph.spectral.extension import Placement
from lpgraph.spectral.operators import Centred, Gram, Matrix, Operator


def distances_between(a: Points, b: Points, metric: Metric) -> Array:
    """Return the (m, n) distances of points a to training points b, which may determine the metric.

    They are computed from differences, so that equal points have distance 0, and results do not depend on batches.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        distances = geometry(b, metric).between(a, b)
    if not np.isfinite(distances).all():
        raise ArgumentError(f"X has distances that are not finite in metric={metric!r}; divide X by a constant.")
    return distances


@dataclass(frozen=True, eq=False)
class Kernel:
    """A function of two sets of points.

    Attributes
    ----------
    name : str or callable
        A kernel's name in scikit-learn; a function of two points; "squares" for ``-d(a, b)^2 / 2``, which double
        centring turns into scalar products; or "precomputed" for values that are passed in place of points.
    gamma, degree, coef0 : float
        The parameters of kernels; gamma is None for those that have none.
    metric : str, callable or MetricWithParams
        The metric of squares; "precomputed" for distances that are passed in place of points.
    """

    name: str | Callable[[Array, Array], float]
    gamma: float | None = None
    degree: float = 3.0
    coef0: float = 1.0
    metric: Metric = "euclidean"

    def __call__(self, a: Points, b: Points | None) -> Array:
        """Return the (m, n) values for points a and training points b, which are None if a are pairwise values."""
        if b is None:
            values = np.asarray(a)
            return -0.5 * values**2 if self.name == "squares" else values
        if callable(self.name):
            block = pairwise(self.name)
            return in_dense_blocks(block)(a, b) if is_sparse(a) and is_sparse(b) else block(a, b)
        if self.name == "squares":
            distances = distances_between(a, b, self.metric)
            distances *= -0.5 * distances
            return distances
        gamma = 1.0 if self.gamma is None else self.gamma
        if self.name in ("rbf", "laplacian"):
            exponents = distances_between(a, b, "euclidean" if self.name == "rbf" else "cityblock")
            with np.errstate(over="ignore", under="ignore"):  # an infinite square gives the kernel value 0
                exponents *= -gamma * exponents if self.name == "rbf" else -gamma
                return np.exp(exponents, out=exponents)
        if self.name == "cosine":
            a, b = (_unit(a),) * 2 if a is b else (_unit(a), _unit(b))
        products = _products(a, in_memory(b))
        if self.name == "poly":
            return (gamma * products + self.coef0) ** self.degree
        return np.tanh(gamma * products + self.coef0) if self.name == "sigmoid" else products


def _unit(points: Points) -> Values:
    norms = row_norms(points) if is_sparse(points) else np.linalg.norm(points, axis=1)
    # A point at the origin has no direction; as in scikit-learn, its kernel values are 0.
    inverse = 1 / np.where(norms > 0, norms, 1.0)
    return scaled_rows(points, inverse) if is_sparse(points) else points * inverse[:, None]


def _products(a: Points, b: Values) -> Array:
    """Return the (m, n) scalar products of points; exactly symmetric if both are the same array."""
    if is_sparse(a):
        return sparse.csr_array(a @ b.T).toarray()
    dense = np.asarray(a, dtype=np.float64)
    return dense @ dense.T if a is b else rowwise_product(dense, np.asarray(b).T)


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
        result: Array = rows - rows.mean(axis=1, keepdims=True)
        result -= self.means
        result += self.mean
        return result


@dataclass(frozen=True, eq=False)
class ScalarProducts(KernelRows):
    """Scalar products of points, centred; no n x n matrix is formed.

    Attributes
    ----------
    centred : ndarray or csr_array of shape (n, p)
        The training points minus their mean. Sparse points would become dense; for them the kernel is centred.
    mean : ndarray of shape (p,)
        The mean.
    as_distances : bool
        Whether the graph contains distances, or scalar products.
    """

    centred: Values
    mean: Array
    as_distances: bool

    #: The kernel before it was centred.
    kernel = Kernel("linear")

    @classmethod
    def of(cls, X: Values, *, as_distances: bool) -> ScalarProducts:
        """Centre the points."""
        mean = X.mean(axis=0).ravel()
        return cls(X if is_sparse(X) else X - mean, mean, as_distances)

    @property
    def dense(self) -> bool:
        """Whether rows are dense, as those of sparse points."""
        return is_sparse(self.centred)

    @property
    def operator(self) -> Operator:
        """The centred scalar products."""
        return Centred(Gram(self.centred)) if self.dense else Gram(self.centred)

    @property
    def points(self) -> Values:
        """The training points."""
        return self.centred if is_sparse(self.centred) else self.centred + self.mean

    @property
    def graph(self) -> Array:
        """All distances or scalar products; computed on access."""
        if self.as_distances:
            return distances_between(self.centred, self.centred, "euclidean")
        points = self.points
        return self.kernel(points, points)

    def __call__(self, new: Points, side: str = "out") -> Array | ProductRows:
        """Return the rows of the centred scalar products of new points with the training points."""
        if not is_sparse(self.centred):
            return ProductRows(new - self.mean, self.centred)
        centring = Centring(self.centred @ self.mean, float(self.mean @ self.mean))
        return centring.rows(self.kernel(new, self.centred))


@dataclass(frozen=True, eq=False)
class CentredKernel(KernelRows):
    """A kernel minus its means: Eq. (3), and for -d^2 / 2 Eq. (6), of Bengio et al. (2004).

    Attributes
    ----------
    matrix : ndarray of shape (n, n)
        The kernel on the training points, not centred.
    kernel : Kernel
        ``kernel(new, points)``.
    points : ndarray or csr_array of shape (n, p), or None
        The training points; None if new points are passed as distances, or as kernel values.
    landmarks : ndarray of shape (n,), or None
        The n points among those that were passed; None if they are all.
    """

    matrix: Array
    kernel: Kernel
    points: Values | None
    landmarks: Integers | None

    dense = True

    @cached_property
    def centring(self) -> Centring:
        """The means of the matrix."""
        return Centring.of(self.matrix)

    @property
    def operator(self) -> Operator:
        """``H K H``, the centring applied to vectors."""
        return Centred(Matrix(self.matrix))

    @property
    def graph(self) -> Array:
        """The kernel matrix, or the distances if the kernel was computed from distances."""
        return np.sqrt(-2 * self.matrix) if self.kernel.name == "squares" else self.matrix

    def __call__(self, new: Points, side: str = "out") -> Array:
        """Return the (m, n) rows of the centred kernel."""
        if self.points is None and self.landmarks is not None:
            new = new[:, self.landmarks]
        return self.centring.rows(self.kernel(new, self.points))


def landmark_values(items: Points, landmarks: Integers | None, *, pairwise: bool) -> Values:
    """Return the landmarks, or all points if there are none; of pairwise values, those between them."""
    if landmarks is None:
        return in_memory(items)
    chosen = in_memory(items[landmarks])
    return chosen[:, landmarks] if pairwise else chosen


def kernel_construction(
    kernel: KernelRows, items: Points, landmarks: Integers | None, rank: int | None = None
) -> Construction:
    """Return the construction of a kernel of all items, or of landmarks, by which all are placed as new items.

    With the kernel of squared distances this is landmark multidimensional scaling (de Silva & Tenenbaum 2004).
    """

    def training(found: SpectralEmbedding) -> Array:
        return found.coordinates if landmarks is None else Placement(kernel, {"out": found.extension}, "")(items)

    attributes = {"landmarks_": landmarks}
    return Construction(kernel.operator, kernel, rank=rank, attributes=attributes, training=training)
