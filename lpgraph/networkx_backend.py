"""A backend of networkx: ``nx.fiedler_vector(graph, backend="lpgraph")`` and the functions of `networkx_info`.

networkx finds this module by an entry point of the installed package, and imports it on first use. Arguments,
defaults, errors and results are those of networkx's functions of the same names, except that `method` and `tol` of
the spectral functions have the meanings given in `networkx_info`, and that seeds give other random graphs.

Examples
--------
>>> import networkx as nx
>>> from lpgraph import networkx_backend
>>> graph = networkx_backend.convert_from_nx(nx.barbell_graph(3, 0))
>>> networkx_backend.spectral_bisection(graph)
({0, 1, 2}, {3, 4, 5})
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import TYPE_CHECKING, TypeVar

# networkx takes any function here with the name of one of its own for an implementation: import none of them.
import networkx as nx
import numpy as np
from scipy import sparse, spatial
from scipy.sparse import csgraph

from lpgraph._utils.checks import Foreign
from lpgraph.linalg.matvec import Product
from lpgraph.models import generators
from lpgraph.networkx_info import SPECTRAL
from lpgraph.spectral.auto import Auto
from lpgraph.spectral.eigen import Known, Solver, eigenpairs
from lpgraph.spectral.lanczos import Lanczos
from lpgraph.spectral.operators import Affine, Matrix
from lpgraph.spectral.shift_invert import ShiftInvert

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lpgraph._utils.types import Array

    Node = Hashable
    Seed = int | Random | np.random.RandomState | np.random.Generator | None

Result = TypeVar("Result")

#: Methods of networkx that are as fast up to this number of nodes; its others are slower from ten nodes on.
_DIRECT: dict[str, Solver] = {"tracemin_lu": ShiftInvert(), "lanczos": Lanczos()}
_FEW = 1000
_SOLVERS: dict[str, Solver] = _DIRECT | dict.fromkeys(("tracemin", "tracemin_pcg", "lobpcg"), Auto())


@dataclass(frozen=True, eq=False)
class Graph:
    """A networkx graph, with its edges as arrays once they were needed.

    Attributes
    ----------
    source : networkx graph
    nodes : list
    found : dict of hashable to coo_array
        The matrices of edge attributes.
    """

    source: Foreign
    nodes: list[Node]
    found: dict[Node | None, sparse.coo_array]

    __networkx_backend__ = "lpgraph"

    def __len__(self) -> int:
        return len(self.nodes)

    def is_directed(self) -> bool:
        """Whether edges have a direction."""
        return bool(self.source.is_directed())

    def is_multigraph(self) -> bool:
        """Whether edges may be parallel."""
        return bool(self.source.is_multigraph())

    def entries(self, weight: Node | None) -> sparse.coo_array:
        """Return the matrix of an edge attribute, or of ones; parallel edges are separate entries."""
        if weight not in self.found:
            n, near = len(self), [row for _, row in self.source.adjacency()]
            if self.is_multigraph():
                near = [[(v, edge) for v, edges in row.items() for edge in edges.values()] for row in near]
                ends: Iterable[Node] = (v for v, _ in chain.from_iterable(near))
                data: Iterable[Mapping[Node | None, float]] = (edge for _, edge in chain.from_iterable(near))
            else:
                ends, data = chain.from_iterable(near), chain.from_iterable(row.values() for row in near)
            rows = np.repeat(np.arange(n, dtype=np.int32), list(map(len, near)))
            number = dict(zip(self.nodes, range(n), strict=True))
            columns = np.fromiter(map(number.__getitem__, ends), np.int32, len(rows))
            values = np.fromiter((edge.get(weight, 1.0) for edge in data), np.float64, len(rows))
            self.found[weight] = sparse.coo_array((values, (rows, columns)), shape=(n, n))
        return self.found[weight]


def convert_from_nx(graph: Foreign, **_: object) -> Graph:
    """Return a graph as functions take it. networkx keeps it with its own, until an edge or node is added."""
    return Graph(graph, list(graph), {})


def convert_to_nx(result: object, **_: object) -> object:
    """Return a result of a function, or the graph that was converted."""
    return result.source if isinstance(result, Graph) else result


def should_run(name: str, args: Sequence[Foreign], kwargs: Mapping[str, Foreign]) -> bool | str:
    """Return True, or why networkx is used unless this backend is named."""
    if name in SPECTRAL:
        search = Search(*args, **kwargs)
        if search.method in _DIRECT and len(search.G) <= _FEW:
            return f"networkx is as fast by {search.method!r} up to {_FEW} nodes"
    return True


@dataclass(frozen=True)
class Search:
    """The arguments of networkx's spectral functions."""

    G: Graph
    weight: Node | None = "weight"
    normalized: bool = False
    tol: float = 1e-8
    method: str = "tracemin_pcg"
    seed: Seed = None

    def weights(self) -> sparse.csr_array:
        """Return the absolute weights without loops; those of parallel edges and of both directions add up."""
        entries = self.G.entries(self.weight)
        row, column = entries.coords
        kept = (row != column) & (entries.data != 0)
        values = np.abs(entries.data[kept])
        if not np.isfinite(values).all():
            raise nx.NetworkXError(f"The attribute {self.weight!r} of an edge is not finite; make it a number.")
        weights = sparse.csr_array((values, (row[kept], column[kept])), shape=entries.shape)
        return sparse.csr_array(weights + weights.T) if self.G.is_directed() else weights

    def connected(self) -> sparse.csr_array | None:
        """Return the weights, or None if the graph is not connected."""
        if len(self.G) < 2:
            raise nx.NetworkXError("graph has less than two nodes.")
        weights = self.weights()
        return weights if csgraph.connected_components(weights, directed=False)[0] == 1 else None

    def solver(self) -> Solver:
        """Return what the name of one of networkx's methods stands for."""
        if self.method not in _SOLVERS:
            raise nx.NetworkXError(f"unknown method {self.method!r}.")
        return _SOLVERS[self.method]

    def fiedler(self, weights: sparse.csr_array) -> tuple[float, Array]:
        """Return the second smallest eigenvalue of a connected graph's Laplacian, and its vector."""
        degrees = weights.sum(axis=1)
        laplacian = sparse.csr_array(sparse.diags_array(degrees) - weights)
        smooth, origin = np.ones(len(degrees)), 2 * float(degrees.max())
        if self.normalized:
            smooth, origin = np.sqrt(degrees), 2.0
            roots = sparse.diags_array(1 / smooth)
            laplacian = sparse.csr_array(roots @ laplacian @ roots)
        known = Known(smooth / np.linalg.norm(smooth), matrix=laplacian, smooth=smooth, origin=origin)
        # Relative to the eigenvalue, or 1e-5 of the norm: a smaller residual than 1e-8 of that would be rounding.
        tol, rng, solver = min(max(self.tol, 1e-8), 0.1), _generator(self.seed), self.solver()
        operator, remedies = Affine(Matrix(laplacian), -1.0, origin), "a larger tol, or method='tracemin_pcg'"
        found = eigenpairs(
            operator, 1, "largest", solver=solver, tol=tol, known=known, random_state=rng, remedies=remedies
        )
        # In networkx's tests and examples the first nodes are on the negative side.
        vector = -found.vectors[:, 0]
        return float(vector @ (laplacian @ vector)), vector


def _search(function: Callable[[Search], Result]) -> Callable[..., Result]:
    """Return a function of networkx's arguments."""
    return lambda *args, **kwargs: function(Search(*args, **kwargs))


@_search
def algebraic_connectivity(search: Search) -> float:
    """Return the second smallest eigenvalue of the Laplacian; 0 if the graph is not connected."""
    weights = search.connected()
    return 0.0 if weights is None else search.fiedler(weights)[0]


@_search
def fiedler_vector(search: Search) -> Array:
    """Return the unit eigenvector of the second smallest eigenvalue, the first of its largest entries negative."""
    weights = search.connected()
    if weights is None:
        raise nx.NetworkXError("graph is not connected.")
    return search.fiedler(weights)[1] if len(search.G) > 2 else np.array([1.0, -1.0])  # as networkx


@_search
def spectral_bisection(search: Search) -> tuple[set[Node], set[Node]]:
    """Return the nodes with negative and those with other entries of the Fiedler vector."""
    if search.G.is_directed():
        raise nx.NetworkXNotImplemented("not implemented for directed type")
    vector = fiedler_vector(**vars(search))
    second = {node for node, entry in zip(search.G.nodes, vector.tolist(), strict=True) if entry >= 0}
    return set(search.G.nodes) - second, second


@_search
def spectral_ordering(search: Search) -> list[Node]:
    """Return the nodes by component, in each by their entries of its Fiedler vector."""
    if not len(search.G):
        raise nx.NetworkXError("graph is empty.")
    search.solver()
    weights, order = search.weights(), []
    labels = csgraph.connected_components(weights, directed=False)[1]
    for part in np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1]):
        if len(part) > 2:
            part = part[np.argsort(search.fiedler(weights[part][:, part])[1], kind="stable")]
        order += part.tolist()
    return [search.G.nodes[i] for i in order]


def harmonic_function(G: Graph, max_iter: int = 30, label_name: Node = "label") -> list[object]:
    """Return every node's most probable label after a number of steps from networkx's start."""
    given = {i: data[label_name] for i, (_, data) in enumerate(G.source.nodes.data()) if label_name in data}
    if not given:
        raise nx.NetworkXError(f"No node on the input graph is labeled by '{label_name}'.")
    kinds = {label: k for k, label in enumerate(dict.fromkeys(given.values()))}
    matrix, rows = G.entries("weight"), list(given)
    sums = matrix.sum(axis=0)
    factors = 1 / np.where(sums == 0, 1, sums)
    factors[rows] = 0
    step = sparse.csr_array(sparse.diags_array(factors) @ matrix)
    known = np.zeros((len(G), len(kinds)))
    known[rows, [kinds[label] for label in given.values()]] = 1
    share, product = np.zeros_like(known), Product.of(step) or step
    for _ in range(max_iter):
        share = np.asarray(product @ share) + known
    return list(np.array(list(kinds))[share.argmax(axis=1)].tolist())


def stochastic_block_model(
    sizes: Sequence[int],
    p: ArrayLike,
    nodelist: Sequence[Node] | None = None,
    seed: Seed = None,
    directed: bool = False,
    selfloops: bool = False,
    sparse: bool = True,
) -> Foreign:
    """Return a graph of the block model, in time proportional to nodes and edges whatever `sparse` is."""
    # networkx's own checks of p, on blocks without nodes.
    graph = nx.stochastic_block_model([0] * len(sizes), p, [], 0, directed, sparse=False, backend="networkx")
    nodes = list(range(sum(sizes)) if nodelist is None else nodelist)
    if len(nodes) != sum(sizes) or len(set(nodes)) != len(nodes):
        raise nx.NetworkXException("'nodelist' and 'sizes' do not match, or nodelist contains duplicate.")
    ends = np.cumsum(sizes).tolist()
    graph.graph["partition"] = [set(nodes[end - size : end]) for end, size in zip(ends, sizes, strict=True)]
    for block, members in enumerate(graph.graph["partition"]):
        graph.add_nodes_from(members, block=block)  # in networkx's order
    if nodes:
        B = np.asarray(p) if directed else (np.asarray(p) + np.transpose(p)) / 2
        rng = _generator(seed)
        drawn = generators.stochastic_block_model(sizes, B, directed=directed, loops=selfloops, random_state=rng)
        rows, columns = drawn.adjacency.nonzero()
        once = slice(None) if directed else rows <= columns
        _add_edges(graph, rows[once], columns[once])
    return graph


def soft_random_geometric_graph(
    n: int | Iterable[Node],
    radius: float,
    dim: int = 2,
    pos: Mapping[Node, ArrayLike] | None = None,
    p: float = 2,
    p_dist: Callable[[float], float] | None = None,
    seed: Seed = None,
    *,
    pos_name: str = "pos",
) -> Foreign:
    """Return a graph of nodes in space; near ones are joined by a probability that depends on the distance."""
    graph, rng = nx.empty_graph(n, backend="networkx"), _generator(seed)
    graph.name = f"soft_random_geometric_graph({n}, {radius}, {dim})"
    if pos is None:
        pos = dict(zip(graph, rng.random((len(graph), dim)).tolist(), strict=True))
    graph.add_nodes_from((node, {pos_name: pos[node]}) for node in list(graph))
    points = np.array([pos[node] for node in graph])
    pairs = spatial.KDTree(points).query_pairs(radius, p, output_type="ndarray")
    lengths = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], p, axis=1)
    chances = np.exp(-lengths) if p_dist is None else [p_dist(length) for length in lengths.tolist()]
    _add_edges(graph, *pairs[rng.random(len(pairs)) < chances].T)
    return graph


def _generator(seed: Seed) -> np.random.Generator:
    """Return numpy's generator for one of networkx's sources of random numbers."""
    return np.random.default_rng(nx.utils.create_py_random_state(seed).randrange(2**31))


def _add_edges(graph: Foreign, rows: NDArray[np.integer], columns: NDArray[np.integer]) -> None:
    """Add edges between nodes given by their numbers."""
    nodes = list(graph)
    graph.add_edges_from(zip(*([nodes[i] for i in ends.tolist()] for ends in (rows, columns)), strict=True))
