"""Embedding of graphs: lpgraph, graspologic and scipy's eigsh, each run in a new process, in turn.

``python benchmarks/embed.py`` runs all cases and writes docs/results/embed.md with its chart, and embed_hard.md;
``--only CASE`` runs one case and keeps the results of the others that are in the cache directory. The other
libraries have a separate environment, created once in the cache directory (graspologic needs numpy < 2; PRIMME is
compiled by pip where it has no wheel, with a C compiler and BLAS: on Debian, libopenblas-dev).
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
from _embed_graphs import graph_file
from _embed_report import write
from _peer import CACHE, python_with, versions

HERE = Path(__file__).parent
RESIDUAL = 1e-5
SIZES = (1000, 10_000, 100_000, 1_000_000)

#: name: (graph, d, programs)
CASES = {
    "million": ("dcsbm-1000000", 10, ("lpgraph", "graspologic", "eigsh")),
    "weak": ("weak-1000000", 10, ("lpgraph", "graspologic", "eigsh")),
    "hard": ("weak-1000000", 10, ("lpgraph", "eigsh-LM", "primme")),
    "dblp": ("dblp-2010", 50, ("lpgraph", "graspologic", "eigsh")),
    "d2": ("dcsbm-100000", 2, ("lpgraph", "graspologic", "eigsh")),
    "d10": ("dcsbm-100000", 10, ("lpgraph", "graspologic", "eigsh")),
    "d100": ("dcsbm-100000", 100, ("lpgraph", "lpgraph-LA", "graspologic", "eigsh")),
    "components": ("components-1000", 20, ("lpgraph-laplacian", "eigsh-laplacian")),
}
CASES |= {f"n{n}": (f"dcsbm-{n}", 10, ("lpgraph",)) for n in SIZES}

#: Tolerance of cases in which all programs have the same one, the default of lpgraph.
SAME = {"components": 1e-6, "hard": 1e-6}


def once(python, program, graph, d, tol, *also, limit=1800):
    """Run a program in a new process; return its report, or its error."""
    command = [python, str(HERE / "_embed_worker.py"), program, str(graph), str(d), str(tol), *also]
    done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def loosest(python, program, graph, d):
    """Return the largest tolerance at which the measured residual of eigsh is below the target."""
    for tol in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
        if once(python, program, graph, d, tol).get("residual", 1) <= RESIDUAL:
            return tol
    return 0.0


def case(name, cache, peers, rounds):
    """Run the programs of a case in turn; return medians and spreads."""
    graph, d, programs = CASES[name]
    path = graph_file(graph, cache)
    if path is None:
        return None
    pythons = {p: peers.get(p, sys.executable) for p in programs}
    tols = dict.fromkeys(programs, SAME.get(name, RESIDUAL))
    if name not in SAME and "eigsh" in programs:
        tols["eigsh"] = loosest(pythons["eigsh"], "eigsh", path, d)
    runs = {p: [] for p in programs}
    for turn in range(rounds):
        for p in programs if turn % 2 else programs[::-1]:
            also = ["again"] if p.startswith("lpgraph") else []
            runs[p].append(once(pythons[p], p, path, d, tols[p], *also))
            shown = {k: v for k, v in runs[p][-1].items() if k != "values"}
            print(name, turn, p, json.dumps(shown), flush=True)
    result = {"graph": graph, "d": d, "load": os.getloadavg()[0], "programs": {}}
    with np.load(path) as arrays:
        result |= {"n": len(arrays["indptr"]) - 1, "edges": len(arrays["indices"]) // 2}
    for p, found in runs.items():
        failed = [r["failed"] for r in found if "failed" in r]
        entry = {"tol": tols[p], "runs": len(found)}
        if failed:
            entry["failed"] = failed[0]
        else:
            for key in ("import", "first", "again", "peak", "before"):
                values = [r.get(key, r["first"]) for r in found]
                entry[key] = [statistics.median(values), min(values), max(values)]
            entry |= {key: max(r[key] for r in found) for key in ("residual", "gram")}
            entry["values"] = found[0]["values"]
        result["programs"][p] = entry
    if "lpgraph" in programs:
        result["traffic"] = once(sys.executable, "lpgraph", path, d, tols["lpgraph"], "traffic")
    return result


def copy_speed():
    """Return the bytes per second that all cores together read and write when copying 400 MB."""
    source = np.ones(50_000_000)
    target = np.empty_like(source)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    edges = np.linspace(0, len(source), cores + 1).astype(int)
    parts = [slice(a, b) for a, b in pairwise(edges)]
    times = []
    with ThreadPoolExecutor(cores) as pool:
        for _ in range(10):
            began = time.perf_counter()
            list(pool.map(lambda part: np.copyto(target[part], source[part]), parts))
            times.append(time.perf_counter() - began)
    return 2 * source.nbytes / min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", default=CACHE, type=Path)
    parser.add_argument("--rounds", default=5, type=int)
    parser.add_argument("--only", choices=CASES, action="append")
    parser.add_argument("--output", default=HERE.parent / "docs" / "results", type=Path)
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    peers = {"graspologic": python_with("graspologic", options.cache)}
    peers["primme"] = python_with("primme", options.cache, "scipy")
    store = options.cache / "embed.json"
    known = json.loads(store.read_text()) if store.exists() else {}
    for name in options.only or CASES:
        found = case(name, options.cache, peers, options.rounds)
        if found is None:
            print(f"{name}: no data; set LPGRAPH_DATA", flush=True)
            continue
        known[name] = found | {"copy speed": copy_speed()}
        store.write_text(json.dumps(known))
    known["machine"] = {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "lpgraph's environment": versions(sys.executable, "lpgraph", "numpy", "scipy", "numba"),
        "graspologic's environment": versions(peers["graspologic"], "graspologic", "numpy", "scipy"),
        "primme's environment": versions(peers["primme"], "primme", "numpy", "scipy"),
    }
    write(known, options.output)


if __name__ == "__main__":
    main()
