"""Semidefinite embedding: the kernel of largest variance that keeps the distances between neighbors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, field, replace

import numpy as np

from lpgraph._utils.checks import check_choice, check_integer, check_real
from lpgraph._utils.compiled import blas_alone
from lpgraph._utils.types import Array, Integers
from lpgraph.points.rows import Points
from lpgraph.spectral.construction import Construction
from lpgraph.spectral.embedding import Settings

from .base import PointsEmbedding, landmarks_among
from .low_rank import Bound
from .neighbors import LocalNeighbors
from .unfolding import (
    Constraints,
    Unfolding,
    landmark_map,
    rigid_pairs,
    unfold_all,
    unfold_landmarks,
    with_copies,
)


@dataclass(eq=False, repr=False)
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
    components : {"warn", "bridge", "largest", "error"}, default "warn"
        If the graph of neighbors has several components: join them by the shortest edges between them, whose ends
        become neighbors, with a warning or without; embed only the largest (`kept_`); or raise an error.
    solver : {"auto", "lapack", "lanczos"}, default "auto"
        Eigensolver for the kernel; see `lpgraph.spectral.eigen.eigenpairs`.
    tol : float, default 1e-3
        Certified relative gap of the trace, and largest relative violation of a squared distance.
    random_state : int, Generator or None
        Seed of the draw of landmarks and of the first monitored constraints; None means a fixed seed.

    Attributes
    ----------
    embedding_ : ndarray of shape (n, n_components)
        Positions of the training points, or of those in `kept_`.
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
    kept_ : ndarray
        Indices of the points that were embedded: all, unless ``components="largest"`` removed some.
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
        By `fit`, if a component of the reconstruction graph has no landmark.
    ConvergenceError
        By `fit`, if `tol` was not met; the attribute `result` of the error is the best result of the solver.

    Warns
    -----
    LpgraphWarning
        By `fit`, if half of the distances shrank much.

    Notes
    -----
    Randomly placed points with four neighbors each have holes in their neighbor graph, which the largest trace
    stretches if every point is free. Without landmarks pass five or six neighbors, unless these join different
    sheets.

    With landmarks and more than 100 000 distinct points, the map from landmarks to points is found for 100 000 of
    them drawn at random, and the others are reconstructed from these, as new points are.

    Duplicates are one point with their multiplicity as its mass. A single pair of neighbors that joins two sheets
    keeps the sheets together, however many other points there are: choose a small `n_neighbors`, and check
    `constraints_`.

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

    n_components: int = 2
    _: KW_ONLY
    n_neighbors: int = 4
    landmarks: int | Sequence[int] | Integers | None = None
    n_reconstruction_neighbors: int = 12
    constraints: str | None = None
    regularizer: float = 1e-4
    neighbors: str | int = "exact"
    components: str = "warn"
    solver: str = "auto"
    tol: float = 1e-3
    random_state: int | np.random.Generator | None = None

    _takes_sparse = ()

    bound_: Bound | None = field(init=False)
    constraints_: Constraints = field(init=False)
    kernel_: Array = field(init=False)
    spectrum_: Array = field(init=False)

    def _construct(self, items: Points) -> Construction:
        kinds = ("soft", "inequality") if self.landmarks is None else ("inequality",)
        kind = kinds[0] if self.constraints is None else check_choice("constraints", self.constraints, kinds)
        tol = check_real("tol", self.tol, low=1e-8, high=0.1)
        regularizer = check_real("regularizer", self.regularizer, low=0.0)
        near = LocalNeighbors.of(items, self.n_neighbors, self.components, self._search_by)
        hood, origin, first = near.hood, near.place, np.searchsorted(near.kept, near.vertices)
        n, k = len(first), self.n_reconstruction_neighbors
        check_integer("n_reconstruction_neighbors", k, low=1, high=n - 1, why=f"but only {n} distinct points")
        pairs, landmarks = rigid_pairs(hood, near.bridges), self._landmarks(near)
        # One thread sums in one order: small eigenvalues of the kernel are close to each other, and their vectors
        # would depend on the number of threads. The matrices have few columns, and gain nothing from more threads.
        with blas_alone():
            if landmarks is None:
                mass = np.bincount(origin).astype(float)
                factor, bound, seen = unfold_all(pairs, mass, self.n_components + 3, tol, soft=kind == "soft")
            else:
                Q = landmark_map(hood, landmarks, k, regularizer)
                seed = 0 if self.random_state is None else self.random_state
                factor, bound, seen = unfold_landmarks(Q, origin, pairs, landmarks, tol, seed)
        kernel = Unfolding(factor[origin], hood, first, with_copies(pairs, first, origin), k, regularizer)
        return Construction(
            kernel.operator,
            kernel,
            attributes={
                "kernel_": kernel.factor,
                "spectrum_": (kernel.factor**2).sum(axis=0),
                "bound_": bound,
                "kept_": near.kept,
                "landmarks_": None if landmarks is None else near.vertices[landmarks],
                "recall_": hood.recall,
                "constraints_": Constraints.of(pairs, factor, seen),
            },
        )

    def _settings(self) -> Settings:
        # `tol` is for the semidefinite program; the eigenpairs of its kernel cost little.
        return replace(super()._settings(), tol=1e-8, remedies="solver='lapack'")

    def _landmarks(self, near: LocalNeighbors) -> Integers | None:
        """Return the landmarks among distinct points."""
        if self.landmarks is None or np.isscalar(self.landmarks):
            n = len(near.vertices)
            return landmarks_among(self.landmarks, np.arange(n), self.n_components, self.random_state)
        return np.unique(near.place[landmarks_among(self.landmarks, near.kept, self.n_components, None)])
