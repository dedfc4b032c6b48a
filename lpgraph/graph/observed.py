"""Observed and unobserved pairs of vertices: masks in the order of the vertices, or lists of pairs by name."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import is_matrix
from lpgraph._utils.compiled import slices
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError, LpgraphWarning, UnknownVertexError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.construct import as_adjacency, from_edges
from lpgraph.graph.names import as_labels, code_names, index_of, name_at
from lpgraph.graph.new_vertices import NewEdges, as_new_edges
from lpgraph.linalg.sparse_structure import is_symmetric

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping, Sequence

    from numpy.typing import NDArray
    from typing_extensions import TypeIs

    from lpgraph._utils.checks import Foreign
    from lpgraph.graph.names import Names
    from lpgraph.graph.network import Network

#: Entries of a dense block when the pairs that are not listed are listed.
_BLOCK = 1 << 22


@dataclass(frozen=True, eq=False)
class ObservedPairs:
    """Which entries of an (m, n) matrix are observed: the listed ones, or all others.

    Attributes
    ----------
    listed : csr_array of shape (m, n)
        Canonical; 1 at each listed entry.
    hidden : bool
        Whether the listed entries are the unobserved ones.
    """

    listed: sparse.csr_array
    hidden: bool

    @property
    def n_observed(self) -> int:
        """Number of observed entries."""
        m, n = self.listed.shape
        return m * n - self.listed.nnz if self.hidden else int(self.listed.nnz)

    def of_rows(self, axis: int = 1) -> NDArray[np.int64]:
        """Return the number of observed entries of each row, or with ``axis=0`` of each column."""
        listed = np.bincount(self.listed.indices, minlength=self.listed.shape[1])
        counts = np.asarray(np.diff(self.listed.indptr) if axis == 1 else listed, dtype=np.int64)
        return self.listed.shape[axis] - counts if self.hidden else counts

    def restricted(self, matrix: sparse.csr_array) -> sparse.csr_array:
        """Return a matrix with the unobserved entries set to 0."""
        kept = sparse.csr_array(matrix.multiply(self.listed))
        result = sparse.csr_array(matrix - kept) if self.hidden else kept
        result.eliminate_zeros()
        result.sort_indices()
        return result

    def take(self, rows: NDArray[np.intp]) -> ObservedPairs:
        """Return the pairs of some rows."""
        return ObservedPairs(self.listed[rows], self.hidden)

    def shortened(self) -> ObservedPairs:
        """Return the same pairs, with the unobserved ones listed if most are observed, else the observed ones."""
        m, n = self.listed.shape
        if 2 * self.listed.nnz <= m * n:
            return self
        parts = [sparse.csr_array(1.0 - self.listed[part].toarray()) for part in slices(m, _BLOCK // max(1, n))]
        return ObservedPairs(sparse.csr_array(sparse.vstack(parts, format="csr")), not self.hidden)


def pairs_of(observed: object, unobserved: object, graph: Network) -> ObservedPairs | None:
    """Return the observed pairs of a graph, or None if all are observed.

    Parameters
    ----------
    observed, unobserved : matrix, list of pairs, graph or None
        At most one of them. A matrix of zeros and ones has the order of the vertices; other forms have names.
    graph : Network
        The graph. In an undirected one, (u, v) and (v, u) are the same pair.

    Raises
    ------
    ArgumentError, ArgumentTypeError, GraphError
        If both are given, a matrix has another shape or other numbers, or a vertex has no observed pair.
    UnknownVertexError
        If a name is not a vertex.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph.graph.observed import pairs_of
    >>> graph = lp.from_edges(["a", "b"], ["b", "c"])
    >>> pairs_of(None, [("a", "c")], graph).n_observed
    7
    """
    argument, given = _only(observed, unobserved)
    if given is None:
        return None
    n = graph.n_vertices
    listed = _matrix(given, argument, (n, n)) if is_matrix(given) else _by_name(given, argument, graph)
    if not graph.directed and not is_symmetric(listed):
        raise ArgumentError(
            f"{argument} is not symmetric, but the graph is undirected; pass both (i, j) and (j, i): M + M.T > 0."
        )
    found = ObservedPairs(listed, argument == "unobserved")
    _check_all_rows(found, graph.names, directed=graph.directed)
    return found.shortened() if found.n_observed < n * n else None


def with_pairs(
    vertices: NewEdges,
    observed: object,
    unobserved: object,
    known: Names | Mapping[Hashable, int],
    *,
    directed: bool,
    direction: str,
) -> NewEdges:
    """Return new vertices with the entries of their rows that are observed.

    Parameters
    ----------
    vertices : NewEdges
        The new vertices.
    observed, unobserved : matrix, mapping, list of pairs, graph or None
        At most one of the two, in any form that new vertices have; see `as_new_edges`. A new vertex that is not
        listed has no pair of that kind.
    known : sequence, or mapping of name to row
        The known vertices.
    directed : bool
        Whether the known graph is directed.
    direction : {"out", "in"}
        Of plain rows, which arcs they are.

    Raises
    ------
    ArgumentError, UnknownVertexError
        If both are given, the rows do not fit, or a name is not known.
    """
    argument, given = _only(observed, unobserved)
    if given is None:
        return vertices
    read: Foreign = given if is_matrix(given) else _listed_pairs(argument, given, known, directed=directed)
    found = []
    for side in (direction,) if vertices.rows_in is None else ("out", "in"):
        listed = _of_new(read, argument, side, vertices) if isinstance(read, NewEdges) else read
        pairs = ObservedPairs(_matrix(listed, argument, vertices.rows.shape), argument == "unobserved")
        found.append(pairs if pairs.n_observed < vertices.rows.shape[0] * vertices.rows.shape[1] else None)
    return replace(vertices, pairs=found[0], pairs_in=found[1] if len(found) > 1 else None)


def check_new_rows(pairs: ObservedPairs, names: Names) -> None:
    """Refuse a new vertex without observed pairs."""
    _check_all_rows(pairs, names, directed=True, new=True)


def _of_new(given: NewEdges, argument: str, side: str, vertices: NewEdges) -> sparse.csr_array:
    """Return the listed pairs of a direction in the order of the new vertices."""
    at = _places(
        given.names, index_of(vertices.names), f"They are in {argument} and no new vertices; leave them out."
    )
    return _ones(given.towards(side), at, None, vertices.rows.shape)


def _listed_pairs(
    argument: str, given: object, known: Names | Mapping[Hashable, int], *, directed: bool
) -> NewEdges:
    """Return pairs of new and known vertices as if they were edges."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LpgraphWarning)  # about edges, in words that do not fit pairs
        try:
            read = as_new_edges(given, known, directed=directed)
        except UnknownVertexError:
            raise
        except ArgumentError as error:
            raise ArgumentError(f"{argument} has no pairs of new and known vertices: {error}") from None
    if read.n_ignored:
        problem = f"{read.n_ignored} {argument} pairs are of two known vertices and are left out"
        warn(f"{problem}; pass them to the fit.", LpgraphWarning)
    return read


def stored_pairs(value: object) -> sparse.csr_array | Adjacency | None:
    """Return what is saved for `observed` or `unobserved`: a matrix, or a graph with names."""
    if isinstance(value, Adjacency):
        return value
    if value is None or (isinstance(value, list) and not value):
        return None
    if is_matrix(value):
        return sparse.csr_array(value.copy(), dtype=np.float64)
    return _as_graph(value, "observed", directed=None)


def _only(observed: object, unobserved: object) -> tuple[str, object]:
    if observed is not None and unobserved is not None:
        raise ArgumentError("observed and unobserved are both passed; pass one, the other pairs are the rest.")
    return ("observed", observed) if unobserved is None else ("unobserved", unobserved)


def _matrix(value: Foreign, argument: str, shape: tuple[int, int]) -> sparse.csr_array:
    """Return a mask as a canonical matrix of ones."""
    if value.shape != shape:
        remedy = f"pass shape {shape}, or {argument}.tolist() if its rows are pairs of names"
        raise ArgumentError(f"{argument} has shape {value.shape}; {remedy}.")
    if value.dtype.kind not in "biuf":
        raise ArgumentTypeError(f"{argument} has dtype {value.dtype}; pass booleans, or zeros and ones.")
    listed = sparse.csr_array(value.copy(), dtype=np.float64)
    listed.sum_duplicates()
    listed.eliminate_zeros()
    if (listed.data != 1).any():
        other = listed.data[listed.data != 1][0]
        raise ArgumentError(f"{argument} has the entry {other:g}; pass booleans, or zeros and ones.")
    return listed


def _is_list(value: object) -> TypeIs[Collection[Sequence[Hashable]]]:
    """Whether a value lists pairs of names, in order or as a set."""
    return isinstance(value, list | tuple | set | frozenset)


def _by_name(value: object, argument: str, graph: Network) -> sparse.csr_array:
    """Return pairs of names as a canonical matrix of ones."""
    n = graph.n_vertices
    if _is_list(value) and not len(value):
        return sparse.csr_array((n, n))
    pairs = _as_graph(value, argument, directed=graph.directed)
    at = _places(pairs.names, graph.index, f"They are in {argument}; pass pairs of vertices of the graph.")
    return _ones(pairs.matrix, at, at, (n, n))


def _ones(
    matrix: sparse.csr_array, rows: NDArray[np.intp], columns: NDArray[np.intp] | None, shape: tuple[int, int]
) -> sparse.csr_array:
    """Return a canonical matrix with 1 for each entry of another one, in other rows and columns."""
    i, j = matrix.tocoo().coords
    moved = rows[i], j if columns is None else columns[j]
    result = sparse.csr_array((np.ones(len(i)), moved), shape=shape)
    result.sort_indices()
    return result


def _places(names: Names, index: Mapping[Hashable, int], remedy: str) -> NDArray[np.intp]:
    """Return the rows of names, which must be known."""
    labels = as_labels(names, "names")
    rows = code_names(labels, index, missing=-1)
    if (rows < 0).any():
        raise UnknownVertexError(labels[rows < 0].tolist(), remedy)
    return rows


def _as_graph(value: object, argument: str, *, directed: bool | None) -> Adjacency:
    """Return pairs of names as a graph; of a list, with ``directed=None``, the pairs as they are listed."""
    if isinstance(value, str):
        raise ArgumentTypeError(f"{argument}={value!r} is a str; pass read_graph(path) if it is one.")
    if _is_list(value):
        pairs = list(value)
        wrong = [pair for pair in pairs if not isinstance(pair, tuple | list) or len(pair) != 2]
        if wrong:
            bad = wrong[0]
            raise ArgumentError(f"{argument} has the entry {bad!r:.40}; pass pairs (u, v) of vertex names.")
        source, target = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        return from_edges(source, target, directed=directed is not False, multi_edges="collapse")
    try:
        # A table lists pairs as they are; only a network that is undirected ignores their order.
        has_direction = hasattr(value, "directed") or hasattr(value, "is_directed")
        wanted = directed if directed is not None or has_direction else True
        return as_adjacency(value, directed=wanted, weight=None)
    except GraphError as error:
        raise ArgumentError(f"{argument} is no list of pairs: {error}") from None


def _check_all_rows(pairs: ObservedPairs, names: Names, *, directed: bool, new: bool = False) -> None:
    """Refuse a vertex without observed pairs, by its name; the pair of a vertex with itself says nothing."""
    counts = pairs.of_rows(1)
    if not new:
        own = (pairs.listed.diagonal() == 0) == pairs.hidden
        counts = (np.minimum(counts, pairs.of_rows(0)) if directed else counts) - own
    if len(counts) and not counts.min():
        alone = np.flatnonzero(counts == 0)
        name, more = name_at(names, alone[0]), f" ({len(alone)} such vertices)" if len(alone) > 1 else ""
        what = "new vertex" if new else "vertex"
        problem = f"All pairs of the {what} {name!r} are unobserved{more}, so that it has no position"
        raise ArgumentError(f"{problem}; leave it out, or observe some of its pairs.")
