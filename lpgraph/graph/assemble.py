"""Canonical csr matrices from edges or entries: rules for loops, repeated edges and symmetry; doubtful input."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_choice, check_real_dtype, check_scale
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentTypeError, GraphError
from lpgraph.linalg.csr_check import Entries, check_structure, entries_of
from lpgraph.linalg.sparse_structure import is_symmetric

from .names import is_numbered, name_at, texts_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array, Flags, Integers

    from .names import Names

LoopRule = Literal["keep", "drop", "error"]
MultiEdgeRule = Literal["sum", "collapse", "error"]

_ROUNDING = 1e-12  # tolerance of symmetry, relative to the largest entry; of a type of less precision, 64 epsilon
#: Characters without width.
_NO_WIDTH = dict.fromkeys([0xAD, 0x200B, 0x2060, 0xFEFF])
#: What only names with blanks, or numbers with a point or an exponent, have.
_UNUSUAL = re.compile(r"^\s|\s$|^-?[0-9]+[.eE]", re.MULTILINE)
_WHOLE = re.compile(r"-?[0-9]{1,15}(\.0*)?([eE]\+?[0-9]{1,2})?")


@dataclass(frozen=True, eq=False)
class EdgeList:
    """Edges between vertices 0 ... n-1, repeated as in the input; the common form of graphs of other libraries.

    An undirected edge occurs once, with its end points in either order. If `directed` is None, the source does not
    say whether the edges are directed.
    """

    names: Names
    source: Integers
    target: Integers
    weight: Array
    directed: bool | None
    vertex_attributes: Mapping[str, Sequence[object]] = field(default_factory=dict)

    def redirected(self, directed: bool | None) -> EdgeList:
        """Return the graph as directed (two arcs for every edge) or as undirected (an edge for every arc)."""
        directed = bool(self.directed) if directed is None else directed
        return replace(self.both_ways(True) if directed and self.directed is False else self, directed=directed)

    def both_ways(self, edges: bool | Flags) -> EdgeList:
        """Return arcs: two for each undirected edge, and one for each arc."""
        back = edges & (self.source != self.target)
        ends = np.append(self.source, self.target[back]), np.append(self.target, self.source[back])
        weight = np.append(self.weight, self.weight[back])
        return replace(self, source=ends[0], target=ends[1], weight=weight, directed=True)


@dataclass(frozen=True, eq=False)
class Matrix:
    """A square matrix of any type as a graph; if None, names are 0 ... n-1, and the direction is not known."""

    matrix: Foreign
    names: Iterable[Hashable] | None = None
    directed: bool | None = None


@dataclass(frozen=True)
class Rules:
    """What to do with loops, with edges that are given more than once, and with weights.

    If `unweighted`, each edge weighs 1, also one that is given several times.
    """

    loops: LoopRule = "keep"
    multi_edges: MultiEdgeRule = "sum"
    unweighted: bool = False

    def __post_init__(self) -> None:
        check_choice("loops", self.loops, ("keep", "drop", "error"))
        check_choice("multi_edges", self.multi_edges, ("sum", "collapse", "error"))


def edges_matrix(edges: EdgeList, rules: Rules) -> sparse.csr_array:
    """Return the canonical adjacency matrix of `edges`, exactly symmetric when they are undirected."""
    names, n = edges.names, len(edges.names)
    if n == 0:
        raise GraphError("The graph has no vertices; pass at least one.")
    rows, columns = edges.source, edges.target
    if not edges.directed:
        rows, columns = np.minimum(rows, columns), np.maximum(rows, columns)
    listed = sparse.coo_array((edges.weight, (rows, columns)), shape=(n, n))
    matrix = _without_loops(real_csr(listed, "graph", rules, names=names), rules, names)
    if edges.directed:
        return matrix
    # Only the upper triangle was gathered; its transpose makes the symmetry exact.
    return _canonical(matrix + sparse.triu(matrix, k=1).T.tocsr(), Entries(True, 1.0, 1.0))


def _without_loops(matrix: sparse.csr_array, rules: Rules, names: Names) -> sparse.csr_array:
    """Return a matrix without its diagonal if loops are dropped; raise if they are an error."""
    if rules.loops == "keep" or not (diagonal := matrix.diagonal()).any():
        return matrix
    if rules.loops == "error":
        name = name_at(names, np.flatnonzero(diagonal)[0])
        raise GraphError(f"Vertex {name!r} has a loop; pass loops='keep' or loops='drop'.")
    return _canonical(matrix - sparse.diags_array(diagonal))


def tidy_matrix(
    matrix: Foreign, directed: bool | None, rules: Rules, argument: str = "graph"
) -> tuple[sparse.csr_array, bool]:
    """Return a square matrix, sparse or dense, as canonical csr, and whether it is directed."""
    if not sparse.issparse(matrix) and not np.ma.isMaskedArray(matrix):
        matrix = check_real_dtype(argument, np.asarray(matrix))  # scikit-learn's checks want this error first
    shape = np.shape(matrix)
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] == 0:
        remedy = "a square one with vertices, points to lpgraph.neighbor_graph, edges to from_edges, or"
        raise GraphError(f"{argument} has shape {shape}; pass {remedy} {{'edge_index': {argument}}}.")
    rounding = max(_ROUNDING, 64 * float(np.finfo(matrix.dtype).eps)) if matrix.dtype.kind == "f" else _ROUNDING
    result = _without_loops(real_csr(matrix, argument, rules), rules, range(shape[0]))
    if directed or is_symmetric(result):
        return result, bool(directed)
    mirror = result.T.tocsr()
    if abs(result - mirror).max() <= rounding * abs(result.data).max():
        return _canonical(0.5 * result + 0.5 * mirror), False
    if directed is None:
        return result, True
    remedy = f"pass ({argument} + {argument}.T) / 2, or directed=True"
    raise GraphError(f"directed=False but {argument} is not symmetric; {remedy}.")


def real_csr(
    matrix: Foreign, argument: str, rules: Rules = Rules(), *, names: Names | None = None, new: bool = False
) -> sparse.csr_array:
    """Return any sparse or dense matrix of finite real numbers as canonical csr; no input is written to.

    Canonical float64 csr is shared, not copied. By rules without weights, all stored entries become 1, including
    stored zeros of formats that store entries explicitly. Rows of `new` vertices have weights of a limited size.
    """
    if np.ma.isMaskedArray(matrix):
        raise ArgumentTypeError(f"{argument} is a masked array; pass {argument}.filled(0).")
    with np.errstate(over="ignore"):  # long doubles become infinite, and are refused as that
        if not sparse.issparse(matrix):
            given = check_real_dtype(argument, np.asarray(matrix))
            matrix = sparse.csr_array(given.astype(np.float64, copy=False))
        check_real_dtype(argument, np.empty(0, dtype=matrix.dtype))
        names = range(max(matrix.shape)) if names is None else names
        result, entries = _compressed(matrix, argument, rules, names)
    if not entries.finite:
        listed, bad = result.tocoo(), np.argmin(np.isfinite(result.data))
        edge = ", ".join(repr(name_at(names, side[bad])) for side in listed.coords)
        value = listed.data[bad]
        raise GraphError(f"{argument}[{edge}] has weight {value}; replace or drop what is not finite.")
    if new:
        check_scale(f"{argument} has weights", entries.least, entries.most, new=True)
    if rules.unweighted:
        if matrix.format in ("bsr", "dia"):  # formats that store zeros implicitly
            result = _canonical(result, entries)
        result = sparse.csr_array((np.ones(result.nnz), result.indices, result.indptr), shape=result.shape)
        entries = Entries(True, 1.0, 1.0)
    return _canonical(result, entries)


def _compressed(matrix: Foreign, argument: str, rules: Rules, names: Names) -> tuple[sparse.csr_array, Entries]:
    """Return a sparse matrix as csr, without repeated entries, and what a pass over it found."""
    if matrix.format in ("csr", "csc"):
        data = matrix.data.astype(np.float64, copy=False)
        entries = entries_of(argument, matrix, data)
        kind = sparse.csr_array if matrix.format == "csr" else sparse.csc_array
        matrix = kind((data, matrix.indices, matrix.indptr), shape=matrix.shape)
        if entries.canonical:
            matrix.has_canonical_format = True  # set, since scipy would check every index again
            return matrix.tocsr(), entries
    else:
        check_structure(argument, matrix)
    result = _gather(matrix.tocoo(), rules, names)
    return result, entries_of(argument, result)


def _gather(listed: Foreign, rules: Rules, names: Names) -> sparse.csr_array:
    """Return entries in coordinate format as csr; repeated ones are combined by the rule."""
    dtype = sparse.get_index_dtype(maxval=max(*listed.shape, listed.nnz))
    rows, columns = (side.astype(dtype, copy=False) for side in listed.coords)
    weight = listed.data.astype(np.float64, copy=False)
    found = sparse.csr_array((weight, (rows, columns)), shape=listed.shape)
    if found.nnz == rows.size:
        return found
    if rules.multi_edges == "error":
        i, j = next((i, j) for (i, j), times in Counter(zip(rows, columns, strict=True)).items() if times > 1)
        edge = f"The edge {name_at(names, i)!r}, {name_at(names, j)!r}"
        raise GraphError(f"{edge} is given several times; pass multi_edges='sum' or 'collapse'.")
    if (rules.multi_edges == "collapse" or rules.unweighted) and (weight == 1).all():
        found.data[:] = 1.0
    elif rules.multi_edges == "collapse":
        order = np.lexsort((columns, rows))  # as the entries of `found` are sorted
        first = np.append(True, (np.diff(rows[order]) != 0) | (np.diff(columns[order]) != 0))
        found.data = np.maximum.reduceat(weight[order], np.flatnonzero(first))
    return found


def _canonical(matrix: sparse.csr_array, entries: Entries | None = None) -> sparse.csr_array:
    """Return the matrix sorted, without duplicates and stored zeros, and with the narrowest index type."""
    entries = entries_of("matrix", matrix) if entries is None else entries
    if not entries.canonical or (entries.least <= 0 <= entries.most and bool((matrix.data == 0).any())):
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    dtype = sparse.get_index_dtype(maxval=max(*matrix.shape, matrix.nnz))
    if matrix.indices.dtype != dtype or matrix.indptr.dtype != dtype:
        indices, indptr = matrix.indices.astype(dtype), matrix.indptr.astype(dtype)
        matrix = sparse.csr_array((matrix.data, indices, indptr), shape=matrix.shape)
    return matrix


def warn_of_doubts(edges: EdgeList, what: str, *, sums: bool = False) -> None:
    """Warn of similar names and, if weights of both directions are summed, of unequal ones."""
    if sums and edges.directed is None and (edges.weight != 1).any():
        _warn_of_directions(edges, what)
    if is_numbered(edges.names) or edges.names.dtype.kind != "O":
        return
    texts = texts_of(edges.names)
    text = "\n".join(texts)
    if text.isascii() and not _UNUSUAL.search(text):
        return
    first: dict[str, str] = {}
    pairs = [(other, name) for name in texts if (other := first.setdefault(_usual(name), name)) is not name]
    if pairs:
        count = f" ({len(pairs)} pairs)" if len(pairs) > 1 else ""
        problem = f"{what} has the vertices {pairs[0][0]!r} and {pairs[0][1]!r}, which are probably one"
        warn(f"{problem}{count}; write their names in one way.")


def _usual(name: str) -> str:
    """Return a name with composed accents, without blanks around it, and a whole number by its digits."""
    name = unicodedata.normalize("NFKC", name.translate(_NO_WIDTH)).strip()
    return f"{float(name):.0f}" if _WHOLE.fullmatch(name) and not re.match("-?0[0-9]", name) else name


def _warn_of_directions(edges: EdgeList, what: str) -> None:
    """Warn of pairs of vertices with edges of different weights in both directions, which will add up."""
    n = len(edges.names)
    arcs = sparse.csr_array((edges.weight, (edges.source, edges.target)), shape=(n, n))
    both = arcs.multiply(arcs.T.astype(np.bool_))
    found = sparse.triu(abs(both - both.T) > 0).tocoo()
    if found.nnz:
        first = ", ".join(repr(name_at(edges.names, side[0])) for side in found.coords)
        problem = f"{what} has different weights in both directions for {found.nnz} pair(s), such as {first}"
        remedy = "pass directed=True to keep both, or directed=False to add them up without this warning"
        warn(f"{problem}, and adds them up; {remedy}.")
