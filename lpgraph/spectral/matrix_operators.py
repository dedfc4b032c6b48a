"""Operators of a sparse or dense matrix: itself, its singular vectors, scalar products, and a low-rank update."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from scipy import sparse

from lpgraph._cached import cached_property
from lpgraph.errors import GraphError
from lpgraph.linalg.csr_check import check_structure
from lpgraph.linalg.matvec import AnyMatrix, LinearMap, Product
from lpgraph.linalg.room import beyond_cache
from lpgraph.spectral.operator_protocol import SymmetricOperator

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    _Factor: TypeAlias = "Product | AnyMatrix | PlusLowRank | LinearMap"

__all__ = ["Bipartite", "Gram", "Matrix", "PlusLowRank", "as_matrix", "rescaled", "stored"]


def as_matrix(matrix: object) -> AnyMatrix:
    """Return a finite real matrix in float64, sparse ones as csr_array, without writing to the input.

    Examples
    --------
    >>> from lpgraph.spectral.operators import as_matrix
    >>> as_matrix([[0, 1], [1, 0]])
    array([[0., 1.],
           [1., 0.]])
    """
    given: Any = matrix if sparse.issparse(matrix) else np.asarray(matrix)
    if given.ndim != 2:
        raise GraphError(f"The matrix has shape {given.shape}; pass two dimensions.")
    if sparse.issparse(matrix):
        check_structure("The matrix", matrix)
    result: AnyMatrix = sparse.csr_array(given) if sparse.issparse(matrix) else given
    values = stored(result)
    if values.dtype.kind not in "biuf":
        raise GraphError(f"The matrix has dtype {values.dtype}; pass real numbers: matrix.astype(float).")
    if not np.isfinite(values).all():
        raise GraphError("The matrix has entries that are not finite; replace or drop them.")
    return result.astype(np.float64, copy=False)


def stored(matrix: AnyMatrix) -> NDArray[np.float64]:
    """Return the stored numbers of a matrix."""
    return matrix if isinstance(matrix, np.ndarray) else matrix.data


def _count(matrix: AnyMatrix | LinearMap) -> int:
    """Return how many numbers a matrix stores."""
    return matrix.size if isinstance(matrix, np.ndarray) else matrix.nnz


def _is_array(matrix: AnyMatrix | PlusLowRank | LinearMap) -> TypeGuard[AnyMatrix]:
    return isinstance(matrix, np.ndarray) or sparse.issparse(matrix)


def _dear(matrix: AnyMatrix | PlusLowRank | LinearMap) -> bool:
    """Whether a product reads a disk, or asks other machines."""
    if isinstance(matrix, sparse.csr_array | sparse.csc_array):
        return beyond_cache(matrix.indices)
    return not isinstance(matrix, np.ndarray | PlusLowRank)


@dataclass(frozen=True, eq=False)
class Matrix(SymmetricOperator):
    """A sparse or dense matrix, assumed symmetric; not checked."""

    matrix: AnyMatrix | LinearMap

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.matrix.shape[0], self.matrix.shape[1]

    @property
    def entries(self) -> int:
        """How many stored numbers a product reads."""
        return _count(self.matrix)

    @cached_property
    def product(self) -> Product | None:
        """The compiled product, if it is faster."""
        return Product.of(self.matrix, symmetric=True) if _is_array(self.matrix) else None

    @cached_property
    def dear(self) -> bool:
        """Whether a product costs more than a basis."""
        return _dear(self.matrix)

    @property
    def takes_single(self) -> bool:
        """Whether a block in single precision is multiplied without conversion, the sums in double."""
        return self.product is not None or not _is_array(self.matrix)

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray((self.product or self.matrix) @ block)


@dataclass(frozen=True, eq=False)
class PlusLowRank(SymmetricOperator):
    """``S + L R.T`` for a sparse matrix S and factors of few columns; inside `Bipartite` also not symmetric."""

    matrix: sparse.csr_array
    left: NDArray[np.float64]
    right: NDArray[np.float64]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.matrix.shape[0], self.matrix.shape[1]

    @property
    def entries(self) -> int:
        """How many stored numbers a product reads."""
        return self.matrix.nnz + self.left.size + self.right.size

    @cached_property
    def _sparse(self) -> Product | sparse.csr_array:
        return Product.of(self.matrix) or self.matrix

    @cached_property
    def T(self) -> PlusLowRank:  # noqa: N802 - as arrays call it
        """The transpose."""
        return PlusLowRank(sparse.csr_array(self.matrix.T), self.right, self.left)

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self._sparse @ block + self.left @ (self.right.T @ block))


@dataclass(frozen=True, eq=False)
class Bipartite(SymmetricOperator):
    """``[[0, M], [M.T, 0]]`` with ``M = diag(left) A diag(right)``; eigenvalues: +- M's singular values.

    `transposed` is A.T, if it is at hand.
    """

    matrix: AnyMatrix | PlusLowRank | LinearMap
    left: NDArray[np.float64] | None = None
    right: NDArray[np.float64] | None = None
    transposed: AnyMatrix | LinearMap | None = None

    @cached_property
    def _factors(self) -> tuple[_Factor, _Factor]:
        if not _is_array(self.matrix):
            return self.matrix, self.matrix.T
        if isinstance(self.transposed, sparse.csr_array):
            return Product.of(self.matrix) or self.matrix, Product.of(self.transposed) or self.transposed
        forth = Product.of(self.matrix)
        if forth is None:
            return self.matrix, self.matrix.T
        # A.T is stored for the compiled product: gathered row by row, not scattered column by column.
        back = sparse.csr_array(self.matrix.T)
        return forth, Product.of(back) or back

    @property
    def entries(self) -> int:
        """How many stored numbers a product reads: A twice."""
        return 2 * (self.matrix.entries if isinstance(self.matrix, PlusLowRank) else _count(self.matrix))

    @cached_property
    def dear(self) -> bool:
        """Whether a product costs more than a basis."""
        return _dear(self.matrix)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns: the rows and columns of A together."""
        size = self.matrix.shape[0] + self.matrix.shape[1]
        return size, size

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        rows = self.matrix.shape[0]
        forth, back = self._factors
        upper = rescaled(self.left, forth @ rescaled(self.right, block[rows:]))
        return np.vstack([upper, rescaled(self.right, back @ rescaled(self.left, block[:rows]))])


def rescaled(scale: NDArray[np.float64] | None, block: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the product of a block and the diagonal matrix of `scale`, of the identity if that is None."""
    return block if scale is None else scale[:, None] * block


@dataclass(frozen=True, eq=False)
class Gram(SymmetricOperator):
    """``F F.T`` for a factor F of shape (n, p), sparse or dense, in O(n p) a vector without an n x n matrix."""

    factor: AnyMatrix

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.factor.shape[0], self.factor.shape[0]

    @cached_property
    def _factors(self) -> tuple[Product | AnyMatrix, Product | AnyMatrix]:
        forth = Product.of(self.factor)
        if forth is None:
            return self.factor, self.factor.T
        back = sparse.csr_array(self.factor.T)
        return forth, Product.of(back) or back

    def back(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return ``F.T @ block``."""
        return np.asarray(self._factors[1] @ block)

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self._factors[0] @ self.back(block))
