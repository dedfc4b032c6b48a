"""Classical multi-dimensional scaling: points whose scalar products are those that the distances imply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lpgraph._checks import check_fitted
from lpgraph.manifold._kernels import (
    CentredKernel,
    HalfSquares,
    ScalarProducts,
    SparseScalarProducts,
    scalar_products,
)
from lpgraph.manifold._points import Construction, PointsEmbedding
from lpgraph.spectral.eigen import eigenpairs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ClassicalMDS", "negative_share"]


def negative_share(construction: Construction, largest: float) -> float:
    """Return how far the lowest eigenvalue of a kernel lies below zero, as a share of the largest."""
    # A tenth of a thousandth of the norm is all the precision that a share needs.
    lowest = float(eigenpairs(construction.operator, 1, "SA", tol=0.1).values[0])
    return max(0.0, -lowest / largest) if -lowest > 1e-9 * largest else 0.0


class ClassicalMDS(PointsEmbedding):
    """Embed points by the scalar products that their distances imply.

    The kernel is the double centring of squared distances,
    ``K(a, b) = -(d^2(a, b) - E_x d^2(x, b) - E_x d^2(a, x) + E_xy d^2(x, y)) / 2`` with the expectations over
    the training points, and the embedding is ``sqrt(l_k) v_k``. For Euclidean distances this is principal
    component analysis.

    Parameters
    ----------
    n_components : int, default 2
        Number of dimensions.
    metric : str or callable, default "euclidean"
        A metric's name in scikit-learn, a function of two points, or "precomputed": X is then the (n, n)
        distances, and new points are given by their (m, n) distances to the training points.
    metric_params : mapping, optional
        What the metric takes: `p` and `w` of "minkowski", `V` of "seuclidean", `V` or `VI` of "mahalanobis", the
        further arguments of a function; see `lpgraph.points.metric_params.with_params`.
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        See `lpgraph.spectral.eigen.eigenpairs`.
    tol : float, default 1e-6
        Bound on the measured relative residuals of the eigenpairs.
    random_state : int, Generator or None
        Seed of the solver's start; None is a fixed seed.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        Positions of the training points.
    eigenvalues_ : ndarray of shape (n_components,)
        The largest eigenvalues, decreasing: the squared lengths of the embedding's columns.
    residuals_ : ndarray of shape (n_components,)
        Measured relative residuals of the eigenpairs.
    negative_ : float
        How far the lowest eigenvalue lies below zero, as a share of the largest: 0 if and only if the distances
        are Euclidean (to rounding). The negative part has no place in an embedding and is only reported.
    graph_ : ndarray of shape (n, n)
        The distances of all pairs, made when asked for.
    n_features_in_ : int
        Number of coordinates, or of training points where distances were given.

    Notes
    -----
    Centring is done on vectors, never on a matrix. Euclidean distances are never formed: their scalar products
    are ``X X.T`` of the centred points, O(n p) memory. For any other metric the n x n distances are the data,
    and memory is O(n^2).

    References
    ----------
    Bengio, Y. et al. (2004), "Out-of-sample extensions for LLE, Isomap, MDS, Eigenmaps, and spectral
    clustering", NIPS 16, Eqs. (2) and (14). Gower, J. C. (1968), "Adding a point to vector diagrams in
    multivariate analysis", Biometrika 55.

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
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        metric: str | Callable[[NDArray[np.float64], NDArray[np.float64]], float] = "euclidean",
        metric_params: Mapping[str, Any] | None = None,
        solver: str = "auto",
        tol: float = 1e-6,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.solver = solver
        self.tol = tol
        self.random_state = random_state

    def _construct(self, X: Any) -> Construction:
        metric = self._metric()
        if metric in ("euclidean", "l2", "minkowski"):
            return scalar_products(X, as_distances=True)  # type: ignore[no-any-return]
        squares = HalfSquares(metric)
        if self._is_pairwise():
            return CentredKernel.of(-0.5 * X**2, squares, None)
        return CentredKernel.of(squares(X, X), squares, X)

    @property
    def negative_(self) -> float:
        """How far the lowest eigenvalue lies below zero, as a share of the largest; measured when asked for."""
        check_fitted(self, "embedding_")
        exact = isinstance(self._construction, ScalarProducts | SparseScalarProducts)
        return 0.0 if exact else negative_share(self._construction, float(self.eigenvalues_[0]))
