"""Plots of embeddings: two dimensions, all pairs of dimensions, and ellipses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lpgraph._utils.checks import check_finite_array, check_flag, check_real, import_extra
from lpgraph.errors import ArgumentError
from lpgraph.graph.vertex_values import of_attribute

from . import _drawing
from ._drawing import finished, new_axes
from ._models import graph_of, is_model, labels_of, read_points, row_labels
from .palette import Classes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import ColorType
    from numpy.typing import ArrayLike

    from lpgraph._utils.types import Array

    from ._drawing import Codes, Entries, Style
    from ._models import Labels, Positions

#: Number of dimensions of which all pairs are drawn.
_MOST = 5


class _Shown(NamedTuple):
    """Known and new vertices as they are drawn: positions, classes of the known, colours of the new, legend."""

    points: Array
    new: Array
    codes: Codes
    classes: Classes
    shades: list[str]
    entries: Entries


def _read(
    argument: str,
    known: tuple[Positions, Labels | None],
    out: ArrayLike | None,
    out_labels: Labels | None,
    dimensions: tuple[int, int] = (0, 1),
) -> _Shown:
    """Return the vertices, from positions and labels of known and of new ones."""
    in_sample, labels = known
    points, names = read_points(argument, in_sample, dimensions)
    if isinstance(labels, str):
        labels = of_attribute(labels, graph_of(in_sample), "labels")
    source = in_sample if labels is None and is_model(in_sample) else labels
    kinds = row_labels("labels", labels_of(source, required=labels is not None), len(points), names)
    new, new_kinds, names = points[:0], kinds[:0], range(0)
    if out is None and out_labels is not None:
        raise ArgumentError("out_labels was passed without out_of_sample; pass the positions as well.")
    if out is not None:
        new, names = read_points("out_of_sample", out, dimensions)
        if new.shape[1] != points.shape[1]:
            what = f"out_of_sample has {new.shape[1]} columns and {argument} {points.shape[1]}"
            raise ArgumentError(f"{what}; pass what transform returns.")
    if out_labels is not None:
        new_kinds = row_labels("out_labels", labels_of(out_labels), len(new), names)
    both = row_labels("labels", np.concatenate([kinds, new_kinds]), len(kinds) + len(new_kinds))
    classes = Classes.of(both, named=is_model(source))
    codes, colours = classes.codes(both), classes.shades
    # Without labels, new vertices have the colour of the others; white if these have classes.
    plain = colours[0] if len(colours) == 1 else "white"
    shades = [colours[code] for code in codes[len(points) :]] or [plain] * len(new)
    entries = _drawing.class_entries(classes)
    if out is not None:
        first = entries or [{"label": "known vertex", "color": plain}]
        colour = plain if out_labels is None else "0.5"
        entries = [*first, {"label": "new vertex", "color": colour, **_drawing.NEW}]
    return _Shown(points, new, codes[: len(points)], classes, shades, entries)


def _draw(axes: Axes, shown: _Shown, columns: tuple[int, int], ellipse: bool) -> list[str]:
    """Draw two columns of the positions, and return what was done to the axes."""
    xy, new = shown.points[:, columns], shown.new[:, columns]
    _drawing.draw_classes(axes, xy, shown.codes, shown.classes)
    if len(new):
        _drawing.draw_new(axes, new, shown.shades)
    for k, colour in enumerate(shown.classes.shades if ellipse else []):
        part = xy[shown.codes == k]
        if len(part) > len(columns):
            ellipses([part.mean(axis=0)], [np.cov(part, rowvar=False)], colours=colour, ax=axes)
    return _drawing.limited(axes, np.vstack([xy, new]))


def positions(
    in_sample: Positions,
    labels: Labels | None = None,
    *,
    out_of_sample: ArrayLike | None = None,
    out_labels: Labels | None = None,
    dimensions: tuple[int, int] = (0, 1),
    ellipse: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Plot two dimensions of an embedding, with known vertices as dots and new vertices as crosses.

    Parameters
    ----------
    in_sample : array-like of shape (n, d) or fitted model
        Positions, with d >= 2 and the columns `dimensions`; or a fitted embedding, classifier or clustering.
    labels : array-like of shape (n,), mapping, pandas Series or fitted model, optional
        Classes, shown as colours; a mapping or Series is read by the names of the rows, which are those of the
        model, the index of a DataFrame, or 0 ... n-1. More than 64 numbers or dates have a scale of eight colours.
        Default: the labels of a model that has some.
    out_of_sample, out_labels : array-like of shape (m, d) and (m,), optional
        Positions and classes of new vertices.
    dimensions : (int, int), default (0, 1)
        The columns on the horizontal and vertical axis. `map` draws all dimensions at once.
    ellipse : bool, default False
        Whether to draw the 95 % ellipse of each class: that of a Gaussian with its mean and covariance.
    ax : matplotlib axes, optional
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

    Notes
    -----
    An axis ends at the 0.5 % and 99.5 % quantiles if its range would be more than twice as long; the title says
    so. In networks with hubs the length of a row grows with the degree of the vertex, and most vertices are near
    the origin: `map` shows their groups.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> ax = lp.plot.positions(np.eye(3), ["a", "b", "b"])
    >>> ax.get_xlabel()
    'dimension 1'
    """
    shown = _read("in_sample", (in_sample, labels), out_of_sample, out_labels, dimensions)
    check_flag("ellipse", ellipse)
    axes = new_axes(ax)
    notes = _draw(axes, shown, dimensions, ellipse)
    across, up = (f"dimension {column + 1}" for column in dimensions)
    return finished(axes, across, up, notes, entries=shown.entries)


def pairs(
    embedding: Positions,
    labels: Labels | None = None,
    *,
    out_of_sample: ArrayLike | None = None,
    out_labels: Labels | None = None,
    ellipse: bool = False,
) -> Figure:
    """Plot all pairs of the first dimensions of an embedding, at most five.

    Parameters
    ----------
    embedding : array-like of shape (n, d) or fitted model
        Positions, d >= 2; or a fitted embedding, classifier or clustering.
    labels, out_of_sample, out_labels, ellipse
        As for `positions`.

    Returns
    -------
    matplotlib figure

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> figure = lp.plot.pairs(np.random.default_rng(0).normal(size=(50, 3)), np.arange(50) % 2)
    >>> len(figure.axes)
    3
    """
    shown = _read("embedding", (embedding, labels), out_of_sample, out_labels)
    check_flag("ellipse", ellipse)
    count = min(shown.points.shape[1], _MOST) - 1
    figure = _drawing.new_figure((2.0 + 2.2 * count, 1.0 + 2.2 * count))
    grid = figure.subplots(count, count, sharex="col", sharey="row", squeeze=False)
    notes: set[str] = set()
    axes: Axes
    for (i, j), axes in np.ndenumerate(grid):
        if j > i:
            axes.remove()
            continue
        notes |= {*_draw(axes, shown, (j, i + 1), ellipse)}
        axes.set(xlabel=f"dimension {j + 1}", ylabel=f"dimension {i + 2}")
        axes.label_outer()
    figure.suptitle("".join(notes), fontsize="small", x=0.01, ha="left", color="0.35")
    if shown.entries:
        figure.legend(loc="outside right upper", **_drawing.legend_of(shown.entries))
    return figure


def ellipses(
    means: ArrayLike,
    covariances: ArrayLike,
    *,
    level: float = 0.95,
    colours: ColorType | Sequence[ColorType] = "black",
    ax: Axes | None = None,
) -> Axes:
    r"""Draw the ellipse of probability `level` for the first two coordinates of each of several Gaussians.

    Parameters
    ----------
    means : array-like of shape (k, d)
        Means of the Gaussians, for example positions of new vertices.
    covariances : array-like of shape (k, d, d)
        For example those of `OutOfSample.covariance`.
    level : float, default 0.95
        The probability of each ellipse, in (0, 1).
    colours : colour or sequence of k colours, default "black"
        Colours of the outlines.
    ax : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    ArgumentError
        If the shapes do not match, or the level is not in (0, 1).

    Notes
    -----
    In two dimensions the squared Mahalanobis distance is exponential with mean 2. So the ellipse has Mahalanobis
    radius :math:`\sqrt{-2 \log(1 - level)}`, 2.45 for 95 %.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> ax = lp.plot.ellipses([[0.0, 0.0]], [np.diag([4.0, 1.0])])
    >>> len(ax.collections)
    1
    """
    centre = check_finite_array("means", means, ndim=2)
    spread, (k, d) = check_finite_array("covariances", covariances, ndim=3), centre.shape
    if spread.shape != (k, d, d):
        raise ArgumentError(f"covariances has shape {spread.shape}; pass ({k}, {d}, {d}), one for each mean.")
    level = check_real("level", level, low=0.0, high=0.999999, open_low=True)  # 1 is an infinite ellipse
    turns = np.linspace(0, 2 * np.pi, 100)
    values, vectors = np.linalg.eigh(spread[:, :2, :2])
    lengths = np.sqrt(np.maximum(values, 0.0) * (-2 * np.log1p(-level)))
    circle = np.column_stack([np.cos(turns), np.sin(turns)])
    outlines = centre[:, None, :2] + circle @ (vectors * lengths[:, None]).swapaxes(1, 2)
    axes = new_axes(ax)
    style: Style = {"facecolors": "none", "edgecolors": colours, "linewidths": 1.2, "zorder": 3}
    axes.add_collection(import_extra("matplotlib.collections", "plot").PolyCollection(outlines, **style))
    axes.autoscale_view()
    return axes
