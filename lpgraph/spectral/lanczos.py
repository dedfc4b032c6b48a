"""Thick-restart block Lanczos with measured orthogonality, which finds multiple eigenvalues completely.

The steps are `_Search.expand`, `_Search.restart` and `_Search.check`; `lpgraph.spectral.filtered` adds a filter.

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
from dataclasses import InitVar, dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._progress import tell
from lpgraph.linalg.basis import Basis
from lpgraph.spectral.blocks import add_block, multiply
from lpgraph.spectral.ritz import WIDTH, Ritz, Task
from lpgraph.spectral.tolerances import KEPT_SHARE, NEAR_SHARE, NOISE, SLACK

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

#: Blocks that a basis holds beyond the wanted, at least; and without a restart, which would find more.
_SPARE, _SPARE_ONCE = 17, 20

#: Blocks that a check adds at least.
_CHECK = 16

#: Restarts before it is judged how fast residuals fall, and restarts from which it is judged.
_BEFORE, _RECENT = 6, 3

_log = logging.getLogger("lpgraph.spectral")


@dataclass(frozen=True, eq=False)
class LanczosRun:
    """Orthonormal Ritz vectors of the wanted end, best first, and the cost of finding them.

    They have the precision of the basis. `values` are all Ritz values, best first. `last` is about the size of the
    last wanted eigenvalue after a first cycle from random directions; see `Ritz.last`. A run that was given up has
    the vectors that had converged, up to the first that had not.
    """

    vectors: NDArray[np.floating]
    values: Array
    last: float
    norm: float
    restarts: int
    products: int
    converged: bool
    given_up: bool = False


def capacity(n: int, k: int, *, width: int = WIDTH, once: bool = False) -> int:
    """Return how many vectors a basis of blocks of `width` holds before a restart, or if there is none."""
    return min(n, max(2 * k + 2 * width, k + width * (_SPARE_ONCE if once else _SPARE)))


def block_lanczos(
    task: Task,
    start: Array | None = None,
    *,
    known: tuple[NDArray[np.floating], Array] | None = None,
    slack: float | None = None,
    give_up: Callable[[Ritz, bool], bool] | None = None,
) -> LanczosRun:
    """Return the wanted Ritz vectors, their *estimated* residuals within the tolerance or restarts used up.

    In the first cycle `give_up` is called, from ``k + 17 width`` vectors on and, with True, at its end; the run
    ends if it returns True. `known` are orthonormal eigenvectors and values found before, the best of the wanted
    ones: the search begins with them in its basis.

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
    excesses: list[float] = []
    for cycle in range(1, task.max_restarts + 1):
        doubt = give_up if cycle == 1 else None
        search.expand(doubt)
        ritz = search.ritz()
        search.norm = ritz.norm
        done = search.is_done(ritz)
        search.report(cycle, ritz)
        if doubt is not None and not done and (doubt(ritz, False) or doubt(ritz, True)):
            missed = np.flatnonzero(ritz.estimate[:k] > KEPT_SHARE * task.tol * ritz.scale[:k])
            return search.result(ritz, cycle, done, int(missed[0]) if len(missed) else k, given_up=True)
        excesses.append(ritz.excess)
        if done or cycle == task.max_restarts or (task.early and _too_slow(excesses, task.max_restarts)):
            break
        if search.settled is not None and not search.unchanged(ritz):
            search.widen_checks()
        if ritz.converged and search.settled is None and not search.alone(ritz):
            search.check(ritz)
        else:
            search.restart(ritz)
    return search.result(ritz, cycle, done, k)


def _too_slow(excesses: list[float], most: int) -> bool:
    """Whether residuals, relative to the tolerance, fall too slowly to be below 1 after `most` restarts."""
    if len(excesses) < _BEFORE:
        return False
    before, now = np.log(excesses[-_RECENT - 1]), np.log(excesses[-1])
    return bool(now > 0 and now > (before - now) / _RECENT * (most - len(excesses)))


@dataclass(eq=False)
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

    task: Task
    start: Array | None
    slack: float
    known: InitVar[tuple[NDArray[np.floating], Array] | None]
    size: int = 0
    norm: float = 0.0
    products: int = 0
    settled: Array | None = None
    check_width: int = field(init=False)
    fresh: bool = True
    last: float = -np.inf

    def __post_init__(self, known: tuple[NDArray[np.floating], Array] | None) -> None:
        """Make room, and store the known vectors and a first block."""
        n, k, start = self.task.operator.shape[0], self.task.k, self.start
        width = self.check_width = self.task.width
        room = capacity(n, k, width=width, once=self.task.max_restarts == 1)
        self.width, self.coupling = min(width, n), np.zeros((0, 0))
        # Beyond the capacity there is room for the residual block, the widest of which is a check's.
        self.basis = Basis(n, room + max(width, (room - k) // 16 * 2), self.task.dtype)
        self.projection = np.zeros((room, room))
        if known is not None:
            self.basis.array[:, : len(known[1])] = known[0]
            self._keep(known[1])
        if start is None:
            self._add_random()
        else:
            self.fresh = False
            first = self.task.rng.standard_normal((self.width, start.shape[1])) @ start.T
            add_block(self.basis, 0, first, self.task.rng)

    def _add_random(self) -> None:
        """Store random directions, orthogonal to one another and to V."""
        block = self.task.rng.standard_normal((self.width, len(self.basis.array)))
        if self.size:
            self.basis.take_out(self.size, block, before=np.linalg.norm(block, axis=1))
        add_block(self.basis, self.size, block, self.task.rng)

    def expand(self, doubt: Callable[[Ritz, bool], bool] | None) -> None:
        """Add blocks until the basis is full, or all is found, or `doubt` says that the run is to be given up."""
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
                if (
                    doubt is not None
                    and self.size >= self.task.k + _SPARE * self.task.width
                    and doubt(ritz, False)
                ):
                    return

    def _multiply(self) -> None:
        """Multiply the residual block, which becomes part of V, and store the next one."""
        basis, size, width = self.basis, self.size, self.width
        image, columns, left, mutual = multiply(self.task.operator, basis, size, width, self.slack, self._guess())
        grown = size + width
        self.projection[:grown, size:grown] = columns
        self.projection[size:grown, :grown] = columns.T
        self.products += width
        floor = NOISE * max(self.norm, float(np.abs(columns).max()))
        self.size, self.width = grown, min(width, len(basis.array) - grown)
        self.coupling = np.zeros((0, 0))
        if self.width:
            self.coupling = add_block(basis, grown, image, self.task.rng, floor, self.width, mutual, left)

    def _guess(self) -> Array | None:
        """Return the next product's coefficients along the last two blocks, if these belong to one recurrence.

        ``M Q = P R.T + Q A + ...``: R is the coupling of the blocks P and Q. The mean of A's diagonal is about
        that of the block before.
        """
        width, size = self.width, self.size
        if self.coupling.shape != (width, width):
            return None
        mean = float(np.trace(self.projection[size - width : size, size - width : size])) / width
        return np.vstack([self.coupling.T, mean * np.eye(width)])

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
        ritz = Ritz.of(task, self.projection, self.size, self.coupling, self.norm, self.last, checking=checking)
        if self.fresh and task.loose:
            self.last = ritz.beyond(len(self.basis.array), task.k, task.which)
        return ritz

    def restart(self, ritz: Ritz) -> None:
        """Keep the wanted vectors, a fifth of the remaining room, and the residual block."""
        keep = min(self.size - self.width, self.task.k + (len(self.projection) - self.task.k) // 5)
        self.basis.rotate(self.size, ritz.rotation[:, :keep])
        self.basis.move(self.size, self.size + self.width, keep)
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

    def widen_checks(self) -> None:
        """End a check that found something; the next one adds twice as many directions."""
        self.settled = None
        self.check_width = min(2 * self.check_width, self.basis.array.shape[1] - len(self.projection))

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

    def report(self, cycle: int, ritz: Ritz) -> None:
        """Log how far the search is."""
        tell(
            _log,
            "%d of %d eigenpairs converged, residual %.0e, %s %d, %d products",
            ritz.found,
            self.task.k,
            self.task.tol * ritz.excess,
            "restart" if self.settled is None else "check",
            cycle,
            self.products,
            of=(ritz.found, self.task.k),
        )

    def result(self, ritz: Ritz, cycle: int, done: bool, count: int, *, given_up: bool = False) -> LanczosRun:
        """Return the best vectors; the basis is used up."""
        last = ritz.last(len(self.basis.array), self.task)
        self.basis.rotate(self.size, ritz.rotation[:, :count])
        vectors = self.basis.release(count)
        return LanczosRun(vectors, ritz.values, last, self.norm, cycle, self.products, done, given_up)
