"""Warnings of names of vertices that differ only by blanks around them, or only by type, such as 7 and "7"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph._warnings import warn
from lpgraph.errors import LpgraphWarning
from lpgraph.graph.names import listed

if TYPE_CHECKING:
    from collections.abc import Hashable

    from lpgraph.graph.names import Names

__all__ = ["warn_of_blanks", "warn_of_types"]


def warn_of_blanks(names: Names, where: str) -> None:
    """Warn if two vertices have names that are equal without the blanks around them; the warning names two.

    Parameters
    ----------
    names : sequence of hashable
        Names of vertices; those that are no texts are left out.
    where : str
        What has them: an argument or a file.

    Examples
    --------
    >>> import warnings
    >>> from lpgraph.graph.name_warnings import warn_of_blanks
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_of_blanks(["ann", "bob", "ann "], "graph")
    >>> print(caught[0].message)
    graph has the vertices 'ann' and 'ann ', which differ only by blanks. Strip the names if they are one vertex.
    """
    if isinstance(names, range):
        return
    texts = [name for name in listed(names) if isinstance(name, str)]
    padded = [name for name in texts if name != name.strip()]
    if not padded:
        return
    stripped: dict[str, str] = {}
    wanted = {name.strip() for name in padded}
    for name in texts:
        if (text := name.strip()) in wanted:
            other = stripped.setdefault(text, name)
            if other != name:
                warn(
                    f"{where} has the vertices {other!r} and {name!r}, which differ only by blanks. Strip the "
                    "names if they are one vertex.",
                    LpgraphWarning,
                )
                return


def warn_of_types(names: Names, where: str) -> None:
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
    >>> from lpgraph.graph.name_warnings import warn_of_types
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_of_types([7, "8", "7"], "graph")
    >>> print(caught[0].message)
    graph has the vertices 7 and '7', which differ only by type. Convert one of them if they are one vertex.
    """
    given = [] if isinstance(names, range) else listed(names)
    if len(set(map(type, given))) < 2:
        return
    first: dict[str, Hashable] = {}
    for name in given:
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
