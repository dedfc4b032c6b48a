"""Laplacian eigenmaps and landmark Isomap on 10^5 points: time and peak memory, each in a fresh process.

``python benchmarks/manifold_scale.py`` runs all; scikit-learn's SpectralEmbedding is run on the same data.
"""

import platform
import resource
import subprocess
import sys
import time
from importlib.metadata import version

import numpy as np

N = 100_000


def swiss_roll(n):
    """Return n points of a Swiss roll in three dimensions."""
    rng = np.random.default_rng(0)
    angle = 1.5 * np.pi * (1 + 2 * rng.uniform(size=n))
    return np.column_stack([angle * np.cos(angle), 21 * rng.uniform(size=n), angle * np.sin(angle)])


def eigenmaps(points):
    """Laplacian eigenmaps of lpgraph, ten neighbours."""
    import lpgraph as lp

    lp.manifold.LaplacianEigenmaps(2, n_neighbors=10).fit(points)


def eigenmaps_sklearn(points):
    """Do the same by scikit-learn."""
    from sklearn.manifold import SpectralEmbedding

    SpectralEmbedding(2, affinity="nearest_neighbors", n_neighbors=10, random_state=0).fit(points)


def landmark_isomap(points):
    """Landmark Isomap of lpgraph, 500 landmarks, ten neighbours."""
    import lpgraph as lp

    lp.manifold.Isomap(2, n_neighbors=10, landmarks=500, random_state=0).fit(points)


CASES = {f.__name__: f for f in (eigenmaps, eigenmaps_sklearn, landmark_isomap)}

if __name__ == "__main__":
    if len(sys.argv) == 2:
        data = swiss_roll(N)
        began = time.perf_counter()
        CASES[sys.argv[1]](data)
        seconds = time.perf_counter() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(f"{sys.argv[1]:20s} {seconds:8.1f} s   peak {peak / 1e6:.2f} GB")
    else:
        print(f"{N} points, Python {platform.python_version()}, scikit-learn {version('scikit-learn')}")
        for name in CASES:
            subprocess.run([sys.executable, __file__, name], check=False)
