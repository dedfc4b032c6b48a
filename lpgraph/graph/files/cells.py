"""Cells of tables that a spreadsheet would take for formulas: an apostrophe before them makes them text.

Names come from files of other people. A spreadsheet computes a cell that begins with one of = + - @, a tab or a
carriage return; a formula can call programs or send the table elsewhere.
"""

from __future__ import annotations

import re

from lpgraph.graph.files.titles import is_number

__all__ = ["guarded", "unguarded"]

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")


def guarded(value: object) -> object:
    """Return a cell, with an apostrophe before it if it is a text that may be a formula and no number."""
    if isinstance(value, str) and _FORMULA.match(value) and not is_number(value):
        return f"'{value}"
    return value


def unguarded(text: str) -> str:
    """Return the text of a cell that `guarded` has returned."""
    return text[1:] if _GUARDED.match(text) else text
