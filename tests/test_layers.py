"""Imports between packages lead to the same or a lower level, never in a circle."""

import ast
from pathlib import Path

import pytest

import lpgraph

ROOT = Path(lpgraph.__file__).parent

# The level of each package. Packages of one level may import each other, but not in a circle.
LEVELS = {
    "errors": 0,
    "_utils": 0,
    "linalg": 1,
    "graph": 2,
    "points": 2,
    "spectral": 3,
    "models": 3,
    "embed": 4,
    "manifold": 4,
    "infer": 4,
    "metrics": 4,
    "scale": 4,
    "cli": 5,
    "demo": 5,
    "plot": 5,
    "saved": 5,
    "datasets": 5,
    "reporting": 5,
    "kernels": 5,
    "positions": 5,
    "weights": 5,
    "__init__": 6,
    "__main__": 6,
}
# Pairs on one level: the second may not import the first.
ONE_WAY = [("infer", "embed"), ("metrics", "manifold"), ("cli", "plot"), ("cli", "demo"), ("demo", "plot")]
INDEPENDENT = [
    ("models", "spectral"),
    ("spectral", "models"),
    ("spectral", "graph"),
    ("spectral", "points"),
    ("graph", "points"),
    ("points", "graph"),
]

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
            raise AssertionError(f"{path}: relative imports hide where they lead; write them in full")
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
    while leaves := [here for here, there in imports.items() if not there]:
        for leaf in leaves:
            del imports[leaf]
        for there in imports.values():
            there.difference_update(leaves)
    assert not imports, "these packages import each other in a circle"


def test_the_package_itself_imports_nothing_heavy():
    import subprocess
    import sys

    code = "import sys, lpgraph; print([m for m in ('numpy', 'scipy', 'sklearn', 'networkx') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_every_public_name_can_be_imported_and_listed():
    for name in lpgraph.__all__:
        assert getattr(lpgraph, name) is not None
    assert set(lpgraph.__all__) <= set(dir(lpgraph))
    with pytest.raises(AttributeError, match="no_such_name"):
        lpgraph.no_such_name  # noqa: B018


@pytest.mark.parametrize(
    "name",
    ["datasets", "errors", "infer", "kernels", "manifold", "metrics", "plot", "positions", "scale", "weights"],
)
def test_a_namespace_can_be_imported_from(name):
    import importlib

    module = importlib.import_module(f"lpgraph.{name}")
    assert module is getattr(lpgraph, name)
    for public in module.__all__:
        assert hasattr(module, public)
