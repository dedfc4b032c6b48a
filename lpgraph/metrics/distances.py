"""Distances in an embedding against distances in the data, in space or along the neighbor graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import rankdata

from lpgraph._utils.checks import check_choice, check_integer
from lpgraph._utils.compiled import slices
from lpgraph._utils.estimators import Shown
from lpgraph.errors import ArgumentError
from lpgraph.manifold.neighbors import Neighbors
from lpgraph.metrics.reading import Reading, draw, seeded
from lpgraph.points.geodesic import extend_geodesics, geodesic_distances
from lpgraph.points.metric import WORK

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lpgraph.metrics.reading import Embedded, Index, Seed
    from lpgraph.points.rows import Array, Metric

    #: A value, and each pair's influence on it: the change of the value with the pair's weight.
    Estimate = tuple[float, Array]


def _correlation(x: Array, y: Array) -> Estimate:
    """Return Pearson's correlation of two arrays, neither of which is constant."""
    a, b = (values - values.mean() for values in (x, y))
    a, b = (values / np.sqrt(np.square(values).mean()) for values in (a, b))
    r = float(np.clip((a * b).mean(), -1.0, 1.0))
    return r, a * b - r * (a * a + b * b) / 2


def _rank_correlation(x: Array, y: Array) -> Estimate:
    """Return Spearman's correlation of ranks, ties at their mean rank; the ranks are taken as fixed."""
    return _correlation(rankdata(x), rankdata(y))


def _stress(x: Array, y: Array) -> Estimate:
    r"""Return :math:`\min_a \sqrt{\sum (x - a y)^2 / \sum x^2}` of two arrays, neither of which is zero."""
    x, y = x / np.sqrt(np.square(x).mean()), y / np.sqrt(np.square(y).mean())
    shared = float((x * y).mean())
    value = float(np.sqrt(max(0.0, 1 - shared * shared)))
    if value < 1e-8:  # rounding
        return 0.0, np.zeros(len(x))
    return value, shared * (shared * (x * x + y * y) / 2 - x * y) / value


_ESTIMATES = {"correlation": _correlation, "rank_correlation": _rank_correlation, "stress": _stress}


@dataclass(frozen=True, eq=False, repr=False)
class ShepardDiagram(Shown):
    """Pairs of distances, in the data and in the embedding; `lpgraph.plot.shepard` plots them.

    Attributes
    ----------
    distances : ndarray of shape (l,)
        Distances of pairs in the data, or along its neighbor graph.
    embedded : ndarray of shape (l,)
        Distances of the same pairs in the embedding.
    groups : ndarray of shape (l,)
        Groups of pairs that were drawn together: each pair for itself, or the pairs of one source of paths.
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
    groups: NDArray[np.intp]
    sampled: bool
    geodesic: bool
    held_out: bool

    @property
    def correlation(self) -> float:
        """Pearson's correlation of the distances."""
        return _correlation(self.distances, self.embedded)[0]

    @property
    def rank_correlation(self) -> float:
        """Spearman's correlation of the distances."""
        return _rank_correlation(self.distances, self.embedded)[0]

    @property
    def residual_variance(self) -> float:
        """One minus the squared correlation (Tenenbaum, de Silva & Langford 2000)."""
        return 1 - self.correlation**2

    @property
    def stress(self) -> float:
        r"""Kruskal's stress of the embedding at its best scale, :math:`\min_a \sqrt{\sum (d - a e)^2 / \sum d^2}`.

        It is 0 if the distances d of the data are proportional to those of the embedding, e, and at most 1.
        """
        return _stress(self.distances, self.embedded)[0]

    @property
    def standard_errors(self) -> dict[str, float]:
        """Standard errors of `correlation`, `rank_correlation` and `stress`; 0 if the pairs are all pairs."""
        found = dict.fromkeys(_ESTIMATES, 0.0)
        if self.sampled:
            for name, estimate in _ESTIMATES.items():
                # Pairs were drawn in independent groups.
                sums = np.bincount(self.groups, weights=estimate(self.distances, self.embedded)[1])
                spread = np.sqrt(len(sums) / (len(sums) - 1) * np.square(sums).sum())
                found[name] = float(spread / len(self.distances))
        return found

    def __repr__(self) -> str:
        shown = ["geodesic distances"] if self.geodesic else []
        for name, error in self.standard_errors.items():
            width = f" ± {error:.1g}" if self.sampled else ""
            shown.append(f"{name.replace('_', ' ')} {getattr(self, name):.3f}{width}")
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
    if total < 2:
        raise ArgumentError(f"X and new have {total} pairs of points; pass more points.")
    if total > max_pairs:
        i, j = rng.integers(m, size=max_pairs), rng.integers(others, size=max_pairs)
        j = j if read.held_out else j + (j >= i)
    else:
        i, j = np.divmod(np.arange(total), others) if read.held_out else np.triu_indices(m, 1)
    distances = _varied("X", read.data.pairs(i, j))
    embedded = _varied("embedding", read.embedding.pairs(i, j))
    return ShepardDiagram(distances, embedded, np.arange(len(i)), total > max_pairs, False, read.held_out)


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
        With `groups` for the pairs of each source, so that `standard_errors` allow for sources that were drawn.

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
    rng, n, m = seeded(random_state), len(read.positions), read.n_points
    sources = draw("max_sources", n, max_sources, rng)
    others = m if read.held_out else m - 1  # a source has no path to itself
    most = max(2, max_pairs // len(sources))
    targets = np.broadcast_to(np.arange(others), (len(sources), others))
    if others > most:
        targets = rng.integers(others, size=(len(sources), most))
    if not read.held_out:
        targets = targets + (targets >= sources[:, None])
    lengths = _varied("X", _lengths(neighbors, read, sources, targets).ravel())
    origin = np.repeat(np.arange(len(sources)), targets.shape[1])
    shown = _varied("embedding", read.embedding.pairs(targets.ravel(), sources[origin]))
    sampled = len(sources) < n or others > most
    return ShepardDiagram(lengths, shown, origin, sampled, True, read.held_out)


def _lengths(neighbors: Neighbors, read: Reading, sources: Index, targets: Index) -> Array:
    """Return the lengths of the shortest paths from sources to targets, by blocks of sources."""
    result = np.empty(targets.shape)
    rows = None if read.new is None else neighbors.rows(read.new)
    for part in slices(len(sources), WORK // max(read.points.shape[0], targets.shape[1])):
        lengths = geodesic_distances(neighbors.graph, sources[part])
        if rows is not None:
            lengths = extend_geodesics(rows, np.ascontiguousarray(lengths.T)).T
        result[part] = np.take_along_axis(lengths, targets[part], axis=1)
    return result


def _varied(name: str, distances: Array) -> Array:
    """Return the distances; raise if they are all equal, up to rounding, so that they have no correlation."""
    low, high = float(distances.min()), float(distances.max())
    if high - low <= 1e-12 * high:
        raise ArgumentError(
            f"{name} has the distance {high:.3g} for all pairs; pass points at different distances."
        )
    return distances
