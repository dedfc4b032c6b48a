"""Checks of arguments, which return the validated value or raise an error with argument, value and remedy."""

from __future__ import annotations

import numbers
import sys
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._articles import a_type
from lpgraph._names import nearest
from lpgraph.errors import ArgumentError, ArgumentTypeError, MissingDependencyError, NotFittedError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from types import ModuleType

    from numpy.typing import NDArray

#: Types of integers that numpy does not have.
_LONG = ("Int128", "UInt128")

#: Magnitude of the largest weight and coordinate: squares, and sums of many of them, are represented.
LARGEST = 1e100


def check_integer(name: str, value: object, *, low: int, high: int | None = None, why: str = "") -> int:
    """Return `value` as an int in [low, high]; bools and floats such as 2.0 are refused."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Integral):
        raise ArgumentTypeError(f"{name}={value!r} is {a_type(value)}; pass an integer >= {low}.")
    number = int(value)
    if number < low or (high is not None and number > high):
        remedy = f"pass {name} >= {low}" if number < low else f"pass {name} <= {high}"
        # "but only ..." is the reason of the upper bound.
        reason = "" if number < low and why.startswith("but only") else why
        shown = f"={number}" if abs(number) < 10**100 else f" has {number.bit_length()} bits"
        raise ArgumentError(f"{name}{shown}{' ' + reason if reason else ''}; {remedy}.")
    return number


def check_count(name: str, value: object, *, low: int = 1) -> int:
    """Return a number of vertices as an int, if any machine could hold them."""
    return check_integer(name, value, low=low, high=1 << 40, why="but only so many fit in any memory")


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
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise ArgumentTypeError(f"{name}={value!r} is {a_type(value)}; pass a real number.")
    try:
        number = float(value)
    except OverflowError:
        raise ArgumentError(f"{name} is beyond 1e308; pass a smaller number.") from None
    if infinite and number == np.inf:
        return number
    if not np.isfinite(number) or number < low or number > high or (open_low and number == low):
        left = "(" if open_low or low == -np.inf else "["
        right = ")" if high == np.inf else "]"
        raise ArgumentError(f"{name}={value}; pass a finite number in {left}{low:g}, {high:g}{right}.")
    return number


def check_choice(name: str, value: object, choices: Collection[str]) -> str:
    """Return `value` if it is one of the strings in `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise ArgumentError(
            f"{name}={value!r}; pass one of {', '.join(map(repr, choices))}.{meant(value, choices)}"
        )
    return value


def meant(value: object, choices: Iterable[str]) -> str:
    """Return a question with the most similar choice, or an empty text; it follows the sentence of an error.

    Examples
    --------
    >>> from lpgraph._checks import meant
    >>> meant("degree", ["unit_rows", "degrees"])
    " Did you mean 'degrees'?"
    """
    near = nearest(value, choices) if isinstance(value, str) else None
    return "" if near is None else f" Did you mean {near!r}?"


def is_string(value: object, string: str) -> bool:
    """Whether `value` is this string; an array would be compared entry by entry."""
    return isinstance(value, str) and value == string


def check_flag(name: str, value: object) -> bool:
    """Return `value` if it is a bool."""
    if not isinstance(value, bool | np.bool_):
        raise ArgumentTypeError(f"{name}={value!r} is {a_type(value)}; pass True or False.")
    return bool(value)


def is_missing(value: object) -> bool:
    """Whether a value is None, NaN, or NA or NaT of pandas.

    Examples
    --------
    >>> from lpgraph._checks import is_missing
    >>> is_missing(None), is_missing(float("nan")), is_missing("nan")
    (True, True, False)
    """
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):  # pandas' NA compares to nothing
        return type(value).__name__ == "NAType"


def as_plain(name: str, value: object) -> object:
    """Return numbers of polars that numpy does not read as they are as an array; other values as they are.

    Dates would become numbers, long integers an error of polars, and a lazy table an array of one object.
    """
    polars = sys.modules.get("polars")
    if polars is None or not isinstance(value, polars.LazyFrame | polars.DataFrame | polars.Series):
        return value
    if isinstance(value, polars.LazyFrame):
        raise ArgumentTypeError(f"{name} is a LazyFrame; pass {name}.collect().")
    columns = [value] if isinstance(value, polars.Series) else value.get_columns()
    for column in columns:
        if column.dtype.is_temporal():
            raise ArgumentTypeError(
                f"{name} has the column {column.name!r} of dtype {column.dtype}, but each entry of this argument "
                "must be a real number; leave such columns out, or convert them to numbers."
            )
    if not any(str(column.dtype) in _LONG for column in columns):
        return value
    return np.array(value.to_list() if isinstance(value, polars.Series) else value.rows(), dtype=object)


def check_finite_array(name: str, value: object, *, ndim: int | None = None) -> NDArray[np.float64]:
    """Return `value` as a finite float64 array, which may share memory with it."""
    array = as_real(name, value)
    if ndim is not None and array.ndim != ndim:
        raise ArgumentError(f"{name} has {array.ndim} dimensions and shape {array.shape}; pass {ndim}.")
    with np.errstate(over="ignore"):  # of a longer type: infinities are refused
        found = array.astype(np.float64, copy=False)
    if not np.isfinite(found).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(found))[0])
        raise ArgumentError(f"{name}{list(where)} is {found[where]}; remove or replace NaN and infinite values.")
    return found


def as_real(name: str, value: object) -> NDArray[np.generic]:
    """Return `value` as an array of real numbers, which may share memory with it and need not be finite."""
    check_unmasked(name, value)
    plain = as_plain(name, value)
    titles = getattr(value, "columns", None)
    try:
        array = np.asarray(plain)
    except ValueError as error:
        raise ArgumentError(f"{name} is not a rectangular array of numbers: {str(error).rstrip('.')}.") from None
    return check_real_dtype(name, array, titles)


def without_masked(values: object) -> object:
    """Return a masked array as an array of objects, None where it is masked; other values as they are."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    objects = np.asarray(values).astype(object)
    objects[np.ma.getmaskarray(values)] = None
    return objects


def check_unmasked(name: str, value: object) -> None:
    """Raise if entries of `value` are masked; numpy would use the numbers below the mask."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.getmaskarray(value).any():
        masked = np.ma.getmaskarray(value)
        where = [int(i) for i in np.argwhere(masked)[0]]
        raise ArgumentError(
            f"{name} is a masked array with {int(masked.sum())} masked entries, such as {name}{where}; pass "
            f"{name}.filled(VALUE), or leave those rows out."
        )


def check_real_dtype(
    name: str, array: NDArray[np.generic], titles: Iterable[object] | None = None
) -> NDArray[np.generic]:
    """Return an array of real numbers; an array of objects is converted if all objects are real numbers.

    `titles` are those of the columns, if they have some, for the error about an entry that is no number.
    """
    if array.dtype.kind == "c":
        raise ArgumentError(f"{name} has dtype {array.dtype}. Complex data not supported: pass {name}.real.")
    if array.dtype.kind == "O":
        for k, value in enumerate(array.ravel().tolist()):
            if is_missing(value) and value is not None:
                raise ArgumentError(
                    f"{name} has no number{_place(array.shape, k, titles)}, but {value!r}; fill missing entries, "
                    "or leave such rows or columns out."
                )
            if not isinstance(value, numbers.Real):
                raise ArgumentTypeError(
                    f"{name} has the entry {value!r:.80}{_place(array.shape, k, titles)}, but each entry of this "
                    "argument must be a real number, not a string or another object; leave such columns out, or "
                    f"pass {name}.astype(float) if all entries are numbers."
                )
        try:
            return array.astype(np.float64)
        except OverflowError:
            raise ArgumentError(
                f"{name} has an integer beyond 1e308; divide all entries by a constant, in integers, so that the "
                f"largest is below {LARGEST:g}."
            ) from None
    if array.dtype.kind not in "biuf":
        raise ArgumentTypeError(
            f"{name} has dtype {array.dtype}; pass real numbers, for example {name}.astype(float)."
        )
    return array


def _place(shape: tuple[int, ...], k: int, titles: Iterable[object] | None) -> str:
    """Return the row and the column of the entry k of a table, for a message; empty for other shapes."""
    if len(shape) != 2:
        return ""
    row, column = divmod(k, shape[1])
    listed = [] if titles is None else list(titles)
    return f" in row {row}, column {listed[column]!r}" if column < len(listed) else f" in [{row}, {column}]"


def check_signature(name: str, value: object, d: int | None = None) -> NDArray[np.int64]:
    """Return the signs of d columns, given as the numbers (p, q) of positive and negative ones or one by one.

    A tuple or list of two integers from 0 on is (p, q); an array, and any other sequence, has one sign a column.
    """
    pair = isinstance(value, tuple | list) and len(value) == 2 and not any(_is_negative(v) for v in value)
    if pair:
        p, q = (check_integer(f"{name}[{k}]", v, low=0) for k, v in enumerate(value))  # type: ignore[var-annotated, arg-type]  # a pair by now
        if d is None or p + q == d <= 1 << 24:
            check_integer(f"the sum of {name}", p + q, low=1, high=1 << 24, why="but only so many columns fit")
            return np.repeat(np.array([1, -1], dtype=np.int64), [p, q])
        raise ArgumentError(f"{name}=({p}, {q}) but there are {d} columns; pass two numbers whose sum is {d}.")
    signs = check_finite_array(name, value, ndim=1)
    if not len(signs) or not np.isin(signs, (-1, 1)).all():
        raise ArgumentError(f"{name}={value!r:.80}; pass the numbers (p, q) of signs, or an array of 1 and -1.")
    if d is not None and len(signs) != d:
        raise ArgumentError(f"{name} has {len(signs)} signs but there are {d} columns; pass one sign for each.")
    return signs.astype(np.int64)


def _is_negative(value: object) -> bool:
    return isinstance(value, numbers.Real) and value < 0


def check_generator(random_state: object) -> np.random.Generator:
    """Return a Generator for an int, a Generator, a legacy RandomState or None (entropy from the system)."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, dtype=np.uint64))
    if random_state is None:
        return np.random.default_rng()
    if not isinstance(random_state, int | np.integer) or isinstance(random_state, bool):
        raise ArgumentTypeError(
            f"random_state={random_state!r} is {a_type(random_state)}; "
            "pass an int, a numpy.random.Generator or None."
        )
    return np.random.default_rng(check_integer("random_state", random_state, low=0))


def check_fitted(estimator: object, attribute: str) -> None:
    """Raise if `estimator` does not have the fitted `attribute`."""
    if attribute not in vars(estimator):  # hasattr would read the value of an attribute stored in a file
        raise not_fitted(f"This {type(estimator).__name__} is not fitted yet; call fit(...) first.")


def not_fitted(message: str) -> Exception:
    """Return an error that is an instance of both scikit-learn's and lpgraph's NotFittedError."""
    from sklearn.exceptions import NotFittedError as SklearnNotFittedError

    both = type("NotFittedError", (NotFittedError, SklearnNotFittedError), {})
    error: Exception = both(message)
    return error


def import_extra(module: str, extra: str) -> ModuleType:
    """Import an optional `module`, or raise an error that names the `extra` to install."""
    import importlib

    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.split(".")[0] != module.split(".")[0]:
            raise
        raise MissingDependencyError(f"{module} is not installed; run: pip install 'lpgraph[{extra}]'.") from None
