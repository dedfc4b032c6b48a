"""The checker of models: what the objects of each class consist of, and which sizes their parts share.

A check is a function of a `Checker`, a value, the sizes that are known, and the place of the value in the model.
The sizes of an object have names, such as "n" and "d".
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np
from scipy import sparse

from lpgraph._articles import a_type
from lpgraph.saved.classes import REFITTED, name_of, stored_attributes
from lpgraph.storage.unread import held_fields

__all__ = ["Check", "Checker", "Rule", "Sizes", "fields_of", "plain"]

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
            self.fail(where, f"is {a_type(value)}, which is not a part of models")
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


def plain(checker: Checker, value: object, sizes: Sizes, where: str) -> None:
    """Check a value such as an attribute of a vertex: text, a number, None, or a tuple of these."""
    if type(value) is tuple:
        for item in value:
            plain(checker, item, sizes, where)
    elif value is not None and not isinstance(value, bool | int | float | str | bytes | np.generic):
        checker.fail(where, f"is {a_type(value)}")


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
