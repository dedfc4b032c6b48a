"""Similarity graphs of points, normalised by their degrees: eigenmaps, diffusion maps, spectral clustering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph._checks import check_choice, check_real
from lpgraph.errors import ArgumentError
from lpgraph.manifold._given import GivenKernel
from lpgraph.manifold._kernels import distances_between
from lpgraph.manifold._neighbors import Neighbors
from lpgraph.points.affinities import binary_affinity, gaussian_affinity, with_diagonal
from lpgraph.points.sparse_points import is_sparse
from lpgraph.spectral.operators import Matrix, Operator, Rescaled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["AFFINITIES", "Kernel", "Similarity"]

AFFINITIES = ("gaussian", "binary")


@dataclass(frozen=True, eq=False)
class Kernel:
    """A similarity of points before any normalisation: ``exp(-d^2 / sigma^2)``, or 1, of neighbours or of all.

    Attributes
    ----------
    points : ndarray or csr_array of shape (n, p)
        The training points, or their (n, n) distances.
    metric : str or callable
        How distances are measured.
    neighbors : Neighbors or None
        Who neighbours whom; None for all pairs.
    sigma : float or None
        Width of the Gaussian; None for the binary similarity.
    """

    points: Array
    metric: Any
    neighbors: Neighbors | None
    sigma: float | None

    @classmethod
    def of(
        cls,
        X: Array,
        metric: Any,
        n_neighbors: Any,
        radius: Any,
        affinity: str,
        sigma: Any,
        components: str | None,
    ) -> Kernel:
        """Find the neighbours, and the width where it is not given: the root mean square length of edges."""
        check_choice("affinity", affinity, AFFINITIES)
        width = None if sigma is None else check_real("sigma", sigma, low=0.0, open_low=True)
        if width is not None and affinity == "binary":
            raise ArgumentError(f"sigma={sigma} but affinity='binary' has no width; pass affinity='gaussian'.")
        if n_neighbors is None and radius is None:
            if isinstance(metric, str) and metric == "precomputed" and is_sparse(X):
                raise ArgumentError(
                    "n_neighbors=None and radius=None with a sparse X, which does not list all pairs; pass "
                    "radius=np.inf for all that are listed, or a dense X."
                )
            if width is None:
                raise ArgumentError(
                    f"affinity={affinity!r} of all pairs (n_neighbors=None and radius=None) with sigma={sigma}; "
                    "pass affinity='gaussian' and a sigma, or n_neighbors."
                )
            return cls(X, metric, None, width)
        neighbors = Neighbors.of(X, metric, n_neighbors, radius, components)
        if affinity == "gaussian" and width is None:
            lengths = neighbors.graph.data
            largest = float(lengths.max(initial=0.0))
            # Where all points coincide any width gives the same similarities, 1.
            width = largest * float(np.sqrt(np.mean((lengths / largest) ** 2))) if largest > 0 else 1.0
        return cls(X, metric, neighbors, width)

    @property
    def dense(self) -> bool:
        """Whether all pairs are similar."""
        return self.neighbors is None

    @property
    def kept(self) -> NDArray[np.intp]:
        """The training points that have a place in the embedding."""
        return np.arange(self.points.shape[0]) if self.neighbors is None else self.neighbors.kept

    def training(self, diagonal: float) -> Any:
        """Return the (n, n) similarities, with ``K(x, x)`` as it is (1) or left out (0)."""
        if self.neighbors is not None:
            return with_diagonal(self._of(self.neighbors.graph), diagonal)
        matrix = self._dense(self.points)
        np.fill_diagonal(matrix, diagonal)
        return matrix

    def rows(self, new: Array) -> Any:
        """Return the (m, n) similarities of new points to the training points."""
        return self._dense(new) if self.neighbors is None else self._of(self.neighbors.rows(new))

    def _of(self, distances: sparse.csr_array) -> sparse.csr_array:
        return binary_affinity(distances) if self.sigma is None else gaussian_affinity(distances, self.sigma)

    def _dense(self, new: Array) -> Array:
        assert self.sigma is not None
        precomputed = isinstance(self.metric, str) and self.metric == "precomputed"
        distances = new if precomputed else distances_between(new, self.points, self.metric)
        return np.asarray(np.exp(-np.square(distances / self.sigma)))


@dataclass(frozen=True, eq=False)
class Similarity:
    """``K_n(a, b) = K(a, b) / sqrt(S(a) S(b))``, with S the degree: Bengio et al. (2004), Eq. (8).

    Before that K may be divided by ``(q(a) q(b))^alpha``, q being the degree of the kernel itself, which takes
    the density of the points out of it (Coifman & Lafon 2006).

    Attributes
    ----------
    kernel : Kernel or GivenKernel
        K.
    weights : csr_array or ndarray of shape (n, n)
        K on the training points, after the division by densities.
    density : ndarray of shape (n,) or None
        ``q^alpha``.
    degrees : ndarray of shape (n,)
        S.
    alpha : float
        The power of the density.
    leave_trivial : bool
        Whether the eigenvector of the eigenvalue 1 is left out.
    walk : float
        0 for the eigenvectors v of K_n; otherwise the coordinates are ``walk * v / sqrt(S)``, eigenvectors of the
        random walk ``K(a, b) / S(a)``.
    """

    kernel: Kernel | GivenKernel
    weights: Any
    density: Array | None
    degrees: Array
    alpha: float
    leave_trivial: bool
    walk: float

    @classmethod
    def of(
        cls,
        kernel: Kernel | GivenKernel,
        *,
        diagonal: str = "keep",
        alpha: float = 0.0,
        leave_trivial: bool = True,
        walk: Any = 0.0,
    ) -> Similarity:
        """Normalise a kernel; ``walk="unit"`` makes the coordinates have unit variance in the stationary law."""
        check_choice("diagonal", diagonal, ("keep", "drop"))
        alpha = check_real("alpha", alpha, low=0.0, high=1.0)
        weights, density = kernel.training(1.0 if diagonal == "keep" else 0.0), None
        if alpha:
            density = _sums(weights) ** alpha
            weights = _scaled(weights, 1 / density, 1 / density)
        degrees = _sums(weights)
        if not degrees.all():
            i = int(np.argmin(degrees))
            raise ArgumentError(
                f"Point {i} has no similarity to any other (its degree is 0); pass a larger sigma, radius or "
                "n_neighbors, or diagonal='keep'."
            )
        walk = float(np.sqrt(degrees.sum())) if walk == "unit" else walk
        return cls(kernel, weights, density, degrees, alpha, leave_trivial, walk)

    @property
    def dense(self) -> bool:
        """Whether all pairs are similar."""
        return self.kernel.dense

    @property
    def operator(self) -> Operator:
        """``S^(-1/2) K S^(-1/2)``, the scaling done on vectors."""
        return Rescaled(Matrix(self.weights), self.degrees**-0.5)

    @property
    def trivial(self) -> Array | None:
        """``sqrt(S)``, of unit length: the random walk's constant."""
        return np.sqrt(self.degrees / self.degrees.sum()) if self.leave_trivial else None

    @property
    def graph(self) -> Any:
        """The similarities, as they are before degrees divide them."""
        return self.weights

    def laplacian(self) -> sparse.csr_array:
        """Return ``I - K_n`` as a sparse matrix."""
        if self.dense:
            raise ArgumentError(
                "solver='inverse' with all pairs similar; pass n_neighbors or radius, a sparse X with "
                "affinity='precomputed', or 'auto'."
            )
        root = self.degrees**-0.5
        return sparse.csr_array(sparse.eye_array(len(root)) - _scaled(self.weights, root, root))

    def rows(self, new: Array) -> Any:
        """Return the (m, n) rows ``K_n(x, x_j)``."""
        return self._normalised(new)[0]

    def walk_rows(self, new: Array) -> Any:
        """Return rows that the extension's basis turns into coordinates, those of a random walk if so wanted."""
        rows, degrees = self._normalised(new)
        return _scaled(rows, self.walk / np.sqrt(degrees)) if self.walk else rows

    def place(self, vectors: Array) -> Array:
        """Return the coordinates of the training points for vectors of K_n."""
        return vectors * (self.walk / np.sqrt(self.degrees))[:, None] if self.walk else vectors

    def _normalised(self, new: Array) -> tuple[Any, Array]:
        rows = self.kernel.rows(new)
        sums = _sums(rows)
        if not sums.all():
            i = int(np.argmin(sums))
            raise ArgumentError(
                f"New point {i} has no similarity to any training point, so that nothing says where it is; "
                "drop it, or fit with a larger sigma or radius, or with n_neighbors."
            )
        if self.density is not None:
            rows = _scaled(rows, sums**-self.alpha, 1 / self.density)
            sums = _sums(rows)
        return _scaled(rows, sums**-0.5, self.degrees**-0.5), sums


def _sums(matrix: Any) -> Array:
    return np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()


def _scaled(matrix: Any, left: Array, right: Array | None = None) -> Any:
    """Return ``diag(left) matrix diag(right)``."""
    if isinstance(matrix, sparse.csr_array):
        scaled = sparse.diags_array(left) @ matrix
        return sparse.csr_array(scaled if right is None else scaled @ sparse.diags_array(right))
    product = matrix * left[:, None]
    return product if right is None else product * right
