"""Read a file of arrays: each block verified before any of it is used.

Rows that are asked for are copied out of the file, block by block: through a mapping the system would bring in
hundreds of kilobytes around each. Arrays that are wanted whole are mapped into memory, once they were verified.
"""

from __future__ import annotations

import math
import mmap
import os
import re
import threading
import weakref
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph.storage.layout import ALIGN, BLOCK, PREAMBLE, damaged, unpack_header, unpack_preamble
from lpgraph.storage.unread import Unread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.errors import ModelFileError

__all__ = ["DTYPES", "StoredArray", "StoredFile"]

#: Numbers and texts of fixed width; nothing that could hold a reference.
DTYPES = re.compile(r"\|b1|[<|][iu][1248]|<f[248]|<U\d{1,6}|\|S\d{1,6}")
#: Whether the system reads at a place without moving there.
_ANYWHERE = hasattr(os, "pread")
#: Blocks kept in memory, blocks read at a time when many are, and bytes of an array that is copied, not mapped.
_KEPT, _AT_ONCE, _COPIED = 2048, 256, 1 << 20
#: Rows in this share of an array's blocks, at once or over time, are worth reading all of it.
_SHARE, _OVER_TIME = 4, 1
#: Rows copied at a time, so that the blocks they are in take little memory.
_ROWS = 512


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
        self._number = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        weakref.finalize(self, os.close, self._number)
        self._turn = threading.Lock()
        self.size = os.fstat(self._number).st_size
        head = self._read(0, min(self.size, PREAMBLE.size))
        self._layout = layout = unpack_preamble(self.path, head, self.size)
        rest = self._read(PREAMBLE.size, layout.start - PREAMBLE.size)
        self.tree, checksums = unpack_header(self.path, head, rest, layout)
        self._sums = np.frombuffer(checksums, dtype="<u4")
        self._sound = np.zeros(layout.blocks, dtype=bool)
        self._kept: dict[int, bytes] = {}
        self._map: mmap.mmap | None = None
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
            self._arrays[number] = self._located(self._table[number])
        return self._arrays[number]

    def verify(self, low: int = 0, high: int | None = None) -> None:
        """Verify the blocks of some bytes of the data, unless they were before; by default of all."""
        high = self._layout.data if high is None else high
        first, end = low // BLOCK, -(-high // BLOCK)
        for start in range(first, end, _AT_ONCE):
            stop = min(start + _AT_ONCE, end)
            if self._sound[start:stop].all():
                continue
            bytes_from = start * BLOCK
            content = memoryview(self._data(bytes_from, min(stop * BLOCK, self._layout.data)))
            for block in range(start, stop):
                at = block * BLOCK - bytes_from
                self._check(block, content[at : at + BLOCK])
            self._sound[start:stop] = True

    def content(self, low: int, high: int) -> bytes:
        """Return some bytes of the data, verified."""
        first, last = low // BLOCK, (high - 1) // BLOCK
        blocks = [self.block(block) for block in range(first, last + 1)]
        joined = blocks[0] if len(blocks) == 1 else b"".join(blocks)
        return joined[low - first * BLOCK : high - first * BLOCK]

    def block(self, block: int) -> bytes:
        """Return a block of the data, verified."""
        content = self._kept.get(block)
        if content is None:
            low = block * BLOCK
            content = self._read(self._layout.start + low, min(BLOCK, self._layout.data - low))
            self._check(block, content)
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            self._kept[block] = content
        return content

    def mapped(self, place: int, dtype: np.dtype[Any], count: int) -> NDArray[Any]:
        """Return entries at a place of the data, mapped into memory; to be verified by the caller before."""
        if self._map is None:
            self._map = _mapping(self.path, self._number, self._layout.size)
        return np.frombuffer(self._map, dtype=dtype, count=count, offset=self._layout.start + place)

    def _check(self, block: int, content: bytes | memoryview) -> None:
        if zlib.crc32(content) != self._sums[block]:
            low = self._layout.start + block * BLOCK
            high = low + len(content)
            raise self.error(f"bytes {low} to {high} are damaged: their checksum does not match")

    def _data(self, low: int, high: int) -> bytes:
        return self._read(self._layout.start + low, high - low)

    def _read(self, place: int, count: int) -> bytes:
        content = self._part(place, count)
        while len(content) < count:
            more = self._part(place + len(content), count - len(content))
            if not more:
                raise damaged(self.path, "it became shorter while it was read")
            content += more
        return content

    def _part(self, place: int, count: int) -> bytes:
        if _ANYWHERE:
            return os.pread(self._number, count, place)
        with self._turn:
            os.lseek(self._number, place, os.SEEK_SET)
            return os.read(self._number, count)

    def _located(self, entry: Any) -> StoredArray:
        """Return an array whose place the header gives, unless it cannot be there."""
        try:
            dtype, shape, order, place = entry
            sound = isinstance(dtype, str) and DTYPES.fullmatch(dtype) and order in ("C", "F")
            sound = sound and isinstance(shape, list) and len(shape) <= 8
            sound = sound and all(type(k) is int and 0 <= k < 1 << 48 for k in [*shape, place])
        except (TypeError, ValueError):
            sound = False
        if not sound:
            raise self.error(f"its header describes an array as {str(entry)[:80]}")
        kind = np.dtype(dtype)
        if place % ALIGN or place + math.prod(shape) * kind.itemsize > self._layout.data:
            raise self.error(f"its header places an array of shape {shape} outside of the file")
        return StoredArray(self, place, kind, tuple(shape), order)


class StoredArray(Unread):
    """An array in a file. `take` and `span` read some rows, `read` all of it; all that is returned was verified.

    Attributes
    ----------
    dtype, shape, nbytes
        As of the array.
    """

    def __init__(
        self, file: StoredFile, place: int, dtype: np.dtype[Any], shape: tuple[int, ...], order: Any
    ) -> None:
        self._file, self._place, self._order = file, place, order
        self.dtype, self.shape = dtype, shape
        self.nbytes = math.prod(shape) * dtype.itemsize
        self._width = self.nbytes // shape[0] if shape and shape[0] else 0
        self._array: NDArray[Any] | None = None
        self._fetched = 0

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"StoredArray({self.dtype}, {self.shape}, in {self._file.path!r})"

    def read(self) -> NDArray[Any]:
        """Return the whole array: a copy if it is small, else mapped into memory, where it can be written to."""
        if self._array is None:
            count = math.prod(self.shape)
            if not self.nbytes:
                flat = np.empty(count, dtype=self.dtype)
            elif self.nbytes <= _COPIED:
                content = self._file.content(self._place, self._place + self.nbytes)
                flat = np.frombuffer(bytearray(content), dtype=self.dtype)
            else:
                self._file.verify(self._place, self._place + self.nbytes)
                flat = self._file.mapped(self._place, self.dtype, count)
            self._array = flat.reshape(self.shape, order=self._order)
        return self._array

    def span(self, low: int, high: int) -> NDArray[Any]:
        """Return the entries from `low` to `high` of an array of one dimension."""
        if not 0 <= low <= high <= len(self):
            raise self._file.error(f"entries {low} to {high} are asked for of an array with {len(self)}")
        if low == high:
            return np.empty(0, dtype=self.dtype)
        start = self._place + low * self._width
        return np.frombuffer(self._file.content(start, start + (high - low) * self._width), dtype=self.dtype)

    def take(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Return a copy of some rows."""
        rows = np.asarray(rows, dtype=np.intp)
        if len(rows) and (rows.min() < 0 or rows.max() >= len(self)):
            raise self._file.error(f"row {rows.max()} is asked for of an array with {len(self)}")
        if self._array is None and self._order == "C" and self.nbytes > _COPIED:
            self._fetched += len(rows)
            blocks = self.nbytes // BLOCK
            if len(rows) * _SHARE <= blocks and self._fetched <= _OVER_TIME * blocks:
                result = np.empty((len(rows), *self.shape[1:]), dtype=self.dtype)
                for low in range(0, len(rows), _ROWS):
                    result[low : low + _ROWS] = self._copied(rows[low : low + _ROWS])
                return result
        return np.asarray(self.read()[rows])

    def _copied(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Return rows out of the blocks they are in, which follow each other where a row goes on in the next."""
        start = self._place + rows * self._width
        first, last = start // BLOCK, (start + self._width - 1) // BLOCK
        reach = np.arange(int((last - first).max(initial=0)) + 1)
        blocks = np.unique(np.minimum(first[:, None] + reach, last[:, None]))
        joined = np.frombuffer(b"".join(map(self._file.block, blocks.tolist())), dtype=np.uint8)
        # In the largest units that rows and blocks both consist of.
        unit = math.gcd(self._width, ALIGN)
        entries = joined[: len(joined) // unit * unit].view(f"V{unit}")
        at = (np.searchsorted(blocks, first) * BLOCK + start % BLOCK) // unit
        found = entries[at[:, None] + np.arange(self._width // unit)]
        return np.asarray(found.reshape(-1).view(self.dtype).reshape(len(rows), *self.shape[1:]))


def _mapping(path: str, file: int, size: int) -> mmap.mmap:
    """Return a file mapped privately: arrays may be written to, and the file never is."""
    try:
        return mmap.mmap(file, size, access=mmap.ACCESS_COPY)
    except ValueError:
        raise damaged(path, "it became shorter while it was read") from None
    except OSError:
        # Some systems promise no more private memory than there is; then arrays can only be read.
        return mmap.mmap(file, size, access=mmap.ACCESS_READ)
