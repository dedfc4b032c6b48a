"""Local tangent space alignment: coordinates that agree with local tangent coordinates."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_integer
from lpgraph._utils.types import Array, Integers
from lpgraph.points.rows import Points, dense
from lpgraph.points.weights import weight_rows
from lpgraph.spectral.construction import Construction
from lpgraph.spectral.operators import Matrix

from .base import PointsEmbedding
from .neighbors import LocalNeighbors, LocalRows, neighborhoods


def tangent(near: Array, d: int) -> tuple[Array, Array, Array, Array]:
    """Return means, left singular vectors, inverse singular values and axes of (m, k, p) neighborhoods."""
    mean = near.mean(axis=1, keepdims=True)
    left, lengths, axes = np.linalg.svd(near - mean, full_matrices=False)
    lengths = lengths[:, :d]
    tall = lengths > 1e-12 * lengths[:, :1]
    inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=tall)
    return mean[:, 0], left[:, :, :d] * tall[:, None], inverse, axes[:, :d]


@dataclass(frozen=True, eq=False)
class TangentRows(LocalRows):
    """Affine weights of new points: their tangent coordinates among their nearest training points.

    Attributes
    ----------
    alignment : csr_array of shape (n, n)
        The alignment matrix.
    n_components : int
        Dimension of the tangent spaces.
    """

    alignment: sparse.csr_array
    n_components: int

    @property
    def graph(self) -> sparse.csr_array:
        """The alignment matrix."""
        return self.alignment

    def weights(self, points: Points, indices: Integers) -> sparse.csr_array:
        """Return the (m, n) weights of the affine map from tangent coordinates to positions."""
        X, values = self.neighbors.hood.points, np.empty(indices.shape)
        for part, near in neighborhoods(X, indices):
            mean, left, inverse, axes = tangent(near, self.n_components)
            here = dense(points[part])
            # A product for each point, which does not depend on the other points.
            steps = (axes @ (here - mean)[:, :, None]) * inverse[:, :, None]
            values[part] = 1 / indices.shape[1] + (left @ steps)[:, :, 0]
        return weight_rows(values, indices, X.shape[0])


def alignment_matrix(neighbors: LocalNeighbors, d: int) -> sparse.csr_array:
    """Return the sum over neighborhoods of the projections off constants and tangent coordinates."""
    (n, k), every = neighbors.indices.shape, neighbors.covering()
    total = sparse.csr_array((n, n))
    for part, near in neighborhoods(neighbors.hood.points, every):
        left, indices = tangent(near, d)[1], every[part]
        blocks = np.eye(k) - 1 / k - left @ np.swapaxes(left, 1, 2)
        where = (np.repeat(indices, k, axis=1).ravel(), np.tile(indices, k).ravel())
        total = total + sparse.csr_array((blocks.ravel(), where), shape=(n, n))
    return sparse.csr_array((total + total.T) / 2)


@dataclass(eq=False, repr=False)
class LocalTangentSpaceAlignment(PointsEmbedding):
    """Embed points so that each neighborhood is an affine image of its tangent coordinates.

    The tangent coordinates of the k nearest other points of a point are their first principal components. The
    embedding is given by the bottom eigenvectors of the alignment matrix, without the constant one; each has unit
    length. It measures how far coordinates are, summed over neighborhoods, from affine functions of the tangent
    coordinates.

    Parameters
    ----------
    n_components : int, default 2
        Number of dimensions, and of the tangent spaces.
    n_neighbors : int, default 10
        Number of nearest other points in a neighborhood, at least ``n_components + 2``: fewer points are an affine
        image of any coordinates. The point itself is not one of them.
    neighbors : {"exact", "approximate"} or int, default "exact"
        Whether neighbors are searched among all points, or approximately: 99 % of a sample's neighbors are found
        (see `recall_`). A number means approximately if there are more points. See `lpgraph.neighbor_graph`.
    components : {"warn", "bridge", "largest", "error"}, default "warn"
        If the graph of neighbors has several components: join them by the shortest edges between them, each of
        which adds a neighborhood with points of both ends, with a warning or without; embed only the largest
        (`kept_`); or raise an error.
    solver : {"auto", "lapack", "lanczos", "inverse"}, default "auto"
        See `lpgraph.spectral.auto.Auto`; "lanczos" means "inverse" here.
    tol : float, default 1e-6
        Bound on the relative residuals of the eigenpairs.
    random_state : int, Generator or None
        Seed of the start vector of the eigensolver; None means a fixed seed.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        Positions of the training points, or of those in `kept_`.
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of the alignment matrix after the trivial 0, increasing.
    residuals_ : ndarray of shape (n_components,)
        Measured residuals of the eigenpairs; see `lpgraph.spectral.eigen.EigenPairs`.
    kept_ : ndarray
        Indices of the points that were embedded.
    vertices_ : ndarray
        Indices of the distinct points: the first of each set of equal points.
    graph_ : csr_array
        The alignment matrix on `vertices_`.
    recall_ : float
        The share of nearest neighbors that were found, estimated from a sample; 1 for an exact search.
    n_features_in_ : int
        Number of coordinates.

    Notes
    -----
    Without equal points, the subspace of the coordinates is that of scikit-learn's
    ``LocallyLinearEmbedding(method="ltsa")``. A point that is among the nearest of no other has an arbitrary
    position there; here it has a neighborhood with its own nearest others. A new point is placed by the affine map
    from the tangent coordinates of its nearest training points to their positions; a point at the place of a
    training point has that position.

    References
    ----------
    Zhang, Z. & Zha, H. (2004), "Principal manifolds and nonlinear dimensionality reduction via tangent space
    alignment", SIAM Journal on Scientific Computing 26.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> arc = np.linspace(0, 3, 50)
    >>> X = np.column_stack([np.cos(arc), np.sin(arc)])
    >>> model = lp.manifold.LocalTangentSpaceAlignment(1, n_neighbors=4).fit(X)
    >>> bool(abs(np.corrcoef(model.embedding_[:, 0], arc)[0, 1]) > 0.999)  # the arc unrolled
    True
    >>> bool(np.array_equal(model.transform(X[:3]), model.embedding_[:3]))
    True
    """

    n_components: int = 2
    _: KW_ONLY
    n_neighbors: int = 10
    neighbors: str | int = "exact"
    components: str = "warn"
    solver: str = "auto"
    tol: float = 1e-6
    random_state: int | np.random.Generator | None = None

    vertices_: Integers = field(init=False)

    def _construct(self, items: Points) -> Construction:
        (n, p), d = items.shape, self.n_components
        check_integer("n_components", d, low=1, high=p, why=f"but X has {p} columns")
        k = check_integer("n_neighbors", self.n_neighbors, low=d + 2, high=n - 1, why=f"with {n} points, d = {d}")
        neighbors = LocalNeighbors.of(items, k, self.components, self._search_by)
        rows = TangentRows(neighbors, alignment_matrix(neighbors, d), d)
        return rows.construction(Matrix(rows.alignment), lambda: rows.alignment)
