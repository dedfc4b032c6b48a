"""Remedies in a message that a command can offer: alternatives which are code of Python are left out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["assigned", "is_code", "possible"]

#: A parameter with its value, or with none, as in "pass format= one of".
assigned = re.compile(r"(?<![\w.\-])([A-Za-z_]\w*)=(?!=)")
_CODE = re.compile(
    rf"{assigned.pattern}|\b(?:lp|lpgraph|error)\.\w|\w\((?!s\))|\.T\b|(?<!-)\b[a-z]+(?:_[a-z0-9]+)+\b(?!-)"
)
#: How a remedy begins; alternatives after the first may leave the verb out.
_BEGINNING = re.compile(r"(?:if [^,;]*, )?(?:pass|raise|choose|use) ")
_WITHOUT_VERB = re.compile(r"--|an? |the |[A-Z]+\b")
_HELP = "see --help of the command"


def is_code(text: str, values: frozenset[str]) -> bool:
    """Whether a text has a parameter, a call, or a name in snake case that is no value of an option."""
    return any(found[0] not in values for found in _CODE.finditer(text))


def possible(message: str, unavailable: Callable[[str], bool]) -> str:
    """Return a message without the remedies, and without the sentences after the first, that are unavailable.

    Examples
    --------
    >>> from lpgraph.cli._remedies import possible
    >>> possible("A is 1; pass B=2, or --c=3. Others are in B.", lambda text: "B" in text)
    'A is 1; pass --c=3.'
    """
    first, *others = re.split(r"(?<=[^.]\.) (?=[A-Z])", message)
    problem, *remedies = first.rstrip(".").split("; ")
    kept = [found for remedy in remedies if (found := _alternatives(remedy, unavailable))]
    if remedies and not kept:
        kept = [_HELP]
    return " ".join(["; ".join([problem, *kept]) + ".", *(other for other in others if not unavailable(other))])


def _alternatives(remedy: str, unavailable: Callable[[str], bool]) -> str:
    """Return the available alternatives of a remedy: "pass A, or B" without B, for example."""
    parts = re.split(r"(,? or )", remedy)
    beginning = _BEGINNING.match(parts[0])
    kept = ""
    for joint, part in zip(["", *parts[1::2]], parts[::2], strict=True):
        if unavailable(part):
            continue
        verb = beginning[0] if joint and beginning is not None and _WITHOUT_VERB.match(part) else ""
        kept = f"{kept}{joint}{part}" if kept else f"{verb}{part}"
    return kept
