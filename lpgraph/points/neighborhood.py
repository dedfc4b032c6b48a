"""Neighborhoods of training points and of new points, and the neighbor graph."""

from __future__ import annotations

import logging
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import check_choice, check_generator, check_integer, check_real
from lpgraph._utils.progress import tell
from lpgraph.errors import ArgumentError

from .checks import check_given, is_precomputed, kind_of
from .metric import SLACK, Metric, coordinates_of, geometry
from .rows import Points, dense, distinct, is_sparse, some_points
from .search import (
    Cells,
    Pairs,
    Search,
    divide,
    kth_smallest,
    make_search,
    nearest,
    nearest_first,
    to_csr,
)

if TYPE_CHECKING:
    from lpgraph._utils.types import Array, Integers

_log = logging.getLogger("lpgraph.points")

#: For fewer points, or up to so many coordinates, the exact search is faster than the division into cells.
_MANY, _LOW = 5000, 3
#: A graph of k neighbors may have this many times n k entries, or `_SMALL` entries in total.
_MOST_TIES, _SMALL = 50, 1_000_000
#: Entries that a graph by radius may have, and points whose neighbors are counted to estimate their number.
_MOST, _LOOK = 50_000_000, 64


class SearchBy(NamedTuple):
    """How neighbors are searched: parameters of `lpgraph.points.neighborhood.Neighborhood.of`."""

    neighbors: str | int = "exact"
    random_state: int | np.random.Generator | None = None

    def cells(self, points: Points, metric: Metric, k: int | None) -> Cells | None:
        """Return the cells that an approximate search looks through, or None for an exact search."""
        if isinstance(self.neighbors, str):
            approximate = check_choice("neighbors", self.neighbors, ("exact", "approximate")) == "approximate"
        else:
            approximate = points.shape[0] > check_integer("neighbors", self.neighbors, low=0)
        if not approximate:
            return None
        if k is None or is_sparse(points) or is_precomputed(metric) or geometry(points, metric).norm != 2.0:
            what = f"neighbors={self.neighbors!r} with n_neighbors={k} and metric={metric!r}"
            raise ArgumentError(f"{what}; pass n_neighbors, dense X and a Euclidean metric, or neighbors='exact'.")
        if points.shape[0] < _MANY or points.shape[1] <= _LOW:
            return None
        rng = check_generator(0 if self.random_state is None else self.random_state)
        return divide(dense(coordinates_of(points, geometry(points, metric))), k, rng)


#: The search among all points.
EXACT = SearchBy()


@dataclass(frozen=True, eq=False)
class Neighborhood:
    """Points and their neighbors: i and j are neighbors if ``d(i, j) <= max(r_i, r_j)``.

    The radius r_i is the distance of point i to its k-th nearest other point, or a given radius. The relation is
    symmetric ("a among b's k nearest or vice versa", Bengio et al. (2004)) and includes all ties, so it does not
    depend on the order of the points. The same rule, ``d(x, x_i) <= max(r(x), r_i)``, holds for a new point x; if
    x coincides with training points, one of them is regarded as x itself in r(x). A training point passed as new
    therefore has the neighbors it had in training, and itself at distance 0.

    Create one with `Neighborhood.of`.

    Attributes
    ----------
    points : ndarray or csr_array of shape (n, p)
        The training points, or their (n, n) distances if the metric is ``"precomputed"`` (a csr_array contains
        some).
    metric : str or callable
        The metric.
    n_neighbors : int or None
        The number k; None if the radius is given.
    radius : float or None
        The common radius; None if k is given.
    radii : ndarray of shape (n,)
        The radius of every point.
    distances : csr_array of shape (n, n)
        Distances of neighbors; symmetric, without the diagonal. Zeros are stored: they are edges between equal
        points.
    cells : Cells, optional
        The cells that an approximate search looks through.

    References
    ----------
    Y. Bengio et al. "Out-of-sample extensions for LLE, Isomap, MDS, Eigenmaps, and spectral clustering."
    NIPS 16, 2004.

    Examples
    --------
    >>> from lpgraph.points.neighborhood import Neighborhood
    >>> hood = Neighborhood.of([[0.0], [1.0], [2.5], [6.0]], n_neighbors=1)
    >>> hood.radii
    array([1. , 1. , 1.5, 3.5])
    >>> hood.distances.toarray()
    array([[0. , 1. , 0. , 0. ],
           [1. , 0. , 1.5, 0. ],
           [0. , 1.5, 0. , 3.5],
           [0. , 0. , 3.5, 0. ]])
    >>> hood.rows([[5.0]]).toarray()  # the nearest is 6; 5.0 is not within the radius of 2.5
    array([[0., 0., 0., 1.]])
    """

    points: Points
    metric: Metric
    n_neighbors: int | None
    radius: float | None
    radii: Array
    distances: sparse.csr_array
    cells: Cells | None = None

    def index_bounds(self) -> list[tuple[int, int]]:
        """Return the index that searches rely on, and what it must be below; raise if parts do not fit.

        This is for models in files.
        """
        n, cells = self.points.shape[0], self.radii if self.cells is None else self.cells.cell
        if {len(self.radii), *self.distances.shape, len(cells)} != {n}:
            raise ValueError("a Neighborhood has parts of several numbers of points")
        return [(self.n_neighbors or 0, n)]

    @classmethod
    def of(
        cls,
        X: object,
        *,
        n_neighbors: int | None = None,
        radius: float | None = None,
        metric: Metric = "euclidean",
        neighbors: str | int = "exact",
        random_state: int | np.random.Generator | None = None,
    ) -> Neighborhood:
        """Find the neighbors of every point.

        Parameters
        ----------
        X : array_like or sparse array of shape (n, p)
            The points, or their (n, n) distances with ``metric="precomputed"``. In a sparse array of distances,
            as of `sklearn.neighbors.KNeighborsTransformer`, every stored entry counts, including 0; pairs that
            are not stored are not neighbors.
        n_neighbors : int, optional
            Points are neighbors if one is among the `n_neighbors` nearest others of the other, ties included.
        radius : float, optional
            Points are neighbors if their distance is at most this; infinity for all. Pass exactly one of
            `n_neighbors` and `radius`.
        metric : str or callable, default "euclidean"
            A metric's name in scikit-learn, a function of two points, or ``"precomputed"``.
        neighbors : {"exact", "approximate"} or int, default "exact"
            Whether neighbors are searched among all points, or approximately, with `n_neighbors`, dense points and
            a Euclidean metric; a number means approximately if there are more points. The points are divided into
            cells, and the neighbors of a point are its nearest in the cells nearest to its own: so many that 99 %
            of a sample's neighbors are found (see `recall`). Fewer than 5000 points, points with up to three
            coordinates, and points for which an exact search is faster are searched exactly.
        random_state : int, Generator or None
            Seed of the cells; None means a fixed seed. Neighbors do not depend on the number of threads.

        Returns
        -------
        Neighborhood

        Raises
        ------
        ArgumentError, ArgumentTypeError
            If X is not a finite array of points or distances; if there are too few points; if the metric is
            unknown, undefined for a point or not symmetric; if duplicates and ties would give more than 50 n k
            edges (and more than a million), or the radius more than 50 million.

        Examples
        --------
        >>> from lpgraph.points.neighborhood import Neighborhood
        >>> Neighborhood.of([[0, 0], [0, 0], [3, 4]], n_neighbors=1).distances.nnz  # ties are all kept
        6
        """
        points = check_given("X", X, kind_of(metric))
        return find_neighbors(points, metric, n_neighbors, radius, SearchBy(neighbors, random_state))

    def among(self, kept: Integers) -> Neighborhood:
        """Return the neighborhood of some points that have all their neighbors among them, as components do."""
        return replace(
            self,
            points=self.points[kept][:, kept] if is_precomputed(self.metric) else some_points(self.points, kept),
            radii=self.radii[kept],
            distances=self.distances[kept][:, kept],
            cells=None if self.cells is None else replace(self.cells, cell=self.cells.cell[kept]),
        )

    @property
    def recall(self) -> float:
        """The share of nearest neighbors that were found, estimated from a sample; 1 for an exact search."""
        return 1.0 if self.cells is None else self.cells.recall

    @property
    def n_points(self) -> int:
        """The number of training points."""
        return int(self.points.shape[0])

    def rows(self, new: object) -> sparse.csr_array:
        """Return the distances of new points to their neighbors among the training points.

        Parameters
        ----------
        new : array_like or sparse array of shape (m, p)
            New points, or their (m, n) distances to the training points if the metric is ``"precomputed"``, sparse
            if those of the training points were.

        Returns
        -------
        csr_array of shape (m, n)
            Distances by the same rule as in `distances`. Zeros are stored; an equal training point is a neighbor.

        Examples
        --------
        >>> from lpgraph.points.neighborhood import Neighborhood
        >>> hood = Neighborhood.of([[0.0], [1.0], [2.5], [6.0]], n_neighbors=1)
        >>> hood.rows([[1.0]]).indices  # a training point's own row, and itself
        array([0, 1, 2], dtype=int32)
        """
        points = self._check_new(new)
        m, n = points.shape[0], self.n_points
        pairs = self._search.near(points, 0 if self.n_neighbors is None else self.n_neighbors + 1, self.radii)
        zero = pairs.where(pairs.distance == 0)
        home = np.full(m, -1)  # the first training point at distance 0
        same, first = np.unique(zero.row, return_index=True)
        home[same] = zero.column[first]
        # Lists and cells may lack points that have a training point as a neighbor: it keeps its row.
        old = (home >= 0) & (self.cells is not None or (is_precomputed(self.metric) and is_sparse(points)))
        own = np.full(m, self.radius)
        if self.n_neighbors is not None:
            own = kth_smallest(pairs, np.where(old, 0, self.n_neighbors + (home >= 0)))
        limit = np.maximum(own[pairs.row], self.radii[pairs.column]) * (1 + SLACK)
        pairs = pairs.where((pairs.distance <= limit) & ~old[pairs.row])
        if old.any():
            trained = self.distances[home[old]].tocoo()
            row = np.concatenate([pairs.row, same, same[trained.coords[0]]])
            column = np.concatenate([pairs.column, home[old], trained.coords[1]])
            distance = np.concatenate([pairs.distance, np.zeros(len(same)), trained.data])
            order = np.lexsort((column, row))
            pairs = Pairs(row[order], column[order], distance[order])
        return to_csr(pairs, (m, n))

    def nearest(self, new: object, k: int) -> tuple[Integers, Array]:
        """Return the k nearest training points of new points, whether or not they are neighbors.

        Parameters
        ----------
        new : array_like of shape (m, p)
            As for `rows`.
        k : int
            The number of points.

        Returns
        -------
        indices : ndarray of shape (m, k)
            Sorted by distance, and by index where distances are equal.
        distances : ndarray of shape (m, k)

        Examples
        --------
        >>> from lpgraph.points.neighborhood import Neighborhood
        >>> hood = Neighborhood.of([[0.0], [1.0], [2.5], [6.0]], n_neighbors=1)
        >>> hood.nearest([[1.0]], 2)
        (array([[1, 0]]), array([[0., 1.]]))
        """
        k = check_integer("k", k, low=1, high=self.n_points, why=f"but only {self.n_points} points")
        return nearest(self._search, self._check_new(new), k)

    def nearest_training(self, k: int) -> tuple[Integers, Array]:
        """Return the k nearest other points of every training point, as `nearest` does.

        Parameters
        ----------
        k : int
            The number of points; a point itself is excluded by its index, equal points are not.

        Returns
        -------
        indices, distances : ndarray of shape (n, k)

        Examples
        --------
        >>> from lpgraph.points.neighborhood import Neighborhood
        >>> Neighborhood.of([[0.0], [0.0], [2.5]], n_neighbors=1).nearest_training(1)[0].ravel()
        array([1, 0, 0])
        """
        k = check_integer("k", k, low=1, high=self.n_points - 1, why=f"but only {self.n_points} points")
        if self.n_neighbors is None or k > self.n_neighbors:
            return nearest(self._search, self.points, k, np.arange(self.n_points))
        found = self.distances  # they include the k nearest
        row = np.repeat(np.arange(self.n_points), np.diff(found.indptr))
        return nearest_first(Pairs(row, found.indices.astype(np.intp), found.data), self.n_points, k)

    def _check_new(self, new: object) -> Points:
        known = self.points
        return check_given("new", new, kind_of(self.metric), known.shape[1], as_sparse=is_sparse(known))

    @cached_property
    def _search(self) -> Search:
        return make_search(self.points, self.metric, self.cells)

    def __getstate__(self) -> dict[str, object]:
        # The search is built again when needed, with the same result.
        return {field.name: getattr(self, field.name) for field in fields(self)}


def find_neighbors(
    points: Points, metric: Metric, n_neighbors: int | None, radius: float | None, by: SearchBy = EXACT
) -> Neighborhood:
    """Return the neighborhood of checked points; see `lpgraph.points.neighborhood.Neighborhood.of`."""
    n, pairwise = points.shape[0], is_precomputed(metric)
    if (n_neighbors is None) == (radius is None):
        raise ArgumentError(f"n_neighbors={n_neighbors} and radius={radius}; pass exactly one of them.")
    if n < (1 if n_neighbors is None else 2):
        raise ArgumentError(f"X has {n} points, and n_neighbors={n_neighbors}; pass more points.")
    if n_neighbors is not None:
        check_integer("n_neighbors", n_neighbors, low=1, high=n - 1, why=f"but only {n} points")
        if not pairwise:  # duplicates alone may make the graph too large
            times = np.bincount(distinct(points)[1])
            _check_entries(n, n_neighbors, int((times * (times - 1)).sum()))
    tell(_log, "nearest neighbors of %d points", n)
    cells = by.cells(points, metric, n_neighbors)
    search = make_search(points, metric, cells)
    if n_neighbors is None:
        radius = check_real("radius", radius, low=0.0, infinite=True)
        radii = np.full(n, radius)
        if not pairwise:
            _check_radius(search, points, radius)
        pairs = search.near(points, 0, radii)
        pairs = pairs.where((pairs.row != pairs.column) & (pairs.distance <= radius * (1 + SLACK)))
    else:
        pairs = search.near(points, n_neighbors + 1)
        pairs = pairs.where(pairs.row != pairs.column)
        radii = kth_smallest(pairs, np.full(n, n_neighbors))
        pairs = pairs.where(pairs.distance <= radii[pairs.row] * (1 + SLACK))
        _check_entries(n, n_neighbors, len(pairs.row))
    hood = Neighborhood(points, metric, n_neighbors, radius, radii, _symmetric(pairs, n), cells)
    vars(hood)["_search"] = search  # the value of the cached property
    return hood


def _check_entries(n: int, k: int, entries: int) -> None:
    if entries > max(_SMALL, _MOST_TIES * n * k):
        what = f"n_neighbors={k} with {n} points, but duplicates or ties give {entries} neighbors"
        raise ArgumentError(f"{what}; drop duplicates: np.unique(X, axis=0), or pass radius.")


def _check_radius(search: Search, points: Points, radius: float) -> None:
    """Raise if a radius gives too many neighbors, estimated from an evenly spaced sample of points."""
    n = points.shape[0]
    if n * n <= _MOST:
        return
    looked = np.linspace(0, n - 1, _LOOK).astype(np.intp)
    entries = len(search.near(points[looked], 0, np.full(n, radius)).row) * n / _LOOK
    if entries > _MOST:
        what = f"radius={radius} with {n} points gives about {entries:.2g} neighbors"
        raise ArgumentError(f"{what}, more than {_MOST:.2g}; pass a smaller radius, or n_neighbors.")


def _symmetric(pairs: Pairs, n: int) -> sparse.csr_array:
    """Return the distances of pairs and of their mirror images; raise if these differ by more than rounding."""
    # Entries are the bits of distances as integers from 1 on: scipy's maxima drop zeros, and distances may be 0.
    bits = (pairs.distance + 0.0).view(np.int64) + 1  # adding 0.0 makes -0.0 positive
    one = to_csr(pairs, (n, n), bits)
    other = one.T.tocsr()
    larger = one.maximum(other)
    # Where both directions have the same distance, their difference is not stored.
    if (one - other).nnz > 2 * (larger.nnz - one.nnz):
        both = one.minimum(other)
        smaller, most = both.data - 1, larger[both.nonzero()] - 1
        if (most.view(np.float64) > smaller.view(np.float64) * (1 + 2 * SLACK)).any():
            raise ArgumentError("metric is not symmetric: distances of a pair differ; pass a symmetric metric.")
    return sparse.csr_array(((larger.data - 1).view(np.float64), larger.indices, larger.indptr), shape=(n, n))


def neighbor_graph(
    X: object,
    *,
    n_neighbors: int | None = None,
    radius: float | None = None,
    metric: Metric = "euclidean",
    mode: str = "distance",
    neighbors: str | int = "exact",
    random_state: int | np.random.Generator | None = None,
) -> sparse.csr_array:
    """Return the graph that joins every point to its neighbors.

    Two points are neighbors if one is among the k nearest of the other, or if their distance is at most the
    radius. All ties count, so the graph is symmetric and does not depend on the order of the points.

    Parameters
    ----------
    X : array_like or sparse array of shape (n, p)
        The points, or their (n, n) distances with ``metric="precomputed"``, possibly sparse.
    n_neighbors : int, optional
        The number k.
    radius : float, optional
        The radius; infinity for all (listed) pairs. Pass exactly one of `n_neighbors` and `radius`.
    metric : str or callable, default "euclidean"
        A metric's name in scikit-learn, a function of two points, or ``"precomputed"``.
    mode : {"distance", "connectivity"}
        Whether the entries are distances or ones.
    neighbors : {"exact", "approximate"} or int, default "exact"
        Whether neighbors are searched among all points, or approximately: 99 % of a sample's neighbors are found.
        A number means approximately if there are more points. See `lpgraph.points.neighborhood.Neighborhood.of`.
    random_state : int, Generator or None
        Seed of the approximate search; None means a fixed seed.

    Returns
    -------
    csr_array of shape (n, n)
        The diagonal is empty. Distances of 0 are stored: they are edges.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        As `Neighborhood.of`.

    Examples
    --------
    >>> import lpgraph as lp
    >>> lp.neighbor_graph([[0.0], [1.0], [3.0]], n_neighbors=1).toarray()
    array([[0., 1., 0.],
           [1., 0., 2.],
           [0., 2., 0.]])
    """
    check_choice("mode", mode, ("distance", "connectivity"))
    graph = Neighborhood.of(
        X, n_neighbors=n_neighbors, radius=radius, metric=metric, neighbors=neighbors, random_state=random_state
    ).distances
    if mode == "connectivity":
        graph.data[:] = 1.0
    return graph
