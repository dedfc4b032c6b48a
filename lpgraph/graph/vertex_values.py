"""Values and covariates of vertices: a data frame is read by names, in a column or in the index of pandas."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import LARGEST, as_real, check_real_dtype, is_matrix
from lpgraph._utils.estimators import few
from lpgraph._utils.frames import as_table
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError, ArgumentTypeError, UnknownVertexError

from .names import as_names, called_like, check_once, index_of, is_among, listed, match_names, name_at

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray
    from pandas import DataFrame, Series

    from lpgraph._utils.checks import Foreign
    from lpgraph.linalg.matvec import AnyMatrix

    from .adjacency import Adjacency, Network
    from .names import Names

#: What to do with labels of vertices that the graph does not have.
UnknownLabels: TypeAlias = Literal["warn", "error", "ignore"]

_ONE_ROW = "keep one row for each vertex"


def _as_frame(values: Foreign, argument: str) -> DataFrame | Series | None:
    """Return a pandas object as it is, and a table of another library as one of pandas; None for other values."""
    if hasattr(values, "iloc"):
        return values
    plain = isinstance(values, list | tuple | Mapping) or is_matrix(values)
    table = None if plain else as_table(values, argument)
    if table is None:
        return None
    import pandas as pd

    return pd.DataFrame(table.to_dict(as_series=False))


def _is_numbered(table: DataFrame | Series) -> bool:
    """Whether the index is 0 ... m-1, as pandas makes it where none is given."""
    return type(table.index).__name__ == "RangeIndex" and table.index.equals(type(table.index)(len(table)))


def by_name(values: Foreign, names: Names, argument: str) -> object:
    """Return a table or a pandas Series as a mapping from names to values; other values as they are.

    A Series, or a DataFrame of one column, has the names in its index. A table of two columns, of any library, may
    have them in one of its columns; if both have names of vertices, in the one without repeated values. The
    default index 0 ... m-1 is refused if these are not the names of vertices: the order would be a guess.
    """
    table, index = _as_frame(values, argument), index_of(names)
    if table is None:  # entries of Arrow columns and of tensors are not Python objects
        tensor = hasattr(values, "__dlpack__") and not is_matrix(values)
        return values.to_pylist() if hasattr(values, "to_pylist") else values.tolist() if tensor else values
    if table.ndim == 2:
        named = _named(table, index, numbers=False)
        if named.shape[1] != 1:
            raise ArgumentError(f"{argument} has columns {list(table.columns)}; pass one of names, one of values.")
        table = named.iloc[:, 0]
    labels = table.index.tolist()
    hits = sum(label in index for label in labels)
    if not hits or (_is_numbered(table) and hits < len(labels)):
        problem = f"{argument} has the index {few(labels)}, and {hits or 'none'} of these are vertices"
        raise ArgumentError(f"{problem}; set its index to the names, or pass {argument}.to_numpy().")
    check_once(labels, argument, _ONE_ROW)
    return dict(zip(labels, table.tolist(), strict=True))


def _named(table: DataFrame, index: Mapping[Hashable, int], *, numbers: bool) -> DataFrame:
    """Return a table whose index has the names of vertices; they may be in one column, which the table then lacks.

    If `numbers`, that column is called "name" or does not consist of numbers.
    """
    from pandas.api.types import is_numeric_dtype

    if not _is_numbered(table) and (table.shape[1] == 1 or any(label in index for label in table.index)):
        return table
    named = [
        title
        for title, column in table.items()
        if (title == "name" or not (numbers and is_numeric_dtype(column.dtype)))
        and any(is_among(value, index) for value in column.tolist())
    ]
    if len(named) > 1:  # names are not repeated, and labels are
        named = [title for title in named if table[title].is_unique]
    return table.set_index(named[0]) if len(named) == 1 else table


def in_order(values: object, names: Names, argument: str, *, partial: bool = False) -> Foreign:
    """Return values in the order of the vertices; a pandas object or mapping must have all and no other.

    If `partial`, one that has some of them is completed by None.
    """
    named = by_name(values, names, argument)
    if not isinstance(named, Mapping):
        return named
    wanted = listed(names)
    missing = [name for name in wanted if name not in named]
    if partial and named and len(missing) + len(named) == len(wanted):  # no other names
        return [named.get(name) for name in wanted]
    if missing or len(named) > len(wanted):
        what = f"no value for {missing[0]!r}" if missing else f"{len(named)} values for {len(wanted)} vertices"
        raise ArgumentError(f"{argument} has {what}; pass one value for each vertex, or an array in their order.")
    return [named[name] for name in wanted]


def check_unknown_labels(
    rule: UnknownLabels, unknown: Sequence[Hashable], count: int, known: Collection[Hashable], *, where: str
) -> None:
    """Refuse labels of vertices that the graph does not have, or count them in a warning.

    A table of labels often has vertices without edges, which an edge list cannot contain: by "warn" their labels
    are left out and counted. It refuses them if they are more than half: it is probably another table or column.

    Parameters
    ----------
    rule : {"warn", "error", "ignore"}
        "error" refuses any unknown vertex with a label, and "ignore" none.
    unknown : sequence of hashable
        The distinct labelled names that the graph does not have.
    count : int
        The number of distinct labelled names.
    known : collection of hashable
        The names of the graph.
    where : str
        The table or the argument, for the message.

    Raises
    ------
    UnknownVertexError
        If they are refused.

    Warns
    -----
    LpgraphWarning
        If they are left out by "warn".
    """
    if not unknown or rule == "ignore":
        return
    problem = f"{where} has {count} vertices, and the graph lacks {len(unknown)} of them"
    if rule == "error" or 2 * len(unknown) > count:
        remedy = "ignore" if rule == "warn" else "warn"
        hint = f"{called_like(known)} Correct or drop them, or pass unknown={remedy!r}."
        raise UnknownVertexError(unknown, f"{problem}. {hint}")
    warn(f"{problem}, such as {', '.join(map(repr, unknown[:3]))}; left out.")


def of_attribute(values: object, graph: Network | Adjacency, argument: str) -> object:
    """Return the values of a vertex attribute that is given by its name; other values are returned as they are."""
    if not isinstance(values, str):
        return values
    attributes: Mapping[str, object] = getattr(graph, "vertex_attributes", {})
    if values not in attributes:
        kept = ", ".join(map(repr, attributes))
        problem = f"{argument}={values!r} is no vertex attribute of the graph, which has {kept or 'none'}"
        raise ArgumentTypeError(f"{problem}; pass read_labels({values!r}) if it is a path.")
    return attributes[values]


def in_matrix_order(values: Foreign, graph: object) -> object:
    """Return a pandas object of values of a plain matrix, whose vertices have no names, in its order.

    Its index is not used, unless it is 0 ... n-1 in another order: parts of a table, as in cross-validation, keep
    the index of the whole.
    """
    if not is_matrix(graph) or not hasattr(values, "iloc") or set(values.index) == set(range(len(values))):
        return values
    return values.to_numpy().ravel()


def row_names(table: object, n: int) -> Names:
    """Return the names of the n rows of a table: the index of a pandas DataFrame, else 0 ... n-1."""
    index: Foreign = getattr(table, "index", None)
    return as_names(index.tolist(), argument="index") if hasattr(index, "tolist") else range(n)


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
        if titles is None or self.titles is None:
            mine, wanted = list(range(self.matrix.shape[1])), list(range(count))
        else:
            mine, wanted = self.titles.tolist(), titles.tolist()
        if set(mine) != set(wanted):
            raise ArgumentError(f"covariates has columns {few(mine, 20)}; pass {few(wanted, 20)} as in the fit.")
        return Covariates(self.matrix[:, [mine.index(title) for title in wanted]], titles)


def as_covariates(values: object, names: Names) -> Covariates:
    """Read the covariates of vertices.

    Parameters
    ----------
    values : DataFrame, mapping, array-like or sparse matrix
        A table of any library with the names of vertices, or texts of them, in one column or in the index of
        pandas, and numbers in the other columns; ``{name: numbers}``; or an array or sparse matrix of shape
        (n, R) in the order of `names`. Rows of names that are not in `names` are left out.
    names : sequence of n hashables
        The vertices.

    Raises
    ------
    ArgumentError
        If a vertex has no row, or a number that is missing or not finite, which the message names.
    ArgumentTypeError
        If the values are no numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from lpgraph.graph.vertex_values import as_covariates
    >>> table = pd.DataFrame({"age": [51, 38], "height": [1.7, 1.8]}, index=["Bob", "Ann"])
    >>> as_covariates(table, ["Ann", "Bob"]).matrix
    array([[38. ,  1.8],
           [51. ,  1.7]])
    """
    if values is None or isinstance(values, str):
        kind = ArgumentError if values is None else ArgumentTypeError
        raise kind(f"covariates is {values!r:.60}; pass numbers of each vertex: an array, or a table with names.")
    table, index, titles = _as_frame(values, "covariates"), index_of(names), None
    if table is not None:
        table = _named(table.to_frame() if table.ndim == 1 else table, index, numbers=True)
        titles = np.array([str(title) for title in table.columns], dtype=np.str_)
        for title, column in table.items():
            check_real_dtype(f"covariates[{title!r}]", column.to_numpy())
        labels = table.index.tolist()
        if not any(label in index for label in labels):  # texts of integers, as in a file
            labels = match_names(labels, index)
        check_once(labels, "covariates", _ONE_ROW)
        rows = {label: row for row, label in enumerate(labels) if label in index}
        values = table.iloc[in_order(rows, names, "covariates")].to_numpy()
    elif isinstance(values, Mapping):
        values = in_order({name: row for name, row in values.items() if name in index}, names, "covariates")
    return Covariates(_numbers(values, names, titles), titles)


def _numbers(values: Foreign, names: Names, titles: NDArray[np.str_] | None) -> AnyMatrix:
    """Return values as a matrix of float64; refuse missing and huge ones by the name of a vertex that has one."""
    matrix: Foreign = values
    if sparse.issparse(values):
        check_real_dtype("covariates", np.empty(0, dtype=matrix.dtype))
        matrix = sparse.csr_array(matrix.tocsr(), dtype=np.float64, copy=True)
        matrix.sum_duplicates()
    else:
        matrix = np.ascontiguousarray(as_real("covariates", values), dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != len(names) or matrix.shape[1] == 0:
        n = len(names)
        raise ArgumentError(
            f"covariates has shape {matrix.shape}; pass one row for each of {n} vertices: ({n}, R)."
        )
    entries = sparse.coo_array(matrix)
    bad = np.flatnonzero(~(np.abs(entries.data) <= LARGEST))
    if len(bad):
        row, column = (int(side[bad[0]]) for side in entries.coords)
        where = f"column {column if titles is None else repr(str(titles[column]))} for {name_at(names, row)!r}"
        raise ArgumentError(f"covariates has {entries.data[bad[0]]} in {where}; impute it, or drop the vertex.")
    found: AnyMatrix = matrix
    return found
