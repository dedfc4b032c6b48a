"""Plot of the adjacency matrix as a binned image."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_integer, import_extra
from lpgraph.graph.construct import as_adjacency
from lpgraph.plot._models import graph_of
from lpgraph.plot._style import clipped, new_axes, row_labels
from lpgraph.plot.palette import COLOURS, Classes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.plot._style import Labels
    from lpgraph.plot.palette import RGB

__all__ = ["adjacency", "binned"]

#: Blocks narrower than this share of the matrix have no label, since labels would overlap.
_NAMED = 0.022

#: Height of the image in points, and its part that the font of the labels takes between two of them.
_HEIGHT, _FONT = 290.0, 0.85


def adjacency(
    graph: object,
    labels: Labels | BaseEstimator | None = None,
    *,
    bins: int = 500,
    axes: Axes | None = None,
) -> Axes:
    """Plot the adjacency matrix as an image, with vertices sorted by class and then by degree.

    Each pixel shows the fraction of its pairs of vertices that are joined, regardless of edge weights. The time is
    proportional to the number of edges, so that 10^6 edges are no problem.

    Parameters
    ----------
    graph : graph or fitted model
        A graph in a form that `lpgraph.as_adjacency` accepts, or a fitted model, whose graph is drawn.
    labels : array-like of shape (n,), mapping, pandas Series or fitted model, optional
        Clusters or classes, separated by lines and labelled; by name if they are a mapping, or a Series whose
        index has the names of the vertices. Default: the labels of a model that has some.
    bins : int, default 500
        Pixels along each side; at most the number of vertices is used.
    axes : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    ArgumentError
        If the labels are not one for each vertex.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([60, 40], [[0.5, 0.1], [0.1, 0.5]], random_state=0)
    >>> ax = lp.plot.adjacency(graph, graph.labels)
    >>> ax.images[0].get_array().shape
    (100, 100)
    """
    graph, labels = graph_of(graph, labels)
    network = as_adjacency(graph)
    n = network.n_vertices
    kinds = row_labels("labels", labels, n, network.names)
    bins = min(check_integer("bins", bins, low=1), n)
    classes = Classes.of(kinds)
    levels, codes = classes.levels, classes.codes(kinds)
    matrix = network.matrix
    degrees = np.diff(matrix.indptr) + np.bincount(matrix.indices, minlength=n)
    share = binned(network, np.lexsort((-degrees, codes)), bins)
    axes = new_axes(axes, (5.8, 5.2))
    colours = import_extra("matplotlib.colors", "plot")
    # Square roots make sparse blocks visible next to dense ones; the top percent may saturate.
    seen = share[share > 0]
    top = float(np.quantile(seen, 0.99)) if len(seen) else 1.0
    image = axes.imshow(
        share,
        cmap=colours.LinearSegmentedColormap.from_list("ink", ["#FFFFFF", "#56B4E9", "#0072B2", "#00223A"]),
        norm=colours.PowerNorm(0.5, vmin=0.0, vmax=top),
        extent=(0, n, n, 0),
        interpolation="nearest" if bins == n else "antialiased",
    )
    if bins < n:
        axes.figure.colorbar(image, ax=axes, label="share of pairs joined", shrink=0.8)
    ends = np.cumsum(np.bincount(codes))
    thin = float(np.clip(4 / len(levels), 0.2, 0.7))  # lines of many classes must not hide the edges
    for end in ends[:-1] if len(levels) <= n / 2 else []:
        axes.axhline(end, color=COLOURS[1], linewidth=thin)
        axes.axvline(end, color=COLOURS[1], linewidth=thin)
    axes.set_xticks([])
    if labels is None:
        axes.set_ylabel(f"{n} vertices by degree")
        axes.set_yticks([])
    else:
        starts = np.concatenate([[0], ends[:-1]])
        named = np.flatnonzero((ends - starts) >= _NAMED * n)
        middles = (starts + ends)[named] / 2
        gap = np.diff(middles).min(initial=n) / n
        axes.set_yticks(middles, [clipped(str(levels[k])) for k in named])
        axes.tick_params(axis="y", length=0, pad=9, labelsize=float(np.clip(_FONT * gap * _HEIGHT, 5, 10)))
        _strip(axes, starts, ends, classes.colours)
    return axes


def _strip(axes: Axes, starts: NDArray[np.intp], ends: NDArray[np.intp], colours: list[RGB]) -> None:
    """Draw the colours of the classes at the left edge."""
    rectangle = import_extra("matplotlib.patches", "plot").Rectangle
    place = axes.get_yaxis_transform()
    for low, high, colour in zip(starts.tolist(), ends.tolist(), colours, strict=True):
        strip = rectangle((-0.022, low), 0.015, high - low, transform=place, color=colour, lw=0, clip_on=False)
        axes.add_patch(strip)


def binned(network: Adjacency, order: NDArray[np.intp], bins: int) -> NDArray[np.float64]:
    """Return the (bins, bins) fractions of joined pairs, with vertex ``order[i]`` in row i."""
    n = network.n_vertices
    place = np.empty(n, dtype=np.intp)
    place[order] = np.arange(n) * bins // n
    entries = network.matrix.tocoo()
    row, column = (place[part] for part in entries.coords)
    count = np.bincount(row * bins + column, minlength=bins * bins).reshape(bins, bins)
    size = np.bincount(place, minlength=bins)
    return np.asarray(count / np.outer(size, size))
