"""Limits of the address space: MemoryError, an error of lpgraph or success, but no crash and no hang.

Each trial is a process that sets its limit after the imports and then runs one operation. The long run is, in the
folder of the tests,

    python -m fuzz.memory_limits --limits 20
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

import lpgraph as lp
from lpgraph.cli.run import run as command

OPERATIONS = ("fit", "transform", "sample", "save", "load", "points", "command")

#: Limits are up to this much above what the process has taken, in MB; seconds after which a trial hangs.
_MOST, _SECONDS = 400, 120
#: Vertices of the models.
_SMALL, _LARGE = 1280, 100_000
#: Ways of a process to end: by itself, or by an error that is one line of the command line.
GOOD = ("done", "MemoryError", "lpgraph error", "exit code 1", "exit code 2")


def operate(name: str, folder: Path, size: int) -> str:
    """Run an operation on the files of a folder, whose model has some vertices, and return how it ended."""
    graph = lp.load(folder / "model.lpg").graph_ if name in ("fit", "transform", "save") else None
    if name == "fit":
        lp.AdjacencySpectralEmbedding(6).fit(graph)
    elif name == "transform":
        lp.load(folder / "model.lpg").transform(graph.adjacency)
    elif name == "sample":
        lp.erdos_renyi(4 * size, 8 / size / 4, random_state=0)
    elif name == "save":
        lp.save(lp.load(folder / "model.lpg"), folder / "again.lpg")
    elif name == "load":
        lp.load(folder / "model.lpg", verify=True).transform(np.zeros((1, size)))
    elif name == "points":
        lp.manifold.Isomap(2).fit(np.random.default_rng(0).standard_normal((size // 64, 3)))
    else:
        code = command(["embed", str(folder / "graph.csv"), "-d", "2", "-o", str(folder / "table.csv")])
        return f"exit code {code}" if code else "done"
    return "done"


def trial(name: str, folder: Path, spare: int) -> str:
    """Set the limit in this process, run the operation, and return how it ended."""
    operate(name, folder / "small", _SMALL)  # it imports what it needs; numba is for the large files only
    with open("/proc/self/status") as file:
        taken = int(re.findall(r"VmSize:\s+(\d+)", file.read())[0]) << 10
    resource.setrlimit(resource.RLIMIT_AS, (taken + (spare << 20), resource.RLIM_INFINITY))
    try:
        return operate(name, folder / "large", _LARGE)
    except MemoryError:
        return "MemoryError"
    except lp.errors.LpgraphError:
        return "lpgraph error"
    except Exception as error:
        traceback.print_exc()
        return f"raw {type(error).__name__}"


def run(name: str, folder: Path, spare: int) -> tuple[str, str]:
    """Run a trial in a process; return how it ended, and its messages."""
    tests = str(Path(__file__).parent.parent)
    paths = os.pathsep.join([tests, *filter(None, [os.environ.get("PYTHONPATH")])])
    arguments = ["--trial", name, "--folder", str(folder), "--spare", str(spare)]
    try:
        done = subprocess.run(
            [sys.executable, "-X", "faulthandler", "-m", "fuzz.memory_limits", *arguments],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            env=os.environ | {"PYTHONPATH": paths},
        )
    except subprocess.TimeoutExpired:
        return "hang", ""
    ended = done.stdout.strip().rpartition("\n")[2]
    return (ended if not done.returncode else f"ended with {done.returncode}"), done.stderr


def prepare(folder: Path, size: int) -> None:
    """Write the files of the operations."""
    folder.mkdir()
    probabilities = 10 / size * np.array([[2.0, 0.5], [0.5, 2.0]])
    graph = lp.stochastic_block_model([size // 2, size // 2], probabilities, random_state=0)
    lp.save(lp.AdjacencySpectralEmbedding(2, tol=1e-3).fit(graph.adjacency), folder / "model.lpg")
    lp.write_graph(lp.erdos_renyi(size // 5, 100 / size, random_state=0), folder / "graph.csv")


def main() -> None:
    """Run all operations at all limits, and exit with 1 if a process crashed, hung or raised a raw error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limits", type=int, default=20)
    parser.add_argument("--trial", choices=OPERATIONS, help="the operation of a trial process")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--spare", type=int)
    given = parser.parse_args()
    if given.trial:
        warnings.simplefilter("ignore")
        print(trial(given.trial, given.folder, given.spare))
        return
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder) / "small", _SMALL)
        prepare(Path(folder) / "large", _LARGE)
        for name in OPERATIONS:
            endings = Counter[str]()
            for spare in np.geomspace(2, _MOST, given.limits).astype(int).tolist():
                ended, told = run(name, Path(folder), spare)
                endings[ended] += 1
                if ended not in GOOD:
                    faults += 1
                    print(f"{name} with {spare} MB: {ended}\n{told[-1500:]}", flush=True)
            print(f"{name}: {dict(endings)}", flush=True)
    print(f"{len(OPERATIONS) * given.limits} trials, {faults} faults")
    raise SystemExit(bool(faults))


if __name__ == "__main__":
    main()
