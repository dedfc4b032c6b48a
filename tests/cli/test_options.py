"""Commands and options: their help, their names, and their values."""

from typing import get_args

import typer.main

import lpgraph as lp
from lpgraph.cli import app, options
from lpgraph.embed.out_of_sample import RULES
from lpgraph.graph.files.read_write import FORMATS


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
    short = "--dimension --clusters --seed -d -k -o"
    assert {*short.split()} <= names


def test_the_values_are_those_of_the_library():
    assert set(get_args(options.Format)) == set(FORMATS)
    assert get_args(options.Rule) == RULES
