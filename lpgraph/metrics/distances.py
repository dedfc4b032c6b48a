"""Distances in an embedding against distances in the data, in space or along the neighbor graph.

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
from lpgraph._utils.estimators import Shown, not_fitted
from lpgraph.errors import ArgumentError
from lpgraph.manifold.base import PointsEmbedding
from lpgraph.manifold.neighbors import Neighbors
from lpgraph.points.checks import check_given, is_precomputed, kind_of
from lpgraph.points.geodesic import extend_geodesics, geodesic_distances
from lpgraph.points.metric import WORK, geometry, pair_distances, with_params
from lpgraph.points.rows import in_memory, is_sparse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray
    from sklearn.base import BaseEstimator

    from lpgraph._utils.checks import Foreign
    from lpgraph.points.metric import Geometry, Metric
    from lpgraph.points.rows import Array, Points

    #: Positions of points, or a fitted estimator that holds them.
    Embedded: TypeAlias = ArrayLike | BaseEstimator
    Index: TypeAlias = NDArray[np.intp]
    Seed: TypeAlias = int | np.random.Generator | None


@dataclass(frozen=True, eq=False)
class Space:
    """Distances from some points, the queries, to all training points.

    Attributes
    ----------
    name : str
        The argument that holds the points, for errors.
    queries : ndarray or csr_array of shape (m, p), or (m, n)
        Coordinates of the points from which distances are measured, or the distances.
    points : ndarray or csr_array of shape (n, p), or (n, n)
        Coordinates of the training points, or the distances.
    form : Geometry or None
        The metric; None if distances were passed.
    """

    name: str
    queries: Foreign
    points: Foreign
    form: Geometry | None

    @classmethod
    def of(cls, name: str, queries: Points, points: Points, metric: Metric = "euclidean") -> Space:
        """Return the distances of queries to training points."""
        if is_precomputed(metric):
            return cls(name, queries, points, None)
        form = geometry(points, metric)
        return cls(name, form.coordinates(queries), form.coordinates(points), form)

    def rows(self, i: Index, j: Index | slice = slice(None)) -> Array:
        """Return the distances of the points i to the training points j, by default to all."""
        if self.form is None:
            return cast("Array", self.queries[i][:, j])
        return self._finite(self.form.forward(self.form.block(self.queries[i], self.points[j])))

    def pairs(self, i: Index, j: Index) -> Array:
        """Return the distances of the points i to the training points j, one for each pair."""
        if self.form is None:
            return cast("Array", self.queries[i, j])
        if self.form.norm is not None:
            with np.errstate(over="ignore"):  # an overflow is an error below
                norms = pair_distances(self.queries, i, self.points, j, self.form.norm)
            return self._finite(self.form.forward(norms))
        result = np.empty(i.size)
        order = np.argsort(i, kind="stable")
        for part in np.split(order, np.flatnonzero(np.diff(i[order], prepend=-1))[1:]):
            result[part] = self.rows(i[part[:1]], j[part])[0]
        return result

    def _finite(self, distances: Array) -> Array:
        if not (np.isfinite(distances).all() and (distances >= 0).all()):
            raise ArgumentError(
                f"{self.name} has distances that are infinite or NaN; divide it by its largest entry."
            )
        return distances


@dataclass(frozen=True, eq=False)
class Reading:
    """Checked points and their positions.

    Attributes
    ----------
    points : ndarray or csr_array of shape (n, p), or (n, n)
        Training points, or their distances.
    queries : array of shape (m, p), or (m, n)
        The points that are measured: new ones, or the training points.
    metric : str or callable
        The metric of the points.
    held_out : bool
        Whether new points are measured.
    positions : Space
        Distances in the embedding.
    """

    points: Points
    queries: Points
    metric: Metric
    held_out: bool
    positions: Space

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
        model: object = embedding if hasattr(embedding, "get_params") else None
        metric = _metric_of(model) if metric is None else metric
        pairwise, kind = is_precomputed(metric), kind_of(metric)
        points = in_memory(check_given("X", X, kind, as_sparse=False if pairwise and not lists else None))
        if model is not None and getattr(model, "embedding_", None) is None:
            raise not_fitted(f"embedding is {model!r:.80} without embedding_; pass a fitted one, or positions.")
        positions = _positions("embedding", getattr(model, "embedding_", embedding))
        (n, width), (size, d) = points.shape, positions.shape
        kept: Foreign = _kept(model, n) if n > size else slice(None)
        points = points[kept][:, kept] if pairwise else points[kept]
        if points.shape[0] != size:
            raise ArgumentError(f"embedding has {size} rows but X has {n} points; pass one row for each.")
        if new is None:
            if new_embedding is not None:
                raise ArgumentError("new_embedding was passed without new; pass the new points too.")
            return cls(points, points, metric, False, Space.of("embedding", positions, positions))
        queries = in_memory(check_given("new", new, kind, width, as_sparse=is_sparse(points)))
        if new_embedding is None:
            if not hasattr(model, "transform"):
                raise ArgumentError("new_embedding is None; pass the positions of the new points.")
            new_embedding = model.transform(new)
        placed, m = _positions("new_embedding", new_embedding), queries.shape[0]
        if placed.shape != (m, d) or not m:
            shape = max(1, m), d
            raise ArgumentError(f"new_embedding has shape {placed.shape}; pass an array of shape {shape}.")
        queries = queries[:, kept] if pairwise else queries
        return cls(points, queries, metric, True, Space.of("embedding", placed, positions))

    @property
    def n_points(self) -> int:
        """Number of points from which distances are measured."""
        return int(self.queries.shape[0])

    @property
    def n_others(self) -> int:
        """Number of other training points that a point is compared with."""
        return int(self.points.shape[0]) - (not self.held_out)

    @cached_property
    def data(self) -> Space:
        """Distances in the data."""
        return Space.of("new" if self.held_out else "X", self.queries, self.points, self.metric)

    def blocks(self, index: Index) -> Iterator[tuple[slice, Array, Array]]:
        """Yield the rows of distances of some points, in both spaces; a point is infinitely far from itself."""
        for part in slices(len(index), WORK // (4 * (self.n_others + 1))):
            chosen = index[part]
            near, shown = self.data.rows(chosen), self.positions.rows(chosen)
            if not self.held_out:
                near[np.arange(len(chosen)), chosen] = np.inf
                shown[np.arange(len(chosen)), chosen] = np.inf
            yield part, near, shown


def seeded(random_state: Seed) -> np.random.Generator:
    """Return a generator; None means a fixed seed."""
    return check_generator(0 if random_state is None else random_state)


def draw(name: str, count: int, most: int, random_state: Seed) -> Index:
    """Return the indices of all points or, if there are more than `most`, of so many at random, in order."""
    rng = seeded(random_state)
    if count <= check_integer(name, most, low=2):
        return np.arange(count)
    return np.sort(rng.choice(count, most, replace=False))


def _positions(name: str, value: object) -> Array:
    array = check_finite_array(name, value)
    if array.ndim != 2 or not array.shape[1]:
        raise ArgumentError(f"{name} has shape {array.shape}; pass (n, d), {name}.reshape(-1, 1) for one column.")
    return np.ascontiguousarray(array)


def _kept(model: object, n: int) -> Index | slice:
    """Return the indices of the points that an embedding kept of n points, if it left out some."""
    kept: Index = getattr(model, "kept_", np.arange(0))
    left_out = is_string(getattr(model, "components", None), "largest") and kept.max(initial=0) < n
    return kept if left_out else slice(None)


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
    sampled : bool
        Whether the pairs are a sample.
    geodesic : bool
        Whether the distances are lengths of shortest paths.
    held_out : bool
        Whether the pairs are those of a new and a training point.

    Examples
    --------
    >>> import numpy as np, lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((60, 3)) * [3, 2, 1]
    >>> lp.metrics.shepard(X, X[:, :2])
    ShepardDiagram(correlation 0.991, rank correlation 0.987, stress 0.075, all 1770 pairs)
    """

    distances: NDArray[np.float64]
    embedded: NDArray[np.float64]
    sampled: bool
    geodesic: bool
    held_out: bool

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
        names = ("correlation", "rank_correlation", "stress")
        shown = ["geodesic distances"] if self.geodesic else []
        shown += [f"{name.replace('_', ' ')} {getattr(self, name):.3f}" for name in names]
        kind = f"{'' if self.sampled else 'all '}{len(self.distances)} pairs"
        return f"ShepardDiagram({', '.join(shown)}, {kind}{' with new points' if self.held_out else ''})"


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
    distances = _varied("X", read.data.pairs(i, j))
    embedded = _varied("embedding", read.positions.pairs(i, j))
    return ShepardDiagram(distances, embedded, total > max_pairs, False, read.held_out)


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
    neighbors = Neighbors.of(read.points, read.metric, n_neighbors, None, components)
    rng, n, m = seeded(random_state), read.points.shape[0], read.n_points
    sources = draw("max_sources", n, max_sources, rng)
    others = m if read.held_out else m - 1  # a source has no path to itself
    most = max(2, max_pairs // len(sources))
    targets = np.broadcast_to(np.arange(others), (len(sources), others))
    if others > most:
        targets = rng.integers(others, size=(len(sources), most))
    if not read.held_out:
        targets = targets + (targets >= sources[:, None])
    lengths = _varied("X", _lengths(neighbors, read, sources, targets).ravel())
    origins = np.repeat(sources, targets.shape[1])
    shown = _varied("embedding", read.positions.pairs(targets.ravel(), origins))
    return ShepardDiagram(lengths, shown, len(sources) < n or others > most, True, read.held_out)


def _lengths(neighbors: Neighbors, read: Reading, sources: Index, targets: Index) -> Array:
    """Return the lengths of the shortest paths from sources to targets, by blocks of sources."""
    result = np.empty(targets.shape)
    rows = neighbors.rows(read.queries) if read.held_out else None
    for part in slices(len(sources), WORK // max(read.points.shape[0], targets.shape[1])):
        lengths = geodesic_distances(neighbors.graph, sources[part])
        if rows is not None:
            lengths = extend_geodesics(rows, np.ascontiguousarray(lengths.T)).T
        result[part] = np.take_along_axis(lengths, targets[part], axis=1)
    return result


def _varied(name: str, distances: Array) -> Array:
    """Return the distances; raise if they are all equal, up to rounding, so that they have no correlation."""
    low, high = float(distances.min(initial=np.inf)), float(distances.max(initial=0.0))
    if high - low <= 1e-12 * high:
        raise ArgumentError(
            f"{name} has the distance {high:.3g} for all pairs; pass points at different distances."
        )
    return distances
