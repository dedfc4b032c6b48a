"""Distances in an embedding against geodesic distances: lengths of shortest paths in the neighbor graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_choice, check_generator, check_integer
from lpgraph._slices import slices
from lpgraph.manifold.connected_neighbors import Neighbors
from lpgraph.metrics.comparison import Space, draw
from lpgraph.metrics.distance_pairs import ShepardDiagram, check_varied
from lpgraph.metrics.reading import Reading
from lpgraph.points.geodesic import extend_geodesics, geodesic_distances
from lpgraph.points.metric import WORK

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lpgraph.metrics.reading import Embedded
    from lpgraph.points.types import Array, Metric

    Index = NDArray[np.intp]

__all__ = ["geodesic_correlation"]


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
    random_state: int | np.random.Generator | None = None,
) -> ShepardDiagram:
    r"""Compare distances in an embedding with lengths of shortest paths in the neighbor graph of the points.

    An unrolled surface keeps geodesic distances, not distances in space. The `residual_variance` of the result,
    :math:`1 - r^2` with the correlation r, is the measure of Isomap's paper for a number of dimensions.

    Parameters
    ----------
    X : array-like or sparse array of shape (n, p), or (n, n)
        Training points or, with ``"precomputed"``, their distances, possibly a sparse array of those of neighbors.
    embedding : array-like of shape (n, d) or fitted estimator
        Their positions, or an embedding fitted to X, as for `trustworthiness`.
    n_neighbors : int, default 5
        Points are joined if one is among the `n_neighbors` nearest of the other, ties included.
    metric : str or callable, optional
        As for `trustworthiness`.
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
    rng = check_generator(0 if random_state is None else random_state)
    n = len(read.positions)
    sources = draw("max_sources", n, max_sources, rng)
    m = n if read.new_positions is None else len(read.new_positions)
    targets = _targets(sources, m, max(2, max_pairs // len(sources)), rng, held_out=read.held_out)
    lengths = _lengths(neighbors, read, sources, targets)
    origin = np.repeat(np.arange(len(sources)), targets.shape[1])
    positions = Space.of("embedding", read.positions, read.new_positions)
    shown = check_varied("embedding", positions.pairs(targets.ravel(), sources[origin]))
    complete = len(sources) == n and targets.shape[1] == m - (not read.held_out)
    return ShepardDiagram(check_varied("X", lengths.ravel()), shown, origin, not complete, True, read.held_out)


def _targets(sources: Index, m: int, most: int, rng: np.random.Generator, *, held_out: bool) -> Index:
    """Return the points to which paths from each source lead: all others, or `most` at random."""
    others = m if held_out else m - 1  # a source has no path to itself
    if others <= most:
        chosen = np.broadcast_to(np.arange(others), (len(sources), others))
    else:
        chosen = rng.integers(others, size=(len(sources), most))
    return chosen if held_out else chosen + (chosen >= sources[:, None])


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
