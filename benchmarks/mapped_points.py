"""Points in a mapped file: time and memory of the neighbors of lpgraph and scikit-learn.

``python benchmarks/mapped_points.py`` writes ``docs/results/mapped_points.md``. Each run is a new process, which
first does the same with a few points, so that imports and compilation are not counted.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from _memory import Watch
from _timing import page

N, P, K, ROUNDS = 16_000, 4608, 10, 1
DTYPES = ("float32", "uint8")


def points(dtype):
    """Return points of a curved sheet of four dimensions with some noise, as images of a changing scene are."""
    rng = np.random.default_rng(0)
    frame, waves = rng.normal(size=(2, 4, P))
    result = np.empty((N, P), dtype=dtype)
    for part in np.split(np.arange(N), 20):
        plane = rng.uniform(-1, 1, size=(len(part), 4))
        values = plane @ frame + np.sin(2 * plane @ waves) + 0.1 * rng.normal(size=(len(part), P))
        result[part] = values if dtype == "float32" else np.clip(128 + 25 * values, 0, 255)
    return result


def lpgraph_neighbors(X):
    """Return the graph of lpgraph."""
    import lpgraph as lp

    return lp.neighbor_graph(X, n_neighbors=K)


def sklearn_neighbors(X):
    """Return the graph of scikit-learn."""
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=K, n_jobs=-1).fit(X).kneighbors_graph(mode="distance")


METHODS = {
    "neighbors": {"lpgraph": lpgraph_neighbors, "scikit-learn": sklearn_neighbors},
}

if sys.argv[1:2] == ["--only"]:
    work = METHODS[sys.argv[2]][sys.argv[3]]
    X = np.load(sys.argv[4], mmap_mode="r")
    work(X[:5000])
    with Watch() as watch:
        began, before = time.perf_counter(), time.process_time()
        work(X)
        seconds, processor = time.perf_counter() - began, time.process_time() - before
    print(json.dumps([seconds, processor, watch.grown]))
    sys.exit()


def measured(what, method, path):
    """Return seconds, processor seconds and MB of a run in a new process."""
    command = [sys.executable, __file__, "--only", what, method, str(path)]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(out.splitlines()[-1])


def main():
    """Measure and write the page."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for dtype in DTYPES:
            path = Path(folder) / f"{dtype}.npy"
            np.save(path, points(dtype))
            for what, methods in METHODS.items():
                runs = {method: [] for method in methods}
                for turn in range(ROUNDS):
                    for method in list(methods)[:: 1 if turn % 2 else -1]:
                        runs[method].append(measured(what, method, path))
                medians = {
                    name: [statistics.median(column) for column in zip(*found, strict=True)]
                    for name, found in runs.items()
                }
                for name, (seconds, processor, grown) in medians.items():
                    first = medians["lpgraph"]
                    rows.append(
                        {
                            "file": f"{dtype}, {path.stat().st_size / 2**20:.0f} MB",
                            "task": what,
                            "method": name,
                            "seconds": f"{seconds:.3g}",
                            "ratio of seconds": f"{seconds / first[0]:.2f}",
                            "processor seconds": f"{processor:.3g}",
                            "peak memory, MB": f"{grown:.0f}",
                            "ratio of memory": f"{grown / first[2]:.2f}",
                        }
                    )
                    print(rows[-1], flush=True)
    notes = (
        f"{N} points with {P} coordinates in a .npy file opened with `mmap_mode='r'`; as doubles they take "
        f"{N * P * 8 / 2**20:.0f} MB. {K} neighbors. {ROUNDS} new process for each row, on a machine with other "
        "work, so that times are rough. Memory is the largest anonymous memory (RssAnon, every 5 ms) minus "
        "that after a first run with 5000 points; pages of the file do not count. The results of lpgraph equal "
        "those for the same points as doubles, to the last bit (`tests/points/test_input.py`)."
    )
    page(__file__, "Points in a mapped file", rows, notes)


if __name__ == "__main__":
    main()
