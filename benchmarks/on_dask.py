"""Embeddings of a network on Dask workers, from an edge store and from a Dask DataFrame, beside memory.

Workers are processes on this machine. `python benchmarks/on_dask.py` takes a block model of 10^7 edges;
`--against FOLDER` adds the Dask engine of a checkout of lpgraph 0.2 in that folder, in the same run.
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

D, TOL = 10, 1e-4

#: The engine of lpgraph 0.2, in a process of its own.
OLD = """
import json, sys, time
import distributed
from scipy import sparse
import lpgraph as lp
if __name__ == "__main__":
    matrix, folder, workers, threads, rounds = sys.argv[1:]
    store = lp.scale.build_store(sparse.csr_array(sparse.load_npz(matrix)), folder)
    options = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "threads_per_worker": int(threads)}
    options["n_workers"] = int(workers)
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        seconds = []
        for _ in range(int(rounds) + 1):
            began = time.perf_counter()
            lp.AdjacencySpectralEmbedding(10, tol=1e-4).fit(store.using(client=client))
            seconds.append(time.perf_counter() - began)
    print(json.dumps(seconds[1:]))
"""


def timed(work, rounds):
    """Return the median of the seconds after a first call, and the last result."""
    seconds = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds[1:]), result


def main():
    """Run the benchmark, and print its table."""
    import distributed
    import numpy as np
    from _embed_graphs import block_model
    from scipy import sparse

    import lpgraph as lp
    from lpgraph.scale import dask as on_workers
    from lpgraph.spectral.eigen import eigenpairs
    from lpgraph.spectral.lanczos import WIDE, Lanczos

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--edges", type=int, default=10**7)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--against", type=Path, help="a checkout of lpgraph 0.2")
    given = parser.parse_args()
    products = []
    multiply = on_workers.DaskMatrix.__matmul__
    on_workers.DaskMatrix.__matmul__ = lambda matrix, block: (products.append(1), multiply(matrix, block))[1]

    def fitted(graph):
        products.clear()
        return lp.AdjacencySpectralEmbedding(D, tol=TOL).fit(graph)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        graph = lp.as_adjacency(block_model(given.edges // 10, given.edges))
        sparse.save_npz(folder / "matrix.npz", graph.matrix)
        store = lp.scale.build_store(graph, folder / "graph.store")
        print(f"{graph!r}, d = {D}, tol = {TOL:g}")
        memory, _ = timed(lambda: fitted(graph), given.rounds)
        mapped, _ = timed(lambda: fitted(store), given.rounds)
        wide = eigenpairs(graph.matrix, D, tol=TOL, solver=Lanczos(width=WIDE))
        expected = wide.images * (np.abs(wide.values) ** 0.5 / wide.values)
        rows = [("in memory", memory, None, None), ("store", mapped, None, None)]
        for workers in (1, 2, 4):
            threads = max(1, (os.cpu_count() or 1) // workers)
            options = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "threads_per_worker": threads}
            with (
                distributed.LocalCluster(n_workers=workers, local_directory=name, **options) as cluster,
                distributed.Client(cluster) as client,
            ):
                for form, source in (("store", store.store), ("graph", graph)):
                    network = lp.scale.on_dask(source, client)
                    seconds, model = timed(lambda network=network: fitted(network), given.rounds)
                    same = np.array_equal(model.embedding_, expected)
                    rows.append((f"{workers} workers, {form}", seconds, len(products), same))
            if given.against is not None:
                words = [folder / "matrix.npz", folder / f"old-{workers}.store", workers, threads, given.rounds]
                script = folder / "old.py"
                script.write_text(OLD)
                command = [sys.executable, script, *words]
                environment = os.environ | {"PYTHONPATH": str(given.against)}
                done = subprocess.run(
                    list(map(str, command)), env=environment, check=True, stdout=subprocess.PIPE, text=True
                )
                rows.append(
                    (f"{workers} workers, engine of 0.2", statistics.median(json.loads(done.stdout)), None, None)
                )
        print("| network | seconds | ratio | products | bits of memory |")
        print("| --- | --- | --- | --- | --- |")
        for case, seconds, count, same in rows:
            told = count or "", "" if same is None else same
            print(f"| {case} | {seconds:.2f} | {seconds / memory:.2f} | {told[0]} | {told[1]} |")


if __name__ == "__main__":
    main()
