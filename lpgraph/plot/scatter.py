"""Scatter plot of two dimensions of an embedding, with new vertices and ellipses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_finite_array
from lpgraph.errors import ArgumentError
from lpgraph.graph.vertex_values import row_names
from lpgraph.infer.mixture import PositionMixture
from lpgraph.plot._class_names import draw_names, names_drawn
from lpgraph.plot._marks import draw_new
from lpgraph.plot._models import classified, ellipses_of, labels_of
from lpgraph.plot._new_points import NewPoints, of_one_kind
from lpgraph.plot._points import Ellipses, checked_scaling, class_entries, cut_caption, density_drawn, draw
from lpgraph.plot._style import caption, new_axes, row_labels, with_legend
from lpgraph.plot._style import legend as add_legend
from lpgraph.plot.default_axes import chosen_axes
from lpgraph.plot.ellipses import ellipses
from lpgraph.plot.palette import Classes
from lpgraph.plot.scaling import limits

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike
    from sklearn.base import BaseEstimator

    from lpgraph.infer.cluster import VertexClustering
    from lpgraph.plot._models import Positions
    from lpgraph.plot._style import Labels

__all__ = ["positions"]


def positions(
    in_sample: Positions,
    labels: Labels | BaseEstimator | None = None,
    *,
    out_of_sample: ArrayLike | None = None,
    out_labels: Labels | None = None,
    out_covariance: ArrayLike | None = None,
    dimensions: tuple[int, int] | None = None,
    scale: str = "auto",
    ellipse: str | PositionMixture | VertexClustering | None = None,
    level: float = 0.95,
    density: bool | None = None,
    names: bool | None = None,
    legend: bool = True,
    axes: Axes | None = None,
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
        are scaled to unit length; but another pair of the first 16 if it separates the classes better by a factor
        of 1.5 (ratio of variances between and within them) or, without classes, is more spread (area, without the
        outer 5 % of each coordinate). The title says which.
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
    axes : matplotlib axes, optional
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
    out_labels, ellipse = labels_of(out_labels), ellipses_of(ellipse)
    points = check_finite_array("in_sample", in_sample, ndim=2)
    scaling = checked_scaling(
        scale, points, fixed=isinstance(ellipse, PositionMixture) or out_covariance is not None
    )
    kinds = row_labels("labels", labels, len(points), row_names(in_sample, len(points)))
    if out_covariance is not None and out_of_sample is None:
        raise ArgumentError("out_covariance was passed without out_of_sample; pass the positions as well.")
    chosen, told = chosen_axes(dimensions, points, scaling, kinds)
    kinds, new = of_one_kind(kinds, NewPoints.of(out_of_sample, out_labels, chosen, kinds))
    classes = Classes.of(kinds, kinds[:0] if new is None else new.kinds)
    codes, image = classes.codes(kinds), density_drawn(density, len(points))
    xy = scaling(points, chosen)
    crosses = np.empty((0, 2)) if new is None else scaling(new.points, chosen, points)
    both = np.vstack([xy, crosses])
    ends = (limits(both[:, 0]), limits(both[:, 1]))
    entries = class_entries(classes, density=image)
    if new is not None:
        entries = new.entries(classes, entries)
    axes = new_axes(axes, with_legend((6.0, 4.5), entries if legend else []))
    draw(axes, xy, codes, classes, ends, density=image)
    if new is not None:
        shade = new.colours(classes)
        draw_new(axes, crosses, shade)
        if out_covariance is not None:
            ellipses(
                new.points,
                out_covariance,
                level=level,
                dimensions=chosen,
                colours=shade,
                axes=axes,
                linewidths=0.6,
            )
    Ellipses(ellipse, level).draw(axes, xy, codes, classes, chosen, points.shape[1])
    axes.set_xlabel(f"dimension {chosen[0] + 1}")
    axes.set_ylabel(f"dimension {chosen[1] + 1}")
    caption(axes, [*told, *scaling.caption(points.shape[1], chosen), *cut_caption(both, ends)])
    if legend and entries:
        add_legend(axes, entries)
    if names_drawn(names, classes):
        # The embedding says nothing about what is at the origin, such as small components.
        placed = points.any(axis=1)
        draw_names(axes, xy[placed], codes[placed], classes)
    return axes
