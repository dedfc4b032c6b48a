"""Edge probabilities of blocks and cells of the matrix, with range checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.compiled import slices
from lpgraph.errors import ProbabilityError
from lpgraph.models.kernels import BoundedKernel, Kernel

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
    row_ids, column_ids : ndarray of shape (n,), (m,)
        Their vertices, named in errors.
    hollow : bool
        Whether rows and columns are the same vertices, so that cell (i, i) is no pair.
    """

    kernel: Kernel
    sparsity: float
    x: Array
    y: Array
    row_ids: Index
    column_ids: Index
    hollow: bool

    def block(self, rows: slice, columns: slice) -> Array:
        """Return a block of P, refusing values outside [0, 1]; cells (i, i) of a hollow matrix are 0."""
        p = self.sparsity * self.kernel(self.x[rows], self.y[columns])
        if self.hollow:
            p[self.row_ids[rows, None] == self.column_ids[columns]] = 0.0
        bad = ~((p >= -ROUNDING) & (p <= 1 + ROUNDING))
        if bad.any():
            i, j = (int(k) for k in np.argwhere(bad)[0])
            self.refuse(i + rows.indices(len(self.x))[0], j + columns.indices(len(self.y))[0], float(p[i, j]))
        return np.clip(p, 0.0, 1.0, out=p)

    def off_diagonal(self, i: Index, j: Index) -> Integers | slice:
        """Return which of the cells (i, j) are pairs: in a hollow matrix, those with i != j."""
        # A hollow matrix has one tree for rows and columns, so equal indices are equal vertices.
        off = np.flatnonzero(i != j)
        return off if self.hollow and len(off) < len(i) else slice(None)

    def refuse(self, i: int, j: int, value: float) -> None:
        """Raise an error with cell (i, j), its two positions and its value."""
        shown = [np.array2string(z, precision=4, threshold=6, edgeitems=2) for z in (self.x[i], self.y[j])]
        remedy = "scale the positions down, or pass a smaller sparsity"
        if not value > 1:
            remedy = "pass positions and a kernel whose values are numbers >= 0 for every pair"
        pair = f"({self.row_ids[i]}, {self.column_ids[j]}), at the positions {shown[0]} and {shown[1]},"
        raise ProbabilityError(f"the edge probability of pair {pair} is {value:g}; {remedy}.")


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
        bad = ~((p >= -ROUNDING) & (p <= 1 + ROUNDING))
        if self.hollow and bad.any():
            bad &= self.row_ids[i] != self.column_ids[j]
        if bad.any():
            k = int(np.argmax(bad))
            self.refuse(int(i[k]), int(j[k]), float(p[k]))
        return np.clip(p, 0.0, 1.0, out=p)


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
    ids = np.arange(len(x)), np.arange(len(y))
    if isinstance(kernel, BoundedKernel):
        pairs = PairProbabilities(kernel, sparsity, x, y, *ids, hollow=False)
        for part in slices(len(rows), _CELLS):
            found[part] = pairs.pairs(rows[part], columns[part])
        return found
    for part in slices(len(rows), _ROWS):
        i, row = np.unique(rows[part], return_inverse=True)
        j, column = np.unique(columns[part], return_inverse=True)
        block = Probabilities(kernel, sparsity, x[i], y[j], i, j, hollow=False)
        found[part] = block.block(slice(0, len(i)), slice(0, len(j)))[row, column]
    return found
