"""A graph drawn over the points it was made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lpgraph._checks import import_extra
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.plot._style import GREY, RASTER, Classes, legend, new_axes, read_labels, read_points

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["point_graph"]

#: Edges drawn one by one; beyond that they are a blur, and a share of them is that blur already.
_EDGES = 200_000


def point_graph(
    graph: Any,
    points: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    dimensions: tuple[int, int] = (0, 1),
    axes: Any = None,
) -> Any:
    """Draw the graph that a method made of points, over two coordinates of the points.

    Parameters
    ----------
    graph : fitted manifold method, or sparse array of shape (n, n)
        Such as `Isomap`, whose ``graph_`` is drawn, or what `lpgraph.neighbor_graph` returns.
    points : array-like of shape (n, p)
        The points, p >= 2; an embedding of them does as well.
    labels : array-like of shape (n,), optional
        Classes, one colour each.
    dimensions : (int, int), default (0, 1)
        Which coordinates to draw.
    axes : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    ArgumentError
        If there are not as many points as vertices.
    ArgumentTypeError
        If the graph joins every pair, as the kernel of a method without neighbours does.

    Notes
    -----
    Of more than 200 000 edges that many are drawn, chosen at random; the title says so.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> X = np.random.default_rng(0).random((200, 2))
    >>> ax = lp.plot.point_graph(lp.neighbor_graph(X, n_neighbors=5), X)
    >>> len(ax.collections)
    2
    """
    given: Any = graph.graph_ if hasattr(graph, "graph_") else graph
    if not sparse.issparse(given):
        raise ArgumentTypeError(
            f"graph is a {type(given).__name__}, which joins every pair; pass a method with neighbours, or a "
            "sparse array."
        )
    xy = read_points("points", points, dimensions)[:, dimensions]
    edges: Any = given
    if edges.shape != (len(xy), len(xy)):
        raise ArgumentError(
            f"points has {len(xy)} rows but the graph has shape {edges.shape}; pass its own points."
        )
    kinds = read_labels("labels", labels, len(xy))
    classes = Classes.of(kinds)
    # A line is drawn once, whichever way its edge is stored.
    ends: Any = sparse.triu(abs(edges) + abs(edges).T, k=1, format="coo")
    row, column = ends.coords
    axes = new_axes(axes)
    if len(row) > _EDGES:
        axes.set_title(f"{_EDGES} of {len(row)} edges", fontsize="medium")
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
    shades = np.array([colour[:3] for colour in classes.colours])[classes.codes(kinds)]
    size = float(np.clip(8_000 / len(xy), 1.5, 30))
    axes.scatter(*xy.T, s=size, c=shades, linewidths=0, zorder=2, rasterized=len(xy) > RASTER)
    axes.set_aspect("equal", adjustable="datalim")
    axes.autoscale_view()
    axes.set_xlabel(f"coordinate {dimensions[0] + 1}")
    axes.set_ylabel(f"coordinate {dimensions[1] + 1}")
    if len(classes.levels) > 1:
        line = import_extra("matplotlib.lines", "plot").Line2D
        named = zip(classes.levels, classes.colours, strict=True)
        legend(axes, [line([], [], linestyle="", marker="o", color=c, label=str(level)) for level, c in named])
    return axes
