"""Order of eigenvalues at the wanted end of a spectrum, and the scale of their residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph.spectral.tolerances import NEAR_SHARE, NORM_SHARE, TIE

if TYPE_CHECKING:
    from numpy.typing import NDArray

END_NAMES = ("LM", "LA", "SA")


def wanted(values: NDArray[np.float64], which: str) -> NDArray[np.intp]:
    """Return the indices of `values` in the wanted order, best first.

    "LM" breaks the tie of a pair +-l (every eigenvalue of a bipartite graph has one) by taking the positive
    one first. Magnitudes that agree to rounding count as equal, so that the order does not depend on noise.
    """
    if which == "LA":
        return np.argsort(-values, kind="stable")
    if which == "SA":
        return np.argsort(values, kind="stable")
    magnitude = np.abs(values)
    order = np.argsort(-magnitude, kind="stable")
    ranked = magnitude[order]
    level = np.zeros(len(values), dtype=np.intp)
    if len(values):
        level[1:] = np.cumsum(ranked[:-1] - ranked[1:] > TIE * ranked[0])
    # Within a level and a sign the larger magnitude stays first: of two copies, the more accurate one.
    return order[np.lexsort((values[order] < 0, level))]


def relative_scale(values: NDArray[np.float64], norm: float, origin: float | None = None) -> NDArray[np.float64]:
    """Return what a residual is relative to: its eigenvalue, or norm / 1000 if that is larger.

    With `origin` it is the eigenvalue's distance from there, or norm / 10^5.
    """
    if origin is None:
        return np.maximum(np.abs(values), NORM_SHARE * norm)
    return np.maximum(np.abs(values - origin), NEAR_SHARE * norm)
