"""Base of the embeddings of networks: how graphs and new vertices are read."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone

from lpgraph._checks import check_choice, check_fitted, check_flag, check_integer, check_scale
from lpgraph._frames import data_frame, labelled
from lpgraph._html import few
from lpgraph._state import replace_state
from lpgraph.embed.align import Target
from lpgraph.embed.disconnected import warn_if_disconnected
from lpgraph.embed.rows import check_direction
from lpgraph.embed.update import UpdatedByEdges
from lpgraph.embed.vertex_results import VertexResults, coordinates, graph_facts, network_tags
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.graph.construct import as_network
from lpgraph.graph.degrees import check_nonnegative
from lpgraph.graph.network import Network
from lpgraph.graph.new_vertices import NewEdges, as_new_edges
from lpgraph.graph.observed import with_pairs
from lpgraph.spectral.choice import without_choice
from lpgraph.spectral.estimator import SpectralEstimator
from lpgraph.spectral.scree import is_rule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from sklearn.utils import Tags

    from lpgraph._frames import Backend, Column, DataFrame
    from lpgraph.embed.align import AlignTo
    from lpgraph.spectral.aligned import Alignment
    from lpgraph.spectral.choice import DimensionChoice
    from lpgraph.spectral.construction import Array, Construction
    from lpgraph.spectral.embedding import Dimension, SpectralEmbedding
    from lpgraph.spectral.scree import OfEachSign

__all__ = ["NetworkEmbedding"]


class NetworkEmbedding(VertexResults, UpdatedByEdges, SpectralEstimator[Network]):
    """Base of the embeddings of networks; see `AdjacencySpectralEmbedding` for the fitted attributes.

    A method defines `_construct`, which returns the `Construction` of a network: an operator on its vertices, and
    the rows of new vertices.
    """

    dimension_choice_: DimensionChoice | None
    alignment_: Alignment | None
    directed_: bool
    weighted_: bool
    #: Whether negative weights and directed graphs are refused.
    _nonnegative: ClassVar[bool] = False
    _undirected: ClassVar[bool] = False
    #: Whether some pairs of new and known vertices may be unobserved.
    _takes_unobserved: ClassVar[bool] = False
    #: Whether positions as sources and as targets are returned side by side; a parameter of methods with both.
    concat: bool = False
    vertex_index_: Mapping[object, int]

    singular_values_: Array
    signature_: NDArray[np.int64]
    scree_: Array
    embedding_in_: Array
    align_to: AlignTo

    def __init__(
        self,
        n_components: Dimension = None,
        *,
        which: str = "LM",
        solver: str = "auto",
        tol: float = 1e-6,
        random_state: int | np.random.Generator | None = None,
        align_to: AlignTo = None,
    ) -> None:
        self.n_components = n_components
        self.which = which
        self.solver = solver
        self.tol = tol
        self.random_state = random_state
        self.align_to = align_to

    @property
    def _end(self) -> Literal["magnitude", "largest"]:
        """The end of the spectrum that `which` asks for."""
        return "magnitude" if check_choice("which", self.which, ("LM", "LA")) == "LM" else "largest"

    @property
    def _remedy(self) -> str:
        """What to do about a disconnected graph."""
        return "pass lpgraph.largest_component(graph) to embed only its largest component"

    if not TYPE_CHECKING:  # type checkers would take every attribute for defined

        def __getattr__(self, name: str) -> object:
            if name in ("eigenvalues_", "signature_") and vars(self).get("directed_"):
                raise AttributeError(
                    f"{type(self).__name__!r} object has no attribute {name!r}, since the graph is directed; "
                    "singular_values_ has its singular values."
                )
            return object.__getattribute__(self, name)  # raises the error that led here

    def _read(self, X: object) -> Network:
        adjacency: Network = as_network(X)
        n = adjacency.n_vertices
        if n < 2:
            raise GraphError(f"The graph has {n} vertex (n_samples = {n}); an embedding needs at least 2.")
        if adjacency.lowest_weight == adjacency.highest_weight == 0:
            raise GraphError(f"The graph has {n} vertices and no edge; there is nothing to embed.")
        size = without_choice(self.n_components)
        if not is_rule(size):
            check_integer("n_components", size, low=1)
        check_scale("The graph has weights", adjacency.lowest_weight, adjacency.highest_weight)
        if self._nonnegative:
            check_nonnegative(adjacency.lowest_weight, "the graph")
        check_flag("concat", self.concat)
        if self._undirected and adjacency.directed:
            raise GraphError(
                f"The graph is directed, and {type(self).__name__} is for undirected graphs; pass "
                "as_adjacency(graph, directed=False), or use AdjacencySpectralEmbedding."
            )
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
            "alignment_": found.alignment,
        }
        if found.coordinates_in is not None:
            return {**state, "embedding_in_": found.coordinates_in}
        aligned = found.alignment
        return {**state, "signature_": np.where(found.values < 0, -1, 1) if aligned is None else aligned.signature}

    def _embedded(
        self, items: Network, construction: Construction, n_components: Dimension | OfEachSign
    ) -> SpectralEmbedding:
        align_to = getattr(self, "align_to", None)
        if align_to is None:
            return super()._embedded(items, construction, n_components)
        target = Target.of(align_to, items, type(self).__name__)
        dimension = target.dimension(n_components, construction)
        return target.align(construction, super()._embedded(items, construction, dimension))

    def moved(self, n: int | None = 10, *, backend: Backend | None = None) -> DataFrame:
        """Return a table of the vertices that moved most since the fit of `align_to`.

        Parameters
        ----------
        n : int or None, default 10
            Number of vertices; None means all that both fits have.
        backend : {"pandas", "polars"} or None
            As for `vertex_table`.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            The columns ``name``, ``distance`` from the earlier position, and ``ratio``, with the largest ratio
            first; see `lpgraph.spectral.aligned.Alignment`. Directions that only one of the fits has are left out;
            `fit` warns of them. If `align_to` is a model or its file, which has the earlier network, also
            ``degree_change`` and ``changed_neighbors``, the number of neighbors that only one of the networks has:
            the reason why a vertex moved, unless its neighbors moved.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ArgumentError
            If it was fitted without `align_to`.
        MissingDependencyError
            If the library is not installed.

        Examples
        --------
        >>> import networkx as nx
        >>> import lpgraph as lp
        >>> karate = nx.karate_club_graph()
        >>> earlier = lp.AdjacencySpectralEmbedding(2).fit(karate)
        >>> karate.remove_edges_from([(33, v) for v in (8, 9, 13, 14, 15)])
        >>> model = lp.AdjacencySpectralEmbedding(align_to=earlier).fit(karate)
        >>> model.moved(3)["name"].tolist()
        [15, 9, 8]
        """
        check_fitted(self, "embedding_")
        alignment = self.alignment_
        if alignment is None:
            raise ArgumentError("The model was fitted without align_to; pass an earlier model, and fit again.")
        return data_frame(self, alignment.moved(self.vertex_names_, n), backend)

    def __sklearn_clone__(self) -> Self:
        """Return an unfitted copy; `align_to` is shared, since a copy of a fitted model would not be fitted."""
        result = copy(self)
        replace_state(result, {})
        for name, value in self.get_params(deep=False).items():
            setattr(result, name, value if name == "align_to" else clone(value, safe=False))
        return result

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
            If dimensions are those of components other than the largest, or more than 1 % of the vertices are at
            the origin, because their component has no dimension, or they have no edge.
        """
        super().fit(graph, y)
        sides = [self.embedding_] + ([self.embedding_in_] if self.directed_ else [])
        turn = None if self.alignment_ is None else self.alignment_.rotation
        eigenvectors = sides if turn is None else [side @ turn.T for side in sides]
        self._warn(eigenvectors)
        return self

    def _warn(self, eigenvectors: Sequence[Array]) -> None:
        """Warn of what the coordinates along eigenvectors, of directed graphs on both sides, do not show."""
        warn_if_disconnected(self.graph_, eigenvectors, self._remedy)

    def fit_transform(self, graph: object, y: object = None) -> Array:
        """Embed the vertices of a graph and return `embedding_`; see `fit`.

        With ``concat=True`` and a directed graph, the columns of `embedding_in_` follow those of `embedding_`.
        After ``set_output(transform="pandas")`` the result is a data frame with the vertex names as index.
        """
        self.fit(graph, y)
        known = np.hstack([self.embedding_, self.embedding_in_]) if self._both else self.embedding_
        return labelled(self, known, self.vertex_names_)

    @property
    def _both(self) -> bool:
        """Whether the graph is directed and both positions of a vertex are returned."""
        return check_flag("concat", self.concat) and self.directed_

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the output columns: "ase0", "ase1", ..., and with ``concat=True`` "ase_in0", ..."""
        names = super().get_feature_names_out(input_features)
        if not self._both:
            return names
        inward = [f"{self._placement.prefix}_in{k}" for k in range(len(names))]
        return np.append(names, np.array(inward, dtype=object))

    def transform(self, new: object, *, direction: str | None = None) -> Array:
        """Embed new vertices by their edges to the known vertices, without another decomposition.

        The position of a vertex is the same, bit for bit, alone and in any batch, in any order, and with any
        number of threads.

        Parameters
        ----------
        new : array, sparse matrix, mapping, edge list or graph
            - (m, n) rows, sparse or dense: weights of the edges from m new vertices to the n known vertices;
            - ``{name: neighbors}``, neighbors as a collection of names or as ``{name: weight}``;
            - an edge list between new and known names: a data frame, or a list of (u, v) or (u, v, weight);
            - a graph with new and known vertices;
            - a pair of arrays or sparse matrices, the arcs from the new vertices and the arcs to them;
            - the `NewVertices` of a sampled graph.

            Vertices whose names are not known are new. Edges between two known vertices are left out, and counted
            in a warning. A graph or an edge list on exactly the known vertices gives their rows. Edges that are
            listed several times add up, as in `from_edges`.
        direction : {"out", "in"}, optional
            For directed graphs: which embedding to extend; None is "out", or both with ``concat=True``. Rows of an
            array are the arcs from the new vertices for "out", and the arcs to them for "in".

        Returns
        -------
        ndarray of shape (m, d), or (m, 2d) with ``concat=True`` for a directed graph
            One row for each new vertex. A vertex without an edge to a known vertex is placed at the origin. After
            ``set_output(transform="pandas")`` a data frame with the names of the new vertices as index; see also
            `transform_table`.

        Raises
        ------
        ArgumentError, UnknownVertexError
            If rows have the wrong length, a neighbor in a mapping is neither known nor new, all vertices are
            known, or arcs of only one direction are given where both are needed.
        """
        check_fitted(self, "embedding_")
        if self._both:
            return self._place_both(new, direction)
        direction = "out" if direction is None else direction
        placement = self._placement
        if sparse.issparse(new) and placement.new_rows.plain:
            check_direction(direction, self.directed_)
            positions = placement.extensions[direction].of_unchecked(new)
            if positions is not None:
                return labelled(self, positions, range(len(positions)))
        vertices = self.read_new(new, direction=direction)
        return labelled(self, self._positions(vertices, direction), vertices.names)

    def _positions(self, vertices: NewEdges, direction: str) -> Array:
        """Return the positions of new vertices in one direction."""
        return self._placement(vertices.towards(direction), direction)

    def _place_both(self, new: object, direction: str | None) -> Array:
        """Return the positions of new vertices as sources and as targets, side by side."""
        if direction is not None:
            raise ArgumentError(
                f"direction={direction!r} but concat=True returns both positions; leave direction out, or call "
                "set_params(concat=False)."
            )
        vertices = self.read_new(new)
        if vertices.rows_in is None:
            raise ArgumentError(
                "new has only the arcs from the new vertices, and concat=True needs also those to them; pass an "
                "edge list, a graph, or a pair of rows (arcs from them, arcs to them)."
            )
        return labelled(self, np.hstack(self._placed(vertices)), vertices.names)

    def read_new(
        self,
        new: object,
        *,
        direction: str = "out",
        covariates: object = None,
        observed: object = None,
        unobserved: object = None,
    ) -> NewEdges:
        """Return the names and edges of new vertices, as `transform` reads them, and what else is known of them.

        Parameters
        ----------
        new, direction
            As for `transform`.
        covariates : DataFrame, mapping, array-like or sparse matrix, optional
            As for `CovariateAssistedEmbedding.transform`.
        observed, unobserved : matrix, mapping, list of pairs, graph or None
            As for `AdjacencySpectralEmbedding.transform`.

        Returns
        -------
        NewEdges
            Names and sparse rows. `transform`, `transform_table` and all other methods and functions with new
            vertices also take this object, so that new vertices need to be read only once.

        Raises
        ------
        ArgumentError, UnknownVertexError
            As by `transform`; or if covariates or unobserved pairs are passed to an embedding that has none, or
            are missing.

        Examples
        --------
        >>> import networkx as nx
        >>> import lpgraph as lp
        >>> ase = lp.AdjacencySpectralEmbedding(2).fit(nx.karate_club_graph())
        >>> ase.read_new({"new": [0, 1, 2]}).names
        array(['new'], dtype=object)
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
        vertices = as_new_edges(new, self.vertex_index_, directed=self.directed_)
        vertices = with_pairs(
            vertices, observed, unobserved, self.vertex_index_, directed=self.directed_, direction=direction
        )
        if not self._takes_unobserved and not vertices.all_observed:
            raise ArgumentError(
                f"Pairs of new vertices are unobserved, but {type(self).__name__} places them by all of their "
                "pairs; use AdjacencySpectralEmbedding, or leave those vertices out."
            )
        return self._with_covariates(vertices, covariates)

    def _with_covariates(self, vertices: NewEdges, covariates: object) -> NewEdges:
        """Return new vertices with their covariates; raise if they have some and the embedding has none."""
        if covariates is not None or vertices.covariates is not None:
            raise ArgumentError(
                f"covariates of new vertices were passed, but {type(self).__name__} has none of known ones; leave "
                "them out, or use CovariateAssistedEmbedding."
            )
        return vertices

    def _fitted_facts(self) -> list[tuple[str, str]]:
        facts = dict(super()._fitted_facts())
        if not facts:
            return []
        if self.dimension_choice_ is not None:
            facts["dimensions"] = self.dimension_choice_.in_words
        if self.directed_:
            values = few([f"{value:.4g}" for value in self.singular_values_.tolist()], 6)
            facts = {"dimensions": facts.pop("dimensions"), "singular values": values, **facts}
        else:
            negative = int((self.signature_ < 0).sum())
            facts["signature"] = f"{len(self.signature_) - negative} positive, {negative} negative"
        return [*graph_facts(self), *facts.items()]

    def _placed(self, vertices: NewEdges) -> list[Array]:
        sides = ("out",) if vertices.rows_in is None else ("out", "in")
        return [self._positions(vertices, side) for side in sides]

    def _vertex_coordinates(self) -> Mapping[str, Column]:
        return coordinates(self)

    def __sklearn_tags__(self) -> Tags:
        tags = network_tags(super().__sklearn_tags__())
        tags.input_tags.positive_only = self._nonnegative
        return tags
