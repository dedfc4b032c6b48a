"""Names of vertices: a range, an array of integers, or an array of texts and other hashables."""

from __future__ import annotations

import operator
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, repeat
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeGuard

import numpy as np

from lpgraph._articles import a_type
from lpgraph.errors import ArgumentError, ArgumentTypeError, UnknownVertexError

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A column of vertex names, which may be repeated.
Labels: TypeAlias = "NDArray[np.int64] | NDArray[np.object_]"
#: The names of n vertices: range(n), integers, or Python objects; of an edge store also texts of fixed width.
Names: TypeAlias = "range | NDArray[np.int64] | NDArray[np.object_] | NDArray[np.str_]"

__all__ = [
    "Labels",
    "Names",
    "RangeIndex",
    "as_labels",
    "as_names",
    "code_names",
    "index_of",
    "listed",
    "name_at",
    "names_at",
    "number_by_appearance",
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


def index_of(names: Names | Sequence[Hashable] | Mapping[Hashable, int]) -> Mapping[Hashable, int]:
    """Return the mapping name -> row; a mapping is returned as it is."""
    if isinstance(names, Mapping):
        return names
    if isinstance(names, range):
        return RangeIndex(len(names))
    return dict(zip(listed(names), range(len(names)), strict=True))


def listed(names: Names | Iterable[Hashable]) -> list[Hashable]:
    """Return names as Python objects; elements of an array of integers or texts are objects of numpy."""
    return names.tolist() if isinstance(names, np.ndarray) else list(names)


def name_at(names: Names, row: int | np.integer) -> Hashable:
    """Return the name in a row as a Python object."""
    name: Hashable = names[row]
    return name.item() if isinstance(name, np.generic) else name


def names_at(names: Names, rows: NDArray[np.integer]) -> Names:
    """Return the names in some rows."""
    return _compact(as_labels(rows if isinstance(names, range) else names[rows], "names"))


def as_names(names: Iterable[Hashable], n: int | None = None, *, argument: str = "names") -> Names:
    """Return vertex names as ``range(n)`` if they are 0 ... n-1 in order, else as an array that cannot be changed.

    The array has dtype int64 if all names are integers, else object. Names must be hashable, unique and not
    missing, and n in number if `n` is given. An array in a file is returned as it is.
    """
    if _is_checked(names):
        found: Names = names
    else:
        labels = as_labels(names, argument)
        _check_distinct(labels, argument)
        found = _compact(labels)
    if n is not None and len(found) != n:
        raise ArgumentError(f"{argument} has {len(found)} names for {n} vertices; pass {n} names.")
    return found


def _is_checked(names: object) -> TypeGuard[Names]:
    """Whether names are 0 ... n-1 in order, or an array in a file, which was checked when it was written."""
    if not isinstance(names, np.ndarray):
        return isinstance(names, range) and names == range(len(names))
    base: object = names
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    return isinstance(base, np.memmap) and (names.dtype == np.int64 or names.dtype.kind == "U")


def _check_distinct(labels: Labels, argument: str) -> None:
    """Refuse names that are not hashable, repeated or missing."""
    if labels.dtype != object and len(np.unique(labels)) == len(labels):
        return
    names = labels.tolist()
    try:
        distinct = len(set(names))
    except TypeError:
        bad = next(name for name in names if not _is_hashable(name))
        raise ArgumentTypeError(
            f"{argument} has {bad!r}, {a_type(bad)}, which is not hashable; "
            "use strings, numbers or tuples as vertex names."
        ) from None
    if distinct < len(names):
        repeated = next(name for name, times in Counter(names).items() if times > 1)
        raise ArgumentError(f"{argument} has {repeated!r} twice; make vertex names unique.")
    missing = _missing(names)
    if missing is not None:
        raise ArgumentError(f"{argument}[{missing}] is {names[missing]!r}; give every vertex a name.")


def _compact(labels: Labels) -> Names:
    """Return different names as ``range(n)`` if they are 0 ... n-1 in order, else as a copy that is read-only."""
    if labels.dtype != object and np.array_equal(labels, np.arange(len(labels))):
        return range(len(labels))
    names = labels.copy()
    names.flags.writeable = False
    return names


def as_labels(values: object, argument: str) -> Labels:
    """Return a column of vertex names as an array of dtype int64 if all are integers, else of dtype object.

    A list is not converted by numpy: that would turn ``[1, "a"]`` into ``["1", "a"]``.
    """
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise ArgumentTypeError(f"{argument}={values!r} is {a_type(values)}; pass a sequence of vertex names.")
    if isinstance(values, range):
        return np.arange(values.start, values.stop, values.step)
    if hasattr(values, "__array__") and not isinstance(values, np.generic):
        array = np.asarray(values)
        if array.ndim != 1:
            raise ArgumentError(f"{argument} has shape {array.shape}; pass one dimension.")
        if array.dtype.kind == "i" or (array.dtype.kind == "u" and array.dtype.itemsize < 8):
            return array.astype(np.int64, copy=False)
        labels: list[Hashable] = array.tolist()
    else:
        labels = list(values)
    kinds = set(map(type, labels))
    if any(issubclass(kind, np.integer | np.floating | np.bool_ | np.str_) for kind in kinds):
        labels = [label.item() if isinstance(label, np.generic) else label for label in labels]
        kinds = set(map(type, labels))
    if kinds <= {int}:
        try:
            return np.array(labels, dtype=np.int64)
        except OverflowError:
            pass
    return np.fromiter(labels, dtype=object, count=len(labels))


def number_by_appearance(source: Labels, target: Labels) -> tuple[Names, NDArray[np.intp], NDArray[np.intp]]:
    """Return names in the order s0, t0, s1, t1, ..., and the codes of sources and targets among them."""
    codes: NDArray[np.intp]
    if source.dtype != object and target.dtype != object:
        ends = np.empty(2 * len(source), dtype=np.int64)
        ends[0::2], ends[1::2] = source, target
        distinct, codes = _number_integers(ends)
        return _compact(distinct), codes[0::2], codes[1::2]
    left, right = source.tolist(), target.tolist()
    number: dict[Hashable, int] = defaultdict(count().__next__)  # a new name gets the next number
    both = chain.from_iterable(zip(left, right, strict=True))
    try:
        codes = np.fromiter(map(number.__getitem__, both), dtype=np.intp, count=2 * len(left))
    except TypeError:
        bad = next(i for i, pair in enumerate(zip(left, right, strict=True)) if not _is_hashable(pair))
        raise ArgumentTypeError(
            f"edge {bad} is {left[bad]!r}, {right[bad]!r}: an endpoint is not hashable; "
            "use strings, numbers or tuples as vertex names."
        ) from None
    missing = _missing(number)
    if missing is not None:
        row = int(np.argmax(codes == missing)) // 2
        raise ArgumentError(
            f"edge {row} is {left[row]!r}, {right[row]!r}: an endpoint is missing; drop that edge."
        )
    return _compact(as_labels(list(number), "names")), codes[0::2], codes[1::2]


def code_names(
    labels: Labels, index: Mapping[Hashable, int], *, missing: Literal[-1] | None = None
) -> NDArray[np.intp]:
    """Return the row of each name; an unknown name gets -1 with ``missing=-1``, else it raises an error."""
    rows: NDArray[np.intp]
    if isinstance(index, RangeIndex) and labels.dtype != object:
        rows = np.where((labels >= 0) & (labels < len(index)), labels, -1).astype(np.intp, copy=False)
    else:
        try:
            rows = np.fromiter(map(index.get, labels.tolist(), repeat(-1)), dtype=np.intp, count=len(labels))
        except TypeError:
            bad = next(name for name in labels if not _is_hashable(name))
            raise ArgumentTypeError(f"{bad!r} is not hashable, so it is no vertex name.") from None
    if missing is None and (rows < 0).any():
        known = f"0 ... {len(index) - 1}" if isinstance(index, RangeIndex) else f"{len(index)} names"
        names = dict.fromkeys(labels[rows < 0].tolist())
        raise UnknownVertexError(names, f"The known vertices are {known}; add them or drop these.")
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


def _missing(names: Iterable[Hashable]) -> int | None:
    """Return the place of the first missing name: None, NaN or pandas' NA; None if there is none."""
    if set(map(type, names)) <= {int, str}:
        return None
    return next((place for place, name in enumerate(names) if _is_missing(name)), None)


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
