r"""Multigrid: an approximate inverse of a sparse positive semi-definite matrix in linear time and memory.

The smallest eigenvectors of a Laplacian are smooth. What a few steps of relaxation leave of an error is smooth
too, and can be corrected on a smaller matrix, where it is relaxed again, and so on: a *cycle* through all levels
reduces every part of an error by about the same factor, whatever the size of the matrix. Smaller matrices come
from the matrix alone (smoothed aggregation: Vanek, Mandel & Brezina 1996): vertices are put together in aggregates
around roots that are more than two steps apart (Bell, Dalton & Olson 2012), a smooth vector restricted to each
aggregate is a column of the interpolation P, one step of relaxation smooths P, and the smaller matrix is
:math:`P^T A P`.

References
----------
Vanek, P., Mandel, J. & Brezina, M. (1996), "Algebraic multigrid by smoothed aggregation for second and fourth
order elliptic problems", Computing 56.
Bell, N., Dalton, S. & Olson, L. (2012), "Exposing fine-grained parallelism in algebraic multigrid methods", SIAM
Journal on Scientific Computing 34.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg
from scipy import sparse

from lpgraph.linalg.matvec import Product

from .operators import SymmetricOperator

if TYPE_CHECKING:
    from lpgraph._utils.types import Array, Integers


#: A matrix of at most this size is not made smaller: LAPACK takes a tenth of a second for it.
_SMALL = 800

#: No smaller matrix unless it has at most this share of the rows, and all matrices together at most so many times
#: the entries of the first: otherwise a cycle costs more than it is worth.
_SHRINKS = 0.5
_COMPLEXITY = 2.5

#: Neighbors whose entry is below this share of the largest in both rows are not put together: what is weakly tied
#: differs, and on smaller matrices of several dimensions rows have hundreds of entries, nearly all of them small.
_STRONG = 0.25

#: Share of the spectrum, from its upper end, that relaxation reduces; the rest is left to smaller matrices.
_ROUGH = 6.0

#: Rows from which the entries of a smaller matrix are estimated.
_LOOK = 64

#: Compiled loops from this many entries on: fewer than elsewhere, because numba has been imported by then.
_COMPILED = 100_000


@dataclass(frozen=True, eq=False)
class _Level:
    """A matrix, its relaxation, and the way to the next smaller one.

    Attributes
    ----------
    matrix : csr_array of shape (n, n), or its compiled product
        A.
    inverse : ndarray of shape (n,)
        One divided by A's diagonal.
    steps : tuple of float
        Lengths of the steps of relaxation.
    up : csr_array of shape (n, m)
        The interpolation P from the next smaller matrix.
    down : csr_array of shape (m, n)
        P transposed.
    """

    matrix: sparse.csr_array | Product
    inverse: Array
    steps: tuple[float, float]
    up: sparse.csr_array
    down: sparse.csr_array

    def excess(self, x: Array, b: Array) -> Array:
        """Return ``A x - b``."""
        return self.matrix @ x - b

    def relax(self, x: Array, b: Array, step: float) -> None:
        """Take a step from x towards the solution of ``A x = b``, in place."""
        x -= (step * self.inverse)[:, None] * self.excess(x, b)


@dataclass(frozen=True, eq=False)
class Cycle(SymmetricOperator):
    """One cycle through the levels of a matrix A: symmetric, positive semi-definite, close to A's pseudo-inverse.

    Attributes
    ----------
    levels : tuple of _Level
        From A to the last but the smallest matrix; none if A is small itself.
    values, vectors : ndarray of shape (m,), (m, m)
        Eigenpairs of the smallest matrix.
    """

    levels: tuple[_Level, ...]
    values: Array
    vectors: Array

    @classmethod
    def of(cls, matrix: sparse.csr_array, smooth: Array, rng: np.random.Generator) -> Cycle | None:
        """Return the levels of a matrix, or None if it is not suitable.

        That is if smaller matrices would have too many rows or entries, or a vertex has no edge.

        Parameters
        ----------
        matrix : csr_array of shape (n, n)
            Symmetric, positive semi-definite.
        smooth : ndarray of shape (n,)
            A vector without zeros whose image is small, such as the eigenvector of the eigenvalue 0.
        rng : Generator
            For the order in which roots are chosen.

        Examples
        --------
        >>> import numpy as np
        >>> from scipy import sparse
        >>> from lpgraph.spectral.cycle import Cycle
        >>> n = 3000
        >>> chain = sparse.diags_array([2.0] * n) - sparse.eye_array(n, k=1) - sparse.eye_array(n, k=-1)
        >>> cycle = Cycle.of(sparse.csr_array(chain), np.ones(n), np.random.default_rng(0))
        >>> len(cycle.values) < n / 3  # vertices in threes and more
        True
        >>> x, b = np.zeros((n, 1)), np.ones((n, 1))
        >>> for _ in range(50):
        ...     x += cycle @ (b - chain @ x)
        >>> bool(abs(chain @ x - b).max() < 1e-6)
        True
        """
        levels: list[_Level] = []
        room = _COMPLEXITY * matrix.nnz
        while matrix.shape[0] > _SMALL:
            diagonal = matrix.diagonal()
            if diagonal.min() <= 0:
                return None
            inverse = 1 / diagonal
            bound = _largest(matrix, inverse, smooth)
            centre, half = (bound + bound / _ROUGH) / 2, (bound - bound / _ROUGH) / 2
            # The roots of Chebyshev's polynomial of the upper part of the spectrum.
            root = half * 0.5**0.5
            up, smooth = _interpolation(matrix, inverse, bound, smooth, rng)
            room -= matrix.nnz
            if up.shape[1] > _SHRINKS * up.shape[0] or room < _expected_entries(matrix, up):
                return None
            product, down = Product.of(matrix, least=_COMPILED) or matrix, sparse.csr_array(up.T)
            levels.append(_Level(product, inverse, (1 / (centre - root), 1 / (centre + root)), up, down))
            matrix = sparse.csr_array(down @ (matrix @ up))
            matrix.sort_indices()
        values, vectors = scipy.linalg.eigh(matrix.toarray(), driver="evd")
        return cls(tuple(levels), values, vectors)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns of A."""
        n = self.levels[0].up.shape[0] if self.levels else len(self.values)
        return n, n

    def smoothest(self, k: int) -> Array:
        """Return the k smallest eigenvectors of the smallest matrix, interpolated to A's size."""
        vectors = self.vectors[:, :k]
        for level in reversed(self.levels):
            vectors = level.up @ vectors
        return vectors

    def __matmul__(self, block: Array) -> Array:
        return self._cycle(block, 0)

    def _cycle(self, b: Array, i: int) -> Array:
        if i == len(self.levels):
            # What belongs to an eigenvalue of 0 is left out.
            large = self.values > 1e-13 * self.values[-1]
            inverse = np.divide(1.0, self.values, out=np.zeros_like(self.values), where=large)
            return self.vectors @ (inverse[:, None] * (self.vectors.T @ b))
        level = self.levels[i]
        first, second = level.steps
        x = (first * level.inverse)[:, None] * b
        level.relax(x, b, second)
        x -= level.up @ self._cycle(level.down @ level.excess(x, b), i + 1)
        # The other order, so that the cycle is symmetric.
        level.relax(x, b, second)
        level.relax(x, b, first)
        return x


def _expected_entries(matrix: sparse.csr_array, up: sparse.csr_array) -> float:
    """Return the number of entries of ``P.T A P``, estimated from some of its rows."""
    some = np.unique(np.linspace(0, up.shape[1] - 1, _LOOK).astype(np.intp))
    rows = sparse.csr_array(up[:, some].T)
    return float((rows @ matrix @ up).nnz / len(some) * up.shape[1])


def _largest(matrix: sparse.csr_array, inverse: Array, smooth: Array) -> float:
    """Return an upper bound of the eigenvalues of ``A / diagonal``: a largest quotient of Collatz and Wielandt.

    The power method's estimate from below misses eigenvectors on a few vertices, such as a pair of close points,
    for which relaxation would then diverge.
    """
    size = sparse.csr_array((np.abs(matrix.data), matrix.indices, matrix.indptr), shape=matrix.shape)
    product, vector = Product.of(size, least=_COMPILED) or size, np.abs(smooth)[:, None]
    for _ in range(3):
        before, vector = vector, inverse[:, None] * (product @ vector)
    return float((vector / before).max())


def _interpolation(
    matrix: sparse.csr_array, inverse: Array, bound: float, smooth: Array, rng: np.random.Generator
) -> tuple[sparse.csr_array, Array]:
    """Return P and the smooth vector of the next smaller matrix."""
    n = matrix.shape[0]
    place = aggregates(_strong(matrix), rng)
    count = int(place.max()) + 1
    lengths = np.sqrt(np.bincount(place, np.square(smooth), count))
    starts = np.arange(n + 1, dtype=matrix.indices.dtype)
    rigid = sparse.csr_array((smooth / lengths[place], place.astype(starts.dtype), starts), shape=(n, count))
    change = sparse.csr_array(matrix @ rigid)
    change.data *= np.repeat(4 / (3 * bound) * inverse, np.diff(change.indptr))
    return sparse.csr_array(rigid - change), lengths


def _strong(matrix: sparse.csr_array) -> sparse.csr_array:
    """Return the matrix with the diagonal and the strong entries only."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    own = rows == matrix.indices
    size = np.where(own, 0.0, np.abs(matrix.data))
    largest = np.maximum.reduceat(size, matrix.indptr[:-1])
    strong = own | (size >= _STRONG * np.minimum(largest[rows], largest[matrix.indices]))
    starts = np.concatenate([[0], np.cumsum(strong)])[matrix.indptr]
    return sparse.csr_array((matrix.data[strong], matrix.indices[strong], starts), shape=matrix.shape)


def aggregates(graph: sparse.csr_array, rng: np.random.Generator) -> Integers:
    """Return the aggregate of every vertex: that of a root at most two steps away.

    Roots are a maximal set of vertices more than two steps apart, found by random priorities as in Luby's method.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        A symmetric structure with all of the diagonal.
    rng : Generator
        For the priorities.

    Returns
    -------
    ndarray of shape (n,)
        Numbers from 0 on, without gaps.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from lpgraph.spectral.cycle import aggregates
    >>> pairs = sparse.csr_array(np.kron(np.eye(3), np.ones((2, 2))))  # three separate pairs of vertices
    >>> place = aggregates(pairs, np.random.default_rng(0))
    >>> bool((place[::2] == place[1::2]).all()), len(set(place.tolist()))
    (True, 3)
    """
    n = graph.shape[0]
    # A priority while undecided, n more for a root, 0 for what is near one.
    state = rng.permutation(n) + 1
    while (undecided := (state > 0) & (state <= n)).any():
        far = _highest(graph, _highest(graph, state))
        state[undecided & (far == state)] += n
        state[undecided & (far > n)] = 0
    roots = np.flatnonzero(state > n)
    label = np.zeros(n, dtype=np.intp)
    label[roots] = np.arange(1, len(roots) + 1)
    near = _highest(graph, label)  # no vertex is a neighbor of two roots
    return np.where(near > 0, near, _highest(graph, near)) - 1


def _highest(graph: sparse.csr_array, numbers: Integers) -> Integers:
    """Return the largest number of each vertex and its neighbors."""
    return np.maximum.reduceat(numbers[graph.indices], graph.indptr[:-1])
