"""Common parts of file formats: the source and its errors, comment lines with metadata, names."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lpgraph._articles import a_type
from lpgraph.errors import ArgumentError, ArgumentTypeError, FileFormatError, UnknownVertexError
from lpgraph.graph.construct import collect_edges
from lpgraph.graph.files.memory import EDGE, NAME, VERTEX
from lpgraph.graph.names import as_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import EdgeList

    Table = np.ndarray[tuple[int], np.dtype[np.void]]

__all__ = [
    "BLANK_LINES",
    "REAL",
    "Hint",
    "NoEdgesError",
    "Source",
    "body_table",
    "compose_hint",
    "file_names",
    "integer_names",
    "number",
    "plain_name",
    "read_hint",
    "shown",
]

# A number, as part of larger patterns; possessive, so that matching never backtracks.
REAL = rb"[-+]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][-+]?+[0-9]++)?+"
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,999}")
#: Lines without content, as many as there are: a loop over millions of them would take seconds.
BLANK_LINES = re.compile(rb"(?:[ \t\r]*+\n)++")
_FILLED = re.compile(rb"\S")
_NAMES_A_LINE = 50


class NoEdgesError(FileFormatError):
    """A table of edges has titles and no edges."""


@dataclass(frozen=True)
class Source:
    """The content of a file and the options of the caller."""

    path: str
    content: bytes
    #: Bytes of memory that may be taken for it.
    max_bytes: int
    weight: str | None = "weight"
    vertices: int | Iterable[Hashable] | None = None
    #: Titles of the columns of end points, and whether the first line has titles; None: as the file says.
    ends: tuple[str, str] | None = None
    header: bool | None = None

    def error(
        self, why: str, line: int | None = None, kind: type[FileFormatError] = FileFormatError
    ) -> FileFormatError:
        """Return the error that names the file and, if known, the line."""
        end = "" if why.endswith("?") else "."
        return kind(f"{self.path}{'' if line is None else f', line {line}'}: {why}{end}")

    def check_bytes(self, needed: int, enough: int = 0, *, what: str = "reading it") -> None:
        """Raise if more memory is needed than may be taken; `enough` suffices for what is known to come later."""
        if needed > self.max_bytes:
            raise self.error(
                f"{what} takes up to {needed} bytes of memory and max_bytes is {self.max_bytes}; if you trust the "
                f"file, pass max_bytes={max(enough, needed)}"
            )

    def check_size(self, n: int, edges: int) -> None:
        """Raise if the graph has no vertices, or claims more vertices and edges than memory may be taken for."""
        if n < 1:
            raise self.error("the graph has no vertices")
        self.check_bytes(VERTEX * n + EDGE * edges, what=f"a graph of the {n} vertices that it claims")

    def edges(
        self,
        sources: Sequence[Hashable] | NDArray[np.int64],
        targets: Sequence[Hashable] | NDArray[np.int64],
        weight: NDArray[np.float64] | None,
        hint: Hint | None,
        where: str,
        *,
        cut: bool = False,
    ) -> EdgeList:
        """Return edges by name; `hint` was read from `where`, and `cut` if the file ends within a line."""
        m = len(sources)
        self.check_bytes(EDGE * m)
        if hint is not None and (m != hint.edges or cut):
            raise self.error(
                f"it has {m} edges where its {where} say {hint.edges}: it is truncated, or was edited (then take "
                "that out)"
            )
        vertices = hint.names if hint is not None and self.vertices is None else self.vertices
        if m == 0 and vertices is None:
            raise self.error(
                "it has no edges; add a line with a source and a target for each edge", kind=NoEdgesError
            )
        directed = None if hint is None else hint.directed
        try:
            listed = collect_edges(sources, targets, weight, directed=directed, vertices=vertices)
            return listed if vertices is not None else _in_order(listed)
        except UnknownVertexError as error:
            if self.vertices is not None:
                raise
            raise self.error(f"its {where} do not name all vertices: {error.names[:5]}") from None


@dataclass(frozen=True)
class Hint:
    """Metadata that `write_graph` writes beside edges: direction, vertices in order, number of edges."""

    directed: bool
    names: Sequence[Hashable]
    edges: int


def _in_order(edges: EdgeList) -> EdgeList:
    """Return edges with the vertices in the order of their names if all names are integers.

    A table of edges has no order of vertices, and arrays of positions or labels have that of the integers.
    """
    whole = [name for name in edges.names if isinstance(name, int)]
    if isinstance(edges.names, range) or len(whole) < len(edges.names):
        return edges
    order = sorted(range(len(whole)), key=whole.__getitem__)
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    names = as_names([whole[i] for i in order])
    return replace(edges, names=names, source=rank[edges.source], target=rank[edges.target])


def compose_hint(graph: Adjacency, edges: int, mark: str) -> str:
    """Return comment lines for `read_hint`; ``range`` names are written as their number."""
    names = file_names(graph)
    facts = {"directed": bool(graph.directed), "vertices": len(names), "edges": edges}
    lines = [f"{mark} lpgraph {json.dumps(facts)}"]
    if not isinstance(names, range):
        chunks = (names[i : i + _NAMES_A_LINE] for i in range(0, len(names), _NAMES_A_LINE))
        lines.extend(f"{mark} names {json.dumps(list(chunk))}" for chunk in chunks)
    return "".join(line + "\n" for line in lines)


def read_hint(source: Source, comments: list[str]) -> Hint | None:
    """Return the metadata in leading comments, or None if `write_graph` did not write them."""
    if not comments or not comments[0].startswith("lpgraph {"):
        return None
    listed = [line.removeprefix("names ") for line in comments[1:] if line.startswith("names [")]
    source.check_bytes(NAME * sum(line.count(",") for line in listed))
    try:
        facts = json.loads(comments[0].removeprefix("lpgraph "))
        n, edges, directed = (facts[key] for key in ("vertices", "edges", "directed"))
        names: Sequence[Hashable] = [name for line in listed for name in json.loads(line)]
        sound = type(n) is int and type(edges) is int and type(directed) is bool
    except (ValueError, KeyError, TypeError, RecursionError):
        sound = False
    if not sound:
        raise source.error("its comment lines '# lpgraph' are damaged; take them out to read it without them")
    source.check_size(n, edges)
    if not names:
        return Hint(directed, range(n), edges)
    kinds = set(map(type, names))
    if len(names) != n or len(set(map(str, names))) != n or kinds not in ({int}, {str}):
        raise source.error(f"its comment lines '# names' do not have {n} different names")
    return Hint(directed, names, edges)


def file_names(graph: Adjacency) -> Sequence[Hashable]:
    """Return the vertex names as a range, a list of str or a list of int; other names fit no file."""
    names = graph.names
    if isinstance(names, range):
        return names
    plain = [plain_name(name) for name in names]
    kinds = set(map(type, plain))
    if len(kinds) > 1:
        raise ArgumentTypeError("Vertex names are partly int, partly str; a file keeps them if all are str.")
    if kinds == {str}:
        for name in plain:
            try:
                str(name).encode()
            except UnicodeEncodeError:
                raise ArgumentError(f"The vertex name {name!r} is not valid Unicode; rename it.") from None
    return plain


def plain_name(name: object) -> int | str:
    """Return a name as a plain int or str."""
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
    if all(_INTEGER.fullmatch(name) for name in names):
        return [int(name) for name in names]
    return None


def shown(value: object) -> str:
    """Return the beginning of a value as it is written in Python, for an error."""
    try:
        text = repr(value)
    except ValueError:  # an integer of thousands of digits
        text = f"a large {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:80]}..."


def number(value: float) -> int | float:
    """Return a whole weight as an int, so that it is written 1 and not 1.0."""
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def body_table(
    content: bytes, start: int, fields: Sequence[tuple[str, type]], delimiter: str | None = None
) -> Table:
    """Return the lines of numbers from `start` on as a table with the given fields."""
    if _FILLED.search(content, start) is None:
        return np.empty(0, dtype=list(fields))
    lines = io.BytesIO(content)
    lines.seek(start)
    return np.loadtxt(lines, dtype=list(fields), delimiter=delimiter, comments=None, ndmin=1)
