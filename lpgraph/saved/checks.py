"""Checks of the parts of models: types, shapes, ranges, and sizes that several parts share.

A check is a function of a `Checker`, a value, the sizes that are known, and the place of the value in the model.
The sizes of an object have names, such as "n" and "d". An array of shape "n d" defines them, or is refused if they
are defined and differ. Sizes of nested objects are equated by `part`.
"""

from __future__ import annotations

import dataclasses
import math
import numbers
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np
from scipy import sparse

from lpgraph._checks import LARGEST
from lpgraph.linalg.csr_check import entries_of
from lpgraph.saved.classes import REFITTED, name_of, stored_attributes
from lpgraph.storage.read import StoredArray
from lpgraph.storage.unread import Unread, held_fields

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Check",
    "Checker",
    "Rule",
    "Sizes",
    "all_of",
    "any_of",
    "array",
    "choice",
    "fields_of",
    "flag",
    "indices",
    "integer",
    "keyed",
    "labels",
    "later",
    "matrix",
    "nothing",
    "part",
    "plain",
    "real",
    "sequence",
    "text",
]

Sizes: TypeAlias = dict[str, int]

#: Sizes that stand for a bool; others are not 0.
_BOOLS = ("sparse", "directed")
#: Attributes of every estimator of scikit-learn, in addition to its own.
_KEPT_BY_SKLEARN = ("_sklearn_output_config", "feature_names_in_")


class Checker:
    """Checks of the parts of a model.

    Parameters
    ----------
    error : callable
        Returns the error for a description of what is wrong.
    rules : mapping of str to Rule
        The rules of each class, by the name under which it is stored.
    """

    def __init__(self, error: Callable[[str], Exception], rules: Mapping[str, Rule]) -> None:
        self._error, self._rules = error, rules
        self._sound: dict[tuple[int, str], object] = {}  # keeps the objects alive, so that their ids stay unique

    def fail(self, where: str, what: str) -> NoReturn:
        """Raise the error for a part."""
        raise self._error(f"{where} {what}")

    def state(self, value: object, sizes: Sizes, where: str) -> None:
        """Check the attributes or fields of an object; `sizes` are those that are known, and are added to."""
        name = name_of(value)
        rule = None if name is None else self._rules.get(name)
        if rule is None:
            self.fail(where, f"is a {type(value).__name__}, which is not a part of models")
        held = fields_of(value)
        parameters = set(rule.parameters)
        if hasattr(value, "get_params"):
            parameters |= set(parameter_names(value))
            fitted = set(held) - parameters - set(_KEPT_BY_SKLEARN)
            wanted = set(rule.fields) - set(rule.optional) if fitted else set()
        else:
            fitted, wanted = set(held), set(rule.fields)
        missing, unknown = wanted - set(held), fitted - set(rule.fields) if not rule.open else set()
        if missing or unknown:
            words = [f"has no {', '.join(sorted(missing))}"] if missing else []
            words += [f"has unknown attributes {', '.join(map(repr, sorted(unknown)))[:80]}"] if unknown else []
            self.fail(where, " and ".join(words))
        for key in [*rule.fields, *sorted(set(held) - set(rule.fields))]:
            if key in held:
                check = rule.fields.get(key) or rule.parameters.get(key, parameter)
                check(self, held[key], sizes, f"{where}.{key}")
        complete = bool(fitted) or not hasattr(value, "get_params")
        for relation in [*rule.always, *(rule.relations if complete else ())]:
            relation(self, value, sizes, where)

    def once(self, what: str, value: object, check: Callable[[], None]) -> None:
        """Make a check of a value that parts may share, such as a matrix, only once."""
        key = id(value), what
        if key not in self._sound:
            check()
            self._sound[key] = value

    def forget(self) -> None:
        """Forget which values were checked, and let them go."""
        self._sound.clear()

    def size(self, name: str, value: int, sizes: Sizes, where: str) -> None:
        """Define a size, or compare it with the one that is known."""
        if name == "_":
            return
        known = int(name) if name.isdigit() else sizes.setdefault(name, value)
        if known != value and name in _BOOLS:
            self.fail(
                where, f"is {name}, and other parts are not" if value else f"is not {name} as other parts are"
            )
        if known != value:
            self.fail(where, f"has size {value} where other parts have {known}")
        if not value and name not in _BOOLS:
            self.fail(where, "is empty")


Check: TypeAlias = Callable[[Checker, object, Sizes, str], None]


@dataclasses.dataclass(frozen=True)
class Rule:
    """What an object of a class consists of.

    Attributes
    ----------
    fields : mapping of str to Check
        The fields, or the fitted attributes. They are checked in this order, which matters for sizes.
    optional : collection of str
        Attributes that may be absent.
    parameters : mapping of str to Check
        Checks of parameters of estimators; other parameters are checked by `parameter`.
    relations : sequence of Check
        Checks of the object itself, made at the end; of estimators if they are fitted.
    always : sequence of Check
        The same, also of estimators that are not fitted.
    open : bool
        Whether there may be other attributes, which are checked by `parameter`: the attributes of estimators of
        scikit-learn depend on its version.
    """

    fields: Mapping[str, Check]
    optional: Collection[str] = ()
    parameters: Mapping[str, Check] = dataclasses.field(default_factory=dict)
    relations: Collection[Check] = ()
    always: Collection[Check] = ()
    open: bool = False


def fields_of(value: object) -> dict[str, object]:
    """Return the attributes or fields of an object by name; what is in a file stays unread."""
    if dataclasses.is_dataclass(value):
        return held_fields(value, [field.name for field in dataclasses.fields(value)])
    if isinstance(value, tuple):
        return dict(value._asdict())  # type: ignore[attr-defined]  # a named tuple
    state = stored_attributes(value)
    if name_of(value) in REFITTED:
        # The others are made again from these.
        kept = (*parameter_names(value), "n_features_in_", "classes_", "_fit_X")
        state = {key: held for key, held in state.items() if key in kept}
    return state


def parameter_names(estimator: Any) -> list[str]:
    """Return the names of the parameters of an estimator."""
    names: list[str] = estimator._get_param_names()
    return names


def nothing(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check that a value is None."""
    if value is not None:
        # Not its representation, for which its fields would be read.
        checker.fail(where, f"is a {type(value).__name__} instead of None")


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
            checker.fail(where, f"is a {type(value).__name__} instead of {' or '.join(names)[:80]}")
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
            checker.fail(where, f"is {value!r:.40} instead of a {kind.__name__}")
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


def plain(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check a value such as an attribute of a vertex: text, a number, None, or a tuple of these."""
    if type(value) is tuple:
        for item in value:
            plain(checker, item, sizes, where)
    elif value is not None and not isinstance(value, bool | int | float | str | bytes | np.generic):
        checker.fail(where, f"is a {type(value).__name__}")


def parameter(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check the type of a parameter: plain values, arrays and estimators. Estimators check what it means."""
    if type(value) in (list, tuple):
        items: Sequence[object] = value  # type: ignore[assignment]  # a list or tuple by now
        for k, item in enumerate(items):
            parameter(checker, item, sizes, f"{where}[{k}]")
    elif type(value) is dict:
        for key, item in value.items():
            plain(checker, key, sizes, where)
            parameter(checker, item, sizes, f"{where}[{key!r:.40}]")
    elif hasattr(value, "get_params") or name_of(value) in ("AtMost", "DimensionChoice"):
        checker.state(value, {}, where)
    elif not isinstance(value, np.ndarray | range | np.random.Generator) and not sparse.issparse(value):
        plain(checker, value, sizes, where)
