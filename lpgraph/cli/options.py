"""Options and arguments: those that several commands share, functions as commands, and values in texts.

Other options are parameters of a command, or fields of a dataclass that the command takes. Their help is in its
docstring, as that of any parameter. An option has the name of the parameter of the library that it sets, with
dashes, and possibly a shorter one.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from copy import copy
from dataclasses import fields, is_dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, get_args, get_origin, get_type_hints

from typer import Argument, Option, Typer

from lpgraph.errors import ArgumentError

if TYPE_CHECKING:
    from lpgraph._utils.checks import Foreign

#: Applications with plain help, which needs no rich; errors are left to `lpgraph.cli.run`.
Application = partial(Typer, no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False)

# The library's own tables of these names would import numpy for the help; a test compares both.
Format: TypeAlias = Literal[
    "csv", "tsv", "txt", "parquet", "graphml", "gml", "mtx", "npz", "pajek", "gexf", "json"
]
Written: TypeAlias = Literal["csv", "tsv", "txt", "parquet", "npz"]
Rule: TypeAlias = Literal["least_squares", "likelihood", "batch"]
Direction: TypeAlias = Literal["out", "in"]
Unknown: TypeAlias = Literal["warn", "error", "ignore"]

Graph = Annotated[str, Argument(metavar="GRAPH", help="File with the graph; - is standard input.")]
GraphOrModel = Annotated[
    str,
    Argument(metavar="GRAPH|MODEL.lpg", help="File with the graph (- is standard input), or a saved model."),
]
Model = Annotated[str, Argument(metavar="MODEL.lpg", help="Model saved by embed, classify or cluster --save.")]
New = Annotated[
    str, Argument(metavar="NEW", help="File with edges between new and known vertices; - is standard input.")
]
Points = Annotated[str, Argument(metavar="POINTS", help="Table X of numbers, one point a row.")]
AsJson = Annotated[bool, Option("--json", help="Write one JSON object to standard output.")]
Save = Annotated[
    str | None, Option("--save", metavar="MODEL.lpg", help="Save the fitted model, which extend can use.")
]
Seed = Annotated[int, Option("--random-state", "--seed", metavar="N", help="The same seed gives the same result.")]
Dimension = Annotated[str | None, Option("--n-components", "--dimension", "-d", metavar="D")]
Clusters = Annotated[str | None, Option("--n-clusters", "--clusters", "-k", metavar="K")]
Output = Annotated[str, Option("--output", "-o", metavar="FILE")]

#: A parameter in a docstring: its name, possibly what its value is called, and the text.
_DOCUMENTED = re.compile(r"^(\w+)(?: : (\S+))?\n((?:    .*\n?)+)", re.MULTILINE)
_SECTION = re.compile(r"(?:Parameters|Attributes)\n-+\n.*?(?=Example:|\Z)", re.DOTALL)


def as_command(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function as a command, whose parameters are options, or arguments where they are declared so.

    A parameter that is a dataclass is replaced by its fields. All parameters are keyword-only, so that those with
    a default may come before others. The help keeps the lines of its example.
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Foreign] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        owner, shown = (groups[name], fields(groups[name])) if name in groups else (function, [parameter])
        kinds, texts = get_type_hints(owner, include_extras=True), _documented(owner)
        parameters += [
            inspect.Parameter(
                one.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=one.default,
                annotation=_declared(one.name, kinds[one.name], *texts.get(one.name, (None, None))),
            )
            for one in shown
        ]

    def command(**given: object) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        function(**given)

    command.__name__ = function.__name__
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # inspect and typer read it
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    text = _SECTION.sub("", inspect.cleandoc(function.__doc__ or ""))
    command.__doc__ = text.replace("Example:", "\b\nExample:")
    return command


def _documented(owner: object) -> dict[str, tuple[str | None, str]]:
    """Return what the values of parameters are called, and the texts about them, in the docstrings of a class."""
    found: dict[str, tuple[str | None, str]] = {}
    for one in reversed(getattr(owner, "__mro__", (owner,))):
        section = _SECTION.search(inspect.cleandoc(one.__doc__ or ""))
        for name, metavar, text in _DOCUMENTED.findall("" if section is None else section[0]):
            found[name] = metavar or None, " ".join(text.split())
    return found


def _declared(name: str, kind: object, metavar: str | None, text: str | None) -> object:
    """Return the type of a parameter with the declaration of its option, to which a docstring adds the text."""
    # A switch that may be None has two names, --name and --no-name.
    names = [] if kind == bool | None else [f"--{name.replace('_', '-')}"]
    kind, declared = get_args(kind) if get_origin(kind) is Annotated else (kind, Option(*names))
    info = copy(declared)
    info.metavar, info.help = info.metavar or metavar, info.help or text
    return Annotated[kind, info]


def as_number(text: str | None) -> Foreign:
    """Return "8" as 8 and "0.1" as 0.1, and other texts, such as the name of a rule, as they are."""
    for kind in (int, float):
        try:
            return None if text is None else kind(text)
        except ValueError:
            pass
    return text


def as_numbers(option: str, text: str) -> list[int | float]:
    """Return "60,40" as [60, 40] and "0.3,0.3" as [0.3, 0.3]."""
    numbers = [as_number(part.strip()) for part in text.split(",")]
    if any(isinstance(number, str) for number in numbers):
        raise ArgumentError(f"{option}={text}; pass numbers separated by commas, such as 60,40.")
    return numbers


def as_range(option: str, text: str | None) -> int | range | None:
    """Return "3" as 3, "2-8" as range(2, 9), and "auto" as None."""
    if text is None or text == "auto":
        return None
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", text)
    if found is None:
        raise ArgumentError(f"{option}={text}; pass a number such as 3, or a range such as 2-8.")
    low, high = found.groups()
    return int(low) if high is None else range(int(low), int(high) + 1)
