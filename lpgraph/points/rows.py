"""Points as rows of numbers of any real type, which are converted to doubles some megabytes at a time."""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._slices import slices
from lpgraph.points.sparse_points import is_sparse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lpgraph.points.types import Array, Numbers, Points, Values

__all__ = ["blocks", "box", "doubles", "in_memory", "is_mapped", "mean_of", "same_points", "some_points"]

#: Numbers that are converted at a time: 8 MB of doubles.
_BLOCK = 1 << 20


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


def in_memory(points: Points) -> Values:
    """Return all points as doubles, or sparse points as they are."""
    return points if is_sparse(points) else doubles(points)


def is_mapped(array: NDArray[np.generic]) -> bool:
    """Whether an array is a part of a mapped file with the coordinates of each point next to each other."""
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base, mmap.mmap) and array.ndim == 2 and array.strides[1] == array.itemsize


def box(points: Numbers) -> tuple[Array, Array]:
    """Return the smallest and the largest coordinates of points, of which there is at least one."""
    return doubles(points.min(axis=0)), doubles(points.max(axis=0))


def mean_of(points: Numbers) -> Array:
    """Return the mean of points, summed in blocks that depend on the shape only."""
    total = np.zeros(points.shape[1])
    for part in blocks(points):
        total += doubles(points[part]).sum(axis=0)
    return total / len(points)


def same_points(a: Numbers, b: Numbers) -> bool:
    """Whether all points are equal, one by one."""
    return a is b or (a.shape == b.shape and all(np.array_equal(a[part], b[part]) for part in blocks(a)))


def some_points(points: Points, rows: NDArray[np.intp]) -> Points:
    """Return some points, in increasing order, in their own type; without a copy if they are all points."""
    return points if len(rows) == points.shape[0] else points[rows]
