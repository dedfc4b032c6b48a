"""Data frames that are matrices: tables of all pairs, and of counts by rows and columns."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from lpgraph.errors import ArgumentTypeError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["refuse_matrix", "titles"]

#: Characters of titles in a message.
_LONGEST = 120


def titles(columns: Iterable[object]) -> str:
    """Return the titles of columns for a message, which are cut if they are many.

    Examples
    --------
    >>> from lpgraph.graph.square_tables import titles
    >>> titles(["who", "whom"]), len(titles(range(10_000)))
    ("['who', 'whom']", 139)
    """
    listed = list(columns)
    text = str(listed)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(listed)} columns)"


def refuse_matrix(table: object, what: str) -> None:
    """Raise if a data frame of pandas has a row and a column for each vertex, or is a cross table.

    Frames whose titles are the names in the index, and those of `pandas.crosstab` and ``pivot_table``, whose index
    and titles have names of their own, are no lists of edges.

    Examples
    --------
    >>> import pandas as pd
    >>> import lpgraph as lp
    >>> lp.as_adjacency(pd.DataFrame([[0, 1], [1, 0]], index=["a", "b"], columns=["a", "b"]))
    Traceback (most recent call last):
        ...
    lpgraph.errors.ArgumentTypeError: graph is a square table, ... with names=graph.columns ...
    """
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(table, pandas.DataFrame):
        return
    index, columns = table.index, table.columns
    rows, heads = index.tolist(), columns.tolist()
    if len(heads) > 1 and any(isinstance(head, str) for head in heads) and set(rows) == set(heads):
        matrix = what if rows == heads else f"{what}.loc[{what}.columns]"
        raise ArgumentTypeError(
            f"{what} is a square table, whose titles are its index, not a list of edges; pass "
            f"{matrix}.to_numpy() with names={what}.columns to lpgraph.as_adjacency."
        )
    if index.name is not None and columns.name is not None:
        raise ArgumentTypeError(
            f"{what} is a cross table of {index.name!r} and {columns.name!r}, not a list of edges; pass "
            f"{what}.stack().rename('weight').reset_index()."
        )
