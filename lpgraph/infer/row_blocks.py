"""Predictions in blocks of a fixed number of rows, in which no row depends on the other rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.pipeline import Pipeline

from lpgraph._slices import slices
from lpgraph._threads import blas_alone

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.spectral.construction import Array

__all__ = ["in_blocks"]

#: A single row is filled up to a block, and each block is a call of scikit-learn, which takes 0.1 ms or more.
_ROWS = 512
#: For classifiers that search neighbors of each row, which takes as long as 100 rows of a linear one.
_ROWS_TO_SEARCH = 16


def in_blocks(estimator: Any, method: str, rows: Array) -> NDArray[Any]:
    """Return the predictions for rows, the same for a row alone and in any batch.

    scikit-learn multiplies all rows at once, and BLAS chooses its loops by their number. Here all calls have the
    same number of rows; the last block is filled with copies of its first row. BLAS has one thread.

    Parameters
    ----------
    estimator : estimator
        A fitted estimator of scikit-learn, or one like it. Random numbers that it draws depend on the place.
    method : {"predict", "predict_proba"}
        What is computed.
    rows : ndarray of shape (m, p)
        Features.

    Returns
    -------
    ndarray of shape (m,) or (m, k)

    Raises
    ------
    ValueError
        If the estimator does not return a prediction for each row; its own errors are passed on.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.infer.row_blocks import in_blocks
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1])
    >>> in_blocks(model, "predict", np.array([[0.5], [4.5]]))
    array([0, 1])
    """
    predict, found = getattr(estimator, method), []
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    size = _ROWS_TO_SEARCH if type(last).__module__.startswith("sklearn.neighbors.") else _ROWS
    with blas_alone():
        for part in slices(max(1, len(rows)), size):
            some = rows[part]
            block = np.zeros((size, rows.shape[1]))
            block[: len(some)], block[len(some) :] = some, some[:1] if len(some) else 0.0
            values = np.asarray(predict(block))
            if values.shape[:1] != (size,):
                raise ValueError(f"{method} returned shape {values.shape} for {size} rows")
            found.append(values[: len(some)])
    return np.concatenate(found)
