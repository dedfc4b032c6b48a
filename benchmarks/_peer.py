"""Virtual environment of a library that cannot share lpgraph's, created once in a cache directory."""

import subprocess
import sys
from pathlib import Path


def python_with(package, cache):
    """Return the Python of an environment with a package from the index, which is created if necessary."""
    home = Path(cache) / f"peer-{package}"
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not (home / "complete").exists():
        print(f"making an environment for {package} in {home}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", package], check=True)
        (home / "complete").touch()
    return str(python)


def versions(python, *packages):
    """Return "package version, ..." of an environment."""
    code = "import sys; from importlib.metadata import version as v; print(*(f'{p} {v(p)}' for p in sys.argv[1:]))"
    done = subprocess.run([python, "-c", code, *packages], capture_output=True, text=True, check=True)
    return done.stdout.strip()
