"""Public names: one table for the package, its types, saved models, the command line and the docs."""

import re
from pathlib import Path

import pytest

import lpgraph as lp

ROOT = Path(lp.__file__).parent


def test_dir_is_the_list_of_public_names():
    assert dir(lp) == sorted(lp.__all__)
    assert {"Adjacency", "spectral", "manifold", "__version__"} <= set(dir(lp))
    assert "importlib" not in dir(lp)
    assert lp.spectral.eigen.eigenpairs is not None
    with pytest.raises(AttributeError, match="Isomaps"):
        lp.manifold.Isomaps  # noqa: B018


@pytest.mark.slow  # mypy reads numpy
def test_a_typed_program_has_no_any(tmp_path):
    """Each variable of `typed_program.py`, and each fitted attribute, has a type."""
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
