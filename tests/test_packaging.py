"""Files around the code: citation, conda recipe, and packaged data agree with pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.skipif(not (ROOT / "conda").is_dir(), reason="needs the repository")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
#: Names of packages of conda-forge that differ from those of PyPI.
CONDA = {"igraph": "python-igraph", "matplotlib": "matplotlib-base"}


def bounds(requirements):
    """Return {name: lower bound} of requirements as pyproject.toml has them."""
    matches = (re.match(r"([\w-]+)>=([\d.]+)", requirement) for requirement in requirements)
    return {CONDA.get(match[1], match[1]): match[2] for match in matches}


def test_the_conda_recipe_has_the_dependencies_of_the_project():
    recipe = (ROOT / "conda" / "meta.yaml").read_text()
    run = recipe.partition("  run:\n")[2].partition("\ntest:")[0]
    listed = dict(re.findall(r"- ([\w-]+) >=([\d.]+)", run))
    assert listed.pop("python") == PROJECT["requires-python"].removeprefix(">=")
    extras = PROJECT["optional-dependencies"]
    assert listed == bounds([*PROJECT["dependencies"], *extras["plot"], *extras["cli"]])


def test_the_version_stands_once():
    for name in ("CITATION.cff", "conda/meta.yaml", "lpgraph/__init__.py", "docs/conf.py", "docs/index.md"):
        assert PROJECT["version"] not in (ROOT / name).read_text(), name
