"""Which columns of the shards have the end points and the weights."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Columns"]


@dataclass(frozen=True)
class Columns:
    """The options of the caller, as in `lpgraph.read_graph`.

    Attributes
    ----------
    ends : tuple of str, or None
        Titles of source and target; None: found by their titles.
    weight : str or None
        Title of the weights; None: every edge has weight 1.
    header : bool or None
        For text: whether the first line has titles.
    """

    ends: tuple[str, str] | None = None
    weight: str | None = "weight"
    header: bool | None = None
