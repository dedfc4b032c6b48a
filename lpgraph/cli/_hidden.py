"""Parts of a message that are not translated: quoted texts, and what the user passed."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["Hidden", "value_end"]

#: Characters of private use, each of which stands for a hidden text.
_FIRST, _LAST = 0xF0000, 0xFFFFD
_PRIVATE = re.compile(f"[{chr(_FIRST)}-{chr(_LAST)}]")
_QUOTED = r"(?<!\w)(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"


class Hidden:
    """Texts that are hidden from a translation.

    Examples
    --------
    >>> from lpgraph.cli._hidden import Hidden
    >>> hidden = Hidden(["my_graph.csv"])
    >>> text = hidden.hide_quoted("my_graph.csv: the vertex 'n_components' has a loop")
    >>> "_" in text, hidden.restore(text)
    (False, "my_graph.csv: the vertex 'n_components' has a loop")
    """

    def __init__(self, given: Iterable[str]) -> None:
        longest_first = sorted(given, key=len, reverse=True)
        passed = [rf"(?<![\w/.\-]){re.escape(text)}(?![\w/])" for text in longest_first]
        self._pattern = re.compile("|".join([*passed, _QUOTED]))
        self._texts: list[str] = []

    def hide(self, text: str) -> str:
        """Return a character that stands for a text."""
        if len(self._texts) > _LAST - _FIRST:
            return "..."
        self._texts.append(text)
        return chr(_FIRST + len(self._texts) - 1)

    def hide_quoted(self, text: str) -> str:
        """Return a text in which quoted texts and those that the user passed are hidden."""
        return self._pattern.sub(lambda found: self.hide(found[0]), text)

    def bare(self, value: str) -> str:
        """Return a hidden text without its quotes."""
        if not _PRIVATE.fullmatch(value):
            return value
        return self.hide(self.restore(value).strip("'\""))

    def restore(self, text: str) -> str:
        """Return a text with everything that is hidden in it."""
        texts = dict(enumerate(self._texts, _FIRST))
        return _PRIVATE.sub(lambda found: texts.get(ord(found[0]), found[0]), text)


def value_end(text: str, at: int) -> int:
    """Return the end of the value that begins at `at`: it has no blank, except within brackets."""
    depth = 0
    for end in range(at, len(text)):
        depth += (text[end] in "([") - (text[end] in ")]")
        if depth < 0 or (depth == 0 and text[end] in " ;,\n"):
            break
    else:
        end = len(text)
    return end - 1 if end > at and text[end - 1] in ".:" else end
