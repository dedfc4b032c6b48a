"""Vertex names: hashables in the order of the input; ``range(n)`` if the input has none."""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias, overload

import numpy as np

from lpgraph._articles import a_type
from lpgraph.errors import ArgumentError, ArgumentTypeError, UnknownVertexError

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A column of vertex names.
Labels: TypeAlias = "NDArray[np.int64] | list[Hashable]"

__all__ = [
    "Chosen",
    "IndexedNames",
    "Labels",
    "ManyIndex",
    "RangeIndex",
    "as_labels",
    "as_names",
    "code_names",
    "index_of",
    "number_by_appearance",
    "remembering",
]


class RangeIndex(Mapping[Hashable, int]):
    """The mapping name -> row of vertices 0 ... n-1; behaves as a dict without its memory."""

    __slots__ = ("_size",)

    def __init__(self, size: int) -> None:
        self._size = size

    def __getitem__(self, name: object) -> int:
        if isinstance(name, float) and name.is_integer():  # 3.0 == 3 also in a dict
            name = int(name)
        try:
            row = operator.index(name)  # type: ignore[arg-type]  # what is no integer raises TypeError
        except TypeError:
            hash(name)  # raises TypeError for an unhashable name, as a dict does
            raise KeyError(name) from None
        if 0 <= row < self._size:
            return row
        raise KeyError(name)

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._size))

    def __len__(self) -> int:
        return self._size


class ManyIndex(Mapping[Hashable, int]):
    """A mapping name -> row that is not in memory: many names are looked up at once."""

    @abstractmethod
    def rows_of(self, labels: Labels) -> NDArray[np.int64]:
        """Return the row of each name, -1 where there is none; raise TypeError if one is not hashable."""

    @abstractmethod
    def remember(self, rows: Mapping[Hashable, int] | None) -> None:
        """Keep the rows of some names, -1 for unknown ones, until others or None are given."""


class IndexedNames(Sequence[Hashable]):
    """Names that are not in memory, with their index."""

    @property
    @abstractmethod
    def row_index(self) -> ManyIndex:
        """The mapping from name to row."""

    @abstractmethod
    def pieces(self) -> Iterator[Labels]:
        """Yield all names, in pieces that fit into memory."""


class Chosen(Sequence[Hashable]):
    """Some of the names, which are read as they are asked for."""

    def __init__(self, names: Sequence[Hashable], rows: NDArray[np.intp]) -> None:
        self._names, self._rows = names, rows

    @overload
    def __getitem__(self, place: int) -> Hashable: ...
    @overload
    def __getitem__(self, place: slice) -> Chosen: ...
    def __getitem__(self, place: int | slice) -> Hashable | Chosen:
        if isinstance(place, slice):
            return Chosen(self._names, self._rows[place])
        return self._names[int(self._rows[place])]

    def __len__(self) -> int:
        return len(self._rows)


@contextmanager
def remembering(index: Mapping[Hashable, int], values: object) -> Iterator[None]:
    """Look up all names in a mapping or a data frame together, if the index is not in memory."""
    if not isinstance(index, ManyIndex):
        yield
        return
    columns = [list(values)] if isinstance(values, Mapping) else []
    if not columns and hasattr(values, "columns"):
        columns = [values[title].to_list() for title in values.columns]  # type: ignore[index]  # a data frame
    if hasattr(values, "index") and hasattr(values.index, "tolist"):
        columns.append(values.index.tolist())
    try:
        names = list(dict.fromkeys(chain.from_iterable(columns)))
        index.remember(dict(zip(names, index.rows_of(names).tolist(), strict=True)))
        yield
    finally:
        index.remember(None)


def index_of(names: Sequence[Hashable] | Mapping[Hashable, int]) -> Mapping[Hashable, int]:
    """Return the mapping name -> row; a mapping is returned as it is."""
    if isinstance(names, Mapping):
        return names
    if isinstance(names, range):
        return RangeIndex(len(names))
    if isinstance(names, IndexedNames):
        return names.row_index
    return dict(zip(names, range(len(names)), strict=True))


def as_names(names: Iterable[Hashable], n: int | None = None, *, argument: str = "names") -> Sequence[Hashable]:
    """Return vertex names as a tuple, or as ``range(n)`` if they are 0 ... n-1 in order.

    They must be hashable, unique and not missing, and n in number if `n` is given. Names that are not in memory
    were checked when their file was written, and are returned as they are.
    """
    if isinstance(names, str | bytes | Mapping) or not isinstance(names, Iterable):
        raise ArgumentTypeError(
            f"{argument}={names!r} is {a_type(names)}; pass a sequence of names, one a vertex."
        )
    if not isinstance(names, IndexedNames) and not (isinstance(names, range) and names == range(len(names))):
        labels = as_labels(names, argument)
        names = tuple(labels.tolist() if isinstance(labels, np.ndarray) else labels)
        try:
            distinct = len(set(names))
        except TypeError:
            bad = next(name for name in names if not _is_hashable(name))
            raise ArgumentTypeError(
                f"{argument} has {bad!r}, {a_type(bad)}, which is not hashable; "
                "use strings, numbers or tuples as vertex names."
            ) from None
        if distinct < len(names):
            repeated = next(name for name, count in Counter(names).items() if count > 1)
            raise ArgumentError(f"{argument} has {repeated!r} twice; make vertex names unique.")
        _refuse_missing(names, argument)
        if all(type(name) is int for name in names) and names == tuple(range(len(names))):
            names = range(len(names))
    if n is not None and len(names) != n:
        raise ArgumentError(f"{argument} has {len(names)} names for {n} vertices; pass {n} names.")
    return names


def as_labels(values: object, argument: str) -> Labels:
    """Return a column of vertex names as an int64 array if all are integers, else as a list.

    A list is not converted to an array first: that would turn ``[1, "a"]`` into ``["1", "a"]``.
    """
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise ArgumentTypeError(f"{argument}={values!r} is {a_type(values)}; pass a sequence of vertex names.")
    if hasattr(values, "__array__") and not isinstance(values, np.generic):
        array = np.asarray(values)
        if array.ndim != 1:
            raise ArgumentError(f"{argument} has shape {array.shape}; pass one dimension.")
        if array.dtype.kind == "i" or (array.dtype.kind == "u" and array.dtype.itemsize < 8):
            return array.astype(np.int64, copy=False)
        return list(array.tolist())
    labels = list(values)
    if labels and set(map(type, labels)) == {int}:
        try:
            return np.array(labels, dtype=np.int64)
        except OverflowError:
            pass
    return labels


def number_by_appearance(
    source: Labels, target: Labels
) -> tuple[Sequence[Hashable], NDArray[np.intp], NDArray[np.intp]]:
    """Return names in the order s0, t0, s1, t1, ..., and the codes of sources and targets among them."""
    codes: NDArray[np.intp]
    names: Sequence[Hashable]
    if isinstance(source, np.ndarray) and isinstance(target, np.ndarray):
        values = np.column_stack((source, target)).ravel()
        distinct, codes = _number_integers(values)
        is_range = np.array_equal(distinct, np.arange(distinct.size))
        names = range(distinct.size) if is_range else tuple(distinct.tolist())
    else:
        left = source.tolist() if isinstance(source, np.ndarray) else source
        right = target.tolist() if isinstance(target, np.ndarray) else target
        number: dict[Hashable, int] = {}
        codes = np.empty(2 * len(left), dtype=np.intp)
        try:
            # len(number) is evaluated before setdefault stores, so a new name gets the next number
            pairs = zip(left, right, strict=True)
            codes[:] = [number.setdefault(name, len(number)) for pair in pairs for name in pair]
        except TypeError:
            bad = next(i for i, pair in enumerate(zip(left, right, strict=True)) if not _is_hashable(pair))
            raise ArgumentTypeError(
                f"edge {bad} is {left[bad]!r}, {right[bad]!r}: an endpoint is not hashable; "
                "use strings, numbers or tuples as vertex names."
            ) from None
        for name, code in number.items():
            if _is_missing(name):
                row = int(np.argmax(codes == code)) // 2
                raise ArgumentError(
                    f"edge {row} is {left[row]!r}, {right[row]!r}: an endpoint is missing; drop that edge."
                )
        names = as_names(list(number))
    return names, codes[0::2], codes[1::2]


def code_names(labels: Labels, index: Mapping[Hashable, int], *, missing: int | None = None) -> NDArray[np.intp]:
    """Return the row of each name; an unknown name gets `missing` or, without it, raises an error."""
    if isinstance(labels, np.ndarray):
        if isinstance(index, RangeIndex):
            outside = (labels < 0) | (labels >= len(index))
            if missing is not None:
                return np.where(outside, missing, labels).astype(np.intp)
            if not outside.any():
                return labels.astype(np.intp, copy=False)
        if not isinstance(index, ManyIndex):
            labels = labels.tolist()
    try:
        if isinstance(index, ManyIndex):
            codes = index.rows_of(labels).tolist()
            labels = labels.tolist() if isinstance(labels, np.ndarray) else labels
        else:
            codes = [index.get(name, -1) for name in labels]
    except TypeError:
        bad = next(name for name in labels if not _is_hashable(name))
        raise ArgumentTypeError(f"{bad!r} is not hashable, so it is no vertex name.") from None
    rows = np.array(codes, dtype=np.intp)
    if (rows < 0).any():
        if missing is None:
            unknown = dict.fromkeys(name for name, row in zip(labels, codes, strict=True) if row < 0)
            known = f"0 ... {len(index) - 1}" if isinstance(index, RangeIndex) else f"{len(index)} names"
            raise UnknownVertexError(unknown, f"The known vertices are {known}; add them or drop these.")
        rows[rows < 0] = missing
    return rows


def _number_integers(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return distinct values by first appearance, and the index of each value among them."""
    if values.size == 0:
        return values, np.empty(0, dtype=np.intp)
    low, high = int(values.min()), int(values.max())
    if high - low < 4 * values.size + 1024:
        # A table over the range of ids takes linear time; sorting 2 * 10^7 end points takes seconds.
        shifted = values - low
        first = np.full(high - low + 1, values.size, dtype=np.intp)
        np.minimum.at(first, shifted, np.arange(values.size))
        present = np.flatnonzero(first < values.size)
        order = present[np.argsort(first[present])]
        place = np.empty(first.size, dtype=np.intp)
        place[order] = np.arange(order.size)
        return order.astype(np.int64) + low, place[shifted]
    distinct, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(order.size, dtype=np.intp)
    place[order] = np.arange(order.size)
    return distinct[order], place[inverse]


def _refuse_missing(names: Sequence[Hashable], argument: str) -> None:
    for i, name in enumerate(names):
        if _is_missing(name):
            raise ArgumentError(f"{argument}[{i}] is {name!r}; give every vertex a name.")


def _is_missing(name: object) -> bool:
    """Whether a name is missing: None, NaN (which differs from itself) or pandas' NA."""
    if name is None:
        return True
    try:
        return bool(name != name)
    except (TypeError, ValueError):
        return True


def _is_hashable(name: object) -> bool:
    try:
        hash(name)
    except TypeError:
        return False
    return True
