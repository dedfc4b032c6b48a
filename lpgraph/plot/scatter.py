"""Scatter plots of an embedding: two dimensions, or all pairs of several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_flag, check_integer, import_extra
from lpgraph.errors import ArgumentError
from lpgraph.graph.vertex_values import row_names
from lpgraph.infer.mixture import PositionMixture
from lpgraph.plot._density import draw_density
from lpgraph.plot._style import RASTER, Classes, legend, new_axes, read_points, row_labels
from lpgraph.plot.ellipses import class_moments, ellipses, mixture_moments

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import ColorType
    from numpy.typing import ArrayLike, NDArray

    from lpgraph.plot._style import Labels

    Array = NDArray[np.float64]

__all__ = ["pairs", "positions"]

#: Number of points above which their density is drawn, since points would overlap.
_DENSITY = 20_000


def positions(
    in_sample: ArrayLike,
    labels: Labels | None = None,
    *,
    out_of_sample: ArrayLike | None = None,
    out_labels: Labels | None = None,
    out_covariance: ArrayLike | None = None,
    dimensions: tuple[int, int] = (0, 1),
    ellipse: str | PositionMixture | None = None,
    level: float = 0.95,
    density: bool | None = None,
    legend: bool = True,
    axes: Axes | None = None,
) -> Axes:
    """Plot two dimensions of an embedding, with training vertices as dots and out-of-sample vertices as crosses.

    Parameters
    ----------
    in_sample : array-like of shape (n, d)
        Positions, with d >= 2 and the columns `dimensions`.
    labels : array-like of shape (n,), mapping or pandas Series, optional
        Classes, shown as colours; a mapping or Series is read by the names of the rows, which are 0 ... n-1 or
        the index of a DataFrame.
    out_of_sample, out_labels : array-like of shape (m, d) and (m,), optional
        Positions and classes of out-of-sample vertices.
    out_covariance : array-like of shape (m, d, d), optional
        Covariances of the out-of-sample positions, from `OutOfSample.covariance`, drawn as ellipses.
    dimensions : (int, int), default (0, 1)
        The columns on the horizontal and vertical axis.
    ellipse : {"classes"} or PositionMixture, optional
        Draw the ellipse of probability `level` of each class (a Gaussian with its mean and covariance), or of
        each component of a mixture, for example ``VertexClustering.mixture_``.
    level : float, default 0.95
        The probability of each ellipse.
    density : bool, optional
        Whether to draw the density of points instead of points. Default: above 20 000 points.
    legend : bool, default True
        Whether to add a legend.
    axes : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    ArgumentError
        If the shapes do not match.
    MissingDependencyError
        If matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> ax = lp.plot.positions(np.eye(3), ["a", "b", "b"])
    >>> ax.get_xlabel()
    'dimension 1'
    """
    dimensions = (
        check_integer("dimensions", dimensions[0], low=0),
        check_integer("dimensions", dimensions[1], low=0),
    )
    points = read_points("in_sample", in_sample, dimensions)
    kinds = row_labels("labels", labels, len(points), row_names(in_sample, len(points)))
    new, new_kinds = None, kinds[:0]
    if out_of_sample is not None:
        new = read_points("out_of_sample", out_of_sample, dimensions)
        if out_labels is not None:
            new_kinds = row_labels("out_labels", out_labels, len(new), row_names(out_of_sample, len(new)))
    elif out_labels is not None or out_covariance is not None:
        raise ArgumentError(
            "out_labels or out_covariance was passed without out_of_sample; pass the positions as well."
        )
    if kinds.dtype.kind != new_kinds.dtype.kind and len(new_kinds):
        kinds, new_kinds = kinds.astype(str), new_kinds.astype(str)
    classes = Classes.of(kinds, new_kinds)
    axes = new_axes(axes)
    _draw(axes, points[:, dimensions], classes.codes(kinds), classes, density)
    if new is not None:
        # New vertices without labels are black if there are classes, else in the colour of the others.
        plain = classes.colours[0] if len(classes.levels) == 1 else (0.1, 0.1, 0.1)
        shade = [classes.colours[c] for c in classes.codes(new_kinds)] or [plain] * len(new)
        x, y = new[:, dimensions].T
        axes.scatter(x, y, s=2 * _size(len(new)), marker="x", c=shade, linewidths=0.9, zorder=2.5)
        if out_covariance is not None:
            ellipses(
                new, out_covariance, level=level, dimensions=dimensions, colours=shade, axes=axes, linewidths=0.6
            )
    _draw_ellipses(axes, ellipse, points, classes.codes(kinds), classes, level, dimensions)
    axes.set_xlabel(f"dimension {dimensions[0] + 1}")
    axes.set_ylabel(f"dimension {dimensions[1] + 1}")
    if legend:
        _name(axes, classes, new is not None)
    return axes


def pairs(
    embedding: ArrayLike,
    labels: Labels | None = None,
    *,
    dimensions: tuple[int, ...] | None = None,
    ellipse: str | PositionMixture | None = None,
    level: float = 0.95,
    density: bool | None = None,
    figure: Figure | None = None,
) -> Figure:
    """Plot all pairs of several dimensions of an embedding, with histograms on the diagonal.

    Parameters
    ----------
    embedding : array-like of shape (n, d)
        Positions.
    labels : array-like of shape (n,), mapping or pandas Series, optional
        Classes, shown as colours.
    dimensions : tuple of int, optional
        The 2 to 8 columns to draw. Default: the first five, or all if fewer.
    ellipse, level, density
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
    width = np.asarray(embedding).shape[1] if np.ndim(embedding) == 2 else 0
    chosen = tuple(range(min(5, width))) if dimensions is None else tuple(dimensions)
    if not 2 <= len(chosen) <= 8:
        raise ArgumentError(f"dimensions={chosen}; pass 2 to 8 columns of an embedding of shape (n, d).")
    points = read_points("embedding", embedding, chosen)
    kinds = row_labels("labels", labels, len(points), row_names(embedding, len(points)))
    classes = Classes.of(kinds)
    codes = classes.codes(kinds)
    k = len(chosen)
    if figure is None:
        side = 1.0 + min(2.2, 9 / k) * k
        figure = import_extra("matplotlib.pyplot", "plot").figure(figsize=(side + 1, side), layout="constrained")
    grid = figure.add_gridspec(k, k)
    panels: dict[tuple[int, int], Axes] = {}
    for i in range(k):
        for j in range(i + 1):
            axes = figure.add_subplot(grid[i, j], sharex=panels.get((k - 1, j)) or panels.get((j, j)))
            panels[i, j] = axes
            if i == j:
                _histograms(axes, points[:, chosen[i]], codes, classes)
            else:
                _draw(axes, points[:, [chosen[j], chosen[i]]], codes, classes, density, k)
                _draw_ellipses(axes, ellipse, points, codes, classes, level, (chosen[j], chosen[i]))
            axes.tick_params(labelsize="x-small", labelbottom=i == k - 1, labelleft=j == 0 and i > 0)
            if i == k - 1:
                axes.set_xlabel(f"dimension {chosen[j] + 1}", fontsize="small")
            if j == 0 and i > 0:
                axes.set_ylabel(f"dimension {chosen[i] + 1}", fontsize="small")
    if len(classes.levels) > 1:
        _name(panels[0, 0], classes, False)
    return figure


def _size(n: int) -> float:
    return float(np.clip(10_000 / max(n, 1), 2, 40))


def _draw(
    axes: Axes, xy: Array, codes: NDArray[np.intp], classes: Classes, density: bool | None, panels: int = 1
) -> None:
    """Draw the points in random order, so that no class hides the others."""
    if (len(xy) > _DENSITY) if density is None else check_flag("density", density):
        draw_density(axes, xy, codes, classes.colours)
        return
    order = np.random.default_rng(0).permutation(len(xy))
    shades = np.array([(*colour, 0.8) for colour in classes.colours])
    for marker in dict.fromkeys(classes.markers):
        with_it = np.array([kind == marker for kind in classes.markers])
        part = order[with_it[codes[order]]]
        axes.scatter(
            xy[part, 0],
            xy[part, 1],
            s=_size(len(xy)) / panels**0.5,
            marker=marker,
            c=shades[codes[part]],
            linewidths=0,
            rasterized=len(xy) > RASTER,
        )


def _draw_ellipses(
    axes: Axes,
    ellipse: str | PositionMixture | None,
    points: Array,
    codes: NDArray[np.intp],
    classes: Classes,
    level: float,
    dimensions: tuple[int, int],
) -> None:
    if ellipse is None:
        return
    if isinstance(ellipse, PositionMixture):
        means, covariances = mixture_moments(ellipse)
        if means.shape[1] != points.shape[1]:
            raise ArgumentError(
                f"ellipse is a mixture in {means.shape[1]} dimensions but the positions have {points.shape[1]}; "
                "pass a mixture fitted to these positions."
            )
        shades: ColorType | Sequence[ColorType] = "black"
    elif ellipse == "classes":
        means, covariances, kept = class_moments(points, codes)
        shades = [classes.colours[k] for k in kept]
    else:
        raise ArgumentError(f'ellipse={ellipse!r}; pass "classes", a PositionMixture or None.')
    if len(means):
        ellipses(means, covariances, level=level, dimensions=dimensions, colours=shades, axes=axes)


def _histograms(axes: Axes, values: Array, codes: NDArray[np.intp], classes: Classes) -> None:
    edges = np.histogram_bin_edges(values, bins=min(60, max(10, int(np.sqrt(len(values)))))).tolist()
    for k, colour in enumerate(classes.colours):
        axes.hist(values[codes == k], bins=edges, color=colour, histtype="stepfilled", alpha=0.35)
        axes.hist(values[codes == k], bins=edges, color=colour, histtype="step", linewidth=1)
    axes.set_yticks([])


def _name(axes: Axes, classes: Classes, new: bool) -> None:
    entries: list[dict[str, object]] = []
    if len(classes.levels) > 1:
        named = zip(classes.levels, classes.colours, classes.markers, strict=True)
        entries = [{"label": level, "color": colour, "marker": marker} for level, colour, marker in named]
    if new:
        entries += [
            {"label": "in-sample", "color": "0.5"},
            {"label": "out-of-sample", "color": "0.5", "marker": "x"},
        ]
    if entries:
        legend(axes, entries)
