"""Check of compressed sparse matrices before compiled code, which does not look at their indices, reads them.

scipy's own check leaves out the range of indices where ``indptr[-1] <= 0``, and takes differences that may wrap.
One pass finds here all that is asked of a matrix: its structure, whether it is canonical, its least and largest
entry and whether all are finite.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lpgraph._compiled import available, compiled
from lpgraph.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Entries", "check_structure", "csr_fault", "entries_of", "sparse_fault"]

#: Number of stored entries from which the compiled loop is used.
WORTHWHILE = 1_000_000

_PIECES = 64
_INDEX = (np.dtype(np.int32).str, np.dtype(np.int64).str)
_REMEDY = "make it again from rows, columns and values, as by scipy.sparse.coo_array"


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


def check_structure(argument: str, matrix: Any) -> None:
    """Raise if the arrays of a scipy sparse matrix contradict each other or its shape."""
    fault = sparse_fault(matrix)
    if fault is not None:
        raise _error(argument, fault)


def sparse_fault(matrix: Any) -> str | None:
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
        fault = csr_fault(matrix.indptr, matrix.indices, rows // height, columns // width, matrix.data[:, 0, 0])
        spare = fault is None and int(matrix.indptr[-1]) != len(matrix.indices)
        return f"its indptr ends before its {len(matrix.indices)} blocks" if spare else fault
    if kind == "lil" and [*map(len, matrix.rows)] != [*map(len, matrix.data)]:
        return "its rows do not have as many columns as entries"
    if kind == "dia" and np.shape(matrix.offsets) != (len(matrix.data),):
        return "it does not have as many diagonals as offsets"
    try:
        return _coordinates_fault(matrix if kind == "coo" else matrix.tocoo())
    except (AttributeError, IndexError, OverflowError, TypeError, ValueError) as error:
        return f"scipy cannot read it ({error})"


def csr_fault(
    indptr: NDArray[Any], indices: NDArray[Any], rows: int, columns: int, data: NDArray[Any] | None = None
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
    fault = _lengths_fault(indptr, indices, rows, indices if data is None else data)
    if fault is not None:
        return fault
    if len(indices) >= WORTHWHILE and available():
        return _examined(indptr, indices, _NONE, rows, columns)[0]
    return _order_fault(indptr, indices, columns)


def entries_of(argument: str, matrix: Any, data: NDArray[np.float64] | None = None) -> Entries:
    """Return what a pass over a csr or csc matrix finds; raise if its structure is not sound.

    `data` are its entries in double precision, if they are not in the matrix itself.
    """
    indptr, indices, data = matrix.indptr, matrix.indices, matrix.data if data is None else data
    rows, columns = matrix.shape if matrix.format == "csr" else matrix.shape[::-1]
    fault = _lengths_fault(indptr, indices, rows, data)
    if fault is None and len(indices) >= WORTHWHILE and available():
        fault, found = _examined(indptr, indices, data, rows, columns)
        if fault is None:
            return found
    fault = fault or _order_fault(indptr, indices, columns)
    if fault is not None:
        raise _error(argument, fault)
    count = int(indptr[-1])
    if not count:
        return Entries(True, 0.0, 0.0)
    values = data[:count]
    least, most = np.minimum.reduce(values), np.maximum.reduce(values)
    return Entries(_increasing(indptr, indices[:count]), float(least), float(most))


def _error(argument: str, fault: str) -> ArgumentError:
    return ArgumentError(f"{argument} is no valid sparse matrix: {fault}; {_REMEDY}.")


def _lengths_fault(indptr: NDArray[Any], indices: NDArray[Any], rows: int, data: NDArray[Any]) -> str | None:
    for name, part in (("indptr", indptr), ("indices", indices)):
        if not isinstance(part, np.ndarray) or part.ndim != 1 or part.dtype.str not in _INDEX:
            shown = (
                f"dtype {part.dtype} and shape {part.shape}" if isinstance(part, np.ndarray) else f"{part!r:.40}"
            )
            return f"its {name} is no array of int32 or int64 in one dimension ({shown})"
    fault = _data_fault(data)
    if fault is not None:
        return fault
    if len(indices) != len(data):
        return f"it has {len(indices)} indices but {len(data)} entries"
    if indptr.dtype != indices.dtype:
        return f"its indptr has dtype {indptr.dtype} but its indices have {indices.dtype}"
    if len(indptr) != rows + 1:
        return f"its indptr has {len(indptr)} entries for {rows} rows"
    first, last = int(indptr[0]), int(indptr[-1])
    if first != 0:
        return f"its indptr begins with {first}"
    if not 0 <= last <= len(indices):
        return f"its indptr ends with {last}, but there are {len(indices)} indices and entries"
    return None


def _data_fault(data: NDArray[Any]) -> str | None:
    if not isinstance(data, np.ndarray) or data.ndim != 1:
        return f"its data has shape {np.shape(data)} instead of one dimension"
    return None if data.dtype.isnative else f"its data has dtype {data.dtype}, of another byte order"


def _order_fault(indptr: NDArray[Any], indices: NDArray[Any], columns: int) -> str | None:
    if len(indptr) > 2:
        falls = indptr[1:] < indptr[:-1]  # not differences, which may wrap
        if np.count_nonzero(falls):
            return _falling(int(np.argmax(falls)), indptr)
    used = indices[: int(indptr[-1])]
    # Without a sign, a negative index is a large one.
    if used.size and np.maximum.reduce(used.view(f"u{used.itemsize}")) >= columns:
        return _outside(int(np.argmax((used < 0) | (used >= columns))), indices, columns)
    return None


def _increasing(indptr: NDArray[Any], indices: NDArray[Any]) -> bool:
    """Whether the indices of each row increase strictly."""
    falls = indices[1:] <= indices[:-1]
    if not np.count_nonzero(falls):
        return True
    first, last = np.searchsorted(indptr, (1, len(indices)))  # of the places where a row begins behind another
    falls[indptr[first:last] - 1] = False
    return not np.count_nonzero(falls)


def _falling(row: int, indptr: NDArray[Any]) -> str:
    return f"its indptr decreases from {indptr[row]} to {indptr[row + 1]} at row {row}"


def _outside(place: int, indices: NDArray[Any], columns: int) -> str:
    return f"its entry {place} has the index {indices[place]}, and indices go from 0 to {columns - 1}"


def _coordinates_fault(matrix: Any) -> str | None:
    fault = _data_fault(matrix.data)
    if fault is not None:
        return fault
    for axis, (index, size) in enumerate(zip(matrix.coords, matrix.shape, strict=True)):
        if not isinstance(index, np.ndarray) or index.dtype.kind not in "iu" or index.shape != (len(matrix.data),):
            return f"it does not have one integer for each of {len(matrix.data)} entries as coordinates {axis}"
        if index.size and not (index.min() >= 0 and index.max() < size):
            return _outside(int(np.argmax((index < 0) | (index >= size))), index, size)
    return None


def _examined(
    indptr: NDArray[Any], indices: NDArray[Any], data: NDArray[Any], rows: int, columns: int
) -> tuple[str | None, Entries]:
    """Return the fault, if any, and what was found; `data` may be empty, and is then not looked at."""
    values = np.empty((_PIECES, 2))
    values[:] = np.inf, -np.inf
    marks = np.full((_PIECES, 2), -1, dtype=np.int64)
    cuts = rows * np.arange(_PIECES + 1) // _PIECES
    count = int(indptr[-1])
    order = np.zeros(_PIECES, dtype=np.bool_)
    _pass.over(
        range(_PIECES + 1),
        indptr,
        indices,
        data if len(data) else _NONE,
        count,
        columns,
        cuts,
        marks,
        values,
        order,
    )
    for fall, outside in marks.tolist():
        if fall >= 0:
            return _falling(fall, indptr), Entries(False, 0.0, 0.0)
        if outside >= 0:
            return _outside(outside, indices, columns), Entries(False, 0.0, 0.0)
    least, most = (float(values[:, 0].min()), float(values[:, 1].max())) if count else (0.0, 0.0)
    return None, Entries(bool(order.all()), least, most)


_NONE = np.empty(0)


def _pass_loop(indptr, indices, data, count, columns, cuts, marks, values, order, piece, _):  # type: ignore[no-untyped-def]  # numba infers the types
    # Places are unsigned: numba then need not handle negative ones.
    one, top = np.uint64(1), np.uint64(cuts[piece + 1])
    for i in range(np.uint64(cuts[piece]), top):
        first, last = np.int64(indptr[i]), np.int64(indptr[i + one])
        if first < 0 or last < first or last > count:
            marks[piece, 0] = i
            return
    # All places of the rows are within the arrays now. The indices of a sound row that increase are within the
    # bounds if its first and its last one are.
    begin, end = np.uint64(indptr[np.uint64(cuts[piece])]), np.uint64(indptr[top])
    rising = True
    for i in range(np.uint64(cuts[piece]), top):
        low, high = np.uint64(indptr[i]), np.uint64(indptr[i + one])
        if low == high:
            continue
        before = indices[low]
        rising = rising and before >= 0
        for p in range(low + one, high):
            index = indices[p]
            rising = rising and index > before
            before = index
        rising = rising and before < columns
        if not rising:
            break
    order[piece] = rising
    if not rising:
        for p in range(begin, end):
            if indices[p] < 0 or indices[p] >= columns:
                marks[piece, 1] = p
                return
    if not len(data):
        return
    least, most, none = np.inf, -np.inf, 0.0
    for p in range(begin, end):
        value = data[p]
        least = min(least, value)
        most = max(most, value)
        none += value * 0.0  # NaN if a value is not finite
    values[piece, 0], values[piece, 1] = least + none, most + none


_pass = compiled(_pass_loop, reassociate=True)
