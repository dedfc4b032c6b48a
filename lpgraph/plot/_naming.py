"""Names of classes and of vertices in plots, where they are free of each other and hide few points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import import_extra
from lpgraph.plot._drawing import clipped
from lpgraph.plot.palette import readable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes
    from matplotlib.text import Text

    from lpgraph._utils.checks import Foreign
    from lpgraph.plot._drawing import Array, Codes, Style
    from lpgraph.plot.palette import Classes

#: Cells along each axis in which the densest place of a class is searched.
_CELLS = 16
#: Pixels between names, and circles and directions in which a free place is searched.
_GAP, _CIRCLES, _DIRECTIONS = 1.0, 40, 16
#: Share of its own points that a name may hide, and number of these that are compared.
_HIDDEN, _COMPARED = 0.25, 500
#: A line joins a name to its class if it was moved by more than this many of its heights.
_FAR = 1.5


def draw_names(axes: Axes, xy: Array, codes: Codes, classes: Classes) -> Array:
    """Write the name of each class where its points are densest, except for vertices without a label.

    Names have the colour of the class, darkened until it is readable, and are larger for larger classes and
    pictures. They are moved apart, and beside groups that they would hide. Those that find no free place are left
    out, the smallest classes first. Returned are the boxes of the others, as by `write_names`.
    """
    ends = np.array([axes.get_xlim(), axes.get_ylim()])
    inside = ((xy >= ends[:, 0]) & (xy <= ends[:, 1])).all(axis=1)
    sizes = np.bincount(codes[inside], minlength=len(classes.levels))
    written: list[tuple[str, Array, Array, Style]] = []
    for k in np.argsort(-sizes, kind="stable").tolist():
        if k != classes.unlabelled and sizes[k]:
            dots = xy[inside & (codes == k)]
            size = 7.0 + 4.0 * float(sizes[k] / sizes.max()) ** 0.5
            style: Style = {"fontsize": size, "color": readable(classes.colours[k]), "fontweight": "bold"}
            written.append((str(classes.levels[k]), densest(dots, ends), dots, style))
    return write_names(axes, written, np.empty((0, 4)))


def write_names(
    axes: Axes, names: Iterable[tuple[str, Array, Array, Style]], taken: Array, circles: int = _CIRCLES
) -> Array:
    """Write names near their places, where they are free of other names and hide few of their own points.

    Parameters
    ----------
    names : iterable of (str, ndarray of shape (2,), ndarray of shape (k, 2), dict)
        Each name, its place, its points, and its style for a picture of at least five inches.
    taken : ndarray of shape (m, 4)
        Boxes of other names, in pixels.
    circles : int
        How many circles around its place are searched for each.

    Returns
    -------
    ndarray of shape (m + written, 4)
    """
    axes.figure.canvas.figure.draw_without_rendering()  # so that the layout has given the axes their size
    frame = np.array(axes.get_window_extent().extents)
    scale = float(np.clip(np.ptp(frame.reshape(2, 2), axis=0).min() / axes.figure.dpi / 5, 0.6, 1.0))
    for name, place, dots, style in names:
        text = _name(axes, place, name, **(style | {"fontsize": scale * style["fontsize"]}))
        box = np.array(text.get_window_extent().extents)
        some = axes.transData.transform(dots[:: -(-len(dots) // _COMPARED)])
        shift = free_shift(box, taken, frame, some, circles)
        if shift is None:
            text.remove()
            continue
        taken = np.vstack([taken, box + np.tile(shift, 2)])
        end = axes.transData.inverted().transform((box[:2] + box[2:]) / 2 + shift)
        text.set_position((float(end[0]), float(end[1])))
        if np.hypot(*shift) > _FAR * (box[3] - box[1]):
            line = np.transpose([place, end])
            axes.plot(*line, color="0.2", linewidth=0.7, zorder=3.5, scalex=False, scaley=False)
    return taken


def _name(axes: Axes, place: Array, name: str, **style: Foreign) -> Text:
    fixed: Style = {"ha": "center", "va": "center", "zorder": 4, "parse_math": False}
    text = axes.text(float(place[0]), float(place[1]), clipped(name), **fixed, **style)
    stroke = import_extra("matplotlib.patheffects", "plot").withStroke
    text.set_path_effects([stroke(linewidth=2.6, foreground="white")])
    text.set_in_layout(False)
    return text


def densest(points: Array, ends: Array) -> Array:
    """Return the point in the middle of the densest 3 x 3 cells of a grid between `ends`, of shape (2, 2).

    The median of all points may be where there is none, if a class has several parts.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.plot._naming import densest
    >>> densest(np.array([[0.0, 0.0], [0.9, 0.9], [0.95, 0.95], [1.0, 1.0]]), np.array([[0.0, 1.0], [0.0, 1.0]]))
    array([0.95, 0.95])
    """
    width = ends[:, 1] - ends[:, 0]
    cells = np.clip((_CELLS * (points - ends[:, 0]) / width).astype(np.intp), 0, _CELLS - 1)
    counts = np.zeros((_CELLS + 2, _CELLS + 2), dtype=np.intp)
    np.add.at(counts, (cells[:, 0] + 1, cells[:, 1] + 1), 1)
    near = sum(counts[i : i + _CELLS, j : j + _CELLS] for i in range(3) for j in range(3))
    middle = np.unravel_index(np.argmax(near), (_CELLS, _CELLS))
    some = points[(abs(cells - middle) <= 1).all(axis=1)]
    return np.asarray(some[np.argmin(((some - np.median(some, axis=0)) ** 2).sum(axis=1))])


def free_shift(box: Array, taken: Array, frame: Array, dots: Array, circles: int = _CIRCLES) -> Array | None:
    """Return the shortest way on which a box comes free of others, or None if it does not.

    A place where the box hides more than a quarter of the dots is taken only if there is no other.

    Parameters
    ----------
    box, frame : ndarray of shape (4,)
        Left, lower, right and upper ends of the box, and of what it remains in.
    taken : ndarray of shape (m, 4)
        Other boxes.
    dots : ndarray of shape (k, 2)
        Points that the box should not hide.
    circles : int
        Longest way, in half heights of the box.

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
    shifts = np.vstack([radius * circle for radius in range(circles)])
    least, most = frame[:2] + _GAP - box[:2], frame[2:] - _GAP - box[2:]
    shifts = np.clip(shifts, least, np.maximum(least, most))
    boxes = (box + np.tile(shifts, 2))[:, None]
    apart = np.maximum(boxes[..., :2], taken[:, :2]) - np.minimum(boxes[..., 2:], taken[:, 2:])
    free = (apart >= _GAP).any(axis=2).all(axis=1)
    hidden = ((dots >= boxes[..., :2]) & (dots <= boxes[..., 2:])).all(axis=2).mean(axis=1)
    best = free & (hidden <= _HIDDEN) if (free & (hidden <= _HIDDEN)).any() else free
    return shifts[np.argmax(best)] if best.any() else None
