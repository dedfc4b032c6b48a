"""Base of all spectral estimators: read the input, solve its construction, assign the result."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Generic, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from lpgraph._utils.estimators import ShownEstimator, check_fitted, few, replace_state

from .auto import solver_named
from .embedding import Settings, embed
from .extension import Placement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph._utils.types import Array, Seed

    from .construction import Construction
    from .embedding import Dimension, OfEachSign, SpectralEmbedding

T = TypeVar("T")


def placement_of(construction: Construction, found: SpectralEmbedding, prefix: str) -> Placement:
    """Return the part of a fit that places new items; `prefix` is the first part of the names of coordinates."""
    new_rows, out = construction.new_rows, found.extension
    extensions = {"out": replace(out, basis=new_rows.lifted(out.basis))}
    if found.extension_in is not None:
        extensions["in"] = found.extension_in
    return Placement(new_rows.fitted(out.basis), extensions, prefix)


class SpectralEstimator(ShownEstimator, TransformerMixin, BaseEstimator, Generic[T]):
    """Base of the embeddings of networks (T is a network) and of points (T is an array of points).

    A method defines its parameters and `_construct`; it may add results in `_results`. How training and new items
    are read is defined by the two subclasses, `NetworkEmbedding` and `PointsEmbedding`.
    """

    solver: str
    tol: float
    random_state: Seed
    #: Name of the parameter with the number of eigenvectors.
    _size: ClassVar[str] = "n_components"
    #: First part of the names of the output columns; the name of the class if empty.
    _prefix: ClassVar[str] = ""
    _placement: Placement

    embedding_: Array
    eigenvalues_: Array
    residuals_: Array

    @abstractmethod
    def _read(self, X: object) -> T:
        """Return the training items, checked."""

    @abstractmethod
    def _construct(self, items: T) -> Construction:
        """Return the construction of the training items; this is the method."""

    def _embedded(
        self, items: T, construction: Construction, n_components: Dimension | OfEachSign
    ) -> SpectralEmbedding:
        """Return the embedding of the training items."""
        return embed(construction, n_components, self._settings())

    def _settings(self) -> Settings:
        """Return how the eigenpairs are to be found."""
        return Settings(self._size, solver_named(self.solver), self.tol, self.random_state)

    def _input_state(self, X: object, items: T) -> dict[str, object]:
        """Return the attributes that describe the input."""
        return {}

    def _results(
        self, construction: Construction, found: SpectralEmbedding, positions: Array
    ) -> dict[str, object]:
        """Return the attributes of this method that depend on the eigenvectors."""
        return {}

    def fit(self, X: object, y: object = None) -> Self:
        """Embed X."""
        items = self._read(X)
        described = self._input_state(X, items)
        construction = self._construct(items)
        found = self._embedded(items, construction, getattr(self, self._size))
        positions = construction.training(found)
        state = {
            "embedding_": positions,
            "residuals_": found.residuals,
            "_placement": placement_of(construction, found, self._prefix or type(self).__name__.lower()),
            **described,
            **construction.attributes,
        }
        if found.coordinates_in is None:
            state["eigenvalues_"] = found.values
        replace_state(self, state | self._results(construction, found, positions))
        return self

    def _fitted_facts(self) -> list[tuple[str, str]]:
        # Only small attributes: those of a saved model that are large may not be read yet.
        held = vars(self)
        if "residuals_" not in held:
            return []
        facts = [("dimensions", str(len(self._placement.columns)))]
        if "eigenvalues_" in held:
            facts.append(("eigenvalues", few([f"{value:.4g}" for value in held["eigenvalues_"].tolist()], 6)))
        return [*facts, ("largest residual", f"{np.max(held['residuals_'], initial=0.0):.1e}")]

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the output columns, such as "isomap0" and "isomap1"."""
        check_fitted(self, "embedding_")
        return np.array(self._placement.columns, dtype=object)
