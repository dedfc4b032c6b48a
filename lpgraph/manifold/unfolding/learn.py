"""Learning the kernel of an unfolding: by landmarks, or for all points at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._slices import slices
from lpgraph.errors import ArgumentError
from lpgraph.linalg.semidefinite import maximize_trace
from lpgraph.manifold.landmarks import choose_landmarks, landmark_map, orthonormal_range
from lpgraph.manifold.unfolding.low_rank import unfold_softly, unfold_within
from lpgraph.manifold.unfolding.problem import Problem
from lpgraph.manifold.unfolding.report import Bound, falls_apart
from lpgraph.points.find_neighbors import EXACT, find_neighbors
from lpgraph.points.geodesic import geodesic_distances
from lpgraph.points.neighborhood import Neighborhood
from lpgraph.points.reconstruction import affine_weights

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lpgraph.manifold.unfolding.rigid import RigidPairs

    Array = NDArray[np.float64]

__all__ = ["Distinct", "Learned", "unfold_all", "unfold_by_landmarks"]

#: Columns of the factor if all points are unfolded at once; the optimum rarely has a third of this rank.
_RANK = 10
#: Up to so many points, the map from landmarks is found for all at once: by factors whose memory grows faster than
#: the number of points.
_AT_ONCE = 100_000
#: Points, or pairs, that are processed at a time.
_ROWS = 50_000
#: Number of sources of geodesic distances for the initial factor.
_SOURCES = 500


@dataclass(frozen=True, eq=False)
class Distinct:
    """Distinct points, and the pairs whose distances are constrained.

    Attributes
    ----------
    hood : Neighborhood
        The distinct points.
    first : ndarray of int
        For each distinct point, its first copy among the points passed.
    origin : ndarray of shape (n,)
        For each point passed, the index of its distinct point.
    pairs : RigidPairs
        The constrained pairs of distinct points.
    """

    hood: Neighborhood
    first: NDArray[np.intp]
    origin: NDArray[np.intp]
    pairs: RigidPairs

    def squares(self, factor: Array) -> Array:
        """Return the squared distances of the pairs given a factor with a row for each point passed."""
        i, j = self.first[self.pairs.first], self.first[self.pairs.second]
        result = np.empty(len(i))
        for part in slices(len(i), _ROWS):
            result[part] = ((factor[i[part]] - factor[j[part]]) ** 2).sum(axis=1)
        return result


@dataclass(frozen=True, eq=False)
class Learned:
    """A learned kernel ``K = F F.T``.

    Attributes
    ----------
    factor : ndarray of shape (n, q)
        F; columns are the principal axes of K in decreasing order, scaled by the square roots of the eigenvalues.
    spectrum : ndarray of shape (q,)
        The eigenvalues of K that can be nonzero.
    bound : Bound or None
        Certified bounds of the largest trace.
    monitored : int
        The number of pairs that the solver checked.
    landmarks : ndarray of int, or None
        The landmarks among the points passed.
    interrupt : KeyboardInterrupt or None
        The interrupt that ended the computation early.
    """

    factor: Array
    spectrum: Array
    bound: Bound | None
    monitored: int
    landmarks: NDArray[np.intp] | None = None
    interrupt: KeyboardInterrupt | None = None


def unfold_by_landmarks(
    points: Distinct,
    landmarks: int | ArrayLike | None,
    *,
    least: int,
    n_reconstruction_neighbors: int,
    regularizer: float,
    tol: float,
    random_state: int | np.random.Generator | None,
) -> Learned:
    """Learn ``K = Q L Q.T``; see `lpgraph.manifold.SemidefiniteEmbedding`."""
    hood, first, pairs = points.hood, points.first, points.pairs
    chosen = choose_landmarks(landmarks, points.origin, hood.n_points, least, random_state)
    Q = _map(hood, chosen, n_reconstruction_neighbors, regularizer, first)
    basis = orthonormal_range(Q[points.origin])
    constraints = np.empty((len(pairs.distance), basis.shape[1]))
    for part in slices(len(constraints), _ROWS):  # no second array of that size
        ends = first[pairs.first[part]], first[pairs.second[part]]
        constraints[part] = (basis[ends[0]] - basis[ends[1]]) / pairs.distance[part, None]
    touching = np.flatnonzero(np.isin(pairs.first, chosen) | np.isin(pairs.second, chosen))
    interrupt = None
    try:
        found = maximize_trace(constraints, tol=tol, first=touching, random_state=random_state)
    except KeyboardInterrupt as caught:
        if not hasattr(caught, "result"):
            raise
        found, interrupt = caught.result, caught
    except ArgumentError:
        raise falls_apart(pairs, first) from None
    values, vectors = np.linalg.eigh(found.Z)
    spectrum = np.maximum(values[::-1], 0.0)
    factor = basis @ (vectors[:, ::-1] * np.sqrt(spectrum))
    bound = Bound(found.lower, found.upper)
    return Learned(factor, spectrum, bound, found.n_monitored, first[chosen], interrupt)


def _map(
    hood: Neighborhood, landmarks: NDArray[np.intp], k: int, regularizer: float, names: NDArray[np.intp]
) -> Array:
    """Return the (n, m) map from landmarks to points, found for a part of many points, which the others follow."""
    n = hood.n_points
    if n <= _AT_ONCE:
        weights = affine_weights(hood.points, hood.points, hood.nearest_training(k)[0], regularizer)
        return landmark_map(weights, landmarks, names)
    drawn = np.random.default_rng(0).choice(n, max(_AT_ONCE - len(landmarks), 0), replace=False)
    part = np.union1d(landmarks, drawn)
    inner = Neighborhood(*find_neighbors(hood.points[part], "euclidean", k, None, EXACT))
    of_part = _map(inner, np.searchsorted(part, landmarks), k, regularizer, names[part])
    Q = np.empty((n, of_part.shape[1]))
    Q[part] = of_part
    for rows in slices(n, _ROWS):
        others = np.setdiff1d(np.arange(rows.start, rows.stop), part)
        new = hood.points[others]
        Q[others] = affine_weights(inner.points, new, inner.nearest(new, k)[0], regularizer) @ of_part
    return Q


def unfold_all(points: Distinct, *, soft: bool, n_components: int, tol: float) -> Learned:
    """Learn K for all points at once; see `lpgraph.manifold.SemidefiniteEmbedding`."""
    pairs = points.pairs
    if pairs.components()[0] > 1:
        raise falls_apart(pairs, points.first)
    mass = np.bincount(points.origin).astype(float)
    problem = Problem(pairs.first, pairs.second, pairs.distance, mass)
    start = _start(points, min(max(_RANK, n_components + 3), points.hood.n_points - 1))
    interrupt = None
    try:
        found = unfold_softly(problem, start, rms=tol) if soft else unfold_within(problem, start, gap=tol)
    except KeyboardInterrupt as caught:
        if not hasattr(caught, "result"):
            raise
        found, interrupt = caught.result, caught
    values, vectors = np.linalg.eigh(found.Y.T @ (mass[:, None] * found.Y))
    spectrum = np.maximum(values[::-1], 0.0)
    factor = (found.Y @ vectors[:, ::-1])[points.origin]
    bound = None if soft else Bound(found.lower, found.upper)
    return Learned(factor, spectrum, bound, len(pairs.distance), None, interrupt)


def _start(points: Distinct, rank: int) -> Array:
    """Return the initial factor, by landmark Isomap on the graph of the pairs."""
    n = points.hood.n_points
    sources = np.linspace(0, n - 1, min(n, _SOURCES)).astype(np.intp)
    squares = geodesic_distances(points.pairs.graph(), sources) ** 2
    means = squares[:, sources].mean(axis=0)
    centred = -0.5 * (squares[:, sources] - means - means[:, None] + means.mean())
    values, vectors = np.linalg.eigh(centred)
    values, vectors = values[::-1][:rank], vectors[:, ::-1][:, :rank]
    keep = values > 1e-6 * values[0]
    start = np.zeros((n, rank))
    start[:, : keep.sum()] = -0.5 * (squares.T - means) @ (vectors[:, keep] / np.sqrt(values[keep]))
    return start
