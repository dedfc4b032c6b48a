"""Plots of the distributions of degrees and of weights, on logarithmic axes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import pdtrc

from lpgraph._checks import check_flag
from lpgraph.errors import GraphError
from lpgraph.graph.construct import as_adjacency
from lpgraph.plot._style import caption, new_axes
from lpgraph.plot.palette import COLOURS, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency

    Array = NDArray[np.float64]

__all__ = ["degrees", "weights"]

#: Largest number of points of a curve; more could not be told apart.
_POINTS = 120


def degrees(graph: object, *, weighted: bool = False, label: str | None = None, axes: Axes | None = None) -> Axes:
    """Plot the share of vertices with at least a given degree, on logarithmic axes.

    In a network with hubs the curve is nearly straight over decades. In a random graph with the same mean degree
    it falls as the dashed curve, which is the Poisson distribution.

    Parameters
    ----------
    graph : graph
        Any input of `lpgraph.as_adjacency`. Of a directed graph, arcs from and to the vertices are two curves.
    weighted : bool, default False
        Whether a degree is the sum of the magnitudes of the weights of a vertex's edges, or the number of edges.
    label : str, optional
        Name of the graph in the legend, to compare several.
    axes : matplotlib axes, optional
        Axes to draw into, such as those of another graph's degrees. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    GraphError
        If the graph has no edge.

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> lp.plot.degrees(nx.barabasi_albert_graph(500, 2, seed=0)).get_ylabel()
    'share of vertices'
    """
    check_flag("weighted", weighted)
    adjacency = _with_edges(graph)
    axes = new_axes(axes)
    sides = _degrees(adjacency, weighted)
    drawn = len(axes.lines)
    for k, (name, values) in enumerate(sides.items()):
        words = [label] if len(sides) == 1 else [label, name]
        _draw(axes, values, len(values), drawn + k, ", ".join(filter(None, words)) or None)
    if not weighted and not drawn:
        _poisson(axes, next(iter(sides.values())))
    without = [f"{np.count_nonzero(values == 0)} of {len(values)} vertices" for values in sides.values()]
    notes = [
        f"{count} have {name} 0"
        for count, (name, values) in zip(without, sides.items(), strict=True)
        if (values == 0).any()
    ]
    if not drawn:
        caption(axes, notes)
    axes.set_xlabel("weighted degree" if weighted else "degree")
    axes.set_ylabel("share of vertices")
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize="small", loc="lower left")
    return axes


def weights(graph: object, *, axes: Axes | None = None) -> Axes:
    """Plot the share of edges with at least a given weight, on logarithmic axes.

    Parameters
    ----------
    graph : graph
        Any input of `lpgraph.as_adjacency`. Negative weights are a second curve, of their magnitudes.
    axes : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    GraphError
        If the graph has no edge.

    See Also
    --------
    lpgraph.pass_to_ranks : replaces weights by their ranks.

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> lp.plot.weights(nx.les_miserables_graph()).get_xlabel()
    'weight'
    """
    values = _with_edges(graph).edge_list()[2]
    axes = new_axes(axes)
    negative = bool((values < 0).any())
    if (values > 0).any():
        _draw(axes, values[values > 0], len(values), 0, "positive" if negative else None)
    if negative:
        _draw(axes, -values[values < 0], len(values), 1, "negative")
        axes.legend(frameon=False, fontsize="small", loc="lower left")
    axes.set_xlabel("magnitude of weight" if negative else "weight")
    axes.set_ylabel("share of edges")
    return axes


def _with_edges(graph: object) -> Adjacency:
    adjacency = as_adjacency(graph)
    if not adjacency.matrix.nnz:
        raise GraphError(f"The graph has {adjacency.n_vertices} vertices and no edge; there is nothing to draw.")
    return adjacency


def _degrees(graph: Adjacency, weighted: bool) -> dict[str, Array]:
    """Return degrees by name; of a directed graph those of both directions."""
    matrix = abs(graph.matrix)
    if not weighted:
        matrix.data = np.ones(matrix.nnz)
    out = np.asarray(matrix.sum(axis=1), dtype=np.float64)
    if not graph.directed:
        return {"degree": out}
    return {"out-degree": out, "in-degree": np.asarray(matrix.sum(axis=0), dtype=np.float64)}


def _draw(axes: Axes, values: Array, total: int, k: int, label: str | None) -> None:
    """Draw the share of `total` that is at least each positive value."""
    found, counts = np.unique(values[values > 0], return_counts=True)
    share = np.cumsum(counts[::-1])[::-1] / total
    kept = _thinned(np.log(found), np.log(share))
    axes.loglog(
        found[kept],
        share[kept],
        "s" if k % 2 else "o",
        color=COLOURS[k % len(COLOURS)],
        markersize=3.5,
        label=label,
        # The second curve must not hide the first.
        fillstyle="none" if k % 2 else "full",
    )


def _thinned(x: Array, y: Array) -> NDArray[np.intp]:
    """Return points of a falling curve at nearly equal steps along it, and its ends."""
    if len(x) <= _POINTS:
        return np.arange(len(x))
    span = max(float(np.ptp(x)), 1e-300), max(float(np.ptp(y)), 1e-300)
    along = (x - x[0]) / span[0] + (y[0] - y) / span[1]
    return np.unique(np.searchsorted(along, np.linspace(0, along[-1], _POINTS)).clip(0, len(x) - 1))


def _poisson(axes: Axes, values: Array) -> None:
    """Draw the Poisson distribution with the mean of the degrees, down to a share of one vertex."""
    degree = np.arange(1, int(values.max()) + 1)
    share = pdtrc(degree - 1.0, values.mean())
    drawn = share >= 0.5 / len(values)
    label = "Poisson distribution of the same mean"
    axes.loglog(degree[drawn], share[drawn], "--", color=GREY, linewidth=1.2, label=label, zorder=0)
