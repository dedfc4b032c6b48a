"""Symmetric linear operators, given by their size and their product with a block of vectors.

`as_operator` converts a sparse matrix, an array, or an object with only these two. Other operators are built from
an operator, and are never formed:

==============  =================================  =========================================
class           acts as                            used for
==============  =================================  =========================================
`Matrix`        ``A``                              the adjacency matrix of a network
`Rescaled`      ``diag(s) A diag(s)``              the normalised Laplacian
`Bipartite`     ``[[0, A], [A.T, 0]]``             singular triplets of a directed network
`Gram`          ``F F.T``                          scalar products; the matrix of LLE
`Centred`       ``H M H``, ``H = I - 1 1.T / n``   distances to scalar products; kernel PCA
`Affine`        ``a M + b I``                      opposite end of a spectrum; shifts
`Deflated`      ``P M P + l u u.T``                leaving out a known eigenvector u
`Updated`       ``M + c u u.T``                    the modularity matrix of a network
`PlusLowRank`   ``S + L R.T``                      networks with unobserved pairs
`Squared`       ``M M``                            eigenvalues of both signs as one end
`Sum`           ``M + c N``                        a network and the covariates of its vertices
`Inverse`       ``(A + s I)^(-1)``                 the bottom of a sparse A's spectrum, well separated
==============  =================================  =========================================
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from scipy import sparse

from lpgraph._cached import cached_property
from lpgraph.errors import ArgumentTypeError, GraphError
from lpgraph.linalg.csr_check import check_structure
from lpgraph.linalg.external import ExternalMatrix
from lpgraph.linalg.matvec import AnyMatrix, Product

if TYPE_CHECKING:
    from typing import TypeAlias

    from numpy.typing import NDArray

    _Factor: TypeAlias = "Product | AnyMatrix | PlusLowRank | ExternalMatrix"

__all__ = [
    "Affine",
    "Bipartite",
    "Centred",
    "Deflated",
    "Gram",
    "Matrix",
    "Operator",
    "PlusLowRank",
    "Rescaled",
    "Squared",
    "Sum",
    "SymmetricOperator",
    "Updated",
    "as_matrix",
    "as_operator",
]


@runtime_checkable
class Operator(Protocol):
    """A symmetric linear map on R^n, given by its product with blocks of vectors: what callers may pass."""

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns, equal."""

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the product with an (n, b) block, as a new array."""


class SymmetricOperator(ABC):
    """Base of the operators; the defaults hold for an operator whose product alone is known."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns, equal."""

    @abstractmethod
    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
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
    def external(self) -> External | None:
        """The matrix inside, and its scales, if it is not in memory."""
        return None

    @property
    def takes_single(self) -> bool:
        """Whether a block in single precision is multiplied without conversion, the sums in double."""
        return self.product is not None

    @property
    def exact_in_single(self) -> bool:
        """Whether that product is as exact as with the block converted to double precision."""
        return self.product is not None and self.product.scale is None


@dataclass(frozen=True, eq=False)
class External:
    """An external matrix A inside an operator.

    Attributes
    ----------
    matrix : ExternalMatrix
        A.
    scales : tuple of ndarray or None
        s and t of ``diag(s) A diag(t)``; None if all are 1.
    two_sided : bool
        Whether the operator is ``[[0, M], [M.T, 0]]`` for this product M.
    """

    matrix: ExternalMatrix
    scales: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    two_sided: bool = False


def new_product(operator: SymmetricOperator, block: NDArray[np.floating], *, single: bool) -> NDArray[np.float64]:
    """Return the product as an array that may be written to; with `single`, of a block as it is given."""
    given = block if single else block.astype(np.float64, copy=False)
    product = np.asarray(operator @ given, dtype=np.float64)  # type: ignore[operator]  # float32 if it takes that
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
    given: Any = matrix if sparse.issparse(matrix) else np.asarray(matrix)
    if given.ndim != 2:
        raise GraphError(f"The matrix has shape {given.shape}; pass two dimensions.")
    if sparse.issparse(matrix):
        check_structure("The matrix", matrix)
    result: AnyMatrix = sparse.csr_array(given) if sparse.issparse(matrix) else given
    values = _stored(result)
    if values.dtype.kind not in "biuf":
        raise GraphError(f"The matrix has dtype {values.dtype}; pass real numbers: matrix.astype(float).")
    if not np.isfinite(values).all():
        raise GraphError("The matrix has entries that are not finite; replace or drop them.")
    return result.astype(np.float64, copy=False)


def _stored(matrix: AnyMatrix) -> NDArray[np.float64]:
    """Return the stored numbers of a matrix."""
    return matrix if isinstance(matrix, np.ndarray) else matrix.data


def _count(matrix: AnyMatrix | ExternalMatrix) -> int:
    """Return how many numbers a matrix stores."""
    return matrix.entries if isinstance(matrix, ExternalMatrix) else _stored(matrix).size


@dataclass(frozen=True, eq=False)
class Matrix(SymmetricOperator):
    """A sparse or dense matrix, assumed symmetric; not checked."""

    matrix: AnyMatrix | ExternalMatrix

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
        return None if isinstance(self.matrix, ExternalMatrix) else Product.of(self.matrix)

    @property
    def external(self) -> External | None:
        """The matrix, if it is not in memory."""
        return External(self.matrix) if isinstance(self.matrix, ExternalMatrix) else None

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
class Wrapped(SymmetricOperator):
    """Any object with ``.shape`` and a product ``@``; the base of operators made from another operator."""

    operator: Operator

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.operator.shape

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.operator @ block, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Light(Wrapped):
    """Base of operators whose product costs little more than that of the operator inside."""

    operator: SymmetricOperator

    @property
    def entries(self) -> int:
        """How many stored numbers a product reads; 0 if that is not known."""
        return self.operator.entries


@dataclass(frozen=True, eq=False)
class Rescaled(_Light):
    """``diag(scale) A diag(scale)`` for a symmetric operator A and a vector `scale` of length n."""

    scale: NDArray[np.float64]

    @cached_property
    def product(self) -> Product | None:
        """The compiled product of the matrix inside and the scale, if it is faster."""
        inside = self.operator.product
        return None if inside is None or inside.scale is not None else replace(inside, scale=self.scale)

    @property
    def external(self) -> External | None:
        """The matrix inside, and the scale, if it is not in memory."""
        inside = self.operator.external
        return None if inside is None else replace(inside, scales=(self.scale, self.scale))

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.product is not None:
            return self.product @ block
        return _rescaled(self.scale, self.operator @ _rescaled(self.scale, block))


@dataclass(frozen=True, eq=False)
class Bipartite(SymmetricOperator):
    """``[[0, M], [M.T, 0]]`` with ``M = diag(left) A diag(right)``; eigenvalues: +- M's singular values."""

    matrix: AnyMatrix | PlusLowRank | ExternalMatrix
    left: NDArray[np.float64] | None = None
    right: NDArray[np.float64] | None = None

    @cached_property
    def _factors(self) -> tuple[_Factor, _Factor]:
        if isinstance(self.matrix, PlusLowRank | ExternalMatrix):
            return self.matrix, self.matrix.T
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

    @property
    def external(self) -> External | None:
        """The matrix inside, and the scales of both sides, if it is not in memory."""
        if not isinstance(self.matrix, ExternalMatrix):
            return None
        scales = None if self.left is None or self.right is None else (self.left, self.right)
        return External(self.matrix, scales, two_sided=True)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns: the rows and columns of A together."""
        size = self.matrix.shape[0] + self.matrix.shape[1]
        return size, size

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        rows = self.matrix.shape[0]
        forth, back = self._factors
        upper = _rescaled(self.left, forth @ _rescaled(self.right, block[rows:]))
        return np.vstack([upper, _rescaled(self.right, back @ _rescaled(self.left, block[:rows]))])


def _rescaled(scale: NDArray[np.float64] | None, block: NDArray[np.float64]) -> NDArray[np.float64]:
    return block if scale is None else scale[:, None] * block


@dataclass(frozen=True, eq=False)
class Gram(SymmetricOperator):
    """``F F.T`` for a factor F of shape (n, p), sparse or dense, in O(n p) a vector without an n x n matrix."""

    factor: AnyMatrix

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.factor.shape[0], self.factor.shape[0]

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.factor @ (self.factor.T @ block))


@dataclass(frozen=True, eq=False)
class Centred(Wrapped):
    """``H M H`` with :math:`H = I - 1 1^T / n`: double centring, by two subtractions of column means."""

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        product = self.operator @ (block - block.mean(axis=0))
        product -= product.mean(axis=0)
        return np.asarray(product)


@dataclass(frozen=True, eq=False)
class Affine(Wrapped):
    """``factor M + shift I``: the eigenvectors of M, their values ``factor l + shift``."""

    factor: float
    shift: float = 0.0

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        product = self.factor * (self.operator @ block)
        if self.shift:
            product += self.shift * block
        return product


@dataclass(frozen=True, eq=False)
class Deflated(Wrapped):
    r"""M with another eigenvalue for its unit eigenvector u.

    This is :math:`P M P + value\, u u^T` with :math:`P = I - u u^T`.
    """

    vector: NDArray[np.float64]
    value: float = 0.0

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        along = self.vector @ block
        product = super().__matmul__(block - np.multiply.outer(self.vector, along))
        product += np.multiply.outer(self.vector, self.value * along - self.vector @ product)
        return product


@dataclass(frozen=True, eq=False)
class Updated(_Light):
    r""":math:`M + factor\, u u^T`: a rank-one update, never formed."""

    vector: NDArray[np.float64]
    factor: float

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.operator @ block + np.multiply.outer(self.vector, self.factor * (self.vector @ block))


@dataclass(frozen=True, eq=False)
class Squared(Wrapped):
    """``M M``: the eigenvectors of M, their values squared."""

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.operator @ (self.operator @ block), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Sum(Wrapped):
    """``M + factor N`` for two operators of one size."""

    other: Operator
    factor: float

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.operator @ block + self.factor * (self.other @ block), dtype=np.float64)


def as_operator(operator: object) -> SymmetricOperator:
    """Return `operator` as a `SymmetricOperator`; matrices must be real, finite, square and symmetric.

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
    if sparse.issparse(operator) or isinstance(operator, np.ndarray):
        matrix = as_matrix(operator)
        _refuse_shape(matrix.shape)
        difference: Any = matrix - matrix.T
        gap = np.abs(_stored(difference)).max(initial=0.0)
        if gap > 1e-10 * np.abs(_stored(matrix)).max(initial=0.0):
            raise GraphError(
                f"The operator is not symmetric (entries differ by up to {gap:.3g}); "
                "pass (M + M.T) / 2, or use singular_triplets."
            )
        return Matrix(matrix)
    if isinstance(operator, Operator):
        _refuse_shape(tuple(operator.shape))
        return Wrapped(operator)
    raise ArgumentTypeError(
        f"operator is a {type(operator).__name__}; pass a sparse matrix, an array, "
        "or an object with .shape and a product operator @ block."
    )


def _refuse_shape(shape: tuple[int, ...]) -> None:
    """Raise if a shape is not that of a square matrix."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise GraphError(f"The operator has shape {shape}; pass a square symmetric one.")
