"""Map of a network: all vertices in the plane, edges, classes by colour and name, and new vertices."""

from __future__ import annotations

import base64
import io
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from lpgraph._utils.checks import import_extra
from lpgraph.embed.procrustes import fitted_part
from lpgraph.errors import ArgumentError, MissingDependencyError
from lpgraph.graph.adjacency import Adjacency
from lpgraph.graph.construct import as_adjacency
from lpgraph.graph.names import as_labels, code_names
from lpgraph.graph.network import ProductNetwork
from lpgraph.graph.new_vertices import as_new_edges
from lpgraph.graph.vertex_values import of_attribute
from lpgraph.infer.vertices import arcs_among, new_arcs, undirected
from lpgraph.models.latent_position import LatentPositionGraph
from lpgraph.plot._drawing import RASTER, density_image, draw_lines, new_axes
from lpgraph.plot._models import graph_of, labels_of, neighbor_counts, row_labels
from lpgraph.plot._naming import draw_names, write_names
from lpgraph.plot.layout import MOST, drawn_edges, network_layout, points_layout
from lpgraph.plot.palette import UNLABELLED, Classes, graded

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lpgraph._utils.checks import Foreign
    from lpgraph.plot._drawing import Array, Codes, Style
    from lpgraph.plot._models import Labels
    from lpgraph.plot.layout import Layout
    from lpgraph.plot.palette import RGB

#: Number of vertices up to which notebooks show a map.
_SHOWN = 3_000
#: Width of a letter of the title in points.
_LETTER = 5.2
#: Number of new vertices whose edges are drawn.
_MOST_NEW = 200
#: Width of a ring in points, at most, the number of rings from which on they are smaller, and their lines.
_RINGS, _FEW_RINGS, _LINE_OF_RING = (4.2, 9.5), 60, 0.16
#: Number of vertices whose names are written if all were asked for, and how far from them, in half heights.
_MOST_NAMES, _NEAR, _ANYWHERE = 100, 5, 40
#: Number of the largest classes that have a colour.
_COLOURED = 64
#: Pixels along each axis of the density of a large network.
_PIXELS = 500
#: Share of the picture that is covered by dots, and limits of the area of a dot in square points.
_COVERED, _AREAS = 0.12, (0.3, 90.0)
#: Width of a dot as a share of the median distance to the next one, at most.
_APART = 1.3
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
    """Draw the map of a network: all its vertices in the plane, so that vertices of like edges are near.

    Positions are from all dimensions of the embedding of each component; components are
    side by side, the largest first, and vertices without edges are a grid. Classes have colours, and their names
    are written once. The area of a dot grows with the degree of the vertex. Distances within a group of dots, and
    which groups are neighbors, show likeness; the gap between two groups, and the directions of the axes, do not.

    Parameters
    ----------
    network : graph or fitted model
        A graph in any form of `lpgraph.as_adjacency`; or a fitted embedding, classifier or clustering of a
        network, whose positions are used; or a fitted embedding of points.
    labels : array-like of shape (n,), mapping, pandas Series, fitted model or str, optional
        Classes, or the name of a vertex attribute. Default: the labels or clusters of a model that has some, and
        those of a sampled graph. Vertices without a label are grey, and so are all but the 64 largest classes.
        More than 64 different numbers with fractions are a scale of colours, with a bar.
    new : optional
        New vertices in any form that the model's ``transform`` takes, or that of an embedding of the graph. They
        are rings, with lines to their known neighbors (of the first 200). Those without one are beside new
        neighbors, or below. A classifier or clustering fills the ring with the colour that it predicts.
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
    than 20 000 edges so many are drawn, chosen at random; the title says so. Above 100 000 vertices their density
    is drawn, without edges, as by `positions`.

    Arcs of a directed network are lines without heads; arcs in both directions are one line. Weights and signs
    have an effect on the embedding; lines of negative edges are dashed. In a bipartite network the vertices of one
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
    layout, graph, given, vertices = _laid_out(network, labels, new, random_state)
    kinds = row_labels("labels", given, len(layout.xy), graph.names)
    shades, n, points = graded(kinds), len(layout.xy), _is_of_points(network)
    told = [f"{n:,} {'points' if points else 'vertices'}"]
    if graph.n_edges or not points:
        told.append(f"{graph.n_edges:,} {'arcs' if graph.directed else 'edges'}")
    axes = new_axes(ax, (8.0, 6.0))
    if shades is None:
        shown = _largest_classes(kinds)
        classes = Classes.of(shown)
        codes, several = classes.codes(shown), " or in small classes" if shown is not kinds else ""
    else:
        (classes, codes, scale), several = shades, ""
        axes.figure.colorbar(scale, ax=axes, shrink=0.6)
    _frame(axes, np.vstack([layout.xy, layout.new]))
    if n > MOST:
        ends = layout.xy.min(axis=0), layout.xy.max(axis=0) + 1e-9
        image, extent = density_image(layout.xy, codes, classes.colours, ends, _PIXELS)
        axes.imshow(image, extent=extent, origin="lower", interpolation="nearest", zorder=1)
        told[-1] += " (density of vertices)"
    else:
        told[-1] += _draw_edges(axes, graph, layout.xy, codes, classes)
        _draw_vertices(axes, graph, layout.xy, codes, classes)
    source = network if labels is None else labels
    if hasattr(source, "n_clusters_"):
        told.append(f"{source.n_clusters_:,} cluster{'s' * (source.n_clusters_ != 1)}")
    if new is not None:
        _draw_new(axes, layout, vertices, _predicted(network, vertices, classes, len(layout.new)))
        kind = ("points (rings)", "point (ring)") if points else ("vertices (rings)", "vertex (ring)")
        told.append(f"{len(layout.new):,} new {kind[len(layout.new) == 1]}")
        told += [f"{layout.below:,} without a known neighbor, below"] * (layout.below > 0)
    if classes.unlabelled >= 0:
        told.append(f"{int((codes == classes.unlabelled).sum()):,} without a label{several} (grey)")
    named = len(classes.levels) > 1 and shades is None
    taken = draw_names(axes, layout.xy, codes, classes) if named else np.empty((0, 4))
    _name_vertices(axes, graph, layout.xy, names, taken)
    title = fill(", ".join(told), max(30, int(_size(axes)[0] / _LETTER)))
    axes.set_title(title, fontsize="small", loc="left", color="0.35")
    return axes


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
    layout = _laid_out(network, None, new, random_state)[0]
    return layout.xy if new is None else (layout.xy, layout.new)


def map_html(model: Foreign) -> str:
    """Return a small map of a fitted model as an element of a page; empty for many vertices or without matplotlib.

    The layout of 3000 vertices takes about a second.
    """
    graph = getattr(model, "graph_", None)
    if not isinstance(graph, Adjacency) or graph.n_vertices > _SHOWN or fitted_part(model) is None:
        return ""
    try:
        figure = import_extra("matplotlib.figure", "plot").Figure(figsize=(5.2, 4.0), layout="constrained")
    except MissingDependencyError:
        return ""
    picture = io.BytesIO()
    map(model, ax=figure.subplots())
    figure.savefig(picture, format="png", dpi=100)
    return f'<img alt="Map" src="data:image/png;base64,{base64.b64encode(picture.getvalue()).decode()}">'


def _read(network: Foreign, labels: Foreign) -> tuple[Foreign, Adjacency, Foreign]:
    """Return the fitted model or None, its graph, and labels."""
    if not hasattr(network, "get_params"):
        graph = as_adjacency(network)
        if labels is None and isinstance(network, LatentPositionGraph):
            labels = network.labels
        return None, graph, labels_of(of_attribute(labels, graph, "labels"))
    held, found = graph_of(network, None if isinstance(labels, str) else labels)
    part: Foreign = fitted_part(network)
    if isinstance(held, ProductNetwork):
        raise ArgumentError("network is fitted to a graph that is not in memory; fit it to a part of the graph.")
    if isinstance(held, Adjacency):
        return part, held, of_attribute(labels, held, "labels") if isinstance(labels, str) else found
    # A model of points, some of which have the dense matrix of a kernel.
    n = len(part.embedding_)
    sparse_or_none: Foreign = held if sparse.issparse(held) else (n, n)
    links = abs(sparse.csr_array(sparse_or_none))
    return part, Adjacency(sparse.csr_array(links + links.T), range(n)), found


def _is_of_points(model: Foreign) -> bool:
    part = fitted_part(model) if hasattr(model, "get_params") else None
    return part is not None and not hasattr(part, "directed_")


def _laid_out(
    network: Foreign, labels: Foreign, new: object, random_state: int | np.random.Generator | None
) -> tuple[Layout, Adjacency, Foreign, Foreign]:
    """Return the layout, the graph, labels, and new vertices or None."""
    model, graph, labels = _read(network, labels)
    if _is_of_points(model):
        return points_layout(model, new, random_state), graph, labels, None
    vertices: Foreign = None
    if new is not None:
        reads = hasattr(network, "read_new")
        vertices = network.read_new(new) if reads else as_new_edges(new, graph.names, directed=graph.directed)
    return network_layout(graph, model, vertices, random_state), graph, labels, vertices


def _largest_classes(kinds: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return labels in which all but the largest classes are `UNLABELLED`."""
    levels, place, counts = np.unique(kinds, return_inverse=True, return_counts=True)
    if len(levels) <= _COLOURED + (UNLABELLED in levels):
        return kinds
    small = np.argsort(-counts, kind="stable")[_COLOURED:]
    return np.where(np.isin(place, small), UNLABELLED, kinds.astype(str))


def _frame(axes: Axes, points: Array) -> None:
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.04 * float(max(high - low)) + 1e-9
    axes.set(xlim=(low[0] - margin, high[0] + margin), ylim=(low[1] - margin, high[1] + margin))
    axes.set_aspect("equal", adjustable="box")
    axes.set_axis_off()


def _area(axes: Axes, xy: Array) -> float:
    """Return the area of a dot in square points: a share of the picture, less where dots would overlap."""
    apart = np.median(cKDTree(xy).query(xy, [2])[0]) if len(xy) > 1 else np.inf
    area = _COVERED * np.prod(_size(axes)) / len(xy)
    return float(np.clip(np.clip((_APART * apart * _points_per_unit(axes)) ** 2, area / 2, area), *_AREAS))


def _size(axes: Axes) -> Array:
    """Return the width and height of the axes in points."""
    return np.asarray(axes.get_window_extent().size) * 72 / axes.figure.dpi


def _points_per_unit(axes: Axes) -> float:
    """Return the length of a unit of the layout in points."""
    return float(np.min(_size(axes) / [np.ptp(axes.get_xlim()), np.ptp(axes.get_ylim())]))


def _draw_edges(axes: Axes, graph: Adjacency, xy: Array, codes: Codes, classes: Classes) -> str:
    """Draw edges, and return how many, if not all."""
    row, column, weight, told = drawn_edges(graph.matrix, directed=graph.directed)
    same = (codes[row] == codes[column]) & (codes[row] != classes.unlabelled)
    shades = np.array([(*colour, 1.0) for colour in classes.colours])[codes[row]]
    shades[~same] = 0.5, 0.5, 0.5, 0.7
    length = np.maximum(np.hypot(*(xy[row] - xy[column]).T), 1e-9) * _points_per_unit(axes)
    ink = _LINE * length.sum() / np.prod(_size(axes))
    opacity = np.clip(_INK / ink, *_OPACITY) * np.clip(np.median(length) / length, 0.2, 2.0) if len(row) else 1.0
    shades[:, 3] = np.minimum(shades[:, 3] * opacity, 0.8)
    for chosen, line in (weight >= 0, "-"), (weight < 0, "--"):
        style: Style = {"colors": shades[chosen], "linewidths": _LINE, "linestyles": line}
        draw_lines(axes, xy[row[chosen]], xy[column[chosen]], rasterized=len(row) > RASTER, **style)
    return f" ({told})" if told else ""


def _draw_vertices(axes: Axes, graph: Adjacency, xy: Array, codes: Codes, classes: Classes) -> None:
    n, degrees = len(xy), neighbor_counts(graph)
    sizes = _area(axes, xy) * np.clip(np.sqrt(degrees / max(degrees.mean(), 1e-9)), 0.6, 2.5)
    order = np.random.default_rng(0).permutation(n)  # no class is always above the others
    order = order[np.argsort(codes[order] != classes.unlabelled, kind="stable")]
    style: Style = {"linewidths": 0.3 if n <= 3_000 else 0, "edgecolors": "white", "rasterized": n > RASTER}
    shades = np.array(classes.colours)[codes[order]]
    axes.scatter(xy[order, 0], xy[order, 1], s=sizes[order], c=shades, zorder=2, **style)


def _predicted(network: Foreign, vertices: Foreign, classes: Classes, m: int) -> list[RGB]:
    """Return the colours of the classes that a model predicts for new vertices, or white."""
    white = (1.0, 1.0, 1.0)
    if vertices is None or not hasattr(network, "predict"):
        return [white] * m
    colour = {str(level): shade for level, shade in zip(classes.levels, classes.colours, strict=True)}
    return [colour.get(str(label), white) for label in np.asarray(network.predict(vertices)).tolist()]


def _draw_new(axes: Axes, layout: Layout, vertices: Foreign, faces: list[RGB]) -> None:
    """Draw rings with a halo, and lines to neighbors. Many rings are smaller, and so are rings among many dots."""
    if vertices is not None:
        arcs, among = sparse.csr_array(undirected(new_arcs(vertices))), arcs_among(vertices)
        known = arcs[:_MOST_NEW].tocoo()
        starts, ends = layout.new[known.row], layout.xy[known.col]
        if among is not None:
            alone = np.flatnonzero(np.diff(arcs.indptr) == 0)[:_MOST_NEW]
            ties = among[alone].tocoo()
            starts = np.vstack([starts, layout.new[alone[ties.row]]])
            ends = np.vstack([ends, layout.new[ties.col]])
        strength = float(np.clip(3 / (len(starts) + 1) ** 0.5, 0.1, 0.4))
        style: Style = {"colors": "black", "alpha": strength, "linewidths": 0.7}
        draw_lines(axes, starts, ends, **style)
    few = min(1.0, (_FEW_RINGS / max(len(faces), 1)) ** 0.5)
    width = float(np.clip(2 * few * _area(axes, layout.xy) ** 0.5, *_RINGS))
    line = float(np.clip(_LINE_OF_RING * width, 0.5, 1.5))
    style = {"s": width**2, "facecolors": faces, "zorder": 3}
    for thick, colour in ((2.4 * line, "white"), (line, "black")):
        axes.scatter(layout.new[:, 0], layout.new[:, 1], edgecolors=colour, linewidths=thick, **style)


def _name_vertices(
    axes: Axes, graph: Adjacency, xy: Array, names: Iterable[Hashable] | bool, taken: Array
) -> None:
    """Write names of vertices beside them; if all were asked for, those of large degree that are near enough."""
    if names is False:
        return
    if names is True:
        rows, circles = np.argsort(-neighbor_counts(graph), kind="stable")[:_MOST_NAMES], _NEAR
    else:
        rows, circles = code_names(as_labels(names, "names"), graph.index), _ANYWHERE
    radius = _area(axes, xy) ** 0.5 / 2 / _points_per_unit(axes)
    angles = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    circle = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    dot, style = np.vstack([circle, circle / 2]), {"fontsize": 7.5, "color": "0.1"}
    write_names(axes, [(str(graph.names[i]), xy[i], xy[i] + dot, style) for i in rows.tolist()], taken, circles)
