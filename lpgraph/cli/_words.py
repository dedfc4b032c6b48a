"""Messages of the library in the terms of the command line.

A message of the library names parameters: "weight=None", "pass n_components <= 34". On the command line an option
sets each of them, and its declaration says which: by its own name ("--new-labels" sets new_labels), or by `Sets`.
`Words` replaces the parameters by the options, and leaves out remedies that only Python has.
"""

from __future__ import annotations

import importlib
import inspect
import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from lpgraph.cli._errors import CommandError
from lpgraph.cli._hidden import Hidden, value_end
from lpgraph.cli._methods import METHODS
from lpgraph.cli._remedies import assigned, is_code, possible
from lpgraph.errors import LpgraphError, LpgraphWarning

__all__ = ["Sets", "Words", "translated"]

#: Phrases that are the same in every command.
_PHRASES = {
    "lpgraph.save wrote": "lpgraph embed --save wrote",
    " to read_graph": "",
    " to read_new, and its result in place of new": "",
    " of predict_table(new)": "",
    " of vertex_table()": "",
}
#: Columns of tables, which are not parameters.
_COLUMNS = frozenset({"given_label", "has_known_neighbor", "has_position", "reaches_label"})
#: Code of another library that reads a file which lpgraph does not read.
_READER = re.compile(r"read it by (.+?\))( \(.+?\))?, and pass the graph to lp\.as_adjacency or lp\.write_graph")

#: The call that converts a spreadsheet, and what it needs.
_SPREADSHEET = re.compile(r"convert it by (.+?index=False\))( \(.+?\))?, and read that")

#: A call with an option as its only other argument, which the option replaces.
_CALL = re.compile(r"\b(?:lp\.|lpgraph\.)?[a-z_]+\((?:\w+, )?(--[\w-]+)\)")


class Sets:
    """The parameters of the library that an option sets, where they are not called as the option is.

    A text such as "weight=None" stands for this value of the parameter, and "largest_component(graph)" for a call
    that the option replaces.
    """

    def __init__(self, *names: str) -> None:
        self.names = names


@dataclass(frozen=True)
class Words:
    """The options of a command, by the parameters they set.

    Attributes
    ----------
    options : mapping
        Option or argument of each parameter.
    phrases : mapping
        Option for a parameter with a value, such as "weight=None", or for a call.
    named : frozenset
        Parameters that are recognised anywhere in a message, since they are no English words.
    values : frozenset
        Values of options, which may look like names of Python.
    given : tuple of str
        What the user passed, such as paths, which stays as it is.

    Examples
    --------
    >>> from lpgraph.cli._words import Words
    >>> words = Words({"n_components": "--dimension", "weight": "--weight"}, {"weight=None": "--unweighted"})
    >>> words.translate("n_components=99 but only 34 vertices; pass n_components <= 34.")
    '--dimension=99 but only 34 vertices; pass --dimension <= 34.'
    >>> words.translate("weight='w' is no column; pass weight='x' if that has the weights, or weight=None.")
    '--weight=w is no column; pass --weight=x if that has the weights, or --unweighted.'
    """

    options: Mapping[str, str] = field(default_factory=dict)
    phrases: Mapping[str, str] = field(default_factory=dict)
    named: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    given: tuple[str, ...] = ()

    def translate(self, message: str) -> str:
        """Return a message of the library in the terms of the command."""
        hidden = Hidden(self.given)
        text = _READER.sub(lambda found: hidden.hide(_conversion(*found.groups())), message)
        text = _SPREADSHEET.sub(lambda found: hidden.hide(_conversion_of_table(*found.groups())), text)
        text = hidden.hide_quoted(text)
        for phrase, option in {**_PHRASES, **self.phrases}.items():
            text = text.replace(phrase, option)
        text = self._with_methods(self._with_named(self._with_assigned(text, hidden)))
        return hidden.restore(possible(text, self._is_unavailable))

    def _with_assigned(self, text: str, hidden: Hidden) -> str:
        """Return a text with "--option=value" for "name=value"."""
        pieces, at = [], 0
        for found in assigned.finditer(text):
            if found.start() >= at:
                end = value_end(text, found.end())
                pieces += [text[at : found.start()], self._option(found[1], text[found.end() : end], hidden)]
                at = end
        return _CALL.sub(r"\1", "".join([*pieces, text[at:]]))

    def _option(self, name: str, value: str, hidden: Hidden) -> str:
        if name == "path":
            return hidden.bare(value)
        if name not in self.options or value in ("None", "True", "False"):
            return f"{name}={value}"
        if not value or re.match(r"[A-Za-z_][\w.]*\(", value):  # a name alone, or an object of Python
            return self.options[name]
        if value[0] in "[(":
            value = ",".join(map(hidden.bare, re.split(r",?\s+", value[1:-1].strip(", "))))
        return f"{self.options[name]}={hidden.bare(value)}"

    def _with_named(self, text: str) -> str:
        """Return a text with options for parameters without values."""
        for name, option in self.options.items():
            if name in self.named or "_" in name:
                text = re.sub(rf"(?<![\w.\-=]){name}(?![\w=(])", option, text)
            else:  # an English word, unless it is a subject or is compared
                text = re.sub(rf"(?:^|(?<= and )){name}(?= (?:has|is|are|and)\b|\[)", option, text)
                text = re.sub(rf"(?:(?<=pass )|(?<=smaller )|(?<=larger )){name}(?= [<>]|[.,;]|$)", option, text)
        return text

    def _with_methods(self, text: str) -> str:
        """Return a text with "--method=NAME" for the classes of embeddings."""
        if "--method" in self.options.values():
            for table in METHODS.values():
                for method, kind in table.items():
                    text = re.sub(rf"\b(?:an? )?{kind}\b(?:\(\))?", f"--method={method}", text)
        return text

    def _is_unavailable(self, text: str) -> bool:
        """Whether a remedy is code, or a parameter that no option of the command sets."""
        if is_code(text, self.values | _COLUMNS):
            return True
        # Only a name can be a parameter: their table imports scikit-learn.
        return text.isidentifier() and text in parameters() - {*self.options.values()}


def _conversion(reader: str, note: str | None) -> str:
    return f"convert it in Python: lpgraph.write_graph({reader}, 'graph.csv'){note or ''}"


def _conversion_of_table(call: str, install: str | None) -> str:
    return f"convert it in Python{install or ''}: {call}"


@cache
def parameters() -> frozenset[str]:
    """Return the names of the parameters of the embeddings of points; commands have some of them."""
    package = importlib.import_module("lpgraph.manifold")
    kinds = [getattr(package, name) for name in METHODS["lpgraph.manifold"].values()]
    return frozenset(name for kind in kinds for name in inspect.signature(kind).parameters)


@contextmanager
def translated(words: Words) -> Iterator[None]:
    """Translate the errors and warnings of the library in a block."""
    shown = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *rest: Any, **named: Any) -> None:
        said = words.translate(str(message)) if issubclass(category, LpgraphWarning) else message
        shown(said, category, *rest, **named)

    warnings.showwarning = show
    try:
        yield
    except CommandError:
        raise
    except LpgraphError as error:
        error.args = (words.translate(str(error)), *error.args[1:])
        raise
    finally:
        warnings.showwarning = shown
