"""Thick-restart block Lanczos with measured orthogonality, which finds multiple eigenvalues completely.

The steps are `_Search.expand`, `_Search.restart` and `_Search.check`; `lpgraph.spectral.lanczos` adds a filter.

**Expand.** The basis V grows block by block. The components of each product along the last two blocks are
subtracted, then those along any earlier column that exceed a slack far below the tolerance. What is subtracted
goes into H, so that H is the projection ``V.T M V``, up to the slack, also after a restart or a replaced
direction. To rounding,

    M V = V H + Q R E.T

holds always, with E the last block's columns. The residual of a Ritz vector V s is therefore ``norm(R s_last)``.

**Restart.** The best Ritz vectors and the residual block are kept (Wu & Simon 2000).

**Check.** A Krylov space from a block of b random directions contains at most b vectors of any eigenspace, and to
rounding it does contain b. With b = 2, an eigenvalue that shows one copy is simple, and there can be a third copy
only if two values agree. (The second copy is smaller than the first by the smallest singular value of a 2 x 2
Gaussian matrix, which is below t with a probability of about t. When the last wanted pair has converged,
everything above it has grown by at least 1 / tol, so that a copy is missed with a probability of about tol.) If
values agree, or if the caller gave the start, the converged pairs are checked: only they are kept, and the
iteration starts again from random directions orthogonal to them. If it finds something better, the pairs must
converge again, and the next check adds twice as many directions.

The iteration ends only when the best values that are not wanted, at each end in question, are known well enough to
lie below the wanted ones.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.progress import tell
from lpgraph.linalg.basis import NOTHING, REPEAT, Basis

from .operators import new_product
from .ritz import WIDTH, Ritz, Task
from .tolerances import APART, KEPT_SHARE, NEAR_SHARE, NOISE, SLACK

if TYPE_CHECKING:
    from collections.abc import Callable

    from lpgraph._utils.types import Array, Floats
    from lpgraph.linalg.basis import Parts

    #: Orthonormal eigenvectors and their values.
    Known = tuple[Floats, Array]

#: Blocks that a basis holds beyond the wanted, at least; and without a restart, which would find more.
_SPARE, _SPARE_ONCE = 17, 20

#: Blocks that a check adds at least.
_CHECK = 16

_log = logging.getLogger("lpgraph.spectral")


@dataclass(frozen=True, eq=False)
class LanczosRun:
    """Orthonormal Ritz vectors of the wanted end, best first, and the cost of finding them.

    They have the precision of the basis. `values` are all Ritz values, best first. `last` is about the size of the
    last wanted eigenvalue after a first cycle from random directions; see `Ritz.last`. A run that was given up has
    the vectors that had converged, up to the first that had not.
    """

    vectors: Floats
    values: Array
    last: float
    norm: float
    restarts: int
    products: int
    given_up: bool = False


def capacity(n: int, k: int, *, width: int = WIDTH, once: bool = False) -> int:
    """Return how many vectors a basis of blocks of `width` holds before a restart, or if there is none."""
    return min(n, max(2 * k + 2 * width, k + width * (_SPARE_ONCE if once else _SPARE)))


def block_lanczos(
    task: Task,
    start: Array | None = None,
    *,
    known: Known | None = None,
    slack: float | None = None,
    give_up: Callable[[Ritz], bool] | None = None,
) -> LanczosRun:
    """Return the wanted Ritz vectors, their *estimated* residuals within the tolerance or restarts used up.

    At the end of the first cycle `give_up` is called; the run ends if it returns True. `known` are orthonormal
    eigenvectors and values found before, the best of the wanted ones: the search begins with them in its basis.

    A product's component along a column stays in it up to `slack` times its length, ``tol / 100`` if absent, and
    10^-5 of that with an origin: the columns are orthogonal to that precision.

    Of several columns in `start` random combinations are the first block. Memory: ``max(2 k + 2 width,
    k + 17 width)`` columns and an eighth more, and ten vectors.
    """
    k = task.k
    if slack is None:
        # Residuals are compared with the distance of an eigenvalue from the origin, not with the eigenvalue.
        slack = SLACK * task.tol * (1.0 if task.origin is None else NEAR_SHARE)
    search = _Search(task, start, slack, known)
    for cycle in range(1, task.max_restarts + 1):
        search.expand()
        ritz = search.ritz()
        search.norm = ritz.norm
        done = search.is_done(ritz)
        step, worst = "restart" if search.settled is None else "check", task.tol * ritz.excess
        state = ritz.found, k, worst, step, cycle, search.products
        tell(_log, "%d of %d eigenpairs converged, residual %.0e, %s %d, %d products", *state)
        if cycle == 1 and give_up is not None and not done and give_up(ritz):
            missed = np.flatnonzero(ritz.estimate[:k] > KEPT_SHARE * task.tol * ritz.scale[:k])
            return search.result(ritz, cycle, int(missed[0]) if len(missed) else k, given_up=True)
        if done or cycle == task.max_restarts:
            break
        if search.settled is not None and not search.unchanged(ritz):
            # The check found something; the next one adds twice as many directions.
            search.settled = None
            search.check_width = min(2 * search.check_width, search.basis.array.shape[1] - len(search.projection))
        if ritz.converged and search.settled is None and not search.alone(ritz):
            search.check(ritz)
        else:
            search.restart(ritz)
    return search.result(ritz, cycle, k)


class _Search:
    """The state of the iteration, and its steps: expand, then restart or check.

    Attributes
    ----------
    task, start, slack, known
        As in `block_lanczos`.
    basis : Basis
        V and, after it, the residual block Q.
    projection : ndarray of shape (room, room)
        H.
    size : int
        Columns of V.
    width : int
        Columns of Q.
    coupling : ndarray
        R; empty if Q is.
    norm : float
        The operator's, as far as it is known.
    products : int
        Vectors multiplied so far.
    settled : ndarray of shape (k,) or None
        The converged values that a check must not change; None if none is running.
    check_width : int
        Directions that the next check adds.
    fresh : bool
        Whether the basis is a Krylov space of random directions.
    last : float
        About the size of the last wanted eigenvalue, if some bounds are loose and it is known.
    """

    def __init__(self, task: Task, start: Array | None, slack: float, known: Known | None) -> None:
        self.task, self.start, self.slack = task, start, slack
        self.size, self.norm, self.products, self.fresh, self.last = 0, 0.0, 0, True, -np.inf
        self.settled: Array | None = None
        # Make room, and store the known vectors and a first block.
        n, k = task.operator.shape[0], task.k
        width = self.check_width = task.width
        room = capacity(n, k, width=width, once=task.max_restarts == 1)
        self.width, self.coupling = min(width, n), np.zeros((0, 0))
        # Beyond the capacity there is room for the residual block, the widest of which is a check's.
        self.basis = Basis(n, room + max(width, (room - k) // 16 * 2), task.dtype)
        self.projection = np.zeros((room, room))
        if known is not None:
            self.basis.array[:, : len(known[1])] = known[0]
            self._keep(known[1])
        if start is None:
            self._add_random()
        else:
            self.fresh = False
            first = task.rng.standard_normal((self.width, start.shape[1])) @ start.T
            self._store(first, first @ first.T)

    def _add_random(self) -> None:
        """Store random directions, orthogonal to one another and to V."""
        rows = self.task.rng.standard_normal((self.width, len(self.basis.array)))
        if self.size:
            self.basis.take_out(self.size, rows, before=np.linalg.norm(rows, axis=1))
        self._store(rows, rows @ rows.T)

    def expand(self) -> None:
        """Add blocks until the basis is full, or all is found."""
        room, self.coupling = len(self.projection), np.zeros((0, 0))
        next_look = self.task.k + (2 if self.settled is None else _CHECK) * self.width
        while self.size < room and self.size + self.width <= room:
            self._multiply()
            if self.width == 0:
                return
            # A cycle may end early once all is found; a check must run a while to see anything.
            if self.size >= next_look:
                ritz = self.ritz()
                next_look = self.size + self._until_next_look(ritz)
                if ritz.converged and (ritz.sure or (self.settled is None and not self.alone(ritz))):
                    return

    def _multiply(self) -> None:
        """Multiply the residual block, which becomes part of V, and store the next one."""
        size, width = self.size, self.width
        image, columns, left, mutual = self._product()
        grown = size + width
        self.projection[:grown, size:grown] = columns
        self.projection[size:grown, :grown] = columns.T
        self.products += width
        floor = NOISE * max(self.norm, float(np.abs(columns).max()))
        self.size, self.width = grown, min(width, len(self.basis.array) - grown)
        self.coupling = self._store(image, mutual, left, floor) if self.width else np.zeros((0, 0))

    def _product(self) -> tuple[Array, Array, Parts, Array]:
        """Multiply the residual block, and orthogonalise the product against V and itself as far as necessary now.

        Returns
        -------
        image : ndarray of shape (width, n)
            The product's rows, before `left` is subtracted; overwritten by the next product.
        coefficients : ndarray of shape (size + width, width)
            Of the columns in what was and will be subtracted.
        left : tuple
            Some columns and their coefficients: where more than `slack` of a row's length is along them.
        mutual : ndarray of shape (width, width)
            The rows' scalar products with one another after that.
        """
        basis, at, width, operator = self.basis, self.size, self.width, self.task.operator
        known, recent = at + width, max(0, at - width)
        block = basis.array[:, at:known]
        given = block if operator.takes_single else block.astype(np.float64, copy=False)
        image = np.ascontiguousarray(new_product(operator, given).T)
        # Most of the image lies along the last two blocks. If about that is subtracted first, the pass over the
        # whole basis changes so little that it need not be repeated, and the scalar products after it are known
        # before it. In one recurrence, ``M Q = P R.T + Q A + ...``, it is known: R is the coupling of the blocks P
        # and Q, and the mean of A's diagonal is about that of the block before.
        coefficients = np.zeros((known, width))
        if self.coupling.shape == (width, width):
            mean = np.trace(self.projection[recent:at, recent:at]) / width
            coefficients[recent:] = np.vstack([self.coupling.T, mean * np.eye(width)])
        else:
            coefficients[recent:] = basis.products(recent, known, image)[0]
        last_blocks = np.arange(recent, known), coefficients[recent:]
        along, before = basis.products(0, known, image, less=last_blocks)
        which = np.flatnonzero((np.abs(along) > self.slack * np.sqrt(np.diag(before))).any(axis=1))
        left = along[which]
        coefficients[which] += left
        mutual = before - left.T @ left
        if (np.diag(mutual) < REPEAT**2 * np.diag(before)).any():
            before = basis.subtract((which, left), image)
            again, mutual = basis.take_out(known, image, before=np.sqrt(np.diag(before)))
            coefficients += again
            return image, coefficients, NOTHING, mutual
        return image, coefficients, (which, left), mutual

    def _store(self, rows: Array, products: Array, left: Parts = NOTHING, floor: float = 0.0) -> Array:
        """Store Q of ``rows.T = Q R`` after V, and return R; rows beyond the width of Q are not stored.

        The rows are orthogonal to V after `left`, their parts along some of its columns, is subtracted; `products`
        are their scalar products then. A direction whose length is at most `floor` is noise, and is replaced by a
        random one with a zero row in R.
        """
        lengths = np.sqrt(np.diag(products))
        if self.width == len(rows) and lengths.min() > floor and lengths.min() > 0:
            cosines = products / np.multiply.outer(lengths, lengths)
            if np.linalg.eigvalsh(cosines)[0] > APART:
                r: Array = np.asarray(np.linalg.cholesky(cosines).T * lengths, dtype=np.float64)
                self.basis.store(self.size, rows, np.asarray(np.linalg.inv(r).T, dtype=np.float64), less=left)
                return r
        if len(left[0]):
            products = self.basis.subtract(left, rows)
        return self._store_slowly(rows, np.sqrt(np.diag(products)), floor)

    def _store_slowly(self, rows: Array, before: Array, floor: float) -> Array:
        """Do as `_store` does, row by row: for rows of lengths `before` that are nearly parallel, or vanish."""
        basis, at, keep = self.basis, self.size, self.width
        r = np.zeros((keep, len(rows)))
        for i in range(len(rows)):
            row, stored = rows[i : i + 1], min(i, keep)
            along, mutual = basis.take_out(at + stored, row, before=before[i : i + 1])
            r[:stored, i] = along[at:, 0]
            if i >= keep:
                continue
            if mutual[0, 0] > floor**2:
                r[i, i] = np.sqrt(mutual[0, 0])
            else:
                row = self.task.rng.standard_normal((1, rows.shape[1]))
                mutual = basis.take_out(at + i, row, before=np.linalg.norm(row, axis=1))[1]
            basis.store(at + i, row, 1 / np.sqrt(mutual))
        return r

    def _until_next_look(self, ritz: Ritz) -> int:
        """Return how many columns to add before the Ritz values are looked at again."""
        # A look costs size^3, a block n size: every block where that is much more.
        cheap = len(self.basis.array) > 2 * self.size**2
        often = self.width if cheap else max(2 * self.width, self.size // 10)
        return max(often, self.width * int(np.log10(max(1.0, ritz.excess))))

    def ritz(self) -> Ritz:
        """Return what the projection tells about the wanted end."""
        task = self.task
        checking = self.settled is not None
        square = self.projection[: self.size, : self.size]
        ritz = Ritz(task, square, self.coupling, self.norm, self.last, checking=checking)
        if self.fresh and task.loose:
            self.last = ritz.beyond
        return ritz

    def restart(self, ritz: Ritz) -> None:
        """Keep the wanted vectors, a fifth of the remaining room, and the residual block."""
        keep = min(self.size - self.width, self.task.k + (len(self.projection) - self.task.k) // 5)
        self.basis.rotate(self.size, ritz.rotation[:, :keep])
        self.basis.array[:, keep : keep + self.width] = self.basis.array[:, self.size : self.size + self.width]
        self._keep(ritz.values[:keep])

    def check(self, ritz: Ritz) -> None:
        """Keep the wanted vectors only, and go on from random directions orthogonal to them.

        H remains the projection of M; what vectors in loose bounds lack is not in the estimates any more.
        """
        self.settled = ritz.values[: self.task.k].copy()
        self.basis.rotate(self.size, ritz.rotation[:, : self.task.k])
        self.width = min(self.check_width, len(self.basis.array) - self.task.k)
        self._keep(self.settled)
        self._add_random()

    def _keep(self, values: Array) -> None:
        self.projection[:], self.size, self.fresh = 0.0, len(values), False
        np.fill_diagonal(self.projection[: self.size, : self.size], values)

    def alone(self, ritz: Ritz) -> bool:
        """Whether no further copy of a wanted value can be hidden, so that no check is needed."""
        return self.start is None and not ritz.crowded

    def unchanged(self, ritz: Ritz) -> bool:
        """Whether a check is running and has changed no value."""
        k, settled = self.task.k, self.settled
        return settled is not None and bool(
            (np.abs(ritz.values[:k] - settled) <= self.task.tol * ritz.scale[:k])[ritz.strict].all()
        )

    def is_done(self, ritz: Ritz) -> bool:
        """Whether all wanted pairs are found, with their multiplicity."""
        found = ritz.converged and ritz.sure and (self.unchanged(ritz) or self.alone(ritz))
        return found or self.size == len(self.basis.array)

    def result(self, ritz: Ritz, cycle: int, count: int, *, given_up: bool = False) -> LanczosRun:
        """Return the best vectors; the basis is used up."""
        self.basis.rotate(self.size, ritz.rotation[:, :count])
        vectors = self.basis.release(count)
        return LanczosRun(vectors, ritz.values, ritz.last, self.norm, cycle, self.products, given_up)
