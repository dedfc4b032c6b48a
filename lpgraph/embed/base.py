"""Base of the embeddings of networks: how graphs and new vertices are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np
from scipy import sparse

from lpgraph._checks import check_choice, check_fitted, check_integer, check_scale
from lpgraph._frames import labelled
from lpgraph._warnings import warn
from lpgraph.embed.rows import check_direction, check_nonnegative
from lpgraph.embed.vertex_results import VertexResults, coordinates, network_tags
from lpgraph.errors import ArgumentError, DisconnectedGraphWarning, GraphError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.components import connected_components, isolated_vertices
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.network import Network
from lpgraph.graph.new_vertices import NewEdges, as_new_edges
from lpgraph.spectral.estimator import SpectralEstimator
from lpgraph.spectral.scree import is_rule
from lpgraph.storage.unread import Stored

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sklearn.utils import Tags

    from lpgraph.spectral.choice import DimensionChoice
    from lpgraph.spectral.construction import Array, Construction
    from lpgraph.spectral.embedding import Dimension, SpectralEmbedding

__all__ = ["NetworkEmbedding"]


class NetworkEmbedding(VertexResults, SpectralEstimator[Network]):
    """Base of the embeddings of networks; see `AdjacencySpectralEmbedding` for the fitted attributes.

    A method defines `_construct`, which returns the `Construction` of a network: an operator on its vertices, and
    the rows of new vertices.
    """

    n_features_in_: int
    dimension_choice_: DimensionChoice | None
    directed_: bool
    weighted_: bool
    #: Whether negative weights and directed graphs are refused.
    _nonnegative: ClassVar[bool] = False
    _undirected: ClassVar[bool] = False
    vertex_index_: Mapping[object, int]

    embedding_in_, vertex_names_, graph_ = Stored(), Stored(), Stored()

    def __init__(
        self,
        n_components: Dimension = None,
        *,
        which: str = "LM",
        solver: str = "auto",
        tol: float = 1e-6,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_components = n_components
        self.which = which
        self.solver = solver
        self.tol = tol
        self.random_state = random_state

    @property
    def _end(self) -> Literal["magnitude", "largest"]:
        """The end of the spectrum that `which` asks for."""
        return "magnitude" if check_choice("which", self.which, ("LM", "LA")) == "LM" else "largest"

    @property
    def _remedy(self) -> str:
        """What to do about a disconnected graph."""
        return "pass lpgraph.largest_component(graph) to embed only its largest component"

    def _read(self, X: object) -> Network:
        adjacency = as_adjacency(X)
        n = adjacency.n_vertices
        if n < 2:
            raise GraphError(f"The graph has {n} vertex (n_samples = {n}); an embedding needs at least 2.")
        if adjacency.matrix.nnz == 0:
            raise GraphError(f"The graph has {n} vertices and no edge; there is nothing to embed.")
        if not is_rule(self.n_components):
            check_integer("n_components", self.n_components, low=1, high=n, why=f"but only {n} vertices")
        check_scale("The graph has weights", adjacency.lowest_weight, adjacency.highest_weight)
        if self._nonnegative:
            check_nonnegative(adjacency.lowest_weight, "the graph")
        if self._undirected and adjacency.directed:
            raise GraphError(
                f"The graph is directed, and {type(self).__name__} is for undirected graphs; pass "
                "as_adjacency(graph, directed=False), or use AdjacencySpectralEmbedding."
            )
        _warn_if_disconnected(adjacency, self._remedy)
        return adjacency

    def _input_state(self, X: object, items: Network) -> dict[str, object]:
        return {
            "graph_": items,
            "directed_": items.directed,
            "weighted_": items.weighted,
            "vertex_names_": items.names,
            "n_features_in_": items.n_vertices,
            "vertex_index_": items.index,
        }

    def _results(
        self, construction: Construction, found: SpectralEmbedding, positions: Array
    ) -> dict[str, object]:
        state: dict[str, object] = {
            "singular_values_": np.abs(found.values),
            "scree_": found.scree,
            "dimension_choice_": found.choice,
        }
        if found.coordinates_in is not None:
            return {**state, "embedding_in_": found.coordinates_in}
        return {**state, "signature_": np.where(found.values < 0, -1, 1)}

    def fit(self, graph: object, y: object = None) -> Self:
        """Embed the vertices of a graph.

        Parameters
        ----------
        graph : graph
            Any input of `lpgraph.as_adjacency`: a networkx or igraph graph, a scipy sparse matrix, an ndarray, a
            data frame with an edge list, or a sampled graph.
        y : object
            Ignored; scikit-learn passes it.

        Returns
        -------
        self

        Raises
        ------
        GraphError
            If the graph has fewer than two vertices, no edge, or entries that cannot be used.
        ArgumentError
            If n_components is larger than the number of vertices or the rank of the matrix.
        ConvergenceError
            If the eigensolver did not reach `tol`.

        Warns
        -----
        DisconnectedGraphWarning
            If the graph has several components or isolated vertices.
        """
        return super().fit(graph, y)

    def fit_transform(self, graph: object, y: object = None) -> Array:
        """Embed the vertices of a graph and return `embedding_`; see `fit`.

        After ``set_output(transform="pandas")`` the result is a data frame with the vertex names as index.
        """
        self.fit(graph, y)
        return labelled(self, self.embedding_, self.vertex_names_)

    def transform(self, new: object, *, direction: str = "out") -> Array:
        """Embed new vertices by their edges to the known vertices, without another decomposition.

        Parameters
        ----------
        new : array, sparse matrix, mapping, edge list or graph
            - (m, n) rows, sparse or dense: weights of the edges from m new vertices to the n known vertices;
            - ``{new name: neighbors}``, neighbors as a collection of names or as ``{name: weight}``;
            - an edge list between new and known names: a data frame, or a list of (u, v) or (u, v, weight);
            - a graph: its vertices that are not known, or all of its vertices if all are known;
            - the `NewVertices` of a sampled graph.
        direction : {"out", "in"}, default "out"
            For directed graphs: which embedding to extend. Rows of an array are the arcs from the new vertices for
            "out", and the arcs to them for "in".

        Returns
        -------
        ndarray of shape (m, d)
            One row for each new vertex. A vertex without an edge to a known vertex is placed at the origin. After
            ``set_output(transform="pandas")`` a data frame with the names of the new vertices as index; see also
            `transform_table`.

        Raises
        ------
        ArgumentError, UnknownVertexError
            If rows have the wrong length, or a name is unknown.
        """
        check_fitted(self, "embedding_")
        placement = self._placement
        if sparse.issparse(new) and placement.new_rows.plain:
            check_direction(direction, self.directed_)
            positions = placement.extensions[direction].of_unchecked(new)
            if positions is not None:
                return labelled(self, positions, range(len(positions)))
        vertices = self.read_new(new, direction=direction)
        return labelled(self, placement(vertices.towards(direction), direction), vertices.names)

    def read_new(self, new: object, *, direction: str = "out") -> NewEdges:
        """Return the names and edges of new vertices, as `transform` reads them.

        Parameters
        ----------
        new, direction
            As for `transform`.

        Returns
        -------
        NewEdges
            Names and sparse rows. `transform` also takes this object, so that new vertices need to be read only
            once.

        Examples
        --------
        >>> import networkx as nx
        >>> import lpgraph as lp
        >>> ase = lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph())
        >>> ase.read_new({"new": [0, 1, 2]}).names
        ('new',)
        """
        check_fitted(self, "embedding_")
        check_direction(direction, self.directed_)
        shape: tuple[int, ...] = getattr(new, "shape", ())
        is_rows = sparse.issparse(new) or type(new) is np.ndarray
        if is_rows and len(shape) == 2 and shape[1] != self.n_features_in_:
            raise ArgumentError(
                f"X has {shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                f"features as input, the known vertices: pass new as (m, {self.n_features_in_}) rows, or by names."
            )
        return as_new_edges(new, self.vertex_index_, directed=self.directed_)

    def _placed(self, vertices: NewEdges) -> list[Array]:
        sides = [np.asarray(self.transform(vertices))]
        if vertices.rows_in is not None:
            sides.append(np.asarray(self.transform(vertices, direction="in")))
        return sides

    def _vertex_values(self) -> dict[str, list[object]]:
        return coordinates(self)

    def __sklearn_tags__(self) -> Tags:
        tags = network_tags(super().__sklearn_tags__())
        tags.input_tags.positive_only = self._nonnegative
        return tags


def _warn_if_disconnected(adjacency: Adjacency, remedy: str) -> None:
    count, _ = connected_components(adjacency)
    if count == 1:
        return
    isolated = isolated_vertices(adjacency)
    proper = count - len(isolated)
    words = []
    if proper > 1:
        words.append(f"{proper} components with edges, each with its own coordinates")
    if len(isolated):
        name = adjacency.names[int(isolated[0])]
        words.append(f"{len(isolated)} isolated vertices (the first is {name!r}), which will be at the origin")
    warn(f"The graph has {' and '.join(words)}; {remedy}.", DisconnectedGraphWarning)
