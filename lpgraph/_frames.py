"""Results as data frames of pandas or polars, with the names of vertices."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Literal, TypeAlias

from lpgraph._checks import check_choice
from lpgraph.errors import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    import numpy as np
    import pandas
    import polars
    from numpy.typing import NDArray

    DataFrame: TypeAlias = pandas.DataFrame | polars.DataFrame
    Column: TypeAlias = Sequence[object] | NDArray[np.generic]

__all__ = ["Backend", "data_frame", "labelled", "wants_pandas"]

Backend: TypeAlias = Literal["pandas", "polars"]


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


def labelled(estimator: object, values: NDArray[np.float64], labels: Column) -> NDArray[np.float64]:
    """Return `values`, or a pandas DataFrame with index `labels` if pandas output is selected.

    scikit-learn's wrapper of ``transform`` keeps the index and sets the column names.
    """
    if not wants_pandas(estimator):
        return values
    import pandas

    if isinstance(labels, range):
        index = pandas.RangeIndex(len(labels))
    else:
        index = pandas.Index(labels, tupleize_cols=False)
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
        The library. None: as selected by ``set_output``, else pandas.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame

    Raises
    ------
    ArgumentError
        If `backend` is not one of its values.
    MissingDependencyError
        If polars is selected and not installed.

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
    if library.__name__ == "pandas":
        frame: DataFrame = library.DataFrame(dict(columns))
        return frame
    made: DataFrame = library.DataFrame([_series(library, title, column) for title, column in columns.items()])
    return made


def _library(estimator: object, backend: Backend | None) -> ModuleType:
    """Return pandas or polars."""
    wanted = _output(estimator) if backend is None else check_choice("backend", backend, _BACKENDS)
    try:
        return importlib.import_module(wanted if wanted in _BACKENDS else "pandas")
    except ModuleNotFoundError as error:
        if error.name != wanted:
            raise
        raise MissingDependencyError(f"{wanted} is not installed; run: pip install {wanted}.") from None


def _series(library: ModuleType, title: str, column: Column) -> polars.Series:
    """Return a column for polars, which refuses names of several types, tuples and integers beyond 64 bits."""
    values = column.tolist() if hasattr(column, "tolist") else list(column)
    kinds = {type(value) for value in values if value is not None}
    plain = len(kinds) <= 1 and kinds <= set(_PLAIN)
    large = kinds == {int} and max(abs(value) for value in values if isinstance(value, int)) >= 1 << 63
    series: polars.Series = library.Series(title, values, dtype=None if plain and not large else library.Object)
    return series
