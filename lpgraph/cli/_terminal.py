"""Text for a terminal: control characters, which names may contain, are shown as escapes."""

from __future__ import annotations

import re

__all__ = ["visible", "visible_bytes"]

#: C0 but for tab and newline, DEL, C1, and the marks that change the direction of text.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    r"""Return a text with its control characters as escapes.

    Examples
    --------
    >>> from lpgraph.cli._terminal import visible
    >>> print(visible("\x1b[2Jname"))
    \x1b[2Jname
    """
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


def visible_bytes(content: bytes | memoryview) -> bytes:
    """Return the same for UTF-8; other bytes are left as they are."""
    return visible(bytes(content).decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
