"""Symmetric linear operators, given by their size and their product with a block of vectors.

`as_operator` converts a sparse matrix, an array, or an object with only these two. Other operators are built from
an operator, and are never formed. Those of a matrix are defined in `lpgraph.spectral.matrix_operators`, and the
others here; all can be imported from here:

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

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph._articles import a_type
from lpgraph._cached import cached_property
from lpgraph.errors import ArgumentTypeError, GraphError
from lpgraph.spectral.matrix_operators import (
    Bipartite,
    Gram,
    Matrix,
    PlusLowRank,
    as_matrix,
    rescaled,
    stored,
)
from lpgraph.spectral.operator_protocol import Operator, SymmetricOperator

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.linalg.matvec import Product

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


@dataclass(frozen=True, eq=False)
class Wrapped(SymmetricOperator):
    """Any object with ``.shape`` and a product ``@``; the base of operators made from another operator."""

    operator: Operator

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return self.operator.shape

    @property
    def dear(self) -> bool:
        """Whether a product costs more than a basis."""
        return bool(getattr(self.operator, "dear", False))

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
    def takes_single(self) -> bool:
        """Whether a block in single precision is multiplied without conversion, the sums in double."""
        return self.operator.takes_single

    def __matmul__(self, block: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.product is not None:
            return self.product @ block
        # In the precision of the block, as the compiled product does it.
        scaled = rescaled(self.scale, block).astype(block.dtype, copy=False)
        return rescaled(self.scale, self.operator @ scaled)


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
        gap = np.abs(stored(difference)).max(initial=0.0)
        if gap > 1e-10 * np.abs(stored(matrix)).max(initial=0.0):
            raise GraphError(
                f"The operator is not symmetric (entries differ by up to {gap:.3g}); "
                "pass (M + M.T) / 2, or use singular_triplets."
            )
        return Matrix(matrix)
    if isinstance(operator, Operator):
        _refuse_shape(tuple(operator.shape))
        return Wrapped(operator)
    raise ArgumentTypeError(
        f"operator is {a_type(operator)}; pass a sparse matrix, an array, "
        "or an object with .shape and a product operator @ block."
    )


def _refuse_shape(shape: tuple[int, ...]) -> None:
    """Raise if a shape is not that of a square matrix."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise GraphError(f"The operator has shape {shape}; pass a square symmetric one.")
