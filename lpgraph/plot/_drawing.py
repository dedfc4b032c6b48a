"""Drawing shared by all plots: axes and legends, markers, density images, new vertices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lpgraph._utils.checks import check_flag, import_extra
from lpgraph.plot.palette import COLOURS
from lpgraph.plot.scaling import limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from numpy.typing import NDArray

    from lpgraph._utils.checks import Foreign
    from lpgraph.plot.palette import RGB, Classes

    Array: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.intp]
    #: Keyword arguments of matplotlib.
    Style: TypeAlias = dict[str, Foreign]
    #: The label and the style of the marker of each entry of a legend.
    Entries: TypeAlias = Sequence[Mapping[str, object]]
    #: The ends of an axis, and whether they cut points off.
    Ends: TypeAlias = tuple[float, float, bool]

#: Number of points from which a scatter plot is rasterized in vector formats.
RASTER = 5_000

#: Entries in a column of a legend, and in a legend.
LEGEND_ROWS, _ENTRIES = 22, 66

#: Style of a legend.
SMALL: Style = {"frameon": False, "fontsize": "small"}
#: Style of a curve with markers and error bars.
CURVE: Style = {"fmt": "o-", "color": COLOURS[0], "markersize": 4, "capsize": 3}

#: Number of points above which their density is drawn, since points would overlap.
_DENSITY = 20_000
#: Pixels along an axis of a density image, and opacity of a pixel with a single point.
_PIXELS, _FAINT = 320, 0.3

#: Style of new vertices in a legend, as `draw_new` draws them.
NEW: dict[str, object] = {"marker": "X", "markersize": 8, "markeredgecolor": "black", "markeredgewidth": 0.8}


def new_axes(axes: Axes | None, size: tuple[float, float] = (6.0, 4.5), entries: Entries = ()) -> Axes:
    """Return `axes`, or those of a new figure if None."""
    return new_figure(size, entries).subplots() if axes is None else axes


def new_figure(size: tuple[float, float], entries: Entries = ()) -> Figure:
    """Return a figure, which is wider for a legend of several columns."""
    columns = -(-min(len(entries), _ENTRIES) // LEGEND_ROWS)
    longest = max((len(clipped(str(entry["label"]))) for entry in entries), default=0)
    figsize = size[0] + max(columns - 1, 0) * (0.5 + 0.075 * longest), size[1]
    figure: Figure = import_extra("matplotlib.pyplot", "plot").figure(figsize=figsize, layout="constrained")
    return figure


def point_size(n: int) -> float:
    """Return the area of a marker for n points, in square points."""
    return float(np.clip(500 / max(n, 1) ** 0.5, 4, 40))


def handles(entries: Entries) -> tuple[list[Line2D], int]:
    """Return the handles of a legend and its number of columns."""
    line = import_extra("matplotlib.lines", "plot").Line2D
    shown = list(entries)
    if len(shown) > _ENTRIES:
        shown = [*shown[: _ENTRIES - 1], {"label": f"and {len(shown) - _ENTRIES + 1} more", "marker": ""}]
    plain: Style = {"linestyle": "", "marker": "o"}
    made = [line([], [], **(plain | dict(entry) | {"label": clipped(str(entry["label"]))})) for entry in shown]
    return made, -(-len(made) // LEGEND_ROWS)


def clipped(text: str) -> str:
    """Return a label of at most 30 characters."""
    return text if len(text) <= 30 else f"{text[:29]}…"


def finished(
    axes: Axes, xlabel: str, ylabel: str, notes: Sequence[str] = (), *, entries: Entries | None = None
) -> Axes:
    """Return the axes with labels, notes above them on what was done to the data, and a legend.

    The legend has `entries` to the right of the axes, or what has a label in the axes.
    """
    axes.set(xlabel=xlabel, ylabel=ylabel)
    if notes:
        axes.set_title("\n".join(notes), fontsize="small", loc="left", color="0.35")
    if entries is None and axes.get_legend_handles_labels()[0]:
        axes.legend(**SMALL)
    if entries:
        made, columns = handles(entries)
        place: Style = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "borderaxespad": 0.2}
        axes.legend(handles=made, ncols=columns, columnspacing=1.0, **place, **SMALL)
    return axes


def finished_figure(figure: Figure, notes: Sequence[str], entries: Entries, *, inside: bool = False) -> Figure:
    """Return a figure with notes above its panels, and a legend in its corner or at the right of them."""
    made, columns = handles(entries)
    if made:
        beside = figure.get_layout_engine() is not None and not inside
        style = SMALL | {"loc": "outside right upper" if beside else "upper right"}
        figure.legend(handles=made, ncols=columns, columnspacing=1.0, **style)
    if notes:
        figure.suptitle("; ".join(notes), fontsize="small", x=0.01, ha="left", color="0.35")
    return figure


def density_drawn(density: bool | None, n: int) -> bool:
    """Whether n points are drawn as a density image."""
    return n > _DENSITY if density is None else check_flag("density", density)


@dataclass(frozen=True, eq=False)
class Marks:
    """Points in a plane, and the codes of their classes."""

    xy: Array
    codes: Codes
    classes: Classes


def draw(axes: Axes, marks: Marks, ends: Sequence[Ends], *, density: bool, panels: int = 1) -> None:
    """Draw the points or their density, in one of `panels` rows of panels, and set limits that cut points off."""
    (left, right, cut_x), (bottom, top, cut_y) = ends
    xy = marks.xy
    if cut_x:
        axes.set_xlim(left, right)
    if cut_y:
        axes.set_ylim(bottom, top)
    if not density:
        # Overlapping points remain visible.
        opacity = float(np.interp(np.log10(max(len(xy), 1)), [3.0, 4.3], [0.85, 0.6]))
        draw_marks(axes, marks, size=point_size(len(xy)) / panels**0.5, opacity=opacity)
        return
    low, high = np.array([left, bottom]), np.array([right, top])
    inside = ((xy >= low) & (xy <= high)).all(axis=1)
    # Pixels of about the same size in any number of panels.
    pixels = max(80, _PIXELS // panels)
    image, extent = density_image(xy[inside], marks.codes[inside], marks.classes.colours, (low, high), pixels)
    axes.imshow(image, extent=extent, origin="lower", aspect="auto", interpolation="nearest")


def draw_marks(axes: Axes, marks: Marks, *, size: float, opacity: float, zorder: float = 1.0) -> None:
    """Draw points of area `size` with the colours of their classes, in random order within each marker.

    Those without labels are drawn first, below the others.
    """
    xy, codes, classes = marks.xy, marks.codes, marks.classes
    order = np.random.default_rng(0).permutation(len(xy))
    order = order[np.argsort(codes[order] != classes.unlabelled, kind="stable")]
    shades = np.array([(*colour, opacity) for colour in classes.colours])
    kinds = np.array(classes.markers)
    style: Style = {"linewidths": 0, "zorder": zorder, "rasterized": len(xy) > RASTER}
    for marker in dict.fromkeys(classes.markers):
        part = order[kinds[codes[order]] == marker]
        axes.scatter(xy[part, 0], xy[part, 1], s=size, marker=marker, c=shades[codes[part]], **style)


def density_image(
    xy: Array, codes: Codes, colours: Sequence[RGB], ends: tuple[Array, Array], pixels: int = _PIXELS
) -> tuple[Array, tuple[float, float, float, float]]:
    """Return the (pixels, pixels, 4) image, first row lowest, and its extent (left, right, bottom, top).

    All points lie between `ends`, the least and greatest coordinates of the image. The colour of a pixel is that
    of one of its points, drawn at random, so that every colour is in the legend, and the shares of classes in a
    mixed region are those of its pixels. Its opacity increases with the logarithm of the number of points, so that
    single points are visible next to pixels with thousands.
    """
    low, high = ends
    column, row = np.clip((pixels * (xy - low) / (high - low)).astype(np.intp), 0, pixels - 1).T
    cell = row * pixels + column
    order = np.random.default_rng(0).permutation(len(cell))
    count = np.bincount(cell, minlength=pixels**2)
    image = np.zeros((pixels**2, 4))
    image[cell[order], :3] = np.array(colours)[codes[order]]  # the last of several points stays
    share = np.log1p(count) / np.log1p(count.max(initial=1))
    image[:, 3] = np.where(count > 0, _FAINT + (1 - _FAINT) * share, 0.0)
    return image.reshape(pixels, pixels, 4), (low[0], high[0], low[1], high[1])


def draw_new(axes: Axes, xy: Array, shades: Sequence[RGB], panels: int = 1) -> None:
    """Draw new vertices as crosses with a black edge and a white halo, smaller if there are many or many panels.

    One of the two has a luminance contrast of at least 4.5 to any colour below them, also to the cross's own.
    """
    # Hundreds of crosses of full size would hide most of the known vertices.
    size = float(np.clip(400 / max(len(xy), 1) ** 0.55, 8.0, 60.0)) / panels**0.5
    edge = float(np.clip(size**0.5 / 11, 0.4, 0.8))
    style: Style = {"s": size, "marker": "X", "c": list(shades), "zorder": 2.5, "rasterized": len(xy) > RASTER}
    for width, colour in ((edge + min(2.2, size**0.5 / 3.4), "white"), (edge, "black")):
        axes.scatter(xy[:, 0], xy[:, 1], edgecolors=colour, linewidths=width, **style)


def class_entries(classes: Classes, *, density: bool) -> list[dict[str, object]]:
    """Return the legend's entries of several classes; an image has no markers."""
    if len(classes.levels) < 2:
        return []
    named = zip(classes.levels, classes.colours, classes.markers, strict=True)
    return [{"label": str(k), "color": colour, "marker": "s" if density else m} for k, colour, m in named]


def cut_caption(points: Array, ends: Sequence[Ends]) -> list[str]:
    """Return the caption of limits that cut points off."""
    if not any(cut for _, _, cut in ends):
        return []
    low, high = np.array([end[:2] for end in ends]).T
    outside = int(((points < low) | (points > high)).any(axis=1).sum())
    return [f"axes end at the 0.5 % and 99.5 % quantiles, {outside} of {len(points)} points outside"]


def equal_axes(axes: Axes, points: Array) -> list[str]:
    """Give both axes one scale and limits for `points`, and return the caption if the limits cut points off."""
    ends = limits(points[:, 0]), limits(points[:, 1])
    told = cut_caption(points, ends)
    if told:
        axes.set(xlim=ends[0][:2], ylim=ends[1][:2])
    axes.set_aspect("equal", adjustable="box" if told else "datalim")
    axes.autoscale_view()
    return told


def draw_lines(axes: Axes, starts: Array, ends: Array, **style: object) -> None:
    """Draw lines between points, below others."""
    lines = import_extra("matplotlib.collections", "plot").LineCollection
    axes.add_collection(lines(np.stack([starts, ends], axis=1), zorder=1, **style))
