"""The first block of a search: eigenvectors of a part of the matrix that fits into memory.

The rows with the largest sums of entries have most of the weight of the leading eigenvectors, and their own
entries are a small share of all. Their eigenvectors, found roughly, spare the search a tenth to four tenths of its
passes, and take no longer than these (docs/decisions.md). Random directions are added to them, so that nothing is
left out: the search would find all pairs from these alone.

A block with fewer columns than pairs would begin with combinations of the vectors, which spare hardly a pass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.scale.engine import LocalEngine
from lpgraph.scale.first_block_loop import copy_kept, count_kept
from lpgraph.scale.lanczos import Search, Sizes
from lpgraph.scale.tiled import Piece, TiledPieces, pieces_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.scale.engine import Block, Engine
    from lpgraph.scale.lanczos import Aim
    from lpgraph.scale.space import Space
    from lpgraph.scale.tiled import TiledMatrix

    Array = NDArray[np.float64]

__all__ = ["first_block"]

#: From this many rows a part is searched first.
_MANY = 50_000

#: Share of the chosen rows in the sum of all entries, at most. If edges know nothing of one another, its square is
#: the share of the entries that are in these rows and columns.
_SHARE = 0.5

#: The same, at least: a smaller part says too little about the whole.
_LEAST = 0.2

#: Length of the random directions that are added to the part's eigenvectors, which have length 1.
_RANDOM = 0.1

#: Relative residual of the part's eigenvectors, and the most cycles: they are far from the matrix's in any case.
_TOL, _CYCLES = 0.01, 3

#: Entries of the part may be so many times as many as expected, before it is given up.
_SURPRISE = 4


@dataclass(frozen=True, eq=False)
class _Chosen:
    """Some rows of a matrix in partitions.

    Attributes
    ----------
    rows : ndarray
        Their numbers, increasing.
    numbers : ndarray of shape (n,)
        Their positions in `rows`, -1 for other rows.
    entries : int
        Entries among them, at most.
    """

    rows: NDArray[np.intp]
    numbers: NDArray[np.int32]
    entries: int


def first_block(
    engine: Engine, tiled: TiledMatrix, space: Space, aim: Aim, sizes: Sizes, memory: int, seed: int
) -> Block | None:
    """Return a block to begin a search with; None if the matrix, the block or the memory is small.

    Parameters
    ----------
    engine, tiled, aim, sizes, seed
        As of the search.
    space : Space
        Memory for the vectors of the part.
    memory : int
        Bytes. The entries of the part take at most a sixth of it, its vectors a third.
    """
    k, width, n = aim.k, sizes.width, tiled.n
    if n < _MANY or width < k:
        return None
    chosen = _busiest(tiled, sizes, memory)
    part = None if chosen is None else _part(engine, tiled, chosen)
    if chosen is None or part is None:
        return None
    search = Search(LocalEngine(space), part, replace(aim, tol=_TOL, max_restarts=_CYCLES), sizes, seed)
    ritz = search.run()
    found = search.vectors(ritz, k)
    search.basis.clear()
    columns = np.concatenate([search.engine.columns(found, p) for p in range(part.partitions)], axis=1)
    spread = []
    for low, high in pairwise(tiled.cuts):
        here = slice(*np.searchsorted(chosen.rows, (low, high)))
        piece = np.zeros((k, high - low), aim.dtype)
        piece[:, chosen.rows[here] - low] = columns[:, here]
        spread.append(space.kept(piece))
    random = engine.random(tiled, width, (seed, 0), aim.dtype)
    return engine.combined([engine.restored(spread), random], _factors(k, width, n), aim.dtype)


def _factors(k: int, width: int, n: int) -> Array:
    """Return the coefficients of k vectors and of random columns of n numbers."""
    lengths = np.where(np.arange(width) < k, _RANDOM, 1.0)
    return np.vstack([np.eye(k, width), np.diag(lengths / np.sqrt(n))])


def _busiest(tiled: TiledMatrix, sizes: Sizes, memory: int) -> _Chosen | None:
    """Return the rows with the largest sums; None if too few of them fit into memory."""
    room = memory // 6 // (12 if tiled.weighted else 4)
    share = min(_SHARE, float(np.sqrt(room / max(1, tiled.entries))))
    sums = -np.abs(tiled.row_sums())
    for p, (low, high) in enumerate(pairwise(tiled.cuts)):
        scale = tiled.scale(p)
        if scale is not None:
            sums[low:high] *= scale
    order = np.argsort(sums, kind="stable")
    most = int(np.searchsorted(np.cumsum(-sums[order]), -share * sums.sum()))
    most = min(most, memory // 3 // (4 * (sizes.capacity + 3 * sizes.width)))
    if not sizes.fit(most) or sums[order[:most]].sum() > _LEAST * sums.sum():
        return None
    rows = np.sort(order[:most])
    numbers = np.full(tiled.n, -1, np.int32)
    numbers[rows] = np.arange(most)
    return _Chosen(rows, numbers, int(_SURPRISE * share**2 * tiled.entries))


def _part(engine: Engine, tiled: TiledMatrix, chosen: _Chosen) -> TiledPieces | None:
    """Return the entries of some rows and the same columns; None if they are many more than expected."""
    found = engine.each(_piece, tiled, chosen.numbers, chosen.entries / tiled.partitions)
    pieces, cuts, factors = [], [0], []
    for p, piece in enumerate(found):
        if piece is None:
            return None
        rows = chosen.rows[slice(*np.searchsorted(chosen.rows, tiled.cuts[p : p + 2]))] - tiled.cuts[p]
        if not len(rows):
            continue
        scale = tiled.scale(p)
        pieces.append(piece)
        cuts.append(cuts[-1] + len(rows))
        factors.append(None if scale is None else scale[rows])
    scales = [scale for scale in factors if scale is not None]
    return TiledPieces(tuple(cuts), pieces, np.concatenate(scales) if scales else None)


def _piece(tiled: TiledMatrix, partition: int, numbers: NDArray[np.int32], most: float) -> Piece | None:
    """Return the chosen entries of a partition; None if there are more than `most`."""
    low = tiled.cuts[partition]
    rows = np.flatnonzero(numbers[low : tiled.cuts[partition + 1]] >= 0)
    counts = np.zeros(len(rows), np.int64)
    tiles = tiled.tiles(partition)
    for tile in tiles:
        for row, indptr, indices, _ in pieces_of(tile):
            here = slice(*np.searchsorted(rows, (row, row + len(indptr) - 1)))
            count_kept(indptr, indices, tile[0], rows[here] - row, numbers, counts[here])
    ends = np.cumsum(counts)
    total = int(counts.sum())
    if total > most:
        return None
    places, kept = ends - counts, np.empty(total, np.uint32)
    weights = np.empty(total if tiled.weighted else 0)
    for tile in tiles:
        for row, *piece in pieces_of(tile):
            here = slice(*np.searchsorted(rows, (row, row + len(piece[0]) - 1)))
            copy_kept(*piece, tile[0], rows[here] - row, numbers, places[here], kept, weights)
    return Piece(np.concatenate([[0], ends]).astype(np.uint64), kept, weights)
