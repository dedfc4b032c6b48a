"""Reading of files of arrays, with verification of each block before use.

Everything is read into memory of this process and verified there. A memory map would show what another process
writes to the file after the verification, and the process would end if the file became shorter.
"""

from __future__ import annotations

import math
import os
import re
import threading
import weakref
import zlib
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from lpgraph._files import open_regular
from lpgraph._missing_file import check_path
from lpgraph.storage.layout import ALIGN, BLOCK, PREAMBLE, damaged, unpack_header, unpack_preamble
from lpgraph.storage.unread import Unread

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lpgraph.errors import ModelFileError

    Order = Literal["C", "F"]

__all__ = ["DTYPES", "StoredArray", "StoredFile", "has_values"]

#: Numbers and strings of fixed width, but no objects.
DTYPES = re.compile(r"\|b1|[<|][iu][1248]|<f[248]|<U[1-9]\d{0,5}|\|S[1-9]\d{0,5}")
#: Whether the system can read at an offset without seeking.
_ANYWHERE = hasattr(os, "pread")
#: Blocks cached, blocks read at a time, and minimum bytes of an array whose rows are read singly.
_KEPT, _AT_ONCE, _LARGE = 2048, 256, 1 << 20
#: Largest code point of a text.
_LAST_CHARACTER = 0x10FFFF
#: Rows are copied singly while a call takes at most blocks / _SHARE rows, and all calls blocks * _OVER_TIME.
_SHARE, _OVER_TIME = 4, 1
#: Rows copied at a time, which limits the memory for their blocks.
_ROWS = 512


def has_values(array: NDArray[np.generic]) -> bool:
    """Whether booleans are 0 or 1, and texts have characters.

    numpy would count another boolean wrongly, and fail to return another text.
    """
    if array.dtype.kind not in "bU" or not array.size:
        return True
    kind, most = (np.uint8, 1) if array.dtype.kind == "b" else (np.uint32, _LAST_CHARACTER)
    return bool(np.ascontiguousarray(array).reshape(-1).view(kind).max() <= most)


class Entry(NamedTuple):
    """An array in the header: its type and shape, the order of its entries, and its offset in the data."""

    dtype: np.dtype[np.generic]
    shape: tuple[int, ...]
    order: Order
    place: int

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return math.prod(self.shape) * self.dtype.itemsize


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
        check_path("path", path)
        self.path = os.fspath(path)
        self._number = open_regular(path)
        self._close = weakref.finalize(self, os.close, self._number)
        self._turn = threading.Lock()
        self.size = os.fstat(self._number).st_size
        head = self._read(0, min(self.size, PREAMBLE.size))
        self._layout = layout = unpack_preamble(self.path, head, self.size)
        rest = self._read(PREAMBLE.size, layout.start - PREAMBLE.size)
        self.tree, checksums = unpack_header(self.path, head, rest, layout)
        self._sums = np.frombuffer(checksums, dtype="<u4")
        self._kept: dict[int, bytes] = {}
        self._whole: NDArray[np.uint8] | None = None
        table = self.tree.get("arrays")
        if not isinstance(table, list):
            raise self.error("its header has no table of arrays")
        self._table = self._entries(table)

    def error(self, what: str) -> ModelFileError:
        """Return the error for this file."""
        return damaged(self.path, what)

    def array(self, number: object) -> StoredArray:
        """Return an array by its number; its contents are not read yet."""
        if type(number) is not int or not 0 <= number < len(self._table):
            raise self.error(f"its header refers to array {str(number)[:40]} of {len(self._table)}")
        return StoredArray(self, self._table[number])

    def read_whole(self) -> None:
        """Read and verify all data, which are kept in memory, and close the file."""
        self._whole = self.copied(0, self._layout.data)
        self._close()

    def verify(self) -> None:
        """Verify all data without keeping them."""
        for low in range(0, self._layout.data, _AT_ONCE * BLOCK):
            self.copied(low, min(low + _AT_ONCE * BLOCK, self._layout.data))

    def copied(self, low: int, high: int) -> NDArray[np.uint8]:
        """Return a range of bytes of the data after verification; writing does not change the file."""
        if self._whole is not None or low == high:
            return np.empty(0, dtype=np.uint8) if self._whole is None else self._whole[low:high]
        first, end = low // BLOCK, -(-high // BLOCK)
        start, stop = first * BLOCK, min(end * BLOCK, self._layout.data)
        result = np.empty(stop - start, dtype=np.uint8)
        for block in range(first, end, _AT_ONCE):
            part = result[block * BLOCK - start : (block + _AT_ONCE) * BLOCK - start]
            part[:] = np.frombuffer(self._read(self._layout.start + block * BLOCK, len(part)), dtype=np.uint8)
            view = part.data
            for k in range(min(_AT_ONCE, end - block)):
                self._check(block + k, view[k * BLOCK : (k + 1) * BLOCK])
        return result[low - start : high - start]

    def content(self, low: int, high: int) -> bytes:
        """Return a short range of bytes of the data after verification; its blocks are kept for further ones."""
        first, last = low // BLOCK, (high - 1) // BLOCK
        blocks = [self.block(block) for block in range(first, last + 1)]
        joined = blocks[0] if len(blocks) == 1 else b"".join(blocks)
        return joined[low - first * BLOCK : high - first * BLOCK]

    def block(self, block: int) -> bytes:
        """Return a block of the data after verification."""
        content, low = self._kept.get(block), block * BLOCK
        if self._whole is not None:
            return self._whole[low : low + BLOCK].tobytes()
        if content is None:
            content = self._read(self._layout.start + low, min(BLOCK, self._layout.data - low))
            self._check(block, content)
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            self._kept[block] = content
        return content

    def _check(self, block: int, content: bytes | memoryview) -> None:
        if zlib.crc32(content) != self._sums[block]:
            low = self._layout.start + block * BLOCK
            high = low + len(content)
            raise self.error(f"bytes {low} to {high} are damaged: the checksum does not match")

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

    def _entries(self, table: list[object]) -> list[Entry]:
        """Return the entries of the table of arrays, which may not overlap."""
        entries, end = [], 0
        for described in table:
            entry = self._entry(described)
            if entry.place % ALIGN or entry.place < end or entry.place + entry.nbytes > self._layout.data:
                raise self.error(
                    f"its header places an array of shape {entry.shape} outside the file, or in another array"
                )
            entries.append(entry)
            end = entry.place + entry.nbytes
        return entries

    def _entry(self, described: Any) -> Entry:
        """Return an entry of the header, or raise if it is invalid."""
        try:
            dtype, shape, order, place = described
            sound = isinstance(dtype, str) and DTYPES.fullmatch(dtype) and order in ("C", "F")
            sound = sound and isinstance(shape, list) and len(shape) <= 8
            # Without this bound, an array without entries could be longer than the memory.
            sound = sound and all(type(k) is int and 0 <= k <= self.size for k in [*shape, place])
        except (TypeError, ValueError):
            sound = False
        if not sound:
            raise self.error(f"its header describes an array as {str(described)[:80]}")
        return Entry(np.dtype(dtype), tuple(shape), order, place)


class StoredArray(Unread):
    """An array in a file. `take` and `span` read some rows, `read` the whole array, all with verification.

    Attributes
    ----------
    dtype, shape, nbytes
        As of the array.
    """

    def __init__(self, file: StoredFile, entry: Entry) -> None:
        self._file, self._place, self._order = file, entry.place, entry.order
        self.dtype, self.shape, self.nbytes = entry.dtype, entry.shape, entry.nbytes
        self._width = self.nbytes // self.shape[0] if self.shape and self.shape[0] else 0
        self._array: NDArray[Any] | None = None
        self._fetched = 0
        self._checks: list[Callable[[NDArray[Any]], None]] = []

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"StoredArray({self.dtype}, {self.shape}, in {self._file.path!r})"

    def require(self, check: Callable[[NDArray[Any]], None]) -> None:
        """Add a check of entries, which raises; rows and spans are checked when they are read."""
        self._checks.append(check)
        if self._array is not None:
            check(self._array)

    def read(self) -> NDArray[Any]:
        """Return the whole array. Writing to it does not change the file."""
        if self._array is None:
            flat = self._file.copied(self._place, self._place + self.nbytes).view(self.dtype)
            self._array = self._checked(flat.reshape(self.shape, order=self._order))
        return self._array

    def span(self, low: int, high: int) -> NDArray[Any]:
        """Return the entries from `low` to `high` of a one-dimensional array."""
        if not 0 <= low <= high <= len(self):
            raise self._file.error(f"entries {low} to {high} are not in an array with {len(self)}")
        if low == high:
            return np.empty(0, dtype=self.dtype)
        start = self._place + low * self._width
        content = self._file.content(start, start + (high - low) * self._width)
        return self._checked(np.frombuffer(content, dtype=self.dtype))

    def take(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Return a copy of some rows."""
        rows = np.asarray(rows, dtype=np.intp)
        if len(rows) and (rows.min() < 0 or rows.max() >= len(self)):
            raise self._file.error(f"rows {rows.min()} to {rows.max()} are not in an array with {len(self)}")
        if self._array is None and self._order == "C" and self.nbytes > _LARGE:
            self._fetched += len(rows)
            blocks = self.nbytes // BLOCK
            if len(rows) * _SHARE <= blocks and self._fetched <= _OVER_TIME * blocks:
                result = np.empty((len(rows), *self.shape[1:]), dtype=self.dtype)
                for low in range(0, len(rows), _ROWS):
                    result[low : low + _ROWS] = self._copied(rows[low : low + _ROWS])
                return self._checked(result)
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

    def _checked(self, array: NDArray[Any]) -> NDArray[Any]:
        if not has_values(array):
            raise self._file.error("an array of booleans or texts has other values")
        for check in self._checks:
            check(array)
        return array
