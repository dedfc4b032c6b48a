"""Places of the columns of a Parquet file, and headers of their pages, which say what unpacking takes.

The sizes in the metadata of the file are not used by the reader of pyarrow, and may say anything. The metadata of
columns are read here, since pyarrow ends the process if their statistics contradict each other. All of it
is in the compact protocol of Thrift.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Chunk", "Page", "chunks", "pages"]

_STRUCT, _LIST, _SET, _MAP, _BINARY, _DOUBLE, _BYTE, _TRUE, _FALSE = 12, 9, 10, 11, 8, 7, 3, 1, 2
_INTEGERS = (4, 5, 6)
_DEEPEST = 10
#: Types of pages, and the fields of their headers with the number of values and the encoding.
_HEADERS = {0: (5, 1, 2), 2: (7, 1, 2), 3: (8, 1, 4)}
_LENGTH_OF_END = 8


class Chunk(NamedTuple):
    """The pages of a column in a group of rows: from where to where, and the number of rows."""

    start: int
    end: int
    rows: int


class Page(NamedTuple):
    """What the header of a page says.

    Attributes
    ----------
    size : int
        Bytes of the unpacked page.
    values : int
        Number of values.
    encoding : int
        Number of the encoding in the Parquet format.
    """

    size: int
    values: int
    encoding: int


class _Struct:
    """A struct: its integers, structs and lists by the numbers of their fields; other values are skipped."""

    def __init__(self) -> None:
        self.fields: dict[int, int | _Struct | list[_Struct]] = {}

    def integer(self, number: int, default: int | None = None) -> int:
        value = self.fields.get(number, default)
        if not isinstance(value, int):
            raise ValueError("its metadata are damaged")
        return value

    def small(self, number: int, default: int | None = None) -> int:
        """Return a number of 32 bits that is not negative; pyarrow drops higher bits."""
        value = self.integer(number, default)
        if not 0 <= value < 2**31:
            raise ValueError("the header of a page is damaged")
        return value

    def struct(self, number: int) -> _Struct:
        value = self.fields.get(number, _NOTHING)
        if not isinstance(value, _Struct):
            raise ValueError("its metadata are damaged")
        return value

    def structs(self, number: int) -> list[_Struct]:
        value = self.fields.get(number, [])
        if not isinstance(value, list):
            raise ValueError("its metadata are damaged")
        return value


_NOTHING = _Struct()


def chunks(content: bytes) -> list[list[Chunk]]:
    """Return the chunks of each group of rows by column; errors are ValueErrors and LookupErrors."""
    length = int.from_bytes(content[-_LENGTH_OF_END:-4], "little")
    if length + _LENGTH_OF_END > len(content):
        raise ValueError("its metadata are longer than the file")
    metadata = _Reader(content, len(content) - _LENGTH_OF_END - length).struct()
    return [
        [_chunk(column.struct(3), group.integer(3)) for column in group.structs(1)]
        for group in metadata.structs(4)
    ]


def _chunk(metadata: _Struct, rows: int) -> Chunk:
    start, dictionary = metadata.integer(9), metadata.integer(11, 0)
    start = dictionary if 0 < dictionary < start else start
    values = metadata.integer(5)
    # A column of no values has no pages.
    return Chunk(start, start + (metadata.integer(7) if values else 0), max(rows, values))


def pages(content: bytes, start: int, end: int) -> list[Page]:
    """Return the pages between two places of a file; errors are ValueErrors and LookupErrors."""
    if not 0 <= start <= end <= len(content):
        raise ValueError("a column is outside of the file")
    found = []
    while start < end:
        reader = _Reader(content, start)
        header = reader.struct()
        place, values_at, encoding_at = _HEADERS.get(header.integer(1), (5, 1, 2))
        own = header.struct(place)
        found.append(Page(header.small(2), own.small(values_at, 0), own.small(encoding_at, 0)))
        start = reader.at + header.small(3)
    return found


class _Reader:
    """Reads values of the compact protocol, one after the other."""

    def __init__(self, content: bytes, at: int) -> None:
        self.content, self.at = content, at

    def byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def unsigned(self) -> int:
        value = shift = 0
        while shift < 64:
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
        raise ValueError("its metadata are damaged")

    def integer(self) -> int:
        value = self.unsigned()
        return (value >> 1) ^ -(value & 1)

    def struct(self, depth: int = 0) -> _Struct:
        found = _Struct()
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.integer()
            value = self.value(head & 15, depth)
            if value is not None:
                found.fields[number] = value
        return found

    def value(self, kind: int, depth: int) -> int | _Struct | list[_Struct] | None:
        """Return an integer, a struct or a list of structs; other values are skipped."""
        if depth > _DEEPEST or self.at > len(self.content):
            raise ValueError("its metadata are damaged")
        if kind in _INTEGERS:
            return self.integer()
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind in (_LIST, _SET):
            head = self.byte()
            count = self.unsigned() if head >> 4 == 15 else head >> 4
            elements = [self.element(head & 15, depth) for _ in range(count)]
            return [element for element in elements if isinstance(element, _Struct)]
        if kind == _MAP:
            count = self.unsigned()
            kinds = self.byte() if count else 0
            for _ in range(count):
                self.element(kinds >> 4, depth)
                self.element(kinds & 15, depth)
        elif kind == _BINARY:
            length = self.unsigned()  # which moves `at` itself
            self.at += length
        elif kind == _DOUBLE:
            self.at += 8
        elif kind == _BYTE:
            self.at += 1
        elif kind not in (_TRUE, _FALSE):
            raise ValueError("its metadata are damaged")
        return None

    def element(self, kind: int, depth: int) -> int | _Struct | list[_Struct] | None:
        """Return an element of a list or map, where a truth value takes a byte."""
        return self.value(_BYTE if kind in (_TRUE, _FALSE) else kind, depth + 1)
