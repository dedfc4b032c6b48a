"""Exact Bernoulli edges in time proportional to their number.

Positions are stored in a tree of boxes (`lpgraph.models.boxes`). Starting from the pair (root, root), a pair of
boxes is split while it would cost many proposals *and* its bounds on the probability are loose. The result is
a set of pairs of boxes that covers every cell (i, j) once, each with an upper bound h on its probabilities.

**Where h <= 1/2: Poisson proposals.** Let r(p) = -log(1 - p). Over the N cells of the pair, draw
Poisson(N r(h)) events, each on a uniform cell, and keep an event on cell ij with probability r(p_ij) / r(h).
By Poisson thinning and splitting, the numbers of kept events in the cells are independent and Poisson with mean
r(p_ij). So cell ij is hit at least once with probability 1 - exp(-r(p_ij)) = p_ij, independently of every other
cell: merging multiple hits gives exactly the Bernoulli matrix, without approximation. The kernel is not
evaluated for an event whose uniform number is below r(lower bound): it is kept in any case.

**Where h > 1/2:** every cell is evaluated and compared with its own uniform number. So every probability that
could exceed 1 is evaluated, and refused.

**Bilinear kernels** of non-negative vectors are u v^T with non-negative factors. Where all probabilities are at
most h <= 1/2, convexity of r gives r(p) <= p r(h) / h, so events of intensity (u v^T)_ij r(h) / h dominate as
well. They are drawn for each column of the factors, with independent row and column of the cell, and nearly all
are kept. The rest of the argument is unchanged. See `lpgraph.models.factors`.

**Functions without bounds** are evaluated block by block: O(n^2) time, bounded memory.

In an undirected graph the cells are the pairs i < j. A node paired with itself, and the factors, propose both
orders of a pair, so each order has half the intensity.

Events and cells are drawn in independent pieces, on all cores (`lpgraph.models.collect.run_pieces`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.errors import ArgumentError

from .boxes import BoxTree, Copies, split_pairs
from .collect import matrix_of, refuse_too_many, run_pieces
from .factors import factor_events
from .kernels import BoundedKernel
from .probabilities import ROUNDING, PairProbabilities, Probabilities, row_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.random import Generator

    from lpgraph._utils.types import Array, Flags, Integers

    from .collect import Cells
    from .kernels import Kernel

    Piece = Callable[[Generator], Cells]


# These change speed and memory, but not the distribution of the edges.

#: A pair of boxes is not split if it costs at most this many proposals or evaluations.
_CHEAP = 256.0
#: A pair of boxes is not split if its upper bound is at most this multiple of its lower bound.
_LOOSE = 1.5
#: Events, or cells, that a thread processes at a time; they fit in its cache.
_CHUNK = 2**15
#: Cells of the kernel's matrix computed at a time.
_CELLS = 2**20
#: Up to this many cells, all are checked if the bounds allow negative values.
_FULL_CHECK = 4096**2
#: A pair of boxes with at least this many cells, all evaluated, uses blocks of the kernel's matrix.
_WIDE = 2**14


def _block(p: Probabilities, rows: slice, columns: slice, upper: bool, rng: Generator) -> Cells:
    """Evaluate every cell of a block; with `upper` only cells i < j."""
    columns = slice(rows.start if upper else columns.start, columns.stop)
    q = p.block(rows, columns)
    hit = rng.random(q.shape) < q
    i, j = np.nonzero(np.triu(hit, 1) if upper else hit)
    return i + rows.start, j + columns.start


def box_events(
    p: PairProbabilities, tree_a: BoxTree, tree_b: BoxTree, rng: Generator, mirror: bool
) -> list[Cells]:
    """Split pairs of boxes until each is cheap, tight or a pair of points; then draw their cells."""
    thin, full, least = _cover(p, tree_a, tree_b, mirror)
    refuse_too_many(least)
    index = sparse.get_index_dtype(maxval=max(len(p.x), len(p.y)))
    order_a, order_b = tree_a.order.astype(index), tree_b.order.astype(index)

    a, b, lo, hi = map(np.concatenate, zip(*thin, strict=True))
    cells = tree_a.size(a) * tree_b.size(b)
    counts = rng.poisson(np.where(mirror & (a == b), 0.5, 1.0) * cells * _rate(hi))
    copies = Copies(counts, tree_a, tree_b, a, b)
    rates = None if (lo >= hi).all() else (_rate(lo), _rate(hi))  # bounds that are tight need no thinning
    pieces: list[Piece] = [partial(_thin, p, rates, copies, part) for part in copies.parts(_CHUNK)]

    a, b = map(np.concatenate, zip(*full, strict=True))
    cells = tree_a.size(a) * tree_b.size(b)
    for node_a, node_b in zip(a[cells >= _WIDE], b[cells >= _WIDE], strict=True):
        rows, columns = tree_a.range(node_a), tree_b.range(node_b)
        upper = mirror and node_a == node_b
        for some in row_blocks(rows.stop - rows.start, columns.stop - columns.start, _CELLS):
            part = slice(rows.start + some.start, rows.start + some.stop)
            pieces.append(partial(_block, p, part, columns, upper))

    a, b, cells = (every[cells < _WIDE] for every in (a, b, cells))
    copies = Copies(cells, tree_a, tree_b, a, b)
    same = (a == b) if mirror else None
    pieces += [partial(_evaluate, p, copies, same, part) for part in copies.parts(_CHUNK)]

    def in_order(piece: Piece, rng: Generator) -> Cells:
        i, j = piece(rng)
        return order_a.take(i), order_b.take(j)

    return run_pieces([partial(in_order, piece) for piece in pieces], rng)


def _evaluate(
    p: PairProbabilities,
    copies: Copies,
    same: Flags | None,
    part: slice,
    rng: Generator,
) -> Cells:
    """Compare each cell of pairs of small boxes with a uniform number; only i < j where the boxes are the same."""
    k, i, j = copies.cells(part)
    if same is not None:
        once = np.flatnonzero(~same[k] | (i < j))
        i, j = i[once], j[once]
    off = p.off_diagonal(i, j)
    i, j = i[off], j[off]
    hit = np.flatnonzero(rng.random(len(i)) < p.pairs(i, j))
    return i[hit], j[hit]


def _cover(
    p: PairProbabilities, tree_a: BoxTree, tree_b: BoxTree, mirror: bool
) -> tuple[list[tuple[Integers, Integers, Array, Array]], list[tuple[Integers, Integers]], float]:
    """Return the pairs to thin with bounds 0 <= lo <= hi <= 1/2, those to evaluate, and a bound on the edges."""
    a = b = np.zeros(1, dtype=np.intp)
    thin: list[tuple[Integers, Integers, Array, Array]] = []
    full: list[tuple[Integers, Integers]] = []
    least = 0.0
    while len(a):
        lo, hi = p.kernel.bounds(tree_a.lo[a], tree_a.hi[a], tree_b.lo[b], tree_b.hi[b])
        hi = p.sparsity * hi
        # Of boxes with negative values only, one cell is evaluated, which refuses them; on the diagonal, a pair.
        none = hi < -ROUNDING
        p.pairs(tree_a.start[a[none]], tree_b.stop[b[none]] - 1)
        rare = hi <= 0.5
        hi = np.where(rare, np.maximum(hi, 0.0), np.inf)
        lo = np.clip(p.sparsity * lo, 0.0, np.where(rare, hi, 1.0))
        cells = tree_a.size(a).astype(np.float64) * tree_b.size(b)
        cost = cells * np.where(rare, _rate(np.where(rare, hi, 0.0)), 1.0)
        # Evaluating every cell is efficient only if the lower bound shows that most cells are edges.
        halves = np.where(mirror & (a == b), 0.5, 1.0)
        split = (cost > _CHEAP) & (np.where(rare, hi, 1.0) > _LOOSE * lo)
        split &= (tree_a.width[a] > 0) | (tree_b.width[b] > 0)
        done = rare & ~split & (hi > 0)
        thin.append((a[done], b[done], lo[done], hi[done]))
        least += float((lo * cells * halves)[~split].sum())
        done = ~rare & ~split
        full.append((a[done], b[done]))
        a, b = split_pairs(tree_a, tree_b, a[split], b[split], unordered=mirror)
    return thin, full, least


def _thin(
    p: PairProbabilities,
    rates: tuple[Array, Array] | None,
    copies: Copies,
    part: slice,
    rng: Generator,
) -> Cells:
    """Draw events on uniform cells and keep each with the probability that makes it exact."""
    k, i, j = copies.thrown(part, rng)
    off = p.off_diagonal(i, j)
    i, j, k = i[off], j[off], k[off]
    if rates is None:
        return i, j
    ceiling = rates[1][k]
    mark = rng.random(len(i)) * ceiling
    keep = mark < rates[0][k]
    unsure = np.flatnonzero(~keep)
    q = _rate(np.minimum(p.pairs(i[unsure], j[unsure]), 0.5 + ROUNDING))
    if (q > ceiling[unsure] * (1 + 1e-9) + ROUNDING).any():
        raise ArgumentError(f"kernel={p.kernel!r} exceeds its own upper bound; correct its `bounds`.")
    keep[unsure] = mark[unsure] < q
    kept = np.flatnonzero(keep)
    return i[kept], j[kept]


def _rate(p: Array) -> Array:
    """Return r(p), the mean of the Poisson variable that is positive with probability p."""
    return -np.log1p(-p)


def sample_edges(
    kernel: Kernel,
    sparsity: float,
    positions: tuple[Array, Array | None],
    rng: Generator,
    *,
    directed: bool = True,
) -> sparse.csr_array:
    """Draw independent Bernoulli edges with probabilities ``sparsity * kernel(x_i, y_j)``.

    Parameters
    ----------
    kernel : Kernel
    sparsity : float
    positions : tuple of ndarray of shape (n, p) and ndarray of shape (m, p) or None
        Those x of the rows and y of the columns, as ``kernel.prepare`` returns them. If y is None, the columns
        are the rows, and the diagonal is empty.
    rng : Generator
    directed : bool
        If False and y is None, the cells i < j are drawn and mirrored.

    Returns
    -------
    csr_array of shape (n, m)
        All entries are 1.0; indices are sorted.

    Raises
    ------
    ArgumentError
        If more edges are expected than fit in memory. Only checked for a `BoundedKernel`.
    ProbabilityError
        If a probability exceeds 1, is NaN, or is negative. Values above 1 and NaN are always found. Negative
        values are always found for a function and for up to 4096^2 cells. In larger graphs they are found in boxes
        of negative values and where a cell is evaluated; a pair that is missed is not joined.
    """
    x, y = positions
    hollow = y is None
    mirror = hollow and not directed
    y = x if y is None else y
    shape = (len(x), len(y))
    every = slice(0, len(y))
    if not isinstance(kernel, BoundedKernel):
        p = Probabilities(kernel, sparsity, x, y, hollow)
        found = [_block(p, rows, every, mirror, rng) for rows in row_blocks(*shape, _CELLS)]
        return matrix_of(found, shape, mirror=mirror)

    tree_a = BoxTree(x)
    tree_b = tree_a if hollow else BoxTree(y)
    # The trees reorder their arrays in place; `p` refers to the same arrays.
    order = tree_a.order, tree_b.order
    p = PairProbabilities(kernel, sparsity, tree_a.points, tree_b.points, hollow, order)
    lower, upper = kernel.bounds(tree_a.lo, tree_a.hi, tree_b.lo, tree_b.hi)
    if not sparsity * lower[0] >= -ROUNDING and len(x) * len(y) <= _FULL_CHECK:
        for rows in row_blocks(*shape, _CELLS):
            p.block(rows, every)
    edges = factor_events(p, sparsity * upper[0], rng, mirror=mirror)
    if edges is None:
        edges = box_events(p, tree_a, tree_b, rng, mirror)
    return matrix_of(edges, shape, mirror=mirror)
