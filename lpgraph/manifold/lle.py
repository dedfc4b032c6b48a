"""Locally linear embedding: coordinates that the same neighbours rebuild by the same weights."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph._checks import check_choice, check_integer, check_real
from lpgraph.errors import ArgumentError, ConvergenceError, LpgraphWarning
from lpgraph.manifold._points import Construction, PointsEmbedding
from lpgraph.manifold._reconstruction import Reconstruction
from lpgraph.spectral.bottom import bottom_pairs
from lpgraph.spectral.eigen import SOLVERS
from lpgraph.spectral.embedding import SpectralEmbedding
from lpgraph.spectral.extension import Extension
from lpgraph.spectral.operators import Gram
from lpgraph.spectral.pairs import EigenPairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["LocallyLinearEmbedding"]

#: Eigenvalues of M below this share of its diagonal's mean are 0 to rounding.
_NULL = 1e-16


def _warn_of_freedom(factor: sparse.csr_array, pairs: EigenPairs, trivial: Array) -> None:
    """Warn if more eigenvalues of M are 0 than there are dimensions, so that any of their vectors would do."""
    n, wanted = factor.shape[0], len(pairs)
    null = _NULL * float(factor.multiply(factor).sum()) / n
    if wanted == n - 1 or pairs.values[-1] > null:
        return
    more: Any
    try:
        more = bottom_pairs(
            Gram(factor), wanted + 1, without=trivial, tol=0.1, max_restarts=20, start=pairs.vectors
        )
    except ConvergenceError as error:
        more = error.result
    if more.values[-1] <= null:
        warnings.warn(
            f"More than n_components={wanted} functions are rebuilt by the weights without error, and which of "
            "them are the coordinates is arbitrary; pass more n_neighbors (bridged components turn about their "
            "bridges), or a larger regularizer.",
            LpgraphWarning,
            stacklevel=5,
        )


class LocallyLinearEmbedding(PointsEmbedding):
    """Embed points so that the weights that rebuild each from its neighbours rebuild its coordinates too.

    Each point is rebuilt from its nearest others with weights W, rows of which sum to 1. The coordinates are the
    bottom eigenvectors of ``M = (I - W).T (I - W)``, those with the smallest errors of reconstruction, without the
    constant one; each has unit length.

    Parameters
    ----------
    n_components : int, default 2
        Number of dimensions.
    n_neighbors : int, default 5
        From how many nearest others a point is rebuilt.
    regularizer : float, default 1e-3
        Added to the diagonal of each local Gram matrix, relative to its trace.
    c : float or None
        The kernel is ``c I - M``, and a new point's coordinates are ``(c - 1) / (c - l_k) sum_i w(x, x_i) y_ik``,
        where w rebuild x from its nearest training points. None, the default, is the limit of large c:
        ``sum_i w(x, x_i) y_ik``, Saul & Roweis's rule. c has no influence on the training points.
    components : {"error", "largest", "bridge"}, default "error"
        What to do if the graph of neighbours falls into several components: refuse; embed the largest only
        (`kept_`); or join them by the shortest edges between them, whose ends become neighbours.
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        LAPACK makes M dense; Lanczos's method works on the inverse of M by a sparse factorisation. "auto" takes
        LAPACK for small n.
    tol : float, default 1e-6
        Bound on the relative residuals of the eigenpairs.
    random_state : int, Generator or None
        Seed of the solver's start; None is a fixed seed.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        Positions of the training points (of those in `kept_`).
    eigenvalues_ : ndarray of shape (n_components,)
        Eigenvalues of M after the trivial 0, increasing.
    residuals_ : ndarray of shape (n_components,)
        Measured residuals of the eigenpairs of M; see `lpgraph.spectral.pairs.EigenPairs`.
    reconstruction_error_ : float
        ``|Y - W Y|^2``, the sum of the eigenvalues.
    kept_ : ndarray
        Indices of the points that were embedded: all, unless ``components="largest"`` left some out.
    vertices_ : ndarray
        Indices of the points that are vertices of the graph: all, or the first of each set of equal points.
    graph_ : csr_array
        The weights W, a directed graph on `vertices_`.
    n_features_in_ : int
        Number of coordinates.

    Notes
    -----
    Equal points are one vertex, and so have one position, where ``w(x_j, x_i) = delta_ij`` can hold. Only if
    fewer than n_neighbors + 1 points are different do copies count as points of their own; a new point at their
    place then gets the mean of their positions. Without equal points the results are scikit-learn's up to signs.
    The kernel of a training point is its own row of ``c I - M``, so that ``transform(X_train)`` equals
    `embedding_` by definition.

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

    _construction: Reconstruction

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 5,
        regularizer: float = 1e-3,
        c: float | None = None,
        components: str = "error",
        solver: str = "auto",
        tol: float = 1e-6,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.regularizer = regularizer
        self.c = c
        self.components = components
        self.solver = solver
        self.tol = tol
        self.random_state = random_state

    def _construct(self, X: Array) -> Construction:
        n = X.shape[0]
        k = check_integer("n_neighbors", self.n_neighbors, low=1, high=n - 1, why=f"but only {n} points")
        regularizer = check_real("regularizer", self.regularizer, low=0.0)
        c = None if self.c is None else check_real("c", self.c, low=0.0, open_low=True)
        check_choice("components", self.components, ("error", "largest", "bridge"))
        return Reconstruction.of(X, k, regularizer, c, self.components)

    def _solve(self, construction: Construction, *_: object) -> SpectralEmbedding:
        assert isinstance(construction, Reconstruction)
        factor = construction.factor
        n = factor.shape[0]
        check_integer("n_components", self.n_components, low=1, high=n - 1, why=f"but only {n} different points")
        pairs = self._bottom(factor, construction.trivial)
        _warn_of_freedom(factor, pairs, construction.trivial)
        if construction.c is None:
            return SpectralEmbedding(
                pairs.vectors, pairs.values, pairs.residuals, Extension(pairs.vectors), pairs.values
            )
        # The pairs are those of M; the kernel's values are c minus them.
        values, images = construction.c - pairs.values, construction.c * pairs.vectors - pairs.images
        if values[-1] <= 1e-12 * construction.c:
            raise ArgumentError(
                f"c={construction.c:g} but M has the eigenvalue {pairs.values[-1]:g} among those wanted; "
                f"pass c > {pairs.values[-1]:g}, or None."
            )
        basis = Extension(pairs.vectors / values)
        return SpectralEmbedding(images / values, pairs.values, pairs.residuals, basis, pairs.values)

    def _bottom(self, factor: sparse.csr_array, trivial: Array) -> EigenPairs:
        """Return the wanted eigenpairs of M."""
        solver = check_choice("solver", self.solver, SOLVERS)
        return bottom_pairs(
            Gram(factor),
            self.n_components,
            inverse_of=lambda: sparse.csr_array(factor @ factor.T),
            solver="inverse" if solver == "lanczos" else solver,
            tol=self.tol,
            random_state=self.random_state,
            without=trivial,
            remedies="a larger tol, or a smaller n_components",
        )

    def _place(self, construction: Construction, found: SpectralEmbedding) -> Array:
        assert isinstance(construction, Reconstruction)
        return found.coordinates[construction.place]

    def _report(self) -> None:
        # abs: rounding may leave the smallest a digit below zero.
        self.eigenvalues_ = np.abs(self.eigenvalues_)
        self.reconstruction_error_ = float(self.eigenvalues_.sum())
        self.kept_, self.vertices_ = self._construction.kept, self._construction.vertices
