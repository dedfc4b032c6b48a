"""Inverses of sparse positive semi-definite matrices by factorisation, and an estimate of the factors' size."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order

from lpgraph.errors import ConvergenceError
from lpgraph.spectral.operators import SymmetricOperator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from scipy.sparse.linalg import SuperLU

__all__ = ["Inverse", "RootInverse", "expected_fill", "factorised"]

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
    >>> from lpgraph.spectral.inverse import RootInverse
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
