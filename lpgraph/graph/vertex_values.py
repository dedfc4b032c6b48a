"""Values of vertices: a data frame is read by names of vertices, in a column or in the index of pandas."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph.errors import ArgumentError, ArgumentTypeError, UnknownVertexError
from lpgraph.graph.names import as_names, index_of, listed

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence, Sized

    from pandas import DataFrame, Index, Series
    from polars import DataFrame as PolarsFrame

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.names import Names
    from lpgraph.graph.network import Network

__all__ = ["by_name", "in_matrix_order", "in_order", "of_attribute", "row_names"]


def by_name(values: object, names: Names, argument: str) -> object:
    """Return a data frame or a pandas Series as a mapping from names to values; other values as they are.

    A Series, or a DataFrame of one column, has the names in its index. A DataFrame of two columns, also one of
    polars, may have them in one of its columns. The default index 0 ... m-1 is refused if these are not the names
    of vertices: the order of the values would be a guess.
    """
    polars, pandas = sys.modules.get("polars"), sys.modules.get("pandas")
    if pandas is not None and isinstance(values, pandas.DataFrame | pandas.Series):
        _check_rows(values, names, argument)
    if polars is not None and isinstance(values, polars.DataFrame):
        _check_rows(values, names, argument)
        return _of_polars(values, names, argument)
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
    return _as_mapping(labels, column.tolist(), argument, "in its index")


def _check_rows(table: Sized, names: Names, argument: str) -> None:
    if not len(table) and len(names):
        raise ArgumentError(f"{argument} has no rows; pass a table with the values of the vertices.")


def _as_mapping(
    names: list[Hashable], values: Sequence[object], argument: str, where: str
) -> dict[Hashable, object]:
    """Return the values by names, of which none may occur twice."""
    if len(set(names)) < len(names):
        twice = next(name for name, count in Counter(names).items() if count > 1)
        raise ArgumentError(f"{argument} has {twice!r} twice {where}; keep one value for each vertex.")
    return dict(zip(names, values, strict=True))


def _of_polars(table: PolarsFrame, names: Names, argument: str) -> object:
    """Return a table of two columns of polars by the one that has names of vertices; others as they are."""
    index, titles = index_of(names), list(table.columns)
    named = [
        k for k, title in enumerate(titles) if any(_is_name(value, index) for value in table[title].to_list())
    ]
    texts = [k for k in named if any(isinstance(value, str) for value in table[titles[k]].to_list())]
    if len(texts) > 1:  # numbers may be coordinates
        raise _like_edges(argument, titles, texts)
    if len(titles) != 2 or len(named) != 1:
        return table
    found, values = (table[titles[k]].to_list() for k in (named[0], 1 - named[0]))
    return _as_mapping(found, values, argument, f"in the column {titles[named[0]]!r}")


def _like_edges(argument: str, titles: Sequence[object], named: Sequence[int]) -> ArgumentError:
    one, other = (titles[k] for k in named[:2])
    return ArgumentError(
        f"{argument} is a table with the columns {list(titles)}, and {one!r} and {other!r} have names of "
        f"vertices: is it a list of edges? Pass the edges as the graph, and the table of labels as {argument}."
    )


def in_order(values: object, names: Names, argument: str, *, partial: bool = False) -> object:
    """Return values in the order of the vertices; a pandas object or mapping must have all and no other.

    If `partial`, one that has some of them is completed by None.
    """
    named = by_name(values, names, argument)
    if not isinstance(named, Mapping):
        return named
    index = index_of(names)
    wanted = listed(names)
    missing = [name for name in wanted if name not in named]
    if partial and named and len(missing) + len(named) == len(index):  # no other names
        return [named.get(name) for name in wanted]
    if missing or len(named) > len(index):
        what = f"no value for {missing[0]!r}" if missing else f"{len(named)} values for {len(index)} vertices"
        other = f", or pass {argument}.to_numpy() if that is in their order" if hasattr(values, "to_numpy") else ""
        raise ArgumentError(f"{argument} has {what}; pass one value for each vertex{other}.")
    return [named[name] for name in wanted]


def of_attribute(values: object, graph: Network | Adjacency, argument: str) -> object:
    """Return the values of a vertex attribute that is given by its name; other values are returned as they are."""
    if not isinstance(values, str):
        return values
    attributes: Mapping[str, object] = getattr(graph, "vertex_attributes", {})
    if values not in attributes:
        kept = ", ".join(map(repr, attributes))
        raise ArgumentTypeError(
            f"{argument}={values!r} is no vertex attribute of the graph, which has {kept or 'none'}; "
            f"pass read_labels({values!r}) if it is a path."
        )
    return attributes[values]


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


def row_names(table: object, n: int) -> Names:
    """Return the names of the n rows of a table: the index of a pandas DataFrame, else 0 ... n-1."""
    index = getattr(table, "index", None)
    return (
        range(n) if index is None or not hasattr(index, "tolist") else as_names(index.tolist(), argument="index")
    )


def _pandas_column(values: object, names: Names, argument: str) -> Series | None:
    """Return a Series, or the column of a DataFrame that has the values, without importing pandas."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(values, pandas.Series | pandas.DataFrame):
        return None
    if isinstance(values, pandas.Series):
        return values
    if values.shape[1] == 1:
        return values.iloc[:, 0]
    return _of_table(values, names, argument)


def _of_table(table: DataFrame, names: Names, argument: str) -> Series:
    """Return the other column of a table of two, by the column that has names of vertices; refuse other tables."""
    index, titles = index_of(names), list(table.columns)
    named = [k for k in range(len(titles)) if any(_is_name(value, index) for value in table.iloc[:, k].tolist())]
    in_index = not _is_default(table.index) and any(_is_name(value, index) for value in table.index.tolist())
    if len(titles) == 2 and len(named) == 1 and not in_index:
        labels = table.iloc[:, 1 - named[0]].copy()
        labels.index = table.iloc[:, named[0]]
        return labels
    if len(named) > 1 and not in_index and any(isinstance(name, str) for name in listed(names)):
        raise _like_edges(argument, titles, named)
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
