"""Base of joint embeddings: their fit, and how further networks and new vertices are read and placed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Self, TypedDict

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from lpgraph._utils.checks import check_integer, check_scale, type_of
from lpgraph._utils.estimators import ShownEstimator, check_fitted, few, replace_state
from lpgraph.embed.constructions import check_direction, degrees_of
from lpgraph.embed.vertex_results import side_columns
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError
from lpgraph.graph.names import as_labels, as_names, code_names, index_of, listed, names_at
from lpgraph.graph.new_vertices import NewEdges, as_new_edges
from lpgraph.graph.preprocess import check_nonnegative, inverse_power
from lpgraph.joint.dimension import unfolded_dimension
from lpgraph.joint.graphs import GraphSequence, as_graphs, on_vertices, placing
from lpgraph.spectral.auto import solver_named
from lpgraph.spectral.eigen import eigenpairs, singular_triplets
from lpgraph.spectral.operators import Bipartite, Matrix

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray

    from lpgraph.graph.names import Names
    from lpgraph.spectral.eigen import EigenPairs, SingularTriplets, Solver

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Placer:
    """What places rows of adjacency matrices in a joint embedding: of arcs from vertices, or to them.

    Attributes
    ----------
    basis : ndarray of shape (n, d)
        What a row of one network is multiplied by.
    regularizer : float, optional
        With the Laplacian: tau, which is added to the degree of a row before the row is divided by its root.
    bases : sequence of ndarray of shape (n, d)
        Of an omnibus embedding: what the rows of a vertex in all networks are multiplied by, and added to this.
    common : ndarray of shape (n, d)
        The sum of these products for the known vertices.
    """

    basis: Array
    regularizer: float | None = None
    bases: Array | tuple[()] = ()
    common: Array | float = 0.0

    def graph(self, rows: sparse.csr_array) -> Array:
        """Return the (n, d) positions of the vertices in a further network."""
        positions = np.asarray(rows @ self.basis + self.common)
        if self.regularizer is None:
            return positions
        check_nonnegative(float(rows.data.min(initial=0.0)), "the network")
        return positions * inverse_power(degrees_of(rows) + self.regularizer)[:, None]

    def new(self, rows: Sequence[sparse.csr_array]) -> Array:
        """Return the (m, q, d) positions of new vertices, given their (q, n) rows in each network."""
        common = sum((some @ basis for some, basis in zip(rows, self.bases, strict=False)), 0.0)
        return np.stack([replace(self, common=common).graph(some) for some in rows])


class Search(TypedDict):
    """How eigenpairs are found: arguments of `lpgraph.spectral.eigen.eigenpairs`."""

    solver: Solver | None
    tol: float
    random_state: int | np.random.Generator | None


@dataclass(eq=False, repr=False)
class JointEmbedding(ShownEstimator, BaseEstimator):
    """Base of the embeddings of several networks; see `UnfoldedEmbedding` for the fitted attributes.

    A method defines `_solve`, which returns the attributes of the fit, and a `Placer` for each direction of arcs.
    """

    n_components: int | None = None
    _: KW_ONLY
    solver: str = "auto"
    tol: float = 1e-6
    random_state: int | np.random.Generator | None = None

    keys_: tuple[Hashable, ...] = field(init=False)
    graphs_: GraphSequence = field(init=False)
    vertex_names_: Names = field(init=False)
    directed_: bool = field(init=False)
    embeddings_: Array = field(init=False)
    embeddings_in_: Array = field(init=False)
    _placers: Mapping[str, Placer] = field(init=False)
    _axes: dict[str, Array] = field(init=False)
    _prefix: ClassVar[str]
    read = staticmethod(as_graphs)

    def _solve(self, graphs: GraphSequence, k: int) -> tuple[Mapping[str, object], Mapping[str, Placer]]:
        """Return the attributes of the fit, and what places others, by direction."""
        raise TypeError(f"{type(self).__name__} does not define a solution.")

    def _search(self) -> Search:
        return {"solver": solver_named(self.solver), "tol": self.tol, "random_state": self.random_state}

    def fit(self, graphs: object, y: object = None) -> Self:
        """Embed several networks.

        Parameters
        ----------
        graphs : GraphSequence, mapping, or iterable of graphs
            Networks in any form of `lpgraph.as_graphs`. Vertices are aligned by name. A vertex that a network does
            not have is isolated there.
        y : object
            Ignored.

        Returns
        -------
        self

        Raises
        ------
        GraphError
            If the networks have fewer than two vertices, or no edge.
        ArgumentError
            If n_components is larger than the rank of the networks, or squares of weights would overflow.
        ConvergenceError
            If the eigensolver did not reach `tol`.
        """
        given = as_graphs(graphs)
        n = len(given.names)
        if n < 2 or not given.n_edges:
            raise GraphError(f"The networks have {n} vertices and {given.n_edges} edges; pass at least 2 and 1.")
        most = max(max(-graph.lowest_weight, graph.highest_weight) for graph in given)
        check_scale("The networks have squared weights", 0.0, min(most, 1e150) ** 2)
        chosen = unfolded_dimension(given, self.random_state) if self.n_components is None else None
        k = chosen.n_components if chosen else check_integer("n_components", self.n_components, low=1, high=n)
        found, placers = self._solve(given, k)
        own = {"keys_": given.keys, "graphs_": given, "vertex_names_": given.names, "directed_": given.directed}
        scree = chosen.values if chosen else None
        replace_state(self, {**own, "scree_": scree, "_placers": placers, "_axes": {}, **found})
        return self

    def fit_transform(self, graphs: object, y: object = None) -> Array:
        """Embed several networks, and return `embeddings_`; see `fit`."""
        return self.fit(graphs).embeddings_

    def _side(self, direction: str | None) -> str:
        check_fitted(self, "embeddings_")
        side = direction or "out"
        check_direction(side, self.directed_)
        return side

    def transform_graph(self, graph: object, *, direction: str | None = None) -> Array:
        """Return positions of the known vertices in a further network, without another decomposition.

        Parameters
        ----------
        graph : graph
            In any form of `lpgraph.as_adjacency`, with known vertices; those that it does not have are isolated.
            A matrix without names has all vertices, in their order.
        direction : {"out", "in"}, optional
            Of directed networks: positions by the arcs from vertices, the default, or by the arcs to them.

        Returns
        -------
        ndarray of shape (n, d)
            For a network of the fit its `embeddings_`, to rounding.

        Raises
        ------
        NotFittedError, ArgumentError, GraphError
            If the embedding is not fitted, the direction is not one of these, the graph cannot be read, or a
            matrix has another size.
        UnknownVertexError
            If the graph has vertices that are not known.
        """
        side, known = self._side(direction), self.graphs_
        matrix = on_vertices(graph, known)
        return self._placers[side].graph(transposed(matrix) if side == "in" else matrix)

    def transform(self, new: object, *, direction: str | None = None) -> Array:
        """Return positions of new vertices in all networks, without another decomposition.

        Parameters
        ----------
        new : mapping or sequence
            The new vertices by the key of each network, or a list with one item for each network, in any form that
            `AdjacencySpectralEmbedding.transform` takes. New vertices of the same name are one vertex, which is
            isolated in networks where it is not given.
        direction : {"out", "in"}, optional
            As for `transform_graph`.

        Returns
        -------
        ndarray of shape (m, q, d)
            Positions of q new vertices in m networks, in the order in which they first appear.

        Raises
        ------
        NotFittedError, ArgumentError, ArgumentTypeError
            If the embedding is not fitted, a key is not known, or there is not one item for each network.
        """
        side, vertices = self._side(direction), self.read_new(new)
        if side == "in" and any(some.rows_in is None for some in vertices.networks):
            raise ArgumentError("new has no arcs to the new vertices; pass a list of arcs, or two arrays.")
        return self._placers[side].new([some.towards(side) for some in vertices.networks])

    def read_new(self, new: object) -> NewEdges:
        """Return new vertices as `transform` reads them, so that they need to be read only once.

        Parameters
        ----------
        new : mapping or sequence
            As for `transform`.

        Returns
        -------
        NewEdges
            Names and sparse rows of q new vertices: the sum of those in all networks, and as `networks` those in
            each. Edges among new vertices are left out.

        Raises
        ------
        NotFittedError, ArgumentError, ArgumentTypeError
            As by `transform`; also if vertices have covariates or unobserved pairs.
        """
        check_fitted(self, "embeddings_")
        if isinstance(new, NewEdges) and new.networks:
            return new
        index, count = self.graphs_.index, len(self.keys_)
        if isinstance(new, Sequence) and not isinstance(new, str) and len(new) == count:
            new = dict(zip(self.keys_, new, strict=True))
        if not isinstance(new, Mapping):
            raise ArgumentTypeError(f"new is {type_of(new)}; pass a dict by key, or a list of {count} items.")
        by_place = {self.graphs_.place(key): vertices for key, vertices in new.items()}
        read = [as_new_edges(by_place.get(t, {}), index, directed=self.directed_) for t in range(count)]
        names = as_names(list(dict.fromkeys(name for some in read for name in listed(some.names))))
        if not len(names):
            raise ArgumentError("new has no vertices; pass at least one.")
        places, networks = index_of(names), []
        for some in read:
            if some.covariates is not None or not some.all_observed:
                raise ArgumentError("new has covariates or unobserved pairs; pass edges only.")
            move = placing(np.array([places[name] for name in listed(some.names)], dtype=np.intp), len(names))
            inward = some.rows_in if len(some.names) or not self.directed_ else some.rows
            networks.append(NewEdges(move @ some.rows, names, None if inward is None else move @ inward))
        outward, inwards = ([getattr(some, rows) for some in networks] for rows in ("rows", "rows_in"))
        rows_in = None if any(rows is None for rows in inwards) else sum(inwards)
        return NewEdges(sum(outward), names, rows_in, networks=networks)

    def vertex_positions(self, new: object = None, *, direction: str | None = None) -> Array:
        """Return one position of each vertex from its positions in all networks.

        These are, side by side, projected on their d principal axes through the origin. Vertices that behave alike
        in each network have equal ones up to noise. `VertexClassifier` and `VertexClustering` use them.

        Parameters
        ----------
        new : mapping or sequence, optional
            New vertices in any form of `transform`; by default the known vertices.
        direction : {"out", "in"}, optional
            As for `transform_graph`.

        Returns
        -------
        ndarray of shape (n, d)

        Raises
        ------
        NotFittedError, ArgumentError, ArgumentTypeError
            As by `transform`.
        """
        side = self._side(direction)
        known = np.hstack([*(self.embeddings_ if side == "out" else self.embeddings_in_)])
        if side not in self._axes:  # kept with the model: axes of equal lengths may turn on another machine
            self._axes[side] = np.linalg.eigh(known.T @ known)[1][:, : -self.embeddings_.shape[2] - 1 : -1]
        rows = known if new is None else np.hstack([*self.transform(new, direction=direction)])
        return np.asarray(np.einsum("ij,jk->ik", rows, self._axes[side]))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the names of the coordinates."""
        check_fitted(self, "embeddings_")
        return np.array([f"{self._prefix}{k}" for k in range(self.embeddings_.shape[2])], dtype=object)

    def trajectory_table(self, vertices: Sequence[Hashable] | None = None) -> pandas.DataFrame:
        """Return the positions of vertices in all networks as a table.

        Parameters
        ----------
        vertices : sequence of hashable, optional
            Names of vertices; all by default.

        Returns
        -------
        pandas.DataFrame
            One row for each network and vertex. Its columns are ``key``; ``name``; ``present``, which is False if
            the network was given without the vertex; and the coordinates, such as ``uase0``. Directed networks
            also have those by the arcs to the vertices, such as ``uase_in0``.

        Raises
        ------
        NotFittedError, UnknownVertexError
            If the embedding is not fitted, or a vertex is not known.
        """
        import pandas

        check_fitted(self, "embeddings_")
        labels = listed(self.vertex_names_) if vertices is None else vertices
        rows = code_names(as_labels(labels, "vertices"), self.graphs_.index)
        columns: dict[str, object] = {
            "key": [key for key in self.keys_ for _ in rows],
            "name": listed(names_at(self.vertex_names_, rows)) * len(self.keys_),
            "present": self.graphs_.present[:, rows].ravel(),
        }
        sides = [self.embeddings_, *([self.embeddings_in_] if self.directed_ else [])]
        columns |= side_columns(self.get_feature_names_out(), [np.vstack([*side[:, rows]]) for side in sides])
        return pandas.DataFrame(columns)

    def _fitted_facts(self) -> list[tuple[str, str]]:
        if "embeddings_" not in vars(self):
            return []
        m, n, d = self.embeddings_.shape
        return [("networks", f"{m}: {few(self.keys_)}"), ("vertices", f"{n:,}"), ("dimensions", str(d))]


def fitted_joint(model: object, argument: str = "joint") -> JointEmbedding:
    """Return a fitted joint embedding that was passed as an argument; raise if it is none."""
    if not isinstance(model, JointEmbedding):
        raise ArgumentTypeError(f"{argument} is {type_of(model)}; pass a fitted embedding of lpgraph.joint.")
    check_fitted(model, "embeddings_")
    return model


def leading(matrix: sparse.csr_array, k: int, search: Search, *, directed: bool) -> EigenPairs | SingularTriplets:
    """Return the leading eigenpairs of a network, of a directed one the singular triplets."""
    if directed:
        return singular_triplets(Bipartite(matrix), k, **search)
    return eigenpairs(Matrix(matrix), k, **search)


def transposed(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return the transpose as csr."""
    return sparse.csr_array(matrix.T)
