"""Plots of the quality of an embedding of points: neighborhoods, pairs of distances, and each point's measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph.errors import ArgumentError
from lpgraph.plot._models import positions_of
from lpgraph.plot._points import draw, equal_axes
from lpgraph.plot._style import RASTER, caption, new_axes, point_size, read_points
from lpgraph.plot.palette import COLOURS, GREY, MARKERS, Classes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lpgraph.metrics.distance_pairs import ShepardDiagram
    from lpgraph.metrics.many_neighbors import NeighborCurves
    from lpgraph.metrics.neighbor_measure import NeighborMeasure
    from lpgraph.plot._models import Positions

__all__ = ["neighbor_curves", "point_measure", "shepard"]

#: Number of pairs above which their density is drawn: unlike points, pairs fill the plane.
_PAIRS = 2_000


def neighbor_curves(result: NeighborCurves, *, axes: Axes | None = None) -> Axes:
    """Plot trustworthiness, continuity and preservation of neighborhoods against the number of neighbors.

    Parameters
    ----------
    result : NeighborCurves
        From `lpgraph.metrics.neighbor_curves`. If it is of a sample of points, standard errors are drawn.
    axes : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((60, 3)) * [3, 2, 1]
    >>> lp.plot.neighbor_curves(lp.metrics.neighbor_curves(X, X[:, :2])).get_xscale()
    'log'
    """
    axes = new_axes(axes)
    sampled = result.n_measured < result.n_points
    curves = {
        "trustworthiness": result.trustworthiness,
        "continuity": result.continuity,
        "preservation above chance": result.above_chance,
    }
    errors = result.standard_errors.copy()
    errors[2] /= 1 - result.n_neighbors / result.n_others
    for (name, values), error, colour, marker in zip(curves.items(), errors, COLOURS, MARKERS, strict=False):
        axes.errorbar(
            result.n_neighbors,
            values,
            yerr=error if sampled else None,
            color=colour,
            marker=marker,
            markersize=4,
            capsize=3,
            label=name,
        )
    axes.set_xscale("log")
    axes.set_ylim(top=1.02)
    axes.set_xlabel("neighbors")
    axes.set_ylabel("mean over new points" if result.held_out else "mean over points")
    axes.legend(frameon=False, fontsize="small")
    caption(axes, [f"{result.n_measured} of {result.n_points} points"] if sampled else [])
    return axes


def shepard(result: ShepardDiagram, *, axes: Axes | None = None) -> Axes:
    """Plot distances in the embedding against distances in the data, or against geodesic distances.

    The line has the slope of the best scale, where the stress is smallest: pairs on it are embedded without error.

    Parameters
    ----------
    result : ShepardDiagram
        From `lpgraph.metrics.shepard` or `lpgraph.metrics.geodesic_correlation`.
    axes : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Notes
    -----
    Above 2 000 pairs their density is drawn.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((60, 3)) * [3, 2, 1]
    >>> axes = lp.plot.shepard(lp.metrics.shepard(X, X[:, :2]))
    >>> axes.get_title(loc="left")
    'correlation 0.991, rank correlation 0.987, stress 0.075'
    """
    axes = new_axes(axes)
    d, e = result.distances, result.embedded
    one = np.zeros(len(d), dtype=np.intp)
    ends = (0.0, 1.05 * float(d.max()), True), (0.0, 1.05 * float(e.max()), True)
    draw(axes, np.column_stack([d, e]), one, Classes.of(one), ends, density=len(d) > _PAIRS)
    slope = float((e @ e) / (d @ e))
    reach = min(ends[0][1], ends[1][1] / slope)
    axes.plot([0, reach], [0, slope * reach], color=COLOURS[1], linewidth=1.2)
    axes.set_xlabel("geodesic distance" if result.geodesic else "distance in the data")
    axes.set_ylabel("distance in the embedding")
    measures = f"correlation {result.correlation:.3f}, rank correlation {result.rank_correlation:.3f}"
    caption(axes, [f"{measures}, stress {result.stress:.3f}"])
    return axes


def point_measure(
    result: NeighborMeasure,
    embedding: Positions,
    *,
    dimensions: tuple[int, int] = (0, 1),
    axes: Axes | None = None,
) -> Axes:
    """Plot an embedding with each point coloured by its own trustworthiness, or by another measure.

    Parameters
    ----------
    result : NeighborMeasure
        From `lpgraph.metrics.trustworthiness`, `continuity` or `neighborhood_preservation`.
    embedding : array-like of shape (n, d) or fitted model
        The positions that were measured, d >= 2; those of the new points if these were measured.
    dimensions : (int, int), default (0, 1)
        The coordinates to draw.
    axes : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    ArgumentError
        If the number of points is not that of the measure.

    Notes
    -----
    Points with small values are drawn last, above the others. Points that were not in the sample are grey.

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((60, 3)) * [3, 2, 1]
    >>> axes = lp.plot.point_measure(lp.metrics.trustworthiness(X, X[:, :2]), X[:, :2])
    >>> len(axes.collections)
    1
    """
    if result.held_out and hasattr(embedding, "get_params"):
        raise ArgumentError(
            "result is of new points, which the model does not hold; pass embedding=their positions."
        )
    xy = read_points("embedding", positions_of("embedding", embedding), dimensions)[:, dimensions]
    if len(xy) != result.n_points:
        raise ArgumentError(
            f"result is a measure of {result.n_points} points but embedding has {len(xy)} rows; pass those "
            "that were measured."
        )
    axes = new_axes(axes)
    size, rasterized = point_size(len(xy)), len(xy) > RASTER
    if len(result.points) < len(xy):
        others = np.delete(xy, result.points, axis=0)
        axes.scatter(
            others[:, 0], others[:, 1], s=size, color=GREY, linewidths=0, alpha=0.4, rasterized=rasterized
        )
    order = np.argsort(-result.values, kind="stable")
    shown = xy[result.points[order]]
    drawn = axes.scatter(
        shown[:, 0],
        shown[:, 1],
        c=result.values[order],
        s=size,
        linewidths=0,
        cmap="viridis",
        rasterized=rasterized,
    )
    axes.figure.colorbar(drawn, ax=axes, label=f"{result.name}, {result.n_neighbors} neighbors")
    notes = equal_axes(axes, xy)
    axes.set_xlabel(f"dimension {dimensions[0] + 1}")
    axes.set_ylabel(f"dimension {dimensions[1] + 1}")
    caption(axes, notes)
    return axes
