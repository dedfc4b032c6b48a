"""Values of vertices: a pandas object is read by its index, if that has names of vertices."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.errors import ArgumentError, ArgumentTypeError, UnknownVertexError
from lpgraph.graph.names import as_names, index_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from pandas import DataFrame, Index, Series

    from lpgraph.graph.adjacency import Adjacency

__all__ = ["by_name", "in_matrix_order", "in_order", "of_attribute", "row_names"]


def by_name(values: object, names: Sequence[Hashable], argument: str) -> object:
    """Return a pandas object as a mapping from names to values; other values are returned as they are.

    A Series, or a DataFrame of one column, has the names in its index. A DataFrame of two columns may have them in
    one of its columns. The default index 0 ... m-1 is refused if these are not the names of vertices: the order of
    the values would be a guess.
    """
    column = _pandas_column(values, names, argument)
    if column is None:
        return values
    labels, index = column.index.tolist(), index_of(names)
    hits = sum(label in index for label in labels)
    if _is_default(column.index) and hits < len(labels):
        count = "none" if not hits else str(hits)
        raise ArgumentError(
            f"{argument} has the index 0 ... {len(labels) - 1}, and {count} of these are vertices; set its "
            f"index to the names, or pass {argument}.to_numpy() if that is in the vertices' order."
        )
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


def of_attribute(values: object, graph: Adjacency, argument: str) -> object:
    """Return the values of a vertex attribute that is given by its name; other values are returned as they are."""
    if not isinstance(values, str):
        return values
    if values not in graph.vertex_attributes:
        kept = ", ".join(map(repr, graph.vertex_attributes))
        raise ArgumentTypeError(
            f"{argument}={values!r} is no vertex attribute of the graph, which has {kept or 'none'}; "
            f"pass read_labels({values!r}) if it is a path."
        )
    return graph.vertex_attributes[values]


def in_matrix_order(values: object, graph: object) -> object:
    """Return a pandas object of values of a plain matrix, whose vertices have no names, in its order.

    Its index is not used, unless it is 0 ... n-1 in another order: parts of a table, as in cross-validation, keep
    the index of the whole.
    """
    if not (isinstance(graph, np.ndarray) or sparse.issparse(graph)):
        return values
    shape: tuple[int, ...] = getattr(graph, "shape", ())
    column = _pandas_column(values, range(shape[0]), "y")
    if column is None or sorted(column.index.tolist(), key=repr) == sorted(range(len(column)), key=repr):
        return values
    return column.to_numpy()


def row_names(table: object, n: int) -> Sequence[Hashable]:
    """Return the names of the n rows of a table: the index of a pandas DataFrame, else 0 ... n-1."""
    index = getattr(table, "index", None)
    return (
        range(n) if index is None or not hasattr(index, "tolist") else as_names(index.tolist(), argument="index")
    )


def _pandas_column(values: object, names: Sequence[Hashable], argument: str) -> Series | None:
    """Return a Series, or the column of a DataFrame that has the values, without importing pandas."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(values, pandas.Series | pandas.DataFrame):
        return None
    if isinstance(values, pandas.Series):
        return values
    if values.shape[1] == 1:
        return values.iloc[:, 0]
    return _of_table(values, names, argument)


def _of_table(table: DataFrame, names: Sequence[Hashable], argument: str) -> Series:
    """Return the other column of a table of two, by the column that has names of vertices; refuse other tables."""
    index, titles = index_of(names), list(table.columns)
    named = [k for k in range(len(titles)) if any(_is_name(value, index) for value in table.iloc[:, k].tolist())]
    in_index = not _is_default(table.index) and any(_is_name(value, index) for value in table.index.tolist())
    if len(titles) == 2 and len(named) == 1 and not in_index:
        labels = table.iloc[:, 1 - named[0]].copy()
        labels.index = table.iloc[:, named[0]]
        return labels
    if in_index:
        remedy = f"one of them, such as {argument}[{titles[0]!r}]"
    elif len(named) == 1:
        label = next(title for k, title in enumerate(titles) if k != named[0])
        remedy = f"{argument}.set_index({titles[named[0]]!r})[{label!r}], or another column"
    else:
        remedy = f"{argument}.set_index(NAMES)[LABELS] with the columns of names and of labels"
    raise ArgumentError(f"{argument} is a table with the columns {titles}; pass {remedy}.")


def _is_name(value: object, index: Mapping[Hashable, int]) -> bool:
    try:
        return value in index
    except TypeError:  # lists and the like are no names
        return False


def _is_default(index: Index) -> bool:
    """Whether an index is 0 ... m-1, as pandas makes it where none is given."""
    return type(index).__name__ == "RangeIndex" and index.equals(type(index)(len(index)))
