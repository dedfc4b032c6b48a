"""lpgraph imported from a zip archive, and without its sources."""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lpgraph

USE = """
import pathlib, sys
import lpgraph as lp
from lpgraph._utils.compiled import available
from lpgraph.linalg import basis, matvec, row_loops

kind, folder = sys.argv[1], pathlib.Path(sys.argv[2])
assert (".zip" in lp.__file__) == ("zip" in kind)
assert lp.__file__.endswith(".pyc" if "bytecode" in kind else ".py")
matvec.WORTHWHILE = basis.WORTHWHILE = 1
graph = lp.stochastic_block_model([800, 800], [[0.05, 0.01], [0.01, 0.05]], random_state=0)
model = lp.AdjacencySpectralEmbedding(2).fit(graph.adjacency)
if available():
    assert row_loops.pair_product._loop.signatures  # it was compiled
lp.save(model, folder / "model.lpg")
placed = lp.load(folder / "model.lpg").transform(graph.adjacency[:5])
assert abs(placed - model.embedding_[:5]).max() < 1e-6
assert "<style>" in lp.report(lp.datasets.karate().graph, n_clusters=2).html
print(lp.manifold.Isomap(1, n_neighbors=2).fit([[0.0], [1.0], [2.0], [4.0]]).embedding_.shape)
"""


def without_sources(folder: Path) -> None:
    """Compile a copy of the package, and delete its sources."""
    assert compileall.compile_dir(folder, quiet=1, legacy=True)
    for source in folder.rglob("*.py"):
        source.unlink()


KINDS = [pytest.param(kind, marks=pytest.mark.slow) for kind in ("zip", "bytecode")]


@pytest.fixture(scope="module", params=[*KINDS, "zip of bytecode"])
def place(request, tmp_path_factory):
    """The kind of a copy of the package, and its path."""
    folder, ignored = tmp_path_factory.mktemp("copy"), shutil.ignore_patterns("__pycache__")
    package = shutil.copytree(Path(lpgraph.__file__).parent, folder / "lpgraph", ignore=ignored)
    if "bytecode" in request.param:
        without_sources(package)
    if "zip" in request.param:
        return request.param, shutil.make_archive(str(folder / "package"), "zip", folder, "lpgraph")
    return request.param, str(folder)


def run(place, tmp_path, *arguments):
    elsewhere = {"PYTHONPATH": place, "XDG_CACHE_HOME": str(tmp_path / "cache"), "NUMBA_CACHE_DIR": ""}
    command, env = [sys.executable, "-P", *arguments], os.environ | elsewhere
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=180, env=env)


@pytest.mark.slow
def test_all_works(place, tmp_path):
    kind, path = place
    done = run(path, tmp_path, "-W", "error", "-c", USE, kind, str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "(4, 1)\n", "")


def test_the_command_line_works(place, tmp_path):
    (tmp_path / "graph.csv").write_text("a,b\nb,c\nc,d\nd,a\n")
    done = run(place[1], tmp_path, "-m", "lpgraph", "embed", "graph.csv", "-d", "1", "-o", "table.csv")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "table.csv").read_text().startswith("name,ase0\na,")
