"""Compiled product of a sparse matrix and a block of vectors, on all cores.

scipy's product runs on one core, holds the interpreter's lock and moves twelve bytes for each stored entry. Here
each thread takes rows with as many entries. If all entries are equal, as in an unweighted graph, only the column
indices are read: four bytes an entry. Then the product is limited by the gathering of single numbers from the
vector: a vector in single precision may stay in the cache where one in double precision does not.

Every row is summed by one thread in a fixed order, so that the result does not depend on the number of
threads. It differs from scipy's by rounding at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import is_array
from lpgraph._utils.compiled import available, compiled

from . import room
from .blocks import Blocks

if TYPE_CHECKING:
    from lpgraph._utils.types import Array, Floats

    from .blocks import Index


AnyMatrix: TypeAlias = "sparse.csr_array | sparse.csc_array | Array"


def dense(matrix: AnyMatrix) -> Array:
    """Return a matrix as an array, which is the matrix itself if it is one."""
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()


class LinearMap(Protocol):
    """A matrix of which only products are known, such as one on the workers of a cluster."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""

    @property
    def nnz(self) -> int:
        """Number of stored entries."""

    @property
    def T(self) -> LinearMap:  # noqa: N802 - as arrays call it
        """The transpose."""

    def __matmul__(self, block: Floats) -> Array:
        """Return the product with a block of vectors, as a new array."""


#: From this many stored entries: for fewer, importing numba (0.25 s) would cost more time than it saves.
WORTHWHILE = 1_000_000

#: Pairs of columns that are multiplied before the entries are sorted, which takes the time that these would save.
_BEFORE_BLOCKS = 12

#: Entries of a piece that a thread takes at a time; two pieces for each thread at least, or one thread does all.
_PIECE = 500_000


@dataclass(frozen=True, eq=False)
class Product:
    """The compiled product of a csr matrix A, or of ``diag(scale) A diag(scale)``; shares the matrix's arrays.

    Attributes
    ----------
    indptr, indices : ndarray of unsigned int
        The matrix's, viewed as unsigned: numba then need not handle negative indices.
    data : ndarray of float64
        Its entries; of length one where all are equal.
    shape : tuple of int
        Rows and columns.
    scale : ndarray of float64, optional
        Of a square matrix.
    symmetric : bool
        Whether the matrix is symmetric; then entries are sorted by blocks for repeated products.
    """

    indptr: Index
    indices: Index
    data: Array
    shape: tuple[int, int]
    scale: Array | None = None
    symmetric: bool = False
    _pairs: Iterator[int] = field(default_factory=count, init=False, repr=False)

    @classmethod
    def of(cls, matrix: AnyMatrix, *, least: int | None = None, symmetric: bool = False) -> Product | None:
        """Return the product of a matrix, or None if scipy's or numpy's own serves as well."""
        if is_array(matrix) or matrix.format != "csr" or not available():
            return None
        if len(matrix.data) < max(WORTHWHILE if least is None else least, 1):
            return None
        data = np.asarray(matrix.data, dtype=np.float64)
        if data.strides == (0,) or data.min() == data.max():
            data = data[:1].copy()
        indices, unsigned = matrix.indices, np.uint32 if matrix.indices.dtype == np.int32 else np.uint64
        # int32 viewed as uint32 shares memory. Row pointers of another width, unusual, are copied.
        indptr: Any = matrix.indptr.astype(indices.dtype, copy=False)
        return cls(indptr.view(unsigned), indices.view(unsigned), data, matrix.shape, symmetric=symmetric)

    @cached_property
    def _cuts(self) -> list[int]:
        """Rows at which pieces with as many entries begin."""
        pieces = max(2, len(self.indices) // _PIECE)
        targets = np.linspace(0, len(self.indices), pieces + 1)[1:-1].astype(self.indptr.dtype)
        return [0, *np.searchsorted(self.indptr, targets).tolist(), self.shape[0]]

    @cached_property
    def _blocks(self) -> Blocks | None:
        return Blocks.of(self.indptr, self.indices) if self.symmetric and len(self.data) == 1 else None

    def __matmul__(self, block: Floats) -> Array:
        """Return the (n, b) product with an (m, b) block, as a new array in double precision.

        A block in single precision is gathered without conversion, and summed in double. Columns are multiplied
        in pairs: a pair of numbers is gathered at little more than the cost of one, but four leave the cache. A
        result of one or two columns is stored column by column, a wider one row by row.
        """
        rows, (n, width) = self.shape[0], block.shape
        source, (down, right) = _flat(block if block.dtype == np.float32 else block.astype(np.float64, copy=False))
        result = room.empty((width, rows)).T if width <= 2 else room.empty((rows, width))
        target, (step, apart) = _flat(result)
        scale = _NONE if self.scale is None else self.scale
        pair, quarters = room.empty((n, 2), source.dtype), [n * t // 4 for t in range(5)]
        numbers = pair.view(np.result_type(pair, np.complex64)).reshape(-1)
        for j in range(0, width, 2):
            k = min(j + 1, width - 1)  # a last single column is paired with itself
            _pair_up.over(quarters, (source, down, j * right, k * right), scale, pair)
            places = target, step, j * apart, k * apart
            if next(self._pairs) >= _BEFORE_BLOCKS and self._blocks is not None:
                self._blocks.multiply(float(self.data[0]), numbers, places, scale)
            else:
                _pair_product.over(self._cuts, (self.indptr, self.indices, self.data), numbers, places, scale)
        return result


#: No scale.
_NONE = np.empty(0)


def _flat(array: Floats) -> tuple[Floats, tuple[int, int]]:
    """Return an array's numbers in their order in memory, and the steps from row to row and column to column.

    One compiled loop then serves both orders of memory.
    """
    if array.flags.f_contiguous:
        return array.T.reshape(-1), (1, array.shape[0])
    return np.ascontiguousarray(array).reshape(-1), (array.shape[1], 1)


@compiled
def _pair_up(source, scale, pair, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    flat, step, first, second = source
    for i in range(low, high):
        factor = scale[i] if len(scale) else 1.0
        pair[i, 0] = factor * flat[i * step + first]
        pair[i, 1] = factor * flat[i * step + second]


@compiled
def _pair_product(matrix, pair, target, scale, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    """Multiply rows low ... high - 1 by a pair of columns, which are complex numbers: one load for both."""
    indptr, indices, data = matrix
    flat, step, first, second = target
    equal = len(data) == 1
    common = data[0] if equal else 1.0
    for i in range(low, high):
        total = 0j
        for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            z = pair[np.uint64(indices[p])]
            total += z if equal else complex(data[p] * z.real, data[p] * z.imag)
        factor = common * scale[i] if len(scale) else common
        flat[i * step + first] = factor * total.real
        flat[i * step + second] = factor * total.imag
