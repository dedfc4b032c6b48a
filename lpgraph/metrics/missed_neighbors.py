"""Continuity: whether neighbors in the data are near in an embedding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph.metrics.neighbor_measure import NeighborMeasure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike

    from lpgraph.metrics.reading import Embedded
    from lpgraph.points.types import Metric

__all__ = ["continuity"]


def continuity(
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
    r"""Return how far neighbors in the data are from being neighbors in the embedding.

    This is `trustworthiness` with data and embedding exchanged: with :math:`\rho(i, j)` the rank of point j among
    the distances from i in the embedding, and :math:`V_k(i)` the k nearest points of i in the data, the value of
    point i is

    .. math:: C_i = 1 - \frac{2}{k (2n - 3k - 1)} \sum_{j \in V_k(i)} \max(\rho(i, j) - k, 0).

    An embedding that puts distant points together is not trustworthy. One that tears neighbors apart is not
    continuous.

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
    study", ICANN 2001, M_2.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> angle = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> float(lp.metrics.trustworthiness(circle, angle[:, None])) > 0.99  # a circle that was cut open
    True
    >>> found = lp.metrics.continuity(circle, angle[:, None])
    >>> np.flatnonzero(found.values < 0.9)  # near the cut
    array([ 0,  1,  2, 97, 98, 99])
    """
    return NeighborMeasure.of(
        "continuity", X, embedding, n_neighbors, metric, new, new_embedding, max_points, random_state
    )
