"""Invariants of models: a model is refused before it is saved, or when it is loaded, if its parts do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph.saved.checker import Checker
from lpgraph.saved.estimator_rules import ESTIMATORS
from lpgraph.saved.fit_rules import FITS
from lpgraph.saved.part_rules import PARTS
from lpgraph.saved.sklearn_rules import SKLEARN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lpgraph.saved.checker import Sizes

__all__ = ["check_attributes", "check_model"]

_RULES = {**PARTS, **ESTIMATORS, **FITS, **SKLEARN}


def check_model(model: object, error: Callable[[str], Exception]) -> None:
    """Check a fitted model; `error` returns what is raised, for a description of what is wrong.

    Parts that are in a file are checked when they are read.
    """
    checker = Checker(error, _RULES)
    checker.state(model, {}, type(model).__name__)
    checker.forget()


def check_attributes(kind: str, values: Mapping[str, object], error: Callable[[str], Exception]) -> None:
    """Check some fitted attributes of an estimator of a class, given by its name."""
    checker = Checker(error, _RULES)
    sizes: Sizes = {}
    for key, check in ESTIMATORS[kind].fields.items():
        if key in values:
            check(checker, values[key], sizes, key)
    checker.forget()
