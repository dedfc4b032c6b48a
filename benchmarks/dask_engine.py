"""Embeddings of an edge store, and positions of new vertices, by Dask workers and without them.

Workers are processes on this machine. All results of a store are compared bit by bit, and files byte by byte.
`python benchmarks/dask_engine.py` takes dblp-2010 and a block model of 10^7 edges; with LPGRAPH_QUICK=1 it
only times a block model of 10^6 edges, each case once.
"""

import hashlib
import os
import statistics
import tempfile
import time
from pathlib import Path
from uuid import uuid4

import distributed
import numpy as np
import pyarrow
import pyarrow.parquet
from _embed_graphs import block_model, dblp
from _timing import page

import lpgraph as lp
from lpgraph._threads import thread_count
from lpgraph.scale.dask_engine import DaskEngine
from lpgraph.scale.room import gigabytes

# A cluster of processes sets OMP_NUM_THREADS=1 also in the process that starts it.
os.environ.setdefault("LPGRAPH_NUM_THREADS", str(os.cpu_count()))

QUICK = bool(os.environ.get("LPGRAPH_QUICK"))
D, TOL, ROUNDS = 10, 1e-4, int(os.environ.get("LPGRAPH_ROUNDS", "1" if QUICK else "3"))
NEW, LINKS, FILES = 0.5, 8, 8
EDGES = 10**6 if QUICK else 10**7

NOTES = f"""ASE with d = {D}, tol = {TOL:g}; medians of {ROUNDS} call(s) after one more. The workers are processes
on one machine, with as many threads in all as it has cores, and at least one each: more workers than cores do not
compute faster. `rounds` read all edges: products with the matrix, and the reading of the part that a search
begins with. `vectors` are bytes that workers
sent to other workers, `sums` scalar products and coefficients between workers and the client, `result` the
eigenvectors that the client read, with their images. `same bits` compares the embedding with that of one
worker, to the last bit; threads of one process may take narrower blocks and more rounds. `ratio` is to the
network in memory.

`extend` places {NEW:.0%} more vertices of {LINKS} edges each, in {FILES} files of Parquet, by `lp.scale.extend`;
`same bits` compares its files with those that one process has written, and `ratio` is to that process.

Workers have Dask's default settings, by which they return freed memory to the system at once and allocate it
again in the next round. [Dask clusters](../dask.md#processes-on-one-machine) has settings that avoid this, and
measurements with them."""


def timed(work):
    """Return the median of the seconds after a first call, and the last result."""
    seconds = []
    for _ in range(ROUNDS + 1):
        began = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds[1:]), result


def fitted(graph):
    return lp.AdjacencySpectralEmbedding(D, tol=TOL).fit(graph)


class Counted:
    """Remember the engines that are made."""

    def __enter__(self):
        self.engines, self._init = [], DaskEngine.__init__

        def init(engine, client):
            self._init(engine, client)
            self.engines.append(engine)

        DaskEngine.__init__ = init
        return self

    def __exit__(self, *error):
        DaskEngine.__init__ = self._init


def rows_of(name, matrix, folder):
    graph = lp.as_adjacency(matrix)
    store = lp.scale.build_store(graph, Path(folder) / name)
    memory, model = timed(lambda: fitted(graph))
    case = f"{name}, {graph.n_vertices:,} vertices, {graph.n_edges:,} edges"
    rows = [row(case, "in memory", memory, memory)]
    seconds, expected = timed(lambda: fitted(store))
    rows.append(row(case, f"store, {thread_count()} threads", seconds, memory))
    sine = np.linalg.norm(
        np.linalg.qr(model.embedding_)[0]
        - np.linalg.qr(expected.embedding_)[0]
        @ (np.linalg.qr(expected.embedding_)[0].T @ np.linalg.qr(model.embedding_)[0]),
        2,
    )
    print(f"largest sine to the subspace in memory: {sine:.1e}", flush=True)
    edges = new_edges(graph.n_vertices, Path(folder) / f"{name}-new")
    alone, files = timed(lambda: extended(expected, edges))
    rows.append(row(case, "extend, one process", alone, alone))
    first = None
    for workers in (1, 2, 4):
        threads = max(1, (os.cpu_count() or 1) // workers)
        with (
            distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=threads,
                processes=True,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                local_directory=folder,
            ) as cluster,
            distributed.Client(cluster) as client,
            Counted() as counted,
        ):
            seconds, found = timed(lambda: fitted(store.using(client=client)))
            engine = counted.engines[-1]
            first = found.embedding_ if first is None else first
            same = np.array_equal(found.embedding_, first)
            rows.append(
                row(case, f"Dask, {workers} x {threads} threads", seconds, memory)
                | {
                    "rounds": engine.passes,
                    "vectors": gigabytes(engine.broadcast_bytes),
                    "sums": gigabytes(engine.reduced_bytes),
                    "result": gigabytes(engine.gathered_bytes),
                    "same bits": "yes" if same else "NO",
                    "residual": f"{found.residuals_.max():.0e}",
                }
            )
            print(rows[-1], flush=True)
            seconds, found = timed(lambda: extended(expected, edges, client))
            same = {"same bits": "yes" if contents(found) == contents(files) else "NO"}
            rows.append(row(case, f"extend, Dask, {workers} x {threads} threads", seconds, alone) | same)
            print(rows[-1], flush=True)
    return rows


def new_edges(n, folder):
    """Write edges between new vertices, n and above, and known ones; return the files."""
    folder.mkdir()
    rng, count, paths = np.random.default_rng(1), int(NEW * n), []
    for k in range(FILES):
        new = np.repeat(np.arange(n + k, n + count, FILES), LINKS)
        table = pyarrow.table({"source": new, "target": rng.integers(0, n, len(new))})
        paths.append(folder / f"{k}.parquet")
        pyarrow.parquet.write_table(table, paths[-1])
    return paths


def extended(model, edges, client=None):
    """Place new vertices; return the folder, which did not exist."""
    return lp.scale.extend(model, edges, edges[0].parent / uuid4().hex, client=client).folder


def contents(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("part-*"))}


def row(case, method, seconds, memory):
    empty = dict.fromkeys(("rounds", "vectors", "sums", "result", "same bits", "residual"), "")
    return {
        "case": case,
        "method": method,
        "seconds": f"{seconds:.3g}",
        "ratio": f"{seconds / memory:.2f}",
    } | empty


def main():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        matrix = None if QUICK else dblp()
        if matrix is not None:
            rows += rows_of("dblp-2010", matrix, folder)
        rows += rows_of("block model", block_model(EDGES // 10, EDGES), folder)
    page(__file__, "Embedding on Dask workers", rows, NOTES, "distributed")


if __name__ == "__main__":
    main()
