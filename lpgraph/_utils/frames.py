"""Tables of other libraries, by narwhals or as Arrow streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph.errors import ArgumentError

from .checks import import_extra

if TYPE_CHECKING:
    import narwhals.stable.v1 as nw

    from .checks import Foreign


def as_table(value: Foreign, name: str) -> nw.DataFrame[Foreign] | None:
    """Return a table of any library in memory; None if a value, called `name` in errors, is not a table.

    A lazy table is computed, and an Arrow stream (such as a relation of DuckDB) is read to its end.

    Examples
    --------
    >>> import polars as pl
    >>> from lpgraph._utils.frames import as_table
    >>> as_table(pl.LazyFrame({"source": [0], "target": [1]}), "graph").columns
    ['source', 'target']
    >>> as_table([0, 1], "graph") is None
    True
    """
    import narwhals.stable.v1 as nw

    try:
        found = nw.from_native(value, eager_only=True, allow_series=True, pass_through=True)
        lazy = nw.from_native(value, allow_series=True, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        titles = " ".join(str(error).split())
        raise ArgumentError(f"{name} is a table with equal titles: {titles}; rename or drop columns.") from None
    if isinstance(found, nw.DataFrame):
        return found
    if isinstance(lazy, nw.LazyFrame):
        return lazy.collect()
    if isinstance(found, nw.Series) or not hasattr(value, "__arrow_c_stream__"):
        return None
    arrow = import_extra("pyarrow", "parquet")
    try:
        return as_table(arrow.table(value), name)
    except arrow.ArrowInvalid:  # a stream of one column
        return None
