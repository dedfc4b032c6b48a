"""Results as data frames of pandas or polars, with the names of vertices."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

from lpgraph._checks import check_choice
from lpgraph.errors import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from types import ModuleType

    import numpy as np
    import pandas
    import polars
    from numpy.typing import NDArray

    DataFrame: TypeAlias = pandas.DataFrame | polars.DataFrame
    Column: TypeAlias = Sequence[object] | NDArray[np.generic]

__all__ = ["Backend", "data_frame", "labelled", "wants_pandas"]

Backend: TypeAlias = Literal["pandas", "polars"]


class ArrowColumn(Protocol):
    """An Arrow array."""

    def to_pandas(self) -> Sequence[object]: ...


@runtime_checkable
class InArrow(Protocol):
    """A sequence that returns any part of it as an Arrow array."""

    def __len__(self) -> int: ...
    def arrow(self, low: int, high: int) -> ArrowColumn: ...


_BACKENDS = ("pandas", "polars")
#: Types for which polars has a type of column; others are kept as objects.
_PLAIN = (int, str, float, bool)


def wants_pandas(estimator: object) -> bool:
    """Whether ``estimator.set_output`` or scikit-learn's configuration selects pandas output."""
    return _output(estimator) == "pandas"


def _output(estimator: object) -> str:
    """Return the output that ``estimator.set_output`` or scikit-learn's configuration selects."""
    from sklearn import get_config

    chosen = getattr(estimator, "_sklearn_output_config", {})
    return str(chosen.get("transform", get_config()["transform_output"]))


def labelled(estimator: object, values: NDArray[np.float64], labels: Sequence[Hashable]) -> NDArray[np.float64]:
    """Return `values`, or a pandas DataFrame with index `labels` if pandas output is selected.

    scikit-learn's wrapper of ``transform`` keeps the index and sets the column names.
    """
    if not wants_pandas(estimator):
        return values
    import pandas

    if isinstance(labels, range):
        index = pandas.RangeIndex(len(labels))
    elif isinstance(labels, InArrow):
        index = pandas.Index(labels.arrow(0, len(labels)).to_pandas())
    else:
        index = pandas.Index(list(labels), tupleize_cols=False)
    # As in scikit-learn, the container that set_output chooses is not part of the type.
    table: NDArray[np.float64] = pandas.DataFrame(values, index=index)
    return table


def data_frame(estimator: object, columns: Mapping[str, Column], backend: Backend | None) -> DataFrame:
    """Return columns as a data frame.

    Parameters
    ----------
    estimator : estimator
        Its ``set_output`` selects the library if `backend` is None.
    columns : mapping
        Sequences or arrays of one length, by title.
    backend : {"pandas", "polars"} or None
        The library. None: as selected by ``set_output``, else pandas or, if only that is installed, polars.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame

    Raises
    ------
    ArgumentError
        If `backend` is not one of its values.
    MissingDependencyError
        If the library, or each of the two, is not installed.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from lpgraph._frames import data_frame
    >>> data_frame(lp.VertexClassifier(), {"name": ["Ann", "Bob"], "x": [1.0, 2.0]}, "pandas")
      name    x
    0  Ann  1.0
    1  Bob  2.0
    """
    library = _library(estimator, backend)
    columns = {title: _in_arrow(library, column) for title, column in columns.items()}
    if library.__name__ == "pandas":
        frame: DataFrame = library.DataFrame(dict(columns))
        return frame
    made: DataFrame = library.DataFrame([_series(library, title, column) for title, column in columns.items()])
    return made


def _in_arrow(library: ModuleType, column: Column) -> Column:
    """Return names in a file as a series, without a list; other columns as they are."""
    if not isinstance(column, InArrow):
        return column
    found = column.arrow(0, len(column))
    series: Column = library.Series(found) if library.__name__ == "polars" else library.Series(found.to_pandas())
    return series


def _library(estimator: object, backend: Backend | None) -> ModuleType:
    """Return pandas or polars."""
    wanted = _output(estimator) if backend is None else check_choice("backend", backend, _BACKENDS)
    tried = [wanted] if wanted in _BACKENDS else _BACKENDS
    for name in tried:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
    missing = f"{tried[0]} is" if len(tried) == 1 else "pandas and polars are"
    raise MissingDependencyError(f"{missing} not installed, and a table needs it; run: pip install {tried[0]}.")


def _series(library: ModuleType, title: str, column: Column) -> polars.Series:
    """Return a column for polars, which refuses names of several types, tuples and integers beyond 64 bits."""
    if isinstance(column, library.Series):
        named: polars.Series = column.alias(title)
        return named
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    kinds = {type(value) for value in values if value is not None}
    plain = len(kinds) <= 1 and kinds <= set(_PLAIN)
    large = kinds == {int} and max(abs(value) for value in values if isinstance(value, int)) >= 1 << 63
    series: polars.Series = library.Series(title, values, dtype=None if plain and not large else library.Object)
    return series
