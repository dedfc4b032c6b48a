"""Plots of networks and of what was fitted to them: matrix, degrees, samples, drift, eigenvalues."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import pdtrc

from lpgraph._utils.checks import import_extra
from lpgraph._utils.estimators import not_fitted, shortened
from lpgraph.embed.procrustes import fitted_part
from lpgraph.errors import ArgumentError, GraphError
from lpgraph.graph.construct import as_adjacency
from lpgraph.infer.dimension import DimensionValidation
from lpgraph.infer.drift_test import Drift
from lpgraph.infer.fit.model_fit import SampleComparison
from lpgraph.spectral.dimension import CRITICAL, DimensionChoice, elbows

from ._drawing import CURVE, RASTER, clipped, finished, new_axes
from ._models import check_result, graph_of, neighbor_counts, pair_counts, row_classes
from .palette import COLOURS, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.base import BaseEstimator

    from lpgraph._utils.checks import Foreign
    from lpgraph._utils.types import Array, Flags, Integers
    from lpgraph.graph.adjacency import Adjacency

    from ._drawing import Codes, Style
    from ._models import Labels

#: Pixels along each side of a matrix. Blocks narrower than this share have no label, since labels would overlap.
_BINS, _NAMED = 500, 0.03
#: The largest ratio of `samples` that is drawn; larger and smaller ones are at the ends of the axis.
_LARGEST = 16.0


def adjacency(graph: object, labels: Labels | None = None, *, ax: Axes | None = None) -> Axes:
    """Plot the adjacency matrix as an image, with vertices sorted by class and then by degree.

    Each of at most 500 x 500 pixels shows the fraction of its pairs of vertices that are joined, regardless of
    weights. The time is proportional to the number of edges, so that 10^6 edges are no problem.

    Parameters
    ----------
    graph : graph or fitted model
        A graph in a form that `lpgraph.as_adjacency` accepts, or a fitted model, whose graph is drawn.
    labels : array-like of shape (n,), mapping, pandas Series or fitted model, optional
        Clusters or classes, separated by lines and labelled; by name if they are a mapping, or a Series whose
        index has the names of the vertices. Default: the labels of a model or a sampled graph that has some.
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
    network = as_adjacency(graph_of(graph))
    n = network.n_vertices
    classes, codes = row_classes(labels, graph, n, network.names)
    share = binned(network, np.lexsort((-neighbor_counts(network), codes)), min(_BINS, n))
    axes = new_axes(ax, (5.8, 5.2))
    colours = import_extra("matplotlib.colors", "plot")
    # Square roots make sparse blocks visible next to dense ones; the top percent may saturate.
    seen = share[share > 0]
    norm = colours.PowerNorm(0.5, vmin=0.0, vmax=np.quantile(seen, 0.99) if len(seen) else 1.0)
    image = axes.imshow(share, cmap="Blues", norm=norm, extent=(0, n, n, 0))
    axes.figure.colorbar(image, ax=axes, label="share of pairs joined", shrink=0.8)
    sizes = np.bincount(codes)
    ends = np.cumsum(sizes)
    for line in (axes.hlines, axes.vlines):
        line(ends[:-1], 0, n, colors=COLOURS[1], linewidths=0.4)
    axes.set(xticks=[], yticks=[])
    if len(classes.levels) == 1:
        axes.set_ylabel(f"{n} vertices by degree")
    else:
        named = np.flatnonzero(sizes >= _NAMED * n)
        axes.set_yticks((ends - sizes / 2)[named], [clipped(str(classes.levels[k])) for k in named])
    return axes


def binned(network: Adjacency, order: Codes, bins: int) -> Array:
    """Return the (bins, bins) fractions of joined pairs, with vertex ``order[i]`` in row i."""
    n = network.n_vertices
    place = np.empty(n, dtype=np.intp)
    place[order] = np.arange(n) * bins // n
    size = np.bincount(place, minlength=bins)
    return pair_counts(network.matrix, place, bins) / np.outer(size, size)


def degrees(graph: object, *, label: str | None = None, ax: Axes | None = None) -> Axes:
    """Plot the share of vertices with at least a given degree, on logarithmic axes.

    In a network with hubs the curve is nearly straight over decades. In a random graph with the same mean degree
    it falls as the dashed curve, which is the Poisson distribution.

    Parameters
    ----------
    graph : graph
        A graph in any form of `lpgraph.as_adjacency`. Of a directed one, the degree is the sum of in- and
        out-degree.
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
    counts = neighbor_counts(as_adjacency(graph))
    if not counts.any():
        raise GraphError(f"The graph has {len(counts)} vertices and no edge; there is nothing to draw.")
    axes = new_axes(ax)
    found = np.unique(counts[counts > 0])
    share = 1 - np.searchsorted(np.sort(counts), found) / len(counts)
    # One colour for the curve and its reference, another for those of the next graph.
    colour = COLOURS[len(axes.lines) // 2 % len(COLOURS)]
    axes.loglog(found, share, "o", color=colour, markersize=3.5, label=label, rasterized=len(found) > RASTER)
    degree = np.arange(1, found[-1] + 1)
    expected = pdtrc(degree - 1.0, counts.mean())
    seen = expected >= 0.5 / len(counts)  # down to a share of half a vertex
    name = "Poisson distribution of the same mean"
    axes.loglog(degree[seen], expected[seen], "--", color=colour, linewidth=1.2, label=name, zorder=0)
    return finished(axes, "degree", "share of vertices")


def samples(comparison: SampleComparison, *, ax: Axes | None = None) -> Axes:
    """Plot the properties of samples of a fitted model, relative to those of the network.

    A line is drawn from the 5 % to the 95 % quantile of the samples, and a dot at their mean. Properties whose
    value in the network is not between the quantiles have the second colour. The network's values are at the left.
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
    value = comparison.network
    low, high = np.quantile(comparison.samples, [0.05, 0.95], axis=0)
    colours = np.where((low <= value) & (value <= high), COLOURS[0], COLOURS[1])
    axes.axvline(1.0, color=GREY, linewidth=1.2, zorder=0)
    axes.hlines(rows, _ratio(low, value), _ratio(high, value), colors=colours.tolist(), linewidth=2.5)
    axes.scatter(_ratio(comparison.mean, value), rows, s=28, color=colours.tolist(), zorder=2)
    axes.set_xscale("log", base=2)
    texts = [f"{name}: {one:.4g}" for name, one in zip(comparison.quantities, value.tolist(), strict=True)]
    axes.set_yticks(rows, texts)
    axes.invert_yaxis()
    return finished(axes, "samples relative to the network", "", [f"{len(comparison.samples)} samples"])


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
    across = "new vertices" if result.ordered else "measure"
    for colour, (measure, path) in zip(COLOURS, result.paths.items(), strict=False):
        excess = np.asarray(path) - result.limits[measure]
        if result.ordered:
            axes.plot(result.ends, excess, color=colour, marker=".", label=measure)
        else:
            axes.bar(measure, excess[-1], color=colour)
    axes.axhline(0, color=GREY, linestyle="--", linewidth=1.2)
    if result.alarm_after is not None and result.changed_from is not None and result.changed_until is not None:
        axes.axvspan(result.changed_from, result.changed_until, color=GREY, alpha=0.2, linewidth=0)
        label = f"alarm at {shortened(result.alarm_vertex, 20)}"
        axes.axvline(result.alarm_after, color="black", linewidth=1.2, label=label)
    return finished(axes, across, "statistic above its limit")


def scree(
    embedding: BaseEstimator, *, validation: DimensionValidation | None = None, ax: Axes | None = None
) -> Axes:
    """Plot the eigenvalues of a fitted embedding, its elbow and its dimension; negative eigenvalues are hollow.

    The values are ``scree_``, by which the dimension was chosen. If cross-validated eigenvalues chose it, which is
    the default, they are estimates from the edges that were not held out, and the axis says so.

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
    values = fitted.scree_ if hasattr(fitted, "scree_") else fitted.eigenvalues_
    d, rank = fitted.embedding_.shape[1], np.arange(1, len(values) + 1)
    axes.plot(rank, np.abs(values), color="0.75", zorder=1)
    _dots(axes, rank, np.abs(values), values < 0)
    marks = [("embedding", d, "-")]
    if len(values) > max(d, 2):
        marks.append(("elbow", elbows(values)[0], ":"))
    if validation is not None:
        check_result(validation, DimensionValidation, "infer.dimension.cross_validate", "validation")
        marks.append(("cross-validation", validation.smallest_good, "--"))
        beside, colour = axes.twinx(), COLOURS[len(marks)]
        style: Style = CURVE | {"color": colour, "yerr": validation.standard_error[1:]}
        beside.errorbar(validation.dimensions[1:], validation.mean[1:], **style)
        beside.set_ylabel("held-out squared error (none = 1)", color=colour)
    for (rule, at, line), colour in zip(marks, COLOURS[1:], strict=False):
        axes.axvline(at + 0.5, color=colour, linestyle=line, linewidth=1.6, label=f"{rule}: {at}", zorder=0)
    axes.set_ylim(bottom=0)
    choice = getattr(fitted, "dimension_choice_", None)
    estimated = choice is not None and choice.cross_validated
    quantity = "singular value" if getattr(fitted, "directed_", False) else "magnitude of eigenvalue"
    return finished(axes, "rank", f"estimated {quantity}" if estimated else quantity)


def dimension(choice: DimensionChoice | BaseEstimator, *, ax: Axes | None = None) -> Axes:
    """Plot the statistics by which a rule chose the number of dimensions.

    These are the z statistics of cross-validated eigenvalues, with 3.09 as a line; the statistics of residuals,
    with 1.96 and -1.96; or the magnitudes of the leading eigenvalues, with the range of those of matrices with
    random signs. The chosen number is marked.

    Parameters
    ----------
    choice : DimensionChoice or fitted model
        `dimension_choice_` of a fitted embedding, or a fitted model that has one.
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
    >>> model = lp.AdjacencySpectralEmbedding("sign_flips").fit(nx.karate_club_graph())
    >>> lp.plot.dimension(model).get_ylabel()
    'magnitude of eigenvalue'
    """
    found: Foreign = choice
    if not isinstance(choice, DimensionChoice):
        fitted = fitted_part(choice) if hasattr(choice, "get_params") else None
        found = getattr(fitted, "dimension_choice_", None)
    if found is None or (found.z is None and found.edges is None):
        raise ArgumentError(f"choice={choice!r:.80} has no test; pass one that has, or use plot.scree.")
    axes, statistic = new_axes(ax), "magnitude of eigenvalue"
    if found.edges is not None:
        low, high = found.edges.min(), found.edges.max()
        axes.axhspan(low, high, color=GREY, alpha=0.35, linewidth=0, label="random signs")
        rank, heights, negative = np.arange(len(found.values)) + 1, np.abs(found.values), found.values < 0
    else:
        axes.axhline(CRITICAL, color=GREY, linestyle="--", linewidth=1.2)
        rank, heights, negative = np.arange(len(found.z)) + 1, found.z, np.zeros(len(found.z), dtype=np.bool_)
        statistic = "z of the held-out edges"
        axes.set_yscale("symlog", linthresh=5)
    axes.vlines(rank, 0, heights, color="0.75", zorder=1)
    _dots(axes, rank, heights, negative)
    label = f"{found.rule}: {found.n_components}{', the largest number tried' if found.at_cap else ''}"
    axes.axvline(found.n_components + 0.5, color=COLOURS[1], linewidth=1.4, zorder=0, label=label)
    return finished(axes, "dimensions", statistic)


def _dots(axes: Axes, x: Integers, y: Array, negative: Flags) -> None:
    """Draw dots, hollow ones for negative eigenvalues."""
    for of, face, name in ((~negative, COLOURS[0], None), (negative, "white", "negative eigenvalue")):
        if of.any():
            axes.scatter(x[of], y[of], s=28, color=face, edgecolors=COLOURS[0], zorder=2, label=name)
