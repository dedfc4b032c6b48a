"""Plots of several networks: trajectories of vertices, distances between networks, and small multiples."""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from lpgraph._utils.checks import check_integer, check_real, import_extra, is_integer, type_of
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.names import as_labels, code_names, listed, names_at
from lpgraph.joint.base import JointEmbedding
from lpgraph.joint.uncertainty import standard_errors
from lpgraph.plot._drawing import Marks, clipped, density_drawn, draw, finished_figure, new_axes, new_figure
from lpgraph.plot._models import labels_of, row_labels
from lpgraph.plot.embeddings import Scatter
from lpgraph.plot.palette import GREY, Classes
from lpgraph.plot.scaling import Scaling, chosen_axes, heavy_tailed

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from lpgraph._utils.checks import Foreign
    from lpgraph.plot._drawing import Style
    from lpgraph.plot._models import Labels

    Array = NDArray[np.float64]

#: Keys at an axis, panels of `trajectories`, and panels of `small_multiples`, by default at most.
_TICKS, _DIMENSIONS, _PANELS = 12, 3, 12
#: Characters of notes above a column of panels.
_LINE = 27
#: Characters of the keys at a horizontal axis above which they are written at an angle.
_ACROSS = 40


def trajectories(
    model: JointEmbedding,
    vertices: Iterable[Hashable],
    *,
    dimensions: Sequence[int] | None = None,
    level: float = 0.95,
    direction: str | None = None,
    figure: Figure | None = None,
) -> Figure:
    """Plot the positions of vertices in all networks of a joint embedding, with confidence intervals.

    Each dimension has a panel. Keys that are increasing numbers or times are placed by their values, others at
    equal distances. A curve is interrupted where a network was given without the vertex.

    Parameters
    ----------
    model : fitted embedding of lpgraph.joint
        For example an `lpgraph.joint.UnfoldedEmbedding`.
    vertices : iterable of hashable
        Names of the vertices.
    dimensions : sequence of int, optional
        The columns to draw. Default: the first three, or all if fewer.
    level : float, default 0.95
        The probability of the interval of each coordinate in each network, in (0, 1).
    direction : {"out", "in"}, optional
        Of directed networks: positions by the arcs from the vertices, the default, or by the arcs to them.
    figure : matplotlib figure, optional
        Figure to draw into. Default: a new figure.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ArgumentError, ArgumentTypeError
        If the model is not a joint embedding, a dimension or the direction is not one of its own, no vertex was
        passed, or the level is not in (0, 1).
    NotFittedError, UnknownVertexError
        If the model is not fitted, or does not have one of the vertices.

    Notes
    -----
    `lpgraph.joint.standard_errors` has the formula. The intervals are made for one vertex in one
    network; `lpgraph.infer.vertex_changes` tests which vertices changed.

    Examples
    --------
    >>> import lpgraph as lp
    >>> days = [lp.stochastic_block_model([50, 50], [[0.5, 0.1], [0.1, 0.5]], random_state=k) for k in range(4)]
    >>> figure = lp.plot.trajectories(lp.joint.UnfoldedEmbedding(2).fit(days), [0, 99])
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['dimension 1', 'dimension 2']
    """
    positions = _positions(model, direction)
    rows = code_names(as_labels(vertices, "vertices"), model.graphs_.index)
    width = positions.shape[2]
    chosen = list(range(min(_DIMENSIONS, width)) if dimensions is None else dimensions)
    if not (len(rows) and chosen):
        raise ArgumentError(f"{'dimensions' if len(rows) else 'vertices'} is empty; pass at least one.")
    for column in chosen:
        check_integer("dimensions", column, low=0, high=width - 1)
    radius = ndtri(0.5 + check_real("level", level, low=0.0, high=0.999999, open_low=True) / 2)
    names = listed(names_at(model.vertex_names_, rows))
    present, half = model.graphs_.present[:, rows], radius * standard_errors(model, names, direction=direction)
    centres = np.where(present[..., None], positions[:, rows], np.nan)
    beside = np.pad(present, ((1, 1), (0, 0)))
    alone = present & ~beside[:-2] & ~beside[2:]  # where a band has no width
    marks = Classes.of(np.arange(len(rows)))
    styles: list[Style] = [{"color": c, "marker": k} for c, k in zip(marks.colours, marks.markers, strict=True)]
    entries = [{"label": str(name), "linestyle": "-"} | style for name, style in zip(names, styles, strict=True)]
    made = figure or new_figure((8.5, 1.0 + 1.9 * len(chosen)), entries)
    panels, x = made.subplots(len(chosen), 1, sharex=True, squeeze=False)[:, 0], _places(model.keys_)
    for axes, column in zip(panels, chosen, strict=True):
        for v, style in enumerate(styles):
            y, h, lone, shade = centres[:, v, column], half[:, v, column], alone[:, v], style["color"]
            axes.plot(x, y, markersize=3, linewidth=1.2, **style)
            axes.fill_between(x, y - h, y + h, color=shade, alpha=0.18, linewidth=0)
            axes.vlines(np.asarray(x)[lone], (y - h)[lone], (y + h)[lone], colors=shade, alpha=0.4, linewidth=2)
        axes.set_ylabel(f"dimension {column + 1}")
    if isinstance(x, range):
        _name_keys(panels[-1], model.keys_)
    elif isinstance(x[0], date):
        panels[-1].tick_params(axis="x", labelrotation=45)
    else:
        panels[-1].locator_params(axis="x", integer=is_integer(x[0]))
    notes = [f"{100 * level:g} % confidence intervals", *["gaps: vertex absent"] * (not present.all())]
    return finished_figure(made, notes, entries)


def distances(model: JointEmbedding, *, ax: Axes | None = None) -> Axes:
    """Plot the distances between the positions in any two networks of a joint embedding as a heat map.

    A distance is the root mean square over the vertices that both networks were given with. Networks from the same
    probabilities also differ, by the noise of the positions; `lpgraph.infer.change_points` tests for changes.

    Parameters
    ----------
    model : fitted embedding of lpgraph.joint
        For example an `lpgraph.joint.UnfoldedEmbedding`. In directed networks the positions by the arcs from and
        to the vertices count.
    ax : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes
        The colours begin at the smallest distance of two networks. Networks without a common vertex are grey.

    Raises
    ------
    ArgumentError, ArgumentTypeError, NotFittedError
        If there is only one network, or the model is not a joint embedding, or is not fitted.

    Examples
    --------
    >>> import lpgraph as lp
    >>> B = [[0.5, 0.1], [0.1, 0.5]], [[0.5, 0.3], [0.3, 0.5]]
    >>> days = [lp.stochastic_block_model([50, 50], B[day > 2], random_state=day) for day in range(5)]
    >>> axes = lp.plot.distances(lp.joint.UnfoldedEmbedding(2).fit(days))
    >>> axes.images[0].get_array().round(1)[0].tolist()
    [0.0, 0.1, 0.1, 0.3, 0.2]
    """
    positions = _positions(model, None)
    if len(positions) == 1:
        raise ArgumentError("model has one network; fit it to at least two.")
    if model.directed_:
        positions = np.dstack([positions, model.embeddings_in_])
    present = model.graphs_.present.astype(np.float64)
    placed = positions * present[..., None]
    sizes, flat = (placed**2).sum(axis=2) @ present.T, placed.reshape(len(placed), -1)
    with np.errstate(invalid="ignore"):  # networks without a common vertex
        squares = (sizes + sizes.T - 2 * flat @ flat.T) / (present @ present.T)
    np.fill_diagonal(squares, 0.0)
    found = np.sqrt(np.maximum(squares, 0.0))
    least = found.min(initial=np.inf, where=found > 0)
    axes = new_axes(ax, (5.9, 4.7))
    colourmap = import_extra("matplotlib", "plot").colormaps["viridis"].with_extremes(bad=GREY)
    most = np.nanmax(found) or 1.0
    shades: Style = {"cmap": colourmap, "vmin": least if least < most else 0.0, "vmax": most}
    image = axes.imshow(found, aspect="auto", **shades)
    axes.figure.colorbar(image, ax=axes, label="root mean square distance")
    _name_keys(axes, model.keys_)
    axes.set_yticks(axes.get_xticks(), [text.get_text() for text in axes.get_xticklabels()])
    return axes


def small_multiples(
    model: JointEmbedding,
    labels: Labels | BaseEstimator | None = None,
    *,
    keys: Iterable[Hashable] | None = None,
    dimensions: tuple[int, int] | None = None,
    direction: str | None = None,
    figure: Figure | None = None,
) -> Figure:
    """Plot the vertices in each network of a joint embedding, in panels with the same axes.

    Vertices that a network was given without are not drawn there.

    Parameters
    ----------
    model : fitted embedding of lpgraph.joint
        For example an `lpgraph.joint.UnfoldedEmbedding`.
    labels : array-like of shape (n,), mapping, pandas Series or fitted model, optional
        Classes, shown as colours; a mapping or Series is read by the names of the vertices.
    keys : iterable of hashable, optional
        The networks to draw. Default: all, or of more than 12 networks the first, the last and ten at equal
        distances between them.
    dimensions : (int, int), optional
        The columns to draw. Default: the first two.
    direction : {"out", "in"}, optional
        Of directed networks: positions by the arcs from the vertices, the default, or by the arcs to them.
    figure : matplotlib figure, optional
        Figure to draw into. Default: a new figure.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ArgumentError, ArgumentTypeError
        If the model is not a joint embedding or has one dimension only, a key is not one of its own, or the labels
        do not match.
    NotFittedError
        If the model is not fitted.

    Notes
    -----
    In networks with hubs the positions of each vertex are divided by the root of their mean squared length over
    all networks, so that a vertex that loses edges moves to the origin. Other positions are drawn as they are.

    Examples
    --------
    >>> import lpgraph as lp
    >>> days = [lp.stochastic_block_model([50, 50], [[0.5, 0.1], [0.1, 0.5]], random_state=k) for k in range(36)]
    >>> figure = lp.plot.small_multiples(lp.joint.UnfoldedEmbedding(2).fit(days), days[0].labels)
    >>> [axes.get_title() for axes in figure.axes][:4]
    ['0', '3', '6', '10']
    """
    positions, everywhere = _positions(model, direction), model.graphs_.present
    m, n = positions.shape[:2]
    scaled = heavy_tailed(positions[everywhere])
    if scaled:  # the same in all networks, in which positions can be compared then
        squares = (np.square(positions).sum(axis=2) * everywhere).sum(axis=0) / np.maximum(
            everywhere.sum(axis=0), 1
        )
        positions = positions / np.sqrt(np.where(squares > 0, squares, 1.0))[:, None]
    if keys is None:
        places = np.unique(np.linspace(0, m - 1, min(m, _PANELS)).round().astype(int)).tolist()
    else:
        places = [model.graphs_.place(key) for key in keys]
        if not places:
            raise ArgumentError("keys is empty; pass at least one key.")
    present = everywhere[places]
    points, kinds = positions[places][present], row_labels("labels", labels_of(labels), n, model.vertex_names_)
    kinds = np.broadcast_to(kinds, present.shape)[present]
    scaling = Scaling("none")
    chosen, told = chosen_axes("model", dimensions, points, scaling)
    shown = Scatter(points, kinds, chosen, scaling, (None, None), density_drawn(None, n))
    columns = int(np.ceil(np.sqrt(len(places))))
    rows = -(-len(places) // columns)
    made = figure or new_figure((2.0 + 2.1 * columns, 0.8 + 2.0 * rows), shown.entries)
    panels = made.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    begin = np.cumsum([0, *present.sum(axis=1)]).tolist()
    for axes, place, (low, high) in zip(panels, places, pairwise(begin), strict=False):
        marks = Marks(shown.xy[low:high], shown.codes[low:high], shown.classes)
        draw(axes, marks, shown.ends, density=shown.density, panels=rows)
        axes.set_title(_text(model.keys_[place]), fontsize="medium")
        axes.tick_params(labelsize="x-small")
    for k in range(len(places), len(panels)):
        panels[k].remove()
        panels[k - columns].tick_params(labelbottom=True)
    if shown.scale is not None:
        made.colorbar(shown.scale, ax=panels[: len(places)].tolist(), shrink=0.5)
    part = [f"{len(places)} of {m} networks"] * (len(places) < m)
    made.supxlabel(f"dimension {chosen[0] + 1}", fontsize="medium")
    made.supylabel(f"dimension {chosen[1] + 1}", fontsize="medium")
    told += ["vertices scaled to mean squared length 1 over the networks"] * scaled
    # Not wider than the panels: the legend is beside them.
    notes = fill("; ".join([*part, *told, *shown.notes]), _LINE * columns)
    return finished_figure(made, [notes] * bool(notes), shown.entries)


def _positions(model: JointEmbedding, direction: str | None) -> Array:
    """Return the (m, n, d) positions of a fitted model."""
    if not isinstance(model, JointEmbedding):
        raise ArgumentTypeError(f"model is {type_of(model)}; pass a fitted embedding of lpgraph.joint.")
    return model.embeddings_in_ if model._side(direction) == "in" else model.embeddings_


def _places(keys: Sequence[Foreign]) -> Sequence[Foreign]:
    """Return where keys are on an axis: at their values if these are increasing numbers or times."""
    ordered = len(set(map(type, keys))) == 1 < len(keys) and isinstance(keys[0], int | float | np.number | date)
    return keys if ordered and all(a < b for a, b in pairwise(keys)) else range(len(keys))


def _name_keys(axes: Axes, keys: Sequence[Hashable]) -> None:
    """Write every key below the axes, or evenly spaced ones of many, at an angle if they are long."""
    places = range(0, len(keys), -(-len(keys) // _TICKS))
    names = [_text(keys[place]) for place in places]
    turned: Style = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(places, names, **(turned if sum(map(len, names)) > _ACROSS else {}))


def _text(key: Hashable) -> str:
    return clipped(str(key).removesuffix(" 00:00:00"))
