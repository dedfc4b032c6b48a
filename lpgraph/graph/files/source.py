"""The content of a file with the options of the caller, and its errors."""

from __future__ import annotations

import gzip
import os
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from lpgraph._utils.checks import check_flag
from lpgraph._utils.files import existing, is_path
from lpgraph._utils.progress import warn
from lpgraph.errors import ArgumentError, ArgumentTypeError, FileFormatError, GraphError, LpgraphError
from lpgraph.graph.names import is_numbered, listed

if TYPE_CHECKING:
    from lpgraph._utils.types import Flags
    from lpgraph.graph.adjacency import Adjacency
    from lpgraph.graph.assemble import EdgeList

#: A small file may claim this many vertices: more must have a byte each.
_VERTICES = 2_000_000
#: What to do with a file that cannot be read.
GRAPH_OF_OTHERS = "pass the graph that networkx or igraph makes of it to as_adjacency"


class NoEdgesError(FileFormatError):
    """A table of edges has none."""


@dataclass(frozen=True)
class Source:
    """The content of a file and the options of the caller."""

    path: str
    content: bytes
    weight: str | None = "weight"
    vertices: int | Iterable[Hashable] | None = None
    #: Titles of the columns of end points, and whether the first line has titles; None: as the file says.
    ends: tuple[str, str] | None = None
    header: bool | None = None
    directed: bool | None = None

    def __post_init__(self) -> None:
        for option in ("header", "directed"):
            if getattr(self, option) is not None:
                check_flag(option, getattr(self, option))
        if self.ends is not None and self.header is False and not all(map(str.isdigit, self.ends)):
            raise ArgumentError(f"source={self.ends[0]!r} but header=False; pass positions such as '1'.")

    def error(self, why: str, line: int | None = None) -> FileFormatError:
        """Return the error that names the file and, if known, the line."""
        return FileFormatError(f"{self.path}{'' if line is None else f', line {line}'}: {why}.")

    def check_size(self, n: int) -> None:
        """Raise if the graph has no vertices, or if the file claims many more than it has bytes."""
        if n < 1:
            raise self.error("the graph has no vertices")
        if n > max(_VERTICES, len(self.content)):
            raise self.error(f"it claims {n} vertices in {len(self.content)} bytes; it is damaged")

    def mixed(self, edges: EdgeList, arcs: Flags, default: bool = False) -> EdgeList:
        """Return edges as arcs if some are, with a warning if some are not; without edges, of the default kind."""
        if self.directed is False or not (arcs.any() if len(arcs) else default):
            return replace(edges, directed=False)
        if self.directed is None and not arcs.all():
            what = f"{len(arcs) - arcs.sum()} of {len(arcs)} edges are undirected, and became two arcs each"
            warn(f"{self.path}: {what}; pass directed=False to read all as undirected.")
        return edges.both_ways(~arcs)

    @contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Turn whatever a reader raises into an error with the file and the reader's words."""
        try:
            yield
        except (GraphError, ArgumentError, ArgumentTypeError) as error:
            raise type(error)(f"{self.path}: {error}") from None
        except (LpgraphError, ImportError, Warning):
            raise
        except Exception as error:
            words = (str(error).strip() or type(error).__name__).splitlines()[0][:200].rstrip(".")
            raise self.error(f"it is no whole {what} file ({words}); correct it, or {GRAPH_OF_OTHERS}") from error


def name_of(path: object) -> str:
    """Return what a file is called in messages."""
    return os.fsdecode(path) if is_path(path) else str(getattr(path, "name", "the stream"))


def open_source(path: str | os.PathLike[str] | BinaryIO) -> Source:
    """Return the content of a file, unpacked if it is gzipped."""
    if hasattr(path, "read"):
        content = path.read()
    else:
        with existing(path):
            content = Path(path).read_bytes()
    if not isinstance(content, bytes):
        raise ArgumentTypeError("path is a file opened as text; open it as bytes: open(path, 'rb').")
    source = Source(name_of(path), content)
    if content[:2] == b"\x1f\x8b":
        with source.reading("gzip"):
            return replace(source, content=gzip.decompress(content))
    return source


def file_names(graph: Adjacency) -> Sequence[Hashable]:
    """Return the vertex names as a range, a list of str or a list of int; other names fit no file."""
    if is_numbered(graph.names):
        return graph.names
    names = listed(graph.names)
    if set(map(type, names)) not in ({int}, {str}):
        raise ArgumentTypeError("Files hold names that are all str or all int; rename vertices, such as by str().")
    return names
