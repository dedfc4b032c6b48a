"""Writing of files of arrays."""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._files import written
from lpgraph.storage.layout import ALIGN, BLOCK, PAGE, pack

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["write_file"]


def write_file(
    path: str | os.PathLike[str], tree: Mapping[str, object], arrays: Sequence[NDArray[np.generic]]
) -> None:
    """Write a tree of JSON values and arrays to a file, as `lpgraph._files.written` does.

    The same tree and arrays give the same bytes.
    """
    table, parts, end = [], [], 0
    for array in arrays:
        flat, order = _bytes(array)
        step = PAGE if flat.nbytes >= BLOCK else ALIGN
        gap = -end % step
        parts += [np.zeros(gap, dtype=np.uint8), flat]
        table.append([array.dtype.newbyteorder("<").str, list(array.shape), order, end + gap])
        end += gap + flat.nbytes
    head = pack({**tree, "arrays": table}, _checksums(parts), end)
    with written(path) as file:
        file.write(head)
        for part in parts:
            file.write(part.data)


def _bytes(array: NDArray[np.generic]) -> tuple[NDArray[np.uint8], str]:
    """Return the bytes of an array in memory order, and the order, "C" or "F".

    The order is kept, since the last bits of matrix products may depend on it.
    """
    column_first = array.ndim > 1 and array.flags.f_contiguous and not array.flags.c_contiguous
    laid = array.T if column_first else array
    laid = np.ascontiguousarray(laid, dtype=laid.dtype.newbyteorder("<"))
    return laid.reshape(-1).view(np.uint8) if laid.nbytes else np.empty(0, np.uint8), "F" if column_first else "C"


def _checksums(parts: Iterable[NDArray[np.uint8]]) -> bytes:
    """Return the CRC-32 of every block of the concatenated parts."""
    sums, current, filled = [], 0, 0
    for part in parts:
        view = part.data
        while len(view):
            piece, view = view[: BLOCK - filled], view[BLOCK - filled :]
            current = zlib.crc32(piece, current)
            filled += len(piece)
            if filled == BLOCK:
                sums.append(current)
                current, filled = 0, 0
    if filled:
        sums.append(current)
    return np.array(sums, dtype="<u4").tobytes()
