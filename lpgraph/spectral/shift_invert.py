"""Shift-and-invert: Lanczos's method on the inverse of a sparse positive semi-definite matrix.

The smallest eigenvalues of such a matrix lie close together compared with its norm, so that Lanczos's method on
the matrix itself needs many steps. The inverse of the shifted matrix has the same eigenvectors, with the wanted
eigenvalues largest and far apart. It needs a sparse factorisation, whose memory grows quickly with the graph's
dimension and size.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order

from lpgraph._utils.compiled import blas_alone
from lpgraph.errors import ConvergenceError
from lpgraph.spectral.lanczos import Lanczos
from lpgraph.spectral.operators import SymmetricOperator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from scipy.sparse.linalg import SuperLU

    from lpgraph.spectral.eigen import EigenPairs, Problem

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

#: A pivot of a matrix that is not symmetric is at least this share of the largest entry of its column.
_PIVOT = 0.1

#: Steps that look for a row with a large entry in the left null vector.
_LOOKS = 10

#: If the entry found is smaller than the largest by more than this, the row of the largest is taken.
_SMALLER = 1e4

#: A root whose inverse enlarges a random vector by more than this has another null vector.
_SINGULAR = 1e12


@dataclass(frozen=True)
class ShiftInvert:
    """Lanczos's method on the factorised `Known.matrix`, or on `Known.root` if that serves."""

    def pairs(self, problem: Problem) -> EigenPairs:
        """Return the wanted pairs; raise ConvergenceError if the matrix cannot be factorised."""
        root = problem.known.root
        found = None if root is None else by_root(problem, root())
        return by_shifts(problem, problem.known.formed()) if found is None else found


def first_shift(problem: Problem, matrix: sparse.csr_array) -> float:
    """Return the first shift that is tried."""
    return _SHIFT[problem.end] * float(matrix.diagonal().mean())


@blas_alone()
def by_root(problem: Problem, root: sparse.csr_array) -> EigenPairs | None:
    """Return the pairs by the factors of a root; None if that fails."""
    if problem.known.null is None:
        return None
    try:
        found = Lanczos(_FIRST_RESTARTS, through=RootInverse(root, problem.known.null)).pairs(problem)
    except ConvergenceError:
        return None
    return replace(found, solver="inverse") if problem.solved_by(found) else None


@blas_alone()
def by_shifts(problem: Problem, matrix: sparse.csr_array) -> EigenPairs:
    """Return the pairs by the factorised matrix; with a larger shift if they did not converge with the first."""
    larger, failure = _LARGER_SHIFT * float(matrix.diagonal().mean()), None
    for shift, restarts in (first_shift(problem, matrix), _FIRST_RESTARTS), (larger, 1000):
        try:
            found = Lanczos(restarts, through=Inverse(matrix, shift)).pairs(problem)
        except ConvergenceError as error:
            # Its traceback would keep the first factors in memory while the second are made.
            failure = error.with_traceback(None)
            continue
        failure = None
        if problem.solved_by(found):
            break
        problem = replace(problem, start=found.vectors)
    if failure is not None:
        raise failure
    return replace(found, solver="inverse")


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
        with _failures():
            self._factors = factorised(matrix, shift)
        self._size = matrix.shape[0]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self._size, self._size

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self._factors.solve(np.ascontiguousarray(block)))


class RootInverse(SymmetricOperator):
    """The inverse of ``B.T B`` on the orthogonal complement of a null vector, by the factors of B.

    B has about half the neighbors in a row that ``B.T B`` has in each direction, so that its factors have a
    quarter of the entries. One diagonal entry of B is changed, which makes it regular and no solution differs: the
    factors then solve ``B x = z`` for every z orthogonal to the left null vector, and ``B.T z = b`` for every b
    orthogonal to the right one, up to multiples of these vectors.

    Parameters
    ----------
    root : csr_array of shape (n, n)
        B, singular, not symmetric.
    null : ndarray of shape (n,)
        A unit vector without zeros with ``B null = 0``.

    Raises
    ------
    ConvergenceError
        If B cannot be factorised, or has another null vector, to rounding.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from lpgraph.spectral.shift_invert import RootInverse
    >>> B = sparse.csr_array([[1.0, -0.5, -0.5], [-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]])  # rows sum to 0
    >>> b = np.array([[1.0], [2.0], [-3.0]])
    >>> x = RootInverse(B, np.full(3, 3**-0.5)) @ b
    >>> bool(np.allclose(B.T @ (B @ x), b)), bool(abs(x.sum()) < 1e-12)
    (True, True)
    """

    def __init__(self, root: sparse.csr_array, null: NDArray[np.float64]) -> None:
        n = root.shape[0]
        self._null, self._size = null, n
        probe = np.random.default_rng(0).standard_normal((n, 1))
        at = _on_left_null(root)
        with _failures():
            self._factors = _pinned(root, at)
            left = _transposed(self._factors, _unit(n, at))
            if abs(left[at]) < abs(left).max() / _SMALLER:  # a better row is known now
                at = int(np.argmax(np.abs(left)))
                self._factors = _pinned(root, at)
                left = _transposed(self._factors, _unit(n, at))
        self._left = left / np.linalg.norm(left)
        grown = np.linalg.norm(self @ (probe - np.outer(null, null @ probe))) / np.linalg.norm(probe)
        if not grown * float(np.square(root.data).sum()) / n < _SINGULAR**2:  # also if it is NaN
            raise ConvergenceError("The root of the matrix has several null vectors. Pass solver='auto'.")

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self._size, self._size

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        inner = _transposed(self._factors, np.ascontiguousarray(block))
        inner -= np.multiply.outer(self._left, self._left @ inner)
        outer = self._factors.solve(inner)
        outer -= np.multiply.outer(self._null, self._null @ outer)
        return np.asarray(outer)


def _on_left_null(root: sparse.csr_array) -> int:
    """Return a row that probably has a large entry in the left null vector: ``I - B`` keeps it."""
    vector = np.ones(root.shape[0])
    for _ in range(_LOOKS):
        vector -= root.T @ vector
    return int(np.argmax(np.abs(vector)))


def _unit(n: int, at: int) -> NDArray[np.float64]:
    result = np.zeros(n)
    result[at] = 1.0
    return result


def _pinned(root: sparse.csr_array, at: int) -> SuperLU:
    """Return the factors of a singular matrix, one of whose diagonal entries is increased by 1."""
    from scipy.sparse.linalg import splu

    pin = sparse.csc_array(([1.0], ([at], [at])), shape=root.shape)
    options = {"SymmetricMode": True}
    return splu(
        sparse.csc_array(root + pin), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=_PIVOT, options=options
    )


def _transposed(factors: SuperLU, right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the solution with the transposed matrix."""
    return np.asarray(factors.solve(right, "T"))  # type: ignore[call-overload]  # not in scipy-stubs


@contextmanager
def _failures() -> Iterator[None]:
    """Raise ConvergenceError if a matrix cannot be factorised."""
    try:
        yield
    except (RuntimeError, MemoryError, SystemError) as error:  # SystemError: more entries than 32 bits count
        raise ConvergenceError(
            f"The matrix could not be factorised: {error or 'not enough memory'}. Pass solver='auto'."
        ) from error


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
    >>> from lpgraph.spectral.shift_invert import expected_fill
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
        with _failures():
            fills.append(factorised(matrix[piece][:, piece], shift).L.nnz / len(piece))
    if sizes[0] == sizes[1] or sizes[1] == n:
        return float(fills[1])
    growth = np.log(fills[1] / fills[0]) / np.log(sizes[1] / sizes[0])
    return float(fills[1] * (n / sizes[1]) ** max(growth, 0.0))
