"""Between what the numbers of an array lie, in one pass on all cores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._compiled import available, compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["extent"]

#: From so many numbers on the compiled loop is used.
WORTHWHILE = 1_000_000

_PIECES = 64


def extent(values: NDArray[Any]) -> tuple[float, float]:
    """Return the least and the largest number of an array that is not empty; not finite where one is not."""
    if values.size < WORTHWHILE or values.dtype != np.float64 or not values.flags.c_contiguous or not available():
        return float(values.min()), float(values.max())
    ends = np.empty((_PIECES, 2))
    cuts = values.size * np.arange(_PIECES + 1) // _PIECES
    _extent.over(range(_PIECES + 1), values.reshape(-1), ends, cuts)
    return float(ends[:, 0].min()), float(ends[:, 1].max())


def _extent_loop(values, ends, cuts, piece, _):  # type: ignore[no-untyped-def]
    least, most, none = np.inf, -np.inf, 0.0
    for i in range(cuts[piece], cuts[piece + 1]):
        value = values[i]
        least = min(least, value)
        most = max(most, value)
        none += value * 0.0  # not a number once a value is infinite or no number
    ends[piece, 0], ends[piece, 1] = least + none, most + none


_extent = compiled(_extent_loop, reassociate=True)
