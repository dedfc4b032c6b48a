"""Scatters of an embedding: two dimensions, or all pairs of several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lpgraph._checks import check_flag, check_integer, import_extra
from lpgraph.errors import ArgumentError
from lpgraph.infer.mixture import PositionMixture
from lpgraph.plot._density import draw_density
from lpgraph.plot._style import RASTER, Classes, legend, new_axes, read_labels, read_points
from lpgraph.plot.ellipses import class_moments, ellipses, mixture_moments

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

__all__ = ["pairs", "positions"]

#: From this many points on, points would hide each other: their density is drawn.
_DENSITY = 20_000


def positions(
    in_sample: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    out_of_sample: ArrayLike | None = None,
    out_labels: ArrayLike | None = None,
    out_covariance: ArrayLike | None = None,
    dimensions: tuple[int, int] = (0, 1),
    ellipse: str | PositionMixture | None = None,
    level: float = 0.95,
    density: bool | None = None,
    legend: bool = True,
    axes: Any = None,
) -> Any:
    """Draw two dimensions of an embedding, in-sample vertices as dots and out-of-sample ones as crosses.

    Parameters
    ----------
    in_sample : array-like of shape (n, d)
        Positions, d >= 2 (or the two `dimensions` at least).
    labels : array-like of shape (n,), optional
        Classes, one colour each.
    out_of_sample, out_labels : array-like of shape (m, d) and (m,), optional
        The same of vertices that arrived later.
    out_covariance : array-like of shape (m, d, d), optional
        Covariances of the out-of-sample positions, from `OutOfSample.covariance`, drawn as ellipses.
    dimensions : (int, int), default (0, 1)
        Which columns to draw, horizontally and vertically.
    ellipse : {"classes"} or PositionMixture, optional
        Draw the ellipse that holds the share `level` of each class (a Gaussian of its mean and covariance), or of
        each component of a mixture, such as ``VertexClustering.mixture_``.
    level : float, default 0.95
        The share that an ellipse holds.
    density : bool, optional
        Whether to draw how many points there are, rather than the points; None does so from 20 000 points on.
    legend : bool, default True
        Whether to name the classes.
    axes : matplotlib axes, optional
        Where to draw.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    ArgumentError
        If the shapes do not fit each other.
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
    kinds = read_labels("labels", labels, len(points))
    new, new_kinds = None, kinds[:0]
    if out_of_sample is not None:
        new = read_points("out_of_sample", out_of_sample, dimensions)
        if out_labels is not None:
            new_kinds = read_labels("out_labels", out_labels, len(new))
    elif out_labels is not None or out_covariance is not None:
        raise ArgumentError(
            "out_labels or out_covariance was passed without out_of_sample; pass the positions too."
        )
    if kinds.dtype.kind != new_kinds.dtype.kind and len(new_kinds):
        kinds, new_kinds = kinds.astype(str), new_kinds.astype(str)
    classes = Classes.of(kinds, new_kinds)
    axes = new_axes(axes)
    _draw(axes, points[:, dimensions], classes.codes(kinds), classes, density)
    if new is not None:
        # Beside classes, arrivals of no known class are black; without any, they are of the only one.
        plain = classes.colours[0] if len(classes.levels) == 1 else (0.1, 0.1, 0.1)
        shade = [classes.colours[c] for c in classes.codes(new_kinds)] or [plain] * len(new)
        axes.scatter(*new[:, dimensions].T, s=2 * _size(len(new)), marker="x", c=shade, linewidths=0.9, zorder=2.5)
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
    labels: ArrayLike | None = None,
    *,
    dimensions: tuple[int, ...] | None = None,
    ellipse: str | PositionMixture | None = None,
    level: float = 0.95,
    density: bool | None = None,
    figure: Any = None,
) -> Any:
    """Draw all pairs of several dimensions of an embedding, with a histogram of each on the diagonal.

    Parameters
    ----------
    embedding : array-like of shape (n, d)
        Positions.
    labels : array-like of shape (n,), optional
        Classes, one colour each.
    dimensions : tuple of int, optional
        Which columns, 2 to 8 of them; None is the first five, or as many as there are.
    ellipse, level, density
        As for `positions`.
    figure : matplotlib figure, optional
        Where to draw.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ArgumentError
        If there are fewer than two dimensions, or more than eight were asked for.

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
        raise ArgumentError(f"dimensions={chosen} are {len(chosen)}; pass 2 to 8 columns of an (n, d) embedding.")
    points = read_points("embedding", embedding, chosen)
    kinds = read_labels("labels", labels, len(points))
    classes = Classes.of(kinds)
    codes = classes.codes(kinds)
    k = len(chosen)
    if figure is None:
        side = 1.0 + min(2.2, 9 / k) * k
        figure = import_extra("matplotlib.pyplot", "plot").figure(figsize=(side + 1, side), layout="constrained")
    grid = figure.add_gridspec(k, k)
    panels: dict[tuple[int, int], Any] = {}
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
    axes: Any, xy: Array, codes: NDArray[np.intp], classes: Classes, density: bool | None, panels: int = 1
) -> None:
    """Draw the points of all classes in one mixed order, so that no class lies on top of the others."""
    if (len(xy) > _DENSITY) if density is None else check_flag("density", density):
        draw_density(axes, xy, codes, classes.colours)
        return
    order = np.random.default_rng(0).permutation(len(xy))
    shades = np.array([(*colour[:3], 0.8) for colour in classes.colours])
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
    axes: Any,
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
                "pass a mixture of these positions."
            )
        shades: Any = "black"
    elif ellipse == "classes":
        means, covariances, kept = class_moments(points, codes)
        shades = [classes.colours[k] for k in kept]
    else:
        raise ArgumentError(f'ellipse={ellipse!r}; pass "classes", a PositionMixture or None.')
    if len(means):
        ellipses(means, covariances, level=level, dimensions=dimensions, colours=shades, axes=axes)


def _histograms(axes: Any, values: Array, codes: NDArray[np.intp], classes: Classes) -> None:
    edges = np.histogram_bin_edges(values, bins=min(60, max(10, int(np.sqrt(len(values))))))
    for k, colour in enumerate(classes.colours):
        axes.hist(values[codes == k], bins=edges, color=colour, histtype="stepfilled", alpha=0.35)
        axes.hist(values[codes == k], bins=edges, color=colour, histtype="step", linewidth=1)
    axes.set_yticks([])


def _name(axes: Any, classes: Classes, arrivals: bool) -> None:
    line = import_extra("matplotlib.lines", "plot").Line2D
    handles = []
    if len(classes.levels) > 1:
        for level, colour, marker in zip(classes.levels, classes.colours, classes.markers, strict=True):
            shown = str(level) if len(str(level)) <= 30 else f"{str(level)[:29]}…"
            handles.append(line([], [], linestyle="", marker=marker, color=colour, label=shown))
    if arrivals:
        handles.append(line([], [], linestyle="", marker="o", color="0.5", label="embedded"))
        handles.append(line([], [], linestyle="", marker="x", color="0.5", label="arrived later"))
    if handles:
        legend(axes, handles)
