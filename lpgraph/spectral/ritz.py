"""Ritz values of a projection onto a Krylov space, estimated residuals, and tests for missed eigenvalues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg

from .problem import relative_scale, wanted
from .tolerances import (
    CROWDED,
    CROWDED_LEAST,
    CROWDED_LEAST_SINGLE,
    CROWDED_SHARE,
    LOST,
    OUTSTANDING,
    SETTLED_POWER,
)

if TYPE_CHECKING:
    from lpgraph._utils.types import Array
    from lpgraph.linalg.room import Precision

    from .operators import SymmetricOperator
    from .problem import End


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


class Ritz:
    """What a projection tells about the wanted end.

    Values that do not stand out from `last`, the size of the last wanted one, have the bound ``task.loose``; but
    in a check, a missing copy may be where a value that is not wanted has not converged.

    Parameters
    ----------
    task : Task
        What is wanted.
    square : ndarray of shape (size, size)
        The projection.
    coupling : ndarray
        Couples its last block to the next.
    norm : float
        The operator's, as far as it is known.
    last : float
        The size of the last wanted value, if it is known.
    checking : bool
        Whether a check is running.

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
    """

    def __init__(
        self,
        task: Task,
        square: Array,
        coupling: Array,
        norm: float,
        last: float = -np.inf,
        *,
        checking: bool = False,
    ) -> None:
        k, tol = task.k, task.tol
        values, rotation = scipy.linalg.eigh((square + square.T) / 2, driver="evd")
        order = wanted(values, task.end)
        values, rotation = values[order], rotation[:, order]
        self.task, self.values, self.rotation = task, values, rotation
        self.estimate = np.linalg.norm(coupling @ rotation[len(square) - coupling.shape[1] :], axis=0)
        self.norm = max(norm, float(np.abs(values).max()))
        self.scale = relative_scale(values, self.norm, task.origin)
        self.sizes: Array = {"magnitude": np.abs(values), "largest": values, "smallest": -values}[task.end]
        strict = self.sizes > last + OUTSTANDING * self.scale
        bound = np.where(strict, tol, task.loose)
        self.sure = self._nothing_missed((tol if checking else bound) ** SETTLED_POWER * self.scale)
        # A copy that has not converged is at most its residual from the eigenvalue.
        reach = CROWDED * np.minimum(self.estimate, tol * self.scale)[: k + 1]
        least = (CROWDED_LEAST if task.dtype == np.float64 else CROWDED_LEAST_SINGLE) * self.scale[: k + 1]
        gaps = np.abs(np.subtract.outer(values[: k + 1], values[: k + 1]))
        near = (gaps <= np.maximum(np.maximum.outer(reach, reach), least))[:, strict[: k + 1]]
        self.crowded = bool((near.sum(axis=1) >= task.width).any())
        self.excess = float((self.estimate / np.maximum(self.scale, np.finfo(float).tiny) / bound)[:k].max())
        share = CROWDED_SHARE if self.crowded else 1.0
        self.found = int((self.estimate <= share * bound * self.scale)[:k].sum())
        self.converged, self.strict = self.found == k, strict[:k]

    def _nothing_missed(self, settled: Array) -> bool:
        """Whether the best values not wanted surely lie below the wanted; `settled` residuals are ignored."""
        k, size = self.task.k, self.sizes
        rest = np.arange(k, len(size))
        positive = self.values[rest] >= 0
        ends = (rest[positive][:1], rest[~positive][:1]) if self.task.end == "magnitude" else (rest[:1],)
        best = np.concatenate(ends)
        return bool((self.estimate[best] <= np.maximum(np.abs(size[k - 1] - size[best]), settled[best])).all())

    @property
    def counts(self) -> Array:
        """How many eigenvalues each Ritz value stands for: n times its weight in the start."""
        weights: Array = np.square(self.rotation[: self.task.width]).mean(axis=0)
        return self.task.operator.shape[0] * weights

    def _place(self, count: float) -> int:
        """Return the Ritz value at which so many eigenvalues are counted."""
        return min(int(np.searchsorted(np.cumsum(self.counts), count)), len(self.values) - 1)

    @property
    def last(self) -> float:
        """About the size of the k-th eigenvalue, by the counts."""
        return float(np.interp(self.task.k, np.cumsum(self.counts) - self.counts / 2, self.sizes))

    @property
    def beyond(self) -> float:
        """A size that k eigenvalues exceed, or a few more, by the counts."""
        # The counts of k eigenvalues add up to k with a standard deviation of the square root of k at most.
        return float(self.sizes[self._place(self.task.k + 3 * np.sqrt(self.task.k))])

    @property
    def lost(self) -> bool:
        """Whether the Ritz value at which the k-th eigenvalue is counted stands for too many."""
        return bool(self.counts[self._place(self.task.k)] > LOST)
