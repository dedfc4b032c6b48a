"""Inverse of a sparse positive definite matrix by factorisation, and an estimate of the factors' size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order

from lpgraph.errors import ConvergenceError
from lpgraph.spectral.operators import SymmetricOperator

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse.linalg import SuperLU

__all__ = ["Inverse", "expected_fill", "factorised"]

#: Sizes of the two pieces that are factorised for an estimate.
_PIECES = (1000, 4000)


class Inverse(SymmetricOperator):
    """``(A + shift I)^(-1)`` for a sparse symmetric positive semi-definite A and shift > 0, factorised once.

    Parameters
    ----------
    matrix : sparse array
        A.
    shift : float
        Makes the matrix definite.

    Raises
    ------
    ConvergenceError
        If the matrix cannot be factorised: it is singular to rounding, or its factors do not fit into memory.
    """

    def __init__(self, matrix: sparse.csr_array, shift: float) -> None:
        try:
            self._factors = factorised(matrix, shift)
        except (RuntimeError, MemoryError, SystemError) as error:  # SystemError: more entries than 32 bits count
            raise ConvergenceError(
                f"The matrix could not be factorised: {error or 'not enough memory'}. Pass solver='auto'."
            ) from error
        self._size = matrix.shape[0]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self._size, self._size

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self._factors.solve(np.ascontiguousarray(block)))


def factorised(matrix: sparse.csr_array, shift: float = 0.0) -> SuperLU:
    """Return the factors of ``A + shift I``, symmetric and positive definite."""
    from scipy.sparse.linalg import splu

    shifted = sparse.csc_array(matrix + shift * sparse.eye_array(matrix.shape[0]))
    # Definite and symmetric: pivots may be taken from the diagonal, which keeps the fill-in small.
    return splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})


def expected_fill(matrix: sparse.csr_array, shift: float) -> float:
    """Return how many entries a row of the triangular factor of ``A + shift I`` will have, without making it.

    It depends on the graph's dimension: the factor's rows grow with log n on a surface, with n^(1/3) in space, and
    with n if every vertex is near to every other. So a small and a larger ball around a vertex are factorised, and
    the growth from one to the other is extrapolated.

    Parameters
    ----------
    matrix : csr_array of shape (n, n)
        A, symmetric positive semi-definite.
    shift : float
        Makes the matrix definite.

    Returns
    -------
    float
        Mean number of entries in a row; exact if n is at most 4000.

    Examples
    --------
    >>> from scipy import sparse
    >>> from lpgraph.spectral.inverse import expected_fill
    >>> chain = sparse.diags_array([2.0] * 9000) - sparse.eye_array(9000, k=1) - sparse.eye_array(9000, k=-1)
    >>> bool(expected_fill(sparse.csr_array(chain), 1e-6) < 3)  # little more than the chain's own entries
    True
    """
    n = matrix.shape[0]
    ball = breadth_first_order(matrix, 0, directed=False, return_predecessors=False)[: _PIECES[1]]
    sizes, fills = [], []
    for size in _PIECES:
        piece = np.sort(ball[:size])
        sizes.append(len(piece))
        fills.append(factorised(matrix[piece][:, piece], shift).L.nnz / len(piece))
    if sizes[0] == sizes[1] or sizes[1] == n:
        return float(fills[1])
    growth = np.log(fills[1] / fills[0]) / np.log(sizes[1] / sizes[0])
    return float(fills[1] * (n / sizes[1]) ** max(growth, 0.0))
