"""GML: nested lists of keys and values, as igraph, networkx, Gephi and Newman's archive write them."""

from __future__ import annotations

import html.entities
import math
import re
from typing import TYPE_CHECKING, Any

from lpgraph.errors import ArgumentError
from lpgraph.graph.files.common import file_names, number
from lpgraph.graph.files.listing import GraphListing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import EdgeList
    from lpgraph.graph.files.common import Source

__all__ = ["read", "write"]

_TOKEN = re.compile(
    r"""[ \t\r\n]+|\#[^\n]*
    |(?P<number>[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?![A-Za-z0-9_.])|[-+]INF\b)
    |(?P<word>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<string>"[^"]*")
    |(?P<open>\[)|(?P<close>\])""",
    re.VERBOSE,
)
_ENTITY = re.compile(r"&(?:\#([0-9]{1,7})|\#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]*));")
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_RESERVED = ("id", "label")


def read(source: Source) -> EdgeList:
    """Read the file's graph: its nodes' labels and attributes, its edges and their weights."""
    graphs = [value for key, value, _ in _parse(source) if key == "graph" and isinstance(value, list)]
    if len(graphs) != 1:
        raise source.error(f"it has {len(graphs)} graphs; a GML file has one")
    flags = [value for key, value, _ in graphs[0] if key == "directed"]
    listing = GraphListing(source, directed=bool(flags and flags[0] == 1))
    for key, value, line in graphs[0]:
        if key not in ("node", "edge") or not isinstance(value, list):
            continue
        pairs = {name: item for name, item, _ in value if not isinstance(item, list)}
        if key == "node":
            listing.add_node(pairs.pop("id", None), pairs, line)
        else:
            listing.add_edge(pairs.pop("source", None), pairs.pop("target", None), pairs, line)
    labels = listing.columns.get("label")
    if labels is not None and None not in labels and len(set(map(str, labels))) == len(labels):
        del listing.columns["label"]
        return listing.edges(labels)
    return listing.edges(listing.ids)


def _parse(source: Source) -> list[tuple[str, Any, int]]:
    """Return the file's top level: keys, values (a list where they are nested) and lines."""
    top: list[tuple[str, Any, int]] = []
    stack = [top]
    key: str | None = None
    line = 1
    for kind, text, line in _tokens(source):
        if kind == "close":
            if key is not None or len(stack) == 1:
                raise source.error("a ']' closes nothing", line)
            stack.pop()
            continue
        if key is None:
            if kind != "word":
                raise source.error(f"{text[:40]!r} stands where a key should", line)
            key = text
            continue
        value: Any
        if kind == "open":
            value = []
        elif kind == "string":
            value = _ENTITY.sub(_character, text[1:-1])
        elif kind == "number" or text in ("NAN", "INF"):
            value = float(text) if not text.lstrip("+-").isdigit() or len(text) > 300 else int(text)
        else:
            raise source.error(f"{text[:40]!r} stands where the value of {key!r} should", line)
        stack[-1].append((key, value, line))
        if kind == "open":
            stack.append(value)
        key = None
    if key is not None or len(stack) > 1:
        raise source.error("it ends in the middle of a list; it is truncated", line)
    return top


def _tokens(source: Source) -> Iterator[tuple[str, str, int]]:
    try:
        text = source.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = source.content.decode("latin-1")  # GML's own encoding is ASCII with Latin-1 entities
    at, line = 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise source.error(f"{text[at : at + 20]!r} is not GML", line)
        if match.lastgroup is not None:
            yield match.lastgroup, match.group(), line
        line += text.count("\n", at, match.end())
        at = match.end()


def _character(match: re.Match[str]) -> str:
    decimal, hexadecimal, name = match.groups()
    if name:
        code = html.entities.name2codepoint.get(name, ord("'") if name == "apos" else None)
    else:
        code = int(decimal) if decimal else int(hexadecimal, 16)
    if code is None or code > 0x10FFFF or 0xD800 <= code < 0xE000:
        return match.group()
    return chr(code)


def write(graph: Adjacency) -> bytes:
    """Write the graph in ASCII; what is not ASCII becomes an entity, which networkx and igraph undo."""
    for key in graph.vertex_attributes:
        if not _KEY.fullmatch(key) or key in _RESERVED:
            raise ArgumentError(
                f"vertex_attributes has {key!r}, which is no key in GML; rename it to letters and digits."
            )
    lines = ["graph [", f"  directed {int(graph.directed)}"]
    columns = {"label": file_names(graph), **graph.vertex_attributes}
    for i, values in enumerate(zip(*columns.values(), strict=True)):
        written = (
            f"{key} {_value(key, value)}"
            for key, value in zip(columns, values, strict=True)
            if value is not None
        )
        lines.append("  node [\n    id " + "\n    ".join((str(i), *written)) + "\n  ]")
    for i, j, weight in zip(*(column.tolist() for column in graph.edge_list()), strict=True):
        last = f"\n    weight {number(weight)!r}" if graph.weighted else ""
        lines.append(f"  edge [\n    source {i}\n    target {j}{last}\n  ]")
    return ("\n".join(lines) + "\n]\n").encode("ascii")


def _value(key: str, value: Any) -> str:
    if hasattr(value, "item"):
        value = value.item()  # a numpy scalar
    if isinstance(value, bool | int):
        return str(int(value))
    if isinstance(value, float):
        if math.isfinite(value):
            return repr(value)
        return "NAN" if math.isnan(value) else f"{'+' if value > 0 else '-'}INF"
    if isinstance(value, str):
        safe = (c if " " <= c <= "~" and c not in '"&' else f"&#{ord(c)};" for c in value)
        return f'"{"".join(safe)}"'
    raise ArgumentError(
        f"vertex_attributes[{key!r}] has {value!r}, a {type(value).__name__}; GML holds numbers and strings."
    )
