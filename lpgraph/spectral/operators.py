"""Symmetric linear operators as the eigensolvers see them: a size, and the product with a block of vectors.

`as_operator` converts a sparse matrix, an array, or an object with only these two. Other operators are built from
a matrix or from an operator, and are never formed:

==============  =================================  =========================================
class           acts as                            used for
==============  =================================  =========================================
`Matrix`        ``diag(s) A diag(s)``, or A        adjacency matrices and normalised Laplacians
`Bipartite`     ``[[0, A], [A.T, 0]]``             singular triplets of a directed network
`PlusLowRank`   ``S + L R.T``                      networks with unobserved pairs
`Gram`          ``F F.T``                          scalar products; the matrix of LLE
`Centred`       ``H M H``, ``H = I - 1 1.T / n``   distances to scalar products; kernel PCA
`Affine`        ``a M + b I``                      opposite end of a spectrum; shifts
`Deflated`      ``P M P + l u u.T``                leaving out a known eigenvector u
`Updated`       ``M + c u u.T``                    the modularity matrix of a network
`Squared`       ``M M``                            eigenvalues of both signs as one end
`Sum`           ``M + c N``                        a network and the covariates of its vertices
==============  =================================  =========================================
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeGuard, runtime_checkable

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import is_array, type_of
from lpgraph._utils.types import Array, Floats
from lpgraph.errors import ArgumentTypeError, GraphError
from lpgraph.linalg.csr_check import check_structure
from lpgraph.linalg.matvec import AnyMatrix, LinearMap, Product
from lpgraph.linalg.room import beyond_cache
from lpgraph.linalg.sparse_structure import diagonal_of

if TYPE_CHECKING:
    _Factor: TypeAlias = "Product | AnyMatrix | PlusLowRank | LinearMap"


@runtime_checkable
class Operator(Protocol):
    """A symmetric linear map on R^n, given by its product with blocks of vectors: what callers may pass."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns, equal."""

    def __matmul__(self, block: Array) -> Array:
        """Return the product with an (n, b) block, as a new array."""


class SymmetricOperator(ABC):
    """Base of the operators; the defaults hold for an operator whose product alone is known."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns, equal."""

    @abstractmethod
    def __matmul__(self, block: Array) -> Array:
        """Return the product with an (n, b) block, as a new array."""

    @property
    def entries(self) -> int:
        """How many stored numbers a product reads; 0 if that is not known."""
        return 0

    @property
    def product(self) -> Product | None:
        """The compiled product of this operator, if there is one and it is faster."""
        return None

    @property
    def dear(self) -> bool:
        """Whether a product costs more than a basis: blocks are then wide, so that there are few products."""
        return False

    @property
    def takes_single(self) -> bool:
        """Whether a block in single precision is multiplied without conversion, the sums in double."""
        return self.product is not None


def new_product(operator: SymmetricOperator, block: Floats) -> Array:
    """Return the product as an array in double precision that may be written to."""
    product = np.asarray(operator @ block, dtype=np.float64)  # type: ignore[operator]  # float32 if it takes that
    return product.copy() if not product.flags.writeable or np.shares_memory(product, block) else product


def as_matrix(matrix: object) -> AnyMatrix:
    """Return a finite real matrix in float64, sparse ones as csr_array, without writing to the input.

    Examples
    --------
    >>> from lpgraph.spectral.operators import as_matrix
    >>> as_matrix([[0, 1], [1, 0]])
    array([[0., 1.],
           [1., 0.]])
    """
    given = matrix if _is_matrix(matrix) else np.asarray(matrix)
    if given.ndim != 2:
        raise GraphError(f"The matrix has shape {given.shape}; pass two dimensions.")
    result: AnyMatrix = given
    if not is_array(given):
        check_structure("The matrix", given)
        result = sparse.csr_array(given)
    values = _stored(result)
    if values.dtype.kind not in "biuf":
        raise GraphError(f"The matrix has dtype {values.dtype}; pass real numbers: matrix.astype(float).")
    if not np.isfinite(values).all():
        raise GraphError("The matrix has entries that are not finite; replace or drop them.")
    return result.astype(np.float64, copy=False)


def as_symmetric(matrix: object) -> AnyMatrix:
    """Return a matrix as `as_matrix` does; raise GraphError if it is not square and symmetric."""
    result = as_matrix(matrix)
    _refuse_shape(result.shape)
    difference = result - result.T if is_array(result) else sparse.csr_array(result - result.T)
    gap = np.abs(_stored(difference)).max(initial=0.0)
    if gap > 1e-10 * np.abs(_stored(result)).max(initial=0.0):
        raise GraphError(
            f"The matrix is not symmetric (entries differ by up to {gap:.3g}); "
            "pass (M + M.T) / 2, or use singular_triplets."
        )
    return result


def as_operator(operator: object) -> SymmetricOperator:
    """Return `operator` as a `SymmetricOperator`; matrices are checked by `as_symmetric`.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.operators import as_operator
    >>> operator = as_operator(np.diag([2.0, 3.0]))
    >>> operator @ np.ones((2, 1))
    array([[2.],
           [3.]])
    """
    if isinstance(operator, SymmetricOperator):
        return operator
    if _is_matrix(operator):
        return Matrix(as_symmetric(operator))
    if isinstance(operator, Operator):
        _refuse_shape(tuple(operator.shape))
        return Wrapped(operator)
    raise ArgumentTypeError(
        f"operator is {type_of(operator)}; pass a sparse matrix, an array, "
        "or an object with .shape and a product operator @ block."
    )


def _refuse_shape(shape: tuple[int, ...]) -> None:
    """Raise if a shape is not that of a square matrix."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise GraphError(f"The matrix has shape {shape}; pass a square symmetric one.")


def _stored(matrix: AnyMatrix) -> Array:
    """Return the stored numbers of a matrix."""
    return matrix if is_array(matrix) else matrix.data


def _is_matrix(matrix: object) -> TypeGuard[AnyMatrix]:
    return is_array(matrix) or sparse.issparse(matrix)


def _count(matrix: AnyMatrix | PlusLowRank | LinearMap) -> int:
    """Return how many numbers are stored."""
    return int(matrix.size if is_array(matrix) else matrix.nnz)


def _scaled(scale: Array | None, block: Array) -> Array:
    """Return the product of a block and the diagonal matrix of `scale`, of the identity if that is None."""
    return block if scale is None else scale[:, None] * block


class MatrixOperator(SymmetricOperator):
    """Base of `Matrix` and `Bipartite`: a matrix A, whose rows and columns may be scaled."""

    matrix: AnyMatrix | PlusLowRank | LinearMap

    @abstractmethod
    def with_matrix(self, matrix: AnyMatrix | LinearMap, power: int = 1) -> Matrix | Bipartite:
        """Return the operator of another matrix, with the scales to a power."""

    def held_out(self, matrix: AnyMatrix, share: float) -> Matrix | Bipartite:
        """Return the operator of the entries that are held out, a share of all, scaled as all are."""
        return self.with_matrix(matrix)

    @cached_property
    def dear(self) -> bool:
        """Whether a product reads a disk, or asks other machines."""
        if sparse.issparse(self.matrix):
            return beyond_cache(self.matrix.indices)
        return not isinstance(self.matrix, np.ndarray | PlusLowRank)


@dataclass(frozen=True, eq=False)
class Matrix(MatrixOperator):
    """``diag(scale) A diag(scale)`` for a sparse or dense matrix A, assumed symmetric; not checked."""

    matrix: AnyMatrix | LinearMap
    scale: Array | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.matrix.shape

    @property
    def entries(self) -> int:
        """How many stored numbers a product reads."""
        return _count(self.matrix)

    @cached_property
    def product(self) -> Product | None:
        """The compiled product, if it is faster."""
        found = Product.of(self.matrix, symmetric=True) if _is_matrix(self.matrix) else None
        return found if found is None or self.scale is None else replace(found, scale=self.scale)

    @property
    def takes_single(self) -> bool:
        """Whether a block in single precision is multiplied without conversion, the sums in double."""
        return self.product is not None or not _is_matrix(self.matrix)

    def with_matrix(self, matrix: AnyMatrix | LinearMap, power: int = 1) -> Matrix:
        """Return the operator of another matrix, with the scale to a power."""
        return Matrix(matrix, None if self.scale is None else self.scale**power)

    def diagonal(self) -> Array:
        """Return the diagonal of a sparse matrix, scaled."""
        found = diagonal_of(self.matrix)  # type: ignore[arg-type]  # sparse
        return found if self.scale is None else found * self.scale**2

    def __matmul__(self, block: Array) -> Array:
        if self.product is not None:
            return self.product @ block
        # In the precision of the block, as the compiled product does it.
        scaled = _scaled(self.scale, block).astype(block.dtype, copy=False)
        return _scaled(self.scale, np.asarray(self.matrix @ scaled))


@dataclass(frozen=True, eq=False)
class Bipartite(MatrixOperator):
    """``[[0, M], [M.T, 0]]`` with ``M = diag(left) A diag(right)``; eigenvalues: +- M's singular values.

    `transposed` is A.T, if it is at hand.
    """

    matrix: AnyMatrix | PlusLowRank | LinearMap
    left: Array | None = None
    right: Array | None = None
    transposed: AnyMatrix | LinearMap | None = None

    @cached_property
    def _factors(self) -> tuple[_Factor, _Factor]:
        return _with_transpose(
            self.matrix, self.transposed if isinstance(self.transposed, sparse.csr_array) else None
        )

    @property
    def entries(self) -> int:
        """How many stored numbers a product reads: A twice."""
        return 2 * _count(self.matrix)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns: the rows and columns of A together."""
        size = self.matrix.shape[0] + self.matrix.shape[1]
        return size, size

    def with_matrix(self, matrix: AnyMatrix | LinearMap, power: int = 1) -> Bipartite:
        """Return the operator of another matrix, with the scales to a power."""
        left, right = (None if side is None else side**power for side in (self.left, self.right))
        return Bipartite(matrix, left, right)

    def __matmul__(self, block: Array) -> Array:
        rows = self.matrix.shape[0]
        forth, back = self._factors
        upper = _scaled(self.left, forth @ _scaled(self.right, block[rows:]))
        return np.vstack([upper, _scaled(self.right, back @ _scaled(self.left, block[:rows]))])


def _with_transpose(
    matrix: AnyMatrix | PlusLowRank | LinearMap, transposed: sparse.csr_array | None = None
) -> tuple[_Factor, _Factor]:
    """Return what multiplies by a matrix and by its transpose."""
    forth = Product.of(matrix) if _is_matrix(matrix) else None
    if forth is None:
        return matrix, matrix.T
    # The transpose is stored for the compiled product: gathered row by row, not scattered column by column.
    back: sparse.csr_array = matrix.T.tocsr() if transposed is None else transposed  # type: ignore[union-attr]
    return forth, Product.of(back) or back


@dataclass(frozen=True, eq=False)
class PlusLowRank(SymmetricOperator):
    """``S + L R.T`` for a sparse matrix S and factors of few columns; inside `Bipartite` also not symmetric."""

    matrix: sparse.csr_array
    left: Array
    right: Array

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.matrix.shape

    @property
    def nnz(self) -> int:
        """How many numbers are stored."""
        return self.matrix.nnz + self.left.size + self.right.size

    entries = nnz

    @cached_property
    def _sparse(self) -> Product | sparse.csr_array:
        return Product.of(self.matrix) or self.matrix

    @cached_property
    def T(self) -> PlusLowRank:  # noqa: N802 - as arrays call it
        """The transpose."""
        return PlusLowRank(sparse.csr_array(self.matrix.T), self.right, self.left)

    def __matmul__(self, block: Array) -> Array:
        return self._sparse @ block + self.left @ (self.right.T @ block)


@dataclass(frozen=True, eq=False)
class Gram(SymmetricOperator):
    """``F F.T`` for a factor F of shape (n, p), sparse or dense, in O(n p) a vector without an n x n matrix."""

    factor: AnyMatrix

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.factor.shape[0], self.factor.shape[0]

    @property
    def dear(self) -> bool:
        """Whether a product costs more than a basis."""
        return not _is_matrix(self.factor)

    @cached_property
    def _factors(self) -> tuple[_Factor, _Factor]:
        return _with_transpose(self.factor)

    def __matmul__(self, block: Array) -> Array:
        forth, back = self._factors
        return forth @ (back @ block)


@dataclass(frozen=True, eq=False)
class Wrapped(SymmetricOperator):
    """An object with ``.shape`` and a product ``@``; the base of operators made from another operator."""

    operator: Operator

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.operator.shape

    @property
    def dear(self) -> bool:
        """Whether a product costs more than a basis."""
        return bool(getattr(self.operator, "dear", False))

    def __matmul__(self, block: Array) -> Array:
        return np.asarray(self.operator @ block, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Centred(Wrapped):
    """``H M H`` with :math:`H = I - 1 1^T / n`: double centring, by two subtractions of column means."""

    def __matmul__(self, block: Array) -> Array:
        product = self.operator @ (block - block.mean(axis=0))
        product -= product.mean(axis=0)
        return np.asarray(product)


@dataclass(frozen=True, eq=False)
class Affine(Wrapped):
    """``factor M + shift I``: the eigenvectors of M, their values ``factor l + shift``."""

    factor: float
    shift: float = 0.0

    def __matmul__(self, block: Array) -> Array:
        return self.factor * (self.operator @ block) + self.shift * block


@dataclass(frozen=True, eq=False)
class Deflated(Wrapped):
    r""":math:`P M P + value\, u u^T`, :math:`P = I - u u^T`: another eigenvalue for the unit eigenvector u.

    u may be a sparse array, whose columns are orthonormal eigenvectors.
    """

    vector: Array | sparse.csc_array
    value: float = 0.0

    def _spread(self, along: Array) -> Array:
        """Return the vectors with the given coefficients along u."""
        return np.multiply.outer(self.vector, along) if is_array(self.vector) else self.vector @ along

    def __matmul__(self, block: Array) -> Array:
        along = self.vector.T @ block
        product = super().__matmul__(block - self._spread(along))
        product += self._spread(self.value * along - self.vector.T @ product)
        return product


@dataclass(frozen=True, eq=False)
class Updated(Wrapped):
    r""":math:`M + factor\, u u^T`: a rank-one update, never formed."""

    operator: SymmetricOperator
    vector: Array
    factor: float

    @property
    def entries(self) -> int:
        """How many stored numbers a product reads; 0 if that is not known."""
        return self.operator.entries

    def with_matrix(self, matrix: AnyMatrix | LinearMap, power: int = 1) -> Matrix:
        """Return the operator of another matrix, without the update."""
        return Matrix(matrix)

    def held_out(self, matrix: AnyMatrix, share: float) -> Updated:
        """Return the operator of the entries that are held out, a share of all."""
        return replace(self, operator=Matrix(matrix), factor=share * self.factor)

    def __matmul__(self, block: Array) -> Array:
        return self.operator @ block + np.multiply.outer(self.vector, self.factor * (self.vector @ block))


#: Operators of a random matrix, which can be given other entries.
EntriesOperator: TypeAlias = Matrix | Bipartite | Updated


@dataclass(frozen=True, eq=False)
class Squared(Wrapped):
    """``M M``: the eigenvectors of M, their values squared."""

    def __matmul__(self, block: Array) -> Array:
        return np.asarray(self.operator @ (self.operator @ block), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Sum(Wrapped):
    """``M + factor N`` for two operators of one size."""

    other: Operator
    factor: float

    def __matmul__(self, block: Array) -> Array:
        return np.asarray(self.operator @ block + self.factor * (self.other @ block), dtype=np.float64)
