"""Read a file of arrays: mapped into memory, each block verified before any of it is used."""

from __future__ import annotations

import math
import mmap
import os
import re
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph.storage.layout import ALIGN, BLOCK, PREAMBLE, Layout, damaged, unpack_header, unpack_preamble
from lpgraph.storage.unread import Unread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.errors import ModelFileError

__all__ = ["DTYPES", "StoredArray", "StoredFile"]

#: Numbers and texts of fixed width; nothing that could hold a reference.
DTYPES = re.compile(r"\|b1|[<|][iu][1248]|<f[248]|<U\d{1,6}|\|S\d{1,6}")


class StoredFile:
    """A file that `lpgraph.storage.write.write_file` wrote: its tree at once, its arrays when asked for.

    Attributes
    ----------
    path : str
        Where it is, for messages.
    tree : dict
        The caller's values.
    size : int
        Its length in bytes.

    Raises
    ------
    ModelFileError
        On opening: if the file is truncated or longer than it should be, of another version, or its header is
        damaged. Later: if a block that is about to be used is damaged.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        with open(path, "rb") as file:
            self.size = os.fstat(file.fileno()).st_size
            head = file.read(PREAMBLE.size)
            self._layout = layout = unpack_preamble(self.path, head, self.size)
            rest = file.read(layout.start - PREAMBLE.size)
            self.tree, checksums = unpack_header(self.path, head, rest, layout)
            self._map = _mapping(self.path, file.fileno(), layout.size)
        self._view = memoryview(self._map)
        self._sums = np.frombuffer(checksums, dtype="<u4")
        self._sound = np.zeros(layout.blocks, dtype=bool)
        self._table = self.tree.get("arrays")
        if not isinstance(self._table, list):
            raise self.error("its header names no arrays")
        self._arrays: dict[int, StoredArray] = {}

    def error(self, what: str) -> ModelFileError:
        """Return the error for this file."""
        return damaged(self.path, what)

    def array(self, number: object) -> StoredArray:
        """Return an array by its number, its place in the file looked at, its contents not yet."""
        assert isinstance(self._table, list)
        if type(number) is not int or not 0 <= number < len(self._table):
            raise self.error(f"its header asks for the array {number!r} of {len(self._table)}")
        if number not in self._arrays:
            self._arrays[number] = _located(self, self._layout, self._table[number])
        return self._arrays[number]

    def verify(self, blocks: NDArray[np.intp] | None = None) -> None:
        """Verify blocks of the data that were not verified before; None is all of them."""
        wanted = np.flatnonzero(~self._sound) if blocks is None else blocks[~self._sound[blocks]]
        start, end = self._layout.start, self._layout.size
        for block in wanted.tolist():
            low = start + block * BLOCK
            high = min(low + BLOCK, end)
            if zlib.crc32(self._view[low:high]) != self._sums[block]:
                raise self.error(f"bytes {low} to {high} are damaged: their checksum does not match")
            self._sound[block] = True

    def mapped(self, place: int, dtype: np.dtype[Any], count: int) -> NDArray[Any]:
        """Return entries that lie at a place of the data, as they are; to be verified by the caller."""
        if not count:
            return np.empty(0, dtype=dtype)
        return np.frombuffer(self._map, dtype=dtype, count=count, offset=self._layout.start + place)


class StoredArray(Unread):
    """An array in a file. `take` reads and verifies rows, `read` all of it; both only what was not before.

    Attributes
    ----------
    dtype, shape
        As of the array.
    """

    def __init__(
        self, file: StoredFile, place: int, dtype: np.dtype[Any], shape: tuple[int, ...], order: Any
    ) -> None:
        self._file, self._place, self._order = file, place, order
        self.dtype, self.shape = dtype, shape
        self.nbytes = math.prod(shape) * dtype.itemsize
        self._array: NDArray[Any] | None = None

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"StoredArray({self.dtype}, {self.shape}, in {self._file.path!r})"

    def read(self) -> NDArray[Any]:
        """Return the whole array, mapped into memory."""
        if self._array is None:
            self._file.verify(np.arange(self._place // BLOCK, -(-(self._place + self.nbytes) // BLOCK)))
            self._array = self._mapped()
        return self._array

    def take(self, rows: NDArray[np.integer[Any]]) -> NDArray[Any]:
        """Return a copy of some rows, which is all that is read."""
        if self._array is not None or self._order != "C":
            return np.asarray(self.read()[rows])
        if len(rows) and (rows.min() < 0 or rows.max() >= len(self)):
            raise self._file.error(f"row {rows.max()} is asked for of an array with {len(self)}")
        width = self.nbytes // max(1, len(self))
        first = (self._place + rows.astype(np.intp) * width) // BLOCK
        spans = width // BLOCK + 2
        last = (self._place + (rows.astype(np.intp) + 1) * width - 1) // BLOCK
        touched = np.minimum(first[:, None] + np.arange(spans), last[:, None])
        self._file.verify(np.unique(touched))
        return np.asarray(self._mapped()[rows])

    def _mapped(self) -> NDArray[Any]:
        flat = self._file.mapped(self._place, self.dtype, math.prod(self.shape))
        return flat.reshape(self.shape, order=self._order)


def _mapping(path: str, file: int, size: int) -> mmap.mmap:
    """Return a file mapped privately: arrays may be written to, and the file never is."""
    try:
        return mmap.mmap(file, size, access=mmap.ACCESS_COPY)
    except ValueError:
        raise damaged(path, "it became shorter while it was read") from None
    except OSError:
        # Some systems promise no more private memory than there is; then arrays can only be read.
        return mmap.mmap(file, size, access=mmap.ACCESS_READ)


def _located(file: StoredFile, layout: Layout, entry: Any) -> StoredArray:
    """Return an array whose place the header gives, unless it cannot be there."""
    try:
        dtype, shape, order, place = entry
        sound = isinstance(dtype, str) and DTYPES.fullmatch(dtype) and order in ("C", "F")
        sound = sound and isinstance(shape, list) and len(shape) <= 8
        sound = sound and all(type(k) is int and 0 <= k < 1 << 48 for k in [*shape, place])
    except (TypeError, ValueError):
        sound = False
    if not sound:
        raise file.error(f"its header describes an array as {str(entry)[:80]}")
    kind = np.dtype(dtype)
    if place % ALIGN or place + math.prod(shape) * kind.itemsize > layout.data:
        raise file.error(f"its header places an array of shape {shape} outside of the file")
    return StoredArray(file, place, kind, tuple(shape), order)
