"""What estimators share: fitted state, tables with the names of vertices, and how notebooks show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from html import escape
from inspect import Signature, signature
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lpgraph.errors import ArgumentTypeError, NotFittedError

from .types import Array

Column: TypeAlias = Sequence[object] | NDArray[np.generic]
#: Names and values of facts.
Facts: TypeAlias = list[tuple[str, str]]

#: Arguments of other libraries (graspologic, scikit-learn, node2vec) and what they are here.
_ELSEWHERE = {
    "algorithm": "solver",
    "diag_aug": "augment_diagonal",
    "dim": "n_components",
    "dimensions": "n_components",
    "eigen_solver": "solver",
    "gamma": "sigma = gamma**-0.5",
    "max_components": "n_clusters",
    "n_elbows": "n_components",
    "n_iter": "tol",
    "reg": "regularizer",
    "seed": "random_state",
    "svd_seed": "random_state",
}
#: Characters of a name that are shown.
_LONGEST = 40

# Without a style sheet: notebooks remove it from pages that are not trusted, and have light and dark themes.
_LEFT = 'style="text-align:left;vertical-align:top;overflow-wrap:anywhere"'


def replace_state(estimator: object, state: Mapping[str, object]) -> None:
    """Give an estimator the attributes of a new fit, and remove those of an earlier one, in one assignment.

    Until then a fit changes nothing, so that one that is refused or interrupted leaves the earlier one whole.
    """
    held = vars(estimator)
    earlier = held.get("_fitted_names", ())
    kept = {name: value for name, value in held.items() if name not in earlier}
    estimator.__dict__ = {**kept, **state, "_fitted_names": tuple(state)}


def check_fitted(estimator: object, attribute: str) -> None:
    """Raise if `estimator` does not have the fitted `attribute`."""
    if attribute not in vars(estimator):
        raise not_fitted(f"This {type(estimator).__name__} is not fitted yet; call fit(...) first.")


def not_fitted(message: str) -> Exception:
    """Return an error that is an instance of both scikit-learn's and lpgraph's NotFittedError."""
    from sklearn.exceptions import NotFittedError as SklearnNotFittedError

    both = type("NotFittedError", (NotFittedError, SklearnNotFittedError), {})
    error: Exception = both(message)
    return error


def labelled(estimator: object, values: Array, labels: Column) -> Array:
    """Return `values`, or a pandas DataFrame with index `labels` if pandas output is selected.

    scikit-learn's wrapper of ``transform`` keeps the index and sets the column names.
    """
    from sklearn import get_config

    chosen = getattr(estimator, "_sklearn_output_config", {})
    if chosen.get("transform", get_config()["transform_output"]) != "pandas":
        return values
    import pandas

    # As in scikit-learn, the container that set_output chooses is not part of the type.
    table: Array = pandas.DataFrame(values, index=pandas.Index(labels, tupleize_cols=False))
    return table


def clean(text: str) -> str:
    """Return text without surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()


def shortened(value: object, longest: int = _LONGEST) -> str:
    """Return a name as text of limited length."""
    text = str(value)
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def few(values: Sequence[object] | NDArray[np.generic], count: int = 3) -> str:
    """Return the first of several names.

    Examples
    --------
    >>> from lpgraph._utils.estimators import few
    >>> few(range(100)), few(["a", "b"])
    ('0, 1, 2, …', 'a, b')
    """
    shown = map(shortened, values[:count])
    return ", ".join([*shown, "…"] if len(values) > count else shown)


def facts_html(title: str, facts: Facts) -> str:
    """Return a table with a name and a value in each row.

    Examples
    --------
    >>> from lpgraph._utils.estimators import facts_html
    >>> "&lt;b&gt;" in facts_html("Graph", [("names", "<b>")])
    True
    """
    cells = [(escape(name), escape(value)) for name, value in facts]
    rows = "".join(f"<tr><th scope='row' {_LEFT}>{k}</th><td {_LEFT}>{v}</td></tr>" for k, v in cells)
    table = f"<table><caption {_LEFT}>{escape(title)}</caption><tbody>{rows}</tbody></table>"
    return clean(f'<div style="overflow-x:auto;max-width:100%">{table}</div>')


class Shown:
    """Mixin of objects that notebooks show as a table of facts, which `_facts` returns."""

    def _facts(self) -> Facts:
        """Return names and values; nothing that needs a pass over vertices or edges.

        By default: the text of the object, if it has one line, and its attributes that are single values or dicts.
        """
        facts = [("result", repr(self))] if "\n" not in repr(self) else []
        for name, value in vars(self).items():
            if isinstance(value, str | int | float | dict):
                facts.append((name.replace("_", " "), shortened(value, 300)))
        return facts

    def _repr_html_(self) -> str:
        return facts_html(type(self).__name__, self._facts())


class ShownColumns:
    """Mixin of results that notebooks show as a table, whose columns are the attributes in `_columns`."""

    _columns: ClassVar[tuple[str, ...]]

    def _repr_html_(self) -> str:
        import pandas

        columns = {name: getattr(self, name) for name in self._columns}
        table: str = pandas.DataFrame(columns).to_html(index=False, float_format="{:.4g}".format)
        return table


class _SignatureOfInit:
    """The signature of a class by its `__init__`, which a dataclass receives after it was made."""

    def __get__(self, instance: object, kind: type) -> Signature:
        whole = signature(kind.__init__)  # type: ignore[misc]
        return whole.replace(parameters=list(whole.parameters.values())[1:])


class ShownEstimator:
    """Mixin of estimators, before scikit-learn's base class: its diagram, and a table of what was fitted.

    An unknown argument is an error that names the right one.
    """

    if not TYPE_CHECKING:  # editors, type checkers and documentation need the arguments of `__init__`
        __signature__ = _SignatureOfInit()

        def __new__(cls, *args, **given):
            known = cls.__signature__.parameters
            for name in given:
                if name not in known and not any(one.kind is one.VAR_KEYWORD for one in known.values()):
                    like = _ELSEWHERE.get(name) or " or ".join(get_close_matches(name, known, 1) or known)
                    raise ArgumentTypeError(f"{cls.__name__} has no argument {name}; pass {like}.")
            return super().__new__(cls)

    def _fitted_facts(self) -> Facts:
        """Return names and values of what was fitted; nothing before `fit`."""
        return []

    def _fitted_html(self) -> str:
        facts = self._fitted_facts()
        return facts_html("Fitted", facts) if facts else ""

    def _repr_html_inner(self) -> str:  # what scikit-learn's `_repr_html_` returns
        diagram: str = super()._repr_html_inner()  # type: ignore[misc]
        return diagram + self._fitted_html()

    def _repr_mimebundle_(self, **options: object) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += self._fitted_html()
        return bundle
