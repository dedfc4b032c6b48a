"""Measures of embeddings of points: distances, in space or along the neighbor graph, and nearest neighbors.

A `Reading` has what every measure is passed: points and their positions, with distances to the training points.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
from scipy.stats import spearmanr

from lpgraph._utils.checks import check_choice, check_finite_array, check_generator, check_integer, is_string
from lpgraph._utils.compiled import slices
from lpgraph._utils.estimators import Shown, ShownColumns, not_fitted
from lpgraph.errors import ArgumentError
from lpgraph.manifold.base import PointsEmbedding
from lpgraph.manifold.neighbors import Neighbors
from lpgraph.points.checks import check_given, check_indices, is_precomputed, kind_of
from lpgraph.points.geodesic import extend_geodesics, geodesic_distances
from lpgraph.points.metric import WORK, Geometry, Metric, geometry, pair_distances, with_params
from lpgraph.points.rows import in_memory, is_sparse

if TYPE_CHECKING:
    from numpy.typing import ArrayLike
    from sklearn.base import BaseEstimator

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array, Integers, Seed

    #: Positions of points, or a fitted estimator that holds them.
    Embedded: TypeAlias = ArrayLike | BaseEstimator


_KINDS = ("trustworthiness", "continuity", "preservation")

#: The default numbers of neighbors of curves: how many, and the largest.
_COUNT, _LARGEST = 12, 200

#: Distances whose relative difference is smaller are equal: the difference is rounding.
_ROUNDING = 1e-10


@dataclass(frozen=True, eq=False)
class Space:
    """Distances from some points, the queries, to all training points.

    Attributes
    ----------
    name : str
        The argument that holds the queries, for errors.
    queries : ndarray or csr_array of shape (m, p), or (m, n)
        The points from which distances are measured, or the distances.
    points : ndarray or csr_array of shape (n, p), or (n, n)
        The training points, or their distances.
    metric : str or callable
        The metric; "precomputed" if distances were passed.
    """

    name: str
    queries: Foreign
    points: Foreign
    metric: Metric = "euclidean"

    @cached_property
    def _form(self) -> Geometry:
        return geometry(self.points, self.metric)

    def rows(self, i: Integers, j: Integers | slice = slice(None)) -> Array:
        """Return the distances of the points i to the training points j, by default to all."""
        if is_precomputed(self.metric):
            return cast("Array", self.queries[i][:, j])
        return self._finite(self._form.between(self.queries[i], self.points[j]))

    def pairs(self, i: Integers, j: Integers) -> Array:
        """Return the distances of the points i to the training points j, one for each pair."""
        if is_precomputed(self.metric):
            return cast("Array", self.queries[i, j])
        form = self._form
        if form.norm is not None:
            queries, points = form.coordinates(self.queries), form.coordinates(self.points)
            with np.errstate(over="ignore"):  # an overflow is an error below
                return self._finite(form.forward(pair_distances(queries, i, points, j, form.norm)))
        result = np.empty(i.size)
        order = np.argsort(i, kind="stable")
        for part in np.split(order, np.flatnonzero(np.diff(i[order], prepend=-1))[1:]):
            result[part] = self.rows(i[part[:1]], j[part])[0]
        return result

    def _finite(self, distances: Array) -> Array:
        if not (np.isfinite(distances).all() and (distances >= 0).all()):
            raise ArgumentError(f"{self.name} has distances that are not finite; divide it by its largest entry.")
        return distances


@dataclass(frozen=True, eq=False)
class Reading:
    """Checked points and their positions.

    Attributes
    ----------
    data, positions : Space
        Distances in the data and in the embedding.
    held_out : bool
        Whether new points are measured, rather than the training points.
    """

    data: Space
    positions: Space
    held_out: bool

    @classmethod
    def of(
        cls,
        X: object,
        embedding: Embedded,
        metric: Metric | None,
        new: object,
        new_embedding: ArrayLike | None,
        *,
        lists: bool = False,
    ) -> Reading:
        """Check the arguments of a measure; with `lists`, distances may be sparse lists of those of neighbors."""
        model: Foreign = embedding if hasattr(embedding, "get_params") else None
        if model is not None and getattr(model, "embedding_", None) is None:
            raise not_fitted(f"embedding is {model!r:.80} without embedding_; pass a fitted one, or positions.")
        metric = _metric_of(model) if metric is None else metric
        pairwise, kind = is_precomputed(metric), kind_of(metric)
        points = in_memory(check_given("X", X, kind, as_sparse=False if pairwise and not lists else None))
        shown = check_finite_array("embedding", getattr(model, "embedding_", embedding), ndim=2)
        positions, kept = np.ascontiguousarray(shown), cast("Foreign", slice(None))
        width = points.shape[1]
        if points.shape[0] > len(positions) and is_string(getattr(model, "components", None), "largest"):
            kept = model.kept_
        points = points[kept][:, kept] if pairwise else points[kept]
        if points.shape[0] != len(positions):
            raise ArgumentError(
                f"embedding has {len(positions)} rows for {points.shape[0]} points; pass one for each."
            )
        if new is None and new_embedding is None:
            return cls(Space("X", points, points, metric), Space("embedding", positions, positions), False)
        if new is None or (new_embedding is None and not hasattr(model, "transform")):
            raise ArgumentError("Only one of new and new_embedding was passed; pass both.")
        queries = in_memory(check_given("new", new, kind, width, as_sparse=is_sparse(points)))
        given = model.transform(new) if new_embedding is None else new_embedding
        placed = np.ascontiguousarray(check_finite_array("new_embedding", given, ndim=2))
        if not len(placed) or placed.shape != (queries.shape[0], positions.shape[1]):
            raise ArgumentError(f"new_embedding has shape {placed.shape}; pass one position for each new point.")
        queries = queries[:, kept] if pairwise else queries
        return cls(Space("new", queries, points, metric), Space("embedding", placed, positions), True)

    @property
    def n_points(self) -> int:
        """Number of points from which distances are measured."""
        return int(self.data.queries.shape[0])

    @property
    def n_others(self) -> int:
        """Number of other training points that a point is compared with."""
        return int(self.data.points.shape[0]) - (not self.held_out)


def seeded(random_state: Seed) -> np.random.Generator:
    """Return a generator; None means a fixed seed."""
    return check_generator(0 if random_state is None else random_state)


def draw(name: str, count: int, most: int, random_state: Seed) -> Integers:
    """Return the indices of all points or, if there are more than `most`, of so many at random, in order."""
    rng = seeded(random_state)
    if count <= check_integer(name, most, low=2):
        return np.arange(count)
    return np.sort(rng.choice(count, most, replace=False))


def _metric_of(model: object) -> Metric:
    """Return the metric of a fitted embedding of points; Euclidean for others."""
    if not isinstance(model, PointsEmbedding):
        return "euclidean"
    if model.input.kind in ("similarities", "kernel"):
        raise ArgumentError(
            f"embedding was fitted to {model.input.kind}, not to points; pass metric=, such as 'euclidean'."
        )
    return with_params(getattr(model, "metric", "euclidean"), getattr(model, "metric_params", None))


@dataclass(frozen=True, eq=False, repr=False)
class ShepardDiagram(Shown):
    """Pairs of distances, in the data and in the embedding; `lpgraph.plot.shepard` plots them.

    Attributes
    ----------
    distances : ndarray of shape (l,)
        Distances of pairs in the data, or along its neighbor graph.
    embedded : ndarray of shape (l,)
        Distances of the same pairs in the embedding.
    geodesic : bool
        Whether the distances are lengths of shortest paths.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((60, 3)) * [3, 2, 1]
    >>> lp.metrics.shepard(X, X[:, :2])
    ShepardDiagram(correlation 0.991, rank correlation 0.987, stress 0.075, 1770 pairs)
    """

    distances: Array
    embedded: Array
    geodesic: bool

    @property
    def correlation(self) -> float:
        """Pearson's correlation of the distances."""
        return float(np.corrcoef(self.distances, self.embedded)[0, 1])

    @property
    def rank_correlation(self) -> float:
        """Spearman's correlation of the distances."""
        return float(spearmanr(self.distances, self.embedded).statistic)

    @property
    def residual_variance(self) -> float:
        """One minus the squared correlation (Tenenbaum, de Silva & Langford 2000)."""
        return 1 - self.correlation**2

    @property
    def stress(self) -> float:
        r"""Kruskal's stress of the embedding at its best scale, :math:`\min_a \sqrt{\sum (d - a e)^2 / \sum d^2}`.

        It is 0 if the distances d of the data are proportional to those of the embedding, e, and at most 1.
        """
        d, e = (values / np.linalg.norm(values) for values in (self.distances, self.embedded))
        return float(np.linalg.norm(d - (d @ e) * e))

    def __repr__(self) -> str:
        shown = f"correlation {self.correlation:.3f}, rank correlation {self.rank_correlation:.3f}"
        return f"ShepardDiagram({shown}, stress {self.stress:.3f}, {len(self.distances)} pairs)"


def shepard(
    X: object,
    embedding: Embedded,
    *,
    metric: Metric | None = None,
    new: object = None,
    new_embedding: ArrayLike | None = None,
    max_pairs: int = 500_000,
    random_state: Seed = None,
) -> ShepardDiagram:
    """Return pairs of distances in the data and in an embedding, with their correlations and stress.

    Parameters
    ----------
    X, embedding, metric
        As for `neighbor_measure`.
    new, new_embedding : array-like of shape (m, p), or (m, n), and (m, d), optional
        New points and their positions: the pairs are then those of a new and a training point.
    max_pairs : int, default 500000
        If there are more pairs, so many are drawn at random, with replacement.
    random_state : int, Generator or None
        Seed of the draw; None means a fixed seed.

    Returns
    -------
    ShepardDiagram

    Raises
    ------
    ArgumentError, ArgumentTypeError
        If shapes do not match, or if there are fewer than two pairs.

    References
    ----------
    Shepard, R. N. (1962), "The analysis of proximities", Psychometrika 27. Kruskal, J. B. (1964),
    "Multidimensional scaling by optimizing goodness of fit to a nonmetric hypothesis", Psychometrika 29.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> found = lp.metrics.shepard(X, lp.manifold.ClassicalMDS(2).fit(X))
    >>> round(found.correlation, 3), round(found.stress, 3)
    (0.998, 0.04)
    """
    read = Reading.of(X, embedding, metric, new, new_embedding)
    check_integer("max_pairs", max_pairs, low=2)
    rng, m, others = seeded(random_state), read.n_points, read.n_others
    total = m * others if read.held_out else m * others // 2
    if total > max_pairs:
        i, j = rng.integers(m, size=max_pairs), rng.integers(others, size=max_pairs)
        j = j if read.held_out else j + (j >= i)
    else:
        i, j = np.divmod(np.arange(total), others) if read.held_out else np.triu_indices(m, 1)
    embedded = _varied("embedding", read.positions.pairs(i, j))
    return ShepardDiagram(_varied("X", read.data.pairs(i, j)), embedded, geodesic=False)


def geodesic_correlation(
    X: object,
    embedding: Embedded,
    n_neighbors: int = 5,
    *,
    metric: Metric | None = None,
    components: str = "error",
    new: object = None,
    new_embedding: ArrayLike | None = None,
    max_sources: int = 500,
    max_pairs: int = 500_000,
    random_state: Seed = None,
) -> ShepardDiagram:
    r"""Compare distances in an embedding with lengths of shortest paths in the neighbor graph of the points.

    An unrolled surface keeps geodesic distances, not distances in space. The `residual_variance` of the result,
    :math:`1 - r^2` with the correlation r, is the measure of Isomap's paper for a number of dimensions.

    Parameters
    ----------
    X : array-like or sparse array of shape (n, p), or (n, n)
        Training points or, with ``"precomputed"``, their distances, possibly a sparse array of those of neighbors.
    embedding, metric
        As for `neighbor_measure`.
    n_neighbors : int, default 5
        Points are joined if one is among the `n_neighbors` nearest of the other, ties included.
    components : {"error", "bridge"}, default "error"
        If the graph has several components: raise an error, or join them by the shortest edges between them.
    new, new_embedding : array-like of shape (m, p), or (m, n), and (m, d), optional
        New points and their positions. Their paths lead through training points only, to training points.
    max_sources : int, default 500
        If there are more training points, paths from so many, drawn at random, are computed.
    max_pairs : int, default 500000
        If there are more pairs of a source and a point, about so many are drawn, the same number for each source.
    random_state : int, Generator or None
        Seed of the draws; None means a fixed seed.

    Returns
    -------
    ShepardDiagram

    Raises
    ------
    ArgumentError, ArgumentTypeError
        If shapes do not match, or if `n_neighbors` is too large.
    GraphError
        If the graph has several components, and `components` is "error".

    References
    ----------
    Tenenbaum, J. B., de Silva, V. & Langford, J. C. (2000), "A global geometric framework for nonlinear
    dimensionality reduction", Science 290, note 42.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from sklearn.datasets import make_swiss_roll
    >>> X, along = make_swiss_roll(500, random_state=0)
    >>> isomap, flat = lp.manifold.Isomap(2, n_neighbors=7).fit(X), lp.manifold.ClassicalMDS(2).fit(X)
    >>> found = [lp.metrics.geodesic_correlation(X, model, 7) for model in (isomap, flat)]
    >>> [round(result.residual_variance, 2) for result in found]
    [0.0, 0.93]
    """
    check_choice("components", components, ("error", "bridge"))
    read = Reading.of(X, embedding, metric, new, new_embedding, lists=True)
    check_integer("max_pairs", max_pairs, low=2)
    points, rng = read.data.points, seeded(random_state)
    neighbors = Neighbors.of(points, read.data.metric, n_neighbors, None, components)
    sources = draw("max_sources", points.shape[0], max_sources, rng)
    others = read.n_points - (not read.held_out)  # a source has no path to itself
    most = max(2, max_pairs // len(sources))
    targets = np.broadcast_to(np.arange(others), (len(sources), others))
    if others > most:
        targets = rng.integers(others, size=(len(sources), most))
    if not read.held_out:
        targets = targets + (targets >= sources[:, None])
    rows, lengths = neighbors.rows(read.data.queries) if read.held_out else None, np.empty(targets.shape)
    for part in slices(len(sources), WORK // max(points.shape[0], targets.shape[1])):
        paths = geodesic_distances(neighbors.graph, sources[part])
        if rows is not None:
            paths = extend_geodesics(rows, np.ascontiguousarray(paths.T)).T
        lengths[part] = np.take_along_axis(paths, targets[part], axis=1)
    origins = np.repeat(sources, targets.shape[1])
    shown = _varied("embedding", read.positions.pairs(targets.ravel(), origins))
    return ShepardDiagram(_varied("X", lengths.ravel()), shown, geodesic=True)


def _varied(name: str, distances: Array) -> Array:
    """Return the distances; raise if they are all equal, up to rounding, so that they have no correlation."""
    low, high = float(distances.min(initial=np.inf)), float(distances.max(initial=0.0))
    if high - low <= 1e-12 * high:
        raise ArgumentError(
            f"{name} has the distance {high:.3g} for all pairs; pass points at different distances."
        )
    return distances


@dataclass(frozen=True, eq=False, repr=False)
class NeighborMeasure(Shown):
    """A measure of each point, between 0 (worst) and 1.

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
    values: Array
    points: Integers
    n_points: int

    @property
    def mean(self) -> float:
        """Mean of the values."""
        return float(self.values.mean())

    @property
    def standard_error(self) -> float:
        """Standard error of the mean, as an estimate of the mean over all points; 0 if all were measured."""
        m = len(self.points)
        if m == self.n_points:
            return 0.0
        # Points are drawn without replacement.
        return float(self.values.std(ddof=1) * np.sqrt((1 - m / self.n_points) / m))

    def __repr__(self) -> str:
        error = f" ± {self.standard_error:.1g}" if self.standard_error else ""
        points = f"{self.n_neighbors} neighbors, {len(self.points)} points"
        return f"NeighborMeasure({self.kind} {self.mean:.3f}{error}, {points})"


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
    NeighborMeasure(trustworthiness 0.960, 5 neighbors, 75 points)
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
    k = check_integer("n_neighbors", n_neighbors, low=1)
    index, values = _measured(read, np.array([k]), max_points, random_state)
    return NeighborMeasure(kind, k, values[_KINDS.index(kind), :, 0], index, read.n_points)


@dataclass(frozen=True, eq=False, repr=False)
class NeighborCurves(ShownColumns):
    r"""Measures of neighborhoods by the number of neighbors; `lpgraph.plot.neighbor_curves` plots them.

    Attributes
    ----------
    n_neighbors : ndarray of shape (q,)
        Numbers k of neighbors, increasing.
    trustworthiness, continuity, preservation : ndarray of shape (q,)
        Means over points of the measures of `neighbor_measure`.
    above_chance : ndarray of shape (q,)
        The preservation above chance, :math:`R_{NX}(k) = ((n - 1) Q_{NX}(k) - k) / (n - 1 - k)`: 0 on average for
        positions at random, and 1 if all neighbors are kept.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((60, 3)) * [3, 2, 1]
    >>> lp.metrics.neighbor_curves(X, X[:, :2], [5, 10])
    NeighborCurves(5 to 10 neighbors, 0.759 of them kept above chance)
    """

    n_neighbors: Integers
    trustworthiness: Array
    continuity: Array
    preservation: Array
    above_chance: Array

    @property
    def area(self) -> float:
        """Mean of `above_chance` with weights 1 / k, over the numbers of neighbors that were computed.

        With all numbers from 1 to half of the points, this is the area under the curve over log k, up to half.
        """
        return float(np.average(self.above_chance, weights=1 / self.n_neighbors))

    _columns = ("n_neighbors", *_KINDS, "above_chance")

    def __repr__(self) -> str:
        ends = f"{self.n_neighbors[0]} to {self.n_neighbors[-1]} neighbors"
        return f"NeighborCurves({ends}, {self.area:.3g} of them kept above chance)"


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
    if n_neighbors is None:
        largest = max(1, min(_LARGEST, read.n_others // 2))
        ks = np.unique(np.geomspace(1, largest, _COUNT).round().astype(np.intp))
    else:
        ks = check_indices("n_neighbors", n_neighbors, read.n_others, 1)
        if not len(ks) or ks[0] < 1 or (np.diff(ks) <= 0).any():
            raise ArgumentError(f"n_neighbors={n_neighbors!r}; pass increasing integers from 1.")
    trust, near, kept = _measured(read, ks, max_points, random_state)[1].mean(axis=1)
    chance = ks / read.n_others
    return NeighborCurves(ks, trust, near, kept, (kept - chance) / (1 - chance))


def _measured(read: Reading, ks: Integers, max_points: int, random_state: Seed) -> tuple[Integers, Array]:
    """Return the measured points, and their measures in the order of `_KINDS`, of shape (3, m, len(ks))."""
    most = read.n_others // 2  # with more, the smallest value of the measures would not be 0
    if ks[-1] > most:
        raise ArgumentError(f"n_neighbors={ks[-1]}; pass at most {most}, half of the other points of X.")
    index = draw("max_points", read.n_points, max_points, random_state)
    result = np.empty((len(_KINDS), len(index), len(ks)))
    # The largest sum of excess ranks of k neighbors, which are then the farthest points.
    worst = ks * (2 * read.n_others + 1 - 3 * ks) / 2
    for part in slices(len(index), WORK // (4 * (read.n_others + 1))):
        chosen = index[part]
        data, shown = read.data.rows(chosen), read.positions.rows(chosen)
        if not read.held_out:  # a point is not its own neighbor
            data[np.arange(len(chosen)), chosen] = shown[np.arange(len(chosen)), chosen] = np.inf
        excess, kept = _compared(shown, data, ks)
        torn, _ = _compared(data, shown, ks)
        result[:, part] = 1 - excess / worst, 1 - torn / worst, kept / ks
    return index, result


def _compared(own: Array, other: Array, ks: Integers) -> tuple[Array, Array]:
    """Compare the k nearest by one row of distances with the ranks by another, for each pair of rows.

    Ranks begin at 1. Points at equal distance have the ranks ``low + 1, ..., high`` between them, each equally
    likely: ties count as if they were broken at random, in expectation.

    Parameters
    ----------
    own, other : ndarray of shape (m, n)
        Distances of m points to the same n points in two spaces.
    ks : ndarray of shape (q,)
        Increasing numbers of neighbors, at most n.

    Returns
    -------
    excess, kept : ndarray of shape (m, q)
        The sum over the k nearest of the expected ranks beyond k in the other space, and the expected number of
        the k nearest that are also among the k nearest in the other space.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.metrics.distances import _compared
    >>> near = np.array([[1.0, 1.0, 5.0]])  # two are equally near; they are the third and the first elsewhere
    >>> _compared(near, np.array([[3.0, 1.0, 2.0]]), np.array([1]))
    (array([[1.]]), array([[0.5]]))
    """
    excess, kept = np.empty((2, len(own), len(ks)))
    for i, (row, others) in enumerate(zip(own, other, strict=True)):
        chosen = np.flatnonzero(row <= np.partition(row, ks[-1] - 1)[ks[-1] - 1] * (1 + _ROUNDING))
        shares = _within(ks, *_ranks(row[chosen], row[chosen]))
        low, high = _ranks(others, others[chosen])
        beyond_high, beyond_low = (np.maximum(rank[:, None] - ks, 0) for rank in (high, low))
        sums = (beyond_high * (beyond_high + 1) - beyond_low * (beyond_low + 1)) / 2
        excess[i] = (shares * sums / (high - low)[:, None]).sum(axis=0)
        kept[i] = (shares * _within(ks, low, high)).sum(axis=0)
    return excess, kept


def _ranks(distances: Array, values: Array) -> tuple[Integers, Integers]:
    """Return how many of the distances are smaller than each value, and how many are not larger."""
    ordered = np.sort(distances)
    high = np.searchsorted(ordered, values * (1 + _ROUNDING), side="right")
    return np.searchsorted(ordered, values * (1 - _ROUNDING)), high


def _within(ks: Integers, low: Integers, high: Integers) -> Array:
    """Return the probability that a rank between low + 1 and high is at most k."""
    return np.clip((ks - low[:, None]) / (high - low)[:, None], 0.0, 1.0)
