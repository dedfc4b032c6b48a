"""Semidefinite embedding: the kernel of largest variance that keeps the distances between neighbors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_choice, check_integer, check_real
from lpgraph._threads import blas_alone
from lpgraph._warnings import warn
from lpgraph.errors import ArgumentError, LpgraphWarning
from lpgraph.manifold.base import PointsEmbedding
from lpgraph.manifold.unfolding.kernel import Unfolding
from lpgraph.manifold.unfolding.learn import Distinct, unfold_all, unfold_by_landmarks
from lpgraph.manifold.unfolding.report import bounded_pairs, constraint_report
from lpgraph.manifold.unfolding.rigid import rigid_pairs
from lpgraph.points.equal_rows import distinct
from lpgraph.points.find_neighbors import SearchBy, find_neighbors
from lpgraph.points.neighborhood import Neighborhood
from lpgraph.points.rows import some_points
from lpgraph.spectral.construction import Construction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.manifold.unfolding.report import Bound, Constraints
    from lpgraph.points.types import Array, Points

__all__ = ["SemidefiniteEmbedding"]


class SemidefiniteEmbedding(PointsEmbedding):
    """Embed points by the kernel of largest trace that keeps the distances between neighbors.

    A pair of points is constrained if one is among the k nearest of the other, or if both are among the k nearest
    of a third point; the second condition preserves angles. Semidefinite programming finds the kernel of largest
    variance under which none of these distances grows, or under which all are preserved. The embedding is its top
    eigenvectors, as in kernel principal component analysis. The number of large eigenvalues is the dimension of
    the data.

    With `landmarks` all points are linear combinations of a few of them, ``K = Q L Q.T``, and the program has the
    size of L; tens of thousands of points take seconds.

    Parameters
    ----------
    n_components : int, default 2
        Number of dimensions.
    n_neighbors : int, default 4
        The number k of nearest points that defines the constraints.
    landmarks : int or array-like of int, optional
        The number to draw at random, or the indices of the landmarks. None solves for all points.
    n_reconstruction_neighbors : int, default 12
        Number of nearest points from which a point is reconstructed: non-landmarks in `fit`, new points in
        `transform`.
    constraints : {"inequality", "soft"}, optional
        "inequality": distances must not grow. "soft": distances are kept, to a root mean square relative error of
        1e-3 of their squares. None is "inequality" with landmarks and "soft" without.
    regularizer : float, default 1e-4
        Regularizer of the reconstruction weights, relative to the trace of the local Gram matrix (with 12
        neighbors, 1e-3 of its mean eigenvalue). A larger value pulls points towards the mean of their neighbors.
        The default was chosen on a Swiss roll, by the trace that ten to forty landmarks reach.
    neighbors : {"exact", "approximate"} or int, default "exact"
        Whether neighbors are searched among all points, or approximately: 99 % of a sample's neighbors are found
        (see `recall_`). A number means approximately if there are more points. See `lpgraph.neighbor_graph`.
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        Eigensolver for the kernel; see `lpgraph.spectral.eigen.eigenpairs`.
    tol : float, default 1e-3
        Certified relative gap of the trace, and largest relative violation of a squared distance.
    random_state : int, Generator or None
        Seed of the draw of landmarks and of the first monitored constraints; None means a fixed seed.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        Positions of the training points.
    eigenvalues_ : ndarray of shape (n_components,)
        The largest eigenvalues of the kernel: the variance along each dimension, times n.
    spectrum_ : ndarray
        All eigenvalues of the kernel that can be nonzero, decreasing.
    kernel_ : ndarray of shape (n, q)
        The factor F of the kernel, ``K = F F.T``.
    constraints_ : Constraints
        Number of constraints, number that was monitored, and their violations.
    bound_ : Bound or None
        Certified bounds of the largest trace under the inequalities; None for soft constraints.
    landmarks_ : ndarray of int, or None
        The landmarks, as indices of the points that were passed.
    graph_ : csr_array of shape (n, n)
        Distances of the constrained pairs.
    residuals_ : ndarray of shape (n_components,)
        Measured relative residuals of the eigenpairs.
    recall_ : float
        The share of nearest neighbors that were found, estimated from a sample; 1 for an exact search.
    n_features_in_ : int
        Number of coordinates.

    Raises
    ------
    GraphError
        By `fit`, if a component of the reconstruction graph has no landmark, or if the constrained pairs do not
        connect all points, so that the trace has no bound.
    ConvergenceError
        By `fit`, if `tol` was not met; the attribute `result` of the error is the best result of the solver.

    Warns
    -----
    LpgraphWarning
        By `fit`, if half of the distances shrank much, if points are nearly duplicates, or if ``regularizer=0``
        does not determine the reconstruction weights.

    Notes
    -----
    Randomly placed points with four neighbors each have holes in their neighbor graph, which the largest trace
    stretches if every point is free. Without landmarks pass five or six neighbors, unless these join different
    sheets.

    With landmarks and more than 100 000 distinct points, the map from landmarks to points is found for 100 000 of
    them drawn at random, and the others are reconstructed from these, as new points are.

    Duplicates are one point with their multiplicity as its mass. A single pair of neighbors that joins two sheets
    keeps the sheets together, however many other points there are: choose a small `n_neighbors`, and check
    `constraints_`. If a fit is interrupted from the keyboard, the model contains the last certified iterate, and
    `bound_` is its quality.

    References
    ----------
    Weinberger, K., Packer, B. & Saul, L. (2005), "Nonlinear dimensionality reduction by semidefinite
    programming and kernel matrix factorization", AISTATS 10, Sections 2 and 3; here with squared distances in the
    constraints, and with a minus sign in Eq. (11). Weinberger, K., Sha, F. & Saul, L. (2004), "Learning a kernel
    matrix for nonlinear dimensionality reduction", ICML 21.

    Examples
    --------
    A spiral is unrolled; the position along it becomes the only dimension.

    >>> import numpy as np
    >>> import lpgraph as lp
    >>> t = np.linspace(np.pi, 4 * np.pi, 300)
    >>> spiral = np.column_stack([t * np.cos(t), t * np.sin(t)])
    >>> model = lp.manifold.SemidefiniteEmbedding(2, landmarks=15, random_state=0).fit(spiral)
    >>> bool(model.eigenvalues_[0] > 0.99 * model.spectrum_.sum()), model.bound_.gap <= 1e-3
    (True, True)
    """

    _takes_sparse = ()

    bound_: Bound | None
    constraints_: Constraints
    graph_: sparse.csr_array
    kernel_: Array
    landmarks_: NDArray[np.intp] | None
    spectrum_: Array
    recall_: float

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 4,
        landmarks: int | Sequence[int] | NDArray[np.intp] | None = None,
        n_reconstruction_neighbors: int = 12,
        constraints: str | None = None,
        regularizer: float = 1e-4,
        neighbors: str | int = "exact",
        solver: str = "auto",
        tol: float = 1e-3,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.landmarks = landmarks
        self.n_reconstruction_neighbors = n_reconstruction_neighbors
        self.constraints = constraints
        self.regularizer = regularizer
        self.neighbors = neighbors
        self.solver = solver
        self.tol = tol
        self.random_state = random_state

    def _construct(self, items: Points) -> Construction:
        kind = "soft" if self.landmarks is None else "inequality"
        if self.constraints is not None:
            kind = check_choice("constraints", self.constraints, ("inequality", "soft"))
        if kind == "soft" and self.landmarks is not None:
            raise ArgumentError(
                'constraints="soft" is not available with landmarks, whose linear map cannot preserve distances; '
                'pass constraints="inequality", or landmarks=None.'
            )
        tol = check_real("tol", self.tol, low=1e-8, high=0.1)
        regularizer = check_real("regularizer", self.regularizer, low=0.0)
        points = self._distinct(items)
        k = self.n_reconstruction_neighbors
        # One thread sums in one order: small eigenvalues of the kernel are close to each other, and their vectors
        # would depend on the number of threads. The matrices have few columns, and gain nothing from more threads.
        with blas_alone():
            if self.landmarks is None:
                learned = unfold_all(points, soft=kind == "soft", n_components=self.n_components, tol=tol)
            else:
                learned = unfold_by_landmarks(
                    points,
                    self.landmarks,
                    least=self.n_components + 1,
                    tol=tol,
                    random_state=0 if self.random_state is None else self.random_state,
                    n_reconstruction_neighbors=k,
                    regularizer=regularizer,
                )
        used = points.squares(learned.factor) / points.pairs.distance**2
        if learned.interrupt is not None:
            learned.interrupt.add_note(f"The model is the last iterate, with certified bounds {learned.bound}.")
        kernel = Unfolding(learned.factor, points, k, regularizer)
        return Construction(
            kernel.operator,
            kernel,
            attributes={
                "kernel_": learned.factor,
                "spectrum_": learned.spectrum,
                "bound_": learned.bound,
                "landmarks_": learned.landmarks,
                "recall_": points.hood.recall,
                "constraints_": constraint_report(used, learned.monitored),
            },
            # `tol` is for the semidefinite program; the eigenpairs of its kernel cost little.
            tol=1e-8,
            interrupt=learned.interrupt,
        )

    def _distinct(self, X: Points) -> Distinct:
        """Return the distinct points and the constrained pairs."""
        first, origin = distinct(X)
        n = len(first)
        for name in ("n_neighbors", "n_reconstruction_neighbors"):
            check_integer(name, getattr(self, name), low=1, high=n - 1, why=f"but only {n} distinct points")
        if self.regularizer == 0 and self.n_reconstruction_neighbors > X.shape[1]:
            warn(
                f"n_reconstruction_neighbors={self.n_reconstruction_neighbors} in {X.shape[1]} dimensions with "
                "regularizer=0: many weights reconstruct a point exactly, and rounding chooses one of them; "
                "pass regularizer=1e-4.",
                LpgraphWarning,
            )
        by = SearchBy(self.neighbors, self.random_state)
        hood = Neighborhood(*find_neighbors(some_points(X, first), "euclidean", self.n_neighbors, None, by))
        return Distinct(hood, first, origin, bounded_pairs(rigid_pairs(hood)))
