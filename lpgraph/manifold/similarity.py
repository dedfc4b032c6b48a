"""Similarity graphs of points, normalised by their degrees: eigenmaps, diffusion maps, spectral clustering."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import sparse

from lpgraph._checks import check_choice, check_real, is_string
from lpgraph.errors import ArgumentError
from lpgraph.manifold.base import PointsEmbedding
from lpgraph.manifold.connected_neighbors import Neighbors
from lpgraph.manifold.kernels import distances_between
from lpgraph.points.affinities import binary_affinity, gaussian_affinity, with_diagonal
from lpgraph.points.connect import connect
from lpgraph.points.find_neighbors import SearchBy
from lpgraph.points.metric_params import with_params
from lpgraph.points.reading import Input
from lpgraph.points.rows import in_memory
from lpgraph.points.sparse_points import is_sparse
from lpgraph.spectral.construction import Array, Construction, KernelRows
from lpgraph.spectral.operators import Matrix, Rescaled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from lpgraph.points.types import Metric, Points, Values

__all__ = ["GivenSimilarity", "NormalisedSimilarity", "PointSimilarity", "SimilarityEmbedding"]

AFFINITIES = ("gaussian", "binary")


@dataclass(frozen=True, eq=False)
class PointSimilarity:
    """A similarity of points before normalisation, Gaussian or 1, of neighbors or of all pairs.

    Attributes
    ----------
    points : ndarray or csr_array of shape (n, p)
        The training points, or their (n, n) distances.
    metric : str, callable or MetricWithParams
        The metric of distances.
    neighbors : Neighbors or None
        The neighbor graph; None for all pairs.
    sigma : float or None
        Width of the Gaussian; None for the binary similarity.
    """

    points: Points
    metric: Metric
    neighbors: Neighbors | None
    sigma: float | None

    @classmethod
    def of(
        cls,
        X: Points,
        metric: Metric,
        n_neighbors: int | None,
        radius: float | None,
        affinity: str,
        sigma: float | None,
        components: str | None,
        by: SearchBy,
    ) -> PointSimilarity:
        """Find the neighbors; a sigma of None means the root mean square length of edges."""
        check_choice("affinity", affinity, AFFINITIES)
        width = None if sigma is None else check_real("sigma", sigma, low=0.0, open_low=True)
        if width is not None and affinity == "binary":
            raise ArgumentError(f"sigma={sigma} but affinity='binary' has no width; pass affinity='gaussian'.")
        if n_neighbors is None and radius is None:
            if is_string(metric, "precomputed") and is_sparse(X):
                raise ArgumentError(
                    "n_neighbors=None and radius=None with a sparse X, which does not contain all pairs; pass "
                    "radius=np.inf for all pairs in it, or a dense X."
                )
            if width is None:
                raise ArgumentError(
                    f"affinity={affinity!r} of all pairs (n_neighbors=None and radius=None) with sigma={sigma}; "
                    "pass affinity='gaussian' and a sigma, or n_neighbors."
                )
            if not is_string(by.neighbors, "exact"):
                raise ArgumentError(
                    f"neighbors={by.neighbors!r} but all pairs are similar (n_neighbors=None and radius=None); "
                    "pass n_neighbors, or neighbors='exact'."
                )
            return cls(X, metric, None, width)
        neighbors = Neighbors.of(X, metric, n_neighbors, radius, components, by)
        if affinity == "gaussian" and width is None:
            lengths = neighbors.graph.data
            largest = float(lengths.max(initial=0.0))
            # If all points coincide, any width gives the same similarities, 1.
            width = largest * float(np.sqrt(np.mean((lengths / largest) ** 2))) if largest > 0 else 1.0
        return cls(X, metric, neighbors, width)

    @property
    def dense(self) -> bool:
        """Whether all pairs are similar."""
        return self.neighbors is None

    @property
    def kept(self) -> NDArray[np.intp]:
        """The training points that are embedded."""
        return np.arange(self.points.shape[0]) if self.neighbors is None else self.neighbors.kept

    @property
    def recall(self) -> float | None:
        """The share of nearest neighbors that were found; None for all pairs."""
        return None if self.neighbors is None else self.neighbors.hood.recall

    def training(self, diagonal: float) -> Values:
        """Return the (n, n) similarities, with ``K(x, x)`` included (1) or left out (0)."""
        matrix = self._dense(self.points) if self.neighbors is None else self._of(self.neighbors.graph)
        return _diagonal_set(matrix, diagonal)

    def rows(self, new: Points) -> Values:
        """Return the (m, n) similarities of new points to the training points."""
        return self._dense(new) if self.neighbors is None else self._of(self.neighbors.rows(new))

    def _of(self, distances: sparse.csr_array) -> sparse.csr_array:
        return binary_affinity(distances) if self.sigma is None else gaussian_affinity(distances, self.sigma)

    def _dense(self, new: Points) -> Array:
        precomputed = is_string(self.metric, "precomputed")
        distances = np.asarray(new) if precomputed else distances_between(new, self.points, self.metric)
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(-np.square(distances / (self.sigma or 1.0))))


@dataclass(frozen=True, eq=False)
class GivenSimilarity:
    """Similarities that were passed, with their diagonal.

    Attributes
    ----------
    matrix : csr_array or ndarray of shape (n, n)
        The similarities of the points that were kept.
    kept : ndarray of shape (n,)
        The kept points among those that were passed.
    """

    matrix: Values
    kept: NDArray[np.intp]
    sigma = None
    recall = None

    @classmethod
    def of(cls, matrix: Values, components: str | None, **others: object) -> GivenSimilarity:
        """Apply the policy on components; None leaves them separate. The `others` must be None."""
        for name, value in others.items():
            if value is not None:
                raise ArgumentError(
                    f"affinity='precomputed' and {name}={value!r}, but X defines which points are similar; "
                    f"pass {name}=None."
                )
        everyone = np.arange(matrix.shape[0])
        if components is None:
            return cls(matrix, everyone)
        if components == "bridge":
            raise ArgumentError(
                "components='bridge' with affinity='precomputed', which has no distances; pass 'error' or "
                "'largest'."
            )
        kept = connect(sparse.csr_array(matrix), components).kept
        return cls(matrix if len(kept) == len(everyone) else matrix[kept][:, kept], kept)

    @property
    def dense(self) -> bool:
        """Whether the similarities were passed as a dense array."""
        return not is_sparse(self.matrix)

    def training(self, diagonal: float) -> Values:
        """Return the (n, n) similarities, with their diagonal unchanged (1) or left out (0)."""
        return self.matrix if diagonal else _diagonal_set(self.matrix.copy(), 0.0)

    def rows(self, new: Values) -> Values:
        """Return the (m, n) similarities of new points to the kept training points."""
        if len(self.kept) == new.shape[1]:
            return new
        # Indexing of columns would return another order in memory, in which rows are summed differently.
        return new[:, self.kept] if isinstance(new, sparse.csr_array) else np.take(new, self.kept, axis=1)


@dataclass(frozen=True, eq=False)
class NormalisedSimilarity(KernelRows):
    r""":math:`K_n(a, b) = K(a, b) / \sqrt{S(a) S(b)}`, with S the degree: Bengio et al. (2004), Eq. (8).

    Before that K may be divided by ``(q(a) q(b))^alpha``, where q is the degree of the kernel itself; this removes
    the influence of the density of the points (Coifman & Lafon 2006).

    Attributes
    ----------
    kernel : PointSimilarity or GivenSimilarity
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
    unit : bool
        Whether positions are divided by their length.
    """

    kernel: PointSimilarity | GivenSimilarity
    weights: Values
    density: Array | None
    degrees: Array
    alpha: float
    leave_trivial: bool
    walk: float
    unit: bool

    @classmethod
    def of(
        cls,
        kernel: PointSimilarity | GivenSimilarity,
        *,
        diagonal: str = "keep",
        alpha: float = 0.0,
        leave_trivial: bool = True,
        walk: Literal["no", "yes", "unit"] = "no",
        unit: bool = False,
    ) -> NormalisedSimilarity:
        """Normalise a kernel; ``walk="unit"`` gives unit variance in the stationary distribution."""
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
                f"Point {i} has no similarity to any other point (its degree is 0); pass a larger sigma, "
                "radius or n_neighbors, or diagonal='keep'."
            )
        factor = {"no": 0.0, "yes": 1.0, "unit": float(np.sqrt(degrees.sum()))}[walk]
        return cls(kernel, weights, density, degrees, alpha, leave_trivial, factor, unit)

    @property
    def dense(self) -> bool:
        """Whether all pairs are similar."""
        return self.kernel.dense

    @property
    def operator(self) -> Rescaled:
        """``S^(-1/2) K S^(-1/2)``, with the scaling applied to vectors."""
        return Rescaled(Matrix(self.weights), self.degrees**-0.5)

    @property
    def trivial(self) -> Array | None:
        r""":math:`\sqrt{S}` of unit length, the eigenvector of the eigenvalue 1."""
        return self._stationary if self.leave_trivial else None

    @property
    def _stationary(self) -> Array:
        return np.asarray(np.sqrt(self.degrees / self.degrees.sum()))

    @property
    def graph(self) -> Values:
        """The similarities before they are divided by degrees."""
        return self.weights

    def laplacian(self) -> sparse.csr_array:
        """Return ``I - K_n`` as a sparse matrix."""
        if self.dense:
            raise ArgumentError(
                "solver='inverse' needs a sparse graph, but all pairs are similar; pass n_neighbors or "
                "radius, a sparse X with affinity='precomputed', or 'auto'."
            )
        root = self.degrees**-0.5
        return sparse.csr_array(sparse.eye_array(len(root)) - _scaled(self.weights, root, root))

    def construction(self, power: float, solver: str) -> Construction:
        """Return the construction whose coordinates are ``l^power v``, scaled for the random walk."""
        # I - K_n has the wanted eigenvalues at its lower end.
        direct = self.dense and solver not in ("inverse", "multigrid")
        return Construction(
            self.operator,
            self,
            power=power,
            trivial=self.trivial,
            inverse_of=None if direct else self.laplacian,
            smooth=None if direct else self._stationary,
            origin=1.0,
            scale=1.0,
            training=lambda found: self._positions(found.coordinates),
            attributes={
                "sigma_": self.kernel.sigma,
                "kept_": self.kernel.kept,
                "recall_": self.kernel.recall,
            },
        )

    def kernel_rows(self, new: Points) -> Values:
        """Return the (m, n) rows ``K_n(x, x_j)``."""
        return self._normalised(new)[0]

    def __call__(self, new: Points, side: str = "out") -> Values:
        """Return the rows that are multiplied by the basis, scaled for a random walk if `walk` is not 0."""
        rows, degrees = self._normalised(new)
        return _scaled(rows, self.walk / np.sqrt(degrees)) if self.walk else rows

    def finish(self, coordinates: Array, new: Points) -> Array:
        """Return the positions, scaled to unit length if `unit`."""
        return _unit_rows(coordinates) if self.unit else coordinates

    def _positions(self, vectors: Array) -> Array:
        """Return the positions of the training points for vectors of K_n."""
        if self.walk:
            vectors = vectors * (self.walk / np.sqrt(self.degrees))[:, None]
        return _unit_rows(vectors) if self.unit else vectors

    def _normalised(self, new: Points) -> tuple[Values, Array]:
        rows = self.kernel.rows(in_memory(new))
        sums = _sums(rows)
        if not sums.all():
            i = int(np.argmin(sums))
            raise ArgumentError(
                f"New point {i} has no similarity to any training point and cannot be placed; drop it, or fit "
                "with a larger sigma or radius, or with n_neighbors."
            )
        if self.density is not None:
            rows = _scaled(rows, sums**-self.alpha, 1 / self.density)
            sums = _sums(rows)
        return _scaled(rows, sums**-0.5, self.degrees**-0.5), sums


class SimilarityEmbedding(PointsEmbedding):
    """Base of the embeddings by a normalised similarity graph."""

    n_neighbors: int | None
    radius: float | None
    sigma: float | None
    metric: Metric
    metric_params: Mapping[str, object] | None
    neighbors: str | int
    random_state: int | np.random.Generator | None
    graph_: Values
    kept_: NDArray[np.intp]
    sigma_: float | None
    recall_: float | None
    _takes_sparse = ("points", "distances", "similarities")

    @property
    def input(self) -> Input:
        """How the parameters say that X is passed."""
        return (
            Input("similarities", True)
            if is_string(getattr(self, "affinity", None), "precomputed")
            else super().input
        )

    def _similarity(self, X: Points, affinity: str, components: str | None) -> PointSimilarity | GivenSimilarity:
        """Return the similarities that the parameters define, or those that were passed."""
        if not is_string(affinity, "precomputed"):
            metric = with_params(self.metric, self.metric_params)
            by = SearchBy(self.neighbors, self.random_state)
            return PointSimilarity.of(
                X, metric, self.n_neighbors, self.radius, affinity, self.sigma, components, by
            )
        given = None if is_string(self.metric, "euclidean") else self.metric
        search = None if is_string(self.neighbors, "exact") else self.neighbors
        return GivenSimilarity.of(
            in_memory(X),
            components,
            n_neighbors=self.n_neighbors,
            radius=self.radius,
            sigma=self.sigma,
            metric=given,
            neighbors=search,
        )


def _diagonal_set(matrix: Values, value: float) -> Values:
    """Return a matrix with all diagonal entries set; a dense one is changed."""
    if isinstance(matrix, sparse.csr_array):
        return with_diagonal(matrix, value)
    np.fill_diagonal(matrix, value)
    return matrix


def _sums(matrix: Values) -> Array:
    return np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()


def _scaled(matrix: Values, left: Array, right: Array | None = None) -> Values:
    """Return ``diag(left) matrix diag(right)``."""
    if isinstance(matrix, sparse.csr_array):
        scaled = matrix.astype(np.float64)  # a copy; for one row, products of scipy take 0.1 ms each
        scaled.data *= np.repeat(left, np.diff(matrix.indptr))
        if right is not None:
            scaled.data *= right.take(matrix.indices)
        return scaled
    product = matrix * left[:, None]
    return product if right is None else product * right


def _unit_rows(rows: Array) -> Array:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(norms > 0, norms, 1.0))
