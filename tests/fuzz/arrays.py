"""Sparse matrices whose arrays were changed after they were made, in every place that takes one.

``PYTHONPATH=tests python -m fuzz.arrays --count 20000``
"""

from __future__ import annotations

from functools import cache

import numpy as np
from fuzz.harness import main
from scipy import sparse

import lpgraph as lp

FORMATS = ("csr", "csc", "bsr", "coo", "dia", "lil", "dok")
EXTREMES = (-(2**63), -(2**31), -1, 0, 1, 2, 7, 1000, 2**31 - 1, 2**31, 2**62)


@cache
def fitted(n: int) -> tuple[object, ...]:
    """Fitted models of n vertices or points."""
    rng = np.random.default_rng(0)
    graph = (rng.random((n, n)) < 0.5).astype(float)
    symmetric = np.maximum(graph, graph.T)
    distances = sparse.csr_array((1 + symmetric) * (1 - np.eye(n)))
    return (
        lp.AdjacencySpectralEmbedding(2).fit(symmetric),
        lp.AdjacencySpectralEmbedding(2).fit(graph),
        lp.LaplacianSpectralEmbedding(2).fit(symmetric),
        lp.manifold.KernelPCA(2, kernel="linear").fit(sparse.csr_array(symmetric)),
        lp.manifold.Isomap(2, n_neighbors=n - 1, metric="precomputed").fit(distances),
    )


def changed(part: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A copy of an array with other entries, another length, or another type."""
    part = part.copy()
    way = rng.integers(6)
    if way == 0:
        return part[: rng.integers(part.shape[0] + 1)]
    if way == 1:
        return np.concatenate([part, part[: rng.integers(part.shape[0] + 1)]])
    if way == 2:
        return part.astype(rng.choice(["u1", "i2", "u4", "i8", "f4", "f8", ">i4", "O"]))
    for _ in range(rng.integers(1, 4)):
        if part.size:
            value = rng.choice(EXTREMES if part.dtype.kind in "iu" else [np.nan, np.inf, 1e308, -1.0, 0.0])
            part.reshape(-1)[rng.integers(part.size)] = np.array(value).astype(part.dtype)
    return part


def trial(seed: int) -> int:
    """Change a matrix and pass it to a model, to a fit, or to a function."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 12))
    rows = n if rng.random() < 0.7 else int(rng.integers(1, 5))
    matrix = sparse.random_array((rows, n), density=rng.random(), rng=rng, format=str(rng.choice(FORMATS)))
    for name in ("indptr", "indices", "data", "coords", "offsets", "rows"):
        part = getattr(matrix, name, None)
        if isinstance(part, np.ndarray) and rng.random() < 0.5:
            if part.dtype == object:
                part[rng.integers(len(part))] = list(rng.choice(EXTREMES, size=rng.integers(4)))
            else:
                setattr(matrix, name, changed(part, rng))
        elif isinstance(part, tuple) and rng.random() < 0.5:
            matrix.coords = tuple(changed(index, rng) for index in part)
    entrances = (
        lp.as_adjacency,
        lp.AdjacencySpectralEmbedding(2).fit,
        lp.VertexClustering().fit,
        lp.manifold.LaplacianEigenmaps(1, affinity="precomputed").fit,
        lp.manifold.Isomap(1, n_neighbors=2, metric="precomputed").fit,
        lp.neighbor_graph,
        lambda given: lp.extend_bottom(given, [0], [[0.0]]),
        *(model.transform for model in fitted(n)),
    )
    try:
        result = entrances[rng.integers(len(entrances))](matrix)
        if isinstance(result, np.ndarray) and not np.isfinite(result).all() and result.shape != (n, n):
            raise AssertionError(f"it returned {result}")
    except lp.errors.LpgraphError:
        pass
    return 1000


if __name__ == "__main__":
    main(trial, "Changed sparse matrices in memory.")
