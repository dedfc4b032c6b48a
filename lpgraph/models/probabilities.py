"""Edge probabilities of blocks and cells of the matrix, with range checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.compiled import slices
from lpgraph.errors import ProbabilityError

from .kernels import BoundedKernel, Kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lpgraph._utils.types import Array, Integers

    Index = NDArray[np.integer]

ROUNDING = 1e-12  # tolerance for probabilities outside [0, 1], which are then clipped


@dataclass(frozen=True)
class Probabilities:
    """The matrix P = sparsity * kernel(x, y), evaluated block by block.

    Parameters
    ----------
    kernel : Kernel
    sparsity : float
    x, y : ndarray of shape (n, p), (m, p)
        Positions of the rows and the columns.
    hollow : bool
        Whether rows and columns are the same vertices, so that cell (i, i) is no pair.
    vertices : tuple of ndarray of shape (n,) and ndarray of shape (m,), optional
        The vertices of rows and columns, named in errors. Default: 0 ... n - 1 and 0 ... m - 1.
    """

    kernel: Kernel
    sparsity: float
    x: Array
    y: Array
    hollow: bool = False
    vertices: tuple[Index, Index] | None = None

    def block(self, rows: slice, columns: slice) -> Array:
        """Return a block of P, refusing values outside [0, 1]; cells (i, i) of a hollow matrix are 0."""
        p = self.sparsity * self.kernel(self.x[rows], self.y[columns])
        return self._checked(p, np.arange(len(self.x))[rows, None], np.arange(len(self.y))[columns])

    def off_diagonal(self, i: Index, j: Index) -> Integers | slice:
        """Return which of the cells (i, j) are pairs: in a hollow matrix, those with i != j."""
        off = np.flatnonzero(i != j)
        return off if self.hollow and len(off) < len(i) else slice(None)

    def _checked(self, p: Array, i: Index, j: Index) -> Array:
        """Return the values of cells (i, j), clipped; raise if one is outside [0, 1] by more than rounding."""
        if self.hollow:
            p[i == j] = 0.0
        bad = ~((p >= -ROUNDING) & (p <= 1 + ROUNDING))
        if bad.any():
            value = p[bad][0]
            row, column = (np.broadcast_to(side, p.shape)[bad][0] for side in (i, j))
            shown = [
                np.array2string(z, precision=4, threshold=6, edgeitems=2) for z in (self.x[row], self.y[column])
            ]
            large = "scale the positions down, or pass a smaller sparsity"
            small = "pass positions and a kernel whose values are numbers >= 0 for every pair"
            rows, columns = self.vertices or (np.arange(len(self.x)), np.arange(len(self.y)))
            pair = f"({rows[row]}, {columns[column]}), at the positions {' and '.join(shown)},"
            remedy = large if value > 1 else small
            raise ProbabilityError(f"the edge probability of pair {pair} is {value:g}; {remedy}.")
        return np.clip(p, 0.0, 1.0, out=p)


@dataclass(frozen=True)
class PairProbabilities(Probabilities):
    """`Probabilities` of a `BoundedKernel`, which can also be evaluated for single pairs."""

    kernel: BoundedKernel

    def pairs(self, i: Index, j: Index) -> Array:
        """Return the probabilities of cells (i, j), refusing values outside [0, 1]."""
        p = self.sparsity * self.kernel.pairs(self.x.take(i, axis=0), self.y.take(j, axis=0))
        # NaN fails these comparisons, so minimum and maximum are enough.
        if len(p) and p.min() >= 0.0 and p.max() <= 1.0:
            return p
        return self._checked(p, i, j)


def row_blocks(n_rows: int, n_columns: int, cells: int) -> Iterator[slice]:
    """Split rows into blocks of at most `cells` cells, but at least one row."""
    return slices(n_rows, cells // max(1, n_columns))


#: Cells of a kernel evaluated at a time, and rows of a function, which is evaluated for all their columns.
_CELLS, _ROWS = 2**18, 2**10


def probabilities_at(kernel: Kernel, sparsity: float, x: Array, y: Array, rows: Index, columns: Index) -> Array:
    """Return the probabilities ``sparsity * kernel(x[rows[k]], y[columns[k]])`` of m cells.

    Parameters
    ----------
    kernel : Kernel
    sparsity : float
    x, y : ndarray of shape (n, p), (m, p)
        Positions as ``kernel.prepare`` returns them.
    rows, columns : ndarray of shape (k,)
        The cells. A function is evaluated fastest if `rows` is sorted.

    Returns
    -------
    ndarray of shape (k,)

    Raises
    ------
    ProbabilityError
        If a value is outside [0, 1].
    """
    found = np.empty(len(rows))
    if isinstance(kernel, BoundedKernel):
        pairs = PairProbabilities(kernel, sparsity, x, y)
        for part in slices(len(rows), _CELLS):
            found[part] = pairs.pairs(rows[part], columns[part])
        return found
    for part in slices(len(rows), _ROWS):
        i, row = np.unique(rows[part], return_inverse=True)
        j, column = np.unique(columns[part], return_inverse=True)
        block = Probabilities(kernel, sparsity, x[i], y[j], vertices=(i, j))
        found[part] = block.block(slice(None), slice(None))[row, column]
    return found
