"""Laplacian eigenmaps and landmark Isomap on 10^5 points: time and peak memory, each run in a new process.

``python benchmarks/manifold_scale.py`` writes ``docs/results/manifold_scale.md``; scikit-learn's SpectralEmbedding
is run on the same data. Two clouds: a Swiss roll, where points lie on a surface, and a cube, which they fill.
"""

import numpy as np
from _timing import in_fresh_processes, page

N = 100_000


def swiss_roll():
    """Return points of a Swiss roll in three dimensions."""
    rng = np.random.default_rng(0)
    angle = 1.5 * np.pi * (1 + 2 * rng.uniform(size=N))
    return np.column_stack([angle * np.cos(angle), 21 * rng.uniform(size=N), angle * np.sin(angle)])


def cube():
    """Return points spread evenly over a cube."""
    return np.random.default_rng(0).uniform(size=(N, 3))


def eigenmaps(points):
    """Laplacian eigenmaps of lpgraph, ten neighbors."""
    import lpgraph as lp

    lp.manifold.LaplacianEigenmaps(2, n_neighbors=10).fit(points)


def eigenmaps_sklearn(points):
    """Laplacian eigenmaps of scikit-learn."""
    from sklearn.manifold import SpectralEmbedding

    SpectralEmbedding(2, affinity="nearest_neighbors", n_neighbors=10, random_state=0).fit(points)


def landmark_isomap(points):
    """Landmark Isomap of lpgraph, 500 landmarks, ten neighbors."""
    import lpgraph as lp

    lp.manifold.Isomap(2, n_neighbors=10, landmarks=500, random_state=0).fit(points)


CASES = {
    "eigenmaps, Swiss roll": {
        "lpgraph": (swiss_roll, eigenmaps),
        "scikit-learn": (swiss_roll, eigenmaps_sklearn),
    },
    "eigenmaps, cube": {"lpgraph": (cube, eigenmaps), "scikit-learn": (cube, eigenmaps_sklearn)},
    "Isomap, 500 landmarks, Swiss roll": {"lpgraph": (swiss_roll, landmark_isomap)},
}

if __name__ == "__main__":
    rows = in_fresh_processes(__file__, CASES, rounds=3)
    notes = f"{N} points, ten neighbors, two dimensions. Medians of 3 runs in turn, including imports."
    page(__file__, "Eigenmaps and landmark Isomap at 100 000 points", rows, notes)
