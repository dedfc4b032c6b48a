"""Probability ellipses of Gaussian distributions, for clusters, classes and out-of-sample positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lpgraph._checks import check_finite_array, check_real, import_extra
from lpgraph.errors import ArgumentError
from lpgraph.infer.mixture import PositionMixture
from lpgraph.plot._models import ellipses_of
from lpgraph.plot._style import new_axes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType
    from numpy.typing import ArrayLike, NDArray

    from lpgraph.infer.cluster import VertexClustering

    Array = NDArray[np.float64]

__all__ = ["class_moments", "ellipses", "mixture_moments"]


def ellipses(
    means: ArrayLike | PositionMixture | VertexClustering,
    covariances: ArrayLike | None = None,
    *,
    level: float = 0.95,
    dimensions: tuple[int, int] = (0, 1),
    colours: ColorType | Sequence[ColorType] = "black",
    axes: Axes | None = None,
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
    axes : matplotlib axes, optional
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
        means, covariances = _moments(means)
    centre = check_finite_array("means", means, ndim=2)
    spread = check_finite_array("covariances", covariances, ndim=3)
    d = centre.shape[1]
    if spread.shape != (len(centre), d, d):
        raise ArgumentError(
            f"covariances has shape {spread.shape}; pass ({len(centre)}, {d}, {d}), one for each mean."
        )
    level = check_real("level", level, low=0.0, high=1.0, open_low=True)
    if level == 1.0:
        raise ArgumentError("level=1.0 gives an infinite ellipse; pass a level below 1.")
    patches = import_extra("matplotlib.patches", "plot")
    collections = import_extra("matplotlib.collections", "plot")
    chosen = list(dimensions)
    values, vectors = np.linalg.eigh(spread[:, chosen][:, :, chosen])
    widths = 2 * np.sqrt(np.maximum(values, 0.0) * (-2 * np.log1p(-level)))
    angles = np.degrees(np.arctan2(vectors[:, 1, 1], vectors[:, 0, 1]))
    outlines = [
        patches.Ellipse(tuple(middle), width[1], width[0], angle=angle)
        for middle, width, angle in zip(centre[:, chosen], widths, angles, strict=True)
    ]
    axes = new_axes(axes)
    options = {"linewidths": 1.2, "zorder": 3} | style
    axes.add_collection(
        collections.PatchCollection(outlines, facecolors="none", edgecolors=colours, **options), autolim=True
    )
    axes.autoscale_view()
    return axes


def _moments(holder: object) -> tuple[Array, Array]:
    """Return the moments of a mixture, or of the one that a clustering holds."""
    mixture = ellipses_of(holder)
    if not isinstance(mixture, PositionMixture):
        raise ArgumentError("covariances was not passed; pass one for each mean, or a mixture.")
    return mixture_moments(mixture)


def class_moments(points: Array, codes: NDArray[np.intp]) -> tuple[Array, Array, NDArray[np.intp]]:
    """Return means, covariances and codes of the classes with more points than the columns of `points`."""
    d = points.shape[1]
    kept = np.array([k for k in np.unique(codes) if (codes == k).sum() > d], dtype=np.intp)
    means = np.array([points[codes == k].mean(axis=0) for k in kept]).reshape(len(kept), d)
    covariances = np.array([np.cov(points[codes == k], rowvar=False).reshape(d, d) for k in kept])
    return means, covariances.reshape(len(kept), d, d), kept


def mixture_moments(mixture: PositionMixture) -> tuple[Array, Array]:
    """Return means (k, d) and covariances (k, d, d) of a mixture's clusters, ordered by cluster number."""
    fitted, order = mixture.mixture, np.argsort(mixture.rank)
    means = np.asarray(fitted.means_)
    k, d = means.shape
    found = np.asarray(fitted.covariances_)
    if fitted.covariance_type == "tied":
        found = np.broadcast_to(found, (k, d, d))
    elif fitted.covariance_type == "diag":
        found = found[:, :, None] * np.eye(d)
    elif fitted.covariance_type == "spherical":
        found = found[:, None, None] * np.eye(d)
    return means[order] * mixture.scale, found[order] * mixture.scale**2
