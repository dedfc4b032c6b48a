"""Scatter plots of all pairs of several dimensions of an embedding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import import_extra
from lpgraph.errors import ArgumentError
from lpgraph.graph.vertex_values import row_names
from lpgraph.infer.mixture import PositionMixture
from lpgraph.plot._marks import draw_new
from lpgraph.plot._models import classified, ellipses_of, labels_of
from lpgraph.plot._new_points import NewPoints, of_one_kind
from lpgraph.plot._points import Ellipses, checked_scaling, class_entries, cut_caption, density_drawn, draw
from lpgraph.plot._style import LEGEND_ROWS, handles, read_points, row_labels
from lpgraph.plot.palette import GREY, Classes
from lpgraph.plot.scaling import limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.gridspec import GridSpec
    from numpy.typing import ArrayLike, NDArray
    from sklearn.base import BaseEstimator

    from lpgraph.infer.cluster import VertexClustering
    from lpgraph.plot._models import Positions
    from lpgraph.plot._style import Labels

    Array = NDArray[np.float64]

__all__ = ["pairs"]

#: Number of classes above which the histograms are those of all points, since they would overlap.
_HISTOGRAMS = 8

#: Margins in inches, for the ticks and labels, and for the caption.
_LEFT, _BOTTOM, _TOP = 0.75, 0.55, 0.35

#: A legend of so many entries fits beside the panels of the smallest grid.
_FEW_ENTRIES = 8


def pairs(
    embedding: Positions,
    labels: Labels | BaseEstimator | None = None,
    *,
    out_of_sample: ArrayLike | None = None,
    out_labels: Labels | None = None,
    dimensions: tuple[int, ...] | None = None,
    scale: str = "auto",
    ellipse: str | PositionMixture | VertexClustering | None = None,
    level: float = 0.95,
    density: bool | None = None,
    figure: Figure | None = None,
) -> Figure:
    """Plot all pairs of several dimensions of an embedding, with histograms on the diagonal.

    Parameters
    ----------
    embedding : array-like of shape (n, d) or fitted model
        Positions; or a fitted embedding, classifier or clustering.
    labels : array-like of shape (n,), mapping, pandas Series or fitted model, optional
        Classes, shown as colours. Default: the labels of a model that has some.
    out_of_sample, out_labels : array-like of shape (m, d) and (m,), optional
        Positions and classes of new vertices, which are drawn as crosses; histograms do not count them.
    dimensions : tuple of int, optional
        The 2 to 8 columns to draw. Default: the first five, or all if fewer.
    scale, ellipse, level, density
        As for `positions`.
    figure : matplotlib figure, optional
        Figure to draw into. Default: a new figure.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ArgumentError
        If there are fewer than two or more than eight dimensions.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> figure = lp.plot.pairs(np.random.default_rng(0).normal(size=(50, 3)), np.arange(50) % 2)
    >>> len(figure.axes)
    6
    """
    embedding, labels = classified("embedding", embedding, labels)
    ellipse = ellipses_of(ellipse)
    width = np.asarray(embedding).shape[1] if np.ndim(embedding) == 2 else 0
    chosen = tuple(range(min(5, width))) if dimensions is None else tuple(dimensions)
    if not 2 <= len(chosen) <= 8:
        raise ArgumentError(f"dimensions={chosen}; pass 2 to 8 columns of an embedding of shape (n, d).")
    points = read_points("embedding", embedding, chosen)
    kinds = row_labels("labels", labels, len(points), row_names(embedding, len(points)))
    kinds, new = of_one_kind(kinds, NewPoints.of(out_of_sample, labels_of(out_labels), chosen, kinds))
    classes = Classes.of(kinds, kinds[:0] if new is None else new.kinds)
    codes = classes.codes(kinds)
    scaling = checked_scaling(scale, points, fixed=isinstance(ellipse, PositionMixture))
    shown = scaling(points, chosen)
    crosses = np.empty((0, len(chosen))) if new is None else scaling(new.points, chosen, points)
    both = np.vstack([shown, crosses])
    ends = [limits(column) for column in both.T]
    image, outlines, k = density_drawn(density, len(points)), Ellipses(ellipse, level), len(chosen)
    entries = class_entries(classes, density=image)
    if new is not None:
        entries = new.entries(classes, entries)
    figure, grid = _grid(k, entries, figure)
    panels: dict[tuple[int, int], Axes] = {}
    for i in range(k):
        for j in range(i + 1):
            axes = figure.add_subplot(grid[i, j], sharex=panels.get((k - 1, j)) or panels.get((j, j)))
            panels[i, j] = axes
            if i == j:
                _histograms(axes, shown[:, i], ends[i], codes, classes)
            else:
                xy = shown[:, [j, i]]
                draw(axes, xy, codes, classes, (ends[j], ends[i]), density=image, panels=k)
                if new is not None:
                    draw_new(axes, crosses[:, [j, i]], new.colours(classes), k)
                outlines.draw(axes, xy, codes, classes, (chosen[j], chosen[i]), points.shape[1])
            _label(axes, i, j, chosen)
    if entries:
        made, columns = handles(entries)
        figure.legend(
            handles=made,
            loc="upper right",
            ncols=columns,
            frameon=False,
            fontsize="small",
            columnspacing=1.0,
        )
    done = [*scaling.caption(points.shape[1], chosen), *cut_caption(both, ends)]
    if done:
        figure.suptitle("; ".join(done), fontsize="small", x=0.01, ha="left", color="0.35")
    return figure


def _grid(k: int, entries: Sequence[Mapping[str, object]], figure: Figure | None) -> tuple[Figure, GridSpec]:
    """Return the figure and a grid of k x k panels with gaps of one size, with space for the legend."""
    side, gap = min(2.2, 9 / k), 0.12
    columns = -(-len(entries) // LEGEND_ROWS)
    fits = columns < k - 1 or len(entries) <= _FEW_ENTRIES
    longest = max((len(str(entry["label"])) for entry in entries), default=0)
    right = 0.15 if fits else columns * (0.45 + 0.075 * min(longest, 30))
    across, down = _LEFT + k * side + (k - 1) * gap + right, _BOTTOM + k * side + (k - 1) * gap + _TOP
    if figure is None:
        figure = import_extra("matplotlib.pyplot", "plot").figure(figsize=(across, down))
    grid = figure.add_gridspec(
        k,
        k,
        left=_LEFT / across,
        right=1 - right / across,
        bottom=_BOTTOM / down,
        top=1 - _TOP / down,
        wspace=gap / side,
        hspace=gap / side,
    )
    return figure, grid


def _histograms(
    axes: Axes, values: Array, ends: tuple[float, float, bool], codes: NDArray[np.intp], classes: Classes
) -> None:
    """Draw a histogram of each class, or one of all points if there are many classes."""
    inside = (values >= ends[0]) & (values <= ends[1])
    number = min(60, max(10, int(np.sqrt(len(values)))))
    edges = np.histogram_bin_edges(values[inside], bins=number).tolist()
    if ends[2]:
        axes.set_xlim(*ends[:2])
    many = len(classes.levels) > _HISTOGRAMS
    parts = [(inside, GREY)] if many else [(inside & (codes == k), c) for k, c in enumerate(classes.colours)]
    for part, colour in parts:
        axes.hist(values[part], bins=edges, color=colour, histtype="stepfilled", alpha=0.35)
        axes.hist(values[part], bins=edges, color=colour, histtype="step", linewidth=1)
    axes.set_yticks([])


def _label(axes: Axes, i: int, j: int, chosen: tuple[int, ...]) -> None:
    """Label the panel in row i and column j, if it is on the left or lower side of the grid."""
    k = len(chosen)
    axes.tick_params(labelsize="x-small", labelbottom=i == k - 1, labelleft=j == 0 and i > 0)
    if i == k - 1:
        axes.set_xlabel(f"dimension {chosen[j] + 1}", fontsize="small")
    if j == 0 and i > 0:
        axes.set_ylabel(f"dimension {chosen[i] + 1}", fontsize="small")
