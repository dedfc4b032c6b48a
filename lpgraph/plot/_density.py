"""Many points as an image: each pixel has the mixed colour of its points, the denser the stronger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

__all__ = ["density_image", "draw_density"]

_PIXELS = 320


def density_image(
    xy: Array, codes: NDArray[np.intp], colours: list[Any], pixels: int = _PIXELS
) -> tuple[Array, tuple[float, float, float, float]]:
    """Return the (pixels, pixels, 4) image, first row lowest, and its extent (left, right, bottom, top).

    The colour of a pixel is the mean of its points' colours. Its opacity grows with the logarithm of their number,
    so that single points are seen beside a pixel that has thousands.
    """
    low, high = xy.min(axis=0), xy.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    low, width = low - 0.01 * width, 1.02 * width
    column, row = np.minimum((pixels * (xy - low) / width).astype(np.intp), pixels - 1).T
    cell = row * pixels + column
    shades = np.array([colour[:3] for colour in colours])
    count = np.bincount(cell, minlength=pixels**2)
    image = np.zeros((pixels**2, 4))
    for channel in range(3):
        image[:, channel] = np.bincount(cell, shades[codes, channel], minlength=pixels**2)
    image[:, :3] /= np.maximum(count, 1)[:, None]
    image[:, 3] = np.where(count > 0, 0.25 + 0.75 * np.log1p(count) / np.log1p(count.max()), 0.0)
    extent = (low[0], low[0] + width[0], low[1], low[1] + width[1])
    return np.clip(image, 0, 1).reshape(pixels, pixels, 4), extent


def draw_density(axes: Any, xy: Array, codes: NDArray[np.intp], colours: list[Any]) -> None:
    """Draw points as `density_image`."""
    image, extent = density_image(xy, codes, colours)
    axes.imshow(image, extent=extent, origin="lower", aspect="auto", interpolation="nearest")
