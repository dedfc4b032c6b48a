"""Isomap: multidimensional scaling of geodesic distances, of all points or of landmarks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from lpgraph._utils.compiled import slices
from lpgraph._utils.types import Array, Integers
from lpgraph.errors import ArgumentError
from lpgraph.points.geodesic import extend_geodesics, shortest_lengths
from lpgraph.points.metric import Metric, with_params
from lpgraph.points.rows import Points
from lpgraph.spectral.construction import Construction, KernelRows
from lpgraph.spectral.embedding import SpectralEmbedding
from lpgraph.spectral.operators import Centred, Matrix, Operator

from .base import PointsEmbedding, landmarks_among
from .kernels import Centring
from .mds import negative_share
from .neighbors import Neighbors

#: Entries of kernel rows held at a time when many points are placed by few landmarks: 64 MB.
_ENTRIES = 1 << 23


@dataclass(frozen=True, eq=False)
class Geodesics(KernelRows):
    """The centred kernel of squared geodesic distances between landmarks, and its rows for any point.

    Attributes
    ----------
    neighbors : Neighbors
        The graph of the paths.
    landmarks : ndarray of shape (L,)
        Indices of the landmarks among its points.
    lengths : ndarray of shape (n, L)
        Geodesic distances of all points to the landmarks: a row for each point, because those of the neighbors of
        a new point are used.
    centring : Centring
        Means over landmarks of -lengths^2 / 2.
    """

    neighbors: Neighbors
    landmarks: Integers
    lengths: Array
    centring: Centring

    dense = True

    @property
    def operator(self) -> Operator:
        """The double centring of squared distances of landmarks, applied to vectors."""
        return Centred(Matrix(_half_squares(self.lengths[self.landmarks])))

    @property
    def graph(self) -> sparse.csr_array:
        """Distances of neighbors."""
        return self.neighbors.graph

    def __call__(self, new: Points, side: str = "out") -> Array:
        """Return ``K_n(x, x_l)`` for the landmarks x_l: Eqs. (6) and (10); paths use training points only."""
        lengths = extend_geodesics(self.neighbors.rows(new), self.lengths)
        if not np.isfinite(lengths).all():
            i = int(np.argmin(np.isfinite(lengths).all(axis=1)))
            raise ArgumentError(f"New point {i} has no neighbor; drop it, or fit with a larger radius.")
        return self.centring.rows(_half_squares(lengths))

    def place_training(self, found: SpectralEmbedding) -> Array:
        """Return the positions of all training points."""
        result = np.empty((len(self.lengths), len(found.values)))
        for part in slices(len(result), _ENTRIES // len(self.landmarks)):
            result[part] = found.extension(self.centring.rows(_half_squares(self.lengths[part].copy())))
        return result


def _half_squares(lengths: Array) -> Array:
    """Return ``-lengths^2 / 2`` in the memory of the lengths."""
    np.square(lengths, out=lengths)
    lengths *= -0.5
    return lengths


@dataclass(eq=False, repr=False)
class Isomap(PointsEmbedding):
    """Embed points so that distances approximate the lengths of shortest paths in their neighbor graph.

    The kernel is that of `ClassicalMDS` with geodesic distances, which are the lengths of shortest paths in the
    neighbor graph. The paths of a new point lead through its neighbors among the training points, and through
    training points only.

    Parameters
    ----------
    n_components : int, default 2
        Number of dimensions.
    n_neighbors : int or None, default 5
        Points are neighbors if one is among the `n_neighbors` nearest of the other, ties included.
    radius : float, optional
        Points are neighbors if they are at most this far apart; pass ``n_neighbors=None`` with it. With
        infinity all points are neighbors; if X is a sparse array of distances, all pairs in it are.
    landmarks : int, array-like of int, or None
        Landmark Isomap: the number of points to draw at random, or their indices. Eigenvectors are computed for
        the landmarks only, with paths through all points, and the other points are placed like new points. Memory
        is O(L n) instead of O(n^2). None makes every point a landmark.
    metric : str or callable, default "euclidean"
        Name of a metric in scikit-learn, a function of two points, or "precomputed". In the last case X is the
        (n, n) distances, and new points are passed as their (m, n) distances to the training points. A sparse X
        lists the distances of neighbors, as from `sklearn.neighbors.KNeighborsTransformer`; every stored entry is
        a distance, including 0.
    metric_params : mapping, optional
        Parameters of the metric: `p` and `w` of "minkowski", `V` of "seuclidean", `V` or `VI` of "mahalanobis",
        further keyword arguments of a function; see `lpgraph.points.metric.with_params`.
    neighbors : {"exact", "approximate"} or int, default "exact"
        Whether neighbors are searched among all points, or approximately: 99 % of a sample's neighbors are found
        (see `recall_`). A number means approximately if there are more points. See `lpgraph.neighbor_graph`.
    components : {"warn", "bridge", "largest", "error"}, default "warn"
        If the graph has several components: join them by the shortest edges between them, with a warning or
        without; embed only the largest (`kept_`); or raise an error. A sparse list of distances cannot be joined:
        with "warn" it is an error.
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        See `lpgraph.spectral.eigen.eigenpairs`.
    tol : float, default 1e-6
        Bound on the measured relative residuals of the eigenpairs.
    random_state : int, Generator or None
        Seed of the draw of landmarks and of the start vector of the eigensolver; None means a fixed seed.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        Positions of all training points, or of those in `kept_`.
    eigenvalues_, residuals_ : ndarray of shape (n_components,)
        The largest eigenvalues, and the measured relative residuals of the eigenpairs.
    negative_ : float
        Magnitude of the lowest eigenvalue if it is negative, as a share of the largest, else 0. Geodesic distances
        are seldom exactly Euclidean; the negative part is not embedded.
    recall_ : float
        The share of nearest neighbors that were found, estimated from a sample; 1 for an exact search.
    landmarks_ : ndarray of shape (L,)
        The landmarks, as indices of training points.
    kept_ : ndarray
        Indices of the points that were embedded: all, unless ``components="largest"`` removed some.
    graph_ : csr_array of shape (n, n)
        Distances of neighbors; stored zeros are edges.
    n_features_in_ : int
        Number of coordinates, or of training points if X was distances or similarities.

    Notes
    -----
    For training points the results equal those of scikit-learn up to signs, unless distances tie. For new points
    they do with a radius. With `n_neighbors` scikit-learn joins a new point to its own k nearest only, which is
    not the rule for training points, so that its ``transform(X_train)`` may differ from `embedding_`. Components
    are joined by a spanning tree, and in scikit-learn each one to each other one by the shortest edge.

    References
    ----------
    Tenenbaum, J., de Silva, V. & Langford, J. (2000), "A global geometric framework for nonlinear dimensionality
    reduction", Science 290. de Silva, V. & Tenenbaum, J. (2003), "Global versus local methods in nonlinear
    dimensionality reduction", NIPS 15 (landmarks). Bengio, Y. et al. (2004), "Out-of-sample extensions for LLE,
    Isomap, MDS, Eigenmaps, and spectral clustering", NIPS 16, Eqs. (5), (14), (15) and Corollary 1; the
    expectation in Eq. (15) is over the landmarks.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> arc = np.linspace(0, 3, 50)
    >>> X = np.column_stack([np.cos(arc), np.sin(arc)])
    >>> model = lp.manifold.Isomap(1, n_neighbors=2).fit(X)
    >>> y = model.embedding_.ravel()
    >>> bool(np.allclose(np.abs(y - y[0]), arc, atol=1e-3))
    True
    >>> lp.manifold.Isomap(1, n_neighbors=2, landmarks=[0, 20, 49]).fit(X).embedding_.shape
    (50, 1)
    """

    n_components: int = 2
    _: KW_ONLY
    n_neighbors: int | None = 5
    radius: float | None = None
    landmarks: int | ArrayLike | None = None
    metric: Metric = "euclidean"
    metric_params: Mapping[str, object] | None = None
    neighbors: str | int = "exact"
    components: str = "warn"
    solver: str = "auto"
    tol: float = 1e-6
    random_state: int | np.random.Generator | None = None

    _takes_sparse = ("points", "distances")

    def _construct(self, items: Points) -> Construction:
        metric = with_params(self.metric, self.metric_params)
        neighbors = Neighbors.of(items, metric, self.n_neighbors, self.radius, self.components, self._search_by)
        kept = neighbors.kept
        chosen = landmarks_among(self.landmarks, kept, self.n_components, self.random_state)
        landmarks = np.arange(len(kept)) if chosen is None else chosen
        lengths = shortest_lengths(neighbors.graph, landmarks, by_vertex=True)
        squares = _half_squares(lengths[landmarks])
        kernel = Geodesics(neighbors, landmarks, lengths, Centring.of(squares))
        attributes = {"kept_": kept, "landmarks_": kept[landmarks], "recall_": neighbors.hood.recall}
        operator = Centred(Matrix(squares))
        if chosen is None:
            return Construction(operator, kernel, attributes=attributes)
        return Construction(operator, kernel, attributes=attributes, training=kernel.place_training)

    @property
    def negative_(self) -> float:
        """Magnitude of the lowest eigenvalue if negative, as a share of the largest; computed on access."""
        return negative_share(self.kernel_rows_.operator, float(self.eigenvalues_[0]))
