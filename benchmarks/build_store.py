"""Time and memory of `lpgraph.scale.build_store`, and builds that are killed twice.

``python benchmarks/build_store.py`` writes ``docs/results/build_store.md``. The shards and the stores are made in
the folder LPGRAPH_SCRATCH (about 20 GB for 10^8 edges); the shards are kept. LPGRAPH_EDGES is another number of
edges. LPGRAPH_AGAINST is the folder of another checkout, whose builder is measured beside.
"""

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _edge_shards import write_shards
from _timing import page

MEMORY, KILLS = "2GB", 2

CHILD = """
import json, os, resource, sys, threading, time
sys.path.insert(0, sys.argv[4])
from _memory import resident

most = [0.0]

def look():
    while True:
        most[0] = max(most[0], resident())
        time.sleep(0.02)

threading.Thread(target=look, daemon=True).start()
began = time.perf_counter()
import lpgraph as lp
store = lp.scale.build_store(sys.argv[1], sys.argv[2], memory=sys.argv[3])
seconds = time.perf_counter() - began
used = resource.getrusage(resource.RUSAGE_SELF)
size = sum(file.stat().st_size for file in os.scandir(sys.argv[2]))
print(json.dumps([seconds, used.ru_utime + used.ru_stime, most[0], resident("VmHWM"), size]))
"""


def command(edges: str, folder: Path) -> list[str]:
    return [sys.executable, "-c", CHILD, edges, str(folder), MEMORY, str(Path(__file__).parent)]


def build(edges: str, folder: Path, checkout: str | None = None) -> list[float]:
    """Build a store in a new process; return seconds, seconds of the processor, MB and bytes."""
    environment = os.environ | ({} if checkout is None else {"PYTHONPATH": checkout})
    done = subprocess.run(command(edges, folder), check=True, capture_output=True, text=True, env=environment)
    return json.loads(done.stdout)


def kill_and_go_on(edges: str, folder: Path, seconds: float) -> tuple[int, float]:
    """Kill a build at random moments, and finish it; return the number of kills and the time of all attempts."""
    draw = random.Random(0)
    killed, began = 0, time.perf_counter()
    for _ in range(KILLS):
        child = subprocess.Popen(command(edges, folder), stdout=subprocess.DEVNULL)
        try:
            child.wait(draw.uniform(0.1, 0.7) * seconds)
        except subprocess.TimeoutExpired:
            child.kill()
            killed += 1
            child.wait()
    build(edges, folder)
    return killed, time.perf_counter() - began


def digests(folder: Path) -> dict[str, str]:
    """Return the checksums of all files."""
    found = {}
    for path in sorted(folder.iterdir()):
        with open(path, "rb") as file:
            found[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


def main() -> None:
    scratch = Path(os.environ.get("LPGRAPH_SCRATCH") or tempfile.mkdtemp())
    edges = int(float(os.environ.get("LPGRAPH_EDGES", "1e8")))
    rows = []
    for names in ("integers", "texts"):
        shards = write_shards(scratch / f"{names}-{edges}", edges, texts=names == "texts")
        pattern, folder, again = str(shards / "*.parquet"), scratch / "whole.store", scratch / "killed.store"
        for one in (folder, again):
            shutil.rmtree(one, ignore_errors=True)
        seconds, busy, own, resident, size = build(pattern, folder)
        killed, late = kill_and_go_on(pattern, again, seconds)
        against = os.environ.get("LPGRAPH_AGAINST")
        other = None if against is None else build(pattern, scratch / "other.store", against)
        shutil.rmtree(scratch / "other.store", ignore_errors=True)
        rows.append(
            {
                "edges": f"{edges:.0e}",
                "vertices": f"{edges // 10:.0e}",
                "names": names,
                "seconds": f"{seconds:.0f}",
                "of the other checkout": "" if other is None else f"{other[0]:.0f}",
                "of the processors": f"{busy:.0f}",
                "own memory, MB": f"{own:.0f}",
                "resident, MB": f"{resident:.0f}",
                "store, GB": f"{size / 1e9:.2f}",
                "killed": killed,
                "seconds in all": f"{late:.0f}",
                "same bytes": "yes" if digests(folder) == digests(again) else "NO",
            }
        )
        for one in (folder, again):
            shutil.rmtree(one)
    page(
        __file__,
        "Building an edge store",
        rows,
        f'Parquet shards of five million edges; texts of 10 to 20 letters. `memory="{MEMORY}"`. Own memory is the '
        "largest anonymous memory of the process; resident memory (VmHWM) includes mapped pages of files. A "
        "second build was killed by SIGKILL at random moments and called again; its files are compared with those "
        "of the first, byte by byte.",
        "pyarrow",
        "numba",
    )


if __name__ == "__main__":
    main()
