"""Covariates of vertices: numbers in columns, read by names of vertices or in their order."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph._checks import LARGEST, check_real_dtype
from lpgraph.errors import ArgumentError, ArgumentTypeError, UnknownVertexError
from lpgraph.graph.files.labels import match_names
from lpgraph.graph.names import index_of, listed, name_at

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray
    from pandas import DataFrame

    from lpgraph.graph.names import Names
    from lpgraph.linalg.matvec import AnyMatrix

__all__ = ["CovariateTable", "Covariates", "as_covariates"]


@dataclass(frozen=True, eq=False)
class CovariateTable:
    """A table from a file: names of vertices as text, which are compared with the text of the vertices' names.

    Attributes
    ----------
    rows : mapping of str to sequence of float
        Numbers of each vertex; NaN where the file has none.
    titles : tuple of str
        Titles of the numbers.
    """

    rows: Mapping[str, Sequence[float]]
    titles: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Covariates:
    """R numbers of each of n vertices.

    Attributes
    ----------
    matrix : csr_array or ndarray of shape (n, R)
        Finite numbers in float64, in the order of the vertices; sparse if they came so.
    titles : ndarray of str of shape (R,), or None
        Titles of the columns of a data frame.
    """

    matrix: AnyMatrix
    titles: NDArray[np.str_] | None = None

    def in_order_of(self, titles: NDArray[np.str_] | None, count: int) -> Covariates:
        """Return the columns with the titles that the known vertices have; without titles, check their number.

        Raises
        ------
        ArgumentError
            If a column is missing, or there are other columns.
        """
        if titles is not None and self.titles is not None:
            missing = [title for title in titles.tolist() if title not in self.titles]
            more = [title for title in self.titles.tolist() if title not in titles]
            if missing or more:
                what = f"no column {missing[0]!r}" if missing else f"a column {more[0]!r}, which is not known"
                raise ArgumentError(f"covariates has {what}; pass the columns of the known vertices.")
            where = {title: k for k, title in enumerate(self.titles.tolist())}
            return Covariates(self.matrix[:, [where[title] for title in titles.tolist()]], titles)
        if self.matrix.shape[1] != count:
            raise ArgumentError(
                f"covariates has {self.matrix.shape[1]} columns, and those of the known vertices have {count}; "
                "pass the same columns in the same order."
            )
        return self


def as_covariates(values: object, names: Names) -> Covariates:
    """Read the covariates of vertices.

    Parameters
    ----------
    values : DataFrame, mapping, array-like or sparse matrix
        A data frame of pandas or polars with the names of vertices in its index or in one column, and numbers in
        the others; ``{name: numbers}``; or an array or sparse matrix of shape (n, R) in the order of `names`.
        Rows of names that are not in `names` are left out.
    names : sequence of n hashables
        The vertices.

    Raises
    ------
    ArgumentError
        If a vertex has no row, or a number that is missing or not finite, which the message names.
    ArgumentTypeError
        If the values are no numbers.
    UnknownVertexError
        If no row of a data frame or mapping belongs to a vertex.

    Examples
    --------
    >>> import pandas as pd
    >>> from lpgraph.graph.covariates import as_covariates
    >>> table = pd.DataFrame({"age": [51, 38], "height": [1.7, 1.8]}, index=["Bob", "Ann"])
    >>> as_covariates(table, ["Ann", "Bob"]).matrix
    array([[38. ,  1.8],
           [51. ,  1.7]])
    """
    if values is None:
        raise ArgumentError("covariates is None; pass numbers of each vertex: an array, or a table with names.")
    if isinstance(values, str):
        raise ArgumentTypeError(f"covariates={values!r:.60} is text; pass an array, or a table such as by pandas.")
    table, given = _as_table(values, names), values
    titles = None
    if table is not None:
        titles = np.array([str(title) for title in table.columns], dtype=np.str_)
        given = _of_rows(table.index.tolist(), names, lambda rows: table.iloc[rows].to_numpy())
    elif isinstance(values, Mapping | CovariateTable):
        named = values.rows if isinstance(values, CovariateTable) else values
        labels, lines = list(named), list(named.values())
        if isinstance(values, CovariateTable):
            labels, titles = match_names(labels, index_of(names)), np.array(values.titles, dtype=np.str_)
        given = _of_rows(labels, names, lambda rows: [lines[i] for i in rows])
    matrix = _numbers(given)
    if matrix.shape[0] != len(names):
        raise ArgumentError(
            f"covariates has {matrix.shape[0]} rows for {len(names)} vertices; pass one row for each vertex, or a "
            "data frame with their names as index."
        )
    _check_values(matrix, names, titles)
    return Covariates(matrix, titles)


def _as_table(values: object, names: Names) -> DataFrame | None:
    """Return a data frame of pandas with the names of vertices as index; None for other values."""
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(values, polars.DataFrame):
        import pandas as pd

        values = pd.DataFrame({k: values[k].to_list() for k in values.columns})
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(values, pandas.DataFrame | pandas.Series):
        return None
    table = values.to_frame() if isinstance(values, pandas.Series) else values
    texts = [title for title, kind in table.dtypes.items() if not pandas.api.types.is_numeric_dtype(kind)]
    index = index_of(names)
    named = [title for title in texts if table[title].isin(list(index)).any()]
    default = isinstance(table.index, pandas.RangeIndex)
    if default and len(named) == 1:
        table, texts = table.set_index(named[0]), [title for title in texts if title != named[0]]
    elif default and not all(label in index for label in table.index) and "name" in table.columns:
        table, texts = table.set_index("name"), [title for title in texts if title != "name"]
    if texts:
        raise ArgumentTypeError(
            f"covariates has the column {texts[0]!r}, which is not numeric; pass pandas.get_dummies(covariates), "
            "or drop it."
        )
    return table


def _of_rows(labels: list[Hashable], names: Names, take: Any) -> Any:
    """Return the rows of the vertices, taken by their places among the labels."""
    place = {label: i for i, label in enumerate(labels)}
    if len(place) < len(labels):
        twice = next(label for i, label in enumerate(labels) if place[label] != i)
        raise ArgumentError(f"covariates has two rows for {twice!r}; keep one row for each vertex.")
    wanted = listed(names)
    missing = [name for name in wanted if name not in place]
    if len(missing) == len(names) and labels and len(names):
        raise UnknownVertexError(labels, "They are the rows of covariates; pass a table with names of vertices.")
    if missing:
        more = f" and {len(missing) - 1} other vertices" if len(missing) > 1 else ""
        raise ArgumentError(
            f"covariates has no row for {missing[0]!r}{more}; add rows, or leave these vertices out of the graph."
        )
    return take([place[name] for name in wanted])


def _numbers(values: Any) -> AnyMatrix:
    """Return values as a matrix of float64, which may have entries that are not finite."""
    if np.ma.isMaskedArray(values):
        raise ArgumentTypeError(
            "covariates is a masked array; pass covariates.filled(VALUE) without missing ones."
        )
    if sparse.issparse(values):
        given: Any = values
        check_real_dtype("covariates", given.data if given.format != "lil" else given.tocsr().data)
        matrix = sparse.csr_array(given, dtype=np.float64, copy=True)
        matrix.sum_duplicates()  # in place
        return matrix
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ArgumentError(f"covariates is not a rectangular array of numbers: {error}.") from None
    array = check_real_dtype("covariates", array)
    if array.ndim != 2:
        raise ArgumentError(f"covariates has the shape {array.shape}; pass one row for each vertex: (n, R).")
    return np.ascontiguousarray(array, dtype=np.float64)


def _check_values(matrix: AnyMatrix, names: Names, titles: NDArray[np.str_] | None) -> None:
    """Refuse missing and huge numbers by the name of the first vertex that has one."""
    if matrix.shape[1] == 0:
        raise ArgumentError("covariates has no columns; pass at least one number for each vertex.")
    data = np.ravel(matrix) if isinstance(matrix, np.ndarray) else matrix.data
    bad = np.flatnonzero(~(np.abs(data) <= LARGEST))
    if not len(bad):
        return
    if isinstance(matrix, sparse.csr_array):
        rows = np.searchsorted(matrix.indptr, bad, side="right") - 1
        column = int(matrix.indices[bad[0]])
    else:
        rows, column = bad // matrix.shape[1], int(bad[0] % matrix.shape[1])
    more = len(set(rows.tolist())) - 1
    others = f", and {more} more such vertices" if more else ""
    title = column if titles is None else repr(str(titles[column]))
    raise ArgumentError(
        f"covariates has {data[bad[0]]} in column {title} for {name_at(names, rows[0])!r}{others}; "
        "impute a number, or leave the vertex out of the graph."
    )
