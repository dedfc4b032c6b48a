"""Messages about names of vertices that are not known: how they differ from the known ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

__all__ = ["alike", "difference"]

_WHOLE = re.compile(r"[+-]?0*(\d+)(\.0*)?")


def difference(unknown: Collection[Hashable], known: Collection[Hashable]) -> str:
    """Return a sentence that says how unknown names differ from the known ones.

    Names that differ in case, in blanks around them, or in how a number is written are probably the same.

    Parameters
    ----------
    unknown, known : collection of hashable
        Names, at least one of each.

    Examples
    --------
    >>> from lpgraph.graph.unknown_names import difference
    >>> difference(["Salem", "sea "], ["ATL", "SEA"])
    "Is 'sea ' the known 'SEA'?"
    >>> difference(["007"], range(10))
    "Is '007' the known 7?"
    >>> difference(["West"], ["ATL", "SEA"])
    "The known ones are called like 'ATL', these like 'West'."
    """
    mine, theirs = next(iter(known)), next(iter(unknown))
    return alike(unknown, known) or f"The known ones are called like {mine!r}, these like {theirs!r}."


def alike(unknown: Collection[Hashable], known: Collection[Hashable]) -> str:
    """Return a question about a name that is probably meant as a known one, or an empty text."""
    wanted: dict[str, Hashable] = {}
    for name in unknown:
        wanted.setdefault(_usual(name), name)
    for name in known:
        found = wanted.get(_usual(name))
        if found is not None:
            return f"Is {found!r} the known {name!r}?"
    return ""


def _usual(name: Hashable) -> str:
    """Return a name without the differences that programs which write tables introduce."""
    text = str(name).strip(" \t\r\n\ufeff\"'").casefold()
    whole = _WHOLE.fullmatch(text)
    return text if whole is None else ("-" if text[0] == "-" else "") + whole[1]
