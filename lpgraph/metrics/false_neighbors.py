"""Trustworthiness: whether neighbors in an embedding are near in the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph.metrics.neighbor_measure import NeighborMeasure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

    from lpgraph.metrics.reading import Embedded
    from lpgraph.points.types import Metric

__all__ = ["trustworthiness"]


def trustworthiness(
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
    r"""Return how far neighbors in the embedding are from being neighbors in the data.

    With :math:`r(i, j)` the rank of point j among the distances from i in the data, and :math:`U_k(i)` the k
    nearest points of i in the embedding, the value of point i is

    .. math:: T_i = 1 - \frac{2}{k (2n - 3k - 1)} \sum_{j \in U_k(i)} \max(r(i, j) - k, 0).

    It is 1 if the neighbors in the embedding are those in the data, and 0 if they are the farthest points. For new
    points, n - 1 is the number of training points.

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
    Venna, J. & Kaski, S. (2001), "Neighborhood preservation in nonlinear projection methods: an experimental
    study", ICANN 2001, M_1. The mean is that of `sklearn.manifold.trustworthiness` if there are no ties.

    Examples
    --------
    >>> import lpgraph as lp
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> model = lp.manifold.Isomap(2, n_neighbors=10, components="bridge").fit(X[::2])
    >>> lp.metrics.trustworthiness(X[::2], model)
    NeighborMeasure(trustworthiness 0.955, 5 neighbors, 75 points)
    >>> lp.metrics.trustworthiness(X[::2], model, new=X[1::2])
    NeighborMeasure(trustworthiness 0.960, 5 neighbors, 75 new points)
    """
    return NeighborMeasure.of(
        "trustworthiness", X, embedding, n_neighbors, metric, new, new_embedding, max_points, random_state
    )
