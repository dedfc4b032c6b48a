"""Chebyshev filter: a polynomial of an operator that enlarges the wanted eigenvalues.

A Krylov method computes a product for each vector, and a pass over all earlier vectors to orthogonalise it. If
many pairs of a sparse matrix are wanted, the pass costs many times the product. A vector multiplied by a
polynomial of degree q costs q products and one pass, and extends the subspace nearly as much as q vectors.
Chebyshev's polynomial is at most 1 on an interval that contains the eigenvalues not wanted. Outside of it, it
grows as fast as a polynomial can and keeps the order of the wanted ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.spectral import tolerances
from lpgraph.spectral.lanczos import LanczosRun, block_lanczos, capacity
from lpgraph.spectral.operators import SymmetricOperator, Wrapped
from lpgraph.spectral.ritz import Ritz, Task

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["Filtered", "filter_below", "lanczos"]

#: The highest degree: a higher one saves few more passes.
_HIGHEST = 7


@dataclass(frozen=True, eq=False)
class Filtered(Wrapped):
    """``T_q((M - c I) / h)``: M's eigenvectors, at most 1 where M's values are in ``[c - h, c + h]``.

    Parameters
    ----------
    operator : Operator
        M.
    degree : int
        q.
    centre, half : float
        c and h.
    """

    operator: SymmetricOperator
    degree: int
    centre: float
    half: float

    @property
    def takes_single(self) -> bool:
        """Whether a block in single precision is multiplied without conversion."""
        return self.operator.takes_single

    def at(self, value: float) -> float:
        """Return what an eigenvalue of M, wanted or beyond the wanted, becomes."""
        x = (value - self.centre) / self.half
        return float(np.copysign(np.cosh(self.degree * np.arccosh(max(1.0, abs(x)))), x))

    def __matmul__(self, block: Array) -> Array:
        product = self.operator.product
        recur = self._recur if product is None or block.shape[1] != 2 else product.recur
        before = np.ascontiguousarray(block)
        now = recur(before, np.zeros_like(before), 1 / self.half, self.centre)
        for _ in range(self.degree - 1):
            # T_{j+1}(x) = 2 x T_j(x) - T_{j-1}(x)
            before, now = now, recur(now, before, 2 / self.half, self.centre)
        return now

    def _recur(self, now: Array, before: Array, factor: float, shift: float) -> Array:
        """Do as `Product.recur` does."""
        after = factor * (self.operator @ now) - before
        if shift:
            after -= factor * shift * now
        return after


def lanczos(task: Task, start: Array | None = None) -> LanczosRun:
    """Do as `block_lanczos` does, with a filter if that is slow and a pass over the basis is expensive.

    Slow means that fewer than half of the pairs have converged by the end of the first cycle, or that earlier the
    last wanted Ritz value represents many eigenvalues. The vectors that have converged by then are kept. If the
    filter is much larger at the best of the others than at the last wanted one, its basis is kept in double
    precision.
    """
    n, k = task.operator.shape[0], task.k
    # A filter pays if a pass over the basis costs more for each vector than a product. Measured on two cores:
    # reading a number of the basis costs a third of gathering an entry; 0 entries means that they are not counted.
    pays = 0 < 3 * task.operator.entries < capacity(n, k) * n
    # Not with a start or few restarts: the filter needs a cycle before it, and may waste one.
    pays = pays and start is None and task.max_restarts > 2 and not task.loose
    # Nor where the basis is most of the space: what a Ritz value represents is then estimated badly.
    pays = pays and n > 2 * capacity(n, k)

    def slow(ritz: Ritz, full: bool) -> bool:
        return not ritz.converged and (ritz.lost(n, k) or (full and ritz.found < k // 2))

    run = block_lanczos(task, start, give_up=slow if pays else None)
    if not run.given_up:
        return run
    # The k-th Ritz value itself is far from the k-th eigenvalue: most Ritz values stand for many eigenvalues.
    last = -run.last if task.which == "SA" else run.last
    lifted = filter_below(task.operator, task.which, last, run.values)
    if lifted is not None:
        run = _beside_what_is_found(lifted, run, task)
        if not run.given_up:
            return run
    more = block_lanczos(replace(task, max_restarts=max(1, task.max_restarts - run.restarts)))
    return replace(more, restarts=run.restarts + more.restarts, products=run.products + more.products)


def _beside_what_is_found(lifted: Filtered, run: LanczosRun, task: Task) -> LanczosRun:
    """Continue a run that was given up with a filter; give up if it does not enlarge all wanted values."""
    k, tol, end = task.k, task.tol, "LM" if task.which == "LM" else "LA"

    def in_vain(ritz: Ritz, full: bool) -> bool:
        # Values above `LIFTED` are outside the interval, where the filter keeps the order.
        last = float(ritz.values[k - 1])
        return full and (abs(last) if end == "LM" else last) < tolerances.LIFTED

    kept = run.vectors.shape[1]
    lifts = np.array([lifted.at(value) for value in run.values[:k]])
    # Residuals are relative to a value or to a share of the norm, here far above the last wanted value.
    fine = tolerances.KEPT_SHARE * tol * min(1.0, tolerances.LIFT / (tolerances.NORM_SHARE * abs(lifts[0])))
    rounding = tolerances.SINGLE_ROUNDING * np.abs(lifts[kept:]).max()
    inside = replace(
        task,
        operator=lifted,
        which=end,
        tol=fine,
        max_restarts=(task.max_restarts - run.restarts + 1) // 2,  # half is left for a plain run
        dtype=task.dtype if rounding <= tolerances.KEPT_SHARE * tol * tolerances.LIFT else np.float64,
    )
    known, slack = (run.vectors, lifts[:kept]), tolerances.FILTER_SLACK * tol
    high = block_lanczos(inside, known=known, slack=slack, give_up=in_vain)
    restarts, products = run.restarts + high.restarts, run.products + lifted.degree * high.products
    if high.given_up:
        return replace(run, restarts=restarts, products=products)
    return replace(high, norm=run.norm, restarts=restarts, products=products)


def filter_below(operator: SymmetricOperator, which: str, last: float, values: Array) -> Filtered | None:
    """Return the filter that is 3 at the value `last`, more at the wanted values outside of it and less at others.

    None if there is no such filter: it would be too large at the largest of the Ritz `values`. The degree is odd,
    so that the filter keeps the sign and values of opposite ends stay apart.
    """
    sign = {"LM": 0.0, "LA": 1.0, "SA": -1.0}[which]
    for degree in range(_HIGHEST, 1, -2):
        lift = float(np.cosh(np.arccosh(tolerances.LIFT) / degree))
        if which == "LM":
            centre, half = 0.0, last / lift
        else:
            near, far = sign * last, sign * float(values[-1])
            far -= tolerances.BEYOND * (near - far)
            half = (near - far) / (1 + lift)
            centre = far + half
        if half <= 0:
            return None
        lifted = Filtered(operator, degree, (sign or 1.0) * centre, (sign or 1.0) * half)
        if abs(lifted.at(float(values[0]))) <= tolerances.TALLEST:
            return lifted
    return None
