"""Child processes with signals, kills, little memory, or threads that fit."""

from __future__ import annotations

import faulthandler
import hashlib
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType

import numpy as np

import lpgraph as lp

#: Seconds after which a child hangs.
_SECONDS = 240


def run(*arguments: object) -> str:
    """Run a child process and return its last line, or what went wrong."""
    command = [sys.executable, "-W", "ignore", "-X", "faulthandler", "-m", "fuzz.processes", *map(str, arguments)]
    paths = os.pathsep.join([str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH", "")])
    limits = {"LPGRAPH_NUM_THREADS": "3", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "2"}
    settings = os.environ | limits | {"PYTHONPATH": paths}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, env=settings)
    except subprocess.TimeoutExpired:
        return "it hung"
    ended = done.stdout.strip().rpartition("\n")[2]
    return f"exit code {done.returncode}: {done.stderr[-3000:]}" if done.returncode else ended


def digest(array: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def interrupt(kind: int, frame: FrameType | None) -> None:
    """Raise as Python does where a signal arrives in lpgraph; elsewhere, it would interrupt this script itself."""
    while frame is not None and not frame.f_globals.get("__name__", "").startswith("lpgraph"):
        frame = frame.f_back
    if frame is not None:
        raise KeyboardInterrupt


def signals(operation: str, seed: int, folder: Path, bursts: int = 4) -> str:
    """Send bursts of signals while an operation is repeated: results, files, threads and limits stay whole."""
    from threadpoolctl import threadpool_info

    signal.signal(signal.SIGINT, interrupt)
    rng = random.Random(seed)
    graphs = [lp.erdos_renyi(3000, p, random_state=0).adjacency for p in (0.004, 0.006)]
    models = [lp.AdjacencySpectralEmbedding(2 + k, tol=1e-3).fit(graphs[0]) for k in range(2)]
    model = lp.AdjacencySpectralEmbedding(2, tol=1e-3)
    path, states, files = folder / "model.lpg", [digest(model.fit(graph).embedding_) for graph in graphs], []
    for known in models:
        lp.save(known, path)
        files.append(path.read_bytes())

    def operate() -> object:
        k = rng.randrange(2)
        return model.fit(graphs[k]) if operation == "fit" else lp.save(models[k], path)

    began = time.perf_counter()
    operate()
    seconds, n_threads = time.perf_counter() - began, threading.active_count()
    limits = [(entry["filepath"], entry["num_threads"]) for entry in threadpool_info()]
    for _ in range(bursts):
        delays = [rng.uniform(0, seconds), *(rng.uniform(0, 0.025) for _ in range(rng.randrange(3)))]

        def send(delays: list[float] = delays) -> None:
            for delay in delays:
                time.sleep(delay)
                os.kill(os.getpid(), signal.SIGINT)

        sender = threading.Thread(target=send)
        sender.start()
        with suppress(KeyboardInterrupt):
            while sender.is_alive():
                operate()
        sender.join()
        time.sleep(0.02)  # the system may deliver the last signal later
        assert digest(model.embedding_) in states, "the fit is a mixture"
        assert path.read_bytes() in files, "the file is a mixture"
        assert not list(folder.glob(".*")), "drafts are left"
        operate()  # it lifts a limit that an interruption has left
        assert [(entry["filepath"], entry["num_threads"]) for entry in threadpool_info()] == limits
        assert threading.active_count() <= n_threads + 1, "threads are left"
    return "done"


def kills(write: Callable[[Path, int], object], path: Path, count: int, rng: random.Random) -> None:
    """Kill a writer of two versions some times: the file is the old or the new one, complete."""
    contents = []
    for k in (0, 0, 1):
        began = time.perf_counter()
        write(path, k)
        span = time.perf_counter() - began
        contents.append(path.read_bytes())
    assert contents[0] == contents[1] != contents[2]
    for _ in range(count):
        child = os.fork()
        if child == 0:
            while True:
                write(path, 0)
                write(path, 1)
        time.sleep(rng.uniform(0, 3 * span))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        assert path.read_bytes() in contents, f"{path.name} is neither the old file nor the new one"
        for draft in path.parent.glob(".lpgraph-*"):
            draft.unlink()
    assert sorted(path.parent.glob(".*")) == [], "other files are left"


def memory(_: str, number: int, folder: Path) -> str:
    """Limit the address space of children, and embed new vertices: MemoryError, an error of lpgraph or success."""
    import resource

    for size in (1280, 100_000):
        graph = lp.erdos_renyi(size, 10 / size, random_state=0)
        lp.save(lp.AdjacencySpectralEmbedding(2, tol=1e-3).fit(graph.adjacency), folder / f"{size}.lpg")
    del graph

    def transform(n: int) -> None:
        model = lp.load(folder / f"{n}.lpg")
        model.transform(model.graph_.adjacency)

    transform(1280)  # it imports what it needs; numba is for the large files only
    taken = int(re.findall(r"VmSize:\s+(\d+)", Path("/proc/self/status").read_text())[0]) << 10
    for spare in (3, 60):
        child = os.fork()
        if child == 0:
            resource.setrlimit(resource.RLIMIT_AS, (taken + (spare << 20), resource.RLIM_INFINITY))
            with suppress(MemoryError, lp.errors.LpgraphError):
                transform(100_000)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return "done"


def fitted(seed: int) -> str:
    """Return a digest of a fit with compiled loops, and of new vertices and points."""
    from lpgraph.linalg import basis, matvec

    matvec.WORTHWHILE = basis.WORTHWHILE = 1
    graph = lp.stochastic_block_model([700, 700], [[0.05, 0.01], [0.01, 0.05]], random_state=seed)
    model = lp.AdjacencySpectralEmbedding(3).fit(graph.adjacency)
    points = lp.manifold.Isomap(2).fit(np.random.default_rng(seed).standard_normal((60, 3)))
    return digest(model.embedding_) + digest(model.transform(graph.adjacency[:50])) + digest(points.embedding_)


def workers(_: str, tries: int, folder: Path) -> str:
    """Fork children that fit after this process did, with its threads: equal results, and nothing waits."""
    expected = fitted(0)
    for k in range(tries):
        if os.fork() == 0:
            faulthandler.dump_traceback_later(_SECONDS / 4, exit=True)  # not a thread, which may hang as well
            try:
                (folder / str(k)).write_text(fitted(0))
            finally:
                os._exit(0)
        os.wait()
    assert [(folder / str(k)).read_text() for k in range(tries)] == [expected] * tries, "other results"
    return "done"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    kind, what, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with tempfile.TemporaryDirectory() as place:
        print({"signals": signals, "memory": memory, "workers": workers}[kind](what, number, Path(place)))
