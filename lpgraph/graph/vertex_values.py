"""Values of vertices: a pandas object is read by its index, if that has names of vertices."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.errors import ArgumentError, UnknownVertexError
from lpgraph.graph.names import as_names, index_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from pandas import Index, Series

__all__ = ["by_name", "in_matrix_order", "in_order", "row_names"]


def by_name(values: object, names: Sequence[Hashable], argument: str) -> object:
    """Return a pandas Series, or DataFrame of one column, as a mapping from names to values.

    It is read in its order, and returned as an array, if its index is the default 0 ... m-1 and none of these is
    the name of a vertex. If some are and some are not, it is refused. Other values are returned as they are.
    """
    column = _pandas_column(values, argument)
    if column is None:
        return values
    labels, index = column.index.tolist(), index_of(names)
    hits = sum(label in index for label in labels)
    if _is_default(column.index) and hits < len(labels):
        if hits:
            raise ArgumentError(
                f"{argument} has the index 0 ... {len(labels) - 1}, and {hits} of these are vertices; set its "
                f"index to the names, or pass {argument}.to_numpy() if that is in the vertices' order."
            )
        return column.to_numpy()
    if not hits:
        raise UnknownVertexError(
            labels,
            f"They are the index of {argument}; pass {argument}.to_numpy() if it is in the order of the vertices.",
        )
    if len(set(labels)) < len(labels):
        twice = next(label for label, count in Counter(labels).items() if count > 1)
        raise ArgumentError(f"{argument} has {twice!r} twice in its index; keep one value for each vertex.")
    return dict(zip(labels, column.tolist(), strict=True))


def in_order(values: object, names: Sequence[Hashable], argument: str, *, partial: bool = False) -> object:
    """Return values in the order of the vertices; a pandas object or mapping must have all and no other.

    If `partial`, one that has some of them is completed by None.
    """
    named = by_name(values, names, argument)
    if not isinstance(named, Mapping):
        return named
    index = index_of(names)
    missing = [name for name in names if name not in named]
    if partial and named and len(missing) + len(named) == len(index):  # no other names
        return [named.get(name) for name in names]
    if missing or len(named) > len(index):
        what = f"no value for {missing[0]!r}" if missing else f"{len(named)} values for {len(index)} vertices"
        other = f", or pass {argument}.to_numpy() if that is in their order" if hasattr(values, "to_numpy") else ""
        raise ArgumentError(f"{argument} has {what}; pass one value for each vertex{other}.")
    return [named[name] for name in names]


def in_matrix_order(values: object, graph: object) -> object:
    """Return a pandas object of values of a plain matrix, whose vertices have no names, in its order.

    Its index is not used, unless it is 0 ... n-1 in another order: parts of a table, as in cross-validation, keep
    the index of the whole.
    """
    if not (isinstance(graph, np.ndarray) or sparse.issparse(graph)):
        return values
    column = _pandas_column(values, "y")
    if column is None or sorted(column.index.tolist(), key=repr) == sorted(range(len(column)), key=repr):
        return values
    return column.to_numpy()


def row_names(table: object, n: int) -> Sequence[Hashable]:
    """Return the names of the n rows of a table: the index of a pandas DataFrame, else 0 ... n-1."""
    index = getattr(table, "index", None)
    return (
        range(n) if index is None or not hasattr(index, "tolist") else as_names(index.tolist(), argument="index")
    )


def _pandas_column(values: object, argument: str) -> Series | None:
    """Return a Series, or the column of a DataFrame that has one, without importing pandas."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(values, pandas.Series | pandas.DataFrame):
        return None
    if isinstance(values, pandas.DataFrame):
        if values.shape[1] != 1:
            raise ArgumentError(
                f"{argument} is a table with the columns {list(values.columns)}; pass one of them."
            )
        return values.iloc[:, 0]
    return values


def _is_default(index: Index) -> bool:
    """Whether an index is 0 ... m-1, as pandas makes it where none is given."""
    return type(index).__name__ == "RangeIndex" and index.equals(type(index)(len(index)))
