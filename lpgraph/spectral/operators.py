"""Symmetric operators as values: all the core asks of one is its size and its product with a block.

A sparse matrix or an array is an operator already (`as_operator` wraps it). The others here are products of
one with something cheap, and are never formed:

==============  =================================  =========================================
value           acts as                            used for
==============  =================================  =========================================
`Matrix`        ``A``                              the adjacency matrix of a network
`Rescaled`      ``diag(s) A diag(s)``              the normalised Laplacian
`Bipartite`     ``[[0, A], [A.T, 0]]``             singular triplets of a directed network
`Gram`          ``F F.T``                          scalar products; the cost of an LLE embedding
`Centred`       ``H M H``, ``H = I - 1 1.T / n``   distances to scalar products; kernel PCA
`Affine`        ``a M + b I``                      the other end of a spectrum; shifts
`Deflated`      ``P M P + l u u.T``                leaving out an eigenvector u known beforehand
`Inverse`       ``(A + s I)^(-1)``                 the bottom of a sparse A's spectrum, well separated
==============  =================================  =========================================
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from scipy import sparse

from lpgraph.errors import ArgumentTypeError, GraphError
from lpgraph.linalg.matvec import Product, faster

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Affine",
    "Bipartite",
    "Centred",
    "Deflated",
    "Gram",
    "Matrix",
    "Operator",
    "Rescaled",
    "as_matrix",
    "as_operator",
]


@runtime_checkable
class Operator(Protocol):
    """A symmetric linear map on R^n, given by its product with blocks of vectors."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns, equal."""

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the product with an (n, b) block, as a new array."""


def as_matrix(matrix: Any) -> sparse.csr_array[Any, tuple[int, int]] | NDArray[np.float64]:
    """Return a finite real matrix in float64, sparse ones as csr_array, without writing to the input."""
    result: Any = matrix if sparse.issparse(matrix) else np.asarray(matrix)
    if result.ndim != 2:
        raise GraphError(f"The matrix has shape {result.shape}; pass two dimensions.")
    if sparse.issparse(matrix):
        result = sparse.csr_array(result)
    values = result.data if sparse.issparse(matrix) else result
    if values.dtype.kind not in "biuf":
        raise GraphError(f"The matrix has dtype {values.dtype}; pass real numbers: matrix.astype(float).")
    if not np.isfinite(values).all():
        raise GraphError("The matrix has entries that are not finite; replace or drop them.")
    return result.astype(np.float64, copy=False)  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False)
class Matrix:
    """A symmetric sparse or dense matrix, taken at its word: symmetry is the caller's to check."""

    matrix: sparse.csr_array[Any, tuple[int, int]] | NDArray[np.float64]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.matrix.shape[0], self.matrix.shape[1]

    @cached_property
    def _factor(self) -> Any:
        return faster(self.matrix)

    @property
    def entries(self) -> int:
        """How many stored numbers a product reads."""
        return self.matrix.nnz if sparse.issparse(self.matrix) else self.matrix.size

    @property
    def product(self) -> Product | None:
        """The compiled product, if that is the faster."""
        return self._factor if isinstance(self._factor, Product) else None

    @property
    def takes_single(self) -> bool:
        """Whether a vector in single precision is multiplied as it is, the sums in double."""
        return self.product is not None

    exact_in_single = takes_single

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self._factor @ block)

    def recur(self, now: Any, before: Any, factor: float, shift: float) -> Any:
        """Return ``factor (M - shift I) now - before`` for pairs of columns, by the compiled product."""
        return self._factor.recur(now, before, factor, shift)


@dataclass(frozen=True, eq=False)
class Rescaled:
    """``diag(scale) A diag(scale)`` for a symmetric operator A and a vector `scale` of length n."""

    operator: Operator
    scale: NDArray[np.float64]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.operator.shape

    @property
    def entries(self) -> int:
        """How many stored numbers a product reads; 0 if the operator within does not say."""
        return getattr(self.operator, "entries", 0)

    @property
    def product(self) -> Product | None:
        """The compiled product of the matrix within, if that is the faster."""
        return self.operator.product if isinstance(self.operator, Matrix) else None

    @property
    def takes_single(self) -> bool:
        """Whether a vector in single precision is scaled and multiplied in it, the sums in double."""
        return self.product is not None

    def recur(self, now: Any, before: Any, factor: float, shift: float) -> Any:
        """Return ``factor (M - shift I) now - before`` for pairs of columns, by the compiled product."""
        product: Any = self.product
        return product.recur(now, before, factor, shift, self.scale)

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.product is not None:
            return self.product.times(block, self.scale)
        product = self.operator @ (self.scale[:, None] * block)
        product *= self.scale[:, None]
        return product


@dataclass(frozen=True, eq=False)
class Bipartite:
    """``[[0, M], [M.T, 0]]`` with ``M = diag(left) A diag(right)``; eigenvalues: +- M's singular values."""

    matrix: sparse.csr_array[Any, tuple[int, int]] | NDArray[np.float64]
    left: NDArray[np.float64] | None = None
    right: NDArray[np.float64] | None = None

    @cached_property
    def _factors(self) -> tuple[Any, Any]:
        forth = faster(self.matrix)
        # A.T is a matrix of its own for the compiled product: gathered row by row, not scattered column by column.
        return forth, self.matrix.T if forth is self.matrix else faster(sparse.csr_array(self.matrix.T))

    @property
    def entries(self) -> int:
        """How many stored numbers a product reads: A twice."""
        return 2 * (self.matrix.nnz if sparse.issparse(self.matrix) else self.matrix.size)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns: the rows and columns of A together."""
        size = self.matrix.shape[0] + self.matrix.shape[1]
        return size, size

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        rows = self.matrix.shape[0]
        upper, lower = block[:rows], block[rows:]
        if self.left is not None:
            upper = self.left[:, None] * upper
        if self.right is not None:
            lower = self.right[:, None] * lower
        product = np.empty((self.shape[0], block.shape[1]))
        forth, back = self._factors
        product[:rows] = forth @ lower
        product[rows:] = back @ upper
        if self.left is not None:
            product[:rows] *= self.left[:, None]
        if self.right is not None:
            product[rows:] *= self.right[:, None]
        return product


@dataclass(frozen=True, eq=False)
class Gram:
    """``F F.T`` for a factor F of shape (n, p), sparse or dense: O(n p) a vector, and no n x n matrix."""

    factor: sparse.csr_array[Any, tuple[int, int]] | NDArray[np.float64]

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.factor.shape[0], self.factor.shape[0]

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.factor @ (self.factor.T @ block))


@dataclass(frozen=True, eq=False)
class Centred:
    """``H M H`` with ``H = I - 1 1.T / n``: double centring, by two subtractions of column means."""

    operator: Operator

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.operator.shape

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        product = self.operator @ (block - block.mean(axis=0))
        product -= product.mean(axis=0)
        return np.asarray(product)


@dataclass(frozen=True, eq=False)
class Affine:
    """``factor M + shift I``: the eigenvectors of M, their values ``factor l + shift``."""

    operator: Operator
    factor: float
    shift: float = 0.0

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.operator.shape

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        product = self.operator @ block
        product *= self.factor
        if self.shift:
            product += self.shift * block
        return product


@dataclass(frozen=True, eq=False)
class Deflated:
    """``P M P + value u u.T`` with ``P = I - u u.T``: M, a unit eigenvector u of it given another eigenvalue."""

    operator: Operator
    vector: NDArray[np.float64]
    value: float = 0.0

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.operator.shape

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        along = self.vector @ block
        product = self.operator @ (block - np.multiply.outer(self.vector, along))
        product += np.multiply.outer(self.vector, self.value * along - self.vector @ product)
        return product


def as_operator(operator: Any) -> Operator:
    """Return `operator` as an `Operator`; matrices are checked to be real, finite, square and symmetric."""
    if isinstance(operator, Matrix | Rescaled | Bipartite | Gram | Centred | Affine | Deflated):
        return operator
    if sparse.issparse(operator) or isinstance(operator, np.ndarray):
        matrix: Any = as_matrix(operator)
        if matrix.shape[0] != matrix.shape[1]:
            raise GraphError(f"The operator has shape {matrix.shape}; pass a square symmetric one.")
        gap = abs(matrix - matrix.T).max() if matrix.shape[0] else 0.0
        if gap > 1e-10 * abs(matrix).max():
            raise GraphError(
                f"The operator is not symmetric (entries differ by up to {gap:.3g}); "
                "pass (M + M.T) / 2, or use singular_triplets."
            )
        return Matrix(matrix)
    if hasattr(operator, "shape") and hasattr(operator, "__matmul__"):
        shape = tuple(operator.shape)
        if len(shape) != 2 or shape[0] != shape[1]:
            raise GraphError(f"The operator has shape {shape}; pass a square symmetric one.")
        return operator  # type: ignore[no-any-return]
    raise ArgumentTypeError(
        f"operator is a {type(operator).__name__}; pass a sparse matrix, an array, "
        "or an object with .shape and a product operator @ block."
    )
