"""Plot of the graph of a point cloud over the points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.decomposition import PCA

from lpgraph._articles import a_type
from lpgraph._checks import import_extra
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.linalg.csr_check import check_structure
from lpgraph.plot._models import graph_of, positions_of
from lpgraph.plot._points import class_entries, density_drawn, draw, equal_axes
from lpgraph.plot._style import RASTER, caption, legend, new_axes, read_points, row_labels, with_legend
from lpgraph.plot.palette import GREY, Classes
from lpgraph.plot.scaling import limits

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from lpgraph.plot._models import Positions
    from lpgraph.plot._style import Labels

    Array = NDArray[np.float64]

__all__ = ["point_graph"]

#: Maximum number of edges drawn; a random sample of this size looks like the whole.
_EDGES = 200_000


def point_graph(
    graph: object,
    points: Positions | None = None,
    labels: Labels | BaseEstimator | None = None,
    *,
    dimensions: tuple[int, int] | None = None,
    axes: Axes | None = None,
) -> Axes:
    """Plot the graph of a point cloud over two coordinates of the points.

    Parameters
    ----------
    graph : fitted manifold method, or sparse array of shape (n, n)
        For example `Isomap`, whose ``graph_`` is drawn, or the result of `lpgraph.neighbor_graph`.
    points : array-like of shape (n, p) or fitted model, optional
        The points, p >= 2, or an embedding of them. Default: the embedding by the fitted method.
    labels : array-like of shape (n,), mapping, pandas Series or fitted model, optional
        Classes, shown as colours. Default: the labels of a method that has some.
    dimensions : (int, int), optional
        The coordinates to draw. None: the first two, or the first two principal components if one of those two is
        the same for all points, as in images with a margin; the axes then say so.
    axes : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    ArgumentError
        If the number of points is not the number of vertices.

    ArgumentTypeError
        If the graph is dense, like the kernel matrix of a method without neighbors.

    Notes
    -----
    At most 200 000 edges are drawn. If there are more, a random sample is drawn and the title says so. Above
    20 000 points their density is drawn. An axis ends at quantiles as in `positions`.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> X = np.random.default_rng(0).random((200, 2))
    >>> ax = lp.plot.point_graph(lp.neighbor_graph(X, n_neighbors=5), X)
    >>> len(ax.collections)
    2
    """
    if points is None and not hasattr(graph, "get_params"):
        raise ArgumentError("points was not passed, and graph holds none; pass the points.")
    shown = positions_of("points", graph if points is None else points)
    given, labels = graph_of(graph, labels)
    if not sparse.issparse(given):
        raise ArgumentTypeError(
            f"graph is {a_type(given)}, not sparse; pass a method with neighbors, or a sparse array."
        )
    check_structure("graph", given)
    xy, titles = _two_columns(read_points("points", shown, dimensions or (0, 1)), dimensions)
    edges: Any = given
    if edges.shape != (len(xy), len(xy)):
        raise ArgumentError(
            f"points has {len(xy)} rows but the graph has shape {edges.shape}; pass the points of the graph."
        )
    kinds = row_labels("labels", labels, len(xy))
    classes = Classes.of(kinds)
    # An edge stored in either or both directions is one line.
    row, column = sparse.triu(abs(edges) + abs(edges).T, k=1, format="coo").coords
    codes, image = classes.codes(kinds), density_drawn(None, len(xy))
    entries = class_entries(classes, density=image)
    axes = new_axes(axes, with_legend((6.0, 4.5), entries))
    notes = []
    if len(row) > _EDGES:
        notes.append(f"{_EDGES} of {len(row)} edges")
        few = np.random.default_rng(0).choice(len(row), _EDGES, replace=False)
        row, column = row[few], column[few]
    lines = import_extra("matplotlib.collections", "plot").LineCollection
    strength = float(np.clip(8_000 / max(len(row), 1), 0.06, 0.7))
    axes.add_collection(
        lines(
            np.stack([xy[row], xy[column]], axis=1),
            colors=GREY,
            alpha=strength,
            linewidths=0.7,
            zorder=1,
            rasterized=len(row) > RASTER,
        )
    )
    draw(axes, xy, codes, classes, (limits(xy[:, 0]), limits(xy[:, 1])), density=image)
    notes += equal_axes(axes, xy)
    axes.set_xlabel(titles[0])
    axes.set_ylabel(titles[1])
    caption(axes, notes)
    if entries:
        legend(axes, entries)
    return axes


def _two_columns(points: Array, dimensions: tuple[int, int] | None) -> tuple[Array, list[str]]:
    """Return the two columns that are drawn, and their titles."""
    chosen = (0, 1) if dimensions is None else dimensions
    xy = points[:, chosen]
    flat = (np.ptp(xy, axis=0) == 0).any() if len(xy) else False
    if dimensions is None and flat and points.shape[1] > 2 and np.ptp(points, axis=0).any():
        scores = PCA(2, random_state=0).fit_transform(points)
        return scores, [f"principal component {k + 1} of {points.shape[1]} columns" for k in range(2)]
    return xy, [f"coordinate {column + 1}" for column in chosen]
