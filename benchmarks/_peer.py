"""Virtual environment of a library that cannot share lpgraph's, created once in a cache directory."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy import sparse

CACHE = Path.home() / ".cache" / "lpgraph-bench"


def python_with(package, cache, *more):
    """Return the Python of an environment with packages from the index, which is created if necessary."""
    home = Path(cache) / f"peer-{package}"
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not (home / "complete").exists():
        print(f"making an environment for {package} in {home}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", package, *more], check=True)
        (home / "complete").touch()
    return str(python)


def versions(python, *packages):
    """Return "package version, ..." of an environment."""
    code = "import sys; from importlib.metadata import version as v; print(*(f'{p} {v(p)}' for p in sys.argv[1:]))"
    done = subprocess.run([python, "-c", code, *packages], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def peer_result(python, method, matrix, limit, **arrays):
    """Run a method of _peer_worker.py on a graph; return its array and processor seconds, None after `limit` s."""
    with tempfile.TemporaryDirectory() as folder:
        graph, more, result = (Path(folder) / name for name in ("graph.npz", "arrays.npz", "result.npy"))
        sparse.save_npz(graph, sparse.csr_array(matrix))
        np.savez(more, **arrays)
        command = [python, Path(__file__).parent / "_peer_worker.py", method, graph, more, result]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return None
        return np.load(result), float(done.stdout.splitlines()[-1])
