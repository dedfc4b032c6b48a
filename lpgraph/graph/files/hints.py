"""Names of vertices in files, and the metadata that `write_graph` writes beside edges."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._articles import a_type
from lpgraph.errors import ArgumentError, ArgumentTypeError, FileFormatError, UnknownVertexError
from lpgraph.graph.construct import collect_edges
from lpgraph.graph.files.source import NoEdgesError
from lpgraph.graph.names import as_names, listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import EdgeList
    from lpgraph.graph.files.source import Source

    #: A column of names.
    Column = Sequence[Hashable] | NDArray[np.int64] | NDArray[np.object_]

__all__ = ["Hint", "compose_hint", "file_names", "integer_names", "listed_edges", "read_hint"]

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,999}")
_NAMES_A_LINE = 50


@dataclass(frozen=True)
class Hint:
    """Metadata that `write_graph` writes beside edges: direction, vertices in order, number of edges."""

    directed: bool
    names: Sequence[Hashable]
    edges: int


def compose_hint(graph: Adjacency, edges: int, mark: str) -> str:
    """Return comment lines for `read_hint`; ``range`` names are written as their number."""
    names = file_names(graph)
    facts = {"directed": bool(graph.directed), "vertices": len(names), "edges": edges}
    lines = [f"{mark}lpgraph {json.dumps(facts)}"]
    if not isinstance(names, range):
        chunks = (names[i : i + _NAMES_A_LINE] for i in range(0, len(names), _NAMES_A_LINE))
        lines.extend(f"{mark}names {json.dumps(list(chunk))}" for chunk in chunks)
    return "".join(line + "\n" for line in lines)


def read_hint(source: Source, comments: Sequence[str]) -> Hint | None:
    """Return the metadata in leading comments, or None if `write_graph` did not write them."""
    if not comments or not comments[0].startswith("lpgraph {"):
        return None
    try:
        facts = json.loads(comments[0].removeprefix("lpgraph "))
        n, edges, directed = (facts[key] for key in ("vertices", "edges", "directed"))
        listed = (line.removeprefix("names ") for line in comments[1:] if line.startswith("names ["))
        names: Sequence[Hashable] = [name for line in listed for name in json.loads(line)]
        sound = type(n) is int and type(edges) is int and type(directed) is bool
    except (ValueError, KeyError, TypeError, RecursionError):
        sound = False
    if not sound:
        raise source.error("its comment lines '# lpgraph' are damaged; take them out to read it without them")
    source.check_size(n)
    kinds = set(map(type, names))
    if names and (len(names) != n or len(set(map(str, names))) != n or kinds not in ({int}, {str})):
        raise source.error(f"its comment lines '# names' do not have {n} different names")
    return Hint(directed, names or range(n), edges)


def listed_edges(
    source: Source,
    sources: Column,
    targets: Column,
    weight: NDArray[np.float64] | None,
    hint: Hint | None = None,
    *,
    cut: bool = False,
) -> EdgeList:
    """Return edges by name; `cut` is whether the file ends within a line.

    Without metadata, vertices whose names are integers come in their order.
    """
    if hint is not None and (len(sources) != hint.edges or cut):
        raise source.error(
            f"it has {len(sources)} edges where its metadata say {hint.edges}: it is truncated, or was edited "
            "(then take that out)"
        )
    vertices = hint.names if hint is not None and source.vertices is None else source.vertices
    if len(sources) == 0 and vertices is None:
        begun = source.content.lstrip()[:1] not in (b"", b"#", b"%")
        raise source.error(
            "it has no edges; add a line with a source and a target for each",
            kind=NoEdgesError if begun else FileFormatError,
        )
    directed = None if hint is None else hint.directed
    try:
        edges = collect_edges(sources, targets, weight, directed=directed, vertices=vertices)
    except UnknownVertexError as error:
        if source.vertices is not None:
            raise
        raise source.error(f"its metadata do not name all vertices: {error.names[:5]}") from None
    if vertices is not None or isinstance(edges.names, range):
        return edges
    names = [int(name) for name in edges.names if isinstance(name, int | np.integer)]
    if len(names) < len(edges.names):
        return edges
    order = sorted(range(len(names)), key=lambda i: names[i])
    rank = np.argsort(order)
    ordered = as_names([names[i] for i in order])
    return replace(edges, names=ordered, source=rank[edges.source], target=rank[edges.target])


def file_names(graph: Adjacency) -> Sequence[Hashable]:
    """Return the vertex names as a range, a list of str or a list of int; other names fit no file."""
    if isinstance(graph.names, range):
        return graph.names
    plain = [_plain(name) for name in listed(graph.names)]
    if len(set(map(type, plain))) > 1:
        raise ArgumentTypeError("Vertex names are partly int, partly str; a file keeps them if all are str.")
    for name in plain:
        if isinstance(name, str) and not name.isascii():
            try:
                name.encode()
            except UnicodeEncodeError:
                raise ArgumentError(f"The vertex name {name!r} is not valid Unicode; rename it.") from None
    return plain


def _plain(name: object) -> int | str:
    if isinstance(name, str):
        return str(name)
    if isinstance(name, int | np.integer) and not isinstance(name, bool):
        return int(name)
    raise ArgumentTypeError(
        f"The vertex name {name!r} is {a_type(name)}; files hold str and int names, "
        "so rename the vertices, for example by str()."
    )


def integer_names(names: Sequence[str]) -> list[int] | None:
    """Return names as int if all are decimal integers in their usual form, else None."""
    if all(map(_INTEGER.fullmatch, names)):
        return list(map(int, names))
    return None
