"""Exact neighbor graphs of points: time of lpgraph and scikit-learn on several shapes of data.

``python benchmarks/neighbors.py`` writes ``docs/results/neighbors.md``. Both use all cores. lpgraph's graph also
has all ties, and the edges by which a point is among the nearest of another.
"""

from functools import partial

import numpy as np
from _timing import page, side_by_side
from sklearn.neighbors import kneighbors_graph

import lpgraph as lp

K = 10

#: Points, coordinates, and the kind of data.
SHAPES = (
    (20_000, 3, "normal"),
    (20_000, 3, "roll"),
    (20_000, 3, "clusters"),
    (20_000, 3, "heavy tails"),
    (100_000, 2, "normal"),
    (1_000_000, 3, "roll"),
    (20_000, 10, "normal"),
    (20_000, 50, "normal"),
    (20_000, 50, "sheets"),
    (10_000, 784, "normal"),
    (20_000, 784, "normal"),
    (60_000, 20, "clusters"),
    (100_000, 20, "normal"),
    (100_000, 50, "normal"),
    (100_000, 50, "sheets"),
)


def points(n, p, kind):
    """Return points of a kind; the notes of the page say which they are."""
    rng = np.random.default_rng(0)
    if kind == "normal":
        return rng.normal(size=(n, p))
    if kind == "clusters":
        return rng.normal(size=(n, p)) + 10 * rng.normal(size=(50, p))[rng.integers(50, size=n)]
    if kind == "heavy tails":
        return rng.standard_t(2, size=(n, p))
    if kind == "roll":
        angle = 1.5 * np.pi * (1 + 2 * rng.random(n))
        return np.column_stack([angle * np.cos(angle), 21 * rng.random(n), angle * np.sin(angle)])
    sheet = rng.integers(20, size=n)
    frames, centres = rng.normal(size=(20, 4, p)), 5 * rng.normal(size=(20, p))
    return np.einsum("ni,nip->np", rng.uniform(-1, 1, size=(n, 4)), frames[sheet]) + centres[sheet]


if __name__ == "__main__":
    rows = []
    for n, p, kind in SHAPES:
        X = points(n, p, kind)
        rows += side_by_side(
            f"{n} x {p}, {kind}",
            5 if n <= 20_000 else 3,
            **{
                "lpgraph": partial(lp.neighbor_graph, X, n_neighbors=K),
                "scikit-learn": partial(kneighbors_graph, X, K, mode="distance", n_jobs=-1),
            },
        )
        print(*rows[-2:], sep="\n", flush=True)
    notes = (
        f"{K} neighbors. Medians of runs in turn after a first one: 5, or 3 for more than 20 000 points. "
        "Normal: a standard normal distribution. Clusters: 50 normal ones. "
        "Heavy tails: Student's distribution with two degrees of freedom. Roll: a rolled sheet. Sheets: 20 flat "
        "sheets of four dimensions. The same graphs result up to ties (`tests/points/test_searches.py`)."
    )
    page(__file__, "Exact neighbor graphs", rows, notes)
