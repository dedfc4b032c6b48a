"""Trials in child processes, with limits of time and memory: a crash or a hang is a fault like any other.

A trial is a function of a seed. It makes its own input from the seed, so that a fault is repeated by its number.
"""

from __future__ import annotations

import argparse
import faulthandler
import multiprocessing
import multiprocessing.connection
import os
import re
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

import lpgraph as lp

#: A trial may take this many bytes more than 20 times its file.
SPARE = 200 << 20
#: Address space of a child. A trial that needs more fails, before the machine does.
_MOST = 12 << 30
#: Trials of a child process, which are then counted as done.
_CHUNK = 250


class Fault(NamedTuple):
    """What went wrong in the trial of a seed."""

    seed: int
    what: str


def hunt(
    trial: Callable[[int], int], seeds: Sequence[int], *, jobs: int = 1, seconds: float = 10.0, show: bool = False
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
    show : bool
        Whether faults and progress are printed.
    """
    faults: list[Fault] = []
    waiting = deque(seeds[i : i + _CHUNK] for i in range(0, len(seeds), _CHUNK))
    running: list[_Child] = []
    done, shown = 0, time.monotonic()
    while waiting or running:
        while waiting and len(running) < jobs:
            running.append(_Child(trial, waiting.popleft(), seconds))
        multiprocessing.connection.wait([part for child in running for part in child.parts], timeout=1.0)
        for child in list(running):
            found, over, left = child.collect()
            faults += found
            for fault in found if show else ():
                print(f"seed {fault.seed}: {fault.what}", flush=True)
            if over:
                running.remove(child)
                done += len(child.seeds) - len(left)
                if left:
                    waiting.appendleft(left)
        if show and time.monotonic() - shown > 30:
            shown = time.monotonic()
            print(f"{done} of {len(seeds)} trials, {len(faults)} faults", flush=True)
    return sorted(faults)


class _Child:
    """A child process on its way through some seeds."""

    def __init__(self, trial: Callable[[int], int], seeds: Sequence[int], seconds: float) -> None:
        context = multiprocessing.get_context("spawn")
        self.seeds = seeds
        self._trace = tempfile.NamedTemporaryFile("w+", suffix=".txt")  # noqa: SIM115 - closed in `collect`
        self._place = context.Value("q", -1, lock=False)
        self._faults, theirs = context.Pipe(duplex=False)
        self._process = context.Process(
            target=_work, args=(trial, seeds, seconds, self._place, theirs, self._trace.name), daemon=True
        )
        self._process.start()
        theirs.close()

    @property
    def parts(self) -> tuple[object, ...]:
        """What becomes ready when there is something to collect."""
        return self._process.sentinel, self._faults

    def collect(self) -> tuple[list[Fault], bool, Sequence[int]]:
        """Return new faults, whether the process has ended, and the seeds it did not come to."""
        over = not self._process.is_alive()  # before the pipe is read, so that nothing is missed
        found = []
        try:
            while self._faults.poll():
                found.append(Fault(*self._faults.recv()))
        except EOFError:
            self._process.join()
            over = True
        if not over:
            return found, False, ()
        code, place = self._process.exitcode, int(self._place.value)
        where = self._trace.read()[-2000:]
        self._trace.close()
        if place == len(self.seeds):
            return found, True, ()
        place = max(place, 0)  # -1 if it ended before the first
        last = Fault(self.seeds[place], f"the process ended with code {code}:\n{where}")
        return [*found, last], True, self.seeds[place + 1 :]


def _work(
    trial: Callable[[int], int],
    seeds: Sequence[int],
    seconds: float,
    place: object,
    pipe: multiprocessing.connection.Connection,
    trace: str,
) -> None:
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", lp.errors.LpgraphWarning)
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MOST, _MOST))
    with open(trace, "w") as file:
        faulthandler.enable(file)
        for number, seed in enumerate(seeds):
            place.value = number  # type: ignore[attr-defined]
            faulthandler.dump_traceback_later(seconds, exit=True, file=file)
            what = _fault(trial, seed)
            faulthandler.cancel_dump_traceback_later()
            if what is not None:
                pipe.send((seed, what))
        place.value = len(seeds)  # type: ignore[attr-defined]
        faulthandler.disable()


def _fault(trial: Callable[[int], int], seed: int) -> str | None:
    before = _memory(reset=True)
    try:
        size = trial(seed)
    except lp.errors.LpgraphError:
        return f"the trial did not catch it: {traceback.format_exc(limit=-3)}"
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
            with open("/proc/self/clear_refs", "w") as file:
                file.write("5")
        with open("/proc/self/status") as file:
            return int(re.findall(r"VmHWM:\s+(\d+)", file.read())[0]) << 10
    except (OSError, IndexError):
        return 0


def main(trial: Callable[[int], int], description: str) -> None:
    """Run trials from the command line; the exit code is 1 if there was a fault."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--count", type=int, default=1000, help="number of trials")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="child processes at a time")
    parser.add_argument("--seconds", type=float, default=10.0, help="maximum duration of a trial")
    given = parser.parse_args()
    began = time.monotonic()
    seeds = range(given.first, given.first + given.count)
    faults = hunt(trial, seeds, jobs=given.jobs, seconds=given.seconds, show=True)
    kinds = Counter(fault.what.strip().splitlines()[-1][:100] for fault in faults)
    for kind, times in kinds.most_common():
        print(f"{times:6}  {kind}")
    print(f"{given.count} trials, {len(faults)} faults, {time.monotonic() - began:.0f} s")
    raise SystemExit(bool(faults))
