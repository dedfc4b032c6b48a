"""Time and memory of loading a model of 10^6 vertices and ten dimensions, and of embedding one new vertex.

The same is measured for the command ``lpgraph extend model.lpg new.csv``, from its start to the written table.
``python benchmarks/saved_model.py`` writes ``docs/results/saved_model.md``. The two models are created in
the folder LPGRAPH_SCRATCH, unless they exist.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _timing import page, table

N, D, HUBS, LINKS, ROUNDS = 1_000_000, 10, 64, 10, 5
NEIGHBORS = (10, 100, 1000)
NEW = (1, 100, 1000)

CHILD = """
import json, re, sys, time
import lpgraph as lp
lp.load, lp.AdjacencySpectralEmbedding
import lpgraph.saved.trees  # all that loading needs is imported

def resident(kind):
    return int(re.search(kind + r":\\s+(\\d+)", open("/proc/self/status").read()).group(1)) / 1024

path, neighbors = sys.argv[1], json.loads(sys.argv[2])
before = resident("VmRSS")
began = time.perf_counter()
model = lp.load(path)
loaded = time.perf_counter()
model.transform({"new": neighbors})
ended = time.perf_counter()
print(json.dumps([loaded - began, ended - loaded, ended - began, resident("VmHWM") - before]))
"""

# The peak memory of a process includes that of its parent at its start, so it is started by a small process.
LAUNCHER = """
import json, resource, subprocess, sys, time
began = time.perf_counter()
subprocess.run(sys.argv[1:], check=True)
seconds = time.perf_counter() - began
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024]))
"""


def make(path: Path, names: list[str] | None) -> None:
    """Fit a network and save the model."""
    import numpy as np
    from scipy import sparse

    import lpgraph as lp

    # Every vertex is connected to some of a few hubs of different degrees: a decomposition that takes seconds.
    rng = np.random.default_rng(0)
    popularity = 0.95 ** np.arange(HUBS)
    hubs = rng.choice(HUBS, N * LINKS, p=popularity / popularity.sum())
    rows = np.repeat(np.arange(N), LINKS)
    links = sparse.coo_array((np.ones(N * LINKS), (rows, hubs)), shape=(N, N)).tocsr()
    adjacency = lp.as_adjacency(links + links.T, weight=None, names=names)
    lp.save(lp.AdjacencySpectralEmbedding(D, tol=0.05).fit(adjacency), path)


def handling(path: Path) -> str:
    """Return a sentence about size and saving of a model's file."""
    import lpgraph as lp

    model, again = lp.load(path), path.with_name("again.lpg")
    began = time.perf_counter()
    lp.save(model, again)
    saved = time.perf_counter() - began
    again.unlink()
    size = path.stat().st_size / 2**20
    return f"With {path.stem} as names the file has {size:.0f} MB; saving took {saved:.1f} s."


def command(path: Path, new_file: Path) -> list[float]:
    """Return medians over new processes of `lpgraph extend`: seconds, and MB of resident memory at its peak."""
    words = [sys.executable, "-m", "lpgraph", "extend", str(path), str(new_file), "-o", str(new_file) + ".out.csv"]
    rounds = []
    for _ in range(ROUNDS):
        launched = [sys.executable, "-c", LAUNCHER, *words]
        rounds.append(json.loads(subprocess.run(launched, capture_output=True, text=True, check=True).stdout))
    return [statistics.median(column) for column in zip(*rounds, strict=True)]


def measure(path: Path, neighbors: list[object]) -> list[float]:
    """Return medians over new processes: seconds of loading, of embedding, of both; MB of resident memory."""
    rounds = []
    for _ in range(ROUNDS):
        command = [sys.executable, "-c", CHILD, str(path), json.dumps(neighbors)]
        rounds.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    return [statistics.median(column) for column in zip(*rounds, strict=True)]


def main() -> None:
    """Create both models unless they exist, measure and write the page."""
    import numpy as np

    rng = np.random.default_rng(1)
    rows, commands, notes = [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(os.environ.get("LPGRAPH_SCRATCH", scratch))
        for kind in ("numbers", "texts"):
            names = None if kind == "numbers" else [f"account-{i}" for i in range(N)]
            path = folder / f"{kind}.lpg"
            if not path.exists():
                make(path, names)
            notes.append(handling(path))
            for count in NEIGHBORS:
                chosen = rng.choice(N, count, replace=False).tolist()
                known = chosen if names is None else [names[i] for i in chosen]
                load, embed, both, resident = measure(path, known)
                shown = (
                    f"{1e3 * load:.1f} ms",
                    f"{1e3 * embed:.1f} ms",
                    f"{1e3 * both:.1f} ms",
                    f"{resident:.1f} MB",
                )
                head = "load", "embed one vertex", "both", "resident"
                rows.append({"names": kind, "neighbors": count, **dict(zip(head, shown, strict=True))})
                print(rows[-1], flush=True)
            for count in NEW:
                new_file = Path(scratch) / "new.csv"
                edges = [(f"new{i}", j) for i in range(count) for j in rng.choice(N, 10, replace=False).tolist()]
                lines = [f"{new},{j if names is None else names[j]}\n" for new, j in edges]
                new_file.write_text("source,target\n" + "".join(lines))
                seconds, resident = command(path, new_file)
                commands.append(
                    {
                        "names": kind,
                        "new vertices": count,
                        "`lpgraph extend`": f"{seconds:.2f} s",
                        "resident, whole process": f"{resident:.0f} MB",
                    }
                )
                print(commands[-1], flush=True)
    what = (
        f"{N} vertices with {LINKS} edges each to {HUBS} hubs, d = {D}; the file contains the graph. Medians of "
        f"{ROUNDS} new processes, after the imports, with the file in the system's cache; resident is the peak "
        "memory of the process minus its memory before loading."
    )
    whole = (
        "The whole command, `lpgraph extend model.lpg new.csv -o positions.csv`, from the start of its "
        "process to the end, including imports, also that of scikit-learn. Every new vertex has ten neighbors:"
    )
    title = "A saved model of a million vertices"
    page(__file__, title, rows, "\n\n".join([what, " ".join(notes), whole, "\n".join(table(commands))]))


if __name__ == "__main__":
    main()
