"""Imports between packages lead to the same or a lower level, never in a circle."""

import ast
import importlib
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import lpgraph

ROOT = Path(lpgraph.__file__).parent

# Packages by level. Those of one level may import each other, but not in a circle.
BY_LEVEL = """
errors _utils
linalg
graph points
spectral models
embed joint manifold infer metrics scale
cli demo plot saved datasets reporting kernels positions weights networkx_backend networkx_info
__init__ __main__
"""
LEVELS = {package: level for level, line in enumerate(BY_LEVEL.split("\n")) for package in line.split()}
# Pairs on one level: the second may not import the first.
ONE_WAY = [("infer", "embed"), ("joint", "embed"), ("joint", "infer")]
ONE_WAY += [("metrics", "manifold"), ("cli", "plot"), ("cli", "demo"), ("demo", "plot")]
INDEPENDENT = [("models", "spectral"), ("spectral", "models"), ("spectral", "graph"), ("spectral", "points")]
INDEPENDENT += [("graph", "points"), ("points", "graph")]

FILES = sorted(ROOT.rglob("*.py"))


def package_of(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").parts[0]


def imported_packages(path: Path) -> set[str]:
    packages = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names = [node.module]
            if node.module == "lpgraph":
                names = [f"lpgraph.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level:
            inside = node.level == 1 and path.parent != ROOT
            assert inside, f"{path}: a relative import must stay within its package; write it in full"
        packages |= {name.split(".")[1] for name in names if name.startswith("lpgraph.")}
    return packages


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_run_downwards(path):
    here = package_of(path)
    assert here in LEVELS, f"{here} has no level yet; add it to LEVELS"
    for there in imported_packages(path):
        assert LEVELS[there] <= LEVELS[here], (
            f"{path.name} on level {LEVELS[here]} imports {there} from a higher level"
        )
        assert (there, here) not in ONE_WAY, f"{here} may not import {there}"
        assert (here, there) not in INDEPENDENT, f"{here} may not import {there}"


def test_no_two_packages_import_each_other_in_a_circle():
    imports = {package: set() for package in LEVELS}
    for path in FILES:
        imports[package_of(path)] |= imported_packages(path) - {package_of(path)}
    list(TopologicalSorter(imports).static_order())  # CycleError names them


def test_the_package_itself_imports_nothing_heavy():
    code = "import sys, lpgraph; print([m for m in ('numpy', 'scipy', 'sklearn', 'networkx') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


NAMESPACES = "datasets errors infer kernels manifold metrics plot positions scale weights"


@pytest.mark.parametrize("name", NAMESPACES.split())
def test_a_namespace_can_be_imported_from(name):
    module = importlib.import_module(f"lpgraph.{name}")
    assert module is getattr(lpgraph, name)
    for public in module.__all__:
        assert hasattr(module, public)
