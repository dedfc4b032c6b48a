"""Bursts of signals while lpgraph computes or writes: nothing crashes, earlier results and files stay whole.

Each child process repeats one operation, and a thread of it sends the process up to five signals within 50 ms.
After each burst it checks the earlier result, the files, the threads and the limits of BLAS. The long run is

    python -m fuzz.signals --bursts 500 --vertices 1000000 (in tests)
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread, active_count
from types import FrameType

#: Bursts of a child process, and seconds after which a child hangs.
_BURSTS, _SECONDS = 25, 900


class TerminatedError(Exception):
    """Raised by the handler of SIGTERM: a handler may raise any error."""


class Scenario:
    """Objects of the operations, and their state before and after."""

    def __init__(self, n: int, folder: Path) -> None:
        import numpy as np
        from scipy import sparse

        import lpgraph as lp

        self.lp, self.n, self.folder = lp, n, folder
        self.graphs = [
            lp.stochastic_block_model(
                [n // 2, n - n // 2], 12 / n * np.array([[2.0, a], [a, 2.0]]), random_state=0
            )
            for a in (0.5, 0.25)
        ]
        matrices = [graph.adjacency for graph in self.graphs]
        self.model = lp.AdjacencySpectralEmbedding(2, tol=1e-3)
        self.states = {self.state(self.model.fit(matrix)): k for k, matrix in enumerate(matrices)}
        self.matrices, self.rows = matrices, matrices[1][: n // 2]
        self.placed = self.digest(self.model.transform(self.rows))
        self.points = np.random.default_rng(0).standard_normal((min(n // 50, 2000), 3))
        self.isomap = lp.manifold.Isomap(2, n_neighbors=8)
        self.isomap_state = self.state(self.isomap.fit(self.points))
        self.ring = sparse.csr_array(
            sparse.diags_array([2.001, -1.0, -1.0], offsets=[0, 1, -1], shape=(n // 10, n // 10))
        )
        self.known = np.arange(0, n // 10, 10)
        self.other = lp.AdjacencySpectralEmbedding(3, tol=1e-3).fit(matrices[0])
        self.files: dict[str, set[str]] = {}

    def state(self, model: object) -> str:
        """Return a digest of all fitted arrays and numbers."""
        plain = {key: value.tolist() if hasattr(value, "tolist") else value for key, value in vars(model).items()}
        kept = {key: value for key, value in plain.items() if isinstance(value, list | int | float | str)}
        return hashlib.sha256(repr(sorted(kept.items())).encode()).hexdigest()

    def digest(self, array: object) -> str:
        """Return a digest of an array."""
        return hashlib.sha256(memoryview(array).cast("B")).hexdigest()  # type: ignore[arg-type]

    def fit(self) -> None:
        self.model.fit(self.matrices[1 - self.states[self.state(self.model)]])

    def refit(self) -> None:
        self.isomap.fit(self.points)

    def transform(self) -> None:
        self.model.transform(self.rows)

    def sample(self) -> None:
        self.lp.erdos_renyi(self.n, 20 / self.n, random_state=1)

    def extend(self) -> None:
        self.lp.extend_bottom(self.ring, self.known, self.known[:, None] / self.n)

    def compile(self) -> None:
        """Compile the loops of a matrix product again, without a cache."""
        import numba
        import numpy as np

        from lpgraph.linalg import matvec, pair_loop

        numba.config.CACHE_DIR = tempfile.mkdtemp(dir=self.folder)
        for module in matvec, pair_loop:
            for loop in vars(module).values():
                if type(loop).__name__ == "compiled":
                    loop._loop = None
        block = np.ones((self.n, 2))
        product = matvec.Product.of(self.matrices[0], least=1) @ block
        assert np.allclose(product, self.matrices[0] @ block), "the product differs"

    def save(self) -> None:
        self.write("model.lpg", lambda path, k: self.lp.save([self.model, self.other][k], path))

    def write_graph(self) -> None:
        small = [self.lp.from_edges([0, 1, k], [1, 2, 3], vertices=20_000) for k in range(2)]
        self.write("graph.csv", lambda path, k: self.lp.write_graph(small[k], path))

    def write(self, name: str, write: Callable[[Path, int], None]) -> None:
        """Write a file that `check` knows in both versions."""
        path = self.folder / name
        if name not in self.files:
            self.files[name] = set()
            for k in range(2):
                write(path, k)
                self.files[name].add(hashlib.sha256(path.read_bytes()).hexdigest())
        write(path, random.randrange(2))

    def check(self) -> None:
        """Raise if a result or a file is neither the earlier nor the new one."""
        assert self.state(self.model) in self.states, "the fit is a mixture"
        assert self.state(self.isomap) == self.isomap_state, "the fit of the points is a mixture"
        if self.states[self.state(self.model)] == 1:
            assert self.digest(self.model.transform(self.rows)) == self.placed, "transform differs"
        for name, known in self.files.items():
            assert len(known) < 2 or hashlib.sha256((self.folder / name).read_bytes()).hexdigest() in known, name
        drafts = [path.name for path in self.folder.glob(".*")]
        assert not drafts, f"drafts are left: {drafts}"


OPERATIONS = ("fit", "refit", "transform", "sample", "extend", "compile", "save", "write_graph")


def burst(operation: Callable[[], None], seconds: float, kind: signal.Signals, rng: random.Random) -> str:
    """Repeat an operation until a burst of signals arrives, within some seconds; return how it ended."""
    delays = [rng.uniform(0, seconds), *(rng.uniform(0, 0.025) for _ in range(rng.randrange(3)))]

    def send() -> None:
        for delay in delays:
            time.sleep(delay)
            os.kill(os.getpid(), kind)

    sender = Thread(target=send)
    ended = "interrupted"
    sender.start()
    with suppress(KeyboardInterrupt, TerminatedError):
        while sender.is_alive():
            operation()
        ended = "finished"
    sender.join()
    time.sleep(0.02)  # the system may deliver the last signal later
    return ended


def interrupt(kind: int, frame: FrameType | None) -> None:
    """Raise as Python does where a signal arrives in lpgraph; elsewhere, it would interrupt this script itself."""
    while frame is not None and not frame.f_globals.get("__name__", "").startswith("lpgraph"):
        frame = frame.f_back
    if frame is not None:
        raise KeyboardInterrupt if kind == signal.SIGINT else TerminatedError


def child(name: str, seed: int, bursts: int, n: int) -> None:
    """Run bursts in this process, and print how often each ending was met."""
    from threadpoolctl import threadpool_info

    signal.signal(signal.SIGTERM, interrupt)
    signal.signal(signal.SIGINT, interrupt)
    rng, endings = random.Random(seed), Counter[str]()
    random.seed(seed)
    with tempfile.TemporaryDirectory() as folder:
        scenario = Scenario(n, Path(folder))
        operation = getattr(scenario, name)
        operation()
        began = time.perf_counter()
        operation()
        seconds = time.perf_counter() - began
        limits = [(entry["filepath"], entry["num_threads"]) for entry in threadpool_info()]
        threads = active_count()
        for _ in range(bursts):
            kind = signal.SIGTERM if rng.random() < 0.2 else signal.SIGINT
            endings[burst(operation, seconds, kind, rng)] += 1
            scenario.check()
            now = [(entry["filepath"], entry["num_threads"]) for entry in threadpool_info()]
            assert now == limits, f"the limits of BLAS are {now}, and were {limits}"
            assert active_count() <= threads + 1, "threads are left"
    print(json.dumps(endings))


def run(operation: str, seed: int, bursts: int, n: int) -> tuple[Counter[str], str]:
    """Run bursts in a child process; return the endings, and what went wrong."""
    tests = str(Path(__file__).parent.parent)
    threads = {"LPGRAPH_NUM_THREADS": str(1 + seed % 8), "OPENBLAS_NUM_THREADS": "2"}
    paths = os.pathsep.join([tests, *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-W", "ignore", "-X", "faulthandler", "-m", "fuzz.signals", "--child", operation]
    numbers = ["--seed", str(seed), "--bursts", str(bursts), "--vertices", str(n)]
    try:
        done = subprocess.run(
            command + numbers,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            env=os.environ | threads | {"PYTHONPATH": paths},
        )
    except subprocess.TimeoutExpired:
        return Counter(), f"it hung for {_SECONDS} s"
    if done.returncode:
        return Counter(), f"exit code {done.returncode}: {done.stderr[:4000]}"
    return Counter(json.loads(done.stdout)), ""


def main() -> None:
    """Run bursts over all operations, and exit with 1 if something went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bursts", type=int, default=500)
    parser.add_argument("--vertices", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--child", choices=OPERATIONS, help="the operation of a child process")
    given = parser.parse_args()
    if given.child:
        child(given.child, given.seed, given.bursts, given.vertices)
        return
    total, faults, seed = Counter[str](), 0, given.seed
    for start in range(0, given.bursts, _BURSTS):
        name = OPERATIONS[seed % len(OPERATIONS)]
        endings, fault = run(name, seed, min(_BURSTS, given.bursts - start), given.vertices)
        total += endings
        faults += bool(fault)
        print(f"seed {seed}, {name}, {1 + seed % 8} threads: {fault or dict(endings)}", flush=True)
        seed += 1
    print(f"{dict(total)}, {faults} faults")
    raise SystemExit(bool(faults))


if __name__ == "__main__":
    main()
