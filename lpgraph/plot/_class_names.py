"""Names of classes, written next to their points and moved apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_flag, import_extra
from lpgraph.plot._style import clipped
from lpgraph.plot.palette import COLOURS

if TYPE_CHECKING:
    from types import ModuleType

    from matplotlib.axes import Axes
    from matplotlib.text import Text
    from numpy.typing import NDArray

    from lpgraph.plot.palette import RGB, Classes

    Array = NDArray[np.float64]

__all__ = ["densest", "draw_names", "moved_apart", "names_drawn"]

#: Cells along each axis in which the densest place of a class is searched.
_CELLS = 16
#: A text of this luminance has a contrast of 5 to white.
_LUMINANCE = 0.16
#: Steps in which names are moved apart, and pixels between them.
_STEPS, _GAP = 200, 1.0
#: A line joins a name to its class if it was moved by more than this many of its heights.
_FAR = 1.5


def names_drawn(names: bool | None, classes: Classes) -> bool:
    """Whether the names of classes are written; by default if there are more than a palette has colours."""
    if names is None:
        return len(classes.levels) - (classes.unlabelled >= 0) > len(COLOURS)
    return check_flag("names", names)


def draw_names(axes: Axes, xy: Array, codes: NDArray[np.intp], classes: Classes) -> None:
    """Write the name of each class where its points are densest, except for vertices without a label.

    Names are moved apart. Those that find no free place are left out, the smallest classes first.
    """
    inside = _inside(axes, xy)
    order = np.argsort(-np.bincount(codes[inside], minlength=len(classes.levels)), kind="stable")
    ends = np.array([axes.get_xlim(), axes.get_ylim()])
    places, texts = [], []
    effects = import_extra("matplotlib.patheffects", "plot")
    for k in order.tolist():
        part = xy[inside & (codes == k)]
        if k != classes.unlabelled and len(part):
            places.append(densest(part, ends))
            texts.append(_text(axes, places[-1], str(classes.levels[k]), classes.colours[k], effects))
    if not texts:
        return
    axes.figure.canvas.figure.draw_without_rendering()  # so that the layout has given the axes their size
    boxes = np.array([text.get_window_extent().extents for text in texts])
    frame = np.array(axes.get_window_extent().extents)
    shift, placed = moved_apart(boxes, frame)
    to_data = axes.transData.inverted()
    for text, place, box, by, fits in zip(texts, places, boxes, shift, placed, strict=True):
        if not fits:
            text.remove()
            continue
        end = to_data.transform((box[:2] + box[2:]) / 2 + by)
        text.set_position((float(end[0]), float(end[1])))
        if np.hypot(*by) > _FAR * (box[3] - box[1]):
            axes.plot(
                *np.transpose([place, end]), color="0.2", linewidth=0.7, zorder=3.5, scalex=False, scaley=False
            )


def _inside(axes: Axes, xy: Array) -> NDArray[np.bool_]:
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    return np.asarray(((xy >= [left, low]) & (xy <= [right, high])).all(axis=1))


def _text(axes: Axes, place: Array, name: str, colour: RGB, effects: ModuleType) -> Text:
    text = axes.text(
        float(place[0]),
        float(place[1]),
        clipped(name),
        fontsize="small",
        fontweight="bold",
        ha="center",
        va="center",
        color=_dark(colour),
        zorder=4,
    )
    text.set_path_effects([effects.withStroke(linewidth=2.6, foreground="white")])
    text.set_in_layout(False)
    return text


def _dark(colour: RGB) -> RGB:
    """Return a colour darkened so that it can be read on white."""
    luminance = sum(w * part**2.2 for w, part in zip((0.2126, 0.7152, 0.0722), colour, strict=True))
    share = min(1.0, (_LUMINANCE / max(luminance, 1e-9)) ** (1 / 2.2))
    red, green, blue = (share * part for part in colour)
    return red, green, blue


def densest(points: Array, ends: Array) -> Array:
    """Return the median of the points in the densest 3 x 3 cells of a grid between `ends`, of shape (2, 2).

    The median of all of them may be where there is none, if a class has several parts.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.plot._class_names import densest
    >>> densest(np.array([[0.0, 0.0], [0.9, 0.9], [1.0, 1.0]]), np.array([[0.0, 1.0], [0.0, 1.0]]))
    array([0.95, 0.95])
    """
    width = ends[:, 1] - ends[:, 0]
    cells = np.clip((_CELLS * (points - ends[:, 0]) / width).astype(np.intp), 0, _CELLS - 1)
    counts = np.zeros((_CELLS + 2, _CELLS + 2), dtype=np.intp)
    np.add.at(counts, (cells[:, 0] + 1, cells[:, 1] + 1), 1)
    near = sum(counts[i : i + _CELLS, j : j + _CELLS] for i in range(3) for j in range(3))
    middle = np.unravel_index(np.argmax(near), (_CELLS, _CELLS))
    return np.asarray(np.median(points[(abs(cells - middle) <= 1).all(axis=1)], axis=0))


def moved_apart(boxes: Array, frame: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return how far boxes move so that they do not overlap, and whether each found a place.

    Parameters
    ----------
    boxes : ndarray of shape (m, 4)
        Left, lower, right and upper ends, the most important box first.
    frame : ndarray of shape (4,)
        The ends within which they remain.

    Returns
    -------
    shift : ndarray of shape (m, 2)
    placed : ndarray of shape (m,)
        False for boxes that still overlap a more important one.

    Examples
    --------
    >>> import numpy as np
    >>> from lpgraph.plot._class_names import moved_apart
    >>> shift, placed = moved_apart(np.array([[4.0, 4, 8, 6], [4, 5, 8, 7]]), np.array([0.0, 0, 20, 20]))
    >>> bool(shift[1, 1] - shift[0, 1] >= 1), placed
    (True, array([ True,  True]))
    """
    half = (boxes[:, 2:] - boxes[:, :2]) / 2
    home = (boxes[:, 2:] + boxes[:, :2]) / 2
    # Names at the same place would have no direction in which to move.
    middle = home + 0.01 * np.arange(len(boxes))[:, None] * np.array([0.3, 1.0])
    least, most = frame[:2] + half + _GAP, np.maximum(frame[2:] - half - _GAP, frame[:2] + half + _GAP)
    room = half[:, None] + half[None] + _GAP
    for step in range(_STEPS):
        apart = middle[:, None] - middle[None]
        overlap = room - abs(apart)
        meets = (overlap > 0).all(axis=2) & ~np.eye(len(boxes), dtype=bool)
        if not meets.any():
            break
        along = overlap.argmin(axis=2)
        push = np.where(meets[..., None] & (along[..., None] == np.arange(2)), overlap * np.sign(apart), 0.0)
        back = 0.02 * (home - middle) if step < _STEPS // 2 else 0.0
        middle = np.clip(middle + 0.5 * push.sum(axis=1) + back, least, most)
    return middle - home, _free(middle, room)


def _free(middle: Array, room: Array) -> NDArray[np.bool_]:
    """Return whether each box overlaps none of the placed ones before it."""
    placed = np.full(len(middle), True)
    for i in range(len(middle)):
        overlap = room[i, :i] - abs(middle[i] - middle[:i]) - 0.5
        placed[i] = not (placed[:i] & (overlap > 0).all(axis=1)).any()
    return placed
