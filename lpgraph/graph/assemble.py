"""Canonical csr matrices from edges or entries: rules for loops, repeated edges and symmetry."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse

from lpgraph._checks import check_choice, check_real_dtype, check_scale
from lpgraph.errors import ArgumentError, ArgumentTypeError, GraphError
from lpgraph.graph.names import name_at
from lpgraph.linalg.csr_check import Entries, check_structure, entries_of
from lpgraph.linalg.sparse_structure import index_dtype, is_symmetric

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from lpgraph.graph.names import Names

__all__ = [
    "EdgeList",
    "LoopRule",
    "MultiEdgeRule",
    "Rules",
    "check_weights",
    "edges_matrix",
    "real_csr",
    "symmetrised",
    "tidy_matrix",
]

LoopRule = Literal["keep", "drop", "error"]
MultiEdgeRule = Literal["sum", "collapse", "error"]

_ROUNDING = 1e-12  # tolerance of symmetry, relative to the largest entry


@dataclass(frozen=True, eq=False)
class EdgeList:
    """Edges between vertices 0 ... n-1, repeated as in the input; the common form of graphs of other libraries.

    An undirected edge occurs once, with its end points in either order. If `weight` is None, all weights are 1.
    If `directed` is None, the source does not say whether the edges are directed. `titles` are those of the
    columns of a text file, empty if its first line is an edge; None for all else.
    """

    names: Names
    source: NDArray[np.intp]
    target: NDArray[np.intp]
    weight: NDArray[np.float64] | None
    directed: bool | None
    vertex_attributes: Mapping[str, Sequence[object]] = field(default_factory=dict)
    titles: Sequence[str] | None = None

    def redirected(self, directed: bool | None) -> EdgeList:
        """Return the graph as directed (two arcs for every edge) or as undirected (an edge for every arc)."""
        directed = bool(self.directed) if directed is None else directed
        source, target, weight = self.source, self.target, self.weight
        if directed and self.directed is False:
            back = source != target
            weight = None if weight is None else np.concatenate((weight, weight[back]))
            source, target = (np.concatenate((source, target[back])), np.concatenate((target, source[back])))
        return replace(self, source=source, target=target, weight=weight, directed=directed)


@dataclass(frozen=True)
class Rules:
    """What to do with loops and with edges that are given more than once."""

    loops: LoopRule = "keep"
    multi_edges: MultiEdgeRule = "sum"

    def __post_init__(self) -> None:
        check_choice("loops", self.loops, ("keep", "drop", "error"))
        check_choice("multi_edges", self.multi_edges, ("sum", "collapse", "error"))

    def of_weight(self, weight: str | None) -> Rules:
        """Return the rules for a choice of weights: without weights, an edge given several times weighs 1."""
        return replace(self, multi_edges="collapse") if weight is None and self.multi_edges == "sum" else self


def edges_matrix(edges: EdgeList, rules: Rules) -> sparse.csr_array:
    """Return the canonical adjacency matrix of `edges`, exactly symmetric when they are undirected."""
    names, n = edges.names, len(edges.names)
    if n == 0:
        raise GraphError("The graph has no vertices; pass at least one.")
    rows, columns, weight = edges.source, edges.target, edges.weight
    if weight is not None and not np.isfinite(weight).all():
        bad = int(np.argmin(np.isfinite(weight)))
        raise GraphError(
            f"The edge {name_at(names, rows[bad])!r}, {name_at(names, columns[bad])!r} has weight {weight[bad]}; "
            "replace or drop what is not finite."
        )
    if rules.loops != "keep":
        loop = rows == columns
        if loop.any():
            if rules.loops == "error":
                name = name_at(names, rows[np.argmax(loop)])
                raise GraphError(f"Vertex {name!r} has a loop; pass loops='keep' or loops='drop'.")
            rows, columns = rows[~loop], columns[~loop]
            weight = None if weight is None else weight[~loop]
    if not edges.directed:
        rows, columns = np.minimum(rows, columns), np.maximum(rows, columns)
    matrix = _gather(rows, columns, weight, n, rules.multi_edges, names)
    entries = entries_of("matrix", matrix)
    if not entries.finite:
        bad = int(np.argmin(np.isfinite(matrix.data)))
        i = int(np.searchsorted(matrix.indptr, bad, side="right")) - 1
        u, v = name_at(names, i), name_at(names, matrix.indices[bad])
        raise GraphError(
            f"The weights of the edge {u!r}, {v!r} add up to {matrix.data[bad]}; "
            "divide all weights by a constant, or pass multi_edges='collapse'."
        )
    if not edges.directed:
        # Only the upper triangle was gathered; its transpose makes the symmetry exact.
        matrix = sparse.csr_array(matrix + sparse.triu(matrix, k=1, format="csr").T.tocsr())
    return _canonical(matrix, entries)


def tidy_matrix(
    matrix: Any, directed: bool | None, rules: Rules, *, unweighted: bool = False, argument: str = "graph"
) -> tuple[sparse.csr_array, bool]:
    """Return a square matrix, sparse or dense, as canonical csr, and whether it is directed."""
    if not sparse.issparse(matrix) and not np.ma.isMaskedArray(matrix):
        matrix = check_real_dtype(argument, np.asarray(matrix))
    shape = np.shape(matrix)
    if len(shape) != 2 or shape[0] != shape[1]:
        remedy = "pass a square adjacency matrix"
        if len(shape) == 2 and shape[1] in (2, 3):
            weight = ", edges[:, 2]" if shape[1] == 3 else ""
            remedy += f", or from_edges(edges[:, 0], edges[:, 1]{weight}) if its rows are edges"
        elif len(shape) == 2 and argument == "graph":
            remedy += (
                ", or scipy.sparse.block_array([[None, graph], [graph.T, None]]) if its rows and columns are "
                "different vertices"
            )
        raise GraphError(f"{argument} has shape {shape}; {remedy}.")
    if shape[0] == 0:
        raise GraphError(f"{argument} has shape {shape}: no vertices; pass at least one.")
    result = real_csr(matrix, argument, rules.multi_edges, unweighted=unweighted)
    if rules.loops != "keep" and (diagonal := result.diagonal()).any():
        if rules.loops == "error":
            raise GraphError(
                f"{argument} has a loop at vertex {int(np.flatnonzero(diagonal)[0])}; "
                "pass loops='keep' or loops='drop'."
            )
        result = _canonical(result - sparse.csr_array(sparse.diags_array(diagonal)))
    if directed:
        return result, True
    symmetric, where = symmetrised(result)
    if symmetric is not None:
        return symmetric, False
    if directed is None:
        return result, True
    i, j = where
    raise GraphError(
        f"directed=False but {argument}[{i}, {j}]={result[i, j]:g} and "
        f"{argument}[{j}, {i}]={result[j, i]:g}; "
        f"pass ({argument} + {argument}.T) / 2, or directed=True."
    )


def symmetrised(matrix: sparse.csr_array) -> tuple[sparse.csr_array | None, tuple[int, int]]:
    """Return the exactly symmetric matrix if it is symmetric up to rounding; else None and an entry that differs.

    The time is linear in the number of stored entries.
    """
    if is_symmetric(matrix):
        return matrix, (0, 0)
    mirror = matrix.T.tocsr()
    difference = abs(matrix - mirror).tocoo()
    worst = int(np.argmax(difference.data))
    if difference.data[worst] <= _ROUNDING * np.abs(matrix.data).max():
        return _canonical(sparse.csr_array(0.5 * matrix + 0.5 * mirror)), (0, 0)
    i, j = difference.coords
    return None, (int(i[worst]), int(j[worst]))


def real_csr(
    matrix: Any, argument: str, multi_edges: MultiEdgeRule = "sum", *, unweighted: bool = False, new: bool = False
) -> sparse.csr_array:
    """Return any sparse or dense matrix of finite real numbers as canonical csr; no input is written to.

    The arrays of canonical float64 csr are shared, not copied. If `unweighted`, all stored entries become 1,
    including stored zeros of formats that store entries explicitly. Rows of `new` vertices have weights of a
    limited size; canonical ones are returned as they are, since nothing keeps them.
    """
    if np.ma.isMaskedArray(matrix):
        raise ArgumentTypeError(f"{argument} is a masked array; pass {argument}.filled(0).")
    if isinstance(matrix, np.ndarray):
        matrix = check_real_dtype(argument, np.asarray(matrix))
    elif matrix.dtype.kind == "c":
        raise ArgumentError(
            f"{argument} has dtype {matrix.dtype}. Complex data not supported: pass {argument}.real."
        )
    elif matrix.dtype.kind not in "biuf":
        raise ArgumentTypeError(f"{argument} has dtype {matrix.dtype}; pass real numbers, as by .astype(float).")
    kind = getattr(matrix, "format", "dense")
    if kind == "dense":
        result = sparse.csr_array(_doubles(np.asarray(matrix)))
        entries = entries_of(argument, result)
    else:
        result, entries = _compressed(matrix, argument, multi_edges, keep=new)
    if not entries.finite:
        bad = int(np.argmin(np.isfinite(result.data)))
        i = int(np.searchsorted(result.indptr, bad, side="right")) - 1
        raise GraphError(
            f"{argument}[{i}, {result.indices[bad]}] is {result.data[bad]}; replace or drop what is not finite."
        )
    if new:
        check_scale(f"{argument} has weights", entries.least, entries.most, new=True)
    if not unweighted:
        return _tidy(result, entries) if new else _canonical(result, entries)
    if kind in ("bsr", "dia"):  # formats that store zeros implicitly
        result = _canonical(result, entries)
    ones = sparse.csr_array((np.ones(result.nnz), result.indices, result.indptr), shape=result.shape)
    return _canonical(ones, Entries(True, 1.0, 1.0))


def _doubles(values: NDArray[np.generic]) -> NDArray[np.float64]:
    """Return real numbers in double precision; long doubles beyond it become infinite, and are refused later."""
    if values.dtype == np.float64:
        return values  # type: ignore[return-value]  # in the byte order of this machine
    with np.errstate(over="ignore"):
        return values.astype(np.float64)


def _compressed(
    matrix: Any, argument: str, multi_edges: MultiEdgeRule, *, keep: bool
) -> tuple[sparse.csr_array, Entries]:
    """Return a sparse matrix as csr, without repeated entries, and what a pass over it found.

    If `keep`, a matrix that is already like that is returned itself.
    """
    if matrix.format in ("csr", "csc"):
        data = _doubles(np.asarray(matrix.data))
        entries = entries_of(argument, matrix, data)
        known = keep and entries.canonical and data is matrix.data and len(data) == matrix.indptr[-1]
        if known and type(matrix) is sparse.csr_array:
            return matrix, entries
        kind = sparse.csr_array if matrix.format == "csr" else sparse.csc_array
        same = kind((data, matrix.indices, matrix.indptr), shape=matrix.shape)
        if entries.canonical:
            same.has_canonical_format = True  # set, since scipy would check every index again
            return same.tocsr(), entries
        listed = same.tocoo()
    else:
        check_structure(argument, matrix)
        listed = matrix.tocoo()
    row, column = listed.coords
    result = _gather(row, column, _doubles(listed.data), matrix.shape, multi_edges, None)
    return result, entries_of(argument, result)


def _gather(
    rows: NDArray[np.integer],
    columns: NDArray[np.integer],
    weight: NDArray[np.float64] | None,
    shape: int | tuple[int, int],
    multi_edges: MultiEdgeRule,
    names: Names | None,
) -> sparse.csr_array:
    """Return entries as csr; repeated ones are combined by the rule."""
    shape = (shape, shape) if isinstance(shape, int) else shape
    dtype = index_dtype(shape, rows.size)
    rows, columns = rows.astype(dtype, copy=False), columns.astype(dtype, copy=False)
    ones = np.ones(rows.size)
    if multi_edges == "sum" or rows.size == 0:
        data = ones if weight is None else weight
        return sparse.csr_array(sparse.coo_array((data, (rows, columns)), shape=shape))
    count = sparse.csr_array(sparse.coo_array((ones, (rows, columns)), shape=shape))
    repeated = count.data > 1
    if multi_edges == "error" and repeated.any():
        where = int(np.argmax(repeated))
        i, j = int(np.searchsorted(count.indptr, where, side="right")) - 1, int(count.indices[where])
        u, v = (i, j) if names is None else (name_at(names, i), name_at(names, j))
        raise GraphError(
            f"The edge {u!r}, {v!r} is given {count.data[where]:.0f} times; "
            "pass multi_edges='sum' to add weights up, or multi_edges='collapse' to keep the largest."
        )
    if weight is None:
        count.data[:] = 1.0
        return count
    order = np.lexsort((columns, rows))
    count.sort_indices()
    starts = np.concatenate(([0], np.cumsum(count.data[:-1]).astype(np.intp)))
    count.data = np.maximum.reduceat(weight[order], starts)
    return count


def _canonical(matrix: sparse.csr_array, entries: Entries | None = None) -> sparse.csr_array:
    """Return the matrix sorted, without duplicates and stored zeros, and with the narrowest index type."""
    matrix = _tidy(matrix, entries_of("matrix", matrix) if entries is None else entries)
    dtype = index_dtype(matrix.shape, matrix.nnz)
    if matrix.indices.dtype != dtype or matrix.indptr.dtype != dtype:
        indices, indptr = matrix.indices.astype(dtype), matrix.indptr.astype(dtype)
        matrix = sparse.csr_array((matrix.data, indices, indptr), shape=matrix.shape)
    return matrix


def _tidy(matrix: sparse.csr_array, entries: Entries) -> sparse.csr_array:
    """Return the matrix sorted, without duplicates and stored zeros."""
    if entries.canonical and not (entries.least <= 0 <= entries.most and bool((matrix.data == 0).any())):
        return matrix
    matrix = matrix.copy()
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def check_weights(weight: object, m: int) -> NDArray[np.float64]:
    """Return m edge weights as float64; whether they are finite is checked later, when edges can be named."""
    values = np.asarray(weight)
    if values.dtype.kind not in "biuf":
        raise ArgumentTypeError(f"weight has dtype {values.dtype}; pass one real number for each edge.")
    if values.shape != (m,):
        raise ArgumentError(f"weight has shape {values.shape} for {m} edges; pass shape ({m},).")
    return values.astype(np.float64, copy=False)
