"""Reading of files of arrays, with verification of each block before use.

Single rows are copied from the file block by block, since through a memory map the system would read hundreds of
kilobytes around each. Whole arrays are verified and then memory-mapped.
"""

from __future__ import annotations

import errno
import math
import mmap
import os
import re
import threading
import weakref
import zlib
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lpgraph._files import open_regular
from lpgraph.storage.layout import ALIGN, BLOCK, PREAMBLE, damaged, unpack_header, unpack_preamble
from lpgraph.storage.unread import Unread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.errors import ModelFileError

    Order = Literal["C", "F"]

__all__ = ["DTYPES", "StoredArray", "StoredFile"]

#: Numbers and strings of fixed width, but no objects.
DTYPES = re.compile(r"\|b1|[<|][iu][1248]|<f[248]|<U\d{1,6}|\|S\d{1,6}")
#: Whether the system can read at an offset without seeking.
_ANYWHERE = hasattr(os, "pread")
#: Blocks cached, blocks verified at a time, and maximum bytes of an array that is copied rather than mapped.
_KEPT, _AT_ONCE, _COPIED = 2048, 256, 1 << 20
#: Rows are copied singly while a call takes at most blocks / _SHARE rows, and all calls blocks * _OVER_TIME.
_SHARE, _OVER_TIME = 4, 1
#: Rows copied at a time, which limits the memory for their blocks.
_ROWS = 512


class StoredFile:
    """A file written by `lpgraph.storage.write.write_file`. The tree is read on opening, arrays on demand.

    Attributes
    ----------
    path : str
        The path, for errors.
    tree : dict
        The caller's values.
    size : int
        Size in bytes.

    Raises
    ------
    ModelFileError
        On opening, if the size or version is wrong or the header is damaged. Later, if a block to be used is
        damaged.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._number = open_regular(path)
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
        table = self.tree.get("arrays")
        if not isinstance(table, list):
            raise self.error("its header has no table of arrays")
        self._table: list[object] = table
        self._arrays: dict[int, StoredArray] = {}

    def error(self, what: str) -> ModelFileError:
        """Return the error for this file."""
        return damaged(self.path, what)

    def array(self, number: object) -> StoredArray:
        """Return an array by its number; its contents are not read yet."""
        if type(number) is not int or not 0 <= number < len(self._table):
            raise self.error(f"its header refers to array {number!r} of {len(self._table)}")
        if number not in self._arrays:
            self._arrays[number] = self._located(self._table[number])
        return self._arrays[number]

    def verify(self, low: int = 0, high: int | None = None) -> None:
        """Verify the blocks of a range of bytes of the data (default: all) that are not verified yet."""
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
        """Return a range of bytes of the data after verification."""
        first, last = low // BLOCK, (high - 1) // BLOCK
        blocks = [self.block(block) for block in range(first, last + 1)]
        joined = blocks[0] if len(blocks) == 1 else b"".join(blocks)
        return joined[low - first * BLOCK : high - first * BLOCK]

    def block(self, block: int) -> bytes:
        """Return a block of the data after verification."""
        content = self._kept.get(block)
        if content is None:
            low = block * BLOCK
            content = self._read(self._layout.start + low, min(BLOCK, self._layout.data - low))
            self._check(block, content)
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            self._kept[block] = content
        return content

    def mapped(self, place: int, dtype: np.dtype[np.generic], count: int) -> NDArray[np.generic]:
        """Return memory-mapped entries from an offset of the data; the caller must have verified them."""
        if self._map is None:
            self._map = _mapping(self.path, self._number, self._layout.size)
        return np.frombuffer(self._map, dtype=dtype, count=count, offset=self._layout.start + place)

    def _check(self, block: int, content: bytes | memoryview) -> None:
        if zlib.crc32(content) != self._sums[block]:
            low = self._layout.start + block * BLOCK
            high = low + len(content)
            raise self.error(f"bytes {low} to {high} are damaged: the checksum does not match")

    def _data(self, low: int, high: int) -> bytes:
        return self._read(self._layout.start + low, high - low)

    def _read(self, place: int, count: int) -> bytes:
        content = self._part(place, count)
        while len(content) < count:
            more = self._part(place + len(content), count - len(content))
            if not more:
                raise damaged(self.path, "it was truncated while it was read")
            content += more
        return content

    def _part(self, place: int, count: int) -> bytes:
        if _ANYWHERE:
            return os.pread(self._number, count, place)
        with self._turn:
            os.lseek(self._number, place, os.SEEK_SET)
            return os.read(self._number, count)

    def _located(self, entry: Any) -> StoredArray:
        """Return the array described by an entry of the header, or raise if the entry is invalid."""
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
            raise self.error(f"its header places an array of shape {shape} outside the file")
        return StoredArray(self, place, kind, tuple(shape), order)


class StoredArray(Unread):
    """An array in a file. `take` and `span` read some rows, `read` the whole array, all with verification.

    Attributes
    ----------
    dtype, shape, nbytes
        As of the array.
    """

    def __init__(
        self, file: StoredFile, place: int, dtype: np.dtype[np.generic], shape: tuple[int, ...], order: Order
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
        """Return the whole array, copied if it is small, else memory-mapped. Writing does not change the file."""
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
        """Return the entries from `low` to `high` of a one-dimensional array."""
        if not 0 <= low <= high <= len(self):
            raise self._file.error(f"entries {low} to {high} are not in an array with {len(self)}")
        if low == high:
            return np.empty(0, dtype=self.dtype)
        start = self._place + low * self._width
        return np.frombuffer(self._file.content(start, start + (high - low) * self._width), dtype=self.dtype)

    def take(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Return a copy of some rows."""
        rows = np.asarray(rows, dtype=np.intp)
        if len(rows) and (rows.min() < 0 or rows.max() >= len(self)):
            raise self._file.error(f"rows {rows.min()} to {rows.max()} are not in an array with {len(self)}")
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
        """Return rows copied from the blocks that contain them."""
        start = self._place + rows * self._width
        first, last = start // BLOCK, (start + self._width - 1) // BLOCK
        reach = np.arange(int((last - first).max(initial=0)) + 1)
        blocks = np.unique(np.minimum(first[:, None] + reach, last[:, None]))
        joined = np.frombuffer(b"".join(map(self._file.block, blocks.tolist())), dtype=np.uint8)
        # Gather in the largest unit that divides rows and blocks.
        unit = math.gcd(self._width, ALIGN)
        entries = joined[: len(joined) // unit * unit].view(f"V{unit}")
        at = (np.searchsorted(blocks, first) * BLOCK + start % BLOCK) // unit
        found = entries[at[:, None] + np.arange(self._width // unit)]
        return np.asarray(found.reshape(-1).view(self.dtype).reshape(len(rows), *self.shape[1:]))


def _mapping(path: str, file: int, size: int) -> mmap.mmap:
    """Return a private memory map of a file: arrays are writable, but the file is not changed."""
    try:
        return mmap.mmap(file, size, access=mmap.ACCESS_COPY)
    except ValueError:
        raise damaged(path, "it was truncated while it was read") from None
    except OSError:
        # Some systems do not overcommit private memory; then arrays are read-only.
        try:
            return mmap.mmap(file, size, access=mmap.ACCESS_READ)
        except OSError as error:
            if error.errno == errno.ENOMEM:
                raise MemoryError(f"{path}: there is no address space for its {size} bytes") from None
            raise
