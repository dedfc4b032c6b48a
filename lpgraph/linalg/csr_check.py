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

    Index: TypeAlias = NDArray[np.integer]

#: A matrix of scipy, whose arrays depend on its format.
AnySparse: TypeAlias = Any

_INDEX = (np.dtype(np.int32).str, np.dtype(np.int64).str)


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
    _refuse(argument, sparse_fault(matrix))


def _refuse(argument: str, fault: str | None) -> None:
    if fault is not None:
        raise ArgumentError(
            f"{argument} is no valid sparse matrix: {fault}; make it again from rows, columns and values, as by "
            "scipy.sparse.coo_array."
        )


def sparse_fault(matrix: AnySparse) -> str | None:
    """Return what is wrong with the structure of a scipy sparse matrix, or None."""
    if len(matrix.shape) != 2:
        return f"it has shape {matrix.shape} instead of two dimensions"
    rows, columns = matrix.shape
    kind = matrix.format
    if kind in ("csr", "csc"):
        major, minor = (rows, columns) if kind == "csr" else (columns, rows)
        return csr_fault(matrix.indptr, matrix.indices, major, minor, matrix.data)
    if kind == "bsr":
        height, width = matrix.data.shape[1:] if matrix.data.ndim == 3 else (0, 0)
        if not height or not width or rows % height or columns % width:
            return f"its blocks have shape {matrix.data.shape[1:]} in a matrix of shape {(rows, columns)}"
    if kind == "lil" and [*map(len, matrix.rows)] != [*map(len, matrix.data)]:
        return "its rows do not have as many columns as entries"
    if kind == "dia" and np.shape(matrix.offsets) != (len(matrix.data),):
        return "it does not have as many diagonals as offsets"
    try:
        return _coordinates_fault(matrix if kind == "coo" else matrix.tocoo())
    except (AttributeError, IndexError, OverflowError, TypeError, ValueError) as error:
        return f"scipy cannot read it ({error})"


def csr_fault(
    indptr: Index, indices: Index, rows: int, columns: int, data: NDArray[np.generic] | None = None
) -> str | None:
    """Return what is wrong with the structure of a compressed matrix, or None.

    Parameters
    ----------
    indptr, indices : ndarray
        As of a csr matrix, or of a csc matrix with `rows` and `columns` exchanged.
    rows, columns : int
        The shape.
    data : ndarray, optional
        Its entries, of which only the number is looked at.
    """
    data = indices if data is None else data
    for name, part in (("indptr", indptr), ("indices", indices)):
        if not is_array(part) or part.ndim != 1 or part.dtype.str not in _INDEX:
            return f"its {name} is no array of int32 or int64 in one dimension"
    fault = _data_fault(data)
    if fault is not None:
        return fault
    if len(indices) != len(data):
        return f"it has {len(indices)} indices but {len(data)} entries"
    if indptr.dtype != indices.dtype:
        return f"its indptr has dtype {indptr.dtype} but its indices have {indices.dtype}"
    if len(indptr) != rows + 1:
        return f"its indptr has {len(indptr)} entries for {rows} rows"
    if indptr[0] != 0 or not 0 <= indptr[-1] <= len(indices):
        return f"its indptr goes from {indptr[0]} to {indptr[-1]}, but there are {len(indices)} indices"
    falls = indptr[1:] < indptr[:-1]  # not differences, which may wrap
    if falls.any():
        row = int(np.argmax(falls))
        return f"its indptr decreases from {indptr[row]} to {indptr[row + 1]} at row {row}"
    return _index_fault(indices[: int(indptr[-1])], columns)


def entries_of(
    argument: str, matrix: sparse.csr_array | sparse.csc_array, data: NDArray[np.float64] | None = None
) -> Entries:
    """Return what a csr or csc matrix has; raise if its structure is not sound.

    `data` are its entries in double precision, if they are not in the matrix itself.
    """
    indptr, indices, data = matrix.indptr, matrix.indices, matrix.data if data is None else data
    rows, columns = matrix.shape if matrix.format == "csr" else matrix.shape[::-1]
    _refuse(argument, csr_fault(indptr, indices, rows, columns, data))
    count = int(indptr[-1])
    if not count:
        return Entries(True, 0.0, 0.0)
    # The weights of a mapped unweighted network are one number in many places.
    values = data[:1] if data.strides == (0,) else data[:count]
    return Entries(_increasing(indptr, indices[:count]), float(values.min()), float(values.max()))


def _data_fault(data: NDArray[np.generic]) -> str | None:
    if not is_array(data) or data.ndim != 1:
        return f"its data has shape {np.shape(data)} instead of one dimension"
    return None if data.dtype.isnative else f"its data has dtype {data.dtype}, of another byte order"


def _index_fault(index: Index, size: int) -> str | None:
    # Without a sign, a negative index is a large one.
    if not index.size or index.view(f"u{index.itemsize}").max() < size:
        return None
    place = int(np.argmax((index < 0) | (index >= size)))
    return f"its entry {place} has the index {index[place]}, and indices go from 0 to {size - 1}"


def _increasing(indptr: Index, indices: Index) -> bool:
    """Whether the indices of each row increase strictly."""
    falls = indices[1:] <= indices[:-1]
    if not falls.any():
        return True
    first, last = np.searchsorted(indptr, (1, len(indices)))  # of the places where a row begins behind another
    falls[indptr[first:last] - 1] = False
    return not falls.any()


def _coordinates_fault(matrix: AnySparse) -> str | None:
    fault = _data_fault(matrix.data)
    if fault is not None:
        return fault
    for axis, (index, size) in enumerate(zip(matrix.coords, matrix.shape, strict=True)):
        if not is_array(index) or index.dtype.kind not in "iu" or index.shape != (len(matrix.data),):
            return f"it does not have one integer for each of {len(matrix.data)} entries as coordinates {axis}"
        fault = _index_fault(np.ascontiguousarray(index), size)
        if fault is not None:
            return fault
    return None
