"""Distances of colours as people see them, for the tests of pictures."""

import numpy as np

#: Machado, Oliveira & Fernandes (2009), Table 1, severity 1.0: linear light as seen with each vision.
VISIONS = {
    "normal": np.eye(3),
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
}
TO_XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]


def linear(colours):
    colours = np.asarray(colours, dtype=float)
    return np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)


def lab(colours, vision="normal"):
    """Return CIELAB coordinates of sRGB colours; another space than that in which the palette was searched."""
    light = np.clip(linear(colours) @ np.asarray(VISIONS[vision]).T, 0, 1)
    ratio = light @ np.asarray(TO_XYZ).T / [0.9505, 1.0, 1.089]
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)


def distances(colours, vision="normal"):
    """Return the CIE 1976 differences of all pairs; the diagonal is infinite. About 2.3 is just noticeable."""
    points = lab(colours, vision)
    found = np.linalg.norm(points[:, None] - points[None], axis=-1)
    np.fill_diagonal(found, np.inf)
    return found


def contrast(first, second):
    """Return the WCAG luminance contrast of colours, from 1 to 21."""
    one, two = (linear(c) @ [0.2126, 0.7152, 0.0722] + 0.05 for c in (first, second))
    return np.maximum(one, two) / np.minimum(one, two)
