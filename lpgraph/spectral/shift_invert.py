"""Shift-and-invert: Lanczos's method on the inverse of a sparse positive semi-definite matrix.

The smallest eigenvalues of such a matrix lie close together compared with its norm, so that Lanczos's method on
the matrix itself needs many steps. The inverse of the shifted matrix has the same eigenvectors, with the wanted
eigenvalues largest and far apart. It needs a sparse factorisation, whose memory grows quickly with the graph's
dimension and size.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order

from lpgraph._utils.compiled import blas_alone
from lpgraph.errors import ConvergenceError

from .lanczos import Lanczos
from .operators import SymmetricOperator

if TYPE_CHECKING:
    from scipy.sparse.linalg import SuperLU

    from lpgraph._utils.types import Array

    from .problem import EigenPairs, Problem

#: The first shift, relative to the mean of the diagonal. The lower end needs the smaller one: wanted eigenvalues
#: may be as small as 1e-10 of the mean. At the upper end of an operator that decreases with the matrix, residuals
#: are relative to values near 1, and 1e-10 changes nothing.
_SHIFT = {"smallest": 1e-12, "largest": 1e-10}

#: The shift after a failure: more eigenvalues that are 0 made the inverse so large that rounding hid wanted ones,
#: or the factorisation found the matrix singular.
_LARGER_SHIFT = 1e-8

#: Restarts with the first shift; a run that converges at all needs far fewer.
_FIRST_RESTARTS = 100

#: Sizes of the two pieces that are factorised for an estimate.
_PIECES = (1000, 4000)


@dataclass(frozen=True)
class ShiftInvert:
    """Lanczos's method on the factorised `Known.matrix`, with a larger shift if it fails with the first."""

    @blas_alone()
    def pairs(self, problem: Problem) -> EigenPairs:
        """Return the wanted pairs; raise ConvergenceError if the matrix cannot be factorised."""
        matrix = problem.known.formed()
        unit, found = float(matrix.diagonal().mean()), None
        first, larger = _SHIFT[problem.end] * unit, _LARGER_SHIFT * unit
        try:
            found = Lanczos(_FIRST_RESTARTS, through=Inverse(factorised(matrix, first))).pairs(problem)
            problem = replace(problem, start=found.vectors)
        except ConvergenceError:
            pass
        # Not within `except`, where the error would keep the first factors in memory.
        if found is None or not problem.solved_by(found):
            found = Lanczos(through=Inverse(factorised(matrix, larger))).pairs(problem)
        return replace(found, solver="inverse")


@dataclass(frozen=True, eq=False)
class Inverse(SymmetricOperator):
    """``(A + shift I)^(-1)`` for a sparse symmetric positive semi-definite A and shift > 0, by its factors."""

    factors: SuperLU

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.factors.shape

    def __matmul__(self, block: Array) -> Array:
        return self.factors.solve(np.ascontiguousarray(block))


def factorised(matrix: sparse.csr_array, shift: float = 0.0) -> SuperLU:
    """Return the factors of ``A + shift I``, symmetric and positive definite.

    Raise ConvergenceError if it is singular to rounding, or its factors do not fit into memory.
    """
    from scipy.sparse.linalg import splu

    shifted = sparse.csc_array(matrix + shift * sparse.eye_array(matrix.shape[0]))
    try:
        # Definite and symmetric: pivots may be taken from the diagonal, which keeps the fill-in small.
        return splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    except (RuntimeError, MemoryError, SystemError) as error:  # SystemError: more entries than 32 bits count
        raise ConvergenceError(
            f"The matrix could not be factorised: {error or 'not enough memory'}. Pass solver='auto'."
        ) from error


def expected_fill(matrix: sparse.csr_array) -> float:
    """Return how many entries a row of the triangular factor of ``A + shift I`` will have, without making it.

    It depends on the graph's dimension: the factor's rows grow with log n on a surface, with n^(1/3) in space, and
    with n if every vertex is near to every other. So a small and a larger ball around a vertex are factorised, and
    the growth from one to the other is extrapolated.

    Parameters
    ----------
    matrix : csr_array of shape (n, n)
        A, symmetric positive semi-definite.

    Returns
    -------
    float
        Mean number of entries in a row; exact if n is at most 4000.

    Examples
    --------
    >>> from scipy import sparse
    >>> from lpgraph.spectral.shift_invert import expected_fill
    >>> chain = sparse.diags_array([2.0] * 9000) - sparse.eye_array(9000, k=1) - sparse.eye_array(9000, k=-1)
    >>> bool(expected_fill(sparse.csr_array(chain)) < 3)  # little more than the chain's own entries
    True
    """
    n, shift = matrix.shape[0], _LARGER_SHIFT * float(matrix.diagonal().mean())
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
