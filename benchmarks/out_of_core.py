"""Embed a network from its edge store, with a limit of memory, beside the same network in memory.

The network is a stochastic block model with ten equal blocks, ten times as many edges to a vertex of the own block
as to one of another, and a mean degree of 40. Each fit is in a process of its own, whose anonymous memory is
measured: the page cache is aside.

    python benchmarks/out_of_core.py --edges 100000000 --memory 1.5GB --folder FOLDER
"""

import argparse
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
from _memory import resident

BLOCKS, RATIO, DEGREE, SHARD = 10, 10, 40, 5_000_000


def endpoints(n, count, rng):
    """Return edges of the model; few of them are repeated or loops."""
    u = rng.integers(0, n, count)
    own = rng.random(count) < RATIO / (RATIO + BLOCKS - 1)
    # Vertex i is in block i % BLOCKS.
    shift = np.where(own, 0, rng.integers(1, BLOCKS, count))
    v = rng.integers(0, n // BLOCKS, count) * BLOCKS + (u + shift) % BLOCKS
    return u, v


def write_shards(folder, edges, *, text=False):
    """Write Parquet shards of edges once."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    n = 2 * edges // DEGREE // BLOCKS * BLOCKS
    for shard in range(-(-edges // SHARD)):
        path = folder / f"edges-{shard:05d}.parquet"
        if path.exists():
            continue
        u, v = endpoints(n, min(SHARD, edges - shard * SHARD), np.random.default_rng([1, shard]))
        columns = [pa.array(u), pa.array(v)]
        if text:
            columns = [pa.array([f"user{i:09d}" for i in column.tolist()]) for column in (u, v)]
        pq.write_table(pa.table(columns, names=["source", "target"]), path.with_suffix(".new"))
        path.with_suffix(".new").rename(path)
    return sorted(folder.glob("edges-*.parquet"))


class Peak:
    """The largest anonymous memory of this process, sampled every 10 ms."""

    def __init__(self):
        self.most = 0.0
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self):
        while True:
            self.most = max(self.most, resident())
            time.sleep(0.01)


def work(kind, store, memory, tol, output):
    """Fit in this process, and print what it took."""
    from scipy import sparse

    import lpgraph as lp
    from lpgraph.spectral import krylov

    peak, rounds, multiply = Peak(), [], krylov._Search._multiply
    krylov._Search._multiply = lambda *given: (rounds.append(1), multiply(*given))[1]
    graph = lp.scale.open_store(store)
    if kind == "memory":
        parts = [np.array(part) for part in (graph.matrix.data, graph.matrix.indices, graph.matrix.indptr)]
        matrix = sparse.csr_array(tuple(parts), shape=graph.matrix.shape)
        graph = lp.Adjacency(matrix, range(graph.n_vertices))
    elif memory:
        lp.scale.limit_memory(memory, Path(output).parent)
    times = []
    for _ in range(1 if kind == "store" else 2):  # the first compiles loops, and reads pages
        rounds.clear()
        start, used = time.perf_counter(), time.process_time()
        model = lp.AdjacencySpectralEmbedding(10, tol=tol).fit(graph)
        times.append((time.perf_counter() - start, time.process_time() - used, len(rounds)))
    np.save(output, model.embedding_)
    result = {
        "seconds": times[-1][0],
        "processor": times[-1][1],
        "rounds": times[-1][2],
        "residual": float(model.residuals_.max()),
        "anonymous MB": peak.most,
        "resident MB": resident("VmHWM"),
    }
    print(json.dumps(result))


def sine(first, second):
    """Return the sine of the largest angle between two column spaces."""
    factors = []
    for array in (first, second):
        gram = sum(array[i : i + 1_000_000].T @ array[i : i + 1_000_000] for i in range(0, len(array), 1_000_000))
        factors.append(np.linalg.inv(np.linalg.cholesky(gram)).T)
    cross = sum(first[i : i + 1_000_000].T @ second[i : i + 1_000_000] for i in range(0, len(first), 1_000_000))
    cosines = np.linalg.svd(factors[0].T @ cross @ factors[1], compute_uv=False)
    return float(np.sqrt(max(0.0, 1 - cosines.min() ** 2)))


def main():
    """Run the benchmark, and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--edges", type=int, default=1_000_000)
    parser.add_argument("--memory", default="1.5GB")
    parser.add_argument("--tol", type=float, default=1e-4)
    parser.add_argument("--folder", type=Path, required=True, help="where shards and the store are kept")
    parser.add_argument("--no-memory", action="store_true", help="leave out the fit in memory")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    store = given.folder / f"{given.edges}.store"
    if given.work:
        work(given.work[0], store, given.memory, given.tol, given.work[1])
        return
    import lpgraph as lp

    shards = write_shards(given.folder / f"{given.edges}-edges", given.edges)
    start = time.perf_counter()
    built = lp.scale.build_store(shards, store, multi_edges="collapse")
    print(built, f"built in {time.perf_counter() - start:.0f} s", flush=True)
    results = {}
    kinds = ["store", *([] if given.no_memory else ["memory"])]
    for kind in kinds:
        output = given.folder / f"{given.edges}-{kind}.npy"
        command = [sys.executable, __file__, *sys.argv[1:], "--work", kind, str(output)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        results[kind] = json.loads(done.stdout.splitlines()[-1])
        print(kind, results[kind], flush=True)
    if not given.no_memory:
        first, second = (np.load(given.folder / f"{given.edges}-{k}.npy", mmap_mode="r") for k in kinds)
        print("sine of the largest angle", sine(first, second))
        print("time relative to in memory", results["store"]["seconds"] / results["memory"]["seconds"])


if __name__ == "__main__":
    main()
