"""Embeddings by landmarks of an edge store with 10^6 vertices, and classification of all vertices by them.

``python benchmarks/store_landmarks.py`` writes ``docs/results/store_landmarks.md``.
"""

import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from _timing import page

import lpgraph as lp

N, BLOCKS, SHARE, KNOWN = 10**6, 10, 0.05, 0.01


def model(degree, *, tail):
    """Return ten equal blocks, ten times as dense within as between, with a tail of degrees or without."""
    weights = np.ones(N)
    if tail:
        weights = np.random.default_rng(0).pareto(3.0, N) + 0.5
        weights = np.clip(weights, 0.2 * weights.mean(), 10 * weights.mean())
    rates = 1.0 + 9.0 * np.eye(BLOCKS)
    sums = weights.reshape(BLOCKS, -1).sum(axis=1)
    rates *= degree * N / (sums @ rates @ sums)
    return lp.degree_corrected_block_model([N // BLOCKS] * BLOCKS, rates, weights, random_state=0).adjacency


def accuracy(positions, known, classes):
    """Return the share of right classes of vertices that are not known, by a classifier of unit rows."""
    from sklearn.linear_model import LogisticRegression

    rows = positions / np.maximum(np.linalg.norm(positions, axis=1, keepdims=True), 1e-300)
    rest = np.setdiff1d(np.arange(N), known)
    return LogisticRegression(C=100.0).fit(rows[known], classes[known]).score(rows[rest], classes[rest])


def main():
    """Fit all, and write the page."""
    warnings.simplefilter("ignore")
    classes = np.repeat(np.arange(BLOCKS), N // BLOCKS)
    known = np.random.default_rng(1).choice(N, int(KNOWN * N), replace=False)
    rows = []
    for tail in (False, True):
        for degree in (20, 50, 100):
            with tempfile.TemporaryDirectory() as folder:
                store = lp.scale.build_store(lp.as_adjacency(model(degree, tail=tail)), Path(folder) / "store")
                for passes in (None, 0, 1, 2):
                    landmarks = {} if passes is None else {"landmarks": SHARE, "landmark_passes": passes}
                    estimator = lp.AdjacencySpectralEmbedding(BLOCKS, tol=1e-4, **landmarks)
                    began = time.perf_counter()
                    fitted = estimator.fit(store)
                    seconds = time.perf_counter() - began
                    rows.append(
                        {
                            "degrees": "with a tail" if tail else "equal",
                            "mean degree": f"{degree}",
                            "landmarks": "none" if passes is None else f"{SHARE:.0%}",
                            "passes": "" if passes is None else f"{passes}",
                            "seconds": f"{seconds:.1f}",
                            "right": f"{accuracy(fitted.embedding_, known, classes):.3f}",
                        }
                    )
                    print(rows[-1], flush=True)
    page(
        __file__,
        "Landmarks of an edge store",
        rows,
        f"""Block models of 10⁶ vertices with ten equal blocks, ten times as dense within as between, with expected
degrees that are equal, or 0.2 to 10 times their mean (Pareto); an edge store in threads, ten dimensions, one fit
each. {SHARE:.0%} of the vertices are landmarks, drawn by degree. Logistic regression on rows of unit length learns
from {KNOWN:.0%} of the vertices; `right` is the share of the others whose block it finds. `passes` is
`landmark_passes`: each reads the edges once, beside the rows of the landmarks and the reading for
`nystrom_error_`.

At mean degree 20, 50 and 100, two edges lead from a landmark to about 20, 125 and 500 others; with 20,
[a warning](landmark_edges.md) says that these are few. Without a pass, the positions come from the 1, 2.5 and 5
edges that landmarks have with one another, and no method can see the blocks in those below 4.5 (the
Kesten-Stigum threshold). The embedding of all vertices takes about the same time here: landmarks of a store are
for networks whose embedding takes many passes.""",
    )


if __name__ == "__main__":
    main()
