"""Edge lists as networkx writes them: two names and a dict of attributes in every line."""

from __future__ import annotations

import ast
import math
import re
from typing import TYPE_CHECKING

import numpy as np

from lpgraph.errors import ArgumentError
from lpgraph.graph.files.common import integer_names, shown
from lpgraph.graph.files.memory import EDGE, NAME, TEXT

if TYPE_CHECKING:
    from lpgraph.graph.assemble import EdgeList
    from lpgraph.graph.files.text import Body

__all__ = ["has_dicts", "read_dicts"]

_DICT = r"\s*+(\{.*\})\s*+"
_LINES = {
    ",": re.compile(rf"\s*+([^,{{]*[^,{{\s])\s*+,\s*+([^,{{]*[^,{{\s])\s*+,{_DICT}"),
    ";": re.compile(rf"\s*+([^;{{]*[^;{{\s])\s*+;\s*+([^;{{]*[^;{{\s])\s*+;{_DICT}"),
    "\t": re.compile(rf" *+([^\t{{]*[^\t{{\s]) *+\t *+([^\t{{]*[^\t{{\s]) *+\t{_DICT}"),
    " ": re.compile(rf"\s*+([^\s{{]++)\s++([^\s{{]++)\s{_DICT}"),
}
#: The parser of Python takes hundreds of bytes for a character.
_LONGEST = 100_000
#: numpy's numbers, as they appear in the text of a dict.
_NUMPY = re.compile(r"\bnp\.[a-z]+[0-9]*_?\(([^()]*)\)")


def has_dicts(body: Body) -> bool:
    """Whether the first line ends in a dict after two or more fields."""
    line = body.first_line
    return line.endswith("}") and len(line.partition("{")[0].strip(f"{body.delimiter} ").split(body.delimiter)) > 1


def read_dicts(body: Body) -> EdgeList:
    """Read two names and a dict from every line; an edge whose dict has no weight has weight 1."""
    source, form = body.source, _LINES[body.delimiter]
    sources: list[str] = []
    targets: list[str] = []
    weights, weighted = [], False
    known: dict[str, str] = {}
    for at, raw in body.lines():
        if not raw.strip():
            continue
        match = form.fullmatch(raw)
        if match is None:
            raise source.error(
                "it is not two names and a dict, as the lines of networkx.write_edgelist are; if names have "
                "blanks, write it with delimiter='\\t' to a .tsv file",
                at,
            )
        attributes = _attributes(body, at, match[3])
        needed = EDGE * len(sources) + NAME * len(known)
        source.check_bytes(needed, needed + TEXT * len(source.content))
        sources.append(known.setdefault(match[1], match[1]))
        targets.append(known.setdefault(match[2], match[2]))
        weight = 1.0
        if source.weight in attributes:
            value, weighted = attributes[source.weight], True
            weight = _weight(value)
            if not math.isfinite(weight):
                raise source.error(
                    f"the weight {shown(value)} is not a finite number; correct or drop that line", at
                )
        weights.append(weight)
    if source.weight not in (None, "weight") and not weighted:
        raise ArgumentError(
            f"weight={source.weight!r} is no attribute of an edge in {source.path}; pass weight='weight' or None."
        )
    whole = integer_names(sources + targets)
    m = len(sources)
    return source.edges(
        sources if whole is None else whole[:m],
        targets if whole is None else whole[m:],
        np.array(weights) if weighted else None,
        None,
        "",
    )


def _weight(value: object) -> float:
    """Return a weight as a float, or nan."""
    try:
        return float(value) if isinstance(value, int | float) else math.nan
    except OverflowError:  # an integer beyond all floats
        return math.inf


def _attributes(body: Body, line: int, text: str) -> dict[object, object]:
    if text == "{}":
        return {}
    if len(text) > _LONGEST:
        raise body.source.error(f"its dict has more than {_LONGEST} characters; write the weight only", line)
    try:
        found = ast.literal_eval(_NUMPY.sub(r"\1", text))
        if isinstance(found, dict):
            return found
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    raise body.source.error(
        f"{text[:40]!r} is no dict of numbers and strings; write the graph by "
        "networkx.write_edgelist(graph, path, data=['weight'])",
        line,
    )
