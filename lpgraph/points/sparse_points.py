"""Points as sparse rows: checks, comparison and distances, with at most a block dense at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._compiled import available
from lpgraph._slices import slices
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.linalg.csr_check import check_structure

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from typing_extensions import TypeIs

    from lpgraph.points.types import Array

__all__ = [
    "WORK",
    "check_sparse",
    "euclidean_distances",
    "in_dense_blocks",
    "is_sparse",
    "pair_norms",
    "row_norms",
    "row_scalars",
    "scaled_rows",
    "structure",
]

#: Entries in work arrays: 64 MB.
WORK = 1 << 23

#: From so many pairs on, loading numba takes less time than it saves; and pairs of a piece for a thread.
_MANY_PAIRS, _PAIRS = 50_000, 4096

#: Squared distances below this fraction of the squared norms are computed by subtraction: products cancel.
_CANCELS = 1e-4


def is_sparse(points: object) -> TypeIs[sparse.csr_array]:
    """Whether points are a sparse array; checked ones are a csr_array."""
    return bool(sparse.issparse(points))


def check_sparse(name: str, points: sparse.csr_array) -> sparse.csr_array:
    """Return a copy of sparse points as a canonical csr_array of finite float64: equal rows are stored equally."""
    if points.dtype.kind not in "biuf":
        raise ArgumentTypeError(f"{name} has dtype {points.dtype}; pass real numbers, as by {name}.astype(float).")
    check_structure(name, points)
    result: sparse.csr_array = sparse.csr_array(points, copy=True).astype(np.float64)
    result.sum_duplicates()
    result.eliminate_zeros()
    if not np.isfinite(result.data).all():
        entries = result.tocoo()
        e = int(np.argmin(np.isfinite(entries.data)))
        row, column = entries.coords
        raise ArgumentError(
            f"{name}[{row[e]}, {column[e]}] is {entries.data[e]}; replace or drop what is not finite."
        )
    return result


def row_scalars(points: sparse.csr_array) -> NDArray[np.object_]:
    """Return the rows as sortable bytes that are equal if all coordinates are equal."""
    columns, values, ends = points.indices.astype(np.int64), points.data, points.indptr
    result = np.empty(points.shape[0], dtype=object)
    for i in range(points.shape[0]):
        part = slice(ends[i], ends[i + 1])
        result[i] = columns[part].tobytes() + values[part].tobytes()
    return result


def pair_norms(
    a: sparse.csr_array, i: NDArray[np.intp], b: sparse.csr_array, j: NDArray[np.intp], norm: float
) -> Array:
    """Return the norms of ``a[i] - b[j]``: bitwise equal in any batch, and with a and b swapped."""
    result = np.empty(i.size)
    if i.size >= _MANY_PAIRS and available():
        from lpgraph.points.sparse_loops import norms_of_pairs  # it imports numba

        cuts = [*range(0, i.size, _PAIRS), i.size]
        norms_of_pairs.over(cuts, structure(a), i, structure(b), j, float(norm), result)
        return result
    width = 1 + max(a.nnz // max(1, a.shape[0]), b.nnz // max(1, b.shape[0]))
    for part in slices(i.size, WORK // (6 * width)):
        difference = a[i[part]] - b[j[part]]
        if norm == 2.0:
            result[part] = np.sqrt(_sums(difference.multiply(difference)))
        elif norm == 1.0:
            result[part] = _sums(abs(difference))
        else:
            result[part] = abs(difference).max(axis=1).toarray().ravel()
    return result


def structure(points: sparse.csr_array | sparse.csc_array) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """Return where rows (or columns) begin, indices and entries, in one type for compiled loops."""
    return points.indptr.astype(np.int64), points.indices.astype(np.int64), points.data


def euclidean_distances(a: sparse.csr_array, b: sparse.csr_array) -> Array:
    """Return the (m, n) Euclidean distances of rows: by products, or by subtraction where these cancel."""
    products = (a @ b.T).toarray()
    squares = row_norms(a)[:, None] ** 2 + row_norms(b) ** 2
    products *= -2.0
    products += squares
    i, j = np.nonzero(products <= _CANCELS * squares)
    result = np.sqrt(np.maximum(products, 0.0, out=products), out=products)
    result[i, j] = pair_norms(a, i, b, j, 2.0)
    return np.asarray(result)


def scaled_rows(points: sparse.csr_array, factors: Array) -> sparse.csr_array:
    """Return rows multiplied by numbers; their entries stay in order."""
    data = points.data * np.repeat(factors, np.diff(points.indptr))
    return sparse.csr_array((data, points.indices, points.indptr), shape=points.shape)


def row_norms(points: sparse.csr_array) -> Array:
    """Return the Euclidean lengths of rows."""
    return np.sqrt(_sums(points.multiply(points)))


def in_dense_blocks(
    block: Callable[[Array, Array], Array],
) -> Callable[[sparse.csr_array, sparse.csr_array], Array]:
    """Return a function of sparse points that calls `block` with dense ones, several rows at a time."""

    def function(a: sparse.csr_array, b: sparse.csr_array) -> Array:
        step = WORK // max(1, a.shape[1])
        result = np.empty((a.shape[0], b.shape[0]))
        for j in slices(b.shape[0], step):
            right = b[j].toarray()
            for i in slices(a.shape[0], step):
                result[i, j] = block(a[i].toarray(), right)
        return result

    return function


def _sums(matrix: sparse.csr_array) -> Array:
    # A product sums a row in the order of its entries, as the compiled loops do; a sum would not.
    return np.asarray(sparse.csr_array(matrix) @ np.ones(matrix.shape[1]))
