"""The article of a name in a message: "an int", "a str"."""

from __future__ import annotations

import re

__all__ = ["a_type", "with_article"]

#: An acronym, which is spelt: the name of its first letter may begin with a vowel.
_ACRONYM = re.compile(r"[A-Z]{2,}(?![a-z])")
_SPELT = frozenset("AEFHILMNORSX")
#: Vowels that sound like "you" or "one".
_AS_CONSONANT = re.compile(r"[Uu](?:ni(?!n)|int|ser|tf|uid)|[Ee]u|[Oo]ne(?![a-z])")


def with_article(noun: str) -> str:
    """Return a name with its indefinite article.

    Examples
    --------
    >>> from lpgraph._articles import with_article
    >>> [with_article(name) for name in ("int", "str", "ndarray", "uint8", "OneStepEmbedding", "SVC")]
    ['an int', 'a str', 'an ndarray', 'a uint8', 'a OneStepEmbedding', 'an SVC']
    """
    if _ACRONYM.match(noun):
        vowel = noun[0] in _SPELT
    else:
        vowel = noun == "ndarray" or (noun[0] in "aeiouAEIOU" and _AS_CONSONANT.match(noun) is None)
    return f"{'an' if vowel else 'a'} {noun}"


def a_type(value: object) -> str:
    """Return the name of the type of a value with its article.

    Examples
    --------
    >>> from lpgraph._articles import a_type
    >>> a_type(3), a_type(None)
    ('an int', 'a NoneType')
    """
    return with_article(type(value).__name__)
