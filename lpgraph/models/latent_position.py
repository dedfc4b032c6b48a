"""The latent position model LPM(X, F, kappa, rho), its graphs, and new vertices for them.

**Correlated graphs.** Given an edge of probability p in the first graph, the second has it with probability
p + rho (1 - p); given none, with probability p (1 - rho). Its marginal probability is
p (p + rho (1 - p)) + (1 - p) p (1 - rho) = p, and the covariance is p (p + rho (1 - p)) - p^2 = rho p (1 - p). The
edges that the first graph does not have are those of a third graph, drawn with probabilities p (1 - rho), outside
the edges of the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_count, check_flag, check_generator, check_real
from lpgraph.errors import ArgumentError

from .bernoulli import sample_edges
from .edge_weights import EdgeSet, as_edge_weights
from .kernels import Kernel, as_kernel
from .positions import as_positions
from .probabilities import Probabilities, probabilities_at

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import igraph
    import networkx as nx
    from numpy.random import Generator
    from numpy.typing import ArrayLike, NDArray

    from lpgraph._utils.types import Array
    from lpgraph.graph.adjacency import Adjacency


class LatentPositionModel:
    """A random graph whose edge probabilities are a kernel of latent positions.

    Positions X_1, ..., X_n come from `positions`. Given the positions, edges are independent, and vertices i != j
    are joined with probability ``sparsity * kernel(X_i, X_j)``. The adjacency matrix is
    symmetric unless `directed`; then both arcs of a pair are drawn independently, arc i -> j with probability
    ``sparsity * kernel(X_i, X_j)``. An arc is then reciprocated as often as the reverse arc occurs: in a sparse
    graph rarely, also where a real network has many reciprocated arcs.

    With `loops`, vertex i also has a loop with probability ``sparsity * kernel(X_i, X_i)``. With `edge_weights`,
    each edge has a random weight.

    Parameters
    ----------
    kernel : Kernel or callable
        One of `lpgraph.kernels`, or a function ``f(x, y) -> (n, m)`` of positions (n, p) and (m, p). Sampling
        takes O(n^2) time and bounded memory for a function, and time proportional to the edges for a kernel.
    positions : array_like, distribution, callable or Positions
        An array (n, p) or (n,), a ``scipy.stats`` distribution, a function ``f(n, rng)`` that returns positions
        or (positions, labels), or one of `lpgraph.positions`. With an array, ``sample()`` uses all rows and
        ``sample(n)`` the first n; new vertices use the following rows, or rows drawn with replacement if all
        rows are in the sample.
    sparsity : float
        The factor rho in (0, 1].
    directed : bool
        Whether to draw arcs. An undirected graph needs a symmetric kernel. The symmetry of a function is checked
        on the first 32 positions.
    loops : bool
        Whether to draw loops. A loop is one entry on the diagonal of the adjacency matrix.
    edge_weights : EdgeWeights or callable, optional
        One of `lpgraph.weights`, or a function ``f(edges, rng)`` that returns a weight for each of ``len(edges)``
        edges; see `lpgraph.weights.EdgeSet` for what it knows of the edges. Default: all edges have weight 1.

    References
    ----------
    Tang, Park & Priebe (2013), "Out-of-sample extension for latent position graphs", Section 2.

    Examples
    --------
    A random dot product graph on the simplex, and three new vertices:

    >>> import lpgraph as lp
    >>> model = lp.LatentPositionModel(lp.kernels.DotProduct(), lp.positions.Dirichlet([1.0, 1.0, 1.0]))
    >>> graph = model.sample(500, random_state=0)
    >>> graph
    LatentPositionGraph(n_vertices=500, n_edges=41583, directed=False)
    >>> graph.new_vertices(3, random_state=1).adjacency.shape
    (3, 500)
    """

    def __init__(
        self,
        kernel: object,
        positions: object,
        *,
        sparsity: float = 1.0,
        directed: bool = False,
        loops: bool = False,
        edge_weights: object = None,
    ) -> None:
        self.kernel: Kernel = as_kernel(kernel)
        self.positions = as_positions(positions)
        self.sparsity = check_real("sparsity", sparsity, low=0, high=1, open_low=True)
        self.directed = check_flag("directed", directed)
        if not self.directed and not self.kernel.symmetric:
            raise ArgumentError("kernel is not symmetric; pass directed=True or a symmetric kernel.")
        self.loops = check_flag("loops", loops)
        self.edge_weights = as_edge_weights(edge_weights)
        if not self.directed and self.edge_weights is not None and not self.edge_weights.symmetric:
            raise ArgumentError("edge_weights is not symmetric; pass directed=True or a symmetric matrix.")

    def __repr__(self) -> str:
        return f"LatentPositionModel({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"

    def probabilities(self, x: ArrayLike, y: ArrayLike | None = None) -> Array:
        """Return the dense matrix ``sparsity * kernel(x, y)``; for ``y=None``, the matrix K of the paper.

        Parameters
        ----------
        x, y : array_like of shape (n, p), (m, p)
            Positions; ``y=None`` means ``y=x``.

        Returns
        -------
        ndarray of shape (n, m)
            For ``y=None`` the diagonal also has the kernel's values, although it is used only with `loops`.

        Raises
        ------
        ProbabilityError
            If the value of a pair is outside [0, 1]. For ``y=None`` the diagonal is checked only with `loops`.

        Examples
        --------
        >>> import lpgraph as lp
        >>> model = lp.LatentPositionModel(lp.kernels.DotProduct(), [[0.5], [1.0]], sparsity=0.5)
        >>> model.probabilities([0.5, 1.0])
        array([[0.125, 0.25 ],
               [0.25 , 0.5  ]])
        """
        rows = self.kernel.prepare(x, "x")
        columns = rows if y is None else self.kernel.prepare(y, "y")
        hollow = y is None and not self.loops
        p = Probabilities(self.kernel, self.sparsity, rows, columns, hollow).block(slice(None), slice(None))
        if hollow:
            np.fill_diagonal(p, self.sparsity * self.kernel(rows, rows).diagonal())
        return p

    def sample(self, n: int | None = None, *, random_state: object = None) -> LatentPositionGraph:
        """Sample a graph.

        Parameters
        ----------
        n : int, optional
            The number of vertices; not needed if `positions` has it (an array, block sizes).
        random_state : int, Generator or None
            The same seed gives the same graph.

        Returns
        -------
        LatentPositionGraph

        Raises
        ------
        ProbabilityError
            If the probability of a pair is outside [0, 1]. Values above 1 and NaN are always found. Negative
            values may be missed only in graphs of more than 4096 vertices, if the kernel's bounds allow negative
            values and they are rare.

        Notes
        -----
        Edges are exact Bernoulli variables. Time and memory are O(n + edges) for the kernels of this library if
        the probabilities vary moderately with the positions; see `lpgraph.models.bernoulli`.

        Examples
        --------
        >>> import scipy.stats, lpgraph as lp
        >>> model = lp.LatentPositionModel(lp.kernels.Gaussian(0.1), scipy.stats.uniform(), sparsity=0.5)
        >>> model.sample(100, random_state=0).adjacency.shape
        (100, 100)
        """
        rng = check_generator(random_state)
        vertices = self._draw_vertices(n, rng)
        return LatentPositionGraph(sample_among(self, vertices, rng), *vertices, self)

    def sample_pair(self, rho: float, n: int | None = None, *, random_state: object = None) -> GraphPair:
        """Sample two graphs on the same vertices with correlated edges.

        Both graphs have the distribution of `sample`. The two entries of a pair of vertices (if directed, of
        an arc) have the correlation `rho`. They are independent of all other entries.

        Parameters
        ----------
        rho : float
            Between 0 and 1.
        n : int, optional
            The number of vertices, as in `sample`.
        random_state : int, Generator or None

        Returns
        -------
        GraphPair
            A named tuple of the graphs ``first`` and ``second``, with the same positions and labels. Edge weights
            are drawn independently.

        Raises
        ------
        ArgumentError
            If rho is out of range.
        ProbabilityError
            If the probability of a pair is outside [0, 1].

        Notes
        -----
        An edge of the first graph is kept in the second with probability ``p + rho (1 - p)``, and each other pair
        is joined with probability ``p (1 - rho)``. Time is proportional to vertices and edges.

        References
        ----------
        Lyzinski, V., Fishkind, D. E. & Priebe, C. E. (2014), "Seeded graph matching for correlated Erdos-Renyi
        graphs", Journal of Machine Learning Research 15.

        Examples
        --------
        >>> import numpy as np, lpgraph as lp
        >>> model = lp.LatentPositionModel(lp.kernels.BlockMatrix([[0.2]]), np.zeros(300))
        >>> pair = model.sample_pair(0.6, random_state=0)
        >>> pair.first.n_edges, pair.second.n_edges
        (9032, 9001)
        >>> both = pair.first.adjacency.multiply(pair.second.adjacency).nnz // 2
        >>> round(both / pair.first.n_edges, 2)  # 0.2 + 0.6 * 0.8
        0.68
        """
        rho = check_real("rho", rho, low=0, high=1)
        rng = check_generator(random_state)
        vertices = self._draw_vertices(n, rng)
        pair = [weighted(self, edges, vertices, None, rng) for edges in _correlated(self, vertices, rho, rng)]
        return GraphPair(*(LatentPositionGraph(edges, *vertices, self) for edges in pair))

    def _draw_vertices(self, n: int | None, rng: Generator) -> Vertices:
        """Return the positions and labels of a sample."""
        drawn, labels = self.positions.initial(None if n is None else check_count("n", n), rng)
        positions = self.kernel.prepare(drawn)
        few = self.kernel(positions[:32], positions[:32])
        if not self.directed and not np.allclose(few, few.T, rtol=1e-9, atol=1e-12, equal_nan=True):
            raise ArgumentError("kernel is not symmetric; pass directed=True or a symmetric kernel.")
        return Vertices(positions, labels)


@dataclass(frozen=True, eq=False, repr=False)
class LatentPositionGraph:
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
    positions: Array
    labels: NDArray[np.generic] | None
    model: LatentPositionModel

    def __repr__(self) -> str:
        counts = f"n_vertices={self.n_vertices}, n_edges={self.n_edges}"
        return f"LatentPositionGraph({counts}, directed={self.directed})"

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
        return len(self.positions)

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

    def probabilities(self) -> Array:
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
                raise ArgumentError(f"positions has {x.shape[1]} columns; pass {self.positions.shape[1]}.")
            if m is not None and check_count("m", m) != len(x):
                raise ArgumentError(f"m={m} but positions has {len(x)} rows; pass m={len(x)} or m=None.")
        elif m is None:
            raise ArgumentError("m=None and positions=None; pass the number m of new vertices, or positions.")
        else:
            drawn, labels = model.positions.more(check_count("m", m), self.n_vertices, rng)
            x = model.kernel.prepare(drawn)
        new, known = Vertices(x, labels), Vertices(self.positions, self.labels)
        outward = sample_between(model, new, known, rng)
        inward = sample_between(model, known, new, rng).T.tocsr() if self.directed else None
        among = sample_among(model, new, rng)
        return NewVertices(outward, inward, among, x, labels)

    def to_networkx(self) -> nx.Graph[Hashable]:
        """Return a networkx Graph or DiGraph with nodes 0 ... n-1 and node attributes ``position`` and ``label``.

        Edges have the attribute ``weight`` if the model draws weights.

        Examples
        --------
        >>> import lpgraph as lp
        >>> lp.random_dot_product_graph([[0.9], [0.8]], random_state=0).to_networkx().nodes(data=True)
        NodeDataView({0: {'position': (0.9,)}, 1: {'position': (0.8,)}})
        """
        return self._as_adjacency().to_networkx()

    def to_igraph(self) -> igraph.Graph:
        """Return an igraph Graph with vertex attributes ``position`` and ``label``.

        Edges have the attribute ``weight`` if the model draws weights.

        Examples
        --------
        >>> import lpgraph as lp
        >>> lp.erdos_renyi(50, 0.1, random_state=0).to_igraph().vcount()
        50
        """
        return self._as_adjacency().to_igraph()

    def _as_adjacency(self) -> Adjacency:
        from lpgraph.graph.adjacency import Adjacency

        attributes: dict[str, Sequence[object]] = {"position": [tuple(row) for row in self.positions.tolist()]}
        if self.labels is not None:
            attributes["label"] = self.labels.tolist()
        return Adjacency(self.matrix, range(self.n_vertices), self.directed, attributes)


class GraphPair(NamedTuple):
    """Two graphs with correlated edges, from `LatentPositionModel.sample_pair`.

    Attributes
    ----------
    first, second : LatentPositionGraph
        Graphs on the same vertices, with the same positions, labels and model.

    Examples
    --------
    >>> import lpgraph as lp
    >>> model = lp.LatentPositionModel(lp.kernels.BlockMatrix([[0.5]]), [0] * 100)
    >>> first, second = model.sample_pair(1.0, random_state=0)
    >>> (first.adjacency != second.adjacency).nnz
    0
    """

    first: LatentPositionGraph
    second: LatentPositionGraph


@dataclass(frozen=True, eq=False, repr=False)
class NewVertices:
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
    positions: Array
    labels: NDArray[np.generic] | None

    def __repr__(self) -> str:
        m, n = self.adjacency.shape
        return f"NewVertices({m} vertices, {self.adjacency.nnz} edges to {n} vertices)"


class Vertices(NamedTuple):
    """Vertices of a model: positions (n, p) as ``kernel.prepare`` returns them, and labels (n,) or None."""

    positions: Array
    labels: NDArray[np.generic] | None


def sample_among(model: LatentPositionModel, vertices: Vertices, rng: Generator) -> sparse.csr_array:
    """Return the (n, n) adjacency matrix of some vertices, with weights if the model has them."""
    return weighted(model, unweighted(model, vertices, rng, model.sparsity), vertices, None, rng)


def sample_between(
    model: LatentPositionModel, rows: Vertices, columns: Vertices, rng: Generator
) -> sparse.csr_array:
    """Return the (n, m) matrix of edges from vertices `rows` to other vertices `columns`."""
    edges = sample_edges(model.kernel, model.sparsity, (rows.positions, columns.positions), rng)
    return weighted(model, edges, rows, columns, rng)


def unweighted(
    model: LatentPositionModel, vertices: Vertices, rng: Generator, sparsity: float
) -> sparse.csr_array:
    """Return a 0/1 adjacency matrix, drawn with another sparsity than the model's."""
    x = vertices.positions
    edges = sample_edges(model.kernel, sparsity, (x, None), rng, directed=model.directed)
    if not model.loops:
        return edges
    every = np.arange(len(x))
    hit = rng.random(len(x)) < probabilities_at(model.kernel, sparsity, x, x, every, every)
    return sparse.csr_array(edges + sparse.diags_array(hit.astype(np.float64), format="csr"))


def weighted(
    model: LatentPositionModel,
    edges: sparse.csr_array,
    rows: Vertices,
    columns: Vertices | None,
    rng: Generator,
) -> sparse.csr_array:
    """Return 0/1 `edges` with drawn weights; ``columns=None`` means edges among the rows."""
    if model.edge_weights is None:
        return edges
    mirror = columns is None and not model.directed
    once = upper(edges) if mirror else edges.copy()
    i, j = once.tocoo().coords
    ends = rows if columns is None else columns
    drawn = EdgeSet(i, j, rows.positions, ends.positions, rows.labels, ends.labels, model.kernel, model.sparsity)
    once.data = model.edge_weights.draw(drawn, rng)
    once.eliminate_zeros()
    return _mirrored(once) if mirror else once


def upper(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return the upper triangle of a matrix, with its diagonal."""
    return sparse.csr_array(sparse.triu(matrix, format="csr"))


def _correlated(
    model: LatentPositionModel, vertices: Vertices, rho: float, rng: Generator
) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Return two 0/1 adjacency matrices whose entries have correlation `rho`, a number in [0, 1]."""
    first = unweighted(model, vertices, rng, model.sparsity)
    kept = first.copy() if model.directed else upper(first)
    i, j = kept.tocoo().coords
    x = vertices.positions
    p = probabilities_at(model.kernel, model.sparsity, x, x, i, j)
    kept.data = (rng.random(len(p)) < p + rho * (1 - p)).astype(np.float64)
    kept.eliminate_zeros()
    second = kept if model.directed else _mirrored(kept)
    if rho == 1:
        return first, second
    other = unweighted(model, vertices, rng, model.sparsity * (1 - rho))
    return first, sparse.csr_array(second + other - other.multiply(first))


def _mirrored(triangle: sparse.csr_array) -> sparse.csr_array:
    """Return the symmetric matrix of an upper triangle."""
    return sparse.csr_array(triangle + sparse.triu(triangle, 1).T)
