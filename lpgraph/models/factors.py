"""Exact Bernoulli edges of a bilinear kernel, drawn from its factors.

The events of one column of the factors are a Poisson process of intensity u_i v_j. It is split by ranges of rows
and columns: each pair of ranges has a Poisson number of events, whose rows and columns are independent. Events of
intensity p_ij are kept without evaluating the kernel, since r(p) >= p. Only the surplus, of intensity
(excess - 1) p_ij, is thinned. See `lpgraph.models.bernoulli` for the proof that this is exact.

Rows and columns are drawn by inverting cumulative sums of weights: an index is the number of sums that do not
exceed a uniform number. Sorted numbers are merged with the sums. Unsorted ones start from a guide table (Chen &
Asau 1974), which has the answers for evenly spaced numbers, and need one or two steps on average for any weights.
Both loops are compiled where many numbers are drawn; `numpy.searchsorted` finds the same indices, more slowly.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.compiled import available, compiled, slices
from lpgraph.models.collect import refuse_too_many, run_pieces

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from lpgraph._utils.types import Array
    from lpgraph.models.collect import Cells
    from lpgraph.models.probabilities import PairProbabilities

    Index = NDArray[np.integer]

#: Events of a piece, and columns in a table: both fit in a core's L2 cache.
_PIECE, _TABLE = 2**15, 2**15
#: Rows visited per event, at most.
_WALKS = 8


def factor_events(p: PairProbabilities, top: float, rng: Generator, *, mirror: bool) -> list[Cells] | None:
    """Draw the edges of a bilinear kernel from its factors, or return None where that does not apply.

    Parameters
    ----------
    p : PairProbabilities
    top : float
        An upper bound on every probability.
    rng : Generator
    mirror : bool
        Whether a cell is an unordered pair, which is then proposed by both of its orders.
    """
    found = p.kernel.factors(p.x, p.y)
    if found is None:
        return None
    u, v = found
    longest = [np.sqrt(np.einsum("ij,ij->i", factor, factor).max()) for factor in found]
    # A second bound, by the Cauchy-Schwarz inequality.
    top = min(top, p.sparsity * float(longest[0] * longest[1]))
    if not 0 < top <= 0.5:
        return None
    excess = float(-np.log1p(-top) / top)
    scale = p.sparsity * (0.5 if mirror else 1.0)
    columns = [(x, y, scale * float(x.sum()) * float(y.sum())) for x, y in zip(u.T, v.T, strict=True)]
    refuse_too_many(sum(expected for *_, expected in columns))
    events: list[Cells] = []
    for x, y, expected in columns:
        if expected > 0:
            events += _column(p, (x, y), (scale, expected), excess, rng)
    return events


def _column(
    p: PairProbabilities,
    factors: tuple[Array, Array],
    intensity: tuple[float, float],
    excess: float,
    rng: Generator,
) -> list[Cells]:
    """Draw events of intensity ``scale * excess * u_i v_j`` and keep each with probability r(p) / (excess p).

    The intensity is the scale, and the expected number of events without the excess.
    """
    (u, v), (scale, expected) = factors, intensity
    rows, columns = Categories(u, expected), Categories(v, expected)
    columns.guide()
    pieces = []
    for share, surplus in (1.0, None), (excess - 1.0, excess):
        # Columns are split into ranges whose guide tables fit in the cache, unless visiting all rows for each
        # range would cost more than drawing the events.
        worth = int(min(len(v) / _TABLE, _WALKS * share * expected / len(u))) + 1
        across = np.linspace(0, len(v), worth + 1).astype(np.intp)
        wanted = np.linspace(0.0, rows.sums[-1], int(share * expected / (_PIECE * worth)) + 2)
        down = np.unique(np.concatenate([[0], rows.sums.searchsorted(wanted[1:-1]), [len(u)]]))
        weights = np.outer(np.diff(rows.sums[down]), np.diff(columns.sums[across]))
        counts = rng.poisson(scale * share * weights)
        for r, c in np.argwhere(counts):
            box = int(down[r]), int(down[r + 1]), int(across[c]), int(across[c + 1])
            pieces += [
                partial(_draw, p, (rows, columns), box, some.stop - some.start, surplus)
                for some in slices(int(counts[r, c]), _PIECE)  # more than one for a row of large weight
            ]
    return run_pieces(pieces, rng)


def _draw(
    p: PairProbabilities,
    sides: tuple[Categories, Categories],
    box: tuple[int, int, int, int],
    size: int,
    excess: float | None,
    rng: Generator,
) -> Cells:
    """Draw events of a range of rows and columns; with `excess`, those of the surplus that survive thinning."""
    rows, columns = sides
    i, j = rows.draw_sorted(size, *box[:2], rng), columns.draw(size, *box[2:], rng)
    off = p.off_diagonal(i, j)
    i, j = i[off], j[off]
    if excess is None:
        return i, j
    mark = 1.0 + rng.random(len(i)) * (excess - 1.0)
    q = p.pairs(i, j)
    keep = mark * q < -np.log1p(-q)
    return i[keep], j[keep]


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

    def draw_sorted(self, size: int, low: int, high: int, rng: Generator) -> Index:
        """Return `size` sorted indices in low ... high - 1."""
        # Cumulative sums of exponential spacings are uniform order statistics: no sort is needed.
        spacings = rng.standard_exponential(size + 1)
        np.cumsum(spacings, out=spacings)
        return self._at(spacings[:-1], spacings[-1], low, high, None)

    def draw(self, size: int, low: int, high: int, rng: Generator) -> Index:
        """Return `size` unsorted indices in low ... high - 1."""
        return self._at(rng.random(size), 1.0, low, high, self.guide())

    def _at(self, marks: Array, whole: float, low: int, high: int, guide: NDArray[np.int32] | None) -> Index:
        """Return the indices in low ... high - 1 of marks in [0, whole], which are sorted if there is no guide."""
        begin, end = self.sums[low], self.sums[high]
        marks *= (end - begin) / whole
        marks += begin
        # Rounding must not move a mark past the last index of positive weight.
        np.minimum(marks, np.nextafter(end, 0.0), out=marks)
        if not self._compiled:
            return low + self.sums[low + 1 : high + 1].searchsorted(marks, side="right")
        found = np.empty(len(marks), dtype=np.int32)
        if guide is None:
            _merge(self.sums, marks, low, found)
        else:
            _look_up(self.sums, guide, marks, found)
        return found

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
