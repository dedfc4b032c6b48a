"""Time two checkouts of lpgraph against each other: embedding, sampling, new vertices, methods for points.

``python benchmarks/compare.py OTHER`` runs every workload in fresh processes of this checkout and of the one in
the folder OTHER, in turn, and prints medians of the first and of the later calls in a process, with their ratios.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent


def network(n, degree=20):
    """Return the adjacency matrix of a degree-corrected block model, kept in a file."""
    from scipy import sparse

    path = Path(tempfile.gettempdir()) / f"lpgraph-compare-{n}-{degree}.npz"
    if not path.exists():
        rng = np.random.default_rng(0)
        blocks = rng.integers(0, 10, n)
        weight = rng.pareto(2.5, n) + 0.5
        order = np.argsort(blocks, kind="stable")
        half = n * degree // 2
        source = rng.choice(n, half, p=weight / weight.sum())
        inside = rng.uniform(size=half) < 0.7
        starts = np.searchsorted(blocks[order], np.arange(11))
        own = blocks[source]
        same = order[starts[own] + (rng.uniform(size=half) * (starts[own + 1] - starts[own])).astype(np.intp)]
        target = np.where(inside, same, rng.choice(n, half, p=weight / weight.sum()))
        kept = source != target
        pairs = (np.ones(kept.sum()), (source[kept], target[kept]))
        matrix = sparse.csr_array(pairs, shape=(n, n))
        matrix = matrix + matrix.T
        matrix.data[:] = 1.0
        sparse.save_npz(path, sparse.csr_array(matrix))
    return sparse.csr_array(sparse.load_npz(path))


def roll(n, dimension=3):
    """Return points on a Swiss roll."""
    rng = np.random.default_rng(0)
    t = 1.5 * np.pi * (1 + 2 * rng.uniform(size=n))
    return np.column_stack([t * np.cos(t), 20 * rng.uniform(size=n), t * np.sin(t)])[:, :dimension]


def embed(n, d, degree=20, kind="AdjacencySpectralEmbedding"):
    """Return a call that embeds a network."""
    import lpgraph as lp

    graph = lp.as_adjacency(network(n, degree))
    return lambda: getattr(lp, kind)(d).fit(graph)


def points(name, n, **settings):
    """Return a call that embeds points."""
    import lpgraph as lp

    X = roll(n)
    return lambda: getattr(lp.manifold, name)(2, **settings).fit(X)


def rows(m, d):
    """Return a call that embeds m new vertices of ten edges each."""
    from scipy import sparse

    import lpgraph as lp

    n = 100_000
    model = lp.AdjacencySpectralEmbedding(d, tol=1e-2).fit(network(n))
    rng = np.random.default_rng(0)
    new = sparse.csr_array((np.ones(m * 10), rng.integers(0, n, m * 10), np.arange(m + 1) * 10), shape=(m, n))
    new.sum_duplicates()
    return lambda: model.transform(new)


def one_vertex():
    """Return a call that embeds one new vertex, a thousand times."""
    import lpgraph as lp

    model = lp.AdjacencySpectralEmbedding(10, tol=1e-2).fit(network(100_000))
    new = {"new": list(range(0, 1000, 100))}
    return lambda: [model.transform(new) for _ in range(1000)]


def sample(kind):
    """Return a call that samples a graph of 10^6 vertices and about 10^7 edges."""
    import lpgraph as lp

    n = 1_000_000
    if kind == "blocks":
        B = np.full((10, 10), 1e-5) + np.diag(np.full(10, 1.1e-4))
        return lambda: lp.stochastic_block_model([n // 10] * 10, B, random_state=0)
    if kind == "products":
        X = np.random.default_rng(0).dirichlet(np.ones(3), n)
        return lambda: lp.random_dot_product_graph(X, sparsity=6e-5, random_state=0)
    X = np.random.default_rng(0).uniform(size=(n, 2))
    model = lp.LatentPositionModel(lp.kernels.Gaussian((20 / n) ** 0.5 / np.sqrt(np.pi)), X)
    return lambda: model.sample(n, random_state=0)


#: name: (what makes the call, how often it is called in a process)
WORKLOADS = {
    "embedding, 10^6 vertices, d = 10": (lambda: embed(1_000_000, 10), 3),
    "embedding, 10^5 vertices, d = 2": (lambda: embed(100_000, 2), 8),
    "embedding, 10^5 vertices, d = 10": (lambda: embed(100_000, 10), 8),
    "embedding, 10^5 vertices, d = 100": (lambda: embed(100_000, 100), 2),
    "Laplacian embedding, 10^5 vertices, d = 10": (
        lambda: embed(100_000, 10, kind="LaplacianSpectralEmbedding"),
        5,
    ),
    "sampling, block model": (lambda: sample("blocks"), 3),
    "sampling, dot products": (lambda: sample("products"), 3),
    "sampling, Gaussian kernel": (lambda: sample("gaussian"), 2),
    "10^6 new vertices, d = 2": (lambda: rows(1_000_000, 2), 40),
    "10^6 new vertices, d = 10": (lambda: rows(1_000_000, 10), 40),
    "10^6 new vertices, d = 32": (lambda: rows(1_000_000, 32), 5),
    "one new vertex, 1000 times": (one_vertex, 8),
    "Isomap, 5000 points": (lambda: points("Isomap", 5000), 3),
    "LLE, 20 000 points": (lambda: points("LocallyLinearEmbedding", 20_000, n_neighbors=12), 3),
    "eigenmaps, 20 000 points": (lambda: points("LaplacianEigenmaps", 20_000), 3),
    "kernel PCA, 5000 points": (lambda: points("KernelPCA", 5000, kernel="rbf", gamma=0.01), 3),
}


def run(name):
    """Print the times of the calls of a workload in this process, as JSON."""
    make, calls = WORKLOADS[name]
    call = make()
    times = []
    for _ in range(calls):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    print(json.dumps(times))


def main():
    """Run every workload with both checkouts, in turn."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("other", nargs="?", help="folder of the other checkout")
    parser.add_argument("--only", default="", help="workloads whose name contains this")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--run", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        return run(given.run)
    if given.other is None:
        parser.error("pass the folder of the other checkout")
    checkouts = {"here": HERE.parent, "other": Path(given.other).resolve()}
    print(f"{'workload':45}{'first: other':>14}{'here':>9}{'ratio':>7}{'later: other':>14}{'here':>9}{'ratio':>7}")
    for name in [name for name in WORKLOADS if given.only in name]:
        times = {key: ([], []) for key in checkouts}
        for turn in range(given.rounds):
            for key in sorted(checkouts, reverse=turn % 2 == 0):
                environment = {**os.environ, "PYTHONPATH": str(checkouts[key])}
                command = [sys.executable, str(HERE / "compare.py"), "--run", name]
                done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
                first, *later = json.loads(done.stdout.splitlines()[-1])
                times[key][0].append(first)
                times[key][1].extend(later)
        figures = []
        for kind in (0, 1):
            here, other = (statistics.median(times[key][kind]) for key in ("here", "other"))
            figures.append(f"{other:>14.4f}{here:>9.4f}{here / other:>7.2f}")
        print(f"{name:45}{''.join(figures)}", flush=True)
    return None


if __name__ == "__main__":
    main()
