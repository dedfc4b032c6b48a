"""Indices drawn with given weights, by the inverse of their cumulative sums.

An index is the number of cumulative sums that do not exceed a uniform mark. Sorted marks are merged with the
sums; marks in any order look the place up in a guide table (Chen & Asau 1974), which holds the answer for evenly
spaced marks, and go on from there: one or two steps on average, whatever the weights. Both are compiled where
many marks are drawn. `numpy.searchsorted` finds the same indices, only later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._compiled import available, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Index = NDArray[np.integer[Any]]

__all__ = ["Categories"]

#: From so many marks of one set of weights on, the import of numba is earned back.
WORTHWHILE = 1_000_000


class Categories:
    """Indices 0 ... n-1 with weights.

    Parameters
    ----------
    weights : ndarray of shape (n,)
        Not negative.
    expected : float
        How many indices will be drawn, about: it decides the method, not what is drawn.

    Attributes
    ----------
    sums : ndarray of shape (n + 1,)
        The sums of the first 0 ... n weights.
    """

    def __init__(self, weights: Array, expected: float) -> None:
        self.sums: Array = np.zeros(len(weights) + 1)
        np.cumsum(weights, out=self.sums[1:])
        self._compiled = expected >= WORTHWHILE and len(weights) < 2**31 and available()
        self._guide: NDArray[np.int32] | None = None

    def draw_sorted(self, size: int, low: int, high: int, rng: np.random.Generator) -> Index:
        """Draw `size` indices among low ... high - 1 and return them in order."""
        # sums of exponential spacings are the order statistics of uniform numbers, without a sort
        spacings = rng.standard_exponential(size + 1)
        np.cumsum(spacings, out=spacings)
        marks = self._scaled(spacings[:-1], low, high, spacings[-1])
        if not self._compiled:
            return low + self.sums[low + 1 : high + 1].searchsorted(marks, side="right")
        found: Index = np.empty(size, dtype=np.int32)
        _merge(self.sums, marks, low, found)
        return found

    def draw(self, size: int, low: int, high: int, rng: np.random.Generator) -> Index:
        """Draw `size` indices among low ... high - 1, in no order."""
        marks = self._scaled(rng.random(size), low, high, 1.0)
        if not self._compiled:
            return low + self.sums[low + 1 : high + 1].searchsorted(marks, side="right")
        found: Index = np.empty(size, dtype=np.int32)
        _look_up(self.sums, self.guide(), marks, found)
        return found

    def _scaled(self, marks: Array, low: int, high: int, whole: float) -> Array:
        """Bring marks from [0, whole] to the sums of low ... high - 1, in place."""
        begin, end = self.sums[low], self.sums[high]
        marks *= (end - begin) / whole
        marks += begin
        # rounding must not carry a mark past the last index of positive weight
        np.minimum(marks, np.nextafter(end, 0.0), out=marks)
        return marks

    def guide(self) -> NDArray[np.int32] | None:
        """Return the guide table where one is used, made when first asked for: ask before threads do."""
        if self._guide is None and self._compiled:
            n, total = len(self.sums) - 1, self.sums[-1]
            marks = np.minimum(np.arange(n) * (total / n), np.nextafter(total, 0.0))
            self._guide = np.empty(n + 1, dtype=np.int32)
            _merge(self.sums, marks, 0, self._guide[:n])
            self._guide[n] = n - 1
        return self._guide


@compiled
def _merge(sums, marks, low, found):  # type: ignore[no-untyped-def]
    place = low
    for t in range(len(marks)):
        while sums[place + 1] <= marks[t]:
            place += 1
        found[t] = place


@compiled
def _look_up(sums, guide, marks, found):  # type: ignore[no-untyped-def]
    last = np.int64(len(guide) - 2)
    scale = (last + 1) / sums[last + 1]
    for t in range(len(marks)):
        mark = marks[t]
        bucket = np.int64(mark * scale)
        if bucket > last:
            bucket = last
        low, high = guide[bucket], guide[bucket + 1]
        # many light indices in one bucket: halve
        while high - low > 8:
            middle = (low + high) // 2
            if sums[middle + 1] <= mark:
                low = middle + 1
            else:
                high = middle
        # whatever rounding did to the bucket, the answer is the exact one
        while sums[low] > mark:
            low -= 1
        while sums[low + 1] <= mark:
            low += 1
        found[t] = low
