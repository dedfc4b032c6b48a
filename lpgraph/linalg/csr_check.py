"""Check of compressed sparse matrices before compiled code, which does not look at their indices, reads them.

scipy's own check leaves out the range of indices where ``indptr[-1] <= 0``, and takes differences that may wrap.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from lpgraph._utils.checks import is_array
from lpgraph.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph._utils.types import Array

    Index: TypeAlias = NDArray[np.integer]

#: A matrix of scipy, whose arrays depend on its format.
AnySparse: TypeAlias = Any


class Entries(NamedTuple):
    """What a pass over a compressed matrix of sound structure found.

    Attributes
    ----------
    canonical : bool
        Whether the indices of each row increase strictly.
    least, most : float
        The least and the largest entry; NaN if one is not finite, 0 without entries.
    """

    canonical: bool
    least: float
    most: float

    @property
    def finite(self) -> bool:
        """Whether all entries are finite."""
        return self.least > -math.inf and self.most < math.inf


def check_structure(argument: str, matrix: AnySparse) -> None:
    """Raise if the arrays of a scipy sparse matrix contradict each other or its shape."""
    fault = _fault(matrix)
    if fault is not None:
        raise ArgumentError(
            f"{argument} is no valid sparse matrix: {fault}; make it again from rows, columns and values, as by "
            "scipy.sparse.coo_array."
        )


def _fault(matrix: AnySparse) -> str | None:
    if len(matrix.shape) != 2:
        return f"it has shape {matrix.shape} instead of two dimensions"
    if matrix.format in ("csr", "csc"):
        rows, columns = matrix.shape if matrix.format == "csr" else matrix.shape[::-1]
        return csr_fault(matrix.indptr, matrix.indices, rows, columns, matrix.data)
    if matrix.format == "lil" and [*map(len, matrix.rows)] != [*map(len, matrix.data)]:
        return "its rows do not have as many columns as entries"
    if matrix.format == "dia" and np.shape(matrix.offsets) != (len(matrix.data),):
        return "it does not have as many diagonals as offsets"
    try:
        if matrix.format == "bsr" and any(np.remainder(matrix.shape, matrix.data.shape[1:])):
            return f"its blocks have shape {matrix.data.shape[1:]} in a matrix of shape {matrix.shape}"
        listed = matrix.tocoo()
        (rows, columns), data = listed.coords, listed.data
        sound = rows.shape == columns.shape == data.shape and data.dtype.isnative
        sound = sound and _fits(rows, listed.shape[0]) and _fits(columns, listed.shape[1])
    except (AttributeError, IndexError, OverflowError, TypeError, ValueError) as error:
        return f"scipy cannot read it ({error})"
    return None if sound else "its coordinates do not fit its entries or its shape"


def csr_fault(indptr: Index, indices: Index, rows: int, columns: int, data: NDArray[np.generic]) -> str | None:
    """Return what is wrong with the structure of a compressed matrix, or None.

    Parameters
    ----------
    indptr, indices : ndarray
        As of a csr matrix, or of a csc matrix with `rows` and `columns` exchanged.
    rows, columns : int
        The shape.
    data : ndarray
        Its entries, which are not looked at.
    """
    arrays = indptr, indices, data
    if not all(is_array(part) and part.ndim == 1 and part.dtype.isnative for part in arrays):
        return "its indptr, indices and data are no arrays in one dimension and of the machine's byte order"
    if indptr.dtype not in (np.int32, np.int64) or indices.dtype != indptr.dtype:
        return "its indptr and indices are not both int32 or both int64"
    if len(indptr) != rows + 1 or len(indices) != len(data):
        return (
            f"it has {len(indptr)} row pointers for {rows} rows, or {len(indices)} indices for {len(data)} entries"
        )
    # Not differences of indptr, which may wrap.
    if indptr[0] != 0 or indptr[-1] > len(indices) or (indptr[1:] < indptr[:-1]).any():
        return f"its indptr does not increase from 0 to at most {len(indices)}"
    return None if _fits(indices[: int(indptr[-1])], columns) else f"an index is not from 0 to {columns - 1}"


def _fits(index: Index, size: int) -> bool:
    """Whether all entries are integers from 0 to ``size - 1``."""
    return index.dtype.kind in "iu" and (not index.size or (int(index.min()) >= 0 and int(index.max()) < size))


def entries_of(argument: str, matrix: sparse.csr_array | sparse.csc_array, data: Array | None = None) -> Entries:
    """Return what a csr or csc matrix has; raise if its structure is not sound.

    `data` are its entries in double precision, if they are not in the matrix itself.
    """
    indptr, indices, data = matrix.indptr, matrix.indices, matrix.data if data is None else data
    check_structure(argument, matrix)
    count = int(indptr[-1])
    if not count:
        return Entries(True, 0.0, 0.0)
    # The weights of a mapped unweighted network are one number in many places.
    values = data[:1] if data.strides == (0,) else data[:count]
    return Entries(_increasing(indptr, indices[:count]), float(values.min()), float(values.max()))


def _increasing(indptr: Index, indices: Index) -> bool:
    """Whether the indices of each row increase strictly."""
    falls = indices[1:] <= indices[:-1]
    if not falls.any():
        return True
    first, last = np.searchsorted(indptr, (1, len(indices)))  # of the places where a row begins behind another
    falls[indptr[first:last] - 1] = False
    return not falls.any()
