"""Neighborhoods of training points and of new points, and the neighbor graph."""

from __future__ import annotations

from dataclasses import InitVar, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._cached import cached_property
from lpgraph._checks import check_choice, check_integer
from lpgraph._slices import slices
from lpgraph.points.distance_lists import check_given, is_precomputed
from lpgraph.points.find_neighbors import SearchBy, find_neighbors, kth_distances
from lpgraph.points.rows import some_points
from lpgraph.points.search import SLACK, Pairs, Reach, Search, make_search
from lpgraph.points.search.neighbor_pairs import nearest_first, to_csr
from lpgraph.points.sparse_points import is_sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from lpgraph.points.search.cells import Cells
    from lpgraph.points.types import Metric, Points

__all__ = ["Neighborhood", "neighbor_graph"]


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
    search : Search, optional
        A search among the points, if one exists; not stored in pickles.

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

    points: Any
    metric: Metric
    n_neighbors: int | None
    radius: float | None
    radii: NDArray[np.float64]
    distances: sparse.csr_array
    cells: Cells | None = None
    search: InitVar[Search | None] = None

    def __post_init__(self, search: Search | None) -> None:
        if search is not None:
            vars(self)["_search"] = search  # the value of the cached property

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
            cells, and the neighbors of a point are its nearest in the cells nearest to it: so many that 99 % of a
            sample's neighbors are found (see `recall`). Fewer than 5000 points, points with up to three
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
        points = check_given("X", X, is_precomputed(metric))
        return cls(*find_neighbors(points, metric, n_neighbors, radius, SearchBy(neighbors, random_state)))

    def among(self, kept: NDArray[np.intp]) -> Neighborhood:
        """Return the neighborhood of some points that have all their neighbors among them, as components do."""
        pairwise = is_precomputed(self.metric)
        cells = None if self.cells is None else replace(self.cells, cell=self.cells.cell[kept])
        return replace(
            self,
            points=self.points[kept][:, kept] if pairwise else some_points(self.points, kept),
            radii=self.radii[kept],
            distances=self.distances[kept][:, kept],
            cells=cells,
            search=None,
        )

    @property
    def recall(self) -> float:
        """The share of nearest neighbors that were found, estimated from a sample; 1 for an exact search."""
        return 1.0 if self.cells is None else self.cells.recall

    @property
    def n_points(self) -> int:
        """The number of training points."""
        n: int = self.points.shape[0]
        return n

    def rows(self, new: object) -> sparse.csr_array:
        """Return the distances of new points to their neighbors among the training points.

        Parameters
        ----------
        new : array_like or sparse array of shape (m, p)
            New points, or their (m, n) distances to the training points if the metric is ``"precomputed"``, sparse
            if those of the training points were. A new point at a listed distance of 0 from a training point is
            taken to be that point.

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
        shape = (points.shape[0], self.n_points)
        if self.n_neighbors is None:
            everyone = self.radius == np.inf
            pairs = self._search.near(points, *((self.n_points, None) if everyone else (0, self._reach)))
            own = np.full(shape[0], self.radius)
        else:
            pairs = self._search.near(points, self.n_neighbors + 1, self._reach)
            at_home = np.zeros(shape[0], dtype=bool)
            at_home[pairs.row[pairs.distance == 0]] = True
            own = kth_distances(pairs, self.n_neighbors + at_home)
        limit = np.maximum(own[pairs.row], self.radii[pairs.column]) * (1 + SLACK)
        pairs = pairs.where(pairs.distance <= limit)
        return to_csr(pairs if self.cells is None else self._at_home(pairs), shape)

    def nearest(self, new: object, k: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
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
        return self._first(self._check_new(new), k, others=False)

    def nearest_training(self, k: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
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
            return self._first(self.points, k, others=True)
        found = self.distances  # they include the k nearest
        row = np.repeat(np.arange(self.n_points), np.diff(found.indptr))
        order = np.lexsort((found.indices, found.data, row))
        chosen = order[found.indptr[:-1, None] + np.arange(k)]
        return found.indices[chosen].astype(np.intp), found.data[chosen]

    def _at_home(self, pairs: Pairs) -> Pairs:
        """Return the pairs of new points, those of a training point for a new point at its place.

        In an approximate search, a training point may have neighbors that found it, but that it did not find.
        """
        zero = np.flatnonzero(pairs.distance == 0)
        if not zero.size:
            return pairs
        row, first = np.unique(pairs.row[zero], return_index=True)
        home = pairs.column[zero[first]]
        own = self.distances[home].tocoo()
        parts = (
            pairs.where(~np.isin(pairs.row, row)),
            Pairs(row, home, np.zeros(len(row))),
            Pairs(row[own.coords[0]], own.coords[1].astype(np.intp), own.data),
        )
        merged = Pairs(*(np.concatenate(part) for part in zip(*parts, strict=True)))
        order = np.lexsort((merged.column, merged.row))
        return Pairs(merged.row[order], merged.column[order], merged.distance[order])

    def _first(self, new: Points, k: int, others: bool) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        m = new.shape[0]
        indices, distances = np.empty((m, k), dtype=np.intp), np.empty((m, k))
        for part in slices(m, 1 << 14):  # in batches, because ties may give many more than k
            pairs = self._search.near(new[part], k + others)
            if others:
                pairs = pairs.where(pairs.row + part.start != pairs.column)
            indices[part], distances[part] = nearest_first(pairs, part.stop - part.start, k)
        return indices, distances

    def _check_new(self, new: object) -> Points:
        points, pairwise = self.points, is_precomputed(self.metric)
        return check_given("new", new, pairwise, points.shape[1], as_sparse=is_sparse(points))

    @cached_property
    def _search(self) -> Search:
        return make_search(self.points, self.metric, self.cells)

    @cached_property
    def _reach(self) -> Reach:
        return self._search.reach(self.radii)

    def __getstate__(self) -> dict[str, object]:
        # The search is built again when needed, with the same result.
        return {field.name: getattr(self, field.name) for field in fields(self)}


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
    hood = Neighborhood.of(
        X, n_neighbors=n_neighbors, radius=radius, metric=metric, neighbors=neighbors, random_state=random_state
    )
    graph = hood.distances
    if mode == "connectivity":
        graph.data[:] = 1.0
    return graph
