"""Directions of new vertices of directed networks."""

from __future__ import annotations

from lpgraph._checks import check_choice
from lpgraph.errors import ArgumentError

__all__ = ["check_direction"]

DIRECTIONS = ("out", "in")


def check_direction(direction: str, directed: bool) -> None:
    """Refuse an unknown direction, or "in" for an undirected graph."""
    check_choice("direction", direction, DIRECTIONS)
    if direction == "in" and not directed:
        raise ArgumentError('direction="in" but the graph is undirected; pass direction="out".')
