"""Predictions in blocks of a fixed number of rows, in which no row depends on the other rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._slices import slices
from lpgraph._threads import blas_alone

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lpgraph.spectral.construction import Array

__all__ = ["in_blocks"]

#: A single row is filled up to a block, and each block is a call of scikit-learn (0.1 ms).
_ROWS = 64


def in_blocks(predict: Callable[[Array], NDArray[Any]], rows: Array) -> NDArray[Any]:
    """Return the predictions for rows, the same for a row alone and in any batch.

    scikit-learn multiplies all rows at once, and BLAS chooses its loops by their number. Here all calls have the
    same number of rows; the last block is filled with copies of its first row. BLAS has one thread.

    Parameters
    ----------
    predict : callable
        Method of an estimator that draws no random numbers, such as ``predict_proba``.
    rows : ndarray of shape (m, p)
        Features.

    Returns
    -------
    ndarray of shape (m,) or (m, k)

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.infer.row_blocks import in_blocks
    >>> in_blocks(lambda block: block.sum(axis=1), np.ones((100, 3))).shape
    (100,)
    """
    found = []
    with blas_alone():
        for part in slices(max(1, len(rows)), _ROWS):
            some = rows[part]
            block = np.zeros((_ROWS, rows.shape[1]))
            block[: len(some)], block[len(some) :] = some, some[:1] if len(some) else 0.0
            found.append(np.asarray(predict(block))[: len(some)])
    return np.concatenate(found)
