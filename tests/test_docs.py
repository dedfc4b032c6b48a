"""Tests of the documentation: public names, code blocks, commands, links, and the names and paths it mentions."""

import gzip
import importlib.util
import inspect
import os
import re
import runpy
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

import lpgraph as lp

ROOT = Path(lp.__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(
    [*DOCS.glob("*.md"), *(DOCS / "results").glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
)
OWN = [page for page in PAGES if page.parent.name != "results"]
GALLERY = sorted((ROOT / "examples" / "gallery").glob("*.py"))
pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the documentation's sources are not here")


def public_names(module, prefix=""):
    """Return {name: object} of all public names, including those of public modules."""
    found = {}
    own = [n for n, v in vars(module).items() if n[0] != "_" and getattr(v, "__module__", "") == module.__name__]
    for name in getattr(module, "__all__", own):
        value = getattr(module, name)
        if isinstance(value, types.ModuleType):
            found |= public_names(value, f"{prefix}{name}.")
        elif not name.startswith("__"):
            found[prefix + name] = value
    return found


PUBLIC = public_names(lp)


def listed():
    """Return {name: object} of all names that the reference lists."""
    text = extension("method_lists").fill((DOCS / "api.rst").read_text())
    names = re.findall(r"^   ([\w.]+)$", text, re.MULTILINE)
    assert len(names) == len(set(names)), "a name is listed twice"
    return {name: resolve(f"lpgraph.{name}") for name in names}


def resolve(name):
    """Return the object of a dotted name; a public name takes precedence over a module of the same name."""
    first, *parts = name.split(".")
    value = importlib.import_module(first)
    for k, part in enumerate(parts, start=1):
        try:
            value = getattr(value, part)
        except AttributeError:
            value = importlib.import_module(".".join([first, *parts[:k]]))
    return value


def test_the_reference_lists_every_public_name_with_an_example():
    pytest.importorskip("sphinx", reason="the list is filled by an extension of Sphinx")
    found = listed()
    # One object may have two public names; the reference lists one. Of the spectral core it lists a choice.
    others = [name for name in PUBLIC if not name.startswith("spectral.")]
    assert [n for n in others if not any(PUBLIC[n] is value for value in found.values())] == []
    for name in PUBLIC.keys() & found.keys():
        value = found[name]
        if callable(value) and not (name.startswith("spectral.") and inspect.isclass(value)):
            assert ">>>" in (inspect.getdoc(value) or "").partition("Examples\n--------\n")[2], name


BLOCK = re.compile(r"^```([\w{}-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: Commands that install, test or repeat an experiment; not run here: .ci/run and .ci/package do most of it.
SETTING_UP = ("pip install", "python ", "pytest", "ruff", "sphinx-build", "bash .ci/", "cd ")
#: The first changes the user's shell; the second is a step of .ci/run.
NOT_RUN = ("lpgraph --install-completion", "lpgraph demo")


def commands(page):
    """Return the lines of the blocks without a language: shell commands."""
    blocks = [block for language, block in BLOCK.findall(page.read_text()) if not language]
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [line.split("  #")[0].strip() for line in lines if line.strip()]


@pytest.mark.parametrize("page", OWN, ids=lambda page: page.name)
def test_every_block_is_python_a_command_or_marked_as_text(page):
    for language, _ in BLOCK.findall(page.read_text()):
        assert language in ("", "python", "text", "{toctree}"), f"a block of {language!r} is not run"
    for line in commands(page):
        assert line.startswith(SETTING_UP) or "lpgraph " in line, f"marked as text? {line}"
        for script in re.findall(r"^python ([\w/]+\.py)", line):
            assert (ROOT / script).exists() or (ROOT / "examples" / script).exists(), line


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that the pages' commands read."""
    import networkx as nx

    path = tmp_path_factory.mktemp("commands")
    (path / "docs").symlink_to(DOCS)
    (sample,) = [line for line in commands(DOCS / "commands.md") if line.startswith("lpgraph sample")]
    assert run_command(sample, path).returncode == 0
    (path / "edges.csv.gz").write_bytes(gzip.compress((path / "graph.csv").read_bytes()))
    nx.write_gml(nx.karate_club_graph(), path / "graph.gml")
    (path / "months").mkdir()
    rows = ["month,source,target"]
    for day, month in ("monday", "2020-01"), ("tuesday", "2020-02"):
        edges = [f"{u},{v}" for u, v in nx.gnm_random_graph(40, 300, seed=len(rows)).edges]
        for name in f"{day}.csv", f"months/{month}.csv":
            (path / name).write_text("\n".join(["source,target", *edges]))
        rows += [f"{month},{edge}" for edge in edges]
    (path / "flights.csv").write_text("\n".join(rows))
    return path


def run_command(command, folder):
    """Run a command in a shell whose ``lpgraph`` is the one tested."""
    script = f'set -o pipefail; lpgraph() {{ "{sys.executable}" -m lpgraph "$@"; }}; {command}'
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True)


SLOW = "commands.md", "tutorial_classify.md"
COMMANDED = [
    pytest.param(page, marks=pytest.mark.slow if page.name in SLOW else ())
    for page in OWN
    if "lpgraph " in "".join(commands(page))
]


@pytest.mark.posix
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs a shell")
@pytest.mark.parametrize("page", COMMANDED, ids=lambda page: getattr(page, "name", None))
def test_every_command_in_a_page_runs(page, folder):
    """The commands run in their order, in one folder."""
    for command in commands(page):
        if not command.startswith((*NOT_RUN, *SETTING_UP)):
            done = run_command(command, folder)
            stopped = "| head" in command and done.returncode == 1 and not done.stderr  # `head` has what it needs
            assert done.returncode == 0 or stopped, (command, done.stderr)


#: A row of the tables of measurements ends with a link to the page that has its figures.
MEASURED = re.compile(r"^\| (.*) \| \[[^]]*\]\(((?:docs/)?results/\w+\.md)\) \|$", re.MULTILINE)


@pytest.mark.parametrize("page", [DOCS / "index.md", ROOT / "README.md"], ids=lambda page: page.name)
def test_the_figures_of_the_first_page_are_those_of_the_results(page):
    rows = MEASURED.findall(page.read_text())
    assert len(rows) >= 4
    for row, results in rows:
        known = (page.parent / results).read_text()
        for cell in row.split(" | ")[1:]:
            for figure in re.findall(r"(?<![\w.])\d*\.?\d+(?![\w.])", cell):
                there = re.findall(r"(?<![\w.])\d*\.?\d+(?:e[+-]\d+)?", known)
                assert any(float(figure) == float(other) for other in there), (figure, results)


NAMES = re.compile(r"`((?:lp|lpgraph)(?:\.\w+)+)")
PATHS = re.compile(r"`((?:lpgraph|tests|examples|benchmarks|docs)/[\w/]+\.\w+)`")


@pytest.mark.parametrize("page", OWN, ids=lambda page: page.name)
def test_every_name_and_path_in_a_page_exists(page):
    text = page.read_text()
    for name in set(NAMES.findall(text)):
        resolve(re.sub(r"^lp\.", "lpgraph.", name))
    for path in set(PATHS.findall(text)):
        assert (ROOT / path).exists(), path


def anchor(heading):
    """Return the anchor of a heading, as a forge and these pages form it."""
    words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_has_a_target(page):
    prose = BLOCK.sub("", page.read_text())
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if "://" in target:
            continue
        address, _, fragment = target.partition("#")
        path = (page.parent / address).resolve() if address else page
        if "gallery" in path.parts and path.suffix == ".rst":  # built from a script
            made = GALLERY if path.stem == "index" else [s for s in GALLERY if s.stem == path.stem]
            assert made, target
            continue
        assert path.exists(), target
        if fragment and path.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", BLOCK.sub("", path.read_text()), re.MULTILINE)
            assert fragment in {anchor(heading) for heading in headings}, target


@pytest.mark.parametrize("script", GALLERY, ids=lambda script: script.stem)
@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive:UserWarning")
def test_gallery_scripts_run(script, capsys):
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    runpy.run_path(str(script), run_name="__main__")
    assert plt.get_fignums()
    assert "nan" not in capsys.readouterr().out
    assert script.stem in extension("gallery_order").ORDER


def extension(name):
    """Import an extension of the documentation."""
    spec = importlib.util.spec_from_file_location(name, DOCS / "_extensions" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
