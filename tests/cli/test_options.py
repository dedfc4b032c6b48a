"""Commands and options: their help, their names, and the values that a shell completes."""

import subprocess
import sys
from typing import get_args

import pytest
import typer.main

import lpgraph as lp
from lpgraph.cli import app, options
from lpgraph.embed.out_of_sample import RULES
from lpgraph.graph.files.reading import FORMATS
from lpgraph.infer.dimension import RULES as DIMENSIONS
from lpgraph.infer.drift_test import MEASURES
from lpgraph.infer.evidence import FEATURES
from lpgraph.manifold.kernel_pca import KERNELS
from lpgraph.plot.scaling import SCALES
from lpgraph.points.connect import POLICIES


def leaves(command, path=()):
    inner = getattr(command, "commands", {})
    for name, sub in inner.items():
        yield from leaves(sub, (*path, name))
    if not inner:
        yield path, command


COMMANDS = list(leaves(typer.main.get_command(app)))


def test_every_command_has_an_example_and_every_option_a_help(call):
    assert len(COMMANDS) == 28
    for path, command in COMMANDS:
        text = call([*path, "--help"]).out
        lines = text[text.index("Example:") :].splitlines()
        assert lines[1].strip().startswith(f"lpgraph {' '.join(path)} "), path
        assert "------" not in text
        for parameter in command.params:
            assert parameter.help, (path, parameter.name)
            assert parameter.help.endswith("."), (path, parameter.help)
    assert call("--version").out == f"{lp.__version__}\n"
    names = {name for _, command in COMMANDS for parameter in command.params for name in parameter.opts}
    short = "--dimension --clusters --neighbors --seed --blocks --jobs --max --in-order --held-out"
    assert {*short.split(), "-d", "-k", "-o", "-j"} <= names


def test_help_imports_nothing_heavy():
    code = (
        "import sys; from lpgraph.cli.run import run; run(['--help']); "
        "heavy = 'numpy', 'pandas', 'scipy', 'sklearn', 'matplotlib', 'rich'; "
        "print([m for m in heavy if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("em", ["embed"]),
        ("embed g.csv --lar", ["--largest-component"]),
        ("embed g.csv --method lap", ["laplacian"]),
        ("embed g.csv -d e", ["eigenvalue_cv", "elbow"]),
        ("embed g.csv --format g", ["graphml", "gml", "gexf"]),
        ("embed g.csv --regularizer m", ["mean"]),
        ("extend m.lpg new.csv --rule ", ["least_squares", "likelihood", "batch"]),
        ("classify g.csv l.csv --features unit_rows,n", ["unit_rows,neighbor_labels"]),
        ("cluster g.csv -k a", ["auto"]),
        ("convert g.csv h --to pa", ["parquet"]),
        ("plot loss p.csv --method ke", ["kernel-pca"]),
        ("plot loss p.csv --kernel s", ["sigmoid"]),
    ],
)
def test_values_are_completed(monkeypatch, capsys, line, offered):
    line = f"lpgraph {line}"
    for name, value in (
        ("_LPGRAPH_COMPLETE", "complete_bash"),
        ("COMP_WORDS", line),
        ("COMP_CWORD", str(len(line.split(" ")) - 1)),
    ):
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit):
        app(args=[], prog_name="lpgraph")
    assert capsys.readouterr().out.split() == offered


def test_the_values_are_those_of_the_library():
    assert set(get_args(options.Format)) == set(FORMATS)
    assert get_args(options.Rule) == RULES
    assert get_args(options.Kernel) == KERNELS
    assert get_args(options.Policy) == POLICIES
    assert get_args(options.Scale) == SCALES
    assert tuple(DIMENSIONS) == options.DIMENSIONS
    assert options.FEATURES == FEATURES
    assert options.MEASURES == MEASURES
