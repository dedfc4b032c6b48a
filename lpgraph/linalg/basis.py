"""Growing orthonormal basis of few long columns, for Krylov methods.

Columns may be kept in single precision while all arithmetic is in double. This halves the memory traffic, and
costs one rounding (3e-8) of each column. Because that error has no direction, the columns stay orthogonal to far
better than single precision (to about 3e-8 / sqrt(n)).

Long bases are read by compiled loops on all cores, tile by tile: a tile's share of a scalar product is summed by
one thread, and the tiles in their order, so that the result does not depend on the number of threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lpgraph._utils.compiled import available, compiled
from lpgraph.linalg import room

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

#: Some columns, and their coefficients in the rows of an array, from which they are to be subtracted.
Parts: TypeAlias = "tuple[NDArray[np.intp], Array]"

NOTHING: Parts = (np.empty(0, dtype=np.intp), np.empty((0, 0)))

#: Orthogonalisation is repeated if it leaves less than this share of a length: 1 / sqrt(2), Kahan's rule.
REPEAT = 0.7

#: Passes after the first, at most: each removes all but 1e-5 of what is left, or more.
_PASSES = 5

#: From this many rows the compiled loops are used.
WORTHWHILE = 50_000

#: Rows of a tile: a tile of the vector stays in the first-level cache while the columns are read.
_TILE = 4096

#: Rows that are combined at a time: their sums stay in the first-level cache.
_SHORT = 512


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
        self._rows: NDArray[np.floating] = room.empty_of(dtype, (capacity, n))
        self.array = self._rows.T
        self._tiles = -(-n // _TILE)
        self._compiled = single_pays(n)

    def store(self, at: int, vectors: Array, factors: Array, *, less: Parts = NOTHING) -> None:
        """Store the rows of ``factors @ vectors`` as columns from `at` on, with `less` subtracted before."""
        columns, (which, along) = self.array.T[at : at + len(factors)], less
        if self._compiled:
            before = -along @ factors.T if len(which) else np.empty((0, len(factors)))
            self._combined(which, before, columns, vectors=(vectors, factors))
        elif not len(which):
            columns[...] = factors @ vectors
        else:
            columns[...] = factors @ (vectors - along.T @ self.array.T[which])

    def products(
        self, first: int, last: int, vectors: Array, *, along: Array | None = None
    ) -> tuple[Array, Array]:
        """Return the scalar products of columns ``first, ..., last - 1`` with the rows of a (w, n) array.

        The second array holds the rows' scalar products with one another. With `along`, the last ``len(along)``
        columns times these coefficients are subtracted from the rows first, in place.
        """
        own = np.empty((0, len(vectors))) if along is None else np.ascontiguousarray(along)
        columns, recent = self.array.T[first:last], self.array.T[last - len(own) : last]
        if not self._compiled:
            if len(own):
                vectors -= own.T @ recent
            return np.asarray(columns @ vectors.T, dtype=np.float64), np.asarray(vectors @ vectors.T)
        sums = np.empty((self._tiles, len(columns), len(vectors)))
        mutual = np.empty((self._tiles, len(vectors), len(vectors)))
        _products.over(self._cuts(), columns, (recent, own), vectors, (sums, mutual))
        return np.asarray(sums.sum(axis=0)), np.asarray(mutual.sum(axis=0))

    def subtract(self, less: Parts, vectors: Array) -> Array:
        """Subtract columns times coefficients from the vectors, in place; return their scalar products then."""
        which, along = less
        if self._compiled:
            self._combined(which, -along, vectors, vectors=(vectors, np.eye(len(vectors))))
        elif len(which):
            vectors -= along.T @ self.array.T[which]
        return self.products(0, 0, vectors)[1]

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

    def rotate(self, size: int, rotation: Array) -> NDArray[np.floating]:
        """Replace the first columns by ``columns(0, size) @ rotation``, without a second basis; return them."""
        columns = self.array[:, : rotation.shape[1]]
        if self._compiled:
            self._combined(np.arange(size), rotation, columns.T)
            return columns
        for low in range(0, len(self.array), 2 * _TILE):
            rows = slice(low, low + 2 * _TILE)
            columns[rows] = self.array[rows, :size].astype(np.float64, copy=False) @ rotation
        return columns

    def release(self, count: int) -> NDArray[np.floating]:
        """Return the first `count` columns, and free the memory of the others; the basis is used up."""
        rows = self._rows
        del self.array, self._rows
        if room.is_mapped(rows):  # its pages are not of memory
            return rows[:count].T
        try:
            rows.resize((count, rows.shape[1]))  # in place: no second copy of the columns at any time
        except ValueError:  # an operator has kept a part of the basis, or a debugger refers to it
            rows = rows[:count].copy()
        return rows.T

    def _combined(
        self,
        which: NDArray[np.intp],
        factors: Array,
        into: NDArray[np.floating],
        *,
        vectors: tuple[Array, Array] | None = None,
    ) -> None:
        """Make the rows of `into` combinations of some columns and of other vectors."""
        others, of_others = (np.empty((0, len(into.T))), np.empty((len(into), 0))) if vectors is None else vectors
        cuts, short = self._cuts(), _TILE if len(into) <= 2 else _SHORT
        _combine.over(
            range(len(cuts)),
            (self.array.T, np.ascontiguousarray(which, dtype=np.int64), np.ascontiguousarray(factors.T)),
            (np.ascontiguousarray(others), np.ascontiguousarray(of_others)),
            into,
            (np.empty((len(cuts) - 1, len(into) + 1, short)), np.array(cuts)),
        )

    def _cuts(self) -> list[int]:
        pieces = min(self._tiles, 4 if self._tiles < 128 else 16)
        return [t * self._tiles // pieces for t in range(pieces + 1)]


def _products_loop(columns, less, vectors, found, low, high):  # type: ignore[no-untyped-def]  # numba infers the types
    (recent, own), (sums, mutual) = less, found
    n, count, width, near = vectors.shape[1], len(columns), len(vectors), len(own)
    for tile in range(low, high):
        first, last = tile * _TILE, min(n, (tile + 1) * _TILE)
        for j in range(0, near, 2):
            # One vector at a time: the compiler cannot know that two vectors written at once do not overlap.
            k = min(j + 1, near - 1)
            p, q = recent[j, first:last], recent[k, first:last]
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


def _combine_loop(some, vectors, into, work, piece, _):  # type: ignore[no-untyped-def]  # numba infers the types
    (columns, which, factors), (others, of_others), (tiles, cuts) = some, vectors, work
    n, count, more, width = into.shape[1], len(which), len(others), len(into)
    tile, short = tiles[piece], tiles.shape[2]
    # Two sums at once from four columns. `into` may be one of the inputs: a tile is written when it is complete.
    begin, last = cuts[piece] * _TILE, min(n, cuts[piece + 1] * _TILE)
    while begin < last:
        end = min(last, begin + short)
        for half in range((width + 1) // 2):
            k = 2 * half
            then = min(k + 1, width - 1)
            one, two, f, g = tile[k], tile[k + 1], factors[k], factors[then]
            for i in range(end - begin):
                one[i] = two[i] = 0.0
            for j in range(more):
                p, a, e = others[j, begin:end], of_others[k, j], of_others[then, j]
                for i in range(end - begin):
                    one[i] += a * p[i]
                    two[i] += e * p[i]
            for j in range(0, count - 3, 4):
                p, q = columns[which[j], begin:end], columns[which[j + 1], begin:end]
                r, s = columns[which[j + 2], begin:end], columns[which[j + 3], begin:end]
                a, b, c, d = f[j], f[j + 1], f[j + 2], f[j + 3]
                e, h, u, v = g[j], g[j + 1], g[j + 2], g[j + 3]
                for i in range(end - begin):
                    one[i] += (a * p[i] + b * q[i]) + (c * r[i] + d * s[i])
                    two[i] += (e * p[i] + h * q[i]) + (u * r[i] + v * s[i])
            for j in range(count - count % 4, count):
                p, a, e = columns[which[j], begin:end], f[j], g[j]
                for i in range(end - begin):
                    one[i] += a * p[i]
                    two[i] += e * p[i]
        for k in range(width):
            for i in range(end - begin):
                into[k, begin + i] = tile[k, i]
        begin = end


_combine = compiled(_combine_loop, reassociate=True)
_products = compiled(_products_loop, reassociate=True)
