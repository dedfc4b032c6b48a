"""Ritz values of a projection onto a Krylov space, estimated residuals, and tests for missed eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from lpgraph.spectral.problem import relative_scale, wanted
from lpgraph.spectral.tolerances import (
    CROWDED,
    CROWDED_LEAST,
    CROWDED_LEAST_SINGLE,
    CROWDED_SHARE,
    LOST,
    OUTSTANDING,
    SETTLED_POWER,
)

if TYPE_CHECKING:
    from lpgraph._utils.types import Array, Flags
    from lpgraph.linalg.room import Precision
    from lpgraph.spectral.operators import SymmetricOperator
    from lpgraph.spectral.problem import End


#: Directions in a block: the compiled product multiplies two for little more than the cost of one.
WIDTH = 2


@dataclass(frozen=True, eq=False)
class Task:
    """What an iteration is to find, and how.

    Attributes
    ----------
    operator : SymmetricOperator
        M.
    k, end
        How many pairs of which end.
    tol : float
        Bound on the *estimated* residuals.
    max_restarts : int
        Restarts before the iteration gives up.
    rng : Generator
        For the first and for new directions.
    dtype : dtype, default float64
        Of the basis; all arithmetic is in double precision.
    origin : float, optional
        Residuals are relative to the distance of eigenvalues from there; None means from 0.
    width : int
        Directions in a block: more copies of an eigenvalue than that are not seen at once.
    loose : float, default 0
        A larger bound on the residuals of values that do not stand out from the last wanted one; 0 means `tol`.
    """

    operator: SymmetricOperator
    k: int
    end: End
    tol: float
    max_restarts: int
    rng: np.random.Generator
    dtype: Precision = np.float64
    origin: float | None = None
    width: int = WIDTH
    loose: float = 0.0


@dataclass(frozen=True, eq=False)
class Ritz:
    """What a projection tells about the wanted end.

    Attributes
    ----------
    values : ndarray of shape (size,)
        Ritz values in the wanted order.
    rotation : ndarray of shape (size, size)
        Their coefficients.
    estimate, scale : ndarray of shape (size,)
        Estimates of their residuals, and what they are relative to.
    norm : float
        The largest magnitude found so far, a lower bound of the operator's norm.
    excess : float
        The largest of the first k residuals relative to its bound. One block rarely reduces it tenfold.
    found : int
        How many of the first k residuals are within their bounds, or half of that if values are crowded.
    converged : bool
        Whether all are.
    sure : bool
        Whether the best values that are not wanted, at each end in question, lie below the wanted ones: by more
        than their residual, or with a residual so small that they will hardly rise.
    crowded : bool
        Whether two of the first k + 1 values agree, so that there may be a third copy.
    strict : ndarray of shape (k,)
        Whether the bound is the tolerance, and not a looser one.
    width : int
        Directions in a block.
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
    strict: Flags
    width: int

    @classmethod
    def of(
        cls,
        task: Task,
        square: Array,
        coupling: Array,
        norm: float,
        last: float = -np.inf,
        *,
        checking: bool = False,
    ) -> Ritz:
        """Return it for the square of a projection, its last block coupled to the next by `coupling`.

        Values that do not stand out from `last`, the size of the last wanted one, have the bound ``task.loose``;
        but in a check, a missing copy may be where a value that is not wanted has not converged.
        """
        k, end, tol = task.k, task.end, task.tol
        values, rotation = scipy.linalg.eigh((square + square.T) / 2, driver="evd")
        order = wanted(values, end)
        values, rotation = values[order], rotation[:, order]
        estimate = np.linalg.norm(coupling @ rotation[len(square) - coupling.shape[1] :], axis=0)
        norm = max(norm, float(np.abs(values).max()))
        scale = relative_scale(values, norm, task.origin)
        strict = _sizes(values, end) > last + OUTSTANDING * scale
        bound = np.where(strict, tol, task.loose)
        settled = (tol if checking else bound) ** SETTLED_POWER * scale
        sure = _nothing_missed(values, estimate, settled, k, end)
        # A copy that has not converged is at most its residual from the eigenvalue.
        reach = CROWDED * np.minimum(estimate, tol * scale)[: k + 1]
        least = (CROWDED_LEAST if task.dtype == np.float64 else CROWDED_LEAST_SINGLE) * scale[: k + 1]
        gaps = np.abs(np.subtract.outer(values[: k + 1], values[: k + 1]))
        near = (gaps <= np.maximum(np.maximum.outer(reach, reach), least))[:, strict[: k + 1]]
        crowded = bool((near.sum(axis=1) >= task.width).any())
        excess = float((estimate / np.maximum(scale, np.finfo(float).tiny) / bound)[:k].max())
        found = int((estimate <= (CROWDED_SHARE if crowded else 1.0) * bound * scale)[:k].sum())
        state = excess, found, found == k, sure, crowded
        return cls(values, rotation, estimate, scale, norm, *state, strict[:k], task.width)

    def counts(self, n: int) -> Array:
        """Return how many of n eigenvalues each Ritz value stands for: n times its weight in the start."""
        return np.asarray(n * np.square(self.rotation[: self.width]).mean(axis=0))

    def last(self, n: int, task: Task) -> float:
        """Return about the size of the k-th of n eigenvalues, by the counts."""
        counts = self.counts(n)
        return float(np.interp(task.k, np.cumsum(counts) - counts / 2, _sizes(self.values, task.end)))

    def beyond(self, n: int, k: int, end: End) -> float:
        """Return a size that k of n eigenvalues exceed, or a few more, by the counts."""
        # The counts of k eigenvalues add up to k with a standard deviation of the square root of k at most.
        place = int(np.searchsorted(np.cumsum(self.counts(n)), k + 3 * np.sqrt(k)))
        return float(_sizes(self.values, end)[min(place, len(self.values) - 1)])

    def lost(self, n: int, k: int) -> bool:
        """Whether the Ritz value at which the k-th eigenvalue is counted stands for too many."""
        counts = self.counts(n)
        return bool(counts[min(int(np.searchsorted(np.cumsum(counts), k)), len(counts) - 1)] > LOST)


def _sizes(values: Array, end: End) -> Array:
    """Return what decreases in the wanted order."""
    return {"magnitude": np.abs(values), "largest": values, "smallest": -values}[end]


def _nothing_missed(values: Array, estimate: Array, settled: Array, k: int, end: End) -> bool:
    """Whether the best Ritz values not wanted surely lie below the wanted; `settled` residuals are ignored."""
    rest = np.arange(k, len(values))
    ends = [rest[values[rest] >= 0][:1], rest[values[rest] < 0][:1]] if end == "magnitude" else [rest[:1]]
    size = _sizes(values, end)
    best = np.concatenate(ends)
    return bool((estimate[best] <= np.maximum(np.abs(size[k - 1] - size[best]), settled[best])).all())
