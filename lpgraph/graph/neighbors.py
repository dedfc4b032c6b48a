"""The neighbour graph of points, as a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lpgraph._checks import check_choice
from lpgraph.graph.neighborhood import Neighborhood

if TYPE_CHECKING:
    from typing import Any

    from scipy import sparse

__all__ = ["Neighborhood", "neighbor_graph"]


def neighbor_graph(
    X: Any,
    *,
    n_neighbors: int | None = None,
    radius: float | None = None,
    metric: Any = "euclidean",
    mode: str = "distance",
) -> sparse.csr_array:
    """Return the graph that joins every point to its neighbours.

    Points are neighbours if one is among the k nearest others of the other, or if they are within the radius.
    All ties count, so the graph is symmetric and does not depend on the order of the points.

    Parameters
    ----------
    X : array_like or sparse array of shape (n, p)
        The points; their (n, n) distances with ``metric="precomputed"``, all of them or, as a sparse array, those
        that are listed.
    n_neighbors : int, optional
        The k of the rule.
    radius : float, optional
        The radius, infinity for all pairs (of those that are listed); exactly one of both is given.
    metric : str or callable, default "euclidean"
        A metric's name in scikit-learn, a function of two points, or ``"precomputed"``.
    mode : {"distance", "connectivity"}
        What the entries are: distances, or ones.

    Returns
    -------
    csr_array of shape (n, n)
        With an empty diagonal. Distances that are 0 are stored: they are edges.

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
    graph = Neighborhood.of(X, n_neighbors=n_neighbors, radius=radius, metric=metric).distances
    if mode == "connectivity":
        graph.data[:] = 1.0
    return graph
