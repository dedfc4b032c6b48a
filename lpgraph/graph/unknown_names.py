"""Messages about names of vertices that are not known: how they differ from the known ones."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from lpgraph.graph.names import ManyIndex

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable

__all__ = ["alike", "are_of_another_kind", "difference", "is_one_edit"]

#: Unknown names that are edited, known names that they are compared with, and the shortest that are.
_LOOKED_UP, _COMPARED, _SHORTEST = 5, 200_000, 4

_WHOLE = re.compile(r"[+-]?0*(\d+)(\.0*)?")
#: Separators between letters, zeros before a number within a name, and letters that look like digits.
_SEPARATORS = re.compile(r"(?<=[^\W\d_])[\s_.-]+(?=[^\W\d_])")
_PADDING = re.compile(r"(?<![\d.])0+(?=\d)")
_LOOK_LIKE_DIGITS = str.maketrans("oil", "011")
_DIGIT = re.compile(r"\d")


def difference(unknown: Collection[Hashable], known: Collection[Hashable]) -> str:
    """Return a sentence that says how unknown names differ from the known ones.

    Names that `alike` recognises are probably the same.

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
    """Return a question about a name that is probably meant as a known one, or an empty text.

    Names are alike

    - if they are equal without what programs that write tables change: case, blanks and quotes around them, zeros
      before a number and ``.0`` after it;
    - else, if they are equal without the separators between letters (blank, underscore, hyphen, dot), zeros before
      the numbers within them, and letters that look like digits (O and 0; I, l and 1) in names with digits;
    - else, if one edit makes two texts equal: a letter more, less, different, or exchanged with the next.

    Digits are not edited: names such as paper101 and paper102 are numbered, so that each is an edit away from
    others which are no misspellings of it.

    Examples
    --------
    >>> from lpgraph.graph.unknown_names import alike
    >>> alike(["paper O17"], ["paper16", "paper17", "paper18"])
    "Is 'paper O17' the known 'paper17'?"
    >>> alike(["paper19"], ["paper16", "paper17", "paper18"])
    ''
    """
    wanted: dict[str, Hashable] = {}
    for name in unknown:
        wanted.setdefault(_usual(name), name)
    for name in islice(known, _COMPARED) if isinstance(known, ManyIndex) else known:
        found = wanted.get(_usual(name))
        if found is not None:
            return f"Is {found!r} the known {name!r}?"
    texts = [name for name in islice(known, _COMPARED) if isinstance(name, str)]
    confused = {_bare(name): name for name in islice(unknown, _COMPARED) if isinstance(name, str)}
    for text in texts:
        found = confused.get(_bare(text))
        if found is not None:
            return f"Is {found!r} the known {text!r}?"
    for name in islice(unknown, _LOOKED_UP):
        if isinstance(name, str) and len(name) >= _SHORTEST:
            other = next((text for text in texts if is_one_edit(name, text)), None)
            if other is not None:
                return f"Is {name!r} the known {other!r}?"
    return ""


def _usual(name: Hashable) -> str:
    """Return a name without the differences that programs which write tables introduce."""
    text = str(name).strip(" \t\r\n\ufeff\"'").casefold()
    whole = _WHOLE.fullmatch(text)
    return text if whole is None else ("-" if text[0] == "-" else "") + whole[1]


def _bare(name: str) -> str:
    """Return a name without separators and padding, and with digits for the letters that look like them."""
    text = _SEPARATORS.sub("", _usual(name))
    if _DIGIT.search(text) is not None:
        text = re.sub(r"(?<=[^\W\d_])[\s_.-]+(?=[\doil])", "", text).translate(_LOOK_LIKE_DIGITS)
    return _PADDING.sub("", text)


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


def is_one_edit(a: str, b: str) -> bool:
    """Whether one edit, of no digit, makes two different texts equal.

    Examples
    --------
    >>> from lpgraph.graph.unknown_names import is_one_edit
    >>> is_one_edit("Salem", "Slaem"), is_one_edit("paper16", "paper17")
    (True, False)
    """
    if abs(len(a) - len(b)) > 1:
        return False
    i = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    if len(a) != len(b):
        long, short = (a, b) if len(a) > len(b) else (b, a)
        return long[i + 1 :] == short[i:] and not long[i].isdigit()
    if a[i].isdigit() or b[i].isdigit():
        return False
    return a[i + 1 :] == b[i + 1 :] or (a[i : i + 2] == b[i : i + 2][::-1] and a[i + 2 :] == b[i + 2 :])
