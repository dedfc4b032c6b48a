"""Trials in child processes, with limits of time and memory: a crash or a hang is a fault like any other.

A trial is a function of a seed. It makes its own input from the seed, so that a fault is repeated by its number.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import multiprocessing
import re
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import lpgraph as lp

#: A trial may take this many bytes more than 20 times its file; the first one of a process imports libraries.
SPARE = 256 << 20
#: Address space of a child. A trial that needs more fails, before the machine does.
_MOST = 12 << 30
#: Maximum duration of a trial, also on a busy machine.
_SECONDS = 60.0
#: Trials of a child process, and what it writes: the seeds that it began, the faults, and the trace of a crash.
_CHUNK, _FILES = 250, ("begun", "faults", "trace")


class Fault(NamedTuple):
    """What went wrong in the trial of a seed."""

    seed: int
    what: str


def hunt(trial: Callable[[int], int], seeds: Sequence[int]) -> list[Fault]:
    """Run a trial for every seed and return the faults.

    Parameters
    ----------
    trial : callable
        A function of a module. It catches the errors of `lpgraph.errors` and returns the size of its file in
        bytes. Every other exception is a fault, and so is every warning but `LpgraphWarning`.
    seeds : sequence of int
        The seeds. A crash ends the trials of its child process.
    """
    found: list[Fault] = []
    for first in range(0, len(seeds), _CHUNK):
        with tempfile.TemporaryDirectory() as folder:
            arguments = (trial, seeds[first : first + _CHUNK], folder)
            process = multiprocessing.get_context("spawn").Process(target=_work, args=arguments)
            process.start()
            process.join()
            begun, faults, trace = (Path(folder, name).read_text() for name in _FILES)
        found += [Fault(*json.loads(line)) for line in faults.splitlines()]
        if process.exitcode:
            what = f"the process ended with code {process.exitcode}:\n{trace[-2000:]}"
            found.append(Fault(int(begun.split()[-1]), what))
    return found


def _work(trial: Callable[[int], int], seeds: Sequence[int], folder: str) -> None:
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", lp.errors.LpgraphWarning)
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MOST, _MOST))
    with ExitStack() as stack:
        begun, faults, trace = (stack.enter_context(open(Path(folder, name), "w", buffering=1)) for name in _FILES)
        faulthandler.enable(trace)
        for seed in seeds:
            print(seed, file=begun)
            faulthandler.dump_traceback_later(_SECONDS, exit=True, file=trace)
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
    given = parser.parse_args()
    faults = hunt(trial, range(given.first, given.first + given.count))
    for fault in faults:
        print(f"seed {fault.seed}: {fault.what}")
    print(f"{given.count} trials, {len(faults)} faults")
    raise SystemExit(bool(faults))
