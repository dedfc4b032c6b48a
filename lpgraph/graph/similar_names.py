"""Known names that differ little from unknown ones, for messages."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

__all__ = ["similar_names"]

#: Unknown names that are looked up, known names that they are compared with, and the shortest that are compared.
_LOOKED_UP, _COMPARED, _SHORTEST = 5, 200_000, 4


def similar_names(unknown: Iterable[Hashable], known: Iterable[Hashable]) -> str:
    """Return a sentence on known names that unknown ones may stand for, after a blank; "" if there are none.

    Texts are compared that are equal except for case and blanks at their ends, or that one edit makes equal: a
    letter more, less, different, or exchanged with the next. Digits are not edited, since every number is an edit
    away from others.

    Examples
    --------
    >>> from lpgraph.graph.similar_names import similar_names
    >>> similar_names(["Rosa", "Zachary"], ["rosa", "anna"]), similar_names([17], [71])
    (" Is 'Rosa' meant as 'rosa'?", '')
    """
    texts = [name for name, _ in zip(known, range(_COMPARED), strict=False) if isinstance(name, str)]
    folded = {_folded(name): name for name in reversed(texts)}
    for name, _ in zip(dict.fromkeys(unknown), range(_LOOKED_UP), strict=False):
        if not isinstance(name, str):
            continue
        found = folded.get(_folded(name))
        if found is None and len(name) >= _SHORTEST:
            found = next((other for other in texts if _is_one_edit(name, other)), None)
        if found is not None:
            return f" Is {name!r} meant as {found!r}?"
    return ""


def _folded(name: str) -> str:
    return name.strip().casefold()


def _is_one_edit(a: str, b: str) -> bool:
    """Whether one edit, of no digit, makes two different texts equal."""
    if abs(len(a) - len(b)) > 1:
        return False
    i = next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    if len(a) != len(b):
        long, short = (a, b) if len(a) > len(b) else (b, a)
        return long[i + 1 :] == short[i:] and not long[i].isdigit()
    if a[i].isdigit() or b[i].isdigit():
        return False
    return a[i + 1 :] == b[i + 1 :] or (a[i : i + 2] == b[i : i + 2][::-1] and a[i + 2 :] == b[i + 2 :])
