"""The grid of an edge store: partitions of rows, and panels of columns."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["ROWS", "Grid", "grid_of"]

#: Partitions begin at multiples of this number of rows.
ROWS = 4096
#: The least number of partitions, where there are enough rows.
_FEWEST = 8
#: Most entries of a partition, except for one of `ROWS` rows that has more.
_MOST = 1 << 26
#: Least number of columns of a panel, approximately. Four columns of a float32 block take 4 MB for so many rows.
_COLUMNS = 1 << 18
#: Least mean number of entries of a row in a panel, so that row pointers take little of the store.
_ENTRIES = 4


@dataclass(frozen=True)
class Grid:
    """Bounds of the partitions of rows, and of the panels of columns, which are unions of partitions."""

    cuts: tuple[int, ...]
    panels: tuple[int, ...]


def grid_of(n: int, counts: NDArray[np.int64], directions: int = 1) -> Grid:
    """Return the grid for n vertices.

    Parameters
    ----------
    n : int
        Number of vertices.
    counts : ndarray of shape (ceil(n / 4096),)
        Number of entries in each block of 4096 rows, repeated ones included.
    directions : int
        2 if the entries are those of rows and of columns, as for a directed network.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.scale.grid import grid_of
    >>> grid_of(10_000, np.array([100, 100, 50]))
    Grid(cuts=(0, 4096, 10000), panels=(0, 10000))
    """
    total = int(counts.sum())
    wanted = max(min(_FEWEST, n // ROWS), -(-total * 10 // (9 * _MOST)), 1)
    blocks = _split(counts, 0, len(counts), wanted)
    while len(blocks) <= min(wanted, _FEWEST):  # where a few blocks of rows have most entries
        low, high = max(
            ((low, high) for low, high in pairwise(blocks) if high - low > 1),
            key=lambda part: (int(counts[part[0] : part[1]].sum()), -part[0]),
        )
        blocks = sorted({*blocks, *_split(counts, low, high, 2)})
    cuts = (*(ROWS * block for block in blocks[:-1]), n)
    wide = max(1, min(total // (directions * n * _ENTRIES), n // _COLUMNS))
    inner = {min(cuts, key=lambda cut: (abs(cut - n * k / wide), cut)) for k in range(1, wide)}
    return Grid(cuts, tuple(sorted({0, n} | inner)))


def _split(counts: NDArray[np.int64], low: int, high: int, parts: int) -> list[int]:
    """Return bounds of parts with about equally many entries; parts that have too many are split again."""
    sums = np.concatenate(([0], np.cumsum(counts[low:high])))
    if not sums[-1]:
        sums = np.arange(high - low + 1)
    parts = min(parts, high - low)
    targets = sums[-1] * np.arange(1, parts) / parts
    after = np.searchsorted(sums, targets)
    nearest = np.where(targets - sums[after - 1] < sums[after] - targets, after - 1, after)
    bounds = sorted({low, high, *(nearest + low).tolist()})
    if len(bounds) == 2 and parts > 1:  # the first or the last block has nearly all
        bounds = [low, low + 1 if counts[low] >= counts[high - 1] else high - 1, high]
    result = [low]
    for first, last in pairwise(bounds):
        if last - first > 1 and counts[first:last].sum() > _MOST:
            result.extend(_split(counts, first, last, 2)[1:])
        else:
            result.append(last)
    return result
