"""Plots of reconstruction loss, stability and cross-validated loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph.plot._style import new_axes
from lpgraph.plot.palette import COLOURS, GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike, NDArray

    from lpgraph.infer.validation import DimensionValidation
    from lpgraph.metrics.loss import ReconstructionLoss
    from lpgraph.metrics.perturbation import Stability

    Array = NDArray[np.float64]

__all__ = ["loss", "stability", "validation"]


def _curve(
    axes: Axes,
    x: ArrayLike,
    y: Array,
    error: Array | None = None,
    *,
    second: bool = False,
    label: str | None = None,
) -> None:
    """Draw a curve with markers and error bars; `second` gives the style of a second curve."""
    fmt = "s--" if second else "o-"
    axes.errorbar(x, y, yerr=error, fmt=fmt, color=COLOURS[second], markersize=4, capsize=3, label=label)


def stability(result: Stability, *, axes: Axes | None = None) -> Axes:
    """Plot training-set variability minus out-of-sample error against the fraction of exchanged points.

    This is Figure 2 of Bengio et al. (2004, Neural Computation). Where the curve crosses zero, the out-of-sample
    error equals the effect of exchanging that fraction of the training points.

    Parameters
    ----------
    result : Stability
        From `lpgraph.metrics.stability`.
    axes : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> X = np.random.default_rng(0).standard_normal((40, 3)) * [3, 2, 1]
    >>> found = lp.metrics.stability(lp.manifold.ClassicalMDS(2), X, [0.05, 0.2], random_state=0)
    >>> lp.plot.stability(found).get_xlabel()
    'fraction of training points exchanged'
    """
    axes = new_axes(axes)
    axes.axhline(0.0, color=GREY, linewidth=1)
    _curve(axes, result.fractions, result.difference, result.half_width)
    axes.set_xlim(left=0.0)
    axes.set_xlabel("fraction of training points exchanged")
    axes.set_ylabel("variability - out-of-sample error")
    return axes


def loss(result: ReconstructionLoss, *, axes: Axes | None = None) -> Axes:
    """Plot the reconstruction loss against the number of eigenfunctions, for both orders of eigenvalues.

    Parameters
    ----------
    result : ReconstructionLoss
        From `lpgraph.metrics.reconstruction_loss`.
    axes : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> import lpgraph as lp
    >>> model = lp.manifold.ClassicalMDS(2).fit(np.random.default_rng(0).standard_normal((40, 3)))
    >>> lp.plot.loss(lp.metrics.reconstruction_loss(model)).get_ylabel()
    'in-sample loss'
    """
    axes = new_axes(axes)
    m = np.arange(len(result.positive))
    _curve(axes, m, result.positive, label="largest eigenvalues")
    _curve(axes, m, result.magnitude, second=True, label="largest magnitudes")
    axes.set_xlabel("eigenfunctions")
    axes.set_ylabel("held-out loss" if result.held_out else "in-sample loss")
    axes.legend(frameon=False, fontsize="small")
    return axes


def validation(result: DimensionValidation, *, axes: Axes | None = None) -> Axes:
    """Plot the cross-validated loss against the number of dimensions, with standard errors and the chosen number.

    Parameters
    ----------
    result : DimensionValidation
        From `lpgraph.infer.dimension.cross_validate`.
    axes : matplotlib axes, optional
        Axes to draw into. Default: a new figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import networkx as nx
    >>> import lpgraph as lp
    >>> found = lp.infer.dimension.cross_validate(nx.karate_club_graph())
    >>> lp.plot.validation(found).get_xlabel()
    'dimensions'
    """
    axes = new_axes(axes)
    _curve(axes, result.dimensions, result.mean, result.standard_error)
    at = result.smallest_good
    axes.axvline(at, color=COLOURS[2], linestyle=":", linewidth=1.6, label=f"cross-validation: {at}", zorder=0)
    axes.locator_params(axis="x", integer=True)
    axes.set_xlabel("dimensions")
    axes.set_ylabel("held-out squared error (none = 1)")
    axes.legend(frameon=False, fontsize="small")
    return axes
