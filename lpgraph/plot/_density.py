"""Density image of many points: mean colour per pixel, opacity by number of points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lpgraph.plot._style import RGB

    Array = NDArray[np.float64]

__all__ = ["density_image", "draw_density"]

_PIXELS = 320


def density_image(
    xy: Array, codes: NDArray[np.intp], colours: Sequence[RGB], pixels: int = _PIXELS
) -> tuple[Array, tuple[float, float, float, float]]:
    """Return the (pixels, pixels, 4) image, first row lowest, and its extent (left, right, bottom, top).

    The colour of a pixel is the mean of its points' colours. Its opacity increases with the logarithm of their
    number, so that single points are visible next to pixels with thousands.
    """
    low, high = xy.min(axis=0), xy.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    low, width = low - 0.01 * width, 1.02 * width
    column, row = np.minimum((pixels * (xy - low) / width).astype(np.intp), pixels - 1).T
    cell = row * pixels + column
    shades = np.array(colours)
    count = np.bincount(cell, minlength=pixels**2)
    image = np.zeros((pixels**2, 4))
    for channel in range(3):
        image[:, channel] = np.bincount(cell, shades[codes, channel], minlength=pixels**2)
    image[:, :3] /= np.maximum(count, 1)[:, None]
    image[:, 3] = np.where(count > 0, 0.25 + 0.75 * np.log1p(count) / np.log1p(count.max()), 0.0)
    extent = (low[0], low[0] + width[0], low[1], low[1] + width[1])
    return np.clip(image, 0, 1).reshape(pixels, pixels, 4), extent


def draw_density(axes: Axes, xy: Array, codes: NDArray[np.intp], colours: Sequence[RGB]) -> None:
    """Draw the `density_image` of points."""
    image, extent = density_image(xy, codes, colours)
    axes.imshow(image, extent=extent, origin="lower", aspect="auto", interpolation="nearest")
