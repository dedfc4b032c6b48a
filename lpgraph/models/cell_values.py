"""Edge probabilities of given cells of the matrix, for any kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._slices import slices
from lpgraph.models.kernels import BoundedKernel
from lpgraph.models.probabilities import PairProbabilities, Probabilities

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.models.kernels import Kernel

    Array = NDArray[np.float64]
    Index = NDArray[np.integer]

__all__ = ["probabilities_at"]

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
