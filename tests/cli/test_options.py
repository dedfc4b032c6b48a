"""Commands and options: their help, their names, and the values that a shell completes."""

from typing import get_args

import typer.main

import lpgraph as lp
from lpgraph.cli import app, options
from lpgraph.embed.out_of_sample import RULES
from lpgraph.graph.files.read_write import FORMATS
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
    for path, command in COMMANDS:
        text = call([*path, "--help"]).out
        lines = text[text.index("Example:") :].splitlines()
        assert lines[1].strip().startswith(f"lpgraph {' '.join(path)} "), path
        assert "------" not in text
        assert all(parameter.help and parameter.help.endswith(".") for parameter in command.params), path
    assert call("--version").out == f"{lp.__version__}\n"
    names = {name for _, command in COMMANDS for parameter in command.params for name in parameter.opts}
    short = "--dimension --clusters --neighbors --seed --blocks --jobs --max --in-order --held-out -d -k -o -j"
    assert {*short.split()} <= names


def test_the_values_are_those_of_the_library():
    assert set(get_args(options.Format)) == set(FORMATS)
    assert get_args(options.Rule) == RULES
    assert get_args(options.Kernel) == KERNELS
    assert get_args(options.Policy) == POLICIES
    assert get_args(options.Scale) == SCALES
    assert tuple(DIMENSIONS) == options.DIMENSIONS
    assert options.FEATURES == FEATURES
    assert options.MEASURES == MEASURES
