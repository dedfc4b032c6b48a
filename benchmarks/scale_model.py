"""A model of the time of one pass over an edge store, fitted to small networks and tried on larger ones.

The networks are block models as in `out_of_core.py`. Steps of the eigensolver are timed one by one. The model has
four coefficients: nanoseconds for an entry, for a row of a tile, for a number of the block that is written and
read, and for one that is multiplied by a column of the basis and back. It is fitted to the networks of up to 10^7
edges; the larger ones say how far it can be trusted.

    python benchmarks/scale_model.py --edges 100000000 --folder FOLDER
"""

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

import numpy as np
import out_of_core
import scipy.optimize

import lpgraph as lp
from lpgraph.scale.engine import LocalEngine
from lpgraph.scale.grid import ROWS, grid_of
from lpgraph.scale.lanczos import Aim, Search, Sizes
from lpgraph.scale.space import Space

sys.path.append(str(Path(__file__).resolve().parent.parent / "examples"))
from _report import report, table

#: Dimensions, widths of blocks, steps that are timed, and edges up to which the model is fitted.
D, WIDTHS, STEPS, FITTED = 10, (4, 12), 8, 10**7

#: Bytes a second that a worker receives and sends (10 gigabit Ethernet), an assumption.
NETWORK = 1.25e9

#: Rounds of a fit with blocks of twelve columns: dblp-2010 and block models took 12 to 18.
ROUNDS = 15

NOTES = """Steps of the solver with blocks of 4 and 12 columns, in threads on two cores, the store in the page
cache; median and extremes of the ratio of measured to predicted seconds over the steps of a store. The model
is fitted to the stores marked so.

The model knows no disk. A [fit of 10⁹ edges](out_of_core.md) on a machine whose memory does not hold the tiles and
the basis took 39 seconds for a pass of eight columns, where the model says 11."""


def edge_store(folder, edges, degree):
    """Return the store of a block model, which is made once."""
    path = folder / f"{edges}-{degree}.store"
    if (path / "manifest.json").exists():
        return lp.scale.EdgeStore(path)
    out_of_core.DEGREE = degree
    shards = out_of_core.write_shards(folder / f"{edges}-{degree}-edges", edges)
    return lp.scale.build_store(shards, path, multi_edges="collapse")


def features_of(entries, n, tiles, width, columns):
    """Return what the seconds of a step are made of."""
    return entries, n * tiles, n * width, n * width * columns


def steps_of(store):
    """Return the features and seconds of steps."""
    tiled, tiles = store.product.tiled(), len(store.manifest.panels) - 1
    found = []
    for width in WIDTHS:
        sizes = Sizes(width, D + max(60, 10 * width))
        search = Search(LocalEngine(Space(1 << 34)), tiled, Aim(D, "LM", 1e-12, 1, np.float32, width), sizes, 1)
        search.begin()
        for step in range(STEPS):
            began = time.perf_counter()
            search.step()
            if step:  # the first one compiles loops and reads files
                # The columns before a step are multiplied three times, and the block with itself.
                columns = search.size + width
                features = features_of(tiled.entries, tiled.n, tiles, width, columns)
                found.append((features, time.perf_counter() - began))
    return found


def rows_of_clusters(coefficients, overhead):
    """Return what the model says of fits on clusters of machines like this one."""
    rows, width = [], 12
    for edges in (10**9, 10**10):
        entries, n = 2 * edges, edges // 20
        for workers in (1, 4, 16, 64):
            # In a fit without a restart the basis grows to ROUNDS blocks.
            tiles = len(grid_of(n, np.full(-(-n // ROWS), entries * ROWS / n).astype(np.int64)).panels) - 1
            features = [features_of(entries, n, tiles, width, width * (r + 1)) for r in range(ROUNDS)]
            steps = sum(float(np.dot(coefficients, one)) for one in features)
            sent = ROUNDS * 4 * n * width * (1 - 1 / workers) / NETWORK
            basis = 4 * n * width * (ROUNDS + 2)
            rows.append(
                {
                    "edges": f"{edges:.0e}",
                    "vertices": f"{n:.0e}",
                    "workers": workers,
                    "steps, s": f"{steps / workers:.0f}",
                    "vectors sent, s": f"{sent:.0f}",
                    "rounds, s": f"{ROUNDS * overhead if workers > 1 else 0:.0f}",
                    "seconds": f"{steps / workers + sent + (ROUNDS * overhead if workers > 1 else 0):.0f}",
                    "tiles GB": f"{4 * entries / workers / 1e9:.1f}",
                    "basis GB": f"{basis / workers / 1e9:.1f}",
                    "block GB": f"{(2 if workers > 1 else 1) * 4 * n * width / 1e9:.1f}",
                }
            )
    return rows


def round_overhead(store):
    """Return the seconds that a round of two workers of this machine takes longer than one in threads."""
    import distributed

    def seconds(given):
        times = []
        for _ in range(4):
            began = time.perf_counter()
            lp.AdjacencySpectralEmbedding(D, tol=1e-4).fit(given)
            times.append(time.perf_counter() - began)
        return statistics.median(times[1:])

    from lpgraph.scale.dask_engine import DaskEngine

    rounds, image = [], DaskEngine.image
    DaskEngine.image = lambda engine, *given: (rounds.append(1), image(engine, *given))[1]
    LocalEngine.overhead, before = DaskEngine.overhead, LocalEngine.overhead
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        on_workers = seconds(store.using(client=client))
    in_threads = seconds(store)
    LocalEngine.overhead = before
    return max(0.0, on_workers - in_threads) / (len(rounds) / 4)


def main():
    """Measure, fit the model, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--edges", type=int, default=10**6, help="of the largest network")
    parser.add_argument("--folder", type=Path, required=True, help="where shards and stores are kept")
    given = parser.parse_args()
    os.environ.setdefault("LPGRAPH_NUM_THREADS", str(os.cpu_count()))
    sizes = [edges for edges in (10**6, 3 * 10**6, 10**7, 3 * 10**7, 10**8) if edges <= given.edges]
    measured = {}
    for edges in sizes:
        for degree in (10, 40) if edges < 10**8 else (40,):
            store = edge_store(given.folder, edges, degree)
            measured[edges, degree] = steps_of(store), store.n_vertices
            print(edges, degree, flush=True)
    known = [step for (edges, _), (steps, _) in measured.items() if edges <= FITTED for step in steps]
    features, seconds = (np.array(part) for part in zip(*known, strict=True))
    coefficients, _ = scipy.optimize.nnls(features / seconds[:, None], np.ones(len(seconds)))
    rows = []
    for (edges, _), (steps, n) in measured.items():
        ratios = [seconds / np.dot(coefficients, features) for features, seconds in steps]
        shown = f"{min(ratios):.2f} to {max(ratios):.2f}"
        rows.append(
            {
                "edges": f"{edges:.0e}",
                "vertices": f"{n:.1e}",
                "fitted": "yes" if edges <= FITTED else "",
                "seconds of a step": f"{min(s for _, s in steps):.3g} to {max(s for _, s in steps):.3g}",
                "measured / predicted": f"{statistics.median(ratios):.2f} ({shown})",
            }
        )
    overhead = round_overhead(edge_store(given.folder, 10**6, 40))
    names = (
        "an entry",
        "a row of a tile",
        "a number of the block",
        "a number times a column",
    )
    model = [{"nanoseconds for": name, "": f"{1e9 * c:.3g}"} for name, c in zip(names, coefficients, strict=True)]
    clusters = rows_of_clusters(coefficients, overhead)
    notes = "\n\n".join(
        [
            NOTES,
            "\n".join(table(model)),
            f"A round on two Dask workers of this machine took {overhead:.2f} s longer than one in threads (10^6 "
            "edges).",
            "## Predicted for clusters\n\nNot measured. Each worker is a machine like this one, with two cores; "
            f"{ROUNDS} rounds of twelve columns, mean degree 40, all in memory; {NETWORK / 1e9:g} GB a second to "
            "and from each worker. Memory is that of a worker: tiles are pages of files, the block is held twice "
            "for a moment. The client has the embedding, 160 bytes a vertex.",
            "\n".join(table(clusters)),
        ]
    )
    report("scale_model", "Time of a pass, and of clusters", rows, notes, folder="benchmarks", peers=("numba",))


if __name__ == "__main__":
    main()
