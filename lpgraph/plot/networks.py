"""Plots of networks and of what was fitted to them: matrix, degrees, weights, samples, drift, eigenvalues."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import pdtrc

from lpgraph._utils.checks import check_flag, check_integer, import_extra
from lpgraph._utils.estimators import not_fitted, shortened
from lpgraph.embed.procrustes import fitted_part
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.graph.construct import as_adjacency
from lpgraph.infer.dimension import DimensionValidation
from lpgraph.infer.drift_test import Drift
from lpgraph.infer.fit.model_fit import SampleComparison
from lpgraph.plot._drawing import CURVE, RASTER, SMALL, clipped, finished, new_axes
from lpgraph.plot._models import check_result, graph_of, neighbor_counts, row_labels
from lpgraph.plot.palette import COLOURS, GREY, Classes
from lpgraph.spectral.dimension import CRITICAL, DimensionChoice, elbows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.plot._drawing import Array, Codes, Style
    from lpgraph.plot._models import Labels

#: Blocks of a matrix narrower than this share of it have no label, since labels would overlap.
_NAMED = 0.022
#: Height of the matrix in points, and its part that the font of the labels takes between two of them.
_HEIGHT, _FONT = 290.0, 0.85
#: Colours from no edge to all.
_INK = ("#FFFFFF", "#56B4E9", "#0072B2", "#00223A")
#: The largest ratio of `samples` that is drawn; larger and smaller ones are at the ends of the axis.
_LARGEST = 16.0
#: Two-sided bound of the statistics of residuals at the level 0.05.
_TWO_SIDED = 1.96


def adjacency(graph: object, labels: Labels | None = None, *, bins: int = 500, ax: Axes | None = None) -> Axes:
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
    ax : matplotlib axes, optional
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
    codes = classes.codes(kinds)
    share = binned(network, np.lexsort((-neighbor_counts(network), codes)), bins)
    axes = new_axes(ax, (5.8, 5.2))
    colours = import_extra("matplotlib.colors", "plot")
    # Square roots make sparse blocks visible next to dense ones; the top percent may saturate.
    seen = share[share > 0]
    norm = colours.PowerNorm(0.5, vmin=0.0, vmax=float(np.quantile(seen, 0.99)) if len(seen) else 1.0)
    ink = colours.LinearSegmentedColormap.from_list("ink", _INK)
    way = "nearest" if bins == n else "antialiased"
    image = axes.imshow(share, cmap=ink, norm=norm, extent=(0, n, n, 0), interpolation=way)
    if bins < n:
        axes.figure.colorbar(image, ax=axes, label="share of pairs joined", shrink=0.8)
    ends = np.cumsum(np.bincount(codes))
    thin = float(np.clip(4 / len(ends), 0.2, 0.7))  # lines of many classes must not hide the edges
    for end in ends[:-1] if len(ends) <= n / 2 else []:
        axes.axhline(end, color=COLOURS[1], linewidth=thin)
        axes.axvline(end, color=COLOURS[1], linewidth=thin)
    axes.set(xticks=[], yticks=[])
    if labels is None:
        axes.set_ylabel(f"{n} vertices by degree")
    else:
        _name_blocks(axes, ends, classes)
    return axes


def _name_blocks(axes: Axes, ends: Codes, classes: Classes) -> None:
    """Write the names of the classes and draw their colours at the left edge."""
    n, starts = int(ends[-1]), np.concatenate([[0], ends[:-1]])
    named = np.flatnonzero((ends - starts) >= _NAMED * n)
    middles = (starts + ends)[named] / 2
    gap = np.diff(middles).min(initial=n) / n
    axes.set_yticks(middles, [clipped(str(classes.levels[k])) for k in named])
    axes.tick_params(axis="y", length=0, pad=9, labelsize=float(np.clip(_FONT * gap * _HEIGHT, 5, 10)))
    rectangle = import_extra("matplotlib.patches", "plot").Rectangle
    style: Style = {"transform": axes.get_yaxis_transform(), "lw": 0, "clip_on": False}
    for low, high, colour in zip(starts.tolist(), ends.tolist(), classes.colours, strict=True):
        axes.add_patch(rectangle((-0.022, low), 0.015, high - low, color=colour, **style))


def binned(network: Adjacency, order: Codes, bins: int) -> Array:
    """Return the (bins, bins) fractions of joined pairs, with vertex ``order[i]`` in row i."""
    n = network.n_vertices
    place = np.empty(n, dtype=np.intp)
    place[order] = np.arange(n) * bins // n
    row, column = (place[part] for part in network.matrix.tocoo().coords)
    count = np.bincount(row * bins + column, minlength=bins * bins).reshape(bins, bins)
    size = np.bincount(place, minlength=bins)
    return np.asarray(count / np.outer(size, size))


def degrees(graph: object, *, weighted: bool = False, label: str | None = None, ax: Axes | None = None) -> Axes:
    """Plot the share of vertices with at least a given degree, on logarithmic axes.

    In a network with hubs the curve is nearly straight over decades. In a random graph with the same mean degree
    it falls as the dashed curve, which is the Poisson distribution.

    Parameters
    ----------
    graph : graph
        A graph in any form of `lpgraph.as_adjacency`. Of a directed one, arcs from and to the
        vertices are two curves.
    weighted : bool, default False
        Whether a degree is the sum of the magnitudes of the weights of a vertex's edges, or the number of edges.
    label : str, optional
        Name of the graph in the legend, to compare several.
    ax : matplotlib axes, optional
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
    axes = new_axes(ax)
    matrix = abs(adjacency.matrix) if weighted else abs(adjacency.matrix) > 0
    names = ("out-degree", "in-degree") if adjacency.directed else ("degree",)
    sides = {name: np.asarray(matrix.sum(axis=1 - k), dtype=np.float64) for k, name in enumerate(names)}
    drawn = len(axes.lines)
    for k, (name, values) in enumerate(sides.items()):
        words = [label] if len(sides) == 1 else [label, name]
        _tail(axes, values, len(values), drawn + k, ", ".join(filter(None, words)) or None)
    if not weighted and not drawn:
        values = next(iter(sides.values()))
        degree = np.arange(1, int(values.max()) + 1)
        share = pdtrc(degree - 1.0, values.mean())
        seen = share >= 0.5 / len(values)  # down to a share of half a vertex
        expected: Style = {"color": GREY, "linewidth": 1.2, "label": "Poisson distribution of the same mean"}
        axes.loglog(degree[seen], share[seen], "--", zorder=0, **expected)
    n = adjacency.n_vertices
    without = {name: np.count_nonzero(values == 0) for name, values in sides.items() if not drawn}
    notes = [f"{count} of {n} vertices have {name} 0" for name, count in without.items() if count]
    title = "weighted degree" if weighted else "degree"
    return finished(axes, title, "share of vertices", notes)


def weights(graph: object, *, ax: Axes | None = None) -> Axes:
    """Plot the share of edges with at least a given weight, on logarithmic axes.

    Parameters
    ----------
    graph : graph
        A graph in any form of `lpgraph.as_adjacency`. Negative weights are a second curve, of their magnitudes.
    ax : matplotlib axes, optional
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
    axes = new_axes(ax)
    negative = bool((values < 0).any())
    for k, (name, part) in enumerate({"positive": values, "negative": -values}.items()):
        if (part > 0).any():
            _tail(axes, part, len(values), k, name if negative else None)
    title = "magnitude of weight" if negative else "weight"
    return finished(axes, title, "share of edges")


def _with_edges(graph: object) -> Adjacency:
    adjacency = as_adjacency(graph)
    if not adjacency.matrix.nnz:
        raise GraphError(f"The graph has {adjacency.n_vertices} vertices and no edge; there is nothing to draw.")
    return adjacency


def _tail(axes: Axes, values: Array, total: int, k: int, label: str | None) -> None:
    """Draw the share of `total` that is at least each positive value."""
    found, counts = np.unique(values[values > 0], return_counts=True)
    share = np.cumsum(counts[::-1])[::-1] / total
    # The second curve must not hide the first.
    marker, fill = ("s", "none") if k % 2 else ("o", "full")
    style: Style = {"color": COLOURS[k % len(COLOURS)], "markersize": 3.5, "fillstyle": fill}
    axes.loglog(found, share, marker, label=label, rasterized=len(found) > RASTER, **style)


def samples(comparison: SampleComparison, *, ax: Axes | None = None) -> Axes:
    """Plot the properties of samples of a fitted model, relative to those of the network.

    A line is drawn from the 5 % to the 95 % quantile of the samples, and a dot at their mean. Properties whose
    value in the network is not between the quantiles have the second colour. The values are written at the right.
    Ratios above 16 and below 1/16 are drawn there.

    Parameters
    ----------
    comparison : SampleComparison
        From ``compare`` of a fitted model.
    ax : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import networkx as nx, lpgraph as lp
    >>> club = lp.as_adjacency(nx.karate_club_graph(), weight=None)
    >>> lp.plot.samples(lp.fit_erdos_renyi(club).compare()).get_xlabel()
    'samples relative to the network'
    """
    check_result(comparison, SampleComparison, "fit_block_model(graph).compare")
    rows = np.arange(len(comparison.quantities))
    axes = new_axes(ax, (7.5, 0.28 * len(rows) + 1.2))
    low, high = np.quantile(comparison.samples, [0.05, 0.95], axis=0)
    value, mean = comparison.network, comparison.mean
    inside = (low <= value) & (value <= high)
    axes.axvline(1.0, color=GREY, linewidth=1.2, zorder=0)
    for chosen, colour in (inside, COLOURS[0]), (~inside, COLOURS[1]):
        ends = _ratio(low[chosen], value[chosen]), _ratio(high[chosen], value[chosen])
        axes.hlines(rows[chosen], *ends, colors=colour, linewidth=2.5)
        label = f"network {'within' if colour == COLOURS[0] else 'outside'} 5 % to 95 % of samples"
        axes.scatter(_ratio(mean[chosen], value[chosen]), rows[chosen], s=28, color=colour, label=label, zorder=2)
    axes.set_xscale("log", base=2)
    axes.set_xlim(_ratio(low, value).min() / 1.2, _ratio(high, value).max() * 1.2)
    axes.xaxis.set_major_formatter(lambda ratio, _: f"{ratio:g}" if ratio >= 1 else f"1/{1 / ratio:g}")
    axes.set_yticks(rows, comparison.quantities)
    axes.invert_yaxis()
    beside = axes.secondary_yaxis("right")
    beside.set_yticks(rows, [f"{_number(one)} / {_number(other)}" for one, other in zip(value, mean, strict=True)])
    beside.set_ylabel("network / mean of samples")
    finished(axes, "samples relative to the network", "", [f"{len(comparison.samples)} samples"], entries=[])
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, **SMALL)
    return axes


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _ratio(values: Array, reference: Array) -> Array:
    """Return ratios within the limits of the axis; 1 for two zeros."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(values == reference, 1.0, values / reference)
    return np.clip(ratio, 1 / _LARGEST, _LARGEST)


def drift(result: Drift, *, ax: Axes | None = None) -> Axes:
    """Plot the statistics of each measure relative to their limits, along a stream of new vertices if it is one.

    Above 0 a statistic exceeds its limit, which raises the alarm. In a stream, the alarm is marked, and the part
    that differs most is shaded.

    Parameters
    ----------
    result : Drift
        From `lpgraph.infer.drift`.
    ax : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    ArgumentTypeError
        If `result` is something else.

    Examples
    --------
    >>> import lpgraph as lp
    >>> graph = lp.stochastic_block_model([200, 200], [[0.4, 0.1], [0.1, 0.4]], random_state=0)
    >>> ase = lp.AdjacencySpectralEmbedding(2).fit(graph)
    >>> found = lp.infer.drift(ase, graph.new_vertices(50, random_state=1), ordered=True)
    >>> lp.plot.drift(found).get_xlabel()
    'new vertices'
    """
    check_result(result, Drift, "infer.drift")
    axes = new_axes(ax)
    title = "statistic above its limit"
    if not result.ordered:
        heights = [float(path[-1]) - result.limits[measure] for measure, path in result.paths.items()]
        axes.bar(list(result.paths), heights, color=COLOURS[: len(heights)])
        axes.axhline(0, color=GREY, linestyle="--", linewidth=1.2)
        return finished(axes, "measure", title)
    marker = "o" if len(result.ends) < 30 else ""
    for colour, (measure, path) in zip(COLOURS, result.paths.items(), strict=False):
        excess = np.asarray(path) - result.limits[measure]
        axes.plot(result.ends, excess, color=colour, marker=marker, markersize=4, linewidth=1.6, label=measure)
    axes.axhline(0, color=GREY, linestyle="--", linewidth=1.2)
    if result.alarm_after is not None and result.changed_from is not None and result.changed_until is not None:
        axes.axvspan(result.changed_from, result.changed_until, color=GREY, alpha=0.2, linewidth=0)
        label = f"alarm at {shortened(result.alarm_vertex, 20)}"
        axes.axvline(result.alarm_after, color="black", linewidth=1.2, label=label)
    axes.locator_params(axis="x", integer=True)
    return finished(axes, "new vertices", title)


def scree(
    embedding: BaseEstimator, *, validation: DimensionValidation | None = None, ax: Axes | None = None
) -> Axes:
    """Plot the eigenvalues of a fitted embedding, its elbow and its dimension; negative eigenvalues are hollow.

    The values are ``scree_``, by which the dimension was chosen. If cross-validated eigenvalues chose it, which is
    the default, they are estimates from the edges that were not held out, and the picture says so.

    Parameters
    ----------
    embedding : fitted model
        A fitted embedding, or a classifier or clustering that has one. With ``n_components=None`` an embedding of
        a network has more eigenvalues than it uses. With a fixed number, and for points, there are no others, and
        no elbow is drawn.
    validation : DimensionValidation, optional
        From `lpgraph.infer.dimension.cross_validate`: its loss is drawn with an axis at the right, and its
        number is also marked.
    ax : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    NotFittedError
        If the model is not fitted, or has no embedding.

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> ase = lp.AdjacencySpectralEmbedding().fit(nx.karate_club_graph())
    >>> lp.plot.scree(ase).get_ylabel()
    'estimated magnitude of eigenvalue'
    """
    fitted = fitted_part(embedding) if hasattr(embedding, "get_params") else None
    if fitted is None:
        raise not_fitted(f"embedding is {embedding!r:.80}, which has no eigenvalues; pass a fitted embedding.")
    axes = new_axes(ax)
    values = np.asarray(fitted.scree_ if hasattr(fitted, "scree_") else fitted.eigenvalues_)
    d, rank = fitted.embedding_.shape[1], np.arange(1, len(values) + 1)
    axes.plot(rank, np.abs(values), color="0.75", zorder=1)
    _dots(axes, rank, np.abs(values), values < 0)
    marks = [("embedding", d, COLOURS[1], "-")]
    if len(values) > max(d, 2):
        marks.append(("elbow", elbows(values)[0], COLOURS[2], ":"))
    for rule, at, colour, line in marks:
        axes.axvline(at + 0.5, color=colour, linestyle=line, linewidth=1.6, label=f"{rule}: {at}", zorder=0)
    axes.set_ylim(bottom=0)
    _draw_loss(axes, validation)
    axes.locator_params(axis="x", integer=True)
    choice = getattr(fitted, "dimension_choice_", None)
    estimated = choice is not None and choice.cross_validated
    quantity = "singular value" if getattr(fitted, "directed_", False) else "magnitude of eigenvalue"
    notes = ["estimates from the edges that were not held out"] if estimated else []
    return finished(axes, "rank", f"estimated {quantity}" if estimated else quantity, notes)


def dimension(
    choice: DimensionChoice | BaseEstimator,
    *,
    validation: DimensionValidation | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Plot the statistics by which a rule chose the number of dimensions.

    These are the z statistics of cross-validated eigenvalues, with 3.09 as a line; the statistics of residuals,
    with 1.96 and -1.96; or the magnitudes of the leading eigenvalues, with the range of those of matrices with
    random signs. The chosen number is marked.

    Parameters
    ----------
    choice : DimensionChoice or fitted model
        From `lpgraph.infer.dimension.sign_flips`, for example, or a fitted model that has a `dimension_choice_`.
    validation : DimensionValidation, optional
        From `lpgraph.infer.dimension.cross_validate`: its loss is drawn with an axis at the right, and its
        number is also marked. Predictions of held-out pairs may stop improving before dimensions are no
        longer significant.
    ax : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    ArgumentError
        If the number was given, or chosen by an elbow, for which `lpgraph.plot.scree` is.

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> found = lp.infer.dimension.sign_flips(nx.karate_club_graph())
    >>> lp.plot.dimension(found).get_ylabel()
    'magnitude of eigenvalue'
    """
    found = choice
    if not isinstance(found, DimensionChoice):
        fitted = fitted_part(choice) if hasattr(choice, "get_params") else None
        found = getattr(fitted, "dimension_choice_", None)
    if found is None or (found.z is None and found.edges is None):
        raise ArgumentError(f"choice={choice!r:.80} has no test; pass one that has, or use plot.scree.")
    axes, statistic = new_axes(ax), "magnitude of eigenvalue"
    if found.edges is not None and found.values is not None:
        low, high = found.edges.min(), found.edges.max()
        axes.axhspan(low, high, color=GREY, alpha=0.35, linewidth=0, label="random signs")
        rank, heights, negative = np.arange(len(found.values)) + 1, np.abs(found.values), found.values < 0
        axes.set_ylim(bottom=0)
    elif found.z is not None:
        residuals = found.rule == "residual_subsampling"
        for bound in (-_TWO_SIDED, _TWO_SIDED) if residuals else (CRITICAL,):
            axes.axhline(bound, color=GREY, linestyle="--", linewidth=1.2)
        rank = np.arange(len(found.z)) + (0 if residuals else 1)
        heights, negative = found.z, np.zeros(len(found.z), dtype=np.bool_)
        statistic = "statistic of the residuals" if residuals else "z of the held-out edges"
        axes.set_yscale("symlog", linthresh=5)
    axes.vlines(rank, 0, heights, color="0.75", zorder=1)
    _dots(axes, rank, heights, negative)
    label = f"{found.rule}: {found.n_components}{', the largest number tried' if found.at_cap else ''}"
    axes.axvline(found.n_components + 0.5, color=COLOURS[1], linewidth=1.4, zorder=0, label=label)
    _draw_loss(axes, validation)
    axes.locator_params(axis="x", integer=True)
    return finished(axes, "dimensions", statistic)


def _draw_loss(axes: Axes, validation: DimensionValidation | None) -> None:
    """Mark the number that cross-validation chose, and draw its loss with an axis at the right."""
    if validation is None:
        return
    check_result(validation, DimensionValidation, "infer.dimension.cross_validate", "validation")
    at, beside = validation.smallest_good, axes.twinx()
    axes.axvline(at + 0.5, color=COLOURS[3], linestyle="--", zorder=0, label=f"cross-validation: {at}")
    style: Style = CURVE | {"color": COLOURS[3], "yerr": validation.standard_error[1:]}
    beside.errorbar(validation.dimensions[1:], validation.mean[1:], **style)
    beside.set_ylabel("held-out squared error (none = 1)", color=COLOURS[3])


def _dots(axes: Axes, x: NDArray[np.intp], y: Array, negative: NDArray[np.bool_]) -> None:
    """Draw dots, hollow ones for negative eigenvalues, with labels if there are some."""
    style: Style = {"s": 28, "edgecolors": COLOURS[0], "zorder": 2}
    for name, chosen, face in (("positive", ~negative, COLOURS[0]), ("negative", negative, "white")):
        if chosen.any():
            label = f"{name} eigenvalue" if negative.any() else None
            axes.scatter(x[chosen], y[chosen], color=face, label=label, **style)
