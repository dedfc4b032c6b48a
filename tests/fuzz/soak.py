"""New vertices are placed for a long time against a saved model that is replaced again and again.

``PYTHONPATH=tests python -m fuzz.soak --seconds 3600`` prints a line a minute and exits with 1 after a fault:
an error, a result that is not that of the model in memory, or memory or open files that grow.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import re
import statistics
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import lpgraph as lp
import lpgraph.saved
from lpgraph.saved.placer import load_placer

#: New vertices, the same for every version of the model.
_POOL = 200
#: Memory may be larger in the last third than in the second by this share, and by this many bytes.
_GROWTH, _SPARE = 0.05, 16 << 20


class Sample(NamedTuple):
    """State of a placing process at a time."""

    process: int
    at: float
    placed: int
    memory: int
    files: int


def soak(
    seconds: float, *, every: float = 60.0, processes: int = 4, n: int = 4000, d: int = 40, show: bool = False
) -> tuple[list[Sample], list[str]]:
    """Return samples of all placing processes, and the faults.

    Parameters
    ----------
    seconds : float
        Duration.
    every : float
        The model is fitted to another graph and saved this often.
    processes : int
        Number of placing processes. Every second one reads the model as if it were large.
    n, d : int
        Vertices and dimensions. With the defaults the basis takes more than a megabyte, so that its rows are read
        one by one.
    show : bool
        Whether to print a line a minute.
    """
    context = multiprocessing.get_context("spawn")
    reports = context.Queue()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        _replace(folder, 0, n, d)
        work = [context.Process(target=_fitting, args=(reports, folder, seconds, every, n, d))]
        work += [context.Process(target=_placing, args=(reports, folder, seconds, k)) for k in range(processes)]
        for process in work:
            process.start()
        samples, faults = _collect(reports, work, show=show)
    faults += [f"a process ended with code {process.exitcode}" for process in work if process.exitcode]
    return samples, faults + _growth(samples)


def _collect(reports: Any, work: list[Any], *, show: bool) -> tuple[list[Sample], list[str]]:
    samples: list[Sample] = []
    faults: list[str] = []
    shown = time.monotonic()
    while any(process.is_alive() for process in work) or not reports.empty():
        try:
            report = reports.get(timeout=0.5)
        except OSError:
            break
        except Exception:  # nothing to report: queue.Empty
            continue
        if isinstance(report, str):
            faults.append(report)
            print(report, flush=True) if show else None
        else:
            samples.append(Sample(*report))
        if show and time.monotonic() - shown > 60:
            shown = time.monotonic()
            last = {sample.process: sample for sample in samples}
            placed = sum(sample.placed for sample in last.values())
            memory = ", ".join(f"{sample.memory >> 20} MB" for _, sample in sorted(last.items()))
            print(f"{placed} vertices placed, {len(faults)} faults, memory {memory}", flush=True)
    for process in work:
        process.join()
    return samples, faults


def _fitting(reports: Any, folder: Path, seconds: float, every: float, n: int, d: int) -> None:
    version, end = 0, time.time() + seconds
    with _reported(reports):
        while time.time() + every < end:
            time.sleep(every)
            version += 1
            _replace(folder, version, n, d)


def _replace(folder: Path, version: int, n: int, d: int) -> None:
    """Fit the model of a version, write what it answers, and replace the saved model."""
    rates = 0.02 + 0.1 * np.eye(4)
    graph = lp.stochastic_block_model([n // 4] * 4, rates, random_state=version)
    graph = lp.as_adjacency(graph.adjacency, names=[f"v{i}" for i in range(n)])
    labels = np.where(np.arange(n) % 2, np.arange(n) // (n // 4), -1)
    # The version is the seed of the model, so that a loaded model tells which one it is.
    embedding = lp.AdjacencySpectralEmbedding(d, tol=0.1, random_state=version)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lp.errors.LpgraphWarning)
        model = lp.VertexClassifier(embedding, select_features=False, random_state=version).fit(graph, labels)
        new = _new_vertices(n)
        answers = model.transform(new), model.predict(new)
    np.savez(folder / f"{version}.npz", positions=answers[0], labels=answers[1])
    lp.save(model, folder / "model.lpg")


def _new_vertices(n: int) -> dict[str, list[str]]:
    rng = np.random.default_rng(0)
    return {f"new{k}": [f"v{i}" for i in rng.choice(n, 20, replace=False)] for k in range(_POOL)}


def _placing(reports: Any, folder: Path, seconds: float, number: int) -> None:
    end = time.time() + seconds  # of its own, after the imports
    with _reported(reports):
        if number % 2:
            lpgraph.saved._SMALL = 0
        path, rng = folder / "model.lpg", np.random.default_rng(number)
        placed, sampled = 0, 0.0
        while time.time() < end:
            model = lp.load(path)
            seen = _state_of(path)
            with np.load(folder / f"{model.random_state}.npz") as answers:
                positions, labels = answers["positions"], answers["labels"]
            new = _new_vertices(model.n_features_in_)
            names = list(new)
            # A model stays in use until it is replaced, and some vertices longer.
            left = int(rng.integers(5, 50))
            while left and time.time() < end:
                left -= _state_of(path) != seen
                chosen = rng.choice(_POOL, int(rng.integers(1, 20)), replace=False)
                chosen_new = {names[k]: new[names[k]] for k in chosen}
                if not np.array_equal(model.transform(chosen_new), positions[chosen]):
                    reports.put(f"process {number}: other positions than those of version {model.random_state}")
                if not np.array_equal(model.predict(chosen_new), labels[chosen]):
                    reports.put(f"process {number}: other labels than those of version {model.random_state}")
                placed += len(chosen)
                if time.time() - sampled > min(1.0, (end - time.time()) / 10):
                    sampled = time.time()
                    _place_once(path, chosen_new)
                    reports.put((number, sampled, placed, _memory(), _open_files()))


def _place_once(path: Path, chosen_new: dict[str, list[str]]) -> None:
    """Place vertices as the command line does."""
    placer = load_placer(path)
    assert placer is not None
    names, positions = placer(chosen_new)
    assert len(names) == len(positions) == len(chosen_new)
    assert np.isfinite(positions).all()


@contextlib.contextmanager
def _reported(reports: Any) -> Any:
    warnings.simplefilter("error")
    try:
        yield
    except BaseException:
        reports.put(traceback.format_exc())


def _state_of(path: Path) -> tuple[int, int]:
    state = path.stat()
    return state.st_ino, state.st_mtime_ns


def _memory() -> int:
    """Return the resident memory of this process in bytes; 0 where the system does not tell."""
    try:
        return int(re.findall(r"VmRSS:\s+(\d+)", Path("/proc/self/status").read_text())[0]) << 10
    except (OSError, IndexError):
        return 0


def _open_files() -> int:
    try:
        return len(os.listdir("/proc/self/fd"))
    except OSError:
        return 0


def _thirds(samples: list[Sample], process: int) -> list[list[Sample]]:
    own = sorted((sample for sample in samples if sample.process == process), key=lambda sample: sample.at)
    return [own[len(own) * k // 3 : len(own) * (k + 1) // 3] for k in range(3)]


def _growth(samples: list[Sample]) -> list[str]:
    """Return what grew from the second third to the last; in the first, memory is still filled."""
    faults = []
    for process in sorted({sample.process for sample in samples}):
        _, second, last = _thirds(samples, process)
        if not second or not last:
            continue
        before, after = (statistics.median(sample.memory for sample in part) for part in (second, last))
        if after > (1 + _GROWTH) * before + _SPARE:
            faults.append(f"process {process}: memory grew from {before / 2**20:.0f} to {after / 2**20:.0f} MB")
        before, after = (max(sample.files for sample in part) for part in (second, last))
        if after > before + 3:
            faults.append(f"process {process}: open files grew from {before} to {after}")
    return faults


def main() -> None:
    """Run from the command line; the exit code is 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=3600.0, help="duration")
    parser.add_argument("--every", type=float, default=60.0, help="seconds between two models")
    parser.add_argument("--processes", type=int, default=4, help="placing processes")
    parser.add_argument("--n", type=int, default=4000, help="vertices of the model")
    parser.add_argument("--d", type=int, default=40, help="dimensions of the model")
    given = parser.parse_args()
    samples, faults = soak(
        given.seconds, every=given.every, processes=given.processes, n=given.n, d=given.d, show=True
    )
    for process in sorted({sample.process for sample in samples}):
        parts = [part for part in _thirds(samples, process) if part]
        memory = [f"{statistics.median(s.memory for s in part) / 2**20:.1f}" for part in parts]
        files = [str(max(s.files for s in part)) for part in parts]
        placed = max(sample.placed for sample in samples if sample.process == process)
        print(f"process {process}: {placed} vertices; MB in thirds {memory}; open files in thirds {files}")
    for fault in faults:
        print(fault)
    print(f"{len(faults)} faults in {given.seconds:.0f} s")
    raise SystemExit(bool(faults))


if __name__ == "__main__":
    main()
