"""Measures of how the nearest neighbors of points change in an embedding, for each point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_integer
from lpgraph._html import facts_html
from lpgraph.errors import ArgumentError
from lpgraph.metrics.comparison import Comparison, draw
from lpgraph.metrics.neighbor_ranks import nearest
from lpgraph.metrics.reading import Reading

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lpgraph.metrics.reading import Embedded
    from lpgraph.points.types import Array, Metric

__all__ = ["MEASURES", "NeighborMeasure", "measured", "most_neighbors", "standard_error"]

#: Names of the measures, in the order of the rows that `measured` returns.
MEASURES = ("trustworthiness", "continuity", "neighborhood preservation")


@dataclass(frozen=True, eq=False, repr=False)
class NeighborMeasure:
    """A measure of each point, between 0 (worst) and 1; `float` of it is the mean.

    Attributes
    ----------
    name : str
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
    >>> found = lp.metrics.trustworthiness(X, X[:, :2])
    >>> found
    NeighborMeasure(trustworthiness 0.973, 5 neighbors, 60 points)
    >>> found.values.shape
    (60,)
    """

    name: str
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
        return float(standard_error(self.values, self.n_points))

    def __float__(self) -> float:
        return self.mean

    def _facts(self) -> tuple[str, str]:
        sampled = len(self.points) < self.n_points
        mean = f"{self.mean:.3f}" + (f" ± {self.standard_error:.1g}" if sampled else "")
        kind = "new points" if self.held_out else "points"
        return mean, f"{len(self.points)} of {self.n_points} {kind}" if sampled else f"{self.n_points} {kind}"

    def __repr__(self) -> str:
        mean, points = self._facts()
        return f"NeighborMeasure({self.name} {mean}, {self.n_neighbors} neighbors, {points})"

    def _repr_html_(self) -> str:
        mean, points = self._facts()
        low, middle = np.quantile(self.values, [0.05, 0.5])
        facts = [("mean", mean), ("median", f"{middle:.3f}"), ("5 % quantile", f"{low:.3f}")]
        return facts_html(
            self.name.capitalize(), [*facts, ("neighbors", str(self.n_neighbors)), ("measured", points)]
        )

    @classmethod
    def of(
        cls,
        name: str,
        X: object,
        embedding: Embedded,
        n_neighbors: int,
        metric: Metric | None,
        new: object,
        new_embedding: ArrayLike | None,
        max_points: int,
        random_state: int | np.random.Generator | None,
    ) -> NeighborMeasure:
        """Measure points; `name` is one of `MEASURES`."""
        compared = Comparison.of(Reading.of(X, embedding, metric, new, new_embedding))
        k = check_integer(
            "n_neighbors",
            n_neighbors,
            low=1,
            high=most_neighbors(compared),
            why=f"but only {compared.n_others} other points",
        )
        index = draw("max_points", compared.n_points, max_points, random_state)
        values = measured(compared, index, np.array([k]), (name,))[0, :, 0]
        return cls(name, k, values, index, compared.n_points, compared.held_out)


def standard_error(values: Array, count: int) -> Array:
    """Return the standard error of the mean of values drawn without replacement from `count`, along axis 0."""
    m = len(values)
    if m == count:
        return np.zeros(values.shape[1:])
    return np.asarray(values.std(axis=0, ddof=1) * np.sqrt((1 - m / count) / m))


def most_neighbors(compared: Comparison) -> int:
    """Return half the number of other points, above which the smallest value of the measures would not be 0."""
    if compared.n_others < 2:
        raise ArgumentError(f"X has too few points: each has {compared.n_others} others; pass more points.")
    return compared.n_others // 2


def measured(
    compared: Comparison, index: NDArray[np.intp], ks: NDArray[np.intp], names: tuple[str, ...] = MEASURES
) -> Array:
    """Return measures of points for several numbers of neighbors.

    Parameters
    ----------
    compared : Comparison
        The distances.
    index : ndarray of shape (m,)
        The points.
    ks : ndarray of shape (q,)
        Numbers of neighbors.
    names : tuple of str
        Which of `MEASURES`.

    Returns
    -------
    ndarray of shape (len(names), m, q)
    """
    result = np.empty((len(names), len(index), len(ks)))
    # The largest sum of excess ranks of k neighbors, which are then the farthest points.
    worst = ks * (2 * compared.n_others + 1 - 3 * ks) / 2
    for part, data, shown in compared.blocks(index):
        sorted_data = np.sort(data, axis=1)
        sorted_shown = np.sort(shown, axis=1) if "continuity" in names else shown
        for i in range(len(data)):
            place = part.start + i
            if "continuity" in names:
                missed = nearest(data[i], shown[i], sorted_shown[i], ks)
                result[names.index("continuity"), place] = 1 - missed.excess(ks) / worst
            if names != ("continuity",):
                found = nearest(shown[i], data[i], sorted_data[i], ks)
                for name, value in (
                    ("trustworthiness", 1 - found.excess(ks) / worst),
                    ("neighborhood preservation", found.kept(ks) / ks),
                ):
                    if name in names:
                        result[names.index(name), place] = value
    return result
