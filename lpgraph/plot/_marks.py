"""Markers of classified points and of new vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph.plot._style import RASTER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lpgraph.plot.palette import RGB, Classes

    Array = NDArray[np.float64]

__all__ = ["NEW", "draw_marks", "draw_new", "new_vertex"]

#: Style of new vertices in a legend, as `draw_new` draws them.
NEW: dict[str, object] = {"marker": "X", "markersize": 8, "markeredgecolor": "black", "markeredgewidth": 0.8}

#: Parts in which points with several markers are drawn, so that no marker is always on top.
_LAYERS = 8

#: Areas relative to a circle's: a star of the same area looks smaller, and shapes need more area than dots.
_AREAS = {"o": 1.0, "*": 2.2, "P": 1.5}
_AREA = 1.3


def draw_marks(
    axes: Axes,
    xy: Array,
    codes: NDArray[np.intp],
    classes: Classes,
    *,
    size: float,
    opacity: float,
    zorder: float = 1.0,
) -> None:
    """Draw points of area `size` with the colours and markers of their classes, in random order.

    Those without labels are drawn first, below the others.
    """
    order = np.random.default_rng(0).permutation(len(xy))
    order = order[np.argsort(codes[order] != classes.unlabelled, kind="stable")]
    shades = np.array([(*colour, opacity) for colour in classes.colours])
    markers = list(dict.fromkeys(classes.markers))
    with_it = {marker: np.array([kind == marker for kind in classes.markers]) for marker in markers}
    for layer in np.array_split(order, _LAYERS if len(markers) > 1 else 1):
        for marker in markers:
            part = layer[with_it[marker][codes[layer]]]
            axes.scatter(
                xy[part, 0],
                xy[part, 1],
                s=size * (_AREAS.get(marker, _AREA) if len(markers) > 1 else 1.0),
                marker=marker,
                c=shades[codes[part]],
                linewidths=0,
                zorder=zorder,
                rasterized=len(xy) > RASTER,
            )


def new_vertex(positions: Array) -> str:
    """Return the legend's name of new vertices, which counts those at the origin; they hide each other."""
    unplaced = int((~positions.any(axis=1)).sum())
    return f"new vertex, {unplaced} at origin" if unplaced else "new vertex"


def draw_new(axes: Axes, xy: Array, shades: Sequence[RGB], panels: int = 1) -> None:
    """Draw new vertices as crosses with a black edge and a white halo, smaller if there are many or many panels.

    One of the two has a luminance contrast of at least 4.5 to any colour below them, also to the cross's own.
    """
    # Hundreds of crosses of full size would hide most of the known vertices.
    size = float(np.clip(400 / max(len(xy), 1) ** 0.55, 8.0, 60.0)) / panels**0.5
    edge = float(np.clip(size**0.5 / 11, 0.4, 0.8))
    halo = min(2.2, size**0.5 / 3.4)
    for width, colour in ((edge + halo, "white"), (edge, "black")):
        axes.scatter(
            xy[:, 0],
            xy[:, 1],
            s=size,
            marker="X",
            c=list(shades),
            edgecolors=colour,
            linewidths=width,
            zorder=2.5,
            rasterized=len(xy) > RASTER,
        )
