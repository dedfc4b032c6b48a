"""Load a model of 10^6 vertices and 32 dimensions in a fresh process and embed one new vertex: time and memory.

``python benchmarks/saved_model.py`` writes ``docs/results/saved_model.md``.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _timing import page

N, D, HUBS, LINKS, ROUNDS = 1_000_000, 32, 64, 10, 11
NEIGHBOURS = (10, 100, 1000)

CHILD = """
import json, re, sys, time
import lpgraph as lp
lp.load, lp.AdjacencySpectralEmbedding
import lpgraph.saved.decode  # all that loading needs is imported

def resident(kind):
    return int(re.search(kind + r":\\s+(\\d+)", open("/proc/self/status").read()).group(1)) / 1024

path, neighbours = sys.argv[1], json.loads(sys.argv[2])
before = resident("VmRSS")
began = time.perf_counter()
model = lp.load(path)
loaded = time.perf_counter()
model.transform({"new": neighbours})
ended = time.perf_counter()
print(json.dumps([loaded - began, ended - loaded, ended - began, resident("VmHWM") - before]))
"""


def make(path: Path, names: list[str] | None) -> float:
    """Fit a network and save the model; return the seconds that saving took."""
    import numpy as np
    from scipy import sparse

    import lpgraph as lp

    # Everyone is joined to some of a few hubs, popular to different degrees: a decomposition that takes seconds.
    rng = np.random.default_rng(0)
    popularity = 0.95 ** np.arange(HUBS)
    hubs = rng.choice(HUBS, N * LINKS, p=popularity / popularity.sum())
    rows = np.repeat(np.arange(N), LINKS)
    links = sparse.coo_array((np.ones(N * LINKS), (rows, hubs)), shape=(N, N)).tocsr()
    adjacency = lp.as_adjacency(links + links.T, weight=None, names=names)
    model = lp.AdjacencySpectralEmbedding(D, tol=0.05).fit(adjacency)
    began = time.perf_counter()
    lp.save(model, path)
    return time.perf_counter() - began


def measure(path: Path, neighbours: list[object]) -> list[float]:
    """Return medians over fresh processes: seconds of loading, of embedding, of both; MB of resident memory."""
    rounds = []
    for _ in range(ROUNDS):
        command = [sys.executable, "-c", CHILD, str(path), json.dumps(neighbours)]
        rounds.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    return [statistics.median(column) for column in zip(*rounds, strict=True)]


def main() -> None:
    """Make both models, measure and write the page."""
    import numpy as np

    import lpgraph as lp

    rng = np.random.default_rng(1)
    rows, notes = [], []
    with tempfile.TemporaryDirectory(dir=os.environ.get("LPGRAPH_SCRATCH")) as folder:
        path = Path(folder) / "model.lpg"
        for kind in ("numbers", "texts"):
            names = None if kind == "numbers" else [f"account-{i}" for i in range(N)]
            seconds = make(path, names)
            size = path.stat().st_size / 2**20
            began = time.perf_counter()
            lp.load(path, verify=True)
            verified = time.perf_counter() - began
            notes.append(
                f"With {kind} as names the file has {size:.0f} MB; saving took {seconds:.1f} s, "
                f"`load(path, verify=True)` {verified:.2f} s."
            )
            for count in NEIGHBOURS:
                chosen = rng.choice(N, count, replace=False).tolist()
                load, embed, both, resident = measure(
                    path, chosen if names is None else [names[i] for i in chosen]
                )
                rows.append(
                    {
                        "names": kind,
                        "neighbours": count,
                        "load": f"{1e3 * load:.1f} ms",
                        "embed one vertex": f"{1e3 * embed:.1f} ms",
                        "both": f"{1e3 * both:.1f} ms",
                        "resident": f"{resident:.1f} MB",
                    }
                )
                print(rows[-1], flush=True)
    what = (
        f"{N} vertices with {LINKS} edges each to {HUBS} hubs, d = {D}; the graph is in the file too. Medians of "
        f"{ROUNDS} fresh processes, after the imports, the file in the system's cache; resident is the process's "
        "peak less what it had before loading."
    )
    page(__file__, "A saved model of a million vertices", rows, "\n\n".join([what, " ".join(notes)]))


if __name__ == "__main__":
    main()
