"""Sampling from a categorical distribution by inverting its cumulative sums.

An index is the number of cumulative sums that do not exceed a uniform number. Sorted numbers are merged with the
sums. Unsorted ones start from a guide table (Chen & Asau 1974), which has the answers for evenly spaced numbers,
and need one or two steps on average for any weights. Both loops are compiled where many numbers are drawn;
`numpy.searchsorted` finds the same indices, more slowly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._compiled import available, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Index = NDArray[np.integer]

__all__ = ["Categories"]

#: Draws from one set of weights below which importing numba would cost more time than it saves.
WORTHWHILE = 1_000_000


class Categories:
    """A categorical distribution on 0 ... n-1.

    Parameters
    ----------
    weights : ndarray of shape (n,)
        Probabilities up to a factor, >= 0.
    expected : float
        About how many indices will be drawn. It affects the method, not the result.

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
        """Return `size` sorted indices in low ... high - 1."""
        # Cumulative sums of exponential spacings are uniform order statistics: no sort is needed.
        spacings = rng.standard_exponential(size + 1)
        np.cumsum(spacings, out=spacings)
        marks = self._scaled(spacings[:-1], low, high, spacings[-1])
        if not self._compiled:
            return low + self.sums[low + 1 : high + 1].searchsorted(marks, side="right")
        found: Index = np.empty(size, dtype=np.int32)
        _merge(self.sums, marks, low, found)
        return found

    def draw(self, size: int, low: int, high: int, rng: np.random.Generator) -> Index:
        """Return `size` unsorted indices in low ... high - 1."""
        marks = self._scaled(rng.random(size), low, high, 1.0)
        if not self._compiled:
            return low + self.sums[low + 1 : high + 1].searchsorted(marks, side="right")
        found: Index = np.empty(size, dtype=np.int32)
        _look_up(self.sums, self.guide(), marks, found)
        return found

    def _scaled(self, marks: Array, low: int, high: int, whole: float) -> Array:
        """Scale marks in place from [0, whole] to the range of sums of low ... high - 1."""
        begin, end = self.sums[low], self.sums[high]
        marks *= (end - begin) / whole
        marks += begin
        # Rounding must not move a mark past the last index of positive weight.
        np.minimum(marks, np.nextafter(end, 0.0), out=marks)
        return marks

    def guide(self) -> NDArray[np.int32] | None:
        """Return the guide table, if one is used. The first call builds it: make it before threads start."""
        if self._guide is None and self._compiled:
            n, total = len(self.sums) - 1, self.sums[-1]
            marks = np.minimum(np.arange(n) * (total / n), np.nextafter(total, 0.0))
            self._guide = np.empty(n + 1, dtype=np.int32)
            _merge(self.sums, marks, 0, self._guide[:n])
            self._guide[n] = n - 1
        return self._guide


@compiled
def _merge(sums: Array, marks: Array, low: int, found: Index) -> None:
    place = low
    for t in range(len(marks)):
        while sums[place + 1] <= marks[t]:
            place += 1
        found[t] = place


@compiled
def _look_up(sums: Array, guide: Index, marks: Array, found: Index) -> None:
    last = np.int64(len(guide) - 2)
    scale = (last + 1) / sums[last + 1]
    for t in range(len(marks)):
        mark = marks[t]
        bucket = np.int64(mark * scale)
        if bucket > last:
            bucket = last
        low, high = guide[bucket], guide[bucket + 1]
        # Bisect where one bucket has many indices of small weight.
        while high - low > 8:
            middle = (low + high) // 2
            if sums[middle + 1] <= mark:
                low = middle + 1
            else:
                high = middle
        # Correct the effect of rounding on the bucket.
        while sums[low] > mark:
            low -= 1
        while sums[low + 1] <= mark:
            low += 1
        found[t] = low
