"""Names of vertices that differ only by the blanks around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph._warnings import warn
from lpgraph.errors import LpgraphWarning

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

__all__ = ["warn_of_blanks"]


def warn_of_blanks(names: Sequence[Hashable], where: str) -> None:
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
    >>> from lpgraph.graph.blanks import warn_of_blanks
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_of_blanks(["ann", "bob", "ann "], "graph")
    >>> print(caught[0].message)
    graph has the vertices 'ann' and 'ann ', which differ only by blanks. Strip the names if they are one vertex.
    """
    if isinstance(names, range):
        return
    padded = [name for name in names if isinstance(name, str) and name != name.strip()]
    if not padded:
        return
    stripped: dict[str, str] = {}
    wanted = {name.strip() for name in padded}
    for name in names:
        if isinstance(name, str) and (text := name.strip()) in wanted:
            other = stripped.setdefault(text, name)
            if other != name:
                warn(
                    f"{where} has the vertices {other!r} and {name!r}, which differ only by blanks. Strip the "
                    "names if they are one vertex.",
                    LpgraphWarning,
                )
                return
