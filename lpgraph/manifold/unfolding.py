"""Unfolding of points: constrained pairs, and the kernel of largest trace, by landmarks or for all points.

Weinberger, Packer & Saul (2005): with landmarks all points are linear combinations of a few of them.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from lpgraph._utils.compiled import slices
from lpgraph._utils.progress import warn
from lpgraph._utils.types import Array, Integers
from lpgraph.errors import GraphError
from lpgraph.linalg.semidefinite import maximize_trace
from lpgraph.points.geodesic import geodesic_distances
from lpgraph.points.metric import SLACK, pair_distances
from lpgraph.points.neighborhood import Neighborhood, find_neighbors
from lpgraph.points.rows import Points, dense
from lpgraph.points.weights import affine_weights
from lpgraph.spectral.construction import KernelRows, ProductRows
from lpgraph.spectral.extension import extend_bottom
from lpgraph.spectral.operators import Gram, Operator

from .kernels import Centring
from .low_rank import Bound, Problem, RigidPairs, unfold_softly, unfold_within

#: Distances below this fraction of the median are replaced by it. Shorter ones are lost in rounding, and their
#: multipliers would be larger by the square of the ratio.
_SHORTEST = 1e-6
#: If the median ratio of new to old distances is below this, the points did not unfold.
_SATURATED = 0.8
#: Columns of the factor if all points are unfolded at once; the optimum rarely has a third of this rank.
_RANK = 10
#: Number of sources of geodesic distances for the initial factor.
_SOURCES = 500
#: Up to so many points, the map from landmarks is found for all at once: by factors whose memory grows faster than
#: the number of points.
_AT_ONCE = 100_000
#: Points, or pairs, that are processed at a time.
_ROWS = 50_000


@dataclass(frozen=True)
class Constraints:
    """Changes of the distances of the constrained pairs.

    Attributes
    ----------
    count : int
        The number of pairs.
    monitored : int
        The number of pairs that the solver checked.
    violation : float
        The largest relative growth of a squared distance; 0 if none grew.
    rms : float
        Root mean square of the relative changes of squared distances.
    median_ratio : float
        Median ratio of new to old distances.
    """

    count: int
    monitored: int
    violation: float
    rms: float
    median_ratio: float

    @classmethod
    def of(cls, pairs: RigidPairs, factor: Array, monitored: int) -> Constraints:
        """Compare the squared distances given a factor of the kernel; warn if most distances shrank."""
        steps = pairs.steps(factor)
        used = np.einsum("ij,ij->i", steps, steps)
        ratio = float(np.median(np.sqrt(used)))
        if ratio < _SATURATED:
            what = f"Half of the distances between neighbors shrank to less than {ratio:.2f} of their length"
            warn(f"{what}; pass more landmarks, or reduce the noise of X by principal components.")
        violation = max(float(used.max()) - 1, 0.0)
        return cls(len(used), monitored, violation, float(np.sqrt(np.mean((used - 1) ** 2))), ratio)


def distance_graph(pairs: RigidPairs) -> sparse.csr_array:
    """Return the (n, n) graph of the pairs, with distances as entries."""
    ends = np.append(pairs.first, pairs.second), np.append(pairs.second, pairs.first)
    return sparse.csr_array((np.tile(pairs.distance, 2), ends), shape=(pairs.n, pairs.n))


def with_copies(pairs: RigidPairs, first: Integers, origin: Integers) -> sparse.csr_array:
    """Return the graph of the points that were passed; copies are joined to the first by edges of length 0."""
    copies = np.flatnonzero(first[origin] != np.arange(len(origin)))
    one, other = np.append(first[pairs.first], first[origin[copies]]), np.append(first[pairs.second], copies)
    distance = np.append(pairs.distance, np.zeros(len(copies)))
    return distance_graph(RigidPairs(one, other, distance, len(origin)))


def rigid_pairs(neighborhood: Neighborhood, bridges: Integers | None = None) -> RigidPairs:
    """Return the pairs that are neighbors, or are both neighbors of a third point.

    j is a neighbor of i if it is among the k nearest of i, ties included, or if a bridge joins them. Two neighbors
    of a point form a pair because the three distances of a triangle determine its angles, so that neighborhoods
    stay rigid.

    Parameters
    ----------
    neighborhood : Neighborhood
        A neighborhood of points with a Euclidean metric.
    bridges : ndarray of shape (b, 2), optional
        Pairs of points that were joined to make the graph connected.

    Returns
    -------
    RigidPairs

    References
    ----------
    Weinberger, K., Packer, B. & Saul, L. (2005), "Nonlinear dimensionality reduction by semidefinite
    programming and kernel matrix factorization", AISTATS 10, Section 2.

    Examples
    --------
    A closed curve with two neighbors on each side: pairs up to four steps apart.

    >>> import numpy as np
    >>> from lpgraph.points.neighborhood import Neighborhood
    >>> from lpgraph.manifold.unfolding import rigid_pairs
    >>> angle = 2 * np.pi * np.arange(30) / 30
    >>> pairs = rigid_pairs(Neighborhood.of(np.column_stack([np.cos(angle), np.sin(angle)]), n_neighbors=4))
    >>> len(pairs.distance)
    120
    """
    graph, points, n = neighborhood.distances, dense(neighborhood.points), neighborhood.n_points
    rows = np.repeat(np.arange(n), np.diff(graph.indptr))
    own = graph.data <= neighborhood.radii[rows] * (1 + SLACK)
    one, other = np.empty((2, 0), dtype=np.intp) if bridges is None else bridges.T
    i, j = np.concatenate([rows[own], one, other]), np.concatenate([graph.indices[own], other, one])
    near: sparse.csr_array = sparse.csr_array((np.ones(len(i)), (i, j)), shape=(n, n))
    joined = sparse.triu(near + near.T + near.T @ near, 1).tocoo()
    first, second = (index.astype(np.intp) for index in joined.coords)
    distance = pair_distances(points, first, points, second, 2.0)
    least = _SHORTEST * float(np.median(distance))
    return RigidPairs(first, second, np.maximum(distance, least), n)


def _whole_map(weights: sparse.csr_array, landmarks: Integers) -> Array:
    """Return the (n, m) matrix Q that places all points by the landmarks; its rows sum to 1.

    The other positions minimise ``sum_i |y_i - sum_j W_ij y_j|^2``:
    ``Q = [I; -inv(Phi_uu) Phi_ul]`` with ``Phi = (I - W).T (I - W)``.

    Parameters
    ----------
    weights : csr_array of shape (n, n)
        W, reconstruction weights: rows sum to 1.
    landmarks : ndarray of shape (m,)
        Their indices.

    References
    ----------
    Weinberger, Packer & Saul (2005), Eq. (11), where the minus sign is missing. Williams (2006), Eq. (9).
    """
    residual = sparse.csr_array(sparse.eye_array(weights.shape[0]) - weights)
    phi = sparse.csr_array(residual.T @ residual)
    error = np.inf
    with suppress(GraphError):  # not all points are tied to landmarks
        Q = extend_bottom((phi + phi.T) / 2, landmarks, np.eye(len(landmarks)))
        # They are 1 in exact arithmetic. Phi squares the condition number of I - W; this measures the loss.
        sums = Q.sum(axis=1)
        error = float(np.abs(sums - 1).max())
    if not error <= 1e-3:
        what = f"{len(landmarks)} landmarks determine all points only to a relative error of {error:.1g}"
        raise GraphError(f"{what}; pass more landmarks, or a larger n_reconstruction_neighbors or regularizer.")
    return np.asarray(Q / sums[:, None])


def orthonormal_range(Q: Array) -> Array:
    """Return an orthonormal basis U, (n, m - 1), of the centred range of Q: ``U.T U = I`` and ``U.T 1 = 0``.

    Then ``K = U Z U.T`` is centred for every Z, and ``trace K = trace Z``. With ``K = Q L Q.T`` no L would be
    strictly feasible, because centring forces L to be singular.
    """
    centred = Q - Q.mean(axis=0)
    values, vectors = linalg.eigh(centred.T @ centred)
    # Rows of Q sum to 1, so that centring removes exactly one direction, the constant one.
    keep = values > 1e-12 * values[-1]
    keep[0] = False
    U = centred @ (vectors[:, keep] / np.sqrt(values[keep]))
    # Directions with small singular values are orthogonal to few digits only, which these steps repair.
    for _ in range(2):
        U -= U.mean(axis=0)
        U = U @ linalg.inv(linalg.cholesky(U.T @ U)) if U.shape[1] else U
    return np.asarray(U)


@dataclass(frozen=True, eq=False)
class Unfolding(KernelRows):
    """``K = F F.T``, and ``K(x, x_i) = sum_j w(x, x_j) K_ji`` with reconstruction weights w.

    A training point has weight 1 on itself, so that training rows are exact. Nystrom's formula then gives
    barycentric coordinates, ``y(x) = sum_j w(x, x_j) y_j``.

    Attributes
    ----------
    factor : ndarray of shape (n, q)
        F, with one row for every point that was passed, duplicates included.
    hood : Neighborhood
        The distinct points.
    first : ndarray of int
        For each distinct point, its first copy among the points passed.
    pairs : csr_array of shape (n, n)
        Distances of the constrained pairs; copies of a point are joined to the first by edges of length 0.
    n_reconstruction_neighbors, regularizer
        The parameters for new points, see `reconstruction_weights`.
    """

    factor: Array
    hood: Neighborhood
    first: Integers
    pairs: sparse.csr_array
    n_reconstruction_neighbors: int
    regularizer: float

    @property
    def operator(self) -> Operator:
        """The kernel matrix, given by its factor."""
        return Gram(self.factor)

    @property
    def graph(self) -> sparse.csr_array:
        """Distances of the constrained pairs."""
        return self.pairs

    def __call__(self, new: Points, side: str = "out") -> ProductRows:
        """Return the kernel rows of new points."""
        k = self.n_reconstruction_neighbors
        indices, distances = self.hood.nearest(new, k)
        weights = affine_weights(self.hood.points, new, indices, self.regularizer)
        # A copy of a training point has weight 1 on it. Each row has exactly k entries, stored contiguously.
        same = distances[:, 0] == 0
        weights.data.reshape(-1, k)[same] = (weights.indices.reshape(-1, k) == indices[:, :1])[same]
        return ProductRows(weights @ self.factor[self.first], self.factor)


def unfold_landmarks(
    Q: Array,
    origin: Integers,
    pairs: RigidPairs,
    landmarks: Integers,
    tol: float,
    seed: int | np.random.Generator,
) -> tuple[Array, Bound | None, int]:
    """Learn ``K = Q L Q.T``; return its factor, certified bounds of the trace, and the number of monitored pairs.

    Parameters
    ----------
    Q : ndarray of shape (n, m)
        The map from landmarks to distinct points, see `landmark_map`.
    origin : ndarray of shape (g,)
        For each point that was passed, the index of its distinct point.
    pairs : RigidPairs
        The constrained pairs of distinct points.
    landmarks : ndarray of shape (m,)
        The landmarks among distinct points, whose pairs are monitored from the start.
    tol : float
        Relative gap of the trace.
    seed : int, Generator or None
        Seed of the first monitored constraints.

    Returns
    -------
    factor : ndarray of shape (n, q)
        Its columns are the principal axes of K in decreasing order, scaled by the roots of the eigenvalues.
    bound : Bound
    monitored : int
    """
    # K is centred over the points that were passed, and the factor has a row for each distinct point.
    first = np.unique(origin, return_index=True)[1]
    basis = orthonormal_range(Q[origin])[first]
    touching = np.flatnonzero(np.isin(pairs.first, landmarks) | np.isin(pairs.second, landmarks))
    found = maximize_trace(pairs.steps(basis), tol=tol, first=touching, random_state=seed)
    values, vectors = np.linalg.eigh(found.Z)
    factor = basis @ (vectors[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0.0)))
    return factor, Bound(found.lower, found.upper), found.n_monitored


def landmark_map(hood: Neighborhood, landmarks: Integers, k: int, regularizer: float) -> Array:
    """Return the (n, m) map from landmarks to points, found for a part of many points, which the others follow."""
    n = hood.n_points
    if n <= _AT_ONCE:
        weights = affine_weights(hood.points, hood.points, hood.nearest_training(k)[0], regularizer)
        return _whole_map(weights, landmarks)
    drawn = np.random.default_rng(0).choice(n, max(_AT_ONCE - len(landmarks), 0), replace=False)
    part = np.union1d(landmarks, drawn)
    inner = find_neighbors(hood.points[part], "euclidean", k, None)
    of_part = landmark_map(inner, np.searchsorted(part, landmarks), k, regularizer)
    Q = np.empty((n, of_part.shape[1]))
    Q[part] = of_part
    for rows in slices(n, _ROWS):
        others = np.setdiff1d(np.arange(rows.start, rows.stop), part)
        new = hood.points[others]
        Q[others] = affine_weights(inner.points, new, inner.nearest(new, k)[0], regularizer) @ of_part
    return Q


def unfold_all(
    pairs: RigidPairs, mass: Array, rank: int, tol: float, *, soft: bool
) -> tuple[Array, Bound | None, int]:
    """Learn K for all points at once; see `unfold_landmarks`. `mass` is the multiplicity of distinct points."""
    problem = Problem(pairs, mass)
    start = _start(pairs, min(max(_RANK, rank), pairs.n - 1))
    found = unfold_softly(problem, start, rms=tol) if soft else unfold_within(problem, start, gap=tol)
    vectors = np.linalg.eigh(found.Y.T @ (mass[:, None] * found.Y))[1]
    return found.Y @ vectors[:, ::-1], None if soft else found.bound, len(pairs.distance)


def _start(pairs: RigidPairs, rank: int) -> Array:
    """Return the initial factor, by landmark Isomap on the graph of the pairs."""
    n = pairs.n
    sources = np.linspace(0, n - 1, min(n, _SOURCES)).astype(np.intp)
    squares = geodesic_distances(distance_graph(pairs), sources).T ** 2
    centring = Centring.of(-0.5 * squares[sources])
    values, vectors = np.linalg.eigh(centring.rows(-0.5 * squares[sources]))
    values, vectors = values[::-1][:rank], vectors[:, ::-1][:, :rank]
    keep = values > 1e-6 * values[0]
    start = np.zeros((n, rank))
    start[:, : keep.sum()] = centring.rows(-0.5 * squares) @ (vectors[:, keep] / np.sqrt(values[keep]))
    return start
