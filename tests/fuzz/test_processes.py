"""Child processes with signals, kills, or threads that fit."""

from __future__ import annotations

import faulthandler
import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from contextlib import suppress

import numpy as np
import pytest
from sklearn.base import clone

import lpgraph as lp

if sys.platform == "win32":
    pytest.skip("needs POSIX signals", allow_module_level=True)

#: Seconds after which a child hangs.
SECONDS = 240
GRAPHS = [lp.erdos_renyi(3000, p, random_state=0) for p in (0.004, 0.006)]
ASE = lp.AdjacencySpectralEmbedding(2, tol=1e-3)
MODELS = [clone(ASE).fit(graph) for graph in GRAPHS]


def interrupt(kind, frame):
    """Raise as Python does where a signal arrives in lpgraph; elsewhere, it would interrupt this script itself."""
    while frame is not None and not frame.f_globals.get("__name__", "").startswith("lpgraph"):
        frame = frame.f_back
    if frame is not None:
        raise KeyboardInterrupt


def signals():
    """Send bursts of signals while an estimator is fitted again: results, threads and limits stay whole."""
    from threadpoolctl import threadpool_info

    signal.signal(signal.SIGINT, interrupt)
    rng = random.Random(1)
    states = [ASE.fit(graph).embedding_.tobytes() for graph in GRAPHS]
    began = time.perf_counter()
    ASE.fit(GRAPHS[0])
    seconds, n_threads = time.perf_counter() - began, threading.active_count()
    limits = [(entry["filepath"], entry["num_threads"]) for entry in threadpool_info()]
    for _ in range(4):
        delays = [rng.uniform(0, seconds), *(rng.uniform(0, 0.025) for _ in range(rng.randrange(3)))]

        def send(delays=delays):
            for delay in delays:
                time.sleep(delay)
                os.kill(os.getpid(), signal.SIGINT)

        sender = threading.Thread(target=send)
        sender.start()
        with suppress(KeyboardInterrupt):
            while sender.is_alive():
                ASE.fit(GRAPHS[rng.randrange(2)])
        sender.join()
        time.sleep(0.02)  # the system may deliver the last signal later
        assert ASE.embedding_.tobytes() in states, "the fit is a mixture"
        ASE.fit(GRAPHS[0])  # it lifts a limit that an interruption has left
        assert [(entry["filepath"], entry["num_threads"]) for entry in threadpool_info()] == limits
        assert threading.active_count() <= n_threads + 1, "threads are left"


def fitted():
    """Return the bytes of a fit with compiled loops, and of new vertices and points."""
    from lpgraph.linalg import basis, matvec

    matvec.WORTHWHILE = basis.WORTHWHILE = 1
    model = ASE.fit(GRAPHS[0])
    points = lp.manifold.Isomap(2).fit(np.random.default_rng(0).standard_normal((60, 3)))
    found = model.embedding_, model.transform(GRAPHS[1].adjacency[:50]), points.embedding_
    return [part.tobytes() for part in found]


def workers():
    """Fork children that fit after this process did, with its threads: equal results, and nothing waits."""
    expected = fitted()
    for _ in range(3):
        if os.fork() == 0:
            faulthandler.dump_traceback_later(SECONDS / 4, exit=True)  # not a thread, which may hang as well
            os._exit(fitted() != expected)
        assert os.wait()[1] == 0, "other results"


@pytest.mark.parametrize("kind", ["signals", "workers"])
def test_child_processes(kind):
    limits = {"LPGRAPH_NUM_THREADS": "3", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "2"}
    command = [sys.executable, "-W", "ignore", "-X", "faulthandler", __file__, kind]
    subprocess.run(command, check=True, timeout=SECONDS, env=os.environ | limits)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("graph.csv", lambda path, k: lp.write_graph(GRAPHS[k], path)),
        ("model.lpg", lambda path, k: lp.save(MODELS[k], path)),
    ],
)
@pytest.mark.filterwarnings("ignore")  # of vertices without edges, and of a fork while BLAS has idle threads
def test_killed_writers(tmp_path, name, write):
    """Kill a writer of two versions some times: the file is the old or the new one, complete."""
    rng, path = random.Random(0), tmp_path / name
    contents = []
    for k in (0, 0, 1):
        began = time.perf_counter()
        write(path, k)
        span = time.perf_counter() - began
        contents.append(path.read_bytes())
    assert contents[0] == contents[1] != contents[2]
    for _ in range(4):
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


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    {"signals": signals, "workers": workers}[sys.argv[1]]()
