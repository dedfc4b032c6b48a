"""Density image of many points: colour of one of its points per pixel, opacity by number of points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lpgraph.plot.palette import RGB

    Array = NDArray[np.float64]

__all__ = ["density_image", "draw_density"]

_PIXELS = 320

#: Opacity of a pixel with a single point.
_FAINT = 0.3


def density_image(
    xy: Array,
    codes: NDArray[np.intp],
    colours: Sequence[RGB],
    ends: tuple[Array, Array],
    pixels: int = _PIXELS,
) -> tuple[Array, tuple[float, float, float, float]]:
    """Return the (pixels, pixels, 4) image, first row lowest, and its extent (left, right, bottom, top).

    All points lie between `ends`, the least and greatest coordinates of the image. The colour of a pixel is that
    of one of its points, drawn at random, so that every colour is in the legend, and the shares of classes in a
    mixed region are those of its pixels. Its opacity increases with the logarithm of the number of points, so that
    single points are visible next to pixels with thousands.
    """
    low, high = ends
    width = high - low
    column, row = np.clip((pixels * (xy - low) / width).astype(np.intp), 0, pixels - 1).T
    cell = row * pixels + column
    order = np.random.default_rng(0).permutation(len(cell))
    count = np.bincount(cell, minlength=pixels**2)
    image = np.zeros((pixels**2, 4))
    image[cell[order], :3] = np.array(colours)[codes[order]]  # the last of several points stays
    share = np.log1p(count) / np.log1p(count.max(initial=1))
    image[:, 3] = np.where(count > 0, _FAINT + (1 - _FAINT) * share, 0.0)
    extent = (low[0], low[0] + width[0], low[1], low[1] + width[1])
    return image.reshape(pixels, pixels, 4), extent


def draw_density(
    axes: Axes, xy: Array, codes: NDArray[np.intp], colours: Sequence[RGB], ends: tuple[Array, Array], panels: int
) -> None:
    """Draw the `density_image` of points in one of `panels` rows of panels, with pixels of about the same size."""
    image, extent = density_image(xy, codes, colours, ends, max(80, _PIXELS // panels))
    axes.imshow(image, extent=extent, origin="lower", aspect="auto", interpolation="nearest")
