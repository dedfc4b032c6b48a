"""Graphs of the embedding benchmark, created once and stored as ``.npz`` files with indptr and indices."""

import os
from pathlib import Path

import numpy as np

import lpgraph as lp


def block_model(n, edges, seed=0):
    """Return a degree-corrected model of ten blocks, 18 to 24 times as many edges within blocks as between."""
    weights = np.random.default_rng(seed).uniform(0.5, 1.5, n)
    B = np.ones((10, 10))
    np.fill_diagonal(B, np.linspace(18, 24, 10))
    sums = weights.reshape(10, -1).sum(axis=1)
    B *= edges / (0.5 * sums @ B @ sums)
    return lp.degree_corrected_block_model([n // 10] * 10, B, weights, random_state=seed).adjacency


def weak_model(n, edges, seed=0):
    """Return a degree-corrected model of ten blocks, 6.7 times as dense within, with a tail of degrees."""
    weights = np.random.default_rng(seed).pareto(3.0, n) + 0.5
    weights = np.clip(weights, 0.2 * weights.mean(), 10 * weights.mean())
    B = np.ones((10, 10)) + 5.7 * np.eye(10)
    sums = weights.reshape(10, -1).sum(axis=1)
    B *= edges / (0.5 * sums @ B @ sums)
    return lp.degree_corrected_block_model([n // 10] * 10, B, weights, random_state=seed).adjacency


def components(count=1000, size=100, seed=0):
    """Return a graph with `count` components: Erdos-Renyi graphs of mean degree 20."""
    graph = lp.stochastic_block_model([size] * count, 20 / size * np.eye(count), random_state=seed)
    return graph.adjacency


def dblp():
    """Return dblp-2010, or None without the data."""
    folder = os.environ.get("LPGRAPH_DATA", "")
    path = Path(folder) / "dblp-2010" / "dblp-2010.edges.tsv.gz"
    if not folder or not path.exists():
        return None
    import gzip

    with gzip.open(path) as lines:
        pairs = np.loadtxt(lines, dtype=np.int64)
    return lp.from_edges(pairs[:, 0], pairs[:, 1], multi_edges="collapse", loops="drop").matrix


MAKERS = {f"dcsbm-{n}": (lambda n=n: block_model(n, 10 * n)) for n in (1000, 10_000, 100_000, 1_000_000)}
MAKERS |= {"weak-1000000": lambda: weak_model(1_000_000, 10_000_000)}
MAKERS |= {"components-1000": components, "dblp-2010": dblp}


def graph_file(name, cache):
    """Return the path of the file of a graph, which is created if necessary; None if its data are missing."""
    path = Path(cache) / f"{name}.npz"
    if not path.exists():
        matrix = MAKERS[name]()
        if matrix is None:
            return None
        np.savez(path, indptr=matrix.indptr, indices=matrix.indices)
    return path
