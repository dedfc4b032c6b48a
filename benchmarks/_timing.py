"""Timing of cases in turn: medians, ratios, and the page in docs/results."""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent.parent / "examples"))
from _report import report, table

__all__ = ["Case", "in_fresh_processes", "page", "side_by_side", "table"]

if sys.argv[1:2] != ["--only"]:
    # A benchmark accepts no arguments, except those it passes to itself.
    argparse.ArgumentParser(description=sys.modules["__main__"].__doc__).parse_args()

#: The preparation, and the function that is timed.
Case = tuple[Callable[[], Any], Callable[[Any], object]]

Row = dict[str, Any]


def _row(case: str, method: str, seconds: list[float], first: list[float], decimals: str = ".3g") -> Row:
    median = statistics.median(seconds)
    return {
        "case": case,
        "method": method,
        "seconds": format(median, decimals),
        "least to most": f"{min(seconds):{decimals}} to {max(seconds):{decimals}}",
        "ratio": f"{median / statistics.median(first):.2f}",
    }


def side_by_side(case: str, rounds: int = 5, **methods: Callable[[], object]) -> list[Row]:
    """Time functions in turn, `rounds` times after one warm-up; ratios are relative to the median of the first."""
    seconds: dict[str, list[float]] = {name: [] for name in methods}
    for turn in range(rounds + 1):
        for name in list(methods)[:: 1 if turn % 2 else -1]:
            began = time.perf_counter()
            methods[name]()
            if turn:
                seconds[name].append(time.perf_counter() - began)
    first = next(iter(seconds.values()))
    return [_row(case, name, times, first) for name, times in seconds.items()]


def in_fresh_processes(script: str, cases: dict[str, dict[str, Case]], rounds: int = 5) -> list[Row]:
    """Run each method of each case in new processes, in turn; return times, ratios and peak memory.

    The script calls this at its top level: a new process runs the method in its arguments, prints and exits.
    """
    if len(sys.argv) == 4 and sys.argv[1] == "--only":
        prepare, work = cases[sys.argv[2]][sys.argv[3]]
        given = prepare()
        began = time.perf_counter()
        work(given)
        seconds = time.perf_counter() - began
        print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9]))
        sys.exit()
    rows = []
    for case, methods in cases.items():
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in methods}
        for turn in range(rounds):
            for name in list(methods)[:: 1 if turn % 2 else -1]:
                command = [sys.executable, script, "--only", case, name]
                out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                found[name].append(tuple(json.loads(out.splitlines()[-1])))
        first = [seconds for seconds, _ in next(iter(found.values()))]
        for name, runs in found.items():
            row = _row(case, name, [seconds for seconds, _ in runs], first)
            rows.append({**row, "peak GB": f"{statistics.median(peak for _, peak in runs):.2f}"})
            print(rows[-1], file=sys.stderr, flush=True)
    return rows


def page(script: str, title: str, rows: list[Row], notes: str, *peers: str) -> None:
    """Write the page of results; `peers` are packages whose versions are printed."""
    report(Path(script).stem, title, rows, notes, folder="benchmarks", peers=peers)
