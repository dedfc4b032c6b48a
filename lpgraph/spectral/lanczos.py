"""Lanczos's method as a solver: thick-restart block Lanczos, with a Chebyshev filter where that pays.

The iteration itself is `lpgraph.spectral.krylov`. Here its estimates are measured: the result has residuals of the
operator, in double precision.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.compiled import blas_alone
from lpgraph.linalg.basis import single_pays

from . import tolerances
from .chebyshev import Filtered, filter_below
from .krylov import LanczosRun, block_lanczos, capacity
from .operators import Deflated, SymmetricOperator
from .problem import EigenPairs, End, orthonormal
from .ritz import WIDTH, Ritz, Task

if TYPE_CHECKING:
    from lpgraph._utils.types import Array

    from .problem import Problem


#: Vectors of a block if a product costs more than a basis. For a block model of 10^7 edges, blocks of 2, 4 and 8
#: take 33, 25 and 21 products, and with weak blocks 150, 66 and 50; a basis of 8 is twice as long as of 4.
WIDE = 4


@dataclass(frozen=True, eq=False)
class Lanczos:
    """Thick-restart block Lanczos with full reorthogonalisation.

    Attributes
    ----------
    max_restarts : int
        Restarts before it gives up.
    width : int, optional
        Vectors of a block. None: 2, or more if a product costs more than a basis (``operator.dear``).
    through : SymmetricOperator, optional
        Another operator with the same eigenvectors, the wanted ones at its upper end and well separated there,
        such as an inverse; not for the end "magnitude". The iteration works on it, but residuals are those of the
        problem's operator.

    Notes
    -----
    A Krylov space of b random directions holds at most b vectors of each eigenspace. Two are used, so that an
    eigenvalue found once is simple. If two of the first k + 1 agree, or with a start, new random directions are
    added to the space, and the result is accepted only if they do not change it. If many pairs of a sparse matrix
    are wanted, the search continues with a Chebyshev polynomial of it; see `lpgraph.spectral.chebyshev`.
    """

    max_restarts: int = 1000
    width: int | None = None
    through: SymmetricOperator | None = None

    # A last bit that depends on the number of threads would be enlarged by a basis in single precision.
    @blas_alone()
    def pairs(self, problem: Problem) -> EigenPairs:
        """Return the wanted pairs, or what was found of them after all restarts."""
        tol, start, through, rng = problem.tol, problem.start, self.through, problem.generator()
        operator, null, origin = problem.operator, problem.known.null, problem.known.origin
        search, end = (operator, problem.end) if through is None else (through, "largest")
        if null is not None:
            search = Deflated(search, null, _far(operator, null, problem.end, rng) if through is None else 0.0)
        inner = (tolerances.INNER if tol >= tolerances.FINE else tolerances.INNER_FINE) * tol
        single = tol >= tolerances.SINGLE and origin is None and single_pays(problem.size)
        width = self.width or (WIDE if operator.dear else WIDTH)
        loose = tol > tolerances.LOOSE and through is None
        restarts = products = 0
        while True:
            left, dtype = self.max_restarts - restarts, np.float32 if single else np.float64
            task = Task(search, problem.k, end, inner, left, rng, dtype, width=width)
            if through is None:
                task = replace(task, origin=origin)
            if loose and start is None:
                task = replace(task, tol=tolerances.OUTSTANDING_TOL, loose=inner)
            run = _run(task, start)
            restarts += run.restarts
            # One more product: errors of the inverse's small eigenvalues are large residuals of the operator.
            found = run.vectors if through is None else search @ run.vectors.astype(np.float64, copy=False)
            if null is not None:
                found = orthonormal(found.astype(np.float64, copy=False), null[:, None])
            norm = run.norm if through is None else _norm(operator, rng)
            pairs = problem.measured(found, "lanczos", norm, iterations=restarts, products=products + run.products)
            products = pairs.products
            if problem.solved_by(pairs) or restarts >= self.max_restarts or inner < tolerances.STRICTEST:
                return pairs
            # The measured residual exceeds the estimate: continue in double precision, or more strictly.
            inner, start, single = inner if single else tolerances.STRICTER * inner, pairs.vectors, False


def _norm(operator: SymmetricOperator, rng: np.random.Generator) -> float:
    """Return the operator's norm within some percent, from below, by twenty steps of the power method."""
    vector = rng.standard_normal((operator.shape[0], 1))
    for _ in range(20):
        vector = operator @ (vector / max(float(np.linalg.norm(vector)), np.finfo(float).tiny))
    return float(np.linalg.norm(vector))


def _far(operator: SymmetricOperator, without: Array, end: End, rng: np.random.Generator) -> float:
    """Return an eigenvalue at the unwanted end, to be given to the vector that is left out."""
    # At the upper end its own eigenvalue is negated; at the lower one that is often 0, and the norm is used.
    if end == "smallest":
        return _norm(operator, rng)
    return -abs(float(without @ (operator @ without[:, None])[:, 0]))


def _run(task: Task, start: Array | None = None) -> LanczosRun:
    """Do as `block_lanczos` does, with a filter if that is slow and a pass over the basis is expensive.

    Slow means that by the end of the first cycle fewer than half of the pairs have converged, or the last wanted
    Ritz value represents many eigenvalues. The vectors that have converged by then are kept. If the
    filter is much larger at the best of the others than at the last wanted one, its basis is kept in double
    precision.
    """
    n, room = task.operator.shape[0], capacity(task.operator.shape[0], task.k)
    # A filter pays if a pass over the basis costs more for each vector than a product. Measured on two cores:
    # reading a number of the basis costs a third of gathering an entry; 0 entries means that they are not counted.
    # Not with a start or few restarts: the filter needs a cycle before it, and may waste one.
    # Nor where the basis is most of the space: what a Ritz value represents is then estimated badly.
    pays = (0 < 3 * task.operator.entries < room * n) and n > 2 * room
    pays = pays and start is None and task.max_restarts > 2 and not task.loose

    def slow(ritz: Ritz) -> bool:
        return pays and not ritz.converged and (ritz.lost or ritz.found < task.k // 2)

    run = block_lanczos(task, start, give_up=slow)
    if not run.given_up:
        return run
    # The k-th Ritz value itself is far from the k-th eigenvalue: most Ritz values stand for many eigenvalues.
    last = -run.last if task.end == "smallest" else run.last
    lifted = filter_below(task.operator, task.end, last, run.values)
    if lifted is not None:
        run = _beside_what_is_found(lifted, run, task)
        if not run.given_up:
            return run
    more = block_lanczos(replace(task, max_restarts=max(1, task.max_restarts - run.restarts)))
    return replace(more, restarts=run.restarts + more.restarts, products=run.products + more.products)


def _beside_what_is_found(lifted: Filtered, run: LanczosRun, task: Task) -> LanczosRun:
    """Continue a run that was given up with a filter; give up if it does not enlarge all wanted values."""
    k, tol = task.k, task.tol
    end: End = "magnitude" if task.end == "magnitude" else "largest"

    def in_vain(ritz: Ritz) -> bool:
        # Values above `LIFTED` are outside the interval, where the filter keeps the order.
        return bool(ritz.sizes[k - 1] < tolerances.LIFTED)

    kept = run.vectors.shape[1]
    lifts = np.array([lifted.at(value) for value in run.values[:k]])
    # Residuals are relative to a value or to a share of the norm, here far above the last wanted value.
    fine = tolerances.KEPT_SHARE * tol * min(1.0, tolerances.LIFT / (tolerances.NORM_SHARE * abs(lifts[0])))
    rounding = tolerances.SINGLE_ROUNDING * np.abs(lifts[kept:]).max()
    inside = replace(
        task,
        operator=lifted,
        end=end,
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
