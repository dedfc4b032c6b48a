"""Map of a network: all vertices in the plane, edges, classes by colour and name, and new vertices."""

from __future__ import annotations

import base64
import io
from importlib import import_module
from importlib.util import find_spec
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist

from lpgraph.embed.procrustes import fitted_part
from lpgraph.errors import ArgumentError
from lpgraph.graph.adjacency import Adjacency, ProductNetwork
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.names import as_labels, code_names
from lpgraph.graph.new_vertices import as_new_edges
from lpgraph.graph.vertex_values import of_attribute
from lpgraph.infer.vertices import new_arcs, undirected

from ._drawing import RASTER, draw_lines, draw_new, drawing_order, new_axes
from ._models import graph_of, neighbor_counts, row_classes
from ._naming import write_names
from .layout import drawn_edges, network_layout, points_layout
from .palette import UNLABELLED, readable

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from matplotlib.axes import Axes

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array
    from lpgraph.graph.new_vertices import NewEdges

    from ._drawing import Codes, Style
    from ._models import Labels
    from .layout import Layout
    from .palette import Classes

#: Number of vertices up to which notebooks show a map.
_SHOWN = 3000
#: Width of a letter of the title in points.
_LETTER = 5.2
#: Number of new vertices whose edges are drawn.
_MOST_NEW = 200
#: Number of classes whose names are written, the largest first. A name is where points of its class are densest,
#: of which so many are compared, with a kernel of this share of the width of the picture.
_CLASSES, _COMPARED, _CLOSE = 64, 500, 0.12
#: Number of vertices whose names are written if all were asked for.
_MOST_NAMES = 100
#: Share of the picture that is covered by dots, and limits of the area of a dot in square points.
_COVERED, _AREAS = 0.1, (0.3, 90.0)
#: Share of the picture that lines may cover, their width, and the limits of their opacity.
_INK, _LINE, _OPACITY = 0.22, 0.6, (0.015, 0.5)


def map(  # noqa: A001
    network: object,
    labels: Labels | str | None = None,
    new: object = None,
    ax: Axes | None = None,
    *,
    names: Iterable[Hashable] | bool = False,
    random_state: int | np.random.Generator | None = 0,
) -> Axes:
    """Draw the map of a network: all vertices in the plane, vertices with similar edges near each other.

    Positions are from all dimensions of the embedding of each component; components are
    side by side, the largest first, and vertices without edges are a grid. Classes have colours, and their names
    are written once. The area of a dot grows with the degree of the vertex. Distances within a group of dots, and
    which groups are neighbors, show similarity; the gap between two groups, and the axes, have no meaning.

    Parameters
    ----------
    network : graph or fitted model
        A graph in any form of `lpgraph.as_adjacency`; or a fitted embedding, classifier or clustering of a
        network, whose positions are used; or a fitted embedding of points.
    labels : array-like of shape (n,), mapping, pandas Series, fitted model or str, optional
        Classes, or the name of a vertex attribute. Default: the labels or clusters of a model that has some, and
        those of a sampled graph. Vertices without a label are grey. The colours of 64 classes differ;
        more than 64 numbers or dates are shown by a scale of eight colours without names.
    new : optional
        New vertices in any form that the model's ``transform`` takes, or that of an embedding of the graph. They
        are rings, with lines to their known neighbors (of the first 200). Those without one are below. A
        classifier or clustering fills the ring with the colour that it predicts.
    ax : matplotlib axes, optional
        Axes to draw into. Default: a new figure.
    names : iterable of hashable or bool, default False
        Vertices whose names are written beside them. True: of the 100 vertices of largest degree, those whose
        names do not overlap.
    random_state : int, Generator or None, default 0
        Seed of the layout; the same seed gives the same picture.

    Returns
    -------
    matplotlib axes
        With a title that counts what is drawn, and without ticks, since coordinates have no meaning.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        If the network is not a graph or fitted model, or labels or new vertices do not match it.
    UnknownVertexError
        If the graph has no vertex of one of the names.
    MissingDependencyError
        If matplotlib is not installed.

    See Also
    --------
    map_positions : the coordinates of the map.
    positions : two coordinates of an embedding, with axes.

    Notes
    -----
    Edges are lines, the longer the fainter, in the colour of their class if both ends have the same one. Of more
    than 20 000 edges so many are drawn, chosen at random; the title says so.

    Arcs of a directed network are lines without heads; arcs in both directions are one line. Weights and signs
    affect the embedding only; lines of negative edges are dashed. In a bipartite network the vertices of one
    side are near those of the other that they are joined to. In other networks with negative eigenvalues, vertices
    are near those with edges to the same vertices, which may be far away. A fitted embedding in one or two
    dimensions is compared by its positions, others by their directions. A two-dimensional embedding of points is
    drawn as it is, and with more dimensions points are near their nearest ones in the embedding.

    Examples
    --------
    >>> import lpgraph as lp
    >>> club = lp.datasets.karate()
    >>> axes = lp.plot.map(club.graph, club.labels, new={"new": [0, 1, 2]})
    >>> axes.get_title(loc="left")
    '34 vertices, 78 edges, 1 new vertex (ring)'
    """
    layout, graph, vertices = _laid_out(network, new, random_state)
    xy, n, axes = layout.xy, len(layout.xy), new_axes(ax, (8.0, 6.0))
    classes, codes = row_classes(of_attribute(labels, graph, "labels"), network, n, graph.names)
    axes.update_datalim(np.vstack([xy, layout.new]))
    axes.margins(0.04)
    axes.autoscale_view()
    axes.set(autoscale_on=False, aspect="equal")
    axes.set_axis_off()
    of_points = not isinstance(getattr(network, "graph_", graph), Adjacency)
    one, many = ("point", "points") if of_points else ("vertex", "vertices")
    told = [_counted(n, one, many)]
    if graph.n_edges:
        told.append(_counted(graph.n_edges, *("arc", "arcs") if graph.directed else ("edge", "edges")))
        told[-1] += _draw_edges(axes, graph, xy, codes, classes)
    area = np.clip(_COVERED * np.prod(_size(axes)) / n, *_AREAS)
    _draw_vertices(axes, graph, xy, codes, classes, area)
    clusters = getattr(network if labels is None else labels, "n_clusters_", None)
    if clusters is not None:
        told.append(_counted(clusters, "cluster", "clusters"))
    if new is not None:
        if vertices is not None:
            known = undirected(new_arcs(vertices))[:_MOST_NEW].tocoo()
            strength = np.clip(3 / (known.nnz + 1) ** 0.5, 0.08, 0.4)
            draw_lines(axes, layout.new[known.row], xy[known.col], colors="black", alpha=strength, linewidths=0.6)
        draw_new(axes, layout.new, _predicted(network, vertices, classes, len(layout.new)), "o")
        told.append(_counted(len(layout.new), f"new {one} (ring)", f"new {many} (rings)"))
        told += [f"{layout.below:,} without a known neighbor, below"] * (layout.below > 0)
    if unlabelled := np.count_nonzero(codes == classes.unlabelled):
        told.append(f"{unlabelled:,} without a label (grey)")
    if not classes.named:
        dark, *_, light = (level for level in classes.levels if level != UNLABELLED)
        told.append(f"dark: {dark}, light: {light}")
    taken = _name_classes(axes, xy, codes, classes)
    _name_vertices(axes, graph, xy, names, taken, area)
    title = fill(", ".join(told), max(30, int(_size(axes)[0] / _LETTER)))
    axes.set_title(title, fontsize="small", loc="left", color="0.35")
    return axes


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def map_positions(
    network: object, new: object = None, *, random_state: int | np.random.Generator | None = 0
) -> Array | tuple[Array, Array]:
    """Return the coordinates of the map that `map` draws.

    Parameters
    ----------
    network, new, random_state
        As for `map`.

    Returns
    -------
    xy : ndarray of shape (n, 2)
        Positions in the order of the vertices. A vertex has about one unit of area.
    placed : ndarray of shape (m, 2)
        Those of new vertices, if some are passed.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        As for `map`.

    Examples
    --------
    >>> import lpgraph as lp
    >>> club = lp.datasets.karate().graph
    >>> lp.plot.map_positions(club).shape
    (34, 2)
    >>> xy, placed = lp.plot.map_positions(club, {"new": [0, 1, 2]})
    >>> placed.shape
    (1, 2)
    """
    layout = _laid_out(network, new, random_state)[0]
    return layout.xy if new is None else (layout.xy, layout.new)


def map_html(model: Foreign) -> str:
    """Return a small map of a fitted model as an element of a page; empty for many vertices or without matplotlib.

    The layout of 3000 vertices takes about a second.
    """
    graph = getattr(model, "graph_", None)
    if not isinstance(graph, Adjacency) or graph.n_vertices > _SHOWN or find_spec("matplotlib") is None:
        return ""
    figure: Foreign = import_module("matplotlib.figure").Figure(figsize=(5.2, 4.0), layout="constrained")
    picture = io.BytesIO()
    map(model, ax=figure.subplots())
    figure.savefig(picture, format="png", dpi=100)
    return f'<img alt="Map" src="data:image/png;base64,{base64.b64encode(picture.getvalue()).decode()}">'


def _laid_out(
    network: Foreign, new: object, random_state: int | np.random.Generator | None
) -> tuple[Layout, Adjacency, NewEdges | None]:
    """Return the layout, the graph, and new vertices or None."""
    model = fitted_part(network) if hasattr(network, "get_params") else None
    held = graph_of(network)
    if isinstance(held, ProductNetwork):
        raise ArgumentError("network has no graph in memory; fit it to a part of the graph.")
    if model is not None and not isinstance(held, Adjacency):  # a model of points
        n = len(model.embedding_)
        return points_layout(model, new, random_state), Adjacency(sparse.csr_array((n, n)), range(n)), None
    graph, vertices = as_adjacency(held), None
    if new is not None:
        reads = hasattr(network, "read_new")
        vertices = network.read_new(new) if reads else as_new_edges(new, graph.names, directed=graph.directed)
    return network_layout(graph, model, vertices, random_state), graph, vertices


def _size(axes: Axes) -> Array:
    """Return the width and height of the axes in points."""
    return np.asarray(axes.get_window_extent().size) * 72 / axes.figure.dpi


def _unit(axes: Axes) -> float:
    """Return the length of a unit of the layout in points."""
    return float(np.min(_size(axes) / [np.ptp(axes.get_xlim()), np.ptp(axes.get_ylim())]))


def _draw_edges(axes: Axes, graph: Adjacency, xy: Array, codes: Codes, classes: Classes) -> str:
    """Draw edges, and return how many, if not all."""
    row, column, weight, told = drawn_edges(graph.matrix, directed=graph.directed)
    if not len(row):  # loops are not drawn
        return ""
    shades = classes.colours[codes[row]]
    shades[(codes[row] != codes[column]) | (codes[row] == classes.unlabelled)] = 0.5, 0.5, 0.5, 0.7
    length = np.maximum(np.hypot(*(xy[row] - xy[column]).T), 1e-9) * _unit(axes)
    opacity = np.clip(_INK * np.prod(_size(axes)) / (_LINE * length.sum()), *_OPACITY)
    shades[:, 3] *= opacity * np.clip(np.median(length) / length, 0.2, 1.5)
    for chosen, line in (weight >= 0, "-"), (weight < 0, "--"):
        style: Style = {"colors": shades[chosen], "linewidths": _LINE, "linestyles": line}
        draw_lines(axes, xy[row[chosen]], xy[column[chosen]], rasterized=len(row) > RASTER, **style)
    return f" ({told})" if told else ""


def _draw_vertices(axes: Axes, graph: Adjacency, xy: Array, codes: Codes, classes: Classes, area: float) -> None:
    degrees, order = neighbor_counts(graph), drawing_order(codes, classes)
    sizes = area * np.clip(np.sqrt(degrees / max(degrees.mean(), 1e-9)), 0.6, 2.5)
    style: Style = {"linewidths": 0.3 if area > 4 else 0, "edgecolors": "white", "rasterized": len(xy) > RASTER}
    shades = classes.colours[codes[order]]
    axes.scatter(xy[order, 0], xy[order, 1], s=sizes[order], c=shades, zorder=2, **style)


def _predicted(network: Foreign, vertices: Foreign, classes: Classes, m: int) -> list[str]:
    """Return the colours of the classes that a model predicts for new vertices, or white."""
    if vertices is None or not hasattr(network, "predict"):
        return ["white"] * m
    colour = {str(level): shade for level, shade in zip(classes.levels, classes.shades, strict=True)}
    return [colour.get(str(label), "white") for label in np.asarray(network.predict(vertices)).tolist()]


def _name_classes(axes: Axes, xy: Array, codes: Codes, classes: Classes) -> Array:
    """Write the names of several classes where their points are densest, and return their boxes.

    They are larger for larger classes, and have the colour of the class, darkened until it is readable.
    """
    sizes = np.bincount(codes, minlength=len(classes.levels))
    written: list[tuple[str, Array, Array, Style]] = []
    for k in np.argsort(-sizes, kind="stable")[:_CLASSES].tolist() if classes.named and len(sizes) > 1 else []:
        if k != classes.unlabelled:
            some, size = xy[codes == k][:: -(-sizes[k] // _COMPARED)], 7.0 + 4.0 * (sizes[k] / sizes.max()) ** 0.5
            near = np.exp(-((cdist(some, some) / (_CLOSE * np.ptp(xy, axis=0).max())) ** 2))
            style: Style = {"fontsize": size, "color": readable(classes.colours[k, :3]), "fontweight": "bold"}
            written.append((str(classes.levels[k]), some[near.sum(axis=0).argmax()], some, style))
    return write_names(axes, written, np.empty((0, 4)))


def _name_vertices(
    axes: Axes, graph: Adjacency, xy: Array, names: Iterable[Hashable] | bool, taken: Array, area: float
) -> None:
    """Write names of vertices beside them; if all were asked for, those of large degree."""
    if names is False:
        return
    if names is True:
        rows = np.argsort(-neighbor_counts(graph), kind="stable")[:_MOST_NAMES]
    else:
        rows = code_names(as_labels(names, "names"), graph.index)
    dot = area**0.5 / 2 / _unit(axes) * np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]])
    style: Style = {"fontsize": 7.5, "color": "0.1"}
    write_names(axes, [(str(graph.names[i]), xy[i], xy[i] + dot, style) for i in rows.tolist()], taken)
