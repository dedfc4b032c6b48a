"""Thick-restart block Lanczos with measured orthogonality, and care for multiple eigenvalues.

The basis V grows block by block. Of each product, what lies along the last two blocks is taken off, then what is
found to lie along any column before, if it is more than a slack far below the tolerance; what is taken off goes
into H. So H is the projection ``V.T M V``, up to the slack, whatever happened before: a restart (keep the best
Ritz vectors, go on with the residual block; Wu & Simon 2000), or a replaced direction. Always

    M V = V H + Q R E.T

to rounding, with E the last block's columns, so the residual of a Ritz vector V s is ``norm(R s_last)``.

Krylov spaces are blind to multiplicity: a block of b random directions holds at most b vectors of any eigenspace,
and to rounding it does hold b. With two, an eigenvalue that shows one copy has one, and only where two
values lie together may there be a third. (The second copy is smaller than the first by the smallest singular
value of a 2 x 2 Gaussian matrix, below t with a probability of about t; by the time the last wanted pair has
converged all that belongs above it has grown by 1 / tol at least, so that it is overlooked with a probability of
about tol.) Where values lie together, or where the start was given, the converged pairs are checked: only they are
kept and the iteration starts afresh from random directions orthogonal to them. If something is found that belongs
among them, they must converge anew, and the next check is twice as wide.

In every case the iteration goes on until the best of what is not wanted, at each end in question, is known well
enough to lie below the wanted.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.linalg.basis import NOTHING, Basis
from lpgraph.spectral.ritz import WIDTH, State

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import DTypeLike, NDArray

    from lpgraph.linalg.basis import Parts
    from lpgraph.spectral.operators import SymmetricOperator

    Array = NDArray[np.float64]

#: Least eigenvalue of the cosines between a block's directions for which Cholesky's factor is good to rounding.
_APART = 1e-2

#: Blocks that a check adds at least.
_CHECK = 16

_log = logging.getLogger("lpgraph.spectral")


@dataclass(frozen=True, eq=False)
class LanczosRun:
    """Orthonormal Ritz vectors of the wanted end, best first, and what it took to find them.

    They are orthonormal to the precision of the basis, which is theirs. `values` are all Ritz values, best first,
    and `counts` how many eigenvalues each stands for after a first cycle from random directions: n times the mean
    square of what the start has along its vector (the weights of Gauss's quadrature of the spectrum). A run that
    was given up has the vectors that had converged, as far as none better is missing.
    """

    vectors: NDArray[np.floating]
    values: Array
    counts: Array
    norm: float
    restarts: int
    products: int
    converged: bool
    given_up: bool = False


def capacity(n: int, k: int) -> int:
    """Return how many vectors a basis holds before a restart."""
    return min(n, max(2 * k + 4, k + 40))


def block_lanczos(
    operator: SymmetricOperator,
    k: int,
    which: str,
    tol: float,
    max_restarts: int,
    start: Array | None,
    rng: np.random.Generator,
    *,
    dtype: DTypeLike = np.float64,
    known: tuple[NDArray[np.floating], Array] | None = None,
    slack: float | None = None,
    give_up: Callable[[State, bool], bool] | None = None,
) -> LanczosRun:
    """Return the `k` wanted Ritz vectors, their *estimated* residuals at most `tol` or restarts used up.

    In the first cycle `give_up` is asked, from ``k + 40`` vectors on and once more, with True, at its end; where
    it says so the run ends. `known` are orthonormal eigenvectors and their values found before, the best of the
    wanted: the search begins beside them.

    A product's part along a column is left where it is up to `slack` of its length, ``tol / 100`` if absent: that
    much the columns may lack in orthogonality.

    The basis is kept in `dtype`, all arithmetic is in double precision. Of several columns in `start` random
    combinations are the first block. Memory: ``max(2 k + 4, k + 40)`` columns and an eighth more, and ten vectors.
    """
    n = operator.shape[0]
    width, check_width = min(WIDTH, n), WIDTH
    room = capacity(n, k)
    # Beyond the capacity there is room for the residual block, the widest of which is a check's.
    widest_check = max(WIDTH, (room - k) // 16 * 2)
    basis = Basis(n, room + widest_check, dtype)
    projection = np.zeros((room, room))
    first = rng.standard_normal((width, n if start is None else start.shape[1]))
    size, products, norm, slack = 0, 0, 0.0, 0.01 * tol if slack is None else slack
    if known is not None:
        size = known[0].shape[1]
        basis.array[:, :size] = known[0]
        projection[np.arange(size), np.arange(size)] = known[1]
        basis.take_out(size, first, before=np.linalg.norm(first, axis=1))
    add_block(basis, size, first if start is None else first @ start.T, rng)
    settled: Array | None = None

    for restart in range(1, max_restarts + 1):
        coupling, next_look = np.zeros((0, 0)), k + (2 if settled is None else _CHECK) * width
        while size < room and size + width <= room:
            image, columns, left, mutual = multiply(operator, basis, size, width, slack)
            grown = size + width
            projection[:grown, size:grown] = columns
            projection[size:grown, :grown] = columns.T
            products += width
            floor = 1e-14 * max(norm, float(np.abs(columns).max()))
            size, width = grown, min(width, n - grown)
            if width == 0:
                coupling = np.zeros((0, 0))
                break
            coupling = add_block(basis, size, image, rng, floor, width, mutual, left)
            # A cycle may end early once all is found; a check must run a while to see anything.
            if size >= next_look:
                # A look costs size^3, a block n size: every block where that is much more.
                state = State.of(projection, size, coupling, which, norm, tol, k)
                often = width if n > 2 * size**2 else max(2 * width, size // 10)
                next_look = size + max(often, width * int(np.log10(max(1.0, state.excess))))
                if state.converged and (state.sure or (settled is None and (start is not None or state.crowded))):
                    break
                if give_up is not None and restart == 1 and size >= k + 40 and give_up(state, False):
                    break
        state = State.of(projection, size, coupling, which, norm, tol, k)
        norm, values = state.norm, state.values
        unchanged = settled is not None and bool((np.abs(values[:k] - settled) <= tol * state.scale[:k]).all())
        alone = start is None and not state.crowded
        _log.info(
            "%s %d: %d of %d pairs converged, worst residual %.2g, %d products",
            "restart" if settled is None else "check",
            restart,
            state.found,
            k,
            tol * state.excess,
            products,
        )
        done = size == n or (state.converged and state.sure and (unchanged or alone))
        ended = restart == 1 and not done
        if give_up is not None and ended and (give_up(state, False) or give_up(state, True)):
            missed = np.flatnonzero(state.estimate[:k] > 0.5 * tol * state.scale[:k])
            vectors = basis.rotate(size, state.rotation[:, : missed[0] if len(missed) else k]).copy(order="F")
            return LanczosRun(vectors, values, state.counts(n), norm, restart, products, done, given_up=True)
        if done or restart == max_restarts:
            break
        if settled is not None and not unchanged:
            settled, check_width = None, min(2 * check_width, widest_check)

        if state.converged and settled is None and not alone:
            keep, settled = k, values[:k].copy()
            basis.rotate(size, state.rotation[:, :keep])
            width = min(check_width, n - k)
            block = rng.standard_normal((width, n))
            basis.take_out(keep, block, before=np.linalg.norm(block, axis=1))
            add_block(basis, keep, block, rng)
        else:
            # A thick restart: the wanted vectors, a third of the room besides, then the residual block.
            keep = min(size - width, k + (room - k) // 3)
            basis.rotate(size, state.rotation[:, :keep])
            basis.move(size, size + width, keep)
        projection[:] = 0.0
        projection[np.arange(keep), np.arange(keep)] = values[:keep]
        size = keep

    vectors = basis.rotate(size, state.rotation[:, :k])
    return LanczosRun(vectors, values, state.counts(n), norm, restart, products, done)


def multiply(
    operator: SymmetricOperator, basis: Basis, at: int, width: int, slack: float
) -> tuple[Array, Array, Parts, Array]:
    """Multiply `width` columns, and take out of the product, as far as it has to be done now, what is known.

    Returns
    -------
    image : ndarray of shape (width, n)
        The product's rows, of which `left` has yet to be taken off.
    coefficients : ndarray of shape (at + width, width)
        Of the columns in what was and will be taken off.
    left : tuple
        Some columns and their coefficients: where more than `slack` of a row's length is along them.
    mutual : ndarray of shape (width, width)
        The rows' scalar products with one another when that is done.
    """
    block = basis.block(at, at + width)
    if not operator.takes_single:
        block = basis.columns(at, at + width)
    image = np.ascontiguousarray((operator @ block).T, np.float64)
    if not image.flags.writeable or np.shares_memory(image, block):
        image = image.copy()
    # Most of the image lies along the last two blocks: taken out first, they leave the pass over the
    # whole basis so little to do that it need not be repeated, and that what is left is known before it is done.
    known, recent = at + width, max(0, at - width)
    coefficients = np.zeros((known, width))
    coefficients[recent:] = basis.products(recent, known, image)[0]
    along, before = basis.products(0, known, image, along=coefficients[recent:])
    which = np.flatnonzero((np.abs(along) > slack * np.sqrt(np.diag(before))).any(axis=1))
    left = along[which]
    coefficients[which] += left
    mutual = before - left.T @ left
    if (np.diag(mutual) < 0.49 * np.diag(before)).any():
        before = basis.subtract((which, left), image)
        again, mutual = basis.take_out(known, image, before=np.sqrt(np.diag(before)))
        coefficients += again
        return image, coefficients, NOTHING, mutual
    return image, coefficients, (which, left), mutual


def add_block(
    basis: Basis,
    at: int,
    block: Array,
    rng: np.random.Generator,
    floor: float = 0.0,
    keep: int | None = None,
    products: Array | None = None,
    left: Parts = NOTHING,
) -> Array:
    """Store Q of ``block.T = Q R`` from column `at` on and return R; the rows are orthogonal to what is before.

    A direction whose length is at most `floor` is noise: a random one takes its place, with nothing of the
    block along it. Only the first `keep` directions are stored. The block is written to. `products` are its rows'
    scalar products with one another, if they are known, and `left` has yet to be taken off them.
    """
    width = len(block)
    keep = width if keep is None else keep
    products = block @ block.T if products is None else products
    lengths = np.sqrt(np.diag(products))
    if keep == width and lengths.min() > floor and lengths.min() > 0:
        cosines = products / np.multiply.outer(lengths, lengths)
        if np.linalg.eigvalsh(cosines)[0] > _APART:
            r: Array = np.asarray(np.linalg.cholesky(cosines).T * lengths, dtype=np.float64)
            basis.store(at, block, np.asarray(np.linalg.inv(r).T, dtype=np.float64), less=left)
            return r
    if len(left[0]):
        lengths = np.sqrt(np.diag(basis.subtract(left, block)))
    return _add_slowly(basis, at, block, rng, floor, keep, lengths)


def _add_slowly(
    basis: Basis, at: int, block: Array, rng: np.random.Generator, floor: float, keep: int, lengths: Array
) -> Array:
    """Do as `add_block` does where the block's rows hardly differ in direction, or vanish: one after the other."""
    width, n = block.shape
    r = np.zeros((keep, width))
    for i in range(width):
        column: Array = block[i : i + 1]
        length, before = float(lengths[i]), lengths[i : i + 1]
        if i:
            along, mutual = basis.take_out(at + min(i, keep), column, before=before)
            r[: min(i, keep), i], length = along[at:, 0], float(np.sqrt(mutual[0, 0]))
        if i >= keep:
            continue
        if length > floor:
            r[i, i] = length
            if length < 1e-3 * before[0]:
                # What was small has lost its orthogonality to the basis among the digits that cancelled.
                column /= length
                length = _freed(basis, at + i, column)
        else:
            column = np.asarray(rng.standard_normal((1, n)))
            length = _freed(basis, at + i, column)
        basis.store(at + i, column, np.array([[1 / length]]))
    return r


def _freed(basis: Basis, at: int, row: Array) -> float:
    """Take all columns before `at` out of a row, in place; return the length of what is left."""
    return float(np.sqrt(basis.take_out(at, row, before=np.linalg.norm(row, axis=1))[1][0, 0]))
