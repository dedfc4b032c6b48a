"""Graphs sampled from a latent position model, and new vertices for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from lpgraph._checks import check_count, check_generator
from lpgraph._html import Shown, shortened
from lpgraph.errors import ArgumentError
from lpgraph.models.matrices import EdgeModel, Vertices, sample_among, sample_between, upper

if TYPE_CHECKING:
    import igraph
    import networkx as nx
    from numpy.typing import ArrayLike, NDArray
    from scipy import sparse

    from lpgraph.models.positions.base import Positions

__all__ = ["GraphPair", "LatentPositionGraph", "NewVertices"]


class GraphModel(EdgeModel, Protocol):
    """The attributes of a `LatentPositionModel` that its graphs use."""

    positions: Positions

    def probabilities(self, x: ArrayLike, y: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the edge probabilities of pairs of positions."""


@dataclass(frozen=True, eq=False, repr=False)
class LatentPositionGraph(Shown):
    """A graph sampled from a `LatentPositionModel`, with its positions.

    Attributes
    ----------
    matrix : csr_array of shape (n, n)
        The adjacency matrix, symmetric unless the model is directed. Entries are 0.0 and 1.0, or edge weights if
        the model has them. The diagonal is zero unless the model has loops.
    positions : ndarray of shape (n, p)
    labels : ndarray of shape (n,) or None
        Blocks or components, if the source of the positions has labels.
    model : LatentPositionModel

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([3, 2], [[0.9, 0.1], [0.1, 0.9]], random_state=0)
    >>> graph.adjacency.shape, graph.labels.tolist()
    ((5, 5), [0, 0, 0, 1, 1])
    >>> float(graph.probabilities()[0, 3])
    0.1
    """

    matrix: sparse.csr_array
    positions: NDArray[np.float64]
    labels: NDArray[np.generic] | None
    model: GraphModel

    def __repr__(self) -> str:
        counts = f"n_vertices={self.n_vertices}, n_edges={self.n_edges}"
        return f"LatentPositionGraph({counts}, directed={self.directed})"

    def _facts(self) -> list[tuple[str, str]]:
        return [
            ("vertices", f"{self.n_vertices:,}"),
            ("arcs" if self.directed else "edges", f"{self.n_edges:,}"),
            ("kind", "directed" if self.directed else "undirected"),
            ("mean degree", f"{self.matrix.nnz / max(self.n_vertices, 1):.4g}"),
            ("kernel", shortened(type(self.model.kernel).__name__)),
            ("positions", "{:,} x {}".format(*self.positions.shape)),
            ("sparsity", f"{self.model.sparsity:.4g}"),
            ("labels", "none" if self.labels is None else "one for each vertex"),
        ]

    @property
    def adjacency(self) -> sparse.csr_array:
        """The adjacency matrix: the same as `matrix`."""
        return self.matrix

    @property
    def directed(self) -> bool:
        """Whether the graph is directed."""
        return self.model.directed

    @property
    def n_vertices(self) -> int:
        """The number of vertices."""
        return int(self.matrix.shape[0])

    @property
    def n_edges(self) -> int:
        """The number of edges, or of arcs if directed; a loop is one edge."""
        if self.directed:
            return int(self.matrix.nnz)
        return int(self.matrix.nnz + np.count_nonzero(self.matrix.diagonal())) // 2

    @property
    def weighted(self) -> bool:
        """Whether the model draws edge weights."""
        return self.model.edge_weights is not None

    def probabilities(self) -> NDArray[np.float64]:
        """Return the dense (n, n) matrix of edge probabilities; its diagonal is used only if there are loops."""
        return self.model.probabilities(self.positions)

    def new_vertices(
        self, m: int | None = None, *, random_state: object = None, positions: ArrayLike | None = None
    ) -> NewVertices:
        """Sample new (out-of-sample) vertices, with their edges to this graph and among themselves.

        Row i of the result's ``adjacency`` is the vector xi of Definition 1 for the i-th new vertex: given
        all positions, independent Bernoulli variables with probabilities ``sparsity * kernel(X, X_j)``. Edges have
        weights, and new vertices loops, if the model has them.

        Parameters
        ----------
        m : int, optional
            Number of new vertices; not needed with `positions`.
        random_state : int, Generator or None
            Use a different seed from the graph's.
        positions : array_like of shape (m, p), optional
            Their positions. Default: drawn as described in `LatentPositionModel`.

        Returns
        -------
        NewVertices

        References
        ----------
        Tang, Park & Priebe (2013), Definition 1.

        Examples
        --------
        >>> import lpgraph as lp
        >>> graph = lp.stochastic_block_model([60, 40], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
        >>> new = graph.new_vertices(10, random_state=1)
        >>> new.adjacency.shape, new.among.shape, new.labels.shape
        ((10, 100), (10, 10), (10,))
        """
        rng, model = check_generator(random_state), self.model
        labels = None
        if positions is not None:
            x = model.kernel.prepare(positions)
            if x.shape[1] != self.positions.shape[1]:
                raise ArgumentError(
                    f"positions has {x.shape[1]} columns; pass {self.positions.shape[1]}, as in the graph."
                )
            if m is not None and check_count("m", m) != len(x):
                raise ArgumentError(f"m={m} but positions has {len(x)} rows; pass m={len(x)} or m=None.")
        elif m is None:
            raise ArgumentError(
                "m=None and positions=None; pass the number m of new vertices, or their positions."
            )
        else:
            drawn, labels = model.positions.more(check_count("m", m), self.n_vertices, rng)
            x = model.kernel.prepare(drawn)
        new, known = Vertices(x, labels), Vertices(self.positions, self.labels)
        outward = sample_between(model, new, known, rng)
        inward = sample_between(model, known, new, rng).T.tocsr() if self.directed else None
        among = sample_among(model, new, rng)
        return NewVertices(outward, inward, among, x, labels)

    def to_networkx(self) -> nx.Graph[int]:
        """Return a networkx Graph or DiGraph with nodes 0 ... n-1 and node attributes ``position`` and ``label``.

        Edges have the attribute ``weight`` if the model draws weights.

        Examples
        --------
        >>> import lpgraph as lp
        >>> lp.random_dot_product_graph([[0.9], [0.8]], random_state=0).to_networkx().nodes(data=True)
        NodeDataView({0: {'position': (0.9,)}, 1: {'position': (0.8,)}})
        """
        import networkx as nx

        graph: nx.Graph[int] = nx.DiGraph() if self.directed else nx.Graph()
        positions = [tuple(row) for row in self.positions.tolist()]
        graph.add_nodes_from((i, {"position": position}) for i, position in enumerate(positions))
        if self.labels is not None:
            nx.set_node_attributes(graph, dict(enumerate(self.labels.tolist())), "label")
        source, target, weights = self._edges()
        edges = zip(source.tolist(), target.tolist(), strict=True)
        if self.weighted:
            graph.add_weighted_edges_from((*edge, w) for edge, w in zip(edges, weights.tolist(), strict=True))
        else:
            graph.add_edges_from(edges)
        return graph

    def to_igraph(self) -> igraph.Graph:
        """Return an igraph Graph with vertex attributes ``position`` and ``label``.

        Edges have the attribute ``weight`` if the model draws weights.

        Examples
        --------
        >>> import lpgraph as lp
        >>> lp.erdos_renyi(50, 0.1, random_state=0).to_igraph().vcount()
        50
        """
        import igraph

        source, target, weights = self._edges()
        graph = igraph.Graph(self.n_vertices, np.column_stack([source, target]), directed=self.directed)
        if self.weighted:
            graph.es["weight"] = weights.tolist()
        graph.vs["position"] = [tuple(row) for row in self.positions.tolist()]
        if self.labels is not None:
            graph.vs["label"] = self.labels.tolist()
        return graph

    def _edges(self) -> tuple[NDArray[np.integer], NDArray[np.integer], NDArray[np.float64]]:
        """Return sources, targets and weights of the edges, each edge once."""
        entries = (self.matrix if self.directed else upper(self.matrix)).tocoo()
        source, target = entries.coords
        return source, target, entries.data


class GraphPair(NamedTuple):
    """Two graphs with correlated edges, from `LatentPositionModel.sample_pair`.

    Attributes
    ----------
    first, second : LatentPositionGraph
        Graphs on the same vertices, with the same positions, labels and model.

    Examples
    --------
    >>> import lpgraph as lp
    >>> first, second = lp.correlated_erdos_renyi(100, 0.5, 1.0, random_state=0)
    >>> (first.adjacency != second.adjacency).nnz
    0
    """

    first: LatentPositionGraph
    second: LatentPositionGraph


@dataclass(frozen=True, eq=False, repr=False)
class NewVertices(Shown):
    """New vertices of a `LatentPositionGraph`, from `LatentPositionGraph.new_vertices`.

    Attributes
    ----------
    adjacency : csr_array of shape (m, n)
        Edges from new vertices (rows) to those of the graph (columns).
    adjacency_in : csr_array of shape (m, n) or None
        In a directed graph, entry (i, j) is the arc from vertex j of the graph to new vertex i.
    among : csr_array of shape (m, m)
        Edges among the new vertices; the diagonal is zero unless the model has loops.
    positions : ndarray of shape (m, p)
    labels : ndarray of shape (m,) or None

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([30, 20], [[0.9, 0.1], [0.1, 0.9]], random_state=0)
    >>> new = graph.new_vertices(4, random_state=1)
    >>> new.adjacency.shape, new.among.shape, new.labels.shape
    ((4, 50), (4, 4), (4,))
    """

    adjacency: sparse.csr_array
    adjacency_in: sparse.csr_array | None
    among: sparse.csr_array
    positions: NDArray[np.float64]
    labels: NDArray[np.generic] | None

    def __repr__(self) -> str:
        m, n = self.adjacency.shape
        return f"NewVertices({m} vertices, {self.adjacency.nnz} edges to {n} vertices, {self._among} among them)"

    @property
    def _among(self) -> int:
        """The number of edges, or of arcs if directed, among the new vertices."""
        return int(self.among.nnz) // (2 if self.adjacency_in is None else 1)

    def _facts(self) -> list[tuple[str, str]]:
        m, n = self.adjacency.shape
        directed = self.adjacency_in is not None
        facts = [
            ("new vertices", f"{m:,}"),
            ("known vertices", f"{n:,}"),
            ("arcs to known vertices" if directed else "edges to known vertices", f"{self.adjacency.nnz:,}"),
            ("edges among new vertices", f"{self._among:,}"),
            ("positions", "{:,} x {}".format(*self.positions.shape)),
            ("labels", "none" if self.labels is None else "one for each vertex"),
        ]
        if self.adjacency_in is not None:
            facts.insert(3, ("arcs from known vertices", f"{self.adjacency_in.nnz:,}"))
            facts[4] = ("arcs among new vertices", f"{self._among:,}")
        return facts
