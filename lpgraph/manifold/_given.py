"""Similarities that are given: a network of points, with the rows of new ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph._checks import check_finite_array
from lpgraph.errors import ArgumentError
from lpgraph.points.affinities import with_diagonal
from lpgraph.points.connect import connect
from lpgraph.points.sparse_points import check_sparse, is_sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["GivenKernel", "check_similarities"]


@dataclass(frozen=True, eq=False)
class GivenKernel:
    """Similarities as they were passed, with the diagonal that was passed.

    Attributes
    ----------
    matrix : csr_array or ndarray of shape (n, n)
        Those of the points that were kept.
    kept : ndarray of shape (n,)
        The kept points among those that were given.
    """

    matrix: Any
    kept: NDArray[np.intp]
    sigma = None

    @classmethod
    def of(cls, matrix: Any, components: str | None, **others: Any) -> GivenKernel:
        """Apply the policy on components; None leaves them apart. The `others` say how to find what is given."""
        for name, value in others.items():
            if value is not None:
                raise ArgumentError(
                    f"affinity='precomputed' and {name}={value!r}, but X says which points are similar; "
                    f"pass {name}=None."
                )
        everyone = np.arange(matrix.shape[0])
        if components is None:
            return cls(matrix, everyone)
        if components == "bridge":
            raise ArgumentError(
                "components='bridge' with affinity='precomputed', which says no distances; pass 'error' or "
                "'largest'."
            )
        kept = connect(sparse.csr_array(matrix), components).kept
        return cls(matrix if len(kept) == len(everyone) else matrix[kept][:, kept], kept)

    @property
    def dense(self) -> bool:
        """Whether the similarities were passed as a dense array."""
        return not is_sparse(self.matrix)

    def training(self, diagonal: float) -> Any:
        """Return the (n, n) similarities, with their diagonal as it is (1) or left out (0)."""
        if diagonal:
            return self.matrix
        if not self.dense:
            return with_diagonal(self.matrix, 0.0)
        matrix = self.matrix.copy()
        np.fill_diagonal(matrix, 0.0)
        return matrix

    def rows(self, new: Any) -> Any:
        """Return the (m, n) similarities of new points to the kept training points."""
        return new if len(self.kept) == new.shape[1] else new[:, self.kept]


def check_similarities(name: str, matrix: Any, n: int | None = None, as_sparse: bool | None = None) -> Any:
    """Return (n, n) similarities, symmetric and not negative, or, given `n`, (m, n) rows of new points."""
    array: Any = check_sparse(name, matrix) if is_sparse(matrix) else check_finite_array(name, matrix, ndim=2)
    shape = array.shape
    if shape[1] != (shape[0] if n is None else n):
        wanted = "(n, n) similarities" if n is None else f"(m, {n}) similarities to the training points"
        raise ArgumentError(f"{name} has shape {shape}; with affinity='precomputed' pass {wanted}.")
    values = array.data if is_sparse(array) else array
    if values.size and values.min() < 0:
        raise ArgumentError(
            f"{name} has the similarity {values.min()}; pass similarities, which are not negative."
        )
    if n is None and values.size:
        gap: Any = abs(array - array.T)
        if gap.max() > 1e-10 * values.max():
            i, j = np.unravel_index(int(gap.argmax()), shape)
            raise ArgumentError(
                f"{name}[{i}, {j}] is {array[i, j]} but {name}[{j}, {i}] is {array[j, i]}; similarities are "
                f"symmetric: pass ({name} + {name}.T) / 2."
            )
    if as_sparse is not None and as_sparse != is_sparse(array):
        return sparse.csr_array(array) if as_sparse else array.toarray()
    return array
