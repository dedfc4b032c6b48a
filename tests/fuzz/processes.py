"""Fits in new processes and threads while other threads fit and compile: equal results, and nothing waits forever.

Each host process has threads that fit and compile all the time, and starts workers that fit, by one method:
fork, spawn, forkserver, loky or threads. The long run is, in the folder of the tests,

    python -m fuzz.processes --tries 200
"""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import multiprocessing
import os
import random
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np

import lpgraph as lp

METHODS = ("fork", "spawn", "forkserver", "loky", "threads")

#: Workers that a host process starts, and seconds after which one hangs.
_TRIES, _SECONDS = 20, 240


def fitted(seed: int) -> str:
    """Return a digest of a fit with compiled loops, and of new vertices, points and a sample."""
    from lpgraph.linalg import basis, matvec

    matvec.WORTHWHILE = basis.WORTHWHILE = 1
    graph = lp.stochastic_block_model([700, 700], [[0.05, 0.01], [0.01, 0.05]], random_state=seed)
    model = lp.AdjacencySpectralEmbedding(3).fit(graph.adjacency)
    placed = model.transform(graph.adjacency[:50])
    points = lp.manifold.Isomap(2).fit(np.random.default_rng(seed).standard_normal((60, 3)))
    found = hashlib.sha256()
    for array in model.embedding_, placed, points.embedding_, graph.adjacency.indices:
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def compile_again() -> None:
    """Compile a loop for types that are new, so that numba's lock is held."""
    from lpgraph._compiled import compiled

    name = f"loop{random.randrange(10**9)}"
    scope: dict[str, Callable[..., None]] = {}
    exec(f"def {name}(array):\n    for i in range(len(array)):\n        array[i] += {random.random()}", scope)
    compiled(scope[name])(np.zeros(9))


def forked(seeds: list[int]) -> list[str]:
    """Fit in children of a bare fork, one after the other."""
    found = []
    for seed in seeds:
        time.sleep(random.uniform(0, 0.3))
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            faulthandler.dump_traceback_later(_SECONDS / 4, exit=True)  # not a thread, which may hang as well
            try:
                os.write(write, fitted(seed).encode())
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            found.append(pipe.read())
        os.waitpid(child, 0)
    return found


def in_workers(method: str, seeds: list[int]) -> list[str]:
    """Return the digests of the seeds, found by workers of a kind."""
    if method == "fork":
        return forked(seeds)
    if method == "threads":
        with ThreadPoolExecutor(8) as threads:
            return list(threads.map(fitted, seeds))
    if method == "loky":
        from joblib import Parallel, delayed

        return list(Parallel(n_jobs=4, backend="loky")(delayed(fitted)(seed) for seed in seeds))
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(4, mp_context=context) as processes:
        return list(processes.map(fitted, seeds))


def host(method: str, seed: int, tries: int) -> None:
    """Start workers while threads of this process fit and compile."""
    random.seed(seed)
    stop = threading.Event()

    def busy() -> None:
        while not stop.is_set():
            compile_again()
            fitted(99)

    seeds = [i % 3 for i in range(tries)]
    others = [threading.Thread(target=busy) for _ in range(2)]
    expected = [fitted(i) for i in range(3)]  # it imports all: a fork while a thread imports hangs in any program
    for other in others:
        other.start()
    try:
        found = in_workers(method, seeds)
    finally:
        stop.set()
    for other in others:
        other.join()
    wrong = [i for i, one in enumerate(found) if one != expected[seeds[i]]]
    if wrong:
        raise SystemExit(f"tries {wrong} of {tries} hung or gave other results: {[found[i] for i in wrong]}")


def run(method: str, seed: int, tries: int) -> str:
    """Run a host process, and return what went wrong."""
    tests = str(Path(__file__).parent.parent)
    paths = os.pathsep.join([tests, *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-W", "ignore", "-m", "fuzz.processes", "--host", method]
    threads = {"LPGRAPH_NUM_THREADS": "3", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            [*command, "--seed", str(seed), "--tries", str(tries)],
            capture_output=True,
            text=True,
            timeout=_SECONDS + 30 * tries,
            env=os.environ | threads | {"PYTHONPATH": paths},
        )
    except subprocess.TimeoutExpired as error:
        return f"it hung: {error.stderr!r:.2000}"
    return f"exit code {done.returncode}: {done.stderr[-3000:]}" if done.returncode else ""


def main() -> None:
    """Run all methods, and exit with 1 if something went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=200, help="workers in total")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--host", choices=METHODS, help="the method of a host process")
    given = parser.parse_args()
    if given.host:
        warnings.simplefilter("ignore")
        host(given.host, given.seed, given.tries)
        return
    faults = 0
    for number, start in enumerate(range(0, given.tries, _TRIES)):
        method, tries = METHODS[number % len(METHODS)], min(_TRIES, given.tries - start)
        began = time.monotonic()
        fault = run(method, given.seed + number, tries)
        faults += bool(fault)
        print(f"{method}, {tries} workers, {time.monotonic() - began:.0f} s: {fault or 'equal'}", flush=True)
    print(f"{given.tries} workers, {faults} faults")
    raise SystemExit(bool(faults))


if __name__ == "__main__":
    main()
