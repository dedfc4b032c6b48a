"""Vertex names in a Parquet file: a sequence and an index that read only the row groups that are asked for."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, overload

import numpy as np

from lpgraph._cached import cached_property
from lpgraph._checks import import_extra
from lpgraph.errors import StoreError

if TYPE_CHECKING:
    from lpgraph.scale.arrow_types import ParquetFile

__all__ = ["FileIndex", "FileNames"]

#: Row groups that are kept in memory.
_KEPT = 32


class FileNames(Sequence[Hashable]):
    """The names of a file, in increasing order; row i is the name of vertex i.

    Parameters
    ----------
    path : Path
        A Parquet file with one column, of strings or of integers.
    n : int
        How many names it must have.
    """

    def __init__(self, path: Path, n: int) -> None:
        self.path, self._n = path, n
        self._group = lru_cache(_KEPT)(self._read)

    @cached_property
    def _file(self) -> ParquetFile:
        parquet, arrow = import_extra("pyarrow.parquet", "scale"), import_extra("pyarrow", "scale")
        try:
            file: ParquetFile = parquet.ParquetFile(self.path, memory_map=False)
        except (OSError, arrow.ArrowException) as error:
            raise self._damaged(error) from None
        if file.metadata.num_rows != self._n or file.metadata.num_columns != 1:
            raise self._damaged(f"it has {file.metadata.num_rows} names for {self._n} vertices")
        return file

    @cached_property
    def starts(self) -> list[int]:
        """Number of the first name of each row group, and of all names."""
        meta = self._file.metadata
        counts = [meta.row_group(g).num_rows for g in range(meta.num_row_groups)]
        return [0, *np.cumsum(counts).tolist()]

    @cached_property
    def firsts(self) -> list[str | int]:
        """The first name of each row group."""
        meta = self._file.metadata
        found: list[str | int] = []
        for g in range(meta.num_row_groups):
            known = meta.row_group(g).column(0).statistics
            # There are none for long names.
            found.append(known.min if known is not None and known.has_min_max else self.group(g)[0])
        return found

    def group(self, number: int) -> list[str | int]:
        """Return the names of a row group."""
        return self._group(number)

    def _read(self, number: int) -> list[str | int]:
        arrow = import_extra("pyarrow", "scale")
        try:
            found: list[str | int] = self._file.read_row_group(number).column(0).to_pylist()
        except (OSError, arrow.ArrowException) as error:
            raise self._damaged(error) from None
        return found

    def _damaged(self, why: object) -> StoreError:
        return StoreError(f"{self.path} is damaged ({why}); build the store again, or restore it from a copy.")

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, place: int) -> Hashable: ...
    @overload
    def __getitem__(self, place: slice) -> list[Hashable]: ...
    def __getitem__(self, place: int | slice) -> Hashable | list[Hashable]:
        if isinstance(place, slice):
            return [self[i] for i in range(*place.indices(self._n))]
        i = place + self._n if place < 0 else place
        if not 0 <= i < self._n:
            raise IndexError(place)
        number = bisect_right(self.starts, i) - 1
        return self.group(number)[i - self.starts[number]]

    def __iter__(self) -> Iterator[Hashable]:
        for number in range(len(self.starts) - 1):
            yield from self._read(number)  # not kept: a pass would drop what is looked up

    def __repr__(self) -> str:
        return f"FileNames({self._n} names in {self.path})"

    def __reduce__(self) -> tuple[type[FileNames], tuple[Path, int]]:
        return FileNames, (self.path, self._n)


class FileIndex(Mapping[Hashable, int]):
    """The mapping name -> row by bisection, as a dict without its memory."""

    def __init__(self, names: FileNames) -> None:
        self._names = names

    def __getitem__(self, name: Hashable) -> int:
        firsts = self._names.firsts
        found = _comparable(name, firsts[0])
        number = bisect_right(firsts, found) - 1
        if number < 0:
            raise KeyError(name)
        group = self._names.group(number)
        place = bisect_left(group, found)
        if place == len(group) or group[place] != found:
            raise KeyError(name)
        return self._names.starts[number] + place

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"FileIndex({len(self)} names)"


def _comparable(name: Hashable, first: str | int) -> str | int:
    """Return a name as one of the type of the names; raise KeyError if it is none of them."""
    hash(name)  # raises TypeError for an unhashable name, as a dict does
    if isinstance(first, str):
        if isinstance(name, str):
            return name
    elif isinstance(name, int | np.integer) or (isinstance(name, float) and name.is_integer()):
        return int(name)  # 3.0 == 3 also in a dict
    raise KeyError(name)
