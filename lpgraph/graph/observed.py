"""Observed and unobserved pairs of vertices: masks in the order of the vertices, or lists of pairs by name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import is_matrix
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.linalg.sparse_structure import is_symmetric

from .assemble import Rules, real_csr
from .construct import as_adjacency, assembled
from .names import as_labels, code_names, index_of, name_at
from .new_vertices import NewEdges, listed_edges, read_edges

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Integers

    from .adjacency import Adjacency, Network
    from .names import Names

#: What may list pairs of names, in order or as a set.
_LISTS = (list, tuple, set, frozenset)


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
        return int(self.of_rows().sum())

    def of_rows(self) -> NDArray[np.int64]:
        """Return the number of observed entries of each row."""
        counts = np.diff(self.listed.indptr).astype(np.int64)
        return self.listed.shape[1] - counts if self.hidden else counts

    def restricted(self, matrix: sparse.csr_array) -> sparse.csr_array:
        """Return a matrix with the unobserved entries set to 0."""
        kept = matrix.multiply(self.listed).tocsr()
        result: sparse.csr_array = matrix - kept if self.hidden else kept
        result.eliminate_zeros()
        result.sort_indices()
        return result

    def take(self, rows: Integers) -> ObservedPairs:
        """Return the pairs of some rows."""
        return ObservedPairs(self.listed[rows], self.hidden)


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
    if is_matrix(given):
        listed = _matrix(given, argument, (n, n))
    else:
        pairs = as_adjacency(_by_name(given, argument), directed=None if graph.directed else False)
        at = code_names(as_labels(pairs.names, argument), graph.index)
        i, j = pairs.matrix.tocoo().coords
        listed = _ones(at[i], at[j], (n, n))
    if not graph.directed and not is_symmetric(listed):
        raise ArgumentError(f"{argument} is not symmetric, but the graph is undirected; pass M + M.T > 0.")
    found = ObservedPairs(listed, argument == "unobserved")
    back = ObservedPairs(listed.T.tocsr(), found.hidden)
    own = (listed.diagonal() == 0) == found.hidden  # the pair of a vertex with itself says nothing
    check_rows(np.minimum(found.of_rows(), back.of_rows()) - own, graph.names, "vertex")
    if 2 * listed.nnz > n * n:  # the other pairs are fewer
        found = ObservedPairs(sparse.csr_array(1.0 - listed.toarray()), not found.hidden)
    return found if found.n_observed < n * n else None


def with_pairs(
    vertices: NewEdges,
    observed: object,
    unobserved: object,
    known: Mapping[Hashable, int],
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
    known : mapping of name to row
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
    shape, found = vertices.rows.shape, []
    read = given if is_matrix(given) else read_edges(given, known, directed)
    for side in (direction,) if vertices.rows_in is None else ("out", "in"):
        if isinstance(read, NewEdges):
            at = code_names(as_labels(read.names, argument), index_of(vertices.names))
            i, j = read.towards(side).tocoo().coords
            listed = _ones(at[i], j, shape)
        else:
            listed = _matrix(read, argument, shape)
        pairs = ObservedPairs(listed, argument == "unobserved")
        found.append(pairs if pairs.n_observed < shape[0] * shape[1] else None)
    return replace(vertices, pairs=found[0], pairs_in=found[1] if len(found) > 1 else None)


def stored_pairs(value: object) -> sparse.csr_array | Adjacency | None:
    """Return what is saved for `observed` or `unobserved`: a matrix, or a graph with names."""
    if is_matrix(value):
        return real_csr(value, "observed")
    if value is None or (isinstance(value, _LISTS) and not value):
        return None
    return _by_name(value, "observed")


def _only(observed: object, unobserved: object) -> tuple[str, object]:
    if isinstance(unobserved, _LISTS) and not unobserved:
        unobserved = None  # all are observed
    if observed is not None and unobserved is not None:
        raise ArgumentError("observed and unobserved are both passed; pass one, the other pairs are the rest.")
    return ("observed", observed) if unobserved is None else ("unobserved", unobserved)


def _matrix(value: Foreign, argument: str, shape: tuple[int, int]) -> sparse.csr_array:
    """Return a mask as a canonical matrix of ones."""
    if value.shape != shape:
        raise ArgumentError(f"{argument} has shape {value.shape}; pass shape {shape}, or tuples of names.")
    listed = real_csr(value, argument)
    if (listed.data != 1).any():
        other = listed.data[listed.data != 1][0]
        raise ArgumentError(f"{argument} has the entry {other:g}; pass booleans, or zeros and ones.")
    return listed


def _ones(rows: NDArray[np.integer], columns: NDArray[np.integer], shape: tuple[int, int]) -> sparse.csr_array:
    """Return a canonical matrix with 1 at the listed entries, which may be repeated."""
    listed = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
    listed.data[:] = 1.0
    return listed


def _by_name(value: object, argument: str) -> Adjacency:
    """Return pairs of names as a graph; those of a list or a table are ordered."""
    edges = listed_edges(list(value) if isinstance(value, _LISTS) else value, argument, directed=True, weight=None)
    if edges is None:
        raise ArgumentTypeError(f"{argument}={value!r:.40}; pass pairs (u, v) of names, a table or a graph.")
    if isinstance(value, _LISTS) and len(next(iter(value))) == 3:
        raise ArgumentError(f"{argument} has tuples (u, v, weight); pass pairs (u, v) of names.")
    return assembled(edges, Rules(unweighted=True))


def check_rows(counts: NDArray[np.int64], names: Names, what: str) -> None:
    """Refuse a vertex without observed pairs, by its name."""
    if len(counts) and not counts.min():
        alone = np.flatnonzero(counts == 0)
        name = name_at(names, alone[0])
        raise ArgumentError(f"All pairs of the {what} {name!r} are unobserved; leave it out, or observe some.")
