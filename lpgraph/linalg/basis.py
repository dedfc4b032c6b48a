"""A growing orthonormal basis of few long columns: what a Krylov method spends its time on beside products.

Columns may be kept in single precision while all arithmetic is in double: what moves is then half as much, and the
cost is one rounding (3e-8) of each column. Because that error has no direction, the columns stay orthogonal to far
better than single precision (to about 3e-8 / sqrt(n)).

Long bases are read by compiled loops on all cores, tile by tile: a tile's share of a scalar product is summed by
one thread, and the tiles in their order, so that the result does not depend on the number of threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._compiled import available, compiled, in_threads

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["Basis", "single_pays"]

#: From so many rows on the compiled loops are used.
WORTHWHILE = 50_000

#: Rows of a tile: a tile of the vector stays in the first cache while the columns pass by.
_TILE = 2048


def single_pays(n: int) -> bool:
    """Whether columns of n numbers are read by the compiled loops, which take single precision as it is."""
    return n >= WORTHWHILE and available()


class Basis:
    """Room for `capacity` columns of n numbers, filled from the left by the caller.

    Parameters
    ----------
    n, capacity : int
        Rows, and the most columns there will be.
    dtype : dtype
        Of what is stored: float64, or float32 for half the memory and traffic.
    """

    def __init__(self, n: int, capacity: int, dtype: DTypeLike = np.float64) -> None:
        self.array: NDArray[Any] = np.empty((n, capacity), dtype, order="F")
        self._tiles = -(-n // _TILE)
        self._compiled = single_pays(n)

    def columns(self, first: int, last: int) -> Array:
        """Return columns ``first, ..., last - 1`` in double precision."""
        return self.array[:, first:last].astype(np.float64)

    def store(self, at: int, vector: Array, scale: float = 1.0) -> None:
        """Make ``scale * vector`` the column `at`."""
        np.multiply(vector, scale, out=self.array[:, at], casting="same_kind")

    def coefficients(self, first: int, last: int, vector: Array) -> Array:
        """Return the scalar products of columns ``first, ..., last - 1`` with a vector."""
        if not self._compiled:
            return np.asarray(self.array[:, first:last].T @ vector, dtype=np.float64)
        sums = np.empty((self._tiles, last - first))
        columns = self.array.T[first:last]
        in_threads(lambda low, high: _coefficients(columns, vector, sums, low, high), self._cuts())
        return np.asarray(sums.sum(axis=0))

    def subtract(self, first: int, last: int, coefficients: Array, vector: Array) -> float:
        """Take ``columns @ coefficients`` off a vector, in place; return the length of what is left."""
        if not self._compiled:
            vector -= self.array[:, first:last] @ coefficients
            return float(np.linalg.norm(vector))
        squares = np.empty(self._tiles)
        columns = self.array.T[first:last]
        in_threads(lambda low, high: _subtract(columns, coefficients, vector, squares, low, high), self._cuts())
        return float(np.sqrt(squares.sum()))

    def take_out(
        self, first: int, last: int, vector: Array, *, before: float | None = None
    ) -> tuple[Array, float]:
        """Make a vector orthogonal to columns ``first, ..., last - 1``, in place; return coefficients and length.

        With `before`, the length of the vector as it comes, it is done to rounding: once more where the first
        pass has left less than 0.7 of it.
        """
        coefficients = self.coefficients(first, last, vector)
        length = self.subtract(first, last, coefficients, vector)
        if before is not None and length < 0.7 * before:
            again = self.coefficients(first, last, vector)
            length = self.subtract(first, last, again, vector)
            coefficients += again
        return coefficients, length

    def rotate(self, size: int, rotation: Array) -> None:
        """Replace the first columns by ``columns(0, size) @ rotation``, without a second basis in memory."""
        self._combine(size, rotation, self.array[:, : rotation.shape[1]])

    def times(self, size: int, rotation: Array) -> Array:
        """Return ``columns(0, size) @ rotation`` as a new (n, k) array in double precision, row after row."""
        result = np.empty((len(self.array), rotation.shape[1]))
        self._combine(size, rotation, result)
        return result

    def _combine(self, size: int, rotation: Array, result: NDArray[Any]) -> None:
        if self._compiled:
            columns, factors, into = self.array.T[:size], np.ascontiguousarray(rotation.T), result.T
            in_threads(lambda low, high: _combine(columns, factors, into, low, high), self._cuts())
            return
        for low in range(0, len(self.array), 2 * _TILE):
            rows = slice(low, low + 2 * _TILE)
            result[rows] = self.array[rows, :size].astype(np.float64, copy=False) @ rotation

    def _cuts(self) -> list[int]:
        pieces = min(self._tiles, 16)
        return [t * self._tiles // pieces for t in range(pieces + 1)]


def _coefficients_loop(columns, vector, sums, low, high):  # type: ignore[no-untyped-def]
    n, count = len(vector), len(columns)
    for tile in range(low, high):
        first, last = tile * _TILE, min(n, (tile + 1) * _TILE)
        piece = vector[first:last]
        j = 0
        # Four columns at once, so that the vector is read from the cache a quarter as often.
        while j + 4 <= count:
            p, q = columns[j, first:last], columns[j + 1, first:last]
            r, s = columns[j + 2, first:last], columns[j + 3, first:last]
            a = b = c = d = 0.0
            for i in range(last - first):
                x = piece[i]
                a += p[i] * x
                b += q[i] * x
                c += r[i] * x
                d += s[i] * x
            sums[tile, j] = a
            sums[tile, j + 1] = b
            sums[tile, j + 2] = c
            sums[tile, j + 3] = d
            j += 4
        while j < count:
            p = columns[j, first:last]
            a = 0.0
            for i in range(last - first):
                a += p[i] * piece[i]
            sums[tile, j] = a
            j += 1


def _subtract_loop(columns, coefficients, vector, squares, low, high):  # type: ignore[no-untyped-def]
    n, count = len(vector), len(columns)
    for tile in range(low, high):
        first, last = tile * _TILE, min(n, (tile + 1) * _TILE)
        piece = vector[first:last]
        j = 0
        while j + 4 <= count:
            p, q = columns[j, first:last], columns[j + 1, first:last]
            r, s = columns[j + 2, first:last], columns[j + 3, first:last]
            a, b, c, d = coefficients[j], coefficients[j + 1], coefficients[j + 2], coefficients[j + 3]
            for i in range(last - first):
                piece[i] -= (a * p[i] + b * q[i]) + (c * r[i] + d * s[i])
            j += 4
        while j < count:
            p = columns[j, first:last]
            a = coefficients[j]
            for i in range(last - first):
                piece[i] -= a * p[i]
            j += 1
        square = 0.0
        for i in range(last - first):
            square += piece[i] * piece[i]
        squares[tile] = square


def _combine_loop(columns, factors, into, low, high):  # type: ignore[no-untyped-def]
    n, count, short = columns.shape[1], len(columns), _TILE // 4
    # Two sums at once from four columns. `into` may be the columns themselves: a tile is written when done.
    tile = np.empty((len(factors) + 1, short))
    for begin in range(low * _TILE, min(n, high * _TILE), short):
        end = min(n, begin + short)
        for k in range(0, len(factors), 2):
            one, two = tile[k], tile[k + 1]
            f, g = factors[k], factors[min(k + 1, len(factors) - 1)]
            one[:] = 0.0
            two[:] = 0.0
            j = 0
            while j + 4 <= count:
                p, q, r, s = (
                    columns[j, begin:end],
                    columns[j + 1, begin:end],
                    columns[j + 2, begin:end],
                    columns[j + 3, begin:end],
                )
                a, b, c, d = f[j], f[j + 1], f[j + 2], f[j + 3]
                e, h, u, v = g[j], g[j + 1], g[j + 2], g[j + 3]
                for i in range(end - begin):
                    one[i] += (a * p[i] + b * q[i]) + (c * r[i] + d * s[i])
                    two[i] += (e * p[i] + h * q[i]) + (u * r[i] + v * s[i])
                j += 4
            while j < count:
                p, a, e = columns[j, begin:end], f[j], g[j]
                for i in range(end - begin):
                    one[i] += a * p[i]
                    two[i] += e * p[i]
                j += 1
        for k in range(len(factors)):
            for i in range(end - begin):
                into[k, begin + i] = tile[k, i]


_combine = compiled(_combine_loop, reassociate=True)
_coefficients = compiled(_coefficients_loop, reassociate=True)
_subtract = compiled(_subtract_loop, reassociate=True)
