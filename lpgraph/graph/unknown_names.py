"""Names of vertices that are not known: which known ones they are written like, and how they differ."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from lpgraph._warnings import warn
from lpgraph.errors import LpgraphWarning

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

__all__ = ["alike", "are_of_another_kind", "difference", "warn_of_misspelled"]

#: Known names that are compared, and pairs that a warning shows.
_COMPARED, _SHOWN = 1_000_000, 3

_WHOLE = re.compile(r"[+-]?0*(\d+)(\.0*)?")


def _written_like(unknown: Collection[Hashable], known: Collection[Hashable]) -> dict[Hashable, Hashable]:
    """Return the known name that each unknown one is written like, where there is one.

    They are equal without what programs that write tables change: case, blanks and quotes around them, zeros
    before a number and ``.0`` after it.
    """
    wanted: dict[str, Hashable] = {}
    for name in unknown:
        wanted.setdefault(_usual(name), name)
    found: dict[Hashable, Hashable] = {}
    for name in islice(known, _COMPARED):
        other = wanted.get(_usual(name))
        if other is not None:
            found.setdefault(other, name)
    return found


def _usual(name: Hashable) -> str:
    text = str(name).strip(" \t\r\n\ufeff\"'").casefold()
    whole = _WHOLE.fullmatch(text)
    return text if whole is None else ("-" if text[0] == "-" else "") + whole[1]


def alike(unknown: Collection[Hashable], known: Collection[Hashable]) -> str:
    """Return a question about a name that is written like a known one, or an empty text.

    Examples
    --------
    >>> from lpgraph.graph.unknown_names import alike
    >>> alike(["007"], range(10)), alike(["paper19"], ["paper16"])
    ("Is '007' the known 7?", '')
    """
    found = _written_like(unknown, known)
    return next((f"Is {name!r} the known {other!r}?" for name, other in found.items()), "")


def difference(unknown: Collection[Hashable], known: Collection[Hashable]) -> str:
    """Return a sentence that says how unknown names differ from the known ones.

    Examples
    --------
    >>> from lpgraph.graph.unknown_names import difference
    >>> difference(["Salem", "sea "], ["ATL", "SEA"])
    "Is 'sea ' the known 'SEA'?"
    >>> difference(["West"], ["ATL", "SEA"])
    "The known ones are called like 'ATL', these like 'West'."
    """
    mine, theirs = next(iter(known)), next(iter(unknown))
    return alike(unknown, known) or f"The known ones are called like {mine!r}, these like {theirs!r}."


def are_of_another_kind(unknown: Collection[Hashable], known: Collection[Hashable]) -> bool:
    """Whether a name is a number where no known name is one, or is none where all known names are.

    Examples
    --------
    >>> from lpgraph.graph.unknown_names import are_of_another_kind
    >>> are_of_another_kind(["user"], [1, 2, 3]), are_of_another_kind([9], [1, 2, 3])
    (True, False)
    """
    kinds = {_is_number(name) for name in known}
    return len(kinds) == 1 and any(_is_number(name) not in kinds for name in unknown)


def _is_number(name: Hashable) -> bool:
    return _WHOLE.fullmatch(_usual(name)) is not None


def warn_of_misspelled(names: Collection[Hashable], known: Collection[Hashable]) -> None:
    """Warn about new vertices without a known neighbor that are written like a known vertex.

    An edge list does not say which of its names are meant to be known, so that a misspelled one is a new vertex.
    """
    texts = [name for name in names if isinstance(name, str)]
    found = _written_like(texts, known) if texts else {}
    if found:
        pairs = [f"{name!r} (is the known {other!r} meant?)" for name, other in islice(found.items(), _SHOWN)]
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        are = "is new and has" if len(found) == 1 else "are new and have"
        warn(f"{', '.join(pairs)}{more} {are} no known neighbor. Correct the name if so.", LpgraphWarning)
