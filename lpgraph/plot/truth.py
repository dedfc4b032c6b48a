"""Plot of estimated positions over true positions after Procrustes alignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import import_extra
from lpgraph.errors import ArgumentError
from lpgraph.graph.vertex_values import row_names
from lpgraph.models.graphs import LatentPositionGraph
from lpgraph.plot._marks import draw_marks
from lpgraph.plot._models import classified, positions_of
from lpgraph.plot._points import class_entries, equal_axes
from lpgraph.plot._style import legend, new_axes, point_size, read_points, row_labels, with_legend
from lpgraph.plot.palette import Classes
from lpgraph.spectral.alignment import procrustes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.base import BaseEstimator

    from lpgraph.plot._models import Positions
    from lpgraph.plot._style import Labels

__all__ = ["truth"]

#: Maximum number of vertices drawn: lines between more estimates and true positions would cover each other.
_DRAWN = 1_000


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
        The title is the root mean square distance between estimated and true positions over all dimensions and
        vertices; at most 1000 of them, chosen at random, are drawn.

    Raises
    ------
    ArgumentError
        If the shapes differ, or there is no row.

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
    if not len(found):
        raise ArgumentError("estimate has 0 rows; pass the positions of at least one vertex.")
    turned = found @ procrustes(found, real)
    kinds = row_labels("labels", labels, len(found), row_names(estimate, len(found)))
    classes = Classes.of(kinds)
    error = float(np.sqrt(((turned - real) ** 2).sum(axis=1).mean()))
    entries: list[dict[str, object]] = [{"label": "true", "color": "0.35", "fillstyle": "none"}]
    several = class_entries(classes, density=False)
    entries += [{**entry, "label": f"estimated, {entry['label']}"} for entry in several]
    if not several:
        entries.append({"label": "estimated", "color": classes.colours[0]})
    axes = new_axes(axes, with_legend((5.6, 5.0), entries))
    drawn, notes = np.arange(len(found)), [f"root mean square distance {error:.3g}"]
    if len(found) > _DRAWN:
        drawn = np.random.default_rng(0).choice(len(found), _DRAWN, replace=False)
        notes.append(f"{_DRAWN} of {len(found)} vertices drawn, chosen at random")
    a, b, size = turned[drawn][:, dimensions], real[drawn][:, dimensions], 0.6 * point_size(len(drawn))
    lines = import_extra("matplotlib.collections", "plot").LineCollection
    axes.add_collection(lines(np.stack([b, a], axis=1), colors="0.8", linewidths=0.5, zorder=1))
    axes.scatter(b[:, 0], b[:, 1], s=size, facecolors="none", edgecolors="0.35", linewidths=0.7, zorder=4)
    draw_marks(axes, a, classes.codes(kinds)[drawn], classes, size=size, opacity=0.8, zorder=3)
    notes += equal_axes(axes, np.vstack([a, b]))
    axes.set_xlabel(f"position {dimensions[0] + 1}")
    axes.set_ylabel(f"position {dimensions[1] + 1}")
    axes.set_title("\n".join(notes), fontsize="medium" if len(notes) == 1 else "small")
    legend(axes, entries)
    return axes
