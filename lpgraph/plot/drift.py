"""Plot of the test of a stream of new vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._articles import a_type
from lpgraph._html import shortened
from lpgraph.errors import ArgumentTypeError
from lpgraph.infer.drift_test import Drift
from lpgraph.plot._style import new_axes
from lpgraph.plot.palette import COLOURS, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["drift"]


def drift(result: Drift, *, axes: Axes | None = None) -> Axes:
    """Plot the statistics of each measure relative to their limits, along a stream of new vertices if it is one.

    Above 0 a statistic exceeds its limit, which raises the alarm. In a stream, the alarm is marked, and the part
    that differs most is shaded.

    Parameters
    ----------
    result : Drift
        From `lpgraph.infer.drift`.
    axes : matplotlib axes, optional
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
    if not isinstance(result, Drift):
        raise ArgumentTypeError(f"result is {a_type(result)}; pass what lpgraph.infer.drift returns.")
    axes = new_axes(axes)
    axes.set_ylabel("statistic above its limit")
    if not result.ordered:
        heights = [float(path[-1]) - result.limits[measure] for measure, path in result.paths.items()]
        axes.bar(list(result.paths), heights, color=COLOURS[: len(heights)])
        axes.axhline(0, color=GREY, linestyle="--", linewidth=1.2)
        axes.set_xlabel("measure")
        return axes
    marker = "o" if len(result.ends) < 30 else ""
    for colour, (measure, path) in zip(COLOURS, result.paths.items(), strict=False):
        excess = np.asarray(path) - result.limits[measure]
        axes.plot(result.ends, excess, color=colour, marker=marker, markersize=4, linewidth=1.6, label=measure)
    axes.axhline(0, color=GREY, linestyle="--", linewidth=1.2)
    if result.alarm_after is not None and result.changed_from is not None and result.changed_until is not None:
        axes.axvspan(result.changed_from, result.changed_until, color=GREY, alpha=0.2, linewidth=0)
        label = f"alarm at {shortened(result.alarm_vertex, 20)}"
        axes.axvline(result.alarm_after, color="black", linewidth=1.2, label=label)
    axes.set_xlabel("new vertices")
    axes.locator_params(axis="x", integer=True)
    axes.legend(frameon=False, fontsize="small")
    return axes
