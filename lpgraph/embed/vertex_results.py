"""What was found about the vertices, handed back on the graph they came from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils import get_tags

from lpgraph._checks import check_fitted

if TYPE_CHECKING:
    import networkx as nx
    from numpy.typing import NDArray

    from lpgraph.embed.base import NetworkEmbedding
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.spectral.construction import Array

__all__ = ["EmbeddedVertices", "VertexResults", "coordinates", "network_tags", "vertex_state"]


def network_tags(tags: Any, embedding: Any = None) -> Any:
    """Return scikit-learn's tags of an estimator of networks, which embeds them by `embedding` if not itself."""
    tags.input_tags.sparse = tags.input_tags.pairwise = True
    if embedding is not None:
        tags.input_tags.positive_only = get_tags(embedding).input_tags.positive_only
    return tags


def coordinates(embedding: Any) -> dict[str, list[object]]:
    """Return each coordinate of the embedded vertices under its name, those of a directed graph's targets too."""
    if not hasattr(embedding, "get_feature_names_out") or not hasattr(embedding, "embedding_"):
        return {}
    names = [str(name) for name in embedding.get_feature_names_out()]
    found = dict(zip(names, embedding.embedding_.T.tolist(), strict=True))
    inward = getattr(embedding, "embedding_in_", None)
    if inward is not None:
        prefix = names[0].rstrip("0123456789")
        found |= {f"{prefix}_in{k}": column for k, column in enumerate(inward.T.tolist())}
    return found


def vertex_state(graph: Adjacency) -> dict[str, object]:
    """Return the fitted attributes of an estimator of vertices that describe its graph."""
    return {"graph_": graph, "vertex_names_": graph.names, "n_features_in_": graph.n_vertices}


class VertexResults:
    """Mixin of estimators of vertices: the fitted graph with what was found as attributes of its vertices.

    A subclass keeps the graph as `graph_` and names what it found in `_vertex_values`.
    """

    graph_: Any

    def _vertex_values(self) -> dict[str, list[object]]:
        """Return the attributes: for each name one value a vertex."""
        raise TypeError(f"{type(self).__name__} does not say what it found about vertices.")

    def _attributed(self) -> Adjacency:
        check_fitted(self, "graph_")
        graph: Adjacency = self.graph_
        return replace(graph, vertex_attributes={**graph.vertex_attributes, **self._vertex_values()})

    def to_networkx(self) -> nx.Graph[Any]:
        """Return the fitted graph as a networkx graph, with what was found as node attributes.

        Returns
        -------
        networkx.Graph or networkx.DiGraph
            A new graph. Nodes have the attributes they had, and one for each coordinate (``ase0``, ``ase1``, ...;
            of a directed graph ``ase_in0``, ... too); from `VertexClassifier` and `VertexClustering` also
            ``label`` and ``probability``, how sure that label is. An attribute of the same name is replaced.
            Numbers are plain floats and ints, so that every format of networkx can hold them.

        Raises
        ------
        NotFittedError
            If nothing was fitted yet.

        Examples
        --------
        >>> import networkx as nx
        >>> import lpgraph as lp
        >>> result = lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph()).to_networkx()
        >>> sorted(result.nodes[0])
        ['ase0', 'ase1', 'club']
        """
        return self._attributed().to_networkx()

    def to_igraph(self) -> Any:
        """Return the fitted graph as an igraph graph, with what was found as vertex attributes.

        Returns
        -------
        igraph.Graph
            A new graph, with the attributes that `to_networkx` tells of.

        Raises
        ------
        NotFittedError
            If nothing was fitted yet.

        Examples
        --------
        >>> import igraph
        >>> import lpgraph as lp
        >>> club = igraph.Graph.Famous("Zachary")
        >>> model = lp.VertexClustering(lp.AdjacencySpectralEmbedding(2), n_clusters=2).fit(club)
        >>> model.to_igraph().vs.attributes()
        ['ase0', 'ase1', 'label', 'probability']
        """
        return self._attributed().to_igraph()


class EmbeddedVertices(VertexResults, TransformerMixin):  # type: ignore[misc]  # sklearn is untyped
    """Mixin of estimators that embed a network first, by the fitted `fitted_embedding_`."""

    fitted_embedding_: NetworkEmbedding

    @property
    def embedding_(self) -> Array:
        """Positions of the known vertices, of shape (n, d)."""
        if "fitted_embedding_" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'embedding_' before fit.")
        embedding = self.fitted_embedding_
        # Any embedding with fit_transform and transform will do, such as a pipeline.
        known = embedding.embedding_ if hasattr(embedding, "embedding_") else embedding.transform(self.graph_)
        return np.asarray(known)

    def transform(self, new: object) -> Array:
        """Return the (m, d) positions of new vertices, in any form that the embedding's `transform` takes."""
        check_fitted(self, "fitted_embedding_")
        return self._positions(new)

    def _positions(self, new: object) -> Array:
        """Return the positions as an array, whatever container set_output chose."""
        return np.asarray(self.fitted_embedding_.transform(new))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the columns of `transform`, those of the embedding."""
        check_fitted(self, "fitted_embedding_")
        return np.asarray(self.fitted_embedding_.get_feature_names_out(), dtype=object)
