"""Base of joint embeddings: their fit, further networks, new vertices, dimensions, and standard errors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from lpgraph._utils.checks import check_integer, check_scale, type_of
from lpgraph._utils.estimators import ShownEstimator, check_fitted, replace_state
from lpgraph.embed.constructions import check_direction, degrees_of
from lpgraph.embed.vertex_results import side_columns
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError
from lpgraph.graph.names import as_labels, code_names, index_of, listed, names_at
from lpgraph.graph.new_vertices import NewEdges, as_new_edges
from lpgraph.graph.preprocess import check_nonnegative, inverse_power
from lpgraph.spectral.auto import solver_named
from lpgraph.spectral.eigen import eigenpairs, singular_triplets
from lpgraph.spectral.eigenvalue_cv import Split, significant_eigenvectors, split_entries
from lpgraph.spectral.operators import Bipartite, Matrix

from .graphs import GraphSequence, as_graphs, common_names, on_vertices, placing

if TYPE_CHECKING:
    import pandas
    from numpy.typing import NDArray

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array
    from lpgraph.graph.names import Names
    from lpgraph.spectral.dimension import DimensionChoice
    from lpgraph.spectral.eigen import EigenPairs, SingularTriplets


@dataclass(frozen=True, eq=False)
class Placer:
    """Placement of rows of adjacency matrices in a joint embedding: arcs from vertices, or to them.

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
        positions = rows @ self.basis + self.common
        if self.regularizer is None:
            return positions
        check_nonnegative(float(rows.data.min(initial=0.0)), "the network")
        return positions * inverse_power(degrees_of(rows) + self.regularizer)[:, None]

    def new(self, rows: Sequence[sparse.csr_array]) -> Array:
        """Return the (m, q, d) positions of new vertices, given their (q, n) rows in each network."""
        common = sum((some @ basis for some, basis in zip(rows, self.bases, strict=False)), 0.0)
        return np.stack([replace(self, common=common).graph(some) for some in rows])


@dataclass(eq=False, repr=False)
class _Parameters:
    """Parameters that all methods have, and their defaults."""

    n_components: int | None = None
    _: KW_ONLY
    solver: str = "auto"
    tol: float = 1e-6
    random_state: int | np.random.Generator | None = None


class JointEmbedding(_Parameters, ShownEstimator, BaseEstimator, ABC):
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
    _axes: dict[str, Array]
    _prefix: ClassVar[str]
    read = staticmethod(as_graphs)

    @abstractmethod
    def _solve(self, graphs: GraphSequence, k: int) -> tuple[dict[str, object], dict[str, Placer]]:
        """Return the attributes of the fit, and what places others, by direction."""

    def _search(self) -> dict[str, Foreign]:
        """Return arguments of `lpgraph.spectral.eigen.eigenpairs`."""
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
        n = given.n_vertices
        if n < 2 or not given.n_edges:
            raise GraphError(f"The networks have {n} vertices and {given.n_edges} edges; pass at least 2 and 1.")
        most = max(max(-graph.lowest_weight, graph.highest_weight) for graph in given)
        check_scale("The networks have squared weights", 0.0, float(np.clip(most, 1e-150, 1e150)) ** 2)
        scree, k = None, self.n_components
        if k is None:
            choice = unfolded_dimension(given, self.random_state)
            scree, k = choice.values, choice.n_components
        found, placers = self._solve(given, check_integer("n_components", k, low=1, high=n))
        state = {"keys_": given.keys, "graphs_": given, "vertex_names_": given.names, "directed_": given.directed}
        replace_state(self, state | {"scree_": scree, "_placers": placers, "_axes": {}} | found)
        return self

    def fit_transform(self, graphs: object, y: object = None) -> Array:
        """Embed several networks, and return `embeddings_`; see `fit`."""
        return self.fit(graphs).embeddings_

    def _sides(self) -> dict[str, Array]:
        """Return the positions by direction."""
        return {"out": self.embeddings_} | ({"in": self.embeddings_in_} if self.directed_ else {})

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
        return self._placers[side].graph(matrix.T.tocsr() if side == "in" else matrix)

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
        if side == "in" and vertices.rows_in is None:
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
        known = self.graphs_
        if isinstance(new, list | tuple) and len(new) == len(known):
            new = dict(zip(known.keys, new, strict=True))
        if not isinstance(new, Mapping):
            raise ArgumentTypeError(f"new is {type_of(new)}; pass a dict by key, or a list of {len(known)} items.")
        for key in new:
            known.place(key)  # refuses a key that is not known
        read = [as_new_edges(new.get(key, {}), known.index, directed=known.directed) for key in known.keys]
        names = common_names([some.names for some in read])
        if not len(names):
            raise ArgumentError("new has no vertices; pass at least one.")
        networks = []
        for some in read:
            if some.covariates is not None or not some.all_observed:
                raise ArgumentError("new has covariates or unobserved pairs; pass edges only.")
            move = placing(code_names(as_labels(some.names, "new"), index_of(names)), len(names))
            inward = some.rows_in if len(some.names) or not self.directed_ else some.rows
            networks.append(NewEdges(move @ some.rows, names, None if inward is None else move @ inward))
        outward, inwards = ([getattr(some, rows) for some in networks] for rows in ("rows", "rows_in"))
        rows_in = None if any(rows is None for rows in inwards) else sum(inwards)
        return NewEdges(sum(outward), names, rows_in, networks=networks)

    def vertex_positions(self, new: object = None, *, direction: str | None = None) -> Array:
        """Return one position of each vertex from its positions in all networks.

        The positions are put side by side and projected on their d principal axes. Vertices that behave alike
        in each network have equal positions up to noise. `VertexClassifier` and `VertexClustering` use them.

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
        known = np.hstack([*self._sides()[side]])
        if side not in self._axes:  # kept with the model: axes of equal lengths may rotate on another machine
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
        places = {
            "key": [key for key in self.keys_ for _ in rows],
            "name": listed(names_at(self.vertex_names_, rows)) * len(self.keys_),
            "present": self.graphs_.present[:, rows].ravel(),
        }
        sides = [np.vstack([*side[:, rows]]) for side in self._sides().values()]
        return pandas.DataFrame({**places, **side_columns(self.get_feature_names_out(), sides)})


def fitted_joint(model: object, argument: str = "joint") -> JointEmbedding:
    """Return a fitted joint embedding that was passed as an argument; raise if it is none."""
    if not isinstance(model, JointEmbedding):
        raise ArgumentTypeError(f"{argument} is {type_of(model)}; pass a fitted embedding of lpgraph.joint.")
    check_fitted(model, "embeddings_")
    return model


def leading(matrix: sparse.csr_array, k: int, directed: bool, **search: Foreign) -> EigenPairs | SingularTriplets:
    """Return the leading eigenpairs of a network, of a directed one the singular triplets."""
    if directed:
        return singular_triplets(Bipartite(matrix), k, **search)
    return eigenpairs(Matrix(matrix), k, **search)


def unfolded_dimension(graphs: GraphSequence, random_state: int | np.random.Generator | None) -> DimensionChoice:
    """Return how many singular vectors of ``[A_1 ... A_m]`` held-out edges confirm, 64 at most.

    An edge of a network is held out as a whole, in both of its entries.
    """
    everything = [graph.matrix.power(2) for graph in graphs]
    squares = Bipartite(sparse.hstack(everything, format="csr"))

    def thin(low: float, high: float, rng: np.random.Generator) -> Split:
        parts = [split_entries(graph.matrix, low, high, rng, symmetric=not graph.directed) for graph in graphs]
        train, test = (sparse.hstack(side, format="csr") for side in zip(*parts, strict=True))
        train.data /= 1 - (high - low)
        kept = Bipartite(train), Bipartite(test), squares, np.zeros(squares.shape[0]), high - low
        return _PairSplit(*kept, pairs=[] if graphs.directed else everything)

    return significant_eigenvectors(thin, "largest", len(graphs.names), random_state)


@dataclass(frozen=True, eq=False)
class _PairSplit(Split):
    """A split of undirected networks, whose entries (i, j) and (j, i) are held out together.

    With x = [p; q_1; ...; q_m], the pair {i, j} of network t adds ``2 a (p_i q_tj + p_j q_ti)``. Its square has
    the terms of two independent entries, and their product, which is added here; a loop is one entry.
    """

    pairs: Sequence[sparse.csr_array] = ()

    def forms(self, vectors: Array) -> tuple[Array, Array]:
        """Return ``x' test x``, and the variance of it without the factor `share`, for each column x."""
        held_out, variance = super().forms(vectors)
        p, *q = np.split(vectors, len(self.pairs) + 1)
        for squares, part in zip(self.pairs, q, strict=True):
            both = p * part
            joint = both * (squares @ both) - squares.diagonal()[:, None] * both**2
            variance = variance + 4 * joint.sum(axis=0)
        return held_out, variance


def standard_errors(model: JointEmbedding, vertices: Iterable[Hashable], *, direction: str | None = None) -> Array:
    r"""Return the standard errors of the positions of some vertices in all networks.

    Parameters
    ----------
    model : fitted embedding of lpgraph.joint
        Its networks may be directed or weighted.
    vertices : iterable of hashable
        Names of q vertices. A few arrays of q n numbers are made.
    direction : {"out", "in"}, optional
        Of directed networks: positions by the arcs from the vertices, the default, or by the arcs to them.

    Returns
    -------
    ndarray of shape (m, q, d)

    Raises
    ------
    NotFittedError, ArgumentTypeError, UnknownVertexError, ArgumentError
        If the model is not fitted or no joint embedding, a vertex is not known, or networks lack this direction.

    Notes
    -----
    The position of vertex i is linear in its row of the adjacency matrix, :math:`y_i = \sum_j A_{ij} b_j`. Given
    the basis b, its covariance is :math:`\sum_j v_{ij} b_j b_j^T` for the variances v of the entries. These are
    estimated by :math:`r_{ij}^2 / (1 - h_j)`, where r are the residuals of the row after projection on the basis,
    and h_j is the leverage of entry j (HC2 of MacKinnon & White 1985). So no model of the weights is needed.
    Omnibus positions are linear in the rows of a vertex in all networks. In the Laplacian the degree of i depends
    on the entries as well: to first order their coefficients are :math:`b_j / \sqrt{t_i} - y_i / (2 t_i)` for
    :math:`t_i = d_i + \tau` (Tang & Priebe 2018, Theorem 3.2).

    A position plus or minus 1.96 standard errors covers the noise-free position :math:`\sum_j E[A_{ij}] b_j` in
    93 to 95 % of the cases in simulations if vertices have 30 edges or more, and in 90 to 94 % with 13 edges,
    whose residuals say less about variances (:doc:`/results/joint`).

    References
    ----------
    MacKinnon, J. G. & White, H. (1985), "Some heteroskedasticity-consistent covariance matrix estimators with
    improved finite sample properties", Journal of Econometrics 29. Tang, M. & Priebe, C. (2018), "Limit theorems
    for eigenvectors of the normalized Laplacian for random graphs", Annals of Statistics 46.

    Examples
    --------
    >>> import lpgraph as lp
    >>> days = [lp.erdos_renyi(200, 0.5, random_state=seed) for seed in range(3)]
    >>> model = lp.joint.UnfoldedEmbedding(1).fit(days)
    >>> lp.joint.standard_errors(model, [0, 1]).shape
    (3, 2, 1)
    """
    side = fitted_joint(model, "model")._side(direction)
    placer, rows = model._placers[side], code_names(as_labels(vertices, "vertices"), model.graphs_.index)
    basis, tau = placer.basis, placer.regularizer
    dual = np.linalg.pinv(basis)
    free = np.maximum(1 - np.einsum("jk,kj->j", basis, dual), 1e-6)
    squares, common = [], np.zeros((len(rows), basis.shape[1]))
    for t, graph in enumerate(model.graphs_):
        edges = (graph.matrix.T.tocsr() if side == "in" else graph.matrix)[rows].toarray()
        variances = (edges - edges @ basis @ dual) ** 2 / free
        own = variances @ basis**2
        if len(placer.bases):  # of an omnibus embedding
            others = variances @ placer.bases[t] ** 2
            own, common = variances @ (basis + placer.bases[t]) ** 2 - others, common + others
        if tau is not None:
            scale = inverse_power(edges.sum(axis=1) + tau)[:, None]
            y = edges @ basis * scale
            moved = variances.sum(axis=1)[:, None] * (y * scale / 2) ** 2 - y * scale * (variances @ basis)
            own = (own + moved) * scale**2
        squares.append(own)
    return np.sqrt(np.maximum(np.stack(squares) + common, 0.0))
