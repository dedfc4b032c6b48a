"""Division of long arrays into parts, so that work arrays stay small."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["slices"]


def slices(count: int, step: int) -> Iterator[slice]:
    """Return the slices of at most `step` items (at least 1) that cover `count` items, in order."""
    step = max(1, step)
    return (slice(low, min(low + step, count)) for low in range(0, count, step))
