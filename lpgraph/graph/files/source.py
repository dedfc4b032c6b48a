"""The content of a file with the options of the caller, its errors, and what `write_graph` notes beside edges."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from lpgraph._utils.checks import check_flag
from lpgraph._utils.files import existing
from lpgraph.errors import ArgumentError, ArgumentTypeError, FileFormatError, GraphError, LpgraphError
from lpgraph.graph.construct import check_ends, check_weight_name
from lpgraph.graph.names import is_numbered, listed

if TYPE_CHECKING:
    import os

    from lpgraph.graph.adjacency import Adjacency

#: A small file may claim this many vertices: more must have a byte each.
_VERTICES = 2_000_000
_NAMES_A_LINE = 50


class NoEdgesError(FileFormatError):
    """A table of edges has titles and no edges."""


@dataclass(frozen=True)
class EdgeColumns:
    """What the caller says about the columns of a list of edges, as in `read_graph`."""

    weight: str | None = "weight"
    source: str | None = None
    target: str | None = None
    header: bool | None = None

    @property
    def ends(self) -> tuple[str, str] | None:
        """The titles of the columns of end points, if they are given."""
        ends = check_ends(self.source, self.target)
        if ends is not None and self.header is False:
            raise ArgumentError(f"source={ends[0]!r} is a title but header=False; leave one of them out.")
        return ends


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

    def __post_init__(self) -> None:
        check_weight_name(self.weight)
        if self.header is not None:
            check_flag("header", self.header)

    def error(
        self, why: str, line: int | None = None, kind: type[FileFormatError] = FileFormatError
    ) -> FileFormatError:
        """Return the error that names the file and, if known, the line."""
        return kind(f"{self.path}{'' if line is None else f', line {line}'}: {why}.")

    def check_size(self, n: int) -> None:
        """Raise if the graph has no vertices, or if the file claims many more than it has bytes."""
        if n < 1:
            raise self.error("the graph has no vertices")
        if n > max(_VERTICES, len(self.content)):
            raise self.error(f"it claims {n} vertices in {len(self.content)} bytes; it is damaged")

    @contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Turn whatever a reader raises into an error with the file and the reader's words."""
        try:
            yield
        except GraphError as error:
            raise self.error(str(error).removesuffix(".")) from None
        except (LpgraphError, ImportError, Warning):
            raise
        except MemoryError:
            raise self.error("it takes more memory than there is") from None
        except Exception as error:
            words = (str(error).strip() or type(error).__name__).splitlines()[0][:200].rstrip(".")
            raise self.error(f"it is no whole {what} file ({words})") from error


def open_source(
    path: str | os.PathLike[str] | BinaryIO,
    weight: str | None = "weight",
    vertices: int | Iterable[Hashable] | None = None,
    ends: tuple[str, str] | None = None,
    header: bool | None = None,
) -> Source:
    """Return the content of a file, unpacked if it is gzipped, with the options of the caller."""
    if not hasattr(path, "read"):
        file = Path(path)
        with existing(path):
            content = file.read_bytes()
    else:
        content, file = path.read(), Path(str(getattr(path, "name", "the stream")))
        if not isinstance(content, bytes):
            raise ArgumentTypeError("path is a file opened as text; open it as bytes: open(path, 'rb').")
        while piece := path.read():  # an unbuffered stream, such as a pipe, may return less than there is
            content += piece
    source = Source(str(file), content, weight, vertices, ends, header)
    if content[:2] == b"\x1f\x8b":
        with source.reading("gzip"), gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
            return replace(source, content=packed.read())
    if file.suffix == ".gz":
        raise source.error("it is called .gz but is not gzipped; rename it")
    return source


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
    if not is_numbered(names):
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
        chunks = (line.removeprefix("names ") for line in comments[1:] if line.startswith("names ["))
        names: Sequence[Hashable] = [name for chunk in chunks for name in json.loads(chunk)]
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


def file_names(graph: Adjacency) -> Sequence[Hashable]:
    """Return the vertex names as a range, a list of str or a list of int; other names fit no file."""
    if is_numbered(graph.names):
        return graph.names
    names = listed(graph.names)
    if set(map(type, names)) not in ({int}, {str}):
        raise ArgumentTypeError(
            "Files hold vertex names that are all str or all int; rename them, such as by str()."
        )
    try:
        "".join(map(str, names)).encode()
    except UnicodeEncodeError as error:
        raise ArgumentError(f"A vertex name is not valid Unicode ({error.reason}); rename it.") from None
    return names
