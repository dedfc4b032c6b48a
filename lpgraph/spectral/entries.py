"""The matrix inside an operator: other or squared entries, or some rows and columns, with the same scales."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._articles import a_type
from lpgraph.errors import ArgumentTypeError
from lpgraph.linalg.sparse_structure import rows_of
from lpgraph.spectral.operators import Bipartite, Matrix, Rescaled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.linalg.matvec import AnyMatrix, LinearMap
    from lpgraph.spectral.operators import SymmetricOperator

    Array = NDArray[np.float64]

__all__ = ["matrix_of", "restricted", "some_rows", "squared", "squared_norm", "with_matrix"]


def matrix_of(operator: SymmetricOperator) -> AnyMatrix:
    """Return the matrix inside `Matrix`, `Rescaled` or `Bipartite`.

    Raises
    ------
    ArgumentTypeError
        If the operator is another one.
    """
    inside = operator.operator if isinstance(operator, Rescaled) else operator
    matrix = inside.matrix if isinstance(inside, Matrix | Bipartite) else None
    if not isinstance(matrix, np.ndarray | sparse.csr_array):
        raise ArgumentTypeError(f"The operator is {a_type(operator)}; pass a matrix, scaled or not.")
    return matrix


def with_matrix(operator: SymmetricOperator, matrix: AnyMatrix | LinearMap) -> SymmetricOperator:
    """Return the operator with another matrix of the same size inside."""
    if isinstance(operator, Bipartite):
        return replace(operator, matrix=matrix, transposed=None)
    return replace(operator, operator=Matrix(matrix)) if isinstance(operator, Rescaled) else Matrix(matrix)


def squared(operator: SymmetricOperator, squares: AnyMatrix) -> SymmetricOperator:
    """Return the operator of the squared entries, given those of the matrix inside."""
    if isinstance(operator, Bipartite):
        left, right = (None if side is None else side**2 for side in (operator.left, operator.right))
        return Bipartite(squares, left, right)
    inside = Matrix(squares)
    return Rescaled(inside, operator.scale**2) if isinstance(operator, Rescaled) else inside


def squared_norm(operator: SymmetricOperator) -> float:
    """Return the sum of the squared entries of an operator; of `Bipartite`, those of A once.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.spectral.entries import squared_norm
    >>> from lpgraph.spectral.operators import Matrix, Rescaled
    >>> squared_norm(Rescaled(Matrix(np.ones((2, 2))), np.array([1.0, 2.0])))
    25.0
    """
    matrix = matrix_of(operator)
    if isinstance(matrix, np.ndarray):
        squares: AnyMatrix = matrix**2
    else:
        squares = sparse.csr_array((_squares(matrix.data), matrix.indices, matrix.indptr), shape=matrix.shape)
    total = float((squared(operator, squares) @ np.ones((operator.shape[0], 1))).sum())
    return total / 2 if isinstance(operator, Bipartite) else total


def _squares(data: Array) -> Array:
    """Return the squares of weights, which may be one number in many places."""
    return np.broadcast_to(data[:1] ** 2, data.shape) if data.strides == (0,) else data**2


def restricted(operator: SymmetricOperator, rows: NDArray[np.intp]) -> SymmetricOperator:
    """Return the operator of some rows and the same columns, with the scales that they have in the whole."""
    matrix = matrix_of(operator)
    if isinstance(matrix, np.ndarray):
        part: AnyMatrix = matrix[np.ix_(rows, rows)]
    else:
        part = sparse.csr_array(rows_of(sparse.csr_array(matrix), rows)[:, rows])
        part.sort_indices()
    if isinstance(operator, Bipartite):
        left, right = (None if side is None else side[rows] for side in (operator.left, operator.right))
        return Bipartite(part, left, right)
    return Rescaled(Matrix(part), operator.scale[rows]) if isinstance(operator, Rescaled) else Matrix(part)


def some_rows(operator: SymmetricOperator, rows: NDArray[np.intp]) -> list[AnyMatrix]:
    """Return some rows of an operator, or of `Bipartite` those of A and of A.T."""
    matrix = matrix_of(operator)
    if isinstance(operator, Bipartite):
        sides = [(False, operator.left, operator.right), (True, operator.right, operator.left)]
    else:
        scale = operator.scale if isinstance(operator, Rescaled) else None
        sides = [(False, scale, scale)]
    found: list[AnyMatrix] = []
    for transposed, left, right in sides:
        part: AnyMatrix = matrix[:, rows].T if transposed else matrix[rows]
        part = part if isinstance(part, np.ndarray) else sparse.csr_array(part)
        found.append(part if left is None or right is None else _scaled(part, left[rows], right))
    return found


def _scaled(part: AnyMatrix, left: Array, right: Array) -> AnyMatrix:
    """Return ``diag(left) part diag(right)``."""
    if isinstance(part, np.ndarray):
        return np.asarray(left[:, None] * part * right)
    data = part.data * np.repeat(left, np.diff(part.indptr)) * right[part.indices]
    return sparse.csr_array((data, part.indices, part.indptr), shape=part.shape)
