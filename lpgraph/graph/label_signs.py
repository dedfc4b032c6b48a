"""Signs that a list of edges is a table of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph._warnings import warn
from lpgraph.errors import LpgraphWarning

if TYPE_CHECKING:
    from lpgraph.graph.assemble import EdgeList

__all__ = ["FEW", "n_labels", "warn_of_labels"]

#: Rows of a table of labels that is recognised by itself.
FEW = 10
#: Most classes that are numbers among which there are vertices, and least rows for each.
_NUMBERS, _ROWS = 50, 20


def n_labels(edges: EdgeList, least: int = FEW) -> int:
    """Return the number of different labels if a list seems to be a table of labels, else 0.

    Each name is listed once, half as many values or fewer are in the other column, and none of them is a name.
    Classes that are numbers may also be names, if there are few. As a graph this is a set of stars.

    Parameters
    ----------
    edges : EdgeList
        The edges as they are listed.
    least : int
        Least number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.graph.assemble import EdgeList
    >>> from lpgraph.graph.label_signs import n_labels
    >>> names = ["Ann", "Bob", "Cem", "Dea", "cat", "dog"]
    >>> n_labels(EdgeList(names, np.arange(4), np.array([4, 5, 5, 4]), None, False), least=4)
    2
    """
    if edges.weight is not None or edges.directed or edges.source.size < least:
        return 0
    import numpy as np  # not for the help of commands

    values = np.unique(edges.target)
    rows, count = edges.source.size, values.size
    if count < 2 or 2 * count > rows or np.unique(edges.source).size < rows:
        return 0
    also_names = np.isin(values, edges.source).any()
    if also_names and (count > _NUMBERS or _ROWS * count > rows or isinstance(edges.names[0], str)):
        return 0
    return int(count)


def warn_of_labels(edges: EdgeList, what: str) -> None:
    """Warn if a list of edges, which the message calls `what`, seems to be a table of labels."""
    count = n_labels(edges)
    if count:
        warn(
            f"{what} has each name once, and {count} different values beside them: is it a table of labels? Pass "
            "a list of edges.",
            LpgraphWarning,
        )
