"""Six manifold methods on a million points: time, how much of it for neighbors, peak memory, residuals.

``python benchmarks/million_points.py`` takes half an hour and writes ``docs/results/million_points.md``. Each run
is a new process. Two clouds: a Swiss roll in three dimensions with exact neighbors, and a curved sheet of eight
dimensions in fifty coordinates with approximate ones.
"""

import json
import resource
import subprocess
import sys
import time

import numpy as np
from _timing import page

import lpgraph as lp

N, K = 1_000_000, 10


def swiss_roll():
    """Return points of a Swiss roll, and their places along it."""
    rng = np.random.default_rng(0)
    angle = 1.5 * np.pi * (1 + 2 * rng.uniform(size=N))
    return np.column_stack([angle * np.cos(angle), 21 * rng.uniform(size=N), angle * np.sin(angle)]), angle


def sheet():
    """Return points of a curved sheet of eight dimensions, one of them longer, and their places along that one."""
    rng = np.random.default_rng(0)
    plane = rng.uniform(-1, 1, size=(N, 8)) * [3, *[1] * 7]
    return np.sin(plane @ rng.normal(size=(8, 50)) / 2).astype(np.float32), plane[:, 0]


CLOUDS = {"roll": (swiss_roll, "exact"), "sheet": (sheet, "approximate")}

#: Methods that factorise a matrix: in eight dimensions the factors of so many points fit into no memory.
ON_SURFACES = ("LocallyLinearEmbedding", "SemidefiniteEmbedding, 30 landmarks")

METHODS = {
    "LaplacianEigenmaps": lambda by: lp.manifold.LaplacianEigenmaps(2, neighbors=by, components="largest"),
    "DiffusionMap": lambda by: lp.manifold.DiffusionMap(2, neighbors=by, components="largest"),
    "SpectralClustering": lambda by: lp.manifold.SpectralClustering(
        10, affinity="gaussian", neighbors=by, n_init=1, random_state=0
    ),
    "Isomap, 100 landmarks": lambda by: lp.manifold.Isomap(
        2, landmarks=100, neighbors=by, components="largest", random_state=0
    ),
    "LocallyLinearEmbedding": lambda by: lp.manifold.LocallyLinearEmbedding(
        2, n_neighbors=K, neighbors=by, components="largest"
    ),
    "SemidefiniteEmbedding, 30 landmarks": lambda by: lp.manifold.SemidefiniteEmbedding(
        2, n_neighbors=6, landmarks=30, neighbors=by, random_state=0
    ),
}


def run(cloud, method):
    """Fit one method and print what is reported."""
    prepare, by = CLOUDS[cloud]
    points, place = prepare()
    began = time.perf_counter()
    lp.neighbor_graph(points, n_neighbors=K, neighbors=by)
    neighbors = time.perf_counter() - began
    model = METHODS[method](by)
    began = time.perf_counter()
    model.fit(points)
    seconds = time.perf_counter() - began
    row = {
        "points": cloud,
        "method": method,
        "seconds": f"{seconds:.0f}",
        "neighbors alone": f"{neighbors:.0f}",
        "peak GB": f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9:.2f}",
    }
    if hasattr(model, "embedding_"):
        kept = getattr(model, "kept_", slice(None))
        ranks = [np.argsort(np.argsort(values)) for values in (model.embedding_[:, 0], place[kept])]
        row["residual"] = f"{model.residuals_.max():.0e}"
        row["recall"] = f"{model.recall_:.3f}"
        row["embedded"] = f"{len(model.embedding_):,}"
        # The rows of a clustering are of unit length, and have no order along the roll.
        order = "" if hasattr(model, "labels_") else f"{abs(np.corrcoef(*ranks)[0, 1]):.4f}"
        row["rank correlation"] = order
    print(json.dumps(row))


NOTES = f"""{N:,} points, {K} neighbors, one run each, in a new process. The roll's neighbors are exact, the
sheet's approximate. "Neighbors alone" is `neighbor_graph` in the same process before. The rank correlation is
that of the first coordinate with the place along the roll, or along the longest side of the sheet. The residual
is the largest measured one, relative as `tol` of each method. Locally linear and semidefinite embedding
factorise a matrix, which takes too much memory in eight dimensions: fit some points, and transform the others."""

if __name__ == "__main__":
    if sys.argv[1:2] == ["--only"]:
        run(*sys.argv[2:])
        sys.exit()
    rows = []
    for cloud in CLOUDS:
        for method in METHODS:
            if cloud == "sheet" and method in ON_SURFACES:
                continue
            command = [sys.executable, __file__, "--only", cloud, method]
            done = subprocess.run(command, capture_output=True, text=True)
            last = (done.stdout if done.returncode == 0 else done.stderr).splitlines()[-1]
            rows.append(
                json.loads(last) if done.returncode == 0 else {"points": cloud, "method": method, "seconds": last}
            )
            print(rows[-1], file=sys.stderr, flush=True)
    page(__file__, "Six methods on a million points", rows, NOTES)
