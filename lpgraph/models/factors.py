"""Exact Bernoulli edges of a bilinear kernel, drawn from its factors.

The events of one column of the factors are a Poisson process of intensity u_i v_j. It is split by ranges of rows
and columns: each pair of ranges has a Poisson number of events, whose rows and columns are independent. Events of
intensity p_ij are kept without evaluating the kernel, since r(p) >= p. Only the surplus, of intensity
(excess - 1) p_ij, is thinned. See `lpgraph.models.bernoulli` for the proof that this is exact.

Rows and columns are drawn by inverting cumulative sums of weights: an index is the number of sums that do not
exceed a uniform number. The numbers are sorted, so that they can be merged with the sums, and the columns are then
shuffled. The merge is compiled where many numbers are drawn; `numpy.searchsorted` finds the same indices.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lpgraph._utils.compiled import available, compiled, slices

from .collect import refuse_too_many, run_pieces

if TYPE_CHECKING:
    from numpy.random import Generator

    from lpgraph._utils.types import Array, Integers

    from .collect import Cells
    from .probabilities import PairProbabilities

#: Events of a piece, which fit in a core's L2 cache.
_PIECE = 2**15

#: Events below which importing numba would cost more time than it saves.
WORTHWHILE = 1_000_000


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
    # A second bound, by the Cauchy-Schwarz inequality.
    longest = [np.sqrt(np.einsum("ij,ij->i", factor, factor).max()) for factor in found]
    top = min(top, p.sparsity * float(longest[0] * longest[1]))
    if not 0 < top <= 0.5:
        return None
    excess = float(-np.log1p(-top) / top)
    scale = p.sparsity * (0.5 if mirror else 1.0)
    sums = [[np.append(0.0, np.cumsum(weights)) for weights in factor.T] for factor in found]
    expected = scale * sum(float(rows[-1] * columns[-1]) for rows, columns in zip(*sums, strict=True))
    refuse_too_many(expected)
    many = expected >= WORTHWHILE and available()
    pieces = []
    for rows, columns in zip(*sums, strict=True):
        for share, surplus in (scale, None), (scale * (excess - 1.0), excess):
            k = int(np.sqrt(share * rows[-1] * columns[-1] / _PIECE)) + 1
            for some in product(_ranges(rows, k, many), _ranges(columns, k, many)):
                count = rng.poisson(share * some[0].weight * some[1].weight)
                # There are several pieces for a row of large weight.
                pieces += [
                    partial(_draw, p, some, part.stop - part.start, surplus) for part in slices(count, _PIECE)
                ]
    return run_pieces(pieces, rng)


class _Range(NamedTuple):
    """A range of indices with weights: the first one, and the sums of all weights before each, and at the end."""

    first: int
    sums: Array
    many: bool

    @property
    def weight(self) -> float:
        """The weight of the range."""
        return float(self.sums[-1] - self.sums[0])

    def draw(self, size: int, rng: Generator) -> Integers:
        """Return `size` sorted indices, drawn with probabilities in proportion to their weights."""
        marks = self.sums[0] + np.sort(rng.random(size)) * self.weight
        # Rounding must not move a mark past the last index of positive weight.
        np.minimum(marks, np.nextafter(self.sums[-1], 0.0), out=marks)
        found = np.empty(size, dtype=np.intp)
        if self.many:
            _merge(self.sums, marks, found)
        else:
            found[:] = self.sums[1:].searchsorted(marks, side="right")
        return self.first + found


@compiled
def _merge(sums: Array, marks: Array, found: Integers) -> None:
    place = 0
    for t in range(len(marks)):
        while sums[place + 1] <= marks[t]:
            place += 1
        found[t] = place


def _ranges(sums: Array, k: int, many: bool) -> list[_Range]:
    """Return at most k ranges of about the same weight."""
    inner = sums.searchsorted(np.linspace(0.0, sums[-1], k + 1)[1:-1])
    cuts = np.unique([0, *inner, len(sums) - 1]).tolist()
    return [_Range(low, sums[low : high + 1], many) for low, high in pairwise(cuts)]


def _draw(
    p: PairProbabilities, sides: tuple[_Range, _Range], size: int, excess: float | None, rng: Generator
) -> Cells:
    """Draw events of a range of rows and columns; with `excess`, those of the surplus that survive thinning."""
    i, j = (side.draw(size, rng) for side in sides)
    rng.shuffle(j)
    off = p.off_diagonal(i, j)
    i, j = i[off], j[off]
    if excess is None:
        return i, j
    mark = 1.0 + rng.random(len(i)) * (excess - 1.0)
    q = p.pairs(i, j)
    keep = mark * q < -np.log1p(-q)
    return i[keep], j[keep]
