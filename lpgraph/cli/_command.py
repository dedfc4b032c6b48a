"""Functions as commands: groups become options, and messages of the library are in the terms of the options."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

from lpgraph.cli._choices import Choices
from lpgraph.cli._words import Sets, Words, translated

__all__ = ["as_command", "words_of"]


def as_command(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function as a command; its help keeps the lines of its example.

    A parameter that is a group is replaced by the options of the group. Groups come after ``*``, so that a
    function need not give their defaults.
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        shown = [parameter.replace(annotation=hints[name])]
        if name in groups:
            inner = get_type_hints(groups[name], include_extras=True)
            shown = [
                parameter.replace(name=field.name, default=field.default, annotation=inner[field.name])
                for field in fields(groups[name])
            ]
        # Keyword-only, so that parameters with a default may come before others.
        parameters += [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in shown]
    words = words_of(parameters)

    def command(**given: Any) -> None:
        # What has no such character is no path, and might be part of a word.
        passed = [text for text in given.values() if isinstance(text, str) and set(text) & set("/._")]
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        with translated(replace(words, given=tuple(passed))):
            function(**given)

    command.__name__ = function.__name__
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # inspect and typer read it
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    command.__doc__ = inspect.cleandoc(function.__doc__ or "").replace("\n\nExample", "\n\n\b\nExample")
    return command


def words_of(parameters: Iterable[inspect.Parameter]) -> Words:
    """Return the options of a command by the parameters of the library that they set."""
    options: dict[str, str] = {}
    phrases: dict[str, str] = {}
    named: set[str] = set()
    values: set[str] = set()
    for parameter in parameters:
        declared = parameter.annotation
        if get_origin(declared) is not Annotated:
            continue
        kind, *described = get_args(declared)
        own = list(_own(parameter.name, described))
        for name, option in own:
            options.setdefault(name, option)
            if kind in (bool, bool | None):
                phrases[f"{name}={len(own) == 1 or option == own[0][1]}"] = option
        for name in (name for one in described if isinstance(one, Sets) for name in one.names):
            if name.isidentifier():
                options[name] = own[0][1]
                named.add(name)
            else:
                phrases[name] = own[0][1]
        completed = [getattr(getattr(one, "autocompletion", None), "__self__", None) for one in described]
        values.update(value for choices in completed if isinstance(choices, Choices) for value in choices.values)
    return Words(options, phrases, frozenset(named), frozenset(values))


def _own(parameter: str, described: Iterable[object]) -> Iterator[tuple[str, str]]:
    """Yield the option or argument that is declared, after the parameter of its own name."""
    for one in described:
        if isinstance(one, ArgumentInfo):
            yield parameter, re.split(r"\||\.\.\.", str(one.metavar))[0]
        elif isinstance(one, OptionInfo):
            # In Annotated, typer has the first declaration as the default.
            declared = [text for text in (one.default, *(one.param_decls or ())) if isinstance(text, str)]
            long = next((text for text in declared if text.startswith("--")), f"--{parameter}")
            names = long.split("/")
            yield from ((names[0][2:].replace("-", "_"), name) for name in names)
