"""Plots of several networks: trajectories of vertices, and distances between networks."""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from lpgraph._utils.checks import check_real, import_extra, type_of
from lpgraph.errors import ArgumentError, ArgumentTypeError
from lpgraph.graph.names import as_labels, code_names
from lpgraph.joint.base import JointEmbedding, standard_errors

from ._drawing import (
    SMALL,
    class_entries,
    clipped,
    draw_classes,
    legend_of,
    limited,
    new_axes,
    new_figure,
)
from ._models import read_points, row_classes
from .palette import GREY, hex_colours, markers

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array

    from ._drawing import Style
    from ._models import Labels


#: Keys at an axis, and panels of `trajectories`, by default at most.
_TICKS, _DIMENSIONS = 12, 5


def trajectories(
    model: JointEmbedding,
    vertices: Iterable[Hashable],
    *,
    level: float = 0.95,
    direction: str | None = None,
) -> Figure:
    """Plot the positions of vertices in all networks of a joint embedding, with confidence intervals.

    Each of the first five dimensions has a panel. Keys that are increasing numbers or times are placed
    by their values, others at equal distances. A curve is interrupted where a network was given without the
    vertex.

    Parameters
    ----------
    model : fitted embedding of lpgraph.joint
        For example an `lpgraph.joint.UnfoldedEmbedding`.
    vertices : iterable of hashable
        Names of the vertices.
    level : float, default 0.95
        The probability of the interval of each coordinate in each network, in (0, 1).
    direction : {"out", "in"}, optional
        Of directed networks: positions by the arcs from the vertices, the default, or by the arcs to them.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ArgumentError, ArgumentTypeError
        If the model is not a joint embedding, the direction is not one of its own, no vertex was passed, or the
        level is not in (0, 1).
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
    names = as_labels(vertices, "vertices")
    rows = code_names(names, model.graphs_.index)
    if not len(rows):
        raise ArgumentError("vertices is empty; pass at least one.")
    radius = ndtri(0.5 + check_real("level", level, low=0.0, high=0.999999, open_low=True) / 2)
    present, half = model.graphs_.present[:, rows], radius * standard_errors(model, names, direction=direction)
    centres = np.where(present[..., None], positions[:, rows], np.nan)
    x, count = _places(model.keys_), len(names)
    marks = list(zip(names, hex_colours(count), markers(count), strict=True))
    d = min(_DIMENSIONS, positions.shape[2])
    figure = new_figure((8.5, 1.0 + 1.9 * d))
    panels = figure.subplots(d, 1, sharex=True, squeeze=False)[:, 0]
    for column, axes in enumerate(panels):
        for v, (name, colour, marker) in enumerate(marks):
            style: Style = {"color": colour, "marker": marker, "markersize": 3, "label": clipped(str(name))}
            axes.errorbar(x, centres[:, v, column], half[:, v, column], **style)
        axes.set_ylabel(f"dimension {column + 1}")
    _name_keys(panels[-1], model.keys_, x)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right upper", **SMALL)
    told = f"{100 * level:g} % confidence intervals{'' if present.all() else '; gaps: vertex absent'}"
    panels[0].set_title(told, fontsize="small", loc="left", color="0.35")
    return figure


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
        The diagonal, and networks without a common vertex, are grey.

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
    [None, 0.1, 0.1, 0.3, 0.2]
    """
    positions = _positions(model, None)
    if len(positions) == 1:
        raise ArgumentError("model has one network; fit it to at least two.")
    if model.directed_:
        positions = np.dstack([positions, model.embeddings_in_])
    positions = np.where(model.graphs_.present[..., None], positions, np.nan)
    squares = [np.ma.masked_invalid(((positions - one) ** 2).sum(axis=2)).mean(axis=1) for one in positions]
    found = np.sqrt([row.filled(np.nan) for row in squares])
    np.fill_diagonal(found, np.nan)
    axes = new_axes(ax, (5.9, 4.7))
    colours = import_extra("matplotlib", "plot").colormaps["viridis"].with_extremes(bad=GREY)
    image = axes.imshow(found, aspect="auto", cmap=colours)
    axes.figure.colorbar(image, ax=axes, label="root mean square distance")
    _name_keys(axes, model.keys_, range(len(found)))
    axes.set_yticks(axes.get_xticks(), [text.get_text() for text in axes.get_xticklabels()])
    return axes


def small_multiples(
    model: JointEmbedding,
    labels: Labels | None = None,
    *,
    keys: Sequence[Hashable] | None = None,
) -> Figure:
    """Plot two dimensions of the vertices in each network of a joint embedding, in panels with the same axes.

    Vertices that a network was given without are not drawn there.

    Parameters
    ----------
    model : fitted embedding of lpgraph.joint
        For example an `lpgraph.joint.UnfoldedEmbedding`.
    labels : array-like of shape (n,), mapping, pandas Series or fitted model, optional
        Classes, shown as colours; a mapping or Series is read by the names of the vertices.
    keys : sequence of hashable, optional
        The networks to draw. Default: all, or of more than 12 networks the first, the last and ten at equal
        distances between them.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ArgumentError, ArgumentTypeError
        If the model is not a joint embedding or has one dimension, a key is not one of its own, or the
        labels do not match.
    NotFittedError
        If the model is not fitted.

    Examples
    --------
    >>> import lpgraph as lp
    >>> days = [lp.stochastic_block_model([50, 50], [[0.5, 0.1], [0.1, 0.5]], random_state=k) for k in range(36)]
    >>> figure = lp.plot.small_multiples(lp.joint.UnfoldedEmbedding(2).fit(days), days[0].labels)
    >>> [axes.get_title() for axes in figure.axes][:4]
    ['0', '3', '6', '10']
    """
    positions = _positions(model, None)
    m, n, d = positions.shape
    if keys is None:
        places = np.unique(np.linspace(0, m - 1, min(m, _TICKS)).round().astype(int)).tolist()
    elif not len(keys):
        raise ArgumentError("keys is empty; pass at least one key.")
    else:
        places = [model.graphs_.place(key) for key in keys]
    classes, codes = row_classes(labels, None, n, model.vertex_names_)
    present = model.graphs_.present[places]
    drawn = read_points("model", positions.reshape(-1, d))[0][:, :2].reshape(m, n, 2)[places]
    columns = int(np.ceil(len(places) ** 0.5))
    rows = -(-len(places) // columns)
    figure = new_figure((2.0 + 2.1 * columns, 0.8 + 2.0 * rows))
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for axes, place, points, there in zip(panels, places, drawn, present, strict=False):
        draw_classes(axes, points[there], codes[there], classes)
        axes.set_title(clipped(str(model.keys_[place])), fontsize="medium")
    for axes in panels[len(places) :]:
        axes.remove()
    limited(panels[0], drawn[present])
    figure.supxlabel("dimension 1", fontsize="medium")
    figure.supylabel("dimension 2", fontsize="medium")
    if entries := class_entries(classes):
        figure.legend(loc="outside right upper", **legend_of(entries))
    return figure


def _positions(model: JointEmbedding, direction: str | None) -> Array:
    """Return the (m, n, d) positions of a fitted model."""
    if not isinstance(model, JointEmbedding):
        raise ArgumentTypeError(f"model is {type_of(model)}; pass a fitted embedding of lpgraph.joint.")
    return model.embeddings_in_ if model._side(direction) == "in" else model.embeddings_


def _places(keys: Sequence[Foreign]) -> Sequence[Foreign]:
    """Return where keys are on an axis: at their values if these are increasing numbers or times."""
    ordered = len(set(map(type, keys))) == 1 < len(keys) and isinstance(keys[0], int | float | np.number | date)
    return keys if ordered and all(a < b for a, b in pairwise(keys)) else range(len(keys))


def _name_keys(axes: Axes, keys: Sequence[Hashable], x: Sequence[Foreign]) -> None:
    """Write every key below its place on the axis, or evenly spaced ones of many, at an angle."""
    step = -(-len(keys) // _TICKS)
    names = [clipped(str(key).removesuffix(" 00:00:00")) for key in keys[::step]]
    axes.set_xticks(x[::step], names, rotation=45, ha="right", rotation_mode="anchor")
