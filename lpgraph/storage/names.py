"""Vertex names in a file, with a hash table that finds the row of a name without reading the others."""

from __future__ import annotations

import itertools
import json
import numbers
import zlib
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.storage.unread import Unread

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lpgraph.storage.read import StoredArray, StoredFile

__all__ = ["StoredIndex", "StoredNames", "store_names"]

#: Number of bits of the row in an entry of the table.
_ROW_BITS = 31
#: A lookup takes twenty microseconds; if more than 1 / _SHARE of the names were looked up, all are read.
_SHARE = 25


def store_names(
    names: Sequence[Hashable], add: Callable[[NDArray[np.generic]], int], compose: Callable[[Hashable], object]
) -> dict[str, object]:
    """Store names and a table to find them.

    Parameters
    ----------
    names : sequence of hashable
        Distinct names.
    add : callable
        Stores an array and returns its number.
    compose : callable
        Converts a name that is neither a string nor a 64-bit integer to JSON, or raises.

    Returns
    -------
    dict
        The argument `parts` of `StoredNames`.
    """
    n = len(names)
    if isinstance(names, range) and names == range(n):
        return {"range": n}
    if all(type(name) is int and -(1 << 63) <= name < 1 << 63 for name in names):
        found: dict[str, object] = {"integers": add(np.array(names, dtype=np.int64))}
    else:
        plain = all(type(name) is str for name in names)
        texts = [str(name) if plain else json.dumps(compose(name), separators=(",", ":")) for name in names]
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        content = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        found = {"texts" if plain else "composed": add(content), "ends": add(ends)}
    # Bucket b of the hash table has the rows order[starts[b]:starts[b + 1]].
    bits = max(0, (n - 1).bit_length())
    hashes = np.fromiter((_key(name) or 0 for name in names), dtype=np.int64, count=n)
    bucket = hashes & ((1 << bits) - 1)
    starts = np.zeros((1 << bits) + 1, dtype=np.int64)
    np.cumsum(np.bincount(bucket, minlength=1 << bits), out=starts[1:])
    order = np.argsort(bucket, kind="stable")
    # The remaining bits of the hash are stored above the row, so that few wrong names are read.
    rest = hashes >> bits
    return found | {"starts": add(starts), "order": add(order | rest[order] << _ROW_BITS)}


def _key(name: object) -> int | None:
    """Return a hash that is equal for equal names in every process; None if `name` cannot be stored."""
    spelled = _spelled(name)
    return None if spelled is None else zlib.crc32(spelled)


def _spelled(name: object) -> bytes | None:
    if isinstance(name, str):
        return b"s" + str.encode(name, "utf-8", "surrogatepass")
    if isinstance(name, bytes):
        return b"b" + name
    if isinstance(name, tuple):
        parts = [_spelled(part) for part in name]
        return (
            None if None in parts else b"(" + b"".join(b"%d:" % len(part) + part for part in parts if part) + b")"
        )
    if name is None:
        return b"-"
    if isinstance(name, numbers.Real | np.bool_):
        # Equal keys of a dict, such as 1, 1.0 and True, are equal here.
        value = int(name) if isinstance(name, numbers.Integral | np.bool_) else float(name)
        whole = isinstance(value, int) or value.is_integer()
        return b"n%d" % int(value) if whole else b"f" + repr(value).encode()
    return None


class StoredNames(Unread):
    """The names of n vertices in a file.

    Parameters
    ----------
    file : StoredFile
        The file.
    parts : dict
        The result of `store_names`.
    parse : callable
        The inverse of ``compose``.
    """

    def __init__(self, file: StoredFile, parts: object, parse: Callable[[object], Hashable]) -> None:
        if not isinstance(parts, dict):
            raise file.error("its header describes no names")
        self._file, self._parse = file, parse
        self._texts: StoredArray | None = None
        if "range" in parts:
            n = parts["range"]
            # Every vertex has an entry of an array.
            if type(n) is not int or not 0 <= n <= file.size:
                raise file.error(f"its header counts {str(n)[:40]} vertices")
            self._names: Sequence[Hashable] | None = range(n)
            self.n = n
            return
        self._names = None
        self._plain = "texts" in parts
        self._starts, self._order = self._integers(parts.get("starts")), self._integers(parts.get("order"))
        if "integers" in parts:
            self._ends = self._integers(parts["integers"])
            self.n = len(self._ends)
        else:
            self._texts = file.array(parts["texts" if self._plain else "composed"])
            self._ends = self._integers(parts.get("ends"))
            self.n = len(self._ends) - 1
        size = len(self._starts) - 1
        if self.n < 0 or len(self._order) != self.n or size < 1 or size & (size - 1) or size > 2 * self.n + 2:
            raise file.error("its table of names is invalid")

    def _integers(self, number: object) -> StoredArray:
        array = self._file.array(number)
        if array.dtype != np.int64 or len(array.shape) != 1:
            raise self._file.error("its table of names is not an array of integers")
        return array

    @property
    def counted(self) -> bool:
        """Whether the names are 0 ... n-1."""
        return isinstance(self._names, range)

    def read(self) -> Sequence[Hashable]:
        """Return all names, as a tuple or a range."""
        if self._names is None:
            if self._texts is None:
                names: tuple[Hashable, ...] = tuple(self._ends.read().tolist())
            else:
                content, ends = self._texts.read().tobytes(), self._ends.read()
                if len(ends) and (ends[0] != 0 or ends[-1] != len(content) or (ends[1:] < ends[:-1]).any()):
                    raise self._file.error("its names overlap")
                places = ends.tolist()
                names = tuple(self._name(content[low:high]) for low, high in itertools.pairwise(places))
            if len(set(names)) < len(names):
                raise self._file.error("two vertices have the same name")
            self._names = names
        return self._names

    def at(self, row: int) -> Hashable:
        """Return the name of a row."""
        if self._names is not None and 0 <= row < self.n:
            return self._names[row]
        if self._texts is None:
            return int(self._ends.span(row, row + 1)[0])
        low, high = self._ends.span(row, row + 2).tolist()
        return self._name(self._texts.span(low, high).tobytes())

    def find(self, name: object) -> int:
        """Return the row of a name, or -1."""
        key = _key(name)
        if key is None:
            return -1
        bucket = key & (len(self._starts) - 2)
        low, high = self._starts.span(bucket, bucket + 2).tolist()
        rest = key >> (len(self._starts) - 1).bit_length() - 1
        for entry in self._order.span(low, high).tolist():
            row = entry & (1 << _ROW_BITS) - 1
            if entry >> _ROW_BITS == rest and self.at(row) == name:
                return int(row)
        return -1

    def _name(self, content: bytes) -> Hashable:
        try:
            text = content.decode("utf-8", "surrogatepass")
            return text if self._plain else self._parse(json.loads(text))
        except (ValueError, RecursionError):
            raise self._file.error("it has an invalid name") from None


class StoredIndex(Mapping[Hashable, int]):
    """The mapping from name to row. A few names are looked up in the file; after many lookups all are read."""

    def __init__(self, names: StoredNames) -> None:
        self._names = names
        self._rows: dict[Hashable, int] = {}
        self._all: dict[Hashable, int] | None = None

    def _dict(self) -> dict[Hashable, int]:
        if self._all is None:
            names = self._names.read()
            self._all = dict(zip(names, range(len(names)), strict=True))
        return self._all

    def __getitem__(self, name: Hashable) -> int:
        if self._all is not None:
            return self._all[name]
        row = self._rows.get(name)  # raises TypeError for an unhashable name, like a dict
        if row is None:
            if len(self._rows) * _SHARE >= self._names.n:
                return self._dict()[name]
            row = self._rows[name] = self._names.find(name)
        if row < 0:
            raise KeyError(name)
        return row

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._dict())

    def __len__(self) -> int:
        return self._names.n

    def __reduce__(self) -> tuple[object, ...]:
        return dict, (self._dict(),)
