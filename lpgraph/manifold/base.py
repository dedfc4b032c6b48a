"""Base of the embeddings of points."""

from __future__ import annotations

from typing import ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data

from lpgraph._utils.checks import check_choice, check_generator, check_integer
from lpgraph._utils.estimators import check_fitted, labelled
from lpgraph._utils.types import Array, Integers
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.points.checks import Input, check_indices, kind_of
from lpgraph.points.connect import POLICIES
from lpgraph.points.neighborhood import SearchBy
from lpgraph.points.rows import Points, are_all_equal, is_sparse
from lpgraph.spectral.construction import KernelRows
from lpgraph.spectral.estimator import SpectralEstimator


class PointsEmbedding(SpectralEstimator[Points]):
    """Base of the embeddings of points; see `lpgraph.manifold.ClassicalMDS` for the fitted attributes.

    A method defines `_construct`, which returns the `Construction` of checked points: the kernel K_n of Bengio et
    al. (2004) as an operator on the training points, and its rows for new points.
    """

    n_components: int
    components: str | None
    neighbors: str | int
    n_features_in_: int
    kept_: Integers
    landmarks_: Integers | None
    recall_: float | None  # None if all pairs are similar
    _sparse_input: bool
    #: Kinds of X that may be sparse; sparse "distances" list those of neighbors.
    _takes_sparse: ClassVar[tuple[str, ...]] = ("points",)
    #: Whether ``n_components=None`` means all positive eigenvalues.
    _takes_none: ClassVar[bool] = False

    @property
    def _search_by(self) -> SearchBy:
        return SearchBy(self.neighbors, self.random_state)

    @property
    def input(self) -> Input:
        """How the parameters say that X is passed."""
        kind = kind_of(getattr(self, "metric", None))
        return Input(kind, kind in self._takes_sparse)

    def _read(self, X: object) -> Points:
        points = self.input.training(X, type(self).__name__)
        n = points.shape[0]
        if n < 2:
            raise ArgumentError(f"X has {n} point (n_samples = {n}); an embedding needs at least 2.")
        if "components" in self.get_params(deep=False):
            check_choice("components", self.components, POLICIES)
        size = getattr(self, self._size)
        if size is not None or not self._takes_none:
            check_integer(self._size, size, low=1, high=n - 1, why=f"but only {n} points")
        # Eigenvectors of methods by neighbors would be arbitrary.
        kind = self.input.kind
        equal = kind == "distances" and not is_sparse(points) and not points.any()
        if equal or (kind == "points" and are_all_equal(points)):
            raise ArgumentError(f"X has {n} points that are all equal; pass at least two different points.")
        return points

    def _input_state(self, X: object, items: Points) -> dict[str, object]:
        # scikit-learn stores column names on an estimator, and this one must not change before the fit succeeds.
        described = BaseEstimator()
        self._check_columns(described, X, reset=True)
        return {**vars(described), "n_features_in_": items.shape[1], "_sparse_input": is_sparse(items)}

    def _check_columns(self, estimator: BaseEstimator, X: object, *, reset: bool) -> None:
        """Store or compare the number and names of columns, as scikit-learn does."""
        try:
            validate_data(estimator, X, reset=reset, skip_check_array=True)
        except TypeError as error:
            raise ArgumentTypeError(f"{error} Or pass X.to_numpy().") from None
        except ValueError as error:
            what = "one column for each training point" if self.input.pairwise else "the columns it had in fit"
            raise ArgumentError(f"{error} Pass X with {what}.") from None

    def fit(self, X: object, y: object = None) -> Self:
        """Embed the points X.

        Parameters
        ----------
        X : array-like or sparse array of shape (n, p), or (n, n)
            Points, one in each row; with ``"precomputed"`` the distances, similarities or kernel values of all
            pairs. Results are computed and returned in float64 for every dtype of X. Points of another type are
            kept in this type, and points in a mapped file are not copied.
        y : object
            Ignored; scikit-learn passes it.

        Returns
        -------
        self

        Raises
        ------
        ArgumentError, ArgumentTypeError
            If X is not a finite array of the right shape, if a parameter does not suit X, or if n_components is
            larger than the number of positive eigenvalues.
        ConvergenceError
            If the eigensolver did not reach `tol`.
        """
        return super().fit(X, y)

    def fit_transform(self, X: object, y: object = None) -> Array:
        """Embed the points X and return `embedding_`; see `fit`."""
        self.fit(X, y)
        take = getattr(getattr(X, "index", None), "take", None)
        if take is None or "kept_" not in vars(self):
            return self.embedding_
        return labelled(self, self.embedding_, take(self.kept_))

    def transform(self, X: object) -> Array:
        """Embed new points, without another decomposition.

        The position of a point is the same, bit for bit, alone and in any batch, in any order, and with any number
        of threads.

        Parameters
        ----------
        X : array-like or sparse array of shape (m, p), or (m, n)
            New points; with ``"precomputed"`` their distances to, similarities to or kernel values with the n
            training points.

        Returns
        -------
        ndarray of shape (m, n_components)

        Raises
        ------
        ArgumentError, ArgumentTypeError
            If X is not a finite array with as many columns as in `fit`.
        """
        new = self.read_new(X)  # raises if not fitted
        return self._placement(new)

    def read_new(self, X: object) -> Points:
        """Return new points as `transform` reads them: checked, and sparse if the training points were.

        Parameters
        ----------
        X : array-like or sparse array of shape (m, p), or (m, n)
            As for `transform`.

        Returns
        -------
        ndarray or csr_array of shape (m, p), or (m, n)
            Many points, and those in a mapped file, are in their own type.
        """
        check_fitted(self, "embedding_")
        if len(getattr(X, "shape", ())) == 2:
            self._check_columns(self, X, reset=False)
        return self.input.new(X, self.n_features_in_, self._sparse_input)

    @property
    def kernel_rows_(self) -> KernelRows:
        """The kernel of the method: its operator on the training points, and its rows for new points."""
        check_fitted(self, "embedding_")
        return cast("KernelRows", self._placement.new_rows)

    @property
    def graph_(self) -> Points:
        """The graph of the points, which `lpgraph.as_adjacency` accepts."""
        return self.kernel_rows_.graph

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.input.pairwise
        tags.input_tags.sparse = self.input.sparse
        # Distances are nonnegative; kernel values may be negative.
        tags.input_tags.positive_only = kind_of(getattr(self, "metric", None)) == "distances"
        return tags


def landmarks_among(
    landmarks: int | ArrayLike | None,
    kept: Integers,
    n_components: int | None,
    random_state: int | np.random.Generator | None,
) -> Integers | None:
    """Return the landmarks as indices among the kept points: increasing if drawn, else in the given order.

    Parameters
    ----------
    landmarks : int, array-like of int, or None
        The number to draw at random, or distinct indices of the points that were passed; None for no landmarks.
    kept : ndarray of shape (n,)
        The kept points among those that were passed, increasing.
    n_components : int or None
        Number of dimensions, which must be smaller than the number of landmarks.
    random_state : int, Generator or None
        Seed of the draw; None means a fixed seed.
    """
    if landmarks is None:
        return None
    n, least = len(kept), 2 if n_components is None else n_components + 1
    if np.isscalar(landmarks):
        why = f"but n_components={n_components} and {n} points"
        count = check_integer("landmarks", landmarks, low=least, high=n, why=why)
        rng = check_generator(0 if random_state is None else random_state)
        return np.sort(rng.choice(n, count, replace=False)).astype(np.intp)
    chosen = check_indices("landmarks", landmarks, int(kept[-1]) + 1, 1)
    if len(np.unique(chosen)) < max(least, len(chosen)) or not np.isin(chosen, kept).all():
        raise ArgumentError(f"landmarks={landmarks!r:.80}; pass at least {least} indices in kept_, each once.")
    return np.searchsorted(kept, chosen)
