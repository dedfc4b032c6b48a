"""Neighborhood preservation: the share of nearest neighbors that an embedding keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph.metrics.neighbor_measure import NeighborMeasure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

    from lpgraph.metrics.reading import Embedded
    from lpgraph.points.types import Metric

__all__ = ["neighborhood_preservation"]


def neighborhood_preservation(
    X: object,
    embedding: Embedded,
    n_neighbors: int = 5,
    *,
    metric: Metric | None = None,
    new: object = None,
    new_embedding: ArrayLike | None = None,
    max_points: int = 5000,
    random_state: int | np.random.Generator | None = None,
) -> NeighborMeasure:
    r"""Return the share of the k nearest neighbors in the data that are so in the embedding also.

    The mean is :math:`Q_{NX}(k)` of the co-ranking matrix. Positions at random keep a share of about k / (n - 1);
    `neighbor_curves` also returns the share above chance, for many k.

    Parameters
    ----------
    X : array-like or sparse array of shape (n, p), or (n, n)
        Training points or, with ``"precomputed"``, their distances.
    embedding : array-like of shape (n, d) or fitted estimator
        Their positions, or an embedding fitted to X, such as those of `lpgraph.manifold` and scikit-learn. Its
        distances are Euclidean.
    n_neighbors : int, default 5
        The number k of neighbors, at most half of the other points.
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

    Notes
    -----
    Ties count as if they were broken at random, in expectation: the value does not depend on the order of the
    points. Distances are equal if they differ by less than one part in 10^10.

    References
    ----------
    Lee, J. A. & Verleysen, M. (2009), "Quality assessment of dimensionality reduction: rank-based criteria",
    Neurocomputing 72, Q_NX.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> lp.metrics.neighborhood_preservation(X, X[:, [0, 2]])
    NeighborMeasure(neighborhood preservation 0.549, 5 neighbors, 150 points)
    """
    return NeighborMeasure.of(
        "neighborhood preservation",
        X,
        embedding,
        n_neighbors,
        metric,
        new,
        new_embedding,
        max_points,
        random_state,
    )
