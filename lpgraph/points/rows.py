"""Points as rows of a dense or sparse array: types, conversion by blocks, norms and equal rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lpgraph._utils.checks import Numbers
from lpgraph._utils.compiled import slices
from lpgraph._utils.types import Array, Integers
from lpgraph.linalg import room

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typing_extensions import TypeIs


#: A matrix, dense or sparse.
Values: TypeAlias = Array | sparse.csr_array
#: Points in rows, or their distances, similarities or kernel values with the training points.
Points: TypeAlias = Numbers | sparse.csr_array

#: Numbers that are converted at a time: 8 MB of doubles.
_BLOCK = 1 << 20


def is_sparse(points: object) -> TypeIs[sparse.csr_array]:
    """Whether points are a sparse array; checked ones are a csr_array."""
    return bool(sparse.issparse(points))


def blocks(points: Points) -> Iterator[slice]:
    """Return slices of rows that cover the points, of some megabytes each."""
    return slices(points.shape[0], _BLOCK // max(1, points.shape[1]))


def doubles(points: Numbers) -> Array:
    """Return points as doubles in C order, without a copy if they are.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.points.rows import doubles
    >>> doubles(np.array([[0, 255], [16, 32]], dtype=np.uint8))
    array([[  0., 255.],
           [ 16.,  32.]])
    """
    return np.ascontiguousarray(points, dtype=np.float64)


def dense(points: Points) -> Numbers:
    """Return points as a dense array: dense ones as they are."""
    return points.toarray() if is_sparse(points) else points


def in_memory(points: Points) -> Values:
    """Return all points as doubles, or sparse points as they are."""
    return points if is_sparse(points) else doubles(points)


def is_mapped(array: NDArray[np.generic]) -> bool:
    """Whether an array is a part of a mapped file with the coordinates of each point next to each other."""
    return room.is_mapped(array) and array.ndim == 2 and array.strides[1] == array.itemsize


def some_points(points: Points, rows: Integers) -> Points:
    """Return some points, in increasing order, in their own type; without a copy if they are all points."""
    return points if len(rows) == points.shape[0] else points[rows]


def row_norms(points: sparse.csr_array) -> Array:
    """Return the Euclidean lengths of sparse rows, which do not depend on the batch."""
    # A product sums a row in the order of its entries; a sum would not.
    return np.sqrt(sparse.csr_array(points.multiply(points)) @ np.ones(points.shape[1]))


def scaled_rows(points: sparse.csr_array, factors: Array) -> sparse.csr_array:
    """Return sparse rows multiplied by numbers; their entries stay in order."""
    data = points.data * np.repeat(factors, np.diff(points.indptr))
    return sparse.csr_array((data, points.indices, points.indptr), shape=points.shape)


def as_scalars(points: Points) -> NDArray[np.void] | NDArray[np.object_]:
    """Return the rows as sortable scalars that are equal if all coordinates are equal."""
    if is_sparse(points):
        columns, ends = points.indices.astype(np.int64), points.indptr
        result = np.empty(points.shape[0], dtype=object)
        for i, part in enumerate(map(slice, ends[:-1], ends[1:])):
            result[i] = columns[part].tobytes() + points.data[part].tobytes()
        return result
    rows = np.add(points, 0.0, dtype=np.float64, order="C")  # -0.0 becomes 0.0
    return rows.view(np.dtype((np.void, rows.strides[0]))).ravel()


def are_all_equal(points: Points) -> bool:
    """Whether all points are equal.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.points.rows import are_all_equal
    >>> are_all_equal(np.ones((3, 2))), are_all_equal(np.eye(2))
    (True, False)
    """
    return len(distinct(points)[0]) <= 1


def distinct(points: Points) -> tuple[Integers, Integers]:
    """Return the first of every set of equal points, in order, and the index of each point among these."""
    representative = np.arange(points.shape[0])
    suspects = _suspects(points)
    if suspects.size:
        # Not of all points, because this takes a copy of them.
        _, first, place = np.unique(as_scalars(points[suspects]), return_index=True, return_inverse=True)
        representative[suspects] = suspects[first][place]
    return np.unique(representative, return_inverse=True)


def _suspects(points: Points) -> Integers:
    """Return the points that may equal others: those whose product with a random vector occurs several times."""
    factors: Array = np.random.default_rng(0).normal(size=(points.shape[1],))
    with np.errstate(over="ignore", invalid="ignore"):
        if is_sparse(points):
            products = points @ factors
        else:  # not by BLAS, which rounds rows differently
            parts = [(doubles(points[part]) * factors).sum(axis=1) for part in blocks(points)]
            products = np.concatenate([np.empty(0), *parts])
    _, place, count = np.unique(products, return_inverse=True, return_counts=True)
    return np.flatnonzero(count[place] > 1)
