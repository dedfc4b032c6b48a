"""Search the colours of `lpgraph.plot.palette`: distinct within a marker for every vision, and across markers.

Distances are those of Oklab (Ottosson 2020). Colours as seen with deuteranopia and protanopia are those of
Machado, Oliveira & Fernandes (2009, IEEE Transactions on Visualization and Computer Graphics), at full severity.
"""

from __future__ import annotations

import numpy as np

from lpgraph.plot.palette import COLOURS, MARKERS

VISIONS = {
    "normal": np.eye(3),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
    ),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
}
CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
OPPONENTS = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
#: Distances between groups, in normal vision only, count so much more than those within a group.
ACROSS = 2.0
#: Distance of all colours from the greys of edges and of vertices without a class.
NEUTRAL = 0.08
TRIALS = 30


def linear(colours):
    """Return linear light of sRGB colours in [0, 1]."""
    return np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)


def seen(colours, vision):
    """Return Oklab coordinates of sRGB colours as a vision sees them."""
    light = np.clip(linear(colours) @ VISIONS[vision].T, 0, 1)
    return np.cbrt(light @ CONES.T) @ OPPONENTS.T


def distances(first, second, visions=tuple(VISIONS)):
    """Return the smallest distance over visions of each pair of colours."""
    apart = [np.linalg.norm(seen(first, v)[:, None] - seen(second, v)[None], axis=-1) for v in visions]
    return np.min(apart, axis=0)


def rgb(colour):
    """Return the parts in [0, 1] of "#rrggbb"."""
    return [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]


def candidates():
    """Return colours that are visible on white, are not nearly black, and are clearly no grey in normal vision."""
    steps = np.arange(0, 256, 17) / 255
    grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)
    contrast = 1.05 / (linear(grid) @ [0.2126, 0.7152, 0.0722] + 0.05)
    lightness, *opponent = seen(grid, "normal").T
    return grid[(np.hypot(*opponent) >= NEUTRAL) & (contrast >= 1.75) & (lightness >= 0.36)]


def best_group(grid, others, rng):
    """Return the best of some groups: each next colour is the farthest from those before it."""
    apart = ACROSS * distances(grid, others, ["normal"]).min(axis=1)
    found = []
    for _ in range(TRIALS):
        chosen, left = [int(rng.choice(np.flatnonzero(apart > np.quantile(apart, 0.8))))], apart
        while len(chosen) < len(COLOURS):
            left = np.minimum(left, distances(grid, grid[chosen[-1:]])[:, 0])
            chosen.append(int(left.argmax()))
        within = distances(grid[chosen], grid[chosen]) + 9 * np.eye(len(chosen))
        found.append((min(within.min(), apart[chosen].min()), chosen))
    return grid[max(found)[1]]


def main():
    """Print the groups and their smallest distances."""
    grid = candidates()
    groups = [np.array([rgb(colour) for colour in COLOURS])]
    for number in range(1, len(MARKERS)):
        groups.append(best_group(grid, np.concatenate(groups), np.random.default_rng(number)))
        within = (distances(groups[-1], groups[-1]) + 9 * np.eye(8)).min()
        across = distances(groups[-1], np.concatenate(groups[:-1]), ["normal"]).min()
        print(", ".join('"#{:02X}{:02X}{:02X}"'.format(*np.rint(255 * c).astype(int)) for c in groups[-1]) + ",")
        print(f"# within {within:.3f} for every vision, from the others {across:.3f}")


if __name__ == "__main__":
    main()
