"""Similarity graphs of points, normalised by their degrees: eigenmaps, diffusion maps, spectral clustering."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from lpgraph._utils.checks import check_choice, check_real, is_string
from lpgraph._utils.types import Array, Integers
from lpgraph.errors import ArgumentError
from lpgraph.points.checks import Input
from lpgraph.points.connect import connect
from lpgraph.points.metric import Metric, with_params
from lpgraph.points.rows import Points, Values, in_memory, is_sparse, scaled_rows
from lpgraph.points.weights import affinity, with_diagonal
from lpgraph.spectral.construction import Construction, KernelRows
from lpgraph.spectral.eigen import Known
from lpgraph.spectral.operators import Matrix

from .base import PointsEmbedding
from .kernels import distances_between
from .neighbors import Neighbors

#: Distance in widths from which on similarities, below 1e-270, are divided by the largest.
_FAR = 25.0


@dataclass(frozen=True, eq=False)
class Similarity:
    """The similarities K of points to training points, before normalisation: of neighbors, of all pairs, or given.

    Attributes
    ----------
    kept : ndarray of shape (n,)
        The training points that are embedded, among those that were passed.
    neighbors : Neighbors or None
        The neighbor graph; None for all pairs, and for similarities that are passed.
    points : ndarray or csr_array of shape (n, p), or None
        The training points, or their distances, if all pairs are similar.
    metric : str, callable or MetricWithParams
        The metric of distances.
    sigma : float or None
        Width of the Gaussian; None for other similarities.
    """

    kept: Integers
    neighbors: Neighbors | None = None
    points: Points | None = None
    metric: Metric = "euclidean"
    sigma: float | None = None

    def __call__(self, new: Points, *, relative: bool = False) -> Values:
        """Return the (m, n) similarities of new points to the training points.

        With `relative`, similarities that would all be rounded to 0 are divided by the largest of their row.
        """
        if self.neighbors is not None:
            rows = self.neighbors.rows(new)
            if relative and self.sigma:
                lengths = np.diff(rows.indptr)
                nearest = np.minimum.reduceat(rows.data, rows.indptr[:-1][lengths > 0])
                rows.data = _from_nearest(rows.data, np.repeat(nearest, lengths[lengths > 0]), self.sigma)
            return affinity(rows, self.sigma)
        if self.points is not None:
            given, sigma = is_string(self.metric, "precomputed"), self.sigma or 1.0
            distances = np.asarray(new) if given else distances_between(new, self.points, self.metric)
            if relative:
                distances = _from_nearest(distances, distances.min(axis=1, keepdims=True), sigma)
            with np.errstate(over="ignore"):
                return np.exp(-np.square(distances / sigma))
        if len(self.kept) == new.shape[1]:
            return in_memory(new)
        # Indexing of columns would return another order in memory, in which rows are summed differently.
        return new[:, self.kept] if is_sparse(new) else np.take(new, self.kept, axis=1)


@dataclass(frozen=True, eq=False)
class NormalisedSimilarity(KernelRows):
    r""":math:`K_n(a, b) = K(a, b) / \sqrt{S(a) S(b)}`, with S the degree: Bengio et al. (2004), Eq. (8).

    Before that K may be divided by ``(q(a) q(b))^alpha``, where q is the degree of the kernel itself; this removes
    the influence of the density of the points (Coifman & Lafon 2006).

    Attributes
    ----------
    kernel : Similarity
        K.
    weights : csr_array or ndarray of shape (n, n)
        K on the training points, after the division by densities.
    density : ndarray of shape (n,) or None
        ``q^alpha``.
    degrees : ndarray of shape (n,)
        S.
    alpha : float
        The power of the density.
    walk : float
        0 for the eigenvectors v of K_n; otherwise the coordinates are ``walk * v / sqrt(S)``, eigenvectors of the
        random walk ``K(a, b) / S(a)``.
    clusters : bool
        Whether positions are divided by their length, and the eigenvector of the eigenvalue 1 is not left out.
    """

    kernel: Similarity
    weights: Values
    density: Array | None
    degrees: Array
    alpha: float
    walk: float
    clusters: bool

    @property
    def dense(self) -> bool:
        """Whether all pairs are similar."""
        return not is_sparse(self.weights)

    @property
    def operator(self) -> Matrix:
        """``S^(-1/2) K S^(-1/2)``, with the scaling applied to vectors."""
        return Matrix(self.weights, self.degrees**-0.5)

    @property
    def stationary(self) -> Array:
        r""":math:`\sqrt{S}` of unit length, the eigenvector of the eigenvalue 1."""
        return np.asarray(np.sqrt(self.degrees / self.degrees.sum()))

    @property
    def trivial(self) -> Array | None:
        """The eigenvector of the eigenvalue 1 if it is left out."""
        return None if self.clusters else self.stationary

    @property
    def graph(self) -> Values:
        """The similarities before they are divided by degrees."""
        return self.weights

    def laplacian(self) -> sparse.csr_array:
        """Return ``I - K_n`` as a sparse matrix."""
        root = self.degrees**-0.5
        return sparse.csr_array(sparse.eye_array(len(root)) - _scaled(self.weights, root, root))

    def construction(self, power: float) -> Construction:
        """Return the construction whose coordinates are ``l^power v``, scaled for the random walk."""
        kernel = self.kernel
        recall = None if kernel.neighbors is None else kernel.neighbors.hood.recall
        # I - K_n has the wanted eigenvalues at its lower end.
        matrix, smooth = (None, None) if self.dense else (self.laplacian, self.stationary)
        return Construction(
            self.operator,
            self,
            power=power,
            known=Known(self.trivial, matrix=matrix, smooth=smooth, origin=1.0),
            scale=1.0,
            training=lambda found: self._positions(found.coordinates),
            attributes={"sigma_": kernel.sigma, "kept_": kernel.kept, "recall_": recall},
        )

    def kernel_rows(self, new: Points) -> Values:
        """Return the (m, n) rows ``K_n(x, x_j)``."""
        return self._scaled_rows(self.kernel(in_memory(new)), 0.0)

    def __call__(self, new: Points, side: str = "out") -> Values:
        """Return the rows that are multiplied by the basis, scaled for a random walk if `walk` is not 0."""
        # The scale of a row cancels where rows are divided by their sums, or positions by their lengths.
        rows = self.kernel(in_memory(new), relative=bool(self.walk) or self.clusters)
        return self._scaled_rows(rows, self.walk)

    def _scaled_rows(self, rows: Values, walk: float) -> Values:
        degrees = _degrees(rows, "New point")
        if self.density is not None:
            rows = _scaled(rows, degrees**-self.alpha, 1 / self.density)
            degrees = _degrees(rows, "New point")
        return _scaled(rows, walk / degrees if walk else degrees**-0.5, self.degrees**-0.5)

    def finish(self, coordinates: Array, new: Points) -> Array:
        """Return the positions, scaled to unit length for clusters."""
        if not self.clusters:
            return coordinates
        norms = np.linalg.norm(coordinates, axis=1, keepdims=True)
        return coordinates / np.where(norms > 0, norms, 1.0)

    def _positions(self, vectors: Array) -> Array:
        """Return the positions of the training points for vectors of K_n."""
        if self.walk:
            vectors = vectors * (self.walk / np.sqrt(self.degrees))[:, None]
        return self.finish(vectors, vectors)


class SimilarityEmbedding(PointsEmbedding):
    """Base of the embeddings by a normalised similarity graph; a method without a parameter has its default."""

    n_neighbors: int | None
    radius: float | None
    sigma: float | None
    metric: Metric
    metric_params: Mapping[str, object] | None
    neighbors: str | int
    affinity: str = "gaussian"
    diagonal: str = "keep"
    alpha: float = 0.0
    components: str | None = None  # components are left separate
    sigma_: float | None
    _takes_sparse = ("points", "distances", "similarities")

    @property
    def input(self) -> Input:
        """How the parameters say that X is passed."""
        return Input("similarities", True) if is_string(self.affinity, "precomputed") else super().input

    def _normalised(self, X: Points, walk: float = 0.0, *, clusters: bool = False) -> NormalisedSimilarity:
        """Return the normalised similarities of the points, or those that were passed."""
        check_choice("diagonal", self.diagonal, ("keep", "drop"))
        alpha = check_real("alpha", self.alpha, low=0.0, high=1.0)
        given = self.input.kind == "similarities"
        kernel, weights = self._given(in_memory(X)) if given else self._of_points(X)
        if self.diagonal == "drop" or not given:  # the diagonal of given similarities is kept as it is
            value = float(self.diagonal == "keep")
            if is_sparse(weights):
                weights = with_diagonal(weights, value)
            else:
                np.fill_diagonal(weights, value)
        density = _degrees(weights, "Point") ** alpha if alpha else None
        if density is not None:
            weights = _scaled(weights, 1 / density, 1 / density)
        degrees = _degrees(weights, "Point")
        return NormalisedSimilarity(kernel, weights, density, degrees, alpha, walk, clusters)

    def _of_points(self, X: Points) -> tuple[Similarity, Values]:
        """Return the similarities of points, also those of the training points."""
        check_choice("affinity", self.affinity, ("binary", "gaussian", "precomputed"))
        sigma = None if self.sigma is None else check_real("sigma", self.sigma, low=0.0, open_low=True)
        if sigma is not None and self.affinity == "binary":
            raise ArgumentError(f"sigma={sigma} but affinity='binary' has no width; pass affinity='gaussian'.")
        metric = with_params(self.metric, self.metric_params)
        if self.n_neighbors is None and self.radius is None:
            lists = is_sparse(X) and is_string(metric, "precomputed")
            if sigma is None or lists or not is_string(self.neighbors, "exact"):
                raise ArgumentError(
                    f"n_neighbors=None and radius=None with sigma={self.sigma}: all pairs are similar; pass "
                    "affinity='gaussian', a sigma, neighbors='exact' and a dense X, or pass n_neighbors or radius."
                )
            kernel = Similarity(np.arange(X.shape[0]), None, X, metric, sigma)
            return kernel, kernel(X)
        neighbors = Neighbors.of(X, metric, self.n_neighbors, self.radius, self.components, self._search_by)
        if sigma is None and self.affinity == "gaussian":  # the root mean square length of edges
            lengths = neighbors.graph.data
            # If all points coincide, any width gives the same similarities, 1.
            sigma = float(linalg.norm(lengths)) / max(1, len(lengths)) ** 0.5 or 1.0
        kernel = Similarity(neighbors.kept, neighbors, None, metric, sigma)
        return kernel, affinity(neighbors.graph, sigma)

    def _given(self, matrix: Values) -> tuple[Similarity, Values]:
        """Return similarities that were passed, of the points that are kept."""
        free = {"n_neighbors": None, "radius": None, "sigma": None, "metric": "euclidean", "neighbors": "exact"}
        for name, value in free.items():
            if getattr(self, name) != value:
                raise ArgumentError(
                    f"affinity='precomputed' and {name}={getattr(self, name)!r}, but X defines which points are "
                    f"similar; pass {name}={value!r}."
                )
        kept = np.arange(matrix.shape[0])
        if self.components is not None:
            kept = connect(sparse.csr_array(matrix), self.components).kept
        return Similarity(kept), matrix.copy() if len(kept) == matrix.shape[0] else matrix[kept][:, kept]


def _degrees(matrix: Values, what: str) -> Array:
    """Return the sums of rows; raise if one is 0."""
    sums = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    if not sums.all():
        problem = f"{what} {int(np.argmin(sums))} has no similarity to any training point"
        raise ArgumentError(f"{problem}; drop it, or fit with a larger sigma, radius or n_neighbors.")
    return sums


def _from_nearest(distances: Array, nearest: Array, sigma: float) -> Array:
    r"""Return :math:`\sqrt{d^2 - d_\text{nearest}^2}` for points far from all others, and d for the rest."""
    roots = np.sqrt(distances - nearest) * np.sqrt(distances + nearest)  # squares would cancel or overflow
    return np.where(nearest > _FAR * sigma, roots, distances)


def _scaled(matrix: Values, left: Array, right: Array) -> Values:
    """Return ``diag(left) matrix diag(right)``."""
    if not is_sparse(matrix):
        return matrix * left[:, None] * right
    scaled = scaled_rows(matrix, left)  # for one row, products of scipy take 0.1 ms each
    scaled.data *= right.take(matrix.indices)
    return scaled
