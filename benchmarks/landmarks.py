"""Landmark MDS and kernel PCA on 10^6 points, and the error that landmarks cause.

``python benchmarks/landmarks.py`` writes ``docs/results/landmarks.md``. Time and peak memory are those of a new
process. The error is measured on 5000 of the points, where the decomposition by all of them is still possible.
"""

import numpy as np
from _timing import in_fresh_processes, page

N, LANDMARKS = 1_000_000, 1000


def points(n=N):
    """Return points of six clusters in ten dimensions."""
    rng = np.random.default_rng(0)
    centers = 4 * np.random.default_rng(1).standard_normal((6, 10))
    return centers[rng.integers(6, size=n)] + rng.standard_normal((n, 10))


def models(landmarks):
    """Return the methods by name."""
    import lpgraph as lp

    m = lp.manifold
    return {
        "MDS, Euclidean distances": m.ClassicalMDS(5, landmarks=landmarks),
        "MDS, city block distances": m.ClassicalMDS(5, metric="manhattan", landmarks=landmarks),
        "kernel PCA, Gaussian": m.KernelPCA(5, kernel="rbf", gamma=0.01, landmarks=landmarks),
    }


def fit_euclidean(X):
    """Landmark MDS of Euclidean distances."""
    models(LANDMARKS)["MDS, Euclidean distances"].fit(X)


def fit_city_block(X):
    """Landmark MDS of city block distances."""
    models(LANDMARKS)["MDS, city block distances"].fit(X)


def fit_gaussian(X):
    """Kernel PCA by landmarks."""
    models(LANDMARKS)["kernel PCA, Gaussian"].fit(X)


def errors():
    """Return lines with the error by the number of landmarks, relative to the embedding by all points."""
    import lpgraph as lp

    X = points(5000)
    lines = ["| method | L = 100 | L = 300 | L = 1000 |", "| --- | --- | --- | --- |"]
    for name, whole in models(None).items():
        full = whole.fit(X).embedding_
        row = []
        for count in (100, 300, 1000):
            some = models(count)[name].fit(X).embedding_
            some = some - some.mean(axis=0)
            turned = some @ lp.procrustes(some, full)
            row.append(f"{np.linalg.norm(turned - full) / np.linalg.norm(full):.3f}")
        lines.append(f"| {name} | {' | '.join(row)} |")
    return lines


CASES = {
    "MDS, Euclidean distances": {"lpgraph": (points, fit_euclidean)},
    "MDS, city block distances": {"lpgraph": (points, fit_city_block)},
    "kernel PCA, Gaussian": {"lpgraph": (points, fit_gaussian)},
}

if __name__ == "__main__":
    rows = in_fresh_processes(__file__, CASES, rounds=3)
    notes = (
        f"{N:,} points of six clusters in ten dimensions, {LANDMARKS} landmarks, five dimensions. Medians of 3 "
        "runs in turn, including imports. All pairs would be 8000 GB.\n\n"
        "The error of landmarks on 5000 of the points, after the best rotation, relative to the embedding by all "
        "points:\n\n" + "\n".join(errors())
    )
    page(__file__, "Landmark MDS and kernel PCA of a million points", rows, notes)
