"""Trials in child processes, with limits of time and memory: a crash or a hang is a fault like any other.

A trial is a function of a seed. It makes its own input from the seed, so that a fault is repeated by its number.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import multiprocessing
import os
import re
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import lpgraph as lp

#: A trial may take this many bytes more than 20 times its file; the first one of a process imports libraries.
SPARE = 256 << 20
#: Address space of a child. A trial that needs more fails, before the machine does.
_MOST = 12 << 30
#: Trials of a child process, which are then counted as done.
_CHUNK = 250


class Fault(NamedTuple):
    """What went wrong in the trial of a seed."""

    seed: int
    what: str


def hunt(
    trial: Callable[[int], int], seeds: Sequence[int], *, jobs: int = 1, seconds: float = 10.0
) -> list[Fault]:
    """Run a trial for every seed and return the faults.

    Parameters
    ----------
    trial : callable
        A function of a module. It catches the errors of `lpgraph.errors` and returns the size of its file in
        bytes. Every other exception is a fault, and so is every warning but `LpgraphWarning`.
    seeds : sequence of int
        The seeds.
    jobs : int
        Child processes at a time.
    seconds : float
        Maximum duration of a trial.
    """
    chunks = [seeds[i : i + _CHUNK] for i in range(0, len(seeds), _CHUNK)]
    with ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda chunk: _hunt(trial, chunk, seconds), chunks)
        return sorted(fault for faults in found for fault in faults)


def _hunt(trial: Callable[[int], int], seeds: Sequence[int], seconds: float) -> list[Fault]:
    """Run some trials in a child process, and those after a crash in another one."""
    faults: list[Fault] = []
    while seeds:
        with tempfile.TemporaryDirectory() as folder:
            arguments = (trial, seeds, seconds, folder)
            process = multiprocessing.get_context("spawn").Process(target=_work, args=arguments)
            process.start()
            process.join()
            lines = Path(folder, "begun").read_text().splitlines()
            faults += [Fault(*json.loads(line)) for line in Path(folder, "faults").read_text().splitlines()]
            if process.exitcode == 0:
                break
            trace = Path(folder, "trace").read_text()[-2000:]
            faults.append(Fault(int(lines[-1]), f"the process ended with code {process.exitcode}:\n{trace}"))
            seeds = seeds[len(lines) :]
    return faults


def _work(trial: Callable[[int], int], seeds: Sequence[int], seconds: float, folder: str) -> None:
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", lp.errors.LpgraphWarning)
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MOST, _MOST))
    with ExitStack() as stack:
        names = ("begun", "faults", "trace")
        begun, faults, trace = (stack.enter_context(open(Path(folder, name), "w", buffering=1)) for name in names)
        faulthandler.enable(trace)
        for seed in seeds:
            print(seed, file=begun)
            faulthandler.dump_traceback_later(seconds, exit=True, file=trace)
            what = _fault(trial, seed)
            faulthandler.cancel_dump_traceback_later()
            if what is not None:
                print(json.dumps([seed, what]), file=faults)
        faulthandler.disable()


def _fault(trial: Callable[[int], int], seed: int) -> str | None:
    before = _memory(reset=True)
    try:
        size = trial(seed)
    except BaseException:
        return traceback.format_exc(limit=-6)
    taken = _memory() - before
    if taken > 20 * size + SPARE:
        return f"it took {taken >> 20} MB for a file of {size} bytes"
    return None


def _memory(*, reset: bool = False) -> int:
    """Return the peak of memory in bytes, since the last reset; 0 where the system does not tell."""
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5")
        return int(re.findall(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[0]) << 10
    except (OSError, IndexError):
        return 0


def main(trial: Callable[[int], int], description: str) -> None:
    """Run trials from the command line; the exit code is 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--count", type=int, default=1000, help="number of trials")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="child processes at a time")
    given = parser.parse_args()
    faults = hunt(trial, range(given.first, given.first + given.count), jobs=given.jobs)
    for fault in faults:
        print(f"seed {fault.seed}: {fault.what}")
    print(f"{given.count} trials, {len(faults)} faults")
    raise SystemExit(bool(faults))
