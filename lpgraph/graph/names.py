"""Names of vertices: a range, an array of integers, or an array of texts and other hashables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeGuard

import numpy as np

from lpgraph._utils.checks import as_array, is_missing
from lpgraph.errors import ArgumentError, ArgumentTypeError, UnknownVertexError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import TypeIs

    from lpgraph._utils.types import Integers

#: A column of vertex names, which may be repeated.
Labels: TypeAlias = "NDArray[np.int64] | NDArray[np.object_]"
#: The names of n vertices: range(n), integers, or Python objects; of an edge store also texts of fixed width.
Names: TypeAlias = "range | NDArray[np.int64] | NDArray[np.object_] | NDArray[np.str_]"

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,999}")


class RangeIndex(Mapping[Hashable, int]):
    """The mapping name -> row of vertices 0 ... n-1; behaves as a dict without its memory."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __getitem__(self, name: Hashable) -> int:
        if not isinstance(name, int | float | np.integer | np.floating):
            hash(name)  # raises TypeError for an unhashable name, as a dict does
        elif 0 <= name < self._size and name == int(name):  # 3.0 == 3 also in a dict
            return int(name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._size))

    def __len__(self) -> int:
        return self._size


def index_of(names: Names | Sequence[Hashable] | Mapping[Hashable, int]) -> Mapping[Hashable, int]:
    """Return the mapping name -> row; a mapping is returned as it is."""
    if isinstance(names, Mapping):
        return names
    if is_numbered(names):
        return RangeIndex(len(names))
    return dict(zip(listed(names), range(len(names)), strict=True))


def is_numbered(names: object) -> TypeIs[range]:
    """Whether names are the numbers of the rows, and not kept one by one."""
    return isinstance(names, range)


def is_listing(values: object) -> TypeIs[Iterable[Hashable]]:
    """Whether values are given one after the other: neither one text nor a mapping."""
    return isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping)


def texts_of(names: Names | Iterable[Hashable]) -> list[str]:
    """Return the names that are texts."""
    return [] if is_numbered(names) else [name for name in names if isinstance(name, str)]


def unwrapped(value: Hashable) -> Hashable:
    """Return a scalar of numpy as a Python object; other values as they are."""
    return value.item() if isinstance(value, np.generic) else value


def is_among(name: object, index: Mapping[Hashable, int]) -> TypeIs[Hashable]:
    """Whether a value, which need not be hashable, is a name in an index."""
    try:
        return name in index
    except TypeError:
        return False


def listed(names: Names | Iterable[Hashable]) -> list[Hashable]:
    """Return names as Python objects; elements of an array of integers or texts are objects of numpy."""
    return names.tolist() if isinstance(names, np.ndarray) else list(names)


def name_at(names: Names, row: int | np.integer) -> Hashable:
    """Return the name in a row as a Python object."""
    return unwrapped(names[row])


def names_at(names: Names, rows: NDArray[np.integer]) -> Names:
    """Return the names in some rows."""
    return _compact(as_labels(rows if is_numbered(names) else names[rows], "names"))


def integer_names(names: Sequence[str]) -> list[int] | None:
    """Return names as int if all are decimal integers in their usual form, else None."""
    return list(map(int, names)) if all(map(_INTEGER.fullmatch, names)) else None


def match_names(names: Iterable[Hashable], index: Container[Hashable]) -> list[Hashable]:
    """Return names from a file, with those of known vertices, compared as text, replaced by the known names.

    A file does not distinguish 7 from "7": its names are integers if all of them are. That may differ between a
    file with new vertices and the known graph.
    """
    matched: list[Hashable] = []
    for name in listed(names):
        others = [name, str(name), *(integer_names([str(name)]) or [])]
        matched.append(next((other for other in others if other in index), name))
    return matched


def as_names(names: Iterable[Hashable], n: int | None = None, *, argument: str = "names") -> Names:
    """Return vertex names as ``range(n)`` if they are 0 ... n-1 in order, else as an array that cannot be changed.

    The array has dtype int64 if all names are integers, else object. Names must be hashable, unique and not
    missing, and n in number if `n` is given. An array in a file is returned as it is.
    """
    if _is_checked(names):
        found = names
    else:
        labels = as_labels(names, argument)
        values = labels.tolist()
        check_once(values, argument, "make vertex names unique")
        if not set(map(type, values)) <= {int, str} and any(map(is_missing, values)):
            raise ArgumentError(f"{argument} has a missing name; give every vertex a name.")
        found = _compact(labels)
    if n is not None and len(found) != n:
        raise ArgumentError(f"{argument} has {len(found)} names for {n} vertices; pass {n} names.")
    return found


def _is_checked(names: object) -> TypeGuard[Names]:
    """Whether names are 0 ... n-1 in order, or an array in a file, which was checked when it was written."""
    if is_numbered(names):
        return names == range(len(names))
    return np.memmap in (type(names), type(getattr(names, "base", None)))


def check_once(names: Sequence[Hashable], argument: str, remedy: str) -> None:
    """Refuse repeated names."""
    if len(set(names)) < len(names):
        twice = next(name for name, times in Counter(names).items() if times > 1)
        raise ArgumentError(f"{argument} has {twice!r} twice; {remedy}.")


def _compact(labels: Labels) -> Names:
    """Return different names as ``range(n)`` if they are 0 ... n-1 in order, else as a copy that is read-only."""
    if labels.dtype != object and np.array_equal(labels, np.arange(len(labels))):
        return range(len(labels))
    names = labels.copy()
    names.flags.writeable = False
    return names


def as_labels(values: object, argument: str) -> Labels:
    """Return a column of hashable vertex names as an array: int64 if all are integers, else of dtype object.

    A list is not converted by numpy: that would turn ``[1, "a"]`` into ``["1", "a"]``.
    """
    if not is_listing(values):
        raise ArgumentTypeError(f"{argument}={values!r} is no sequence of vertex names; pass a list or an array.")
    if is_numbered(values):
        return np.arange(values.start, values.stop, values.step)
    given: Iterable[Hashable] = values
    if hasattr(values, "__array__"):
        array = as_array(argument, values)
        if array.ndim != 1:
            raise ArgumentError(f"{argument} has shape {array.shape}; pass one dimension.")
        if array.dtype.kind == "i" or (array.dtype.kind == "u" and array.dtype.itemsize < 8):
            return array.astype(np.int64, copy=False)
        given = array.tolist()
    labels = list(given)
    if not set(map(type, labels)) <= {int, str}:
        labels = list(map(unwrapped, labels))
        try:
            set(labels)
        except TypeError as error:
            problem = f"{argument} has a name that is not hashable ({error})"
            raise ArgumentTypeError(f"{problem}; use strings, numbers or tuples as vertex names.") from None
    if set(map(type, labels)) <= {int}:
        try:
            return np.array(labels, dtype=np.int64)
        except OverflowError:
            pass
    return np.fromiter(labels, dtype=object, count=len(labels))


def number_by_appearance(source: Labels, target: Labels) -> tuple[Names, Integers, Integers]:
    """Return names in the order s0, t0, s1, t1, ..., and the codes of sources and targets among them."""
    import pandas as pd

    whole = source.dtype != object and target.dtype != object
    ends = np.empty(2 * len(source), dtype=np.int64 if whole else object)
    ends[0::2], ends[1::2] = source, target
    codes, distinct = pd.factorize(ends)  # -1 is missing
    if codes.size and codes.min() < 0:
        row, side = divmod(int(np.argmin(codes)), 2)
        edge = f"edge {row} is {unwrapped(source[row])!r}, {unwrapped(target[row])!r}"
        raise ArgumentError(f"{edge}: its {('source', 'target')[side]} is missing; drop that edge.")
    return _compact(as_labels(distinct, "names")), codes[0::2], codes[1::2]


def code_names(labels: Labels, index: Mapping[Hashable, int], *, missing: Literal[-1] | None = None) -> Integers:
    """Return the row of each name; an unknown name gets -1 with ``missing=-1``, else it raises an error."""
    rows: Integers
    if isinstance(index, RangeIndex) and labels.dtype != object:
        rows = np.where((labels >= 0) & (labels < len(index)), labels, -1).astype(np.intp, copy=False)
    else:
        rows = np.fromiter(map(index.get, labels.tolist(), repeat(-1)), dtype=np.intp, count=len(labels))
    if missing is None and (rows < 0).any():
        names = dict.fromkeys(labels[rows < 0].tolist())
        raise UnknownVertexError(names, f"{called_like(index)} Pass names of these, or add the vertices first.")
    return rows


def called_like(known: Collection[Hashable]) -> str:
    """Return a sentence with one of the known names, for errors about unknown ones."""
    return f"The {len(known)} known ones are called like {next(iter(known), None)!r}."


class Named:
    """A network or part of one with names of vertices."""

    names: Names

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.names)

    @cached_property
    def index(self) -> Mapping[Hashable, int]:
        """The mapping from a vertex's name to its row."""
        return index_of(self.names)
