"""Checks of arguments, which return the validated value or raise an error with argument, value and remedy."""

from __future__ import annotations

import importlib
import numbers
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from lpgraph.errors import ArgumentError, ArgumentTypeError, MissingDependencyError

from .types import Array

if TYPE_CHECKING:
    from collections.abc import Collection
    from types import ModuleType
    from typing import TypeGuard

    from typing_extensions import TypeIs


#: What mypy cannot know: an object of a library without types (networkx, igraph, pyarrow, scikit-learn) or of a
#: caller's own class, a value of JSON, or one that is typed on the command line.
Foreign: TypeAlias = Any
#: Real numbers of any type, in memory or in a mapped file.
Numbers: TypeAlias = NDArray[np.bool_ | np.integer | np.floating]

#: Magnitude of the largest weight and coordinate: squares, and sums of many of them, are represented.
LARGEST = 1e100


def type_of(value: object) -> str:
    """Return the type of a value for an error.

    Examples
    --------
    >>> from lpgraph._utils.checks import type_of
    >>> type_of(3)
    'of type int'
    """
    return f"of type {type(value).__name__}"


def is_array(value: object) -> TypeIs[NDArray[np.generic[object]]]:
    """Whether a value is an array of numpy."""
    return isinstance(value, np.ndarray)


def is_flag(value: object) -> TypeIs[bool | np.bool_]:
    """Whether a value is a bool."""
    return isinstance(value, bool | np.bool_)


def is_integer(value: object) -> TypeGuard[int]:
    """Whether a value is an integer of any type, and no bool."""
    return isinstance(value, numbers.Integral) and not is_flag(value)


def is_real(value: object) -> TypeIs[numbers.Real]:
    """Whether a value is a real number of any type; a bool is one."""
    return isinstance(value, numbers.Real)


def check_integer(name: str, value: object, *, low: int, high: int | None = None, why: str = "") -> int:
    """Return `value` as an int in [low, high]; bools and floats such as 2.0 are refused.

    `why` is the reason of the upper bound.
    """
    if not is_integer(value):
        raise ArgumentTypeError(f"{name}={value!r} is {type_of(value)}; pass an integer >= {low}.")
    number = int(value)
    if number < low:
        raise ArgumentError(f"{name}={number}; pass {name} >= {low}.")
    if high is not None and number > high:
        raise ArgumentError(f"{name}={number}{f' {why}' if why else ''}; pass {name} <= {high}.")
    return number


def check_count(name: str, value: object, *, low: int = 1) -> int:
    """Return a number of vertices as an int, if any machine could hold them."""
    return check_integer(name, value, low=low, high=1 << 40, why="but only so many fit in any memory")


def check_real(
    name: str,
    value: object,
    *,
    low: float = -np.inf,
    high: float = np.inf,
    open_low: bool = False,
    infinite: bool = False,
) -> float:
    """Return `value` as a finite float in [low, high], or in (low, high] with `open_low`; or as infinity."""
    if is_flag(value) or not is_real(value):
        raise ArgumentTypeError(f"{name}={value!r} is {type_of(value)}; pass a real number.")
    try:
        number = float(value)
    except OverflowError:
        raise ArgumentError(f"{name} is beyond 1e308; pass a smaller number.") from None
    if infinite and number == np.inf:
        return number
    if not np.isfinite(number) or number < low or number > high or (open_low and number == low):
        least = "above" if open_low else "from"
        raise ArgumentError(f"{name}={value}; pass a finite number {least} {low:g} to {high:g}.")
    return number


def check_scale(what: str, least: float, most: float, *, new: bool = False) -> None:
    """Raise if numbers between `least` and `most` are so large or so small that their products overflow or vanish.

    New items may be as small as they like, since the known ones set the scale.
    """
    largest = max(-least, most)
    if largest > LARGEST or (0 < largest < 1 / LARGEST and not new):
        raise ArgumentError(
            f"{what} of up to {largest:g} in magnitude, whose products would overflow or vanish; multiply by a "
            f"constant so that the largest is between {1 / LARGEST:g} and {LARGEST:g}."
        )


def check_choice(name: str, value: object, choices: Collection[str]) -> str:
    """Return `value` if it is one of the strings in `choices`."""
    if is_string(value, *choices):
        return value
    raise ArgumentError(f"{name}={value!r:.80}; pass one of {', '.join(map(repr, choices))}.")


def is_string(value: object, *strings: str) -> TypeGuard[str]:
    """Whether `value` is one of these strings; an array would be compared entry by entry."""
    return isinstance(value, str) and value in strings


def is_matrix(value: object) -> TypeGuard[Foreign]:
    """Whether a value is a matrix of scipy or an array of numpy."""
    return sparse.issparse(value) or is_array(value)


def check_flag(name: str, value: object) -> bool:
    """Return `value` if it is a bool."""
    if not is_flag(value):
        raise ArgumentTypeError(f"{name}={value!r} is {type_of(value)}; pass True or False.")
    return bool(value)


def is_missing(value: object) -> bool:
    """Whether a value is None, NaN, or NA or NaT of pandas.

    Examples
    --------
    >>> from lpgraph._utils.checks import is_missing
    >>> is_missing(None), is_missing(float("nan")), is_missing("nan")
    (True, True, False)
    """
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):  # pandas' NA compares to nothing
        return type(value).__name__ == "NAType"


def check_finite_array(name: str, value: object, *, ndim: int | None = None) -> Array:
    """Return `value` as a finite float64 array, which may share memory with it."""
    array = as_real(name, value)
    if ndim is not None and array.ndim != ndim:
        raise ArgumentError(f"{name} has {array.ndim} dimensions and shape {array.shape}; pass {ndim}.")
    with np.errstate(over="ignore"):  # of a longer type: infinities are refused
        found = array.astype(np.float64, copy=False)
    if not np.isfinite(found).all():
        where = np.argwhere(~np.isfinite(found))[0].tolist()
        raise ArgumentError(f"{name}{where} is {found[*where]}; remove or replace NaN and infinite values.")
    return found


def as_real(name: str, value: object) -> Numbers:
    """Return `value` as an array of real numbers, which may share memory with it and need not be finite."""
    if np.ma.isMaskedArray(value) and np.ma.getmaskarray(value).any():
        raise ArgumentError(  # numpy would use the numbers below the mask
            f"{name} is a masked array with masked entries; pass {name}.filled(VALUE), or leave those rows out."
        )
    if hasattr(value, "get_columns") and any(dtype.is_temporal() for dtype in value.dtypes):  # type: ignore[attr-defined]  # polars makes them numbers
        raise ArgumentTypeError(f"{name} has a column of dates or times; leave it out, or convert it to numbers.")
    return check_real_dtype(name, as_array(name, value))


def as_array(name: str, value: object) -> NDArray[Foreign]:
    """Return what numpy makes of a value, which may be a ragged list, or a tensor on a GPU."""
    try:
        return np.asarray(value)
    except Exception as error:
        raise ArgumentError(f"{name} is not a rectangular array: {str(error).rstrip('.')}.") from None


def without_masked(values: object) -> object:
    """Return a masked array as an array of objects, None where it is masked; other values as they are."""
    if not np.ma.isMaskedArray(values):
        return values
    objects = np.asarray(values).astype(object)
    objects[np.ma.getmaskarray(values)] = None
    return objects


def check_real_dtype(name: str, array: Numbers) -> Numbers:
    """Return an array of real numbers; an array of objects is converted if all objects are real numbers."""
    if array.dtype.kind == "c":
        raise ArgumentError(f"{name} has dtype {array.dtype}. Complex data not supported: pass {name}.real.")
    if array.dtype.kind == "O":
        entries: Foreign = np.ndenumerate(array)
        for place, value in entries:
            if not is_real(value):
                raise ArgumentTypeError(
                    f"{name}{list(place) or ''} is {value!r:.80}, {type_of(value)}, but each entry of this "
                    "argument must be a real number and no string; fill missing ones, or convert them to numbers."
                )
        try:
            return array.astype(np.float64)
        except OverflowError:
            raise ArgumentError(f"{name} has an integer beyond 1e308; divide all entries by a constant.") from None
    if array.dtype.kind not in "biuf":
        raise ArgumentTypeError(
            f"{name} has dtype {array.dtype}; pass real numbers, such as {name}.astype(float)."
        )
    return array


def check_signature(name: str, value: object, d: int | None = None) -> NDArray[np.int64]:
    """Return the signs of d columns, given as the numbers (p, q) of positive and negative ones or one by one.

    A tuple or list of two integers from 0 on is (p, q); an array, and any other sequence, has one sign a column.
    """
    match value:
        case [p, q] if is_integer(p) and is_integer(q) and p >= 0 and q >= 0:
            signs = np.repeat([1.0, -1.0], [p, q])
        case _:
            signs = check_finite_array(name, value, ndim=1)
    if not np.isin(signs, (-1, 1)).all() or not len(signs) or d not in (None, len(signs)):
        raise ArgumentError(
            f"{name}={value!r:.80}; pass an array of 1 and -1 for {d or 'all'} columns, or the numbers (p, q) of "
            "positive and negative signs."
        )
    return signs.astype(np.int64)


def check_generator(random_state: object) -> np.random.Generator:
    """Return a Generator for an int, a Generator, a legacy RandomState or None (entropy from the system)."""
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(2**32, dtype=np.uint64)
    return np.random.default_rng(check_integer("random_state", random_state, low=0))


def import_extra(module: str, extra: str) -> ModuleType:
    """Import an optional `module`, or raise an error that names the `extra` to install."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        raise MissingDependencyError(f"{module} is not installed; run: pip install 'lpgraph[{extra}]'.") from None
