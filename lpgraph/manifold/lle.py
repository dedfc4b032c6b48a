"""Locally linear embedding."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field, replace

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_integer, check_real
from lpgraph._utils.types import Array, Integers
from lpgraph.errors import ArgumentError
from lpgraph.points.rows import Points
from lpgraph.points.weights import affine_weights
from lpgraph.spectral.construction import Construction
from lpgraph.spectral.embedding import Dimension, OfEachSign, SpectralEmbedding
from lpgraph.spectral.extension import Extension
from lpgraph.spectral.operators import Affine, Gram

from .base import PointsEmbedding
from .neighbors import LocalNeighbors, LocalRows


@dataclass(frozen=True, eq=False)
class Reconstruction(LocalRows):
    """The kernel ``c I - (I - W).T (I - W)`` of weights W, and its rows for new points.

    Attributes
    ----------
    neighbors : LocalNeighbors
        The vertices and the nearest other vertices of each.
    W : csr_array of shape (n, n)
        Row i reconstructs vertex i from its neighbors and sums to 1.
    regularizer : float
        Regularizer of the weights of new points.
    c : float or None
        The constant c; None means the limit of infinite c.
    """

    W: sparse.csr_array
    regularizer: float
    c: float | None

    @property
    def factor(self) -> sparse.csr_array:
        """``(I - W).T``."""
        return sparse.csr_array((sparse.eye_array(self.W.shape[0]) - self.W).T)

    @property
    def operator(self) -> Affine:
        """``c I - (I - W).T (I - W)``."""
        if self.c is None:
            raise ArgumentError(
                "With c=None the method has no kernel; pass a number as c, or another method, such as Isomap."
            )
        return Affine(Gram(self.factor), -1.0, self.c)

    @property
    def graph(self) -> sparse.csr_array:
        """The weights W."""
        return self.W

    def weights(self, points: Points, indices: Integers) -> sparse.csr_array:
        """Return the (m, n) reconstruction weights of points by some vertices."""
        return affine_weights(self.neighbors.hood.points, points, indices, self.regularizer)

    def __call__(self, new: Points, side: str = "out") -> sparse.csr_array:
        """Return ``(c - 1) w(x, x_i)``, or ``w(x, x_i)`` in the limit; for a vertex the row of the vertex."""
        elsewhere, unit = self.parts(new)
        if self.c is None:
            return sparse.csr_array(elsewhere + unit)
        factor = self.factor
        return sparse.csr_array((self.c - 1) * elsewhere + self.c * unit - (unit @ factor) @ factor.T)


@dataclass(eq=False, repr=False)
class LocallyLinearEmbedding(PointsEmbedding):
    r"""Embed points so that the same weights reconstruct the points and their coordinates from neighbors.

    Each point is reconstructed from its nearest other points with weights W; each row of W sums to 1. The
    coordinates are the bottom eigenvectors of :math:`M = (I - W)^T (I - W)` (Bengio et al. 2004, Eq. (6)), which
    have the smallest reconstruction errors, without the constant one; each has unit length.

    Parameters
    ----------
    n_components : int, default 2
        Number of dimensions.
    n_neighbors : int, default 5
        Number of nearest other points from which a point is reconstructed, fewer than there are distinct points.
    regularizer : float, default 1e-3
        Added to the diagonal of each local Gram matrix, relative to its trace.
    c : float or None
        The kernel is :math:`c I - M`, and a new point's coordinates are
        :math:`(c - 1) / (c - \lambda_k) \sum_i w(x, x_i) y_{ik}`, where the weights w reconstruct x from its
        nearest training points. None, the default, means the limit of large c, :math:`\sum_i w(x, x_i) y_{ik}`,
        which is the rule of Saul & Roweis. c has no influence on the training points.
    neighbors : {"exact", "approximate"} or int, default "exact"
        Whether neighbors are searched among all points, or approximately: 99 % of a sample's neighbors are found
        (see `recall_`). A number means approximately if there are more points. See `lpgraph.neighbor_graph`.
    components : {"warn", "bridge", "largest", "error"}, default "warn"
        If several sets of points have all their nearest points among themselves: join them by the shortest edges
        between them, whose ends become neighbors, with a warning or without; embed only the largest and the
        points that are reconstructed from it alone (`kept_`); or raise an error.
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        LAPACK uses a dense M; Lanczos's method uses the inverse of M by a sparse factorisation. "auto" uses LAPACK
        for small n.
    tol : float, default 1e-6
        Bound on the relative residuals of the eigenpairs.
    random_state : int, Generator or None
        Seed of the start vector of the eigensolver; None means a fixed seed.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        Positions of the training points, or of those in `kept_`.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of M after the trivial 0, increasing.
    residuals_ : ndarray of shape (n_components,)
        Measured residuals of the eigenpairs of M; see `lpgraph.spectral.eigen.EigenPairs`.
    reconstruction_error_ : float
        :math:`|Y - W Y|^2`, the sum of the eigenvalues.
    kept_ : ndarray
        Indices of the points that were embedded: all, unless ``components="largest"`` removed some.
    vertices_ : ndarray
        Indices of the points that are vertices of the graph: the first of each set of equal points.
    graph_ : csr_array
        The weights W, a directed graph on `vertices_`.
    recall_ : float
        The share of nearest neighbors that were found, estimated from a sample; 1 for an exact search.
    n_features_in_ : int
        Number of coordinates.

    Notes
    -----
    Equal points are one vertex and have one position. Without equal points the results equal those of
    scikit-learn up to signs. The kernel row of a training point is its row of :math:`c I - M`, so that
    ``transform(X_train)`` equals `embedding_` by definition.

    References
    ----------
    Roweis, S. & Saul, L. (2000), "Nonlinear dimensionality reduction by locally linear embedding", Science 290.
    Bengio, Y. et al. (2004), "Out-of-sample extensions for LLE, Isomap, MDS, Eigenmaps, and spectral clustering",
    NIPS 16, Section 4.4.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> arc = np.linspace(0, 3, 50)
    >>> X = np.column_stack([np.cos(arc), np.sin(arc)])
    >>> model = lp.manifold.LocallyLinearEmbedding(1, n_neighbors=4).fit(X)
    >>> bool(abs(np.corrcoef(model.embedding_[:, 0], arc)[0, 1]) > 0.99)  # the arc unrolled
    True
    >>> bool(np.array_equal(model.transform(X[:3]), model.embedding_[:3]))
    True
    """

    n_components: int = 2
    _: KW_ONLY
    n_neighbors: int = 5
    regularizer: float = 1e-3
    c: float | None = None
    neighbors: str | int = "exact"
    components: str = "warn"
    solver: str = "auto"
    tol: float = 1e-6
    random_state: int | np.random.Generator | None = None

    vertices_: Integers = field(init=False)
    reconstruction_error_: float = field(init=False)

    def _construct(self, items: Points) -> Construction:
        regularizer = check_real("regularizer", self.regularizer, low=0.0)
        c = None if self.c is None else check_real("c", self.c, low=0.0, open_low=True)
        neighbors = LocalNeighbors.of(items, self.n_neighbors, self.components, self._search_by, directed=True)
        n = neighbors.hood.n_points
        check_integer("n_components", self.n_components, low=1, high=n - 1, why=f"but only {n} different points")
        rows = Reconstruction(neighbors, neighbors.weights(regularizer), regularizer, c)
        factor = rows.factor
        return rows.construction(Gram(factor), lambda: sparse.csr_array(factor @ factor.T))

    def _embedded(
        self, items: Points, construction: Construction, n_components: Dimension | OfEachSign
    ) -> SpectralEmbedding:
        found = super()._embedded(items, construction, n_components)
        if self.c is None:
            return found
        # The kernel c I - M has the eigenvectors of M and the eigenvalues c - l; Nystrom's formula places by it.
        values, vectors = self.c - found.values, found.coordinates
        if values[-1] <= 1e-12 * self.c:
            raise ArgumentError(f"c={self.c:g}; pass c > {found.values[-1]:g}, the largest wanted eigenvalue.")
        images = self.c * vectors - construction.operator @ vectors
        return replace(found, coordinates=images / values, extension=Extension(vectors / values))

    def _results(
        self, construction: Construction, found: SpectralEmbedding, positions: Array
    ) -> dict[str, object]:
        # By rounding the smallest may be slightly negative.
        values = np.abs(found.values)
        return {"eigenvalues_": values, "reconstruction_error_": float(values.sum())}
