"""Plots of embeddings: scatter plots, pairs of dimensions, ellipses, and estimated over true positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._utils.checks import check_finite_array, check_flag, check_real, import_extra
from lpgraph.embed.procrustes import procrustes
from lpgraph.errors import ArgumentError
from lpgraph.graph.vertex_values import row_names
from lpgraph.infer.mixture import PositionMixture
from lpgraph.models.latent_position import LatentPositionGraph
from lpgraph.plot import _drawing
from lpgraph.plot._drawing import Marks, finished, new_axes
from lpgraph.plot._models import classified, labels_of, outline_of, read_points, row_labels
from lpgraph.plot._naming import draw_names
from lpgraph.plot.palette import COLOURS, GREY, Classes, graded
from lpgraph.plot.scaling import Scaling, chosen_axes, limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import ColorType
    from numpy.typing import ArrayLike, NDArray

    from lpgraph.infer.cluster import VertexClustering
    from lpgraph.plot._drawing import Array, Style
    from lpgraph.plot._models import Labels, Outline, Positions
    from lpgraph.plot.palette import RGB

#: Number of classes above which the histograms of `pairs` are those of all points, since they would overlap.
_HISTOGRAMS = 8
#: A legend of so many entries fits above the diagonal of the smallest grid.
_FEW_ENTRIES = 8
#: Maximum number of vertices in `truth`: lines between more of them would cover each other.
_DRAWN = 1_000


class Scatter:
    """Known and new vertices as they are drawn.

    Attributes
    ----------
    points, new : ndarray of shape (n, d) and (m, d)
        Positions of known and of new vertices.
    xy, crosses : ndarray of shape (n, k) and (m, k)
        Their scaled coordinates in the k columns `chosen`.
    codes, shades : ndarray of shape (n,), list of m colours
        Classes of known vertices, and colours of new ones.
    ends : list of k
        The limits of the axes.
    """

    def __init__(
        self,
        points: Array,
        kinds: NDArray[np.generic],
        chosen: tuple[int, ...],
        scaling: Scaling,
        out: tuple[ArrayLike | None, Labels | None],
        density: bool | None,
    ) -> None:
        new, new_kinds = points[:0], kinds[:0]
        if out[0] is not None:
            new = read_points("out_of_sample", out[0], chosen)
            if new.shape[1] != points.shape[1]:
                what = f"out_of_sample has {new.shape[1]} columns and in_sample {points.shape[1]}"
                raise ArgumentError(f"{what}; pass what transform returns.")
            if out[1] is not None:
                new_kinds = row_labels("out_labels", labels_of(out[1]), len(new), row_names(out[0], len(new)))
        elif out[1] is not None:
            raise ArgumentError("out_labels was passed without out_of_sample; pass the positions as well.")
        if len(new_kinds) and kinds.dtype.kind != new_kinds.dtype.kind:
            kinds, new_kinds = kinds.astype(str), new_kinds.astype(str)
        self.points, self.new, self.chosen = points, new, chosen
        self.density, self.scale = _drawing.density_drawn(density, len(points)), None
        shades = graded(kinds) if out[1] is None else None
        if shades is None:
            self.classes = Classes.of(kinds, new_kinds)
            self.codes = self.classes.codes(kinds)
        else:
            self.classes, self.codes, self.scale = shades
        colours = self.classes.colours
        # Without labels, new vertices have the colour of the others; white if these have classes.
        plain = colours[0] if len(colours) == 1 else (1.0, 1.0, 1.0)
        self.shades: list[RGB] = [colours[code] for code in self.classes.codes(new_kinds)] or [plain] * len(new)
        self.entries = [] if shades else _drawing.class_entries(self.classes, density=self.density)
        if out[0] is not None:
            unplaced = int((~new.any(axis=1)).sum())  # which hide each other
            label = f"new vertex, {unplaced} at origin" if unplaced else "new vertex"
            known = self.entries or [{"label": "known vertex", "color": "0.5" if shades else plain}]
            self.entries = [*known, {"label": label, "color": "0.5" if len(new_kinds) else plain, **_drawing.NEW}]
        self.xy, self.crosses = scaling(points, chosen), scaling(new, chosen, points)
        both = np.vstack([self.xy, self.crosses])
        self.ends = [limits(column) for column in both.T]
        #: What was done to the positions, in words.
        self.notes = [*scaling.caption(points.shape[1], chosen), *_drawing.cut_caption(both, self.ends)]

    def draw(self, axes: Axes, panel: tuple[int, int], outline: Outline, level: float, panels: int = 1) -> None:
        """Draw two of the columns into one of `panels` rows of panels, with ellipses of probability `level`."""
        i, j = panel
        xy = self.xy[:, panel]
        ends = self.ends[i], self.ends[j]
        _drawing.draw(axes, Marks(xy, self.codes, self.classes), ends, density=self.density, panels=panels)
        if len(self.new):
            _drawing.draw_new(axes, self.crosses[:, panel], self.shades, panels)
        if isinstance(outline, PositionMixture):
            ellipses(outline, level=level, dimensions=(self.chosen[i], self.chosen[j]), ax=axes)
        elif outline is not None:
            for k, colour in enumerate(self.classes.colours):
                part = xy[self.codes == k]
                if len(part) > xy.shape[1]:
                    spread = np.cov(part, rowvar=False)
                    ellipses([part.mean(axis=0)], [spread], level=level, colours=colour, ax=axes)


def positions(
    in_sample: Positions,
    labels: Labels | None = None,
    *,
    out_of_sample: ArrayLike | None = None,
    out_labels: Labels | None = None,
    out_covariance: ArrayLike | None = None,
    dimensions: tuple[int, int] | None = None,
    scale: str = "auto",
    ellipse: Outline = None,
    level: float = 0.95,
    density: bool | None = None,
    names: bool | None = None,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Plot two dimensions of an embedding, with known vertices as dots and new vertices as crosses.

    Parameters
    ----------
    in_sample : array-like of shape (n, d) or fitted model
        Positions, with d >= 2 and the columns `dimensions`; or a fitted embedding, classifier or clustering.
    labels : array-like of shape (n,), mapping, pandas Series or fitted model, optional
        Classes, shown as colours; a mapping or Series is read by the names of the rows, which are those of the
        model, the index of a DataFrame, or 0 ... n-1. Default: the labels of a model that has some.
    out_of_sample, out_labels : array-like of shape (m, d) and (m,), optional
        Positions and classes of new vertices.
    out_covariance : array-like of shape (m, d, d), optional
        Covariances of the out-of-sample positions, from `OutOfSample.covariance`, drawn as ellipses.
    dimensions : (int, int), optional
        The columns on the horizontal and vertical axis. Default: the first two, or the second and third if rows
        are scaled to unit length. `map` draws all dimensions at once.
    scale : {"auto", "none", "unit", "ranks"}, default "auto"
        "unit" divides each row by its length in the first four dimensions (or in all up to the last one drawn).
        "ranks" draws the rank of each coordinate, as a share of the number of vertices. Both show the vertices of
        low degree, which lie near the origin in a network with hubs. "auto" takes "unit" for positions whose
        lengths are heavy-tailed, or "ranks" if they have two dimensions, and "none" for others; see Notes.
    ellipse : {"classes"}, PositionMixture or VertexClustering, optional
        Draw the ellipse of probability `level` of each class (a Gaussian with its mean and covariance), or of
        each component of a mixture, such as that of ``VertexClustering(method="gaussian")``. A mixture and
        `out_covariance` belong to the positions as they are: "auto" then means "none".
    level : float, default 0.95
        The probability of each ellipse.
    density : bool, optional
        Whether to draw the density of points instead of points. Default: above 20 000 points.
    names : bool, optional
        Whether to write the name of each class where its points are densest. Default: with more than eight
        classes, whose colours are hard to find in a legend. Names without a free place are left out.
    legend : bool, default True
        Whether to add a legend.
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
    The lengths are heavy-tailed if the 99 % quantile of the rows' lengths in the first two dimensions is above 4
    times their median, and if the entries of the first dimension have one sign: their sum is at least 0.9 of the
    sum of their magnitudes. So it is in adjacency and Laplacian embeddings of networks with heavy-tailed degrees.

    An axis ends at the 0.5 % and 99.5 % quantiles if its range would be more than twice as long. The title says
    how points were scaled, and how many are outside.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> ax = lp.plot.positions(np.eye(3), ["a", "b", "b"])
    >>> ax.get_xlabel()
    'dimension 1'
    """
    in_sample, labels = classified("in_sample", in_sample, labels)
    points = check_finite_array("in_sample", in_sample, ndim=2)
    outline = outline_of(ellipse, points.shape[1])
    fixed = isinstance(outline, PositionMixture) or out_covariance is not None
    scaling = Scaling.of(scale, points, fixed=fixed)
    kinds = row_labels("labels", labels, len(points), row_names(in_sample, len(points)))
    if out_covariance is not None and out_of_sample is None:
        raise ArgumentError("out_covariance was passed without out_of_sample; pass the positions as well.")
    chosen, told = chosen_axes("in_sample", dimensions, points, scaling)
    shown = Scatter(points, kinds, chosen, scaling, (out_of_sample, out_labels), density)
    axes = new_axes(ax, entries=shown.entries if legend else [])
    if shown.scale is not None:
        axes.figure.colorbar(shown.scale, ax=axes, location="left" if shown.entries else "right")
    shown.draw(axes, (0, 1), outline, level)
    if out_covariance is not None:
        style: Style = {"colours": shown.shades, "linewidths": 0.6}
        ellipses(shown.new, out_covariance, level=level, dimensions=chosen, ax=axes, **style)
    entries = shown.entries if legend else []
    across, up = (f"dimension {column + 1}" for column in chosen)
    finished(axes, across, up, [*told, *shown.notes], entries=entries)
    several = len(shown.classes.levels) - (shown.classes.unlabelled >= 0) > len(COLOURS)
    if (several and shown.scale is None) if names is None else check_flag("names", names):
        # The embedding says nothing about what is at the origin, such as small components.
        placed = points.any(axis=1)
        draw_names(axes, shown.xy[placed], shown.codes[placed], shown.classes)
    return axes


def pairs(
    embedding: Positions,
    labels: Labels | None = None,
    *,
    out_of_sample: ArrayLike | None = None,
    out_labels: Labels | None = None,
    dimensions: tuple[int, ...] | None = None,
    scale: str = "auto",
    ellipse: Outline = None,
    level: float = 0.95,
    density: bool | None = None,
    figure: Figure | None = None,
) -> Figure:
    """Plot all pairs of several dimensions of an embedding, with histograms on the diagonal.

    Parameters
    ----------
    embedding : array-like of shape (n, d) or fitted model
        Positions; or a fitted embedding, classifier or clustering.
    labels : array-like of shape (n,), mapping, pandas Series or fitted model, optional
        Classes, shown as colours. Default: the labels of a model that has some.
    out_of_sample, out_labels : array-like of shape (m, d) and (m,), optional
        Positions and classes of new vertices, which are drawn as crosses; histograms do not count them.
    dimensions : tuple of int, optional
        The 2 to 8 columns to draw. Default: the first five, or all if fewer.
    scale, ellipse, level, density
        As for `positions`.
    figure : matplotlib figure, optional
        Figure to draw into. Default: a new figure.

    Returns
    -------
    matplotlib figure

    Raises
    ------
    ArgumentError
        If there are fewer than two or more than eight dimensions.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> figure = lp.plot.pairs(np.random.default_rng(0).normal(size=(50, 3)), np.arange(50) % 2)
    >>> len(figure.axes)
    6
    """
    embedding, labels = classified("embedding", embedding, labels)
    points = check_finite_array("embedding", embedding, ndim=2)
    chosen = tuple(range(min(5, points.shape[1]))) if dimensions is None else tuple(dimensions)
    if not 2 <= len(chosen) <= 8:
        raise ArgumentError(f"dimensions={chosen}; pass 2 to 8 columns of an embedding of shape (n, d).")
    points, outline = read_points("embedding", points, chosen), outline_of(ellipse, points.shape[1])
    kinds = row_labels("labels", labels, len(points), row_names(embedding, len(points)))
    scaling = Scaling.of(scale, points, fixed=isinstance(outline, PositionMixture))
    shown, k = Scatter(points, kinds, chosen, scaling, (out_of_sample, out_labels), density), len(chosen)
    side = 1 + min(2.2 * k, 9)
    made = figure or _drawing.new_figure((side, side))
    grid = made.subplots(k, k, sharex="col")
    for i, j in np.ndindex(k, k):
        axes = grid[i, j]
        if j > i:
            axes.remove()
            continue
        if i == j:
            _histograms(axes, shown, i)
        else:
            shown.draw(axes, (j, i), outline, level, k)
        axes.tick_params(labelsize="x-small", labelleft=j == 0 and i > 0)
        if i == k - 1:
            axes.set_xlabel(f"dimension {chosen[j] + 1}", fontsize="small")
        if j == 0 and i > 0:
            axes.set_ylabel(f"dimension {chosen[i] + 1}", fontsize="small")
    if shown.scale is not None:
        made.colorbar(shown.scale, ax=made.axes, shrink=0.5)
    fits = figure is not None or k > 4 or len(shown.entries) <= max(_FEW_ENTRIES, _drawing.LEGEND_ROWS * (k - 2))
    return _drawing.finished_figure(made, shown.notes, shown.entries, inside=fits)


def _histograms(axes: Axes, shown: Scatter, column: int) -> None:
    """Draw a histogram of each class, or one of all points if there are many classes."""
    values, (low, high, cut) = shown.xy[:, column], shown.ends[column]
    inside = (values >= low) & (values <= high)
    edges = np.histogram_bin_edges(values[inside], min(60, max(10, int(np.sqrt(len(values)))))).tolist()
    if cut:
        axes.set_xlim(low, high)
    shades = shown.classes.colours
    parts = [(inside & (shown.codes == k), colour) for k, colour in enumerate(shades)]
    for part, colour in parts if len(shades) <= _HISTOGRAMS else [(inside, GREY)]:
        shade: Style = {"facecolor": (colour, 0.35), "edgecolor": colour, "linewidth": 1}
        axes.hist(values[part], bins=edges, histtype="stepfilled", **shade)
    axes.set_yticks([])


def ellipses(
    means: ArrayLike | PositionMixture | VertexClustering,
    covariances: ArrayLike | None = None,
    *,
    level: float = 0.95,
    dimensions: tuple[int, int] = (0, 1),
    colours: ColorType | Sequence[ColorType] = "black",
    ax: Axes | None = None,
    **style: object,
) -> Axes:
    r"""Draw the ellipse of probability `level` for each of several Gaussians.

    Parameters
    ----------
    means : array-like of shape (k, d), PositionMixture or VertexClustering
        Means of the Gaussians; or a mixture, or the clustering that has it, with the covariances.
    covariances : array-like of shape (k, d, d), optional
        For example those of `OutOfSample.covariance`. Not needed for a mixture.
    level : float, default 0.95
        The probability of each ellipse, in (0, 1).
    dimensions : (int, int), default (0, 1)
        The columns to draw.
    colours : colour or sequence of k colours, default "black"
        Colours of the outlines.
    ax : matplotlib axes, optional
        Axes to draw into. Default: a new figure.
    **style
        Passed to matplotlib's `PatchCollection`.

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
    if covariances is None:
        mixture = getattr(means, "mixture_", means)
        if not isinstance(mixture, PositionMixture):
            raise ArgumentError("covariances was not passed; pass one for each mean, or a fitted mixture.")
        means, covariances = mixture_moments(mixture)
    centre = check_finite_array("means", means, ndim=2)
    spread, (k, d) = check_finite_array("covariances", covariances, ndim=3), centre.shape
    if spread.shape != (k, d, d):
        raise ArgumentError(f"covariances has shape {spread.shape}; pass ({k}, {d}, {d}), one for each mean.")
    level = check_real("level", level, low=0.0, high=0.999999, open_low=True)  # 1 is an infinite ellipse
    ellipse = import_extra("matplotlib.patches", "plot").Ellipse
    chosen = list(dimensions)
    values, vectors = np.linalg.eigh(spread[:, chosen][:, :, chosen])
    widths = 2 * np.sqrt(np.maximum(values, 0.0) * (-2 * np.log1p(-level)))
    angles = np.degrees(np.arctan2(vectors[:, 1, 1], vectors[:, 0, 1]))
    parts = zip(centre[:, chosen], widths, angles, strict=True)
    outlines = [ellipse(tuple(middle), width[1], width[0], angle=angle) for middle, width, angle in parts]
    axes = new_axes(ax)
    options: Style = {"facecolors": "none", "edgecolors": colours, "linewidths": 1.2, "zorder": 3} | style
    collection = import_extra("matplotlib.collections", "plot").PatchCollection(outlines, **options)
    axes.add_collection(collection, autolim=True)
    axes.autoscale_view()
    return axes


def mixture_moments(mixture: PositionMixture) -> tuple[Array, Array]:
    """Return means (k, d) and covariances (k, d, d) of a mixture's clusters, ordered by cluster number."""
    fitted, order = mixture.mixture, np.argsort(mixture.rank)
    means, found = np.asarray(fitted.means_), np.asarray(fitted.covariances_)
    k, d = means.shape
    if fitted.covariance_type == "tied":
        found = np.broadcast_to(found, (k, d, d))
    elif fitted.covariance_type != "full":  # variances of each column, or one of all
        found = found.reshape(k, -1, 1) * np.eye(d)
    return means[order] * mixture.scale, found[order] * mixture.scale**2


def truth(
    estimate: Positions,
    positions: Positions,
    labels: Labels | None = None,
    *,
    dimensions: tuple[int, int] = (0, 1),
    ax: Axes | None = None,
) -> Axes:
    """Plot estimated positions, aligned by Procrustes rotation, over the true positions.

    Parameters
    ----------
    estimate : array-like of shape (n, d) or fitted model
        Estimated positions, for example ``embedding_ / np.sqrt(sparsity)``; or a fitted embedding, classifier or
        clustering.
    positions : array-like of shape (n, d) or sampled graph
        True positions. For a sampled graph, the positions of a fitted model are divided by the root of the graph's
        sparsity.
    labels : array-like of shape (n,), mapping, pandas Series or fitted model, optional
        Classes of the estimates, shown as colours. Default: the labels of a model that has some.
    dimensions : (int, int), default (0, 1)
        The columns of the true positions to draw.
    ax : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes
        The title is the root mean square distance between estimated and true positions over all dimensions and
        vertices; at most 1000 of them, chosen at random, are drawn.

    Raises
    ------
    ArgumentError
        If the shapes differ, or there is no row.

    Notes
    -----
    The rotation is computed by `lpgraph.procrustes`; it is W in Theorem 4 of Tang, Park & Priebe (2013). Positions
    of an indefinite model are identified only up to an indefinite rotation, so that they may not match after it.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> X = np.random.default_rng(0).dirichlet([1, 1, 1], 300)
    >>> graph = lp.random_dot_product_graph(X, random_state=1)
    >>> ax = lp.plot.truth(lp.AdjacencySpectralEmbedding(3).fit_transform(graph), graph.positions)
    >>> ax.get_title()
    'root mean square distance 0.139'
    """
    scale = 1.0
    if isinstance(positions, LatentPositionGraph) and hasattr(estimate, "get_params"):
        scale = float(positions.model.sparsity) ** -0.5
    estimate, labels = classified("estimate", estimate, labels)
    found = scale * read_points("estimate", estimate, dimensions)
    real = read_points("positions", classified("positions", positions)[0], dimensions)
    if not len(found):
        raise ArgumentError("estimate has 0 rows; pass the positions of at least one vertex.")
    turned = found @ procrustes(found, real)
    kinds = row_labels("labels", labels, len(found), row_names(estimate, len(found)))
    classes = Classes.of(kinds)
    error = float(np.sqrt(((turned - real) ** 2).sum(axis=1).mean()))
    named = _drawing.class_entries(classes, density=False)
    entries = [entry | {"label": f"estimated, {entry['label']}"} for entry in named]
    entries = entries or [{"label": "estimated", "color": classes.colours[0]}]
    entries = [{"label": "true", "color": "0.35", "fillstyle": "none"}, *entries]
    axes = new_axes(ax, (5.6, 5.0), entries)
    drawn, notes = np.arange(len(found)), [f"root mean square distance {error:.3g}"]
    if len(found) > _DRAWN:
        drawn = np.random.default_rng(0).choice(len(found), _DRAWN, replace=False)
        notes.append(f"{_DRAWN} of {len(found)} vertices drawn, chosen at random")
    a, b, size = turned[drawn][:, dimensions], real[drawn][:, dimensions], 0.6 * _drawing.point_size(len(drawn))
    _drawing.draw_lines(axes, b, a, colors="0.8", linewidths=0.5)
    axes.scatter(b[:, 0], b[:, 1], s=size, facecolors="none", edgecolors="0.35", linewidths=0.7, zorder=4)
    _drawing.draw_marks(axes, Marks(a, classes.codes(kinds)[drawn], classes), size=size, opacity=0.8, zorder=3)
    notes += _drawing.equal_axes(axes, np.vstack([a, b]))
    axes.set_title("\n".join(notes), fontsize="medium" if len(notes) == 1 else "small")
    across, up = (f"position {column + 1}" for column in dimensions)
    return finished(axes, across, up, entries=entries)
