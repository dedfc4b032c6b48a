"""Fitted state of estimators, replaced as a whole."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["replace_state"]


def replace_state(estimator: object, state: Mapping[str, object]) -> None:
    """Give an estimator the attributes of a new fit, and remove those of an earlier one, in one assignment.

    Until then a fit changes nothing, so that one that is refused or interrupted leaves the earlier one whole.
    """
    held = vars(estimator)
    earlier = held.get("_fitted_names", ())
    kept = {name: value for name, value in held.items() if name not in earlier}
    estimator.__dict__ = {**kept, **state, "_fitted_names": tuple(state)}
