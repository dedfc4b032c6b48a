"""What all embeddings of points share: the road from points to coordinates, and from new points to more.

A method supplies one thing, its `Construction`: the kernel K_n of Bengio et al. (2004) as an operator on the
training points, and its rows for new ones. The rest (checking points, the core, the extension, batches,
scikit-learn's habits) is the same for all.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import validate_data

from lpgraph._checks import check_fitted, check_integer
from lpgraph._frames import labelled, wants_pandas
from lpgraph._threads import blas_alone
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.points.checks import check_distances, check_points
from lpgraph.points.distance_lists import check_listed
from lpgraph.points.metric_params import with_params
from lpgraph.points.sparse_points import is_sparse
from lpgraph.spectral.affinity import Affinity
from lpgraph.spectral.embedding import SpectralEmbedding, embed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lpgraph.spectral.operators import Operator

    Array = NDArray[np.float64]

__all__ = ["Construction", "PointsEmbedding"]

#: Entries of dense kernel rows held at a time: 64 MB.
_ENTRIES = 1 << 23


class Construction(Protocol):
    """A data-dependent kernel K_n, picklable: no more is kept of a fitted method but its eigenvectors."""

    @property
    def dense(self) -> bool:
        """Whether rows are dense (or come through dense ones), so that new points are taken in small batches."""

    @property
    def operator(self) -> Operator:
        """``K_n(x_i, x_j)`` on the training points."""

    @property
    def trivial(self) -> Array | None:
        """The unit eigenvector that is left out, if there is one."""

    @property
    def graph(self) -> Any:
        """The graph the method made of the points: an (n, n) sparse or dense array."""

    def rows(self, new: Array) -> Any:
        """``K_n(x, x_j)`` for new points, or for their distances to the training points where those are given."""


class PointsEmbedding(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the embeddings of points; see `lpgraph.manifold.ClassicalMDS` for what is fitted."""

    n_components: int
    solver: str
    tol: float
    random_state: int | np.random.Generator | None
    _construction: Construction
    #: The name of the parameter that says how many eigenvectors there are to be.
    _size = "n_components"
    #: Whether points may be sparse rows, and whether distances may be a sparse list of those of neighbours.
    _takes_sparse = True
    _takes_listed = False
    #: Whether those of the training set were.
    _sparse = False

    def _construct(self, X: Array) -> Construction:
        """Return the method's kernel on checked points."""
        raise TypeError(f"{type(self).__name__} does not say what it makes of points.")

    def _power(self) -> float:
        """Return the power of the eigenvalues that scales the coordinates."""
        return 0.5

    def _is_pairwise(self) -> bool:
        """Whether what is passed as X are distances or kernel values, one column for each training point."""
        return bool(getattr(self, "metric", None) == "precomputed")

    def _metric(self) -> Any:
        """Return the metric with its parameters."""
        settings: Any = self
        return with_params(settings.metric, settings.metric_params)

    def _check_training(self, X: Any) -> Any:
        if self._is_pairwise():
            listed = self._takes_listed and is_sparse(X)
            return check_listed("X", X) if listed else check_distances("X", X)
        if is_sparse(X) and not self._takes_sparse:
            raise ArgumentTypeError(
                f"X is a sparse matrix, which {type(self).__name__} does not take; pass X.toarray()."
            )
        return check_points("X", X)

    def _check_new(self, X: Any) -> Any:
        n = self.n_features_in_
        if self._is_pairwise():
            return check_listed("X", X, n) if self._sparse else check_distances("X", X, n)
        return check_points("X", X, n, as_sparse=self._sparse)

    def _check_features(self, X: Any, *, reset: bool) -> None:
        """Remember the number and names of columns, or compare them: scikit-learn's own rule, as our error."""
        try:
            validate_data(self, X, reset=reset, skip_check_array=True)
        except ValueError as error:
            what = "one column for each training point" if self._is_pairwise() else "the columns it had in fit"
            raise ArgumentError(f"{error} Pass X with {what}.") from None

    def _solve(
        self,
        construction: Construction,
        solver: str | None = None,
        transformed: Operator | None = None,
    ) -> SpectralEmbedding:
        affinity = Affinity(construction.operator, construction.rows, construction.trivial)
        with nullcontext() if transformed is None else blas_alone():
            return embed(
                affinity,
                getattr(self, self._size),
                argument=self._size,
                which="LA",
                power=self._power(),
                positive=True,
                transformed=transformed,
                solver=self.solver if solver is None else solver,
                tol=self.tol,
                random_state=self.random_state,
            )

    def _check_size(self, n: int) -> None:
        """Refuse a number of eigenvectors that n points cannot have."""
        check_integer(self._size, getattr(self, self._size), low=1, high=n - 1, why=f"but only {n} points")

    def _place(self, construction: Construction, found: SpectralEmbedding) -> Array:
        """Return the positions of the training points."""
        return found.coordinates

    def _report(self) -> None:
        """Set what this method tells beyond the coordinates."""

    def fit(self, X: Any, y: object = None) -> Self:
        """Embed the points X.

        Parameters
        ----------
        X : array-like or sparse array of shape (n, p), or (n, n)
            Points, one in each row; distances or kernel values of all pairs where the method was told
            ``"precomputed"``. Whatever the type of its numbers, results are computed in float64 and are float64.
        y : object
            Ignored; scikit-learn passes it.

        Returns
        -------
        self

        Raises
        ------
        ArgumentError, ArgumentTypeError
            If X is not a finite array of the right shape, or a parameter does not suit it; if n_components is
            larger than the number of positive eigenvalues.
        ConvergenceError
            If the eigensolver did not reach `tol`.
        """
        points = self._check_training(X)
        n = points.shape[0]
        if n < 2:
            raise ArgumentError(f"X has {n} point (n_samples = {n}); an embedding needs at least 2.")
        self._check_size(n)
        construction = self._construct(points)
        found = self._solve(construction)
        self.embedding_ = self._place(construction, found)
        self.eigenvalues_, self.residuals_ = found.values, found.residuals
        self._check_features(X, reset=True)
        self.n_features_in_, self._sparse = points.shape[1], is_sparse(points)
        self._construction, self._extension = construction, found.extension
        self._report()
        return self

    def fit_transform(self, X: Any, y: object = None) -> Array:
        """Embed the points X and return `embedding_`; see `fit`."""
        self.fit(X, y)
        kept = getattr(self, "kept_", None)
        index = getattr(X, "index", None)
        if kept is not None and wants_pandas(self) and hasattr(index, "take"):
            return labelled(self, self.embedding_, index.take(kept))  # type: ignore[no-any-return, union-attr]
        return self.embedding_

    def transform(self, X: Any) -> Array:
        """Embed new points by Nystrom's formula, without another decomposition.

        Parameters
        ----------
        X : array-like or sparse array of shape (m, p), or (m, n)
            New points; their distances to, or kernel values with, the n training points where the method was
            told ``"precomputed"``.

        Returns
        -------
        ndarray of shape (m, n_components)

        Raises
        ------
        ArgumentError, ArgumentTypeError
            If X is not a finite array with as many columns as in `fit`.
        """
        check_fitted(self, "embedding_")
        if len(getattr(X, "shape", ())) == 2:
            self._check_features(X, reset=False)
        new = self._check_new(X)
        result = np.empty((new.shape[0], self.embedding_.shape[1]))
        for part in self._batches(new.shape[0]):
            result[part] = self._extend(new[part])
        return result

    def _batches(self, count: int) -> Iterator[slice]:
        """Yield the parts in which new points are taken, so that memory stays bounded."""
        step = max(1, _ENTRIES // len(self._extension.basis)) if self._construction.dense else 1 << 16
        for low in range(0, count, step):
            yield slice(low, low + step)

    def _extend(self, new: Array) -> Array:
        return self._extension(self._construction.rows(new))

    @property
    def graph_(self) -> Any:
        """The graph that was made of the points; `lpgraph.as_adjacency` takes it anywhere."""
        check_fitted(self, "_construction")
        return self._construction.graph

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the output columns, such as "isomap0", "isomap1"."""
        check_fitted(self, "embedding_")
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}{i}" for i in range(self.embedding_.shape[1])], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._is_pairwise()
        tags.input_tags.sparse = self._takes_listed if self._is_pairwise() else self._takes_sparse
        # Distances are not negative; kernel values may be.
        tags.input_tags.positive_only = getattr(self, "metric", None) == "precomputed"
        return tags
