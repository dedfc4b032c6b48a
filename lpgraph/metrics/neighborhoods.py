"""Measures of how the nearest neighbors of points change in an embedding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import check_choice, check_integer
from lpgraph._utils.estimators import Shown, ShownColumns
from lpgraph.errors import ArgumentError
from lpgraph.metrics.distances import Reading, draw
from lpgraph.points.checks import check_indices

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lpgraph.metrics.distances import Embedded, Index, Seed
    from lpgraph.points.metric import Metric
    from lpgraph.points.rows import Array

_KINDS = ("trustworthiness", "continuity", "preservation")

#: The default numbers of neighbors of curves: how many, and the largest.
_COUNT, _LARGEST = 12, 200

#: Distances whose relative difference is smaller are equal: the difference is rounding.
_ROUNDING = 1e-10


@dataclass(frozen=True, eq=False, repr=False)
class NeighborMeasure(Shown):
    """A measure of each point, between 0 (worst) and 1; `float` of it is the mean.

    Attributes
    ----------
    kind : str
        The measure, such as "trustworthiness".
    n_neighbors : int
        The number k of neighbors.
    values : ndarray of shape (m,)
        The measure of each point in `points`.
    points : ndarray of shape (m,)
        The measured points, as indices among those that were passed: all, or a sample.
    n_points : int
        The number of points that were passed.
    held_out : bool
        Whether they are new points rather than training points.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((60, 3)) * [3, 2, 1]
    >>> found = lp.metrics.neighbor_measure(X, X[:, :2])
    >>> found
    NeighborMeasure(trustworthiness 0.973, 5 neighbors, 60 points)
    >>> found.values.shape
    (60,)
    """

    kind: str
    n_neighbors: int
    values: NDArray[np.float64]
    points: NDArray[np.intp]
    n_points: int
    held_out: bool

    @property
    def mean(self) -> float:
        """Mean of the values."""
        return float(self.values.mean())

    @property
    def standard_error(self) -> float:
        """Standard error of the mean, as an estimate of the mean over all points; 0 if all were measured."""
        return float(_standard_error(self.values, self.n_points))

    def __float__(self) -> float:
        return self.mean

    def __repr__(self) -> str:
        error = f" ± {self.standard_error:.1g}" if len(self.points) < self.n_points else ""
        points = _counted(len(self.points), self.n_points, self.held_out)
        return f"NeighborMeasure({self.kind} {self.mean:.3f}{error}, {self.n_neighbors} neighbors, {points})"


def neighbor_measure(
    X: object,
    embedding: Embedded,
    n_neighbors: int = 5,
    kind: str = "trustworthiness",
    *,
    metric: Metric | None = None,
    new: object = None,
    new_embedding: ArrayLike | None = None,
    max_points: int = 5000,
    random_state: Seed = None,
) -> NeighborMeasure:
    r"""Return the trustworthiness, the continuity or the preservation of the neighborhood of each point.

    Let :math:`V_k(i)` and :math:`U_k(i)` be the k nearest points of point i in the data and in the embedding, and
    :math:`r(i, j)` and :math:`\rho(i, j)` the rank of point j among the distances from i in the two. The value of
    point i is

    .. math::

        T_i &= 1 - \frac{2}{k (2n - 3k - 1)} \sum_{j \in U_k(i)} \max(r(i, j) - k, 0), \\
        C_i &= 1 - \frac{2}{k (2n - 3k - 1)} \sum_{j \in V_k(i)} \max(\rho(i, j) - k, 0), \\
        Q_i &= |U_k(i) \cap V_k(i)| / k.

    The trustworthiness T is 1 if the neighbors in the embedding are those in the data, and 0 if they are the
    farthest points. The continuity C exchanges data and embedding: an embedding that puts distant points together
    is not trustworthy, and one that tears neighbors apart is not continuous. The preservation Q is the share of
    neighbors that are kept; positions at random keep a share of about k / (n - 1). For new points, n - 1 is the
    number of training points.

    Parameters
    ----------
    X : array-like or sparse array of shape (n, p), or (n, n)
        Training points or, with ``"precomputed"``, their distances.
    embedding : array-like of shape (n, d) or fitted estimator
        Their positions, or an embedding fitted to X, such as those of `lpgraph.manifold` and scikit-learn. Its
        distances are Euclidean.
    n_neighbors : int, default 5
        The number k of neighbors, at most half of the other points.
    kind : {"trustworthiness", "continuity", "preservation"}, default "trustworthiness"
        The measure.
    metric : str or callable, optional
        Name of a metric in scikit-learn, a function of two points, or "precomputed". Default: that of an estimator
        of `lpgraph.manifold`, otherwise "euclidean".
    new : array-like or sparse array of shape (m, p), or (m, n), optional
        New points, which are measured instead of the training points. Their neighbors are training points.
    new_embedding : array-like of shape (m, d), optional
        Positions of the new points. Default: what `transform` of the estimator returns.
    max_points : int, default 5000
        If there are more points, so many are drawn at random and measured; their ranks are those among all points.
        Time and memory are O(n) for each measured point, and a block of rows is stored at a time.
    random_state : int, Generator or None
        Seed of the draw; None means a fixed seed.

    Returns
    -------
    NeighborMeasure
        The values of all measured points; `mean` and `standard_error`.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        If shapes do not match, or if `n_neighbors` is too large.
    NotFittedError
        If `embedding` is an estimator without ``embedding_``.

    Notes
    -----
    Ties count as if they were broken at random, in expectation: the value does not depend on the order of the
    points. Distances are equal if they differ by less than one part in 10^10. The mean trustworthiness is that of
    `sklearn.manifold.trustworthiness` if there are no ties.

    References
    ----------
    Venna, J. & Kaski, S. (2001), "Neighborhood preservation in nonlinear projection methods: an experimental
    study", ICANN 2001, M_1 and M_2. Lee, J. A. & Verleysen, M. (2009), "Quality assessment of dimensionality
    reduction: rank-based criteria", Neurocomputing 72, Q_NX.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> model = lp.manifold.Isomap(2, n_neighbors=10, components="bridge").fit(X[::2])
    >>> lp.metrics.neighbor_measure(X[::2], model, new=X[1::2])
    NeighborMeasure(trustworthiness 0.960, 5 neighbors, 75 new points)
    >>> lp.metrics.neighbor_measure(X, X[:, [0, 2]], kind="preservation")
    NeighborMeasure(preservation 0.549, 5 neighbors, 150 points)
    >>> angle = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])  # which is cut open:
    >>> found = lp.metrics.neighbor_measure(circle, angle[:, None], kind="continuity")
    >>> np.flatnonzero(found.values < 0.9)
    array([ 0,  1,  2, 97, 98, 99])
    """
    check_choice("kind", kind, _KINDS)
    read = Reading.of(X, embedding, metric, new, new_embedding)
    why = f"but only {read.n_others} other points"
    k = check_integer("n_neighbors", n_neighbors, low=1, high=_most_neighbors(read), why=why)
    index, values = _measured(read, np.array([k]), max_points, random_state)
    return NeighborMeasure(kind, k, values[_KINDS.index(kind), :, 0], index, read.n_points, read.held_out)


@dataclass(frozen=True, eq=False, repr=False)
class NeighborCurves(ShownColumns):
    """Measures of neighborhoods by the number of neighbors; `lpgraph.plot.neighbor_curves` plots them.

    Attributes
    ----------
    n_neighbors : ndarray of shape (q,)
        Numbers k of neighbors, increasing.
    trustworthiness, continuity, preservation : ndarray of shape (q,)
        Means over points of the measures of `neighbor_measure`.
    standard_errors : ndarray of shape (3, q)
        Standard errors of the three, as estimates of the means over all points; 0 if all were measured.
    n_measured, n_points : int
        The number of measured points, and of those that were passed.
    n_others : int
        The number of other training points that a point is compared with.
    held_out : bool
        Whether the measured points are new ones.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((60, 3)) * [3, 2, 1]
    >>> lp.metrics.neighbor_curves(X, X[:, :2], [5, 10])
    NeighborCurves(60 points; 5 to 10 neighbors, 0.759 of them kept above chance)
    """

    n_neighbors: NDArray[np.intp]
    trustworthiness: NDArray[np.float64]
    continuity: NDArray[np.float64]
    preservation: NDArray[np.float64]
    standard_errors: NDArray[np.float64]
    n_measured: int
    n_points: int
    n_others: int
    held_out: bool

    @property
    def above_chance(self) -> NDArray[np.float64]:
        r"""The preservation above chance, :math:`R_{NX}(k) = ((n - 1) Q_{NX}(k) - k) / (n - 1 - k)`.

        It is 0 on average for positions at random, and 1 if all neighbors are kept.
        """
        chance = self.n_neighbors / self.n_others
        return np.asarray((self.preservation - chance) / (1 - chance))

    @property
    def area(self) -> float:
        """Mean of `above_chance` with weights 1 / k, over the numbers of neighbors that were computed.

        With all numbers from 1 to half of the points, this is the area under the curve over log k, up to half.
        """
        return float(np.average(self.above_chance, weights=1 / self.n_neighbors))

    _columns = ("n_neighbors", *_KINDS, "above_chance")

    def __repr__(self) -> str:
        points = _counted(self.n_measured, self.n_points, self.held_out)
        ends = f"{self.n_neighbors[0]} to {self.n_neighbors[-1]} neighbors"
        return f"NeighborCurves({points}; {ends}, {self.area:.3g} of them kept above chance)"


def neighbor_curves(
    X: object,
    embedding: Embedded,
    n_neighbors: ArrayLike | None = None,
    *,
    metric: Metric | None = None,
    new: object = None,
    new_embedding: ArrayLike | None = None,
    max_points: int = 2000,
    random_state: Seed = None,
) -> NeighborCurves:
    """Return the measures of neighborhoods for several numbers of neighbors, which share all distances and ranks.

    Parameters
    ----------
    X, embedding, metric, new, new_embedding
        As for `neighbor_measure`.
    n_neighbors : array-like of int, optional
        Increasing numbers of neighbors, at most half of the other points. Default: at most twelve numbers from 1
        to 200, evenly spaced on a logarithmic scale.
    max_points : int, default 2000
        If there are more points, so many are drawn at random and measured.
    random_state : int, Generator or None
        Seed of the draw; None means a fixed seed.

    Returns
    -------
    NeighborCurves

    Raises
    ------
    ArgumentError, ArgumentTypeError
        If shapes do not match, or if the numbers of neighbors are not increasing or too large.

    References
    ----------
    Those of `neighbor_measure`, and Lee, J. A. et al. (2013), Neurocomputing 112, for R_NX and its area.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> found = lp.metrics.neighbor_curves(X, X[:, [0, 2]], [5, 20])
    >>> found.preservation.round(2), found.above_chance.round(2)
    (array([0.55, 0.8 ]), array([0.53, 0.77]))
    """
    read = Reading.of(X, embedding, metric, new, new_embedding)
    ks = _numbers(n_neighbors, _most_neighbors(read))
    index, values = _measured(read, ks, max_points, random_state)
    errors = np.stack([_standard_error(rows, read.n_points) for rows in values])
    trust, near, kept = values.mean(axis=1)
    return NeighborCurves(ks, trust, near, kept, errors, len(index), read.n_points, read.n_others, read.held_out)


def _numbers(given: ArrayLike | None, most: int) -> Index:
    if given is None:
        return np.unique(np.geomspace(1, min(_LARGEST, most), _COUNT).round().astype(np.intp))
    ks = check_indices("n_neighbors", given, most + 1, 1)
    if not len(ks) or ks[0] < 1 or (np.diff(ks) <= 0).any():
        raise ArgumentError(f"n_neighbors={given!r}; pass increasing integers from 1 to {most}.")
    return ks


def _most_neighbors(read: Reading) -> int:
    """Return half the number of other points, above which the smallest value of the measures would not be 0."""
    if read.n_others < 2:
        raise ArgumentError(f"X has too few points: each has {read.n_others} others; pass more points.")
    return read.n_others // 2


def _counted(measured: int, total: int, held_out: bool) -> str:
    kind = "new points" if held_out else "points"
    return f"{measured} of {total} {kind}" if measured < total else f"{total} {kind}"


def _standard_error(values: Array, count: int) -> Array:
    """Return the standard error of the mean of values drawn without replacement from `count`, along axis 0."""
    m = len(values)
    if m == count:
        return np.zeros(values.shape[1:])
    return np.asarray(values.std(axis=0, ddof=1) * np.sqrt((1 - m / count) / m))


def _measured(read: Reading, ks: Index, max_points: int, random_state: Seed) -> tuple[Index, Array]:
    """Return the measured points, and their measures in the order of `_KINDS`, of shape (3, m, len(ks))."""
    index = draw("max_points", read.n_points, max_points, random_state)
    result = np.empty((len(_KINDS), len(index), len(ks)))
    # The largest sum of excess ranks of k neighbors, which are then the farthest points.
    worst = ks * (2 * read.n_others + 1 - 3 * ks) / 2
    for part, data, shown in read.blocks(index):
        excess, kept = _compared(shown, data, ks)
        torn, _ = _compared(data, shown, ks)
        result[:, part] = 1 - excess / worst, 1 - torn / worst, kept / ks
    return index, result


def _compared(own: Array, other: Array, ks: Index) -> tuple[Array, Array]:
    """Compare the k nearest by one row of distances with the ranks by another, for each pair of rows.

    Ranks begin at 1. Points at equal distance have the ranks ``low + 1, ..., high`` between them, each equally
    likely: ties count as if they were broken at random, in expectation.

    Parameters
    ----------
    own, other : ndarray of shape (m, n)
        Distances of m points to the same n points in two spaces.
    ks : ndarray of shape (q,)
        Numbers of neighbors, at most n.

    Returns
    -------
    excess, kept : ndarray of shape (m, q)
        The sum over the k nearest of the expected ranks beyond k in the other space, and the expected number of
        the k nearest that are so in the other space also.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.metrics.neighborhoods import _compared
    >>> near = np.array([[1.0, 1.0, 5.0]])  # two are equally near; they are the third and the first elsewhere
    >>> _compared(near, np.array([[3.0, 1.0, 2.0]]), np.array([1]))
    (array([[1.]]), array([[0.5]]))
    """
    excess, kept = np.empty((2, len(own), len(ks)))
    most, ordered = int(ks.max()) - 1, np.sort(other, axis=1)
    for i, row in enumerate(own):
        chosen = np.flatnonzero(row <= np.partition(row, most)[most] * (1 + _ROUNDING))
        values = row[chosen]
        shares = _within(ks, *_ranks(np.sort(values), values))
        low, high = _ranks(ordered[i], other[i, chosen])
        beyond_high, beyond_low = (np.maximum(rank[:, None] - ks, 0) for rank in (high, low))
        sums = (beyond_high * (beyond_high + 1) - beyond_low * (beyond_low + 1)) / 2
        excess[i] = (shares * sums / (high - low)[:, None]).sum(axis=0)
        kept[i] = (shares * _within(ks, low, high)).sum(axis=0)
    return excess, kept


def _ranks(ordered: Array, values: Array) -> tuple[Index, Index]:
    """Return how many of the sorted distances are smaller than each value, and how many are not larger."""
    return (
        np.searchsorted(ordered, values * (1 - _ROUNDING), side="left"),
        np.searchsorted(ordered, values * (1 + _ROUNDING), side="right"),
    )


def _within(ks: Index, low: Index, high: Index) -> Array:
    """Return the probability that a rank between low + 1 and high is at most k."""
    return np.clip((ks - low[:, None]) / (high - low)[:, None], 0.0, 1.0)
