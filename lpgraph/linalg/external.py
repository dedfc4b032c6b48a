"""Sparse matrices that are not arrays in memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy import sparse

    Array = NDArray[np.float64]

__all__ = ["ExternalMatrix"]


class ExternalMatrix(ABC):
    """A sparse matrix elsewhere: on disk, or on other machines.

    It takes the place of a sparse array in `lpgraph.spectral.operators`.

    Attributes
    ----------
    shape : tuple of int
        Rows and columns.
    entries : int
        Number of stored entries.
    """

    #: scipy's word for the layout of a sparse matrix.
    format = "external"
    shape: tuple[int, int]
    entries: int

    @property
    @abstractmethod
    def T(self) -> ExternalMatrix:  # noqa: N802 - as arrays call it
        """The transpose."""

    @abstractmethod
    def __matmul__(self, block: NDArray[np.floating]) -> Array:
        """Return the product with a block of vectors, as a new array."""

    @abstractmethod
    def squared(self) -> ExternalMatrix:
        """Return the matrix of the squared entries."""

    @abstractmethod
    def restricted(self, rows: NDArray[np.intp]) -> sparse.csr_array:
        """Return some rows, and the same columns, in memory."""

    @abstractmethod
    def rows(self, rows: NDArray[np.intp]) -> sparse.csr_array | None:
        """Return some rows in memory; None if they do not fit."""
