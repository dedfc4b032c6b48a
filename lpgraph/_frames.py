"""Tables where scikit-learn's `set_output` asks for them, with the names that rows have in a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["labelled", "wants_pandas"]


def wants_pandas(estimator: object) -> bool:
    """Whether ``estimator.set_output(transform="pandas")``, or scikit-learn's own setting, is in force."""
    from sklearn import get_config

    chosen = getattr(estimator, "_sklearn_output_config", {})
    return bool(chosen.get("transform", get_config()["transform_output"]) == "pandas")


def labelled(estimator: object, values: NDArray[np.float64], labels: Sequence[Any]) -> Any:
    """Return `values` as they are, or as a pandas table with `labels` as its index if one is asked for.

    scikit-learn's wrapper around ``transform`` keeps the index, and adds the columns' names.
    """
    if not wants_pandas(estimator):
        return values
    import pandas

    if isinstance(labels, range):
        index: Any = pandas.RangeIndex(len(labels))
    else:
        index = pandas.Index(list(labels), tupleize_cols=False)
    return pandas.DataFrame(values, index=index)
