"""Plot of estimated positions over true positions after Procrustes alignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import import_extra
from lpgraph.graph.vertex_values import row_names
from lpgraph.models.graphs import LatentPositionGraph
from lpgraph.plot._models import classified, positions_of
from lpgraph.plot._style import RASTER, legend, new_axes, read_points, row_labels
from lpgraph.plot.palette import GREY, Classes
from lpgraph.spectral.alignment import procrustes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.base import BaseEstimator

    from lpgraph.plot._models import Positions
    from lpgraph.plot._style import Labels

__all__ = ["truth"]

#: Maximum number of vertices for which lines join estimates and true positions.
_LINES = 1_000


def truth(
    estimate: Positions,
    positions: Positions,
    labels: Labels | BaseEstimator | None = None,
    *,
    dimensions: tuple[int, int] = (0, 1),
    axes: Axes | None = None,
) -> Axes:
    """Plot estimated positions, aligned by Procrustes rotation, over the true positions.

    Parameters
    ----------
    estimate : array-like of shape (n, d) or fitted model
        Estimated positions, for example ``embedding_ / np.sqrt(sparsity)``; or a fitted embedding, classifier or
        clustering.
    positions : array-like of shape (n, d) or sampled graph
        True positions. For a sampled graph, the positions of a fitted model are divided by the root of the graph's
        sparsity.
    labels : array-like of shape (n,), mapping, pandas Series or fitted model, optional
        Classes of the estimates, shown as colours. Default: the labels of a model that has some.
    dimensions : (int, int), default (0, 1)
        The columns of the true positions to draw.
    axes : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes
        The title is the root mean square distance between estimated and true positions over all dimensions.

    Raises
    ------
    ArgumentError
        If the shapes differ.

    Notes
    -----
    The rotation is computed by `lpgraph.procrustes`; it is W in Theorem 4 of Tang, Park & Priebe (2013). Positions
    of an indefinite model are identified only up to an indefinite rotation, so that they may not match after it.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> X = np.random.default_rng(0).dirichlet([1, 1, 1], 300)
    >>> graph = lp.random_dot_product_graph(X, random_state=1)
    >>> ax = lp.plot.truth(lp.AdjacencySpectralEmbedding(3).fit_transform(graph), graph.positions)
    >>> ax.get_title()
    'root mean square distance 0.139'
    """
    scale = 1.0
    if isinstance(positions, LatentPositionGraph) and hasattr(estimate, "get_params"):
        scale = float(positions.model.sparsity) ** -0.5
    estimate, labels = classified("estimate", estimate, labels)
    positions = positions_of("positions", positions)
    found = scale * read_points("estimate", estimate, dimensions)
    real = read_points("positions", positions, dimensions)
    turned = found @ procrustes(found, real)
    kinds = row_labels("labels", labels, len(found), row_names(estimate, len(found)))
    classes = Classes.of(kinds)
    error = float(np.sqrt(((turned - real) ** 2).sum(axis=1).mean()))
    axes = new_axes(axes, (5.6, 5.0))
    a, b = turned[:, dimensions], real[:, dimensions]
    n = len(a)
    size = float(np.clip(6_000 / n, 1.5, 30))
    if n <= _LINES:
        lines = import_extra("matplotlib.collections", "plot").LineCollection
        axes.add_collection(lines(np.stack([b, a], axis=1), colors="0.8", linewidths=0.5, zorder=1))
    true = axes.scatter(b[:, 0], b[:, 1], s=size, facecolors="none", edgecolors=GREY, linewidths=0.7, zorder=2)
    shades = np.array(classes.colours)[classes.codes(kinds)]
    estimated = axes.scatter(a[:, 0], a[:, 1], s=size, c=shades, linewidths=0, alpha=0.8, zorder=3)
    for points in (true, estimated):
        points.set_rasterized(n > RASTER)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel(f"position {dimensions[0] + 1}")
    axes.set_ylabel(f"position {dimensions[1] + 1}")
    axes.set_title(f"root mean square distance {error:.3g}", fontsize="medium")
    names = [f"estimated, {level}" for level in classes.levels] if len(classes.levels) > 1 else ["estimated"]
    entries: list[dict[str, object]] = [{"label": "true", "color": GREY, "fillstyle": "none"}]
    entries += [{"label": name, "color": colour} for name, colour in zip(names, classes.colours, strict=True)]
    legend(axes, entries)
    return axes
