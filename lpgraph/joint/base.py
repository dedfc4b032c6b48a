"""Base of joint embeddings: their fit, and how further networks and new vertices are read and placed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol, Self, TypedDict

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from lpgraph._utils.checks import check_integer, check_scale, type_of
from lpgraph._utils.estimators import ShownEstimator, check_fitted, few, replace_state
from lpgraph.embed.constructions import check_direction
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError
from lpgraph.graph.names import as_labels, code_names, listed, names_at
from lpgraph.graph.new_vertices import as_new_edges
from lpgraph.joint.dimension import unfolded_dimension
from lpgraph.joint.graphs import GraphSequence, as_graphs, on_vertices
from lpgraph.spectral.auto import solver_named
from lpgraph.spectral.eigen import eigenpairs, singular_triplets
from lpgraph.spectral.operators import Bipartite, Matrix

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray

    from lpgraph.graph.names import Names
    from lpgraph.spectral.eigen import EigenPairs, SingularTriplets, Solver

    Array = NDArray[np.float64]


class Placer(Protocol):
    """What places rows of adjacency matrices in a joint embedding: of arcs from vertices, or to them."""

    def graph(self, rows: sparse.csr_array) -> Array:
        """Return the (n, d) positions of the vertices in a further network."""

    def new(self, rows: Sequence[sparse.csr_array]) -> Array:
        """Return the (m, q, d) positions of new vertices, given their (q, n) rows in each network."""


class Search(TypedDict):
    """How eigenpairs are found: arguments of `lpgraph.spectral.eigen.eigenpairs`."""

    solver: Solver | None
    tol: float
    random_state: int | np.random.Generator | None


class JointEmbedding(ShownEstimator, BaseEstimator):
    """Base of the embeddings of several networks; see `UnfoldedEmbedding` for the fitted attributes.

    A method defines `_solve`, which returns the attributes of the fit, and a `Placer` for each direction of arcs.
    """

    keys_: tuple[Hashable, ...]
    graphs_: GraphSequence
    vertex_names_: Names
    directed_: bool
    embeddings_: Array
    embeddings_in_: Array
    _placers: Mapping[str, Placer]
    _prefix: ClassVar[str]

    def __init__(
        self,
        n_components: int | None = None,
        *,
        solver: str = "auto",
        tol: float = 1e-6,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.n_components = n_components
        self.solver = solver
        self.tol = tol
        self.random_state = random_state

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
            raise GraphError(f"The networks have {n} vertices and {given.n_edges} edges; nothing can be embedded.")
        most = max(max(-graph.lowest_weight, graph.highest_weight) for graph in given)
        check_scale("The networks have squared weights", 0.0, min(most, 1e150) ** 2)
        chosen = unfolded_dimension(given, self.random_state) if self.n_components is None else None
        k = chosen.n_components if chosen else check_integer("n_components", self.n_components, low=1, high=n)
        found, placers = self._solve(given, k)
        state = {"keys_": given.keys, "graphs_": given, "vertex_names_": given.names, "directed_": given.directed}
        replace_state(self, {**state, "scree_": chosen.values if chosen else None, **found, "_placers": placers})
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
        side = self._side(direction)
        return self._placers[side].new(self._read_new(new, side))

    def _read_new(self, new: object, side: str) -> list[sparse.csr_array]:
        """Return the rows of new vertices in each network."""
        if isinstance(new, Mapping):
            by_place = {self.graphs_.place(key): vertices for key, vertices in new.items()}
        elif isinstance(new, Sequence) and not isinstance(new, str) and len(new) == len(self.keys_):
            by_place = dict(enumerate(new))
        else:
            count = len(self.keys_)
            raise ArgumentTypeError(f"new is {type_of(new)}; pass a dict by key, or a list of {count} items.")
        index = self.graphs_.index
        read = {t: as_new_edges(vertices, index, directed=self.directed_) for t, vertices in by_place.items()}
        names = dict.fromkeys(name for vertices in read.values() for name in listed(vertices.names))
        places = {name: k for k, name in enumerate(names)}
        if not places:
            raise ArgumentError("new has no vertices; pass at least one.")
        empty = sparse.csr_array((len(places), len(self.vertex_names_)))
        rows = [empty] * len(self.keys_)
        for t, vertices in read.items():
            if side == "in" and vertices.rows_in is None:
                raise ArgumentError("new has no arcs to new vertices; pass a list of arcs, or two arrays.")
            entries = vertices.towards(side).tocoo()
            ours = np.array([places[name] for name in listed(vertices.names)], dtype=np.int64)
            coordinates = ours[entries.coords[0]], entries.coords[1]
            rows[t] = sparse.csr_array((entries.data, coordinates), shape=empty.shape)
        return rows

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
        for side in ("", "_in") if self.directed_ else ("",):
            positions = getattr(self, f"embeddings{side}_")
            for k in range(positions.shape[2]):
                columns[f"{self._prefix}{side}{k}"] = positions[:, rows, k].ravel()
        return pandas.DataFrame(columns)

    def _fitted_facts(self) -> list[tuple[str, str]]:
        if "embeddings_" not in vars(self):
            return []
        m, n, d = self.embeddings_.shape
        return [("networks", f"{m}: {few(self.keys_)}"), ("vertices", f"{n:,}"), ("dimensions", str(d))]


def leading(matrix: sparse.csr_array, k: int, search: Search, *, directed: bool) -> EigenPairs | SingularTriplets:
    """Return the leading eigenpairs of a network, of a directed one the singular triplets."""
    if directed:
        return singular_triplets(Bipartite(matrix), k, **search)
    return eigenpairs(Matrix(matrix), k, **search)


def transposed(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return the transpose as csr."""
    return sparse.csr_array(matrix.T)
