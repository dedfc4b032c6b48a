"""Loading of a saved model of points and placement of one point: time, bytes read and memory.

``python benchmarks/saved_points.py`` writes ``docs/results/saved_points.md``. The models are created in the folder
LPGRAPH_SCRATCH, unless they exist.
"""

import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from _memory import read_bytes, resident
from _timing import page

ROUNDS = 3


def sheet(n, p):
    """Return points of a curved sheet of four dimensions."""
    rng = np.random.default_rng(0)
    plane = rng.uniform(-1, 1, size=(n, 4))
    return (plane @ rng.normal(size=(4, p)) + np.sin(2 * plane @ rng.normal(size=(4, p)))).astype(np.float32)


def eigenmaps(neighbors):
    """Return the model whose neighbors are searched in a way."""
    import lpgraph as lp

    return lp.manifold.LaplacianEigenmaps(2, neighbors=neighbors, tol=1e-2)


def isomap(neighbors):
    """Return Isomap with 200 landmarks."""
    import lpgraph as lp

    return lp.manifold.Isomap(2, n_neighbors=10, landmarks=200, neighbors=neighbors)


CASES = {
    "eigenmaps, 100000 x 3": (eigenmaps, 100_000, 3, "exact"),
    "eigenmaps, 100000 x 20": (eigenmaps, 100_000, 20, "approximate"),
    "eigenmaps, 300000 x 50": (eigenmaps, 300_000, 50, "approximate"),
    "Isomap, 200 landmarks, 100000 x 20": (isomap, 100_000, 20, "approximate"),
}

if sys.argv[1:2] == ["--only"]:
    import lpgraph as lp
    import lpgraph.saved

    lp.manifold.LaplacianEigenmaps().fit(np.random.default_rng(0).normal(size=(50, 3))).transform(np.ones((1, 3)))
    if sys.argv[2] == "everything":
        lpgraph.saved._SMALL = 1 << 60
    point = np.load(sys.argv[4])
    before, read = resident(), read_bytes()
    began = time.perf_counter()
    model = lp.load(sys.argv[3])
    loaded = time.perf_counter()
    position = model.transform(point)
    ended = time.perf_counter()
    digest = hashlib.sha256(position.tobytes()).hexdigest()
    print(json.dumps([loaded - began, ended - loaded, read_bytes() - read, resident() - before, digest]))
    sys.exit()


def measured(how, path, point):
    """Return medians over new processes, and the digest of the position."""
    runs = []
    for _ in range(ROUNDS):
        command = [sys.executable, __file__, "--only", how, str(path), str(point)]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        runs.append(json.loads(out.splitlines()[-1]))
    *columns, digests = zip(*runs, strict=True)
    assert len(set(digests)) == 1
    return [statistics.median(column) for column in columns], digests[0]


def main():
    """Create the models unless they exist, measure and write the page."""
    import lpgraph as lp

    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(os.environ.get("LPGRAPH_SCRATCH", scratch))
        for case, (method, n, p, neighbors) in CASES.items():
            path, new = folder / f"{case}.lpg", Path(scratch) / "new.npy"
            X = sheet(n + 1, p)
            if not path.exists():
                lp.save(method(neighbors).fit(X[:-1]), path)
            np.save(new, X[-1:])
            digests = set()
            for how, name in (("parts", "what is needed"), ("everything", "everything")):
                (load, place, read, grown), digest = measured(how, path, new)
                digests.add(digest)
                rows.append(
                    {
                        "model": f"{case}, {neighbors}",
                        "file, MB": f"{path.stat().st_size / 2**20:.0f}",
                        "read": name,
                        "load, ms": f"{1e3 * load:.3g}",
                        "one point, ms": f"{1e3 * place:.3g}",
                        "bytes read, MB": f"{read / 2**20:.1f}",
                        "memory, MB": f"{grown:.1f}",
                    }
                )
                print(rows[-1], flush=True)
            assert len(digests) == 1
    notes = (
        "Points of type float32 on a curved sheet of four dimensions (of three coordinates: the whole space); the "
        f"neighbors of points are searched exactly or approximately. Medians of {ROUNDS} new processes, after the "
        "imports, with the file in the system's cache. Memory is the growth of anonymous memory (RssAnon). Both "
        "ways of reading give the same position, to the last bit."
    )
    page(__file__, "A saved model of points", rows, notes)


if __name__ == "__main__":
    main()
