"""Names of vertices that differ only by their type, such as 7 and "7"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph._warnings import warn
from lpgraph.errors import LpgraphWarning

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

__all__ = ["warn_of_types"]


def warn_of_types(names: Sequence[Hashable], where: str) -> None:
    """Warn if a vertex is called by a number and another by the text of this number, or by its bytes.

    Parameters
    ----------
    names : sequence of hashable
        Names of vertices.
    where : str
        The argument that has them.

    Examples
    --------
    >>> import warnings
    >>> from lpgraph.graph.name_types import warn_of_types
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_of_types([7, "8", "7"], "graph")
    >>> print(caught[0].message)
    graph has the vertices 7 and '7', which differ only by type. Convert one of them if they are one vertex.
    """
    if isinstance(names, range) or len(set(map(type, names))) < 2:
        return
    first: dict[str, Hashable] = {}
    for name in names:
        text = _text(name)
        if text is None:
            continue
        other = first.setdefault(text, name)
        if other is not name:
            warn(
                f"{where} has the vertices {other!r} and {name!r}, which differ only by type. Convert one of them "
                "if they are one vertex.",
                LpgraphWarning,
            )
            return


def _text(name: Hashable) -> str | None:
    """Return the text of a name that is a text, bytes or a number; whole numbers without a point."""
    if isinstance(name, str):
        return name
    if isinstance(name, bytes):
        return name.decode(errors="replace")
    if isinstance(name, float) and name.is_integer():
        return str(int(name))
    return str(name) if isinstance(name, int | float) else None
