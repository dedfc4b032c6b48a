"""Exact Bernoulli edges in time proportional to their number.

Positions are kept in a tree of boxes (`lpgraph.models.boxes`). Starting from the pair (root, root), a pair of
boxes is split while it would cost many proposals *and* its bounds on the probability are loose. What remains
is a set of pairs of boxes covering every cell (i, j) once, each with an upper bound h on its probabilities.

**Where h <= 1/2: Poisson proposals.** Let r(p) = -log(1 - p). Over the N cells of the pair throw
Poisson(N r(h)) events, each on a uniform cell, and keep an event on cell ij with probability r(p_ij) / r(h).
By Poisson thinning and splitting the numbers kept in the cells are independent and Poisson with mean r(p_ij).
So cell ij is hit at least once with probability 1 - exp(-r(p_ij)) = p_ij, independently of every other cell:
merging multiple hits gives exactly the Bernoulli matrix, no approximation anywhere. A kept event needs no
evaluation of the kernel when its uniform number already falls below r(lower bound).

**Where h > 1/2:** every cell is evaluated and compared with its own uniform number. So every probability that
could exceed 1 is evaluated, and refused.

**Bilinear kernels** of non-negative vectors are u v^T with non-negative factors. Where probabilities are at
most h <= 1/2 throughout, r(p) <= p r(h) / h as r is convex, so events thrown with intensity (u v^T)_ij r(h)
/ h dominate as well; they come column by column of the factors, row and column of the cell independently,
and nearly all are kept. Nothing else in the argument changes.

**Functions without bounds** are evaluated block by block: O(n^2) time, bounded memory.

In an undirected graph the cells are the pairs i < j. A node paired with itself, and the factors, propose both
orders of a pair, so each order gets half the intensity.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.errors import ArgumentError
from lpgraph.models.boxes import split_pairs
from lpgraph.models.kernels import BoundedKernel
from lpgraph.models.probabilities import ROUNDING, row_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lpgraph.models.boxes import BoxTree
    from lpgraph.models.probabilities import Probabilities

    Array = NDArray[np.float64]
    Index = NDArray[np.intp]
    Cells = tuple[Index, Index]


@dataclass(frozen=True)
class Tuning:
    """What decides speed and memory, never the distribution of the edges.

    Parameters
    ----------
    cheap : float
        A pair of boxes that costs at most so many proposals or evaluations is not split further.
    loose : float
        Nor is one whose upper bound is at most so many times its lower bound.
    chunk : int
        Events, or cells, held in memory at once.
    wide : int
        A pair of boxes evaluated in full goes through blocks of the kernel's matrix from so many cells on.
    factors : bool
        Whether to use the factors of a bilinear kernel.
    """

    cheap: float = 64.0
    loose: float = 1.5
    chunk: int = 2**20
    wide: int = 2**14
    factors: bool = True


DEFAULT = Tuning()


def dense_events(p: Probabilities, rng: np.random.Generator, chunk: int, *, upper: bool) -> Iterator[Cells]:
    """Evaluate every cell, block by block; with `upper` only cells i < j."""
    for rows in row_blocks(len(p.x), len(p.y), chunk):
        columns = slice(rows.start if upper else 0, len(p.y))
        q = p.block(rows, columns)
        hit = rng.random(q.shape) < q
        i, j = np.nonzero(np.triu(hit, 1) if upper else hit)
        yield i + rows.start, j + columns.start


def factor_events(
    p: Probabilities, tree_a: BoxTree, tree_b: BoxTree, rng: np.random.Generator, tuning: Tuning, mirror: bool
) -> Iterator[Cells] | None:
    """Draw the edges of a bilinear kernel from its factors, or return None where that does not apply."""
    assert isinstance(p.kernel, BoundedKernel)
    found = p.kernel.factors(p.x, p.y) if tuning.factors else None
    if found is None:
        return None
    root = slice(0, 1)
    _, upper = p.kernel.bounds(tree_a.lo[root], tree_a.hi[root], tree_b.lo[root], tree_b.hi[root])
    longest = [np.sqrt(np.einsum("ij,ij->i", factor, factor).max()) for factor in found]
    # two bounds on every probability: over the box of all positions, and by Cauchy and Schwarz
    top = p.sparsity * min(float(upper[0]), float(longest[0] * longest[1]))
    if not 0 < top <= 0.5:
        return None
    excess = float(-np.log1p(-top) / top)
    return _rank_one_events(p, *found, excess, rng, tuning.chunk, mirror)


def _rank_one_events(
    p: Probabilities, u: Array, v: Array, excess: float, rng: np.random.Generator, chunk: int, mirror: bool
) -> Iterator[Cells]:
    """Throw events of intensity excess * p_ij >= r(p_ij), one column of u and v after the other."""
    for k in range(u.shape[1]):
        rows, columns = np.cumsum(u[:, k]), np.cumsum(v[:, k])
        left = int(rng.poisson((0.5 if mirror else 1.0) * excess * p.sparsity * rows[-1] * columns[-1]))
        while left:
            size = min(left, chunk)
            left -= size
            i, j = _categorical(rows, size, rng), _categorical(columns, size, rng)
            rng.shuffle(j)
            i, j, _ = _off_diagonal(p, i, j)
            mark = rng.random(len(i)) * excess
            keep = mark < 1.0  # r(p) / p >= 1 for every p
            unsure = np.flatnonzero(~keep)
            if len(unsure):
                q = p.pairs(i[unsure], j[unsure])
                keep[unsure] = mark[unsure] * q < _rate(q)
            yield i[keep], j[keep]


def _categorical(cumulative: Array, size: int, rng: np.random.Generator) -> Index:
    """Draw `size` indices with the weights summed up in `cumulative`, and return them sorted."""
    # sums of exponential spacings are the order statistics of uniform numbers, without a sort
    sums = np.cumsum(rng.standard_exponential(size + 1))
    marks = sums[:-1] * (cumulative[-1] / sums[-1])
    # rounding must not carry a mark past the last index of positive weight
    np.minimum(marks, np.nextafter(cumulative[-1], 0.0), out=marks)
    chosen: Index = np.searchsorted(cumulative, marks, side="right")
    return chosen


def box_events(
    p: Probabilities, tree_a: BoxTree, tree_b: BoxTree, rng: np.random.Generator, tuning: Tuning, mirror: bool
) -> Iterator[Cells]:
    """Split pairs of boxes until each is cheap, tight or a pair of points; then draw their cells."""
    thin, full = _cover(p, tree_a, tree_b, tuning, mirror)
    yield from _thin_pairs(p, tree_a, tree_b, thin, rng, tuning.chunk, mirror)

    a, b = full
    large = tree_a.size(a) * tree_b.size(b) >= tuning.wide
    for node_a, node_b in zip(a[large].tolist(), b[large].tolist(), strict=True):
        rows = slice(int(tree_a.start[node_a]), int(tree_a.stop[node_a]))
        columns = slice(int(tree_b.start[node_b]), int(tree_b.stop[node_b]))
        part = replace(p, x=p.x[rows], y=p.y[columns], row_ids=p.row_ids[rows], column_ids=p.column_ids[columns])
        for i, j in dense_events(part, rng, tuning.chunk, upper=mirror and node_a == node_b):
            yield i + rows.start, j + columns.start

    a, b = a[~large], b[~large]
    n_b = tree_b.size(b)
    for k, cell in _unroll(tree_a.size(a) * n_b, tuning.chunk):
        i, j = np.divmod(cell, n_b[k])
        i, j = i + tree_a.start[a[k]], j + tree_b.start[b[k]]
        if mirror:
            once = (a[k] != b[k]) | (i < j)
            i, j = i[once], j[once]
        i, j, _ = _off_diagonal(p, i, j)
        hit = rng.random(len(i)) < p.pairs(i, j)
        yield i[hit], j[hit]


def _cover(
    p: Probabilities, tree_a: BoxTree, tree_b: BoxTree, tuning: Tuning, mirror: bool
) -> tuple[tuple[Index, Index, Array, Array], tuple[Index, Index]]:
    """Return the pairs of boxes to thin, with bounds 0 <= lo <= hi <= 1/2, and those to evaluate in full."""
    assert isinstance(p.kernel, BoundedKernel)
    a = b = np.zeros(1, dtype=np.intp)
    thin: list[tuple[Index, Index, Array, Array]] = []
    full: list[tuple[Index, Index]] = []
    while len(a):
        lo, hi = p.kernel.bounds(tree_a.lo[a], tree_a.hi[a], tree_b.lo[b], tree_b.hi[b])
        hi = p.sparsity * hi
        rare = hi <= 0.5
        hi = np.where(rare, np.maximum(hi, 0.0), np.inf)
        lo = np.clip(p.sparsity * lo, 0.0, np.where(rare, hi, 1.0))
        cells = tree_a.size(a).astype(np.float64) * tree_b.size(b)
        cost = cells * np.where(rare, _rate(np.where(rare, hi, 0.0)), 1.0)
        # where every cell is evaluated, only bounds that say most of them are edges make that worth while
        split = (cost > tuning.cheap) & (np.where(rare, hi, 1.0) > tuning.loose * lo)
        split &= (tree_a.width[a] > 0) | (tree_b.width[b] > 0)
        done = rare & ~split & (hi > 0)
        thin.append((a[done], b[done], lo[done], hi[done]))
        done = ~rare & ~split
        full.append((a[done], b[done]))
        a, b = split_pairs(tree_a, tree_b, a[split], b[split], unordered=mirror)
    thin_a, thin_b, thin_lo, thin_hi = zip(*thin, strict=True)
    full_a, full_b = zip(*full, strict=True)
    join = np.concatenate
    return (join(thin_a), join(thin_b), join(thin_lo), join(thin_hi)), (join(full_a), join(full_b))


def _thin_pairs(
    p: Probabilities,
    tree_a: BoxTree,
    tree_b: BoxTree,
    pairs: tuple[Index, Index, Array, Array],
    rng: np.random.Generator,
    chunk: int,
    mirror: bool,
) -> Iterator[Cells]:
    """Throw Poisson events over pairs of boxes, and keep each with the probability that makes it exact."""
    a, b, lo, hi = pairs
    start_a, start_b, n_a, n_b = tree_a.start[a], tree_b.start[b], tree_a.size(a), tree_b.size(b)
    rate_lo, rate_hi = _rate(lo), _rate(hi)
    tight = bool((lo >= hi).all())
    halves = np.where(mirror & (a == b), 0.5, 1.0)
    counts = rng.poisson(halves * n_a * n_b * rate_hi)
    for k, _ in _unroll(counts, chunk):
        i = start_a[k] + (rng.random(len(k)) * n_a[k]).astype(np.intp)
        j = start_b[k] + (rng.random(len(k)) * n_b[k]).astype(np.intp)
        i, j, off = _off_diagonal(p, i, j)
        if tight:
            yield i, j
            continue
        k = k[off]
        ceiling = rate_hi[k]
        mark = rng.random(len(i)) * ceiling
        keep = mark < rate_lo[k]
        unsure = np.flatnonzero(~keep)
        if len(unsure):
            q = _rate(np.minimum(p.pairs(i[unsure], j[unsure]), 0.5 + ROUNDING))
            if (q > ceiling[unsure] * (1 + 1e-9) + ROUNDING).any():
                raise ArgumentError(f"kernel={p.kernel!r} exceeds its own upper bound; correct its `bounds`.")
            keep[unsure] = mark[unsure] < q
        yield i[keep], j[keep]


def _rate(p: Array) -> Array:
    """Return r(p), the mean of the Poisson variable that is positive with probability p."""
    return -np.log1p(-p)


def _off_diagonal(p: Probabilities, i: Index, j: Index) -> tuple[Index, Index, Index | slice]:
    """Drop the cells (i, i) of a hollow matrix; the third value tells which cells stay."""
    if not p.hollow:
        return i, j, slice(None)
    # both trees are one tree here, so equal places are equal vertices
    off = np.flatnonzero(i != j)
    return (i, j, slice(None)) if len(off) == len(i) else (i[off], j[off], off)


def _unroll(counts: Index, chunk: int) -> Iterator[tuple[Index, Index]]:
    """Yield, `chunk` at a time, item k counts[k] times, with the ranks 0 ... counts[k]-1 of its copies."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    for begin in range(0, total, chunk):
        end = min(begin + chunk, total)
        first, last = np.searchsorted(ends, [begin, end - 1], side="right").tolist()
        part = slice(first, last + 1)
        starts = ends[part] - counts[part]
        inside = np.minimum(ends[part], end) - np.maximum(starts, begin)
        item = np.repeat(np.arange(first, last + 1), inside)
        yield item, np.arange(begin, end) - np.repeat(starts, inside)
