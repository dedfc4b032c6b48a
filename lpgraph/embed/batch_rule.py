"""Joint least-squares placement of new vertices, from their edges to known vertices and to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import optimize

from lpgraph.errors import ConvergenceError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.spectral.construction import Array

_MAX_STEPS = 1000


def batch_positions(rows: Any, among: Any, known: Array, signature: NDArray[np.int64], start: Array) -> Array:
    """Minimise ``2 |C - Y I Z.T|^2 + |B - Y I Y.T|^2`` over Y (m, d) from `start`.

    C (m, n) holds the edges to the known vertices with positions Z, B (m, m) the edges among the new vertices, and
    I is the signature. Only products with the sparse C and B and with d x d matrices are needed:
    O(edges d + m d^2) for each step.
    """
    m, d = start.shape
    gram = known.T @ known
    pull = rows @ (known * signature)
    # The coordinates are scaled to unit mean square, so that one step length suits all directions.
    unit = np.sqrt(np.diag(gram) / len(known))
    unit = np.where(unit > 0, unit, 1.0)

    def loss(flat: Array) -> tuple[float, Array]:
        y = flat.reshape(m, d) * unit
        signed = y * signature
        own = y.T @ y
        back = among @ signed
        # |C - Y I Z.T|^2 = |C|^2 - 2 <C Z I, Y> + <Y I G I, Y>; likewise for B. Constants are dropped.
        pulled = signed @ (gram * signature)
        drawn = signed @ (own * signature)
        value = 2 * (-2 * (pull * y).sum() + (pulled * y).sum()) - 2 * (back * y).sum() + (drawn * y).sum()
        gradient = 4 * (pulled - pull) + 4 * (drawn - back)
        return float(value), np.asarray((gradient * unit).ravel())

    with np.errstate(over="ignore", invalid="ignore"):
        result = optimize.minimize(
            loss,
            (start / unit).ravel(),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": _MAX_STEPS, "ftol": 1e-14, "gtol": 1e-8 * max(1.0, float(np.abs(pull).max()))},
        )
        positions = np.asarray(result.x).reshape(m, d) * unit
    if result.nit >= _MAX_STEPS or not np.isfinite(positions).all():
        raise ConvergenceError(
            f'rule="batch" did not converge in {_MAX_STEPS} steps; pass rule="least_squares". '
            "The last positions are in error.result.",
            positions,
        )
    return positions
