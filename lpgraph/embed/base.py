"""Base of the embeddings of networks: their fit, and how graphs and new vertices are read and placed.

The functions at the end divide a network, or give it random signs, for the choice of the number of dimensions, and
find the vertices that its components leave without a position.
"""

from __future__ import annotations

from copy import copy
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone

from lpgraph._utils.checks import check_choice, check_flag, check_integer, check_scale
from lpgraph._utils.estimators import check_fitted, labelled, replace_state
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError, DisconnectedGraphWarning, GraphError
from lpgraph.graph.adjacency import Adjacency, Network, ProductNetwork
from lpgraph.graph.construct import as_adjacency, as_network
from lpgraph.graph.new_vertices import NewEdges, as_new_edges
from lpgraph.graph.observed import with_pairs
from lpgraph.graph.preprocess import check_nonnegative
from lpgraph.linalg.sparse_structure import weak_components
from lpgraph.spectral.construction import Resampling
from lpgraph.spectral.eigenvalue_cv import Split, split_entries
from lpgraph.spectral.embedding import is_rule, without_choice
from lpgraph.spectral.estimator import SpectralEstimator, placement_of
from lpgraph.spectral.operators import Matrix
from lpgraph.spectral.whole_matrix import flipped_entries

from .align import Target, UpdatedByEdges
from .constructions import check_direction, with_values
from .vertex_results import VertexResults, graph_facts, network_tags, sides_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pandas
    from numpy.typing import NDArray
    from sklearn.utils import Tags

    from lpgraph._utils.types import Array, Flags
    from lpgraph.spectral.aligned import Alignment
    from lpgraph.spectral.construction import Construction
    from lpgraph.spectral.dimension import DimensionChoice
    from lpgraph.spectral.embedding import Dimension, SpectralEmbedding
    from lpgraph.spectral.operators import EntriesOperator

    from .align import AlignTo

#: A component has a dimension if its vertices have more than this share of a unit vector; the rest is rounding, or
#: the residual of the solver.
_SHARE = 1e-4
#: Share of vertices that may be at the origin without a warning.
_FEW = 0.01


@dataclass(eq=False, repr=False)
class _Parameters:
    """Parameters that all methods have, and their defaults."""

    n_components: Dimension = None
    _: KW_ONLY
    solver: str = "auto"
    tol: float = 1e-6
    random_state: int | np.random.Generator | None = None
    align_to: AlignTo = None


class NetworkEmbedding(_Parameters, VertexResults, UpdatedByEdges, SpectralEstimator[Network]):
    """Base of the embeddings of networks; see `AdjacencySpectralEmbedding` for the fitted attributes.

    A method defines `_construct`, which returns the `Construction` of a network: an operator on its vertices, and
    the rows of new vertices.
    """

    which: str
    dimension_choice_: DimensionChoice | None
    alignment_: Alignment | None
    directed_: bool
    weighted_: bool
    #: Whether negative weights and directed graphs are refused.
    _nonnegative: ClassVar[bool] = False
    _undirected: ClassVar[bool] = False
    #: Whether pairs of new vertices may be unobserved.
    _takes_unobserved: ClassVar[bool] = False
    #: Whether positions as sources and as targets are returned side by side; a parameter of methods with both.
    concat: bool = False
    vertex_index_: Mapping[object, int]

    singular_values_: Array
    signature_: NDArray[np.int64]
    scree_: Array
    embedding_in_: Array

    @property
    def _end(self) -> Literal["magnitude", "largest"]:
        """The end of the spectrum that `which` asks for."""
        return "magnitude" if check_choice("which", self.which, ("LM", "LA")) == "LM" else "largest"

    @property
    def _method(self) -> str:
        """The name of the method, for fits that are aligned to others."""
        return type(self).__name__

    def _read(self, X: object) -> Network:
        network: Network = as_network(X)
        n = network.n_vertices
        if n < 2:
            raise GraphError(f"The graph has {n} vertex (n_samples = {n}); an embedding needs at least 2.")
        if network.lowest_weight == network.highest_weight == 0:
            raise GraphError(f"The graph has {n} vertices and no edge; there is nothing to embed.")
        size = without_choice(self.n_components)
        if not is_rule(size):
            check_integer("n_components", size, low=1)
        check_flag("concat", self.concat)
        check_scale("The graph has weights", network.lowest_weight, network.highest_weight)
        if self._nonnegative:
            check_nonnegative(network.lowest_weight, "the graph")
        if self._undirected and network.directed:
            name = type(self).__name__
            raise GraphError(f"The graph is directed; pass as_adjacency(graph, directed=False) to {name}.")
        return network

    def _results(
        self, construction: Construction, found: SpectralEmbedding, positions: Array
    ) -> dict[str, object]:
        state: dict[str, object] = {
            "embedding_": positions,
            "residuals_": found.residuals,
            "singular_values_": np.abs(found.values),
            "scree_": found.scree,
            "dimension_choice_": found.choice,
            "alignment_": found.alignment,
        }
        if found.coordinates_in is not None:
            return state | {"embedding_in_": found.coordinates_in}
        signs = np.where(found.values < 0, -1, 1) if found.alignment is None else found.alignment.signature
        return state | {"eigenvalues_": found.values, "signature_": signs}

    def moved(self, n: int | None = 10) -> pandas.DataFrame:
        """Return a table of the vertices that moved most since the fit of `align_to`.

        Parameters
        ----------
        n : int or None, default 10
            Number of vertices; None means all that both fits have.

        Returns
        -------
        pandas.DataFrame
            The columns ``name``, ``distance`` from the earlier position, and ``ratio``, with the largest ratio
            first; see `lpgraph.spectral.aligned.Alignment`. Directions that only one of the fits has are left out;
            `fit` warns of them. If `align_to` is a model, which has the earlier network, also
            ``degree_change`` and ``changed_neighbors``, the number of neighbors that only one of the networks has:
            the reason why a vertex moved, unless its neighbors moved.

        Raises
        ------
        NotFittedError
            If the estimator is not fitted.
        ArgumentError
            If it was fitted without `align_to`.

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
        import pandas

        return pandas.DataFrame(alignment.moved(self.vertex_names_, n))

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
            A graph in any form of `lpgraph.as_adjacency`: of networkx or igraph, a scipy sparse matrix, an
            ndarray, a data frame with an edge list, or a sampled graph.
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
        network = self._read(graph)
        construction = self._construct(network)
        target = None if self.align_to is None else Target.of(self.align_to, network, self._method)
        size = self.n_components if target is None else target.dimension(self.n_components, construction)
        found = self._embedded(network, construction, size)
        sides = [side for side in (found.coordinates, found.coordinates_in) if side is not None]
        if target is not None:
            found = target.align(construction, found)
        positions = construction.training(found)
        state = {
            "_placement": placement_of(construction, found, self._prefix or self._method.lower()),
            **vertex_state(network),
            "weighted_": network.weighted,
            "vertex_index_": network.index,
            **self._results(construction, found, positions),
            **construction.attributes,
        }
        replace_state(self, state)
        warn_if_disconnected(network, sides, getattr(self, "regularizer_", None))
        return self

    def along_eigenvectors(self, positions: Array) -> Array:
        """Return positions before their rotation to an earlier fit."""
        return positions if self.alignment_ is None else positions @ self.alignment_.rotation.T

    def fit_transform(self, graph: object, y: object = None) -> Array:
        """Embed the vertices of a graph and return `embedding_`; see `fit`.

        With ``concat=True`` and a directed graph, the columns of `embedding_in_` follow those of `embedding_`.
        After ``set_output(transform="pandas")`` the result is a data frame with the vertex names as index.
        """
        self.fit(graph, y)
        return labelled(self, np.hstack(sides_of(self)) if self._both else self.embedding_, self.vertex_names_)

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
        return np.array([*names, *inward], dtype=object)

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
            if direction is not None:
                raise ArgumentError(f"direction={direction!r}, but concat=True returns both; leave direction out.")
            vertices = self.read_new(new)
            if vertices.rows_in is None:
                raise ArgumentError("new has only the arcs from new vertices; pass a pair, or concat=False.")
            return labelled(self, np.hstack(self._placed(vertices)), vertices.names)
        side = "out" if direction is None else direction
        vertices = self.read_new(new, direction=side)
        return labelled(self, self._on_side(vertices, side), vertices.names)

    def _on_side(self, vertices: NewEdges, direction: str) -> Array:
        return self._placement(vertices.towards(direction), direction)

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
        index, directed = self.vertex_index_, self.directed_
        vertices = as_new_edges(new, index, directed=directed)
        if observed is not None or unobserved is not None:
            vertices = with_pairs(vertices, observed, unobserved, index, directed=directed, direction=direction)
        if not self._takes_unobserved and not vertices.all_observed:
            raise ArgumentError(f"{type(self).__name__} takes no unobserved pairs; use an adjacency embedding.")
        return self._with_covariates(vertices, covariates)

    def _with_covariates(self, vertices: NewEdges, covariates: object) -> NewEdges:
        """Return new vertices with their covariates; raise if they have some and the embedding has none."""
        if covariates is not None or vertices.covariates is not None:
            raise ArgumentError(f"{type(self).__name__} takes no covariates; use CovariateAssistedEmbedding.")
        return vertices

    def _fitted_facts(self) -> list[tuple[str, str]]:
        facts = super()._fitted_facts()
        return [*graph_facts(self), *facts] if facts else []

    def _fitted_again(self, network: Adjacency, labels: object = None) -> Self:
        again: Self = clone(self)
        again.align_to, again.n_components = self, None  # None takes the earlier number
        return again.fit(network)

    def __sklearn_tags__(self) -> Tags:
        tags = network_tags(super().__sklearn_tags__())
        tags.input_tags.positive_only = self._nonnegative
        return tags


def resampling(
    items: Network,
    operator_of: Callable[[Network], EntriesOperator],
    *,
    skip: int = 0,
    flips: bool = False,
) -> Resampling | None:
    """Return what rules for the number of dimensions use, or None if the matrix is not one of sparse entries.

    Pairs of vertices are divided, and get random signs, if the network is undirected, arcs if it is directed; a
    loop is one pair. A weighted edge is kept or held out as a whole.

    Parameters
    ----------
    items : Network
        The network.
    operator_of : callable
        Returns the operator of a network: that of the training part is decomposed, with the degrees of this part.
        With random signs, terms that are no edges are left out, such as the expected edges of modularity.
    skip : int
        Leading eigenvectors that the embedding leaves out.
    flips : bool
        Whether random signs keep nothing but the noise.
    """
    matrix = items.product
    if not sparse.issparse(matrix):
        return None

    def thin(low: float, high: float, rng: np.random.Generator) -> Split:
        items.check_room(115, "A choice of n_components by held-out edges")
        squares = with_values(matrix, matrix.data**2)
        train, test = split_entries(matrix, low, high, rng, symmetric=not items.directed)
        share = high - low
        train.data /= 1 - share  # an estimate of the whole matrix, whose degrees have the same mean
        operator = operator_of(Adjacency.of_canonical(train, range(items.n_vertices), items.directed))
        variances = operator.with_matrix(squares, power=2)
        diagonal = variances.diagonal() if isinstance(variances, Matrix) else np.zeros(variances.shape[0])
        return Split(operator, operator.held_out(test, share), variances, diagonal, share, skip)

    def flip(rng: np.random.Generator) -> EntriesOperator:
        items.check_room(50, "A choice of n_components by signs")
        return operator_of(items).with_matrix(flipped_entries(matrix, rng, symmetric=not items.directed))

    return Resampling(thin, flip if flips else None)


def at_origin(graph: Adjacency | Network, sides: Sequence[Array]) -> Flags:
    """Whether each vertex is at the origin, to rounding, because its component has no dimension.

    Parameters
    ----------
    graph : Adjacency
        The embedded graph.
    sides : sequence of ndarray of shape (n, d)
        The coordinates; of directed graphs as sources and as targets.

    Returns
    -------
    ndarray of shape (n,)

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.embed.base import at_origin
    >>> graph = lp.from_edges([0, 1, 3], [1, 2, 4])
    >>> at_origin(graph, [np.array([[0.8], [1.2], [0.8], [0.0], [0.0]])])
    array([False, False, False,  True,  True])
    """
    labels, shares = _shares(graph, sides)
    return np.asarray((shares.max(axis=0) < _SHARE)[labels])


def many(chosen: Flags) -> bool:
    """Whether so many vertices are at the origin that a warning says so."""
    return bool(chosen.sum() > _FEW * len(chosen))


def _shares(graph: Adjacency | Network, sides: Sequence[Array]) -> tuple[NDArray[np.signedinteger], Array]:
    """Return the component of each vertex, and the (d, c) shares of components in the squares of dimensions."""
    adjacency = as_adjacency(graph)
    count, labels = weak_components(adjacency.matrix, directed=adjacency.directed)
    sums = np.zeros((sides[0].shape[1], count))
    for side in sides:  # column by column: the squares of all would be as large as the coordinates
        sums += [np.bincount(labels, column**2, minlength=count) for column in side.T]
    return labels, np.asarray(sums / np.maximum(sums.sum(axis=1, keepdims=True), np.finfo(float).tiny))


def warn_if_disconnected(graph: Adjacency | Network, sides: Sequence[Array], regularizer: float | None) -> None:
    """Warn if components other than the largest take dimensions, or leave many vertices without a position.

    An eigenvector belongs to one component, and is 0 in the others: vertices of a component without an eigenvector
    among the chosen ones are at the origin, and so are isolated vertices. A regulariser moves the eigenvalues of
    small components away from the first ones, but does not change this.

    Parameters
    ----------
    graph : Adjacency
        The embedded graph.
    sides : sequence of ndarray of shape (n, d)
        The coordinates along the eigenvectors; of directed graphs as sources and as targets.
    regularizer : float or None
        That of the embedding, if it has one.

    Warns
    -----
    DisconnectedGraphWarning
        If most of an eigenvector is outside of the largest component, or more than 1 % of the vertices are at the
        origin.
    """
    if isinstance(graph, ProductNetwork):  # its components are not known
        return
    labels, shares = _shares(graph, sides)
    others = np.delete(shares, np.bincount(labels).argmax(), axis=1)
    dimensions = int((others.sum(axis=1) > 0.5).sum())
    unplaced = np.asarray(shares.max(axis=0) < _SHARE)[labels]
    if dimensions or many(unplaced):
        remedy = "regularizer='mean', or " if regularizer == 0 else ""
        warn(
            f"The graph has {shares.shape[1]} components: {dimensions} of {len(shares)} dimensions are not of the "
            f"largest, and {unplaced.sum()} of {len(labels)} vertices are at the origin; pass {remedy}"
            "lpgraph.largest_component(graph).",
            DisconnectedGraphWarning,
        )


def vertex_state(graph: Network) -> dict[str, object]:
    """Return the fitted attributes that describe the graph of an estimator of vertices."""
    return {
        "graph_": graph,
        "vertex_names_": graph.names,
        "n_features_in_": graph.n_vertices,
        "directed_": graph.directed,
    }
