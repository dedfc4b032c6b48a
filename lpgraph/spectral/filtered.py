"""A polynomial of an operator that lifts the wanted end of its spectrum: Chebyshev's.

A Krylov method pays for each vector twice: the product, and the pass over all vectors before it that keeps them
orthogonal. Where many pairs are wanted of a sparse matrix the second is many times the first. A vector that is
multiplied by a polynomial of degree q costs q products and one pass, and brings the subspace as much as q vectors
would, nearly. Chebyshev's polynomial is at most 1 on an interval that holds what is not wanted and grows as fast
as any beyond it, in the order of the wanted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.spectral import tolerances
from lpgraph.spectral.lanczos import LanczosRun, block_lanczos, capacity
from lpgraph.spectral.operators import SymmetricOperator, Wrapped
from lpgraph.spectral.ritz import Ritz

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["Filtered", "filter_below", "lanczos"]

#: The highest degree: beyond it the passes that are saved are few.
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
        if product is not None and block.shape[1] == 2:
            before = np.ascontiguousarray(block)
            now = product.recur(before, np.zeros_like(before), 1 / self.half, self.centre)
            for _ in range(self.degree - 1):
                before, now = now, product.recur(now, before, 2 / self.half, self.centre)
            return now
        before, now = block, self._step(block)
        now /= self.half
        for _ in range(self.degree - 1):
            # T_{j+1}(x) = 2 x T_j(x) - T_{j-1}(x)
            after = self._step(now)
            after *= 2 / self.half
            after -= before
            before, now = now, after
        return now

    def _step(self, block: Array) -> Array:
        product = self.operator @ block
        if self.centre:
            product -= self.centre * block
        return product


def lanczos(
    operator: SymmetricOperator,
    k: int,
    which: str,
    tol: float,
    max_restarts: int,
    start: Array | None,
    rng: np.random.Generator,
    *,
    dtype: DTypeLike = np.float64,
) -> LanczosRun:
    """Do as `block_lanczos` does, with a filter where that is slow and a pass over the basis dear.

    Slow: by the end of the first cycle not half of the pairs have converged, or, before that, the last of the
    wanted is lost among many. What has converged by then is kept beside the search. Where the filter is much
    larger at the best of the others than at the last wanted, its basis is kept in double precision.
    """
    n = operator.shape[0]
    # A start or few restarts are for a plain run: the filter has a cycle before it and may have one in vain.
    pays = start is None and max_restarts > 2 and _pays(operator, capacity(n, k))

    def slow(ritz: Ritz, full: bool) -> bool:
        return not ritz.converged and (ritz.lost(n, k) or (full and ritz.found < k // 2))

    give_up = slow if pays else None
    run = block_lanczos(operator, k, which, tol, max_restarts, start, rng, dtype=dtype, give_up=give_up)
    if not run.given_up:
        return run
    lifted = filter_below(operator, which, _last_wanted(run, which, k), run.values)
    if lifted is not None:
        run = _beside_what_is_found(lifted, run, k, which, tol, max_restarts, rng, dtype)
        if not run.given_up:
            return run
    more = block_lanczos(operator, k, which, tol, max(1, max_restarts - run.restarts), None, rng, dtype=dtype)
    return replace(more, restarts=run.restarts + more.restarts, products=run.products + more.products)


def _beside_what_is_found(
    lifted: Filtered,
    run: LanczosRun,
    k: int,
    which: str,
    tol: float,
    max_restarts: int,
    rng: np.random.Generator,
    dtype: DTypeLike,
) -> LanczosRun:
    """Go on from a run that was given up with a filter; give up if it does not lift all that is wanted."""
    end = "LM" if which == "LM" else "LA"

    def in_vain(ritz: Ritz, full: bool) -> bool:
        # What is lifted above `LIFTED` is beyond the interval, and in the order of the wanted.
        last = float(ritz.values[k - 1])
        return full and (abs(last) if end == "LM" else last) < tolerances.LIFTED

    kept = run.vectors.shape[1]
    lifts = np.array([lifted.at(float(value)) for value in run.values[:k]])
    # Residuals are relative to a value or to a thousandth of the norm, here far above the last wanted.
    fine = tolerances.KEPT_SHARE * tol * min(1.0, tolerances.LIFT / (tolerances.NORM_SHARE * abs(lifts[0])))
    high = block_lanczos(
        lifted,
        k,
        end,
        fine,
        (max_restarts - run.restarts + 1) // 2,  # half is left for a plain run
        None,
        rng,
        dtype=dtype
        if tolerances.SINGLE_ROUNDING * np.abs(lifts[kept:]).max() <= tolerances.KEPT_SHARE * tol * tolerances.LIFT
        else np.float64,
        known=(run.vectors, lifts[:kept]),
        slack=tolerances.FILTER_SLACK * tol,
        give_up=in_vain,
    )
    restarts, products = run.restarts + high.restarts, run.products + lifted.degree * high.products
    if high.given_up:
        return replace(run, restarts=restarts, products=products)
    return replace(high, norm=run.norm, restarts=restarts, products=products)


def _pays(operator: SymmetricOperator, room: int) -> bool:
    """Whether a vector's share of the passes over a basis of `room` vectors costs more than a product.

    Measured on two cores: what a number of the basis costs is a third of what the gathering of an entry does. Not
    where the operator does not say how many entries a product reads.
    """
    return 0 < 3 * operator.entries < room * operator.shape[0]


def _last_wanted(run: LanczosRun, which: str, k: int) -> float:
    """Return where the k-th wanted value about is, by counting eigenvalues as the first cycle saw them.

    The k-th Ritz value itself is far from it: most stand for many eigenvalues.
    """
    count = np.cumsum(run.counts) - run.counts / 2
    return float(np.interp(k, count, np.abs(run.values) if which == "LM" else run.values))


def filter_below(operator: SymmetricOperator, which: str, last: float, values: Array) -> Filtered | None:
    """Return the filter that is 3 at the value `last`, more at the wanted beyond it and less at others.

    None where there is no such filter: the largest of the Ritz `values` would tower over the last. The degree is
    odd: the filter keeps the sign, so that values of opposite ends are not taken for one another.
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
