"""Classical multidimensional scaling: positions from distances by their scalar products."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike

from lpgraph._utils.checks import is_string
from lpgraph.points.metric import Metric, with_params
from lpgraph.points.rows import Points
from lpgraph.spectral.construction import Construction
from lpgraph.spectral.eigen import eigenpairs
from lpgraph.spectral.operators import Operator

from .base import PointsEmbedding, landmarks_among
from .kernels import CentredKernel, Kernel, ScalarProducts, kernel_construction, landmark_values


def negative_share(operator: Operator, largest: float) -> float:
    """Return the magnitude of the lowest eigenvalue as a share of the largest, or 0 if it is not negative."""
    # The share is only needed to a few digits.
    lowest = float(eigenpairs(operator, 1, "smallest", tol=0.1, remedies="").values[0])
    return max(0.0, -lowest / largest) if -lowest > 1e-9 * largest else 0.0


@dataclass(eq=False, repr=False)
class ClassicalMDS(PointsEmbedding):
    r"""Embed points by the scalar products that their distances imply.

    The kernel is the double centring of squared distances (Bengio et al. 2004, Eqs. (2) and (14)),

    .. math:: K(a, b) = -\tfrac{1}{2} (d^2(a, b) - E_x d^2(x, b) - E_x d^2(a, x) + E_{xy} d^2(x, y))

    with expectations over the training points, and the embedding is :math:`\sqrt{\lambda_k} v_k`. For Euclidean
    distances this is principal component analysis.

    Parameters
    ----------
    n_components : int, default 2
        Number of dimensions.
    metric : str or callable, default "euclidean"
        Name of a metric in scikit-learn, a function of two points, or "precomputed". In the last case X is the
        (n, n) distances, and new points are passed as their (m, n) distances to the training points.
    metric_params : mapping, optional
        Parameters of the metric: `p` and `w` of "minkowski", `V` of "seuclidean", `V` or `VI` of "mahalanobis",
        further keyword arguments of a function; see `lpgraph.points.metric.with_params`.
    landmarks : int, array-like of int, or None
        Landmark MDS: the number of points to draw at random, or their indices. Eigenvectors are computed
        for the landmarks only, and the other points are placed like new points. Time is O(n L) and memory
        O(L^2) in addition to X and the embedding. None makes every point a landmark.
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        See `lpgraph.spectral.eigen.eigenpairs`.
    tol : float, default 1e-6
        Bound on the measured relative residuals of the eigenpairs.
    random_state : int, Generator or None
        Seed of the draw of landmarks and of the start vector of the eigensolver; None means a fixed seed.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        Positions of the training points.
    eigenvalues_ : ndarray of shape (n_components,)
        The largest eigenvalues, decreasing. They are the squared lengths of the columns of the embedding; with
        landmarks, of the rows of the landmarks.
    residuals_ : ndarray of shape (n_components,)
        Measured relative residuals of the eigenpairs.
    negative_ : float
        Magnitude of the lowest eigenvalue if it is negative, as a share of the largest, else 0. It is 0, to
        rounding, if and only if the distances are Euclidean. The negative part is not embedded.
    landmarks_ : ndarray of shape (L,) or None
        The landmarks, as indices of training points; None if all points were used.
    graph_ : ndarray of shape (n, n), or (L, L)
        The distances of all pairs of points or of landmarks, computed on access.
    n_features_in_ : int
        Number of coordinates, or of training points if X was distances or similarities.

    Notes
    -----
    Centring is applied to vectors and not to a matrix. Euclidean distances are never formed: their scalar products
    are ``X X.T`` with the centred points X, which needs O(n p) memory. Other metrics need the n x n distances
    and O(n^2) memory, unless there are landmarks.

    With landmarks the origin is their mean, and the axes are theirs. If the distances are those of points in d
    dimensions, d + 1 landmarks in general position determine all distances exactly (de Silva & Tenenbaum 2004).

    References
    ----------
    Bengio, Y. et al. (2004), "Out-of-sample extensions for LLE, Isomap, MDS, Eigenmaps, and spectral
    clustering", NIPS 16, Eqs. (2) and (14). Gower, J. C. (1968), "Adding a point to vector diagrams in
    multivariate analysis", Biometrika 55. de Silva, V. & Tenenbaum, J. (2004), "Sparse multidimensional scaling
    using landmark points", Stanford University (landmarks).

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> square = np.array([[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]])
    >>> mds = lp.manifold.ClassicalMDS(2).fit(square)
    >>> mds.eigenvalues_
    array([4., 1.])
    >>> bool(np.allclose(mds.transform(square[:1]), mds.embedding_[:1]))
    True
    >>> lp.manifold.ClassicalMDS(2, landmarks=3).fit(square).embedding_.shape
    (4, 2)
    """

    n_components: int = 2
    _: KW_ONLY
    metric: Metric = "euclidean"
    metric_params: Mapping[str, object] | None = None
    landmarks: int | ArrayLike | None = None
    solver: str = "auto"
    tol: float = 1e-6
    random_state: int | np.random.Generator | None = None

    def _construct(self, items: Points) -> Construction:
        everyone, pairwise = np.arange(items.shape[0]), self.input.pairwise
        landmarks = landmarks_among(self.landmarks, everyone, self.n_components, self.random_state)
        points = landmark_values(items, landmarks, pairwise=pairwise)
        metric = with_params(self.metric, self.metric_params)
        if is_string(metric, "euclidean", "l2", "minkowski"):
            return kernel_construction(ScalarProducts.of(points, as_distances=True), items, landmarks)
        kernel, known = Kernel("squares", metric=metric), None if pairwise else points
        rows = CentredKernel(kernel(points, known), kernel, known, landmarks)
        return kernel_construction(rows, items, landmarks)

    @property
    def negative_(self) -> float:
        """Magnitude of the lowest eigenvalue if negative, as a share of the largest; computed on access."""
        kernel = self.kernel_rows_
        if isinstance(kernel, ScalarProducts):
            return 0.0
        return negative_share(kernel.operator, float(self.eigenvalues_[0]))
