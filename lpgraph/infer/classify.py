"""Classify vertices: Algorithm 1, steps 4 and 5, of Tang, Park & Priebe (2013)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.utils.multiclass import check_classification_targets

from lpgraph._checks import check_fitted
from lpgraph._state import replace_state
from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
from lpgraph.embed.vertex_results import EmbeddedVertices, coordinates, network_tags, vertex_state
from lpgraph.errors import ArgumentError
from lpgraph.graph.construct import as_adjacency
from lpgraph.infer._labels import known_labels
from lpgraph.storage.unread import Stored

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["VertexClassifier"]


class VertexClassifier(EmbeddedVertices, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Embed a network, train a classifier on its labelled vertices, and classify other and new vertices.

    Parameters
    ----------
    embedding : estimator, optional
        An embedding with ``fit_transform(graph)`` and ``transform(new)``; None means
        `AdjacencySpectralEmbedding` with its dimension at the elbow.
    classifier : estimator, optional
        Any scikit-learn classifier. None means `LinearDiscriminantAnalysis`: like the classifier of the paper it
        is linear (for two classes it is least squares on the labels); it has no penalty that depends on the scale
        of the embedding, and it has probabilities.

    Attributes
    ----------
    fitted_embedding_ : estimator
        The fitted embedding.
    embedding_ : ndarray of shape (n, d)
        Positions of the known vertices.
    classifier_ : estimator
        The fitted classifier.
    classes_ : ndarray
        The distinct known labels, sorted.
    transduction_ : ndarray of shape (n,)
        Labels of all vertices: known labels as passed, the others predicted.
    vertex_names_ : sequence of length n
        Names in the order of `transduction_`.
    graph_ : Adjacency
        The graph, for `to_networkx` and `to_igraph`.

    Notes
    -----
    The input is pairwise, as for a precomputed kernel, so that scikit-learn's cross-validation removes rows
    and columns together: each held-out vertex is embedded as a new vertex, by its edges to the training vertices.

    References
    ----------
    Tang, M., Park, Y. & Priebe, C. E. (2013), "Out-of-sample extension for latent position graphs",
    arXiv:1305.4893, Algorithm 1 and Theorem 7.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([50, 50], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    >>> y = graph.labels.copy()
    >>> y[::2] = -1
    >>> model = lp.VertexClassifier(lp.AdjacencySpectralEmbedding(2)).fit(graph, y)
    >>> bool((model.transduction_ == graph.labels).mean() > 0.95)
    True
    >>> new = graph.new_vertices(20, random_state=1)
    >>> model.predict(new).shape
    (20,)
    """

    transduction_, vertex_names_, graph_ = Stored(), Stored(), Stored()

    def __init__(self, embedding: Any = None, classifier: Any = None) -> None:
        self.embedding = embedding
        self.classifier = classifier

    def fit(self, graph: Any, y: Any) -> Self:
        """Embed `graph` and train on its labelled vertices.

        Parameters
        ----------
        graph : graph
            Any input of `lpgraph.as_adjacency`.
        y : array-like of shape (n,), or mapping
            Labels in the order of the vertices, with -1, None or NaN for unknown labels; or a mapping from vertex
            names to labels, in which vertices with unknown labels are absent.

        Returns
        -------
        self

        Raises
        ------
        ArgumentError
            If y has the wrong length, fewer than two classes, or no more labels than classes.
        UnknownVertexError
            If a mapping names a vertex that is not in the graph.
        """
        adjacency = as_adjacency(graph)
        labels, known = known_labels(y, adjacency.names)
        try:
            check_classification_targets(labels[known])
        except ValueError as error:
            raise ArgumentError(f"y has labels that are not classes: {error}") from None
        classes = np.unique(labels[known])
        if len(classes) < 2:
            raise ArgumentError(
                f"y has one class, {classes.tolist()[0]!r}; a classifier needs labels of at least two."
            )
        if self.classifier is None and known.sum() <= len(classes):
            raise ArgumentError(
                f"y has {known.sum()} known labels of {len(classes)} classes, but the default classifier needs "
                "more labels than classes; label more vertices, or pass a classifier."
            )
        embedding = AdjacencySpectralEmbedding() if self.embedding is None else clone(self.embedding)
        positions = np.asarray(embedding.fit_transform(adjacency))
        classifier = LinearDiscriminantAnalysis() if self.classifier is None else clone(self.classifier)
        classifier.fit(positions[known], labels[known])
        transduction = labels.copy()
        if not known.all():
            transduction[~known] = classifier.predict(positions[~known])
        state = {
            "fitted_embedding_": embedding,
            "classifier_": classifier,
            "classes_": classes,
            "transduction_": transduction,
        }
        replace_state(self, state | vertex_state(adjacency))
        return self

    def predict(self, new: Any) -> NDArray[Any]:
        """Return the predicted labels of new vertices, in any form that ``embedding.transform`` takes."""
        check_fitted(self, "classifier_")
        return np.asarray(self.classifier_.predict(self._positions(new)))

    def predict_proba(self, new: Any) -> NDArray[np.float64]:
        """Return the (m, n_classes) class probabilities of new vertices, columns in the order of `classes_`."""
        check_fitted(self, "classifier_")
        if not hasattr(self.classifier_, "predict_proba"):
            raise ArgumentError(
                f"classifier={self.classifier_!r} gives no probabilities; pass one with predict_proba, or None."
            )
        return np.asarray(self.classifier_.predict_proba(self._positions(new)))

    def score(self, new: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of new vertices that are classified as in `y`; unknown labels are ignored."""
        predicted = self.predict(new)
        labels, known = known_labels(y, range(len(predicted)))
        weight = np.ones(len(predicted)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        return float(np.average(predicted[known] == labels[known], weights=weight[known]))

    def _vertex_values(self) -> dict[str, list[object]]:
        values: dict[str, list[object]] = coordinates(self.fitted_embedding_)
        values["label"] = self.transduction_.tolist()
        if hasattr(self.classifier_, "predict_proba"):
            probabilities = self.classifier_.predict_proba(self.embedding_)
            column = np.searchsorted(self.classes_, self.transduction_)
            values["probability"] = probabilities[np.arange(len(column)), column].tolist()
        return values

    def __sklearn_tags__(self) -> Any:
        return network_tags(super().__sklearn_tags__(), self.embedding)
