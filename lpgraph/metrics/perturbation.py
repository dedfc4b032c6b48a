"""Stability of an embedding under exchange of training points, compared with the out-of-sample error."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri, stdtrit
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from lpgraph._articles import a_type
from lpgraph._checks import check_finite_array, check_generator, check_integer
from lpgraph._html import columns_html
from lpgraph._progress import tell
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.manifold.base import PointsEmbedding

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["Stability", "stability"]

_log = logging.getLogger("lpgraph.metrics")

#: Confidence level of the intervals.
_CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False, repr=False)
class Stability:
    """Training-set variability and out-of-sample error; `lpgraph.plot.stability` plots the result.

    Attributes
    ----------
    fractions : ndarray of shape (f,)
        The fractions ``|R1| / n`` of training points that were exchanged, after rounding to whole points.
    variability : ndarray of shape (f,)
        Mean distance that points move when this fraction is exchanged.
    error : ndarray of shape (f,)
        Mean distance between a point's extended position and its position as a training point.
    difference : ndarray of shape (f,)
        Mean of variability minus error, over points and repeats.
    half_width : ndarray of shape (f,)
        Half the width of the 95 % confidence interval of `difference`. The points of one split are not
        independent, since they share two fits. So with more than one repeat, the interval is Student's t over the
        means of the splits. With one repeat, points are treated as independent, as in the papers.
    n_points : ndarray of shape (f,)
        Number of differences in each mean.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((60, 3)) * [3, 2, 1]
    >>> found = lp.metrics.stability(lp.manifold.ClassicalMDS(2), X, [0.05, 0.2], random_state=0)
    >>> found.difference.shape
    (2,)
    """

    fractions: NDArray[np.float64]
    variability: NDArray[np.float64]
    error: NDArray[np.float64]
    difference: NDArray[np.float64]
    half_width: NDArray[np.float64]
    n_points: NDArray[np.intp]

    def __repr__(self) -> str:
        crossing = "None" if self.crossing is None else f"{self.crossing:.3g}"
        return f"Stability(crossing={crossing}, {len(self.fractions)} fractions)"

    def _repr_html_(self) -> str:
        columns = self.fractions, self.variability, self.error, self.difference, self.half_width
        rows = [tuple(f"{value:.4g}" for value in row) for row in zip(*columns, strict=True)]
        head = ("fraction exchanged", "variability", "out-of-sample error", "difference", "half of 95 % interval")
        return columns_html("Stability", head, rows)

    @property
    def crossing(self) -> float | None:
        """The fraction at which the error equals the variability: the first zero of `difference`.

        Interpolated linearly between fractions, and between 0 and the first one (at 0 the variability is 0, and
        the error is that of the first fraction). None if the difference is negative at all fractions.
        """
        x = np.concatenate([[0.0], self.fractions])
        y = np.concatenate([[-self.error[0]], self.difference])
        above = np.flatnonzero(y > 0)
        if not len(above) or above[0] == 0:
            return None
        i = int(above[0])
        return float(x[i - 1] - y[i - 1] * (x[i] - x[i - 1]) / (y[i] - y[i - 1]))


def stability(
    model: PointsEmbedding,
    X: ArrayLike,
    fractions: ArrayLike = (0.01, 0.02, 0.04, 0.08, 0.16),
    repeats: int = 1,
    *,
    n_held_out: int | None = None,
    random_state: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
) -> Stability:
    """Compare the out-of-sample error with the effect of exchanging a few training points.

    For each fraction the points are split at random into F, R1 and R2, with ``|R1| = |R2| = fraction * n``.

    1. The model is fitted to F and R1, and to F and R2. The second embedding is aligned with the first by linear
       regression on the points of F. The distances that remain are the training-set variability.
    2. For each point of F the model is fitted to F and R1 without the point, and extended to it. The distance from
       its position in the fit to F and R1 is the out-of-sample error. Only the signs of the columns are aligned.
    3. The mean difference of the two distances, with its 95 % interval, is returned for each fraction.

    Parameters
    ----------
    model : estimator of `lpgraph.manifold`
        Clones of it are fitted; the model itself is not changed.
    X : array-like of shape (n, p), or (n, n)
        All points, or their pairwise distances if the model takes those.
    fractions : array-like of float
        Increasing, between 0 and 1/2; each is rounded to whole points, at least one.
    repeats : int, default 1
        Number of splits for each fraction.
    n_held_out : int, optional
        Number of points of F, drawn at random, for which step 2 is done, at one fit per point. Default: all. In
        the same time, many repeats with few points each give a narrower interval.
    random_state : int, Generator or None
        Seed of the splits.
    n_jobs : int or None
        Number of splits processed in parallel, as in scikit-learn; -1 for all cores. The result does not depend on
        it.

    Returns
    -------
    Stability

    Raises
    ------
    ArgumentError
        If a fraction leaves too few points, or the model omits points (``components="largest"``).

    ArgumentTypeError
        If `model` is not an embedding of points.

    References
    ----------
    Bengio, Y. et al. (2004), "Learning eigenfunctions links spectral embedding and kernel PCA", Neural Computation
    16, Section 6 and Figure 2; "Out-of-sample extensions for LLE, Isomap, MDS, Eigenmaps, and spectral
    clustering", NIPS 16, Section 5 and Figure 1.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((60, 3)) * [3, 2, 1]
    >>> found = lp.metrics.stability(lp.manifold.ClassicalMDS(2), X, [0.05, 0.2], random_state=0)
    >>> found.fractions
    array([0.05, 0.2 ])
    >>> bool(found.variability[1] > found.variability[0])
    True
    """
    if not isinstance(model, PointsEmbedding):
        raise ArgumentTypeError(f"model is {a_type(model)}; pass an estimator of lpgraph.manifold.")
    points = model.input.training(X, type(model).__name__)
    n = points.shape[0]
    asked = check_finite_array("fractions", fractions, ndim=1)
    if not len(asked) or (asked <= 0).any() or (asked >= 0.5).any() or (np.diff(asked) <= 0).any():
        raise ArgumentError(f"fractions={fractions!r}; pass increasing numbers between 0 and 0.5.")
    repeats = check_integer("repeats", repeats, low=1)
    exchanged = np.maximum(1, np.rint(asked * n).astype(int))
    fixed = n - 2 * exchanged
    least = getattr(model, model._size) + 2
    if fixed[-1] < least:
        raise ArgumentError(
            f"fractions={fractions!r} of {n} points leave {fixed[-1]} points that are not exchanged, but {least} "
            "are needed; pass smaller fractions or more points."
        )
    if n_held_out is not None:
        check_integer("n_held_out", n_held_out, low=1, high=int(fixed[-1]), why="but no more points remain")
    rng = check_generator(random_state)
    splits = []
    for count, stay in zip(exchanged, fixed, strict=True):
        for _ in range(repeats):
            order = rng.permutation(n)
            chosen = (
                np.arange(stay) if n_held_out is None else np.sort(rng.choice(stay, n_held_out, replace=False))
            )
            splits.append((order, int(count), chosen))
    if n_jobs is not None and check_integer("n_jobs", n_jobs, low=-(1 << 20)) == 0:
        raise ArgumentError("n_jobs=0; pass n_jobs >= 1, or n_jobs=-1 for a process on each core.")
    results = Parallel(n_jobs=n_jobs)(
        delayed(_one_split)(model, points, *split, (i, len(splits))) for i, split in enumerate(splits)
    )
    rows = []
    for place in range(0, len(splits), repeats):
        a, b = (np.stack(parts) for parts in zip(*results[place : place + repeats], strict=True))
        rows.append((a.mean(), b.mean(), (a - b).mean(), _half_width(a - b), a.size))
    variability, error, difference, half_width, number = (np.array(column) for column in zip(*rows, strict=True))
    return Stability(exchanged / n, variability, error, difference, half_width, number)


def _half_width(gap: Array) -> float:
    """Return half the width of the confidence interval of the mean of differences of shape (splits, points)."""
    several = len(gap) > 1
    means = gap.mean(axis=1) if several else gap[0]
    if len(means) < 2:
        return float("inf")
    quantile = stdtrit(len(means) - 1, (1 + _CONFIDENCE) / 2) if several else ndtri((1 + _CONFIDENCE) / 2)
    return float(quantile * means.std(ddof=1) / np.sqrt(len(means)))


def _one_split(
    model: PointsEmbedding,
    points: Array,
    order: NDArray[np.intp],
    count: int,
    chosen: NDArray[np.intp],
    place: tuple[int, int],
) -> tuple[Array, Array]:
    """Return the variability and the out-of-sample error of the chosen points of F for one split.

    `place` is the number of the split and the number of all, for the log.
    """
    first, second, stay = order[:count], order[count : 2 * count], order[2 * count :]
    training = np.concatenate([stay, first])
    reference = _fitted(model, points, training).embedding_
    other = _fitted(model, points, np.concatenate([stay, second])).embedding_
    m = len(stay)
    design = np.column_stack([other[:m], np.ones(m)])
    aligned = design @ np.linalg.lstsq(design, reference[:m], rcond=None)[0]
    moved = np.linalg.norm(aligned - reference[:m], axis=1)[chosen]
    missed = np.empty(len(chosen))
    total = place[1] * len(chosen)
    for k, i in enumerate(chosen):
        rest = np.delete(training, i)
        without = _fitted(model, points, rest)
        sign = np.where((without.embedding_ * np.delete(reference, i, axis=0)).sum(axis=0) < 0, -1.0, 1.0)
        left_out = training[i : i + 1]
        new = points[np.ix_(left_out, rest)] if model.input.pairwise else points[left_out]
        missed[k] = np.linalg.norm(np.asarray(without.transform(new))[0] * sign - reference[i])
        done = place[0] * len(chosen) + k + 1
        tell(_log, "point %d of %d is left out", done, total, of=(done, total))
    return moved, missed


def _fitted(model: PointsEmbedding, points: Array, index: NDArray[np.intp]) -> PointsEmbedding:
    chosen = points[np.ix_(index, index)] if model.input.pairwise else points[index]
    result: PointsEmbedding = clone(model).fit(chosen)
    if len(result.embedding_) < len(index):
        raise ArgumentError(
            f"The model omitted {len(index) - len(result.embedding_)} points (components='largest'), which cannot "
            "be compared; pass components='bridge', or a larger n_neighbors or radius."
        )
    return result
