"""What a projection onto a Krylov space says of the wanted end: values, residuals, and what may be missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from lpgraph.spectral.order import relative_scale, wanted
from lpgraph.spectral.tolerances import CROWDED, CROWDED_LEAST, CROWDED_SHARE, LOST, SETTLED_POWER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["WIDTH", "Ritz"]

#: Directions in a block: what the compiled product takes at once for little more than the price of one.
WIDTH = 2


@dataclass(frozen=True, eq=False)
class Ritz:
    """What a projection says of the wanted end.

    Attributes
    ----------
    values : ndarray of shape (size,)
        Ritz values in the wanted order.
    rotation : ndarray of shape (size, size)
        Their coefficients.
    estimate, scale : ndarray of shape (size,)
        Estimates of their residuals, and what they are relative to.
    norm : float
        Of the operator, as far as it is known.
    excess : float
        The worst of the first k residuals, in tolerances: one more block hardly takes it below a tenth.
    found : int
        How many of the first k residuals are within the tolerance, or half of it where values are crowded.
    converged : bool
        Whether all are.
    sure : bool
        Whether the best values that are not wanted, at each end in question, lie below the wanted: farther than
        their residual, or their residual is so small that they will hardly rise.
    crowded : bool
        Whether two of the first k + 1 values lie together, so that a third might hide there.
    """

    values: Array
    rotation: Array
    estimate: Array
    scale: Array
    norm: float
    excess: float
    found: int
    converged: bool
    sure: bool
    crowded: bool

    @classmethod
    def of(
        cls, projection: Array, size: int, coupling: Array, which: str, norm: float, tol: float, k: int
    ) -> Ritz:
        """Return it for the leading square of a projection, its last block coupled to the next by `coupling`."""
        square = projection[:size, :size]
        values, rotation = scipy.linalg.eigh((square + square.T) / 2, driver="evd")
        order = wanted(values, which)
        values, rotation = values[order], rotation[:, order]
        estimate = np.linalg.norm(coupling @ rotation[size - coupling.shape[1] :], axis=0)
        norm = max(norm, float(np.abs(values).max()))
        scale = relative_scale(values, norm)
        sure = _nothing_missed(values, estimate, tol**SETTLED_POWER * scale, k, which)
        crowded = _crowded(values[: k + 1], max(CROWDED * tol, CROWDED_LEAST) * scale[: k + 1])
        # Crowded ones are kept for a check, and the checks to follow, without what they lack: that adds up.
        bound = (CROWDED_SHARE if crowded else 1.0) * tol
        excess = float((estimate[:k] / np.maximum(scale[:k], np.finfo(float).tiny)).max()) / tol
        found = int((estimate[:k] <= bound * scale[:k]).sum())
        return cls(values, rotation, estimate, scale, norm, excess, found, found == k, sure, crowded)

    def counts(self, n: int) -> Array:
        """Return how many of n eigenvalues each Ritz value stands for: n times its weight in the start."""
        return np.asarray(n * np.square(self.rotation[:WIDTH]).mean(axis=0))

    def lost(self, n: int, k: int) -> bool:
        """Whether the Ritz value at which the k-th eigenvalue is counted stands for too many."""
        counts = self.counts(n)
        return bool(counts[min(int(np.searchsorted(np.cumsum(counts), k)), len(counts) - 1)] > LOST)


def _nothing_missed(values: Array, estimate: Array, settled: Array, k: int, which: str) -> bool:
    """Whether the best Ritz values not wanted lie surely below the wanted; `settled` are residuals to ignore."""
    rest = np.arange(k, len(values))
    ends = [rest[values[rest] >= 0][:1], rest[values[rest] < 0][:1]] if which == "LM" else [rest[:1]]
    size = np.abs(values) if which == "LM" else values
    for end in ends:
        distance = np.abs(size[k - 1] - size[end])
        if (estimate[end] > np.maximum(distance, settled[end])).any():
            return False
    return True


def _crowded(values: Array, apart: Array) -> bool:
    """Whether as many values as a block is wide lie within `apart` of one another."""
    distances = np.abs(np.subtract.outer(values, values))
    return bool(((distances <= apart).sum(axis=1) >= WIDTH).any())
