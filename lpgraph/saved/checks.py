"""Checks of values in models: types, shapes, ranges, and sizes that several parts share.

An array of shape "n d" defines the sizes "n" and "d", or is refused if they are defined and differ. Sizes of
nested objects are equated by `part`.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._articles import a_type, with_article
from lpgraph._checks import LARGEST
from lpgraph.linalg.csr_check import entries_of
from lpgraph.saved.checker import Check, Checker, Sizes, plain
from lpgraph.saved.classes import name_of
from lpgraph.storage.read import StoredArray
from lpgraph.storage.unread import Unread

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "all_of",
    "any_of",
    "array",
    "choice",
    "flag",
    "indices",
    "integer",
    "keyed",
    "labels",
    "later",
    "matrix",
    "nothing",
    "part",
    "real",
    "sequence",
    "text",
]


def nothing(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check that a value is None."""
    if value is not None:
        # Not its representation, for which its fields would be read.
        checker.fail(where, f"is {a_type(value)} instead of None")


def flag(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check that a value is a bool."""
    if not isinstance(value, bool | np.bool_):
        checker.fail(where, f"is {value!r:.40} instead of True or False")


def text(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check that a value is a str."""
    if not isinstance(value, str):
        checker.fail(where, f"is {value!r:.40} instead of text")


def choice(*choices: str) -> Check:
    """Return the check that a value is one of some texts."""

    def check(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
        if not isinstance(value, str) or value not in choices:
            checker.fail(where, f"is {value!r:.40} instead of one of {', '.join(map(repr, choices))}")

    return check


def real(
    low: float = -LARGEST, high: float = LARGEST, *, infinite: bool = False, above: float | None = None
) -> Check:
    """Return the check that a value is a number from `low` to `high`, larger than `above`; or infinite."""

    def check(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
        if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
            checker.fail(where, f"is {value!r:.40} instead of a number")
        number = float(value)
        sound = low <= number <= high and (above is None or number > above)
        if not sound and not (infinite and number == math.inf):
            checker.fail(where, f"is {number}, which is out of range")

    return check


def integer(size: str = "_", *, low: int = 0, below: str | None = None, most: str | None = None) -> Check:
    """Return the check that a value is an integer: a size, at least `low`, or compared with another size."""

    def check(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
        if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Integral):
            checker.fail(where, f"is {value!r:.40} instead of an integer")
        number = int(value)
        high = sizes[below] - 1 if below is not None else sizes.get(most or "")
        if number < low or (high is not None and number > high):
            checker.fail(where, f"is {str(number)[:40]}, which is out of range")
        checker.size(size, number, sizes, where)

    return check


def array(
    shape: str,
    kinds: str = "f",
    *,
    low: float = -LARGEST,
    high: float = LARGEST,
    above: float | None = None,
    below: str | None = None,
    infinite: bool = False,
    single: bool = False,
    values: Callable[[NDArray[np.generic]], bool] | None = None,
) -> Check:
    """Return the check of an array, which may be in a file; then its entries are checked when they are read.

    Parameters
    ----------
    shape : str
        A name or number of each dimension; "_" for any size.
    kinds : str
        Kinds of the dtype. Floats are of double precision, unless `single`.
    low, high, above : float
        Bounds of the entries.
    below : str, optional
        The name of a size that the entries, which are indices, are smaller than.
    infinite : bool
        Whether entries may be infinite.
    single : bool
        Whether floats may be of another precision.
    values : callable, optional
        Whether the entries are valid, asked in addition.
    """

    def check(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
        if not isinstance(value, np.ndarray | StoredArray):
            checker.fail(where, f"is {value!r:.40} instead of an array")
        _check_form(checker, value.dtype, value.shape, sizes, where)
        most = sizes[below] - 1 if below is not None else high
        least = 0 if below is not None else low

        def check_entries(entries: NDArray[np.generic]) -> None:
            if entries.dtype.kind in "iuf" and entries.size:
                first, last = float(entries.min()), float(entries.max())  # NaN if one is
                last = most if infinite and last == math.inf and first == first else last
                if not (least <= first and last <= most) or (above is not None and not first > above):
                    checker.fail(where, f"has entries from {first:g} to {last:g}, which are out of range")
            if values is not None and not values(entries):
                checker.fail(where, "has invalid entries")

        if isinstance(value, StoredArray):
            value.require(check_entries)
        else:
            check_entries(value)

    def _check_form(
        checker: Checker, dtype: np.dtype[np.generic], found: tuple[int, ...], sizes: Sizes, where: str
    ) -> None:
        names = shape.split()
        if (
            dtype.kind not in kinds
            or (dtype.kind == "f" and dtype != np.float64 and not single)
            or len(found) != len(names)
        ):
            checker.fail(where, f"is an array of dtype {dtype} and shape {found}")
        for name, size in zip(names, found, strict=True):
            checker.size(name, size, sizes, where)

    return check


def indices(
    shape: str, *, below: str | None = None, values: Callable[[NDArray[np.generic]], bool] | None = None
) -> Check:
    """Return the check of an array of indices, which are smaller than a size."""
    return array(shape, "i", low=0, below=below, values=values)


def labels(shape: str) -> Check:
    """Return the check of an array of class labels: numbers, texts, or objects that are plain values."""

    def check(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
        array(shape, "biufUSO", low=-math.inf, high=math.inf)(checker, value, sizes, where)
        if isinstance(value, np.ndarray) and value.dtype.kind == "O":
            for item in value.tolist():
                plain(checker, item, sizes, where)

    return check


def matrix(shape: str, *, low: float = -LARGEST, high: float = LARGEST, canonical: bool = True) -> Check:
    """Return the check of a csr matrix of sorted, finite entries in double precision."""
    rows, columns = shape.split()

    def check(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
        if not isinstance(value, sparse.csr_array) or value.dtype != np.float64:
            checker.fail(where, f"is {type(value).__name__} instead of a csr array of floats")
        checker.size(rows, value.shape[0], sizes, where)
        checker.size(columns, value.shape[1], sizes, where)

        def check_entries() -> None:
            found = entries_of(where, value)
            if (canonical and not found.canonical) or not (low <= found.least and found.most <= high):
                checker.fail(where, "has entries twice or not in order, or out of range")

        checker.once(f"{low} {high} {canonical}", value, check_entries)

    return check


def part(*names: str, **sizes: str) -> Check:
    """Return the check of a nested object of one of some classes.

    `sizes` equates sizes: with ``n="m"``, the nested object's "n" is "m" here.
    """

    def check(checker: Checker, value: object, outer: Sizes, where: str) -> None:
        if name_of(value) not in names:
            checker.fail(where, f"is {a_type(value)} instead of {' or '.join(names)[:80]}")
        inner = {own: outer[other] for own, other in sizes.items() if other in outer}
        checker.state(value, inner, where)
        for own, other in sizes.items():
            if own in inner:
                checker.size(other, inner[own], outer, where)

    return check


def later(check: Check) -> Check:
    """Return a check that waits until a value in a file is read."""

    def waiting(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
        if isinstance(value, Unread):
            value.require(lambda read: check(checker, read, sizes, where))
        else:
            check(checker, value, sizes, where)

    return waiting


def any_of(*checks: Check) -> Check:
    """Return the check that one of several passes; the last one's error is raised."""

    def check(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
        for one in checks[:-1]:
            trial = dict(sizes)
            try:
                one(checker, value, trial, where)
            except (ValueError, TypeError):
                continue
            sizes.update(trial)
            return
        checks[-1](checker, value, sizes, where)

    return check


def all_of(*checks: Check) -> Check:
    """Return the check that several pass."""

    def check(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
        for one in checks:
            one(checker, value, sizes, where)

    return check


def sequence(item: Check, size: str = "_", kind: type = list) -> Check:
    """Return the check of a list or tuple."""

    def check(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
        if type(value) is not kind:
            checker.fail(where, f"is {value!r:.40} instead of {with_article(kind.__name__)}")
        items: Sequence[object] = value  # type: ignore[assignment]  # a list or tuple by now
        checker.size(size, len(items), sizes, where)
        for k, one in enumerate(items):
            item(checker, one, sizes, f"{where}[{k}]")

    return check


def keyed(item: Check, key: Check) -> Check:
    """Return the check of a dict."""

    def check(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
        if type(value) is not dict:
            checker.fail(where, f"is {value!r:.40} instead of a dict")
        for name, one in value.items():
            key(checker, name, sizes, f"{where}: key")
            item(checker, one, sizes, f"{where}[{name!r:.40}]")

    return check
