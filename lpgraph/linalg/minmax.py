"""Minimum and maximum of an array, in one pass on all cores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._compiled import available, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["minmax"]

#: Smallest size for which the compiled loop is used.
WORTHWHILE = 1_000_000

_PIECES = 64


def minmax(values: NDArray[np.generic]) -> tuple[float, float]:
    """Return the minimum and the maximum of a nonempty array; not finite if an entry is not."""
    if values.strides == (0,):  # one number, many times
        values = values[:1]
    if values.size < WORTHWHILE or values.dtype != np.float64 or not values.flags.c_contiguous or not available():
        return float(values.min()), float(values.max())
    ends = np.empty((_PIECES, 2))
    cuts = values.size * np.arange(_PIECES + 1) // _PIECES
    _minmax.over(range(_PIECES + 1), values.reshape(-1), ends, cuts)
    return float(ends[:, 0].min()), float(ends[:, 1].max())


def _minmax_loop(values, ends, cuts, piece, _):  # type: ignore[no-untyped-def]  # numba infers the types
    least, most, none = np.inf, -np.inf, 0.0
    for i in range(cuts[piece], cuts[piece + 1]):
        value = values[i]
        least = min(least, value)
        most = max(most, value)
        none += value * 0.0  # NaN if a value is not finite
    ends[piece, 0], ends[piece, 1] = least + none, most + none


_minmax = compiled(_minmax_loop, reassociate=True)
