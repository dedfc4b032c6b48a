"""Results of vertices: graphs with attributes, data frames, predictions, and new vertices of any embedding."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.utils import get_tags

from lpgraph._utils.checks import check_flag
from lpgraph._utils.estimators import ShownEstimator, check_fitted, labelled
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError, LpgraphWarning
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.names import index_of, names_at
from lpgraph.graph.new_vertices import as_new_edges
from lpgraph.linalg.matvec import dense

from .align import UpdatedByEdges

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    import igraph
    import networkx as nx
    import pandas
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator
    from sklearn.utils import Tags

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.estimators import Column
    from lpgraph._utils.types import Array, Integers
    from lpgraph.graph.names import Names
    from lpgraph.graph.new_vertices import NewEdges

    from .base import NetworkEmbedding

#: Last sentence of a warning about new vertices without an edge to a known vertex.
TOLD = " The column has_known_neighbor of the table says which."


def network_tags(tags: Tags, embedding: BaseEstimator | None = None) -> Tags:
    """Return scikit-learn's tags of an estimator of networks; `embedding` is the one that it uses, if any."""
    tags.input_tags.sparse = tags.input_tags.pairwise = True
    if embedding is not None:
        tags.input_tags.positive_only = get_tags(embedding).input_tags.positive_only
    return tags


def is_joint(embedding: Foreign) -> bool:
    """Whether an embedding is of several networks, an `lpgraph.joint.base.JointEmbedding`."""
    return hasattr(embedding, "vertex_positions")


def sides_of(embedding: BaseEstimator) -> list[Array]:
    """Return the positions of the known vertices, and of a directed embedding also those as targets."""
    if is_joint(embedding):
        return _joint_sides(embedding, None)
    sides = embedding.embedding_, getattr(embedding, "embedding_in_", None)
    return [np.asarray(side) for side in sides if side is not None]


def _joint_sides(embedding: BaseEstimator, new: NewEdges | None) -> list[Array]:
    sides = ("out", "in")[: 1 + embedding.directed_]
    return [embedding.vertex_positions(new, direction=side) for side in sides]


def coordinates(embedding: BaseEstimator) -> Mapping[str, Column]:
    """Return each coordinate of the vertices by name; for directed graphs also the coordinates as targets."""
    has_positions = is_joint(embedding) or hasattr(embedding, "embedding_")
    if not hasattr(embedding, "get_feature_names_out") or not has_positions:
        return {}
    columns = side_columns(embedding.get_feature_names_out(), sides_of(embedding))
    return {title: column.tolist() for title, column in columns.items()}


def side_columns(names: Iterable[object], sides: Sequence[Array]) -> dict[str, Array]:
    """Return positions as columns by title; those of a second side, as targets of arcs, are "ase_in0", ..."""
    titles = list(map(str, names))[: sides[0].shape[1]]  # with concat=True, those of both sides
    found = dict(zip(titles, sides[0].T, strict=True))
    for inward in sides[1:]:
        prefix = titles[0].rstrip("0123456789")
        found |= {f"{prefix}_in{k}": column for k, column in enumerate(inward.T)}
    return found


def graph_facts(estimator: BaseEstimator) -> list[tuple[str, str]]:
    """Return what a notebook shows of the graph of a fitted estimator of vertices."""
    facts = [("vertices", f"{estimator.n_features_in_:,}")]
    graph = vars(estimator).get("graph_")
    if isinstance(graph, Adjacency):  # of a loaded model it may be absent or not read yet
        facts.append(("arcs" if graph.directed else "edges", f"{graph.n_edges:,}"))
    return [*facts, ("kind", "directed" if estimator.directed_ else "undirected")]


@dataclass(frozen=True, eq=False)
class Prediction:
    """Predicted classes or clusters of m vertices.

    Attributes
    ----------
    title : {"label", "cluster"}
        What is predicted.
    names : ndarray of shape (m,), or range
        Names of the vertices.
    predicted : ndarray of shape (m,)
        The labels or clusters.
    evidence : mapping of str to ndarray of shape (m,)
        Columns that say what the prediction of each vertex rests on, such as ``has_known_neighbor``.
    kinds : ndarray of shape (k,)
        All labels or clusters, sorted.
    shares : ndarray or sparse.csr_array of shape (m, k), or None
        Their probabilities; None if the classifier gives none.
    """

    title: str
    names: Names
    predicted: NDArray[np.generic]
    evidence: Mapping[str, NDArray[np.generic]]
    kinds: NDArray[np.generic]
    shares: Array | sparse.csr_array | None

    @property
    def probability(self) -> Array | None:
        """Probability of the predicted label or cluster, of shape (m,)."""
        if self.shares is None:
            return None
        own = np.arange(len(self.predicted)), np.searchsorted(self.kinds, self.predicted)
        return dense(self.shares[own])

    def take(self, chosen: Integers) -> Self:
        """Return the predictions of some of the vertices."""
        return replace(
            self,
            names=names_at(self.names, chosen),
            predicted=self.predicted[chosen],
            evidence={title: column[chosen] for title, column in self.evidence.items()},
            shares=None if self.shares is None else self.shares[chosen],
        )

    def columns(self, *, all_shares: bool = False) -> dict[str, Column]:
        """Return the columns of a table by title; `all_shares` adds one for each label or cluster."""
        table: dict[str, Column] = {"name": self.names, self.title: self.predicted}
        probability = self.probability
        if probability is not None:
            table["probability"] = probability
        table |= self.evidence
        if all_shares and self.shares is not None:
            titles = [f"p_{kind}" for kind in self.kinds.tolist()]
            table |= dict(zip(titles, dense(self.shares).T, strict=True))
        return table


def read_new_by(
    embedding: BaseEstimator, new: object, names: Names, *, directed: bool, **details: object
) -> NewEdges:
    """Return the names and edges of new vertices.

    Parameters
    ----------
    embedding : estimator
        A fitted embedding, also a pipeline.
    new : array, sparse matrix, mapping, edge list or graph
        The new vertices.
    names : ndarray of shape (n,), or range
        The names of the known vertices, if the embedding has none.
    directed : bool
        Whether the known graph is directed. Then arcs to the new vertices that were not given count as absent, and
        a warning says so.
    **details
        What else is known of the new vertices: parameters of the embedding's `read_new`.
    """
    details = {key: value for key, value in details.items() if value is not None}
    argument, kind = next(iter(details), "unobserved"), type(embedding).__name__
    refused = ArgumentError(f"{argument} of new vertices is not for {kind}, which takes their edges only.")
    if details and is_joint(embedding):
        raise refused
    if hasattr(embedding, "read_new") and getattr(embedding, "directed_", directed) == directed:
        vertices: NewEdges = embedding.read_new(new, **details)
    else:
        vertices = as_new_edges(new, getattr(embedding, "vertex_index_", None) or names, directed=directed)
        if details or not vertices.all_observed:
            raise refused
    if is_joint(embedding) or not directed or vertices.rows_in is not None:
        return vertices
    warn(
        "The new vertices have only the arcs from them; arcs to them count as absent. Pass an edge list or a "
        "graph with both; for cross-validation, as_adjacency(graph) instead of a matrix.",
        LpgraphWarning,
    )
    return replace(vertices, rows_in=sparse.csr_array(vertices.rows.shape))


def new_sides(embedding: BaseEstimator, vertices: NewEdges) -> list[Array]:
    """Return the positions of new vertices, and of a directed embedding also those as targets."""
    if is_joint(embedding):
        return _joint_sides(embedding, vertices)
    if vertices.rows_in is not None and not getattr(embedding, "directed_", True):
        # The embedding of the graph without directions, in which arcs of both directions add up.
        rows = sparse.csr_array(vertices.rows + vertices.rows_in)
        vertices = replace(vertices, rows=rows, rows_in=None)
    # As arrays, independent of `set_output`.
    positions = np.asarray(embedding.transform(vertices))
    if getattr(embedding, "embedding_in_", None) is None:
        return [positions]
    if getattr(embedding, "concat", False):
        return list(np.hsplit(positions, 2))
    return [positions, np.asarray(embedding.transform(vertices, direction="in"))]


class VertexResults:
    """Mixin of estimators of vertices: exports the fitted graph with the results as vertex attributes.

    A subclass keeps the graph as `graph_` and returns positions by `_vertex_coordinates`, and other results by
    `_vertex_values`.
    """

    graph_: Adjacency
    vertex_names_: Names
    n_features_in_: int

    def __dir__(self) -> Iterable[str]:
        # scikit-learn asks for every attribute, which would read all of a file and predict for all vertices.
        return object.__dir__(self)

    if TYPE_CHECKING:  # defined by the other bases of the estimators

        def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]: ...  # noqa: D102

        def read_new(self, new: object) -> NewEdges: ...  # noqa: D102

        def _on_side(self, vertices: NewEdges, direction: str) -> Array:
            """Return the positions of new vertices in one direction."""

    def _placed(self, vertices: NewEdges) -> list[Array]:
        """Return the positions of new vertices, and of a directed graph also those as targets."""
        sides = ("out",) if vertices.rows_in is None else ("out", "in")
        return [self._on_side(vertices, side) for side in sides]

    def _vertex_values(self) -> dict[str, list[object]]:
        """Return the results by name except positions, with one value for each vertex."""
        return {}

    def _vertex_coordinates(self) -> Mapping[str, Column]:
        """Return each coordinate of the vertices by name."""
        return coordinates(self)

    def _attributed(self, with_coordinates: bool | None = True) -> Adjacency:
        check_fitted(self, "graph_")
        graph, results = as_adjacency(self.graph_), self._vertex_values()
        wanted = not results if with_coordinates is None else check_flag("coordinates", with_coordinates)
        positions = self._vertex_coordinates() if wanted else {}
        taken, given = {*results, *positions}, graph.vertex_attributes
        others = {f"graph_{key}" if key in taken else key: values for key, values in given.items()}
        # Many columns of positions would hide those that follow.
        columns: dict[str, Foreign] = {**results, **others, **positions}
        return Adjacency.of_canonical(graph.matrix, graph.names, graph.directed, columns)

    def to_networkx(self) -> nx.Graph[Hashable]:
        """Return the fitted graph as a networkx graph, with the results as node attributes.

        Returns
        -------
        networkx.Graph or networkx.DiGraph
            A new graph. Nodes keep their attributes and get one for each coordinate (``ase0``, ``ase1``, ..., and
            for a directed graph ``ase_in0``, ...). `VertexClassifier` adds ``label`` and `VertexClustering` adds
            ``cluster``; both add its ``probability`` and the further columns of ``predict_table``. A classifier
            also adds ``label_given``, whether the label was passed to ``fit``, and ``predicted_label``; the
            probability is that of ``label``. An attribute of the graph with the same name is kept, for example as
            ``graph_label``. Numbers are Python floats and ints, which every format of networkx can store.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.

        Examples
        --------
        >>> import networkx as nx
        >>> import lpgraph as lp
        >>> result = lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph()).to_networkx()
        >>> sorted(result.nodes[0])
        ['ase0', 'ase1', 'club']
        """
        return self._attributed().to_networkx()

    def to_igraph(self) -> igraph.Graph:
        """Return the fitted graph as an igraph graph, with the results as vertex attributes.

        Returns
        -------
        igraph.Graph
            A new graph with the attributes described at `to_networkx`.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.

        Examples
        --------
        >>> import igraph
        >>> import lpgraph as lp
        >>> club = igraph.Graph.Famous("Zachary")
        >>> model = lp.VertexClustering(lp.AdjacencySpectralEmbedding(2), n_clusters=2).fit(club)
        >>> model.to_igraph().vs.attributes()
        ['cluster', 'probability', 'has_known_neighbor', 'has_position', 'ase0', 'ase1']
        """
        return self._attributed().to_igraph()

    def vertex_table(self, *, coordinates: bool | None = None) -> pandas.DataFrame:
        """Return the vertices of the fitted graph as a data frame, with their names and results.

        Parameters
        ----------
        coordinates : bool, optional
            Whether there are columns of coordinates. None: only for embeddings, which have no other result.

        Returns
        -------
        pandas.DataFrame
            One row for each vertex: ``name``, its label or cluster and what that rests on, the attributes that it
            has in the graph, and its coordinates, as described at `to_networkx`.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.

        Examples
        --------
        >>> import lpgraph as lp
        >>> graph = lp.from_edges(["Ann", "Bob", "Cem"], ["Bob", "Cem", "Ann"])
        >>> table = lp.AdjacencySpectralEmbedding(1).fit(graph).vertex_table()
        >>> table["name"].tolist(), list(table.columns)
        (['Ann', 'Bob', 'Cem'], ['name', 'ase0'])
        """
        graph = self._attributed(coordinates)
        columns = {key: column for key, column in graph.vertex_attributes.items() if key != "name"}
        import pandas

        return pandas.DataFrame({"name": graph.names, **columns})

    def transform_table(self, new: object) -> pandas.DataFrame:
        """Return the positions of new vertices as a data frame with their names.

        ``transform`` returns positions only; after ``set_output(transform="pandas")`` with the names as index. A
        polars data frame has no index, and a column of names would be a feature in a pipeline.

        Parameters
        ----------
        new : array, sparse matrix, mapping, edge list or graph
            As for ``transform``. If new vertices have covariates or unobserved pairs, pass what ``read_new``
            returns with them.

        Returns
        -------
        pandas.DataFrame
            One row for each new vertex: ``name``; its coordinates, and for a directed graph those as a target
            (``ase_in0``, ...) if arcs to the new vertices are known; and ``has_known_neighbor``, which is False
            for a vertex without an edge to a known vertex. Without covariates, such a vertex is at the origin.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ArgumentError, UnknownVertexError
            As by ``transform``.

        Examples
        --------
        >>> import lpgraph as lp
        >>> graph = lp.from_edges(["Ann", "Bob", "Cem"], ["Bob", "Cem", "Ann"])
        >>> ase = lp.AdjacencySpectralEmbedding(1).fit(graph)
        >>> ase.transform_table({"Dea": ["Ann", "Bob"], "Eve": []})[["name", "has_known_neighbor"]]
          name  has_known_neighbor
        0  Dea                True
        1  Eve               False
        """
        vertices = self.read_new(new)
        positions = side_columns(self.get_feature_names_out(), self._placed(vertices))
        evidence = {"has_known_neighbor": vertices.has_known_neighbor}
        import pandas

        return pandas.DataFrame({"name": vertices.names, **positions, **evidence})


class EmbeddedVertices(ShownEstimator, VertexResults, UpdatedByEdges, TransformerMixin):
    """Mixin of estimators that first embed a network; the fitted embedding is `fitted_embedding_`."""

    fitted_embedding_: NetworkEmbedding
    directed_: bool

    @property
    def embedding_(self) -> Array:
        """Positions of the known vertices, of shape (n, d)."""
        return self._known_sides()[0]

    def _fitted_facts(self) -> list[tuple[str, str]]:
        if "fitted_embedding_" not in vars(self):
            return []
        return [*graph_facts(self), ("embedding", type(self.fitted_embedding_).__name__)]

    def _fitted_html(self) -> str:
        pictures: Foreign = import_module("lpgraph.plot.network_map")  # of a package above this one
        return super()._fitted_html() + str(pictures.map_html(self))

    def transform(self, new: object) -> Array:
        """Return the (m, d) positions of new vertices, in any form that the embedding's `transform` takes.

        If the embedding has ``concat=True`` and is directed, they have 2d columns. After
        ``set_output(transform="pandas")`` the result is a data frame with the names of the new vertices as index;
        see also `transform_table`.
        """
        vertices = self.read_new(new)
        sides = self._placed(vertices)
        concat = getattr(self.fitted_embedding_, "concat", False)
        return labelled(self, np.hstack(sides) if concat else sides[0], vertices.names)

    def predict_table(
        self, new: object, *, among_new: bool | None = None, labels: object = None
    ) -> pandas.DataFrame:
        """Return the predictions for new vertices as a data frame with their names.

        Parameters
        ----------
        new : array, sparse matrix, mapping, edge list or graph
            In any form that ``embedding.transform`` takes: vertices whose names are not known are new, edges
            between two known vertices are left out with a warning, and edges listed several times add up.
        among_new : bool, optional
            For a classifier: replaces its parameter in this call; None keeps it.
        labels : mapping or pandas object, optional
            For a classifier: labels of new vertices by name; labels of known vertices are ignored.
            They spread over the edges among new vertices. The table then has the columns ``label_given`` and
            ``predicted_label`` of `vertex_table`: ``label`` is the given one where there is one, and
            ``probability`` is computed without the given label. Labels that no known vertex has are left
            out with a warning.

        Returns
        -------
        pandas.DataFrame
            One row for each new vertex, in the order of ``predict``:

            - ``name``: its name; for rows of an array its number;
            - ``label`` of a classifier, or ``cluster`` of a clustering;
            - ``probability``: the predicted probability of that label or cluster; absent if the classifier gives
              no probabilities;
            - ``has_known_neighbor``: whether it has an edge to a known vertex;
            - of a classifier, ``labelled_neighbors``: the number of known neighbors with a label; and
              ``reaches_label``: whether a path of edges joins it to a labelled vertex. If not, nothing is known
              about it: the prediction is the most frequent label, and the probability is its share;
            - of a clustering, ``has_position``: whether it has a known neighbor that is not at the origin. If not,
              the embedding says nothing about it, and the probability is the share of the cluster. Without a known
              neighbor the cluster is the largest.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ArgumentError, UnknownVertexError
            As by ``predict``, and by ``fit`` if `labels` has other names.

        Warns
        -----
        IsolatedVertexWarning
            If a new vertex of a classifier has no path to a labelled vertex, or one of a clustering no edge to a
            known vertex.

        Examples
        --------
        >>> import lpgraph as lp
        >>> graph = lp.stochastic_block_model([30, 30], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
        >>> model = lp.VertexClassifier().fit(graph, ["cat"] * 30 + ["dog"] * 30)
        >>> table = model.predict_table({"Felix": range(8), "Rex": range(40, 48)})
        >>> table[["name", "label", "probability", "labelled_neighbors"]].round(1)
            name label  probability  labelled_neighbors
        0  Felix   cat          1.0                   8
        1    Rex   dog          1.0                   8
        """
        import pandas

        for argument, value in {"among_new": among_new, "labels": labels}.items():
            if value is not None and not hasattr(self, "among_new"):
                raise ArgumentError(f"{argument} is for VertexClassifier; leave it out.")
        model: Foreign = self if among_new is None else copy(self).set_params(among_new=among_new)
        vertices = model.read_new(new)
        if isinstance(labels, Mapping | pandas.Series):  # it may be the table of all labels
            added, known = index_of(vertices.names), index_of(self.vertex_names_)
            labels = {name: label for name, label in labels.items() if name in added or name not in known}
        found = model._predict(vertices) if labels is None else model._predict(vertices, labels)
        return pandas.DataFrame(found.columns())

    def _update(self, edges: object, removed: object, labels: object = None) -> pandas.DataFrame:
        check_fitted(self, "graph_")
        if is_joint(self.fitted_embedding_):
            raise ArgumentError("update changes one network, and these are several; fit to the changed networks.")
        return super()._update(edges, removed, labels)

    def _predict(self, vertices: NewEdges) -> Prediction:
        """Return the predictions for new vertices; `VertexClassifier` takes labels that are given for them."""
        raise NotImplementedError

    def _predict_known(self) -> Prediction:
        """Return the predictions for the known vertices."""
        raise NotImplementedError

    def _vertex_values(self) -> dict[str, list[object]]:
        columns = self._predict_known().columns()
        return {title: np.asarray(column).tolist() for title, column in columns.items() if title != "name"}

    def _vertex_coordinates(self) -> Mapping[str, Column]:
        return coordinates(self.fitted_embedding_)

    def read_new(
        self, new: object, *, covariates: object = None, observed: object = None, unobserved: object = None
    ) -> NewEdges:
        """Return the names and edges of new vertices, and what else is known of them, for any other method.

        The parameters are those of `AdjacencySpectralEmbedding.read_new`. Rows and ``{name: neighbors}`` of a
        directed graph have only the arcs from the new vertices. Arcs to them then count as absent, and a warning
        says so.
        """
        check_fitted(self, "fitted_embedding_")
        details = {"covariates": covariates, "observed": observed, "unobserved": unobserved}
        return read_new_by(self.fitted_embedding_, new, self.vertex_names_, directed=self.directed_, **details)

    def _known_sides(self) -> list[Array]:
        """Return the positions of the known vertices, and of a directed embedding also those as targets."""
        embedding = self.fitted_embedding_
        if is_joint(embedding) or hasattr(embedding, "embedding_"):
            return sides_of(embedding)
        # An estimator with fit_transform and transform is accepted, such as a pipeline.
        return [np.asarray(embedding.transform(self.graph_))]

    def _placed(self, vertices: NewEdges) -> list[Array]:
        """Return the positions of new vertices, and of a directed embedding also those as targets."""
        return new_sides(self.fitted_embedding_, vertices)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the columns of `transform`, which are those of the embedding."""
        check_fitted(self, "fitted_embedding_")
        return np.asarray(self.fitted_embedding_.get_feature_names_out(), dtype=object)
