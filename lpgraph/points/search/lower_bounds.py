"""Lower bounds of squared distances as products of two matrices, in single or double precision."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from lpgraph._cached import cached_property
from lpgraph._slices import slices
from lpgraph.points.rows import mean_of
from lpgraph.points.search.neighbor_pairs import SLACK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sized

    from numpy.typing import NDArray

    from lpgraph.points.types import Array, Numbers

__all__ = ["Frame", "Lists", "Real", "Rows"]

Real: TypeAlias = "np.dtype[np.float32] | np.dtype[np.float64]"

#: Numbers of a slice of points that is converted at a time.
_PART = 1 << 18

#: Bytes of a factor that is kept (256 MB); a larger one is computed a tile at a time.
_KEPT = 1 << 28


class Rows(NamedTuple):
    """Points whose products with a frame's columns are lower bounds.

    Attributes
    ----------
    left : callable
        ``left(members)`` is the factor of some of the points, an array of shape (k, p + 2) of the frame's dtype.
    squares : ndarray of shape (m,)
        Squared norms, in the frame's unit; infinite for points that are too far from the frame's centre.
    """

    left: Callable[[NDArray[np.intp]], NDArray[Any]]
    squares: Array

    def of(self, chosen: NDArray[np.intp]) -> Rows:
        """Return some of the points."""
        return Rows(lambda members: self.left(chosen[members]), self.squares[chosen])


class Lists(NamedTuple):
    """For each row, some columns that include all its nearest if it is `certain`.

    Attributes
    ----------
    values, items : ndarray of shape (m, width)
        Lower bounds, and the columns they are of; -1 where there is none.
    limits : ndarray of shape (m,)
        An upper bound of the count-th smallest squared distance.
    certain : ndarray of bool, shape (m,)
        Whether no point outside the list may be nearer.
    """

    values: NDArray[Any]
    items: NDArray[np.int32]
    limits: Array
    certain: NDArray[np.bool_]

    def of(self, chosen: NDArray[np.intp]) -> Lists:
        """Return some of the lists."""
        return Lists(self.values[chosen], self.items[chosen], self.limits[chosen], self.certain[chosen])

    @property
    def wanted(self) -> NDArray[np.bool_]:
        """The entries of the lists that may be among the nearest, of certain rows."""
        return (self.values <= self.limits[:, None]) & self.certain[:, None]


@dataclass(frozen=True, eq=False)
class Frame:
    """Training points in one precision, centred and scaled; a row times a column is a lower bound.

    ``|x - y|^2 = |x|^2 + |y|^2 - 2 <x, y>`` is the product of ``(-2 x, |x|^2, 1)`` and ``(y, 1, |y|^2)``. Squared
    norms are reduced by the largest error `gamma`, so that the product is a lower bound; an upper bound is larger
    by ``2 gamma (|x|^2 + |y|^2)``.

    Attributes
    ----------
    points : ndarray of shape (n, p)
        The points.
    dtype : dtype
        float32, twice as fast, or float64.
    order : ndarray of shape (n,)
        The point of every column. In random order few points enter a list and leave it again, in whatever order
        the points were given.
    about : ndarray of shape (p,), optional
        The centre; the mean of the points by default. Bounds are sharpest for points that are close to it.
    """

    points: Numbers
    dtype: Real
    order: NDArray[np.intp]
    about: Array | None = None

    @cached_property
    def centre(self) -> Array:
        """The centre."""
        return mean_of(self.points) if self.about is None else self.about

    @cached_property
    def unit(self) -> float:
        """The squared length that becomes about 1 in single precision, a power of 4; 1 in double precision."""
        if self.dtype == np.float64:
            return 1.0
        largest = 0.0
        for part in self._parts(self.points):
            shifted = self.points[part] - self.centre
            largest = max(largest, float(np.einsum("ij,ij->i", shifted, shifted).max()))
        exponent = 2 * math.ceil(math.log2(largest) / 2) if largest > 0 else 0
        return math.ldexp(1.0, exponent)

    @property
    def gamma(self) -> float:
        """The largest error of a product, relative to the sum of two squared norms."""
        p: int = self.points.shape[1]
        return 4 * (p + 16) * float(np.finfo(self.dtype).eps)

    @property
    def _tiny(self) -> float:
        """More than the error of numbers that are too small for the precision's full number of digits."""
        return 1e8 * float(np.finfo(self.dtype).tiny)

    @cached_property
    def place(self) -> NDArray[np.intp]:
        """The column of every point."""
        return np.argsort(self.order)

    @property
    def is_kept(self) -> bool:
        """Whether the right factor is kept in memory."""
        return self._bytes(self.points) <= _KEPT

    def right(self, columns: slice | NDArray[np.intp]) -> NDArray[Any]:
        """Return the right factor of some columns, of shape (k, p + 2)."""
        return self._columns[columns] if self.is_kept else self._right(self.order[columns])

    @cached_property
    def _columns(self) -> NDArray[Any]:
        return self._right(self.order)

    def _right(self, chosen: NDArray[np.intp]) -> NDArray[Any]:
        p = self.points.shape[1]
        result = np.empty((len(chosen), p + 2), dtype=self.dtype)
        for part in self._parts(chosen):
            shifted = self._shifted(self.points[chosen[part]])
            result[part, :p], result[part, p] = shifted, 1.0
            result[part, p + 1] = (1 - self.gamma) * np.einsum("ij,ij->i", shifted, shifted)
        return result

    @cached_property
    def squares(self) -> Array:
        """Squared norms of the columns' points, in this unit; a little too large rather than too small."""
        squares = np.empty(len(self.points))
        for part in self._parts(self.points):
            squares[part] = self.right(part)[:, -1]
        return squares / (1 - 2 * self.gamma)

    def rows(self, points: Numbers) -> Rows:
        """Return the left factor of points."""
        everyone = np.arange(len(points))
        if self._bytes(points) <= _KEPT:
            left, squares = self._left(points, everyone)
            return Rows(left.__getitem__, squares)
        squares = np.empty(len(points))
        for part in self._parts(everyone):
            squares[part] = self._left(points, everyone[part])[1]
        return Rows(lambda members: self._left(points, members)[0], squares)

    def _left(self, points: Numbers, chosen: NDArray[np.intp]) -> tuple[NDArray[Any], Array]:
        p = self.points.shape[1]
        result, squares = np.empty((len(chosen), p + 2), dtype=self.dtype), np.empty(len(chosen))
        for part in self._parts(chosen):
            shifted = self._shifted(points[chosen[part]])
            norms = np.einsum("ij,ij->i", shifted, shifted)
            far = norms > 0.1 * float(np.finfo(self.dtype).max)
            shifted[far], norms[far] = 0.0, np.inf
            result[part, :p], squares[part] = -2 * shifted, norms
            result[part, p], result[part, p + 1] = np.where(far, 0.0, (1 - self.gamma) * norms), 1.0
        return result, squares

    def own_rows(self) -> Rows:
        """Return the left factor of the training points, in the order of the columns."""
        return Rows(self._own_left, self.squares)

    def _own_left(self, members: NDArray[np.intp]) -> NDArray[Any]:
        left, p = self.right(members), self.points.shape[1]  # a copy, because members are not a slice
        squares = left[:, p + 1].copy()
        left *= -2
        left[:, p], left[:, p + 1] = squares, 1.0
        return left

    def upper(self, distances: Array) -> NDArray[Any]:
        """Return limits of lower bounds for distances, in the frame's unit and precision, rounded upwards."""
        limits = (distances**2 * ((1 + 4 * SLACK) / self.unit) + self._tiny).astype(self.dtype)
        return np.asarray(np.nextafter(limits, np.asarray(np.inf, dtype=self.dtype)))

    def lists(self, values: NDArray[Any], items: NDArray[np.int32], squares: Array, count: int) -> Lists:
        """Judge lists of the smallest bounds of rows, of which `count` points are wanted."""
        m = len(values)
        limits, certain = np.empty(m), np.empty(m, dtype=bool)
        for part in slices(m, _PART // values.shape[1]):
            some = values[part].astype(np.float64)
            most = some + 2 * self.gamma * (squares[part, None] + self.squares[items[part]]) + self._tiny
            most[items[part] < 0] = np.inf
            limits[part] = np.partition(most, count - 1, axis=1)[:, count - 1] * (1 + 4 * SLACK)
            # A list that is not full contains every column.
            certain[part] = (limits[part] < some.max(axis=1)) & np.isfinite(limits[part])
        return Lists(values, items, limits, certain)

    def _bytes(self, points: Numbers) -> int:
        return len(points) * (int(points.shape[1]) + 2) * self.dtype.itemsize

    def _parts(self, some: Sized) -> Iterator[slice]:
        return slices(len(some), _PART // self.points.shape[1])

    def _shifted(self, points: Numbers) -> Array:
        shifted = points - self.centre
        shifted /= np.sqrt(self.unit)
        return shifted
