"""Isomap, LLE, Laplacian eigenmaps and kernel PCA: lpgraph and scikit-learn on the same points.

``python benchmarks/manifold.py`` writes ``docs/results/manifold.md``.
"""

from _timing import page, side_by_side
from sklearn import decomposition, manifold
from sklearn.datasets import make_swiss_roll

import lpgraph as lp


def pair(case, ours, theirs, points):
    """Time one method of each on the same points."""
    return side_by_side(case, **{"lpgraph": lambda: ours.fit(points), "scikit-learn": lambda: theirs.fit(points)})


def main():
    """Time all and write the page."""
    few, many = (make_swiss_roll(n, random_state=0)[0] for n in (5_000, 20_000))
    neighbors = {"n_neighbors": 10}
    rows = [
        *pair(
            "Isomap, 5000 points",
            lp.manifold.Isomap(2, **neighbors),
            manifold.Isomap(n_components=2, **neighbors),
            few,
        ),
        *pair(
            "kernel PCA, 5000 points",
            lp.manifold.KernelPCA(2, kernel="rbf", gamma=0.01),
            decomposition.KernelPCA(2, kernel="rbf", gamma=0.01, random_state=0),
            few,
        ),
        *pair(
            "Laplacian eigenmaps, 20 000 points",
            lp.manifold.LaplacianEigenmaps(2, **neighbors),
            manifold.SpectralEmbedding(2, affinity="nearest_neighbors", random_state=0, **neighbors),
            many,
        ),
        *pair(
            "LLE, 20 000 points",
            lp.manifold.LocallyLinearEmbedding(2, **neighbors),
            manifold.LocallyLinearEmbedding(n_components=2, random_state=0, **neighbors),
            many,
        ),
    ]
    notes = "Swiss roll, ten neighbors, two dimensions. Medians of 5 runs in turn after a warm-up."
    page(__file__, "Manifold methods beside scikit-learn's", rows, notes)


if __name__ == "__main__":
    main()
