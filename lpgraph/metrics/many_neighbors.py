"""Trustworthiness, continuity and preservation of neighborhoods for many numbers of neighbors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_finite_array
from lpgraph._html import columns_html
from lpgraph.errors import ArgumentError
from lpgraph.metrics.comparison import Comparison, draw
from lpgraph.metrics.neighbor_measure import measured, most_neighbors, standard_error
from lpgraph.metrics.reading import Reading

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lpgraph.metrics.reading import Embedded
    from lpgraph.points.types import Metric

__all__ = ["NeighborCurves", "neighbor_curves"]

#: The default numbers of neighbors: how many, and the largest.
_COUNT, _LARGEST = 12, 200


@dataclass(frozen=True, eq=False, repr=False)
class NeighborCurves:
    """Measures of neighborhoods by the number of neighbors; `lpgraph.plot.neighbor_curves` plots them.

    Attributes
    ----------
    n_neighbors : ndarray of shape (q,)
        Numbers k of neighbors, increasing.
    trustworthiness, continuity, preservation : ndarray of shape (q,)
        Means over points of `trustworthiness`, `continuity` and `neighborhood_preservation`.
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

    def _points(self) -> str:
        kind = "new points" if self.held_out else "points"
        sampled = self.n_measured < self.n_points
        return f"{self.n_measured} of {self.n_points} {kind}" if sampled else f"{self.n_points} {kind}"

    def __repr__(self) -> str:
        ends = f"{self.n_neighbors[0]} to {self.n_neighbors[-1]} neighbors"
        return f"NeighborCurves({self._points()}; {ends}, {self.area:.3g} of them kept above chance)"

    def _repr_html_(self) -> str:
        columns = self.trustworthiness, self.continuity, self.preservation, self.above_chance
        rows = [
            (str(k), *(f"{value:.3f}" for value in row))
            for k, *row in zip(self.n_neighbors, *columns, strict=True)
        ]
        head = "neighbors", "trustworthiness", "continuity", "preservation", "above chance"
        return columns_html(f"Neighborhoods of {self._points()}", head, rows)


def neighbor_curves(
    X: object,
    embedding: Embedded,
    n_neighbors: ArrayLike | None = None,
    *,
    metric: Metric | None = None,
    new: object = None,
    new_embedding: ArrayLike | None = None,
    max_points: int = 2000,
    random_state: int | np.random.Generator | None = None,
) -> NeighborCurves:
    """Return measures of neighborhoods for several numbers of neighbors, which share all distances and ranks.

    Parameters
    ----------
    X : array-like or sparse array of shape (n, p), or (n, n)
        Training points or, with ``"precomputed"``, their distances.
    embedding : array-like of shape (n, d) or fitted estimator
        Their positions, or an embedding fitted to X, as for `trustworthiness`.
    n_neighbors : array-like of int, optional
        Increasing numbers of neighbors, at most half of the other points. Default: at most twelve numbers from 1
        to 200, evenly spaced on a logarithmic scale.
    metric : str or callable, optional
        As for `trustworthiness`.
    new, new_embedding : array-like of shape (m, p), or (m, n), and (m, d), optional
        New points and their positions, as for `trustworthiness`.
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
    Venna, J. & Kaski, S. (2001), "Neighborhood preservation in nonlinear projection methods: an experimental
    study", ICANN 2001. Lee, J. A. & Verleysen, M. (2009), "Quality assessment of dimensionality reduction:
    rank-based criteria", Neurocomputing 72, Q_NX; Lee, J. A. et al. (2013), Neurocomputing 112, R_NX and its area.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> found = lp.metrics.neighbor_curves(X, X[:, [0, 2]], [5, 20])
    >>> found.preservation.round(2), found.above_chance.round(2)
    (array([0.55, 0.8 ]), array([0.53, 0.77]))
    """
    compared = Comparison.of(Reading.of(X, embedding, metric, new, new_embedding))
    ks = _numbers(n_neighbors, most_neighbors(compared))
    index = draw("max_points", compared.n_points, max_points, random_state)
    values = measured(compared, index, ks)
    errors = np.stack([standard_error(rows, compared.n_points) for rows in values])
    trust, continuity, kept = values.mean(axis=1)
    return NeighborCurves(
        n_neighbors=ks,
        trustworthiness=trust,
        continuity=continuity,
        preservation=kept,
        standard_errors=errors,
        n_measured=len(index),
        n_points=compared.n_points,
        n_others=compared.n_others,
        held_out=compared.held_out,
    )


def _numbers(given: ArrayLike | None, most: int) -> NDArray[np.intp]:
    if given is None:
        return np.unique(np.geomspace(1, min(_LARGEST, most), _COUNT).round().astype(np.intp))
    asked = np.atleast_1d(check_finite_array("n_neighbors", given))
    increasing = asked.ndim == 1 and asked.size > 0 and (np.diff(asked) > 0).all()
    if not increasing or np.asarray(given).dtype.kind not in "iu" or asked[0] < 1 or asked[-1] > most:
        raise ArgumentError(f"n_neighbors={given!r}; pass increasing integers from 1 to {most}.")
    return asked.astype(np.intp)
