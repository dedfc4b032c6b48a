"""Public names: one table for the package, its types, saved models, the command line and the docs."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lpgraph as lp
from lpgraph._utils.names import homes

ROOT = Path(lp.__file__).parent


def test_dir_is_the_list_of_public_names():
    assert dir(lp) == sorted(lp.__all__)
    assert {"Adjacency", "spectral", "manifold", "__version__"} <= set(dir(lp))
    assert "importlib" not in dir(lp)
    assert lp.spectral.eigen.eigenpairs is not None
    with pytest.raises(AttributeError, match="Isomaps"):
        lp.manifold.Isomaps  # noqa: B018


@pytest.mark.parametrize(
    "package", ["lpgraph", "lpgraph.manifold", "lpgraph.infer", "lpgraph.metrics", "lpgraph.spectral"]
)
def test_every_line_of_a_stub_is_read(package):
    stub = ROOT.joinpath(*package.split(".")[1:], "__init__.pyi")
    imported = [node for node in ast.parse(stub.read_text()).body if isinstance(node, ast.ImportFrom)]
    names = {alias.asname for node in imported for alias in node.names}
    assert len(names) == len(imported)
    assert set(homes(package)) == names


@pytest.mark.slow  # mypy reads numpy
def test_a_typed_program_has_no_any(tmp_path):
    """Each variable of `typed_program.py`, and each fitted attribute, has a type; the program runs."""
    api = pytest.importorskip("mypy.api")
    program = ROOT.parent / "tests" / "typed_program.py"
    code = program.read_text()
    untyped = ("club", "table")  # of networkx and pandas
    shown = [name for name in re.findall(r"^(\w+) = ", code, re.MULTILINE) if name not in untyped]
    shown += ["clusters.labels_", "isomap.embedding_", "isomap.graph_", "ase.eigenvalues_", "ase.signature_"]
    shown += ["ase.graph_", "ase.vertex_names_", "classifier.classes_", "classifier.transduction_", "data.graph"]
    checked = tmp_path / "checked.py"
    checked.write_text(code + "".join(f"reveal_type({name})\n" for name in shown))
    options = ["--config-file=", "--strict", "--follow-imports=silent", "--ignore-missing-imports"]
    text, errors, _ = api.run([*options, str(checked)])
    assert not errors
    assert "error:" not in text
    found = re.findall(r'Revealed type is "(.*)"', text)
    assert [name for name, kind in zip(shown, found, strict=True) if "Any" in kind.split(" | ")] == []
    run = [sys.executable, str(program), str(tmp_path / "model.lpg")]
    subprocess.run(run, check=True, capture_output=True, env=os.environ | {"MPLBACKEND": "Agg"})


def test_a_large_function_is_the_exception():
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                doc = node.body[0] if ast.get_docstring(node) else None
                length = node.end_lineno - node.lineno + 1 - (doc.end_lineno - doc.lineno + 1 if doc else 0)
                assert length <= 80, f"{path.name}: {node.name} has {length} lines"
