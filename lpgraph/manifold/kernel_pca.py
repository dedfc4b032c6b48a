"""Kernel principal component analysis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_finite_array, check_fitted, check_flag, check_real, is_string, meant, not_fitted
from lpgraph.errors import ArgumentError
from lpgraph.manifold.base import PointsEmbedding
from lpgraph.manifold.by_landmarks import Basis
from lpgraph.manifold.kernels import CentredKernel, KernelFunction, PairFunction, ScalarProducts, scalar_products
from lpgraph.manifold.preimage import PreImage
from lpgraph.points.checks import check_points
from lpgraph.points.reading import Input, check_symmetric
from lpgraph.points.rows import doubles
from lpgraph.points.sparse_points import is_sparse

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from lpgraph.points.types import Array, Points, Values
    from lpgraph.spectral.construction import Construction, KernelRows
    from lpgraph.spectral.embedding import SpectralEmbedding

__all__ = ["KernelPCA"]

KERNELS = ("linear", "rbf", "poly", "sigmoid", "cosine", "laplacian")
_WITH_GAMMA = ("rbf", "poly", "sigmoid", "laplacian")


class KernelPCA(PointsEmbedding):
    r"""Embed points by their principal components in the feature space of a kernel.

    The kernel is centred over the training points, and the embedding is :math:`\sqrt{\lambda_k} v_k`. The
    coordinates of a new point, :math:`\sum_i v_{ik} K(x, x_i) / \sqrt{\lambda_k}`, are the projections of its
    features on the principal axes (Bengio et al. 2004, Eqs. (3) and (4)).

    Parameters
    ----------
    n_components : int or None, default 2
        Number of dimensions; None means all dimensions whose eigenvalue is positive to rounding.
    kernel : {"linear", "rbf", "poly", "sigmoid", "cosine", "laplacian", "precomputed"} or callable
        The kernel, "linear" by default; a function of two points; or "precomputed". In the last case X is the
        (n, n) kernel matrix, and new points are passed as their (m, n) kernel values with the training points.
    gamma : float, optional
        Factor of "rbf" (:math:`\exp(-\gamma |x - y|^2)`), "laplacian" (:math:`\exp(-\gamma |x - y|_1)`), "poly"
        (:math:`(\gamma \langle x, y \rangle + c)^{degree}`) and "sigmoid"
        (:math:`\tanh(\gamma \langle x, y \rangle + c)`), with c = `coef0`; None means 1 / p.
    degree : float, default 3
        Degree of "poly".
    coef0 : float, default 1
        Constant of "poly" and "sigmoid".
    fit_inverse_transform : bool, default False
        Whether to learn `inverse_transform`, which takes O(n^3) time, or O(L^3) with L landmarks. Not available
        with a precomputed kernel or sparse points.
    alpha : float, default 1.0
        Ridge of that regression, positive. With a smaller value, training points are reproduced more accurately.
    landmarks : int, array-like of int, or None
        Kernel PCA of landmarks: the number of points to draw at random, or their indices. Eigenvectors are
        computed for the landmarks only, and the other points are placed like new points. Time is O(n L) and memory
        O(L^2) in addition to X and the embedding. None makes every point a landmark.
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        See `lpgraph.spectral.eigen.eigenpairs`.
    tol : float, default 1e-6
        Bound on the measured relative residuals of the eigenpairs.
    random_state : int, Generator or None
        Seed of the draw of landmarks and of the start vector of the eigensolver; None means a fixed seed.

    Attributes
    ----------
    embedding_, eigenvalues_, residuals_, landmarks_, n_features_in_
        As in `ClassicalMDS`.
    graph_ : ndarray of shape (n, n), or (L, L)
        The kernel matrix of the points or of the landmarks before centring.
    gamma_ : float or None
        The factor that was used; None for kernels without one.

    Notes
    -----
    The results equal those of scikit-learn up to signs, for training points and new points. An indefinite kernel
    is accepted: components belong to positive eigenvalues only, and it is an error to ask for more of them. With
    ``kernel="linear"`` no n x n matrix is formed. "rbf" and "laplacian" are computed from differences, not from
    scalar products, so that points far from the origin lose no accuracy. With landmarks the kernel is centred over
    them, and the embedding is ``transform(X)`` of a model of the landmarks alone: Nystrom's method.

    References
    ----------
    Scholkopf, B., Smola, A. & Muller, K.-R. (1998), "Nonlinear component analysis as a kernel eigenvalue
    problem", Neural Computation 10. Bengio, Y. et al. (2004), "Learning eigenfunctions links spectral embedding
    and kernel PCA", Neural Computation 16, Eqs. (3) and (4). Bakir, G., Weston, J. & Scholkopf, B. (2004),
    "Learning to find pre-images", NIPS 16.

    Examples
    --------
    The first component of a Gaussian kernel separates two circles:

    >>> import numpy as np
    >>> import lpgraph as lp
    >>> angle = np.linspace(0, 2 * np.pi, 20, endpoint=False)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> X = np.vstack([circle, 0.2 * circle])
    >>> y = lp.manifold.KernelPCA(1, kernel="rbf", gamma=4.0).fit_transform(X).ravel()
    >>> bool(y[:20].min() > y[20:].max())
    True
    """

    _takes_none = True
    _pre_image: PreImage | None

    gamma_: float | None
    landmarks_: NDArray[np.intp] | None

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        kernel: str | Callable[[Array, Array], float] = "linear",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        fit_inverse_transform: bool = False,
        alpha: float = 1.0,
        landmarks: int | ArrayLike | None = None,
        solver: str = "auto",
        tol: float = 1e-6,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_components = n_components  # type: ignore[assignment]  # None for all positive eigenvalues
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_inverse_transform = fit_inverse_transform
        self.alpha = alpha
        self.landmarks = landmarks
        self.solver = solver
        self.tol = tol
        self.random_state = random_state

    @property
    def input(self) -> Input:
        """How the parameters say that X is passed."""
        given = is_string(self.kernel, "precomputed")
        return Input("kernel", False) if given else Input("points", True)

    def _function(self, width: int) -> KernelFunction | PairFunction:
        """Return the kernel as a function of two sets of points with `width` coordinates."""
        if callable(self.kernel):
            return PairFunction(self.kernel)
        if self.kernel not in _WITH_GAMMA:
            return KernelFunction(self.kernel)
        gamma = 1 / width if self.gamma is None else check_real("gamma", self.gamma, low=0.0, open_low=True)
        degree, coef0 = check_real("degree", self.degree, low=0.0), check_real("coef0", self.coef0)
        return KernelFunction(self.kernel, gamma, degree, coef0)

    def _construct(self, items: Points) -> Construction:
        if check_flag("fit_inverse_transform", self.fit_inverse_transform):
            if self.input.pairwise:
                raise ArgumentError(
                    "fit_inverse_transform=True with kernel='precomputed', but X has no points to return; pass "
                    "the points and a kernel, or False."
                )
            if is_sparse(items):
                raise ArgumentError("fit_inverse_transform=True with sparse X; pass X.toarray(), or False.")
        pairwise = self.input.pairwise
        basis = Basis.of(items, self.landmarks, self.n_components, self.random_state, pairwise=pairwise)
        X = basis.points
        kernel = CentredKernel.of(np.asarray(X), None, None, basis.columns) if pairwise else self._kernel(X)
        n = X.shape[0]
        most = min(n - 1, X.shape[1]) if isinstance(kernel, ScalarProducts) else n - 1
        return basis.construction(kernel, rank=most)

    def _kernel(self, X: Values) -> KernelRows:
        """Return the centred kernel of points."""
        if not callable(self.kernel) and not (isinstance(self.kernel, str) and self.kernel in KERNELS):
            names = ", ".join(map(repr, KERNELS))
            hint = meant(self.kernel, KERNELS)
            raise ArgumentError(f"kernel={self.kernel!r}; pass one of {names}, 'precomputed' or a callable.{hint}")
        if self.kernel == "linear":
            return scalar_products(X, as_distances=False)
        function = self._function(X.shape[1])
        # Fractional powers of negative numbers and overflows are not finite, which is checked below.
        with np.errstate(all=None if callable(self.kernel) else "ignore"):
            values = check_finite_array("the kernel matrix", function(X, X))
        if callable(self.kernel):
            check_symmetric("The kernel matrix", values)
        return CentredKernel.of(values, function, X)

    def _results(
        self, construction: Construction, found: SpectralEmbedding, positions: Array
    ) -> dict[str, object]:
        rows = construction.new_rows
        function = rows.kernel if isinstance(rows, CentredKernel) else None
        gamma = function.gamma if isinstance(function, KernelFunction) and function.name in _WITH_GAMMA else None
        pre_image = None
        if self.fit_inverse_transform:
            own = rows.points if isinstance(rows, CentredKernel) else None
            points = rows.points + rows.mean if isinstance(rows, ScalarProducts) else np.asarray(own)
            landmarks = construction.attributes["landmarks_"]
            known = positions[landmarks] if isinstance(landmarks, np.ndarray) else positions
            pre_image = PreImage.of(self._function(points.shape[1]), known, points, self.alpha)
        return {"gamma_": gamma, "_pre_image": pre_image}

    def inverse_transform(self, X: ArrayLike) -> Array:
        r"""Return points for given coordinates, by kernel ridge regression.

        Parameters
        ----------
        X : array-like of shape (m, n_components)
            Coordinates.

        Returns
        -------
        ndarray of shape (m, p)
            :math:`K(X, Y) (K(Y, Y) + \alpha I)^{-1} P` with the coordinates Y and the positions P of the training
            points, or of the landmarks. Here the kernel is evaluated at coordinates. This is a regression and not
            an exact inverse, because coordinates do not determine a point.

        Raises
        ------
        NotFittedError
            If the model was not fitted with ``fit_inverse_transform=True``.
        ArgumentError
            If X does not have as many columns as `embedding_`.

        Examples
        --------
        >>> import numpy as np
        >>> import lpgraph as lp
        >>> X = np.random.default_rng(0).uniform(size=(50, 2))
        >>> model = lp.manifold.KernelPCA(8, kernel="rbf", fit_inverse_transform=True, alpha=1e-4).fit(X)
        >>> bool(np.abs(model.inverse_transform(model.embedding_) - X).max() < 0.1)
        True
        """
        check_fitted(self, "embedding_")
        if self._pre_image is None:
            raise not_fitted(
                "This KernelPCA has not learned inverse_transform; pass fit_inverse_transform=True and fit again."
            )
        return self._pre_image(doubles(check_points("X", X, self.embedding_.shape[1], as_sparse=False)))
