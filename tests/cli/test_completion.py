"""The shell completes the names of commands, options and their values."""

import os
import subprocess
import sys

import pytest

from lpgraph.cli import _choices as choices
from lpgraph.cli import app
from lpgraph.cli._choices import Choices
from lpgraph.embed.out_of_sample import RULES
from lpgraph.graph.files.reading import FORMATS
from lpgraph.infer.cluster import METHODS
from lpgraph.infer.dimension import RULES as DIMENSIONS
from lpgraph.infer.features import FEATURES
from lpgraph.infer.vertex_measures import MEASURES
from lpgraph.manifold.kernel_pca import KERNELS
from lpgraph.plot.scaling import SCALES
from lpgraph.points.connect import POLICIES


def asked(line, shell="bash"):
    """The environment in which a shell asks what it can offer for the last word of a command line."""
    return {
        "_LPGRAPH_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
        "_TYPER_COMPLETE_ARGS": line,
    }


def completed(line, shell="bash"):
    """What the shell offers, by a new process."""
    environment = os.environ | asked(line, shell)
    done = subprocess.run(
        [sys.executable, "-m", "lpgraph"], env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("lpgraph em", ["embed"]),
        ("lpgraph embed g.csv --lar", ["--largest-component"]),
        ("lpgraph embed g.csv --method lap", ["laplacian"]),
        ("lpgraph embed g.csv -d e", ["eigenvalue_cv", "elbow"]),
        ("lpgraph embed g.csv --format g", ["graphml", "gml", "gexf"]),
        ("lpgraph embed g.csv --regularizer m", ["mean"]),
        ("lpgraph extend m.lpg new.csv --rule ", ["least_squares", "likelihood", "batch"]),
        ("lpgraph extend m.lpg new.csv --direction o", ["out"]),
        ("lpgraph classify g.csv l.csv --classifier l", ["logistic", "lda"]),
        ("lpgraph classify g.csv l.csv --features unit_rows,n", ["unit_rows,neighbor_labels"]),
        ("lpgraph classify g.csv l.csv --unknown i", ["ignore"]),
        ("lpgraph cluster g.csv --by g", ["gaussian"]),
        ("lpgraph cluster g.csv -k a", ["auto"]),
        ("lpgraph convert g.csv h.csv --multi-edges c", ["collapse"]),
        ("lpgraph convert g.csv h --to pa", ["parquet"]),
        ("lpgraph plot loss p.csv --method ke", ["kernel-pca"]),
        ("lpgraph plot loss p.csv --kernel s", ["sigmoid"]),
        ("lpgraph plot stability p.csv --components b", ["bridge"]),
        ("lpgraph plot embedding g.csv --scale r", ["ranks"]),
    ],
)
def test_values_are_completed(monkeypatch, capsys, line, offered):
    for name, value in asked(line).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit):
        app(args=[], prog_name="lpgraph")
    assert capsys.readouterr().out.split() == offered


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_shell_is_answered(shell):
    assert any("laplacian" in word for word in completed("lpgraph embed g.csv --method lap", shell))


def test_the_values_are_those_of_the_library():
    assert set(choices.FORMATS.values) == set(FORMATS)
    assert choices.RULES.values == RULES
    assert choices.CLUSTERINGS.values == METHODS
    assert choices.DIMENSIONS.values == tuple(DIMENSIONS)
    assert choices.FEATURES.values == FEATURES
    assert choices.MEASURES.values == MEASURES
    assert choices.KERNELS.values == KERNELS
    assert choices.SCALES.values == SCALES
    assert choices.COMPONENTS.values == POLICIES


def test_names_are_not_offered_twice():
    assert Choices(("a", "b"), several=True).complete("a,") == ["a,b"]
    assert Choices(("a", "b")).complete("a,") == []
