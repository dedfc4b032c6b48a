"""Vertex clustering by a Gaussian mixture of positions, with size and covariance model chosen by BIC."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone

from lpgraph._checks import check_fitted
from lpgraph._state import replace_state
from lpgraph.embed.adjacency import AdjacencySpectralEmbedding
from lpgraph.embed.vertex_results import EmbeddedVertices, coordinates, network_tags, vertex_state
from lpgraph.graph.construct import as_adjacency
from lpgraph.infer.mixture import PositionMixture, choose_mixture, cluster_numbers, covariance_models
from lpgraph.storage.unread import Stored

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["VertexClustering"]


class VertexClustering(EmbeddedVertices, ClusterMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Embed a network, and cluster its vertices and new vertices by a Gaussian mixture.

    Under a stochastic block model the positions of the vertices of a block are nearly Gaussian around the position
    of the block, so that a mixture with a covariance for each cluster is a suitable model. The number of clusters
    and the covariance model have the smallest BIC, as in Mclust, which Tang, Park & Priebe (2013, Section 4) use.

    Parameters
    ----------
    embedding : estimator, optional
        An embedding; None means `AdjacencySpectralEmbedding` with its dimension at the elbow.
    n_clusters : int, iterable of int, or None
        The number, or the numbers to choose from; None means 1 to 20, and at most a fifth of the vertices.
    covariance : {"full", "tied", "diag", "spherical"}, optional
        Covariance model of the mixture; None means the best of the four.
    n_init : int, default 3
        Number of starts of each fit, from k-means; the fit of largest likelihood is used.
    random_state : int, default 0
        Seed of the starts: the same graph always gives the same clusters.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Clusters of the vertices, 0, 1, ... by decreasing size.
    n_clusters_, covariance_ : int, str
        The chosen number and covariance model.
    bic_ : dict
        BIC of each (number of clusters, covariance model) that was fitted; smaller is better.
    fitted_embedding_ : estimator
        The fitted embedding.
    embedding_ : ndarray of shape (n, d)
        Positions of the known vertices.
    mixture_ : PositionMixture
        The mixture of the positions; see `lpgraph.infer.mixture.choose_mixture`.
    vertex_names_ : sequence of length n
        Names in the order of `labels_`.
    graph_ : Adjacency
        The graph, for `to_networkx` and `to_igraph`.

    References
    ----------
    Fraley, C. & Raftery, A. E. (1999), "MCLUST: Software for model-based cluster analysis", Journal of
    Classification 16. Athreya, A. et al. (2016), "A limit theorem for scaled eigenvectors of random dot product
    graphs", Sankhya A 78 (why the mixture is Gaussian).

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([60, 40], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    >>> model = lp.VertexClustering(lp.AdjacencySpectralEmbedding(2), n_clusters=range(1, 5)).fit(graph)
    >>> model.n_clusters_
    2
    >>> model.predict(graph.new_vertices(5, random_state=1)).shape
    (5,)
    """

    labels_, vertex_names_, graph_ = Stored(), Stored(), Stored()
    mixture_: PositionMixture

    def __init__(
        self,
        embedding: Any = None,
        n_clusters: int | Iterable[int] | None = None,
        *,
        covariance: str | None = None,
        n_init: int = 3,
        random_state: int = 0,
    ) -> None:
        self.embedding = embedding
        self.n_clusters = n_clusters
        self.covariance = covariance
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, graph: Any, y: object = None) -> Self:
        """Embed `graph` and cluster its vertices.

        Parameters
        ----------
        graph : graph
            Any input of `lpgraph.as_adjacency`.
        y : object
            Ignored; scikit-learn passes it.

        Returns
        -------
        self

        Raises
        ------
        ArgumentError
            If n_clusters is not between 1 and the number of vertices.
        ConvergenceError
            If no mixture converged.
        """
        adjacency = as_adjacency(graph)
        # Parameters are checked before the embedding is computed.
        cluster_numbers(self.n_clusters, adjacency.n_vertices)
        covariance_models(self.covariance)
        embedding = AdjacencySpectralEmbedding() if self.embedding is None else clone(self.embedding)
        positions = np.asarray(embedding.fit_transform(adjacency))
        mixture = choose_mixture(
            positions,
            self.n_clusters,
            covariance=self.covariance,
            n_init=self.n_init,
            random_state=self.random_state,
        )
        state = {
            "fitted_embedding_": embedding,
            "mixture_": mixture,
            "n_clusters_": mixture.n_clusters,
            "covariance_": mixture.covariance,
            "bic_": mixture.bic,
            "labels_": mixture.predict(positions),
        }
        replace_state(self, state | vertex_state(adjacency))
        return self

    def predict(self, new: Any) -> NDArray[np.intp]:
        """Return the clusters of new vertices, in any form that ``embedding.transform`` takes."""
        check_fitted(self, "mixture_")
        return self.mixture_.predict(self._positions(new))

    def predict_proba(self, new: Any) -> NDArray[np.float64]:
        """Return the ``(m, n_clusters_)`` probabilities of new vertices to belong to each cluster."""
        check_fitted(self, "mixture_")
        return self.mixture_.predict_proba(self._positions(new))

    def _vertex_values(self) -> dict[str, list[object]]:
        probabilities = self.mixture_.predict_proba(self.embedding_)
        return {
            **coordinates(self.fitted_embedding_),
            "label": self.labels_.tolist(),
            "probability": probabilities[np.arange(len(self.labels_)), self.labels_].tolist(),
        }

    def __sklearn_tags__(self) -> Any:
        return network_tags(super().__sklearn_tags__(), self.embedding)
