"""Points of any real type, in memory, in a mapped file or in a saved model, read as rows of doubles."""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from lpgraph._checks import LARGEST
from lpgraph._slices import slices
from lpgraph.storage.read import StoredArray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import DTypeLike, NDArray
    from scipy import sparse

    from lpgraph.points.types import Array, Points

    Rows: TypeAlias = slice | NDArray[np.integer] | Sequence[int]
    #: Some rows, or some columns of a slice of rows.
    Index: TypeAlias = Rows | tuple[slice, int | NDArray[np.integer]]
    Numbers: TypeAlias = NDArray[np.bool_ | np.integer | np.floating]

__all__ = [
    "ChangedRows",
    "PointRows",
    "box",
    "in_memory",
    "is_mapped",
    "mean_of",
    "parts",
    "same_points",
    "some_points",
]

#: Numbers that are converted at a time: 8 MB of doubles.
_PART = 1 << 20


@dataclass(frozen=True, eq=False)
class PointRows:
    """Points that are kept as they were given, and converted to doubles row by row when they are used.

    Indexing by rows returns a new array of doubles with the same values, so that results are those of the same
    points as an array of doubles. The whole array is converted only by `numpy.asarray`.

    Attributes
    ----------
    values : ndarray of shape (n, p), or `StoredArray`
        The points: booleans, integers or floats, in memory, in a mapped file or in the file of a saved model.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.points.rows import PointRows
    >>> pixels = PointRows(np.array([[0, 255], [16, 32], [1, 2]], dtype=np.uint8))
    >>> pixels[[2, 0]]
    array([[  1.,   2.],
           [  0., 255.]])
    """

    values: Numbers | StoredArray

    stored: ClassVar[tuple[str, ...]] = ("values",)
    ndim: ClassVar[int] = 2

    @property
    def shape(self) -> tuple[int, int]:
        """The number of points and of coordinates."""
        n, p = self.values.shape
        return n, p

    def __len__(self) -> int:
        return self.values.shape[0]

    def __getitem__(self, rows: Index) -> Array:
        """Return some rows: those of a slice, or of an array of indices of any shape."""
        if isinstance(self.values, StoredArray) and not isinstance(rows, slice):
            index = np.asarray(rows, dtype=np.intp)
            found = self.values.take(index.ravel()).reshape(*index.shape, self.shape[1])
        else:
            found = (self.values.read() if isinstance(self.values, StoredArray) else self.values)[rows]
        # -0.0 becomes 0.0, because equal points are equal bytes.
        return np.asarray(np.add(found, 0.0, dtype=np.float64, order="C"))

    @property
    def is_double(self) -> bool:
        """Whether the points are doubles."""
        return self.values.dtype.kind == "f" and self.values.dtype.itemsize == 8

    def doubles(self) -> Array:
        """Return doubles without a copy, unless there is a -0.0 among them."""
        if isinstance(self.values, StoredArray):
            return np.asarray(self.values.read(), dtype=np.float64)
        negative = any((np.signbit(self.values[part]) & (self.values[part] == 0)).any() for part in parts(self))
        return np.asarray(self if negative else self.values, dtype=np.float64)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        result = np.empty(self.shape)
        for part in parts(self):
            result[part] = self[part]
        return result if dtype is None else result.astype(dtype, copy=False)


@dataclass(frozen=True, eq=False)
class ChangedRows(PointRows):
    """Points whose rows are transformed when they are read, as to unit length.

    Attributes
    ----------
    values : ndarray of shape (n, p), or `StoredArray`
        The points.
    change : callable
        Returns the (m, p) transformed rows of (m, p) points, each of which depends on its own row only.
    """

    change: Callable[[Array], Array]

    def __getitem__(self, rows: Index) -> Array:
        """Return some transformed rows."""
        found = super().__getitem__(rows)
        return self.change(found.reshape(-1, found.shape[-1])).reshape(found.shape)


def is_mapped(array: NDArray[np.generic]) -> bool:
    """Whether an array is a part of a mapped file with the coordinates of each point next to each other."""
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base, mmap.mmap) and array.ndim == 2 and array.strides[1] == array.itemsize


def parts(points: Points) -> Iterator[slice]:
    """Return slices of rows that cover the points, of some megabytes each."""
    return slices(points.shape[0], _PART // max(1, points.shape[1]))


def box(points: Array | PointRows) -> tuple[Array, Array]:
    """Return the smallest and the largest coordinates of points, of which there is at least one."""
    if isinstance(points, np.ndarray):
        return points.min(axis=0), points.max(axis=0)
    if isinstance(points.values, StoredArray):
        # Entries are checked to be in this range when they are read; the box would need all of them.
        return np.full(points.shape[1], -LARGEST), np.full(points.shape[1], LARGEST)
    low, high = points[:1][0], points[:1][0]
    for part in parts(points):
        some = points[part]
        np.minimum(low, some.min(axis=0), out=low)
        np.maximum(high, some.max(axis=0), out=high)
    return low, high


def mean_of(points: Array | PointRows) -> Array:
    """Return the mean of points, summed in parts that depend on the shape only."""
    total = np.zeros(points.shape[1])
    for part in parts(points):
        total += points[part].sum(axis=0)
    return total / len(points)


def in_memory(points: Points) -> Array | sparse.csr_array:
    """Return all points as doubles, or sparse points as they are."""
    return np.asarray(points) if isinstance(points, PointRows) else points


def same_points(a: Array | PointRows, b: Array | PointRows) -> bool:
    """Whether all points are equal, one by one."""
    if a is b:
        return True
    if a.shape != b.shape or isinstance(getattr(b, "values", None), StoredArray):
        return False
    return all(np.array_equal(a[part], b[part]) for part in parts(a))


def some_points(points: Points, rows: NDArray[np.intp]) -> Points:
    """Return some points, in increasing order, in their own type; without a copy if they are all points."""
    if len(rows) == points.shape[0]:
        return points
    if not isinstance(points, PointRows):
        return points[rows]
    values = points.values
    return PointRows(values.take(rows) if isinstance(values, StoredArray) else values[rows])
