"""Networks as a sparse matrix with vertex names, or known by products only; `NewEdges`: new vertices as rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NoReturn, SupportsIndex, TypeAlias

import numpy as np
from scipy import sparse

from lpgraph._utils.estimators import Shown
from lpgraph.errors import ArgumentError
from lpgraph.linalg.room import check_memory
from lpgraph.linalg.sparse_structure import diagonal_of, rows_of

from .assemble import Rules, tidy_matrix
from .names import Named, as_labels, as_names, code_names, is_numbered, listed, names_at
from .vertex_values import in_order

if TYPE_CHECKING:
    from pathlib import Path

    import igraph
    import networkx as nx
    from numpy.typing import NDArray

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array, Flags, Integers
    from lpgraph.linalg.matvec import LinearMap

    from .names import Names
    from .observed import ObservedPairs


@dataclass(frozen=True, eq=False, repr=False)
class NewEdges(Shown):
    """m new vertices and their edges.

    Attributes
    ----------
    rows : csr_array of shape (m, n)
        Weights of edges from new vertices to the n known ones; of a directed graph, arcs from new to known.
    names : ndarray of shape (m,), or range
        Names of the new vertices.
    rows_in : csr_array of shape (m, n) or None
        Of a directed graph, weights of arcs from known to new, row i for new vertex i; None if not known.
    among : csr_array of shape (m, m) or None
        Weights of edges among the new vertices; None if there are none, or they are not known.
    only_rows : bool
        Whether edges among the new vertices are unknown, as when they are passed as rows.
    n_known : int
        Of a graph, edge list or mapping, the number of its vertices that are known; otherwise 0.
    n_ignored : int
        Number of edges between two known vertices, which belong to the known graph and are left out.
    covariates : csr_array of shape (m, R) or None
        Covariates of the new vertices, for an embedding that has those of the known ones.
    pairs, pairs_in : ObservedPairs or None
        Which entries of `rows` and of `rows_in` are observed; None if all are.
    networks : sequence of NewEdges
        Of several networks: the edges in each. The other fields are about all of them together.
    """

    rows: sparse.csr_array
    names: Names
    rows_in: sparse.csr_array | None = None
    among: sparse.csr_array | None = None
    only_rows: bool = False
    n_known: int = 0
    n_ignored: int = 0
    covariates: sparse.csr_array | None = None
    pairs: ObservedPairs | None = None
    pairs_in: ObservedPairs | None = None
    networks: Sequence[NewEdges] = ()

    def __len__(self) -> int:
        return len(self.names)

    @property
    def all_observed(self) -> bool:
        """Whether all pairs of new and known vertices were observed."""
        return self.pairs is None and self.pairs_in is None

    @property
    def has_known_neighbor(self) -> Flags:
        """Whether each new vertex has an edge to a known vertex, in either direction."""
        linked = np.diff(self.rows.indptr) > 0
        return linked if self.rows_in is None else linked | (np.diff(self.rows_in.indptr) > 0)

    def __repr__(self) -> str:
        m, n = self.rows.shape
        return f"NewEdges({m} vertices, {self.rows.nnz} edges to {n} known vertices)"

    def towards(self, direction: str) -> sparse.csr_array:
        """Return the rows of a direction: "out" for edges from the new vertices, "in" for arcs to them.

        Covariates follow the edges in each row.
        """
        rows = self.rows_in if direction == "in" and self.rows_in is not None else self.rows
        return rows if self.covariates is None else sparse.hstack([rows, self.covariates], format="csr")


def described(network: Network) -> str:
    """Return the text of a network."""
    kind = f"{'directed' if network.directed else 'undirected'}{', weighted' if network.weighted else ''}"
    return f"{type(network).__name__}({network.n_vertices} vertices, {network.n_edges} edges, {kind})"


def count_edges(network: Network) -> int:
    """Return the number of arcs or of undirected edges; a loop is one edge."""
    entries = int(network.product.nnz)
    return entries if network.directed else (entries + int(np.count_nonzero(network.diagonal))) // 2


def is_weighted(network: Network) -> bool:
    """Whether an edge has a weight other than 1."""
    return bool(network.product.nnz) and (network.lowest_weight, network.highest_weight) != (1.0, 1.0)


@dataclass(frozen=True, eq=False, repr=False)
class Adjacency(Named, Shown):
    """A graph as a sparse matrix and the names of its vertices.

    Usually created by `as_adjacency`, `from_edges` or `read_graph`.

    Attributes
    ----------
    matrix : csr_array of shape (n, n), float64
        Entry (i, j) is the weight of the edge from i to j. Canonical: sorted indices, no duplicates, no stored
        zeros; any other matrix that is passed is made so, in a copy. For an undirected graph both triangles are
        stored and the matrix is exactly symmetric. A loop of weight w is w on the diagonal, once. Do not write to
        it.
    names : ndarray of shape (n,) of int64 or object, or range
        Vertex names in the input's own order: integers, or Python objects such as texts; ``range(n)`` where the
        input has none, or has these. The array cannot be changed; ``names.tolist()`` is a list. A sequence of
        unique hashables can be passed.
    directed : bool
        Whether entry (i, j) is an arc from i to j; otherwise it is the edge between i and j.
    vertex_attributes : mapping of str to sequence
        Further attributes of the vertices, each a sequence of n values. A mapping from names to values, or a
        pandas Series whose index has the names, is brought into the order of the vertices.
    store : Path or None
        The folder of the edge store that the graph was opened from; see `lpgraph.scale.open_store`.
    transposed : csr_array or None
        The transpose of the matrix, of a directed edge store, which has both.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.from_edges(["a", "b", "b"], ["b", "c", "c"])
    >>> graph
    Adjacency(3 vertices, 2 edges, undirected, weighted)
    >>> graph.names
    array(['a', 'b', 'c'], dtype=object)
    >>> graph.matrix.toarray()
    array([[0., 1., 0.],
           [1., 0., 2.],
           [0., 2., 0.]])
    """

    matrix: sparse.csr_array
    names: Names
    directed: bool = False
    vertex_attributes: Mapping[str, Sequence[object]] = field(default_factory=dict)
    store: Path | None = field(default=None, init=False)
    transposed: sparse.csr_array | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        matrix, _ = tidy_matrix(self.matrix, self.directed, Rules(), "matrix")
        vars(self).update(matrix=matrix, names=as_names(self.names, matrix.shape[0]))
        self._read_attributes()

    @classmethod
    def of_canonical(
        cls,
        matrix: sparse.csr_array,
        names: Names,
        directed: bool,
        vertex_attributes: Mapping[str, Sequence[object]] | None = None,
    ) -> Adjacency:
        """Return a graph without a check of its matrix, which this package has just made or checked."""
        graph = cls.__new__(cls)
        attributes = vertex_attributes or {}
        vars(graph).update(matrix=matrix, names=names, directed=directed, vertex_attributes=attributes)
        graph._read_attributes()
        return graph

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[object, ...]:
        # The arrays of an edge store stay on the disk: it is opened again, as `open_store` has noted.
        return vars(self).get("_opened_by") or super().__reduce_ex__(protocol)

    def _read_attributes(self) -> None:
        n, columns = len(self.names), {}
        for key, values in self.vertex_attributes.items():
            columns[key] = in_order(values, self.names, f"vertex_attributes[{key!r}]")
            if len(columns[key]) != n:
                raise ArgumentError(f"vertex_attributes[{key!r}] has {len(columns[key])} values; pass {n}.")
        vars(self).update(vertex_attributes=columns)

    n_edges = cached_property(count_edges)
    weighted = property(is_weighted)
    __repr__ = described

    def __len__(self) -> int:
        return len(self.names)

    @property
    def shape(self) -> tuple[int, int]:
        """The shape (n, n) of the matrix."""
        return len(self.names), len(self.names)

    #: Otherwise Python would iterate over row numbers.
    __iter__: ClassVar[None] = None

    def __array__(self, dtype: object = None, copy: object = None) -> NDArray[np.object_]:
        found = np.empty((), dtype=object)  # for numpy a graph is one object, not a sequence
        found[()] = self
        return found

    def __getitem__(self, block: tuple[Integers, Integers]) -> Adjacency | NewEdges:
        """Return the part of the graph that cross-validation of scikit-learn trains on, or tests with.

        Parameters
        ----------
        block : pair of ndarray of shape (m, 1) and (1, k)
            ``numpy.ix_(rows, columns)``.

        Returns
        -------
        Adjacency or NewEdges
            If the rows are the columns, the induced subgraph, as by `take`. Otherwise the vertices of the rows as
            new vertices, with their edges in both directions to the vertices of the columns only.

        Raises
        ------
        ArgumentError
            If `block` is anything else: rows alone say nothing of the vertices that their edges lead to.

        Examples
        --------
        >>> import numpy as np
        >>> import lpgraph as lp
        >>> graph = lp.from_edges(["a", "b", "c"], ["b", "c", "d"])
        >>> graph[np.ix_([0, 1, 2], [0, 1, 2])]
        Adjacency(3 vertices, 2 edges, undirected)
        >>> graph[np.ix_([3], [0, 1, 2])]
        NewEdges(1 vertices, 1 edges to 3 known vertices)
        """
        sides = block if isinstance(block, tuple) else ()
        if [np.ndim(side) for side in sides] != [2, 2]:
            raise ArgumentError("A graph is indexed by numpy.ix_(rows, columns) only; pass names to subgraph.")
        rows, columns = (np.ravel(side) for side in sides)
        if np.array_equal(rows, columns):
            return self.take(rows)
        rows_in = self.matrix[columns][:, rows].T.tocsr() if self.directed else None
        return NewEdges(self.matrix[rows][:, columns], names_at(self.names, rows), rows_in, only_rows=True)

    @cached_property
    def degrees(self) -> Array:
        """Row sums of the matrix: weighted degrees, or out-degrees of a directed graph."""
        return np.asarray(self.matrix.sum(axis=1), dtype=np.float64)

    @cached_property
    def in_degrees(self) -> Array:
        """Column sums of the matrix; equal to `degrees` unless the graph is directed."""
        if self.transposed is not None:  # of a store, whose weights a sum over columns would copy
            return np.asarray(self.transposed.sum(axis=1), dtype=np.float64)
        return np.asarray(self.matrix.sum(axis=0), dtype=np.float64) if self.directed else self.degrees

    @property
    def diagonal(self) -> Array:
        """Weights of the loops."""
        return diagonal_of(self.matrix)

    @cached_property
    def lowest_weight(self) -> float:
        """The lowest edge weight; 0 without edges."""
        return float(self.matrix.data.min()) if self.matrix.nnz else 0.0

    @cached_property
    def highest_weight(self) -> float:
        """The highest edge weight; 0 without edges."""
        return float(self.matrix.data.max()) if self.matrix.nnz else 0.0

    @property
    def product(self) -> sparse.csr_array:
        """The matrix, for products with vectors; methods use this and not `matrix`, see `Network`."""
        return self.matrix

    #: As sampled graphs call the matrix.
    adjacency = product

    def check_room(self, each: int, what: str) -> None:
        """Raise StoreError if the matrix is on the disk, and so many bytes for each entry are not free."""
        if self.store is not None:
            remedy = "pass a number of dimensions, a part of the network, or use a machine with more memory"
            check_memory(each * self.matrix.nnz, f"{what} of {self!r}", remedy)

    def rows(self, index: Integers) -> sparse.csr_array:
        """Return some rows of the matrix."""
        return self.matrix[index] if self.store is None else rows_of(self.matrix, index)

    def with_diagonal(self, diagonal: Array) -> Adjacency:
        """Return the graph with other weights of loops."""
        changed = self.matrix + sparse.diags_array(diagonal - self.diagonal)
        return Adjacency.of_canonical(changed, self.names, self.directed, self.vertex_attributes)

    def subgraph(self, vertices: Iterable[Hashable]) -> Adjacency:
        """Return the induced subgraph on the given vertices, in the given order.

        Parameters
        ----------
        vertices : iterable of hashable
            Names of vertices, without repetition.

        Raises
        ------
        UnknownVertexError
            When a name is not a vertex.
        ArgumentError
            When a name is given twice, or none is given.

        Examples
        --------
        >>> import lpgraph as lp
        >>> lp.from_edges(["a", "b"], ["b", "c"]).subgraph(["c", "a"]).names
        array(['c', 'a'], dtype=object)
        """
        names = as_names(vertices, argument="vertices")
        if len(names) == 0:
            raise ArgumentError("vertices is empty; name at least one vertex.")
        return self.take(code_names(as_labels(names, "vertices"), self.index))

    def take(self, rows: Integers) -> Adjacency:
        """Return the induced subgraph on the given rows, in the given order."""
        matrix = self.matrix[rows][:, rows]
        matrix.sort_indices()
        attributes = {key: [values[i] for i in rows] for key, values in self.vertex_attributes.items()}
        return Adjacency.of_canonical(matrix, names_at(self.names, rows), self.directed, attributes)

    def edge_list(self) -> tuple[Integers, Integers, Array]:
        """Return sources and targets (as rows) and weights; undirected edges occur once, with source <= target."""
        kept = self.matrix if self.directed else sparse.triu(self.matrix, format="csr")
        entries = kept.tocoo()
        source, target = entries.coords
        return source.astype(np.intp, copy=False), target.astype(np.intp, copy=False), entries.data

    def named_edges(self) -> dict[str, list[Foreign]]:
        """Return the columns source and target by name and, if the graph is weighted, weight."""
        names, (source, target, weight) = listed(self.names), map(np.ndarray.tolist, self.edge_list())
        columns = {"source": [names[i] for i in source], "target": [names[j] for j in target]}
        return columns | ({"weight": weight} if self.weighted else {})

    def to_networkx(self) -> nx.Graph[Hashable]:
        """Return a networkx Graph or DiGraph, with edge attribute ``weight`` if the graph is weighted.

        Examples
        --------
        >>> import lpgraph as lp
        >>> lp.from_edges(["a", "b"], ["b", "c"]).to_networkx().edges
        EdgeView([('a', 'b'), ('b', 'c')])
        """
        import networkx as nx

        graph: nx.Graph[Hashable] = nx.DiGraph() if self.directed else nx.Graph()
        names = listed(self.names)
        graph.add_nodes_from(names)
        for key, values in self.vertex_attributes.items():
            nx.set_node_attributes(graph, dict(zip(names, values, strict=True)), key)
        add = graph.add_weighted_edges_from if self.weighted else graph.add_edges_from
        add(zip(*self.named_edges().values(), strict=True))
        return graph

    def to_igraph(self) -> igraph.Graph:
        """Return an igraph Graph, with edge attribute ``weight`` if the graph is weighted.

        Vertex names, unless they are 0 ... n-1, become the vertex attribute ``name``.
        igraph finds a vertex by name when names are strings; other names are kept as they are in ``name``.

        Examples
        --------
        >>> import lpgraph as lp
        >>> lp.from_edges(["a", "b"], ["b", "c"]).to_igraph().vs["name"]
        ['a', 'b', 'c']
        """
        import igraph

        source, target, weight = self.edge_list()
        graph = igraph.Graph(
            n=self.n_vertices, edges=np.column_stack((source, target)), directed=bool(self.directed)
        )
        for key, values in self.vertex_attributes.items():
            graph.vs[key] = list(values)
        if not is_numbered(self.names):
            graph.vs["name"] = listed(self.names)
        if self.weighted:
            graph.es["weight"] = weight.tolist()
        return graph


@dataclass(frozen=True, eq=False, repr=False)
class ProductNetwork(Named):
    """A network of which only size, degrees, weights and products with vectors are known; as a `Network`.

    Attributes
    ----------
    product : LinearMap
        The adjacency matrix.
    names : ndarray or range
        Names of the vertices.
    directed : bool
        Whether edges are arcs.
    degrees, in_degrees, diagonal : ndarray of shape (n,)
        As of `Adjacency`.
    lowest_weight, highest_weight : float
        As of `Network`.
    store : Path or None
        The edge store that it was opened from.
    """

    product: LinearMap
    names: Names
    directed: bool
    degrees: Array
    in_degrees: Array
    diagonal: Array
    lowest_weight: float
    highest_weight: float
    store: Path | None = None

    n_edges = cached_property(count_edges)
    weighted = property(is_weighted)
    __repr__ = described

    @property
    def transposed(self) -> LinearMap:
        """The transpose of `product`."""
        return self.product.T

    @property
    def matrix(self) -> NoReturn:
        """Raise an error: the entries are not available."""
        self._refuse()

    def _refuse(self, *_: object) -> NoReturn:
        """Raise: rows are not at hand, and the matrix cannot be copied or changed."""
        raise self.needs("the entries of the adjacency matrix")

    rows = check_room = with_diagonal = _refuse

    def needs(self, what: str) -> ArgumentError:
        """Return the error of a method that needs more than products."""
        return ArgumentError(
            f"This method needs {what}, and of {self!r} only products and degrees are known. Use "
            "AdjacencySpectralEmbedding, LaplacianSpectralEmbedding, ModularityEmbedding or RandomWalkEmbedding "
            "with a number as n_components, or open the store by lpgraph.scale.open_store."
        )


#: A network as methods see it. They use `product`, `degrees`, `in_degrees`, `diagonal` and `transposed` for the
#: operators of the spectral core, and `rows` or `matrix` only where products do not do.
Network: TypeAlias = "Adjacency | ProductNetwork"
