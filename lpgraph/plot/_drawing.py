"""Drawing shared by all plots: axes, limits and legends, points of classes, new vertices, lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lpgraph._utils.checks import import_extra

from .palette import COLOURS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array, Integers

    from .palette import Classes

    Codes: TypeAlias = Integers
    #: Keyword arguments of matplotlib.
    Style: TypeAlias = dict[str, Foreign]
    #: The label and the style of the marker of each entry of a legend.
    Entries: TypeAlias = Sequence[Mapping[str, object]]

#: Number of points from which a scatter plot is rasterized in vector formats.
RASTER = 5_000

#: Entries in a column of a legend, and in a legend.
_ROWS, _ENTRIES = 22, 66

#: Style of a legend.
SMALL: Style = {"frameon": False, "fontsize": "small"}
#: Style of a curve with markers and error bars.
CURVE: Style = {"fmt": "o-", "color": COLOURS[0], "markersize": 4, "capsize": 3}
#: Style of new vertices in a legend, as `draw_new` draws them.
NEW: Style = {"marker": "X", "markersize": 8, "markeredgecolor": "black", "markeredgewidth": 0.8}

#: The limits of an axis are these quantiles if its range is longer than this many times the range between them.
_QUANTILES, _LONG = (0.005, 0.995), 2.0


def new_axes(axes: Axes | None, size: tuple[float, float] = (6.0, 4.5)) -> Axes:
    """Return `axes`, or those of a new figure if None."""
    return new_figure(size).subplots() if axes is None else axes


def new_figure(size: tuple[float, float]) -> Figure:
    """Return a new figure of pyplot."""
    figure: Figure = import_extra("matplotlib.pyplot", "plot").figure(figsize=size, layout="constrained")
    return figure


def legend_of(entries: Entries) -> Style:
    """Return the arguments of a legend of the first 66 entries, in columns of 22."""
    line = import_extra("matplotlib.lines", "plot").Line2D
    made = [line([], [], **{"linestyle": "", "marker": "o", **entry}) for entry in entries[:_ENTRIES]]
    title = f"{_ENTRIES} of {len(entries)}" if len(entries) > _ENTRIES else None
    return SMALL | {"handles": made, "ncols": -(-len(made) // _ROWS), "title": title}


def clipped(text: str) -> str:
    """Return a label of at most 30 characters."""
    return text if len(text) <= 30 else f"{text[:29]}…"


def finished(
    axes: Axes, xlabel: str, ylabel: str, notes: Sequence[str] = (), *, entries: Entries | None = None
) -> Axes:
    """Return the axes with labels, notes above them on what was done to the data, and a legend.

    The legend has `entries` to the right of the axes if these are alone, or what has a label in the axes.
    """
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.set_title("\n".join(notes), fontsize="small", loc="left", color="0.35")
    if entries is None and axes.get_legend_handles_labels()[0]:
        axes.legend(**SMALL)
    if entries:
        beside: Style = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.2}
        axes.legend(**(beside if len(axes.figure.axes) == 1 else {}), **legend_of(entries))
    return axes


def class_entries(classes: Classes) -> list[dict[str, object]]:
    """Return the legend's entries of several classes."""
    if len(classes.levels) < 2:
        return []
    named = zip(classes.levels, classes.shades, classes.markers, strict=True)
    return [{"label": clipped(str(level)), "color": colour, "marker": marker} for level, colour, marker in named]


def drawing_order(codes: Codes, classes: Classes) -> Codes:
    """Return the points in random order, so that no class is above the others; those without labels are first."""
    order = np.random.default_rng(0).permutation(len(codes))
    return order[np.argsort(codes[order] != classes.unlabelled, kind="stable")]


def draw_classes(axes: Axes, xy: Array, codes: Codes, classes: Classes) -> None:
    """Draw points with the colours and markers of their classes, in random order within each marker.

    Many points are small, and overlapping ones remain visible.
    """
    n, order = max(len(xy), 1), drawing_order(codes, classes)
    shades, kinds = classes.colours, np.array(classes.markers)
    shades[:, 3] = np.interp(np.log10(n), [3.0, 6.0], [0.85, 0.1])
    style: Style = {"s": np.clip(500 / n**0.5, 0.5, 40), "linewidths": 0, "rasterized": n > RASTER}
    for marker in dict.fromkeys(classes.markers):
        part = order[kinds[codes[order]] == marker]
        axes.scatter(xy[part, 0], xy[part, 1], marker=marker, c=shades[codes[part]], **style)


def draw_new(axes: Axes, xy: Array, shades: Sequence[str], marker: str = "X") -> None:
    """Draw new vertices with a black edge and a white halo, smaller if there are many.

    One of the two has a luminance contrast of at least 4.5 to any colour below them, also to the vertex's own.
    """
    width = np.clip(70 / max(len(xy), 1) ** 0.5, 3.5, 8.5)
    style: Style = {"s": width**2, "marker": marker, "c": shades, "zorder": 3, "rasterized": len(xy) > RASTER}
    for line, colour in ((0.4 * width, "white"), (0.13 * width, "black")):
        axes.scatter(xy[:, 0], xy[:, 1], edgecolors=colour, linewidths=line, **style)


def limited(axes: Axes, points: Array) -> list[str]:
    """End the axes at quantiles if few points are far from the others, and return a note that says so."""
    if not len(points):
        return []
    ends = np.quantile(points, _QUANTILES, axis=0)
    length = ends[1] - ends[0]
    cut = (np.ptp(points, axis=0) > _LONG * length) & (length > 0)
    for k in np.flatnonzero(cut):
        (axes.set_xlim, axes.set_ylim)[k](ends[:, k] + 0.05 * length[k] * np.array([-1, 1]))
    return ["axes end at the 0.5 % and 99.5 % quantiles"] if cut.any() else []


def draw_lines(axes: Axes, starts: Array, ends: Array, **style: object) -> None:
    """Draw lines between points, below others."""
    lines = import_extra("matplotlib.collections", "plot").LineCollection
    axes.add_collection(lines(np.stack([starts, ends], axis=1), zorder=1, **style))
