"""Names of classes and of vertices in maps, placed without overlap and so that they hide few points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import import_extra

from ._drawing import clipped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes

    from lpgraph._utils.types import Array

    from ._drawing import Style

#: Pixels between names; circles, a half height of a name apart, and directions in which a free place is searched.
_GAP, _CIRCLES, _DIRECTIONS = 1.0, 16, 16
#: Share of its own points that a name may hide.
_HIDDEN = 0.25
#: A line joins a name to its place if it was moved by more than this many of its heights.
_FAR = 1.5


def write_names(axes: Axes, names: Iterable[tuple[str, Array, Array, Style]], taken: Array) -> Array:
    """Write names near their places, without overlap and so that they hide few of their own points.

    Names that find no free place are left out, the last ones first.

    Parameters
    ----------
    names : iterable of (str, ndarray of shape (2,), ndarray of shape (k, 2), dict)
        Each name, its place, its points, and its style.
    taken : ndarray of shape (m, 4)
        Boxes of other names, in pixels.

    Returns
    -------
    ndarray of shape (m + written, 4)
    """
    axes.figure.canvas.figure.draw_without_rendering()  # so that the layout has given the axes their size
    frame = np.array(axes.get_window_extent().extents)
    halo = [import_extra("matplotlib.patheffects", "plot").withStroke(linewidth=2.6, foreground="white")]
    fixed: Style = {"ha": "center", "va": "center", "zorder": 4, "path_effects": halo, "in_layout": False}
    for name, place, dots, style in names:
        text = axes.text(place[0], place[1], clipped(name), parse_math=False, **fixed, **style)
        box = np.array(text.get_window_extent().extents)
        shift = free_shift(box, taken, frame, axes.transData.transform(dots))
        if shift is None:
            text.remove()
            continue
        taken = np.vstack([taken, box + np.tile(shift, 2)])
        moved = axes.transData.inverted().transform(axes.transData.transform(place) + shift)
        text.set(x=moved[0], y=moved[1])
        if np.hypot(*shift) > _FAR * (box[3] - box[1]):
            axes.plot(*np.transpose([place, moved]), color="0.2", linewidth=0.7, zorder=3.5)
    return taken


def free_shift(box: Array, taken: Array, frame: Array, dots: Array) -> Array | None:
    """Return the shortest move that frees a box from others, or None if there is none.

    A place where the box hides more than a quarter of the dots is taken only if there is no other.

    Parameters
    ----------
    box, frame : ndarray of shape (4,)
        Left, lower, right and upper ends of the box, and of what it remains in.
    taken : ndarray of shape (m, 4)
        Other boxes.
    dots : ndarray of shape (k, 2)
        Points that the box should not hide.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.plot._naming import free_shift
    >>> frame, dots = np.array([0.0, 0, 20, 20]), np.array([[12.0, 12.0]])
    >>> down = free_shift(np.array([4.0, 4, 8, 6]), np.array([[4.0, 5, 8, 7]]), frame, dots)
    >>> float(down[1])
    -2.0
    """
    turns = np.linspace(0, 2 * np.pi, _DIRECTIONS, endpoint=False)
    circle = (box[3] - box[1]) / 2 * np.column_stack([np.cos(turns), np.sin(turns)])
    shifts = np.vstack([radius * circle for radius in range(_CIRCLES)])
    least, most = frame[:2] + _GAP - box[:2], frame[2:] - _GAP - box[2:]
    shifts = np.clip(shifts, least, np.maximum(least, most))
    boxes = (box + np.tile(shifts, 2))[:, None]
    apart = np.maximum(boxes[..., :2], taken[:, :2]) - np.minimum(boxes[..., 2:], taken[:, 2:])
    free = (apart >= _GAP).any(axis=2).all(axis=1)
    hidden = ((dots >= boxes[..., :2]) & (dots <= boxes[..., 2:])).all(axis=2).mean(axis=1)
    best = np.argmin(np.where(free, hidden > _HIDDEN, 2))
    return shifts[best] if free[best] else None
