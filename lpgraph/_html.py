"""HTML of objects in notebooks: small tables in which all text is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    #: Names and values of facts.
    Facts = list[tuple[str, str]]

__all__ = ["Shown", "ShownEstimator", "clean", "columns_html", "facts_html", "few", "shortened"]

#: Characters of a name that are shown, and rows of a table.
_LONGEST, _ROWS = 40, 30

# Without a style sheet: notebooks remove it from pages that are not trusted, and have light and dark themes.
_BOX = '<div style="overflow-x:auto;max-width:100%">'
_LEFT = 'style="text-align:left;vertical-align:top;overflow-wrap:anywhere"'
_NAME = 'style="text-align:left;vertical-align:top;white-space:nowrap"'


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
    >>> from lpgraph._html import few
    >>> few(range(100)), few(["a", "b"])
    ('0, 1, 2, …', 'a, b')
    """
    shown = [shortened(values[i]) for i in range(min(count, len(values)))]
    return ", ".join([*shown, "…"] if len(values) > count else shown)


def facts_html(title: str, facts: Facts) -> str:
    """Return a table with a name and a value in each row.

    Examples
    --------
    >>> from lpgraph._html import facts_html
    >>> "&lt;b&gt;" in facts_html("Graph", [("names", "<b>")])
    True
    """
    rows = "".join(
        f'<tr><th scope="row" {_NAME}>{_text(k)}</th><td {_LEFT}>{_text(v)}</td></tr>' for k, v in facts
    )
    return f"{_BOX}<table><caption {_LEFT}>{_text(title)}</caption><tbody>{rows}</tbody></table></div>"


def columns_html(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table with a heading for each column; of many rows, the first."""
    top = "".join(f'<th scope="col">{_text(name)}</th>' for name in head)
    body = "".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in rows[:_ROWS])
    rest = f"<p>and {len(rows) - _ROWS} more rows</p>" if len(rows) > _ROWS else ""
    caption = f"<caption {_LEFT}>{_text(title)}</caption>"
    return f"{_BOX}<table>{caption}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>{rest}</div>"


def _text(text: str) -> str:
    return escape(clean(text), quote=True)


class Shown:
    """Mixin of objects that notebooks show as a table of facts, which `_facts` returns."""

    def _facts(self) -> Facts:
        """Return names and values; nothing that needs a pass over vertices or edges."""
        raise TypeError(f"{type(self).__name__} does not define its facts.")

    def _repr_html_(self) -> str:
        return facts_html(type(self).__name__, self._facts())


class ShownEstimator:
    """Mixin of estimators, before scikit-learn's base class: its diagram, and a table of what was fitted."""

    def _fitted_facts(self) -> Facts:
        """Return names and values of what was fitted; nothing before `fit`."""
        return []

    def _fitted_html(self) -> str:
        facts = self._fitted_facts()
        return facts_html("Fitted", facts) if facts else ""

    @property
    def _repr_html_(self) -> Callable[[], str]:
        # A property as in scikit-learn: there is no such attribute if set_config(display="text") was called.
        diagram: Callable[[], str] = super()._repr_html_  # type: ignore[misc]
        return lambda: diagram() + self._fitted_html()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += self._fitted_html()
        return bundle
