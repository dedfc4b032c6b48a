"""Numbers and dimensions in arguments of the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph.cli import _choices as choices
from lpgraph.cli._errors import CommandError

if TYPE_CHECKING:
    from lpgraph.spectral.wanted import Dimension

__all__ = ["as_dimension", "as_integers", "as_matrix", "as_numbers", "as_range", "is_number"]


def is_number(text: object) -> bool:
    """Whether a text is one number."""
    try:
        float(text)  # type: ignore[arg-type]  # other types raise TypeError
    except (TypeError, ValueError):
        return False
    return True


def as_range(option: str, text: str | None) -> int | range | None:
    """Return "3" as 3 and "2-8" as range(2, 9)."""
    if text is None:
        return None
    low, dash, high = text.partition("-")
    if low.isdecimal() and (not dash or high.isdecimal()):
        first, last = int(low), int(high) if dash else int(low)
        if 1 <= first <= last:
            return range(first, last + 1) if dash else first
    raise CommandError(f"{option}={text}; pass a number such as 3, or a range such as 2-8.")


def as_dimension(text: str) -> Dimension:
    """Return "8" as 8, and the name of a rule as it is."""
    return int(text) if text.isdecimal() else choices.DIMENSIONS.check("--dimension", text)


def as_integers(option: str, text: str) -> list[int]:
    """Return "60,40" as [60, 40]."""
    parts = text.split(",")
    if not all(part.strip().isdecimal() for part in parts):
        raise CommandError(f"{option}={text}; pass whole numbers separated by commas, such as 60,40.")
    return [int(part) for part in parts]


def as_matrix(option: str, text: str) -> list[list[float]]:
    """Return "0.5,0.1;0.1,0.5" as a square matrix."""
    rows = [row.split(",") for row in text.split(";")]
    if not all(is_number(entry) for row in rows for entry in row) or {len(row) for row in rows} != {len(rows)}:
        raise CommandError(f"{option}={text}; pass the rows of a square matrix, such as 0.5,0.1;0.1,0.5.")
    return [[float(entry) for entry in row] for row in rows]


def as_numbers(option: str, text: str, such_as: str) -> list[float]:
    """Return "0.3,0.3" as [0.3, 0.3]."""
    parts = text.split(",")
    if not all(map(is_number, parts)):
        raise CommandError(f"{option}={text}; pass numbers separated by commas, such as {such_as}.")
    return [float(part) for part in parts]
