"""Compiled product of a sparse matrix and a block of vectors, on all cores.

scipy's product runs on one core, holds the interpreter's lock and moves twelve bytes for each stored entry. Here
the rows are shared out evenly by entries, and where all entries are equal, as in an unweighted graph, only the
column indices are read: four bytes an entry. What limits it then is the gathering of single numbers from the
vector: a vector in single precision stays in the cache where one in double does not.

Every row is summed by one thread in an order of its own, so that the result does not depend on the number of
threads. It differs from scipy's by rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import sparse

from lpgraph._compiled import available, compiled
from lpgraph.linalg.minmax import minmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["WORTHWHILE", "AnyMatrix", "Product", "faster"]

AnyMatrix: TypeAlias = "sparse.csr_array | sparse.csc_array | NDArray[np.float64]"

#: From this many stored entries: for fewer, importing numba (0.25 s) would cost more time than it saves.
WORTHWHILE = 1_000_000

#: Entries of a piece that a thread takes at a time; two pieces for each thread at least, or one thread does all.
_PIECE = 500_000


def faster(matrix: AnyMatrix) -> Product | AnyMatrix:
    """Return a matrix's compiled product, or the matrix itself where its own product serves as well."""
    product = Product.of(matrix)
    return matrix if product is None else product


@dataclass(frozen=True, eq=False)
class Product:
    """The compiled product of a csr matrix A, or of ``diag(scale) A diag(scale)``; shares the matrix's arrays.

    Attributes
    ----------
    indptr, indices : ndarray of unsigned int
        The matrix's, seen as unsigned: an index that cannot be negative needs no wrapping round.
    data : ndarray of float64
        Its entries; of length one where all are equal.
    shape : tuple of int
        Rows and columns.
    scale : ndarray of float64, optional
        Of a square matrix.
    """

    indptr: NDArray[np.unsignedinteger]
    indices: NDArray[np.unsignedinteger]
    data: Array
    shape: tuple[int, int]
    scale: Array | None = None

    @classmethod
    def of(cls, matrix: AnyMatrix, *, least: int | None = None) -> Product | None:
        """Return the product of a matrix, or None where scipy's or numpy's own serves as well."""
        if isinstance(matrix, np.ndarray) or matrix.format != "csr" or not available():
            return None
        if len(matrix.data) < max(WORTHWHILE if least is None else least, 1):
            return None
        data = np.asarray(matrix.data, dtype=np.float64)
        first, last = minmax(data)
        if first == last:
            data = data[:1].copy()
        unsigned = np.uint32 if matrix.indices.dtype == np.int32 else np.uint64
        # int32 seen as uint32 shares memory; unequal widths, which scipy does not make, would be copied.
        wide = matrix.indices.dtype if matrix.indices.dtype in (np.int32, np.int64) else np.int64
        indptr, indices = (part.astype(wide, copy=False) for part in (matrix.indptr, matrix.indices))
        return cls(indptr.view(unsigned), indices.view(unsigned), data, matrix.shape)

    def scaled(self, scale: Array) -> Product:
        """Return the product of ``diag(scale) A diag(scale)``."""
        return replace(self, scale=scale)

    @cached_property
    def _cuts(self) -> list[int]:
        """Rows at which pieces with as many entries begin."""
        pieces = max(2, len(self.indices) // _PIECE)
        targets = np.linspace(0, len(self.indices), pieces + 1)[1:-1].astype(self.indptr.dtype)
        return [0, *np.searchsorted(self.indptr, targets).tolist(), self.shape[0]]

    def __matmul__(self, block: NDArray[np.floating]) -> Array:
        """Return the (n, b) product with an (m, b) block, as a new array in double precision.

        A block in single precision is gathered as it is, and summed in double. Columns go by twos: a pair of
        numbers is gathered at little more than the cost of one, but four leave the cache. One or two columns come
        out column after column, more row after row.
        """
        (rows, _), width, scale = self.shape, block.shape[1], self.scale
        given = block if block.dtype == np.float32 else np.asarray(block, dtype=np.float64)
        source, apart = _flat(given)
        result = np.empty((width, rows)).T if width <= 2 else np.empty((rows, width))
        target, places = _flat(result)
        equal, cuts = len(self.data) == 1, self._cuts
        for j in range(0, width, 2):
            if j + 1 < width:
                as_it_is = width == 2 and given.flags.c_contiguous and scale is None
                gathered = given if as_it_is else _paired(source, apart, j, given.shape[0], scale)
                loop = _equal_pair if equal else _weighted_pair
                more = 1.0, 0.0, _NONE if scale is None else scale, gathered[:0], _NONE
                where: tuple[object, ...] = (places[0], j * places[1], (j + 1) * places[1], *more)
            else:
                column = given[:, j] if scale is None else given[:, j] * scale
                gathered, loop = np.ascontiguousarray(column), _equal if equal else _weighted
                where = (places[0], j * places[1])
            loop.over(cuts, self.indptr, self.indices, self.data, gathered, target, *where)
            if scale is not None and j + 1 == width:
                result[:, j] *= scale
        return result

    def recur(self, now: Array, before: Array, factor: float, shift: float) -> Array:
        """Return ``factor (A - shift I) now - before`` for pairs of columns, each array (n, 2) row after row.

        In the precision of `now`.
        """
        scale = self.scale
        result = np.empty_like(now)
        gathered = now if scale is None else _paired(now.reshape(-1), (2, 1), 0, len(now), scale)
        more = factor, shift, _NONE if scale is None else scale, now, before.reshape(-1)
        loop = _equal_pair if len(self.data) == 1 else _weighted_pair
        loop.over(self._cuts, self.indptr, self.indices, self.data, gathered, result.reshape(-1), 2, 0, 1, *more)
        return result


#: No scale, nothing taken off.
_NONE = np.empty(0)


def _flat(array: NDArray[np.floating]) -> tuple[NDArray[np.floating], tuple[int, int]]:
    """Return an array's numbers as they lie in memory, and the steps from row to row and from column to column.

    One compiled loop then serves both orders of memory.
    """
    if array.flags.f_contiguous:
        return array.T.reshape(-1), (1, array.shape[0])
    return np.ascontiguousarray(array).reshape(-1), (array.shape[1], 1)


def _paired(
    source: NDArray[np.floating], apart: tuple[int, int], column: int, n: int, scale: Array | None
) -> NDArray[np.floating]:
    """Return two columns side by side, their rows multiplied by `scale`."""
    pair = np.empty((n, 2), source.dtype)
    step, first, second = apart[0], column * apart[1], (column + 1) * apart[1]
    cuts = [n * t // 4 for t in range(5)]
    _pair_up.over(cuts, source, step, first, second, _NONE if scale is None else scale, pair)
    return pair


@compiled
def _pair_up(flat, step, first, second, scale, pair, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    if len(scale):
        for i in range(low, high):
            pair[i, 0] = scale[i] * flat[i * step + first]
            pair[i, 1] = scale[i] * flat[i * step + second]
    else:
        for i in range(low, high):
            pair[i, 0] = flat[i * step + first]
            pair[i, 1] = flat[i * step + second]


@compiled
def _equal(indptr, indices, data, vector, flat, step, first, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    four, three, two, one = np.uint64(4), np.uint64(3), np.uint64(2), np.uint64(1)
    factor = data[0]
    for i in range(low, high):
        p, end = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        a = b = c = d = 0.0
        last = p + ((end - p) & ~three)
        # Four sums at once: one alone would wait for each addition to end before the next.
        while p < last:
            a += vector[indices[p]]
            b += vector[indices[p + one]]
            c += vector[indices[p + two]]
            d += vector[indices[p + three]]
            p += four
        while p < end:
            a += vector[indices[p]]
            p += one
        flat[i * step + first] = factor * ((a + b) + (c + d))


@compiled
def _weighted(indptr, indices, data, vector, flat, step, first, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    four, three, two, one = np.uint64(4), np.uint64(3), np.uint64(2), np.uint64(1)
    for i in range(low, high):
        p, end = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        a = b = c = d = 0.0
        last = p + ((end - p) & ~three)
        while p < last:
            a += data[p] * vector[indices[p]]
            b += data[p + one] * vector[indices[p + one]]
            c += data[p + two] * vector[indices[p + two]]
            d += data[p + three] * vector[indices[p + three]]
            p += four
        while p < end:
            a += data[p] * vector[indices[p]]
            p += one
        flat[i * step + first] = (a + b) + (c + d)


@compiled
def _equal_pair(  # type: ignore[no-untyped-def]  # numba infers the types
    indptr, indices, data, pair, flat, step, first, second, factor, shift, scale, now, before, low, high
):
    one, two = np.uint64(1), np.uint64(2)
    weight = data[0]
    for i in range(low, high):
        p, end = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        a = b = c = d = 0.0
        last = p + ((end - p) & ~one)
        while p < last:
            x, y = pair[indices[p]], pair[indices[p + one]]
            a += x[0]
            b += x[1]
            c += y[0]
            d += y[1]
            p += two
        if p < end:
            x = pair[indices[p]]
            a += x[0]
            b += x[1]
        a, b = weight * (a + c), weight * (b + d)
        if len(scale):
            a, b = scale[i] * a, scale[i] * b
        if len(before):
            a = factor * (a - shift * now[i, 0]) - before[2 * i]
            b = factor * (b - shift * now[i, 1]) - before[2 * i + 1]
        flat[i * step + first] = a
        flat[i * step + second] = b


@compiled
def _weighted_pair(  # type: ignore[no-untyped-def]  # numba infers the types
    indptr, indices, data, pair, flat, step, first, second, factor, shift, scale, now, before, low, high
):
    one, two = np.uint64(1), np.uint64(2)
    for i in range(low, high):
        p, end = np.uint64(indptr[i]), np.uint64(indptr[i + 1])
        a = b = c = d = 0.0
        last = p + ((end - p) & ~one)
        while p < last:
            x, y, f, g = pair[indices[p]], pair[indices[p + one]], data[p], data[p + one]
            a += f * x[0]
            b += f * x[1]
            c += g * y[0]
            d += g * y[1]
            p += two
        if p < end:
            x, f = pair[indices[p]], data[p]
            a += f * x[0]
            b += f * x[1]
        a, b = a + c, b + d
        if len(scale):
            a, b = scale[i] * a, scale[i] * b
        if len(before):
            a = factor * (a - shift * now[i, 0]) - before[2 * i]
            b = factor * (b - shift * now[i, 1]) - before[2 * i + 1]
        flat[i * step + first] = a
        flat[i * step + second] = b
