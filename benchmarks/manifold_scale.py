"""Laplacian eigenmaps and landmark Isomap on 10^5 points: time and peak memory, each run in a fresh process.

``python benchmarks/manifold_scale.py`` runs all, in turn, and writes ``docs/results/manifold_scale.md``;
scikit-learn's SpectralEmbedding is run on the same data. Two clouds: a Swiss roll, where points lie on a surface,
and a cube, where they fill space.
"""

import json
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parent.parent / "examples"))
from _report import report

N = 100_000
ROUNDS = 3


def swiss_roll(n):
    """Return n points of a Swiss roll in three dimensions."""
    rng = np.random.default_rng(0)
    angle = 1.5 * np.pi * (1 + 2 * rng.uniform(size=n))
    return np.column_stack([angle * np.cos(angle), 21 * rng.uniform(size=n), angle * np.sin(angle)])


def cube(n):
    """Return n points spread evenly over a cube."""
    return np.random.default_rng(0).uniform(size=(n, 3))


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


CASES = [
    ("Swiss roll", swiss_roll, "eigenmaps", eigenmaps),
    ("Swiss roll", swiss_roll, "eigenmaps, scikit-learn", eigenmaps_sklearn),
    ("cube", cube, "eigenmaps", eigenmaps),
    ("cube", cube, "eigenmaps, scikit-learn", eigenmaps_sklearn),
    ("Swiss roll", swiss_roll, "landmark Isomap", landmark_isomap),
]


def once(number):
    """Run one case in this process; print seconds and gigabytes."""
    _, make, _, work = CASES[number]
    points = make(N)
    began = time.perf_counter()
    work(points)
    seconds = time.perf_counter() - began
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9]))


def main():
    """Run every case in turn, several times, and write the page."""
    found = {number: [] for number in range(len(CASES))}
    for turn in range(ROUNDS):
        for number in sorted(found, reverse=bool(turn % 2)):
            command = [sys.executable, __file__, str(number)]
            out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            found[number].append(json.loads(out))
    rows = []
    for (data, _, method, _), runs in zip(CASES, found.values(), strict=True):
        seconds, memory = zip(*runs, strict=True)
        rows.append(
            {
                "points": data,
                "method": method,
                "seconds": f"{statistics.median(seconds):.1f} ({min(seconds):.1f} to {max(seconds):.1f})",
                "peak GB": f"{max(memory):.2f}",
            }
        )
    notes = f"{N} points, ten neighbours, two dimensions, {ROUNDS} runs in turn; 500 landmarks. Medians."
    report("manifold_scale", "Eigenmaps and landmark Isomap at 100 000 points", rows, notes, folder="benchmarks")


if __name__ == "__main__":
    if len(sys.argv) == 2:
        once(int(sys.argv[1]))
    else:
        main()
