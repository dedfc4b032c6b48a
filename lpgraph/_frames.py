"""Pandas output for scikit-learn's `set_output`, with vertex names as index."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["labelled", "wants_pandas"]


def wants_pandas(estimator: object) -> bool:
    """Whether ``estimator.set_output`` or scikit-learn's configuration selects pandas output."""
    from sklearn import get_config

    chosen = getattr(estimator, "_sklearn_output_config", {})
    return bool(chosen.get("transform", get_config()["transform_output"]) == "pandas")


def labelled(estimator: object, values: NDArray[np.float64], labels: Sequence[Hashable]) -> NDArray[np.float64]:
    """Return `values`, or a pandas DataFrame with index `labels` if pandas output is selected.

    scikit-learn's wrapper of ``transform`` keeps the index and sets the column names.
    """
    if not wants_pandas(estimator):
        return values
    import pandas

    rows = isinstance(labels, range)
    index = pandas.RangeIndex(len(labels)) if rows else pandas.Index(list(labels), tupleize_cols=False)
    # As in scikit-learn, the container that set_output chooses is not part of the type.
    table: NDArray[np.float64] = pandas.DataFrame(values, index=index)
    return table
