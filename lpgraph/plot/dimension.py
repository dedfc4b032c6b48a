"""Plot of the test by which a number of dimensions was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph.errors import ArgumentError
from lpgraph.plot._style import new_axes
from lpgraph.plot.palette import COLOURS, GREY
from lpgraph.spectral.choice import CRITICAL, DimensionChoice
from lpgraph.spectral.named_positions import fitted_part

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from lpgraph.infer.validation import DimensionValidation

__all__ = ["dimension"]

#: Two-sided bound of the statistics of residuals at the level 0.05.
_TWO_SIDED = 1.96


def dimension(
    choice: DimensionChoice | BaseEstimator,
    *,
    validation: DimensionValidation | None = None,
    axes: Axes | None = None,
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
    axes : matplotlib axes, optional
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
        raise ArgumentError(
            f"choice={choice!r:.80} has no test of a dimension; pass one that has, or use plot.scree."
        )
    axes = new_axes(axes)
    if found.edges is not None and found.values is not None:
        axes.axhspan(
            found.edges.min(), found.edges.max(), color=GREY, alpha=0.35, linewidth=0, label="random signs"
        )
        _stems(axes, np.arange(1, len(found.values) + 1), np.abs(found.values), found.values < 0)
        axes.set_ylabel("magnitude of eigenvalue")
        axes.set_ylim(bottom=0)
    elif found.z is not None:
        residuals = found.rule == "residual_subsampling"
        for bound in (-_TWO_SIDED, _TWO_SIDED) if residuals else (CRITICAL,):
            axes.axhline(bound, color=GREY, linestyle="--", linewidth=1.2)
        _stems(
            axes, np.arange(len(found.z)) + (0 if residuals else 1), found.z, np.zeros(len(found.z), dtype=bool)
        )
        axes.set_ylabel("statistic of the residuals" if residuals else "z of the held-out edges")
        axes.set_yscale("symlog", linthresh=5)
    label = f"{found.rule}: {found.n_components}{', the largest number tried' if found.at_cap else ''}"
    axes.axvline(found.n_components + 0.5, color=COLOURS[1], linewidth=1.4, zorder=0, label=label)
    if validation is not None:
        best = validation.smallest_good
        label = f"cross-validation: {best}"
        axes.axvline(best + 0.5, color=COLOURS[2], linestyle=":", linewidth=1.6, zorder=0, label=label)
        beside = axes.twinx()
        beside.errorbar(
            validation.dimensions[1:],
            validation.mean[1:],
            yerr=validation.standard_error[1:],
            color=COLOURS[2],
            marker="s",
            markersize=3,
        )
        beside.set_ylabel("held-out squared error (none = 1)", color=COLOURS[2])
    axes.locator_params(axis="x", integer=True)
    axes.set_xlabel("dimensions")
    axes.legend(frameon=False, fontsize="small")
    return axes


def _stems(axes: Axes, x: NDArray[np.intp], y: NDArray[np.float64], hollow: NDArray[np.bool_]) -> None:
    axes.vlines(x, 0, y, color="0.75", zorder=1)
    for chosen, face, label in ((~hollow, COLOURS[0], None), (hollow, "white", "negative eigenvalue")):
        if chosen.any():
            axes.scatter(x[chosen], y[chosen], s=28, color=face, edgecolors=COLOURS[0], zorder=2, label=label)
