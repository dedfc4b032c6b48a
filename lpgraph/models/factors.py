"""Exact Bernoulli edges of a bilinear kernel, drawn from its factors.

The events of one column of the factors are a Poisson process of intensity u_i v_j. It is split by ranges of rows
and columns: each pair of ranges has a Poisson number of events, whose rows and columns are independent. Events of
intensity p_ij are kept without evaluating the kernel, since r(p) >= p. Only the surplus, of intensity
(excess - 1) p_ij, is thinned. See `lpgraph.models.bernoulli` for the proof that this is exact.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.models.categorical import Categories
from lpgraph.models.memory import refuse_too_many
from lpgraph.models.streams import run_pieces

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.models.bernoulli import Cells
    from lpgraph.models.probabilities import PairProbabilities

    Array = NDArray[np.float64]

__all__ = ["factor_events"]

#: Events of a piece, and columns in a table: both fit in a core's L2 cache.
_PIECE, _TABLE = 2**15, 2**15
#: Rows visited per event, at most.
_WALKS = 8


def factor_events(
    p: PairProbabilities, top: float, rng: np.random.Generator, *, chunk: int, mirror: bool
) -> list[Cells] | None:
    """Draw the edges of a bilinear kernel from its factors, or return None where that does not apply.

    Parameters
    ----------
    p : PairProbabilities
    top : float
        An upper bound on every probability.
    rng : Generator
    chunk : int
        Maximum number of events of a piece.
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
    every = [scale * float(u[:, k].sum()) * float(v[:, k].sum()) for k in range(u.shape[1])]
    refuse_too_many(sum(every))
    events: list[Cells] = []
    for k, expected in enumerate(every):
        if expected > 0:
            events += _column(p, u[:, k], v[:, k], scale, expected, excess, rng, min(chunk, _PIECE))
    return events


def _column(
    p: PairProbabilities,
    u: Array,
    v: Array,
    scale: float,
    expected: float,
    excess: float,
    rng: np.random.Generator,
    piece: int,
) -> list[Cells]:
    """Draw events of intensity ``scale * excess * u_i v_j`` and keep each with probability r(p) / (excess p)."""
    rows, columns = Categories(u, expected), Categories(v, expected)
    columns.guide()
    pieces = []
    for share, sure in (1.0, True), (excess - 1.0, False):
        # Columns are split into ranges whose guide tables fit in the cache, unless visiting all rows for each
        # range would cost more than drawing the events.
        worth = int(min(len(v) / _TABLE, _WALKS * share * expected / len(u))) + 1
        across = np.linspace(0, len(v), worth + 1).astype(np.intp)
        wanted = np.linspace(0.0, rows.sums[-1], int(share * expected / (piece * worth)) + 2)
        down = np.unique(np.concatenate([[0], rows.sums.searchsorted(wanted[1:-1]), [len(u)]]))
        weights = np.outer(np.diff(rows.sums[down]), np.diff(columns.sums[across]))
        counts = rng.poisson(scale * share * weights)
        pieces += [
            partial(_draw, p, rows, columns, box, size, None if sure else excess)
            for r, c in np.argwhere(counts).tolist()
            for box in [(*down[r : r + 2].tolist(), *across[c : c + 2].tolist())]
            for size in _parts(int(counts[r, c]), piece)  # one row of large weight may exceed the size of a piece
        ]
    return run_pieces(pieces, rng)


def _parts(count: int, most: int) -> list[int]:
    return [min(most, count - begin) for begin in range(0, count, most)]


def _draw(
    p: PairProbabilities,
    rows: Categories,
    columns: Categories,
    box: tuple[int, int, int, int],
    size: int,
    excess: float | None,
    rng: np.random.Generator,
) -> Cells:
    """Draw events of a range of rows and columns; with `excess`, those of the surplus that survive thinning."""
    i, j = rows.draw_sorted(size, *box[:2], rng), columns.draw(size, *box[2:], rng)
    if excess is None:
        return i, j
    if p.hollow:
        off = i != j
        i, j = i[off], j[off]
    mark = 1.0 + rng.random(len(i)) * (excess - 1.0)
    q = p.pairs(i, j)
    keep = mark * q < -np.log1p(-q)
    return i[keep], j[keep]
