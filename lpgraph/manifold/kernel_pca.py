"""Kernel principal component analysis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from typing import cast

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg

from lpgraph._utils.checks import check_choice, check_finite_array, check_flag, check_real, is_string
from lpgraph._utils.estimators import not_fitted
from lpgraph._utils.types import Array, Integers
from lpgraph.errors import ArgumentError
from lpgraph.linalg.dense_rows import rowwise_product
from lpgraph.points.checks import Input, check_points, check_symmetric
from lpgraph.points.rows import Points, dense, doubles, is_sparse
from lpgraph.spectral.construction import Construction
from lpgraph.spectral.embedding import SpectralEmbedding

from .base import PointsEmbedding, landmarks_among
from .kernels import CentredKernel, Kernel, ScalarProducts, kernel_construction, landmark_values

KERNELS = ("linear", "rbf", "poly", "sigmoid", "cosine", "laplacian")
_WITH_GAMMA = ("rbf", "poly", "sigmoid", "laplacian")


@dataclass(eq=False, repr=False)
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
        (:math:`\tanh(\gamma \langle x, y \rangle + c)`), with c = ``coef0``; None means 1 / p.
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

    n_components: int | None = 2  # type: ignore[assignment]  # None for all positive eigenvalues
    _: KW_ONLY
    kernel: str | Callable[[Array, Array], float] = "linear"
    gamma: float | None = None
    degree: float = 3
    coef0: float = 1
    fit_inverse_transform: bool = False
    alpha: float = 1.0
    landmarks: int | ArrayLike | None = None
    solver: str = "auto"
    tol: float = 1e-6
    random_state: int | np.random.Generator | None = None

    _takes_none = True
    #: Kernel, coordinates Y and coefficients ``(K(Y, Y) + alpha I)^(-1) X`` of the regression, see Bakir et al.
    _pre_image: tuple[Kernel, Array, Array] | None = field(init=False)

    gamma_: float | None = field(init=False)

    @property
    def input(self) -> Input:
        """How the parameters say that X is passed."""
        given = is_string(self.kernel, "precomputed")
        return Input("kernel", False) if given else Input("points", True)

    def _function(self, width: int) -> Kernel:
        """Return the kernel as a function of two sets of points with `width` coordinates."""
        if callable(self.kernel):
            return Kernel(self.kernel)
        name = check_choice("kernel", self.kernel, (*KERNELS, "precomputed"))
        if name not in _WITH_GAMMA:
            return Kernel(name)
        gamma = 1 / width if self.gamma is None else check_real("gamma", self.gamma, low=0.0, open_low=True)
        return Kernel(name, gamma, check_real("degree", self.degree, low=0.0), check_real("coef0", self.coef0))

    def _construct(self, items: Points) -> Construction:
        everyone, pairwise = np.arange(items.shape[0]), self.input.pairwise
        if check_flag("fit_inverse_transform", self.fit_inverse_transform) and (pairwise or is_sparse(items)):
            raise ArgumentError("fit_inverse_transform=True needs dense points; pass X.toarray(), or False.")
        landmarks = landmarks_among(self.landmarks, everyone, self.n_components, self.random_state)
        points = landmark_values(items, landmarks, pairwise=pairwise)
        n, p = points.shape
        kernel = self._function(p)
        if kernel.name == "linear":
            products = ScalarProducts.of(points, as_distances=False)
            return kernel_construction(products, items, landmarks, min(n - 1, p))
        # Fractional powers of negative numbers and overflows are not finite.
        known = None if pairwise else points
        with np.errstate(all="ignore"):
            values = kernel(points, known)
        check_finite_array("the kernel matrix", values)
        if callable(self.kernel):
            check_symmetric("The kernel matrix", values)
        return kernel_construction(CentredKernel(values, kernel, known, landmarks), items, landmarks, n - 1)

    def _results(
        self, construction: Construction, found: SpectralEmbedding, positions: Array
    ) -> dict[str, object]:
        rows = cast("CentredKernel | ScalarProducts", construction.new_rows)
        kernel, landmarks = rows.kernel, cast("Integers | None", construction.attributes["landmarks_"])
        if not self.fit_inverse_transform:
            return {"gamma_": kernel.gamma, "_pre_image": None}
        known = positions if landmarks is None else positions[landmarks]
        matrix = kernel(known, known)
        matrix[np.diag_indices(len(matrix))] += check_real("alpha", self.alpha, low=0.0, open_low=True)
        # A sigmoid kernel may be indefinite, so Cholesky factors may not exist.
        coefficients = linalg.solve(matrix, np.asarray(rows.points), assume_a="sym")
        return {"gamma_": kernel.gamma, "_pre_image": (kernel, known, coefficients)}

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
        learned = vars(self).get("_pre_image")
        if learned is None:
            remedy = "pass fit_inverse_transform=True and call fit"
            raise not_fitted(f"This KernelPCA has no inverse_transform; {remedy}.")
        new = doubles(dense(check_points("X", X, self.embedding_.shape[1], as_sparse=False)))
        kernel, known, coefficients = learned
        return rowwise_product(kernel(new, known), coefficients)
