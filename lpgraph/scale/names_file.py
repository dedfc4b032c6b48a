"""Vertex names in a Parquet file: a sequence and an index that read only the row groups that are asked for."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, overload

import numpy as np

from lpgraph._cached import cached_property
from lpgraph._checks import import_extra
from lpgraph.errors import StoreError
from lpgraph.graph.names import IndexedNames, ManyIndex

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.names import Labels
    from lpgraph.scale.arrow_types import Column, ParquetFile

__all__ = ["FileIndex", "FileNames"]

#: Row groups that are kept in memory.
_KEPT = 32


class FileNames(IndexedNames):
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
    def row_index(self) -> FileIndex:
        """The mapping from name to row."""
        return FileIndex(self)

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
        return self._column(number).to_pylist()

    def _column(self, number: int) -> Column:
        """Return the names of a row group as an Arrow array."""
        arrow = import_extra("pyarrow", "scale")
        try:
            found: Column = self._file.read_row_group(number).column(0).combine_chunks()
        except (OSError, arrow.ArrowException) as error:
            raise self._damaged(error) from None
        return found

    def arrow(self, low: int, high: int) -> Column:
        """Return the names low ... high - 1 as an Arrow array."""
        arrow = import_extra("pyarrow", "scale")
        first, last = bisect_right(self.starts, low) - 1, bisect_left(self.starts, high)
        chunks = [
            self._column(g).slice(
                max(low - self.starts[g], 0), min(high, self.starts[g + 1]) - max(low, self.starts[g])
            )
            for g in range(first, last)
        ]
        found: Column = arrow.concat_arrays(chunks)
        return found

    @property
    def are_texts(self) -> bool:
        """Whether names are texts; otherwise they are integers."""
        return isinstance(self.firsts[0], str)

    def rows_of(self, wanted: NDArray[np.int64] | Column) -> NDArray[np.int64]:
        """Return the row of each of many names of the type of the names, -1 where there is none.

        They are sorted, and merged with the row groups, each of which is read once.
        """
        return self._rows_of_integers(wanted) if isinstance(wanted, np.ndarray) else self._rows_of_texts(wanted)

    def _rows_of_integers(self, wanted: NDArray[np.int64]) -> NDArray[np.int64]:
        found, order = np.full(len(wanted), -1), np.argsort(wanted, kind="stable")
        ordered = wanted[order]
        cuts = [*np.searchsorted(ordered, np.array(self.firsts, dtype=np.int64)).tolist(), len(ordered)]
        for g, (low, high) in enumerate(pairwise(cuts)):
            if low < high:
                group, some = np.asarray(self._column(g).to_numpy(zero_copy_only=False)), ordered[low:high]
                place = np.minimum(np.searchsorted(group, some), len(group) - 1)
                found[order[low:high]] = np.where(group[place] == some, self.starts[g] + place, -1)
        return found

    def _rows_of_texts(self, wanted: Column) -> NDArray[np.int64]:
        arrow, compute = import_extra("pyarrow", "scale"), import_extra("pyarrow.compute", "scale")
        indices = compute.array_sort_indices(wanted)
        ordered, order = wanted.take(indices), np.asarray(indices.to_numpy())
        # Texts are in the order of their bytes, there and here.
        places = range(len(ordered))
        cuts = [bisect_left(places, first, key=lambda k: ordered[k].as_py()) for first in self.firsts]
        found = np.full(len(wanted), -1)
        for g, (low, high) in enumerate(pairwise([*cuts, len(ordered)])):
            if low < high:
                group = self._column(g).cast(arrow.large_string())
                place = compute.index_in(ordered.slice(low, high - low), value_set=group).fill_null(-1).to_numpy()
                found[order[low:high]] = np.where(place < 0, -1, self.starts[g] + place)
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

    def pieces(self) -> Iterator[Labels]:
        """Yield the names of each row group: an array of integers, or a list of texts."""
        for number in range(len(self.starts) - 1):
            column = self._column(number)
            if self.are_texts:
                yield [*column.to_pylist()]
            else:
                yield np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.int64)

    def __repr__(self) -> str:
        return f"FileNames({self._n} names in {self.path})"

    def __reduce__(self) -> tuple[type[FileNames], tuple[Path, int]]:
        return FileNames, (self.path, self._n)


class FileIndex(ManyIndex):
    """The mapping name -> row by bisection, as a dict without its memory."""

    def __init__(self, names: FileNames) -> None:
        self.names = names
        self._known: Mapping[Hashable, int] = {}

    def remember(self, rows: Mapping[Hashable, int] | None) -> None:
        """Keep the rows of some names."""
        self._known = rows or {}

    def __getitem__(self, name: Hashable) -> int:
        row = self._known.get(name)
        if row is not None:
            if row < 0:
                raise KeyError(name)
            return row
        firsts = self.names.firsts
        found = _comparable(name, firsts[0])
        number = bisect_right(firsts, found) - 1
        if number < 0:
            raise KeyError(name)
        group = self.names.group(number)
        place = bisect_left(group, found)
        if place == len(group) or group[place] != found:
            raise KeyError(name)
        return self.names.starts[number] + place

    def rows_of(self, labels: Labels) -> NDArray[np.int64]:
        """Return the row of each name, -1 where there is none."""
        names = self.names
        if isinstance(labels, np.ndarray):
            return np.full(len(labels), -1) if names.are_texts else names.rows_of(labels)
        if names.are_texts and all(type(name) is str for name in labels):
            with suppress(UnicodeEncodeError):
                return names.rows_of(_texts(labels))
        kept, values = [], []
        for k, name in enumerate(labels):
            with suppress(KeyError):
                value = _comparable(name, names.firsts[0])
                if not _is_storable(value):
                    continue
                values.append(value)
                kept.append(k)
        found = np.full(len(labels), -1)
        if kept:
            found[kept] = names.rows_of(_texts(values) if names.are_texts else np.array(values, dtype=np.int64))
        return found

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"FileIndex({len(self)} names)"


def _texts(values: Sequence[Hashable]) -> Column:
    arrow = import_extra("pyarrow", "scale")
    found: Column = arrow.array(values, arrow.large_string())
    return found


def _is_storable(value: str | int) -> bool:
    """Whether a name could be in a file: an integer of 64 bits, or a text without half characters."""
    if isinstance(value, int):
        return -(1 << 63) <= value < 1 << 63
    try:
        return value.isascii() or bool(value.encode())
    except UnicodeEncodeError:
        return False


def _comparable(name: Hashable, first: str | int) -> str | int:
    """Return a name as one of the type of the names; raise KeyError if it is none of them."""
    hash(name)  # raises TypeError for an unhashable name, as a dict does
    if isinstance(first, str):
        if isinstance(name, str):
            return name
    elif isinstance(name, int | np.integer) or (isinstance(name, float) and name.is_integer()):
        return int(name)  # 3.0 == 3 also in a dict
    raise KeyError(name)
