"""Point clouds of images for the comparison of manifold methods, divided into training and new points."""

from typing import NamedTuple

import _folder_data
import numpy as np

import lpgraph as lp


class Points(NamedTuple):
    """Training points and new points."""

    train: np.ndarray
    new: np.ndarray


def split(points, share=0.2):
    """Return the points with a random share of them as new points."""
    order = np.random.default_rng(0).permutation(len(points))
    count = round(share * len(points))
    return Points(points[np.sort(order[count:])], points[np.sort(order[:count])])


def rings(objects=20, views=72, side=32, seed=0):
    """Return views of smooth pictures that rotate: closed curves, as in COIL-20. Every fourth view is new.

    Each picture is a sum of twelve bumps, which is computed at the pixels' rotated places.
    """
    rng = np.random.default_rng(seed)
    axis = np.linspace(-1, 1, side)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    curves = []
    for _ in range(objects):
        radius, phase = 0.8 * np.sqrt(rng.random(12)), 2 * np.pi * rng.random(12)
        height, width = rng.standard_normal(12), rng.uniform(0.15, 0.35, 12)
        for angle in 2 * np.pi * np.arange(views) / views:
            centres = np.column_stack([radius * np.cos(phase + angle), radius * np.sin(phase + angle)])
            squares = np.square(grid[:, None] - centres).sum(axis=2)
            curves.append(np.exp(-squares / (2 * width**2)) @ height)
    points, new = np.array(curves), np.arange(objects * views) % 4 == 3
    return Points(points[~new], points[new])


def usps():
    """Return the training digits and the test digits of USPS."""
    return Points(_folder_data.usps("train").points, _folder_data.usps("test").points)


DATA = {
    "rings": rings,
    "faces": lambda: split(_folder_data.faces().points),
    "digits": lambda: split(lp.datasets.digits().points),
    "USPS": usps,
}
