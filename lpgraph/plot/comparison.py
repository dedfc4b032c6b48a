"""Plot of the properties of a network beside those of samples of a fitted model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph.plot._style import caption, new_axes
from lpgraph.plot.palette import COLOURS, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lpgraph.infer.sample_comparison import SampleComparison

    Array = NDArray[np.float64]

__all__ = ["samples"]

#: The largest ratio that is drawn; larger and smaller ones are at the ends of the axis.
_LARGEST = 16.0


def samples(comparison: SampleComparison, *, axes: Axes | None = None) -> Axes:
    """Plot the properties of samples of a fitted model, relative to those of the network.

    A line is drawn from the 5 % to the 95 % quantile of the samples, and a dot at their mean. Properties whose
    value in the network is not between the quantiles have the second colour. The values are written at the right.
    Ratios above 16 and below 1/16 are drawn there.

    Parameters
    ----------
    comparison : SampleComparison
        From ``compare`` of a fitted model.
    axes : matplotlib axes, optional
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
    rows = np.arange(len(comparison.quantities))
    axes = new_axes(axes, (7.5, 0.28 * len(rows) + 1.2))
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
    axes.set_xlabel("samples relative to the network")
    caption(axes, [f"{len(comparison.samples)} samples"])
    axes.legend(frameon=False, fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2)
    return axes


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _ratio(values: Array, reference: Array) -> Array:
    """Return ratios within the limits of the axis; 1 for two zeros."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(values == reference, 1.0, values / reference)
    return np.clip(ratio, 1 / _LARGEST, _LARGEST)
