"""Approximate neighbors of 10^6 points: time, memory and recall of lpgraph, pynndescent and faiss.

``python benchmarks/approximate_neighbors.py`` writes ``docs/results/approximate_neighbors.md``. The other
libraries are installed in an environment of their own. Each run is a new process; the recall is that of 1000
points, whose neighbors are known exactly.
"""

import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

K = 10


def sheets(n, p, dimensions=8):
    """Return points of 20 curved sheets in p coordinates."""
    rng = np.random.default_rng(0)
    sheet, result = rng.integers(20, size=n), np.empty((n, p), dtype=np.float32)
    for i in range(20):
        members = np.flatnonzero(sheet == i)
        plane = rng.uniform(-1, 1, size=(len(members), dimensions))
        wave = np.sin(plane @ rng.normal(size=(dimensions, p)))
        result[members] = wave + 2 * rng.normal(size=p)
    return result


def normal(n, p):
    """Return normal points, which have as many dimensions as coordinates."""
    return np.random.default_rng(0).normal(size=(n, p)).astype(np.float32)


def lpgraph(X):
    """Return the neighbors of every point by lpgraph."""
    from lpgraph.points.neighborhood import Neighborhood

    hood = Neighborhood.of(X, n_neighbors=K, neighbors="approximate")
    return hood.nearest_training(K)[0]


def pynndescent(X):
    """Return the neighbors of every point by pynndescent."""
    from pynndescent import NNDescent

    return NNDescent(X, n_neighbors=K + 1, random_state=0, n_jobs=-1).neighbor_graph[0][:, 1:]


def faiss_cells(X):
    """Return the neighbors of every point by faiss, with cells."""
    import faiss

    index = faiss.index_factory(X.shape[1], "IVF2000,Flat")
    index.train(X)
    index.add(X)
    index.nprobe = 16
    return index.search(X, K + 1)[1][:, 1:]


def faiss_graph(X):
    """Return the neighbors of every point by faiss, with a graph."""
    import faiss

    index = faiss.IndexHNSWFlat(X.shape[1], 16)
    index.add(X)
    index.hnsw.efSearch = 32
    return index.search(X, K + 1)[1][:, 1:]


METHODS = {"lpgraph": lpgraph, "pynndescent": pynndescent, "faiss IVF": faiss_cells, "faiss HNSW": faiss_graph}
CASES = {"curved sheets of 8 dimensions": (sheets, 1_000_000, 50), "normal": (normal, 200_000, 20)}
RUNS = (("lpgraph", None), ("lpgraph", "1"), ("pynndescent", None), ("faiss IVF", None), ("faiss HNSW", None))

if sys.argv[1:2] == ["--only"]:
    method, data, result = sys.argv[2:]
    X = np.load(data)
    began = time.perf_counter()
    found = METHODS[method](X)
    seconds = time.perf_counter() - began
    np.save(result, found[: 1000 * (len(X) // 1000) : len(X) // 1000])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    print(json.dumps([seconds, peak, hashlib.sha256(np.ascontiguousarray(found)).hexdigest()]))
    sys.exit()


def exact(X):
    """Return the exact neighbors of 1000 of the points."""
    from sklearn.neighbors import NearestNeighbors

    looked = np.arange(0, 1000 * (len(X) // 1000), len(X) // 1000)
    found = NearestNeighbors(n_neighbors=K + 1, algorithm="brute").fit(X).kneighbors(X[looked])[1]
    return np.array([row[row != i][:K] for i, row in zip(looked, found, strict=True)])


if __name__ == "__main__":
    from _peer import CACHE, python_with, versions
    from _timing import page

    peer = python_with("pynndescent", CACHE, "faiss-cpu")
    rows, same = [], []
    with tempfile.TemporaryDirectory() as folder:
        data, result = str(Path(folder) / "points.npy"), str(Path(folder) / "neighbors.npy")
        for case, (make, n, p) in CASES.items():
            X = make(n, p)
            np.save(data, X)
            true = exact(X)
            for method, threads in RUNS:
                python = sys.executable if method == "lpgraph" else peer
                environment = {**os.environ, **({"OMP_NUM_THREADS": threads} if threads else {})}
                command = [python, __file__, "--only", method, data, result]
                out = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
                seconds, peak, digest = json.loads(out.splitlines()[-1])
                found = np.load(result)
                recall = np.mean([len(np.intersect1d(a, b)) / K for a, b in zip(found, true, strict=True)])
                same += [digest] if method == "lpgraph" else []
                rows.append(
                    {
                        "points": f"{len(X)} x {X.shape[1]}, {case}",
                        "method": method + (", one thread" if threads else ""),
                        "seconds": f"{seconds:.0f}",
                        "recall": f"{recall:.3f}",
                        "peak GB": f"{peak:.2f}",
                    }
                )
                print(rows[-1], flush=True)
            if same[-1] != same[-2]:
                raise SystemExit("lpgraph's neighbors depend on the number of threads")
    notes = (
        f"{K} neighbors, one run of each, with imports and compilation. lpgraph's neighbors are the same to the "
        "last bit with one thread, which the command checks. faiss looks through 16 of 2000 cells, or has a graph "
        f"with 16 edges of a point and 32 candidates; {versions(peer, 'pynndescent', 'faiss-cpu')}."
    )
    page(__file__, "Approximate neighbors", rows, notes)
