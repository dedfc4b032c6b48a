"""Check of the tiles of a partition before compiled code, which does not look at their indices, reads them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lpgraph._compiled import available, compiled

__all__ = ["tiles_fault"]

_PIECES = 64
_KINDS = ("<u4", "<u8")
_NONE = np.empty(0)
_FAULTS = (
    "",
    "its row pointers decrease or exceed the number of entries",
    "an index is outside of its panel, or not larger than the one before it",
    "a weight is not finite",
)


def tiles_fault(
    indptr: NDArray[np.number],
    indices: NDArray[np.number],
    weights: NDArray[np.number] | None,
    rows: int,
    panels: Sequence[int],
) -> str | None:
    """Return what is wrong with the arrays of a partition, or None.

    Parameters
    ----------
    indptr, indices, weights : ndarray
        The arrays; any dtype and shape.
    rows : int
        Number of rows of the partition.
    panels : sequence of int
        Bounds of the panels.
    """
    if indptr.dtype.str not in _KINDS or indptr.shape != (len(panels) - 1, rows + 1):
        return f"its row pointers have dtype {indptr.dtype} and shape {indptr.shape}"
    if indices.dtype.str not in _KINDS or indices.ndim != 1:
        return f"its indices have dtype {indices.dtype} and shape {indices.shape}"
    if weights is not None and (weights.dtype.str != "<f8" or weights.shape != indices.shape):
        return f"its weights have dtype {weights.dtype} and shape {weights.shape}"
    count = len(indices)
    ends = [0, *indptr[:, -1].tolist()]
    if indptr[:, 0].tolist() != ends[:-1] or ends[-1] != count:
        return "its row pointers do not begin where those of the panel before end"
    values = _NONE if weights is None else weights
    for q, (first, last) in enumerate(pairwise(panels)):
        fault = _fault(indptr[q], indices, values, first, last)
        if fault:
            return _FAULTS[fault]
    return None


def _fault(
    indptr: NDArray[np.number], indices: NDArray[np.number], weights: NDArray[np.number], first: int, last: int
) -> int:
    """Return the number of the fault of a tile, or 0."""
    if not available():
        return _slow_fault(indptr, indices, weights, first, last)
    rows = len(indptr) - 1
    marks = np.zeros(_PIECES, dtype=np.int64)
    cuts = rows * np.arange(_PIECES + 1) // _PIECES
    # As plain arrays: numba would compile once more for memory maps.
    arrays = (np.asarray(indptr), np.asarray(indices), np.asarray(weights))
    _pass.over(range(_PIECES + 1), *arrays, first, last, cuts, marks)
    return int(marks.max())


def _slow_fault(
    indptr: NDArray[np.number], indices: NDArray[np.number], weights: NDArray[np.number], first: int, last: int
) -> int:
    begin, end = int(indptr[0]), int(indptr[-1])
    if np.any(indptr[1:] < indptr[:-1]) or end > len(indices):
        return 1
    used = indices[begin:end]
    if used.size and (int(used.min()) < first or int(used.max()) >= last):
        return 2
    falls = np.flatnonzero(used[1:] <= used[:-1]) + begin + 1
    if not np.isin(falls, indptr).all():
        return 2
    return 3 if len(weights) and not np.isfinite(weights[begin:end]).all() else 0


def _pass_loop(indptr, indices, weights, first, last, cuts, marks, piece, _):  # type: ignore[no-untyped-def]  # numba infers the types
    count = np.uint64(len(indices))
    one, least, end = np.uint64(1), np.uint64(first), np.uint64(last)
    none = 0.0
    for i in range(np.uint64(cuts[piece]), np.uint64(cuts[piece + 1])):
        low, high = np.uint64(indptr[i]), np.uint64(indptr[i + one])
        if high < low or high > count:
            marks[piece] = 1
            return
        bound, wrong = least, 0
        for p in range(low, high):
            index = np.uint64(indices[p])
            wrong += int(index < bound) + int(index >= end)
            bound = index + one
        if wrong:
            marks[piece] = 2
            return
        if len(weights):
            for p in range(low, high):
                none += weights[p] * 0.0  # NaN if a weight is not finite
    if none != 0.0:
        marks[piece] = 3


_pass = compiled(_pass_loop)
