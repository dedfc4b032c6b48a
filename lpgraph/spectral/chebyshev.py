"""Chebyshev filter: a polynomial of an operator that enlarges the wanted eigenvalues.

A Krylov method computes a product for each vector, and a pass over all earlier vectors to orthogonalise it. If
many pairs of a sparse matrix are wanted, the pass costs many times the product. A vector multiplied by a
polynomial of degree q costs q products and one pass, and extends the subspace nearly as much as q vectors.
Chebyshev's polynomial is at most 1 on an interval that contains the eigenvalues not wanted. Outside of it, it
grows as fast as a polynomial can and keeps the order of the wanted ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import tolerances
from .operators import SymmetricOperator, Wrapped

if TYPE_CHECKING:
    from lpgraph._utils.types import Array

    from .problem import End


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
        before, now = block, self._moved(block, 1 / self.half)
        for _ in range(self.degree - 1):
            # T_{j+1}(x) = 2 x T_j(x) - T_{j-1}(x)
            after = self._moved(now, 2 / self.half)
            after -= before
            before, now = now, after
        return now

    def _moved(self, block: Array, factor: float) -> Array:
        """Return the product with ``factor (M - c I)``, in the precision of the block."""
        return np.asarray(factor * (self.operator @ block - self.centre * block), dtype=block.dtype)


def filter_below(operator: SymmetricOperator, end: End, last: float, values: Array) -> Filtered | None:
    """Return the filter that is 3 at the value `last`, more at the wanted values outside of it and less at others.

    None if there is no such filter: it would be too large at the largest of the Ritz `values`. The degree is odd,
    so that the filter keeps the sign and values of opposite ends stay apart.
    """
    for degree in range(_HIGHEST, 1, -2):
        lift = float(np.cosh(np.arccosh(tolerances.LIFT) / degree))
        if end == "magnitude":
            centre, half = 0.0, last / lift
        else:
            far = float(values[-1])
            far -= tolerances.BEYOND * (last - far)
            half = (last - far) / (1 + lift)  # negative at the lower end, which is mapped to the upper one
            centre = far + half
        if half == 0 or (half < 0) != (end == "smallest"):
            return None
        lifted = Filtered(operator, degree, centre, half)
        if abs(lifted.at(float(values[0]))) <= tolerances.TALLEST:
            return lifted
    return None
