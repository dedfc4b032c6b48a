"""Plots of embeddings of points: neighbor graphs, neighborhoods, distances, loss and stability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lpgraph._utils.checks import type_of
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.linalg.csr_check import check_structure
from lpgraph.metrics.distances import NeighborCurves, ShepardDiagram
from lpgraph.metrics.methods import ReconstructionLoss, Stability

from . import _drawing
from ._drawing import CURVE, RASTER, finished, new_axes
from ._models import check_result, graph_of, read_points, row_classes
from .layout import drawn_edges
from .palette import COLOURS, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lpgraph._utils.checks import Foreign

    from ._drawing import Style
    from ._models import Labels, Positions


def point_graph(
    graph: object,
    points: Positions | None = None,
    labels: Labels | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Plot the graph of a point cloud over the first two coordinates of the points.

    Parameters
    ----------
    graph : fitted manifold method, or sparse array of shape (n, n)
        For example `Isomap`, whose ``graph_`` is drawn, or the result of `lpgraph.neighbor_graph`.
    points : array-like of shape (n, p) or fitted model, optional
        The points, p >= 2, or some of their columns, or an embedding. Default: the embedding by the fitted method.
    labels : array-like of shape (n,), mapping, pandas Series or fitted model, optional
        Classes, shown as colours. Default: the labels of a method that has some.
    ax : matplotlib axes, optional
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
    Of more than 20 000 edges so many are drawn, chosen at random; the title says so. An axis
    ends at quantiles as in `positions`.

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
    xy = read_points("points", graph if points is None else points)[0][:, :2]
    given = graph_of(graph)
    if not sparse.issparse(given):
        raise ArgumentTypeError(f"graph is {type_of(given)}; pass a method with neighbors, or a sparse array.")
    check_structure("graph", given)
    edges: Foreign = given
    if edges.shape != (len(xy), len(xy)):
        raise ArgumentError(f"points has {len(xy)} rows; pass those of the graph, which has shape {edges.shape}.")
    (classes, codes), axes = row_classes(labels, graph, len(xy)), new_axes(ax)
    row, column, _, told = drawn_edges(abs(edges), directed=True)
    strength = np.clip(8_000 / max(len(row), 1), 0.06, 0.7)
    style: Style = {"colors": GREY, "alpha": strength, "linewidths": 0.7, "rasterized": len(row) > RASTER}
    _drawing.draw_lines(axes, xy[row], xy[column], **style)
    _drawing.draw_classes(axes, xy, codes, classes)
    axes.set_aspect("equal", adjustable="datalim")
    notes = [f"edges: {told}"] * bool(told) + _drawing.limited(axes, xy)
    return finished(axes, "coordinate 1", "coordinate 2", notes, entries=_drawing.class_entries(classes))


def neighbor_curves(result: NeighborCurves, *, ax: Axes | None = None) -> Axes:
    """Plot trustworthiness, continuity and preservation of neighborhoods against the number of neighbors.

    Parameters
    ----------
    result : NeighborCurves
        From `lpgraph.metrics.neighbor_curves`.
    ax : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((60, 3)) * [3, 2, 1]
    >>> lp.plot.neighbor_curves(lp.metrics.neighbor_curves(X, X[:, :2])).get_xscale()
    'log'
    """
    check_result(result, NeighborCurves, "metrics.neighbor_curves")
    axes = new_axes(ax)
    curves = {
        "trustworthiness": result.trustworthiness,
        "continuity": result.continuity,
        "preservation above chance": result.above_chance,
    }
    for (name, values), colour in zip(curves.items(), COLOURS, strict=False):
        axes.semilogx(result.n_neighbors, values, "o-", color=colour, markersize=4, label=name)
    return finished(axes, "neighbors", "mean over points")


def shepard(result: ShepardDiagram, *, ax: Axes | None = None) -> Axes:
    """Plot distances in the embedding against distances in the data, or against geodesic distances.

    The line has the slope of the best scale, where the stress is smallest: pairs on it are embedded without error.

    Parameters
    ----------
    result : ShepardDiagram
        From `lpgraph.metrics.shepard` or `lpgraph.metrics.geodesic_correlation`.
    ax : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Notes
    -----
    The colour of a cell shows the number of its pairs, on a logarithmic scale.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((60, 3)) * [3, 2, 1]
    >>> axes = lp.plot.shepard(lp.metrics.shepard(X, X[:, :2]))
    >>> axes.get_title(loc="left")
    'correlation 0.991, rank correlation 0.987, stress 0.075'
    """
    check_result(result, ShepardDiagram, "metrics.shepard")
    axes = new_axes(ax)
    d, e = result.distances, result.embedded
    axes.hexbin(d, e, gridsize=80, bins="log", mincnt=1, cmap="Blues", linewidths=0.1)
    slope = (e @ e) / (d @ e)
    axes.plot([0, d.max()], [0, slope * d.max()], color=COLOURS[1], linewidth=1.2)
    data = "geodesic distance" if result.geodesic else "distance in the data"
    measures = f"correlation {result.correlation:.3f}, rank correlation {result.rank_correlation:.3f}"
    return finished(axes, data, "distance in the embedding", [f"{measures}, stress {result.stress:.3f}"])


def stability(result: Stability, *, ax: Axes | None = None) -> Axes:
    """Plot training-set variability minus out-of-sample error against the fraction of exchanged points.

    This is Figure 2 of Bengio et al. (2004, Neural Computation). Where the curve crosses zero, the out-of-sample
    error equals the effect of exchanging that fraction of the training points.

    Parameters
    ----------
    result : Stability
        From `lpgraph.metrics.stability`.
    ax : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((40, 3)) * [3, 2, 1]
    >>> found = lp.metrics.stability(lp.manifold.ClassicalMDS(2), X, [0.05, 0.2], random_state=0)
    >>> lp.plot.stability(found).get_xlabel()
    'fraction of training points exchanged'
    """
    check_result(result, Stability, "metrics.stability")
    axes = new_axes(ax)
    axes.axhline(0.0, color=GREY, linewidth=1)
    axes.errorbar(result.fractions, result.difference, yerr=result.half_width, **CURVE)
    return finished(axes, "fraction of training points exchanged", "variability - out-of-sample error")


def loss(result: ReconstructionLoss, *, ax: Axes | None = None) -> Axes:
    """Plot the reconstruction loss against the number of eigenfunctions, for both orders of eigenvalues.

    Parameters
    ----------
    result : ReconstructionLoss
        From `lpgraph.metrics.reconstruction_loss`.
    ax : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> model = lp.manifold.ClassicalMDS(2).fit(np.random.default_rng(0).standard_normal((40, 3)))
    >>> lp.plot.loss(lp.metrics.reconstruction_loss(model)).get_ylabel()
    'in-sample loss'
    """
    check_result(result, ReconstructionLoss, "metrics.reconstruction_loss")
    axes = new_axes(ax)
    counts = np.arange(len(result.positive))
    axes.errorbar(counts, result.positive, label="largest eigenvalues", **CURVE)
    second: Style = CURVE | {"fmt": "s--", "color": COLOURS[1]}
    axes.errorbar(counts, result.magnitude, label="largest magnitudes", **second)
    return finished(axes, "eigenfunctions", "held-out loss" if result.held_out else "in-sample loss")
