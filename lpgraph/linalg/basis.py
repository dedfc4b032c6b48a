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
_TILE = 4096


def single_pays(n: int) -> bool:
    """Whether columns of n numbers are read by the compiled loops, which take single precision as it is."""
    return n >= WORTHWHILE and available()


class Basis:
    """Room for `capacity` columns of n numbers, filled from the left by the caller.

    What meets the basis comes as the rows of a (w, n) array in double precision; such rows are worked on by twos,
    so that each column is read from memory once for both.

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

    def store(self, at: int, vectors: Array, factors: Array) -> None:
        """Make the rows of ``factors @ vectors`` the columns from `at` on."""
        columns = self.array.T[at : at + len(factors)]
        if not self._compiled:
            columns[...] = factors @ vectors
            return
        rows, factors = np.ascontiguousarray(vectors), np.ascontiguousarray(factors)
        in_threads(lambda low, high: _combine(rows, factors, columns, low, high), self._cuts())

    def coefficients(self, first: int, last: int, vectors: Array) -> Array:
        """Return the scalar products of columns ``first, ..., last - 1`` with the rows of a (w, n) array."""
        if not self._compiled:
            return np.asarray(self.array.T[first:last] @ vectors.T, dtype=np.float64)
        sums = np.empty((self._tiles, last - first, len(vectors)))
        columns = self.array.T[first:last]
        in_threads(lambda low, high: _coefficients(columns, vectors, sums, low, high), self._cuts())
        return np.asarray(sums.sum(axis=0))

    def subtract(self, first: int, last: int, coefficients: Array, vectors: Array) -> Array:
        """Take columns times coefficients off the vectors, in place; return what is left's scalar products."""
        if not self._compiled:
            vectors -= coefficients.T @ self.array.T[first:last]
            return np.asarray(vectors @ vectors.T)
        products = np.empty((self._tiles, len(vectors), len(vectors)))
        columns = self.array.T[first:last]
        in_threads(lambda low, high: _subtract(columns, coefficients, vectors, products, low, high), self._cuts())
        return np.asarray(products.sum(axis=0))

    def take_out(
        self, first: int, last: int, vectors: Array, *, before: Array | None = None
    ) -> tuple[Array, Array]:
        """Make vectors orthogonal to columns ``first, ..., last - 1``, in place; return coefficients and products.

        With `before`, the lengths of the vectors as they come, it is done to rounding: once more where the first
        pass has left less than 0.7 of one. The products are the vectors' with one another, when it is done.
        """
        coefficients = self.coefficients(first, last, vectors)
        products = self.subtract(first, last, coefficients, vectors)
        if before is not None and (np.sqrt(np.diag(products)) < 0.7 * before).any():
            again = self.coefficients(first, last, vectors)
            products = self.subtract(first, last, again, vectors)
            coefficients += again
        return coefficients, products

    def rotate(self, size: int, rotation: Array) -> None:
        """Replace the first columns by ``columns(0, size) @ rotation``, without a second basis in memory."""
        self._combine(size, rotation, self.array[:, : rotation.shape[1]])

    def times(self, size: int, rotation: Array) -> NDArray[Any]:
        """Return ``columns(0, size) @ rotation`` as a new array of the basis's precision, column after column."""
        result = np.empty((len(self.array), rotation.shape[1]), self.array.dtype, order="F")
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
        pieces = min(self._tiles, 4 if self._tiles < 128 else 16)
        return [t * self._tiles // pieces for t in range(pieces + 1)]


def _coefficients_loop(columns, vectors, sums, low, high):  # type: ignore[no-untyped-def]
    n, count, width = vectors.shape[1], len(columns), len(vectors)
    for tile in range(low, high):
        first, last = tile * _TILE, min(n, (tile + 1) * _TILE)
        for v in range(0, width, 2):
            w = min(v + 1, width - 1)
            x, y = vectors[v, first:last], vectors[w, first:last]
            j = 0
            # Four columns at once, so that the vectors are read from the cache a quarter as often.
            while j + 4 <= count:
                p, q = columns[j, first:last], columns[j + 1, first:last]
                r, s = columns[j + 2, first:last], columns[j + 3, first:last]
                a = b = c = d = e = f = g = h = 0.0
                for i in range(last - first):
                    one, two = x[i], y[i]
                    a += p[i] * one
                    b += q[i] * one
                    c += r[i] * one
                    d += s[i] * one
                    e += p[i] * two
                    f += q[i] * two
                    g += r[i] * two
                    h += s[i] * two
                sums[tile, j, v], sums[tile, j, w] = a, e
                sums[tile, j + 1, v], sums[tile, j + 1, w] = b, f
                sums[tile, j + 2, v], sums[tile, j + 2, w] = c, g
                sums[tile, j + 3, v], sums[tile, j + 3, w] = d, h
                j += 4
            while j < count:
                p = columns[j, first:last]
                a = e = 0.0
                for i in range(last - first):
                    a += p[i] * x[i]
                    e += p[i] * y[i]
                sums[tile, j, v], sums[tile, j, w] = a, e
                j += 1


def _subtract_loop(columns, coefficients, vectors, products, low, high):  # type: ignore[no-untyped-def]
    n, count, width = vectors.shape[1], len(columns), len(vectors)
    for tile in range(low, high):
        first, last = tile * _TILE, min(n, (tile + 1) * _TILE)
        j = 0
        while j + 4 <= count:
            p, q = columns[j, first:last], columns[j + 1, first:last]
            r, s = columns[j + 2, first:last], columns[j + 3, first:last]
            # One vector after the other: with two written at once no compiler knows that they are apart.
            for v in range(width):
                x = vectors[v, first:last]
                a, b = coefficients[j, v], coefficients[j + 1, v]
                c, d = coefficients[j + 2, v], coefficients[j + 3, v]
                for i in range(last - first):
                    x[i] -= (a * p[i] + b * q[i]) + (c * r[i] + d * s[i])
            j += 4
        while j < count:
            p = columns[j, first:last]
            for v in range(width):
                x, a = vectors[v, first:last], coefficients[j, v]
                for i in range(last - first):
                    x[i] -= a * p[i]
            j += 1
        for v in range(width):
            for w in range(v + 1):
                x, y = vectors[v, first:last], vectors[w, first:last]
                a = 0.0
                for i in range(last - first):
                    a += x[i] * y[i]
                products[tile, v, w] = products[tile, w, v] = a


def _combine_loop(columns, factors, into, low, high):  # type: ignore[no-untyped-def]
    n, count, short = columns.shape[1], len(columns), _TILE // 8
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
