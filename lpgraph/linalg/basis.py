"""Growing orthonormal basis of few long columns, for Krylov methods.

Columns may be kept in single precision while all arithmetic is in double. This halves the memory traffic, and
costs one rounding (3e-8) of each column. Because that error has no direction, the columns stay orthogonal to far
better than single precision (to about 3e-8 / sqrt(n)).

A compiled loop on all cores takes scalar products with long bases and subtracts columns, tile by tile: a tile's
share is summed by one thread, and the tiles in their order, so that the result does not depend on the number of
threads. BLAS would convert all columns for each product. It combines the columns at the end of a cycle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lpgraph._utils.compiled import available, compiled, in_threads

from . import room

if TYPE_CHECKING:
    from collections.abc import Callable

    from lpgraph._utils.types import Array, Floats, Integers


#: Some columns, and their coefficients in the rows of an array, from which they are to be subtracted.
Parts: TypeAlias = "tuple[Integers, Array]"

NOTHING: Parts = (np.empty(0, dtype=np.int64), np.empty((0, 0)))

#: Orthogonalisation is repeated if it leaves less than this share of a length: 1 / sqrt(2), Kahan's rule.
REPEAT = 0.7

#: Passes after the first, at most: each removes all but 1e-5 of what is left, or more.
_PASSES = 5

#: From this many rows the compiled loops are used.
WORTHWHILE = 50_000

#: Rows of a tile: a tile of the vector stays in the first-level cache while the columns are read.
_TILE = 4096

#: Pieces of the tiles that threads take one after the other, at most.
_PIECES = 16

#: Numbers that BLAS combines at a time: they stay in a core's cache.
_CHUNK = 1 << 15


def single_pays(n: int) -> bool:
    """Whether columns of n numbers are read by compiled loops, for which single precision is faster."""
    return n >= WORTHWHILE and available()


class Basis:
    """Room for `capacity` columns of n numbers, filled from the left by the caller.

    Other vectors are the rows of a (w, n) array in double precision. They are processed in pairs, so that each
    column is read from memory once for both.

    Parameters
    ----------
    n, capacity : int
        Rows, and the most columns there will be.
    dtype : dtype
        Of what is stored: float64, or float32 for half the memory and traffic.
    """

    def __init__(self, n: int, capacity: int, dtype: room.Precision = np.float64) -> None:
        self._rows: Floats = room.empty((capacity, n), dtype)
        self.array = self._rows.T
        self._compiled = single_pays(n)

    def store(self, at: int, vectors: Array, factors: Array, *, less: Parts = NOTHING) -> None:
        """Store the rows of ``factors @ vectors`` as columns from `at` on, after subtracting `less`, in place."""
        if len(less[0]):
            self.subtract(less, vectors)
        columns = self._rows[at : at + len(factors)]

        def work(low: int, high: int) -> None:
            columns[:, low:high] = factors @ vectors[:, low:high]

        self._over_rows(work, len(vectors))

    def products(self, first: int, last: int, vectors: Array, *, less: Parts = NOTHING) -> tuple[Array, Array]:
        """Return the scalar products of columns ``first, ..., last - 1`` with the rows of a (w, n) array.

        The second array holds the rows' scalar products with one another. Before, `less` is subtracted from the
        rows, in place.
        """
        (which, along), columns, width = less, self._rows[first:last], len(vectors)
        if not self._compiled:
            if len(which):
                vectors -= along.T @ self._rows[which]
            return np.asarray(columns @ vectors.T, dtype=np.float64), vectors @ vectors.T
        tiles = -(-len(self.array) // _TILE)
        sums, mutual = np.empty((tiles, len(columns), width)), np.empty((tiles, width, width))
        cuts = [*range(0, tiles, max(6, tiles // _PIECES)), tiles]
        own = self._rows, np.asarray(which, dtype=np.int64), np.ascontiguousarray(along)
        _products.over(cuts, columns, own, vectors, (sums, mutual))
        return sums.sum(axis=0), mutual.sum(axis=0)

    def subtract(self, less: Parts, vectors: Array) -> Array:
        """Subtract columns times coefficients from the vectors, in place; return their scalar products then."""
        return self.products(0, 0, vectors, less=less)[1]

    def take_out(self, last: int, vectors: Array, *, before: Array) -> tuple[Array, Array]:
        """Make vectors orthogonal to the first columns, in place; return coefficients and scalar products.

        It is repeated while less than `REPEAT` of one of the vectors' lengths `before` is left, so that the result
        is orthogonal as far as the columns are. If these are so to 1e-5 only, each pass leaves that share of what
        the vectors have along them: two passes are not enough for a vector that nearly lies in their space. The
        scalar products are those of the new vectors with one another.
        """
        which, along = np.arange(last), self.products(0, last, vectors)[0]
        mutual = self.subtract((which, along), vectors)
        for _ in range(_PASSES):
            lengths = np.sqrt(np.diag(mutual))
            if (lengths >= REPEAT * before).all():
                break
            before, again = lengths, self.products(0, last, vectors)[0]
            mutual = self.subtract((which, again), vectors)
            along += again
        return along, mutual

    def rotate(self, size: int, rotation: Array) -> Floats:
        """Replace the first columns by ``columns(0, size) @ rotation``, without a second basis; return them."""
        columns, turn = self._rows[: rotation.shape[1]], np.ascontiguousarray(rotation.T)

        def work(low: int, high: int) -> None:
            columns[:, low:high] = turn @ self._rows[:size, low:high].astype(np.float64, copy=False)

        self._over_rows(work, size)
        return columns.T

    def release(self, count: int) -> Floats:
        """Return a copy of the first `count` columns, and free the basis."""
        result = room.empty((count, len(self.array)), self.array.dtype)
        result[...] = self._rows[:count]
        del self.array, self._rows
        return result.T

    def _over_rows(self, work: Callable[[int, int], None], columns: int) -> None:
        n = len(self.array)
        in_threads(work, [*range(0, n, max(1, _CHUNK // columns)), n])


def _products_loop(columns, less, vectors, found, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    (all_columns, which, own), (sums, mutual) = less, found
    n, count, width, near = vectors.shape[1], len(columns), len(vectors), len(which)
    for tile in range(low, high):
        first, last = tile * _TILE, min(n, (tile + 1) * _TILE)
        for j in range(0, near, 2):
            # One vector at a time: the compiler cannot know that two vectors written at once do not overlap.
            k = min(j + 1, near - 1)
            p, q = all_columns[which[j], first:last], all_columns[which[k], first:last]
            for v in range(width):
                x, a, b = vectors[v, first:last], own[j, v], (own[k, v] if k > j else 0.0)
                for i in range(last - first):
                    x[i] -= a * p[i] + b * q[i]
        for half in range((width + 1) // 2):
            v = 2 * half
            w = min(v + 1, width - 1)
            x, y = vectors[v, first:last], vectors[w, first:last]
            # Four columns at once, so that the vectors are read from the cache a quarter as often. The last column
            # is repeated where fewer are left.
            for j in range(0, count, 4):
                k, t, m = min(j + 1, count - 1), min(j + 2, count - 1), min(j + 3, count - 1)
                p, q = columns[j, first:last], columns[k, first:last]
                r, s = columns[t, first:last], columns[m, first:last]
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
                sums[tile, k, v], sums[tile, k, w] = b, f
                sums[tile, t, v], sums[tile, t, w] = c, g
                sums[tile, m, v], sums[tile, m, w] = d, h
        for v in range(width):
            for w in range(v + 1):
                x, y = vectors[v, first:last], vectors[w, first:last]
                a = 0.0
                for i in range(last - first):
                    a += x[i] * y[i]
                mutual[tile, v, w] = mutual[tile, w, v] = a


_products = compiled(_products_loop, reassociate=True)
