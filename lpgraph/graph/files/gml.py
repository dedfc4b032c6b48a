"""GML files: nested lists of keys and values, as written by igraph, networkx, Gephi and Newman's archive."""

from __future__ import annotations

import html.entities
import math
import re
from typing import TYPE_CHECKING

from lpgraph._articles import a_type
from lpgraph.errors import ArgumentError, FileFormatError
from lpgraph.graph.files.common import file_names, number
from lpgraph.graph.files.listing import GraphListing

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import EdgeList
    from lpgraph.graph.files.common import Source

__all__ = ["read", "write"]

_TOKEN = re.compile(
    r"""(?:\s++|\#[^\n]*+)*+(?:
     (?P<word>[A-Za-z_][A-Za-z0-9_]*+)
    |(?P<number>[-+]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][-+]?+[0-9]++)?+(?![A-Za-z0-9_.])|[-+]INF\b)
    |(?P<string>"[^"]*+")
    |(?P<open>\[)|(?P<close>\])|(?P<end>\Z))""",
    re.VERBOSE,
)
_ENTITY = re.compile(r"&(?:\#([0-9]{1,7})|\#[xX]([0-9a-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]*));")
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
#: Limits of what no network has.
_MOST_KEYS = 10_000
_DEEPEST = 100
_RESERVED = ("id", "label")


def read(source: Source) -> EdgeList:
    """Read the file's graph: its nodes' labels and attributes, its edges and their weights."""
    listing = GraphListing(source, directed=False)
    facts = _parse(source, _text(source), listing)
    listing.directed = facts.get("directed") == 1
    return listing.edges(_names(listing, str(facts.get("Creator", ""))))


def _names(listing: GraphListing, creator: str) -> Sequence[Hashable]:
    """Return the labels or, in files of igraph, the attribute ``name``; else the ids."""
    if (creator.startswith("igraph") or "label" not in listing.columns) and listing.unique("name"):
        return listing.columns.pop("name")
    return listing.columns.pop("label") if listing.unique("label") else listing.ids


def _text(source: Source) -> str:
    try:
        return source.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return source.content.decode("latin-1")  # GML's own encoding is ASCII with Latin-1 entities


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _parse(source: Source, text: str, listing: GraphListing) -> dict[str, object]:
    """Add nodes and edges to `listing`; return the attributes of the graph, and the creator of the file."""
    path: list[str] = []  # keys of the lists that are open
    values: list[dict[str, object]] = [{}]  # what has been read of each; lists within nodes and edges are dropped
    graph: dict[str, object] | None = None
    key: str | None = None
    at, match_token = 0, _TOKEN.match
    while True:
        match = match_token(text, at)
        if match is None:
            raise source.error(f"near {text[at : at + 40].strip()!r} it is not GML", _line(text, at))
        kind, at = match.lastgroup, match.end()
        token = match[kind] if kind is not None else ""
        if key is None:
            if kind == "word":
                key = token
            elif kind == "close" and path:
                closed = values.pop()
                if path == ["graph"]:
                    if graph is not None:
                        raise source.error("it has more than one graph", _line(text, at))
                    graph = closed
                elif path in (["graph", "node"], ["graph", "edge"]):
                    try:
                        if path[1] == "node":
                            listing.add_node(closed.pop("id", None), closed)
                        else:
                            listing.add_edge(closed.pop("source", None), closed.pop("target", None), closed)
                    except FileFormatError:
                        raise
                    except ValueError as error:
                        raise source.error(str(error), _line(text, at)) from None
                path.pop()
            elif kind == "end" and not path:
                if graph is None:
                    raise source.error("it has no graph")
                return {**graph, "Creator": values[0].get("Creator", "")}
            elif kind == "end":
                raise source.error("it ends in the middle of a list, so it is truncated", _line(text, at))
            else:
                raise source.error(f"{token[:40]!r} stands where a key should", _line(text, at))
            continue
        if len(values[-1]) > _MOST_KEYS:
            raise source.error(f"a list has more than {_MOST_KEYS} keys", _line(text, at))
        if len(path) > _DEEPEST:
            raise source.error(f"lists are nested more than {_DEEPEST} deep", _line(text, at))
        if kind == "open":
            path.append(key)
            values.append({})
        elif kind == "string":
            values[-1][key] = _ENTITY.sub(_character, token[1:-1])
        elif kind == "number" or (kind == "word" and token in ("NAN", "INF")):
            whole = len(token) < 300 and token.lstrip("+-").isdigit()
            values[-1][key] = int(token) if whole else float(token)
        elif kind == "end":
            raise source.error(f"it ends before the value of {key!r}, so it is truncated", _line(text, at))
        else:
            raise source.error(f"{token[:40]!r} stands where the value of {key!r} should", _line(text, at))
        key = None


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
            f"{key} {_value(key, value)}" for key, value in zip(columns, values, strict=True) if value is not None
        )
        lines.append("  node [\n    id " + "\n    ".join((str(i), *written)) + "\n  ]")
    for i, j, weight in zip(*(column.tolist() for column in graph.edge_list()), strict=True):
        last = f"\n    weight {number(weight)!r}" if graph.weighted else ""
        lines.append(f"  edge [\n    source {i}\n    target {j}{last}\n  ]")
    return ("\n".join(lines) + "\n]\n").encode("ascii")


def _value(key: str, value: object) -> str:
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
        f"vertex_attributes[{key!r}] has {value!r}, {a_type(value)}; GML holds numbers and strings."
    )
