"""New vertices that are probably known ones with a misspelled name."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._warnings import warn
from lpgraph.errors import LpgraphWarning
from lpgraph.graph.names import ManyIndex, RangeIndex
from lpgraph.graph.unknown_names import is_one_edit

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping

    from lpgraph.graph.new_edges import NewEdges

__all__ = ["misspelled", "warn_of_misspelled"]

#: New vertices that are compared, and pairs of names that a warning shows.
_COMPARED, _SHOWN = 1000, 3
#: Names on disk that are read for this.
_READ = 200_000
#: The shortest names that are edited: among codes of three or four letters, many are one edit apart.
_SHORTEST = 5

_NO_DIGITS = re.compile(r"\D+")


def warn_of_misspelled(new: NewEdges, index: Mapping[Hashable, int]) -> None:
    """Warn about new vertices without a known neighbor that have almost the name of a known vertex.

    An edge list does not say which of its names are meant to be known, so that a misspelled one is a new vertex.
    """
    if isinstance(index, RangeIndex) or (isinstance(index, ManyIndex) and len(index) > _READ):
        return
    alone = [new.names[i] for i in np.flatnonzero(~new.has_known_neighbor).tolist()]
    found = misspelled(alone, index)
    if not found:
        return
    pairs = [f"{name!r} (is the known {known!r} meant?)" for name, known in islice(found.items(), _SHOWN)]
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    are = "is new and has" if len(found) == 1 else "are new and have"
    warn(f"{', '.join(pairs)}{more} {are} no known neighbor. Correct the name if so.", LpgraphWarning)


def misspelled(names: Collection[Hashable], known: Collection[Hashable]) -> dict[str, str]:
    """Return the known name that each name is probably meant as, where there is one.

    Two texts are alike if they are equal without case and blanks, or if they have at least five characters and one
    edit makes them so: a character more, less, different, or exchanged with the next. Digits are not edited, since
    names with different numbers are different names. The first 1,000 names are compared.

    Parameters
    ----------
    names, known : collection of hashable
        Names; those that are no texts are left out.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> from lpgraph.graph.misspelled import misspelled
    >>> misspelled(["Daily.org/17", "dialy.org/18", "daily.org/19"], ["daily.org/17", "daily.org/18"])
    {'Daily.org/17': 'daily.org/17', 'dialy.org/18': 'daily.org/18'}
    """
    plain = {name: _plain(name) for name in islice(names, _COMPARED) if isinstance(name, str)}
    equal: dict[str, list[str]] = {}
    deleted: dict[str, list[str]] = {}
    for name, text in plain.items():
        equal.setdefault(text, []).append(name)
        if len(text) >= _SHORTEST:
            for key in _deletions(text, 0, len(text)):
                deleted.setdefault(key, []).append(name)
    if not equal:
        return {}
    # One edit, or an exchange of two neighbors, leaves the beginning or the end of a text as it is.
    edited = [text for text in equal if len(text) >= _SHORTEST]
    half = (min(map(len, edited), default=_SHORTEST) - 2) // 2
    starts, ends = {text[:half] for text in edited}, {text[-half:] for text in edited}
    digits = {_NO_DIGITS.sub("", text) for text in edited}
    found: dict[str, str] = {}
    for other in known:
        if not isinstance(other, str):
            continue
        text = _plain(other)
        for name in equal.get(text, ()):
            found[name] = other
        start, end = text[:half] in starts, text[-half:] in ends
        if (start or end) and _NO_DIGITS.sub("", text) in digits:
            keys = _deletions(text, 0 if end else half, len(text) if start else len(text) - half)
            for name in {name for key in keys for name in deleted.get(key, ())}:
                if plain[name] != text and is_one_edit(plain[name], text):
                    found.setdefault(name, other)
    return {name: found[name] for name in plain if name in found}


def _plain(name: str) -> str:
    """Return a name without case and blanks."""
    return "".join(name.split()).casefold()


def _deletions(text: str, first: int, last: int) -> set[str]:
    """Return a text, and the texts with one of the characters first, ..., last - 1 left out.

    Texts that are one edit apart have one of all these in common.
    """
    return {text, *[text[:i] + text[i + 1 :] for i in range(first, last)]}
