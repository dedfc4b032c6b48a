"""Writers that are killed: the file is the old or the new one, complete.

The long run is, in the folder of the tests,

    python -m fuzz.kills --kills 200
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import networkx as nx

import lpgraph as lp
from lpgraph.cli.run import run as command

Writer = Callable[[Path, int], object]


def writers(folder: Path) -> dict[str, Writer]:
    """Return the writers by the names of their files; each writes one of two versions."""
    graphs = [lp.largest_component(lp.erdos_renyi(3000, 0.003, random_state=k)) for k in range(2)]
    models = [lp.AdjacencySpectralEmbedding(8 + k, tol=0.05).fit(graph) for k, graph in enumerate(graphs)]
    small = [nx.karate_club_graph(), nx.les_miserables_graph()]
    inputs = [str(folder / f"input{k}.csv") for k in range(2)]
    for graph, path in zip(graphs, inputs, strict=True):
        lp.write_graph(graph, path)
    return {
        "model.lpg": lambda path, k: lp.save(models[k], path),
        "graph.csv": lambda path, k: lp.write_graph(graphs[k], path),
        "graph.npz": lambda path, k: lp.write_graph(graphs[k], path),
        "page.html": lambda path, k: lp.report(small[k], path, n_clusters=2),
        "table.csv": lambda path, k: command(["embed", inputs[k], "-d", "1", "-o", str(path)]),
        "scree.png": lambda path, k: command(["plot", "scree", inputs[k], "-o", str(path)]),
    }


def kills(name: str, write: Writer, folder: Path, count: int, rng: random.Random) -> tuple[set[int], int]:
    """Kill a writer some times; return the versions that were found, and the number of drafts that were left."""
    path, contents, drafts = folder / name, [], 0
    for k in range(2):
        write(path, k)
        began = time.perf_counter()
        write(path, k)
        span = time.perf_counter() - began
        contents.append(path.read_bytes())
    assert contents[0] != contents[1]
    found = set()
    for _ in range(count):
        child = os.fork()
        if child == 0:
            while True:
                write(path, 0)
                write(path, 1)
        time.sleep(rng.uniform(0, 3 * span))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        content = path.read_bytes()
        assert content in contents, f"{name} is neither the old file nor the new one: {len(content)} bytes"
        found.add(contents.index(content))
        for draft in folder.glob(".lpgraph-*"):
            drafts += 1
            draft.unlink()
    assert sorted(folder.glob(".*")) == [], "other files are left"
    return found, drafts


def main() -> None:
    """Kill all writers, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200, help="kills of all writers together")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # of a fork while BLAS has idle threads
    rng = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        all_writers = writers(Path(folder))
        each = -(-given.kills // len(all_writers))
        for name, write in all_writers.items():
            found, drafts = kills(name, write, Path(folder), each, rng)
            print(f"{name}: {each} kills, versions {sorted(found)}, {drafts} drafts left", flush=True)


if __name__ == "__main__":
    main()
